/* SPDX-License-Identifier: Apache-2.0 */
/* exec.h: one command from asking to record; what the files of it hand on to each other.
 *
 * exec/run.c has its path and calls the others in their turn, which is the order below. What it
 * reaches through a gate is in exec_network.h, what a process keeps between runs in exec_pool.h.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <writ/writ.h>

#include "base/caller.h"
#include "base/report.h"
#include "contract/admit.h"
#include "contract/request_doc.h"
#include "engine/alive.h"
#include "engine/keeping.h"
#include "engine/record.h"
#include "engine/registries.h"
#include "engine/written.h"
#include "route/transcript.h"
#include "sandbox/collect.h"
#include "sandbox/reach.h"
#include "sandbox/sandbox.h"

struct input_file {
    const char *path;
    int64_t bytes; /* that the command is given */
    int64_t whole; /* that the file has */
    struct digest digest;
};

/* The ledger is opened beside the building of the walls. */
struct opening {
    pthread_t thread;
    bool begun;
    bool beside; /* the thread runs, or ran and was not waited for */
    struct keeping keeping;
    struct alive alive; /* of what is no step: its plan has one */
    bool owes;          /* the ledger has that it runs, and no end of it */
};

/* A run that is a step of a plan: it is recorded with the plan, and held to its time. */
struct exec_step {
    const struct doc *payload;     /* as execute_shape has it */
    const char *purpose;           /* for the request: which step of which plan */
    struct keeping *keeping;       /* the plan's */
    struct registries *registries; /* the plan's */
    struct kept *kept;             /* the plan's */
    struct fleet *fleet;           /* the plan's */
    struct str execution;          /* the plan's; of nested ones, the outermost's */
    struct uuid plan;              /* the ledger's entry of the plan, on which the run depends */
    struct str before;             /* the attempt before, which this one repeats; no text: none */
    int64_t timeout_ms;            /* of the step, or of its plan; 0: it is not run */
    struct listener listener;      /* to its lane */
};

/* A run on behalf of somebody else, who records it: we are a worker. */
struct exec_served {
    const struct doc *request;
    bool person;        /* who asks there is one */
    const char *cwd;    /* that was asked for; absolute */
    int64_t timeout_ms; /* takes the place of the request's */
    struct pace pace;
    struct kept *kept;                           /* the worker's */
    struct registries *registries;               /* the worker's */
    bool (*ready)(void *self, struct error *e);  /* it is admitted */
    bool (*permit)(void *self, struct error *e); /* may it start? */
    void *self;
};

struct exec;

/* Why a run failed, for its event. */
struct failing {
    enum code code;
    bool retryable;
    const char *message;
};

/* A run that is a call of an adapter's operation. */
struct exec_call {
    const struct doc *request;           /* the whole execution contract */
    const struct registry_doc *registry; /* that lets the operation be called */
    bool own_paths;      /* what it reads and writes besides is writ's to say, not a document's */
    bool builds;         /* it makes a program that writ keeps, in a directory of writ's own */
    const char *allowed; /* what IV-01 says of it, where no command is run */

    /* Variables that the command sees and no record does. */
    const struct pair *secrets;
    size_t secret_count;

    /* Takes secrets out of what came, before any of it is kept. NULL: there are none. */
    void (*clean)(void *self, struct exec *x);

    /* Somebody else does it, no command: fills the outcome, and where that is a failure `failing`.
     * NULL: a command in the sandbox. */
    void (*peer)(void *self, struct exec *x);
    void *self;
};

struct secrets;
struct exec_lane;
struct change_set;
struct exec_network;

/* A directory that names must not come into being in. */
struct watched {
    int fd;    /* as it was granted, wherever it is by now; -1: not held */
    bool told; /* that it is no longer there */
};

enum { DENIALS_MOST = 1024 }; /* that a worker tells of, and is believed */

/* A name that came into being although it must not. */
struct violation {
    const char *path, *act, *rule;
    bool undone;
    const char *moved_to; /* NULL: nowhere */
};

/* What an attempt left beside its outcome: exec/gather.c, exec/changes.c, lane/far.c. Nothing of it
 * is in the record of the next one: that begins with { 0 }. */
