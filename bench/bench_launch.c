/* SPDX-License-Identifier: Apache-2.0 */
/* bench_launch.c: `writ exec -- /bin/true`, from the start of writ to its end, against the bare
 * program and against bubblewrap with the same mounts, alone and two at once.
 *
 * usage: bench_launch [WRIT]    the goals: at most 2.75 times the bare start, at least 3 times
 *                               faster than bubblewrap with a filter, alone and two at once
 */
#include <signal.h>
#include <sys/mman.h>

#include "filter.h"
#include "ground.h"
#include "race.h"

enum { CALLS = 5, SHELL_LAUNCHES = 10, ROUNDS = 7, LAUNCHERS = 2, WORDS = 48 };

struct contestant {
    const char *name;
    const char *argv[WORDS];
    bool filtered; /* bubblewrap reads the filter from a descriptor, at each start */
};

enum { BARE, WRIT, BWRAP_FILTER, BWRAP, CONTESTANTS };

static struct ground ground;
static struct contestant contestants[CONTESTANTS];
static size_t order[CONTESTANTS], order_count; /* who is here */
static char filter_path[] = "filter.bpf", filter_word[16];
static int filter_fd = -1;

/* ---- who takes part ---- */

static void enter(int which, const char *name, const char *const *words, bool filtered)
{
    struct contestant *c = &contestants[which];
    size_t n = 0;

    c->name = name;
    c->filtered = filtered;
    for (; words[n]; n++)
        c->argv[n] = words[n];
    if (filtered) {
        c->argv[n++] = "--seccomp";
        c->argv[n++] = filter_word;
    }
    if (which != BARE)
        c->argv[n++] = "--";
    c->argv[n] = "/bin/true";
    order[order_count++] = (size_t)which;
}

/* A description of its own: its offset is moved by who reads it. */
static int filter_open(void)
{
    int fd = open(filter_path, O_RDONLY | O_CLOEXEC);

    assert(fd >= 0);
    return fd;
}

static void enter_bubblewrap(void)
{
    const char *const words[] = {
        "/usr/bin/bwrap", "--unshare-all", "--die-with-parent",
        "--ro-bind",      "/usr",          "/usr",
        "--ro-bind",      "/etc",          "/etc",
        "--symlink",      "usr/bin",       "/bin",
        "--symlink",      "usr/sbin",      "/sbin",
        "--symlink",      "usr/lib",       "/lib",
        "--symlink",      "usr/lib64",     "/lib64",
        "--proc",         "/proc",         "--dev",
        "/dev",           "--tmpfs",       "/tmp",
        "--bind",         ground.work,     ground.work,
        "--ro-bind",      ".git/hooks",    ground.hooks,
        "--ro-bind",      ".git/config",   ground.config,
        "--chdir",        ground.work,     NULL,
    };
    struct filter filter;
    FILE *f = fopen(filter_path, "we");

    assert(f);
    filter_build(&filter);
    (void)fwrite(filter.code, sizeof filter.code[0], filter.n, f);
    (void)fclose(f);
    filter_fd = filter_open();
    (void)snprintf(filter_word, sizeof filter_word, "%d", filter_fd);
    if (access(words[0], X_OK) < 0) {
        printf("  skipped: bubblewrap (not installed)\n");
        return;
    }
    enter(BWRAP_FILTER, "bubblewrap, with a seccomp filter", words, true);
    enter(BWRAP, "bubblewrap, without", words, false);
}

/* ---- one launch ---- */

static void launch(const void *with)
{
    const struct contestant *c = with;
    struct ground_io io = { -1, c->filtered ? filter_fd : -1 };
    int status;

    if (c->filtered)
        (void)lseek(filter_fd, 0, SEEK_SET);
    status = ground_run(c->argv, io, NULL);
    if (status != 0) {
        (void)fprintf(stderr, "%s: status %d\n", c->name, status);
        exit(1);
    }
}

static void compare(const char *what, const double times[CONTESTANTS])
{
    if (times[WRIT] <= 0)
        return;
    printf("  goal, %s: at most 2.75 x the time of bare: %.2f x\n", what,
           times[WRIT] / times[BARE]);
    if (times[BWRAP_FILTER] > 0)
        printf("  goal, %s: at least 3 x faster than bubblewrap with a filter: %.2f x\n", what,
               times[BWRAP_FILTER] / times[WRIT]);
}

static void print_times(const double times[CONTESTANTS])
{
    for (size_t i = 0; i < order_count; i++)
        printf("  %-44s %7.0f us %7.2f x the time of bare\n", contestants[order[i]].name,
               times[order[i]] / 1e3, times[order[i]] / times[BARE]);
}

