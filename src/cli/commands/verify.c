/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c: `writ verify`: is every entry what it was; does a proof hold. */
#include <inttypes.h>

#include <writ/writ.h>

#include "base/json_write.h"
#include "base/stamp.h"
#include "base/world.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/entry_line.h"
#include "cli/keeper.h"
#include "cli/print.h"

enum { ROOT = 8, TEXT_MAX = 1 << 16 };

/* The first line has a word and what it means; the others stand below the meaning. */
static void head(enum colour colour, const char *word, struct str text)
{
    out(colour, "%s", word);
    out(PLAIN, "  ");
    out_folded(PLAIN, text, str_of(word).n + 2);
}

static void below(const char *word, enum colour colour, struct str text)
{
    size_t column = str_of(word).n + 2;

    out(PLAIN, "%*s", (int)column, "");
    out_folded(colour, text, column);
}

static bool is_true(const struct doc *d, const char *key)
{
    const struct doc *truth = doc_get(d, key);

    return truth && truth->kind == DOC_BOOL && truth->truth;
}

/* "9c1d40…" where a person reads it, else all of it. */
static void add_root(struct str root, struct buf *to)
{
    bool cut = print_person() && root.n > ROOT;

    buf_addf(to, "%.*s%s", (int)(cut ? ROOT : root.n), root.s, cut ? "…" : "");
}

/* "2026-11-15T14:00Z" */
static void add_minute(struct str stamp, struct buf *to)
{
    enum { MINUTE = sizeof "2026-11-15T14:00" - 1 };

    if (stamp.n > MINUTE)
        buf_addf(to, "%.*sZ", MINUTE, stamp.s);
    else
        buf_add(to, stamp.s, stamp.n);
}

/* ---- the ledger ---- */

/* The one a person asks about: that which was given, else the last. */
static const struct doc *telling_checkpoint(const struct doc *checkpoints)
{
    const struct doc *found = NULL;

    for (const struct doc *c = doc_first(checkpoints, DOC_LIST); c; c = c->next)
        if (!found || !str_is(doc_text(found, "kept"), "given"))
            found = c;
    return found;
}

static void show_intact(const struct doc *d)
{
    _buf_ struct buf text = { .max = TEXT_MAX };
    const struct doc *c = telling_checkpoint(doc_get(d, "checkpoints"));
    int64_t entries = doc_whole(d, "entries"), erased = doc_whole(d, "erased");

    buf_addf(&text, "%" PRId64 " entr%s", entries, entries == 1 ? "y" : "ies");
    if (erased)
        buf_addf(&text, " (%" PRId64 " erased)", erased);
    buf_adds(&text, ", root ");
    add_root(doc_text(d, "root"), &text);
    if (c) {
        buf_adds(&text, ", checkpoint ");
        add_minute(doc_text(c, "made"), &text);
        buf_adds(&text, " holds");
        if (doc_whole(c, "size") < entries)
            buf_addf(&text, " %" PRId64 " of %" PRId64 " entries", doc_whole(c, "size"), entries);
        if (!is_true(c, "signed"))
            buf_adds(&text, " (no key is here that its signature could be checked with: --key)");
        if (doc_whole(d, "covered") < entries)
            buf_adds(&text, "; the rest has none yet: writ checkpoint");
    }
    head(GREEN, "intact", buf_str(&text));
    if (c && str_is(doc_text(c, "kept"), "given"))
        return;
    if (print_person())
        below("intact", DIM,
              str_of("a checkpoint that is kept elsewhere also shows that nobody wrote the whole "
                     "ledger anew: writ checkpoint >FILE, writ verify --checkpoint FILE"));
}

static void add_where(const struct doc *c, struct buf *to)
{
    if (doc_text(c, "file").n)
        buf_addf(to, "in '%.*s'", STR_ARG(doc_text(c, "file")));
    else
        buf_adds(to, str_is(doc_text(c, "kept"), "given") ? "the one you gave" : "in the ledger");
}

/* Returns how many there were. */
static size_t show_broken_checkpoints(const struct doc *checkpoints, const char *word)
{
    size_t n = 0;

    for (const struct doc *c = doc_first(checkpoints, DOC_LIST); c; c = c->next) {
        _buf_ struct buf text = { .max = TEXT_MAX };
        const struct doc *holds = doc_get(c, "holds"), *size = doc_get(c, "size");
        bool judged = holds && holds->kind != DOC_NULL;

        if (is_true(c, "holds"))
            continue;
        buf_adds(&text, "checkpoint");
        if (doc_text(c, "made").n)
            buf_addc(&text, ' ');
        add_minute(doc_text(c, "made"), &text);
        buf_adds(&text, " (");
        if (size && size->kind == DOC_INT)
            buf_addf(&text, "%" PRId64 " entries, ", size->whole);
        add_where(c, &text);
        buf_addf(&text, ") %s", judged ? "does not hold" : "was not judged");
        if (doc_text(c, "why").n)
            buf_addf(&text, ": %.*s", STR_ARG(doc_text(c, "why")));
        below(word, YELLOW, buf_str(&text));
        n += judged;
    }
    return n;
}

