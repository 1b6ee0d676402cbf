/* SPDX-License-Identifier: Apache-2.0 */
/* secret.h: secrets by reference: found when they are needed, taken out of everything that is kept.
 */
#pragma once

#include "adapter/adapter.h"
#include "base/buf.h"

/* Where to look. */
struct secret_places {
    const char *const *environment;      /* the caller's, ended by NULL */
    const struct secret_doc *configured; /* of the user's own configuration */
    size_t configured_count;
};

/* What was found for one call. The bytes are wiped by secrets_wipe(). */
struct secret {
    struct str name, value;
    struct str variable; /* for the tool's process; no text: it does not get it */
    const char *source;  /* "env GITHUB_TOKEN": for the record, never the value */
};

struct secrets {
    struct secret *v;
    size_t n;
    bool headers_too; /* of text that is redacted: values of well-known headers as well */
};

/* All secrets the adapter names. False: CODE_SECRET_MISSING; says which reference, and what is
 * wrong with it (not set, empty, too short to be redacted, not 0600, command failed), never a byte
 * of it. A command has 10 s.
 */
bool secrets_find(const struct adapter *adapter, const struct secret_places *places,
                  struct arena *a, struct secrets *out, struct error *e) NODISCARD;

/* The user's own secret for the host of a URL, added under the name "host"; true and none where
 * there is none. */
struct url_parts;
bool secrets_for_host(const struct secret_places *places, const struct url_parts *url,
                      struct arena *a, struct secrets *out, struct error *e) NODISCARD;

/* One secret, wherever its reference comes from. */
struct secret_ask {
    const struct secret_doc *doc;
    const struct secret_places *places;
    const char *directory; /* that relative paths start from; or NULL */
    bool commands;         /* may it come from one? */
};

/* Adds it. False as of secrets_find(). */
bool secret_find(const struct secret_ask *ask, struct arena *a, struct secrets *all,
                 struct error *e) NODISCARD;

/* The file that the reference leads to, a credential's too; NULL: it leads to none. */
const char *secret_file(const struct secret_ask *ask, struct arena *a);

/* May the adapter's secret of that name be sent there? One without `hosts` may, wherever the
 * adapter sends it. False: CODE_HOST_REFUSED. */
bool secret_goes_to(const struct adapter *adapter, struct str name, const struct url_parts *url,
                    struct error *e) NODISCARD;

const struct secret *secret_named(const struct secrets *all, struct str name);

/* Adds one that was had elsewhere, such as a token. */
void secrets_add(struct secrets *all, const char *name, struct str value, struct arena *a);

/* May it stand in a header as it is? ASCII alone: who reads it as Latin-1 and says it again in
 * UTF-8 says other bytes, which nobody looks for. */
bool secret_fits_header(struct str value);

/* Is it the name of a header whose value is a secret, whatever it is? */
bool header_secret(struct str name);

/* The text without any of the secrets: their bytes, base64 (both alphabets, any alignment),
 * hexadecimal digits, percent-encoded, JSON-escaped and HTML-escaped forms, and one of these forms
 * inside of another, become [redacted]. Secrets of fewer than 4 bytes are not
 * looked for, and so are not handed out by the functions above. The same text, not copied, where
 * there is nothing to take out. */
struct str redact(struct str text, const struct secrets *all, struct arena *a);

/* The same of a text that was cut off somewhere: an end that may be the beginning of a secret, in
 * any of these forms, is left out. */
struct str redact_cut(struct str text, const struct secrets *all, struct arena *a);

/* The same of a text whose beginning was cut off: as much of it as may be the end of a secret is
 * left out. */
struct str redact_tail(struct str text, const struct secrets *all, struct arena *a);

/* The same over every text and key of a document. */
const struct doc *redact_doc(const struct doc *d, const struct secrets *all, struct arena *a);

/* The member of a map that holds one of the secrets, in any of these forms and however deep; NULL:
 * none does. */
const struct doc *secret_held(const struct doc *map, const struct secrets *all);

void secrets_wipe(struct secrets *all);
