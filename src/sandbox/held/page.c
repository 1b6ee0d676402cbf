/* SPDX-License-Identifier: Apache-2.0 */
/* page.c: finds the pages before the kernel's shared code. They lie in every process alike. */
#include "sandbox/held_page.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/held.h"
#include "sandbox/held/image.h"

/* The latest mappings of such pages that touch each other. */
struct pages {
    uint64_t begin, end;
    uint64_t bytes; /* when the code has been seen right behind them */
};

static void take_line(struct pages *p, const char *line)
{
    char *rest;
    uint64_t begin = strtoull(line, &rest, 16);
    uint64_t end = *rest == '-' ? strtoull(rest + 1, NULL, 16) : 0;

    if (strstr(line, "[vvar")) {
        p->begin = begin == p->end ? p->begin : begin;
        p->end = end;
    } else if (strstr(line, "[vdso]") && begin == p->end) {
        p->bytes = begin - p->begin;
    }
}

uint64_t held_page_bytes(void)
{
    _fd_ int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char room[4096], line[128]; /* whose lines are short; of longer ones the end is not needed */
    struct pages p = { 0 };
    size_t n = 0;
    ssize_t some;

    while (fd >= 0 && (some = read(fd, room, sizeof room)) > 0)
        for (ssize_t i = 0; i < some; i++) {
            if (room[i] != '\n' && n < sizeof line - 1)
                line[n++] = room[i];
            if (room[i] != '\n')
                continue;
            line[n] = '\0';
            take_line(&p, line);
            n = 0;
        }
    return p.bytes;
}

bool held_page_is_open(void)
{
    static const struct held none;
    const struct held_places places = held_ground(&none).places;

    return !places.found || places.others || held_page_bytes() == 0;
}
