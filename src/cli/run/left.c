/* SPDX-License-Identifier: Apache-2.0 */
/* left.c: files, changes and lanes of a step, or of the steps of the inner plan that it is. */
#include "cli/run/left.h"

#include <inttypes.h>

#include "cli/entry_line.h"
#include "cli/lane_lines.h"

/* ---- of a step, or of those below it ---- */

/* `did` has the execution, `what` is the member that is looked at. */
typedef void show_what(struct str name, const struct doc *did, const struct doc *what,
                       struct line_list *lines);

/* The member is that of a command, or a list of what an inner plan's steps have, with their names.
 */
static void each(struct str name, const struct doc *did, const char *member, show_what *show,
                 struct line_list *lines)
{
    const struct doc *what = line_member(did, member);

    if (doc_first(what, DOC_MAP))
        show(name, did, what, lines);
    for (const struct doc *d = doc_first(what, DOC_LIST); d; d = d->next) {
        _buf_ struct buf inner = { .max = 1 << 12 };

        if (d->kind != DOC_MAP)
            continue;
        buf_addf(&inner, "%.*s/%.*s", STR_ARG(name), STR_ARG(doc_text(d, "step")));
        show(buf_str(&inner), d, d, lines);
    }
}

/* ---- lanes ---- */

/* Most run where they were meant to and are held as usual. */
static void show_lane(struct str name, const struct doc *did, const struct doc *lane,
                      struct line_list *lines)
{
    struct str from = doc_text(lane, "downgraded_from");
    _buf_ struct buf line = { .max = 1 << 16 };

    (void)did;
    buf_addf(&line, "%.*s: ", STR_ARG(name));
    if (from.n)
        buf_addf(&line, "route downgrade, %.*s to %.*s", STR_ARG(from),
                 STR_ARG(doc_text(lane, "route")));
    if (from.n && doc_first(doc_get(lane, "missing"), DOC_LIST))
        buf_adds(&line, "; ");
    lane_held_words(lane, &line);
    if (line.len > name.n + 2)
        line_list_add(lines, buf_str(&line));
}

void left_lane(struct str name, const struct doc *did, struct line_list *lines)
{
    each(name, did, "lane", show_lane, lines);
}

/* ---- files ---- */

void left_missed(struct str name, const struct doc *did, struct line_list *lines)
{
    static const char *const lists[] = { "output_files", "artifacts" };
    struct name_list missed = { .text.max = 1 << 20 };
    _buf_ struct buf text = { .max = 1 << 20 };

    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct doc *list = line_member(did, lists[i]);

        for (const struct doc *f = doc_first(list, DOC_LIST); f; f = f->next) {
            _buf_ struct buf file = { .max = 1 << 16 };
            struct str path = doc_text(f, "path"), state = doc_text(f, "state");

            buf_addf(&file, "%.*s (%.*s)", STR_ARG(path), STR_ARG(state));
            if (!str_is(state, "collected"))
                name_list_add(&missed, buf_str(&file));
        }
    }
    name_list_end(&missed);
    buf_addf(&text, "%.*s: %.*s", STR_ARG(name), STR_ARG(buf_str(&missed.text)));
    if (missed.n)
        line_list_add(lines, buf_str(&text));
    buf_free(&missed.text);
}

/* ---- changes ---- */

static void show_counts(struct str name, const struct doc *did, const struct doc *changes,
                        struct line_list *lines)
{
    static const char *const kinds[] = { "changed", "added", "deleted" };
    struct str id = line_short(doc_text(did, "execution_id"));
    _buf_ struct buf text = { .max = 1 << 10 }, line = { .max = 1 << 12 };

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (doc_whole(changes, kinds[i]))
            buf_addf(&text, "%s%" PRId64 " %s", text.len ? ", " : "", doc_whole(changes, kinds[i]),
                     kinds[i]);
    if (!text.len)
        return;
    buf_addf(&line, "%.*s: %s, not on the disk; see: writ diff %.*s; writ commit %.*s",
             STR_ARG(name), text.s, STR_ARG(id), STR_ARG(id));
    line_list_add(lines, buf_str(&line));
}

void left_changes(struct str name, const struct doc *did, struct line_list *lines)
{
    each(name, did, "changes", show_counts, lines);
}
