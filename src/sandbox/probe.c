/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c: tries the layers one by one.
 *
 * The namespaces are made alone first, so that each has its own word; then the stages of a real
 * launch are walked (probe_stages.c), and the lists that a process carries with it are entered.
 */
#include "sandbox/probe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "sandbox/kernel.h"
#include "sandbox/landlock.h"
#include "sandbox/prober.h"
#include "sandbox/trial.h"

enum { NOT_HELD = EPROTO }; /* a layer was entered and let something through */

/* clang-format off */
/* What Landlock learned later; the version that has it. */
static const struct {
    int version;
    const char *holds;
} landlock_news[] = {
    { 3, "truncation of files" },
    { 5, "controls of devices" },
    { 6, "signals and abstract sockets" },
};
/* clang-format on */

_Static_assert((int)FINDING_COUNT - (int)FINDING_MEMORY == CGROUP_LIMITED, "a row a controller");

/* ---- namespaces ---- */

static void try_namespaces(struct prober *p)
{
    for (size_t i = 0; i < NAMESPACES && !prober_lacks(p, LAYER_USER); i++) {
        struct ailment ill = { namespaces[i].layer, namespaces[i].name,
                               trial_namespace(&namespaces[i]) };

        if (ill.sys)
            prober_fails(p, prober_finding(ill.layer), &ill,
                         arena_printf(p->a, "no %s namespace can be made: %s", ill.where,
                                      error_words(ill.sys)));
    }
}

/* Some systems give the namespace and none of the rights that come with it. */
static int use_rights(const void *self)
{
    (void)self;
    return sethostname("writ", 4);
}

static void try_rights(struct prober *p)
{
    struct ailment ill = { LAYER_USER, "rights", 0 };

    if (prober_lacks(p, LAYER_USER))
        return;
    ill.sys = trial(CLONE_NEWUSER | CLONE_NEWUTS, use_rights, NULL);
    if (ill.sys)
        prober_fails(
            p, FINDING_USER, &ill,
            arena_printf(p->a, "a user namespace gives no rights: %s", error_words(ill.sys)));
}

/* ---- lists that a process carries with it ---- */

static int give_up_rights(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Entered with no path granted: the command's own file must be out of reach. */
static int use_landlock(const void *self)
{
    const struct prober *p = self;
    struct jail nothing = { 0 };
    _fd_ int fd = -1;

    if (give_up_rights() != 0 || landlock_enter(&nothing) != 0)
        return -1;
    fd = open(p->ask->program->real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == EACCES)
        return 0;
    errno = NOT_HELD;
    return -1;
}

const char *probe_landlock_gap(int version, struct arena *a)
{
    const char *gap = NULL;

    for (size_t i = 0; i < COUNT(landlock_news); i++)
        if (version < landlock_news[i].version)
            gap = gap ? arena_printf(a, "%s, %s", gap, landlock_news[i].holds)
                      : landlock_news[i].holds;
    return gap;
}

static void try_landlock(struct prober *p)
{
    int version = landlock_version();
    struct ailment ill = { LAYER_LANDLOCK, "landlock", version ? 0 : errno };
    const char *gap = probe_landlock_gap(version, p->a);

    if (version)
        ill.sys = trial(0, use_landlock, p);
    if (ill.sys) {
        prober_fails(p, FINDING_LANDLOCK, &ill,
                     ill.sys == NOT_HELD ? "entered, and did not hold" : error_words(ill.sys));
        return;
    }
    prober_passes(p, FINDING_LANDLOCK, arena_printf(p->a, "ABI %d", version));
    if (gap)
        p->out[FINDING_LANDLOCK] = (struct finding){
            .state = FINDING_WEAK,
            .detail = arena_printf(p->a, "ABI %d; only other layers hold %s", version, gap),
            .mend = "Use Linux 6.12 or newer.",
        };
}

/* Loaded with a listener, it must refuse what it refuses to every command. */
static int use_seccomp(const void *self)
{
    const struct prober *p = self;
    struct sock_fprog program = { p->jail->seccomp.count, p->jail->seccomp.code };
    _fd_ int fd = -1;

    if (give_up_rights() != 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                         SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) < 0)
        return -1;
    fd = socket(AF_NETLINK, SOCK_RAW, 0);
    if (fd < 0 && errno == EAFNOSUPPORT)
        return 0;
    errno = NOT_HELD;
    return -1;
}

