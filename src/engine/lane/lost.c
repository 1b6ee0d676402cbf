/* SPDX-License-Identifier: Apache-2.0 */
/* lost.c: lanes whose writ was killed are given their end by the next one: in their transcript,
 * their manifest, their result and the ledger.
 *
 * <state>/open_lanes/<run id> is there and locked while a lane runs; the lock goes with the
 * process.
 */
#include "engine/lane_lost.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/event.h"
#include "engine/input.h"
#include "engine/keeping.h"
#include "engine/lane_home.h"
#include "ledger/links.h"
#include "ledger/search.h"
#include "route/lane.h"

enum { TRANSCRIPT_MOST = 64 << 20, YOUNG_SECS = 60 };

static const char why_lost[] =
    "writ was killed while the lane ran: how the command ended is not known";

/* What the transcript tells of it. */
struct past {
    struct route_plan plan;
    struct str trace;
    enum route_state state;
    int attempt;
    bool planned, ended;
    size_t whole; /* bytes of the lines that are whole */
};

static int place_in(const char *const *names, struct str name, int otherwise)
{
    for (int i = 0; names[i]; i++)
        if (str_is(name, names[i]))
            return i;
    return otherwise;
}

static void take_planned(struct past *p, const struct doc *d)
{
    p->planned = true;
    p->trace = doc_text(d, "trace_id");
    p->plan = (struct route_plan){
        .command_id = doc_text(d, "command_id"),
        .command_class = doc_text(d, "command_class"),
        .scenario_id = doc_text(d, "scenario_id"),
        .correlation_id = str_from(p->trace, str_begins(p->trace, "trace-") ? 6 : 0),
        .provenance = doc_text(d, "command_provenance"),
        .routed_command = doc_text(d, "routed_command"),
        .route = (enum route)place_in(route_names, doc_text(d, "route"), ROUTE_NOWHERE),
        .reason = (enum route_reason)place_in(route_reason_names, doc_text(d, "route_reason"), 0),
    };
}

static void take_line(struct past *p, const struct doc *d)
{
    struct str event = doc_text(d, "event");

    if (str_is(event, transcript_event_names[SAID_PLANNED]))
        take_planned(p, d);
    else if (str_is(event, transcript_event_names[SAID_DOWNGRADE]))
        p->plan.route = (enum route)place_in(route_names, doc_text(d, "to"), (int)p->plan.route);
    else if (str_is(event, transcript_event_names[SAID_ENDED]))
        p->ended = true;
    if (!str_is(event, transcript_event_names[SAID_STATE]))
        return;
    p->ended = false;
    p->state = (enum route_state)place_in(route_state_names, doc_text(d, "to"), (int)p->state);
    p->attempt = (int)doc_whole(d, "attempt");
}

/* A half line at its end is no line. */
static bool read_past(const char *path, struct arena *a, struct past *out, struct error *e)
{
    struct ceilings max = ceilings_none();
    struct str rest;

    if (!fs_read_file(path, TRANSCRIPT_MOST, a, &rest, e))
        return false;
    for (const char *end; (end = memchr(rest.s, '\n', rest.n));) {
        struct str line = { rest.s, (size_t)(end - rest.s) };
        const struct document *document;

        rest = str_from(rest, line.n + 1);
        out->whole += line.n + 1;
        if (json_read(path, line, &max, a, &document, e) && document->root.kind == DOC_MAP)
            take_line(out, &document->root);
    }
    return out->planned || error_set(e, CODE_IO, "%s does not say what was planned", path);
}

/* ---- its end, in its directory ---- */

struct closing {
    const struct lane_lost_ask *ask;
    struct arena *a;
    const char *directory, *run; /* "run-.." */
    struct past past;
    struct lane lane;
    struct transcript transcript;
    struct digest digest; /* of all of the transcript */
    struct manifest_doc manifest;
    struct lane_result_doc result;
};

