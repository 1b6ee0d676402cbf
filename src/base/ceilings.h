/* SPDX-License-Identifier: Apache-2.0 */
/* ceilings.h: how much of a document the readers take, as one table.
 *
 * A reader is given a struct ceilings and refuses what lies above it, with the number in the
 * message. ceilings_default() holds the table's values; tests pass smaller ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum ceiling {
    CEILING_BYTES,
    CEILING_DEPTH,
    CEILING_VALUES,
    CEILING_TEXT,
    CEILING_NUMBER,
    CEILING_YAML_BYTES,
    CEILING_ANCHORS,
    CEILING_QUERY,
    CEILING_SCHEMA_STEPS,
    CEILING_PROBLEMS,
    CEILING_COUNT,
};

struct ceiling_row {
    const char *name;
    uint32_t value;
    const char *meaning;
};

extern const struct ceiling_row ceiling_rows[CEILING_COUNT];

struct ceilings {
    uint32_t v[CEILING_COUNT];
    bool any_number; /* one that no double holds is kept as it is written: of answers, which came of
                        a deed that is done and cannot be asked for again, and of documents that are
                        imported, which others wrote for others */
};

struct ceilings ceilings_default(void);

/* The same, and any number: for what a tool or a service answered. */
struct ceilings ceilings_answer(void);

/* As good as none: for what we wrote ourselves, and took from somebody who was held to his. Only
 * the depth is bounded, beyond that of any document, for what goes through a document recurses. */
struct ceilings ceilings_none(void);
