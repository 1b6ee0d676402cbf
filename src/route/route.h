/* SPDX-License-Identifier: Apache-2.0 */
/* route.h: where a command of a class goes, decided before anything runs (contract 000).
 *
 * Pure: the same contract, request and workers give the same plan, byte for byte. Who is there is
 * found out by others and told.
 */
#pragma once

#include "base/buf.h"
#include "contract/config_doc.h"
#include "contract/lane_doc.h"
#include "contract/states.h"
#include "route/command.h"

/* What is asked for, beside the lane's own document. */
struct route_ask {
    const struct route_doc *contract; /* that holds: its invariants were checked */
    const struct lane_doc *lane;
    const struct config_worker *worker; /* that a remote command would go to */
    bool named;                         /* the caller named it: as good as prefer_remote */
    bool available;                     /* it can be had */
    const char *unavailable;            /* why not, for people; or NULL */
    enum fallback fallback;
};

struct route_plan {
    struct str command_id, command_class, correlation_id, scenario_id;
    struct words words;            /* what is run, wherever */
    struct str normalized_command; /* the same as a line */
    enum route route;
    enum route_reason reason;
    const struct policy_doc *policy;    /* that decided; NULL: the caller did */
    const struct config_worker *worker; /* NULL: none */
    struct str provenance;              /* as it was told before; no text: made of the words */
    struct str routed_command;          /* the line that is executed: wrapped for a wrapper */
    struct words routed_words;
    int64_t soft_timeout_secs, hard_timeout_secs, cancel_grace_secs;
    int64_t max_retries; /* attempts after the first, for what may be tried again */
    bool downgraded;     /* remote was wanted and is not had */
    const char *unavailable;
    enum route_state state;              /* planned */
    const struct items *manifest_fields; /* of struct str */
};

/* The words of a lane's command. A list is what it says; a text is taken apart only where that
 * loses nothing (A00-6), else it is refused. */
bool route_words(const struct lane_doc *lane, struct arena *a, struct words *out,
                 struct error *e) NODISCARD;

/* False: the class is unknown or does not allow the command, or the words of the command are not
 * those of its line. CODE_CONTRACT_INVALID. */
bool route_plan(const struct route_ask *ask, struct arena *a, struct route_plan *out,
                struct error *e) NODISCARD;

/* The plan after all had to go without its worker: what route_plan() says of the same request when
 * the worker is not available. */
bool route_downgrade(const struct route_ask *ask, const char *why, struct arena *a,
                     struct route_plan *out, struct error *e) NODISCARD;

/* The plan as JSON, as `writ route plan --json` prints it. */
void route_plan_json(const struct route_plan *plan, struct buf *to);

/* The triggers that lead away from a state, sorted. */
struct words route_triggers(const struct route_doc *contract, struct str state, struct arena *a);

/* R-000-062: the next state by the contract's own edges, which need not be those that ship. The
 * states and triggers are texts, as the contract has them. False: not declared; the message depends
 * on the pair alone. */
bool route_next(const struct route_doc *contract, struct str state, struct str trigger,
                struct str *to, struct error *e) NODISCARD;
