/* SPDX-License-Identifier: Apache-2.0 */
/* acts.h: what a hostile program tries, and how it tells what came of it.
 *
 * An act prints one line a try: `open /srv/secret: EACCES`, or `.. GOT IT` where it must not have
 * gone through. What came of the tries together is the exit code: 0 when each one ended as it must.
 * The runner believes neither, and looks from outside as well.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct act {
    const char *id; /* the case, as in F16 */
    const char *name;
    int (*go)(int argc, char **argv); /* the arguments behind the name; the exit code */
};

/* One table a file; a row without a name ends it. */
extern const struct act acts_count[];
extern const struct act acts_dirs[];
extern const struct act acts_files[];
extern const struct act acts_filters[];
extern const struct act acts_input[];
extern const struct act acts_kernel[];
extern const struct act acts_lists[];
extern const struct act acts_memory[];
extern const struct act acts_mounts[];
extern const struct act acts_net[];
extern const struct act acts_output[];
extern const struct act acts_process[];
extern const struct act acts_rights[];

/* `ret` is what a system call gave. It must have failed, and with one of the errors that `wanted`
 * lists ("EPERM EACCES"; NULL: any). True when it went through all the same. */
bool refused(const char *wanted, long ret, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* The call must have worked. */
bool works(long ret, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* The sentence must be true. */
bool holds(bool truth, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* Something to know; nothing follows from it. */
void note(const char *what, ...) __attribute__((format(printf, 1, 2)));

/* Prints what a descriptor has to say, so that a leak is seen in the output, and closes it. */
void spill(int fd);

/* The exit code after all tries: 1 when one of them ended as it must not. */
int verdict(void);

/* Waits for a child; its exit code, or 128 and the signal. */
int waited(int pid);

/* The act of that name, or NULL. */
const struct act *act_named(const char *name);

/* `text` in a static buffer. */
const char *text(const char *form, ...) __attribute__((format(printf, 1, 2)));

/* The value that a key has in /proc/self/status, in base 16; -1 where there is none. */
long long status_hex(const char *key);
