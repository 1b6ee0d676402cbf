/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: `writ check`: is this document right, and if not, where. */
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

/* Options that do not go together; true after saying so. */
static bool is_contrary(const struct args *args, const char *schema)
{
    if (!schema)
        return false;
    if (args_get(args, "as")) {
        say("--as and --schema cannot be given together: a document is held against one of them");
        return true;
    }
    for (size_t i = 0; i < args->count; i++)
        if (strcmp(schema, "-") == 0 && strcmp(args->operands[i], "-") == 0) {
            say("standard input is the schema or a document, not both");
            return true;
        }
    return false;
}

/* Is the answer about the schema, which then is wrong? */
static bool is_about(const char *answer, const char *schema, const char *file)
{
    _arena_ struct arena a = { 0 };

    return schema && strcmp(schema, file) != 0 &&
           str_is(answer_file(answer_read(answer, &a)), schema);
}

static int check(const struct args *args, const char *file, char **answer)
{
    const char *schema = args_get(args, "schema");
    struct writ_input input = { .name = file }, against = { .name = schema };

    return schema ? writ_check_schema(&against, &input, answer)
                  : writ_check_in(&input, args_get(args, "as"), args->environment, answer);
}

static int run(const struct args *args)
{
    const char *schema = args_get(args, "schema");
    bool json = args_get(args, "json"), on = true;
    int64_t errors = 0;
    int worst = WRIT_OK;

    if (is_contrary(args, schema) || args_share_input(args))
        return WRIT_USAGE;
    for (size_t i = 0; i < args->count && on; i++) {
        char *answer;
        int status = check(args, args->operands[i], &answer);

        if (status == WRIT_USAGE && !json)
            answer_no_kind(answer);
        else
            show(answer, json, &errors);
        on = !is_about(answer, schema, args->operands[i]); /* once is enough */
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
    .summary = "check a document: every problem, with its place",
    .about = "Reads plans, contexts, requests, adapters, events and every other kind of document "
             "writ knows, YAML or JSON, and reports every problem as file:line:col: /pointer: "
             "what was found and what is allowed [CODE]. Of a plan, the requests of its steps are "
             "checked, too, as before a run. `-` is standard input. With --schema any document is "
             "held against a JSON Schema (2020-12 or draft-07); what the schema refers to is read "
             "below its own directory, never from the network. Exit 0 when all are right, 65 when "
             "one is not.",
    .examples = { { "writ check plan.yaml", "every problem of a plan, not only the first" },
                  { "writ check --as event - <event.json", "from a pipe, as a kind you name" },
                  { "writ check --json *.yaml", "one JSON object a file, for programs" },
                  { "writ check --schema size.json box.yaml", "against a JSON Schema of yours" } },
    .options = { { "as", "KIND", "kinds", "the kind of document, instead of recognising it" },
                 { "schema", "SCHEMA", NULL, "a JSON Schema instead of a kind; may be YAML" },
                 { "json", NULL, NULL, "one JSON object for each file" } },
    .least = 1,
    .most = OPERANDS_MAX,
    .greets = true,
    .run = run,
};
