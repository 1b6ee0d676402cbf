/* SPDX-License-Identifier: Apache-2.0 */
/* ids.c: which numbers this user namespace has. */
#include "sandbox/ids.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/num.h"

enum { MAP_MAX = 64 << 10, NOBODY = 65534 };

/* The kernel's number for the namespace that it begins with; there everybody is mapped. */
static const ino_t first_namespace = 0xEFFFFFFDU;

struct range {
    int64_t from, count;
};

static bool next_number(struct str *line, int64_t *out)
{
    while (line->n && line->s[0] == ' ')
        *line = str_from(*line, 1);
    return num_int(str_cut(line, " "), out);
}

/* `from outside count`, in columns. */
static bool next_range(struct str *map, struct range *out)
{
    struct str line = str_cut(map, "\n");
    int64_t outside;

    return next_number(&line, &out->from) && next_number(&line, &outside) &&
           next_number(&line, &out->count);
}

/* The highest of a range that is no more than `most`, and not `ours`; -1: none. */
static int64_t highest(const struct range *r, int64_t most, int64_t ours)
{
    int64_t last = r->from + r->count - 1;

    if (last > most)
        last = most;
    if (last == ours)
        last--;
    return last >= r->from ? last : -1;
}

bool ids_choose(struct str map, uint32_t wanted, uint32_t ours, uint32_t *out)
{
    int64_t best = -1, nobody = -1;
    struct range r;

    while (map.n && next_range(&map, &r)) {
        int64_t one = highest(&r, NOBODY - 1, ours);

        if (wanted >= r.from && wanted - r.from < r.count) {
            *out = wanted;
            return true;
        }
        if (one > best)
            best = one;
        if (highest(&r, NOBODY, ours) == NOBODY)
            nobody = NOBODY;
    }
    if (best < 0)
        best = nobody;
    if (best < 0)
        return false;
    *out = (uint32_t)best;
    return true;
}

static bool choose(const char *path, uint32_t wanted, uint32_t ours, struct arena *a, uint32_t *out)
{
    struct str map;
    struct error e;
    struct stat s;

    *out = wanted;
    if (stat("/proc/self/ns/user", &s) == 0 && s.st_ino == first_namespace)
        return true;
    return !fs_read(path, MAP_MAX, a, &map, &e) || ids_choose(map, wanted, ours, out);
}

uint32_t ids_user(uint32_t wanted, struct arena *a)
{
    uint32_t found;

    return choose("/proc/self/uid_map", wanted, geteuid(), a, &found) ? found : wanted;
}

uint32_t ids_group(uint32_t wanted, struct arena *a)
{
    uint32_t found;

    return choose("/proc/self/gid_map", wanted, getegid(), a, &found) ? found : wanted;
}

bool ids_has_one_only(struct arena *a)
{
    uint32_t found;

    return !choose("/proc/self/uid_map", UINT32_MAX, geteuid(), a, &found) ||
           !choose("/proc/self/gid_map", UINT32_MAX, getegid(), a, &found);
}
