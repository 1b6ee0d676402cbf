/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: every problem found in one document, not only the first.
 *
 * Checks add problems as they meet them; report_finish() puts them in the order of the text and
 * gives each its line and column. A warning is listed but does not make the document wrong.
 */
#pragma once

#include "base/ceilings.h"
#include "base/doc.h"

struct problem {
    struct problem *next;
    int code; /* a row of the code table */
    bool warning;
    uint32_t found; /* how many were found before it */
    size_t at;
    int line, col; /* line 0: the problem has no place in the text */
    const char *pointer;
    const char *msg;
};

struct report {
    struct arena *a;
    const char *file; /* of the problems; the document's own name when it could be read */
    struct str text;
    struct problem *first;
    uint32_t errors, warnings, listed, most; /* most: problems that are listed, not only counted */
};

struct report report_new(struct arena *a, const char *file, struct str text);

/* What a problem is about: a value, the key before it, or a value that is odd but may stay. */
enum about { ABOUT_VALUE, ABOUT_KEY, ABOUT_ODD };

void report_add(struct report *r, enum about about, const struct doc *d, int code, const char *fmt,
                ...) PRINTF(5, 6);

/* Further problems are only counted: no need to find good words for them. */
static inline bool report_full(const struct report *r)
{
    return r->listed == r->most;
}

/* An error that ended the reading. */
void report_error(struct report *r, const struct error *e);

void report_finish(struct report *r);

/* The first problem that makes the document wrong; NULL: there is none. Of a finished report: it is
 * the first in the text, and no warning before it is told in its place. */
const struct problem *report_wrong(const struct report *r);

/* What is added from now on lives in `a`: of a report that was made in an arena which is another's,
 * and locked for us only while we looked. */
static inline void report_goes_on_in(struct report *r, struct arena *a)
{
    r->a = a;
}

/* The same problems for somebody else, who puts them in order and adds to them in `a`: of a report
 * that is kept, and told to many. Their texts stay where they are. */
struct report report_copy(const struct report *r, struct arena *a);
