/* SPDX-License-Identifier: Apache-2.0 */
/* export.c: `writ export`: the ledger for other programs. */
#include <writ/writ.h>

#include "base/world.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/entry_line.h"
#include "cli/keeper.h"
#include "cli/print.h"
#include "cli/query.h"

static const char *const formats[] = { "jsonl", "in-toto" };

static bool is_format(const char *typed)
{
    const char *near = str_nearest(str_of(typed), formats, COUNT(formats));

    for (size_t i = 0; i < COUNT(formats); i++)
        if (strcmp(typed, formats[i]) == 0)
            return true;
    say("--format is jsonl or in-toto; '%s' is neither%s%s%s", typed,
        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return false;
}

struct exporting {
    bool json, any;
};

/* Why there is no more is told where nobody takes it for an entry, unless it was asked for as JSON:
 * no entry and no statement begins with a code. */
static bool take_line(void *self, const char *line, size_t len)
{
    _arena_ struct arena a = { 0 };
    struct exporting *all = self;
    struct str text = { line, len };

    all->any = true;
    if (all->json || !str_begins(text, "{\"code\":") || !keeper_trouble(answer_line(text, &a)))
        out_json_line(text);
    return true;
}

/* What there is of which nothing was exported. */
struct unexported {
    bool any, erased;
};

static bool look(void *self, const char *line, size_t len)
{
    _arena_ struct arena a = { 0 };
    struct unexported *u = self;
    const struct doc *d = answer_line((struct str){ line, len }, &a), *erased;

    erased = doc_get(d, "erased");
    u->any = true;
    u->erased |= erased && erased->kind == DOC_BOOL && erased->truth && line_is_event(d) &&
                 line_is_end(doc_text(d, "state"));
    return !u->erased;
}

static void say_nothing(struct writ_ledger *ledger, const char *query)
{
    struct unexported u = { 0 };

    if (writ_log(ledger, query, look, &u) != WRIT_OK)
        return;
    if (!u.any)
        say("nothing was exported: no entry is like that; writ log lists those there are");
    else if (u.erased)
        say("nothing was exported: the body of the event that ended it was erased; writ show "
            "tells why");
    else
        say("nothing was exported: in-toto is for executions that ended, and none of these did; "
            "--format jsonl has every entry");
}

static int run(const struct args *args)
{
    _buf_ struct buf query = { .max = 1 << 20 };
    _ledger_ struct writ_ledger *ledger = NULL;
    const struct world *world = world_real();
    const char *format = args_get(args, "format");
    struct exporting all = { .json = args_get(args, "json") };
    int status;

    if ((format && !is_format(format)) ||
        !query_write(args, 0, world->wall_ms(world->self), &query))
        return WRIT_USAGE;
    ledger = keeper_open(args, KEEP_READ, &status);
    if (!ledger)
        return status;
    status = writ_export(ledger, query.s, format ? format : formats[0], take_line, &all);
    if (status == WRIT_OK && !all.any)
        say_nothing(ledger, query.s);
    return status;
}

/* clang-format off */
const struct command cmd_export = {
    .name = "export",
    .operands = "",
    .summary = "the ledger for other programs: JSON lines or in-toto",
    .about = "Prints entries with their bodies and everything that their hashes cover, one JSON "
             "object a line, oldest first: writ-ledger(7) has a program that checks them against "
             "a checkpoint without writ. Or prints each execution that ended as an in-toto "
             "Statement, for tools that check where artifacts come from. The options that narrow "
             "it are those of `writ log`; without them it is everything.",
    .examples = { { "writ export >ledger.jsonl",                       "every entry, for whoever checks the ledger" },
                  { "writ export --format in-toto --since 1d",         "what ended since yesterday, as attestations" },
                  { "writ export --execution 8d2f61aa --format in-toto", "one execution" } },
    .options = { { "format", "FORMAT", NULL, "jsonl, the default, or in-toto", .words = "jsonl in-toto" },
                 QUERY_OPTIONS,
                 { "limit",  "N",      NULL, "the newest so many, else all" },
                 { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "what could not be done is JSON, too" } },
    .least = 0,
    .most = 0,
    .run = run,
};
/* clang-format on */
