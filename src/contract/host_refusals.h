/* SPDX-License-Identifier: Apache-2.0 */
/* host_refusals.h: why a host is not reached, as one word: what to do about it hangs on that. */
#pragma once

#include "base/table.h"

enum host_refusal {
    HOST_LET_OUT, /* it is reached, as far as that is ours to say */
    HOST_UNLISTED,
    HOST_PORT,
    HOST_DENIED,
    HOST_ADDRESS,
    HOST_REQUEST,
    HOST_REFUSALS
};

struct host_refusal_row {
    const char *name, *meaning;
    const char *mend;   /* for who writes the request; NULL: there is none */
    const char *option; /* the same for who types the command */
};

extern const struct host_refusal_row host_refusals[HOST_REFUSALS];
extern const struct table host_refusals_table;
