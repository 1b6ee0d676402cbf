/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.h: which hosts and which addresses may be reached. Pure: nothing is looked up here.
 *
 * An entry is "example.org", "*.example.org" (every name below it, not itself), either with
 * ":port", or an address in its one usual form, "192.0.2.1", "[2001:db8::1]:8443". A name is
 * compared in its canonical form: lower case, no dot at its end, letters of ASCII only.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "contract/levels.h"

enum { ADDRESS_TEXT = 64, HOST_MAX = 253 }; /* "[ipv6]:port" and a NUL fit */

struct address {
    bool six;
    uint8_t b[16]; /* the first four, of IPv4 */
};

/* An address in its one usual form: "127.0.0.1", "::1". Not 127.1, 0x7f.1, 2130706433, 0177.0.0.1,
 * nor with a zone. */
bool address_read(struct str text, struct address *out) NODISCARD;

/* Writes "127.0.0.1:80" or "[::1]:80". */
void address_text(const struct address *address, uint16_t port, char out[ADDRESS_TEXT]);

/* Is it an address of this very machine? */
bool address_is_loopback(const struct address *address);

/* What a run may reach: by its level, and by lists. Deny wins. */
struct hosts {
    enum net_level level;
    const struct str *allow, *deny;
    size_t allow_count, deny_count;
};

/* Where something wants to go, in canonical form. */
struct host {
    char name[HOST_MAX + 1]; /* or the address as it was written */
    size_t length;
    bool is_address;
    struct address address;
    uint16_t port;
};

/* NULL, or why the text is the name of no host: a NUL, '@', '%', a number that only looks like an
 * address, letters beyond ASCII, an empty label. */
const char *host_read(struct str text, uint16_t port, struct host *out);

/* NULL, or why the entry of a list is none; for `writ check` and the command line. */
const char *host_entry_wrong(struct str entry);

struct host_verdict {
    bool allowed;
    const char *rule; /* what decided, in words or as the entry is written */
};

/* Before anything is looked up: by name and port. A port that no entry names is 80 or 443. */
struct host_verdict hosts_judge(const struct hosts *hosts, const struct host *host,
                                struct arena *a);

/* After it: may this very address be connected to for the sake of that host? */
struct host_verdict hosts_judge_address(const struct hosts *hosts, const struct host *host,
                                        const struct address *address, struct arena *a);

/* Hosts of package registries: what level registry reaches. */
extern const struct table registry_hosts_table;
