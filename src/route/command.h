/* SPDX-License-Identifier: Apache-2.0 */
/* command.h: a command as one line of text and as a list of words, and what class it may be of.
 *
 * All of it is pure. A line is only ever taken apart where no shell would have read anything in it
 * (A00-6): then collapsing white space loses nothing, and words are what stands between it.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "contract/route_doc.h"

struct words {
    const struct str *v;
    size_t n;
};

/* White space collapsed to single blanks, none at the ends. */
struct str command_collapse(struct str raw, struct arena *a);

/* The words of a line that was collapsed. */
struct words command_split(struct str line, struct arena *a);

enum { LINE_MAX_BYTES = 16 << 20 };

/* The words as a line a POSIX shell would read as these words; quotes only where they are needed.
 * A text whose .s is NULL: the line would have more than LINE_MAX_BYTES. */
struct str command_join(struct words words, struct arena *a);

/* Without one leading `rch exec --` (A00-7). */
struct words command_unwrap(struct words words);

/* Does the line begin with the prefix, at the end of a word (A00-5)? PREFIX_ANY: always. */
bool command_has_prefix(struct str line, struct str prefix);

/* May a command of this class be that line? False: the message lists what may. */
bool command_allowed(struct str line, const struct class_doc *class, struct error *e) NODISCARD;
