/* SPDX-License-Identifier: Apache-2.0 */
/* network_doc.h: what a command may reach, as a request says it (contract 001). */
#pragma once

#include "contract/levels.h"
#include "contract/secret_doc.h"
#include "contract/shape.h"

/* A header that is added to requests for a host on their way; the command never sees it. */
struct request_inject {
    struct str host, header;
    const struct secret_doc *secret;
    bool plain; /* the host is spoken to without TLS */
};

/* What a tunnel leads to, and what is said inside of it. */
enum sni { SNI_ANY, SNI_MATCH };
extern const char *const sni_names[];

struct request_network {
    bool enabled;
    int level;                /* as written, or CHOICE_NONE; ask request_net_level() */
    struct items allow, deny; /* of struct str */
    bool raw;                 /* the host's own network, and no gate */
    struct items inject;      /* of struct request_inject */
    int sni;                  /* enum sni */
};

extern const struct shape request_network_shape;

/* Rules of documents with lists of hosts: each entry of `allow` and `deny`, or of `registries`, is
 * one. */
void network_entries(const struct doc *d, const void *decoded, struct report *r);
void network_registries(const struct doc *d, const void *decoded, struct report *r);

/* The level that holds: offline unless enabled; enabled without a level is api, where only what
 * `allow` names can be reached. */
enum net_level request_net_level(const struct request_network *network);
