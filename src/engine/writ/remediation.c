/* SPDX-License-Identifier: Apache-2.0 */
/* remediation.c: the public function that lists what is left to be mended after lanes that failed,
 * and closes it (R-000-066). */
#include <writ/routes.h>

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/lane_home.h"
#include "engine/record.h"

enum { FILE_MOST = 1 << 20 };

/* NULL: there is none, or it is not one of ours. */
static const struct doc *remediation_read(const char *path, struct arena *a, struct error *e)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct str text;

    if (!fs_read_file(path, FILE_MOST, a, &text, e) ||
        !json_read("remediation", text, &max, a, &document, e))
        return NULL;
    return doc_text(&document->root, "status").n ? &document->root : NULL;
}

static const char *path_of(const char *all, const char *run, struct arena *a)
{
    return arena_printf(a, "%s/%s/remediation.json", all, run);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The open ones, in the order of their runs' names. */
static void put_open(const char *all, struct arena *a, struct buf *to)
{
    const char **names = NULL;
    size_t n = 0, room = 0;
    DIR *d = opendir(all);
    const struct dirent *entry;

    while (d && (entry = readdir(d))) {
        if (!str_begins(str_of(entry->d_name), "run-"))
            continue;
        names = arena_more(a, names, n, &room, sizeof *names);
        names[n++] = arena_text(a, str_of(entry->d_name));
    }
    if (d)
        (void)closedir(d);
    if (n)
        qsort(names, n, sizeof *names, by_name);
    json_open(to, '{');
    json_key(to, "remediations");
    json_open(to, '[');
    for (size_t i = 0; i < n; i++) {
        _arena_ struct arena scratch = { 0 };
        struct error ignored;
        const struct doc *found =
            remediation_read(path_of(all, names[i], &scratch), &scratch, &ignored);

        if (found && str_is(doc_text(found, "status"), "open"))
            json_doc(to, found);
    }
    json_close(to, ']');
    json_close(to, '}');
}

static void put_closed(const struct doc *found, const char *reason, struct arena *a, struct buf *to)
{
    const struct world *w = world_real();
    char at[STAMP_TEXT];

    stamp_text(w->wall_ms(w->self), at);
    json_open(to, '{');
    for (const struct doc *m = found->first; m; m = m->next) {
        if (str_is(m->key, "status")) {
            json_put(to, "status", "closed");
            continue;
        }
        json_key(to, arena_text(a, m->key));
        json_doc(to, m);
    }
    json_put(to, "closed_at", at);
    json_put_int(to, "closed_by_uid", geteuid());
    json_put_outside(to, "reason", str_of(reason));
    json_close(to, '}');
}

static int no(enum code code, const char *message, int status, char **answer)
{
    *answer = record_failure(code, message);
    return status;
}

static int show_or_close(const char *path, const char *reason, struct arena *a, char **answer)
{
    _buf_ struct buf to = { .max = FILE_MOST };
    struct error e = { 0 };
    const struct doc *found = remediation_read(path, a, &e);

    if (!found)
        return no(
            CODE_ENTRY_UNKNOWN,
            "this run has left no remediation; `writ route remediation` lists those that are open",
            WRIT_NO, answer);
    if (!reason) {
        json_doc(&to, found);
        return take_answer(&to, WRIT_OK, answer);
    }
    if (!str_is(doc_text(found, "status"), "open"))
        return no(CODE_USAGE, "it is closed already", WRIT_NO, answer);
    put_closed(found, reason, a, &to);
    buf_addc(&to, '\n');
    if (!buf_ok(&to) || !fs_write(path, buf_str(&to), &e))
        return no(CODE_IO, e.msg, WRIT_UNRECORDED, answer);
    to.s[--to.len] = '\0';
    return take_answer(&to, WRIT_OK, answer);
}

int writ_remediation(const char *run, const char *reason, const char *const *environment,
                     char **answer)
{
    _arena_ struct arena a = { 0 };
    const char *state = home_state(environment, &a), *all;

    if (reason && !given(run, "run", answer))
        return WRIT_USAGE;
    if (reason && !*reason)
        return no(CODE_USAGE, "a remediation is closed with a reason, and this one is empty",
                  WRIT_USAGE, answer);
    if (!state)
        return no(CODE_IO,
                  "there is no place where lanes are told of: set WRIT_STATE, "
                  "XDG_STATE_HOME or HOME",
                  WRIT_UNAVAILABLE, answer);
    all = lane_home_all(state, &a);
    if (!run) {
        _buf_ struct buf to = { .max = ANSWER_MAX };

        put_open(all, &a, &to);
        return take_answer(&to, WRIT_OK, answer);
    }
    run = str_begins(str_of(run), "run-") ? run + strlen("run-") : run;
    return show_or_close(path_of(all, arena_printf(&a, "run-%s", home_part(str_of(run), &a)), &a),
                         reason, &a, answer);
}
