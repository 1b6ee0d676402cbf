/* SPDX-License-Identifier: Apache-2.0 */
/* body.h: parameters that have a place, and those of the body as its bytes. */
#pragma once

#include "adapter/http.h"
#include "contract/operation_doc.h"

enum { API_PARAMS_MAX = 1000, API_BODY_MAX = 64 << 20 };

struct api_param {
    const struct doc *d;
    int in;          /* enum parameter_place */
    struct str name; /* there */
    bool whole;      /* it is all of the body */
    bool used;
};

struct api_params {
    struct api_param *v;
    size_t n;
};

struct api_body {
    struct str type; /* its Content-Type; .s is NULL: JSON */
    struct str text; /* .s is NULL: there is none */
};

/* What a body of that type is made of. */
enum body_kind { BODY_JSON, BODY_LINES, BODY_FORM, BODY_TEXT };
enum body_kind body_kind(struct str type);

struct str api_header(const struct http_header *headers, size_t n, const char *name);

/* Gives a header that is there another value, unless that has no text. */
void api_header_replace(struct http_header *headers, size_t n, const char *name, struct str value);

/* JSON, or a form where the type is application/x-www-form-urlencoded; where it is one for many
 * values of JSON (application/x-ndjson, application/jsonl) each of a list on a line of its own, and
 * a text as it is; of any other type a text that is the whole body. */
bool api_body_make(struct api_body *body, const struct api_params *params, struct arena *a,
                   struct error *e) NODISCARD;
