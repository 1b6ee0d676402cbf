/* SPDX-License-Identifier: Apache-2.0 */
/* ending.h: what a person is told when a command has ended otherwise than by itself. */
#pragma once

#include <stdbool.h>

#include "base/doc.h"

/* Says it on stderr; nothing where there is nothing to say. */
void ending_show(const char *answer, int status, bool ran, bool by_options);

/* Of an answer that is a record: something was printed that could not be passed on. */
bool ending_is_lost(const char *answer);

/* The problems of a document that was made of options, each with the option it comes from. */
void ending_tell_options(const struct doc *report);

/* Of an answer that problems were found: are they in what the options say? Else in a document. */
bool ending_is_about_options(const char *answer);
