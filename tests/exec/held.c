/* SPDX-License-Identifier: Apache-2.0 */
/* held.c: asks for the time and for chance in every way there is, and prints what it is told.
 *
 * Linked statically and dynamically, and with `raw` by bare system calls only.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void put_bytes(const char *name, const unsigned char *bytes, size_t n)
{
    printf("%s ", name);
    for (size_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

static void put_time(const char *name, long s, long part)
{
    printf("%s %ld.%09ld\n", name, s, part);
}

static struct timespec clock_now(int clock)
{
    struct timespec t = { -1, -1 };

    (void)clock_gettime(clock, &t);
    return t;
}

/* ---- what time is it ---- */

static void ask_library(void)
{
    struct timeval day;

    for (int clock = 0; clock < 12; clock++) {
        struct timespec t = clock_now(clock);

        put_time("clock", t.tv_sec, t.tv_nsec);
    }
    (void)gettimeofday(&day, NULL);
    put_time("day", day.tv_sec, day.tv_usec);
    printf("time %ld\n", (long)time(NULL));
}

static void ask_kernel(void)
{
    struct timespec t;
    struct timeval day;
    unsigned char drawn[300];

    for (int clock = 0; clock < 12; clock++) {
        t = (struct timespec){ -1, -1 };
        (void)syscall(SYS_clock_gettime, clock, &t);
        put_time("clock", t.tv_sec, t.tv_nsec);
    }
    (void)syscall(SYS_gettimeofday, &day, NULL);
    put_time("day", day.tv_sec, day.tv_usec);
    printf("bad pointer %ld\n", syscall(SYS_clock_gettime, CLOCK_REALTIME, 1L));
    printf("drawn %ld\n", syscall(SYS_getrandom, drawn, sizeof drawn, 0));
    put_bytes("chance", drawn, sizeof drawn);
}

static void ask_system(void)
{
    struct sysinfo system;
    struct tms used;
    struct rusage usage;
    union {
        unsigned long number;
        const unsigned char *bytes;
    } chance = { getauxval(AT_RANDOM) };

    (void)sysinfo(&system);
    printf("up %ld, load %lu\n", system.uptime, system.loads[0]);
    printf("ticks %ld\n", (long)times(&used));
    (void)getrusage(RUSAGE_SELF, &usage);
    put_time("used", usage.ru_utime.tv_sec, usage.ru_utime.tv_usec);
    put_bytes("for the stack", chance.bytes, 16);
    printf("places %p %p %p\n", (void *)&system, (void *)stdout, malloc(100000));
}

/* As programs do that have a secret; and nobody gets the cycle counter back. */
static void close_memory(void)
{
    printf("closed %d\n", prctl(PR_SET_DUMPABLE, 0));
    (void)prctl(PR_SET_TSC, PR_TSC_ENABLE);
}

static void ask_counter(void)
{
    unsigned long count = 0;

#if defined(__aarch64__)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
#elif defined(__x86_64__)
    unsigned low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    count = (unsigned long)high << 32 | low;
#endif
    printf("cycles %lu\n", count);
}

/* ---- waiting ---- */

static void put_passed(const char *name, const struct timespec *since)
{
    struct timespec t = clock_now(CLOCK_MONOTONIC);

    printf("%s %ld\n", name, (t.tv_sec - since->tv_sec) * 1000000000L + t.tv_nsec - since->tv_nsec);
}

static void wait_everywhere(void)
{
    struct timespec start = clock_now(CLOCK_MONOTONIC), t = { 0, 3000000 };
    struct timeval val = { 0, 4000 };
    struct epoll_event event;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    sigset_t set;

    (void)nanosleep(&t, NULL);
    put_passed("nanosleep", &start);
    t = clock_now(CLOCK_MONOTONIC);
    t.tv_nsec += 5000000;
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    put_passed("until", &start);
    t = clock_now(CLOCK_REALTIME);
    t.tv_nsec += 5000000;
    (void)clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
    put_passed("until the wall", &start);
    (void)select(0, NULL, NULL, NULL, &val);
    put_passed("select", &start);
    (void)epoll_wait(epoll_create1(0), &event, 1, 6);
    put_passed("epoll", &start);
    t = clock_now(CLOCK_REALTIME);
    t.tv_nsec += 7000000;
    (void)pthread_mutex_lock(&lock);
    printf("condition %d\n", pthread_cond_timedwait(&never, &lock, &t) == ETIMEDOUT);
    put_passed("condition", &start);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR1);
    t = (struct timespec){ 0, 2000000 };
    (void)sigtimedwait(&set, NULL, &t);
    put_passed("signal", &start);
}

