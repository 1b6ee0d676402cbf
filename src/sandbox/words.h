/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: what a supervisor and the first process of a run say to each other. */
#pragma once

#include <stdint.h>

enum word_kind {
    WORD_FAILED,   /* a stage did not work: `stage`, `sys` */
    WORD_LISTENER, /* comes with a descriptor: who wants to make a thread asks there */
    WORD_LAYERS,   /* comes with two descriptors a layer: what is written, and what is seen */
    WORD_DOORS,    /* comes with the sockets that lead out of its network (doors.h) */
    WORD_READY,    /* every wall stands; the command is being started */
    WORD_BREACHED, /* a mount of the run is gone: what it covered can be reached */
    WORD_UNHELD,   /* a program was killed that cannot be held (held_tracer.h) */
    WORD_PAGE,     /* a program began that can read the real time (held_page.h) */
    WORD_MOUNTS,   /* comes with a descriptor: the mounts of a slot */
    WORD_ENDED,    /* the command is over: `status` as from wait, `at_ms` (init_clock.h) */
};

struct word {
    enum word_kind kind;
    int stage, sys, status;
    int64_t at_ms;
};

/* What the supervisor says when the new process may go on. */
enum { WORD_GO = 'g', WORD_GROUPS = 'c', WORD_RUN = 'r' };