struct exec_attempt {
    bool ran;                      /* the command has ended, and the outcome says how */
    const struct doc *far[2];      /* the halves of a worker's record; NULL: it ran here */
    const struct failing *failing; /* why a call failed, where the outcome does not say; or NULL */
    struct collected_list files, artifacts;
    bool files_cut;
    struct digest printed[2]; /* of a step: stdout and stderr as they were kept; of none, zeroes */
    int own_exit_code;        /* of what is unmet or undelivered: what the command ended with */
    const char *unkept; /* it ran, and why not all that was asked for could be kept; or NULL */
    const char *lost;   /* it was told to go, and why nobody knows how it ended; or NULL */
    const struct change_set *changes; /* NULL: it wrote to the disk */
    struct violation *violations;
    size_t violation_count;
};

struct exec {
    /* Who asks, and for what kind of run; set before exec_run(). */
    const struct writ_command *command;
    const struct exec_step *step;     /* NULL: a run of its own */
    const struct exec_served *served; /* NULL: it is ours */
    const struct exec_call *call;     /* NULL: no adapter is called */
    const struct world *world;
    struct caller caller; /* who runs this process */
    struct arena *a;
    struct kept *pool;       /* this process's, or NULL */
    bool result;             /* as of struct run */
    int *wires;              /* its input and output, ours until it has them; or NULL */
    const atomic_bool *deaf; /* true: who it was wired to got no answer in time; or NULL */
    atomic_bool *left;       /* becomes true when its command has ended; or NULL */

    /* What is asked for: exec/read.c. */
    struct request_doc request;
    const struct doc *asked; /* the request as it was written */
    struct str request_text; /* canonical */
    struct digest request_digest;
    struct digest inputs_digest;         /* of what is asked for, whoever asks and whenever */
    const struct registry_doc *registry; /* NULL: there is none */
    bool person;
    bool named; /* by us, just now: nobody else has an execution of this id */

    /* With what it may run: exec/admit.c, exec/secrets.c, exec/network.c. */
    struct str input;
    bool input_taken;
    bool input_unread;     /* it could not be had */
    enum cause waited_for; /* the end of the input in vain; CAUSE_EXITED: no */
    int64_t waited_ms;
    char **argv;
    char **env;
    struct admission admission;
    struct reach reach;
    struct program program;
    struct input_file *inputs;
    size_t input_count;
    const char **cut_copies; /* of input files, to be removed when it has ended */
    size_t cut_count;
    struct exec_network *network; /* NULL: it has no gate */
    struct secrets *secrets;      /* that it is given or sent: exec/secrets.c */
    const struct pair *variables; /* those it is given */
    size_t variable_count;
    unsigned weak;

    /* While it runs: exec/run.c, lane/. */
    struct exec_lane *lane;  /* NULL: it has none */
    int cancel;              /* as of struct run */
    struct watched *watched; /* one for each grant; NULL: none is */
    size_t watched_count;
    struct written written; /* that it can write, and where */

    /* What came of the attempt: exec/run.c, lane/. */
    int attempt; /* from 1 */
    struct outcome outcome;
    struct exec_attempt now;
    const struct doc *peer; /* of a call that no command does: who did it */

    /* Where it is recorded: exec/ledger.c, exec/own_ledger.c, exec/gather.c. */
    struct opening opening;
    struct keeping *keeping; /* where it is recorded: its own, or the plan's */
    int store;               /* where files are kept, opened before anything runs; -1: none are */
    bool recording;          /* the ledger is open, and has that it runs */
    bool unrecorded;         /* it could not be written */
    bool unsafe;             /* the command could write it: it is not touched */
    int64_t since;           /* it has no event before this entry; 0: that is not known */
    int64_t snapshot_ms;     /* of the run's events: when its request was entered */
    struct uuid *entries;    /* its request first */
    size_t entry_count, entry_room;
};

/* ---- exec/run.c ---- */

/* From asking to its end. The status is writ_exec()'s; *ran tells whether there was a run, *e why
 * there was none, or why it could not be recorded. WRIT_WRONG: the report has the problems of a
 * document of the kind *kind. */
int exec_run(struct exec *x, struct report *r, const char **kind, bool *ran, struct error *e);
void exec_close(struct exec *x);

/* From admission to the outcome, here: WRIT_OK, or why it did not run; where `unkept` is set it
 * did. `x` is as exec_read() left it. */
int exec_try(struct exec *x, struct report *r, const char **kind, struct error *e);

/* Its first half: may it run, and with what? */
int exec_prepare(struct exec *x, struct report *r, const char **kind, struct error *e);

