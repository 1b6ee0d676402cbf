/* SPDX-License-Identifier: Apache-2.0 */
/* answer.h: the engine's answers, read back, and the problems in them shown to people. */
#pragma once

#include "base/doc.h"

/* The answer as a document. The engine wrote it, so it is JSON; the process ends if it is not. */
const struct doc *answer_read(const char *answer, struct arena *a);
const struct doc *answer_line(struct str line, struct arena *a);

/* The same for a line that may have been cut; false where it is no JSON. */
bool answer_try(struct str line, struct arena *a, const struct doc **out) NODISCARD;

/* What people call the document of a report. */
struct str answer_file(const struct doc *report);

/* Shows the problems of a report: file:line:col: /pointer: message [CODE], a line each, on stdout
 * for check and on stderr elsewhere. Returns how many errors there were. */
int64_t answer_problems(const struct doc *report, bool to_stdout);

/* Shows a list of problems with a file that people call so; how many there were. */
int64_t answer_list(struct str file, const struct doc *problems, bool to_stdout);

/* Says that there is no such kind of document, and which there are. */
void answer_no_kind(const char *answer);