static void try_seccomp(struct prober *p)
{
    struct ailment ill = { LAYER_SECCOMP, "seccomp", trial(0, use_seccomp, p) };

    if (ill.sys)
        prober_fails(p, FINDING_SECCOMP, &ill,
                     ill.sys == NOT_HELD
                         ? "loaded, and did not hold"
                         : arena_printf(p->a, "no filter can be loaded: %s", error_words(ill.sys)));
    else
        prober_passes(p, FINDING_SECCOMP, NULL);
}

/* ---- groups ---- */

static const char *sentence(const char *text, struct arena *a)
{
    char *copy = arena_text(a, str_of(text));

    copy[0] = (char)toupper((unsigned char)copy[0]);
    return copy;
}

/* "memory: why; what mends it" */
static void group_fails(struct prober *p, enum finding_of which, const struct cgroup_finding *f)
{
    const char *prefix = arena_printf(p->a, "%s: ", f->controller);
    const char *why = f->why + (str_begins(str_of(f->why), prefix) ? strlen(prefix) : 0);
    const char *mend = strstr(why, "; ");
    struct str before = { why, mend ? (size_t)(mend - why) : strlen(why) };

    p->out[which] = (struct finding){ .state = FINDING_ABSENT,
                                      .detail = arena_text(p->a, before),
                                      .mend = mend ? sentence(mend + strlen("; "), p->a)
                                                   : layers[LAYER_CGROUP].mend };
    p->absent |= 1U << LAYER_CGROUP;
}

/* In this process: a group of version 2 is only ours as long as we are alone in it. */
static void try_groups(struct prober *p)
{
    struct cgroup_finding found[CGROUP_LIMITED];
    bool mixed = false;

    cgroup_probe(found);
    for (size_t i = 1; i < CGROUP_LIMITED; i++)
        mixed =
            mixed || (found[0].kind && found[i].kind && strcmp(found[0].kind, found[i].kind) != 0);
    for (size_t i = 0; i < CGROUP_LIMITED; i++) {
        enum finding_of which = FINDING_MEMORY + (enum finding_of)i;

        if (found[i].kind)
            prober_passes(p, which,
                          arena_printf(p->a, "%s%s", found[i].kind, mixed ? " (hybrid)" : ""));
        else
            group_fails(p, which, &found[i]);
    }
}

/* ---- all of it ---- */

/* What could not be tried was kept from it by what is absent. */
static void close_gaps(struct prober *p)
{
    enum finding_of cause = prober_lacks(p, LAYER_USER) ? FINDING_USER : FINDING_PID;

    for (enum finding_of i = FINDING_USER; i <= FINDING_NET; i++) {
        if (i == FINDING_OWNERS || p->out[i].state != FINDING_NONE)
            continue;
        if (i == FINDING_USER)
            prober_passes(p, i, NULL);
        else
            p->out[i] = (struct finding){ .state = FINDING_ABSENT,
                                          .detail = arena_printf(p->a, "not tried: needs %s",
                                                                 finding_rows[cause].what) };
    }
}

void probe(const struct jail_ask *ask, struct arena *a, struct finding out[FINDING_COUNT])
{
    struct prober p = { .a = a,
                        .ask = ask,
                        .jail = arena_new(a, struct jail),
                        .around = surroundings_now(),
                        .out = out };

    memset(out, 0, FINDING_COUNT * sizeof *out);
    jail_build(ask, a, p.jail);
    try_namespaces(&p);
    try_rights(&p);
    probe_stages(&p);
    close_gaps(&p);
    try_landlock(&p);
    try_seccomp(&p);
    try_groups(&p);
}
