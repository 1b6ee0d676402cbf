/* SPDX-License-Identifier: Apache-2.0 */
/* json_write.h: JSON text, from a document or call by call.
 *
 * Numbers and texts are written as RFC 8785 wants them everywhere; json_canon() also sorts the
 * keys, which makes the bytes canonical. A number that no double holds, of an answer, is written
 * as it came.
 */
#pragma once

#include "base/digest.h"
#include "base/doc.h"

/* The canonical bytes (RFC 8785) of a value. The arena holds sorted keys while it works. */
void json_canon(const struct doc *d, struct arena *a, struct buf *to);

/* Call by call: commas come by themselves.
 *
 *     json_open(b, '{'); json_key(b, "file"); json_text(b, name); json_close(b, '}');
 */
void json_open(struct buf *to, char bracket);
void json_close(struct buf *to, char bracket);
void json_key(struct buf *to, const char *key);
void json_text(struct buf *to, struct str text);
void json_outside(struct buf *to, struct str text); /* what is not UTF-8 becomes U+FFFD */
void json_clean(struct buf *to, struct str json);   /* JSON whose texts may hold such bytes */
void json_base64(struct buf *to, struct str bytes); /* as a text */
void json_int(struct buf *to, int64_t n);
void json_bool(struct buf *to, bool truth);
void json_nil(struct buf *to);
void json_doc(struct buf *to, const struct doc *d); /* keys in the order they were read */

/* A whole member: its key, and a text as json_outside() writes it (NULL: null), a text as
 * json_text() or json_outside() does, a digest (NULL: null), a number, a truth. */
void json_put(struct buf *to, const char *key, const char *text);
void json_put_text(struct buf *to, const char *key, struct str text);
void json_put_outside(struct buf *to, const char *key, struct str text);
void json_put_digest(struct buf *to, const char *key, const struct digest *d);
void json_put_int(struct buf *to, const char *key, int64_t n);
void json_put_bool(struct buf *to, const char *key, bool truth);
