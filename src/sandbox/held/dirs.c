/* SPDX-License-Identifier: Apache-2.0 */
/* dirs.c: sorts what getdents64 returns. */
#include "sandbox/held/dirs.h"

#include <string.h>

#include "sandbox/held/tracee.h"

/* As the kernel writes it: the number of the file, where one is after it, how long the entry is,
 * its type, its name and a NUL. */
enum { AFTER = 8, LENGTH = 16, NAME = 19, SMALLEST = 24, MOST = HELD_DIR_BYTES / SMALLEST };

struct entries {
    const unsigned char *bytes;
    uint16_t at[MOST];
    uint64_t after[MOST];
    size_t n;
};

static uint16_t length_at(const unsigned char *entry)
{
    uint16_t length;

    memcpy(&length, entry + LENGTH, sizeof length);
    return length;
}

static bool find_entries(struct entries *e, size_t n)
{
    size_t at = 0;

    for (e->n = 0; at < n; e->n++) {
        size_t length = n - at < SMALLEST ? 0 : length_at(e->bytes + at);

        if (length < SMALLEST || length > n - at || e->n == MOST ||
            !memchr(e->bytes + at + NAME, '\0', length - NAME))
            return false;
        e->at[e->n] = (uint16_t)at;
        memcpy(&e->after[e->n], e->bytes + at + AFTER, sizeof e->after[0]);
        at += length;
    }
    return true;
}

static bool is_before(const struct entries *e, uint16_t a, uint16_t b)
{
    return strcmp((const char *)e->bytes + a + NAME, (const char *)e->bytes + b + NAME) < 0;
}

/* Shell's: nothing is allocated, and most directories are small. */
static void sort(struct entries *e)
{
    for (size_t gap = e->n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < e->n; i++) {
            uint16_t moved = e->at[i];
            size_t k = i;

            for (; k >= gap && is_before(e, moved, e->at[k - gap]); k -= gap)
                e->at[k] = e->at[k - gap];
            e->at[k] = moved;
        }
}

void held_dirs_sort(unsigned char *entries, size_t n, unsigned char *room)
{
    static struct entries e;
    size_t to = 0;

    e.bytes = entries;
    if (n > HELD_DIR_BYTES || !find_entries(&e, n))
        return;
    sort(&e);
    for (size_t i = 0; i < e.n; i++) {
        size_t length = length_at(entries + e.at[i]);

        memcpy(room + to, entries + e.at[i], length);
        memcpy(room + to + AFTER, &e.after[i], sizeof e.after[0]);
        to += length;
    }
    memcpy(entries, room, n);
}

void held_dirs_returned(pid_t pid, uint64_t at, int64_t n)
{
    static unsigned char entries[HELD_DIR_BYTES], room[HELD_DIR_BYTES];

    if (n <= 0 || n > HELD_DIR_BYTES || !tracee_read(pid, at, entries, (size_t)n))
        return;
    held_dirs_sort(entries, (size_t)n, room);
    (void)!tracee_write(pid, at, entries, (size_t)n);
}
