/* SPDX-License-Identifier: Apache-2.0 */
/* tls_none.c: a build without OpenSSL speaks no TLS, and says so before anything begins. */
#include "sandbox/net/tls.h"

bool tls_begin(struct error *e)
{
    return error_set(e, ERROR_IO, "this build has no TLS, which a secret for a host needs");
}

struct tls *tls_open(int fd, const char *host, bool is_address)
{
    (void)fd;
    (void)host;
    (void)is_address;
    return NULL;
}

void tls_close(struct tls *t)
{
    (void)t;
}

int tls_shake(struct tls *t, const char **why)
{
    (void)t;
    *why = "this build has no TLS";
    return TLS_BROKEN;
}

ssize_t tls_read(struct tls *t, void *to, size_t n)
{
    (void)t;
    (void)to;
    (void)n;
    return TLS_BROKEN;
}

ssize_t tls_write(struct tls *t, const void *from, size_t n)
{
    (void)t;
    (void)from;
    (void)n;
    return TLS_BROKEN;
}

bool tls_wants_write(const struct tls *t)
{
    (void)t;
    return false;
}
