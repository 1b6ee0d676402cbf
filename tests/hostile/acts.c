/* SPDX-License-Identifier: Apache-2.0 */
/* acts.c: the hostile program: one act of the tables, by its name. */
#include "acts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct act *const tables[] = {
    acts_count,  acts_dirs,   acts_files, acts_filters, acts_input,   acts_kernel, acts_lists,
    acts_memory, acts_mounts, acts_net,   acts_output,  acts_process, acts_rights,
};

static int faults;

static const char *error_name(int number)
{
    const char *name = strerrorname_np(number);

    return name ? name : "an error without a name";
}

/* Is it one of the words? */
static bool among(const char *words, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += n) {
        if ((at == words || at[-1] == ' ') && (at[n] == 0 || at[n] == ' '))
            return true;
    }
    return false;
}

__attribute__((format(printf, 1, 0))) static void line(const char *what, va_list more,
                                                       const char *result)
{
    vprintf(what, more);
    printf(": %s\n", result);
}

bool refused(const char *wanted, long ret, const char *what, ...)
{
    const char *error = error_name(errno);
    bool through = ret >= 0, right = !through && (!wanted || among(wanted, error));
    char result[200];
    va_list more;

    snprintf(result, sizeof result, right || through ? "%s" : "%s, WANTED %s",
             through ? "GOT IT" : error, wanted);
    va_start(more, what);
    line(what, more, result);
    va_end(more);
    faults += !right;
    return through;
}

bool works(long ret, const char *what, ...)
{
    char result[200];
    va_list more;

    snprintf(result, sizeof result, ret < 0 ? "%s, MUST WORK" : "works", error_name(errno));
    va_start(more, what);
    line(what, more, result);
    va_end(more);
    faults += ret < 0;
    return ret >= 0;
}

bool holds(bool truth, const char *what, ...)
{
    va_list more;

    va_start(more, what);
    line(what, more, truth ? "yes" : "NO");
    va_end(more);
    faults += !truth;
    return truth;
}

void note(const char *what, ...)
{
    va_list more;

    va_start(more, what);
    vprintf(what, more);
    va_end(more);
    putchar('\n');
}

void spill(int fd)
{
    char bytes[4096];
    ssize_t n = read(fd, bytes, sizeof bytes);

    if (n > 0)
        fwrite(bytes, 1, (size_t)n, stdout);
    putchar('\n');
    close(fd);
}

int verdict(void)
{
    return faults ? 1 : 0;
}

int waited(int pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

const char *text(const char *form, ...)
{
    static char buffers[4][8192];
    static unsigned turn;
    char *buffer = buffers[turn++ % 4];
    va_list more;

    va_start(more, form);
    vsnprintf(buffer, sizeof buffers[0], form, more);
    va_end(more);
    return buffer;
}

long long status_hex(const char *key)
{
    FILE *file = fopen("/proc/self/status", "re");
    long long value = -1;
    char row[256];

    while (file && fgets(row, sizeof row, file)) {
        if (strncmp(row, key, strlen(key)) == 0 && row[strlen(key)] == ':')
            value = (long long)strtoull(row + strlen(key) + 1, NULL, 16);
    }
    if (file)
        fclose(file);
    return value;
}

const struct act *act_named(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct act *act = tables[i]; act->name; act++) {
            if (strcmp(act->name, name) == 0)
                return act;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct act *act = argc > 1 ? act_named(argv[1]) : NULL;

    if (argc > 1 && !act) {
        fprintf(stderr, "hostile: no act is called '%s'\n", argv[1]);
        return 99;
    }
    if (act) {
        setvbuf(stdout, NULL, _IOLBF, 0);
        return act->go(argc - 2, argv + 2);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (act = tables[i]; act->name; act++)
            printf("%-4s %s\n", act->id, act->name);
    }
    return 0;
}
