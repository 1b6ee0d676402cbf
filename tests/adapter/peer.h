/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h: servers on loopback that behave as a test wants: each connection is served by a thread.
 */
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/http.h"

enum { PEER_CONNECTIONS = 256, PEER_ASK = 64 << 10 };

struct peer {
    int listener, port;
    void (*serve)(struct peer *p, int fd);
    void *self;
    atomic_int connections, requests;
    /* the peer's own */
    pthread_t thread, each[PEER_CONNECTIONS];
    int fds[PEER_CONNECTIONS];
    atomic_bool over;
};

/* Begins to listen; serve() has each connection, which is closed when it returns. */
void peer_start(struct peer *p, void (*serve)(struct peer *p, int fd));
void peer_stop(struct peer *p);

/* The head of the next request, with its empty line; false: the connection has ended. Of a body
 * with a length the bytes are read and dropped. */
bool peer_ask(struct peer *p, int fd, char head[PEER_ASK]);

/* Sends all of it; false: nobody reads. */
bool peer_say(int fd, const char *text);
bool peer_send(int fd, const void *bytes, size_t n);

/* Waits until the other side has closed. */
void peer_wait_end(int fd);

/* What is called, and how it went. */
struct visit {
    struct arena a;
    struct http_request request;
    struct http_answer answer;
    struct error e;
};

/* http://127.0.0.1:PORT/path, to which nothing but that address is allowed. */
void visit_begin(struct visit *v, const struct peer *p, const char *path);
bool visit_go(struct visit *v, struct http *h);
void visit_free(struct visit *v);

#define _visit_ _cleanup_(visit_free)

/* The program that is tested; main() sets it. */
extern const char *peer_program;
struct http *peer_http(void);
