/* SPDX-License-Identifier: Apache-2.0 */
/* player.c: in place of the engine: plays a plan from a directory, so that what is shown of it can
 * be tested without running anything.
 *
 * The directory is WRIT_PLAY of the environment. It has plan.json, answer.json, and progress, which
 * is written line by line. In a line @NOW is the time. A line "!await NAME" waits until somebody
 * writes to the fifo of that name, "!force" until the plan's time is to be up, "!status N" sets
 * what writ_run() returns.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#include <writ/plans.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/world.h"

enum { FILE_MAX = 64 << 20 };

static const char *directory(const struct writ_plan *plan)
{
    for (const char *const *e = plan->environment; *e; e++)
        if (str_begins(str_of(*e), "WRIT_PLAY="))
            return *e + sizeof "WRIT_PLAY=" - 1;
    return ".";
}

static char *play_file(const struct writ_plan *plan, const char *name)
{
    _arena_ struct arena a = { 0 };
    struct str text;
    struct error e;

    if (!fs_read(arena_printf(&a, "%s/%s", directory(plan), name), FILE_MAX, &a, &text, &e))
        return strdup("{\"code\":\"IO\",\"message\":\"nothing to play\"}");
    return strndup(text.s, text.n);
}

static void await(const struct writ_plan *plan, struct str name)
{
    _arena_ struct arena a = { 0 };
    char byte;
    _fd_ int fd = open(arena_printf(&a, "%s/%.*s", directory(plan), STR_ARG(name)), O_RDONLY);

    while (read(fd, &byte, 1) > 0)
        ;
}

/* A line with the time in it, in one write as the engine does it. */
static void tell(const struct writ_plan *plan, struct str line)
{
    const struct world *w = world_real();
    _buf_ struct buf text = { .max = FILE_MAX };

    for (size_t i = 0; i < line.n; i++) {
        if (str_begins((struct str){ line.s + i, line.n - i }, "@NOW")) {
            buf_addf(&text, "%" PRId64, w->wall_ms(w->self));
            i += sizeof "@NOW" - 2;
        } else {
            buf_addc(&text, line.s[i]);
        }
    }
    buf_addc(&text, '\n');
    for (size_t at = 0; at < text.len;) {
        ssize_t n = write(plan->progress, text.s + at, text.len - at);

        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

static void play_line(const struct writ_plan *plan, struct str line, int *status)
{
    struct pollfd force = { .fd = plan->force, .events = POLLIN };

    if (str_begins(line, "!await "))
        await(plan, (struct str){ line.s + 7, line.n - 7 });
    else if (str_begins(line, "!force"))
        (void)poll(&force, 1, -1);
    else if (str_begins(line, "!status "))
        *status = (int)strtol(line.s + 8, NULL, 10);
    else if (plan->progress >= 0)
        tell(plan, line);
}

/* What the command line calls in place of the engine's. */
int __wrap_writ_plan_show(const struct writ_plan *plan, char **answer);
int __wrap_writ_plan_order(const struct writ_plan *plan, char **answer);
int __wrap_writ_run(const struct writ_plan *plan, char **answer);

int __wrap_writ_plan_show(const struct writ_plan *plan, char **answer)
{
    *answer = play_file(plan, "plan.json");
    return (*answer)[0] == '{' && strstr(*answer, "\"steps\"") ? WRIT_OK : WRIT_WRONG;
}

int __wrap_writ_plan_order(const struct writ_plan *plan, char **answer)
{
    *answer = play_file(plan, "order.json");
    return strstr(*answer, "\"problems\"") ? WRIT_WRONG : WRIT_OK;
}

int __wrap_writ_run(const struct writ_plan *plan, char **answer)
{
    _free_ char *progress = play_file(plan, "progress");
    int status = WRIT_OK;

    for (char *line = progress; *line;) {
        size_t n = strcspn(line, "\n");

        play_line(plan, (struct str){ line, n }, &status);
        line += n + (line[n] == '\n');
    }
    *answer = play_file(plan, "answer.json");
    return status;
}
