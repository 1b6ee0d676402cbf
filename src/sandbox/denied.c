/* SPDX-License-Identifier: Apache-2.0 */
/* denied.c: remembers which files a denied name has meant. */
#include "sandbox/denied.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/other_names.h"
#include "sandbox/way.h"

enum { KNOWN_MAX = 64, MEMORY_MAX = 8192 }; /* known: of one name */

/* ---- memory: one small file for a name, "dev ino born" a line ---- */

static const char *memory_file(const char *state, const char *name, struct arena *a)
{
    struct digest d = digest_of(name, strlen(name));
    char text[DIGEST_TEXT];

    digest_text(&d, text);
    return arena_printf(a, "%s/denied/%s", state, text + strlen("sha256:"));
}

static void recall(const char *state, const char *name, struct arena *a, struct numbers *out)
{
    struct str text;
    struct error e;

    if (!fs_read_file(memory_file(state, name, a), MEMORY_MAX, a, &text, &e))
        return;
    for (const char *line = text.s; line && *line;) {
        char *end;
        struct number file = { .dev = strtoull(line, &end, 10) };

        file.ino = strtoull(end, &end, 10);
        file.born = strtoll(end, &end, 10);
        if (*end != '\n')
            return;
        numbers_add(out, file);
        line = end + 1;
    }
}

static bool remember(const char *state, const char *name, const struct numbers *w, struct arena *a,
                     struct error *e)
{
    _buf_ struct buf text = { .max = MEMORY_MAX };
    size_t forgotten = w->n > KNOWN_MAX ? w->n - KNOWN_MAX : 0; /* the oldest */

    for (size_t i = forgotten; i < w->n; i++)
        buf_addf(&text, "%ju %ju %jd\n", (uintmax_t)w->v[i].dev, (uintmax_t)w->v[i].ino,
                 (intmax_t)w->v[i].born);
    return fs_make_dirs(arena_printf(a, "%s/denied", state), e) &&
           fs_write(memory_file(state, name, a), buf_str(&text), e);
}

/* ---- the two together ---- */

static bool may_move(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access == ACCESS_WRITE && path_is_in(path, g->v[i].path))
            return true;
    return false;
}

/* What a name has meant before goes to `wanted`; what it means now is remembered. NULL: nothing. */
static bool follow_name(struct grants *g, const char *name, const struct number *now,
                        const char *state, struct numbers *wanted, struct error *e)
{
    struct numbers known = { .a = g->a };

    if (state)
        recall(state, name, g->a, &known);
    for (size_t i = 0; i < known.n; i++)
        if (!now || !number_is_same(known.v[i], *now))
            numbers_add(wanted, known.v[i]);
    if (!now || numbers_have(&known, *now) || !may_move(g, name))
        return true;
    if (!state)
        return error_set(e, CODE_PATH_REFUSED,
                         "that %s is denied must be remembered, and there is no place for it; name "
                         "one with WRIT_STATE",
                         name);
    numbers_add(&known, *now);
    if (remember(state, name, &known, g->a, e))
        return true;
    return error_wrap(e, "that %s is denied cannot be remembered", name);
}

static bool follow_one(struct grants *g, const struct grant *now, const char *state,
                       struct numbers *wanted, struct error *e)
{
    struct number file = { 0 };
    bool is_dir, there = number_of(AT_FDCWD, now->path, AT_SYMLINK_NOFOLLOW, &file, &is_dir);

    if (there && !now->is_dir && now->links > 1)
        numbers_add(wanted, file);
    return follow_name(g, now->path, there ? &file : NULL, state, wanted, e);
}

static bool follow_alias(struct grants *g, const struct alias *alias, const char *state,
                         struct numbers *wanted, struct error *e)
{
    struct number file = { 0 };
    bool is_dir, there = number_of(AT_FDCWD, alias->path, 0, &file, &is_dir);

    return follow_name(g, alias->name, there ? &file : NULL, state, wanted, e);
}

bool denied_hold_links(struct grants *g, const char *base, const char *given, const char *path,
                       struct aliases *out, struct error *e)
{
    struct way way;

    if (!way_find(base, given, g->a, &way, e))
        return error_wrap(e, "'%s', which is denied", given);
    for (size_t i = 0; i < way.n; i++) {
        const struct way_link *link = &way.v[i];
        const char *slash = link->rest[0] ? "/" : "";

        if (may_move(g, link->path))
            grants_add(g, &(struct grant){ .path = link->path,
                                           .access = ACCESS_PROTECTED,
                                           .why = GRANT_LEADS_TO_DENIED,
                                           .is_link = true,
                                           .dev = link->dev,
                                           .ino = link->ino });
        out->v = arena_more(g->a, out->v, out->n, &out->room, sizeof *out->v);
        out->v[out->n++] =
            (struct alias){ arena_printf(g->a, "%s%s%s", link->path, slash, link->rest), path };
    }
    return true;
}

bool denied_hide(struct grants *g, const char *base, const char *given, struct error *e)
{
    struct grant state = { .access = ACCESS_DENIED, .why = GRANT_STATE }, found = { 0 };
    struct aliases unused = { 0 };

    if (!grant_find(base, given, g->a, &found, e))
        return grant_is_missing(e);
    return (way_is_straight(base, given, found.path) ||
            denied_hold_links(g, base, given, found.path, &unused, e)) &&
           grants_open(g, state, base, given, e);
}

bool denied_follow(struct grants *g, const struct absents *absent, const struct aliases *aliases,
                   const char *state, struct error *e)
{
    const struct grant mask = { .access = ACCESS_DENIED, .why = GRANT_DENIED_ELSEWHERE };
    struct numbers wanted = { .a = g->a };

    for (size_t i = 0; i < g->n; i++) {
        struct grant now = g->v[i];

        if (now.access == ACCESS_DENIED && !now.is_link && !follow_one(g, &now, state, &wanted, e))
            return false;
    }
    for (size_t i = 0; i < absent->n; i++)
        if (absent->v[i].denied && !follow_name(g, absent->v[i].path, NULL, state, &wanted, e))
            return false;
    for (size_t i = 0; i < aliases->n; i++)
        if (!follow_alias(g, &aliases->v[i], state, &wanted, e))
            return false;
    return other_names_hold(g, &wanted, mask, e);
}
