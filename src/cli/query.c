/* SPDX-License-Identifier: Apache-2.0 */
/* query.c: turns the options that narrow a reading into the query the ledger is asked. */
#include "cli/query.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "base/num.h"
#include "base/stamp.h"
#include "cli/print.h"

/* A filter's name is its option's and its member's. */
static const char *const texts[] = { "execution", "tenant", "robot", "kind", "state" };

/* A day alone stands for its first moment, or with --until for its last. */
static const struct {
    const char *name, *of_day;
} times[] = {
    { "since", "T00:00:00.000Z" },
    { "until", "T23:59:59.999Z" },
};

static const struct {
    char letter;
    int64_t ms;
} spans[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 } };

/* "2h": so long ago; before there were years, from the first of them on. */
static bool read_ago(struct str text, int64_t now_ms, struct buf *to)
{
    enum { COUNT_MAX = 1000000 };
    static const int64_t first_ms = INT64_C(-62135596800000); /* 0001-01-01T00:00:00Z */
    struct str digits = { text.s, text.n ? text.n - 1 : 0 };
    char stamp[STAMP_TEXT];
    int64_t n;

    if (!num_int(digits, &n) || n < 0 || n > COUNT_MAX)
        return false;
    for (size_t i = 0; i < COUNT(spans); i++) {
        if (text.s[text.n - 1] == spans[i].letter) {
            int64_t at_ms = now_ms - n * spans[i].ms;

            stamp_text(at_ms > first_ms ? at_ms : first_ms, stamp);
            buf_adds(to, stamp);
            return true;
        }
    }
    return false;
}

static bool read_time(struct str text, const char *of_day, int64_t now_ms, struct buf *to)
{
    struct stamp stamp;
    const char *why;

    if (read_ago(text, now_ms, to))
        return true;
    if (!stamp_date(text) && !stamp_read(text, &stamp, &why))
        return false;
    buf_add(to, text.s, text.n);
    if (stamp_date(text))
        buf_adds(to, of_day);
    return true;
}

static bool put_times(const struct args *args, int64_t now_ms, struct buf *to)
{
    for (size_t i = 0; i < COUNT(times); i++) {
        const char *typed = args_get(args, times[i].name);
        _buf_ struct buf text = { .max = 1 << 10 };

        if (!typed)
            continue;
        if (!read_time(str_of(typed), times[i].of_day, now_ms, &text)) {
            say("--%s is a time such as 2026-11-15T14:00:00Z, a day such as 2026-11-15, or a while "
                "ago such as 90s, 15m, 2h, 7d; '%s' is none",
                times[i].name, typed);
            return false;
        }
        json_put(to, times[i].name, text.s);
    }
    return true;
}

static bool put_limit(const struct args *args, int64_t newest, struct buf *to)
{
    static const int64_t most = (INT64_C(1) << 53) - 1; /* JSON holds it exactly */
    const char *typed = args_get(args, "limit");

    if (typed && (!num_int(str_of(typed), &newest) || newest < 0 || newest > most)) {
        say("--limit is a whole number up to %" PRId64 ", 0 for all; '%s' is none", most, typed);
        return false;
    }
    if (newest > 0)
        json_put_int(to, "limit", newest);
    return true;
}

bool query_write(const struct args *args, int64_t newest, int64_t now_ms, struct buf *to)
{
    json_open(to, '{');
    for (size_t i = 0; i < COUNT(texts); i++)
        if (args_get(args, texts[i]))
            json_put(to, texts[i], args_get(args, texts[i]));
    if (args_get(args, "live"))
        json_put_bool(to, "live", true);
    if (!put_times(args, now_ms, to) || !put_limit(args, newest, to))
        return false;
    json_close(to, '}');
    return true;
}
