/* SPDX-License-Identifier: Apache-2.0 */
/* bench_many.c: 1,024 starts of /bin/true, two at a time: in the sandbox, by ninja, and bare.
 *
 * usage: bench_many [TURNS]    the goal: in the sandbox no longer than by ninja, which starts each
 *                              through a shell and without any wall
 *
 * Time is what the processors spent on it, in all processes and in the kernel's own threads, which
 * take namespaces down afterwards: with both of two cores busy that is what a launch costs.
 */
#include <dirent.h>
#include <pthread.h>

#include "ground.h"
#include "launch.h"
#include "race.h"

enum { STARTS = 1024, THREADS = 2, TURNS = 5, TURNS_MOST = 99 };

static struct ground ground;

/* ---- what is measured ---- */

/* What the kernel's threads have used, in microseconds. */
static double ticks_of_kernel(void)
{
    DIR *d = opendir("/proc");
    double ticks = 0;

    assert(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        char path[300], text[600];
        const char *rest;
        FILE *f;
        long parent, user, system;
        size_t n;

        (void)snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        f = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (!f)
            continue;
        n = fread(text, 1, sizeof text - 1, f);
        (void)fclose(f);
        text[n] = '\0';
        rest = strrchr(text, ')');
        if (rest &&
            sscanf(rest, ") %*c %ld %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld %ld", &parent, &user,
                   &system) == 3 &&
            parent == 2)
            ticks += (double)(user + system);
    }
    (void)closedir(d);
    return ticks * 1e6 / (double)sysconf(_SC_CLK_TCK);
}

static double used_by(int who)
{
    struct rusage used;

    (void)getrusage(who, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

struct spent {
    double cpu, wall; /* microseconds */
};

static struct spent spent_now(void)
{
    return (struct spent){ used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN) + ticks_of_kernel(),
                           race_now() / 1e3 };
}

/* ---- contestants ---- */

static void by_threads(void *(*work)(void *), void *with)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        must(pthread_create(&threads[i], NULL, work, with) == 0, "a thread cannot be made");
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
}

static void *spawn_bare(void *unused)
{
    const char *argv[] = { "/bin/true", NULL };

    (void)unused;
    for (int i = 0; i < STARTS / THREADS; i++)
        must(ground_run(argv, (struct ground_io){ -1, -1 }, NULL) == 0, "/bin/true failed");
    return NULL;
}

static void *spawn_shell(void *unused)
{
    const char *argv[] = { "/bin/sh", "-c", "/bin/true", NULL };

    (void)unused;
    for (int i = 0; i < STARTS / THREADS; i++)
        must(ground_run(argv, (struct ground_io){ -1, -1 }, NULL) == 0, "/bin/sh failed");
    return NULL;
}

static void bare(void)
{
    by_threads(spawn_bare, NULL);
}

static void shell(void)
{
    by_threads(spawn_shell, NULL);
}

static void write_ninja(void)
{
    FILE *f = fopen("build.ninja", "we");

    assert(f);
    (void)fputs("rule t\n  command = /bin/true\n", f);
    for (int i = 0; i < STARTS; i++)
        (void)fprintf(f, "build o%d: t\n", i);
    (void)fclose(f);
}

static const char ninja_path[] = "/usr/bin/ninja";

static void ninja(void)
{
    const char *argv[] = { ninja_path, "-j2", "--quiet", NULL };

    must(ground_run(argv, (struct ground_io){ -1, -1 }, NULL) == 0, "ninja failed");
}

/* ---- the sandbox ---- */

static void *run_many(void *kept)
{
    for (int i = 0; i < STARTS / THREADS; i++)
        decide_and_launch(kept, ground.work);
    return NULL;
}

static void alone(void)
{
    by_threads(run_many, NULL);
}

static void with_kept(void)
{
    struct kept *kept = kept_new();

    by_threads(run_many, kept);
    kept_free(kept);
}

/* ---- the race ---- */

enum { NINJA, KEPT, ALONE, SHELL, BARE, CONTESTANTS };

static struct contestant {
    const char *name;
    void (*run)(void);
    double cpu[TURNS_MOST], wall[TURNS_MOST]; /* microseconds for one start */
} contestants[CONTESTANTS] = {
    [NINJA] = { "ninja -j2", ninja },
    [KEPT] = { "the sandbox, with what is kept", with_kept },
    [ALONE] = { "the sandbox, nothing kept", alone },
    [SHELL] = { "sh -c /bin/true, by posix_spawn", shell },
    [BARE] = { "/bin/true, by posix_spawn", bare },
};

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, race_by_size);
    return v[n / 2];
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : TURNS;
    size_t order[CONTESTANTS] = { 0, 1, 2, 3, 4 };
    double cpu[CONTESTANTS];

    must(turns > 0 && turns <= TURNS_MOST, "usage: bench_many [TURNS]");
    must(access(ninja_path, X_OK) == 0, "skipped: there is no ninja");
    ground_make(&ground, NULL);
    write_ninja();
    for (int t = 0; t < turns; t++) {
        race_shuffle(order, CONTESTANTS);
        for (size_t i = 0; i < CONTESTANTS; i++) {
            struct contestant *c = &contestants[order[i]];
            struct spent begin = spent_now(), end;

            c->run();
            end = spent_now();
            c->cpu[t] = (end.cpu - begin.cpu) / STARTS;
            c->wall[t] = (end.wall - begin.wall) / STARTS;
        }
    }
    printf("%d starts of /bin/true, two at a time: for one of them\n", STARTS);
    for (size_t i = 0; i < CONTESTANTS; i++) {
        cpu[i] = median(contestants[i].cpu, turns);
        printf("  %-36s %7.0f us of processors %6.2f x ninja, %7.0f us by the clock\n",
               contestants[i].name, cpu[i], cpu[i] / cpu[NINJA],
               median(contestants[i].wall, turns));
    }
    printf("  goal: at most 1 x ninja: %.2f x\n", cpu[KEPT] / cpu[NINJA]);
    (void)unlink("build.ninja");
    (void)unlink(".ninja_log");
    return 0;
}
