/* SPDX-License-Identifier: Apache-2.0 */
/* test_confine.c: who reads what strangers send reaches no other process of the same user.
 *
 * usage: test_confine [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/confine.h"
#include "sandbox/loaded.h"

enum { DESCRIPTORS = 64, LANDLOCK_VERSION = 1, HAS_SCOPE = 6 };

static void confine(void)
{
    struct error e;

    require(confine_self(DESCRIPTORS, &e), "confine_self");
}

/* ---- calls ---- */

/* Without a filter each of them fails in another way, but for a few that need rights anyhow. */
static const struct {
    const char *what;
    long nr;
} never[] = {
    { "execve", SYS_execve },
    { "execveat", SYS_execveat },
    { "ptrace", SYS_ptrace },
    { "process_vm_readv", SYS_process_vm_readv },
    { "process_vm_writev", SYS_process_vm_writev },
    { "kcmp", SYS_kcmp },
    { "move_pages", SYS_move_pages },
    { "migrate_pages", SYS_migrate_pages },
    { "shmat", SYS_shmat },
    { "prlimit64", SYS_prlimit64 },
    { "sched_setaffinity", SYS_sched_setaffinity },
    { "sched_setattr", SYS_sched_setattr },
    { "sched_setparam", SYS_sched_setparam },
    { "sched_setscheduler", SYS_sched_setscheduler },
    { "setpriority", SYS_setpriority },
    { "ioprio_set", SYS_ioprio_set },
    { "openat2", 437 },
    { "truncate", SYS_truncate },
    { "fchmod", SYS_fchmod },
    { "fchmodat", SYS_fchmodat },
    { "fchmodat2", 452 },
    { "fchown", SYS_fchown },
    { "fchownat", SYS_fchownat },
    { "utimensat", SYS_utimensat },
    { "setxattr", SYS_setxattr },
    { "fsetxattr", SYS_fsetxattr },
    { "removexattr", SYS_removexattr },
    { "fremovexattr", SYS_fremovexattr },
    { "setxattrat", 463 },
    { "removexattrat", 466 },
    { "file_setattr", 469 },
#ifdef __x86_64__
    { "creat", SYS_creat },
    { "chmod", SYS_chmod },
    { "chown", SYS_chown },
    { "utime", SYS_utime },
    { "utimes", SYS_utimes },
#endif
    { "pidfd_getfd", 438 },
    { "process_madvise", 440 },
    { "process_mrelease", 448 },
    { "open_by_handle_at", SYS_open_by_handle_at },
    { "io_uring_setup", SYS_io_uring_setup },
    { "keyctl", SYS_keyctl },
    { "add_key", SYS_add_key },
    { "request_key", SYS_request_key },
};

static void try_calls(const void *with)
{
    (void)with;
    confine();
    for (size_t i = 0; i < COUNT(never); i++) {
        long got = syscall(never[i].nr, -1L, -1L, -1L, -1L, -1L, -1L);

        require(got == -1 && errno == EPERM, never[i].what);
    }
}

static void calls_that_reach_others_are_never_made(void **state)
{
    (void)state;
    assert_int_equal(status_of(try_calls, NULL), 0);
}

/* ---- threads, and no namespaces ---- */

static void *say_so(void *to)
{
    *(bool *)to = true;
    return NULL;
}

static void try_clones(const void *with)
{
    static const int kinds[] = { CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID };
    bool said = false;
    pthread_t thread;

    (void)with;
    confine();
    for (size_t i = 0; i < COUNT(kinds); i++) {
        long pid = syscall(SYS_clone, kinds[i] | SIGCHLD, NULL, NULL, NULL, NULL);

        if (pid == 0)
            _exit(0);
        require(pid < 0 && errno == EPERM, "a namespace");
    }
    require(syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS, "clone3");
    require(pthread_create(&thread, NULL, say_so, &said) == 0, "a thread");
    require(pthread_join(thread, NULL) == 0 && said, "its end");
}

