/* SPDX-License-Identifier: Apache-2.0 */
/* held_waits.c: waits that signals cut off, made by bare system calls, and what is left in the
 * registers behind them; and what else a program can see of who holds its time.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- a call, and the registers as it leaves them ---- */

enum { ARGS = 6 };

#if defined(__aarch64__)
static long call(long number, uint64_t a[ARGS])
{
    register long x8 __asm__("x8") = number;
    register uint64_t x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2];
    register uint64_t x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];

    __asm__ volatile("svc #0"
                     : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4), "+r"(x5)
                     : "r"(x8)
                     : "memory");
    a[1] = x1, a[2] = x2, a[3] = x3, a[4] = x4, a[5] = x5; /* the first has the result */
    return (long)x0;
}
#else
static long call(long number, uint64_t a[ARGS])
{
    register uint64_t r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];

    __asm__ volatile("syscall"
                     : "+a"(number), "+D"(a[0]), "+S"(a[1]), "+d"(a[2]), "+r"(r10), "+r"(r8),
                       "+r"(r9)
                     :
                     : "rcx", "r11", "memory");
    a[3] = r10, a[4] = r8, a[5] = r9;
    return number;
}
#endif

static uint64_t place_of(const void *p)
{
    return (uintptr_t)p;
}

static void put_call(const char *name, long number, const uint64_t given[ARGS])
{
    uint64_t a[ARGS];
    long result;

    memcpy(a, given, sizeof a);
    result = call(number, a);
    printf("%s: %ld", name, result);
    for (int i = 0; i < ARGS; i++)
        if (a[i] != given[i])
            printf(", argument %d is another", i);
    printf("\n");
}

/* ---- signals ---- */

static volatile sig_atomic_t heard;

static void hear(int signal)
{
    (void)signal;
    heard++;
}

static void ring(long first_us, long every_us)
{
    struct itimerval at = { .it_interval = { 0, every_us }, .it_value = { 0, first_us } };

    (void)sigaction(SIGALRM, &(struct sigaction){ .sa_handler = hear, .sa_flags = SA_RESTART },
                    NULL);
    (void)setitimer(ITIMER_REAL, &at, NULL);
}

static struct timespec in_ms(int clock, long ms)
{
    struct timespec t = { 0 };

    (void)clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* ---- acts ---- */

/* Each of the waits that are made in another way than they were asked for, to its end and cut
 * off. */
static void look_at_registers(void)
{
    enum { FOREVER_MS = 100000, SOON_US = 20000 };
    static const uint32_t word;
    struct timespec t, left;
    const uint64_t sleep[ARGS] = {
        CLOCK_REALTIME, TIMER_ABSTIME, place_of(&t), place_of(&left), 5, 6
    };
    const uint64_t futex[ARGS] = {
        place_of(&word),       FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, place_of(&t), 5,
        FUTEX_BITSET_MATCH_ANY
    };

    t = in_ms(CLOCK_REALTIME, 20);
    put_call("slept", SYS_clock_nanosleep, sleep);
    t = in_ms(CLOCK_MONOTONIC, 20);
    put_call("waited", SYS_futex, futex);
    t = in_ms(CLOCK_REALTIME, FOREVER_MS);
    ring(SOON_US, SOON_US);
    put_call("slept and was woken", SYS_clock_nanosleep, sleep);
    t = in_ms(CLOCK_MONOTONIC, FOREVER_MS);
    ring(SOON_US, SOON_US);
    put_call("waited and was woken", SYS_futex, futex);
}

/* ---- how much time a signal lets pass ---- */

static void put_passed(const char *name, const struct timespec *since)
{
    struct timespec t = { 0 };

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    printf("%s %ld\n", name, (t.tv_sec - since->tv_sec) * 1000000000L + t.tv_nsec - since->tv_nsec);
}

static long left_ms(const struct timespec *until)
{
    struct timespec t = { 0 };

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (until->tv_sec - t.tv_sec) * 1000 + (until->tv_nsec - t.tv_nsec) / 1000000;
}

/* Each wait is longer than the timer lets it be. */
static void wait_on(void)
{
    enum { TICK_US = 20000, LONG_MS = 200 };
    struct timespec start, end;

    ring(TICK_US, TICK_US);
    start = in_ms(CLOCK_MONOTONIC, 0);
    end = in_ms(CLOCK_MONOTONIC, LONG_MS);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        continue;
    put_passed("slept", &start);
    end = in_ms(CLOCK_MONOTONIC, LONG_MS);
    while (left_ms(&end) > 0)
        (void)poll(NULL, 0, (int)left_ms(&end));
    put_passed("polled", &start);
    end = in_ms(CLOCK_MONOTONIC, LONG_MS);
    while (left_ms(&end) > 0)
        (void)pause();
    put_passed("paused", &start);
    ring(0, 0);
}

static void cut_once(void)
{
    struct timespec long_time = { 100, 0 };
    struct itimerspec at = { .it_value = { 0, 30000000 } };
    struct timespec start = in_ms(CLOCK_MONOTONIC, 0), soon = { 0, 20000000 };
    sigset_t blocked, none;
    int timer = 0;
    pid_t pid;

    (void)sigemptyset(&none); /* it comes during the wait, or waits for it */
    (void)sigfillset(&blocked);
    (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
    ring(30000, 0);
    (void)ppoll(NULL, 0, &long_time, &none);
    put_passed("cut by an interval timer", &start);
    (void)syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &timer);
    (void)syscall(SYS_timer_settime, timer, 0, &at, NULL);
    (void)ppoll(NULL, 0, &long_time, &none);
    put_passed("cut by a timer", &start);
    pid = fork();
    if (pid == 0) {
        (void)nanosleep(&soon, NULL);
        (void)kill(getppid(), SIGALRM);
        _exit(0);
    }
    (void)ppoll(NULL, 0, &long_time, &none);
    put_passed("cut by another", &start);
    (void)waitpid(pid, NULL, 0);
}

/* Another is set after it, to a time that is far away, and one is set and stopped. */
static void wait_beside_another(void)
{
    enum { TICKS = 3 };
    struct itimerspec tick = { .it_interval = { 0, 20000000 }, .it_value = { 0, 20000000 } };
    struct itimerspec far = { .it_value = { 3600, 0 } }, none = { 0 };
    struct timespec start = in_ms(CLOCK_MONOTONIC, 0);
    int one = 0, other = 0;

    (void)sigaction(SIGALRM, &(struct sigaction){ .sa_handler = hear }, NULL);
    (void)syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &one);
    (void)syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &other);
    (void)syscall(SYS_timer_settime, one, 0, &tick, NULL);
    (void)syscall(SYS_timer_settime, other, 0, &far, NULL);
    (void)alarm(3600);
    (void)alarm(0);
    for (int i = 0; i < TICKS; i++)
        (void)pause();
    put_passed("beside others", &start);
    (void)syscall(SYS_timer_settime, one, 0, &none, NULL);
    ring(20000, 20000);
    for (int i = 0; i < TICKS; i++)
        (void)pause();
    put_passed("in place of others", &start);
    ring(0, 0);
}

