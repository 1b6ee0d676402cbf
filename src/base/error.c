/* SPDX-License-Identifier: Apache-2.0 */
/* error.c: fills and wraps struct error. Nothing here allocates. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PRINTF(3, 0)
static void fill(struct error *e, int code, const char *fmt, va_list ap)
{
    *e = (struct error){ .code = code };
    (void)vsnprintf(e->msg, sizeof e->msg, fmt, ap);
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

bool error_sys(struct error *e, int code, const char *fmt, ...)
{
    int sys = errno;
    size_t used;
    va_list ap;

    va_start(ap, fmt);
    fill(e, code, fmt, ap);
    va_end(ap);
    e->sys = sys;
    used = strlen(e->msg);
    (void)snprintf(e->msg + used, sizeof e->msg - used, ": %s%s", strerrordesc_np(sys),
                   sys == EMFILE ? " (see ulimit -n)" : "");
    return false;
}

bool error_wrap(struct error *e, const char *fmt, ...)
{
    char inner[ERROR_MSG];
    size_t used;
    va_list ap;

    memcpy(inner, e->msg, sizeof inner);
    va_start(ap, fmt);
    (void)vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    used = strlen(e->msg);
    (void)snprintf(e->msg + used, sizeof e->msg - used, ": %s", inner);
    return false;
}