static void threads_are_made_and_no_namespaces(void **state)
{
    (void)state;
    assert_int_equal(status_of(try_clones, NULL), 0);
}

/* ---- another process ---- */

/* Somebody else of the same user, who waits. The end of who made it ends it. */
static pid_t make_other(void)
{
    int gate[2];
    pid_t pid;

    require(pipe(gate) == 0, "pipe");
    pid = fork();
    require(pid >= 0, "fork");
    if (pid > 0) {
        (void)close(gate[0]);
        return pid;
    }
    (void)close(gate[1]);
    for (char c; read(gate[0], &c, 1) > 0;)
        continue;
    _exit(0);
}

static int open_of(pid_t pid, const char *name)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static bool takes_descriptor(pid_t pid)
{
    int process = (int)syscall(SYS_pidfd_open, pid, 0);

    return process >= 0 && syscall(SYS_pidfd_getfd, process, 0, 0) >= 0;
}

static void take(const void *with)
{
    pid_t other = make_other();

    (void)with;
    confine();
    require(!takes_descriptor(other) && errno == EPERM, "pidfd_getfd");
}

static void nobodys_descriptors_are_taken(void **state)
{
    (void)state;
    assert_int_equal(status_of(take, NULL), 0);
}

static void look_into(const void *with)
{
    static const char *const names[] = { "mem", "environ", "maps", "fd/0", "cwd/." };
    pid_t other = make_other();

    (void)with;
    confine();
    for (size_t i = 0; i < COUNT(names); i++)
        require(open_of(other, names[i]) < 0, names[i]);
    require(open_of(getpid(), "maps") >= 0, "its own");
}

static void nothing_of_another_is_seen_in_proc(void **state)
{
    (void)state;
    assert_int_equal(status_of(look_into, NULL), 0);
}

static void signal_other(const void *with)
{
    pid_t other = make_other();

    (void)with;
    confine();
    require(kill(other, 0) != 0 && errno == EPERM, "kill");
    require(kill(getpid(), 0) == 0, "itself");
}

static void nobody_gets_a_signal(void **state)
{
    (void)state;
    assert_int_equal(status_of(signal_other, NULL), 0);
}

static void limit_other(const void *with)
{
    const struct rlimit none = { 0, 0 };
    pid_t other = make_other();
    struct rlimit own;
    cpu_set_t first;

    (void)with;
    confine();
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    require(prlimit(other, RLIMIT_CPU, &none, NULL) != 0 && errno == EPERM, "prlimit");
    require(sched_setaffinity(other, sizeof first, &first) != 0 && errno == EPERM, "affinity");
    require(setpriority(PRIO_PROCESS, (id_t)other, 1) != 0 && errno == EPERM, "setpriority");
    require(getrlimit(RLIMIT_NOFILE, &own) == 0 && setrlimit(RLIMIT_NOFILE, &own) == 0, "its own");
}

static void nobody_gets_a_limit(void **state)
{
    (void)state;
    assert_int_equal(status_of(limit_other, NULL), 0);
}

/* ---- sockets ---- */

static void open_sockets(const void *with)
{
    static const int families[] = { AF_INET, AF_INET6, AF_NETLINK };
    int pair[2];

    (void)with;
    confine();
    for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++)
        require(socket(AF_UNIX, type | SOCK_CLOEXEC, 0) < 0 && errno == EAFNOSUPPORT, "AF_UNIX");
    require(socket(AF_VSOCK, SOCK_STREAM, 0) < 0 && errno == EAFNOSUPPORT, "AF_VSOCK");
    require(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0 && errno == EAFNOSUPPORT,
            "a pair for datagrams");
    require(socketpair(AF_UNIX, SOCK_RAW, 0, pair) != 0 && errno == EAFNOSUPPORT,
            "their other name");
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "a pair");
    for (size_t i = 0; i < COUNT(families); i++)
        require(socket(families[i], SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0 || families[i] == AF_INET6,
                "the others");
}

