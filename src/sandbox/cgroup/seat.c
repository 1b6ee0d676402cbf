/* SPDX-License-Identifier: Apache-2.0 */
/* seat.c: which groups this process sits in, and where their directories are.
 *
 * /proc/self/cgroup tells the groups, /proc/self/mountinfo where hierarchies are mounted. In
 * containers a mount shows only a part of its hierarchy, so that the two must be fitted together:
 * a group /docker/abc/x under a mount whose root is /docker/abc lies at MOUNT/x. This is on the way
 * of every launch: each file is read once, into memory that is already there.
 */
#include "sandbox/cgroup/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/num.h"
#include "contract/codes.h"
#include "sandbox/mountinfo.h"

const char *const controller_names[CONTROLLER_NAMES] = {
    [CONTROLLER_MEMORY] = "memory",
    [CONTROLLER_PIDS] = "pids",
    [CONTROLLER_CPU] = "cpu",
    [CONTROLLER_TIME] = "cpuacct",
};

/* ---- text ---- */

unsigned controllers_in(struct str list, const char *between)
{
    unsigned set = 0;

    while (list.n) {
        struct str word = str_cut(&list, between);

        for (int i = 0; i < CONTROLLER_NAMES; i++)
            if (str_is(word, controller_names[i]))
                set |= 1U << i;
    }
    return set;
}

void controllers_text(unsigned set, char text[CONTROLLERS_TEXT])
{
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < CONTROLLER_NAMES; i++)
        if (set & 1U << i)
            n += (size_t)snprintf(text + n, CONTROLLERS_TEXT - n, "%s%s", n ? ", " : "",
                                  controller_names[i]);
}

/* ---- the groups ---- */

static bool read_text(struct cgroup_seats *s, struct str *out, struct error *e)
{
    _fd_ int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got;

    if (fd < 0)
        return error_sys(e, CODE_LAYER_MISSING, "/proc/self/cgroup cannot be opened");
    do {
        got = read(fd, s->text + n, sizeof s->text - n);
        n += got > 0 ? (size_t)got : 0;
    } while (got > 0 && n < sizeof s->text);
    if (got != 0)
        return error_set(e, CODE_LAYER_MISSING, "/proc/self/cgroup cannot be read whole");
    *out = (struct str){ s->text, n };
    return true;
}

static void add_seat(struct cgroup_seats *s, struct cgroup_seat seat)
{
    seat.fd = -1;
    s->seats[s->count++] = seat;
    s->missing &= ~seat.controllers;
}

static void leave_time(struct cgroup_seats *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->seats[i].controllers == 1U << CONTROLLER_TIME) {
            memmove(&s->seats[i], &s->seats[i + 1],
                    (size_t)(s->count - i - 1) * sizeof s->seats[i]);
            s->count--;
            return;
        }
}

/* A line is `8:memory:/group`; that of version 2 is `0::/group`. What version 1 has is not to be
 * had from version 2. */
static bool seat_groups(struct cgroup_seats *s, struct error *e)
{
    struct str text = { 0 }, unified = { 0 };

    if (!read_text(s, &text, e))
        return false;
    while (text.n) {
        struct str line = str_cut(&text, "\n"), id = str_cut(&line, ":");
        struct str list = str_cut(&line, ":");
        unsigned here = controllers_in(list, ",") & s->missing;

        if (str_is(id, "0"))
            unified = line;
        if (here)
            add_seat(s, (struct cgroup_seat){ .controllers = here, .group = line });
    }
    if (s->missing & 1U << CONTROLLER_CPU)
        leave_time(s); /* version 2 counts it with the rest */
    s->missing &= CONTROLLERS_ALL;
    if (s->missing && unified.n)
        add_seat(s,
                 (struct cgroup_seat){ .controllers = s->missing, .v2 = true, .group = unified });
    return true;
}

/* ---- the mounts ---- */

/* What is left of a group's path below the root of a mount. A group outside the namespace is shown
 * as /.. and fits no mount. */
static bool below(struct str group, const char *root, struct str *out)
{
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (str_is(group, "/.."))
        return false;
    if (str_begins(group, "/../") || group.n < n || memcmp(group.s, root, n) != 0)
        return false;
    *out = (struct str){ group.s + n, group.n - n };
    if (str_is(*out, "/"))
        out->n = 0;
    return out->n == 0 || out->s[0] == '/';
}

struct mount {
    dev_t device;
    char root[PATH_MAX], point[PATH_MAX];
};

/* The first mount that shows the group is taken. One that another mount hides opens something else
 * or nothing, which its device tells. */
