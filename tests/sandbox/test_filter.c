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
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "sandbox/calls.h"
#include "sandbox/loaded.h"

static const struct seccomp_policy closed = { .fork = FORK_NEVER };
static const struct seccomp_policy open_wide = { .inet = true };
static const struct seccomp_policy guarded = { .inet = true, .no_setid = true };

/* ---- hostile calls ---- */

/* clang-format off */
/* Arguments that without a filter would succeed or fail in another way. No error: it is told that
 * it worked. */
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
    { "P14 io_setup",           SYS_io_setup,    { 1 },                         ENOSYS },
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
    { "a snapshot",             SYS_ioctl,       { UINT64_MAX, BTRFS_IOC_SNAP_CREATE_V2 }, EPERM },
    { "a clone of a file",      SYS_ioctl,       { UINT64_MAX, FICLONE },       EBADF },
    { "a lease",                SYS_fcntl,       { UINT64_MAX, F_SETLEASE },    EPERM },
    { "another fcntl",          SYS_fcntl,       { UINT64_MAX, F_GETLEASE },    EBADF },
    { "P20 READ_IMPLIES_EXEC",  SYS_personality, { READ_IMPLIES_EXEC },         EPERM },
    { "P20 UNAME26",            SYS_personality, { UNAME26 },                   EPERM },
    { "P21 a listener",         SYS_seccomp,     { SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER }, EPERM },
    { "P21 no listener",        SYS_seccomp,     { SECCOMP_SET_MODE_FILTER },   EFAULT },
    { "P21 nobody counts",      SYS_seccomp,     { SECCOMP_SET_MODE_FILTER, 0, 4096 }, EPERM },
    { "N03 a UNIX socket",      SYS_socket,      { AF_UNIX, SOCK_STREAM },      EAFNOSUPPORT },
    { "N03 an inet socket",     SYS_socket,      { AF_INET, SOCK_STREAM },      EAFNOSUPPORT },
    { "N03 a netlink socket",   SYS_socket,      { AF_NETLINK, SOCK_RAW },      EAFNOSUPPORT },
    { "N03 a vsock socket",     SYS_socket,      { AF_VSOCK, SOCK_STREAM },     EAFNOSUPPORT },
    { "a device",               SYS_mknodat,     { UINT64_MAX, 0, S_IFCHR },    EPERM },
    { "a FIFO",                 SYS_mknodat,     { UINT64_MAX, 0, S_IFIFO },    EFAULT },
    { "A01-10 other CPUs",      SYS_sched_setaffinity, { 0, 0, 0 },             EPERM },
    { "P24 setrlimit, core",    SYS_setrlimit,   { RLIMIT_CORE, 1 },            0 },
    { "P24 prlimit64, core",    SYS_prlimit64,   { 0, RLIMIT_CORE, 1 },         0 },
    { "P24 a high pointer",     SYS_prlimit64,   { 0, RLIMIT_CORE, UINT64_C(1) << 63 }, 0 },
    { "another setrlimit",      SYS_setrlimit,   { RLIMIT_NOFILE, 1 },          EFAULT },
    { "another prlimit64",      SYS_prlimit64,   { 0, RLIMIT_NOFILE, 1 },       EFAULT },
};
/* clang-format on */

static void try_hostile(const void *with)
{
    require(load(with, 0) == 0, "load");
    for (size_t i = 0; i < COUNT(hostile); i++) {
        long got = syscall(hostile[i].nr, hostile[i].args[0], hostile[i].args[1],
                           hostile[i].args[2], 0, 0, 0);

        require(hostile[i].want ? got == -1 && errno == hostile[i].want : got == 0,
                hostile[i].what);
    }
    require(personality(0xffffffff) != -1, "personality");
}

static void A01_10_P13_P14_P16_P19_P20_P24_hostile_calls_fail_in_their_way(void **state)
{
    (void)state;
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
    assert_int_equal(status_of(try_denied, &closed), 0);
    assert_int_equal(status_of(try_denied, &open_wide), 0);
}

/* ---- modes and limits ---- */

static void refused(long got, const char *what)
{
    require(got == -1 && errno == EPERM, what);
}

static void try_bad_mode(int fd, unsigned mode)
{
    refused(syscall(SYS_fchmod, fd, mode), "fchmod");
    refused(syscall(SYS_fchmodat, AT_FDCWD, "file", mode), "fchmodat");
    refused(syscall(452, AT_FDCWD, "file", mode, 0), "fchmodat2");
    refused(syscall(SYS_openat, AT_FDCWD, "new", O_CREAT | O_WRONLY, mode), "openat, O_CREAT");
    refused(syscall(SYS_openat, AT_FDCWD, ".", O_TMPFILE | O_WRONLY, mode), "openat, O_TMPFILE");
    refused(syscall(SYS_mknodat, AT_FDCWD, "new", S_IFREG | mode, 0), "mknodat");
#ifdef __x86_64__
    refused(syscall(SYS_chmod, "file", mode), "chmod");
    refused(syscall(SYS_creat, "new", mode), "creat");
    refused(syscall(SYS_open, "new", O_CREAT | O_WRONLY, mode), "open, O_CREAT");
    refused(syscall(SYS_mknod, "new", S_IFREG | mode, 0), "mknod");
#endif
    require(access("new", F_OK) == -1, "something was made");
}

static void try_mode(int fd, unsigned mode)
{
    struct stat s;

    require(chmod("file", mode) == 0, "chmod");
    require(fchmod(fd, mode) == 0, "fchmod");
    require(stat("file", &s) == 0 && (s.st_mode & 07777) == mode, "the mode");
}

