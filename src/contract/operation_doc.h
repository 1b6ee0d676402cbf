/* SPDX-License-Identifier: Apache-2.0 */
/* operation_doc.h: what an adapter says about one of its operations, beside the contract's
 * mappings.
 *
 * All of it may be left out: the mappings of the interface alone make an adapter (contract 001).
 */
#pragma once

#include "contract/shape.h"

enum parameter_place { IN_PATH, IN_QUERY, IN_HEADER, IN_COOKIE, IN_BODY };
enum effect { EFFECT_UNKNOWN, EFFECT_READ, EFFECT_WRITE };

/* Where a parameter of an api goes. */
struct parameter_doc {
    int in;          /* enum parameter_place */
    struct str name; /* there; no text: the parameter's own */
};

struct operation_doc {
    struct str about;
    const struct doc *input, *output; /* JSON Schemas; NULL: anything */
    struct items args;                /* of struct str: of cli, behind base_args */
    struct items takes;               /* of struct str: of cli, its parameters; none: all */
    const struct doc *parameters;     /* of api: a map, each as parameter_shape has it */
    struct str body;                  /* of api: the parameter that is the whole body */
    struct str content_type; /* of api: that of the body; no text: the adapter's, or JSON */
    struct str digest;       /* of mcp: the tool's definition, pinned */
    int effect;              /* enum effect */
    bool idempotent;         /* twice is as good as once */
    bool deterministic;      /* it draws no chance and reads no clock */
};

extern const struct shape operation_shape, parameter_shape;

/* A rule of adapters: each member of `operations` is one, and what is in it suits. */
void operations_fit(const struct doc *d, const void *decoded, struct report *r);

/* What the adapter's document says about the operation; zeroes where it says nothing. The document
 * is one that adapter_shape had no problems with. */
struct operation_doc operation_of(const struct doc *adapter, struct str operation, struct arena *a);

/* Where the document of an operation puts a parameter; false: it does not say. */
bool operation_parameter(const struct operation_doc *operation, struct str name, struct arena *a,
                         struct parameter_doc *out);
