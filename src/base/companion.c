/* SPDX-License-Identifier: Apache-2.0 */
/* companion.c: finds programs that are installed together with this one. */
#include "base/companion.h"

#include <limits.h>
#include <unistd.h>

#include "places.h" /* made by the build */

static const char installed[] = COMPANION_PLACE;

static const char *there(const char *path)
{
    return access(path, X_OK) == 0 ? path : NULL;
}

/* writ and writ-pure are of the family writ. */
static struct str family_of(struct str name)
{
    const char *dash = memchr(name.s, '-', name.n);

    return (struct str){ name.s, dash ? (size_t)(dash - name.s) : name.n };
}

/* The directory of this program, with its slash, when it is one of the family; else empty. */
static struct str neighbourhood(struct str family, char *self, size_t size)
{
    ssize_t len = readlink("/proc/self/exe", self, size);
    struct str name, none = { self, 0 };
    const char *slash;

    if (len <= 0 || (size_t)len == size)
        return none;
    slash = memrchr(self, '/', (size_t)len);
    if (!slash)
        return none;
    name = (struct str){ slash + 1, (size_t)(self + len - (slash + 1)) };
    if (!str_eq(family_of(name), family))
        return none;
    return (struct str){ self, (size_t)(slash + 1 - self) };
}

const char *companion(const char *name, const char *given, struct arena *a)
{
    char self[PATH_MAX];
    struct str family = family_of(str_of(name)), here;
    const char *path = NULL;

    if (given && *given)
        return there(arena_printf(a, "%s/%s", given, name));
    here = neighbourhood(family, self, sizeof self);
    if (here.n)
        path = there(arena_printf(a, "%.*s%s", STR_ARG(here), name));
    if (here.n && !path)
        path =
            there(arena_printf(a, "%.*s../libexec/%.*s/%s", STR_ARG(here), STR_ARG(family), name));
    return path ? path : there(arena_printf(a, "%s/%s", installed, name));
}