/* Without a file to make, where a mode would be there may be anything. */
static void make_files(const void *with)
{
    const struct seccomp_policy *policy = with;
    uint64_t how[3] = { O_RDONLY };
    int fd;

    require(load(policy, 0) == 0, "load");
    fd = open("file", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    require(fd >= 0, "open");
    try_mode(fd, 0755);
    try_mode(fd, 01777);
    require(mkdir("dir", 0755) == 0 && rmdir("dir") == 0, "mkdir");
    require(mkfifo("fifo", 0600) == 0 && unlink("fifo") == 0, "mkfifo");
    require(syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY, 06777) >= 0, "openat");
    require(syscall(SYS_openat, AT_FDCWD, ".", O_DIRECTORY, UINT64_MAX) >= 0, "openat, a folder");
    if (policy->no_setid) {
        try_bad_mode(fd, 04755);
        try_bad_mode(fd, 02755);
        try_bad_mode(fd, 06000);
        require(syscall(SYS_openat2, AT_FDCWD, "file", how, sizeof how) == -1 && errno == ENOSYS,
                "openat2");
    } else {
        try_mode(fd, 04755);
        require(syscall(SYS_openat2, AT_FDCWD, "file", how, sizeof how) >= 0, "openat2");
    }
    require(unlink("file") == 0, "unlink");
}

static void F21_no_file_is_made_to_lend_rights_where_the_policy_says_so(void **state)
{
    char folder[] = "/tmp/writ-filter-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(status_of(make_files, &guarded), 0);
    assert_int_equal(status_of(make_files, &open_wide), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* The last pointer is one whose low half is all zeros. */
static void lower_core(const void *with)
{
    struct rlimit before, after, *none;

    require(getrlimit(RLIMIT_CORE, &before) == 0, "getrlimit");
    before.rlim_cur = before.rlim_max > 0;
    require(setrlimit(RLIMIT_CORE, &before) == 0, "setrlimit, before");
    none = mmap((void *)(UINT64_C(1) << 32), sizeof *none, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    require(none != MAP_FAILED, "mmap");
    require(load(with, 0) == 0, "load");
    require(setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 }) == 0, "setrlimit");
    require(syscall(SYS_setrlimit, RLIMIT_CORE, none) == 0, "setrlimit itself");
    require(prlimit(0, RLIMIT_CORE, &(struct rlimit){ 0 }, NULL) == 0, "prlimit");
    require(syscall(SYS_prlimit64, 0, RLIMIT_CORE, none, NULL) == 0, "prlimit64");
    require(getrlimit(RLIMIT_CORE, &after) == 0, "getrlimit");
    require(syscall(SYS_getrlimit, RLIMIT_CORE, &after) == 0, "getrlimit itself");
    require(memcmp(&before, &after, sizeof after) == 0, "the limit is another");
    require(getrlimit(RLIMIT_NOFILE, &after) == 0, "getrlimit, files");
    after.rlim_cur = 64;
    require(setrlimit(RLIMIT_NOFILE, &after) == 0, "setrlimit, files");
    require(getrlimit(RLIMIT_NOFILE, &after) == 0 && after.rlim_cur == 64, "the other limit");
}

static void P24_the_limit_on_core_files_stays(void **state)
{
    (void)state;
    assert_int_equal(status_of(lower_core, &closed), 0);
    assert_int_equal(status_of(lower_core, &open_wide), 0);
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
    int status = status_of(become_elder, &open_wide);

    (void)state;
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSYS);
}

/* ---- ordinary programs ---- */

static void true_runs_under_every_policy(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        struct seccomp_policy policy = { .fork = i & 1 ? FORK_NEVER : FORK_FREE,
                                         .count_threads = i & 2,
                                         .inet = i & 4,
                                         .no_setid = i & 8 };

        assert_int_equal(status_of(become, &(struct program){ &policy, { "/bin/true" } }), 0);
    }
}

static int python(const struct seccomp_policy *policy, const char *code)
{
    return status_of(become, &(struct program){ policy, { PYTHON, "-S", "-c", code } });
}

#define THREAD                                    \
    "import threading, subprocess, socket, sys\n" \
    "t = threading.Thread(target=lambda: sys.stdout.flush()); t.start(); t.join()\n"

static void python_has_threads_processes_and_sockets(void **state)
{
    (void)state;
    assert_int_equal(python(&open_wide,
                            THREAD "subprocess.run(['/bin/true'], check=True)\n"
                                   "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1)\n"
                                   "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
                                   "socket.create_connection(s.getsockname()).close()\n"
                                   "try: sys.exit(bool(socket.socket(socket.AF_UNIX)))\n"
                                   "except OSError as e: assert e.errno == 97\n"),
                     0);
}

static void R_001_021_P02_without_fork_there_are_threads_but_no_processes(void **state)
{
    (void)state;
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

int main(int argc, char **argv)
{
    bool python = access(PYTHON, X_OK) == 0, door = status_of(become_elder, NULL) == 0;
    const struct live_test tests[] = {
        { true, cmocka_unit_test(A01_10_P13_P14_P16_P19_P20_P24_hostile_calls_fail_in_their_way) },
        { true, cmocka_unit_test(P09_P15_every_denied_row_is_denied) },
        { true, cmocka_unit_test(F21_no_file_is_made_to_lend_rights_where_the_policy_says_so) },
        { true, cmocka_unit_test(P24_the_limit_on_core_files_stays) },
        { door, cmocka_unit_test(P18_a_call_by_the_door_of_32_bits_kills) },
        { true, cmocka_unit_test(true_runs_under_every_policy) },
        { python, cmocka_unit_test(python_has_threads_processes_and_sockets) },
        { python, cmocka_unit_test(R_001_021_P02_without_fork_there_are_threads_but_no_processes) },
    };

    return run_those(tests, COUNT(tests), argc, argv);
}
