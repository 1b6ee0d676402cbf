/* SPDX-License-Identifier: Apache-2.0 */
/* call_visit.h: an MCP server that no adapter names, spoken to once: at a URL, or started here.
 *
 * One that is started is a person's own command, as of `writ exec --`: in the sandbox, with the
 * limits that hold by default, on record, and refused where the registry is strict.
 */
#pragma once

#include "adapter/mcp.h"
#include "adapter/secret.h"
#include "engine/exec.h"
#include "engine/toolbox.h"
#include "engine/wired.h"

struct visit_ask {
    const char *const *argv; /* that starts it, ended by NULL; or NULL */
    const char *url;         /* where it is; its own host is all that is reached */
    const char *bearer;      /* the caller's variable that has a token for it; or NULL */
    const char *const *environment;
    const char *ledger;
    const char *const *weak; /* of one that runs here: as of struct writ_command */
    const char *options;     /* the same */
    int cancel;
};

struct visit {
    struct mcp *mcp; /* NULL: not yet, or no longer */
    int transport;   /* enum mcp_transport */
    struct toolbox box;
    struct str host;
    struct secrets secrets; /* that were sent: they are in nothing that is told */

    /* of one that runs here */
    struct wired wired;
    struct arena a; /* the run's */
    struct writ_command command;
    struct exec x;
    struct report report; /* of a document that is wrong */
    const char *kind;     /* of that document */
    struct error error;   /* why it did not run, or is not on record */
    bool ran;
    int status; /* of exec_run() */
};

/* WRIT_OK, or why it cannot be spoken to: as a status, and *e; WRIT_WRONG: as a report on what kind
 * says. Either way it is to be closed. */
int visit_open(struct visit *v, const struct visit_ask *ask, struct error *e) NODISCARD;

/* What it said, without the token. */
const struct doc *visit_told(const struct visit *v, const struct doc *said, struct arena *a);

/* Ends it; WRIT_UNRECORDED and *e where its run could not be recorded. */
int visit_end(struct visit *v, struct error *e);
void visit_close(struct visit *v);

#define _visit_ _cleanup_(visit_close)

/* What a failure in a conversation is, as a status. */
int visit_status(const struct error *e);
