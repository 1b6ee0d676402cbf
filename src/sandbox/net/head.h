/* SPDX-License-Identifier: Apache-2.0 */
/* head.h: the head of an HTTP/1.1 message, read so strictly that there is one reading. Pure.
 *
 * What two readers might take apart differently is refused: who stands behind us must see the same
 * requests that were judged. So a line ends with CR LF, a name is followed by ':', no line goes on
 * in the next, and a body has one length or is chunked, never both.
 */
#pragma once

#include "base/own.h"
#include "base/str.h"
#include "contract/hosts.h"

enum {
    HEAD_MAX = 16 << 10,   /* bytes of a request's head */
    ANSWER_MAX = 32 << 10, /* bytes of an answer's head */
    HEAD_FIELDS = 128,
};

struct head_field {
    struct str name, value;
};

enum body_kind { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_TO_END };

struct head {
    struct str method, target; /* of a request */
    struct str reason;         /* of an answer, with its status */
    int status;
    int minor; /* HTTP/1.minor */
    struct head_field v[HEAD_FIELDS];
    size_t n;
    enum body_kind body;
    int64_t length; /* of BODY_LENGTH */
    bool ends;      /* nothing follows it on this connection */
};

/* The bytes up to the empty line and with it, or 0: it is not there yet. *looked is how far the
 * last call came. */
size_t head_length(struct str bytes, size_t *looked);

/* NULL, or what is wrong with it. The texts point into the bytes. */
const char *head_read_request(struct str bytes, struct head *out);

/* What the first line of a request names, however wrong the rest is; `method` as well. */
struct str head_target(struct str bytes, struct str *method);

/* An answer to a request with that method. */
const char *head_read_answer(struct str bytes, bool to_head, struct head *out);

/* Is it for the next hop only? Then it is not passed on. */
bool head_is_hop(const struct head *head, struct str name);

/* Where a request wants to go. */
struct target {
    struct host host;
    bool tls, says_port; /* https; a port stands in it */
    struct str path;     /* with its query; may be empty or begin with '?' */
};

/* "http://example.org:8080/path?query". NULL, or why it is none. */
const char *target_read(struct str text, struct target *out);

/* "example.org:443", as CONNECT has it. */
const char *target_read_authority(struct str text, struct target *out);

/* What may be told of a text that is no target: its host as it looks, and nothing of a user, a
 * password, a path or a query. No text: nothing of it looks like one. */
struct str target_host_told(struct str text);
