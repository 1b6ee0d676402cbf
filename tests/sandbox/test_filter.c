/* SPDX-License-Identifier: Apache-2.0 */
/* test_filter.c: the kernel takes the filter, ordinary programs run under it, and hostile calls
 * fail as they should. Each case is a child that loads the filter and reports by its exit status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/calls.h"
#include "sandbox/seccomp.h"

static const struct seccomp_policy closed = { FORK_NEVER, false, false };
static const struct seccomp_policy counted = { FORK_COUNTED, false, false };
static const struct seccomp_policy open_wide = { FORK_FREE, true, true };

/* ---- children ---- */

static long load_program(struct sock_filter *code, unsigned short count, unsigned flags)
{
    struct sock_fprog program = { count, code };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Loads the filter for good; what seccomp(2) returned. */
static long load(const struct seccomp_policy *policy, unsigned flags)
{
    struct seccomp_program program;

    seccomp_build(policy, &program);
    return load_program(program.code, program.count, flags);
}

/* Runs a case in a child of its own; its wait status. */
static int status_of(void (*act)(const void *with), const void *with)
{
    int status;
    pid_t pid;

    (void)fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        act(with);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* In a child: says what went wrong, and ends it. */
static void require(bool good, const char *what)
{
    if (good)
        return;
    (void)dprintf(STDERR_FILENO, "# %s: %s\n", what, strerror(errno));
    _exit(1);
}

static void load_any(const void *with)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

    (void)with;
    if (load_program(&allow, 1, 0) != 0)
        _exit(1);
}

static bool loadable; /* any filter at all; not so in an emulator of system calls */

static int find_out(void **state)
{
    (void)state;
    loadable = status_of(load_any, NULL) == 0;
    return 0;
}

static void need_filters(void)
{
    if (!loadable)
        skip();
}

/* ---- hostile calls ---- */

/* clang-format off */
/* Arguments that without a filter would succeed or fail in another way. */
static const struct { const char *what; long nr; uint64_t args[3]; int want; } hostile[] = {
    { "P13 clone NEWUSER",      SYS_clone,       { CLONE_NEWUSER | SIGCHLD },   EPERM },
    { "P13 clone NEWNS",        SYS_clone,       { CLONE_NEWNS | SIGCHLD },     EPERM },
    { "P13 clone NEWPID",       SYS_clone,       { CLONE_NEWPID | SIGCHLD },    EPERM },
    { "P13 clone NEWNET",       SYS_clone,       { CLONE_NEWNET | SIGCHLD },    EPERM },
    { "P13 clone NEWIPC",       SYS_clone,       { CLONE_NEWIPC | SIGCHLD },    EPERM },
    { "P13 clone NEWUTS",       SYS_clone,       { CLONE_NEWUTS | SIGCHLD },    EPERM },
    { "P13 clone NEWCGROUP",    SYS_clone,       { CLONE_NEWCGROUP | SIGCHLD }, EPERM },
    { "P13 clone high bits",    SYS_clone,       { CLONE_NEWUSER | SIGCHLD | UINT64_C(1) << 40 }, EPERM },
    { "P13 unshare nothing",    SYS_unshare,     { 0 },                         EPERM },
    { "P13 setns",              SYS_setns,       { UINT64_MAX },                EPERM },
    { "P13 clone3",             SYS_clone3,      { 0 },                         ENOSYS },
    { "P02 clone",              SYS_clone,       { SIGCHLD },                   EPERM },
    { "P14 io_uring_setup",     425,             { 1 },                         ENOSYS },
    { "P14 io_uring_enter",     426,             { UINT64_MAX },                ENOSYS },
    { "P14 io_uring_register",  427,             { UINT64_MAX },                ENOSYS },
    { "P16 keyctl",             SYS_keyctl,      { 0, (uint64_t)-3 },           ENOSYS },
    { "P16 add_key",            SYS_add_key,     { 0 },                         ENOSYS },
    { "P16 request_key",        SYS_request_key, { 0 },                         ENOSYS },
    { "P18 x32 write",          0x40000001,      { 1 },                         ENOSYS },
    { "P18 beyond the table",   100000,          { 0 },                         ENOSYS },
    { "P19 TIOCSTI",            SYS_ioctl,       { UINT64_MAX, TIOCSTI },       EPERM },
    { "P19 TIOCSTI, high bit",  SYS_ioctl,       { UINT64_MAX, TIOCSTI | UINT64_C(1) << 32 }, EPERM },
    { "P19 TIOCLINUX",          SYS_ioctl,       { UINT64_MAX, TIOCLINUX },     EPERM },
    { "P19 TIOCSETD",           SYS_ioctl,       { UINT64_MAX, TIOCSETD },      EPERM },
    { "P19 TIOCSCTTY",          SYS_ioctl,       { UINT64_MAX, TIOCSCTTY },     EPERM },
    { "P19 another ioctl",      SYS_ioctl,       { UINT64_MAX, TIOCGWINSZ },    EBADF },
    { "P20 READ_IMPLIES_EXEC",  SYS_personality, { READ_IMPLIES_EXEC },         EPERM },
    { "P20 UNAME26",            SYS_personality, { UNAME26 },                   EPERM },
    { "P21 a listener",         SYS_seccomp,     { SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER }, EPERM },
    { "P21 no listener",        SYS_seccomp,     { SECCOMP_SET_MODE_FILTER },   EFAULT },
    { "N03 a UNIX socket",      SYS_socket,      { AF_UNIX, SOCK_STREAM },      EAFNOSUPPORT },
    { "N03 an inet socket",     SYS_socket,      { AF_INET, SOCK_STREAM },      EAFNOSUPPORT },
    { "N03 a netlink socket",   SYS_socket,      { AF_NETLINK, SOCK_RAW },      EAFNOSUPPORT },
    { "N03 a vsock socket",     SYS_socket,      { AF_VSOCK, SOCK_STREAM },     EAFNOSUPPORT },
    { "a device",               SYS_mknodat,     { UINT64_MAX, 0, S_IFCHR },    EPERM },
    { "a FIFO",                 SYS_mknodat,     { UINT64_MAX, 0, S_IFIFO },    EFAULT },
};
/* clang-format on */

static void try_hostile(const void *with)
{
    require(load(with, 0) == 0, "load");
    for (size_t i = 0; i < COUNT(hostile); i++) {
        long got = syscall(hostile[i].nr, hostile[i].args[0], hostile[i].args[1],
                           hostile[i].args[2], 0, 0, 0);

        require(got == -1 && errno == hostile[i].want, hostile[i].what);
    }
    require(personality(0xffffffff) != -1, "personality");
}

static void P13_P14_P16_P19_P20_hostile_calls_fail_in_their_way(void **state)
{
    (void)state;
    need_filters();
    assert_int_equal(status_of(try_hostile, &closed), 0);
}

/* What is denied has no effect, so every such row can be tried with nonsense. */
static void try_denied(const void *with)
{
    require(load(with, 0) == 0, "load");
    for (size_t i = 0; i < call_count; i++) {
        int want = calls[i].verdict == CALL_EPERM ? EPERM : ENOSYS;

        if (calls[i].verdict != CALL_EPERM && calls[i].verdict != CALL_ENOSYS)
            continue;
        require(syscall(calls[i].number, -1, -1, -1, -1, -1, -1) == -1 && errno == want,
                calls[i].name);
    }
}

static void P09_P15_every_denied_row_is_denied(void **state)
{
    (void)state;
    need_filters();
    assert_int_equal(status_of(try_denied, &closed), 0);
    assert_int_equal(status_of(try_denied, &open_wide), 0);
}

/* ---- the door of 32 bits ---- */

/* A program of its own that ends with status 0, for the machine's elder sibling. */
struct elder {
    Elf32_Ehdr head;
    Elf32_Phdr load;
    unsigned char code[12];
};

enum { ELDER_BASE = 0x10000 };

static const struct elder elder = {
    .head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
                           EV_CURRENT },
              .e_type = ET_EXEC,
#ifdef __x86_64__
              .e_machine = EM_386,
#else
              .e_machine = EM_ARM,
              .e_flags = EF_ARM_EABI_VER5,
#endif
              .e_version = EV_CURRENT,
              .e_entry = ELDER_BASE + offsetof(struct elder, code),
              .e_phoff = offsetof(struct elder, load),
              .e_ehsize = sizeof(Elf32_Ehdr),
              .e_phentsize = sizeof(Elf32_Phdr),
              .e_phnum = 1 },
    .load = { .p_type = PT_LOAD,
              .p_vaddr = ELDER_BASE,
              .p_filesz = sizeof(struct elder),
              .p_memsz = sizeof(struct elder),
              .p_flags = PF_R | PF_X,
              .p_align = 0x1000 },
