/* SPDX-License-Identifier: Apache-2.0 */
/* adapters.h: tools that are described in YAML: called, listed, imported, held to golden outputs.
 */
#pragma once

#include <writ/writ.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- adapters ---- */

/* A call of an operation of an adapter (contract 001). Zeroes are defaults, but for `cancel`. */
struct writ_call {
    const char *adapter;             /* its adapter_id, or its name */
    const char *operation;           /* NULL: the only one there is */
    const struct writ_input *params; /* a map, JSON or YAML; or NULL */
    const char *const *set;          /* "key=text" or "key:=json", ended by NULL: more of them */
    const char *options;             /* JSON: `sandbox` of a request, which only narrows */
    const char *const *environment;  /* the caller's, ended by NULL */
    const char *ledger;              /* as for writ_ledger_open() */
    const char *approve;             /* as of struct writ_command */
    const char *const *weak;         /* as of struct writ_command */
    int cancel;                      /* as of struct writ_command */
    bool fresh;                      /* a remembered result is not good enough */
};

/* Calls it, tries it again and falls back as the adapter says.
 *
 *     {"adapter_id":..,"operation":..,"ok":..,"output":any|"text":..|"base64":..,"cached":..,
 *      "attempts":[{"adapter_id":..,"execution_id":..,"exit_code":..,"status":..,
 *      "headers":{..},"code":..,"message":..,"duration_ms":..}],"fell_back":..,"warnings":[..],
 *      "error":{"code":..,"message":..}|null,"ledger":["led-.."]}
 *
 * Where it is not ok, code and message stand at the top, too. output: what the transforms made of
 * what came back; text or base64 where that is bytes. status: of HTTP, or a JSON-RPC code; headers:
 * of HTTP, those that lead on, such as link, location, etag and retry-after, by their names in
 * small letters. WRIT_OK; the command's own exit code where it failed; WRIT_NO where the service or
 * server says that it failed or the output does not fit; WRIT_UNAVAILABLE where it could not be
 * reached; WRIT_REFUSED, WRIT_NO_SANDBOX, WRIT_UNRECORDED as writ_exec(); WRIT_USAGE where there is
 * no such adapter, operation or parameter. WRIT_WRONG and an answer as from writ_check() where a
 * document is wrong.
 */
WRIT_API int writ_call(const struct writ_call *call, char **answer);

/* The adapters that can be called here, one a line, by adapter_id:
 *
 *     {"adapter_id":..,"name":..,"tool_id":..,"type":..,"origin":"project"|"user"|"shipped",
 *      "file":..}                                                                      (L0)
 *     {"file":..,"fault":..}                                        a file that is no adapter
 *     {"file":..,"fault":..,"problems":n}                           a wrong one: the first of n
 *
 * `level` is L0 (also when NULL) to L3; from L1 on "adapter" has the document as that level shows
 * it, and "operations" the names that can be called, the registry's where it alone names them.
 * `name`: the one of that id or name alone; `tool`: those for that tool. Where there is none of
 * that name WRIT_USAGE and one line {"code":..,"message":..}. */
WRIT_API int writ_adapters(const char *name, const char *tool, const char *level,
                           const char *const *environment, writ_line line, void *self);

/* The tools of the registry that holds here, and of those that ship where they hold:
 *
 *     {"registry":file|null,"allowlist":..,"tools":[{"tool_id":..,"name":..,"version":..,"owner":..,
 *      "provenance":..,"status":..,"scope":{..},"approval":{..}|null,"last_review":..,
 *      "next_review":..,"overdue":..,"installed":..,"fits":..,"adapters":[..],"shipped":..}]}
 *
 * installed: the version that was found, null where nobody can tell; it is remembered for an hour.
 * "unasked" is there besides where the tool could not be asked for want of a sandbox, and says why.
 * `fresh`: it is looked for again. On WRIT_WRONG the answer is as from writ_check(). */
WRIT_API int writ_tools(const char *tool, bool fresh, const char *const *environment,
                        char **answer);

/* Writes .writ/tools.yaml and .writ/adapters/example.yaml below a directory, with comments; what is
 * there is left alone. {"written":[..],"kept":[..],"top":directory|null}
 *
 * `directory` NULL: the current one. Where that is below the top of a repository, they are written
 * into the top, which is where they are read, and `top` says so. A directory that is named and
 * below a top is refused: WRIT_USAGE. */
