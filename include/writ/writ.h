/* SPDX-License-Identifier: Apache-2.0 */
/* writ.h: what a C programmer meets.
 *
 * Every call answers with an exit status and with text that the caller gives back to writ_free().
 * Documents and answers cross this border as JSON text (UTF-8, NUL-terminated), so that the
 * border can stay still while what lies behind it grows.
 *
 * What may be NULL is said where it is declared, and nothing else may be. Where that is easily
 * overlooked, as of a document or its name, of what is to be run, called or shown, and of who takes
 * lines, the call returns WRIT_USAGE and its answer says what is missing; a pointer to a struct
 * that says what is asked for is always one.
 *
 * An answer that says why something was not done has "code" (a row of `writ explain codes`) and
 * "message" at its top, whatever else it has: of a document with problems they are the first one's.
 * What a run, a plan, a verification or a proof came to is not such an answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WRIT_API __attribute__((visibility("default")))

/* The exit status of `writ` and of every call here; `writ explain statuses` has the meanings. */
enum writ_status {
    WRIT_OK = 0,
    WRIT_NO = 1, /* what was asked is not so: not intact, refused, not there */
    WRIT_PARTIAL = 3,
    WRIT_USAGE = 64,
    WRIT_WRONG = 65,
    WRIT_UNAVAILABLE = 69,
    WRIT_BUG = 70,
    WRIT_UNRECORDED = 74,
    WRIT_REFUSED = 77,
    WRIT_NO_SANDBOX = 125,
};

/* A document: its name as people know it, never NULL, and its text. Without a text the file of that
 * name is read; the name "-" stands for standard input. */
struct writ_input {
    const char *name;
    const char *text;
    size_t len;
};

/* A line of an answer that comes line by line: one JSON object, without its line end. False: no
 * more are wanted. */
typedef bool (*writ_line)(void *self, const char *line, size_t len);

/* Gives an answer back; NULL is fine. */
WRIT_API void writ_free(char *answer);

/* The version of the library: MAJOR.MINOR.PATCH. It is not given back. */
WRIT_API const char *writ_version(void);

/* Is this document right? `kind` is a row of `writ explain kinds`, or NULL to recognise it.
 * Answers WRIT_OK or WRIT_WRONG, and
 *
 *     {"file":..,"kind":..,"ok":..,"code":..,"message":..,"problems":[{"line":..,"column":..,
 *      "pointer":..,"message":..,"code":..,"severity":"error"|"warning"}],"errors":N,"warnings":N}
 *
 * code and message are there where it is not. WRIT_USAGE and {"topic":..,"code":..,"message":..,
 * "near":..,"known":..} where there is no such kind. writ_check_in(): the steps of a plan are
 * judged as by writ_run() with this environment and any context; a lane, by the classes there. */
WRIT_API int writ_check(const struct writ_input *input, const char *kind, char **answer);
WRIT_API int writ_check_in(const struct writ_input *input, const char *kind,
                           const char *const *environment, char **answer);

/* Is this document what a JSON Schema (2020-12 or draft-07) asks for? Both may be YAML. What the
 * schema refers to is read below its own directory and nowhere else. The answer is as from
 * writ_check(), with the kind "schema"; about the schema, by its name, where that is wrong. */
WRIT_API int writ_check_schema(const struct writ_input *schema, const struct writ_input *input,
                               char **answer);

/* The canonical bytes (RFC 8785) of a document; "sha256:<hex>" of them. On WRIT_WRONG the answer
 * is as from writ_check(). */
WRIT_API int writ_canon(const struct writ_input *input, char **answer, size_t *len);
WRIT_API int writ_digest(const struct writ_input *input, char **answer);

/* The values that a JSONPath (RFC 9535) selects from a document, as a JSON list; or, with `paths`,
 * their normalised paths as a list of texts. WRIT_USAGE where the path is wrong:
 *
 *     {"path":..,"character":N,"message":..,"code":..}
 *
 * On WRIT_WRONG the answer is as from writ_check(). */
WRIT_API int writ_query(const char *path, const struct writ_input *input, bool paths,
                        char **answer);

/* The rows of the tables writ runs on that have this name: a code, limit, state, level, class,
 * exit code, kind of document, or a whole table; every table when topic is NULL.
 *
 *     {"topic":..,"tables":[{"table":..,"about":..,"rows":[..]}]}
 *
 * WRIT_USAGE and {"topic":..,"code":..,"message":..,"near":..} where nothing has this name. */
