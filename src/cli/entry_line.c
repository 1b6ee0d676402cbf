/* SPDX-License-Identifier: Apache-2.0 */
/* entry_line.c: says in a few words what an entry of the ledger is. */
#include "cli/entry_line.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SHORT = 8,
    DAY = sizeof "2026-11-15" - 1,
    CLOCK = sizeof "14:02:11" - 1,
    UUID = 36,
    STATE = 9
};

static const struct {
    const char *state;
    enum colour colour;
} colours[] = {
    { "planned", PLAIN },   { "running", CYAN },    { "succeeded", GREEN },  { "failed", RED },
    { "cancelled", DIM },   { "input", DIM },       { "action_audit", DIM }, { "manifest", DIM },
    { "plan_result", DIM }, { "approval", YELLOW }, { "note", YELLOW },      { "partial", YELLOW },
    { "refusal", RED },
};

const struct doc *line_member(const struct doc *d, const char *key)
{
    return d ? doc_get(d, key) : NULL;
}

static struct str member_text(const struct doc *d, const char *key)
{
    return d ? doc_text(d, key) : str_of("");
}

static const struct doc *payload_of(const struct doc *entry)
{
    return line_member(doc_get(entry, "body"), "payload");
}

bool line_is_event(const struct doc *entry)
{
    return str_is(doc_text(entry, "kind"), "execution_event");
}

struct str line_state(const struct doc *entry)
{
    return doc_text(entry, line_is_event(entry) ? "state" : "kind");
}

enum colour line_colour(struct str state)
{
    for (size_t i = 0; i < COUNT(colours); i++)
        if (str_is(state, colours[i].state))
            return colours[i].colour;
    return PLAIN;
}

bool line_is_end(struct str state)
{
    return str_is(state, "succeeded") || str_is(state, "failed") || str_is(state, "cancelled");
}

static bool is_uuid(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((i == 8 || i == 13 || i == 18 || i == 23) != (text.s[i] == '-'))
            return false;
    return text.n == UUID;
}

struct str line_short(struct str id)
{
    size_t prefix = str_begins(id, "led-") ? sizeof "led-" - 1 : 0;
    struct str rest = { id.s + prefix, id.n - prefix };

    return print_person() && is_uuid(rest) ? (struct str){ id.s, prefix + SHORT } : id;
}

struct str line_name(const struct doc *entry)
{
    return line_short(doc_text(entry, line_is_event(entry) ? "subject" : "ledger_id"));
}

/* ---- in words ---- */

static void add_word(struct buf *to, struct str word)
{
    if (word.n == 0)
        return;
    if (to->len)
        buf_addc(to, ' ');
    buf_add(to, word.s, word.n);
}

/* ---- functions that an adapter calls ----
 *
 * An interpreter is given a program of ours (adapter/shims) as one of its words. It is the same
 * each time and has a hundred lines: what it calls stands behind it. */

static const char dots[] = "…";

static bool has_shim(struct str text)
{
    static const char *const marks[] = { "call.py: calls one function",
                                         "call.mjs: calls one function" };

    for (size_t i = 0; i < COUNT(marks); i++)
        if (text.n && memmem(text.s, text.n, marks[i], strlen(marks[i])))
            return true;
    return false;
}

/* A whole command line as one text: its first word, and what stands behind the last line end. */
static void add_action(struct buf *to, struct str action)
{
    const char *end = has_shim(action) ? memrchr(action.s, '\n', action.n) : NULL;
    const char *blank = end ? memchr(action.s, ' ', action.n) : NULL;
    struct str rest;

    if (!blank) {
        add_word(to, action);
        return;
    }
    rest = str_trim_start(str_from(action, (size_t)(end + 1 - action.s)), " ");
    add_word(to, (struct str){ action.s, (size_t)(blank - action.s) });
    add_word(to, str_of(dots));
    add_word(to, rest);
}

bool line_call(const struct doc *body, struct buf *to)
{
    struct str operation = member_text(line_member(body, "call"), "operation");
    struct str purpose = member_text(line_member(body, "metadata"), "purpose");

    if (!purpose.n)
        purpose = member_text(line_member(body, "request"), "purpose"); /* of a run's record */
    if (str_begins(purpose, "call ")) {
        add_word(to, purpose);
        return true;
    }
    if (operation.n)
        buf_addf(to, "%scall %.*s.%.*s", to->len ? " " : "",
                 STR_ARG(member_text(body, "adapter_id")), STR_ARG(operation));
    return operation.n > 0;
}