/* May it start? It has been announced then, here or by whom we serve. */
bool exec_permit(void *exec, struct error *e) NODISCARD;

/* Why a run could not begin, as a status: the ledger, an id that was used before, or the sandbox.
 */
int exec_refused(const struct exec *x, const struct error *e);

/* An auditor is to see what was refused. That it could not be written down changes nothing about
 * the refusal: why not is returned, to be told beside it. Where the ledger was what is wrong, it is
 * left alone; of a run that had been announced there are events. */
const char *exec_keep_refusal(struct exec *x, const struct error *why, int status);

/* Says before what is wrong with the ledger that it ran all the same, and how it ended. False. */
bool exec_end_lost(const struct exec *x, struct error *e);

/* What runs have in common: the plan's, the worker's or this process's; NULL: nothing is kept. */
struct kept *exec_kept(const struct exec *x);

/* ---- exec/read.c ---- */

/* What is asked for, decoded and checked as a document. False: WRIT_WRONG, and the report. */
bool exec_read(struct exec *x, struct report *r) NODISCARD;

/* The tools that are allowed, from .writ/tools.yaml above the working directory. */
bool exec_registry(struct exec *x, struct report *r) NODISCARD;

/* Holds it to another time than the request says. */
void exec_set_time(struct exec *x, int64_t ms);

/* How long a command may take that is a step: what its payload says, else the time of the step, as
 * far as a command may have that much (A04-30). */
int64_t exec_step_time(const struct doc *payload, int64_t step_ms);
bool exec_has_own_time(const struct doc *payload);

/* ---- exec/admit.c ---- */

/* What it may reach on the disk. False: IV-03 refuses. */
bool exec_see(struct exec *x, struct error *e) NODISCARD;

/* Would the registry and IV-02, IV-04 and IV-05 let it run? By what can be known beforehand: input
 * files are not looked at. After exec_see() and exec_registry(). */
bool exec_foresee(struct exec *x, struct error *e) NODISCARD;

/* Its standard input, as far as it may be given. */
bool exec_input(struct exec *x, struct error *e) NODISCARD;

/* May it run, and with what? False: refused. */
bool exec_admit(struct exec *x, struct error *e) NODISCARD;

/* ---- exec/cut.c ---- */

/* Cuts what is beyond the size of all input files, and grants the copies. False: it cannot be. */
bool exec_cut_files(struct exec *x, struct error *e) NODISCARD;

/* Removes the copies. */
void exec_drop_copies(struct exec *x);

/* Why not, as a status; of an input that could not be read, the report has it, too. */
int exec_not_admitted(struct exec *x, struct report *r, const char **kind, struct error *e);

/* The directory of the caller, where relative paths start; NULL: it has no name. */
const char *exec_here(const struct exec *x);

/* The entries of the registry that lead to a file, which is that of the command: of struct str.
 * NULL: it was not found, and none does. */
struct items exec_same_entries(const struct exec *x, const char *real);

/* The layers that a caller names to go without. False: one is no layer, or cannot be spared. */
bool exec_weak(const char *const *weak, struct arena *a, unsigned *out, struct error *e) NODISCARD;

/* ---- exec/own_ledger.c ---- */

/* False: the command could write the ledger that records it. After exec_see(). */
bool exec_ledger_is_safe(struct exec *x, struct error *e) NODISCARD;

/* ---- exec/ledger.c ---- */

/* Begins to open the ledger; exec_announce() waits for it. */
void exec_open_ledger(struct exec *x);
void exec_close_ledger(struct exec *x);

/* Enters the request and that it runs, durably; the command is started afterwards. */
bool exec_announce(void *exec, struct error *e) NODISCARD;

/* Enters its record and how it ended, durably; nothing is reported before. `unbuilt`: why the
 * sandbox could not be built after all, or NULL. */
bool exec_conclude(struct exec *x, const struct error *unbuilt, struct error *e) NODISCARD;

/* Keeps among the ledger's rejects that it was refused, durably. */
bool exec_reject(struct exec *x, const struct error *why, struct error *e) NODISCARD;

/* ---- exec/gather.c ---- */

/* Evidence has its place before anything runs. */
bool exec_open_store(struct exec *x, struct error *e) NODISCARD;

/* The outcome is there: names that must not be, files that were asked for. False: not all could be
 * kept. That is told by `unkept` and the lists; the run has its outcome all the same. */
