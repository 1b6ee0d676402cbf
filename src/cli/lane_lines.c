/* SPDX-License-Identifier: Apache-2.0 */
/* lane_lines.c: the lines of a transcript that people want to see as they come. */
#include "cli/lane_lines.h"

#include <inttypes.h>

#include "cli/answer.h"
#include "cli/print.h"

static void say_unavailable(const struct doc *line, struct buf *to)
{
    buf_addf(to, "%.*s", STR_ARG(doc_text(line, "message")));
}

static void say_downgrade(const struct doc *line, struct buf *to)
{
    buf_addf(to, "route downgrade: %.*s to %.*s (%.*s)", STR_ARG(doc_text(line, "from")),
             STR_ARG(doc_text(line, "to")), STR_ARG(doc_text(line, "policy_id")));
}

static void say_retry(const struct doc *line, struct buf *to)
{
    struct str worker = doc_text(line, "worker");

    buf_addf(to, "%.*s", STR_ARG(doc_text(line, "code")));
    if (worker.n) /* the code is that of every worker */
        buf_addf(to, " (worker %.*s)", STR_ARG(worker));
    buf_addf(to, ": retry %" PRId64 " in %.1f s", doc_whole(line, "retry"),
             (double)doc_whole(line, "delay_ms") / 1000);
}

static void say_late(const struct doc *line, struct buf *to)
{
    buf_addf(to, "still running after %" PRId64 " s; it is stopped at %" PRId64 " s",
             doc_whole(line, "after_secs"), doc_whole(line, "hard_timeout_secs"));
}

static void say_killed(const struct doc *line, struct buf *to)
{
    if (str_is(doc_text(line, "why"), "operator"))
        buf_adds(to, "it was asked to end and told again, and is killed");
    else
        buf_addf(to, "it did not end within %" PRId64 " s of being asked to, and is killed",
                 doc_whole(line, "cancel_grace_secs"));
}

static const struct {
    const char *event;
    void (*say)(const struct doc *line, struct buf *to);
} sayers[] = {
    { "unavailable", say_unavailable },
    { "downgrade", say_downgrade },
    { "retry", say_retry },
    { "late", say_late },
    { "killed", say_killed },
    { "aborted", say_unavailable }, /* its message, too */
};

void lane_words(const struct doc *line, struct buf *to)
{
    struct str event = doc_text(line, "event");

    for (size_t i = 0; i < COUNT(sayers); i++)
        if (str_is(event, sayers[i].event))
            sayers[i].say(line, to);
}

bool lane_tell(void *self, const char *line, size_t len)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf words = { .max = 1 << 16 };

    (void)self;
    lane_words(answer_read(arena_text(&a, (struct str){ line, len }), &a), &words);
    if (words.len)
        say("%s", words.s);
    return true;
}

void lane_names(const struct doc *record, const char *list, struct buf *to)
{
    for (const struct doc *n = doc_first(doc_get(record, list), DOC_LIST); n; n = n->next)
        if (n->kind == DOC_TEXT)
            buf_addf(to, "%s%.*s", to->len ? ", " : "", STR_ARG(n->text));
}

void lane_held_words(const struct doc *record, struct buf *to)
{
    _buf_ struct buf names = { .max = 1 << 12 };

    lane_names(record, "missing", &names);
    if (names.len)
        buf_addf(to, "it was held by less than the default: without %s", names.s);
}
