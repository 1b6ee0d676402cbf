/* SPDX-License-Identifier: Apache-2.0 */
/* costs.c: what each hostile act costs the machine, by the machine's own count.
 *
 * usage: v2_costs WRIT HOSTILE [--user] [ACT..]     ACT: only those that begin so
 *
 * A record can miss memory that no control group counts. So the memory of the machine is read from
 * outside while an act runs in the sandbox: an act may cost the machine its limit and MARGIN_MB
 * more, and leaves LEFT_MB at most, which is what the kernel keeps for the next one. Prints TAP.
 * Runs only where a machine may be harmed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORDS = 24,
    USER = 1000,
    MEMORY_MB = 64,
    MARGIN_MB = 64,
    LEFT_MB = 32,
    TICK_MS = 20,
    SETTLE_MS = 2000
};

static const char place[] = "/tmp/costs";

/* clang-format off */
static const char *const acts[] = {
    "hoard locks 400",      "hoard unaccepted 400", "hoard memberships 400", "hoard keys 400",
    "hoard tmpfs 256",      "hoard memfd 256",      "hoard pipes 256",       "hoard sockets 256",
    "hoard shm 256",        "hoard tables 256",     "hoard names 256",       "hoard tcp 256",
    "hoard udp 256",        "memory 256",           "populate 256",          "locked_memory",
    "million files",        "million epolls",       "million timerfds",      "million eventfds",
    "million inotifies",    "million pipes",        "million timers",        "million signals",
    "fork_bomb",            "threads 2000",         "children 12 10",        "deep /tmp/deep 2000",
    "inodes /tmp",          "emit 1 67108864",      "ipc_leave",             "socket_filters",
    "seccomp_filters",
};
/* clang-format on */

static long meminfo(const char *key)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[200];
    long kb = -1;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
            kb = strtol(line + strlen(key) + 1, NULL, 10);
    if (file)
        (void)fclose(file);
    return kb;
}

static void nap(int ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

    (void)nanosleep(&t, NULL);
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        printf("# %s: cannot be written\n", path);
    if (fd >= 0)
        (void)close(fd);
}

/* ---- whose it is ---- */

/* As systemd does it on every machine: groups below the root have controllers. And for a user: one
 * that is his, with this process alone in it. */
static void enter_group(const char *top, int user)
{
    static const char *const files[] = { "cgroup.procs", "cgroup.subtree_control", "cgroup.threads",
                                         "tasks" };
    static const char *const controllers[] = { "+memory", "+pids", "+cpu" };
    char path[200];

    (void)snprintf(path, sizeof path, "%s/cgroup.subtree_control", top);
    for (int i = 0; i < 3 && access(path, F_OK) == 0; i++)
        put(path, controllers[i]);
    (void)snprintf(path, sizeof path, "%s/user-%d", top, getpid());
    if (!user || mkdir(path, 0755) != 0 || chown(path, USER, USER) != 0)
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(path, sizeof path, "%s/user-%d/%s", top, getpid(), files[i]);
        (void)!chown(path, USER, USER);
    }
    (void)snprintf(path, sizeof path, "%s/user-%d/cgroup.procs", top, getpid());
    put(path, "0");
}

static int become(int user)
{
    enter_group("/sys/fs/cgroup", user);
    enter_group("/sys/fs/cgroup/memory", user);
    enter_group("/sys/fs/cgroup/unified", user);
    return !user || (setgid(USER) == 0 && setuid(USER) == 0);
}

/* ---- a run ---- */

static pid_t start(const char *line, int user, int out)
{
    char text[500], *words[WORDS + 1] = { NULL }, *rest = NULL;
    pid_t pid = fork();
    int n = 0;

    if (pid != 0)
        return pid;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &rest); word && n < WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    if (!become(user))
        _exit(126);
    (void)setenv("WRIT_STATE", user ? "/tmp/state-user" : "/tmp/state-root", 1);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(out, STDERR_FILENO);
    (void)execv(words[0], words);
    _exit(127);
}

/* What an act has cost: the most that the machine had less, in megabytes, and what is still gone.
 */
struct cost {
    long most, slabs, left;
    int status;
};

static struct cost watch(const char *line, int user, int out)
{
    struct cost cost = { 0 };
    long before, slabs, now;
    pid_t pid;

    put("/proc/sys/vm/drop_caches", "3");
    nap(100);
    before = meminfo("MemAvailable");
    slabs = meminfo("SUnreclaim");
    pid = start(line, user, out);
    while (waitpid(pid, &cost.status, WNOHANG) == 0) {
        now = before - meminfo("MemAvailable");
        cost.most = now > cost.most ? now : cost.most;
        now = meminfo("SUnreclaim") - slabs;
        cost.slabs = now > cost.slabs ? now : cost.slabs;
        nap(TICK_MS);
    }
    for (int ms = 0; ms < SETTLE_MS; ms += 5 * TICK_MS) { /* the kernel frees some of it later */
        put("/proc/sys/vm/drop_caches", "3");
        cost.left = before - meminfo("MemAvailable");
        if (cost.left < LEFT_MB << 10)
            break;
        nap(5 * TICK_MS);
    }
    cost.most >>= 10;
    cost.slabs >>= 10;
    cost.left >>= 10;
    return cost;
}

static int judge(int number, const char *act, char **argv, int user)
{
    static const char said[] = "/tmp/said";
    char line[500], text[600] = "";
    int out = open(said, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666), ran, ok;
    struct cost cost;

    (void)snprintf(line, sizeof line,
                   "%s exec --json --memory-mb %d --timeout-ms 20000 --max-children 10 -- %s %s",
                   argv[1], MEMORY_MB, argv[2], act);
    cost = watch(line, user, out);
    ran = WIFEXITED(cost.status) &&
          (WEXITSTATUS(cost.status) < 125 || WEXITSTATUS(cost.status) > 127);
    ok = ran && cost.most <= MEMORY_MB + MARGIN_MB && cost.left <= LEFT_MB;
    printf("%sok %d - R_001_012 %s\n# costs %ld MB, %ld MB of it slabs, leaves %ld MB, status %d\n",
           ok ? "" : "not ", number, act, cost.most, cost.slabs, cost.left,
           WIFEXITED(cost.status) ? WEXITSTATUS(cost.status) : 128 + WTERMSIG(cost.status));
    if (pread(out, text, sizeof text - 1, 0) > 0 && !ok)
        printf("# %s\n", text);
    (void)fflush(stdout);
    (void)close(out);
    return ok;
}

static int is_wanted(const char *act, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strncmp(act, argv[i], strlen(argv[i])) == 0)
            return 1;
    return argc == 0;
}

int main(int argc, char **argv)
{
    int user = argc > 3 && strcmp(argv[3], "--user") == 0, ran = 0, failed = 0;

    if (argc < 3 || (mkdir(place, 0755) != 0 && access(place, F_OK) != 0) ||
        chown(place, USER, USER) != 0 || chdir(place) != 0)
        return 2;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (is_wanted(acts[i], argc - 3 - user, argv + 3 + user))
            failed += !judge(++ran, acts[i], argv, user);
    printf("1..%d\n", ran);
    return failed > 0;
}
