/* SPDX-License-Identifier: Apache-2.0 */
/* semver.c: reads and compares X.Y.Z. */
#include "contract/semver.h"

#include <string.h>

#include "base/num.h"

/* The text up to the next dot; *rest goes on behind it. False where there is no dot. */
static bool cut(struct str *rest, struct str *part)
{
    const char *dot = rest->n > 0 ? memchr(rest->s, '.', rest->n) : NULL;

    if (!dot)
        return false;
    *part = (struct str){ rest->s, (size_t)(dot - rest->s) };
    *rest = (struct str){ dot + 1, rest->n - part->n - 1 };
    return true;
}

static bool read_part(struct str text, uint32_t *out)
{
    int64_t v;

    if (!num_int(text, &v) || v < 0 || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

bool semver_read(struct str text, struct semver *out)
{
    struct str major, minor, patch = text;
    struct semver v;

    if (!cut(&patch, &major) || !cut(&patch, &minor))
        return false;
    if (!read_part(major, &v.major) || !read_part(minor, &v.minor) || !read_part(patch, &v.patch))
        return false;
    *out = v;
    return true;
}

static int order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

int semver_cmp(const struct semver *a, const struct semver *b)
{
    if (a->major != b->major)
        return order(a->major, b->major);
    return a->minor != b->minor ? order(a->minor, b->minor) : order(a->patch, b->patch);
}
