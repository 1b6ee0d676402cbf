/* SPDX-License-Identifier: Apache-2.0 */
/* init.c: the first process of a small machine: runs the programs of /programs, one after the
 * other.
 *
 * Each line of /programs is a path and its arguments, parted by spaces. What they print goes to the
 * console, between `# begin LINE` and `# end STATUS`. Then the machine is switched off.
 * usage: init [hybrid]    with it, memory is on version 1 of control groups, else nothing is
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 16 };

/* clang-format off */
static const struct mounting { const char *type, *where, *options; } machine[] = {
    { "proc",     "/proc", NULL },
    { "sysfs",    "/sys",  NULL },
    { "devtmpfs", "/dev",  NULL },
    { "tmpfs",    "/tmp",  NULL },
    { NULL,       NULL,    NULL },
}, pure[] = {
    { "cgroup2",  "/sys/fs/cgroup", NULL },
    { NULL,       NULL,             NULL },
}, hybrid[] = { /* memory on version 1, the rest on version 2 */
    { "tmpfs",    "/sys/fs/cgroup",         NULL },
    { "cgroup",   "/sys/fs/cgroup/memory",  "memory" },
    { "cgroup2",  "/sys/fs/cgroup/unified", NULL },
    { NULL,       NULL,                     NULL },
};
/* clang-format on */

static void say(const char *text)
{
    (void)fputs(text, stdout);
    (void)fflush(stdout);
}

static void start(char *line)
{
    char *words[WORDS + 1] = { NULL };
    int n = 0;

    for (char *word = strtok(line, " "); word && n < WORDS; word = strtok(NULL, " "))
        words[n++] = word;
    if (n > 0)
        (void)execv(words[0], words);
    say("# cannot be started\n");
    _exit(127);
}

/* Its status; orphans that come to us on the way are only waited for. */
static int finish(pid_t pid)
{
    int status = 0;
    pid_t gone;

    do
        gone = wait(&status);
    while (gone > 0 && gone != pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run(char *line)
{
    pid_t pid;

    (void)printf("# begin %s\n", line);
    (void)fflush(stdout);
    pid = fork();
    if (pid == 0)
        start(line);
    (void)printf("\n# end %d\n", finish(pid));
}

static void mount_all(const struct mounting *m)
{
    for (; m->type; m++) {
        (void)mkdir(m->where, 0755);
        if (mount("none", m->where, m->type, 0, m->options) != 0)
            (void)printf("# %s cannot be mounted at %s\n", m->type, m->where);
    }
}

/* The kernel lets nobody leave the first root of all. A second one is laid over it, with the same
 * files in it. */
static void change_root(void)
{
    (void)mkdir("/root", 0755);
    if (mount("/", "/root", NULL, MS_BIND, NULL) != 0 || chdir("/root") != 0 ||
        mount(".", "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0)
        say("# the root cannot be changed\n");
}

int main(int argc, char **argv)
{
    bool mixed = false;
    char line[512];
    FILE *programs;

    for (int i = 1; i < argc; i++) /* from the kernel's command line, after -- */
        mixed |= strcmp(argv[i], "hybrid") == 0;
    (void)setenv("PATH", "/usr/bin:/bin", 1);
    (void)setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 1);
    (void)setenv("WRIT_STATE", "/state", 1);
    change_root();
    mount_all(machine);
    mount_all(mixed ? hybrid : pure);
    programs = fopen("/programs", "re");
    while (programs && fgets(line, sizeof line, programs)) {
        line[strcspn(line, "\n")] = '\0';
        run(line);
    }
    say("# all done\n");
    (void)sync();
    return reboot(RB_POWER_OFF);
}
