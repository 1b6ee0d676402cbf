/* SPDX-License-Identifier: Apache-2.0 */
/* home.h: where writ keeps what it knows, from the caller's environment. */
#pragma once

#include <sys/stat.h>

#include "base/error.h"
#include "base/mem.h"

/* A variable of the caller's, or NULL. */
const char *home_variable(const char *const *environment, const char *name);

/* The state directory: WRIT_STATE, else writ in XDG_STATE_HOME, else in ~/.local/state; NULL where
 * none of them is there. */
const char *home_state(const char *const *environment, struct arena *a);

/* That one first, then those that would be it without what is set; NULL is the end. */
const char *const *home_states(const char *const *environment, struct arena *a);

/* The configuration directory: writ in XDG_CONFIG_HOME, else in ~/.config; NULL where neither is
 * there. */
const char *home_config(const char *const *environment, struct arena *a);

/* The directories in which programs look for the user's own settings, ours among them, and NULL:
 * XDG_CONFIG_HOME, which others may not have, and ~/.config. */
const char *const *home_settings(const char *const *environment, struct arena *a);

/* The directories in which programs keep what can be made again, ours among them, and NULL:
 * XDG_CACHE_HOME, and ~/.cache, which is ours without that. */
const char *const *home_caches(const char *const *environment, struct arena *a);

/* What can be made again: writ in XDG_CACHE_HOME, else in ~/.cache; NULL where neither is there. */
const char *home_cache(const char *const *environment, struct arena *a);

/* The nearest file of that name in `from` or in a directory above it; NULL: there is none. What
 * lies further down than `from` is not looked at: it may have been put there by a command. Nor is
 * what belongs to neither us, root nor the owner of `from`. */
const char *home_above(const char *from, const char *name, struct arena *a);

/* The nearest that home_above() does not look at because of whom it belongs to; NULL: nothing was
 * passed over. */
const char *home_passed_over(const char *from, const char *name, struct arena *a);

/* An id as part of a path. Whoever chose it chose no path with it: what is no plain name is told by
 * its digest. */
const char *home_part(struct str id, struct arena *a);

/* The current directory: an absolute path of less than PATH_MAX bytes, and what is there, unless s
 * is NULL. False: it has no name, since it was removed or none leads to it from here. */
bool home_here(char *out, struct stat *s, struct error *e) NODISCARD;

/* Whose golden outputs these are: the nearest directory from here that has some; where none has,
 * that has a .writ; else this one. */
const char *home_project(struct arena *a);

/* The ledger: what is given, else WRIT_LEDGER, else ledger.db in the state directory, else NULL. */
const char *home_ledger(const char *given, const char *const *environment, struct arena *a);

/* Where evidence is kept, by its digest; NULL: nowhere. */
const char *home_evidence(const char *const *environment, struct arena *a);

/* Where reviewed executors are kept; NULL: nowhere. */
const char *home_executors(const char *const *environment, struct arena *a);

/* A program that comes with writ: in WRIT_LIBEXEC, else where companion() finds it; NULL: it is not
 * there. */
const char *home_program(const char *name, const char *const *environment, struct arena *a);

/* writ itself, for who serves on this machine: this program where it is writ, else one in PATH;
 * where neither is there, its bare name, which whoever looks for the worker finds nowhere. */
const char *home_writ(const char *const *environment, struct arena *a);
