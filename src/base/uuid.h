/* SPDX-License-Identifier: Apache-2.0 */
/* uuid.h: UUIDs of version 4, as bytes and as text. New ones come from world.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/str.h"

enum { UUID_BYTES = 16, UUID_TEXT = 37 };

struct uuid {
    uint8_t b[UUID_BYTES];
};

/* Random bytes as a version 4 UUID. */
struct uuid uuid_of(struct uuid random);

/* Writes the 36 characters, always in lower case, and a NUL. */
void uuid_text(const struct uuid *id, char out[UUID_TEXT]);

/* Reads a version 4 UUID (RFC 9562) in either case; other versions and variants are false, so are
 * braces, "urn:uuid:" and missing dashes. out may be NULL. */
bool uuid_v4(struct str text, struct uuid *out) NODISCARD;
