/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_uri.h: references to absolute URIs (RFC 3986, 5.2), and their fragments. */
#pragma once

#include "base/mem.h"
#include "base/str.h"

/* What `reference` means where `base` is read; base may be empty, and what is relative then stays
 * so. The fragment, if any, is kept. */
struct str uri_resolve(struct str base, struct str reference, struct arena *a);

/* Splits "uri#fragment"; without a '#' the fragment is empty. */
struct str uri_part(struct str uri, struct str *fragment);

/* "%25" is "%"; what is no escape stays as it is. */
struct str uri_decode(struct str text, struct arena *a);
