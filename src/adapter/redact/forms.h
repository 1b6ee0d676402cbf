/* SPDX-License-Identifier: Apache-2.0 */
/* forms.h: a secret in the forms that programs write it in, for what is encoded afterwards. */
#pragma once

#include "base/buf.h"

/* A form that several hands write differently. */
struct redact_form {
    bool (*write)(size_t hand, struct str text, struct buf *to); /* false: it is as it stands */
    size_t hands;
    size_t growth; /* bytes that one may become, at most; a few more may go before */
    size_t most;   /* bytes of a text that is worth all the words it becomes */
};

extern const struct redact_form redact_forms[];
extern const size_t redact_form_count;

/* The characters of base64 that depend on the text alone when `lead` bytes stand before it in its
 * group of three. The characters at the ends share their bits with whatever stands there. */
void base64_inside(size_t lead, struct str text, struct buf *to);

/* In the alphabet for URLs. False: that is the same. */
bool base64_for_urls(char *text, size_t n);
