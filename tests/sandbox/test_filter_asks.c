/* SPDX-License-Identifier: Apache-2.0 */
/* test_filter_asks.c: threads are asked for, processes never are, and no signal comes between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "sandbox/loaded.h"

static const struct seccomp_policy counted = { .count_threads = true };
static const struct seccomp_policy alone = { .fork = FORK_NEVER, .count_threads = true };

/* ---- the listener ---- */

static void send_fd(int to, int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = { .bytes = { 0 } };
    char byte = 0;
    struct iovec bytes = { &byte, 1 };
    struct msghdr message = { .msg_iov = &bytes,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    require(sendmsg(to, &message, 0) == 1, "sendmsg");
}

static int take_fd(int from)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char byte;
    struct iovec bytes = { &byte, 1 };
    struct msghdr message = { .msg_iov = &bytes,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    int fd;

    assert_int_equal(recvmsg(from, &message, MSG_CMSG_CLOEXEC), 1);
    assert_non_null(CMSG_FIRSTHDR(&message));
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

/* Answers the next question, which is about a thread; whether it is about one more. */
static bool answer(int listener, int error)
{
    struct seccomp_notif asked = { 0 };
    struct seccomp_notif_resp response = { 0 };
    bool begins;

    assert_int_equal(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked), 0);
    begins = asked.data.nr == SYS_clone;
    assert_true(begins ? asked.data.args[0] & CLONE_THREAD : asked.data.nr == SYS_exit);
    response.id = asked.id;
    response.error = begins ? -error : 0;
    response.flags = response.error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    assert_int_equal(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response), 0);
    return begins;
}

/* Grants as many threads as it is told and refuses the others, until the process has ended; how
 * many there were. */
static int serve(int listener, pid_t pid, int most)
{
    _fd_ int end = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd fds[] = { { .fd = listener, .events = POLLIN }, { .fd = end, .events = POLLIN } };
    int asked = 0;

    assert_true(end >= 0);
    for (;;) {
        if (poll(fds, 2, -1) < 0)
            continue;
        if (fds[0].revents & POLLIN)
            asked += answer(listener, asked < most ? 0 : EAGAIN);
        else if (fds[1].revents)
            return asked;
        else if (fds[0].revents)
            fds[0].fd = -1; /* nobody is left who could ask */
    }
}

struct asking {
    const struct seccomp_policy *policy;
    void (*act)(void);
};

/* Runs a case in a child whose threads are asked for; how often it asked. */
static int questions(const struct asking *asking, int most)
{
    int pair[2], status, asked;
    pid_t pid;

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    _fd_ int ours = pair[0];
    _fd_ int theirs = pair[1];

    (void)fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        long listener = load(asking->policy, SECCOMP_FILTER_FLAG_NEW_LISTENER);

        require(listener >= 0, "load");
        send_fd(theirs, (int)listener);
        (void)close((int)listener);
        asking->act();
        _exit(0);
    }
    _fd_ int listener = take_fd(ours);

    asked = serve(listener, pid, most);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    return asked;
}

/* ---- threads and processes ---- */

static void *nothing(void *with)
{
    return with;
}

static int start_thread(void)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, nothing, NULL);

    return error ? error : pthread_join(thread, NULL);
}

static void start_process(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    require(pid > 0, "fork");
    while (waitpid(pid, NULL, 0) != pid)
        require(errno == EINTR, "waitpid");
}

/* Two threads that are granted, processes that nobody is asked about, a thread that is refused. */
static void start_both(void)
{
    start_process();
    require(start_thread() == 0, "the first thread");
    start_process();
    require(start_thread() == 0, "the second thread");
    require(start_thread() == EAGAIN, "the third thread");
    start_process();
}

static void A01_9_P03_the_supervisor_is_asked_for_each_thread_and_no_process(void **state)
{
    (void)state;
    assert_int_equal(questions(&(struct asking){ &counted, start_both }, 2), 3);
}

static void start_alone(void)
{
    require(start_thread() == 0, "the thread");
    require(fork() == -1 && errno == EPERM, "fork");
}

static void P02_P03_threads_are_asked_for_where_processes_are_forbidden(void **state)
{
    (void)state;
    assert_int_equal(questions(&(struct asking){ &alone, start_alone }, 1), 1);
}

/* ---- python ---- */

static void become_python(void)
{
    static const char code[] = "import subprocess, threading\n"
                               "def work():\n"
                               "    for i in range(5): subprocess.run(['/bin/true'], check=True)\n"
                               "    done.append(subprocess.check_output(['/bin/echo', 'x']))\n"
                               "done = []\n"
                               "threads = [threading.Thread(target=work) for i in range(4)]\n"
                               "for t in threads: t.start()\n"
                               "for t in threads: t.join()\n"
                               "assert done == [b'x\\n'] * 4\n";

    (void)execl(PYTHON, PYTHON, "-S", "-c", code, (char *)NULL);
    require(false, "execl");
}

static void python_has_processes_and_counted_threads(void **state)
{
    (void)state;
    assert_int_equal(questions(&(struct asking){ &counted, become_python }, INT32_MAX), 4);
}

/* ---- signals ---- */

static volatile sig_atomic_t alarms;

static void count_alarm(int signal)
{
    (void)signal;
    alarms = alarms + 1;
}

/* Signals come all the time and restart nothing. Threads start as well: their makers block them. */
static void fork_in_a_storm(void)
{
    struct sigaction action = { .sa_handler = count_alarm };
    struct itimerval often = { { 0, 200 }, { 0, 200 } };

    require(sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
    require(setitimer(ITIMER_REAL, &often, NULL) == 0, "setitimer");
    for (int i = 0; i < 200 || alarms < 200; i++) {
        start_process();
        require(i % 4 || start_thread() == 0, "thread");
    }
}

static void no_fork_is_interrupted_by_a_question(void **state)
{
    (void)state;
    assert_true(questions(&(struct asking){ &counted, fork_in_a_storm }, INT32_MAX) >= 50);
}

int main(int argc, char **argv)
{
    bool python = access(PYTHON, X_OK) == 0;
    const struct live_test tests[] = {
        { true,
          cmocka_unit_test(A01_9_P03_the_supervisor_is_asked_for_each_thread_and_no_process) },
        { true, cmocka_unit_test(P02_P03_threads_are_asked_for_where_processes_are_forbidden) },
        { python, cmocka_unit_test(python_has_processes_and_counted_threads) },
        { true, cmocka_unit_test(no_fork_is_interrupted_by_a_question) },
    };

    return run_those(tests, COUNT(tests), argc, argv);
}