void line_work(const struct doc *event, struct str call, struct buf *to)
{
    const struct doc *payload = payload_of(event);
    struct str action = member_text(payload, "action");

    if (call.n && has_shim(action)) {
        add_word(to, call);
        return;
    }
    add_word(to, member_text(payload, "target"));
    add_action(to, action);
}

static void add_error(const struct doc *error, struct buf *to)
{
    struct str message = member_text(error, "message");

    add_word(to, member_text(error, "code"));
    if (to->len && message.n)
        buf_addc(to, ' ');
    add_word(to, message);
}

static void event_what(const struct doc *event, struct str call, struct buf *to)
{
    const struct doc *payload = payload_of(event);
    struct str state = doc_text(event, "state");
    int64_t attempt = doc_whole(event, "attempt");

    if (str_is(state, "failed"))
        add_error(line_member(payload, "error"), to);
    else if (str_is(state, "cancelled"))
        add_word(to, member_text(payload, "cancelReason"));
    else if (doc_get(event, "alive")) /* it is said of nobody who lives */
        buf_adds(to, "not any more: who ran it recorded no end");
    if (to->len)
        return;
    if (attempt > 1 && !str_is(state, "succeeded"))
        buf_addf(to, "attempt %" PRId64, attempt);
    line_work(event, call, to);
}

void line_command(const struct doc *body, struct buf *to)
{
    const struct doc *inputs = line_member(body, "inputs");
    const struct doc *words = line_member(inputs, "arguments");
    struct str command = member_text(inputs, "command");

    if (command.n == 0)
        words = line_member(body, "command");
    if (to->len && (command.n || doc_first(words, DOC_LIST)))
        buf_addc(to, ' ');
    for (const struct doc *w = doc_first(words, DOC_LIST); w; w = w->next)
        if (w->kind == DOC_TEXT && has_shim(w->text) && line_call(body, to)) {
            buf_addc(to, ':');
            break;
        }
    add_word(to, command);
    for (const struct doc *w = doc_first(words, DOC_LIST); w; w = w->next)
        if (w->kind == DOC_TEXT)
            add_word(to, has_shim(w->text) ? str_of(dots) : w->text);
}

/* "json_select SUCCESS", or "json_select SUCCESS, the first of 1000" where they were recorded
 * together. */
static void audit_what(const struct doc *body, struct buf *to)
{
    const struct doc *records = line_member(body, "records");
    const struct doc *first = doc_first(records, DOC_LIST), *one = first ? first : body;
    const struct doc *reasons = line_member(one, "reason_codes");

    add_word(to, member_text(one, "executor_id"));
    add_word(to, member_text(one, "status"));
    if (first)
        buf_addf(to, ", the first of %" PRIu32, records->count);
    else if (doc_first(reasons, DOC_LIST) && !str_is(member_text(one, "status"), "PENDING"))
        add_word(to, reasons->first->text);
}

/* "31ca7a7c plan used by 8d2f61aa, completed": by which execution, and how far it came. */
static bool used_what(const struct doc *entry, struct buf *to)
{
    const struct doc *body = doc_get(entry, "body");
    struct str state = member_text(body, "plan_state");

    if (!state.n)
        return false;
    add_word(to, line_short(doc_text(entry, "subject")));
    buf_addf(to, " plan used by %.*s, %.*s", STR_ARG(line_short(member_text(body, "execution_id"))),
             STR_ARG(state));
    return true;
}

/* Of a body that is no event's: the first of these that it has. */
static void other_what(const struct doc *entry, struct buf *to)
{
    static const char *const telling[] = { "reason", "status", "state", "name" };
    const struct doc *body = doc_get(entry, "body");

    add_word(to, line_short(doc_text(entry, "subject")));
    for (size_t i = 0; i < COUNT(telling); i++) {
        struct str text = member_text(body, telling[i]);

        if (text.n && !str_eq(text, doc_text(entry, "subject"))) {
            buf_addc(to, ' ');
            add_word(to, text);
            break;
        }
    }
    line_command(body, to);
}

/* "8d2f61aa  partial  6 of 7", "8d2f61aa  audit  7 steps": how a plan ended, and its steps. */
static bool plan_what(const struct doc *entry, struct buf *to)
{
    const struct doc *body = doc_get(entry, "body"), *steps = line_member(body, "steps");
    bool result = str_is(doc_text(entry, "kind"), "plan_result");

    if (!result && (!str_is(member_text(body, "what"), "plan_steps") || !steps))
        return false;
    add_word(to, line_short(doc_text(entry, "subject")));
    buf_addc(to, ' ');
    add_word(to, member_text(body, result ? "status" : "name"));
    if (result && body && doc_whole(body, "steps_total"))
        buf_addf(to, "  %" PRId64 " of %" PRId64, doc_whole(body, "steps_executed"),
                 doc_whole(body, "steps_total"));
    else if (doc_first(steps, DOC_LIST))
        buf_addf(to, "  %" PRIu32 " step%s", steps->count, steps->count == 1 ? "" : "s");
    return true;
}

