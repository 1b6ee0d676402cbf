/* SPDX-License-Identifier: Apache-2.0 */
/* plans.h: plans: checked, looked at, ordered, and run to their end. */
#pragma once

#include <writ/writ.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- plans ---- */

enum { WRIT_JOBS_MAX = 256 }; /* steps at the same time, at most */

/* A plan and what it is run with. Zeroes are defaults, but for the descriptors. */
struct writ_plan {
    const struct writ_input *plan;    /* a plan, or a template of one */
    const struct writ_input *context; /* a map: the environment's keys; or a context document, of
                                         which only the environment is needed and whose plan, if
                                         it has one, is this one; or NULL */
    const char *const *set;           /* "key=value", ended by NULL: more of the environment */
    const char *const *environment;   /* the caller's, ended by NULL */
    const char *ledger;               /* as for writ_ledger_open() */
    const char *policy;               /* block (also when NULL) or draft_only */
    const char *dependency_skip; /* fail or cascade: what becomes of a step whose dependency was
                                    skipped; NULL: what is configured, else fail */
    const char *rerun_of;        /* the id of an execution in the ledger that this one repeats:
                                    lineage.rerunOfExecutionId of its events; or NULL */
    const char *const *weak;     /* as of struct writ_command */
    int jobs;                    /* steps at the same time; 0: one; at most WRIT_JOBS_MAX */
    int progress; /* what happens is written here as it happens, as JSON lines; -1: nowhere. A pipe
                     that is full loses lines, and a line longer than it holds; no plan waits */
    int force;    /* a descriptor that is readable when the plan's time is to be up; -1: never */
};

/* The plan that would run: what a plan says, or what a template comes to, with new ids. The answer
 * is the plan as JSON; its steps' names are in metadata.writ.names. WRIT_WRONG and an answer as
 * from writ_check() where it is wrong; of the struct only `plan` is needed. */
WRIT_API int writ_plan_show(const struct writ_plan *plan, char **answer);

/* What would run, in which order and under which limits; nothing runs.
 *
 *     {"plan_id":..,"name":..,"timeout_ms":..,"jobs":..,"missing":[keys],"refused":{"code":..,
 *      "message":..}|null,"steps":[{"step_id":..,"name":..,"action":..,"about":..,"after":[names],
 *      "wave":N,"on_failure":..,"attempts":N,"timeout_ms":..,"limits":{..}|null,"why":..,
 *      "refused":{"code":..,"message":..,"sure":..}|null,"warnings":[..],"lane":{..}|null}]}
 *
 * Steps are in the order they are started in when they are started one at a time; wave: how many
 * have to be completed one after the other before it, plus one. timeout_ms: the time that ends
 * first: the plan's, the step's, the command's or the executor's. limits: of commands; its time
 * alone of one that a wrapper runs. lane: of a command of a class, its "class", and as of
 * writ_route_plan() "route", "route_reason", "worker" and "unavailable"; "otherwise", the route if
 * that worker cannot be reached, or null; "sandboxed", false where a wrapper runs it. Of an inner
 * plan a list of its steps', with "step", of 32 at most, those first that run outside of the
 * sandbox or without their worker. refused: of the plan, why it would be refused before anything
 * runs: keys of its context are missing, there is too little time, or it was used before; then the
 * status is WRIT_NO. Of a step, what the registry, as it is now, will say to its command or call,
 * that its plan was used before, or that this machine lacks a layer that `weak` does not spare;
 * sure is false where what runs before may change that. warnings: what it is let through with. As
 * from writ_check() with WRIT_NO where what a step asks for is wrong, with WRIT_WRONG where a
 * document is. */
WRIT_API int writ_plan_order(const struct writ_plan *plan, char **answer);

/* Runs it to its end.
 *
 *     {"result":{PlanResult},"names":{"<step id>":name},"ledger":["led-.."],
 *      "evidence":{"files":N,"bytes":N,"directory":..},"problems":[as from writ_check()]}
 *
 * WRIT_OK: success; WRIT_NO: failure, WRIT_PARTIAL: partial; WRIT_WRONG and an answer as from
 * writ_check() where the document is so wrong that there can be no result (A04-24). With
 * {"code":..,"message":..}: WRIT_USAGE where policy, jobs, set or weak are not what they may be,
 * WRIT_REFUSED where the plan or execution was used before, WRIT_UNRECORDED where it could not be
 * recorded, and so there is no result.
 *
 * Lines of progress; each ends with "at":ms; STEP is "step_id":..,"name":..,"index":N, and LANE
 * "class":..,"route":..,"worker":..,"downgraded":..,"downgraded_from":..,"missing":[..], as in
 * the member "lane" of what such a step came to:
 *
 *     {"event":"plan_started","execution_id":..,"plan_id":..,"name":..,"steps_total":N,
 *      "timeout_ms":..,"deadline_ms":..,"jobs":N}
 *     {"event":"step_started",STEP,"attempt":N,"max_attempts":N}
 *     {"event":"step_completed",STEP,"attempt":N,"duration_ms":N,"note":..}
 *     {"event":"step_failed",STEP,"attempt":N,"duration_ms":N,"code":..,"message":..,
 *      "severity":..,"on_failure":..,"note":..,"last_words":..}
 *     {"event":"step_retries",STEP,"attempt":N,"wait_ms":N}
 *     {"event":"step_lane",STEP,"inner":..,"said":{..}}
 *     {"event":"step_held",STEP,"inner":..,LANE}
 *     {"event":"notify",STEP,"inner":..,"payload":{..}}
 *     {"event":"plan_execution_<status>","result":{PlanResult}}
 *
 * inner is there where a step of an inner plan speaks: its name, while the others are of the step
 * that has that plan. name: the step's, as in metadata.writ.names; the beginning of its id where
 * it has none there. index: its place in the plan. note: words for people, or null. attempt 0: it
 * was not begun, for what it depends on was not completed. said: of its lane's transcript a line of
 * unavailable, retry or downgrade. missing: layers that did not hold it. "lost": lines left out. */
WRIT_API int writ_run(const struct writ_plan *plan, char **answer);

#ifdef __cplusplus
}
#endif
