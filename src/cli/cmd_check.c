/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_check.c: `writ check`: is this document right, and if not, where. */
#include <inttypes.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"

static void show(const char *answer, bool json, int64_t *errors)
{
    _arena_ struct arena a = { 0 };
    const struct doc *report;

    if (json) {
        out_json(answer);
        return;
    }
    report = answer_read(answer, &a);
    *errors += answer_problems(report, true);
    if (doc_get(report, "ok")->truth) {
        out(GREEN, "ok");
        out(PLAIN, "  %.*s", STR_ARG(answer_file(report)));
        out(DIM, "  %.*s\n", STR_ARG(doc_text(report, "kind")));
    }
}

static int run(const struct args *args)
{
    bool json = args_get(args, "json");
    int64_t errors = 0;
    int worst = WRIT_OK;

    for (size_t i = 0; i < args->count; i++) {
        struct writ_input input = { .name = args->operands[i] };
        char *answer;
        int status = writ_check(&input, args_get(args, "as"), &answer);

        if (status == WRIT_USAGE && !json)
            answer_no_kind(answer);
        else
            show(answer, json, &errors);
        writ_free(answer);
        if (status == WRIT_USAGE)
            return status;
        worst = status > worst ? status : worst;
    }
    if (errors > 0)
        out_line("%" PRId64 " problem%s", errors, errors == 1 ? "" : "s");
    return worst;
}

const struct command cmd_check = {
    .name = "check",
    .operands = "FILE...",
    .summary = "is this document right; every problem, with its place",
    .about = "Reads plans, contexts, requests, adapters, events and every other kind of document "
             "writ knows, YAML or JSON, and reports every problem as file:line:col: /pointer: what "
             "was found and what is allowed [CODE]. `-` is standard input. Exit 0 when all are "
             "right, 65 when one is not.",
    .examples = { { "writ check plan.yaml", "every problem of a plan, not only the first" },
                  { "writ check --as event - <event.json", "from a pipe, as a kind you name" },
                  { "writ check --json *.yaml", "one JSON object a file, for programs" } },
    .options = { { "as", "KIND", "kinds", "the kind of document, instead of recognising it" },
                 { "json", NULL, NULL, "one JSON object for each file" } },
    .least = 1,
    .most = OPERANDS_MAX,
    .greets = true,
    .run = run,
};
