/* SPDX-License-Identifier: Apache-2.0 */
/* transcript.c: the lines of a transcript, each written by one call and digested. */
#include "route/transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/stamp.h"
#include "base/utf8.h"
#include "sandbox/outcome.h"

enum {
    LINE_MAX_BYTES = 64 << 20,
    PRINTED_MAX_BYTES = 1 << 20, /* a byte may take six in JSON */
    PARTS_AT_ONCE = 500,         /* of output are lines of their own; then they are gathered, */
    PART_BYTES = 16 << 10,       /* up to so many bytes, */
    PART_MS = 250,               /* or so long */
};

/* clang-format off */
const char *const transcript_event_names[] = {
    [SAID_PLANNED]      = "planned",
    [SAID_STATE]        = "state",
    [SAID_UNAVAILABLE]  = "unavailable",
    [SAID_DOWNGRADE]    = "downgrade",
    [SAID_RETRY]        = "retry",
    [SAID_LATE]         = "late",
    [SAID_ASKED]        = "asked",
    [SAID_KILLED]       = "killed",
    [SAID_ABORTED]      = "aborted",
    [SAID_OUTPUT]       = "output",
    [SAID_PRINTED]      = "printed",
    [SAID_ENDED]        = "ended",
    [SAID_REFUSED]      = "refused",
    [TRANSCRIPT_EVENTS] = NULL,
};

const struct transcript_row transcript_events[TRANSCRIPT_EVENTS] = {
    [SAID_PLANNED]     = { SAID_PLANNED,     "command_id, command_provenance, route, and more of the plan",  "Where the command is to go, and how: as of `writ route plan`." },
    [SAID_STATE]       = { SAID_STATE,       "attempt, from, trigger, to",                                "The lane moved along a declared edge." },
    [SAID_UNAVAILABLE] = { SAID_UNAVAILABLE, "worker, attempt, message",                                  "The worker did not take it, this time." },
    [SAID_DOWNGRADE]   = { SAID_DOWNGRADE,   "from, to, policy_id, message",                              "It goes by another route than was wanted." },
    [SAID_RETRY]       = { SAID_RETRY,       "code, worker, retry, attempt, delay_ms",                    "It is tried again, after a delay." },
    [SAID_LATE]        = { SAID_LATE,        "attempt, after_secs, hard_timeout_secs",                    "The soft timeout passed; nothing is done about it." },
    [SAID_ASKED]       = { SAID_ASKED,       "attempt, why, reason",                                      "It was asked to end, by an operator or for its time." },
    [SAID_KILLED]      = { SAID_KILLED,      "attempt, why, cancel_grace_secs",                           "It did not end in its grace (why: grace), or was not left that long (operator), and was killed." },
    [SAID_ABORTED]     = { SAID_ABORTED,     "attempt, state, trigger, allowed, message",                 "An undeclared edge was asked for; the state stays, the lane has failed." },
    [SAID_OUTPUT]      = { SAID_OUTPUT,      "stream, text or base64",                                    "A part of what the command printed, as it came; base64 where it is not UTF-8." },
    [SAID_PRINTED]     = { SAID_PRINTED,     "stream, bytes, truncated, digest; text or base64",          "All that the command printed there; the text only where no part of it was written as it came." },
    [SAID_REFUSED]     = { SAID_REFUSED,     "code, message",                                             "Nothing ran: a policy does not allow it, or it could not be recorded." },
    [SAID_ENDED]       = { SAID_ENDED,       "attempt, state, outcome_class, exit_code, failure_code, command_provenance, scenario_id, transcript_path, worker_route", "What the attempt came to, with all that a manifest has; of a worker that is lost, why, as message." },
};

static const struct column event_columns[] = {
    { "event",   COLUMN_NAME, offsetof(struct transcript_row, event), transcript_event_names },
    { "members", COLUMN_TEXT, offsetof(struct transcript_row, members) },
    { "meaning", COLUMN_TEXT, offsetof(struct transcript_row, meaning) },
};
/* clang-format on */

const struct table transcript_events_table = {
    .name = "transcript",
    .about = "The lines of a lane's transcript; each begins with ts, event, run_id and trace_id.",
    COLUMNS(event_columns),
    .keys = 1,
    ROWS(transcript_events),
};

/* A transcript that is only told was never opened. */
static void prepare(struct transcript *t)
{
    if (t->line.max)
        return;
    t->line.max = LINE_MAX_BYTES;
    sha256_begin(&t->sum);
}

bool transcript_open(struct transcript *t, const char *path, struct error *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);

    if (fd < 0)
        return error_sys(e, ERROR_IO, "the transcript '%s' cannot be made", path);
    t->fd = fd;
    t->path = t->path ? t->path : path;
    prepare(t);
    return true;
}

struct buf *transcript_begin(struct transcript *t, enum transcript_event event)
{
    char ts[STAMP_TEXT];

    prepare(t);
    t->now = event;
    buf_reset(&t->line);
    stamp_text(t->world->wall_ms(t->world->self), ts);
    json_open(&t->line, '{');
    json_put(&t->line, "ts", ts);
    json_put(&t->line, "event", transcript_event_names[event]);
    json_put(&t->line, "run_id", t->run_id);
    json_put(&t->line, "trace_id", t->trace_id);
    return &t->line;
}

static void give_up(struct transcript *t, int why)
{
    if (!t->failed)
        t->why = why;
    t->failed = true;
}

