/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c: cuts what comes in into events. */
#include "engine/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "base/ceilings.h"
#include "base/json_read.h"
#include "contract/codes.h"

enum { READ_BYTES = 256 << 10 };

/* Bytes that an event may have: the reader takes no more. */
static size_t line_most(void)
{
    return ceilings_default().v[CEILING_BYTES];
}

bool feed_open(struct feed *f, const struct writ_input *input, struct error *e)
{
    struct stat s;

    *f = (struct feed){
        .fd = -1, .stop = -1, .unread = { .max = line_most() + 2 * READ_BYTES }, .most = BATCH_FIRST
    };
    if (input->text) {
        f->text = (struct str){ input->text, input->len };
        return true;
    }
    if (strcmp(input->name, "-") == 0)
        f->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    else
        f->fd = open(input->name, O_RDONLY | O_CLOEXEC);
    f->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->fd < 0 || f->stop < 0 || fstat(f->fd, &s) != 0)
        (void)error_sys(e, CODE_IO, "'%s' cannot be read", input->name);
    else if (S_ISDIR(s.st_mode))
        (void)error_set(e, CODE_IO, "'%s' is a directory, expected a file", input->name);
    else
        return true;
    feed_close(f);
    return false;
}

void feed_close(struct feed *f)
{
    if (f->fd >= 0)
        (void)close(f->fd);
    if (f->stop >= 0)
        (void)close(f->stop);
    buf_free(&f->unread);
}

void feed_stop(struct feed *f)
{
    if (f->stop >= 0)
        (void)eventfd_write(f->stop, 1);
}

/* Waits until there is something to read; false: no more is wanted. */
static bool wait_for_more(const struct feed *f)
{
    struct pollfd two[] = { { .fd = f->fd, .events = POLLIN },
                            { .fd = f->stop, .events = POLLIN } };

    while (poll(two, COUNT(two), -1) < 0 && errno == EINTR)
        ;
    return !two[1].revents;
}

/* What is there and was not given out. */
static struct str rest(const struct feed *f)
{
    struct str all = f->fd < 0 ? f->text : buf_str(&f->unread);

    return (struct str){ all.s + f->at, all.n - f->at };
}

static void forget_given(struct feed *f)
{
    if (f->at == 0 || f->fd < 0)
        return;
    memmove(f->unread.s, f->unread.s + f->at, f->unread.len - f->at);
    f->unread.len -= f->at;
    f->at = 0;
}

/* Hashes what of the line was not hashed yet: its beginning stays, and was the first. */
static void hash_line(struct feed *f, struct str line)
{
    size_t from = f->shed ? REJECT_KEPT : 0;

    if (!f->shed)
        sha256_begin(&f->hash);
    sha256_add(&f->hash, line.s + from, line.n - from);
}

/* Of a line that has more bytes than an event may have, what a refusal keeps is held, not the rest:
 * it may go on as long as it likes. */
static void shed(struct feed *f)
{
    struct str line = rest(f);

    if (f->looked < line.n || line.n <= (f->shed ? REJECT_KEPT : line_most()))
        return;
    hash_line(f, line);
    f->shed += (int64_t)(line.n - REJECT_KEPT);
    f->unread.len = f->at + REJECT_KEPT;
    f->looked = REJECT_KEPT;
}

/* One read; false at the end. */
static bool read_more(struct feed *f)
{
    ssize_t n;

    if (f->fd < 0 || f->ended || !wait_for_more(f)) {
        f->ended = true;
        return false;
    }
    shed(f);
    forget_given(f);
    if (!buf_reserve(&f->unread, READ_BYTES)) {
        f->ended = true;
        return error_set(&f->error, CODE_IO, "line %" PRId64 ": there is no memory for it",
                         f->line + 1);
    }
    do
        n = read(f->fd, f->unread.s + f->unread.len, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        (void)error_sys(&f->error, CODE_IO, "the events cannot be read further");
    if (n <= 0)
        f->ended = true;
    else
        f->unread.len += (size_t)n;
    return n > 0;
}

/* Is something there without waiting? */
static bool has_more(const struct feed *f)
{
    struct pollfd p = { .fd = f->fd, .events = POLLIN };

    return f->fd >= 0 && !f->ended && poll(&p, 1, 0) > 0;
}

/* Where the next line ends; NULL: not in what was read. No byte is looked at twice. */
static const char *line_end(struct feed *f)
{
    struct str all = rest(f), left = str_from(all, f->looked);
    const char *end = left.n ? memchr(left.s, '\n', left.n) : NULL;

    f->looked = end ? (size_t)(end - all.s) : all.n;
    return end;
}

/* How much of a text is JSON. */
enum extent { EXTENT_NONE, EXTENT_BEGINNING, EXTENT_WHOLE };

static enum extent extent_of(struct str text)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    if (json_read("event", text, &max, &a, &document, &e))
        return EXTENT_WHOLE;
    text = str_trim_end(text, " \t\r\n");
    return e.at.line > 0 && e.at.col > (int)str_chars(text) ? EXTENT_BEGINNING : EXTENT_NONE;
}

