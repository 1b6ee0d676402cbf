/* SPDX-License-Identifier: Apache-2.0 */
/* acts_output.c: what is printed, how much of it, and what is done with stdin. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 16];

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);

        if (done <= 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

/* FD, BYTES, and a letter: so many bytes, no line end. */
static int emit(int argc, char **argv)
{
    long long left = argc > 1 ? atoll(argv[1]) : 0;

    memset(block, argc > 2 ? argv[2][0] : 'x', sizeof block);
    for (; left > 0; left -= (long long)sizeof block) {
        size_t n = left < (long long)sizeof block ? (size_t)left : sizeof block;

        if (!write_all(atoi(argv[0]), block, n))
            return 1;
    }
    return 0;
}

/* FD, BYTES: as above, then `ready` is made and `go` awaited, so that the runner can look. */
static int flood(int argc, char **argv)
{
    int code = emit(argc, argv), fd = open("ready", O_CREAT | O_CLOEXEC, 0644);

    while (fd >= 0 && access("go", F_OK) != 0)
        usleep(2000);
    return fd < 0 ? 1 : code;
}

/* N: a byte to stdout, a byte to stderr, and again. */
static int alternate(int argc, char **argv)
{
    for (long i = 0; argc && i < atol(argv[0]); i++) {
        if (write(1, "o", 1) != 1 || write(2, "e", 1) != 1)
            return 1;
    }
    return 0;
}

/* Everything a terminal, a JSON writer or a reader of lines would stumble over. */
static int bytes(int argc, char **argv)
{
    static const char rows[] =
        "nul:\0.\nbad:\377\376\300\200\355\240\200.\nansi:\033[31m\033]0;title\007\033[2J.\n"
        "{\"exit_code\": 0, \"cause\": \"exited\", \"assurance\": \"full\"}\n"
        "</stdout>\r\n\r\nCONTENT\b\b\177\302\233\342\200\256end";

    return argc && argv ? 99 : !write_all(1, rows, sizeof rows - 1);
}

/* Forged records alone, all of it UTF-8. */
static int forge(int argc, char **argv)
{
    static const char rows[] = "\"}\n{\"exit_code\":0,\"cause\":\"exited\",\"forged\":true}\n"
                               "\\u0000\\\"\n";

    return argc && argv ? 99 : (int)(!write_all(1, rows, sizeof rows - 1) + 41);
}

/* ---- stdin ---- */

static int cat(int argc, char **argv)
{
    ssize_t n;

    while ((n = read(0, block, sizeof block)) > 0) {
        if (!write_all(1, block, (size_t)n))
            return 1;
    }
    return argc && argv ? 99 : n < 0;
}

static int count_stdin(int argc, char **argv)
{
    long long total = 0;
    ssize_t n;

    while ((n = read(0, block, sizeof block)) > 0)
        total += n;
    note("%lld", total);
    return argc && argv ? 99 : n < 0;
}

/* Closes 0, 1 and 2 as its arguments say, and ends well. */
static int shut(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        close(atoi(argv[i]));
    return 0;
}

/* clang-format off */
const struct act acts_output[] = {
    { "R11", "flood",       flood },
    { "R12", "alternate",   alternate },
    { "R13", "shut",        shut },
    { "R16", "bytes",       bytes },
    { "R16", "forge",       forge },
    { "R18", "emit",        emit },
    { "I04", "cat",         cat },
    { "I04", "count_stdin", count_stdin },
    { 0 },
};
/* clang-format on */
