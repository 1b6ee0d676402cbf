/* SPDX-License-Identifier: Apache-2.0 */
/* bench_parts.c: what each part of a launch costs, and how parts are best put together.
 *
 * The first table is made inside this process: a row against the row it names, in microseconds.
 * The second starts a whole launcher from scratch, as a shell does. The median tells what it costs
 * on this machine now; a tenth of the turns took at most p10, which is nearer to a quiet machine.
 */
#include <linux/sched.h>
#include <sched.h>

#include "box_whole.h"
#include "ground.h"
#include "race.h"

#define MIN  (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID)
#define ROOT .namespaces = MIN, .root = ROOT_NEW

struct part {
    struct box box;
    const char *against; /* the name of the row it is compared with */
};

static char nothing_dynamic[PATH_MAX + 32], nothing_static[PATH_MAX + 32];

/* clang-format off */
static struct part parts[] = {
    { { "clone (vfork), exec, wait: /bin/true" }, NULL },
    { { "  a program linked dynamically, libc only", .program = nothing_dynamic }, "clone (vfork), exec, wait: /bin/true" },
    { { "  a program linked statically", .program = nothing_static }, "clone (vfork), exec, wait: /bin/true" },
    { { "  clone as fork does", .birth = BIRTH_FORK }, "clone (vfork), exec, wait: /bin/true" },
    { { "  two pipes, read to their ends", .capture = true }, "clone (vfork), exec, wait: /bin/true" },
    { { "  an init between", .init = true }, "clone (vfork), exec, wait: /bin/true" },
    { { "  landlock, 6 paths", .landlock = true }, "clone (vfork), exec, wait: /bin/true" },
    { { "  seccomp filter", .filter = true }, "clone (vfork), exec, wait: /bin/true" },
    { { "  seccomp filter of one instruction", .filter_one = true }, "clone (vfork), exec, wait: /bin/true" },
    { { "  bounding set, capabilities, rlimits", .powerless = true, .namespaces = CLONE_NEWUSER }, "ns: user" },
    { { "  cgroup v1: 3 made, limited, removed", .groups = GROUPS_MADE }, "clone (vfork), exec, wait: /bin/true" },
    { { "  cgroup v1: the same and entered (tasks)", .groups = GROUPS_TASKS }, "clone (vfork), exec, wait: /bin/true" },
    { { "  cgroup v2: made, cloned into, removed", .groups = GROUPS_UNIFIED }, "  clone as fork does" },
    { { "ns: user", .namespaces = CLONE_NEWUSER }, "clone (vfork), exec, wait: /bin/true" },
    { { "ns: user + mount", .namespaces = CLONE_NEWUSER | CLONE_NEWNS }, "ns: user" },
    { { "ns: user + pid", .namespaces = CLONE_NEWUSER | CLONE_NEWPID }, "ns: user" },
    { { "ns: user + ipc", .namespaces = CLONE_NEWUSER | CLONE_NEWIPC }, "ns: user" },
    { { "ns: user + uts", .namespaces = CLONE_NEWUSER | CLONE_NEWUTS }, "ns: user" },
    { { "ns: user + cgroup", .namespaces = CLONE_NEWUSER | CLONE_NEWCGROUP }, "ns: user" },
    { { "ns: user + net", .namespaces = CLONE_NEWUSER | CLONE_NEWNET }, "ns: user" },
    { { "ns: all but net", .namespaces = BOX_NAMESPACES, .net = NET_NONE }, "clone (vfork), exec, wait: /bin/true" },
    { { "ns: all", .namespaces = BOX_NAMESPACES }, "ns: all but net" },
    { { "setns to a kept net (root)", .net = NET_KEPT }, "clone (vfork), exec, wait: /bin/true" },
    { { "ns: user + mount + pid", .namespaces = MIN }, "clone (vfork), exec, wait: /bin/true" },
    { { "root: tmpfs, /usr and work, pivot", ROOT, .binds = 2 }, "ns: user + mount + pid" },
    { { "root: 10 binds", ROOT, .binds = 10 }, "root: tmpfs, /usr and work, pivot" },
    { { "root: 2 binds, 3 more tmpfs", ROOT, .binds = 2, .tmpfs = 3 }, "root: tmpfs, /usr and work, pivot" },
    { { "root: 2 binds, proc", ROOT, .binds = 2, .proc = true }, "root: tmpfs, /usr and work, pivot" },
    { { "root: 2 binds, proc subset=pid", ROOT, .binds = 2, .proc = true, .subset = true }, "root: tmpfs, /usr and work, pivot" },
    { { "root: all 14, new calls", .namespaces = MIN, BOX_FILES }, "ns: user + mount + pid" },
    { { "root: all 14, moved, not pivoted", .namespaces = MIN, BOX_FILES, .moved = true }, "ns: user + mount + pid" },
    { { "root: lean", .namespaces = MIN, BOX_FILES, .lean = true }, "ns: user + mount + pid" },
    { { "root: all 14, mount(2)", .namespaces = MIN, .root = ROOT_OLD, .binds = 10, .tmpfs = 2, .proc = true, .subset = true }, "ns: user + mount + pid" },
    { { "root and net: clone", .namespaces = MIN | CLONE_NEWNET, BOX_FILES }, "root: all 14, new calls" },
    { { "root and net: unshare", .namespaces = MIN | CLONE_NEWNET, BOX_FILES, .net = NET_UNSHARE }, "root: all 14, new calls" },
    { { "root and net: parallel", .namespaces = MIN | CLONE_NEWNET, BOX_FILES, .net = NET_PARALLEL }, "root: all 14, new calls" },
};
/* clang-format on */

