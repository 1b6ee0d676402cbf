/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c: which paths of a run a commit is about, durable before the first of them moves.
 *
 * The journal names rows of the run's record; what they are led from and to is in the ledger and
 * among the evidence, so that nobody who writes a journal can have anything else committed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "base/base64.h"
#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/commit.h"

enum { JOURNAL_MAX = 16 << 20, LOCK_TRIES = 500, LOCK_PAUSE_NS = 10 * 1000 * 1000 };

static const char *const stage_names[] = {
    [COMMIT_NONE] = "none",       [COMMIT_BEGUN] = "begun",   [COMMIT_DONE] = "committed",
    [COMMIT_UNDOING] = "undoing", [COMMIT_UNDONE] = "undone",
};

/* A commit is short; who waits for it finds the files as it left them. */
static bool take_lock(int fd)
{
    const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

int commit_lock(const struct commit *c, struct error *e)
{
    const char *path = arena_printf(c->a, "%s/lock", c->place);
    int fd;

    if (!fs_make_dirs(c->place, e))
        return -1;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        (void)error_sys(e, CODE_IO, "%s cannot be opened", path);
        return -1;
    }
    if (take_lock(fd))
        return fd;
    (void)error_set(e, CODE_CHANGE_REFUSED,
                    "another commit, undo or discard is at work; see how it ends");
    (void)close(fd);
    return -1;
}

static const char *journal_path(const struct commit *c)
{
    return arena_printf(c->a, "%s/%s.json", c->place, c->name);
}

static bool take_rows(struct commit *c, const struct doc *rows)
{
    for (const struct doc *r = doc_first(rows, DOC_LIST); r; r = r->next) {
        if (r->kind != DOC_INT || r->whole < 0 || (size_t)r->whole >= c->set->changes.n)
            return false;
        c->paths[r->whole].journalled = true;
        c->paths[r->whole].begun = c->stage == COMMIT_BEGUN;
    }
    return rows && rows->kind == DOC_LIST;
}

/* What stood at its end before this commit is none of its doing, and not for it to take back. */
static bool is_in_journal(const struct commit_path *p)
{
    return p->journalled || (p->chosen && p->stands == STANDS_DUE);
}

/* [row, owner, group, access list] of each path where something was: what is gone has no owner that
 * could be looked at, and is needed by who brings it back. */
static void put_were(const struct commit *c, struct buf *to)
{
    json_open(to, '[');
    for (size_t i = 0; i < c->set->changes.n; i++) {
        const struct print *was = &c->paths[i].was;

        if (!was->there || !is_in_journal(&c->paths[i]))
            continue;
        json_open(to, '[');
        json_int(to, (int64_t)i);
        json_int(to, was->owner);
        json_int(to, was->group);
        json_base64(to, was->access);
        json_close(to, ']');
    }
    json_close(to, ']');
}

static mode_t kind_before(const struct commit *c, size_t row)
{
    static const mode_t kinds[] = { [CHANGE_FILE] = S_IFREG,
                                    [CHANGE_DIRECTORY] = S_IFDIR,
                                    [CHANGE_LINK] = S_IFLNK,
                                    [CHANGE_OTHER] = 0 };

    return kinds[c->set->changes.v[row].before.kind];
}

static bool take_was(struct commit *c, const struct doc *d)
{
    const struct doc *row = doc_first(d, DOC_LIST), *owner = row ? row->next : NULL;
    const struct doc *group = owner ? owner->next : NULL, *access = group ? group->next : NULL;
    struct print was = { .there = true };
    char *bytes;

    if (!access || access->kind != DOC_TEXT || row->kind != DOC_INT || owner->kind != DOC_INT ||
        group->kind != DOC_INT || row->whole < 0 || (size_t)row->whole >= c->set->changes.n ||
        owner->whole < 0 || owner->whole >= UINT32_MAX || group->whole < 0 ||
        group->whole >= UINT32_MAX || !base64_read(access->text, NULL, 0, &was.access.n))
        return false;
    bytes = arena_alloc(c->a, was.access.n + 1);
    was.access.s = bytes;
    was.mode = kind_before(c, (size_t)row->whole);
    was.owner = (uid_t)owner->whole;
    was.group = (gid_t)group->whole;
    c->paths[row->whole].was = was;
    return base64_read(access->text, bytes, was.access.n, &was.access.n);
}

static bool take_were(struct commit *c, const struct doc *were)
{
    for (const struct doc *d = doc_first(were, DOC_LIST); d; d = d->next)
        if (!take_was(c, d))
            return false;
    return true;
}

bool journal_read(struct commit *c, struct error *e)
{
    struct ceilings max = ceilings_default();
    const char *path = journal_path(c);
    const struct document *document;
    struct str text, stage;

    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    if (!fs_read_file(path, JOURNAL_MAX, c->a, &text, e) ||
        !json_read(path, text, &max, c->a, &document, e))
        return error_wrap(e, "%s", path);
    stage = document->root.kind == DOC_MAP ? doc_text(&document->root, "stage") : str_of("");
    for (enum commit_stage i = COMMIT_BEGUN; i <= COMMIT_UNDONE; i++)
        if (str_is(stage, stage_names[i]))
            c->stage = i;
    c->execution = arena_text(c->a, doc_text(&document->root, "execution_id"));
    return (c->stage != COMMIT_NONE && take_rows(c, doc_get(&document->root, "rows")) &&
            take_were(c, doc_get(&document->root, "were"))) ||
           error_set(e, CODE_CHANGE_REFUSED, "%s is no journal of this run; move it away", path);
}

/* The name is there after a loss of power, not only the bytes. */
static bool sync_place(const struct commit *c)
{
    _fd_ int place = open(c->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _fd_ int state = open(c->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return place >= 0 && state >= 0 && fsync(place) == 0 && fsync(state) == 0;
}

bool journal_write(struct commit *c, enum commit_stage stage, const char *execution,
                   struct error *e)
{
    _buf_ struct buf text = { .max = JOURNAL_MAX };

    json_open(&text, '{');
    json_key(&text, "run");
    json_text(&text, c->run);
    json_put(&text, "execution_id", execution);
    json_put(&text, "stage", stage_names[stage]);
    json_key(&text, "rows");
    json_open(&text, '[');
    for (size_t i = 0; i < c->set->changes.n; i++)
        if (is_in_journal(&c->paths[i]))
            json_int(&text, (int64_t)i);
    json_close(&text, ']');
    json_key(&text, "were");
    put_were(c, &text);
    json_close(&text, '}');
    if (!buf_ok(&text))
        return error_set(e, CODE_IO, "the journal has no room for all of it: name fewer paths");
    if (!fs_write(journal_path(c), buf_str(&text), e))
        return false;
    c->stage = stage;
    return sync_place(c) || error_sys(e, CODE_IO, "%s cannot be written", c->place);
}

bool journal_back(struct commit *c, enum commit_stage stage, const char *execution, struct error *e)
{
    if (stage == COMMIT_DONE) {
        for (size_t i = 0; i < c->set->changes.n; i++)
            c->paths[i].chosen = false;
        return journal_write(c, stage, execution, e);
    }
    if (unlink(journal_path(c)) != 0 || !sync_place(c))
        return error_sys(e, CODE_IO, "%s cannot be written", c->place);
    c->stage = COMMIT_NONE;
    return true;
}
