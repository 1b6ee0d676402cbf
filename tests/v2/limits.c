/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c: writ itself, held to its word in a small machine of its own.
 *
 * usage: v2_limits WRIT HOSTILE HELD
 *
 * Prints TAP. Each row is a run of `writ exec --json` and what its record must hold.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 24 };

static const char place[] = "/tmp/work"; /* of an ordinary owner: this machine's disk maps none */

/* clang-format off */
static const struct {
    const char *name, *options, *act, *holds[4];
    int held;   /* it is HELD that runs, else HOSTILE */
    int bpf_mb; /* so much the kernel's BPF machine may grow meanwhile; 0: nobody looks */
} rows[] = {
    { "R_001_071 a command runs, in groups of its own", "",                        "exit 7",            { "\"exit_code\":7,", "\"cause\":\"exited\"", "\"assurance\":\"full\"" } },
    { "R_001_012 memory is bounded",                    "--memory-mb 64",          "memory 200",        { "\"exit_code\":137,", "\"cause\":\"oom\"", "OOM killed" } },
    { "R_001_012 what fits is left alone",              "--memory-mb 256",         "memory 100",        { "\"exit_code\":0,", "\"oom_events\":0" } },
    { "R_001_011 time is bounded",                      "--timeout-ms 1000",       "sleep",             { "\"exit_code\":143,", "\"cause\":\"timeout\"" } },
    { "R_001_011 also for who does not listen",         "--timeout-ms 1000",       "deaf",              { "\"exit_code\":143,", "\"cause\":\"timeout\"" } },
    { "R_001_020 as many children as allowed",          "--max-children 5",        "children 8 5",      { "\"exit_code\":0," } },
    { "R_001_021 none where none may be",               "--no-fork",               "no_fork",           { "\"exit_code\":0," } },
    { "P01 a fork bomb is stopped",                     "--timeout-ms 2000",       "fork_bomb",         { "\"cause\":" } },
    { "R_001_078 137 by choice is not memory",          "",                        "exit 137",          { "\"exit_code\":137,", "\"cause\":\"exited\"" } },
    { "R_001_153 time and chance are held",             "--deterministic fixed",   "library raw",       { "\"exit_code\":0,", "315532800", "\"mode\":\"fixed\"" }, 1 },
    { "R_001_153 in waits and children, too",           "--deterministic fixed",   "wait fork thread",  { "\"exit_code\":0,", "\"cause\":\"exited\"" }, 1 },
    { "P21 sockets do not fill the BPF machine",        "--timeout-ms 100000 --max-children 20", "socket_filters 10 1010 2000", { "\"exit_code\":0,", "0 filters of" }, .bpf_mb = 4 },
    { "P21 filters of system calls are counted",        "--timeout-ms 100000", "seccomp_filters 100 120 7 4096", { "\"exit_code\":0,", "100 filters", "\"filter_hits\":740" }, .bpf_mb = 16 },
    { "P08 who is inside does not end init",            "",                        "signals 99999",     { "\"exit_code\":0,", "\"cause\":\"exited\"" } },
    { "P04 daemons do not stay",                        "",                        "daemon",            { "\"cause\":\"exited\"" } },
};
/* clang-format on */

/* Runs a line of words (there is no shell here); what it printed, as far as it fits. */
static void answer_of(char *line, char *text, size_t size)
{
    char *words[WORDS + 1] = { NULL };
    int n = 0, ends[2];
    size_t had = 0;
    ssize_t got;
    pid_t pid;

    for (char *word = strtok(line, " "); word && n < WORDS; word = strtok(NULL, " "))
        words[n++] = word;
    text[0] = '\0';
    if (pipe(ends) != 0)
        return;
    pid = fork();
    if (pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execv(words[0], words);
        _exit(127);
    }
    (void)close(ends[1]);
    while (had + 1 < size && (got = read(ends[0], text + had, size - 1 - had)) > 0)
        had += (size_t)got;
    text[had] = '\0';
    (void)close(ends[0]);
    (void)waitpid(pid, NULL, 0);
}