static const char *in_it(const struct closing *c, const char *name)
{
    return arena_printf(c->a, "%s/%s", c->directory, name);
}

/* Its last lines. Where it had ended there, and was not recorded, nothing more is said of it. */
static bool end_transcript(struct closing *c, struct error *e)
{
    struct lane_end lost = { .cause = CAUSE_LOST, .lost = true, .why_lost = why_lost };
    struct digest ignored;
    struct str all;

    c->transcript = (struct transcript){ .world = c->ask->world,
                                         .path = in_it(c, "transcript.jsonl"),
                                         .run_id = c->run,
                                         .trace_id = arena_text(c->a, c->past.trace) };
    c->lane = (struct lane){ .plan = &c->past.plan,
                             .route = c->past.plan.route,
                             .transcript = &c->transcript,
                             .state = c->past.state,
                             .attempt = c->past.attempt };
    c->transcript.fd = open(c->transcript.path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (c->transcript.fd < 0 || ftruncate(c->transcript.fd, (off_t)c->past.whole) != 0)
        return error_sys(e, CODE_IO, "%s cannot be written", c->transcript.path);
    if (c->past.ended) {
        c->lane.failure = CODE_WORKER_LOST;
        c->lane.outcome = OUTCOME_FAILED;
        c->lane.state = ROUTE_FAILED;
        c->lane.exit_code = STATUS_UNAVAILABLE;
    } else {
        lane_ended(&c->lane, &lost);
    }
    if (!transcript_close(&c->transcript, &ignored, e) ||
        !fs_read_file(c->transcript.path, TRANSCRIPT_MOST, c->a, &all, e))
        return false;
    c->digest = digest_of(all.s, all.n);
    return true;
}

static bool keep_shape(const struct closing *c, const char *name, const struct shape *shape,
                       const void *decoded, struct error *e)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };

    shape_json(shape, decoded, &text);
    buf_addc(&text, '\n');
    return fs_write(in_it(c, name), buf_str(&text), e);
}

static bool keep_files(struct closing *c, struct error *e)
{
    lane_result(&c->lane, str_of(c->run + strlen("run-")), c->a, &c->manifest, &c->result);
    return keep_shape(c, "manifest.json", &manifest_shape, &c->manifest, e) &&
           keep_shape(c, "result.json", &lane_result_shape, &c->result, e);
}

/* ---- its end, in the ledger ---- */

struct last {
    struct arena *a;
    struct entry event;
    bool found;
};

static bool take_event(void *self, const struct entry *entry, struct error *e)
{
    struct last *last = self;

    (void)e;
    last->event = entry_copy(entry, last->a);
    last->found = true;
    return true;
}

static bool find_last(struct ledger *l, struct str execution, struct last *out, struct error *e)
{
    struct query q = query_all();
    bool ok;

    q.tenant = str_of(EVENT_TENANT);
    q.subject = execution;
    q.kind = ENTRY_EVENT;
    if (!ledger_look(l, e))
        return false;
    ok = search(l, &q, take_event, out, e);
    ledger_look_end(l);
    return ok;
}

static void put_record(const struct closing *c, struct buf *to)
{
    char digest[DIGEST_TEXT];

    digest_text(&c->digest, digest);
    json_open(to, '{');
    json_put(to, "what", "lane_lost");
    json_put(to, "message", why_lost);
    json_key(to, "manifest");
    shape_json(&manifest_shape, &c->manifest, to);
    json_key(to, "lane");
    shape_json(&lane_result_shape, &c->result, to);
    json_key(to, "transcript");
    json_open(to, '{');
    json_put(to, "path", c->transcript.path);
    json_put(to, "digest", digest);
    json_close(to, '}');
    json_close(to, '}');
}