enum {
    PARTS = sizeof parts / sizeof parts[0],
    WHOLES = sizeof whole_boxes / sizeof whole_boxes[0]
};

static char kept_net[64]; /* its file */
static struct runner runners[PARTS];
static size_t runner_count;

static void run_box(const void *box)
{
    int status = box_run(box);

    if (status != 0) {
        (void)fprintf(stderr, "%s: status %d\n", ((const struct box *)box)->name, status);
        exit(1);
    }
}

static double median_of(const char *name)
{
    for (size_t i = 0; i < runner_count; i++) {
        if (strcmp(runners[i].name, name) == 0)
            return race_median(&runners[i]);
    }
    return 0;
}

static void inside(void)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (!box_possible(&parts[i].box)) {
            printf("skipped here: %s\n", parts[i].box.name);
            continue;
        }
        runners[runner_count++] = (struct runner){ parts[i].box.name, NULL, run_box, &parts[i] };
    }
    race_measure(runners, runner_count, RACE_TURNS, 2);
    printf("the parts of a launch, inside one process\n");
    for (size_t i = 0; i < runner_count; i++) {
        const struct part *p = runners[i].with;
        double us = race_median(&runners[i]) / 1e3;

        printf("  %-44s %7.0f us (p10 %5.0f)", p->box.name, us, race_share(&runners[i], 10) / 1e3);
        if (p->against)
            printf(" %+7.0f us on '%s'", us - median_of(p->against) / 1e3,
                   p->against + strspn(p->against, " "));
        printf("\n");
    }
}

/* ---- whole launchers, process start included ---- */

static void run_program(const void *argv)
{
    int status = ground_run(argv, (struct ground_io){ -1, -1 }, NULL);

    if (status != 0) {
        (void)fprintf(stderr, "%s: status %d\n", ((const char *const *)argv)[1], status);
        exit(1);
    }
}

enum { OUTSIDE = WHOLES + 5 };

static struct runner whole[OUTSIDE];
static const char *argvs[OUTSIDE][4];
static char names[OUTSIDE][64];
static size_t whole_count;

static void enter(const char *how, const char *program, const struct box *b)
{
    const char **argv = argvs[whole_count];
    char *name = names[whole_count];

    if (b && !box_possible(b))
        return;
    (void)snprintf(name, sizeof names[0], "%s%s", how, b ? b->name : "");
    argv[0] = program;
    argv[1] = b ? b->name : NULL;
    argv[2] = b && b->net == NET_KEPT ? kept_net : NULL;
    whole[whole_count++] = (struct runner){ name, NULL, run_program, argv };
}

static void outside(const struct ground *g)
{
    static char once_static[PATH_MAX + 32], once_dynamic[PATH_MAX + 32];

    (void)snprintf(once_static, sizeof once_static, "%s/box_once_static", g->built);
    (void)snprintf(once_dynamic, sizeof once_dynamic, "%s/box_once", g->built);
    enter("/bin/true", "/bin/true", NULL);
    enter("a static program that does nothing", nothing_static, NULL);
    for (size_t i = 0; i < WHOLES; i++)
        enter("static: ", once_static, &whole_boxes[i]);
    enter("dynamic: ", once_dynamic, &whole_boxes[0]);
    enter("dynamic: ", once_dynamic, &whole_boxes[2]);
    race_measure(whole, whole_count, RACE_TURNS, 2);
    printf("a launcher of /bin/true that does nothing else, process start included\n");
    for (size_t i = 0; i < whole_count; i++) {
        printf("  %-44s %7.0f us (p10 %5.0f) %5.2f x the time of bare\n", whole[i].name,
               race_median(&whole[i]) / 1e3, race_share(&whole[i], 10) / 1e3,
               race_median(&whole[i]) / race_median(&whole[0]));
    }
}

int main(void)
{
    static struct ground ground;

    ground_make(&ground, NULL);
    (void)snprintf(nothing_dynamic, sizeof nothing_dynamic, "%s/nothing", ground.built);
    (void)snprintf(nothing_static, sizeof nothing_static, "%s/nothing_static", ground.built);
    box_prepare(ground.work);
    (void)atexit(box_forget);
    if (geteuid() == 0)
        (void)snprintf(kept_net, sizeof kept_net, "/proc/%d/fd/%d", (int)getpid(), box_keep_net());
    inside();
    outside(&ground);
    return 0;
}