static void seat_mount(struct cgroup_seat *seat, const struct mount *m)
{
    size_t point = strlen(m->point);
    struct str rest;
    struct stat st;

    if (!below(seat->group, m->root, &rest) || point + rest.n >= sizeof seat->dir)
        return;
    memcpy(seat->dir, m->point, point);
    memcpy(seat->dir + point, rest.s, rest.n);
    seat->dir[point + rest.n] = '\0';
    seat->fd = open(seat->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    seat->sys = seat->fd < 0 && errno != ENOENT && errno != ENOTDIR ? errno : 0;
    if (seat->fd >= 0 && (fstat(seat->fd, &st) != 0 || st.st_dev != m->device))
        own_close(&seat->fd);
    seat->levels = 0;
    for (size_t i = 0; i < rest.n; i++)
        seat->levels += rest.s[i] == '/';
}

static bool read_device(struct str text, dev_t *out)
{
    struct str major = str_cut(&text, ":");
    int64_t a, b;

    if (!num_int(major, &a) || !num_int(text, &b))
        return false;
    *out = makedev((unsigned)a, (unsigned)b);
    return true;
}

static void seat_line(struct cgroup_seats *s, const struct mountinfo *line, struct mount *m)
{
    bool v2 = str_is(line->type, "cgroup2");

    if ((!v2 && !str_is(line->type, "cgroup")) || !read_device(line->device, &m->device) ||
        !mountinfo_plain(line->root, m->root, sizeof m->root) ||
        !mountinfo_plain(line->point, m->point, sizeof m->point))
        return;
    for (int i = 0; i < s->count; i++) {
        struct cgroup_seat *seat = &s->seats[i];

        if (seat->fd < 0 && seat->v2 == v2 &&
            (v2 || controllers_in(line->options, ",") & seat->controllers))
            seat_mount(seat, m);
    }
}

/* All whole lines of a part; returns how much of it they were. */
static size_t seat_lines(struct cgroup_seats *s, struct str text, struct mount *m)
{
    const char *begin = text.s;

    while (memchr(text.s, '\n', text.n)) {
        struct str line = str_cut(&text, "\n");
        struct mountinfo info;

        if (memmem(line.s, line.n, " - cgroup", 9) && mountinfo_line(line, &info))
            seat_line(s, &info, m);
    }
    return (size_t)(text.s - begin);
}

static bool seat_mounts(struct cgroup_seats *s, struct error *e)
{
    _fd_ int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    struct mount m;
    char text[SEATS_TEXT];
    size_t have = 0;
    ssize_t got;

    if (fd < 0)
        return error_sys(e, CODE_LAYER_MISSING, "/proc/self/mountinfo cannot be opened");
    while ((got = read(fd, text + have, sizeof text - have)) > 0) {
        size_t done = seat_lines(s, (struct str){ text, have + (size_t)got }, &m);

        have += (size_t)got - done;
        memmove(text, text + done, have);
        if (have == sizeof text)
            have = 0; /* no cgroup has a line as long: let it go, its end is no line either */
    }
    return got == 0 || error_sys(e, CODE_LAYER_MISSING, "mountinfo cannot be read");
}

/* ---- both ---- */

bool cgroup_seats_find(struct cgroup_seats *out, struct error *e)
{
    out->count = 0;
    out->missing = CONTROLLERS_ALL | 1U << CONTROLLER_TIME;
    return seat_groups(out, e) && seat_mounts(out, e);
}

static bool is_same(const struct cgroup_seat *a, const struct cgroup_seat *b)
{
    return a->v2 == b->v2 && a->controllers == b->controllers && a->group.n == b->group.n &&
           memcmp(a->group.s, b->group.s, a->group.n) == 0;
}

bool cgroup_seats_again(const struct cgroup_seats *known, struct cgroup_seats *out)
{
    struct error unused;

    out->count = 0;
    out->missing = CONTROLLERS_ALL | 1U << CONTROLLER_TIME;
    if (!seat_groups(out, &unused) || out->count != known->count)
        return false;
    for (int i = 0; i < out->count; i++) {
        const struct cgroup_seat *from = &known->seats[i];
        struct cgroup_seat *to = &out->seats[i];

        if (!is_same(from, to) || from->fd < 0)
            return false;
        to->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
        if (to->fd < 0)
            return false;
        to->levels = from->levels;
        memcpy(to->dir, from->dir, strlen(from->dir) + 1);
    }
    return true;
}

bool cgroup_seat_seen(const struct cgroup_seat *seat, struct error *e)
{
    char names[CONTROLLERS_TEXT];

    controllers_text(seat->controllers, names);
    errno = seat->sys;
    if (seat->fd < 0 && seat->sys)
        return error_sys(e, CODE_LAYER_MISSING, "%s: %s cannot be opened", names, seat->dir);
    return seat->fd >= 0 ||
           error_set(e, CODE_LAYER_MISSING,
                     "%s: no mount shows the group '%.*s' of version %d; mount cgroups at "
                     "/sys/fs/cgroup",
                     names, STR_ARG(seat->group), seat->v2 ? 2 : 1);
}

void cgroup_seats_free(struct cgroup_seats *s)
{
    for (int i = 0; i < s->count; i++)
        own_close(&s->seats[i].fd);
}
