/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c: `writ explain`: any row of any table writ runs on. */
#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "cli/rows.h"

static int unknown(const struct doc *d)
{
    struct str near = doc_text(d, "near");

    say("nothing is called '%.*s'%s%.*s%s; writ explain lists what there is",
        STR_ARG(doc_text(d, "topic")), near.n ? " (did you mean '" : "", STR_ARG(near),
        near.n ? "'?)" : "");
    return WRIT_USAGE;
}

static int show(const char *answer, int status)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a), *tables = doc_get(d, "tables");

    if (status != WRIT_OK)
        return unknown(d);
    for (const struct doc *t = tables->first; t; t = t->next) {
        rows_show(t);
        if (t->next)
            out(PLAIN, "\n");
    }
    return status;
}

static int run(const struct args *args)
{
    const char *topic = args->count ? args->operands[0] : NULL;
    bool schema = args_get(args, "schema");
    char *answer;
    int status;

    if (schema && !topic) {
        say("--schema needs a kind of document: writ explain plan --schema");
        return WRIT_USAGE;
    }
    status = schema ? writ_schema(topic, &answer) : writ_explain(topic, &answer);
    if (args_get(args, "json") || (schema && status == WRIT_OK))
        out_json(answer);
    else if (schema)
        answer_no_kind(answer);
    else
        status = show(answer, status);
    writ_free(answer);
    return status;
}

const struct command cmd_explain = {
    .name = "explain",
    .operands = "[NAME]",
    .summary = "what a code, limit, state, level, class or field means",
    .about = "Shows the rows of the tables writ itself runs on: error codes, limits, exit codes, "
             "states and their transitions, levels, command classes, kinds of documents and their "
             "fields. Without a name it lists the tables.",
    .table = "*",
    .examples = { { "writ explain PLAN_TIMEOUT", "one code: what it means, what to do next" },
                  { "writ explain limits", "a whole table" },
                  { "writ explain plan", "every field of a plan" },
                  { "writ explain operation", "a part of one: an operation of an adapter" },
                  { "writ explain plan --schema", "the same as a JSON Schema" } },
    .options = { { "schema", NULL, NULL, "the JSON Schema of a kind of document" },
                 { "json", NULL, NULL, "the rows as one JSON object" } },
    .least = 0,
    .most = 1,
    .greets = true,
    .run = run,
};
