/* SPDX-License-Identifier: Apache-2.0 */
/* test_slots_many.c: many runs made ahead, and the death of any of them, or of their owner.
 *
 * usage: test_slots_many [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "sanitized.h"
#include "slots.h"

/* ---- many ---- */

struct neighbour {
    struct runs runs;
    int number;
};

static void *run_beside(void *self)
{
    struct neighbour *n = self;

    for (int i = 0; i < 5; i++) {
        char script[64], wanted[64];
        struct outcome out = { 0 };
        struct error e = { 0 };

        (void)snprintf(script, sizeof script, "echo %d.%d; exit %d", n->number, i, n->number);
        (void)snprintf(wanted, sizeof wanted, "%d.%d\n", n->number, i);
        if (!runs_try(&n->runs, world_real(), script, &out, &e) || out.exit_code != n->number ||
            !str_is(out.out.head, wanted))
            return n;
    }
    return NULL;
}

static void sixty_four_at_once(void **state)
{
    enum { MANY = 64 };
    static struct neighbour many[MANY];
    pthread_t threads[MANY];
    struct kept_count count;
    void *failed;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        many[i] = (struct neighbour){ .runs = r, .number = i };
        many[i].runs.a = (struct arena){ 0 };
        many[i].runs.limits.filesystem = &many[i].runs.filesystem;
        many[i].runs.limits.network = &many[i].runs.network;
        many[i].runs.limits.processes = &many[i].runs.processes;
        assert_int_equal(pthread_create(&threads[i], NULL, run_beside, &many[i]), 0);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
        arena_free(&many[i].runs.a);
    }
    count = kept_count(r.run.kept);
    assert_true(count.berths <= 8 && count.slots <= count.berths);
}

static long number_in(const char *path, const char *key)
{
    FILE *f = fopen(path, "re");
    char line[256];
    long n = -1;

    assert_non_null(f);
    while (n < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            n = strtol(line + strlen(key), NULL, 10);
    (void)fclose(f);
    return n;
}

static int open_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

static void a_thousand_runs_leave_no_more_than_ten(void **state)
{
    long before;
    int descriptors;

    (void)state;
    for (int i = 0; i < 10; i++) {
        arena_reset(&r.a);
        (void)printed(":");
    }
    before = number_in("/proc/self/status", "VmRSS:");
    descriptors = open_descriptors();
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(runs_do(&r, world_real(), "exit 7").exit_code, 7);
        arena_reset(&r.a);
    }
    if (!SANITIZED) /* it keeps what was freed */
        assert_true(number_in("/proc/self/status", "VmRSS:") < before + 4096);
    assert_true(open_descriptors() <=
                descriptors + 32); /* groups may be let go of, and made anew */
}

/* ---- death ---- */

static atomic_bool over;
static atomic_int kills;

/* Whose parent is that one, or whose parent's parent. */
static bool is_ours(pid_t pid, pid_t self)
{
    for (int i = 0; i < 2 && pid > 1; i++) {
        char path[64], text[512];
        FILE *f;
        size_t n;
        int parent = 0;
        const char *rest;

        (void)snprintf(path, sizeof path, "/proc/%d/stat", pid);
        f = fopen(path, "re");
        if (!f)
            return false;
        n = fread(text, 1, sizeof text - 1, f);
        (void)fclose(f);
        text[n] = '\0';
        rest = strrchr(text, ')');
        if (!rest || sscanf(rest, ") %*c %d", &parent) != 1)
            return false;
        if (parent == self)
            return true;
        pid = parent;
    }
    return false;
}

/* One of all those who stand below us, whoever that is. */
static void kill_one(unsigned chance)
{
    DIR *d = opendir("/proc");
    pid_t self = getpid(), found[256];
    size_t n = 0;

    assert_non_null(d);
    for (const struct dirent *entry; n < COUNT(found) && (entry = readdir(d));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid > 1 && is_ours(pid, self))
            found[n++] = pid;
    }
    (void)closedir(d);
    if (n > 0 && kill(found[chance % n], SIGKILL) == 0)
        kills++;
}

static void *kill_on(void *unused)
{
    unsigned chance = 1;

    (void)unused;
    while (!over) {
        chance = chance * 1664525 + 1013904223;
        kill_one(chance >> 16);
        for (unsigned i = chance >> 28; i > 0; i--)
            (void)sched_yield();
    }
    return NULL;
}

static void death_at_any_moment_gives_no_false_result(void **state)
{
    pthread_t killer;
    int whole = 0;

    (void)state;
    over = false;
    kills = 0;
    assert_int_equal(pthread_create(&killer, NULL, kill_on, NULL), 0);
    for (int i = 0; kills < 200 || i < 50; i++) {
        struct outcome out = { 0 };
        struct error e = { 0 };

        if (!runs_try(&r, world_real(), "echo whole; exit 5", &out, &e)) {
            assert_int_equal(e.code, CODE_LAYER_MISSING); /* nothing ran */
            continue;
        }
        if (out.cause == CAUSE_EXITED && out.exit_code == 5) {
            assert_true(str_is(out.out.head, "whole\n"));
            whole++;
        } else {
            assert_true(out.signal == SIGKILL || out.cause != CAUSE_EXITED);
        }
    }
    over = true;
    assert_int_equal(pthread_join(killer, NULL), 0);
    while (waitpid(-1, NULL, __WALL | WNOHANG) > 0) /* whom nobody could tell us of */
        ;
    for (int i = 0; i < 5; i++)
        assert_string_equal(printed("echo next"), "next\n");
    print_message("# %d kills, %d whole\n", kills, whole);
}

static bool tell(void *fd, struct error *e)
{
    (void)e;
    return write(*(int *)fd, "x", 1) == 1;
}

/* Whatever a dead owner leaves comes to us; here it has to come to an end. */
static void a_killed_owner_leaves_nobody(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        int told[2];
        pid_t pid;
        char x;

        assert_int_equal(pipe2(told, O_CLOEXEC), 0);
        pid = fork();
        if (pid == 0) {
            struct outcome out;
            struct error e;

            r.run.kept = kept_new();
            warm();
            r.run.permit = tell;
            r.run.permit_self = &told[1];
            (void)!runs_try(&r, world_real(), i % 2 ? ":" : "while :; do :; done", &out, &e);
            for (;;)
                (void)pause();
        }
        (void)close(told[1]);
        assert_int_equal(read(told[0], &x, 1), 1);
        assert_int_equal(kill(pid, SIGKILL), 0);
        while (waitpid(-1, NULL, __WALL) > 0)
            ;
        assert_int_equal(errno, ECHILD);
        (void)close(told[0]);
    }
    assert_string_equal(printed("echo next"), "next\n"); /* which also sweeps its groups */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_kept, end_slots)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        TEST(sixty_four_at_once),
        TEST(a_thousand_runs_leave_no_more_than_ten),
        TEST(death_at_any_moment_gives_no_false_result),
        TEST(a_killed_owner_leaves_nobody),
    };

    return cmocka_run_group_tests_name("slots_many", list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
