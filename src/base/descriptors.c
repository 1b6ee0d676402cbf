/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.c: raises the soft limit, and remembers what it was. */
#include "base/descriptors.h"

#include <stdbool.h>
#include <sys/resource.h>

enum { MOST = 65536 }; /* the kernel's table of them grows with the highest that is open */

static struct rlimit callers;
static bool raised;

void descriptors_raise(void)
{
    struct rlimit more;

    if (getrlimit(RLIMIT_NOFILE, &callers) != 0 || callers.rlim_cur >= MOST)
        return;
    more = callers;
    more.rlim_cur = more.rlim_max < MOST ? more.rlim_max : MOST;
    raised = setrlimit(RLIMIT_NOFILE, &more) == 0;
}

void descriptors_restore(void)
{
    if (raised)
        (void)setrlimit(RLIMIT_NOFILE, &callers);
}