#ifdef __x86_64__
    .code = { 0x31, 0xdb, 0xb8, 1, 0, 0, 0, 0xcd, 0x80 }, /* ebx = 0; eax = 1; int 0x80 */
#else
    .code = { 0, 0, 0xa0, 0xe3, 1, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef }, /* r0 = 0; r7 = 1; svc 0 */
#endif
};

static void become_elder(const void *with)
{
    int fd = memfd_create("elder", MFD_CLOEXEC);

    require(write(fd, &elder, sizeof elder) == sizeof elder, "write");
    require(!with || load(with, 0) == 0, "load");
    (void)syscall(SYS_execveat, fd, "", (char *[]){ NULL }, (char *[]){ NULL }, AT_EMPTY_PATH);
    _exit(1);
}

static void P18_a_call_by_the_door_of_32_bits_kills(void **state)
{
    int status;

    (void)state;
    need_filters();
    if (status_of(become_elder, NULL) != 0)
        skip(); /* the machine has no such door */
    status = status_of(become_elder, &open_wide);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSYS);
}

/* ---- ordinary programs ---- */

struct program {
    const struct seccomp_policy *policy;
    const char *argv[5];
};

static void become(const void *with)
{
    const struct program *program = with;

    require(load(program->policy, 0) == 0, "load");
    (void)execv(program->argv[0], (char *const *)(uintptr_t)program->argv);
    require(false, "execv");
}

