/* SPDX-License-Identifier: Apache-2.0 */
/* json_line.h: the texts of JSON in a line of it. */
#pragma once

#include "base/str.h"

/* The line that was looked at last: zeroed at first. */
struct json_line {
    size_t end;      /* behind it; 0: none yet */
    size_t at;       /* in it, as far as it was read */
    size_t text_end; /* of the text that begins there; 0: none does */
    bool json;
};

/* Where the text of JSON that a byte stands in ends: at its closing quote, or at the end of all,
 * which may be cut off. 0: the byte's line is not made of what JSON is made of, or the byte is in
 * none of its texts. Else its opening quote is at line->at. To be asked for one byte after the
 * other. */
size_t json_text_end(struct json_line *line, struct str t, size_t at);
