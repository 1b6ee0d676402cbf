/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: the changes of a run as a member of its record, written and read back. */
#include <stdio.h>

#include "base/base64.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "contract/codes.h"
#include "engine/changes.h"

/* ---- written ---- */

/* A name as people read it; where that is not exact, beside it the bytes. */
static void put_name(struct buf *to, const char *key, const char *exact, struct str name)
{
    json_put_outside(to, key, name);
    if (utf8_valid(name) == name.n)
        return;
    json_key(to, exact);
    json_base64(to, name);
}

static void put_side(const struct change_side *s, struct buf *to)
{
    char digest[DIGEST_TEXT], mode[8];

    json_put(to, "kind", change_kind_names[s->kind]);
    if (s->kind == CHANGE_LINK) {
        put_name(to, "target", "target_base64", s->target);
        return;
    }
    (void)snprintf(mode, sizeof mode, "%04o", (unsigned)s->mode & 07777U);
    json_put(to, "mode", mode);
    if (s->kind != CHANGE_FILE)
        return;
    digest_text(&s->digest, digest);
    json_put_int(to, "bytes", s->bytes);
    json_put(to, "digest", digest);
}

void changes_put_row(const struct change_set *set, size_t row_at, struct buf *to)
{
    const struct change_row *row = &set->changes.v[row_at];

    json_open(to, '{');
    put_name(to, "path", "path_base64", row->path);
    json_put(to, "change", change_names[row->change]);
    if (row->after.there)
        put_side(&row->after, to);
    else
        json_put(to, "kind", change_kind_names[row->before.kind]);
    json_key(to, "before");
    if (row->before.there) {
        json_open(to, '{');
        put_side(&row->before, to);
        json_close(to, '}');
    } else {
        json_nil(to);
    }
    if (row->meanwhile)
        json_put_bool(to, "changed_meanwhile", true);
    if (set->texts && set->texts[row_at].n) {
        json_key(to, "diff");
        json_open(to, '{');
        json_put_int(to, "at", (int64_t)set->texts[row_at].at);
        json_put_int(to, "bytes", (int64_t)set->texts[row_at].n);
        json_close(to, '}');
    }
    json_close(to, '}');
}

static void put_roots(const struct change_set *set, struct buf *to)
{
    json_key(to, "roots");
    json_open(to, '[');
    for (size_t i = 0; i < set->root_count; i++) {
        struct str root = str_of(set->roots[i]);

        if (utf8_valid(root) == root.n) {
            json_text(to, root);
            continue;
        }
        json_open(to, '{');
        put_name(to, "path", "path_base64", root);
        json_close(to, '}');
    }
    json_close(to, ']');
}

/* Beside the trees, in their order. */
static void put_inodes(const struct change_set *set, struct buf *to)
{
    json_key(to, "root_inodes");
    json_open(to, '[');
    for (size_t i = 0; i < set->root_count; i++)
        json_text(to, str_of(set->inodes[i]));
    json_close(to, ']');
}

static void put_diff(const struct change_set *set, struct buf *to)
{
    char digest[DIGEST_TEXT];

    json_key(to, "diff");
    if (!set->diff_bytes && !set->diff_cut) {
        json_nil(to);
        return;
    }
    digest_text(&set->diff, digest);
    json_open(to, '{');
    json_put(to, "digest", digest);
    json_put_int(to, "bytes", set->diff_bytes);
    json_put_bool(to, "truncated", set->diff_cut);
    json_close(to, '}');
}

/* What a commit must not make either. */
static void put_absent(const struct absents *absent, struct buf *to)
{
    json_key(to, "kept_out");
    json_open(to, '[');
    for (size_t i = 0; i < absent->n; i++) {
        json_open(to, '{');
        put_name(to, "path", "path_base64", str_of(absent->v[i].path));
        json_put(to, "rule", absent->v[i].denied ? "denied" : "protected");
        json_put_bool(to, "directory", absent->v[i].links_only);
        json_close(to, '}');
    }
    json_close(to, ']');
}

void changes_put(const struct change_set *set, const struct absents *absent, struct buf *to)
{
    json_key(to, "changes");
    json_open(to, '{');
    put_roots(set, to);
    put_inodes(set, to);
    json_key(to, "list");
    json_open(to, '[');
    for (size_t i = 0; i < set->changes.n; i++)
        changes_put_row(set, i, to);
    json_close(to, ']');
    put_diff(set, to);
    json_put(to, "truncated", set->changes.cut);
    put_absent(absent, to);
    json_close(to, '}');
}

/* ---- read back ---- */

static bool read_name(const struct doc *d, const char *key, const char *exact, struct arena *a,
                      struct str *out)
{
    struct str text = doc_text(d, exact);
    char *bytes;
    size_t n;

    if (!text.n) {
        text = doc_text(d, key);
        *out = (struct str){ arena_text(a, text), text.n };
        return text.n > 0;
    }
    if (!base64_read(text, NULL, 0, &n))
        return false;
    bytes = arena_alloc(a, n + 1);
    if (!base64_read(text, bytes, n, &n))
        return false;
    *out = (struct str){ bytes, n };
    return n > 0;
}

static bool read_choice(struct str text, const char *const *names, int count, int *out)
{
    for (int i = 0; i < count; i++)
        if (str_is(text, names[i])) {
            *out = i;
            return true;
        }
    return false;
}