WRIT_API int writ_explain(const char *topic, char **answer);

/* The JSON Schema of a kind of document; WRIT_USAGE where there is no such kind. */
WRIT_API int writ_schema(const char *kind, char **answer);

/* One command under a contract: what a document asks for, or what a person typed. */
struct writ_command {
    const struct writ_input *request; /* a request document; NULL: argv and options are used */
    const char *const *argv;          /* of a person's own command, ended by NULL */
    const char *options;              /* JSON: a map, members of a request document; or NULL */
    const struct writ_input *input;   /* standard input, any bytes; NULL: what the request says */
    const char *const *environment;   /* the caller's, ended by NULL: PATH, HOME, XDG_STATE_HOME */
    const char *ledger;               /* where it is recorded; NULL: as writ_ledger_open() has it */
    const char *approve;              /* the caller's reason for a level that needs one; or NULL */
    const char *const *weak;          /* layers the caller does without, ended by NULL; or NULL */
    int live[2];    /* stdout and stderr are passed on to these as they come; -1: nowhere */
    int cancel;     /* a descriptor that is readable when it should be stopped; -1: never */
    bool texts;     /* the answer has what was printed, not only its size and digest */
    writ_line lane; /* told what happens in its lane, where it has one: a line of the transcript, as
                       it is written, from any thread; its answer is not looked at. NULL: nobody */
    void *lane_self; /* its first argument */
};

/* Runs it and waits for it. The answer is its record, as of `writ exec --json`. Returns
 * the command's own exit code, or
 *
 *     WRIT_WRONG       a document is wrong, or `input` cannot be read: as from writ_check()
 *     WRIT_USAGE       `weak` names what is no layer, or there is nothing to run; nothing ran
 *     WRIT_REFUSED     the policy does not allow it; nothing ran
 *     WRIT_UNAVAILABLE the current directory has no name; nothing ran
 *     WRIT_NO_SANDBOX  the sandbox could not be built; nothing ran
 *     WRIT_UNRECORDED  it ran, and its output could not be kept; or there is no place for the
 *                      ledger, and nothing ran
 *
 * with {"code":..,"message":..} where there is no record. Output that `live` did not take, by
 * another fault than that nobody reads any more, is captured all the same; "lost" beside its digest
 * says why. What was refused is among the ledger's rejects; where it could not be written there,
 * "unrecorded" says why. Because a command may return these numbers itself, *ran tells whether
 * there was one. It waits for whoever reads `live`, also after the end, until `cancel` is asked; of
 * a run that was cancelled no longer than 5 s. */
WRIT_API int writ_exec(const struct writ_command *command, char **answer, bool *ran);

/* What this machine can enforce for a command in the current directory, found by doing it: each
 * layer alone, and at last a command that does nothing inside all of them.
 *
 *     {"full":..,"kernel":"Linux 6.12.1","machine":..,"root":..,"directory":..,
 *      "findings":[{"layer":..,"what":..,"part":..,"state":"pass"|"weak"|"absent","detail":..,
 *      "mend":..}],"missing":[{"layer":..,"spared":..,"without":..}],"weak":..,
 *      "spare":[{"layer":..,"without":..}],
 *      "network":{"open":..,"detail":..,"mend":..},
 *      "grounds":[{"what":"directory"|"ledger"|..,"holds":..,"detail":..,"mend":..}],
 *      "routes":[{"route":..,"worker":..,"open":..,"detail":..,"mend":..}]}
 *
 * A weak layer holds, and lacks something that newer systems have. `missing` are the layers without
 * which writ_exec() returns WRIT_NO_SANDBOX; `weak` tells that it runs when the caller does without
 * those in `spare`, which was tried; who does without user does without all namespaces. The last
 * finding, the proof, has no layer. `network` tells whether commands that may reach hosts can;
 * `grounds` whether commands may run in this directory and be recorded, and what of "state", the
 * state directory, "settings" or "project" belongs to the wrong user or is open to everybody;
 * `routes` are the ways a command can go (contract 000), found in the environment of this process;
 * a closed one is no fault.
 *
 * WRIT_UNAVAILABLE when a default guarantee cannot be given, or no command may run or be recorded
 * here. */
WRIT_API int writ_doctor(char **answer);

/* ---- the ledger ---- */

struct writ_ledger;

