/* SPDX-License-Identifier: Apache-2.0 */
/* gate_parts.h: doors, headers and decisions: what a gate is given and what it tells. */
#pragma once

#include "contract/hosts.h"

/* What listens behind a door. */
enum door_kind {
    DOOR_PROXY,     /* HTTP/1.1 requests in absolute form, CONNECT, SOCKS5 with names */
    DOOR_NAMES_UDP, /* names, as a resolver answers them */
    DOOR_NAMES_TCP,
    DOOR_STRAIGHT, /* programs that know of no proxy: the address they were given says the name */
};

enum {
    DOORS_MAX = 32,
    DOORS_NAMED = 254, /* entries of the list that have an address each: 127.53.0.1 and on */
    GATE_PORT = 3128,
};

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

/* One decision, and what came of it. */
struct gate_event {
    const char *via; /* "http", "connect", "socks5", "dns", "straight" */
    struct str host;
    uint16_t port;
    struct str address; /* connected to; no text: none was */
    enum host_refusal refused;
    const char *rule;     /* the entry or the rule that decided, in words */
    const char *error;    /* why it came to nothing although it was allowed; "": it did not */
    int64_t up, down, ms; /* bytes out and in, and how long it lasted */
    int64_t at_ms;        /* Unix time */
};
