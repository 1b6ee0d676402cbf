/* SPDX-License-Identifier: Apache-2.0 */
/* code.h: what the kernel's shared code (the vDSO) is replaced by in a fixed run.
 *
 * Programs ask the time without a system call, in code that the kernel maps into each of them. In a
 * fixed run each of those functions begins with a jump to code of ours, put behind the kernel's
 * where its last page is empty: it reads the held clock from the process's own memory, as fast as
 * before. Where that cannot be done, the shared code is taken out of a program's sight, and it
 * makes system calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/own.h"

/* What the code reads; they lie behind it. */
struct held_constants {
    uint64_t state; /* where struct held_state is */
    uint64_t wall_ahead_ns, start_ns;
    uint64_t program;          /* where it begins */
    uint64_t page, page_bytes; /* what it is not to see of the kernel's clocks (held_page.h) */
};

/* The code as it is on this architecture: where each function begins in it. */
enum held_function {
    HELD_CLOCK_GETTIME,
    HELD_GETTIMEOFDAY,
    HELD_TIME,
    HELD_GETRANDOM, /* says that it is not there: the system call is asked then */
    HELD_GETRES,    /* by the system call: the kernel's own reads the pages that are gone */
    HELD_START,     /* a program begins here: a read of the cycle counter is to be a signal */
    HELD_LEFT,      /* it is here when the pages are still there, and goes on HELD_STEP further */
    HELD_FUNCTIONS,
};

enum { HELD_CODE_MAX = 512, HELD_LEFT_BYTES = 8, HELD_STEP = 4 };

/* Returns its length, a multiple of 8. */
size_t held_code_make(const struct held_constants *constants, unsigned char out[HELD_CODE_MAX]);
size_t held_code_entry(enum held_function f);

/* Whether these are the bytes at HELD_LEFT. */
bool held_code_is_left(const unsigned char at[HELD_LEFT_BYTES]);

/* Eight bytes in a function of the kernel's. */
struct held_jump {
    uint64_t at; /* from the beginning of the image */
    uint64_t word;
};

struct held_places {
    bool found;
    uint64_t code; /* where ours goes */
    struct held_jump jumps[2 * HELD_FUNCTIONS];
    size_t jump_count;
    bool others; /* there are functions of which it is not known what they read */
};

/* Looks at the shared code as it is mapped into ourselves; in another process it is the same. Not
 * found: there is none, or it is built in a way that is not known. */
struct held_places held_code_find(const unsigned char *image, size_t page);