/* Opens a ledger: a file, or postgres://...; NULL: WRIT_LEDGER of the environment, else ledger.db
 * in the state directory. To append it is made when there is none. WRIT_UNAVAILABLE where there is
 * none to read or this program cannot open its kind, WRIT_UNRECORDED where it cannot be written,
 * WRIT_USAGE for any other word://..; {"code":..,"message":..} then: LEDGER_MISSING where there is
 * none, LEDGER_DAMAGED where what is there cannot be read as a ledger.
 *
 * With one that was opened to read, what would write it returns WRIT_USAGE: to append, to enter an
 * input, to erase, to make a checkpoint, and a proof that needs a new one.
 *
 * It is used by one call at a time: by one thread, and not by who takes the lines of a call that
 * has it; where two do, an assertion ends the program. Each may open the same ledger for itself. */
WRIT_API int writ_ledger_open(const char *where, const char *const *environment, bool append,
                              struct writ_ledger **out, char **answer);
WRIT_API void writ_ledger_close(struct writ_ledger *ledger);

/* Appends execution events: one JSON document, or JSON lines. Each event is answered when it is
 * durable, in the order they came:
 *
 *     {"line":1,"status":"appended"|"duplicate","ledger_id":"led-..","seq":7,"execution":..,
 *      "state":..,"warnings":[{"code":..,"pointer":..,"message":..}]}
 *     {"line":2,"status":"refused","ledger_id":null,"code":..,"pointer":..,"message":..,
 *      "problems":[{"code":..,"pointer":..,"message":..}]}
 *
 * `policy` is block (also when NULL) or draft_only. WRIT_NO when one was refused; WRIT_UNRECORDED
 * and one line {"code":..,"message":..} when the rest could not be recorded, WRIT_WRONG and such a
 * line when it could not be read. */
WRIT_API int writ_ledger_append(struct writ_ledger *ledger, const struct writ_input *input,
                                const char *policy, writ_line line, void *self);

/* Enters a document (YAML or JSON) that events can depend on. `subject` is what it is about: the
 * input's name when NULL; `tenant`: "local" when NULL. The same document about the same subject is
 * entered once.
 *     {"status":"appended"|"duplicate","ledger_id":..,"seq":..,"subject":..,"digest":..}
 * WRIT_USAGE and {"code":..,"message":..} where one of the names is empty or not UTF-8. */
WRIT_API int writ_ledger_input(struct writ_ledger *ledger, const struct writ_input *input,
                               const char *subject, const char *tenant, char **answer);

/* Takes the body of an entry away for good; its leaf and every proof stay. That it was erased, why
 * and when, becomes an entry itself. {"erased":..,"ledger_id":..,"reason":..}
 *
 * WRIT_UNRECORDED where it is erased, but a copy may be left beside it. Of an entry that was erased
 * before, what may be left is taken away; nothing is entered, and "again":true is in the answer. */
WRIT_API int writ_ledger_erase(struct writ_ledger *ledger, const char *id, const char *reason,
                               char **answer);

/* Entries, oldest first, one a line:
 *
 *     {"seq":..,"ledger_id":..,"kind":..,"subject":..,"tenant":..,"robot":..,"attempt":..,
 *      "state":..,"policy":..,"createdAt":..,"recordedAt":..,"content_digest":..,"body_digest":..,
 *      "leaf":..,"erased":false,"body":{..}}
 *
 * robot, attempt, state, policy: of events, else null. A body that is not JSON any more is null,
 * and its bytes are in "damaged_body", as base64. "alive":false is there besides in the newest
 * event of an execution that is running in the ledger and whose runner was killed, as of
 * writ_show(). `query` is JSON or NULL; its members narrow: execution (its id, or 8 characters and
 * more of ids where none is this), tenant, robot, kind, state, since, until (RFC 3339, of
 * recordedAt), limit (the newest so many), live (true: the events by which executions run whose
 * runner lives now, on this machine). */
WRIT_API int writ_log(struct writ_ledger *ledger, const char *query, writ_line line, void *self);

/* What was refused, oldest first; `limit`: the newest so many. Each is an entry of the ledger.
 *
 *     {"seq":..,"ledger_id":..,"recordedAt":..,"code":..,"pointer":..,"message":..,"tenant":..,"subject":..,
 *      "bytes":..,"digest":..,"erased":..,"event":".."}
 *
 * Once an entry of the same tenant and subject was erased, pointer, message and event are null. */
WRIT_API int writ_rejects(struct writ_ledger *ledger, long limit, writ_line line, void *self);

