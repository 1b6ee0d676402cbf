/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.c: the public function that asks a lane to end. */
#include <writ/routes.h>

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/lane_home.h"
#include "engine/record.h"

enum { LEAST_CHARACTERS = 8, CANDIDATES_MAX = 16, REASON_MAX = 200 };

static const char prefix[] = "run-";

/* Lanes that may be meant. Those of steps have no directory: a plan ends them (A04-13). */
struct candidates {
    const char *v[CANDIDATES_MAX];
    size_t n;
};

/* what a manifest calls a run is in lower case, whatever its execution was called. */
static void find(const char *all, const char *begins, struct arena *a, struct candidates *out)
{
    DIR *d = opendir(all);
    const struct dirent *entry;

    while (d && out->n < CANDIDATES_MAX && (entry = readdir(d)))
        if (strncasecmp(entry->d_name, begins, strlen(begins)) == 0)
            out->v[out->n++] = arena_text(a, str_of(entry->d_name));
    if (d)
        (void)closedir(d);
}

/* Who gives a whole id means that lane, whatever others begin with it. */
static bool find_exact(const char *all, const char *id, struct arena *a, struct candidates *out)
{
    const char *name = arena_printf(a, "%s%s", prefix, home_part(str_of(id), a));

    if (access(arena_printf(a, "%s/%s", all, name), F_OK) != 0)
        return false;
    out->v[out->n++] = name;
    return true;
}

/* Of a run's name or of its execution id. False: no lane has so short a name. */
static bool find_any(const char *all, const char *run, const char *id, struct arena *a,
                     struct candidates *out)
{
    if (find_exact(all, id, a, out) || (id != run && find_exact(all, run, a, out)))
        return true;
    if (strlen(id) < LEAST_CHARACTERS || strchr(id, '/'))
        return false;
    find(all, arena_printf(a, "%s%s", prefix, id), a, out);
    return true;
}

static int no(const struct candidates *found, char **answer, const char *message)
{
    _buf_ struct buf to = { .max = 1 << 16 };

    json_open(&to, '{');
    json_put(&to, "code", codes[CODE_LANE_NOT_RUNNING].name);
    json_put(&to, "message", message);
    json_key(&to, "candidates");
    json_open(&to, '[');
    for (size_t i = 0; i < found->n; i++)
        json_text(&to, str_of(found->v[i]));
    json_close(&to, ']');
    json_close(&to, '}');
    return take_answer(&to, WRIT_NO, answer);
}

/* As much of a reason as is passed on, in whole characters. */
static size_t bytes_of(const char *reason)
{
    size_t n = strnlen(reason, REASON_MAX + 1);

    if (n <= REASON_MAX)
        return n;
    for (n = REASON_MAX; n > 0 && ((unsigned char)reason[n] & 0xC0) == 0x80;) /* inside of one */
        n--;
    return n;
}

/* Who does not run any more has left its name at most: nobody reads there. Who asks once is heard
 * once, however many lines his reason has. */
static bool ask(const char *pipe, const char *reason, struct arena *a)
{
    char *line =
        arena_printf(a, "%.*s\n", (int)bytes_of(reason ? reason : ""), reason ? reason : "");
    _fd_ int fd = open(pipe, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

    for (char *at = strchr(line, '\n'); at[1]; at = strchr(at, '\n'))
        *at = ' ';
    return fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line);
}

int writ_cancel(const char *run, const char *reason, const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf to = { .max = 4096 };
    const char *state = home_state(environment, &a), *all, *id;
    struct candidates found = { 0 };

    if (!given(run, "run", answer))
        return WRIT_USAGE;
    id = strncmp(run, prefix, strlen(prefix)) == 0 ? run + strlen(prefix) : run;
    if (!state) {
        *answer = record_failure(CODE_IO, "there is no place where lanes are told of: set "
                                          "WRIT_STATE, XDG_STATE_HOME or HOME");
        return WRIT_UNAVAILABLE;
    }
    all = lane_home_all(state, &a);
    if (!find_any(all, run, id, &a, &found))
        return no(&found, answer,
                  arena_printf(&a, "%s names no lane; give 8 characters of its id or more",
                               said(str_of(run), &a)));
    if (found.n == 0)
        return no(&found, answer, arena_printf(&a, "there is no lane %s", said(str_of(run), &a)));
    if (found.n > 1)
        return no(&found, answer,
                  arena_printf(&a, "%s is the beginning of several lanes", said(str_of(run), &a)));
    if (!ask(arena_printf(&a, "%s/%s/cancel", all, found.v[0]), reason, &a))
        return no(&found, answer,
                  arena_printf(&a, "%s does not run; `writ show %s` tells how it ended", found.v[0],
                               found.v[0] + strlen(prefix)));
    json_open(&to, '{');
    json_put(&to, "run_id", found.v[0]);
    json_put_bool(&to, "asked", true);
    json_close(&to, '}');
    return take_answer(&to, WRIT_OK, answer);
}
