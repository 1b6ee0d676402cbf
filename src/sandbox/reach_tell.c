/* SPDX-License-Identifier: Apache-2.0 */
/* reach_tell.c: what the record says of IV-03. */
#include "sandbox/reach.h"

#include <string.h>

#include "base/buf.h"

/* How many names are told, and how much of a sentence is kept. */
enum { TOLD_MOST = 8, TOLD_BYTES = 1 << 16 };

static bool is_shown(const struct reach *r, const char *path)
{
    for (size_t i = 0; i < r->grants.n; i++)
        if (r->grants.v[i].access <= ACCESS_WRITE && path_is_in(path, r->grants.v[i].path))
            return true;
    return false;
}

static void tell_missing(const struct reach *r, struct buf *to)
{
    size_t n = 0;

    for (size_t i = 0; i < r->absent.n; i++)
        if (r->absent.v[i].denied && n++ < TOLD_MOST)
            buf_addf(to, "%s%s", n == 1 ? "denied, and not there: " : ", ", r->absent.v[i].path);
    if (n > TOLD_MOST)
        buf_addf(to, " and %zu more", n - TOLD_MOST);
}

const char *reach_tell(const struct reach *r)
{
    _buf_ struct buf text = { .max = TOLD_BYTES };
    const char *untied = r->repository.untied;

    tell_missing(r, &text);
    if (r->protected_in)
        buf_addf(&text, "%sread-only: the working directory, which %s %s, a protected name",
                 text.len ? "; " : "", strcmp(r->protected_in, r->cwd) == 0 ? "is" : "lies in",
                 r->protected_in);
    if (r->systems)
        buf_addf(&text,
                 "%sread-only: the working directory %s, which is the system's own; --fs elevated "
                 "--approve REASON --write . has it written",
                 text.len ? "; " : "", r->cwd);
    if (untied && !is_shown(r, untied))
        buf_addf(
            &text,
            "%snot granted: %s, where .git leads: core.worktree there does not name %s; set it, "
            "or grant the directory with --write",
            text.len ? "; " : "", untied, r->repository.root);
    if (!buf_ok(&text) || text.len == 0)
        return text.len ? "denied, and not there: too many names to tell" : "ok";
    return arena_text(r->grants.a, buf_str(&text));
}
