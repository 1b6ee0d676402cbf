/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h: conformance data that others wrote: where it is, and one TAP line a case. */
#pragma once

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fs.h"

static int suite_cases, suite_failed;

/* The directory of a suite: $WRIT_SUITES, else where the build was told to look. NULL, after a TAP
 * line that says so, when it is not there. */
static inline const char *suite_dir(const char *name)
{
    static char path[4096];
    const char *home = getenv("WRIT_SUITES");

    (void)snprintf(path, sizeof path, "%s/%s", home ? home : WRIT_SUITES_HOME, name);
    if (access(path, R_OK) == 0)
        return path;
    printf("1..0 # SKIP %s is not here; set WRIT_SUITES to the directory that has it\n", name);
    return NULL;
}

PRINTF(3, 4)
static inline void suite_case(bool ok, const char *name, const char *fmt, ...)
{
    va_list ap;

    suite_cases++;
    suite_failed += !ok;
    printf("%sok %d - ", ok ? "" : "not ", suite_cases);
    for (const char *p = name; *p; p++)
        putchar(*p == '#' ? '=' : *p); /* TAP takes what follows # for a directive */
    putchar('\n');
    if (ok)
        return;
    printf("# ");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
}

static inline int suite_end(void)
{
    printf("1..%d\n", suite_cases);
    return suite_failed > 0;
}

static inline int suite_no_dots(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* The file dir/name, or an empty str when there is none. */
static inline struct str suite_file(const char *dir, const char *name, struct arena *a)
{
    struct str text = { 0 };
    struct error e;
    char *path = arena_printf(a, "%s/%s", dir, name);

    return fs_read(path, 64 << 20, a, &text, &e) ? text : (struct str){ 0 };
}
