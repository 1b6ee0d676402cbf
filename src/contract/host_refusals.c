/* SPDX-License-Identifier: Apache-2.0 */
/* host_refusals.c: the table of refusals. */
#include "contract/host_refusals.h"

#include <stddef.h>

/* clang-format off */
const struct host_refusal_row host_refusals[HOST_REFUSALS] = {
    [HOST_UNLISTED] = { "host",     "The host is not in the list of hosts.",                                   "allow it with network.allow",                        "allow it with --allow-host" },
    [HOST_PORT]     = { "port",     "The host is in the list, and this port of it is not.",                    "allow it with its port in network.allow",            "allow it with its port: --allow-host HOST:PORT" },
    [HOST_DENIED]   = { "denied",   "An entry denies it, whatever allows it.",                                 "what is denied is not reached, whatever allows it",  "what is denied is not reached, whatever allows it" },
    [HOST_ADDRESS]  = { "address",  "It leads to an address that is reached only where that itself is listed.", "allow the address itself in network.allow",          "allow the address itself, as it is written, with --allow-host" },
    [HOST_REQUEST]  = { "request",  "Such a request, or its answer, goes nowhere, whatever is listed; `rule` tells why.", NULL, NULL },
};

static const struct column columns[] = {
    { "refusal", COLUMN_TEXT, offsetof(struct host_refusal_row, name) },
    { "meaning", COLUMN_TEXT, offsetof(struct host_refusal_row, meaning) },
    { "mend",    COLUMN_TEXT, offsetof(struct host_refusal_row, mend) },
    { "option",  COLUMN_TEXT, offsetof(struct host_refusal_row, option) },
};
/* clang-format on */

const struct table host_refusals_table = {
    .name = "host_refusals",
    .about = "Why a run did not reach a host, as its record says it.",
    COLUMNS(columns),
    .keys = 1,
    .rows = &host_refusals[HOST_LET_OUT + 1],
    .row_size = sizeof host_refusals[0],
    .row_count = HOST_REFUSALS - 1,
};
