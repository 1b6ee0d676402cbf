/* SPDX-License-Identifier: Apache-2.0 */
/* wrapper.c: a wrapper of the shape of rch, for tests: it is its own command and misbehaves as
 * asked.
 *
 * usage: wrapper exec -- ACT [ARG...]
 *
 * A FIFO that an act is given is open for writing as long as anything of it lives.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PART = 1 << 16 };

/* Says one byte into a FIFO and keeps it open. */
static int say(const char *fifo)
{
    int fd = open(fifo, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, "!", 1) != 1)
        _exit(99);
    return fd;
}

static _Noreturn void for_ever(void)
{
    for (;;)
        (void)pause();
}

static int act_exit(char **arg)
{
    (void)printf("out\n");
    (void)fprintf(stderr, "first\nlast \x1b[1mwords\n\n");
    return atoi(arg[0]);
}

static int act_signal(char **arg)
{
    (void)syscall(SYS_kill, getpid(), atoi(arg[0])); /* any: raise() keeps some for itself */
    return 98;
}

/* Its words, its directory, a variable, and the descriptors it was given. */
static int act_tell(char **arg)
{
    DIR *d = opendir("/proc/self/fd");
    char path[4096];

    for (; *arg; arg++)
        (void)printf("[%s]", *arg);
    (void)printf("\n%s\n%s\n", getcwd(path, sizeof path), getenv("WRAPPER"));
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(d))
            (void)printf("%s,", entry->d_name);
    return d ? closedir(d) : 97;
}

static int act_copy(char **arg)
{
    static char part[PART];
    ssize_t n;

    (void)arg;
    while ((n = read(STDIN_FILENO, part, sizeof part)) > 0)
        if (write(STDOUT_FILENO, part, (size_t)n) != n)
            return 96;
    return n == 0 ? 0 : 95;
}

/* So many parts on each stream; -1: without an end. */
static int act_flood(char **arg)
{
    static char part[PART];

    (void)memset(part, 'x', sizeof part);
    for (int i = atoi(arg[0]); i != 0; i -= i > 0)
        if (write(STDOUT_FILENO, part, sizeof part) < 0 ||
            write(STDERR_FILENO, part, sizeof part) < 0)
            return 94;
    return 0;
}

/* Closes its streams and goes on until it is told to end. */
static int act_close(char **arg)
{
    char byte;
    int go = open(arg[0], O_RDONLY | O_CLOEXEC);

    (void)close(STDOUT_FILENO);
    (void)close(STDERR_FILENO);
    return read(go, &byte, 1) == 1 ? 7 : 93;
}

static void on_term(int signal)
{
    (void)signal;
    (void)!write(STDOUT_FILENO, "asked\n", 6);
    _exit(3);
}

/* Ends when it is asked to. */
static int act_polite(char **arg)
{
    (void)signal(SIGTERM, on_term);
    (void)say(arg[0]);
    for_ever();
}

static int act_stubborn(char **arg)
{
    (void)signal(SIGTERM, SIG_IGN);
    (void)say(arg[0]);
    for_ever();
}

/* A child of a child in a session of its own, that cannot be asked. */
static void leave_behind(const char *fifo)
{
    int ready[2];
    char byte;

    if (pipe(ready) != 0)
        _exit(92);
    if (fork() == 0) {
        (void)setsid();
        if (fork() != 0)
            _exit(0);
        for (int i = 1; i < NSIG; i++)
            (void)signal(i, SIG_IGN);
        (void)say(fifo);
        (void)!write(ready[1], "!", 1);
        for_ever();
    }
    (void)!read(ready[0], &byte, 1);
}

static int act_leave(char **arg)
{
    leave_behind(arg[0]);
    (void)printf("left\n");
    return 0;
}

static int act_leave_and_stay(char **arg)
{
    (void)signal(SIGTERM, SIG_IGN);
    leave_behind(arg[0]);
    for_ever();
}

/* Gives its standard output to somebody outside, and ends. */
static int act_give(char **arg)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control = { 0 };
    char byte = '!';
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_name = &to,
                              .msg_namelen = sizeof to,
                              .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = &control,
                              .msg_controllen = sizeof control };
    int line = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), given = STDOUT_FILENO;

    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", arg[0]);
    control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
                                     .cmsg_level = SOL_SOCKET,
                                     .cmsg_type = SCM_RIGHTS };
    (void)memcpy(CMSG_DATA(&control.head), &given, sizeof given);
    (void)!write(STDOUT_FILENO, "given\n", 6);
    return sendmsg(line, &message, 0) == 1 ? 0 : 91;
}

static int act_burn(char **arg)
{
    volatile unsigned long turns = 0;

    (void)arg;
    while (turns < 100000000UL)
        turns++;
    return 0;
}

static const struct act {
    const char *name;
    int (*act)(char **arg);
} acts[] = {
    { "burn", act_burn },         { "close", act_close },
    { "copy", act_copy },         { "exit", act_exit },
    { "flood", act_flood },       { "give", act_give },
    { "leave", act_leave },       { "leave_and_stay", act_leave_and_stay },
    { "polite", act_polite },     { "signal", act_signal },
    { "stubborn", act_stubborn }, { "tell", act_tell },
};

int main(int argc, char **argv)
{
    if (argc < 4 || strcmp(argv[1], "exec") != 0 || strcmp(argv[2], "--") != 0)
        return 90;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(argv[3], acts[i].name) == 0)
            return acts[i].act(argv + 4);
    return 127;
}
