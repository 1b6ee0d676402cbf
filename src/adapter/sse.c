/* SPDX-License-Identifier: Apache-2.0 */
/* sse.c: reads text/event-stream: lines that end in CR, LF or both, fields, events. */
#include "adapter/sse.h"

enum {
    ID_MAX = 1024,
    TYPE_MAX = 256,
    RETRY_MAX_MS = 3600 * 1000,
};

bool sse_full(const struct sse *s)
{
    return !buf_ok(&s->line) || !buf_ok(&s->data);
}

void sse_again(struct sse *s)
{
    buf_reset(&s->line);
    buf_reset(&s->data);
    buf_reset(&s->type);
    s->has_data = s->after_cr = s->begun = false;
}

void sse_free(struct sse *s)
{
    buf_free(&s->line);
    buf_free(&s->data);
    buf_free(&s->type);
    buf_free(&s->id);
    buf_free(&s->last_id);
}

static void set(struct buf *to, struct str text)
{
    buf_reset(to);
    buf_add(to, text.s, text.n);
}

/* Digits alone, and what a person would wait. */
static void take_retry(struct sse *s, struct str value)
{
    int64_t ms = 0;

    for (size_t i = 0; i < value.n; i++) {
        if (value.s[i] < '0' || value.s[i] > '9')
            return;
        ms = 10 * ms + (value.s[i] - '0');
        if (ms > RETRY_MAX_MS)
            ms = RETRY_MAX_MS;
    }
    if (value.n > 0)
        s->retry_ms = ms;
}

static void take_field(struct sse *s, struct str name, struct str value)
{
    if (str_is(name, "data")) {
        if (s->has_data)
            buf_addc(&s->data, '\n');
        buf_add(&s->data, value.s, value.n);
        s->has_data = true;
    } else if (str_is(name, "event") && value.n <= TYPE_MAX) {
        set(&s->type, value);
    } else if (str_is(name, "id") && value.n <= ID_MAX && !memchr(value.s, '\0', value.n)) {
        set(&s->id, value);
    } else if (str_is(name, "retry")) {
        take_retry(s, value);
    }
}

static bool end_event(struct sse *s, sse_event *event, void *self)
{
    struct str type = s->type.len ? buf_str(&s->type) : str_of("message");
    bool more = true;

    set(&s->last_id, buf_str(&s->id));
    if (s->has_data)
        more = event(self, type, buf_str(&s->data));
    buf_reset(&s->type);
    buf_reset(&s->data);
    s->has_data = false;
    return more;
}

/* A line that begins with a colon is a comment. */
static bool end_line(struct sse *s, sse_event *event, void *self)
{
    struct str line = buf_str(&s->line), value = { "", 0 };
    const char *colon;
    bool more = true;

    if (!s->begun && line.n >= 3 && memcmp(line.s, "\xef\xbb\xbf", 3) == 0)
        line = (struct str){ line.s + 3, line.n - 3 };
    s->begun = true;
    if (line.n == 0) {
        more = end_event(s, event, self);
    } else if (line.s[0] != ':') {
        colon = memchr(line.s, ':', line.n);
        if (colon) {
            value = (struct str){ colon + 1, (size_t)(line.s + line.n - colon - 1) };
            line.n = (size_t)(colon - line.s);
        }
        if (value.n > 0 && value.s[0] == ' ')
            value = (struct str){ value.s + 1, value.n - 1 };
        take_field(s, line, value);
    }
    buf_reset(&s->line);
    return more && buf_ok(&s->data);
}

static size_t until_end(struct str bytes)
{
    size_t i = 0;

    while (i < bytes.n && bytes.s[i] != '\n' && bytes.s[i] != '\r')
        i++;
    return i;
}

bool sse_feed(struct sse *s, struct str bytes, sse_event *event, void *self)
{
    s->line.max = s->data.max = s->max;
    s->type.max = TYPE_MAX + 1;
    s->id.max = s->last_id.max = ID_MAX + 1;
    while (bytes.n > 0) {
        size_t n = until_end(bytes);
        char end = n < bytes.n ? bytes.s[n] : '\0';
        bool second = s->after_cr && n == 0 && end == '\n';

        s->after_cr = false;
        buf_add(&s->line, bytes.s, n);
        if (!buf_ok(&s->line))
            return false;
        if (n == bytes.n)
            return true;
        bytes = (struct str){ bytes.s + n + 1, bytes.n - n - 1 };
        s->after_cr = end == '\r';
        if (!second && !end_line(s, event, self))
            return false;
    }
    return true;
}
