/* SPDX-License-Identifier: Apache-2.0 */
/* commit.c: the public functions that bring a run's changes to the disk, take them back, or
 * give them up. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <writ/changes.h>

#include "base/fs.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "contract/codes.h"
#include "engine/alive.h"
#include "engine/changes_run.h"
#include "engine/commit.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"

/* One call, from the run that is named to its answer. */
struct asked {
    const struct writ_changes *ask;
    struct arena a;
    struct cow_run run;
    struct commit commit;
    struct keeping keeping;
    struct cow_deed deed;
    struct alive alive; /* from its announcement to its end */
    int lock;
    bool opened;            /* the ledger, to be written */
    int64_t interrupted_ms; /* who wrote the journal began then and came to no end; or 0 */
    bool discards;          /* nothing is brought to the disk */
};

static void asked_close(struct asked *s)
{
    own_close(&s->lock);
    own_close(&s->commit.store);
    alive_leave(&s->alive);
    if (s->opened)
        keeping_close(&s->keeping);
    arena_free(&s->a);
}

#define _asked_ _cleanup_(asked_close)

/* ---- what is meant ---- */

/* Whole ids, a lock that nobody else has, and then what the ledger says. */
static int find(struct asked *s, struct writ_ledger *w, char **answer)
{
    struct commit *c = &s->commit;
    struct error e = { 0 };
    int status = cow_run_name(w, s->ask->run, &s->a, &s->run.id, answer);

    if (status != WRIT_OK)
        return status;
    c->run = s->run.id;
    c->name = home_part(s->run.id, &s->a);
    s->lock = commit_lock(c, &e);
    if (s->lock < 0) {
        *answer = record_failure(e.code, e.msg);
        return e.code == CODE_CHANGE_REFUSED ? WRIT_REFUSED : WRIT_UNRECORDED;
    }
    if (!cow_run_read(w, s->run.id, &s->a, &s->run, &e)) {
        *answer = record_failure(e.code, e.msg);
        return e.code == CODE_CHANGE_REFUSED ? WRIT_NO : WRIT_UNAVAILABLE;
    }
    c->set = &s->run.set;
    c->record = s->run.record;
    c->paths = arena_alloc(&s->a, c->set->changes.n * sizeof *c->paths);
    if (!journal_read(c, &e) ||
        (c->execution && !cow_run_is_open(w, c->execution, &s->interrupted_ms, &e)))
        return record_unread(&e, answer);
    return WRIT_OK;
}

