/* SPDX-License-Identifier: Apache-2.0 */
/* lane_lines.c: the lines of a transcript that people want to see as they come. */
#include "cli/lane_lines.h"

#include <inttypes.h>

#include "cli/answer.h"
#include "cli/print.h"

static void tell_unavailable(const struct doc *line)
{
    say("%.*s", STR_ARG(doc_text(line, "message")));
}

static void tell_downgrade(const struct doc *line)
{
    say("route downgrade: %.*s to %.*s (%.*s)", STR_ARG(doc_text(line, "from")),
        STR_ARG(doc_text(line, "to")), STR_ARG(doc_text(line, "policy_id")));
}

static void tell_retry(const struct doc *line)
{
    say("%.*s: retry %" PRId64 " in %.1f s", STR_ARG(doc_text(line, "code")),
        doc_whole(line, "retry"), (double)doc_whole(line, "delay_ms") / 1000);
}

static void tell_late(const struct doc *line)
{
    say("still running after %" PRId64 " s; it is stopped at %" PRId64 " s",
        doc_whole(line, "after_secs"), doc_whole(line, "hard_timeout_secs"));
}

static void tell_killed(const struct doc *line)
{
    if (str_is(doc_text(line, "why"), "operator")) {
        say("it was asked to end and told again, and is killed");
        return;
    }
    say("it did not end within %" PRId64 " s of being asked to, and is killed",
        doc_whole(line, "cancel_grace_secs"));
}

static void tell_aborted(const struct doc *line)
{
    say("%.*s", STR_ARG(doc_text(line, "message")));
}

static const struct {
    const char *event;
    void (*tell)(const struct doc *line);
} tellers[] = {
    { "unavailable", tell_unavailable },
    { "downgrade", tell_downgrade },
    { "retry", tell_retry },
    { "late", tell_late },
    { "killed", tell_killed },
    { "aborted", tell_aborted },
};

bool lane_tell(void *self, const char *line, size_t len)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(arena_text(&a, (struct str){ line, len }), &a);
    struct str event = doc_text(d, "event");

    (void)self;
    for (size_t i = 0; i < COUNT(tellers); i++)
        if (str_is(event, tellers[i].event))
            tellers[i].tell(d);
    return true;
}
