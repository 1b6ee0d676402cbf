/* SPDX-License-Identifier: Apache-2.0 */
/* inner.h: the files of plans that are steps of a plan.
 *
 * A step that ran before may have made anything of such a file: a pipe that nobody writes to, a
 * link to elsewhere, another plan. Only a regular file is opened, and only what it was when all was
 * checked is run (contract 004, 6.2).
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/mem.h"

struct foreseen;
struct keep;

/* One of them, and what was found out about it: a file that many steps have is looked into once. */
struct inner_file {
    const char *named, *real;
    struct digest digest;
    bool right;                      /* it is, and so are the plans that are steps of it */
    size_t height;                   /* of those, how many are in each other; 0: it has none */
    bool once;                       /* one of those is used once, and so is this one */
    const struct foreseen *foreseen; /* NULL: nobody has asked */
    struct inner_file *next;
};

/* The id of a plan that is used once, and has a step. */
struct inner_id {
    struct str id;
    struct inner_id *next;
};

/* An action that nobody does. */
struct absence {
    struct str action;
    const char *why; /* where that can be told; else NULL */
    const struct absence *next;
};

/* All of them, however deep: the outermost plan's to have. */
struct inner {
    struct arena *a;
    struct inner_file *files;
    struct inner_id *ids;
    const struct absence *uncalled; /* executors that are there, and why they are not called */
    const char **actions;           /* what there is besides adapters; NULL: nobody has asked */
    size_t action_count;
    const struct keep *before;    /* the ledger, where it is asked what was used; else NULL */
    const struct foreseen *walls; /* can a command be held here? NULL: nobody has asked */
    bool unset;   /* there is no context: nobody asks for the keys that plans need */
    bool settled; /* all is checked: from now on nothing is added, and any thread may ask */
    _Atomic uint64_t checked; /* steps of work that the schemas of all steps took so far */
};

/* The bytes of the file. `real` is where its path, `named`, leads, without links on the way. */
bool inner_read(struct inner *inner, const char *named, const char *real, struct arena *a,
                struct str *out, struct error *e) NODISCARD;

/* Of the bytes of a regular file. False: it is none, or cannot be read. */
bool inner_digest(const char *real, struct digest *out) NODISCARD;

/* Has the file other bytes than these, or become something else than a file? One that is gone has
 * not: whoever hands a plan over may remove its file. */
bool inner_modified(const char *real, const struct digest *was);

/* Keeps the id of a plan that is used once. False: it was kept before. */
bool inner_use(struct inner *inner, struct str id) NODISCARD;

/* What is known of it, where it was read from there; else NULL. When all is settled it is not
 * changed any more. */
struct inner_file *inner_find(const struct inner *inner, const char *named, const char *real);