bool exec_gather(struct exec *x, struct error *e) NODISCARD;

/* Nobody sees what a step prints as it comes: it is kept, as far as it was captured. Of others
 * nothing is. Part of exec_gather(). */
bool exec_keep_printed(struct exec *x, struct error *e) NODISCARD;

/* ---- exec/undo.c ---- */

/* Before the command starts: holds the directories that names must not come into being in, and
 * notes that it can write there. */
bool exec_watch(struct exec *x, struct error *e) NODISCARD;
void exec_unwatch(struct exec *x);

/* Undoes and tells what came into being there. Part of exec_gather(). */
void exec_undo(struct exec *x);

/* How to have a protected name written that stood in the way of the command, where one did. */
void exec_put_hint(const struct exec *x, struct buf *to);

/* ---- exec/changes.c ---- */

/* Did it write beside the disk? Then what it wrote is read and kept, as part of exec_gather(), and
 * is a member of the record. */
bool exec_writes_beside(const struct exec *x);
bool exec_changes(struct exec *x, struct error *e) NODISCARD;
void exec_changes_lost(struct exec *x);
void exec_put_changes(const struct exec *x, struct buf *to);

/* ---- exec/held.c ---- */

/* Of a fixed run: what is held, and what is not; NULL, and nothing, of others. */
const struct held *exec_held(const struct exec *x);
void exec_put_held(const struct exec *x, struct buf *to);

/* ---- exec/printed.c ---- */

/* What it printed, as members of a record; and what was expected, the member of that name. */
void exec_put_printed(struct buf *to, const struct printed *p, bool text);
void exec_put_tail(struct buf *to, const struct printed *p); /* for whom we serve */
void exec_put_expected(const struct exec *x, struct buf *to);

/* When it has ended and its files are collected: what ended well, and is not what the request
 * expects or did not deliver its files, ends as that. */
void exec_judge(struct exec *x);

/* Of what exec_judge() found: "the exit code is 0, expected was 1; stdout is not what was
 * expected"; NULL: nothing. */
const char *exec_shortfall(const struct exec *x, struct arena *a);

/* Takes secrets out of it; where it was cut off, also the beginning of one at its end. Its digest
 * is then that of what is left: one of all of it would tell whoever guesses when he is right. */
void exec_redact(struct printed *p, const struct secrets *secrets, struct arena *a);

/* ---- exec/record.c ---- */

/* The record of the run as JSON; texts: with what it printed. */
void exec_record(const struct exec *x, bool texts, struct buf *to);

/* The record in two halves, for whom we serve: what is known when it is admitted, and what came of
 * it. */
void exec_put_admitted(const struct exec *x, struct buf *to);
void exec_put_ended(const struct exec *x, struct buf *to);

/* Did it come to what was wanted of it? "succeeded", "failed" or "cancelled". */
enum event_state exec_came_to(const struct exec *x);

/* Adds which layers did not hold it, as a list `missing` that lives in `a`. */
void exec_add_missing(const struct exec *x, struct arena *a, struct doc *to);

/* How many bytes the name of a file takes of a record. */
size_t exec_name_bytes(struct str name);

/* ---- lane/run.c ---- */

/* exec_run() as a lane of contract 000: planned, run where the plan says, tried again, recorded. */
int exec_lane_run(struct exec *x, struct report *r, const char **kind, bool *ran, struct error *e);

/* Lets go of its lane; the record, which rests on its settings, has been told, and the ledger is
 * closed: it is by the lane that who waits for others there hears that he is called off. */
void exec_lane_close(struct exec *x);

/* Its lane begins to run; how long it may, beside its time. */
void exec_lane_starts(struct exec *x);
struct pace exec_pace(struct exec *x);

/* ---- lane/wrap.c ---- */

/* Does a wrapper run it, with walls that are not ours? */
bool exec_wrapped(const struct exec *x);

/* ---- lane/record.c ---- */

struct failing exec_lane_failing(const struct exec *x);

/* Why an operator wanted its lane ended; NULL: nobody said. */
const char *exec_lane_reason(const struct exec *x);

/* What its lane came to, and the members of the record that tell it. */
enum event_state exec_lane_came_to(const struct exec *x);
void exec_lane_record(const struct exec *x, struct buf *to);

/* Of these where it ran and by what it was not held, as members of `to` that live in `a`. */
void exec_lane_held(const struct exec *x, struct arena *a, struct doc *to);
