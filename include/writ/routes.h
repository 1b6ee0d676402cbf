/* SPDX-License-Identifier: Apache-2.0 */
/* routes.h: command lanes: where one would go, what follows what, how one is ended, and who serves.
 */
#pragma once

#include <writ/writ.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- routes ---- */

/* The contract that holds here (contract 000): the classes that ship and those of .writ/config.yaml
 * above the current directory and of the user's own configuration. The same bytes each time. On
 * WRIT_WRONG the answer is as from writ_check(). */
WRIT_API int writ_route_contract(const char *const *environment, char **answer);

/* A command to be routed: a lane document, or a class and the words of a command. */
struct writ_route {
    const struct writ_input *lane; /* NULL: the members below are used */
    const char *class_id;
    const char *const *argv;           /* ended by NULL */
    bool remote;                       /* elsewhere, if that can be had */
    const char *worker;                /* the worker's name; NULL: the one that remote means */
    const char *fallback;              /* local or fail_closed; NULL: as configured */
    const char *available;             /* "yes" or "no": is not found out; NULL: it is */
    const struct writ_input *contract; /* an ExecutionAdapterContract; NULL: that holds here */
    const char *const *environment;
};

/* Where it would go and how: nothing runs.
 *
 *     {"contract_version":..,"command_id":..,"command_class":..,"correlation_id":..,
 *      "scenario_id":..,"normalized_command":..,"argv":[..],"route":..,"route_reason":..,
 *      "policy_id":..,"worker":..,"routed_command":..,"timeouts":{"soft_timeout_secs":..,
 *      "hard_timeout_secs":..,"cancel_grace_secs":..},"max_retries":..,"downgraded":..,
 *      "unavailable":..,"state":"planned","artifact_manifest_fields":[..]}
 *
 * WRIT_WRONG and an answer as from writ_check() when a document is wrong; WRIT_REFUSED and
 * {"code":..,"message":..} when the class does not take the command; WRIT_USAGE where there is
 * none, or `available` is something else. */
WRIT_API int writ_route_plan(const struct writ_route *route, char **answer);

/* The state that follows by the contract's edges: {"state":..,"trigger":..,"next":..}. `contract`:
 * NULL: that holds here. WRIT_NO and {"code":"invalid_transition","message":..,"state":..,
 * "trigger":..,"allowed":[..]} for a pair that is not declared: the state stays. */
WRIT_API int writ_route_advance(const struct writ_input *contract, const char *state,
                                const char *trigger, const char *const *environment, char **answer);

/* Asks the lane of a run to end: run-<execution id>, the id, or 8 characters of it.
 * {"run_id":..,"asked":true}; WRIT_NO and {"code":..,"message":..,"candidates":[..]} where no such
 * lane runs, WRIT_UNAVAILABLE and {"code":..,"message":..} where there is no state directory. That
 * it was asked does not say how it ended: `writ show` does. */
WRIT_API int writ_cancel(const char *run, const char *reason, const char *const *environment,
                         char **answer);

/* What lanes that failed have left to be mended: of all that are open, {"remediations":[..]}; of a
 * run, its own: {"run_id":..,"failure_code":..,"operator_action":..,"status":"open"|"closed",
 * "opened_at":..,"command":..,"exit_code":..,"stderr_bytes":..,"stderr_digest":..,
 * "transcript_path":..}. With a reason it is closed, and has "closed_at", "closed_by_uid" and
 * "reason", too. WRIT_NO and {"code":..,"message":..} where the run has left none, or it is closed
 * already; WRIT_USAGE for a reason without a run. */
WRIT_API int writ_remediation(const char *run, const char *reason, const char *const *environment,
                              char **answer);

/* Serves as a worker: runs what comes in frames on `in`, and answers on `out`, until `in` ends or
 * was silent for 30 s. Then all it runs is ended. `eager`: every piece is answered at once, for
 * lines that send no more before. WRIT_OK; WRIT_UNAVAILABLE where what came is not the protocol,
 * WRIT_USAGE where one of them is not open. */
WRIT_API int writ_worker(int in, int out, bool eager, const char *const *environment);

#ifdef __cplusplus
}
#endif