/* An entry by its id, or an execution by its own; 8 characters of either are enough when nothing
 * else begins with them.
 *
 *     {"what":"execution","execution":..,"tenant":..,"robot":..,"state":..,
 *      "alive":true|false|null,"attempt":..,"rerun_of":..,"reruns":[..],"events":[entry..],
 *      "manifests":[entry..],"rests_on":[entry..],"used_by":[entry..],"evidence":{"directory":..},
 *      "transcript":{"path":..,"digest":..,"state":"intact"|"changed"|"missing"|null}|null}
 *     {"what":"entry","entry":{..},"rests_on":[entry..],"used_by":[entry..]}
 *
 * alive: of what is running in the ledger, whether who runs it lives: false when that was killed;
 * null where it has an end, or nobody knows: of other machines. A step lives with its plan.
 * Entries of lineage have no body; "lineage_cut" is true where there are more than 256 of a
 * kind. "erasures" tells of each body that was erased: {"erases":"<its id>","recordedAt":..,
 * "ledger_id":"<of the note about it>","reason":..}. What is kept by its digest is below the
 * directory of "evidence", as writ-ledger(7) has it. Of a plan that is running in the ledger,
 * "steps_unended" tells which steps have no end there: {"index":..,"name":..,"action":..,
 * "step_id":..,"begun":true|false|null,"execution_id":..,"started_at":..}, the last two null where
 * none is recorded, "begun" where nobody knows; and where the execution has an end, as one may
 * whose plan was killed, "state":"succeeded"|"failed"|"cancelled","duration_ms":...
 * WRIT_NO and {"code":..,"message":..,"candidates":[..]} when there is none, or more than one. */
WRIT_API int writ_show(struct writ_ledger *ledger, const char *id, char **answer);

/* As writ_show(), among what is of one tenant and, of executions, of one robot; NULL: of any. Two
 * tenants, and two robots of a tenant, may use the same execution id. */
WRIT_API int writ_show_of(struct writ_ledger *ledger, const char *id, const char *tenant,
                          const char *robot, char **answer);

/* Is every entry what it was when it was appended? `checkpoint`: a signed note kept elsewhere, or
 * NULL; `key`: the verifier key it is signed with, NULL: this ledger's own.
 *
 *     {"intact":..,"ledger":..,"entries":..,"erased":..,"covered":..,"root":"<hex>","newest":..,
 *      "checkpoints":[{"size":..,"made":..,"holds":..,"signed":..,"kept":"ledger"|"file"|"given",
 *                      "file":..,"why":..}],
 *      "problem":{"seq":..,"ledger_id":..,"message":..}}     problem: null when intact
 *
 * covered: how many entries the newest checkpoint that holds is about. signed: false where no key
 * is known that could tell; of the one that was given, holds is then null. It is null, too, of what
 * lies behind an entry that does not fit, where reading ends. size: null of one that cannot be
 * read. file: where it is kept beside the ledger, else null. newest: when the last was recorded.
 *
 * WRIT_NO when not; WRIT_UNAVAILABLE and {"code":"KEY_UNKNOWN",..} when nothing speaks against the
 * ledger, but the checkpoint that was given could not be judged for lack of a key;
 * WRIT_WRONG and {"code":..,"message":..} where what was given is no checkpoint. */
WRIT_API int writ_verify(struct writ_ledger *ledger, const struct writ_input *checkpoint,
                         const char *key, char **answer);

/* Signs what the ledger is now: {"checkpoint":"<note>","size":..,"root":..,"key":"<verifier key>"}
 * Where nothing came since the last checkpoint, it is that one, and nothing is added.
 * WRIT_UNRECORDED where the ledger has a checkpoint that the key at hand did not sign. */
WRIT_API int writ_checkpoint(struct writ_ledger *ledger, char **answer);

/* A proof that an entry is in the ledger (`id` as of writ_show(): of an execution it is its last
 * event), or, with `since` (a checkpoint) and no id, that the ledger still has everything it had
 * then:
 *
 *     {"proof":"inclusion","index":..,"size":..,"header":{..},"body":{..},"salt":"<hex>",
 *      "path":["<hex>"..],"checkpoint":"<note>","key":..}
 *     {"proof":"consistency","old":..,"size":..,"path":[..],"old_checkpoint":..,"checkpoint":..,
 *      "key":..}
 *
 * It was checked. WRIT_NO and {"code":..,"message":..} where there is no such entry or more than
 * one ("candidates" as of writ_show()), where `since` is of another ledger or not signed by this
 * one's key, or where this one is not what it was and no proof would hold; WRIT_WRONG where `since`
 * is no checkpoint. */
