/* SPDX-License-Identifier: Apache-2.0 */
/* golden_lines.c: a unified diff, by the lines that two texts have in common. */
#include "adapter/golden_lines.h"

#include "base/doc_make.h"
#include "base/list_diff.h"

enum { AROUND = 3 };

/* One line of the diff: of both texts, of the first or of the second alone. */
struct step {
    char sign;
    struct str line; /* with its end, where it has one */
};

struct steps {
    struct step *v;
    size_t n;
};

static struct doc *lines_of(struct str text, struct arena *a)
{
    struct doc *list = doc_root(a, DOC_LIST);

    while (text.n) {
        const char *end = memchr(text.s, '\n', text.n);
        size_t n = end ? (size_t)(end - text.s) + 1 : text.n;

        doc_add_text(a, list, NULL, (struct str){ text.s, n });
        text = (struct str){ text.s + n, text.n - n };
    }
    return list;
}

/* What goes comes before what takes its place. */
static bool merge(struct str before, struct str after, struct work *w, struct arena *a,
                  struct steps *out)
{
    const struct doc *x = lines_of(before, a), *y = lines_of(after, a), *i = x->first,
                     *k = y->first;
    const uint8_t *stays_x, *stays_y;

    if (!list_diff(x, y, w, a, &stays_x, &stays_y))
        return false;
    out->v = arena_alloc(a, ((size_t)x->count + y->count) * sizeof *out->v);
    for (;;) {
        for (; i && !*stays_x; i = i->next, stays_x++)
            out->v[out->n++] = (struct step){ '-', i->text };
        for (; k && !*stays_y; k = k->next, stays_y++)
            out->v[out->n++] = (struct step){ '+', k->text };
        if (!i || !k) /* as many stay on both sides */
            return true;
        out->v[out->n++] = (struct step){ ' ', i->text };
        i = i->next;
        k = k->next;
        stays_x++;
        stays_y++;
    }
}

/* Where the hunk that begins at a step ends: after AROUND common lines that nothing follows soon.
 */
static size_t hunk_end(const struct steps *s, size_t from)
{
    size_t last = from;

    for (size_t i = from; i < s->n && i <= last + 2 * AROUND + 1; i++)
        if (s->v[i].sign != ' ')
            last = i;
    return last + AROUND + 1 < s->n ? last + AROUND + 1 : s->n;
}

static void put_hunk(const struct steps *s, size_t from, size_t end, const size_t at[2],
                     struct buf *to)
{
    size_t count[2] = { 0 };

    for (size_t i = from; i < end; i++) {
        count[0] += s->v[i].sign != '+';
        count[1] += s->v[i].sign != '-';
    }
    buf_addf(to, "@@ -%zu,%zu +%zu,%zu @@\n", at[0] + (count[0] > 0), count[0],
             at[1] + (count[1] > 0), count[1]);
    for (size_t i = from; i < end; i++) {
        struct str line = s->v[i].line;

        buf_addc(to, s->v[i].sign);
        buf_add(to, line.s, line.n);
        if (!line.n || line.s[line.n - 1] != '\n')
            buf_adds(to, "\n\\ no line end\n");
    }
}

bool golden_lines(struct str before, struct str after, struct work *w, struct arena *a,
                  struct buf *to)
{
    struct steps s = { 0 };
    size_t at[2] = { 0 }, done = 0; /* lines of both texts before `done` */

    if (!merge(before, after, w, a, &s))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        size_t from = i < done + AROUND ? done : i - AROUND, end;

        if (s.v[i].sign == ' ')
            continue;
        for (; done < from; done++) {
            at[0]++; /* all of them are common lines */
            at[1]++;
        }
        end = hunk_end(&s, i);
        put_hunk(&s, from, end, at, to);
        for (; done < end; done++) {
            at[0] += s.v[done].sign != '+';
            at[1] += s.v[done].sign != '-';
        }
        i = end - 1;
    }
    return true;
}