static bool ends(struct str text, struct str with)
{
    return text.n >= with.n && str_eq(str_from(text, text.n - with.n), with);
}

/* Nothing speaks against the ledger but what is signed and kept beside it: then it is whole, and
 * not the one, or not all of the one, that was signed. */
static bool is_other_copy(const struct doc *d, struct str message)
{
    bool any = false;

    for (const struct doc *c = doc_first(doc_get(d, "checkpoints"), DOC_LIST); c; c = c->next) {
        if (is_true(c, "holds"))
            continue;
        if (!is_true(c, "signed") || !doc_text(c, "file").n || !ends(message, doc_text(c, "why")))
            return false;
        any = true;
    }
    return any;
}

/* Only what was given speaks against the ledger, and no key says that it is about this one: it may
 * be another's note, or a forged one, as well as another ledger in the place of the one it is of.
 */
static bool is_strange_note(const struct doc *d, struct str message)
{
    bool any = false;

    for (const struct doc *c = doc_first(doc_get(d, "checkpoints"), DOC_LIST); c; c = c->next) {
        if (is_true(c, "holds"))
            continue;
        if (is_true(c, "signed") || !str_is(doc_text(c, "kept"), "given") ||
            !ends(message, doc_text(c, "why")))
            return false;
        any = true;
    }
    return any;
}

/* The first entry that does not fit, why, and what to do. */
static void show_broken(const struct doc *d)
{
    static const char word[] = "not intact";
    _buf_ struct buf first = { .max = TEXT_MAX }, next = { .max = TEXT_MAX };
    const struct doc *problem = doc_get(d, "problem"), *seq = line_member(problem, "seq");
    struct str message = problem ? doc_text(problem, "message") : str_of("");
    struct str id = problem ? doc_text(problem, "ledger_id") : str_of("");

    if (seq && seq->kind == DOC_INT)
        buf_addf(&first, "entry %" PRId64, seq->whole);
    if (id.n)
        buf_addf(&first, " (%.*s)", STR_ARG(line_short(id)));
    buf_addf(&first, "%s%.*s", first.len ? ": " : "", STR_ARG(message));
    head(RED, word, buf_str(&first));
    if (show_broken_checkpoints(doc_get(d, "checkpoints"), word) == 0 && seq &&
        seq->kind == DOC_INT && seq->whole > 0)
        buf_adds(&next, "what was recorded before it is what it was; ");
    if (is_other_copy(d, message))
        buf_adds(&next, "this is an older copy that was brought back, or a second copy was signed "
                        "from here, or entries were taken away; go on with the copy that has "
                        "them; if it is lost, and you know why, move that file elsewhere and "
                        "keep it: writ checkpoint then signs what is here");
    else if (!id.n && is_strange_note(d, message))
        buf_adds(&next, "find out which: was that file made for this ledger, as writ checkpoint "
                        "printed it, or was another ledger put in the place of the one that it was "
                        "made for? By its own hashes this ledger is intact");
    else
        buf_adds(&next, "keep this ledger as evidence, and go on with a copy that writ verify "
                        "calls intact");
    below(word, CYAN, buf_str(&next));
}

/* The times in it are what they were; they need not be right. */
static void show_ahead(struct str newest, const char *word)
{
    enum { AHEAD_MS = 2 * 60 * 1000 };
    const struct world *world = world_real();
    _buf_ struct buf text = { .max = TEXT_MAX };
    struct stamp last;
    const char *why;

    if (!stamp_read(newest, &last, &why) ||
        stamp_ms(&last) - world->wall_ms(world->self) < AHEAD_MS)
        return;
    buf_adds(&text, "its last entry is of ");
    add_minute(newest, &text);
    buf_adds(&text, ", ahead of this clock, and later ones get that time as well: see writ doctor");
    below(word, YELLOW, buf_str(&text));
}

/* What is there and cannot be read as a ledger is not intact, whatever it was once. */
static void add_unreadable(const char *answer, struct buf *to)
{
    _arena_ struct arena a = { 0 };

    buf_adds(
        to,
        "{\"intact\":false,\"ledger\":null,\"entries\":0,\"erased\":0,\"covered\":0,\"root\":null,"
        "\"newest\":null,"
        "\"checkpoints\":[],\"problem\":{\"seq\":null,\"ledger_id\":null,\"message\":");
    json_text(to, doc_text(answer_read(answer, &a), "message"));
    buf_adds(to, "}}");
}

static int verify_unread(char *answer, int status, bool json)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf found = { .max = TEXT_MAX };

    if (!keeper_is(answer, "LEDGER_DAMAGED"))
        return keeper_refuse(answer, status, json);
    add_unreadable(answer, &found);
    writ_free(answer);
    if (json)
        out_json(found.s);
    else
        show_broken(answer_read(found.s, &a));
    return WRIT_NO;
}

