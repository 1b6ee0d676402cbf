/* SPDX-License-Identifier: Apache-2.0 */
/* addresses.h: addresses of machines: in their one usual form, and how freely each is reached. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/str.h"

enum { ADDRESS_TEXT = 64 }; /* "[ipv6]:port" and a NUL fit */

struct address {
    bool six;
    uint8_t b[16]; /* the first four, of IPv4 */
};

/* An address in its one usual form: "127.0.0.1", "::1". Not 127.1, 0x7f.1, 2130706433, 0177.0.0.1,
 * nor with a zone. */
bool address_read(struct str text, struct address *out) NODISCARD;
bool address_read_four(struct str text, struct address *out) NODISCARD;
bool address_read_six(struct str text, struct address *out) NODISCARD;

/* Writes "127.0.0.1:80" or "[::1]:80". */
void address_text(const struct address *address, uint16_t port, char out[ADDRESS_TEXT]);

/* Of a socket's address; false: it is of another family. */
struct sockaddr;
bool address_of_socket(const struct sockaddr *from, struct address *out, uint16_t *port) NODISCARD;

enum address_reach {
    ADDRESS_PUBLIC,
    ADDRESS_LOOPBACK, /* by `localhost`, or by its very address */
    ADDRESS_NAMED,    /* by its very address */
    ADDRESS_NEVER,
};

/* How an address is reached, and why so, in words that begin with "its address is". */
enum address_reach address_reach(const struct address *address, const char **why);

/* Is it an address of this very machine? */
bool address_is_loopback(const struct address *address);

/* The address that is really called: one of IPv6 may stand for one of IPv4. */
struct address address_meant(const struct address *address);

/* ::ffff:a.b.c.d is a.b.c.d: who calls one has called the other. What else has an address of IPv4
 * in it leads by way of somebody, who may lead elsewhere. */
struct address address_unmapped(const struct address *address);

bool address_same(const struct address *a, const struct address *b);