static bool enter_lost(struct closing *c, struct ledger *l, const struct last *last,
                       struct error *e)
{
    _buf_ struct buf record = { .max = ANSWER_MAX }, text = { .max = ANSWER_MAX };
    struct links links = links_of(&last->event, c->a);
    struct event_head head = { .execution = last->event.subject,
                               .workflow = "exec/1",
                               .target = "exec",
                               .action = arena_text(c->a, c->past.plan.routed_command),
                               .attempt = (int)place_attempt(last->event.place),
                               .snapshot_ms = last->event.traits.snapshot_ms,
                               .depends = links.depends,
                               .depend_count = links.count };
    struct entry manifest;
    struct draft draft;
    struct uuid id;
    struct str body;
    char named[ENTRY_ID_TEXT];

    put_record(c, &record);
    if (!body_whole(&record, e) || !body_canonical(buf_str(&record), c->a, &body, e))
        return false;
    entry_of(ENTRY_MANIFEST, str_of(EVENT_TENANT), head.execution, body, c->ask->world, &manifest);
    if (!ledger_enter(l, &manifest, 1, e))
        return false;
    event_open(&head, EVENT_FAILED, c->ask->world, &text);
    json_key(&text, "error");
    json_open(&text, '{');
    json_put(&text, "code", codes[CODE_WORKER_LOST].name);
    json_put(&text, "message", why_lost);
    json_put_bool(&text, "retryable", false);
    json_close(&text, '}');
    entry_id_text(&manifest.id, named);
    json_key(&text, "externalRefs");
    json_open(&text, '{');
    json_put(&text, "manifest", named);
    json_close(&text, '}');
    draft = event_close(&head, &text, c->ask->world, c->a);
    return event_enter(l, &draft, 1, &id, c->a, e);
}

/* Where the ledger does not have it as running, it is not told: it was never announced there, or
 * somebody else has said how it ended. */
static bool tell_ledger(struct closing *c, struct error *e)
{
    struct last last = { .a = c->a };
    _keeping_ struct keeping k = { 0 };

    keeping_open(&k, c->ask->ledger, c->ask->environment, c->ask->world, -1);
    if (!k.open) {
        *e = k.why;
        return false;
    }
    if (!find_last(&k.ledger, str_of(c->run + strlen("run-")), &last, e))
        return false;
    if (!last.found || place_state(last.event.place) != EVENT_RUNNING)
        return true;
    return keeping_begin(&k, e) && keeping_end(&k, enter_lost(c, &k.ledger, &last, e), e);
}

/* ---- all of them ---- */

/* Its mark is locked by us. False: it is left for the next time. */
static bool close_one(const struct lane_lost_ask *ask, const char *run, const struct stat *mark)
{
    _arena_ struct arena a = { 0 };
    struct closing c = { .ask = ask, .a = &a, .run = run };
    struct error e;

    c.directory = arena_printf(&a, "%s/%s", lane_home_all(ask->state, &a), run);
    if (access(in_it(&c, "transcript.jsonl"), F_OK) != 0) /* it has gone, or is being made */
        return ask->world->wall_ms(ask->world->self) / 1000 - mark->st_mtime > YOUNG_SECS;
    if (!read_past(in_it(&c, "transcript.jsonl"), &a, &c.past, &e) || !end_transcript(&c, &e) ||
        !keep_files(&c, &e) || !tell_ledger(&c, &e))
        return false;
    (void)unlink(in_it(&c, "cancel"));
    return true;
}

void lane_lost_close(const struct lane_lost_ask *ask)
{
    _arena_ struct arena a = { 0 };
    const char *marks = ask->state ? lane_home_marks(ask->state, &a) : NULL;
    DIR *d = marks ? opendir(marks) : NULL;
    const struct dirent *entry;

    while (d && (entry = readdir(d))) {
        _fd_ int fd = -1;
        struct stat s;

        if (strncmp(entry->d_name, "run-", 4) != 0)
            continue;
        fd = openat(dirfd(d), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &s) == 0 && s.st_nlink > 0 &&
            close_one(ask, entry->d_name, &s))
            (void)unlinkat(dirfd(d), entry->d_name, 0);
    }
    if (d)
        (void)closedir(d);
}
