/* SPDX-License-Identifier: Apache-2.0 */
/* route_names.h: the names in a route contract, sorted, so that a contract of a hundred thousand
 * classes is still checked in no time.
 *
 * Rules look at the document itself, where what was left out or is of the wrong kind cannot be
 * taken for an empty text or a zero.
 */
#pragma once

#include "base/doc.h"
#include "base/report.h"

struct name {
    struct str text;
    const struct doc *at;   /* where it is written */
    const struct doc *item; /* the map it names; of a plain text, itself */
};

struct names {
    struct name *v;
    size_t n;
};

/* The texts of a list or, where a key is given, that member of its maps. */
struct names names_of(const struct doc *list, const char *key, struct arena *a);

/* The name, or NULL. */
const struct name *names_find(const struct names *names, struct str text);

/* Reports each name that is there already. `what` stands before it in the message. */
void names_twice(const struct names *names, const char *what, struct report *r);

/* Reports the name if it is missing. A list that was left out is reported as such elsewhere. */
void names_missing(const struct doc *list, const char *key, const char *what, const char *name,
                   struct report *r);