static void true_runs_under_every_policy(void **state)
{
    (void)state;
    need_filters();
    for (int i = 0; i < 12; i++) {
        struct seccomp_policy policy = { (enum fork_rule)(i / 4), i & 1, i & 2 };

        assert_int_equal(status_of(become, &(struct program){ &policy, { "/bin/true" } }), 0);
    }
}

static int python(const struct seccomp_policy *policy, const char *code)
{
    struct program program = { policy, { "/usr/bin/python3", "-S", "-c", code } };

    if (access(program.argv[0], X_OK) != 0)
        skip();
    return status_of(become, &program);
}

#define THREAD                                    \
    "import threading, subprocess, socket, sys\n" \
    "t = threading.Thread(target=lambda: sys.stdout.flush()); t.start(); t.join()\n"

static void python_has_threads_processes_and_sockets(void **state)
{
    (void)state;
    need_filters();
    assert_int_equal(python(&open_wide,
                            THREAD "subprocess.run(['/bin/true'], check=True)\n"
                                   "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1)\n"
                                   "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
                                   "socket.create_connection(s.getsockname()).close()\n"
                                   "socket.socket(socket.AF_UNIX).close()\n"),
                     0);
}

static void R_001_021_P02_without_fork_there_are_threads_but_no_processes(void **state)
{
    (void)state;
    need_filters();
    assert_int_equal(python(&closed,
                            THREAD "import os\n"
                                   "def refused(f):\n"
                                   "    try: f()\n"
                                   "    except PermissionError: return\n"
                                   "    sys.exit(1)\n"
                                   "refused(lambda: subprocess.run(['/bin/true']))\n"
                                   "refused(lambda: os._exit(os.fork() and 1))\n"
                                   "refused(lambda: os.posix_spawn('/bin/true', ['true'], {}))\n"),
                     0);
}

/* ---- counting ---- */

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

static void *nothing(void *with)
{
    return with;
}

/* A thread, which nobody is asked about; a process that is granted; one that is refused. */
static void start_counted(int to)
{
    long listener = load(&counted, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    pthread_t thread;
    pid_t pid;

    require(listener >= 0, "load");
    send_fd(to, (int)listener);
    (void)close((int)listener);
    require(pthread_create(&thread, NULL, nothing, NULL) == 0, "thread");
    require(pthread_join(thread, NULL) == 0, "join");
    pid = fork();
    if (pid == 0)
        _exit(0);
    require(pid > 0 && waitpid(pid, NULL, 0) == pid, "the first process");
    require(fork() == -1 && errno == EAGAIN, "the second process");
    _exit(0);
}

static void answer(int listener, int error)
{
    struct seccomp_notif asked = { 0 };
    struct seccomp_notif_resp response = { 0 };

    assert_int_equal(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked), 0);
    assert_int_equal(asked.data.nr, SYS_clone);
    assert_int_equal(asked.data.args[0] & CLONE_THREAD, 0);
    response.id = asked.id;
    response.error = -error;
    response.flags = error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    assert_int_equal(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response), 0);
}

static void P02_the_supervisor_is_asked_for_each_process_and_no_thread(void **state)
{
    int pair[2], status;
    pid_t pid;

    (void)state;
    need_filters();
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    _fd_ int ours = pair[0];
    _fd_ int theirs = pair[1];

    (void)fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        start_counted(theirs);
    _fd_ int listener = take_fd(ours);

    answer(listener, 0);
    answer(listener, EAGAIN);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(P13_P14_P16_P19_P20_hostile_calls_fail_in_their_way),
        cmocka_unit_test(P09_P15_every_denied_row_is_denied),
        cmocka_unit_test(P18_a_call_by_the_door_of_32_bits_kills),
        cmocka_unit_test(true_runs_under_every_policy),
        cmocka_unit_test(python_has_threads_processes_and_sockets),
        cmocka_unit_test(R_001_021_P02_without_fork_there_are_threads_but_no_processes),
        cmocka_unit_test(P02_the_supervisor_is_asked_for_each_process_and_no_thread),
    };

    return cmocka_run_group_tests(tests, find_out, NULL);
}
