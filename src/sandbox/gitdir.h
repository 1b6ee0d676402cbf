/* SPDX-License-Identifier: Apache-2.0 */
/* gitdir.h: the directories in which git keeps its state, and how one is told and found. */
#pragma once

#include "sandbox/grants.h"

/* Is it, or was it, one for git? HEAD with refs or commondir; but HEAD may be moved away and back
 * by a command. So also: settings as git writes them, or commondir with gitdir, which are protected
 * and stay. */
bool gitdir_is_state(const char *dir, struct arena *a);

/* The names of which git wants some in a directory that it takes for its state; NULL is the end. */
extern const char *const gitdir_marks[];

/* Would git take the directory around a path for its state? Below an open directory, whatever modes
 * a command gave to it. */
bool gitdir_is_around(int root, const char *below, struct arena *a);

/* Has it all that git wants of a repository? HEAD, refs and objects. */
bool gitdir_is_whole(const char *dir, struct arena *a);

/* The real path of a directory; NULL where there is none. */
const char *gitdir_real(const char *path, struct arena *a);

/* The path that a small ordinary file holds behind `prefix`, from `base` where it is relative; as
 * it is written there, or NULL. */
const char *gitdir_pointer(const char *file, const char *prefix, const char *base, struct arena *a);

/* The real directory that a file ("gitdir: PATH") or a link named .git leads to; NULL where it is
 * neither, or leads nowhere. It is only what somebody wrote there. */
const char *gitdir_led_to(const char *dotgit, struct arena *a);

/* The real directory that its settings name as its working tree (core.worktree); NULL where they
 * name none, or in a way that is not plain. */
const char *gitdir_tree(const char *gitdir, struct arena *a);
