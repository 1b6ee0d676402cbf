/* SPDX-License-Identifier: Apache-2.0 */
/* line_diff.c: which lines two texts have in common, in order, and the hunks between them.
 *
 * Lines get numbers, the same for the same bytes. Those that only one text has are put aside; the
 * rest is compared by Myers' way in linear space (An O(ND) Difference Algorithm, 1986): from both
 * ends at once until the ways meet, then the same before and behind the place where they met.
 */
#include "base/line_diff.h"

enum { AROUND = 3, NOWHERE = -1 };

struct side {
    struct str *line; /* with its end, where it has one */
    uint32_t *number;
    uint8_t *stays;
    uint32_t n;
    uint32_t *shared; /* places of lines that both texts have */
    int32_t shared_count;
};

struct both {
    struct side side[2];
    struct work *w;
    struct arena *a;
    int32_t *far[2]; /* how far one comes on each diagonal, from the start and from the end */
};

/* ---- lines and their numbers ---- */

static uint32_t count_lines(struct str text)
{
    uint32_t n = 0;

    for (const char *at = text.s, *end = text.s + text.n; at < end; n++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));

        at = feed ? feed + 1 : end;
    }
    return n;
}

static void cut_lines(struct str text, struct arena *a, struct side *s)
{
    const char *at = text.s, *end = text.s + text.n;

    s->n = count_lines(text);
    s->line = arena_alloc(a, s->n * sizeof *s->line);
    s->number = arena_alloc(a, s->n * sizeof *s->number);
    s->stays = arena_alloc(a, s->n);
    s->shared = arena_alloc(a, s->n * sizeof *s->shared);
    for (uint32_t i = 0; i < s->n; i++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        size_t n = feed ? (size_t)(feed - at) + 1 : (size_t)(end - at);

        s->line[i] = (struct str){ at, n };
        at += n;
    }
}

/* A line that was seen, and in which of the texts. */
struct seen {
    struct str line;
    uint64_t hash;
    uint8_t in; /* bits */
};

struct names {
    uint32_t *slot; /* number + 1; 0: free */
    uint32_t mask;
    struct seen *seen;
    uint32_t n;
};

static uint64_t hash_of(struct str line)
{
    uint64_t h = 0xcbf29ce484222325U;

    for (size_t i = 0; i < line.n; i++)
        h = (h ^ (unsigned char)line.s[i]) * 0x100000001b3U;
    return h ^ h >> 29;
}

/* False: the work is over; lines can be made to have the same hash. */
static bool number_of(struct names *names, struct str line, struct work *w, uint32_t *number)
{
    uint64_t hash = hash_of(line);
    uint32_t at = (uint32_t)hash & names->mask;

    for (; names->slot[at]; at = (at + 1) & names->mask) {
        const struct seen *s = &names->seen[names->slot[at] - 1];

        if (!work_do(w, 1 + (uint32_t)(line.n >> 6)))
            return false;
        if (s->hash == hash && str_eq(s->line, line)) {
            *number = names->slot[at] - 1;
            return true;
        }
    }
    names->seen[names->n] = (struct seen){ .line = line, .hash = hash };
    *number = names->n;
    names->slot[at] = ++names->n;
    return true;
}

static bool number_lines(struct both *b)
{
    uint32_t room = b->side[0].n + b->side[1].n, size = 16;
    struct names names = { 0 };

    while (size < 2 * room)
        size *= 2;
    names.mask = size - 1;
    names.slot = arena_alloc(b->a, size * sizeof *names.slot);
    names.seen = arena_alloc(b->a, room * sizeof *names.seen);
    for (int i = 0; i < 2; i++) {
        struct side *s = &b->side[i];

        for (uint32_t k = 0; k < s->n; k++) {
            if (!number_of(&names, s->line[k], b->w, &s->number[k]))
                return false;
            names.seen[s->number[k]].in |= (uint8_t)(1 << i);
        }
    }
    for (int i = 0; i < 2; i++) {
        struct side *s = &b->side[i];

        for (uint32_t k = 0; k < s->n; k++)
            if (names.seen[s->number[k]].in == 3)
                s->shared[s->shared_count++] = k;
    }
    return true;
}

/* ---- which of them stay ---- */

