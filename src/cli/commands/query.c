/* SPDX-License-Identifier: Apache-2.0 */
/* query.c: `writ query`: what a JSONPath selects from a document. */
#include <writ/writ.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"

enum { INDENT = 2 };

/* The first characters of a text. */
static struct str before(struct str text, int64_t characters)
{
    size_t n = 0;

    for (; n < text.n; n++)
        if (((unsigned char)text.s[n] & 0xc0) != 0x80 && characters-- <= 0)
            break;
    return (struct str){ text.s, n };
}

/* The message; below it the path and a caret, where they fit the terminal. */
static void show_wrong_path(const char *path, const char *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);
    int64_t character = doc_whole(d, "character");
    size_t column = print_columns(before(str_of(path), character - 1));

    say("the path is wrong: %.*s", STR_ARG(doc_text(d, "message")));
    if (character == 0 || print_columns(str_of(path)) >= print_room(INDENT))
        return;
    err(PLAIN, "%*s%s\n", INDENT, "", path);
    err(RED, "%*s^\n", (int)column + INDENT, "");
}

static void show_problems(const char *answer)
{
    _arena_ struct arena a = { 0 };

    (void)answer_problems(answer_read(answer, &a), false);
}

/* {"file":..,"path":..,"values":[..]} */
static void out_answer(const struct args *args, bool paths, const char *answer)
{
    _buf_ struct buf json = { .max = SIZE_MAX / 2 };

    json_open(&json, '{');
    json_put(&json, "file", args->operands[1]);
    json_put(&json, "path", args->operands[0]);
    json_key(&json, paths ? "paths" : "values");
    buf_adds(&json, answer);
    json_close(&json, '}');
    out_json(json.s);
}

static int run(const struct args *args)
{
    bool json = args_get(args, "json"), paths = args_get(args, "paths");
    struct writ_input input = { .name = args->operands[1] };
    char *answer;
    int status = writ_query(args->operands[0], &input, paths, &answer);

    if (status == WRIT_OK && json)
        out_answer(args, paths, answer);
    else if (status == WRIT_OK || json)
        out_json(answer);
    else if (status == WRIT_USAGE)
        show_wrong_path(args->operands[0], answer);
    else
        show_problems(answer);
    writ_free(answer);
    return status;
}

const struct command cmd_query = {
    .name = "query",
    .operands = "JSONPATH FILE",
    .summary = "what a JSONPath selects from a document (RFC 9535)",
    .about = "Prints a JSON list of the values that the path selects, in the order of the RFC; an "
             "empty one where it selects nothing. The document is YAML or JSON, `-` is standard "
             "input. Exit 64 when the path is wrong, 65 when the document is.",
    .examples = { { "writ query '$.steps[*].action' plan.yaml", "one member of each step" },
                  { "writ query '$.steps[?@.on_failure==\"skip\"].id' plan.yaml",
                    "of some steps only" },
                  { "writ query '$..timeout_ms' --paths plan.yaml", "where a name is used" },
                  { "writ query '$[?search(@.name, \"^b\")]' - <tools.json", "by a pattern" } },
    .options = { { "paths", NULL, NULL, "their normalised paths instead of the values" },
                 { "json", NULL, NULL, "one JSON object with the list in it" } },
    .least = 2,
    .most = 2,
    .run = run,
};
