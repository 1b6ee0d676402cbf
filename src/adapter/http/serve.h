/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h: writ-http at work: calls come by the channel, answers go back by it. One thread. */
#pragma once

#include "adapter/http/curl.h"
#include "adapter/http/frame.h"
#include "adapter/http/proxy.h"
#include "base/world.h"

enum { SERVE_CALLS = 512, SERVE_SOCKETS = 64 };

struct serve {
    int channel;
    struct http_reader in;
    struct http_eager eager;
    struct buf out; /* of which `sent` bytes are on their way */
    size_t sent;
    struct web *web;
    struct http_settings settings;
    const struct world *world;
    struct transfer *transfers, *spare; /* spare: over, its memory is for the next */
    struct wire *wires;
    size_t transfer_count, wire_count;
};

/* Until the channel ends. False: something was wrong with it. */
bool serve_run(struct serve *s, struct error *e) NODISCARD;

int64_t serve_now_ms(const struct serve *s);

/* Puts a frame behind what is to be sent. */
void serve_say(struct serve *s, enum http_kind kind, uint32_t call, struct str body);
void serve_say_end(struct serve *s, uint32_t call, const struct http_ended *end);

/* So much is waiting to be sent that strangers have to wait, too. */
bool serve_is_full(const struct serve *s);

/* ---- a request and its answer (http/transfer.c) ---- */

void transfer_begin(struct serve *s, const struct http_frame *f);
bool transfer_stop(struct serve *s, uint32_t call); /* false: there is none of that number */
void transfers_go_on(struct serve *s);              /* those that were told to wait */
void transfers_tidy(struct serve *s);               /* those whose end was told */

/* ---- a WebSocket (http/wire.c) ---- */

void wire_begin(struct serve *s, const struct http_frame *f);
void wire_send(struct serve *s, const struct http_frame *f);
bool wire_stop(struct serve *s, uint32_t call);

size_t wires_polls(const struct serve *s, struct pollfd *to, size_t room);
int64_t wires_due_ms(const struct serve *s); /* -1: never */
void wires_go(struct serve *s, const struct pollfd *ready, size_t n);

/* ---- what both are made of (http/asked.c) ---- */

/* A request, as it came, and what it may reach. Its memory is wiped when it ends. */
struct asked {
    struct arena a;
    size_t n; /* bytes of what came */
    struct http_ask ask;
    struct http_place place;
    struct http_policy policy;
    const char *proxy;
    int64_t deadline_ms;
    struct web_ask web;
    enum http_end refused; /* HTTP_DONE: nothing was refused; else why it was ended by us */
    const char *why;
    char address[ADDRESS_TEXT];
};

/* False: it is refused, for the reason in `refused` and `why`. */
bool asked_open(struct asked *q, const struct serve *s, struct str body, bool socket);
void asked_close(struct asked *q);
void asked_forget(struct asked *q); /* as that, but its memory stays for another */

/* Ends it for a reason of ours; always false. */
bool asked_refuse(struct asked *q, enum http_end end, const char *why);

/* May a connection be made? */
bool asked_may_reach(struct asked *q, const struct address *address, uint16_t port);

/* Says how it ended: as we ended it, or else as `end` and `why` tell. */
void asked_say_end(const struct asked *q, struct serve *s, uint32_t call,
                   const struct http_ended *end);
