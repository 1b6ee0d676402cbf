/* SPDX-License-Identifier: Apache-2.0 */
/* call.h: one call of an adapter's operation, from asking to answer; what the files of it hand on.
 *
 * A call is one run or several: the first attempt, those that follow it, and those of the adapter
 * it falls back to. Each is an execution contract of its own, and on record as such.
 */
#pragma once

#include <writ/adapters.h>

#include "adapter/cli_bind.h"
#include "adapter/http.h"
#include "adapter/transform.h"
#include "engine/exec.h"
#include "engine/toolbox.h"

/* What a run printed, as it was kept; 0 bytes: nothing was. */
struct call_kept {
    struct digest digest;
    int64_t bytes;
};

/* What one attempt came to. */
struct attempt_end {
    const struct adapter *adapter;
    bool ok;
    bool ran;                  /* there is a record of it */
    enum code code;            /* why not; CODE_NONE: ok */
    const char *message;       /* for people */
    int exit;                  /* the status that the caller is told when nothing better follows */
    int64_t exit_code;         /* of a command; -1: there was none */
    int64_t status;            /* of HTTP, or a JSON-RPC code; 0: none */
    const struct doc *headers; /* of HTTP, those that lead on; NULL: there is no answer */
    int64_t retry_after;       /* ms that the service asks for; -1: it does not */
    bool nothing_happened;     /* certainly: it may be done again */
    bool repeatable;           /* doing it twice is as good as once */
    const char *once;          /* why it is not, in a few words; NULL: nothing to say */
    struct value value;        /* what came back, where ok */
    int64_t duration_ms;
    int64_t ended_ms;         /* mono: before it was recorded; 0: nothing has run */
    struct str execution;     /* of the record */
    const char *told;         /* the last words of a command, or NULL */
    struct call_kept kept[2]; /* of stdout and stderr, in a plan */
    struct str *ledger;       /* ids of its entries */
    size_t ledger_count;
};

struct tool_call {
    struct toolbox *box;
    const struct writ_call *ask;
    const struct exec_step *step; /* NULL: no plan */
    const struct world *world;
    struct arena *a;
    const char *purpose;   /* for the request; or NULL */
    const char *directory; /* that its commands run in, which writ has looked at; NULL: here */

    const struct adapter *adapter; /* that is called now: first the one that was asked for */
    struct str operation;
    const struct registry_doc *registry;
    const struct tool_doc *tool;
    struct str installed;     /* the version that was found, where one is asked for */
    const struct doc *given;  /* the parameters, as they came */
    const struct doc *params; /* after the transforms of this adapter */
    const struct doc *narrow; /* the caller's own limits; NULL: none */
    struct secrets secrets;

    struct attempt_end *attempts;
    size_t attempt_count, attempt_room;
    struct value output;
    const char *cut; /* that not all of it was kept, in words; NULL: it was */
    const char **warnings;
    size_t warning_count, warning_room;
    bool fell_back;
    bool cached; /* the output was remembered: nothing was done */

    /* Why there is nothing to show; code CODE_NONE: there is. */
    struct error error;
    struct report report; /* of a document that is wrong */
    const char *kind;     /* of that document; NULL: none is */
};

/* Calls it. The status is writ_call()'s. */
int call_run(struct tool_call *c);

/* What came of it, as writ_call() answers. */
void call_answer(const struct tool_call *c, int status, struct buf *to);

/* May the operation be called, and with what? False: c->error or c->report. */
bool call_find(struct tool_call *c, struct str adapter, struct str operation,
               int *status) NODISCARD;

/* Why there is no such adapter with such an operation that may be called; NULL: there is. */
const char *call_why_none(struct toolbox *box, struct str adapter, struct str operation,
                          struct arena *a);

/* Why it cannot be called, after call_find(); of a document that is wrong, where. */
const char *call_why_not(struct tool_call *c);

/* The execution contract of an attempt: what is run, or who does it. */
struct call_request {
    struct str command;
    struct items arguments, environment; /* of struct str, of struct pair */
    struct str input;
    struct items read;             /* of struct str: paths beside those of its level */
    struct items write;            /* of struct str */
    const char *directory;         /* where it runs; NULL: here */
    int64_t timeout_ms, memory_mb; /* 0: as the adapter and the caller say */
    int64_t max_children;          /* 0: as usual */
    bool offline;                  /* it reaches nothing, whatever it may */
    bool minimal;                  /* it sees its working directory alone, whatever it may */
    bool fixed;                    /* time and chance are held */
};

const struct doc *call_request(struct tool_call *c, const struct call_request *r);

/* Reads the caller's own limits. False: the report says what is wrong with them. */
bool call_narrow(struct tool_call *c, int *status) NODISCARD;

/* What the caller says of a limit: narrow.map, or narrow.map.key; NULL: nothing. */
const struct doc *call_asked(const struct tool_call *c, const char *map, const char *key);

/* How long an attempt may take, by the adapter and the caller. */
int64_t call_timeout(const struct tool_call *c);

/* Runs an execution contract as part of this call: x is zeroed but for `call` parts. Fills what is
 * common in *end; true when there is a record. */
bool call_exec(struct tool_call *c, const struct doc *request, struct exec_call *how,
               struct exec *x, struct attempt_end *end);

/* A command ended, and not well: how, in *end. */
void call_command_failed(struct tool_call *c, const struct exec *x, struct attempt_end *end);

/* One attempt, by kind of adapter. */
void call_cli(struct tool_call *c, struct attempt_end *end);
void call_sdk(struct tool_call *c, struct attempt_end *end);
void call_api(struct tool_call *c, struct attempt_end *end);
void call_mcp(struct tool_call *c, struct attempt_end *end);

/* The attempt could not be made. */
void call_failed(struct attempt_end *end, int exit, const struct error *e, struct arena *a);

/* A word beside the answer. */
void call_warn(struct tool_call *c, const char *text);

/* The hosts a run of this call may reach: what the adapter lists, narrowed by the caller. */
struct call_network {
    bool on;
    struct items allow, deny; /* of struct str */
};

struct call_network call_network(const struct tool_call *c);

/* The hosts the adapter may reach, where the registry lets it; false: c says why not. */
bool call_hosts(struct tool_call *c, struct str host, struct http_hosts *out,
                struct error *e) NODISCARD;