static void no_socket_leads_to_a_program_of_this_machine(void **state)
{
    (void)state;
    assert_int_equal(status_of(open_sockets, NULL), 0);
}

/* By the C library and what the machine has it ask, which may be others that are not there now. */
static void look_up(const void *with)
{
    struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found = NULL;
    char text[64] = "its address";

    (void)with;
    confine();
    require(getaddrinfo("localhost", NULL, &hints, &found) == 0 && found, "localhost");
    require(getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, NULL, 0,
                        NI_NUMERICHOST) == 0 &&
                strcmp(text, "127.0.0.1") == 0,
            text);
}

static void a_name_is_looked_up(void **state)
{
    (void)state;
    assert_int_equal(status_of(look_up, NULL), 0);
}

/* ---- files ---- */

static bool is_opened(const char *path, int flags)
{
    bool at = open(path, flags, 0600) >= 0 || errno != EACCES;

#ifdef SYS_open
    return at || syscall(SYS_open, path, flags, 0600) >= 0 || errno != EACCES;
#else
    return at;
#endif
}

/* One that could be mapped would be written, whatever may be written by write(). */
static void write_files(const void *file)
{
    static const int ways[] = { O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_ACCMODE,
                                O_RDONLY | O_CREAT };

    confine();
    for (size_t i = 0; i < COUNT(ways); i++)
        require(!is_opened(file, ways[i] | O_CLOEXEC), "it was opened");
    require(open(file, O_RDONLY | O_CLOEXEC) >= 0, "to read");
    require(chmod(file, 0644) != 0 && errno == EPERM, "chmod");
    require(truncate(file, 0) != 0 && errno == EPERM, "truncate");
}

static void no_file_is_written(void **state)
{
    char path[] = "/tmp/writ-confine-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(status_of(write_files, path), 0);
    assert_int_equal(unlink(path), 0);
}

/* Who is confined cannot tidy up: another does when it is gone. */
static void tidy_after(const char *path)
{
    int gate[2];

    require(pipe(gate) == 0, "pipe");
    if (fork() != 0) {
        (void)close(gate[0]);
        return;
    }
    (void)close(gate[1]);
    for (char c; read(gate[0], &c, 1) > 0;)
        continue;
    _exit(rmdir(path) != 0);
}

static void make_names(const void *with)
{
    char path[] = "/tmp/writ-confine-XXXXXX", inside[sizeof path + 2];

    (void)with;
    require(mkdtemp(path) != NULL, "mkdtemp");
    (void)snprintf(inside, sizeof inside, "%s/a", path);
    tidy_after(path);
    confine();
    require(mkdir(inside, 0700) != 0 && errno == EACCES, "mkdir");
    require(open(inside, O_CREAT | O_WRONLY, 0600) < 0 && errno == EACCES, "create");
    require(rmdir(path) != 0 && errno == EACCES, "rmdir");
    require(open("/etc/hosts", O_RDONLY) >= 0, "/etc/hosts");
}

static void no_name_is_made(void **state)
{
    (void)state;
    assert_int_equal(status_of(make_names, NULL), 0);
}

int main(int argc, char **argv)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    bool landlock = version > 0;
    const struct live_test tests[] = {
        { true, cmocka_unit_test(calls_that_reach_others_are_never_made) },
        { true, cmocka_unit_test(threads_are_made_and_no_namespaces) },
        { true, cmocka_unit_test(nobodys_descriptors_are_taken) },
        { landlock, cmocka_unit_test(nothing_of_another_is_seen_in_proc) },
        { version >= HAS_SCOPE, cmocka_unit_test(nobody_gets_a_signal) },
        { true, cmocka_unit_test(nobody_gets_a_limit) },
        { true, cmocka_unit_test(no_socket_leads_to_a_program_of_this_machine) },
        { true, cmocka_unit_test(a_name_is_looked_up) },
        { true, cmocka_unit_test(no_file_is_written) },
        { landlock, cmocka_unit_test(no_name_is_made) },
    };

    return run_those(tests, COUNT(tests), argc, argv);
}
