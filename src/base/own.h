/* SPDX-License-Identifier: Apache-2.0 */
/* own.h: who frees what. A local marked _fd_ or _free_ lets go of itself on return. */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* Closes what is open, and forgets it: a second time does nothing. */
static inline void own_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static inline void own_free(void *p)
{
    free(*(void **)p);
}

#define _fd_   _cleanup_(own_close)
#define _free_ _cleanup_(own_free)

/* Off the hot path: keeps the code that calls it small. */
#define COLD         __attribute__((cold, noinline))

#define NODISCARD    __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