/* What is compiled for the kernel's BPF machine, in bytes. */
static long bpf_bytes(void)
{
    FILE *areas = fopen("/proc/vmallocinfo", "re");
    char line[512];
    long sum = 0, bytes;

    while (areas && fgets(line, sizeof line, areas))
        if (strstr(line, "bpf_") && sscanf(line, "%*s %ld", &bytes) == 1)
            sum += bytes;
    if (areas)
        (void)fclose(areas);
    return sum;
}

/* As answer_of(); looks meanwhile how much the BPF machine has at most. */
static long most_bpf_bytes(char *line, char *text, size_t size)
{
    long *most =
        mmap(NULL, sizeof *most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t looks;

    if (most == MAP_FAILED)
        return -1;
    looks = fork();
    while (looks == 0) {
        long now = bpf_bytes();

        *most = now > *most ? now : *most;
        (void)usleep(20000);
    }
    answer_of(line, text, size);
    (void)kill(looks, SIGKILL);
    (void)waitpid(looks, NULL, 0);
    return *most;
}

/* Directories of runs that nobody removed. */
static int groups_in(const char *path)
{
    DIR *in = opendir(path);
    int found = 0;

    if (!in)
        return 0;
    for (const struct dirent *d = readdir(in); d; d = readdir(in))
        found += strncmp(d->d_name, "writ-", 5) == 0 && d->d_name[5] >= '0' && d->d_name[5] <= '9';
    (void)closedir(in);
    return found;
}

static int is_clean(void)
{
    return groups_in("/sys/fs/cgroup") + groups_in("/sys/fs/cgroup/memory") +
               groups_in("/sys/fs/cgroup/unified") ==
           0;
}

/* What systemd does on every machine: groups below the root have controllers. */
static void enable(const char *file)
{
    static const char *const controllers[] = { "+memory", "+pids", "+cpu" };
    FILE *to;

    for (int i = 0; i < 3; i++) {
        to = fopen(file, "we");
        if (to)
            (void)fputs(controllers[i], to);
        if (to)
            (void)fclose(to);
    }
}

int main(int argc, char **argv)
{
    static char text[1 << 20], command[2048];
    int failed = 0, n = sizeof rows / sizeof rows[0];

    if (argc != 4 || (mkdir(place, 0755) != 0 && access(place, F_OK) != 0) ||
        chown(place, 1000, 1000) != 0 || chdir(place) != 0)
        return 2;
    enable("/sys/fs/cgroup/cgroup.subtree_control");
    enable("/sys/fs/cgroup/unified/cgroup.subtree_control");
    for (int i = 0; i < n; i++) {
        int ok = 1;

        (void)snprintf(command, sizeof command, "%s exec --json %s -- %s %s", argv[1],
                       rows[i].options, argv[rows[i].held ? 3 : 2], rows[i].act);
        if (rows[i].bpf_mb) {
            long before = bpf_bytes(), most = most_bpf_bytes(command, text, sizeof text);

            printf("# BPF machine: %ld kB before, %ld kB at most\n", before >> 10, most >> 10);
            ok = most > 0 && most - before <= (long)rows[i].bpf_mb << 20;
        } else {
            answer_of(command, text, sizeof text);
        }
        for (int k = 0; k < 4 && rows[i].holds[k]; k++)
            ok &= strstr(text, rows[i].holds[k]) != NULL;
        printf("%sok %d - %s\n", ok ? "" : "not ", i + 1, rows[i].name);
        if (!ok)
            printf("# %.900s\n", text);
        failed |= !ok;
    }
    printf("%sok %d - R_001_172 nothing is left\n1..%d\n", is_clean() ? "" : "not ", n + 1, n + 1);
    return failed || !is_clean();
}
