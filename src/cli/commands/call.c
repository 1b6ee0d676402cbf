/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: `writ call`: an operation of an adapter, and what it gives. */
#include <string.h>

#include <writ/adapters.h>

#include "base/base64.h"
#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/ending.h"
#include "cli/given.h"
#include "cli/pretty.h"
#include "cli/print.h"
#include "cli/request.h"
#include "cli/stops.h"

static struct str decoded(struct str base64, struct arena *a)
{
    char *bytes = arena_alloc(a, base64.n);
    size_t n = 0;

    (void)!base64_read(base64, bytes, base64.n, &n);
    return (struct str){ bytes, n };
}

/* What the call gives, on stdout: JSON, or the bytes as they are. */
static void show_output(const struct doc *answer, struct arena *a)
{
    const struct doc *output = doc_get(answer, "output");
    struct str bytes = doc_text(answer, "text");
    _buf_ struct buf json = { .max = SIZE_MAX / 2 };

    if (!output) {
        struct str base64 = doc_text(answer, "base64");

        if (base64.n)
            bytes = decoded(base64, a);
        out_shown(bytes);
        if (bytes.n && bytes.s[bytes.n - 1] != '\n')
            out_person_end();
    } else if (output->kind == DOC_TEXT) {
        out_shown(output->text);
        if (output->text.n == 0 || output->text.s[output->text.n - 1] != '\n')
            out_text(str_of("\n"));
    } else if (print_person()) {
        pretty_show(output, 0);
    } else {
        json_doc(&json, output);
        out_json(json.s);
    }
}

static void show_rest(const struct doc *answer)
{
    const struct doc *error = doc_get(answer, "error");

    if (!error && !doc_get(answer, "problems"))
        error = answer; /* nothing was called */
    for (const struct doc *w = doc_first(doc_get(answer, "warnings"), DOC_LIST); w; w = w->next)
        say("%.*s", STR_ARG(w->text));
    if (error && error->kind == DOC_MAP && doc_text(error, "message").n)
        say("%.*s%s%.*s [%.*s]", STR_ARG(doc_text(error, "pointer")),
            doc_text(error, "pointer").n ? ": " : "", STR_ARG(doc_text(error, "message")),
            STR_ARG(doc_text(error, "code")));
}

/* ADAPTER.OPERATION: the last dot parts them; an adapter's name may have dots of its own. */
static void split(const char *typed, struct arena *a, struct writ_call *call)
{
    const char *dot = strrchr(typed, '.');

    if (dot && !dot[1])
        dot = NULL; /* there is no operation without a name */
    call->adapter = dot ? arena_text(a, (struct str){ typed, (size_t)(dot - typed) }) : typed;
    call->operation = dot ? dot + 1 : NULL;
}

static int run(const struct args *args)
{
    _buf_ struct buf options = { .max = REQUEST_MAX };
    _arena_ struct arena a = { 0 };
    const char *weak[WEAK_MAX + 1];
    const char *file = args_get(args, "params");
    struct writ_input params = { .name = file };
    struct writ_call call = { .params = file ? &params : NULL,
                              .set = args->operands + 1,
                              .environment = args->environment,
                              .ledger = args_get(args, "ledger"),
                              .approve = args_get(args, "approve"),
                              .weak = weak,
                              .fresh = args_get(args, "fresh") };
    const struct doc *answer;
    bool of_options;
    char *text;
    int status;

    if (file && !given_read(file, args_get(args, "json"), &a, &params))
        return WRIT_WRONG;
    split(args->operands[0], &a, &call);
    request_weak(args, weak);
    request_write(args, &options);
    call.options = options.s;
    call.cancel = stops_watch();
    status = writ_call(&call, &text);
    answer = answer_read(text, &a);
    of_options = str_is(doc_text(answer, "kind"), "options");
    if (args_get(args, "json")) {
        out_json(text);
    } else {
        if (of_options)
            ending_tell_options(answer);
        else if (doc_get(answer, "problems"))
            (void)answer_problems(answer, false);
        else if (status == WRIT_OK)
            show_output(answer, &a);
        show_rest(answer);
    }
    writ_free(text);
    return of_options && status == WRIT_WRONG ? WRIT_USAGE : status;
}

/* clang-format off */
const struct command cmd_call = {
    .name = "call",
    .operands = "ADAPTER[.OPERATION] [KEY=VALUE|KEY:=JSON]...",
    .summary = "call a tool that is described in YAML",
    .about = "Calls an operation of an adapter: a command, a service, a function or a tool of an MCP server, described in .writ/adapters/*.yaml, in your own configuration, or shipped with writ. "
             "The registry .writ/tools.yaml says what may be called. Values are handed over as they are, never read by a shell. The transformed output is printed; each attempt is in the ledger. "
             "Limits only narrow what the adapter says. With --json the result is `output` where it is JSON, else `text`, or `base64` where it is not UTF-8.",
    .examples = { { "writ call ripgrep-search.search pattern=TODO path=src", "every match, as JSON" },
                  { "writ call jq.filter filter=.name input:='{\"name\":\"x\"}'", "key:=json gives other than text" },
                  { "writ call ADP-002.get_resource id=7 --json",           "the answer with its attempts and ledger ids" },
                  { "writ adapters",                                        "what can be called here" } },
    .options = { { "params",     "FILE",   NULL,         "parameters from a YAML or JSON map; - is standard input" },
                 { "timeout-ms", "N",      NULL,         "longest time an attempt may take" },
                 { "memory-mb",  "N",      NULL,         "memory of a command's whole tree" },
                 { "fs",         "LEVEL",  "filesystem", "how much of the disk a command sees: minimal, standard, extended, elevated" },
                 { "deny",       "PATH",   NULL,         "a path a command may not see",        .many = true },
                 { "net",        "LEVEL",  "network",    "offline: it reaches nothing, whatever the adapter lists" },
                 { "allow-host", "HOST",   NULL,         "of the adapter's hosts only these", .many = true },
                 { "deny-host",  "HOST",   NULL,         "a host it does not reach; always wins", .many = true },
                 { "fresh",      NULL,     NULL,         "call it, even if a result is remembered" },
                 { "allow-weak", "LAYER",  "layers",     "run without a layer that this machine lacks", .many = true },
                 { "approve",    "REASON", NULL,         "the approval that some levels need; recorded" },
                 { "ledger",     "LEDGER", NULL,         "where it is recorded: a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",       NULL,     NULL,         "the whole answer as one JSON object" } },
    .least = 1,
    .most = OPERANDS_MAX,
    .run = run,
};
/* clang-format on */
