/* SPDX-License-Identifier: Apache-2.0 */
/* test_pass.c: two threads whose words need a higher limit leave it as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/pass.h"

ssize_t __wrap_sendmsg(int line, const struct msghdr *message, int flags);

static sem_t one_is_raised, two_is_there, one_is_done;
static _Thread_local int number, calls;

/* The first word of each is one too many. The second of the first thread waits until the second
 * thread is on its second, and that one until the first thread has gone back. */
ssize_t __wrap_sendmsg(int line, const struct msghdr *message, int flags)
{
    (void)line;
    (void)flags;
    if (++calls == 1) {
        errno = ETOOMANYREFS;
        return -1;
    }
    if (number == 1) {
        (void)sem_post(&one_is_raised);
        (void)sem_wait(&two_is_there);
    } else {
        (void)sem_post(&two_is_there);
        (void)sem_wait(&one_is_done);
    }
    return (ssize_t)message->msg_iov->iov_len;
}

static void *send_first(void *sent)
{
    number = 1;
    *(bool *)sent = pass_send(-1, "w", 1, NULL, 0);
    (void)sem_post(&one_is_done);
    return NULL;
}

static void *send_second(void *sent)
{
    number = 2;
    (void)sem_wait(&one_is_raised);
    *(bool *)sent = pass_send(-1, "w", 1, NULL, 0);
    return NULL;
}

static void a_limit_that_two_raise_is_what_it_was(void **state)
{
    void *(*const mains[])(void *) = { send_first, send_second };
    bool sent[2] = { false, false };
    struct rlimit before, after;
    pthread_t threads[2];

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    before.rlim_cur = before.rlim_max - 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mains[i], &sent[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(sent[0] && sent[1]);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
    assert_int_equal(after.rlim_cur, before.rlim_cur);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_that_two_raise_is_what_it_was),
    };

    (void)sem_init(&one_is_raised, 0, 0);
    (void)sem_init(&two_is_there, 0, 0);
    (void)sem_init(&one_is_done, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