WRIT_API int writ_init(const char *directory, const char *const *environment, char **answer);

/* Notes that a person looked at a .writ that a command could make or change, and trusts it: until a
 * command can change it again, it is obeyed. {"adopted":directory}
 *
 * `directory`: a .writ, the user's own configuration, or a directory with a .writ in it; NULL: the
 * nearest .writ that holds in the current directory. WRIT_REFUSED: a run that can change it is
 * going on. */
WRIT_API int writ_adopt(const char *directory, const char *const *environment, char **answer);

/* Makes an adapter: of an OpenAPI document (3.0, 3.1, Swagger 2.0), or of the tools of an MCP
 * server that runs in the sandbox or is at a URL. */
struct writ_import {
    const struct writ_input *openapi; /* or NULL: an MCP server */
    const char *const *argv;          /* that starts it, ended by NULL; or NULL */
    const char *url;                  /* where it is; or NULL */
    const char *bearer;               /* the caller's variable that has a token for it; or NULL */
    const char *name, *tool;          /* of the adapter; NULL: after what it is made of */
    const char *const *include; /* operations, as patterns with *; ended by NULL; or NULL: all */
    const char *const *exclude;
    const char *const *environment;
    const char *ledger; /* a server that runs here is recorded */
    int cancel;
    const char *const *weak; /* as of struct writ_command, for a server that runs here */
    const char *options;     /* as of struct writ_command, for a server that runs here; or NULL */
};

/* Makes it:
 *
 *     {"adapter":"<YAML>","adapter_id":..,"operations":N,"left_out":[{"operation":..,"why":..}],
 *      "warnings":[..],"tool_id":..,"tool_entry":"<YAML>"|null}
 *
 * tool_entry: an entry for .writ/tools.yaml that lets it be called; null where there is one. */
WRIT_API int writ_import(const struct writ_import *import, char **answer);

/* What is remembered; with `clear`, how much was removed:
 *
 *     {"items":[{"level":..,"key":..,"bytes":..,"made":..,"ends":..,"ended":..,"about":..}],
 *      "unread":[{"file":..,"message":..}]}
 *     {"removed":N}
 *
 * `level`: a row of `writ explain caches`; NULL: all. Golden outputs are those of the project here:
 * each has its "file", and the digest of that for a key. They are listed and never cleared. One
 * that cannot be read is in "unread"; the others are listed, and the status is not WRIT_OK. */
WRIT_API int writ_cache(bool clear, const char *level, const char *const *environment,
                        char **answer);

/* Golden outputs, below .writ/golden of the project. `verb`: record (of `call`, under `name`;
 * `force` replaces one), check or diff (of `name`, or all of them where it is NULL; of `call` all
 * but what is called, its parameters and options). One line for each:
 *
 *     {"name":..,"adapter_id":..,"operation":..,"file":..,"same":..,"recorded":..,"diff":..,
 *      "adapter_changed":..,"warnings":[..],"error":{..}|null}
 *
 * adapter_changed says how the adapter is another than when it was recorded, or is null. Where
 * there is an error its code and message stand at the top, too. Output that was cut is not
 * recorded, and is as none. WRIT_NO where one differs or could not be called; WRIT_UNAVAILABLE and
 * {"code":..,"message":..} where the current directory has no name, and so no project. */
WRIT_API int writ_golden(const char *verb, const char *name, bool force,
                         const struct writ_call *call, writ_line line, void *self);

/* Speaks to the MCP server at a URL: opens, lists its tools, calls those that `context` names,
 * {"calls":[{"tool":..,"arguments":{..}}]}; where it names none, those that say that they only
 * read, and with {"all":true} every tool. `bearer`: the caller's variable that has a token for it,
 * or NULL.
 *     {"era":..,"version":..,"server":{..},"tools":[..],"not_called":[..],"answers":[..]} */
WRIT_API int writ_mcp_probe(const char *url, const char *context, const char *bearer,
                            const char *const *environment, char **answer);

#ifdef __cplusplus
}
#endif
