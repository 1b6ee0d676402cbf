/* SPDX-License-Identifier: Apache-2.0 */
/* mountinfo.h: the lines of /proc/PID/mountinfo, taken apart. */
#pragma once

#include "base/own.h"
#include "base/str.h"

/* Lent from the line, and written as the kernel does: see mountinfo_plain(). */
struct mountinfo {
    struct str id;     /* "36" */
    struct str parent; /* the id of the mount that it is on */
    struct str device; /* "0:34" */
    struct str root;   /* what of its file system is mounted */
    struct str point;  /* and where */
    struct str type;
    struct str options; /* those of the file system */
};

/* One line, without its end. False: it is none. */
bool mountinfo_line(struct str line, struct mountinfo *out) NODISCARD;

/* The kernel writes blanks, tabs, line ends and backslashes as \040 and the like; this turns them
 * back. False: it does not fit, with the NUL at its end, into `size` bytes; word.n + 1 always do.
 */
bool mountinfo_plain(struct str word, char *out, size_t size) NODISCARD;