/* Parts of both lists of shared lines that are compared with each other. */
struct box {
    int32_t from[2], to[2];
};

static bool same(const struct both *b, int32_t x, int32_t y)
{
    return b->side[0].number[b->side[0].shared[x]] == b->side[1].number[b->side[1].shared[y]];
}

static void stay(struct both *b, int32_t x, int32_t y)
{
    b->side[0].stays[b->side[0].shared[x]] = 1;
    b->side[1].stays[b->side[1].shared[y]] = 1;
}

/* What a box begins and ends with on both sides stays. */
static void trim(struct both *b, struct box *box)
{
    while (box->from[0] < box->to[0] && box->from[1] < box->to[1] &&
           same(b, box->from[0], box->from[1]))
        stay(b, box->from[0]++, box->from[1]++);
    while (box->from[0] < box->to[0] && box->from[1] < box->to[1] &&
           same(b, box->to[0] - 1, box->to[1] - 1))
        stay(b, --box->to[0], --box->to[1]);
}

/* A search from one end of a box: `back` reads both lists from behind. */
struct search {
    const struct both *b;
    const struct box *box;
    int32_t *far; /* at diagonal 0 */
    int32_t size[2];
    bool back;
};

static bool same_at(const struct search *s, int32_t x, int32_t y)
{
    return s->back ? same(s->b, s->box->to[0] - 1 - x, s->box->to[1] - 1 - y)
                   : same(s->b, s->box->from[0] + x, s->box->from[1] + y);
}

/* How far one comes on diagonal k (lines removed minus lines added) with so many changes. */
static int32_t come_far(const struct search *s, int32_t changes, int32_t k)
{
    int32_t added = k < changes ? s->far[k + 1] : NOWHERE;
    int32_t removed = k > -changes && s->far[k - 1] != NOWHERE ? s->far[k - 1] + 1 : NOWHERE;
    int32_t x;

    if (changes == 0)
        added = 0;
    if (added - k > s->size[1]) /* past the end of a list: from there nothing comes */
        added = NOWHERE;
    if (removed > s->size[0])
        removed = NOWHERE;
    x = added > removed ? added : removed;
    if (x == NOWHERE)
        return x;
    while (x < s->size[0] && x - k < s->size[1] && same_at(s, x, x - k))
        x++;
    return x;
}

/* One change more in one direction. True: it met the other, and *x, *y say where. */
static bool go_on(const struct search *s, const struct search *other, int32_t changes,
                  int32_t at[2])
{
    int32_t delta = s->size[0] - s->size[1], theirs = s->back ? changes : changes - 1;
    bool meets = (delta % 2 != 0) != s->back;

    for (int32_t k = -changes; k <= changes; k += 2) {
        int32_t x = come_far(s, changes, k), there;

        s->far[k] = x;
        if (!work_do(s->b->w, 1))
            return false;
        if (!meets || x == NOWHERE || delta - k < -theirs || delta - k > theirs)
            continue;
        there = other->far[delta - k];
        if (there == NOWHERE || x + there < s->size[0])
            continue;
        at[0] = s->back ? s->size[0] - x : x;
        at[1] = s->back ? s->size[1] - (x - k) : x - k;
        return true;
    }
    return false;
}

/* A place where a shortest way through a box passes. False: the work is over. */
static bool find_middle(struct both *b, const struct box *box, int32_t at[2])
{
    struct search from = {
        b, box, b->far[0], { box->to[0] - box->from[0], box->to[1] - box->from[1] }, false
    };
    struct search back = from;

    back.far = b->far[1];
    back.back = true;
    for (int32_t changes = 0; !b->w->over; changes++)
        if (go_on(&from, &back, changes, at) || go_on(&back, &from, changes, at))
            return !b->w->over;
    return false;
}

