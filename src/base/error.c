/* SPDX-License-Identifier: Apache-2.0 */
/* error.c: fills and wraps struct error. Nothing here allocates. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Behind what is cut, on the border of a character: a message that ends with a sign of it is not
 * taken for a whole one. */
static void mark_cut(char msg[ERROR_MSG])
{
    static const char mark[] = "…";
    size_t at = ERROR_MSG - sizeof mark, least = at - 3; /* no character has more than 4 bytes */

    while (at > least && ((unsigned char)msg[at] & 0xc0) == 0x80)
        at--;
    memcpy(msg + at, mark, sizeof mark);
}

/* What comes behind a message that is cut is cut, too. */
PRINTF(2, 0)
static void add(struct error *e, const char *fmt, va_list ap)
{
    size_t used = strlen(e->msg), room = sizeof e->msg - used;
    int n = vsnprintf(e->msg + used, room, fmt, ap);

    if (n > 0 && (size_t)n >= room)
        mark_cut(e->msg);
}

PRINTF(2, 3)
static void add_text(struct error *e, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add(e, fmt, ap);
    va_end(ap);
}

PRINTF(3, 0)
static void fill(struct error *e, int code, const char *fmt, va_list ap)
{
    *e = (struct error){ .code = code };
    add(e, fmt, ap);
}

bool error_set(struct error *e, int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fill(e, code, fmt, ap);
    va_end(ap);
    return false;
}

bool error_at(struct error *e, int code, const struct at *at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fill(e, code, fmt, ap);
    va_end(ap);
    e->at = *at;
    return false;
}

/* The kernel lets it out of seccomp(2) and setsockopt(2), and no C library has words for it. */
enum { KERNEL_ENOTSUPP = 524 };

const char *error_words(int sys)
{
    const char *words = strerrordesc_np(sys);

    if (sys == KERNEL_ENOTSUPP)
        return "not supported by the kernel (error 524; a filter gets it where no room is left, see "
               "net.core.bpf_jit_limit)";
    return words ? words : "an error that has no name";
}

bool error_sys(struct error *e, int code, const char *fmt, ...)
{
    int sys = errno;
    va_list ap;

    va_start(ap, fmt);
    fill(e, code, fmt, ap);
    va_end(ap);
    e->sys = sys;
    add_text(e, ": %s%s", error_words(sys), sys == EMFILE ? " (see ulimit -n)" : "");
    return false;
}

bool error_wrap(struct error *e, const char *fmt, ...)
{
    char inner[ERROR_MSG];
    va_list ap;

    memcpy(inner, e->msg, sizeof inner);
    e->msg[0] = '\0';
    va_start(ap, fmt);
    add(e, fmt, ap);
    va_end(ap);
    add_text(e, ": %s", inner);
    return false;
}
