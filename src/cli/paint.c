/* SPDX-License-Identifier: Apache-2.0 */
/* paint.c: puts lines together, column by column. */
#include "cli/paint.h"

static size_t room_of(const struct paint *p)
{
    return p->edge > p->column ? p->edge - p->column : 0;
}

/* At most `width` columns of a text; how many it took. */
static size_t put(struct paint *p, enum colour colour, struct str text, size_t width)
{
    size_t room = room_of(p) < width ? room_of(p) : width, bytes;
    size_t used = print_measure(text, room, &bytes);
    bool cut = bytes < text.n;
    const char *escape = err_colour(colour);

    if (room == 0 || text.n == 0)
        return 0;
    if (cut)
        used = print_measure(text, room - 1, &bytes) + 1;
    buf_adds(&p->text, escape);
    print_safe(&p->text, (struct str){ text.s, bytes });
    if (cut)
        buf_adds(&p->text, "…");
    if (*escape)
        buf_adds(&p->text, "\033[0m");
    p->column += used;
    return used;
}

void paint_text(struct paint *p, enum colour colour, struct str text)
{
    (void)put(p, colour, text, SIZE_MAX);
}

void paint_word(struct paint *p, enum colour colour, const char *word)
{
    paint_text(p, colour, str_of(word));
}

void paint_mark(struct paint *p, enum colour colour, const char *mark)
{
    const char *escape = err_colour(colour);

    if (room_of(p) > 0) {
        buf_addf(&p->text, "%s%s%s", escape, mark, *escape ? "\033[0m" : "");
        p->column++;
    }
    paint_blanks(p, 1);
}

void paint_blanks(struct paint *p, size_t n)
{
    size_t room = room_of(p);

    n = n < room ? n : room;
    buf_addf(&p->text, "%*s", (int)n, "");
    p->column += n;
}

void paint_cell(struct paint *p, enum colour colour, struct str text, size_t width)
{
    paint_blanks(p, width - put(p, colour, text, width));
}

void paint_right(struct paint *p, enum colour colour, struct str text, size_t width)
{
    size_t columns = print_columns(text);

    paint_blanks(p, columns < width ? width - columns : 0);
    (void)put(p, colour, text, width);
}

void paint_folded(struct paint *p, enum colour colour, struct str text, size_t column, int most)
{
    size_t room = p->edge > column + 1 ? p->edge - column : 1;

    for (; text.n > 0 && most > 0; most--) {
        size_t n = most > 1 ? print_fold(text, room) : text.n;

        paint_blanks(p, column);
        paint_text(p, colour, (struct str){ text.s, n });
        paint_end(p);
        text = str_trim_start(str_from(text, n), " ");
    }
}

void paint_end(struct paint *p)
{
    buf_addc(&p->text, '\n');
    p->column = 0;
}

void paint_reset(struct paint *p)
{
    buf_reset(&p->text);
    p->column = 0;
}
