/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h: the one way out of a run's own network: doors inside of it, and writ-net behind them.
 *
 * The doors are sockets that listen inside of the run's empty network. They are made there, handed
 * out, and served from outside by writ-net, a program of its own: it decides about a host, looks it
 * up, checks the address, connects to that very address, and relays. It knows the lists and nothing
 * else of us, and tells what it decided. Without it nothing leads out.
 */
#pragma once

#include "base/mem.h"
#include "base/world.h"
#include "contract/hosts.h"

/* What listens behind a door. */
enum door_kind {
    DOOR_PROXY,     /* HTTP/1.1 requests in absolute form, CONNECT, SOCKS5 with names */
    DOOR_NAMES_UDP, /* names, as a resolver answers them */
    DOOR_NAMES_TCP,
    DOOR_STRAIGHT, /* programs that know of no proxy: the address they were given says the name */
};

enum { DOORS_MAX = 32, GATE_PORT = 3128 };

struct door {
    enum door_kind kind;
    uint8_t address[4]; /* of the loop: 127.x.y.z */
    uint16_t port;
    int fd; /* -1 until it is open */
};

/* A header that the gate adds to requests for a host; the command never sees it. */
struct gate_inject {
    struct str host, header, value;
    bool plain; /* the host is spoken to without TLS */
};

struct gate_ask {
    const struct hosts *hosts;
    const struct gate_inject *injects;
    size_t inject_count;
    const char *program; /* writ-net; NULL: it is looked for beside writ */
};

/* One decision, and what came of it. */
struct gate_event {
    const char *via; /* "http", "connect", "socks5", "dns", "straight" */
    struct str host;
    uint16_t port;
    struct str address; /* connected to; no text: none was */
    bool allowed;
    const char *rule;     /* the entry or the rule that decided, in words */
    int64_t up, down, ms; /* bytes out and in, and how long it lasted */
    int64_t at_ms;        /* Unix time */
};

struct gate_log {
    struct gate_event *v;
    size_t n, room;
    int64_t uncounted; /* decisions that are not listed: there were too many */
};

struct gate;

/* Starts writ-net and tells it what holds. False: it cannot be had; CODE_LAYER_MISSING. */
bool gate_open(const struct gate_ask *ask, struct gate **out, struct error *e) NODISCARD;

/* The doors, which are in the run's network and given away here. */
bool gate_serve(struct gate *g, struct door *doors, size_t n, struct error *e) NODISCARD;

/* Readable when there is news, which gate_hear() takes. -1: it is gone, and nothing gets out. */
int gate_waits(const struct gate *g);
void gate_hear(struct gate *g);

/* The run is over: every connection is closed, writ-net ends, and what it told is in *log. */
void gate_close(struct gate *g, struct arena *a, struct gate_log *log);
