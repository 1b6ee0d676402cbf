/* SPDX-License-Identifier: Apache-2.0 */
/* net_wire.h: what a supervisor and writ-net say to each other, packet by packet.
 *
 * First the supervisor tells what holds, a packet an entry, and ends with WIRE_GO; writ-net says
 * WIRE_READY, or why not. Then come doors, each with its descriptor. Back come decisions. When the
 * supervisor shuts its end, writ-net closes everything, tells the last decisions, says WIRE_END and
 * ends: without that word something may be missing.
 */
#pragma once

#include "sandbox/gate_parts.h"

#define NET_PROTOCOL "writ-net 5"

enum {
    NET_CHANNEL = 3,
    WIRE_MAX = 32 << 10, /* bytes of a packet */
    WIRE_RULE = 160,     /* what is kept of a rule */
    WIRE_SECRET = 8 << 10,
    WIRE_ADDED = 24 << 10, /* all headers that are added, as they are written */
};

enum wire_kind {
    WIRE_LEVEL = 'l',
    WIRE_ALLOW = 'a',
    WIRE_DENY = 'd',
    WIRE_INJECT = 'i', /* plain or not, then host, header and value, each ended by a NUL */
    WIRE_MATCH = 's',  /* what is said in a tunnel is for the host that was asked for */
    WIRE_GO = 'g',
    WIRE_DOOR = 'p', /* kind, address, port; with a descriptor */
    WIRE_READY = 'r',
    WIRE_CANNOT = 'x', /* why, in words */
    WIRE_EVENT = 'e',
    WIRE_COUNT = 'n', /* how many decisions were not told */
    WIRE_END = 'z',   /* all is told */
};

enum via { VIA_HTTP, VIA_CONNECT, VIA_SOCKS, VIA_NAMES, VIA_STRAIGHT, VIA_COUNT };

/* A decision of fixed size, as it waits and as it is sent. */
struct wire_event {
    uint8_t kind, via, refused, spare; /* refused: an enum host_refusal */
    uint16_t port;
    uint16_t host_length;
    int64_t up, down, ms, at_ms;
    char host[HOST_MAX + 1], address[ADDRESS_TEXT]; /* each ended by a NUL */
    char rule[WIRE_RULE], error[WIRE_RULE];         /* these, too */
};

/* Is it a connection that was let out? Of the room for decisions, half is kept for these: who asks
 * for names without end must not hide one behind them. */
static inline bool wire_is_let_out(const struct wire_event *event)
{
    return !event->refused && event->via != VIA_NAMES;
}

struct wire_count {
    uint8_t kind, spare[7];
    int64_t uncounted;
};

struct wire_door {
    uint8_t kind, door, address[4];
    uint16_t port;
};

/* The packet as an event; false: it is none. */
bool wire_read_event(struct str packet, struct arena *a, struct gate_event *out) NODISCARD;

/* What holds, as writ-net keeps it. */
struct policy {
    struct hosts hosts;
    struct gate_inject *injects;
    size_t inject_count;
    struct str *allow, *deny;
    size_t allow_room, deny_room, inject_room;
    bool match; /* WIRE_MATCH was there */
    bool done;  /* WIRE_GO was there */
};

/* Takes in one packet; false: it is none of these. */
bool wire_read_policy(struct str packet, struct arena *a, struct policy *p) NODISCARD;
