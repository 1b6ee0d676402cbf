/* SPDX-License-Identifier: Apache-2.0 */
/* without.c: runs a program where one layer of the sandbox cannot be had.
 *
 * usage: without LAYER -- CMD ARG...      exits 98 when the layer could not be taken away
 *
 * The layer is really gone for the program, as on a machine that never had it: a filter answers its
 * system calls as an older or a locked kernel would, a namespace has no room for another one, or
 * there is nothing where the control groups should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a filter: one call, perhaps only where an argument has a value or a bit, gets an error ----
 */

enum about { ANY, EQUAL, BIT };

struct rule {
    uint32_t call;
    enum about about;
    int argument;
    uint32_t value;
    int error;
};

enum { RULES = 4, CODE = 2 + 5 * RULES };

static uint32_t low_half(int argument)
{
    return (uint32_t)(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)argument);
}

static size_t add_rule(struct sock_filter *code, const struct rule *rule)
{
    struct sock_filter answer =
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)rule->error);
    uint16_t test = rule->about == BIT ? BPF_JSET : BPF_JEQ;
    size_t n = 0;

    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    if (rule->about == ANY) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, 1);
        code[n++] = answer;
        return n;
    }
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, 3);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_half(rule->argument));
    code[n++] = (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | test | BPF_K), rule->value, 0, 1);
    code[n++] = answer;
    return n;
}

static bool filter(const struct rule *rules)
{
    struct sock_filter code[CODE];
    struct sock_fprog program = { 0, code };

    for (size_t i = 0; i < RULES && rules[i].error; i++)
        program.len = (uint16_t)(program.len + add_rule(code + program.len, &rules[i]));
    code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* ---- a namespace, in which the caller is who it was ---- */

static bool put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return done;
}

/* Root brings all users along, which only a process that stays outside may allow. */
static bool enter_as_root(void)
{
    char path[64], byte = 0;
    int entered[2], pid, status = 1;
    void (*ignored)(int) = signal(SIGCHLD, SIG_DFL); /* who ignores them cannot wait for them */

    if (pipe2(entered, O_CLOEXEC) || (pid = fork()) < 0)
        return false;
    if (pid == 0) {
        close(entered[1]);
        if (read(entered[0], &byte, 1) != 1)
            _exit(1);
        snprintf(path, sizeof path, "/proc/%d/uid_map", getppid());
        status = !put(path, "0 0 4294967295");
        snprintf(path, sizeof path, "/proc/%d/gid_map", getppid());
        _exit(status || !put(path, "0 0 4294967295"));
    }
    if (unshare(CLONE_NEWUSER) == 0 && write(entered[1], "x", 1) != 1)
        return false;
    close(entered[0]);
    close(entered[1]);
    if (waitpid(pid, &status, 0) != pid)
        return false;
    (void)signal(SIGCHLD, ignored);
    return status == 0;
}

/* Another one brings itself. */
static bool enter(int flags)
{
    unsigned uid = getuid(), gid = getgid();
    char user[64], group[64];

    if (uid == 0)
        return enter_as_root();
    snprintf(user, sizeof user, "%u %u 1", uid, uid);
    snprintf(group, sizeof group, "%u %u 1", gid, gid);
    return unshare(CLONE_NEWUSER | flags) == 0 && put("/proc/self/setgroups", "deny") &&
           put("/proc/self/uid_map", user) && put("/proc/self/gid_map", group);
}

/* ---- the layers ---- */

struct way {
    const char *layer;
    struct rule rules[RULES]; /* a filter, .. */
    const char *none_of;      /* .. or no room for these, .. */
    const char *hidden;       /* .. or nothing there */
};

/* clang-format off */
static const struct way ways[] = {
    { "landlock",     .rules = { { SYS_landlock_create_ruleset, ANY, 0, 0, EOPNOTSUPP } } },
    { "landlock-old", .rules = { { SYS_landlock_create_ruleset, ANY, 0, 0, ENOSYS } } },
    { "seccomp",      .rules = { { SYS_seccomp, ANY, 0, 0, EINVAL }, { SYS_prctl, EQUAL, 0, PR_SET_SECCOMP, EINVAL } } },
    { "user-filter",  .rules = { { SYS_clone, BIT, 0, CLONE_NEWUSER, EPERM }, { SYS_unshare, BIT, 0, CLONE_NEWUSER, EPERM }, { SYS_clone3, ANY, 0, 0, ENOSYS } } },
    { "user",         .none_of = "/proc/sys/user/max_user_namespaces" },
    { "mount",        .none_of = "/proc/sys/user/max_mnt_namespaces" },
    { "pid",          .none_of = "/proc/sys/user/max_pid_namespaces" },
    { "net",          .none_of = "/proc/sys/user/max_net_namespaces" },
    { "cgroup",       .hidden = "/sys/fs/cgroup" },
};
/* clang-format on */

static bool take_away(const struct way *way)
{
    if (way->none_of)
        return enter(0) && put(way->none_of, "0");
    if (way->hidden)
        return (getuid() == 0 ? unshare(CLONE_NEWNS) == 0 : enter(CLONE_NEWNS)) &&
               mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
               mount("none", way->hidden, "tmpfs", 0, "size=4k") == 0;
    return filter(way->rules);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 3 && i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].layer, argv[1]) != 0)
            continue;
        if (!take_away(&ways[i])) {
            perror(argv[1]);
            return 98;
        }
        execvp(argv[3], argv + 3);
        perror(argv[3]);
        return 98;
    }
    fprintf(stderr, "usage: without LAYER -- CMD ARG...\n");
    return 64;
}