/* Of a timer that nobody hears, and of a child: each wait lasts as long as it was asked to. */
static void wait_unheard(void)
{
    enum { TICK_US = 20000, LONG_MS = 100, CHILD_MS = 10 };
    static const uint32_t word;
    struct timespec start = in_ms(CLOCK_MONOTONIC, 0), t = { 0, LONG_MS * 1000000L };
    struct itimerval at = { .it_interval = { 0, TICK_US }, .it_value = { 0, TICK_US } };

    (void)signal(SIGALRM, SIG_IGN);
    (void)setitimer(ITIMER_REAL, &at, NULL);
    printf("%d\n", nanosleep(&t, NULL));
    put_passed("slept", &start);
    t = in_ms(CLOCK_REALTIME, LONG_MS);
    printf("%d\n", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL));
    put_passed("slept until", &start);
    t = in_ms(CLOCK_MONOTONIC, LONG_MS);
    printf("%ld\n",
           syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &t, NULL, FUTEX_BITSET_MATCH_ANY));
    put_passed("waited", &start);
    t = (struct timespec){ 0, LONG_MS * 1000000L };
    printf("%d\n", ppoll(NULL, 0, &t, NULL));
    put_passed("polled", &start);
    at = (struct itimerval){ 0 };
    (void)setitimer(ITIMER_REAL, &at, NULL);
    (void)fflush(stdout);
    if (fork() == 0) {
        t = (struct timespec){ 0, CHILD_MS * 1000000L };
        (void)nanosleep(&t, NULL);
        _exit(0);
    }
    t = (struct timespec){ 0, LONG_MS * 1000000L };
    printf("%d\n", pselect(0, NULL, NULL, NULL, &t, NULL));
    put_passed("selected", &start);
}

/* The kernel does not leave a fault alone that nobody is to hear of. */
static void fault_unheard(void)
{
    struct sigaction now = { 0 };
    sigset_t all;

    (void)sigaction(SIGSEGV, &(struct sigaction){ .sa_handler = hear }, NULL);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
#if defined(__aarch64__)
    __asm__ volatile("mrs x9, cntvct_el0" ::: "x9");
#else
    __asm__ volatile("rdtsc" ::: "rax", "rdx");
#endif
    (void)sigaction(SIGSEGV, NULL, &now);
    printf("%s\n", now.sa_handler == hear ? "kept" : "lost");
}

/* Whether the real time is to be read without asking for it, and who asks for other things is
 * answered. */
static void look_for_pages(void)
{
    char line[512];
    int pages = 0;
    struct timespec fine = { -1, -1 };
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps && fgets(line, sizeof line, maps))
        pages += strstr(line, "[vvar") != NULL;
    printf("%s\n", pages > 0 ? "pages" : "no pages");
    (void)clock_getres(CLOCK_MONOTONIC, &fine);
    printf("fine %d, on a CPU %d\n", fine.tv_sec == 0 && fine.tv_nsec > 0, sched_getcpu() >= 0);
#if defined(__x86_64__)
    enum { MAP_VDSO_64 = 0x2003, HERE = 0x10000000 };

    printf("anew %d\n", syscall(SYS_arch_prctl, MAP_VDSO_64, HERE) == -1 && errno == EPERM);
#endif
}

/* A filter of one's own stays over an exec. This one says of a call that takes pages away that it
 * was made, and does not make it. */
static void look_in_spite_of(void)
{
    enum { LAST = 8, NUMBER = offsetof(struct seccomp_data, nr), ARG = sizeof(uint64_t) };
    const uint32_t args = offsetof(struct seccomp_data, args);
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, args + 2 * ARG),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_NONE, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, args + 3 * ARG),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_FIXED, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO), /* none: 0 */
    };
    struct sock_fprog program = { LAST + 1, rows };

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        (void)execl("./held_waits", "held_waits", "pages", NULL);
    perror("no filter");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*does)(void);
    } acts[] = {
        { "registers", look_at_registers },
        { "fault", fault_unheard },
        { "pages", look_for_pages },
        { "filtered", look_in_spite_of },
        { "on", wait_on },
        { "once", cut_once },
        { "unheard", wait_unheard },
        { "beside", wait_beside_another },
    };

    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof acts / sizeof acts[0]; k++)
            if (strcmp(argv[i], acts[k].name) == 0)
                acts[k].does();
    return 0;
}
