/* SPDX-License-Identifier: Apache-2.0 */
/* token.h: tokens by the client credentials grant (RFC 6749, 4.4), kept until they expire. */
#pragma once

#include "adapter/api_bind.h"

struct token_ask {
    const struct api_auth *auth;
    struct str url, client_id, client_secret, scope, resource; /* the last two may be empty */
    struct str host;                                           /* of the URL, with its port */
    struct http_request *like; /* whose time, cancel and plain hold for this, too; the time that it
                                  takes is taken off there */
    struct http_answer *refusal; /* set where the endpoint answers with a status that is no 200 */
};

/* The token, copied into the arena. *kept: an earlier call had it. False: CODE_PEER_ERROR (the
 * server refuses: its own words, without secrets), CODE_PEER_UNAVAILABLE, CODE_PEER_PROTOCOL,
 * CODE_HOST_REFUSED. */
bool token_get(const struct token_ask *ask, struct arena *a, struct str *out, bool *kept,
               struct error *e) NODISCARD;

/* Adds the client's secret as it is sent: percent-encoded, and in the header. Neither is one of the
 * forms in which the secret itself is looked for. */
void token_secrets(const struct token_ask *ask, struct secrets *all, struct arena *a);

/* It is not good any more. */
void token_forget(struct api_tokens *t, struct str token);
