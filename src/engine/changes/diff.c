/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c: the changes of a run as one unified diff, with headers as git writes them. */
#include <stdio.h>

#include "base/line_diff.h"
#include "base/utf8.h"
#include "engine/changes.h"

/* A side larger than this is said to differ; a diff as large as that says no more. */
enum { SIDE_MAX = 1 << 20, DIFF_MAX = 10 << 20, STEPS = 20000000 };

/* What a file or a link has in it, as a diff sees it. */
struct content {
    bool there;
    char mode[8];    /* git's form; the permissions are the whole ones */
    struct str text; /* s is NULL: it is no text, or too much */
};

struct drawing {
    const struct change_set *set;
    int store, root;
    const char *open; /* the tree that `root` is */
    bool many;        /* there is more than one tree */
    struct buf *to;
};

/* ---- what there is on both sides ---- */

/* git keeps one permission and a commit all of them: who reads the diff is to see what comes. */
static void git_mode(const struct change_side *s, char out[8])
{
    unsigned permissions = (unsigned)s->mode & 07777U;

    (void)snprintf(out, 8, "%06o", s->kind == CHANGE_LINK ? 0120000U : 0100000U | permissions);
}

static struct str only_text(struct str bytes)
{
    bool text = bytes.s && !memchr(bytes.s, '\0', bytes.n) && utf8_valid(bytes) == bytes.n;

    return text ? bytes : (struct str){ NULL, 0 };
}

static bool is_directory_mode(const struct change_row *row)
{
    const struct change_side *x = &row->before, *y = &row->after;

    return x->there && y->there && x->kind == CHANGE_DIRECTORY && y->kind == CHANGE_DIRECTORY &&
           x->mode != y->mode;
}

static bool is_drawn(const struct change_side *s)
{
    return s->there && (s->kind == CHANGE_FILE || s->kind == CHANGE_LINK);
}

/* From the store: what the run wrote. */
static struct content content_after(const struct drawing *d, const struct change_side *s,
                                    struct arena *a)
{
    struct content c = { .there = is_drawn(s) };
    struct error e;

    if (!c.there)
        return c;
    git_mode(s, c.mode);
    if (s->kind == CHANGE_LINK)
        c.text = s->target;
    else if (s->bytes > SIDE_MAX || !changes_bytes(d->store, &s->digest, SIDE_MAX, a, &c.text, &e))
        c.text.s = NULL;
    c.text = only_text(c.text);
    return c;
}

/* From the disk. Who changed it since the tree was read makes it no text of ours. */
static struct content content_before(const struct drawing *d, const struct change_side *s,
                                     const char *below, struct arena *a)
{
    struct content c = { .there = is_drawn(s) };
    struct str text = { NULL, 0 };
    struct change_side now;
    struct error e;

    if (!c.there)
        return c;
    git_mode(s, c.mode);
    if (s->kind == CHANGE_LINK) {
        text = s->target;
    } else if (s->bytes <= SIDE_MAX) {
        const char *name;
        _fd_ int around = place_around(d->root, below, &name, a);
        struct place_ask ask = { around, name, -1, SIDE_MAX, &text };

        if (around < 0 || !place_look(&ask, a, &now, &e) || !sides_same(&now, s))
            text.s = NULL;
    }
    c.text = only_text(text);
    return c;
}

/* ---- the text ---- */

/* A blank is not: at the end of a name patch takes it for none, and finds another file; and where
 * a name stands in the first line alone, it does not know where it ends. */
static bool is_plain(struct str path)
{
    for (size_t i = 0; i < path.n; i++)
        if ((unsigned char)path.s[i] <= ' ' || is_one_of(path.s[i], "\"\\\x7f"))
            return false;
    return utf8_valid(path) == path.n;
}

/* Between "" as git writes it where a name has bytes that would not come through. */
static void put_quoted(struct buf *to, const char *side, struct str path)
{
    if (is_plain(path)) {
        buf_addf(to, "%s%.*s", side, STR_ARG(path));
        return;
    }
    buf_addf(to, "\"%s", side);
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.s[i];

        if (c == '"' || c == '\\')
            buf_addf(to, "\\%c", c);
        else if (c < ' ' || c >= 0x7f)
            buf_addf(to, "\\%03o", c);
        else
            buf_addc(to, (char)c);
    }
    buf_addc(to, '"');
}

static void put_path(struct buf *to, char side, struct str path)
{
    put_quoted(to, side == 'a' ? "a/" : "b/", path);
}

static void put_name(struct buf *to, const char *sign, char side, struct str path)
{
    buf_addf(to, "%s ", sign);
    put_path(to, side, path);
    buf_addc(to, '\n');
}

/* Where no line goes, patch has only this to tell that the file does: git's name for nothing. */
static const char gone_empty[] = "index e69de29..0000000\n";

static void put_modes(struct buf *to, const struct content *x, const struct content *y)
{
    if (!x->there)
        buf_addf(to, "new file mode %s\n", y->mode);
    else if (!y->there)
        buf_addf(to, "deleted file mode %s\n%s", x->mode,
                 x->text.s && x->text.n == 0 ? gone_empty : "");
    else if (strcmp(x->mode, y->mode) != 0 ||
             x->mode[1] == '2') /* a link is told from a file by it */
        buf_addf(to, "old mode %s\nnew mode %s\n", x->mode, y->mode);
}

