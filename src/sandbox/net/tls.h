/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h: TLS with hosts that are sent a secret. */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct tls;

/* What reading and writing come to, beside a number of bytes. */
enum { TLS_END = 0, TLS_LATER = -1, TLS_BROKEN = -2 };

/* Once, before anything is given away: reads which certificates are trusted. False: there is no
 * TLS in this build, or it cannot be had. */
bool tls_begin(struct error *e) NODISCARD;

/* A client's end on a connection. NULL: none can be made. The peer must show a certificate for that
 * name, or that address. */
struct tls *tls_open(int fd, const char *host, bool is_address);
void tls_close(struct tls *t);

/* 1: it is done; TLS_LATER; TLS_BROKEN, and *why. */
int tls_shake(struct tls *t, const char **why);
ssize_t tls_read(struct tls *t, void *to, size_t n);
ssize_t tls_write(struct tls *t, const void *from, size_t n);

/* The last call waits until the connection can be written to. */
bool tls_wants_write(const struct tls *t);
