/* SPDX-License-Identifier: Apache-2.0 */
/* commit.h: a run's changes on their way to the disk, or back: chosen, checked, journalled,
 * applied.
 *
 * A commit leads each chosen path from what the run found (before) to what it left (after); an undo
 * leads it back. What is at the end already is done. So a commit that was cut short is finished by
 * doing it again, and taken back by its undo: the journal says which paths it was about, and the
 * bytes of both sides are evidence. What somebody changed meanwhile stands in the way of finishing
 * it, never of taking it back: such paths are left as they are.
 */
#pragma once

#include "base/doc.h"
#include "engine/changes.h"
#include "engine/record.h"

/* How a chosen path stands. */
enum standing { STANDS_OUT, STANDS_DUE, STANDS_DONE };

/* What of a path tells that nobody changed it since it was looked at. */
struct print {
    bool there;
    dev_t dev;
    ino_t ino;
    off_t size;
    mode_t mode; /* with its kind */
    uid_t owner;
    gid_t group;
    struct str access; /* its access list, as the kernel has it; empty: it has none */
    nlink_t links;
    struct timespec written, changed;
};

struct commit_path {
    bool chosen;
    const char *by;   /* the path it was chosen by; NULL: with all the others */
    bool named;       /* as what is in a .git, or the like, that was asked for by its name */
    bool journalled;  /* a commit before was about it, */
    bool begun;       /* and was cut short */
    const char *left; /* why it is left as it is, although it was meant; or NULL */
    bool narrowed;    /* it could not be given what the old one had, and has less */
    enum standing stands;
    struct print print;
    struct print was; /* what the first commit found: whose it was, and its access list */
};

struct commit_refusal {
    size_t row;
    enum code code;
    const char *why;
};

enum commit_stage { COMMIT_NONE, COMMIT_BEGUN, COMMIT_DONE, COMMIT_UNDOING, COMMIT_UNDONE };

struct commit {
    const struct change_set *set;
    const struct doc *record; /* of the run */
    struct str run;           /* its id */
    const char *name;         /* of the journal, and within those of files that are being written */
    const char *state;        /* writ's directory */
    const char *place;        /* of the journals, below it */
    int store;                /* evidence */
    bool undo, dry;
    bool moved;                /* something on the disk is, or may be, no more what it was */
    struct commit_path *paths; /* one a row */
    struct commit_refusal *refused;
    size_t refused_count, refused_room;
    enum commit_stage stage;      /* as the journal has it */
    const char *execution;        /* that wrote the journal; NULL: there is none */
    struct commit_levels *levels; /* what is known of directories (commit/git.c) */
    struct arena *a;
};

/* Where a path comes from and is led to. */
static inline const struct change_side *commit_from(const struct commit *c, size_t row)
{
    return c->undo ? &c->set->changes.v[row].after : &c->set->changes.v[row].before;
}

static inline const struct change_side *commit_to(const struct commit *c, size_t row)
{
    return c->undo ? &c->set->changes.v[row].before : &c->set->changes.v[row].after;
}

/* The row of a path; -1: there is none. */
long commit_row(const struct change_set *set, const char *path);

/* The `.git`, or the directory of whatever name in which git keeps its state, where git would run
 * something by the row; NULL: it would not. It need not be there yet. */
const char *commit_git(const struct commit *c, size_t row);

/* By which path one says that one wants it: of a directory that is no repository yet, the row's
 * own. Who names a directory means what is in it, and not what it may become. */
const char *commit_git_name(const struct commit *c, size_t row, const char *git);

struct commit_levels *commit_levels_new(struct arena *a);

/* That, or the protected name that the row's file has or lies in, by which a tool will run it or
 * obey it; NULL where there is none, or no file. */
const char *commit_runs_later(const struct commit *c, size_t row);

/* A name that nobody uses but this commit, for the row's file while it is written. */
const char *commit_beside(const struct commit *c, size_t row);

/* Opens the directory around a row's path. */
int commit_around(const struct commit *c, size_t row, const char **name);

/* Is the link on the way to a row's path one that the commit puts there, or takes away? Then what
 * lies behind it is none of the row's, and at the path there is nothing. */
bool commit_is_own_link(const struct commit *c, size_t row);

void commit_refuse(struct commit *c, size_t row, enum code code, const char *why);

/* ---- which ---- */

/* Chooses what lies at or below the paths, and the directories it needs; NULL: everything. *none:
 * a path that has no change, or NULL. */
void commit_choose(struct commit *c, const char *const *paths, const char **none);

/* ---- may it be ---- */

/* Names that the run's policy or the table of protected names keep as they are. */
bool commit_allowed(struct commit *c, struct error *e) NODISCARD;

/* Looks at every chosen path; what is there and is not expected is refused, or left where a commit
 * or undo that was cut short is taken back. Keeps what is there as evidence, unless it is dry.
 * False: it could not be done. */
bool commit_look(struct commit *c, struct error *e) NODISCARD;

bool print_of(int around, const char *name, struct print *out);

/* ---- whose it is ---- */

/* Reads the access list of what is at a name. False: it cannot be read. */
bool print_access(int around, const char *name, struct print *print, struct arena *a) NODISCARD;

/* Gives what was made the owner, the group and the access list that the old one had, as far as the
 * caller may; new things are the directory's, where root makes them. By a descriptor: who may write
 * in the directory could put something else in its place meanwhile. */
bool owner_give(const struct commit *c, size_t row, int around, int made) NODISCARD;

/* The permissions for what is to have `mode`, and `is` whose it is by now: never more than they
 * were while owner and group were the old ones. */
mode_t owner_mode(const struct commit *c, size_t row, mode_t mode, const struct print *is);

/* ---- the journal ---- */

/* Holds the changes of all runs for us: two of them may be about the same files. Waits a while for
 * whoever has them; -1: *e says why not. */
int commit_lock(const struct commit *c, struct error *e);

bool journal_read(struct commit *c, struct error *e) NODISCARD;
bool journal_write(struct commit *c, enum commit_stage stage, const char *execution,
                   struct error *e) NODISCARD;

/* Nothing has moved: the journal is again as it was read. */
bool journal_back(struct commit *c, enum commit_stage stage, const char *execution,
                  struct error *e) NODISCARD;

/* ---- on the disk ---- */

/* Where it stops half way it leaves nothing beside the files, and c->moved tells whether any of
 * them is another now. */
bool commit_apply(struct commit *c, struct error *e) NODISCARD;
