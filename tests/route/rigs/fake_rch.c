/* SPDX-License-Identifier: Apache-2.0 */
/* fake_rch.c: a wrapper of the shape `rch exec -- CMD ARG...` that does what a test tells it.
 *
 * FAKE_RCH_EXEC says how a command is taken, FAKE_RCH_PROBE what comes of `--version`:
 *
 *     run             (also without a word) it is run; of a probe: it ends with 0
 *     exit N [TIMES]  nothing is run, and it ends with N; with TIMES the first so many times only
 *     hang            nothing is run, and it does not end; SIGTERM ends it
 *     deaf            the same, and SIGTERM does not end it
 *     signal N        nothing is run, and it dies by signal N
 *     stay MARK       it is run; a child in a session of its own stays behind: `sleep MARK`
 *     late N          it is run N milliseconds later
 *     print N         it prints N bytes before it runs it
 *
 * Each call adds a line to the file FAKE_RCH_LOG: `probe`, or `exec` and the words of the command.
 * By these lines it knows how many times it was called.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { USAGE = 64, NOT_FOUND = 127, LINE = 4096 };

static long number(const char *text)
{
    return text ? strtol(text, NULL, 10) : 0;
}

/* Adds a line in one write, so that those of others stay whole; returns how many begin like it now.
 */
static long note(const char *line)
{
    const char *path = getenv("FAKE_RCH_LOG");
    char text[LINE];
    long count = 0;

    if (!path)
        return 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
        exit(USAGE);
    (void)close(fd);
    FILE *f = fopen(path, "re");
    while (f && fgets(text, sizeof text, f))
        count += strncmp(text, line, 4) == 0;
    if (f)
        (void)fclose(f);
    return count;
}

static void pause_ms(long ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

    while (nanosleep(&t, &t) != 0)
        continue;
}

static _Noreturn void hang(void)
{
    for (;;)
        (void)pause();
}

static _Noreturn void die(int signal_number)
{
    const struct rlimit none = { 0, 0 };

    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
    hang();
}

/* A child that nobody waits for, which has let go of our descriptors. */
static void stay(const char *mark)
{
    if (fork() != 0)
        return;
    (void)setsid();
    for (int fd = 0; fd < 3; fd++) {
        (void)close(fd);
        (void)open("/dev/null", O_RDWR);
    }
    (void)execlp("sleep", "sleep", mark, (char *)NULL);
    _exit(NOT_FOUND);
}

static void print(long bytes)
{
    char block[LINE];

    memset(block, 'x', sizeof block);
    while (bytes > 0) {
        size_t n = bytes < LINE ? (size_t)bytes : LINE;
        ssize_t done = write(1, block, n);
        if (done <= 0)
            return;
        bytes -= done;
    }
}

/* Returns when it is to be run. */
static void behave(char *how, long times)
{
    char *rest = NULL;
    const char *what = how ? strtok_r(how, " ", &rest) : "run";
    const char *first = how ? strtok_r(NULL, " ", &rest) : NULL;
    const char *second = how && first ? strtok_r(NULL, " ", &rest) : NULL;

    if (!what || strcmp(what, "run") == 0)
        return;
    if (strcmp(what, "exit") == 0) {
        if (!second || times <= number(second))
            exit((int)number(first));
        return;
    }
    if (strcmp(what, "deaf") == 0)
        (void)signal(SIGTERM, SIG_IGN);
    if (strcmp(what, "deaf") == 0 || strcmp(what, "hang") == 0)
        hang();
    if (strcmp(what, "signal") == 0)
        die((int)number(first));
    if (strcmp(what, "stay") == 0)
        stay(first);
    else if (strcmp(what, "late") == 0)
        pause_ms(number(first));
    else if (strcmp(what, "print") == 0)
        print(number(first));
    else
        exit(USAGE);
}

int main(int argc, char **argv)
{
    char line[LINE] = "exec";
    size_t len = strlen(line);

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        behave(getenv("FAKE_RCH_PROBE"), note("probe\n"));
        (void)puts("rch 0.0.0 (fake)");
        return 0;
    }
    if (argc < 4 || strcmp(argv[1], "exec") != 0 || strcmp(argv[2], "--") != 0)
        return USAGE;
    for (int i = 3; i < argc && len < LINE - 2; i++)
        len += (size_t)snprintf(line + len, LINE - 2 - len, " %s", argv[i]);
    len = len < LINE - 2 ? len : LINE - 3;
    (void)memcpy(line + len, "\n", 2);
    behave(getenv("FAKE_RCH_EXEC"), note(line));
    (void)execvp(argv[3], argv + 3);
    return NOT_FOUND;
}
