/* SPDX-License-Identifier: Apache-2.0 */
/* api_bind.h: parameters become a request of HTTP; what came back becomes a value or a failure. */
#pragma once

#include "adapter/adapter.h"
#include "adapter/http.h"
#include "adapter/secret.h"

struct api_call {
    struct http_request request; /* hosts, times and ceilings are the caller's to set */
    struct str host;             /* of the URL, without its port */
    const char *shown; /* "GET http://host/resources/1?verbose=..": for the record, with the
                          names of query parameters and none of their values */
    bool repeatable;   /* sending it twice is as good as once: by its method, effect: read,
                          or an Idempotency-Key */
    bool token_kept;   /* its token was had for an earlier call, and may have been called back */
    struct http_answer no_token; /* of a token endpoint that refuses; status 0: none does */

    /* Without what proves who calls: api_authorize() begins with these each time. */
    const char *bare_url, *bare_shown;
    const struct http_header *bare_headers;
    size_t bare_header_count;
};

/* Path placeholders first; what is left goes to the query for GET, HEAD, DELETE and OPTIONS and to
 * a JSON body for the others, unless operations.<operation> says otherwise. Values are
 * percent-encoded. A path value that is "." or ".." or empty is refused. */
bool api_bind(const struct adapter *adapter, struct str operation, const struct doc *params,
              struct arena *a, struct api_call *out, struct error *e) NODISCARD;

/* Why no adapter sends a header of that name; NULL: one may. */
const char *api_header_refused(struct str name);

/* Why it is no Content-Type of a body, such as application/json; NULL: it is one, or no text. */
const char *api_type_refused(struct str type);

/* Is a body of that type a form? One text, because it is neither JSON nor a form? */
bool api_type_is_form(struct str type);
bool api_type_is_text(struct str type);

/* Is it one that the connection says by itself, such as Host and Content-Length? */
bool api_header_by_itself(struct str name);

/* Is that where auth_method puts its secret? A caller's own value there would be lost, or stand
 * beside the secret. */
bool api_auth_has(const struct api_interface *api, enum parameter_place in, struct str name);

/* Can what the adapter says about auth ever do, whoever calls? False: *e, and *at (unless NULL) is
 * what is wrong in the adapter. api_authorize() asks it first. */
bool api_auth_whole(const struct adapter *adapter, struct arena *a, const struct doc **at,
                    struct error *e) NODISCARD;

/* Adds what proves who calls, by auth_method: none, api_key, bearer, oauth (client credentials: a
 * token is had by `http` and kept in `tokens` until it is about to expire). Refuses plain http to
 * other than loopback, and hosts a configured secret is not bound to. */
struct api_tokens; /* for any thread */
struct api_tokens *api_tokens_open(void);
void api_tokens_close(struct api_tokens *t);

struct api_auth {
    struct http *http;
    struct api_tokens *tokens;
    const struct secret_places *places;
    int64_t now_ms; /* monotonic */
};

bool api_authorize(const struct adapter *adapter, const struct api_auth *auth, struct arena *a,
                   struct api_call *call, struct secrets *secrets, struct error *e) NODISCARD;

/* Takes off the time that an answer took: all requests that one call needs have its time together.
 */
void api_spend(struct http_request *request, const struct http_answer *answer);

/* True where the service has refused a token that was kept: it is forgotten, and the call should be
 * authorized and sent once more. */
bool api_renew(const struct adapter *adapter, const struct api_auth *auth,
               const struct http_answer *answer, struct api_call *call,
               const struct secrets *secrets);

/* May the operation be tried again after it may have been done, without an Idempotency-Key? */
bool api_may_repeat(const struct adapter *adapter, struct str operation, struct arena *a);

/* What an answer is. */
struct value api_value(const struct http_answer *answer);