static int open_all(struct asked *s, char **answer)
{
    struct commit *c = &s->commit;
    struct writ_ledger *w = NULL;
    const char *evidence;
    struct error e;
    int status;

    if (!given(s->ask->run, "run", answer))
        return WRIT_USAGE;
    c->a = &s->a;
    c->levels = commit_levels_new(c->a);
    c->state = home_state(s->ask->environment, &s->a);
    evidence = home_evidence(s->ask->environment, &s->a);
    if (!c->state || !evidence) {
        *answer =
            record_failure(CODE_IO, "there is no place for evidence; name one with WRIT_STATE");
        return WRIT_UNRECORDED;
    }
    c->place = arena_printf(&s->a, "%s/changes", c->state);
    status = writ_ledger_open(s->ask->ledger, s->ask->environment, false, &w, answer);
    if (status != WRIT_OK)
        return status;
    status = find(s, w, answer);
    writ_ledger_close(w);
    if (status != WRIT_OK)
        return status;
    c->store = open(evidence, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->store < 0 && errno == ENOENT && fs_make_dirs(evidence, &e)) /* what goes is kept there */
        c->store = open(evidence, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    keeping_open(&s->keeping, s->ask->ledger, s->ask->environment, world_real(), -1);
    s->opened = true;
    return WRIT_OK;
}

/* ---- what is said ---- */

static void put_path(const struct commit *c, size_t row, struct buf *to)
{
    struct str path = c->set->changes.v[row].path;

    json_put_outside(to, "path", path);
    if (utf8_valid(path) == path.n)
        return;
    json_key(to, "path_base64");
    json_base64(to, path);
}

/* What becomes of the path on the disk: what a run added goes when it is taken back. */
static enum change change_of(const struct commit *c, size_t row)
{
    if (!commit_from(c, row)->there)
        return CHANGE_ADDED;
    return commit_to(c, row)->there ? CHANGE_CHANGED : CHANGE_DELETED;
}

/* Which way its permissions go, where it stays what it is. */
static void put_modes(const struct commit *c, size_t row, struct buf *to)
{
    const struct change_side *from = commit_from(c, row), *then = commit_to(c, row);
    char was[8], mode[8];

    if (!from->there || !then->there || from->kind != then->kind || from->kind == CHANGE_LINK ||
        from->mode == then->mode)
        return;
    (void)snprintf(was, sizeof was, "%04o", (unsigned)from->mode & 07777U);
    (void)snprintf(mode, sizeof mode, "%04o", (unsigned)then->mode & 07777U);
    json_put(to, "mode", mode);
    json_key(to, "before");
    json_open(to, '{');
    json_put(to, "mode", was);
    json_close(to, '}');
}

static void put_done(const struct commit *c, struct buf *to)
{
    json_open(to, '[');
    for (size_t i = 0; i < c->set->changes.n; i++) {
        if (!c->paths[i].chosen || c->paths[i].stands != STANDS_DUE)
            continue;
        json_open(to, '{');
        put_path(c, i, to);
        json_put(to, "change", change_names[change_of(c, i)]);
        put_modes(c, i, to);
        if (c->paths[i].narrowed)
            json_put_bool(to, "narrowed", true);
        if (commit_runs_later(c, i))
            json_put_bool(to, "runs_later", true);
        json_close(to, '}');
    }
    json_close(to, ']');
}

/* What is neither old nor new, and so is left as it is. */
static void put_left(const struct commit *c, struct buf *to)
{
    json_open(to, '[');
    for (size_t i = 0; i < c->set->changes.n; i++) {
        if (!c->paths[i].left)
            continue;
        json_open(to, '{');
        put_path(c, i, to);
        json_put(to, "message", c->paths[i].left);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static int64_t count_already(const struct commit *c)
{
    int64_t n = 0;

    for (size_t i = 0; i < c->set->changes.n; i++)
        n += c->paths[i].chosen && c->paths[i].stands == STANDS_DONE;
    return n;
}

static int say_done(const struct asked *s, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };

    json_open(&out, '{');
    json_put_text(&out, "run", s->run.id);
    json_put(&out, "verb", s->deed.verb);
    json_put(&out, "execution_id", s->commit.dry ? NULL : s->deed.execution);
    json_put_bool(&out, "dry_run", s->commit.dry);
    if (!s->discards) {
        json_key(&out, "done");
        put_done(&s->commit, &out);
        json_put_int(&out, "already", count_already(&s->commit));
        json_key(&out, "left");
        put_left(&s->commit, &out);
    }
    record_ids(s->deed.entries, s->deed.entry_count, &out);
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}

/* Refused: nothing was changed, and an auditor is to see it. */
static int refuse(struct asked *s, enum code code, const char *message, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const struct commit *c = &s->commit;
    struct error lost = { 0 };

    json_open(&out, '{');
    json_put(&out, "code", codes[code].name);
    json_put(&out, "message", message);
    json_key(&out, "refused");
    json_open(&out, '[');
    for (size_t i = 0; i < c->refused_count; i++) {
        json_open(&out, '{');
        put_path(c, c->refused[i].row, &out);
        json_put(&out, "code", codes[c->refused[i].code].name);
        json_put(&out, "message", c->refused[i].why);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    if (c->stage == COMMIT_BEGUN)
        json_put_bool(&out, "begun", true);
    if (!c->dry && !cow_deed_reject(&s->deed, code, message, &lost))
        json_put(&out, "unrecorded", lost.msg);
    json_close(&out, '}');
    return take_answer(&out, WRIT_REFUSED, answer);
}

static int refuse_paths(struct asked *s, char **answer)
{
    const struct commit *c = &s->commit;
    const struct commit_refusal *first = &c->refused[0];
    const char *path = said(c->set->changes.v[first->row].path, &s->a);
    const char *more = "", *back = "";

    if (c->refused_count > 1)
        more = arena_printf(&s->a, "; so it is with %zu more", c->refused_count - 1);
    if (c->stage == COMMIT_BEGUN && !c->undo)
        back = arena_printf(&s->a, "; what was begun is taken back by `writ commit %s --undo`",
                            arena_text(&s->a, s->run.id));
    return refuse(
        s, first->code,
        arena_printf(&s->a, "%s: %s%s; nothing was changed%s", path, first->why, more, back),
        answer);
}

/* ---- what is done ---- */

static void make_deed(struct asked *s, const char *verb)
{
    _buf_ struct buf paths = { .max = ANSWER_MAX };
    const struct world *world = world_real();
    struct uuid id = world->new_id(world->self);
    char text[UUID_TEXT];
    const struct commit *c = &s->commit;

    uuid_text(&id, text);
    json_open(&paths, '[');
    for (size_t i = 0; i < c->set->changes.n; i++)
        if (c->paths[i].chosen)
            json_outside(&paths, c->set->changes.v[i].path);
    json_close(&paths, ']');
    s->deed = (struct cow_deed){ .run = &s->run,
                                 .verb = verb,
                                 .execution = arena_text(&s->a, str_of(text)),
                                 .paths = { arena_text(&s->a, buf_str(&paths)), paths.len },
                                 .keeping = &s->keeping,
                                 .a = &s->a };
    if (s->interrupted_ms) {
        s->deed.instead = c->execution;
        s->deed.instead_ms = s->interrupted_ms;
    }
}

static bool announce(struct asked *s, struct error *e)
{
    s->alive = alive_begin(s->commit.state, str_of(s->deed.execution), &s->a);
    if (!cow_deed_announce(&s->deed, e)) {
        alive_end(&s->alive);
        return false;
    }
    if (s->deed.instead)
        alive_forget(s->commit.state, str_of(s->deed.instead), &s->a);
    return true;
}

static bool conclude(struct asked *s, const struct error *why, struct error *e)
{
    if (!cow_deed_conclude(&s->deed, why, e))
        return false;
    alive_end(&s->alive);
    return true;
}

/* Nothing has moved, and nothing is left to be gone on with. */
static int stop_before(struct asked *s, const struct error *why, char **answer)
{
    struct error e;

    if (!conclude(s, why, &e))
        return record_unwritten(&e, answer);
    *answer = record_failure(why->code, arena_printf(&s->a, "%s; nothing was changed", why->msg));
    return why->code == CODE_IO ? WRIT_UNAVAILABLE : WRIT_REFUSED;
}

/* What stopped half way can be gone on with: the journal stays as it is. */
static int stop_half_way(struct asked *s, struct error *why, char **answer)
{
    const char *id = arena_text(&s->a, s->run.id);
    struct error e;

    (void)error_wrap(why, "it stopped half way");
    if (!conclude(s, why, &e))
        return record_unwritten(&e, answer);
    *answer = record_failure(
        why->code, arena_printf(&s->a, "%s; go on with `writ commit %s%s`%s%s%s", why->msg, id,
                                s->commit.undo ? " --undo" : "",
                                s->commit.undo ? "" : ", or take it back with `writ commit ",
                                s->commit.undo ? "" : id, s->commit.undo ? "" : " --undo`"));
    return WRIT_PARTIAL;
}

static int carry_out(struct asked *s, char **answer)
{
    struct commit *c = &s->commit;
    const enum commit_stage before = c->stage;
    const bool going_on = before == COMMIT_BEGUN || before == COMMIT_UNDOING;
    struct error e = { 0 }, lost;

    if (!announce(s, &e))
        return record_unwritten(&e, answer);
    if (!journal_write(c, c->undo ? COMMIT_UNDOING : COMMIT_BEGUN, s->deed.execution, &e)) {
        (void)!conclude(s, &e, &lost); /* nothing was changed */
        return record_unwritten(&e, answer);
    }
    if (!commit_apply(c, &e))
        return !c->moved && !going_on && journal_back(c, before, c->execution, &lost)
                   ? stop_before(s, &e, answer)
                   : stop_half_way(s, &e, answer);
    if (!journal_write(c, c->undo ? COMMIT_UNDONE : COMMIT_DONE, s->deed.execution, &e))
        return stop_half_way(s, &e, answer);
    if (!conclude(s, NULL, &e))
        return record_unwritten(&e, answer);
    return say_done(s, answer);
}

/* An undo is about all that was committed; a commit also about what was begun before, and about
 * nothing else where it is given no paths: who named some before did not mean all. Where the list
 * is cut, half of what belongs together may be missing, such as the new name of what went. */
static const char *choose(struct asked *s, const char **none)
{
    struct commit *c = &s->commit;
    bool going = c->stage == COMMIT_BEGUN || c->stage == COMMIT_DONE || c->stage == COMMIT_UNDOING;
    bool all = !c->undo && (!s->ask->paths || !s->ask->paths[0]);

    *none = NULL;
    if (c->undo && !going)
        return "nothing of this run is committed that could be taken back";
    if (c->undo && s->ask->paths && s->ask->paths[0])
        return "an undo takes back all that was committed; it is not given paths";
    if (!c->undo && c->stage == COMMIT_UNDOING)
        return "an undo of this run was cut short: finish it with --undo";
    if (!c->undo && s->run.discarded)
        return "its changes were discarded";
    if (all && c->set->changes.cut && c->stage != COMMIT_BEGUN)
        return arena_printf(&s->a,
                            "not all of its changes are listed: %s; name the paths to commit",
                            c->set->changes.cut);
    if (!c->undo && !(all && c->stage == COMMIT_BEGUN)) /* that is finished as it was begun */
        commit_choose(c, s->ask->paths, none);
    for (size_t i = 0; i < c->set->changes.n; i++) {
        if (c->stage == COMMIT_UNDONE)
            c->paths[i].journalled = false;
        if (c->paths[i].begun || (c->undo && c->paths[i].journalled))
            c->paths[i].chosen = true;
    }
    return NULL;
}

int writ_commit(const struct writ_changes *ask, char **answer)
{
    _asked_ struct asked s = { .ask = ask, .lock = -1, .commit.store = -1 };
    struct commit *c = &s.commit;
    struct error e = { 0 };
    const char *none, *why;
    int status;

    c->undo = ask->undo;
    c->dry = ask->dry_run;
    status = open_all(&s, answer);
    if (status != WRIT_OK)
        return status;
    why = choose(&s, &none);
    make_deed(&s, c->undo ? "undo" : "commit");
    if (why)
        return refuse(&s, CODE_CHANGE_REFUSED, why, answer);
    if (none) {
        *answer =
            record_failure(CODE_ENTRY_UNKNOWN, arena_printf(&s.a, "the run changed nothing at %s",
                                                            said(str_of(none), &s.a)));
        return WRIT_NO;
    }
    if ((!c->undo && !commit_allowed(c, &e)) || !commit_look(c, &e))
        return record_unread(&e, answer);
    if (c->refused_count)
        return refuse_paths(&s, answer);
    return c->dry ? say_done(&s, answer) : carry_out(&s, answer);
}

int writ_discard(const struct writ_changes *ask, char **answer)
{
    _asked_ struct asked s = { .ask = ask, .lock = -1, .commit.store = -1, .discards = true };
    struct commit *c = &s.commit;
    struct error e = { 0 };
    int status = open_all(&s, answer);

    if (status != WRIT_OK)
        return status;
    make_deed(&s, "discard");
    if (s.run.discarded)
        return refuse(&s, CODE_CHANGE_REFUSED, "its changes were discarded before", answer);
    if (c->stage == COMMIT_BEGUN || c->stage == COMMIT_UNDOING)
        return refuse(&s, CODE_CHANGE_REFUSED,
                      c->stage == COMMIT_BEGUN
                          ? "a commit of this run was cut short: finish it, or take it back with "
                            "`writ commit --undo`, first"
                          : "an undo of this run was cut short: finish it with `writ commit "
                            "--undo` first",
                      answer);
    if (!announce(&s, &e) || !conclude(&s, NULL, &e))
        return record_unwritten(&e, answer);
    return say_done(&s, answer);
}
