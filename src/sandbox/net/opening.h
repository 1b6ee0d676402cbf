/* SPDX-License-Identifier: Apache-2.0 */
/* opening.h: whom the first bytes in a tunnel are meant for.
 *
 * A tunnel leads to the host that was asked for; what is said inside of it may name another one,
 * which the same server may have as well. Where the two must be the same, the first message is
 * held back until it has said so: the hello of TLS, the only language in which a name is said once
 * and for the whole connection.
 */
#pragma once

#include "contract/hosts.h"

enum { OPENING_MOST = 32 << 10 }; /* bytes of a hello, with its records */

enum opening_found { OPENING_PART, OPENING_FITS, OPENING_WRONG };

/* `why` is set when it is wrong, and stays: "it is not TLS". */
enum opening_found opening_judge(struct str bytes, const struct host *host,
                                 const char **why) NODISCARD;
