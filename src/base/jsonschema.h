/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema.h: JSON Schema 2020-12 and draft-07: a schema to a program; the program over a
 * document. References are followed within the documents that are given, never elsewhere. */
#pragma once

#include "base/report.h"
#include "base/work.h"

struct jsonschema;

enum schema_draft { SCHEMA_2020_12, SCHEMA_DRAFT_07 };

/* A schema that others may refer to, by its URI. */
struct schema_known {
    const char *uri;
    const struct document *document;
};

/* Steps to read one schema with all it refers to: enough for a million values, and a second. Those
 * to read many, one after the other. */
enum { SCHEMA_STEPS = 200 << 20, SCHEMA_SERIES_STEPS = 1 << 30 };

/* Schemas of one stranger that are read one after the other share the meta-schemas, and what it may
 * cost to read them: { .a = .., .work = { .left = SCHEMA_SERIES_STEPS } }. Their codes are the
 * same.
 */
struct schema_series {
    struct arena *a; /* of the meta-schemas: lives as long as the series */
    struct work work;
    const struct jsonschema *judges[2]; /* the meta-schemas, by draft */
};

struct schema_options {
    enum schema_draft draft; /* where the schema does not say $schema */
    bool formats;            /* format is checked, not only noted, in schemas of any draft */
    bool formats_of_draft_7; /* in those of draft-07; 2020-12 only notes it, unless $schema says so
                              */
    int code;                /* of the problems: a row of the code table */
    int schema_code;         /* of those in the schema itself; 0: the same */
    const struct schema_known *known;
    size_t known_count;
    /* Asked for a schema that is not among the known, by its URI; NULL: there is none, and *why may
     * say so. Where the schema has no $id, the URIs of those beside it are relative. */
    const struct document *(*find)(void *self, const char *uri, const char **why);
    void *self;
    struct schema_series *series; /* NULL: it is read alone */
};

/* What is wrong with the schema goes to the report, with its place; false then. */
bool jsonschema_read(const struct document *schema, const struct schema_options *options,
                     struct arena *a, const struct jsonschema **out, struct report *r) NODISCARD;

/* Is the document what the schema wants? What is wrong goes to the report (NULL: only the answer
 * is wanted, and the first problem ends it). Where the work is over the answer is false and w->over
 * tells. */
bool jsonschema_check(const struct jsonschema *s, const struct doc *d, struct arena *a,
                      struct work *w, struct report *r) NODISCARD;