static void put_hunks(struct drawing *d, struct str below, const struct content *x,
                      const struct content *y)
{
    _arena_ struct arena a = { 0 };
    struct work w = { .left = STEPS };
    _buf_ struct buf hunks = { .max = DIFF_MAX };

    line_diff(x->text, y->text, &w, &a, &hunks);
    if (!hunks.len && buf_ok(&hunks))
        return;
    if (x->there)
        put_name(d->to, "---", 'a', below);
    else
        buf_adds(d->to, "--- /dev/null\n");
    if (y->there)
        put_name(d->to, "+++", 'b', below);
    else
        buf_adds(d->to, "+++ /dev/null\n");
    buf_add(d->to, hunks.s, hunks.len);
    d->to->full |= hunks.full;
}

static void put_binary(struct drawing *d, struct str below, const struct content *x,
                       const struct content *y)
{
    buf_adds(d->to, "Binary files ");
    if (x->there)
        put_path(d->to, 'a', below);
    else
        buf_adds(d->to, "/dev/null");
    buf_adds(d->to, " and ");
    if (y->there)
        put_path(d->to, 'b', below);
    else
        buf_adds(d->to, "/dev/null");
    buf_adds(d->to, " differ\n");
}

static void put_change(struct drawing *d, const char *below, const struct content *x,
                       const struct content *y, bool same)
{
    struct str path = str_of(below);
    bool modes = !x->there || !y->there || strcmp(x->mode, y->mode) != 0;

    if (same && !modes)
        return;
    buf_adds(d->to, "diff --git ");
    put_path(d->to, 'a', path);
    buf_addc(d->to, ' ');
    put_path(d->to, 'b', path);
    buf_addc(d->to, '\n');
    put_modes(d->to, x, y);
    if (same)
        return;
    if ((x->there && !x->text.s) || (y->there && !y->text.s))
        put_binary(d, path, x, y);
    else
        put_hunks(d, path, x, y);
}

static void put_row(struct drawing *d, const struct change_row *row, const char *below)
{
    _arena_ struct arena a = { 0 };
    struct content x = content_before(d, &row->before, below, &a), none = { 0 };
    struct content y = content_after(d, &row->after, &a);
    bool same = x.there && y.there && row->before.kind == row->after.kind &&
                (row->before.kind == CHANGE_LINK
                     ? str_eq(row->before.target, row->after.target)
                     : memcmp(&row->before.digest, &row->after.digest, sizeof(struct digest)) == 0);

    if (x.there && y.there && row->before.kind != row->after.kind) {
        put_change(d, below, &x, &none, false);
        put_change(d, below, &none, &y, false);
    } else if (x.there || y.there) {
        put_change(d, below, &x, &y, same);
    }
}

/* A diff knows no directories: a line that git and patch pass over. */
static void put_directory(struct drawing *d, const struct change_row *row, const char *below)
{
    buf_addf(d->to, "writ: mode %04o -> %04o of directory ", (unsigned)row->before.mode & 07777U,
             (unsigned)row->after.mode & 07777U);
    put_quoted(d->to, "", str_of(*below ? below : "."));
    buf_addc(d->to, '\n');
}

/* What somebody wrote while the run lasted the run did not see. A diff of that would take it away
 * where it is applied: there is none. */
static void put_meanwhile(struct drawing *d, const char *below)
{
    buf_adds(d->to, "writ: no diff, somebody changed it while the run lasted: ");
    put_quoted(d->to, "", str_of(*below ? below : "."));
    buf_addc(d->to, '\n');
}

/* Paths are told from the top of their tree; where there are more of them, which one. */
static void enter_root(struct drawing *d, const char *root)
{
    if (d->open && strcmp(root, d->open) == 0)
        return;
    own_close(&d->root);
    d->root = changes_open_root(d->set, root); /* -1: what it had is said to differ */
    d->open = root;
    if (d->many)
        buf_addf(d->to, "writ: in %s\n", root);
}

void changes_diff(struct change_set *set, int store, struct arena *a, struct buf *to)
{
    struct drawing d = {
        .set = set, .store = store, .root = -1, .many = set->root_count > 1, .to = to
    };

    to->max = DIFF_MAX;
    set->texts = arena_alloc(a, set->changes.n * sizeof *set->texts);
    for (size_t i = 0; i < set->changes.n && !set->diff_cut; i++) {
        const struct change_row *row = &set->changes.v[i];
        const char *below = NULL, *root = changes_root(set, row->path.s, &below);
        size_t at;

        if (!root || (!is_drawn(&row->before) && !is_drawn(&row->after) &&
                      !is_directory_mode(row) && !row->meanwhile))
            continue;
        enter_root(&d, root);
        at = to->len;
        if (row->meanwhile)
            put_meanwhile(&d, below);
        else if (is_directory_mode(row))
            put_directory(&d, row, below);
        else
            put_row(&d, row, below);
        if (!buf_ok(to)) { /* what does not fit is left out as a whole */
            set->diff_cut = true;
            to->len = at;
            to->full = false;
        }
        set->texts[i] = (struct change_text){ at, to->len - at };
    }
    own_close(&d.root);
    set->diff_bytes = (int64_t)to->len;
}
