/* SPDX-License-Identifier: Apache-2.0 */
/* formerly.c: keeps, and looks up, which ledger was at a place.
 *
 * A file has two places: the path by which it was asked for, and the one it really has. By the
 * first a link that was bent to another file is found, by the second the same file under another
 * path.
 */
#include "engine/formerly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "contract/codes.h"

enum { PLACES = 2, PLACE_MAX = 64 << 10 };

/* ---- places ---- */

/* Of the options of an address those that tell which database it is: a password does not. */
static const char *database(const char *address, const char *shown, struct arena *a)
{
    static const char *const telling[] = { "host=", "hostaddr=", "port=",  "dbname=",
                                           "user=", "service=",  "schema=" };
    struct str options = str_of(address + strcspn(address, "?"));
    const char *place = shown;

    options = str_from(options, options.n ? 1 : 0);
    while (options.n) {
        struct str option = str_cut(&options, "&");

        for (size_t i = 0; i < COUNT(telling); i++)
            if (str_begins(option, telling[i]))
                place = arena_printf(a, "%s&%.*s", place, STR_ARG(option));
    }
    return place;
}

static const char *path_asked(const char *path, struct arena *a)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    const char *whole = here ? arena_printf(a, "%s/%s", here, path) : path;

    free(here);
    return whole;
}

static size_t places_of(const struct writ_ledger *w, struct arena *a, const char *out[PLACES])
{
    char *real;

    if (w->l.keep.kind->scheme) {
        out[0] = database(w->address, w->where, a);
        return 1;
    }
    out[0] = path_asked(w->address, a);
    real = realpath(w->address, NULL);
    out[1] = real ? arena_text(a, str_of(real)) : out[0];
    free(real);
    return strcmp(out[0], out[1]) == 0 ? 1 : 2;
}

/* The name of the file that is kept about a place. */
static const char *kept_as(const char *place, struct arena *a)
{
    struct digest d = digest_of(place, strlen(place));
    char text[DIGEST_TEXT];

    digest_text(&d, text);
    return arena_printf(a, "at-%s", strchr(text, ':') + 1);
}

static const char *path_of(const struct writ_ledger *w, const char *file, struct arena *a)
{
    return arena_printf(a, "%s/checkpoints/%s", w->state, file);
}

/* ---- what is known of them ---- */

/* The first line is the name; the place follows, for people. */
static bool name_in(const char *file, struct arena *a, const char **out, struct error *e)
{
    struct str text, line;

    *out = NULL;
    if (!fs_read_file(file, PLACE_MAX, a, &text, e))
        return e->sys == ENOENT || e->sys == ENOTDIR ||
               error_wrap(e, "'%.200s', which says what ledger is here", file);
    line = str_cut(&text, "\n");
    if (line.n != UUID_TEXT - 1 || !str_only(line, "0123456789abcdef-"))
        return error_set(e, CODE_IO,
                         "'%.200s' does not say what ledger is here, as writ writes it: find out "
                         "who changed it; where it is removed, writ checkpoint makes it anew",
                         file);
    *out = arena_text(a, line);
    return true;
}

bool formerly_known(const struct writ_ledger *w, const char *name, struct arena *a,
                    struct formerly *out, struct error *e)
{
    const char *places[PLACES];
    size_t n = w->state ? places_of(w, a, places) : 0;
    struct formerly found = { 0 };

    for (size_t i = 0; i < n; i++) {
        const char *file = kept_as(places[i], a), *other;

        if (!name_in(path_of(w, file, a), a, &other, e))
            return false;
        if (!other || strcmp(other, name) == 0)
            continue;
        found.files = found.name ? arena_printf(a, "%s and %s", found.files, file) : file;
        found.name = found.name ? found.name : other;
    }
    if (found.name)
        found.files = arena_printf(a, "%s in '%s/checkpoints'", found.files, w->state);
    *out = found;
    return true;
}

const char *formerly_said(const struct formerly *f, const char *name, struct arena *a)
{
    return arena_printf(a,
                        "the ledger that was last signed at this place is %s, and this one says "
                        "it is %s: it was renamed, or another was put in its place; if you did "
                        "that yourself, remove %s",
                        f->name, name, f->files);
}

bool formerly_keep(const struct writ_ledger *w, const char *name, struct arena *a, struct error *e)
{
    const char *places[PLACES];
    size_t n = places_of(w, a, places);

    for (size_t i = 0; i < n; i++) {
        const char *text = arena_printf(a, "%s\n%s\n", name, places[i]);

        if (!fs_write(path_of(w, kept_as(places[i], a), a), str_of(text), e))
            return false;
    }
    return true;
}
