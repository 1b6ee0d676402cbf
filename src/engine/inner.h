/* SPDX-License-Identifier: Apache-2.0 */
/* inner.h: the files of plans that are steps of a plan.
 *
 * A step that ran before may have made anything of such a file: a pipe that nobody writes to, a
 * link to elsewhere, another plan. Only a regular file is opened, and only what it was when all was
 * checked is run (contract 004, 6.2).
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct inner_file;

/* All of them, however deep: the outermost plan's to have. */
struct inner {
    struct arena *a;
    const struct inner_file *files;
    bool settled; /* all is checked: from now on nothing is added, and any thread may ask */
};

/* The bytes of the file. `real` is where its path, `named`, leads, without links on the way. */
bool inner_read(struct inner *inner, const char *named, const char *real, struct arena *a,
                struct str *out, struct error *e) NODISCARD;