WRIT_API int writ_prove(struct writ_ledger *ledger, const char *id, const struct writ_input *since,
                        char **answer);

/* Does a proof hold? Needs no ledger. `key`: the verifier key to trust; without one "trusted" is
 * false, and a proof that holds is WRIT_UNAVAILABLE: nobody knows whose it is.
 *
 *     {"holds":..,"proof":..,"index":..,"body":..,"size":..,"origin":..,"made":..,"key":..,
 *      "trusted":..,"message":..}
 *
 * "body" is true where the proof has the entry's body and it is the one that was entered; a proof
 * without it holds, too, and says only that there is such an entry.
 * WRIT_WRONG and {"code":..,"message":..} where what was given is no proof. */
WRIT_API int writ_verify_proof(const struct writ_input *proof, const char *key, char **answer);

/* Entries as writ_log() gives them, each with the header and salt that writ_prove() has of it
 * (format "jsonl": writ-ledger(7) says how to check them), or each execution that ended as an
 * in-toto Statement (format "in-toto"). */
WRIT_API int writ_export(struct writ_ledger *ledger, const char *query, const char *format,
                         writ_line line, void *self);

/* ---- executors ---- */

/* Calls of a pure function. */
struct writ_action {
    const char *executor;             /* its id */
    const char *version;              /* X.Y.Z; NULL: the newest */
    const struct writ_input *payload; /* JSON */
    const char *trace_id;             /* a UUID that names the call; NULL: a new one */
    const char *const *environment;   /* the caller's, ended by NULL */
    const char *ledger;               /* as for writ_ledger_open() */
    bool lines;                       /* the payload is JSON lines: a call each */
    bool output;                      /* hand the output over; only its digest is ever stored */
};

/* Calls it under contract 003: that it is about to be called is durable before, what came of it
 * before it is answered. A line for each call:
 *
 *     {"result":{"executor_id":..,"executor_version":..,"status":"SUCCESS"|"FAILED"|"BLOCKED",
 *      "reason_codes":[..],"input_digest":..,"output_digest":..,"trace_id":..,"duration_ms":..,
 *      "ts_utc":..},"detail":..,"output":..,"words":..}
 *
 * with "line", from 1, where the payload is lines. detail: why it did not succeed, never with
 * anything of the payload. output: null without one, or where it was not asked for; words: what the
 * executor said about its exception, as output.
 *
 * WRIT_OK when every call succeeded, WRIT_NO when one failed, WRIT_REFUSED when one was blocked,
 * WRIT_UNRECORDED when records could not be written: nothing ran, or nothing of it is told.
 * WRIT_USAGE, WRIT_REFUSED or WRIT_UNAVAILABLE and {"code":..,"message":..} when it was not called:
 * no such executor, not what was approved, its worker is not there. */
WRIT_API int writ_apply(const struct writ_action *action, writ_line line, void *self);

/* The executors there are, by name:
 *
 *     {"executors":[{"executor_id":..,"version":..,"kind":..,"capabilities":[..],"limits":{..},
 *      "about":..,"approval":"led-.."}],"damaged":[{"executor_id":..,"version":..,"message":..}]}
 *
 * about: of those that ship; approval: of the others. damaged: what is not what was put there, and
 * is not called; where there is one, the status is WRIT_REFUSED. */
WRIT_API int writ_executors(const char *const *environment, char **answer);

/* The review gate: takes an executor in, when its manifest holds and its fixtures come to the same
 * in two workers. What was reviewed is entered in the ledger. `weak` is for the compilers of wasm.
 *
 *     {"executor_id":..,"version":..,"kind":..,"accepted":..,"checks":[{"check":..,
 *      "requirement":..,"ok":..,"detail":..}],"fixtures":[{"status":..,"input_digest":..,
 *      "output_digest":..}],"ledger_id":..}
 *
 * WRIT_WRONG and an answer as from writ_check() when the manifest is wrong, WRIT_REFUSED when it is
 * not accepted; where a compiler of wasm did not run, as writ_exec(), such as WRIT_NO_SANDBOX. */
WRIT_API int writ_executor_add(const struct writ_input *manifest, const char *const *environment,
                               const char *ledger, const char *const *weak, char **answer);

#ifdef __cplusplus
}
#endif
