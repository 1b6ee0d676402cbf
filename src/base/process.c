/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: reads /proc/PID/stat. */
#include "base/process.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"

enum {
    STAT_STATE = 3,
    STAT_PARENT = 4,
    STAT_THREADS = 20,
    STAT_START = 22
}; /* words, counted from 1 */

/* `PID (name) state ...`; the name may hold anything, a ')' and spaces too. */
bool process_read(struct str stat, struct process *out)
{
    const char *name_end = stat.n ? memrchr(stat.s, ')', stat.n) : NULL;
    struct str rest, words[STAT_START + 1];
    struct process p;

    if (!name_end)
        return false;
    rest = str_from(stat, (size_t)(name_end - stat.s) + 1);
    (void)str_cut(&rest, " ");
    for (int i = STAT_STATE; i <= STAT_START; i++)
        words[i] = str_cut(&rest, " ");
    p.state = words[STAT_STATE].n ? words[STAT_STATE].s[0] : '?';
    if (!num_int(str_cut(&stat, " "), &p.pid) || !num_int(words[STAT_PARENT], &p.parent) ||
        !num_int(words[STAT_THREADS], &p.threads) || !num_int(words[STAT_START], &p.start))
        return false;
    *out = p;
    return true;
}

static bool look(const char *path, struct process *out)
{
    _fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[1024];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

    return n > 0 && process_read((struct str){ text, (size_t)n }, out);
}

bool process_look(int64_t pid, struct process *out)
{
    char path[48];

    (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    return look(path, out);
}

bool process_self(struct process *out)
{
    return look("/proc/self/stat", out);
}