static bool is_erased(const struct doc *entry)
{
    const struct doc *erased = doc_get(entry, "erased");

    return erased && erased->kind == DOC_BOOL && erased->truth;
}

void line_what(const struct doc *entry, struct buf *to)
{
    line_what_called(entry, (struct str){ 0 }, to);
}

void line_what_called(const struct doc *entry, struct str call, struct buf *to)
{
    if (line_is_event(entry))
        event_what(entry, call, to);
    else if (str_is(doc_text(entry, "kind"), "action_audit"))
        audit_what(doc_get(entry, "body"), to);
    else if (!plan_what(entry, to) && !used_what(entry, to))
        other_what(entry, to);
    if (is_erased(entry))
        add_word(to, str_of("(erased)"));
    if (doc_get(entry, "damaged_body"))
        add_word(to, str_of("(damaged: its body is not JSON; see writ verify)"));
}

/* ---- figures ---- */

static int64_t number(const struct doc *d)
{
    if (d && d->kind == DOC_INT && d->whole >= 0)
        return d->whole;
    if (d && d->kind == DOC_NUMBER && d->number >= 0 && d->number < 1e15)
        return (int64_t)d->number;
    return -1;
}

int64_t line_took(const struct doc *event)
{
    return number(line_member(payload_of(event), "durationMs"));
}

int64_t line_memory(const struct doc *entry)
{
    static const char key[] = "memory_peak_bytes";
    const struct doc *event = line_member(payload_of(entry), "result");
    const struct doc *record = line_member(doc_get(entry, "body"), "usage");

    return number(line_member(event ? event : record, key));
}

/* ---- when ---- */

struct str line_day(struct str stamp)
{
    return (struct str){ stamp.s, stamp.n < DAY ? stamp.n : DAY };
}

struct str line_clock(struct str stamp)
{
    if (stamp.n < DAY + 1 + CLOCK)
        return stamp;
    return (struct str){ stamp.s + DAY + 1, CLOCK };
}

void line_new_day(struct str day, char shown[LINE_DAY])
{
    if (str_is(day, shown))
        return;
    out(DIM, "%.*s\n", STR_ARG(day));
    (void)snprintf(shown, LINE_DAY, "%.*s", STR_ARG(day));
}

/* The same where it has no room for its columns: in words. */
static void mention_folded(const struct doc *entry, struct str what, size_t column)
{
    _buf_ struct buf text = { .max = 1 << 20 };
    struct str at = doc_text(entry, "createdAt");

    buf_addf(&text, "%.*s %.*s %.*s %.*s %.*s", STR_ARG(line_short(doc_text(entry, "ledger_id"))),
             STR_ARG(line_state(entry)), STR_ARG(line_day(at)), STR_ARG(line_clock(at)),
             STR_ARG(what));
    out_folded(PLAIN, buf_str(&text), column);
}

void line_mention(const struct doc *entry, size_t column)
{
    enum { WHEN = DAY + CLOCK + 3, GAPS = 4 };
    _buf_ struct buf what = { .max = 1 << 20 };
    struct str id = line_short(doc_text(entry, "ledger_id")), state = line_state(entry);
    struct str at = doc_text(entry, "createdAt"), day = line_day(at), clock = line_clock(at);
    size_t width = id.n + (state.n > STATE ? state.n : STATE) + GAPS;

    if (!doc_get(entry, "body") || line_is_event(entry))
        add_word(&what, line_short(doc_text(entry, "subject")));
    else
        line_what(entry, &what);
    if (print_room(column) < width + WHEN) {
        mention_folded(entry, buf_str(&what), column);
        return;
    }
    out(CYAN, "%.*s  ", STR_ARG(id));
    out_cell(line_colour(state), state, state.n > STATE ? state.n : STATE);
    out(PLAIN, "  ");
    out(DIM, "%.*s %.*s  ", STR_ARG(day), STR_ARG(clock));
    out_cut(PLAIN, buf_str(&what), print_room(column + width + WHEN));
    out(PLAIN, "\n");
}
