/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_fork.h: a forked process has nothing of what SQLite knows of its parent's files.
 *
 * SQLite lists the files that a process has open, and which locks it has on each. A forked process
 * inherits the list: in it are the locks of its parent's threads, which the system has not given to
 * it and which nobody there gives back. So what a forked process opens is another file to SQLite
 * than what its parent had opened, and has a place in the list, and locks, of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* What only the file that knows SQLite can do. */
struct sqlite_hands {
    size_t guards;       /* mutexes of what SQLite has for a whole process */
    void (*begin)(void); /* makes SQLite ready */
    bool (*take)(size_t guard);
    void (*give)(size_t guard);
    void (*know)(int (*fstat)(int fd, struct stat *s)); /* tells files apart by it; NULL: its own */
};

/* Around each opening of a file, in every thread. */
void sqlite_fork_enter(const struct sqlite_hands *hands);
void sqlite_fork_leave(const struct sqlite_hands *hands);
