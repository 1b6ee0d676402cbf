/* SPDX-License-Identifier: Apache-2.0 */
/* fs.h: files, read whole and with a ceiling. */
#pragma once

#include <dirent.h>

#include "base/error.h"
#include "base/mem.h"

/* The bytes of a file, or of an open descriptor; at most `max` of them. The message says what is
 * wrong with it and leaves its name to the caller, who knows what the user calls it. */
bool fs_read(const char *path, size_t max, struct arena *a, struct str *out,
             struct error *e) NODISCARD;
bool fd_read(int fd, size_t max, struct arena *a, struct str *out, struct error *e) NODISCARD;

/* Opens and reads what must be an ordinary file, such as one of a project: a pipe or a device in
 * its place is told and not waited for. `flags` may add O_NOFOLLOW. */
bool fs_open_file(int at, const char *path, int flags, int *fd, struct error *e) NODISCARD;
bool fs_read_file(const char *path, size_t max, struct arena *a, struct str *out,
                  struct error *e) NODISCARD;

/* Writes all of a text, in as many steps as it takes. False and errno. */
bool fd_write(int fd, struct str text) NODISCARD;

/* Writes a file so that there is the old one or the new one, whole, at every moment. */
bool fs_write(const char *path, struct str text, struct error *e) NODISCARD;

/* The next entry of a directory other than "." and ".."; NULL: there is none, and errno is 0, or
 * the directory cannot be read to its end, and errno says why. */
const struct dirent *fs_next(DIR *in);

/* Makes a directory and those on the way to it, for the owner alone. */
bool fs_make_dirs(const char *path, struct error *e) NODISCARD;

/* Removes a file, or a directory with everything in it. Follows no link. */
bool fs_remove(const char *path, struct error *e) NODISCARD;

/* What a path below an open directory names; no link is followed on the way. FS_LED_AWAY: one
 * stands there in place of a directory. Modes do not keep the owner out. FS_HIDDEN: it cannot be
 * found out. */
enum fs_found { FS_NOTHING, FS_DIRECTORY, FS_LINK, FS_OTHER, FS_LED_AWAY, FS_HIDDEN };
enum fs_found fs_find_below(int root, const char *path);

/* Removes what fs_find_below() finds: the link that leads away, too. */
bool fs_remove_below(int root, const char *path, struct error *e) NODISCARD;

/* Renames that instead, where it is, by an ending to its name; to the ending alone where both would
 * be too long, or there is no room for them. *now is its path below the directory then. False and
 * errno; EEXIST: something has that name. */
bool fs_rename_below(int root, const char *path, const char *ending, struct arena *a,
                     const char **now) NODISCARD;