/* Lines of JSON, or one document that people laid out over many lines? The first line tells, and
 * where it is the beginning of something, the whole does: as much as a document may have. Who sends
 * a line that is nothing waits for the answer to it. */
static void decide(struct feed *f)
{
    const char *end;
    struct str all;

    f->begun = true;
    while (!line_end(f) && read_more(f))
        ;
    all = rest(f);
    end = line_end(f);
    if (!end || f->shed ||
        extent_of((struct str){ all.s, (size_t)(end - all.s) }) != EXTENT_BEGINNING)
        return;
    while (rest(f).n <= line_most() && read_more(f))
        ;
    f->whole = f->ended && extent_of(rest(f)) == EXTENT_WHOLE;
}

/* The next line that is complete, or at the end what is left; half a line is none. */
static bool next_line(struct feed *f, struct str *out)
{
    struct str all = rest(f);
    const char *end = f->whole ? NULL : line_end(f);

    if (!end && (all.n == 0 || !f->ended || f->error.code))
        return false;
    *out = (struct str){ all.s, end ? (size_t)(end - all.s) : all.n };
    f->at += out->n + (end ? 1 : 0);
    f->looked = 0;
    f->line++;
    return true;
}

static void make_room(struct batch *out)
{
    size_t room = out->room;

    out->lines = arena_more(&out->a, out->lines, out->n, &room, sizeof *out->lines);
    out->drafts = arena_more(&out->a, out->drafts, out->n, &out->room, sizeof *out->drafts);
}

/* A batch is in memory as a whole, twice: while one is read, the one before is written. */
static bool is_full(const struct feed *f, const struct batch *b)
{
    return b->n >= f->most || b->bytes >= BATCH_BYTES;
}

static struct draft draft_of(struct feed *f, struct str line, struct arena *a)
{
    struct draft d = { 0 };

    if (f->shed || line.n > line_most()) {
        hash_line(f, line);
        d.long_digest = sha256_end(&f->hash);
        d.long_bytes = f->shed + (int64_t)line.n;
        f->shed = 0;
        line.n = REJECT_KEPT;
    }
    d.text = (struct str){ arena_text(a, line), line.n };
    return d;
}

static void take_lines(struct feed *f, struct batch *out)
{
    struct str line;

    while (!is_full(f, out) && next_line(f, &line)) {
        if (!f->shed && str_only(line, " \t\r\n"))
            continue;
        make_room(out);
        out->lines[out->n] = f->line;
        out->drafts[out->n] = draft_of(f, line, &out->a);
        out->bytes += out->drafts[out->n++].text.n;
    }
}

void feed_batch(struct feed *f, enum policy policy, const struct world *world, struct batch *out)
{
    uint8_t *salts;

    arena_reset(&out->a);
    out->n = out->room = out->bytes = 0;
    if (!f->begun)
        decide(f);
    take_lines(f, out);
    while (out->n == 0 && !f->error.code) {
        bool more = read_more(f);

        take_lines(f, out);
        if (!more)
            break;
    }
    while (!is_full(f, out) && has_more(f)) {
        (void)read_more(f);
        take_lines(f, out);
    }
    f->most = f->most * 3 / 2 < BATCH ? f->most * 3 / 2 : BATCH;
    salts = arena_alloc(&out->a, out->n * SALT_BYTES);
    world->chance(world->self, salts, out->n * SALT_BYTES);
    for (size_t i = 0; i < out->n; i++) {
        out->drafts[i].policy = policy;
        out->drafts[i].is_salted = true;
        memcpy(out->drafts[i].entry.salt, salts + i * SALT_BYTES, SALT_BYTES);
    }
    drafts_read(out->drafts, out->n, world, &out->a);
}