/* Boxes wait for their turn in a list: nothing here calls itself. */
static void compare(struct both *b)
{
    struct box *boxes = NULL;
    size_t n = 0, room = 0;

    boxes = arena_more(b->a, boxes, n, &room, sizeof *boxes);
    boxes[n++] = (struct box){ .to = { b->side[0].shared_count, b->side[1].shared_count } };
    while (n > 0) {
        struct box box = boxes[--n], rest;
        int32_t at[2] = { 0 };

        trim(b, &box);
        if (box.from[0] == box.to[0] || box.from[1] == box.to[1] || !find_middle(b, &box, at))
            continue;
        rest = box;
        for (int i = 0; i < 2; i++)
            box.to[i] = rest.from[i] = box.from[i] + at[i];
        boxes = arena_more(b->a, boxes, n, &room, sizeof *boxes);
        boxes[n++] = rest;
        boxes = arena_more(b->a, boxes, n, &room, sizeof *boxes);
        boxes[n++] = box;
    }
}

/* ---- hunks ---- */

/* Lines that go, and those that take their place. */
struct edit {
    uint32_t from[2], to[2];
};

/* The next edit behind these places; false: there is none. */
static bool next_edit(const struct both *b, const uint32_t at[2], struct edit *out)
{
    const struct side *x = &b->side[0], *y = &b->side[1];
    uint32_t i = at[0], k = at[1];

    while (i < x->n && k < y->n && x->stays[i] && y->stays[k]) {
        i++;
        k++;
    }
    out->from[0] = i;
    out->from[1] = k;
    while (i < x->n && !x->stays[i])
        i++;
    while (k < y->n && !y->stays[k])
        k++;
    out->to[0] = i;
    out->to[1] = k;
    return i > out->from[0] || k > out->from[1];
}

static void put_lines(const struct side *s, uint32_t from, uint32_t end, char sign, struct buf *to)
{
    for (uint32_t i = from; i < end; i++) {
        struct str line = s->line[i];

        buf_addc(to, sign);
        buf_add(to, line.s, line.n);
        if (line.s[line.n - 1] != '\n')
            buf_adds(to, "\n\\ No newline at end of file\n");
    }
}

/* Edits from `first` on as long as they are near to each other; gives where the last one ends. */
static void put_hunk(const struct both *b, const struct edit *first, uint32_t at[2], struct buf *to)
{
    uint32_t before = first->from[0] - at[0] < AROUND ? first->from[0] - at[0] : AROUND, behind;
    uint32_t begin[2] = { first->from[0] - before, first->from[1] - before }, end[2];
    struct edit edit = *first, last = *first;

    while (next_edit(b, last.to, &edit) && edit.from[0] - last.to[0] <= 2 * AROUND)
        last = edit;
    behind = b->side[0].n - last.to[0] < AROUND ? b->side[0].n - last.to[0] : AROUND;
    for (int i = 0; i < 2; i++)
        end[i] = last.to[i] + behind;
    buf_addf(to, "@@ -%u,%u +%u,%u @@\n", begin[0] + (end[0] > begin[0]), end[0] - begin[0],
             begin[1] + (end[1] > begin[1]), end[1] - begin[1]);
    for (edit = *first;; (void)next_edit(b, edit.to, &edit)) {
        put_lines(&b->side[0], begin[0], edit.from[0], ' ', to);
        put_lines(&b->side[0], edit.from[0], edit.to[0], '-', to);
        put_lines(&b->side[1], edit.from[1], edit.to[1], '+', to);
        begin[0] = edit.to[0];
        if (edit.to[0] == last.to[0] && edit.to[1] == last.to[1])
            break;
    }
    put_lines(&b->side[0], last.to[0], end[0], ' ', to);
    at[0] = last.to[0];
    at[1] = last.to[1];
}

void line_diff(struct str before, struct str after, struct work *w, struct arena *a, struct buf *to)
{
    struct both b = { .w = w, .a = a };
    uint32_t at[2] = { 0 };
    struct edit edit;
    size_t diagonals;

    cut_lines(before.s ? before : str_of(""), a, &b.side[0]);
    cut_lines(after.s ? after : str_of(""), a, &b.side[1]);
    if (number_lines(&b)) {
        diagonals = (size_t)b.side[0].shared_count + (size_t)b.side[1].shared_count + 3;
        for (int i = 0; i < 2; i++)
            b.far[i] = (int32_t *)arena_alloc(a, 2 * diagonals * sizeof(int32_t)) + diagonals;
        compare(&b);
    }
    while (next_edit(&b, at, &edit))
        put_hunk(&b, &edit, at, to);
}