static bool read_mode(struct str text, mode_t *out)
{
    unsigned mode = 0;

    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] < '0' || text.s[i] > '7' || text.n > 4)
            return false;
        mode = mode << 3 | (unsigned)(text.s[i] - '0');
    }
    *out = (mode_t)mode;
    return text.n > 0;
}

static bool read_side(const struct doc *d, struct arena *a, struct change_side *out)
{
    int kind;

    if (!read_choice(doc_text(d, "kind"), change_kind_names, CHANGE_OTHER + 1, &kind))
        return false;
    *out = (struct change_side){ .there = true,
                                 .kind = (enum change_kind)kind,
                                 .bytes = doc_whole(d, "bytes") };
    if (out->kind == CHANGE_LINK)
        return read_name(d, "target", "target_base64", a, &out->target);
    if (!read_mode(doc_text(d, "mode"), &out->mode))
        return false;
    return out->kind != CHANGE_FILE || digest_parse(doc_text(d, "digest"), &out->digest);
}

static bool read_row(const struct doc *d, struct arena *a, struct change_row *row,
                     struct change_text *text)
{
    const struct doc *before = doc_get(d, "before"), *diff = doc_get(d, "diff");
    const struct doc *meanwhile = doc_get(d, "changed_meanwhile");
    int change;

    if (d->kind != DOC_MAP || !read_name(d, "path", "path_base64", a, &row->path) ||
        strlen(row->path.s) != row->path.n || row->path.s[0] != '/' ||
        !read_choice(doc_text(d, "change"), change_names, CHANGE_DELETED + 1, &change))
        return false;
    row->change = (enum change)change;
    row->meanwhile = meanwhile && !(meanwhile->kind == DOC_BOOL && !meanwhile->truth);
    if (diff && diff->kind == DOC_MAP)
        *text =
            (struct change_text){ (size_t)doc_whole(diff, "at"), (size_t)doc_whole(diff, "bytes") };
    if (row->change != CHANGE_DELETED && !read_side(d, a, &row->after))
        return false;
    if (row->change == CHANGE_ADDED)
        return !before || before->kind == DOC_NULL;
    return before && before->kind == DOC_MAP && read_side(before, a, &row->before);
}

static bool read_roots(const struct doc *d, struct arena *a, struct change_set *out)
{
    out->roots = arena_alloc(a, (d ? d->count : 0) * sizeof *out->roots);
    for (const struct doc *r = doc_first(d, DOC_LIST); r; r = r->next) {
        struct str root = r->kind == DOC_TEXT ? r->text : str_of("");

        if (r->kind == DOC_MAP && !read_name(r, "path", "path_base64", a, &root))
            return false;
        root.s = arena_text(a, root);
        if (root.s[0] != '/')
            return false;
        out->roots[out->root_count++] = root.s;
    }
    return true;
}

/* A record from before they were kept has none. */
static void read_inodes(const struct doc *d, struct arena *a, struct change_set *out)
{
    const struct doc *each = doc_first(d, DOC_LIST);

    out->inodes = arena_alloc(a, out->root_count * sizeof *out->inodes);
    for (size_t i = 0; i < out->root_count; i++) {
        out->inodes[i] = each && each->kind == DOC_TEXT ? arena_text(a, each->text) : "";
        each = each ? each->next : NULL;
    }
}

bool changes_read(const struct doc *record, struct arena *a, struct change_set *out,
                  struct error *e)
{
    const struct doc *d = record && record->kind == DOC_MAP ? doc_get(record, "changes") : NULL;
    const struct doc *list = d && d->kind == DOC_MAP ? doc_get(d, "list") : NULL, *diff;
    struct change_set set = { 0 };

    if (!list || list->kind != DOC_LIST)
        return error_set(e, CODE_CHANGE_REFUSED,
                         "it did not run in write mode cow: what it wrote is on the disk");
    diff = doc_get(d, "diff");
    set.changes.v = arena_alloc(a, list->count * sizeof *set.changes.v);
    set.texts = arena_alloc(a, list->count * sizeof *set.texts);
    set.changes.cut = doc_text(d, "truncated").n ? arena_text(a, doc_text(d, "truncated")) : NULL;
    for (const struct doc *r = list->first; r; r = r->next, set.changes.n++)
        if (!read_row(r, a, &set.changes.v[set.changes.n], &set.texts[set.changes.n]))
            return error_set(e, CODE_LEDGER_DAMAGED, "its record has a change that is none");
    if (diff && diff->kind == DOC_MAP) {
        const struct doc *cut = doc_get(diff, "truncated");

        set.diff_bytes = doc_whole(diff, "bytes");
        set.diff_cut = cut && cut->kind == DOC_BOOL && cut->truth;
        if (!digest_parse(doc_text(diff, "digest"), &set.diff))
            return error_set(e, CODE_LEDGER_DAMAGED, "its record has a diff without a digest");
    }
    if (!read_roots(doc_get(d, "roots"), a, &set))
        return error_set(e, CODE_LEDGER_DAMAGED, "its record has a tree without a name");
    read_inodes(doc_get(d, "root_inodes"), a, &set);
    *out = set;
    return true;
}
