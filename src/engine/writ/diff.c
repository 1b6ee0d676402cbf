/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c: the public function that shows what a run wrote beside the disk. */
#include <fcntl.h>
#include <writ/changes.h>

#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/changes_run.h"
#include "engine/commit.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"

enum { DIFF_READ = 16 << 20 };

/* The parts of the diff that are about chosen paths; null: its bytes are gone. */
static void put_diff(const struct commit *c, bool all, struct str diff, struct buf *to)
{
    _buf_ struct buf some = { .max = DIFF_READ };

    json_key(to, "diff");
    if (!diff.s) {
        json_nil(to);
        return;
    }
    for (size_t i = 0; i < c->set->changes.n && !all; i++) {
        struct change_text text = c->set->texts[i];

        if (c->paths[i].chosen && text.at <= diff.n && text.n <= diff.n - text.at)
            buf_add(&some, diff.s + text.at, text.n);
    }
    json_outside(to, all ? diff : buf_str(&some));
}

static void put_answer(const struct commit *c, const struct cow_run *run, bool all, struct str diff,
                       struct buf *to)
{
    json_open(to, '{');
    json_put_text(to, "run", run->id);
    json_put(to, "last", run->last);
    json_key(to, "roots");
    json_open(to, '[');
    for (size_t i = 0; i < c->set->root_count; i++)
        json_outside(to, str_of(c->set->roots[i]));
    json_close(to, ']');
    json_key(to, "changes");
    json_open(to, '[');
    for (size_t i = 0; i < c->set->changes.n; i++)
        if (c->paths[i].chosen)
            changes_put_row(c->set, i, to);
    json_close(to, ']');
    put_diff(c, all, diff, to);
    json_put_bool(to, "diff_truncated", c->set->diff_cut);
    json_put(to, "truncated", c->set->changes.cut);
    if (!diff.s) {
        json_put(to, "code", codes[CODE_CHANGE_REFUSED].name);
        json_put(to, "message", "the diff is not among the evidence any more");
    }
    json_close(to, '}');
}

static int answer_of(const struct writ_changes *ask, const struct cow_run *run, struct arena *a,
                     char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct commit c = { .set = &run->set, .levels = commit_levels_new(a), .a = a };
    const char *evidence = home_evidence(ask->environment, a), *none;
    _fd_ int store = evidence ? open(evidence, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct str diff = str_of("");
    struct error e = { 0 };

    c.paths = arena_alloc(a, c.set->changes.n * sizeof *c.paths);
    commit_choose(&c, ask->paths, &none);
    if (none) {
        *answer =
            record_failure(CODE_ENTRY_UNKNOWN,
                           arena_printf(a, "the run changed nothing at %s", said(str_of(none), a)));
        return WRIT_NO;
    }
    if (c.set->diff_bytes && !changes_bytes(store, &c.set->diff, DIFF_READ, a, &diff, &e)) {
        if (e.code == CODE_CHANGE_REFUSED) { /* somebody put other bytes there */
            *answer = record_failure(e.code, e.msg);
            return WRIT_REFUSED;
        }
        diff.s = NULL;
    }
    put_answer(&c, run, !ask->paths || !ask->paths[0], diff, &out);
    return take_answer(&out, diff.s ? WRIT_OK : WRIT_REFUSED, answer);
}

int writ_diff(const struct writ_changes *ask, char **answer)
{
    _arena_ struct arena a = { 0 };
    struct writ_ledger *w = NULL;
    struct cow_run run = { 0 };
    struct error e = { 0 };
    bool read = false;
    int status;

    if (!given(ask->run, "run", answer))
        return WRIT_USAGE;
    status = writ_ledger_open(ask->ledger, ask->environment, false, &w, answer);
    if (status != WRIT_OK)
        return status;
    status = cow_run_name(w, ask->run, &a, &run.id, answer);
    if (status == WRIT_OK)
        read = cow_run_read(w, run.id, &a, &run, &e);
    writ_ledger_close(w);
    if (status != WRIT_OK)
        return status;
    if (read)
        return answer_of(ask, &run, &a, answer);
    *answer = record_failure(e.code, e.msg);
    return e.code == CODE_CHANGE_REFUSED ? WRIT_NO : WRIT_UNAVAILABLE;
}