/* What a full disk took of a line is taken back, so that no line is ever half there. Where others
 * write, too, theirs may be behind it already: then it is only seen to that nobody goes on in it.
 */
static void write_line(struct transcript *t)
{
    bool afresh = t->torn && atomic_exchange(t->torn, false);
    char end[] = "\n"; /* of the half line */
    const struct iovec parts[] = { { .iov_base = end, .iov_len = afresh },
                                   { .iov_base = t->line.s, .iov_len = t->line.len } };
    ssize_t all = (ssize_t)t->line.len + afresh, n = all;

    while (t->fd >= 0 && (n = writev(t->fd, parts, COUNT(parts))) < 0 && errno == EINTR)
        continue;
    if (n == all) {
        sha256_add(&t->sum, t->line.s, t->line.len);
        return;
    }
    give_up(t, n < 0 ? errno : ENOSPC);
    if (t->torn && (n > afresh || (afresh && n < 1)))
        atomic_store(t->torn, true);
    if (n > 0 && !t->shared)
        (void)!ftruncate(t->fd, (off_t)t->sum.bytes);
}

void transcript_end(struct transcript *t)
{
    json_close(&t->line, '}');
    buf_addc(&t->line, '\n');
    if (!buf_ok(&t->line)) {
        give_up(t, 0);
        return;
    }
    if (!t->failed)
        write_line(t);
    if (t->listener.line && t->now != SAID_OUTPUT) /* who looks on sees that by itself */
        t->listener.line(t->listener.self, t->now, (struct str){ t->line.s, t->line.len - 1 });
}

/* What was cut may end in the middle of a character; the digest is of all of it. */
static struct str kept(const struct printed *p)
{
    struct str head = p->head;
    size_t valid;

    if (head.n > PRINTED_MAX_BYTES)
        head.n = PRINTED_MAX_BYTES;
    valid = utf8_valid(head);
    if ((head.n < p->head.n || printed_cut(p)) && head.n - valid < 4)
        head.n = valid;
    return head;
}

static const char *const streams[] = { "stdout", "stderr" };

static void put_bytes(struct buf *line, struct str bytes)
{
    if (utf8_valid(bytes) == bytes.n) {
        json_put_text(line, "text", bytes);
    } else {
        json_key(line, "base64");
        json_base64(line, bytes);
    }
}

/* A character whose end has not come stays for the next time, but not the `last`. */
static void write_part(struct transcript *t, int stream, bool last)
{
    struct transcript_part *part = &t->parts[stream - 1];
    struct str bytes = buf_str(&part->held);
    size_t valid = utf8_valid(bytes), all = bytes.n;
    struct buf *line;

    if (!last && all - valid < 4)
        bytes.n = valid;
    if (bytes.n == 0)
        return;
    line = transcript_begin(t, SAID_OUTPUT);
    json_put(line, "stream", streams[stream - 1]);
    put_bytes(line, bytes);
    transcript_end(t);
    part->told = true;
    t->parts_told++;
    t->part_ms = t->world->mono_ms(t->world->self);
    memmove(part->held.s, part->held.s + bytes.n, all - bytes.n);
    part->held.len = all - bytes.n;
}

void transcript_output(struct transcript *t, int stream, const char *bytes, size_t n)
{
    struct transcript_part *part = &t->parts[stream - 1];

    part->held.max = LINE_MAX_BYTES;
    buf_add(&part->held, bytes, n);
    if (t->parts_told < PARTS_AT_ONCE || part->held.len >= PART_BYTES ||
        t->world->mono_ms(t->world->self) - t->part_ms >= PART_MS)
        write_part(t, stream, false);
}

void transcript_printed(struct transcript *t, int stream, const struct printed *p)
{
    struct transcript_part *part = &t->parts[stream - 1];
    struct str head = kept(p);
    char digest[DIGEST_TEXT];
    struct buf *line;

    write_part(t, stream, true);
    line = transcript_begin(t, SAID_PRINTED);
    digest_text(&p->digest, digest);
    json_put(line, "stream", streams[stream - 1]);
    if (!part->told)
        put_bytes(line, head);
    part->told = false; /* another attempt begins afresh */
    json_put_int(line, "bytes", p->bytes);
    json_put_bool(line, "truncated", head.n < p->head.n || printed_cut(p));
    json_put(line, "digest", digest);
    transcript_end(t);
}

static bool make_durable(struct transcript *t, struct error *e)
{
    _fd_ int fd = t->shared ? -1 : t->fd;

    t->fd = -1;
    if (t->failed && t->why == 0)
        return error_set(e, ERROR_CEILING, "a line of the transcript has more than %d bytes",
                         LINE_MAX_BYTES);
    errno = t->why;
    if (t->failed || (fd >= 0 && fdatasync(fd) < 0))
        return error_sys(e, ERROR_IO, "the transcript '%s' is not whole", t->path ? t->path : "");
    return true;
}

struct digest transcript_digest(const struct transcript *t)
{
    struct sha256 so_far = t->sum;

    return sha256_end(&so_far);
}

bool transcript_close(struct transcript *t, struct digest *out, struct error *e)
{
    bool whole;

    prepare(t);
    whole = make_durable(t, e);
    if (whole)
        *out = sha256_end(&t->sum);
    buf_free(&t->line);
    buf_free(&t->parts[0].held);
    buf_free(&t->parts[1].held);
    t->line = t->parts[0].held = t->parts[1].held = (struct buf){ 0 };
    return whole;
}
