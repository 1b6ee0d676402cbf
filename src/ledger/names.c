/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: a Bloom filter with five bits a name; 1,000 names leave one wrong "maybe" in 700. */
#include "ledger/names.h"

enum { PROBES = 5, BITS = NAMES_BYTES * 8 };

/* FNV-1a, then stirred: filters are kept, so this never changes. */
static uint64_t hash(enum name name, struct str text)
{
    uint64_t h = 0xcbf29ce484222325;

    h = (h ^ (uint64_t)name) * 0x100000001b3;
    for (size_t i = 0; i < text.n; i++)
        h = (h ^ (uint8_t)text.s[i]) * 0x100000001b3;
    h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
    return h ^ h >> 33;
}

static uint32_t probe(uint64_t h, uint32_t i)
{
    return ((uint32_t)h + i * ((uint32_t)(h >> 32) | 1)) % BITS;
}

void names_add(struct names *names, enum name name, struct str text)
{
    uint64_t h = hash(name, text);

    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t bit = probe(h, i);

        names->bits[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
}

bool names_may_have(const struct names *names, enum name name, struct str text)
{
    uint64_t h = hash(name, text);

    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t bit = probe(h, i);

        if (!(names->bits[bit / 8] >> bit % 8 & 1))
            return false;
    }
    return true;
}
