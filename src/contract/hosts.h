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
#include "contract/addresses.h"
#include "contract/host_refusals.h"
#include "contract/levels.h"

enum { HOST_MAX = 253 };

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

/* NULL, or why it is no name that every reader reads alike; capital letters are fine. */
const char *host_name_wrong(struct str name);

/* One entry of a list, taken apart. */
struct host_entry {
    struct str name; /* without "*.", brackets and port */
    uint16_t port;   /* 0: none is said */
    bool below;      /* it began with "*." */
    bool is_address;
    struct address address;
};

/* False: it has no name, or no port where one should be. Of the name no more is checked: an odd one
 * means no host. */
bool host_entry_read(struct str entry, struct host_entry *out) NODISCARD;

/* Does the entry mean that name, at whatever port? */
bool host_entry_names(const struct host_entry *entry, struct str name);

/* Is this very address listed, at whatever port? `localhost` lists every one of the loop. Another
 * that only has it in it (NAT64, 6to4) is another. */
bool host_entry_has_address(const struct host_entry *entry, const struct address *address);

/* Does the list deny that host, by its name; or, where `address` is given, this address that it
 * leads to, in whatever form? An entry without a port means every port; one with a port means no
 * host whose port is 0. */
bool hosts_deny(const struct str *list, size_t n, const struct host *host,
                const struct address *address);

/* NULL, or why the entry of a list is none; for `writ check` and the command line. */
const char *host_entry_wrong(struct str entry);

struct host_verdict {
    enum host_refusal refused;
    const char *rule; /* what decided, in words or as the entry is written */
};

/* Before anything is looked up: by name and port. Where an entry names no port, 80 and 443 are
 * meant; an entry that denies means every port then. Level open has every port. For port 0 the
 * question is whether the host is reached at any port. */
struct host_verdict hosts_judge(const struct hosts *hosts, const struct host *host,
                                struct arena *a);

/* After it: may this very address be connected to for the sake of that host? */
struct host_verdict hosts_judge_address(const struct hosts *hosts, const struct host *host,
                                        const struct address *address, struct arena *a);

/* Is this very address listed, for the host's port? Who knows the machine's own addresses asks:
 * they look like any other here. */
bool hosts_list_address(const struct hosts *hosts, const struct host *host,
                        const struct address *address);

/* An address of this machine's loop is the host's own where it is listed for the host's port. Then
 * 127.0.0.1 is `localhost`, where it is listed as that: by that name it may have a server at ::1.
 * False: it is not. */
bool hosts_own_loop(const struct hosts *hosts, struct host *host) NODISCARD;

/* Is it a name for the loop, or one of IPv4 in it? */
bool host_entry_in_loop(const struct host_entry *entry, uint8_t address[4]) NODISCARD;

/* Hosts of package registries: what level registry reaches, at port 443 and 80. */
struct registry_host {
    const char *host, *ecosystem;
};

extern const struct table registry_hosts_table;