/* Who only asks, and never waits, gets on. */
static void spin(void)
{
    struct timespec start = clock_now(CLOCK_MONOTONIC), t;
    struct timeval day, since;

    do {
        t = clock_now(CLOCK_MONOTONIC);
    } while (t.tv_sec == start.tv_sec && t.tv_nsec < start.tv_nsec + 20000000);
    put_passed("spun", &start);
    (void)gettimeofday(&since, NULL);
    do {
        (void)gettimeofday(&day, NULL);
    } while (day.tv_sec == since.tv_sec && day.tv_usec < since.tv_usec + 5000);
    put_passed("spun by the day", &start);
}

/* By sleeps as short as those of a thread that looks after others. */
static void *sleep_on(void *until)
{
    const struct timespec *end = until;

    for (;;) {
        struct timespec t = clock_now(CLOCK_MONOTONIC);

        if (t.tv_sec > end->tv_sec || (t.tv_sec == end->tv_sec && t.tv_nsec >= end->tv_nsec))
            return NULL;
        t = (struct timespec){ 0, 1000000 };
        (void)nanosleep(&t, NULL);
    }
}

static void sleep_in_thread(void)
{
    struct timespec start = clock_now(CLOCK_MONOTONIC), end = start;
    pthread_t thread;

    end.tv_sec += 1;
    end.tv_nsec = 0;
    (void)pthread_create(&thread, NULL, sleep_on, &end);
    (void)pthread_join(thread, NULL);
    put_passed("slept in a thread", &start);
}

static void timer_until(void)
{
    struct timespec start = clock_now(CLOCK_MONOTONIC);
    struct itimerspec at = { .it_value = start };
    unsigned long count = 0;
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);

    at.it_value.tv_nsec += 1000000;
    (void)timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
    printf("timer %d", (int)read(fd, &count, sizeof count));
    printf(" %lu\n", count);
}

/* ---- others ---- */

static volatile sig_atomic_t heard;

static void hear(int signal)
{
    heard = signal;
}

static void *exec_from_thread(void *self)
{
    (void)execl(self, self, "library", NULL);
    return NULL;
}

/* A child stops itself, its parent sees it and lets it go on; then it ends by a signal. */
static void stop_and_go_on(void)
{
    int status = 0;
    pid_t pid;

    (void)signal(SIGUSR1, hear);
    (void)fflush(stdout);
    pid = fork();
    if (pid == 0) {
        (void)raise(SIGSTOP);
        (void)raise(SIGUSR1);
        (void)raise(heard == SIGUSR1 ? SIGTERM : SIGKILL);
    }
    (void)waitpid(pid, &status, WUNTRACED);
    printf("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
    (void)kill(pid, SIGCONT);
    (void)waitpid(pid, &status, WCONTINUED);
    printf("goes on %d\n", WIFCONTINUED(status));
    (void)waitpid(pid, &status, 0);
    printf("ended %d by %d\n", WIFSIGNALED(status), WTERMSIG(status));
}

/* A sleep that a signal interrupts is taken up again, or not, as everywhere. */
static void interrupted(void)
{
    struct itimerval soon = { .it_value = { 0, 2000 } };
    struct timespec t = { 0, 30000000 };
    int result;

    (void)sigaction(SIGALRM, &(struct sigaction){ .sa_handler = hear }, NULL);
    (void)setitimer(ITIMER_REAL, &soon, NULL);
    result = nanosleep(&t, NULL);
    printf("interrupted %d %d\n", result, errno == EINTR);
}

static void fork_and_draw(void)
{
    for (int i = 0; i < 3; i++) {
        (void)fflush(stdout);
        if (fork() == 0) {
            unsigned char drawn[8] = { 0 };
            struct timespec t = { 0, 1000000 * i };

            (void)syscall(SYS_getrandom, drawn, sizeof drawn, 0);
            (void)nanosleep(&t, NULL);
            t = clock_now(CLOCK_MONOTONIC);
            put_bytes("child", drawn, sizeof drawn);
            put_time("child", t.tv_sec, t.tv_nsec);
            (void)fflush(stdout);
            _exit(0);
        }
        (void)wait(NULL);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*does)(void);
    } acts[] = {
        { "library", ask_library }, { "raw", ask_kernel },       { "system", ask_system },
        { "counter", ask_counter }, { "wait", wait_everywhere }, { "spin", spin },
        { "timer", timer_until },   { "stop", stop_and_go_on },  { "interrupted", interrupted },
        { "fork", fork_and_draw },  { "close", close_memory },   { "doze", sleep_in_thread },
    };
    pthread_t thread;

    for (int i = 1; i < argc; i++) {
        for (size_t k = 0; k < sizeof acts / sizeof acts[0]; k++)
            if (strcmp(argv[i], acts[k].name) == 0)
                acts[k].does();
        if (strcmp(argv[i], "thread") == 0) {
            (void)fflush(stdout);
            (void)pthread_create(&thread, NULL, exec_from_thread, argv[0]);
            (void)pthread_join(thread, NULL);
        }
    }
    return 0;
}
