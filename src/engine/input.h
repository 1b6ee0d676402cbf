/* SPDX-License-Identifier: Apache-2.0 */
/* input.h: what a caller handed over, read into a document or into the problems it has. */
#pragma once

#include <writ/writ.h>

#include "base/ceilings.h"
#include "base/doc.h"
#include "base/report.h"

/* Its bytes, whatever they are; at most `max`. */
bool input_bytes(const struct writ_input *input, size_t max, struct arena *a, struct str *out,
                 struct error *e) NODISCARD;

/* False when the document could not be read; the report says why. */
bool input_read(const struct writ_input *input, struct arena *a, const struct document **out,
                struct report *r) NODISCARD;

/* The same by other ceilings than the usual ones: of documents that others wrote for others. */
bool input_read_within(const struct writ_input *input, const struct ceilings *max, struct arena *a,
                       const struct document **out, struct report *r) NODISCARD;

/* An ordinary file that nobody named: of `.writ`, or of the user's configuration. */
bool input_read_file(const char *name, struct arena *a, const struct document **out,
                     struct report *r) NODISCARD;

/* The report as the JSON object that writ_check() promises. */
void input_answer(const struct report *r, const char *kind, struct buf *to);

/* Its member "problems" alone. */
void input_problems(const struct report *r, struct buf *to);

/* Finishes the report, which becomes the answer; WRIT_WRONG. */
int input_wrong(struct report *r, const char *kind, char **answer);

enum { ANSWER_MAX = 256 << 20 };

/* Hands the text of a buffer over to the caller of the library, and gives back the status that goes
 * with it. Where not all of it fitted, that is the answer, and the status WRIT_UNRECORDED. */
int take_answer(struct buf *b, int status, char **answer) NODISCARD;
