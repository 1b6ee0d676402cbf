/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h: programs in real workers, for tests; as root and as an ordinary user.
 *
 * The tests run in a directory of their own, in an environment that is full of what an executor
 * must not see.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/pure.h"

enum { WORKERS_NOBODY = 65534, WORKERS_MAX = 32 }; /* tests, and workers of one test */

static struct {
    struct arena a;
    const char *worker;
    char dir[64];
    struct pure *started[WORKERS_MAX];
    size_t count;
} workers;

static inline void workers_write(const char *name, const char *text)
{
    FILE *f = fopen(name, "we");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline struct call_program workers_program(const char *text)
{
    workers_write("program", text);
    return (struct call_program){
        .id = "test",
        .file = "program",
        .worker = workers.worker,
        .world = world_real(),
        .bounds = { .timeout_ms = 20000, .output_bytes = 1 << 20, .memory_bytes = 64 << 20 },
    };
}

static inline struct pure *workers_start(const char *kind, const struct call_program *program)
{
    struct error e = { 0 };
    struct pure *p;

    if (!pure_start(kind, program, &workers.a, &p, &e))
        fail_msg("%s", e.msg);
    assert_true(workers.count < WORKERS_MAX);
    workers.started[workers.count++] = p;
    return p;
}

static inline struct call workers_call(struct pure *p, const char *payload)
{
    struct call call = { .payload = str_of(payload), .end = (enum call_end) - 1 };

    pure_calls(p, &call, 1, &workers.a);
    return call;
}

static inline void workers_expect(struct pure *p, const char *payload, const char *output)
{
    struct call call = workers_call(p, payload);

    assert_int_equal(call.end, CALL_OUTPUT);
    assert_null(call.detail);
    assert_string_equal(call.text.s, output);
}

/* Everything was waited for. A test that failed leaves its workers to the teardown, so that the
 * next one begins without them. */
static inline int workers_teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < workers.count; i++)
        pure_stop(workers.started[i]);
    workers.count = 0;
    assert_int_equal(chdir(workers.dir), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    arena_free(&workers.a);
    return 0;
}

static inline void workers_leave(void)
{
    DIR *d = opendir(workers.dir);
    const struct dirent *entry;

    while (d && (entry = readdir(d)))
        (void)unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        (void)closedir(d);
    (void)rmdir(workers.dir);
}

static inline void workers_tempt(void)
{
    assert_int_equal(setenv("SECRET", "leak", 1), 0);
    assert_int_equal(setenv("HOME", workers.dir, 1), 0);
    assert_int_equal(setenv("TZ", "Asia/Tokyo", 1), 0);
    assert_int_equal(setenv("LC_ALL", "C.UTF-8", 1), 0);
    assert_int_equal(setenv("JQ_COLORS", "4;31", 1), 0);
    assert_int_equal(setenv("LD_BIND_NOW", "1", 1), 0);
    workers_write(".jq", "def leak: \"leak\";");
    workers_write("leak.jq", "def leak: \"leak\";");
    workers_write("leak.json", "\"leak\"");
}

/* Runs the tests: program WORKER [--user]. */
static inline int workers_run(int argc, char **argv, const struct CMUnitTest *list, size_t n)
{
    struct CMUnitTest tests[WORKERS_MAX];
    int failed;

    assert_true(argc > 1 && n <= WORKERS_MAX);
    workers.worker = realpath(argv[1], NULL);
    assert_non_null(workers.worker);
    if (argc > 2 && (setresgid(WORKERS_NOBODY, WORKERS_NOBODY, WORKERS_NOBODY) != 0 ||
                     setresuid(WORKERS_NOBODY, WORKERS_NOBODY, WORKERS_NOBODY) != 0)) {
        (void)printf("1..0 # SKIP only root can become somebody else\n");
        return 0;
    }
    if (access(workers.worker, X_OK) != 0) {
        (void)printf("1..0 # SKIP the worker is not for everybody's eyes\n");
        return 0;
    }
    (void)strcpy(workers.dir, "/tmp/writ-pure-XXXXXX");
    assert_non_null(mkdtemp(workers.dir));
    assert_int_equal(chdir(workers.dir), 0);
    workers_tempt();
    memcpy(tests, list, n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        tests[i].teardown_func = workers_teardown;
    failed = _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
    workers_leave();
    free((char *)workers.worker);
    return failed;
}
