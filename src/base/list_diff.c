/* SPDX-License-Identifier: Apache-2.0 */
/* list_diff.c: which items two lists have in common, in order: the longest common subsequence.
 *
 * What both begin and end with is put aside first. The rest is compared by Myers' greedy way (An
 * O(ND) Difference Algorithm, 1986): with one removal or addition more at a time, how far can one
 * come? It is quick where lists differ little, and has a ceiling where they differ much.
 */
#include "base/list_diff.h"

#include "base/doc_make.h"
#include "base/doc_same.h"

enum { CHANGES = 1024 }; /* removals and additions that are looked for */

struct item {
    const struct doc *d;
    uint64_t hash;
};

struct side {
    struct item *item;
    uint32_t n;
    uint8_t *stays;
};

struct both {
    struct side x, y;
    uint32_t begin, end; /* items put aside at either end */
    struct work *w;
    struct arena *a;
};

static bool read_side(const struct doc *list, struct both *b, struct side *s)
{
    uint32_t i = 0;

    if (!work_do(b->w, list->count))
        return false;
    s->n = list->count;
    s->item = arena_alloc(b->a, s->n * sizeof *s->item);
    s->stays = arena_alloc(b->a, s->n);
    for (const struct doc *c = list->first; c; c = c->next, i++)
        s->item[i] = (struct item){ c, doc_hash(c, b->w) };
    return !b->w->over;
}

static bool same(struct both *b, uint32_t i, uint32_t j)
{
    return b->x.item[i].hash == b->y.item[j].hash &&
           doc_same(b->x.item[i].d, b->y.item[j].d, b->w, b->a);
}

static void stay(struct both *b, uint32_t i, uint32_t j)
{
    b->x.stays[i] = 1;
    b->y.stays[j] = 1;
}

static void put_aside(struct both *b)
{
    uint32_t least = b->x.n < b->y.n ? b->x.n : b->y.n;

    while (b->begin < least && same(b, b->begin, b->begin)) {
        stay(b, b->begin, b->begin);
        b->begin++;
    }
    while (b->begin + b->end < least && same(b, b->x.n - 1 - b->end, b->y.n - 1 - b->end)) {
        stay(b, b->x.n - 1 - b->end, b->y.n - 1 - b->end);
        b->end++;
    }
}

/* How far one comes on each diagonal k (items removed minus items added), from -changes to changes,
 * one row for each number of changes. A row is as long as what can be in it. */
struct trace {
    int32_t **row;
    int32_t most; /* changes that can be, or are looked for */
    struct arena a;
};

static int32_t *make_row(struct trace *t, int32_t changes)
{
    int32_t *row = arena_alloc(&t->a, (2 * (size_t)changes + 1) * sizeof *row);

    t->row[changes] = row;
    return row + changes;
}

/* The better of two ways to diagonal k with one change more: an addition or a removal. *added says
 * which it was. */
static int32_t begin_at(const struct trace *t, int32_t changes, int32_t k, bool *added)
{
    const int32_t *before;

    *added = false;
    if (changes == 0)
        return 0;
    before = t->row[changes - 1] + changes - 1;
    *added = k == -changes || (k != changes && before[k - 1] < before[k + 1]);
    return *added ? before[k + 1] : before[k - 1] + 1;
}

/* Goes along one diagonal as far as items are the same. Where the end is reached it says so. */
static bool come_far(struct both *b, int32_t *at, int32_t k, int32_t rows, int32_t columns)
{
    int32_t i = *at;

    while (i < rows && i - k < columns && !b->w->over &&
           same(b, b->begin + (uint32_t)i, b->begin + (uint32_t)(i - k)))
        i++;
    *at = i;
    return i >= rows && i - k >= columns;
}

/* Back from the end: what was passed along a diagonal stays. */
static void go_back(struct both *b, const struct trace *t, int32_t changes, int32_t k)
{
    for (; changes >= 0; changes--) {
        int32_t end = t->row[changes][changes + k];
        bool added;
        int32_t begin = begin_at(t, changes, k, &added);

        for (int32_t i = begin; i < end; i++)
            stay(b, b->begin + (uint32_t)i, b->begin + (uint32_t)(i - k));
        k += added ? 1 : -1;
    }
}

/* False: there are more changes than are looked for, or the work is over. */
static bool find_changes(struct both *b, struct trace *t, int32_t rows, int32_t columns)
{
    for (int32_t changes = 0; changes <= t->most; changes++) {
        int32_t *row = make_row(t, changes);

        for (int32_t k = -changes; k <= changes; k += 2) {
            bool added;

            row[k] = begin_at(t, changes, k, &added);
            if (!work_do(b->w, 1))
                return false;
            if (row[k] > rows || row[k] - k > columns)
                continue; /* past the end of a list: from there nothing comes */
            if (come_far(b, &row[k], k, rows, columns)) {
                go_back(b, t, changes, k);
                return !b->w->over;
            }
        }
    }
    return false;
}

static bool few_changes(struct both *b, uint32_t rows, uint32_t columns)
{
    uint32_t most = rows + columns < CHANGES ? rows + columns : CHANGES;
    struct trace t = { .most = (int32_t)most };
    bool found;

    t.row = arena_alloc(b->a, (most + 1) * sizeof *t.row);
    found = find_changes(b, &t, (int32_t)rows, (int32_t)columns);
    arena_free(&t.a);
    return found;
}

static void in_place(struct both *b, uint32_t rows, uint32_t columns)
{
    for (uint32_t i = b->begin; i < b->begin + rows && i < b->begin + columns; i++)
        if (work_do(b->w, 1) && same(b, i, i))
            stay(b, i, i);
}

bool list_diff(const struct doc *before, const struct doc *after, struct work *w, struct arena *a,
               const uint8_t **stays_before, const uint8_t **stays_after)
{
    struct both b = { .w = w, .a = a };
    uint32_t rows, columns;

    if (!read_side(before, &b, &b.x) || !read_side(after, &b, &b.y))
        return false;
    put_aside(&b);
    rows = b.x.n - b.begin - b.end;
    columns = b.y.n - b.begin - b.end;
    if (rows > 0 && columns > 0 && !few_changes(&b, rows, columns))
        in_place(&b, rows, columns);
    *stays_before = b.x.stays;
    *stays_after = b.y.stays;
    return !w->over;
}
