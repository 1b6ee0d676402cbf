/* SPDX-License-Identifier: Apache-2.0 */
/* writ.h: what a C programmer meets.
 *
 * Every call answers with an exit status and with text that the caller gives back to writ_free().
 * Documents and answers cross this border as JSON text (UTF-8, NUL-terminated), so that the
 * border can stay still while what lies behind it grows.
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
    WRIT_USAGE = 64,
    WRIT_WRONG = 65,
    WRIT_UNAVAILABLE = 69,
    WRIT_BUG = 70,
    WRIT_UNRECORDED = 74,
    WRIT_REFUSED = 77,
    WRIT_NO_SANDBOX = 125,
};

/* A document: its name as people know it, and its text. Without a text the file of that name is
 * read; the name "-" stands for standard input. */
struct writ_input {
    const char *name;
    const char *text;
    size_t len;
};

WRIT_API const char *writ_version(void);

/* Is this document right? `kind` is a row of `writ explain kinds`, or NULL to recognise it.
 * Answers WRIT_OK or WRIT_WRONG, and
 *
 *     {"file":..,"kind":..,"ok":..,"problems":[{"line":..,"column":..,"pointer":..,"message":..,
 *      "code":..,"severity":"error"|"warning"}],"errors":N,"warnings":N}
 *
 * WRIT_USAGE where there is no such kind. */
WRIT_API int writ_check(const struct writ_input *input, const char *kind, char **answer);

/* The canonical bytes (RFC 8785) of a document; "sha256:<hex>" of them. On WRIT_WRONG the answer
 * is as from writ_check(). */
WRIT_API int writ_canon(const struct writ_input *input, char **answer, size_t *len);
WRIT_API int writ_digest(const struct writ_input *input, char **answer);

/* The rows of the tables writ runs on that have this name: a code, limit, state, level, class,
 * exit code, kind of document, or a whole table; every table when topic is NULL.
 *
 *     {"topic":..,"tables":[{"table":..,"about":..,"rows":[..]}]}
 *
 * WRIT_USAGE and {"topic":..,"near":..} where nothing has this name. */
WRIT_API int writ_explain(const char *topic, char **answer);

/* The JSON Schema of a kind of document; WRIT_USAGE where there is no such kind. */
WRIT_API int writ_schema(const char *kind, char **answer);

/* One command under a contract: what a document asks for, or what a person typed. */
struct writ_command {
    const struct writ_input *request; /* a request document; NULL: argv and options are used */
    const char *const *argv;          /* of a person's own command, ended by NULL */
    const char *options;              /* JSON: members of a request document; NULL: defaults */
    const struct writ_input *input;   /* standard input, any bytes; NULL: what the request says */
    const char *const *environment;   /* the caller's, ended by NULL: PATH, HOME, XDG_STATE_HOME */
    const char *approve;              /* the caller's reason for a level that needs one; or NULL */
    const char *const *weak;          /* layers the caller does without, ended by NULL; or NULL */
    int live[2]; /* stdout and stderr are passed on to these as they come; -1: nowhere */
    int cancel;  /* a descriptor that is readable when it should be stopped; -1: never */
    bool texts;  /* the answer has what was printed, not only its size and digest */
};

/* Runs it and waits for it. The answer is its record, as of `writ exec --json`. Returns
 * the command's own exit code, or
 *
 *     WRIT_WRONG       a document is wrong: the answer is as from writ_check()
 *     WRIT_REFUSED     the policy does not allow it; nothing ran
 *     WRIT_NO_SANDBOX  the sandbox could not be built; nothing ran
 *     WRIT_UNRECORDED  it ran, and its output could not be kept
 *
 * with {"code":..,"message":..} where there is no record. Because a command may return these
 * numbers itself, *ran tells whether there was one. */
WRIT_API int writ_exec(const struct writ_command *command, char **answer, bool *ran);

/* What this machine can enforce for a command in the current directory, found by doing it: each
 * layer alone, and at last a command that does nothing inside all of them.
 *
 *     {"full":..,"kernel":"Linux 6.12.1","machine":..,"root":..,"directory":..,
 *      "findings":[{"layer":..,"what":..,"part":..,"state":"pass"|"weak"|"absent","detail":..,
 *      "mend":..}],"missing":[{"layer":..,"spared":..,"without":..}],"weak":..}
 *
 * A weak layer holds, and lacks something that newer systems have. `missing` are the layers without
 * which writ_exec() returns WRIT_NO_SANDBOX; `weak` tells that it runs when the caller does without
 * all of them, which was tried. The last finding, the proof, has no layer.
 *
 * WRIT_UNAVAILABLE when a default guarantee cannot be given. */
WRIT_API int writ_doctor(char **answer);

WRIT_API void writ_free(char *answer);

#ifdef __cplusplus
}
#endif
