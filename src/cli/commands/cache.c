/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: `writ cache list` and `writ cache clear`: what is remembered of adapters, tools and
 * calls. */
#include <inttypes.h>

#include <writ/adapters.h>

#include "base/stamp.h"
#include "base/world.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"
#include "cli/units.h"

/* What of a key is enough to tell it from others. */
enum { KEY_BEGINS = 7, KEY_DIGITS = 12 };

enum { LEVEL = 19, BYTES = 9, AGE = 10 }; /* columns */

#define LEFT_OUT "; all of them when left out"

/* ---- list ---- */

/* How long ago, or how long still; false: it says no time. */
static bool time_to(struct str stamp, int64_t now_ms, char text[UNITS_TEXT])
{
    struct stamp at;
    const char *why;
    int64_t ms;

    if (!stamp.n || !stamp_read(stamp, &at, &why))
        return false;
    ms = stamp_ms(&at) - now_ms;
    units_time(ms < 0 ? -ms : ms, text);
    return true;
}

static void show_item(const struct doc *d, int64_t now_ms)
{
    struct str key = doc_text(d, "key"), file = doc_text(d, "file"), about = doc_text(d, "about");
    size_t column = 2 + LEVEL + KEY_DIGITS + BYTES;
    _buf_ struct buf rest = { .max = 1 << 16 };
    char text[UNITS_TEXT];

    out(PLAIN, "  ");
    out_cell(BOLD, doc_text(d, "level"), LEVEL);
    out(CYAN, "%.*s", KEY_DIGITS, key.n > KEY_BEGINS + KEY_DIGITS ? key.s + KEY_BEGINS : "");
    units_bytes(doc_whole(d, "bytes"), text);
    out(PLAIN, "%*s", BYTES, text);
    if (time_to(doc_text(d, "made"), now_ms, text)) {
        out(DIM, "  %*s ago", AGE, text);
        column += 2 + AGE + 4;
    }
    if (doc_get(d, "ended")->truth)
        buf_adds(&rest, "ended");
    else if (time_to(doc_text(d, "ends"), now_ms, text))
        buf_addf(&rest, "ends in %s", text);
    else if (file.n)
        buf_addf(&rest, "never ends  %.*s", STR_ARG(file));
    else
        buf_adds(&rest, "ends with its session");
    if (about.n)
        buf_addf(&rest, "  %.*s", STR_ARG(about));
    out(PLAIN, "  ");
    out_cut(PLAIN, buf_str(&rest), print_room(column + 2));
    out(PLAIN, "\n");
}

static void show_items(const struct doc *items)
{
    const struct world *world = world_real();
    int64_t bytes = 0, now_ms = world->wall_ms(world->self);
    char text[UNITS_TEXT];

    for (const struct doc *d = items->first; d; d = d->next) {
        show_item(d, now_ms);
        bytes += doc_whole(d, "bytes");
    }
    if (items->count == 0) {
        out(PLAIN, "nothing is remembered\n");
        return;
    }
    units_bytes(bytes, text);
    out(PLAIN, "%u %s, %s\n", items->count, items->count == 1 ? "value" : "values", text);
}

static int run_list(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    char *answer;
    int status = writ_cache(false, args_get(args, "level"), args->environment, &answer);
    const struct doc *d = answer_read(answer, &a);

    if (!doc_get(d, "items") || args_get(args, "json"))
        return keeper_tell(answer, status, args_get(args, "json"));
    show_items(doc_get(d, "items"));
    for (const struct doc *u = doc_first(doc_get(d, "unread"), DOC_LIST); u; u = u->next)
        say("%.*s", STR_ARG(doc_text(u, "message")));
    writ_free(answer);
    return status;
}

const struct command cmd_cache_list = {
    .name = "cache list",
    .operands = "",
    .summary = "list what is remembered, and until when",
    .about =
        "Lists the values by level, the oldest first: the beginning of its key, its size, its "
        "age, when it ends, and which call a result is of. An ended one is not used any more and goes with the next that "
        "is remembered. Golden outputs are those of the project here, with their files; they "
        "stay until they are recorded again.",
    .examples = { { "writ cache list", "all levels" },
                  { "writ cache list --level execution-results", "results of calls alone" },
                  { "writ explain caches", "how long each level lasts" } },
    .options = { { "level", "LEVEL", NULL,
                   "adapter-schema, tool-metadata, execution-results or golden-outputs" LEFT_OUT,
                   .words = "adapter-schema tool-metadata execution-results golden-outputs" },
                 { "json", NULL, NULL, "one JSON object" } },
    .least = 0,
    .most = 0,
    .run = run_list,
};

/* ---- clear ---- */

static int run_clear(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    char *answer;
    int status = writ_cache(true, args_get(args, "level"), args->environment, &answer);
    int64_t n;

    if (status != WRIT_OK || args_get(args, "json"))
        return keeper_tell(answer, status, args_get(args, "json"));
    n = doc_whole(answer_read(answer, &a), "removed");
    out(PLAIN, "%" PRId64 " %s removed\n", n, n == 1 ? "value" : "values");
    writ_free(answer);
    return status;
}

const struct command cmd_cache_clear = {
    .name = "cache clear",
    .operands = "",
    .summary = "forget what is remembered",
    .about = "Removes the values of a level, or of all of them, whatever session they are of. What "
             "is needed is found out again. Golden outputs are files of the project and stay.",
    .examples = { { "writ cache clear", "everything" },
                  { "writ cache clear --level tool-metadata",
                    "the versions of tools, after one was upgraded" } },
    .options = { { "level", "LEVEL", NULL,
                   "adapter-schema, tool-metadata or execution-results" LEFT_OUT,
                   .words = "adapter-schema tool-metadata execution-results" },
                 { "json", NULL, NULL, "one JSON object" } },
    .least = 0,
    .most = 0,
    .run = run_clear,
};

/* ---- the group ---- */

const struct command cmd_cache = {
    .name = "cache",
    .operands = "VERB",
    .summary = "what is remembered of adapters, tools and calls",
    .about =
        "Schemas of adapters are remembered for 24 hours and what is known of tools for one. A "
        "result is remembered until the session ends, and only where all six rows of writ "
        "explain determinism hold for the call. The session is WRIT_SESSION, else that of the "
        "terminal. Golden outputs (writ golden) are the fourth level: files of the project, which "
        "nothing but a person removes.",
    .examples = { { "writ cache list", "what there is, and until when" },
                  { "writ cache clear", "all of it is forgotten" } },
};
