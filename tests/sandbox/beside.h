/* SPDX-License-Identifier: Apache-2.0 */
/* beside.h: runs of a test that write beside the disk, and what is read of them. */
#pragma once

#include "base/buf.h"
#include "runs.h"

static struct runs r;
static char store_path[64];
static int store = -1;

static inline int make(void **state)
{
    (void)state;
    runs_make(&r);
    r.filesystem.write_mode = WRITE_COW;
    (void)snprintf(store_path, sizeof store_path, "/tmp/writ-store-XXXXXX");
    assert_non_null(mkdtemp(store_path));
    store = open(store_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(store >= 0);
    return 0;
}

static inline int end(void **state)
{
    char line[128];

    (void)state;
    (void)close(store);
    (void)snprintf(line, sizeof line, "rm -rf '%s'", store_path);
    assert_int_equal(system(line), 0); /* NOLINT: a path of our own */
    (void)snprintf(line, sizeof line, "chmod -R u+rwx '%s'", r.dir);
    assert_int_equal(system(line), 0); /* NOLINT: a path of our own */
    runs_free(&r);
    return 0;
}

/* ---- the disk ---- */

/* By the shell, in the working directory: what is there before. */
static inline void before(const char *script)
{
    char *line = arena_printf(&r.a, "cd '%s' && umask 022 && { %s; }", r.dir, script);

    assert_int_equal(system(line), 0); /* NOLINT: a script of our own */
}

/* Everything that can be told about the tree, without its access times. */
static inline const char *disk(void)
{
    char *line = arena_printf(&r.a,
                              "cd '%s' && { find . -printf '%%p %%y %%m %%U %%G %%s %%T@ %%C@ %%n "
                              "%%l\\n' | sort; find . -type f -readable -exec sha256sum {} + | "
                              "sort; }",
                              r.dir);
    FILE *f = popen(line, "re"); /* NOLINT: a path of our own */
    _buf_ struct buf text = { .max = 64 << 20 };
    char part[4096];
    size_t n;

    assert_non_null(f);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        buf_add(&text, part, n);
    assert_int_equal(pclose(f), 0);
    return arena_text(&r.a, buf_str(&text));
}

/* ---- changes ---- */

static inline void put_side(struct buf *to, const struct change_side *s)
{
    if (!s->there) {
        buf_addf(to, " -");
        return;
    }
    buf_addf(to, " %s:%o", change_kind_names[s->kind], (unsigned)s->mode);
    if (s->kind == CHANGE_FILE)
        buf_addf(to, ":%lld", (long long)s->bytes);
    if (s->kind == CHANGE_LINK)
        buf_addf(to, ":%.*s", STR_ARG(s->target));
}

/* "added n - file:644:4", a line each. */
static inline const char *listed(const struct changes *all)
{
    _buf_ struct buf text = { .max = 64 << 20 };

    for (size_t i = 0; i < all->n; i++) {
        const struct change_row *row = &all->v[i];

        assert_true(row->path.n >= strlen(r.dir));
        buf_addf(&text, "%s %.*s", change_names[row->change], (int)(row->path.n - strlen(r.dir)),
                 row->path.s + strlen(r.dir));
        put_side(&text, &row->before);
        put_side(&text, &row->after);
        buf_addf(&text, "\n");
    }
    return arena_text(&r.a, buf_str(&text));
}

static inline struct changes read_layers(struct outcome *out)
{
    struct changes all = { 0 };
    struct error e = { 0 };

    if (!cow_read(&out->cow, store, &r.a, &all, &e))
        fail_msg("%s", e.msg);
    return all;
}

/* Runs it; the disk must be as it was. */
static inline struct changes changes_of(const char *script, struct outcome *out)
{
    const char *was = disk();
    struct changes all;

    *out = runs_do(&r, world_real(), script);
    if (out->exit_code != 0)
        fail_msg("status %d: %.*s", out->exit_code, STR_ARG(out->err.head));
    assert_string_equal(disk(), was);
    all = read_layers(out);
    assert_string_equal(disk(), was);
    return all;
}