static void alone(void)
{
    static struct runner runners[CONTESTANTS];
    double times[CONTESTANTS] = { 0 };

    for (size_t i = 0; i < order_count; i++)
        runners[i] = (struct runner){ .run_with = launch, .with = &contestants[order[i]] };
    race_measure(runners, order_count, RACE_TURNS, CALLS);
    for (size_t i = 0; i < order_count; i++)
        times[order[i]] = race_median(&runners[i]);
    printf("a launch of /bin/true, by posix_spawn, process start included\n");
    print_times(times);
    compare("alone", times);
}

/* ---- the same, typed at a shell ---- */

static void run_shell(const void *script)
{
    const char *argv[] = { "/bin/sh", "-c", script, NULL };

    if (ground_run(argv, (struct ground_io){ -1, -1 }, NULL) != 0) {
        (void)fprintf(stderr, "status of: %s\n", (const char *)script);
        exit(1);
    }
}

static void write_script(const struct contestant *c, char *script, size_t room)
{
    size_t n = (size_t)snprintf(script, room, "for i in 1 2 3 4 5 6 7 8 9 10; do");

    for (size_t i = 0; c && c->argv[i]; i++)
        n += (size_t)snprintf(script + n, room - n, " '%s'", c->argv[i]);
    if (c && c->filtered)
        n += (size_t)snprintf(script + n, room - n, " %d<%s", filter_fd, filter_path);
    (void)snprintf(script + n, room - n, "%s || exit 1; done", c ? "" : " :");
}

/* The shell's own start and loop are measured too, and taken off. */
static void from_shell(void)
{
    static struct runner runners[CONTESTANTS + 1];
    static char scripts[CONTESTANTS + 1][2000];
    double times[CONTESTANTS] = { 0 }, shell;
    size_t n = order_count;

    for (size_t i = 0; i <= n; i++) {
        write_script(i < n ? &contestants[order[i]] : NULL, scripts[i], sizeof scripts[i]);
        runners[i] = (struct runner){ .run_with = run_shell, .with = scripts[i] };
    }
    race_measure(runners, n + 1, RACE_TURNS / 2, 1);
    shell = race_median(&runners[n]);
    for (size_t i = 0; i < n; i++)
        times[order[i]] = (race_median(&runners[i]) - shell) / SHELL_LAUNCHES;
    printf("the same from a shell's loop, less the loop\n");
    print_times(times);
    compare("from a shell", times);
}

/* ---- two launchers at once ---- */

static long count_launches(const struct contestant *c, double seconds)
{
    double end = race_now() + seconds * 1e9;
    long n = 0;

    for (; race_now() < end; n++)
        launch(c);
    return n;
}

/* Launches in a second, by all launchers together. */
static double launch_rate(const struct contestant *c)
{
    long *counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double begin = race_now(), total = 0;
    int failed = 0, status;

    assert(counts != MAP_FAILED);
    for (int i = 0; i < LAUNCHERS; i++) {
        if (fork() == 0) {
            (void)dup3(filter_open(), filter_fd, O_CLOEXEC);
            counts[i] = count_launches(c, 0.7);
            _exit(0);
        }
    }
    for (int i = 0; i < LAUNCHERS; i++)
        failed += wait(&status) < 0 || status != 0;
    for (int i = 0; i < LAUNCHERS; i++)
        total += (double)counts[i];
    (void)munmap(counts, 4096);
    assert(failed == 0);
    return total / (race_now() - begin) * 1e9;
}

static void at_once(void)
{
    double rates[CONTESTANTS][ROUNDS], median[CONTESTANTS] = { 0 };

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < order_count; i++)
            rates[order[i]][round] = launch_rate(&contestants[order[i]]);
    }
    printf("two launchers at once\n");
    for (size_t i = 0; i < order_count; i++) {
        qsort(rates[order[i]], ROUNDS, sizeof rates[0][0], race_by_size);
        median[order[i]] = rates[order[i]][ROUNDS / 2];
        printf("  %-44s %7.0f a second\n", contestants[order[i]].name, median[order[i]]);
    }
    if (median[WRIT] > 0 && median[BWRAP_FILTER] > 0)
        printf("  goal, two at once: at least 3 x bubblewrap with a filter: %.2f x\n",
               median[WRIT] / median[BWRAP_FILTER]);
}

int main(int argc, char **argv)
{
    const char *const nobody[] = { NULL }, *const writ[] = { ground.writ, "exec", NULL };

    ground_make(&ground, argc > 1 ? argv[1] : NULL);
    enter(BARE, "bare", nobody, false);
    if (ground_has_exec(&ground))
        enter(WRIT, "writ exec", writ, false);
    enter_bubblewrap();
    alone();
    from_shell();
    at_once();
    return 0;
}
