/* SPDX-License-Identifier: Apache-2.0 */
/* opening.h: whom the first bytes in a tunnel are meant for.
 *
 * A tunnel leads to the host that was asked for; what is said inside of it may name another one,
 * which the same server may have as well. Where the two must be the same, the first message is
 * held back until it has said so: the hello of TLS, the only language in which a name is said once
 * and for the whole connection. A server may ask for a second hello (HelloRetryRequest, RFC 8446
 * 4.1.4), which says the name again, in clear: what the client sends is held back until the server
 * has answered, and each hello is judged.
 */
#pragma once

#include "contract/hosts.h"

enum { OPENING_MOST = 32 << 10 }; /* bytes of a hello, with its records */

enum opening_found { OPENING_PART, OPENING_FITS, OPENING_RETRY, OPENING_WRONG };

/* Of a client's bytes; `again`: the server asked for another hello, before which there may be
 * records without a name. *taken: how many bytes may go on to the server. `why` is set when it is
 * wrong, and stays: "it is not TLS". */
enum opening_found opening_judge(struct str bytes, const struct host *host, bool again,
                                 size_t *taken, const char **why) NODISCARD;

/* Of a server's bytes after a hello: OPENING_RETRY where the first *taken of them ask for another
 * hello, OPENING_FITS where what follows is encrypted. Where it is in part: *taken may go on. */
enum opening_found opening_answer(struct str bytes, size_t *taken, const char **why) NODISCARD;
