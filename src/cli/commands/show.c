/* SPDX-License-Identifier: Apache-2.0 */
/* show.c: `writ show`: one execution or one entry, with what it rests on. */
#include <inttypes.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/entry_line.h"
#include "cli/keeper.h"
#include "cli/pretty.h"
#include "cli/show.h"

/* ---- an entry ---- */

static void show_digest(const struct doc *entry, const char *label, const char *key)
{
    struct str digest = doc_text(entry, key);

    if (digest.n)
        show_text(label, digest);
}

static void show_entry(const struct doc *d)
{
    const struct doc *entry = doc_get(d, "entry"), *body = doc_get(entry, "body");
    struct str state = line_state(entry);
    _buf_ struct buf what = { .max = SHOW_MAX };

    line_what(entry, &what);
    out(line_colour(state), "%.*s", STR_ARG(state));
    out(PLAIN, "  ");
    out_cut(BOLD, buf_str(&what), print_room(state.n + 2));
    out(PLAIN, "\n");
    show_text("id", doc_text(entry, "ledger_id"));
    show_number("seq", doc_whole(entry, "seq"));
    show_text(line_is_event(entry) ? "execution" : "subject", doc_text(entry, "subject"));
    show_text("tenant", doc_text(entry, "tenant"));
    show_text("robot", doc_text(entry, "robot"));
    show_text("policy", doc_text(entry, "policy"));
    show_text("created", doc_text(entry, "createdAt"));
    show_text("recorded", doc_text(entry, "recordedAt"));
    show_digest(entry, "content", "content_digest");
    show_digest(entry, "body", "body_digest");
    show_digest(entry, "leaf", "leaf");
    show_erasures(d);
    show_lineage(d);
    out(PLAIN, "\n");
    if (body && body->kind != DOC_NULL)
        pretty_show(body, 0);
    else if (doc_get(entry, "damaged_body"))
        out(YELLOW, "the body is damaged: it is not JSON; writ verify tells whether it was so\n");
    else
        out(YELLOW, "the body was erased; its digest and leaf stay\n");
    show_next("writ prove", doc_text(entry, "ledger_id"), "a proof that it is recorded");
}

static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    _ledger_ struct writ_ledger *ledger = NULL;
    bool json = args_get(args, "json");
    const struct doc *d;
    char *answer;
    int status;

    ledger = keeper_open(args, KEEP_READ, &status);
    if (!ledger)
        return status;
    status = writ_show_of(ledger, args->operands[0], args_get(args, "tenant"),
                          args_get(args, "robot"), &answer);
    if (json || status != WRIT_OK)
        return keeper_tell(answer, status, json);
    d = answer_read(answer, &a);
    if (str_is(doc_text(d, "what"), "execution"))
        show_execution(d);
    else
        show_entry(d);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_show = {
    .name = "show",
    .operands = "ID",
    .summary = "one execution or entry: what happened, and what it rests on",
    .about = "An execution by its id, or an entry by its own; 8 characters are enough when nothing "
             "else begins with them. Where two tenants use one id, --tenant says whose. An execution is shown from plan to end, with its attempts, what "
             "came out, and where its inputs came from; an entry with its header and its body.",
    .examples = { { "writ show 8d2f61aa",          "an execution, as writ log names it" },
                  { "writ show led-3f0c12ab",      "one entry, with its body" },
                  { "writ show build-7 --tenant acme", "of an id that more than one tenant uses" },
                  { "writ show 8d2f61aa --json",   "all of it for programs" } },
    .options = { { "tenant", "TENANT", NULL, "of this tenant, where more than one uses the id" },
                 { "robot",  "ROBOT",  NULL, "of this robot" },
                 { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "one JSON object" } },
    .least = 1,
    .most = 1,
    .run = run,
};
/* clang-format on */
