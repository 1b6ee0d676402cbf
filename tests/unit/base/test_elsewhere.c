/* SPDX-License-Identifier: Apache-2.0 */
/* test_elsewhere.c: who begins elsewhere may go wherever we may, and where there is one processor
 * only, it begins there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/elsewhere.h"

static cpu_set_t own(void)
{
    cpu_set_t mask;

    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    return mask;
}

/* A process that waits for its end; whether it may go where we may. */
static void assert_process_is_free(void)
{
    cpu_set_t ours = own(), its;
    int line[2], status;
    pid_t pid;
    char c;

    assert_int_equal(pipe(line), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)close(line[1]);
        _exit((int)read(line[0], &c, 1));
    }
    elsewhere(pid);
    assert_int_equal(sched_getaffinity(pid, sizeof its, &its), 0);
    assert_true(CPU_EQUAL(&ours, &its));
    (void)close(line[0]);
    (void)close(line[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void *see(void *self)
{
    *(bool *)self = true;
    return NULL;
}

static void assert_thread_runs(void)
{
    bool ran = false;
    pthread_t thread;

    assert_int_equal(elsewhere_thread(&thread, see, &ran), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(ran);
}

static void *mask_at_end(void *self)
{
    int *line = self;
    static cpu_set_t its;
    char c;

    assert_int_equal(read(line[0], &c, 1), 0);
    its = own();
    return &its;
}

static void a_process_may_go_where_we_may(void **state)
{
    (void)state;
    assert_process_is_free();
}

static void a_thread_may_go_where_we_may(void **state)
{
    cpu_set_t ours = own();
    int line[2];
    pthread_t thread;
    void *its;

    (void)state;
    assert_int_equal(pipe(line), 0);
    assert_int_equal(elsewhere_thread(&thread, mask_at_end, line), 0);
    (void)close(line[1]); /* now it has been told where it may go */
    assert_int_equal(pthread_join(thread, &its), 0);
    assert_true(CPU_EQUAL(&ours, (cpu_set_t *)its));
    (void)close(line[0]);
}

static void where_there_is_one_processor_it_is_ours(void **state)
{
    cpu_set_t ours = own(), one;

    (void)state;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &ours))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_process_is_free();
    assert_thread_runs();
    assert_int_equal(sched_setaffinity(0, sizeof ours, &ours), 0);
    assert_thread_runs();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_may_go_where_we_may),
        cmocka_unit_test(a_thread_may_go_where_we_may),
        cmocka_unit_test(where_there_is_one_processor_it_is_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