static int verify_ledger(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    _ledger_ struct writ_ledger *ledger = NULL;
    const char *file = args_get(args, "checkpoint");
    struct writ_input checkpoint = { .name = file };
    const struct doc *d;
    char *answer = NULL;
    int status;

    ledger = keeper_try(args, false, &status, &answer);
    if (!ledger)
        return verify_unread(answer, status, args_get(args, "json"));
    status = writ_verify(ledger, file ? &checkpoint : NULL, args_get(args, "key"), &answer);
    if (args_get(args, "json") || (status != WRIT_OK && status != WRIT_NO))
        return keeper_tell(answer, status, args_get(args, "json"));
    d = answer_read(answer, &a);
    if (!doc_get(d, "intact"))
        return keeper_tell(answer, status, false);
    (status == WRIT_OK ? show_intact : show_broken)(d);
    show_ahead(doc_text(d, "newest"), status == WRIT_OK ? "intact" : "not intact");
    writ_free(answer);
    return status;
}

/* ---- a proof ---- */

static void show_holding(const struct doc *d)
{
    _buf_ struct buf text = { .max = TEXT_MAX };
    int64_t index = doc_whole(d, "index"), size = doc_whole(d, "size");

    if (str_is(doc_text(d, "proof"), "inclusion"))
        buf_addf(&text, "entry %" PRId64 " is among the %" PRId64 " of ", index, size);
    else
        buf_addf(&text, "the first %" PRId64 " of %" PRId64 " entries are what they were in ",
                 index, size);
    buf_addf(&text, "%.*s", STR_ARG(doc_text(d, "origin")));
    if (doc_text(d, "made").n) {
        buf_adds(&text, ", signed ");
        add_minute(doc_text(d, "made"), &text);
    }
    if (str_is(doc_text(d, "proof"), "inclusion") && !is_true(d, "body"))
        buf_adds(&text, ", without its body");
    if (is_true(d, "trusted")) {
        head(GREEN, "holds", buf_str(&text));
        return;
    }
    head(YELLOW, "not judged", buf_str(&text));
    buf_reset(&text);
    buf_addf(&text,
             "it fits together, but by a key that nobody vouches for here, and anybody could have "
             "made it; when you know that the key is theirs: --key %.*s",
             STR_ARG(doc_text(d, "key")));
    below("not judged", CYAN, buf_str(&text));
}

static int verify_proof(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    struct writ_input proof = { .name = args_get(args, "proof") };
    const struct doc *d;
    char *answer;
    int status = writ_verify_proof(&proof, args_get(args, "key"), &answer);

    d = answer_read(answer, &a);
    if (args_get(args, "json") || !doc_get(d, "holds"))
        return keeper_tell(answer, status, args_get(args, "json"));
    if (is_true(d, "holds"))
        show_holding(d);
    else
        head(RED, "does not hold", doc_text(d, "message"));
    writ_free(answer);
    return status;
}

static int run(const struct args *args)
{
    const char *proof = args_get(args, "proof");

    if (proof && (args_get(args, "checkpoint") || args_get(args, "ledger"))) {
        say("a proof needs no ledger: give --proof alone, or with --key");
        return WRIT_USAGE;
    }
    return (proof ? verify_proof : verify_ledger)(args);
}

/* clang-format off */
const struct command cmd_verify = {
    .name = "verify",
    .operands = "",
    .summary = "check that every entry of the ledger is as it was recorded",
    .about = "Computes every leaf and the whole tree anew and compares them with every checkpoint "
             "that was made. A checkpoint that was kept elsewhere also shows that nobody wrote "
             "the whole ledger anew. With --proof it checks a proof by `writ prove` instead, "
             "without any ledger. The key for --key is the one that `writ checkpoint` tells where "
             "the ledger is; have it sent another way than the proof. Exit 0 when all is what it "
             "was, 1 when not, 69 when a checkpoint or a proof cannot be judged because no key is "
             "known: that does not count as intact.",
    .examples = { { "writ verify",                                          "every entry, and every checkpoint" },
                  { "writ verify --checkpoint 2026-11-15.note",             "and one that was kept elsewhere" },
                  { "writ verify --proof proof.json --key \"$KEY\"",        "a proof that somebody sent" } },
    .options = { { "checkpoint", "FILE",   NULL, "a checkpoint that was kept elsewhere" },
                 { "proof",      "FILE",   NULL, "check this proof; no ledger is needed" },
                 { "key",        "VKEY",   NULL, "who must have signed: a verifier key, as `writ checkpoint` shows it; default: the ledger's own, and for a proof nobody" },
                 { "ledger",     "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",       NULL,     NULL, "what was found as one JSON object" } },
    .least = 0,
    .most = 0,
    .greets = true,
    .run = run,
};
/* clang-format on */
