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
#include "sandbox/gate_parts.h"

struct gate_ask {
    const struct hosts *hosts;
    const struct gate_inject *injects;
    size_t inject_count;
    bool match;          /* in a tunnel, TLS names the host that was asked for */
    const char *program; /* the path of writ-net */
    const char *const
        *environment; /* the caller's, of which writ-net gets where certificates are */
};

struct gate_log {
    struct gate_event *v;
    size_t n, room;
    int64_t unlisted;    /* decisions that are not listed: there were too many */
    int64_t led_nowhere; /* connections and datagrams that went past the doors, and were refused by
                          * the kernel; -1: nobody knows */
    bool incomplete;     /* writ-net died or took too long: there may have been others */
};

struct gate;

/* Starts writ-net and tells it what holds; it gets ready meanwhile. False: it cannot be had;
 * CODE_LAYER_MISSING. */
bool gate_open(const struct gate_ask *ask, const struct world *world, struct gate **out,
               struct error *e) NODISCARD;

/* The doors, which are in the run's network and given away here. Waits until writ-net is ready;
 * false: it cannot do what it was told, CODE_LAYER_MISSING. May be called again for more doors. */
bool gate_serve(struct gate *g, struct door *doors, size_t n, struct error *e) NODISCARD;

/* Readable when there is news, which gate_hear() takes. -1: it is gone, and nothing gets out. */
int gate_waits(const struct gate *g);
void gate_hear(struct gate *g);

/* The run is over: every connection is closed, writ-net ends, and what it told is in *log. */
void gate_close(struct gate *g, struct arena *a, struct gate_log *log);
