/* SPDX-License-Identifier: Apache-2.0 */
/* open.c: the table of what can still differ between two fixed runs. */
#include "sandbox/held_open.h"

#include <sys/auxv.h>

#include "sandbox/held/image.h"
#include "sandbox/held/tracee.h"
#include "sandbox/held_chance.h"
#include "sandbox/held_page.h"

/* A program is told to ask us in the shared code, where that can be changed. */
static bool counter_is_open(void)
{
    static const struct held none;

    return !tracee_counter_can_be_held() || !held_ground(&none).places.found;
}

/* Where a read of it is a signal, the kernel makes sure that the signal is taken. */
static bool faults_are_open(void)
{
    return !counter_is_open();
}

/* clang-format off */
const struct held_open_row held_open_rows[HELD_OPEN] = {
    { "cycle counter",       "the CPU or the kernel lets every program read it",               counter_is_open },
    { "random instructions", "the CPU gives random numbers to any program, and this cannot be intercepted", tracee_draws_in_hardware },
    { "random devices",      "without /dev/fuse every program that opens them reads the same bytes, zeros after 1 MiB, and none may write", held_chance_is_shared },
    { "blocked faults",      "a program that reads the cycle counter while SIGSEGV is blocked or ignored finds it unblocked, and its handler removed", faults_are_open },
    { "clock page",          "the page that holds the real time (vvar) stays readable where this kernel's vDSO is not known, or the kernel or a program keeps the page", held_page_is_open },
    { "file times",          "the kernel stamps files with the real time, and numbers them",    NULL },
    { "order of threads",    "the kernel decides which thread runs first, and on which CPU",            NULL },
    { "order of events",     "which of several sources delivers first",                   NULL },
    { "timers",              "they run in real time, and the clock shows how often one interrupts a wait; a timerfd does not move the clock: a program that waits by one until a time on the clock takes some thousand times as long", NULL },
    { "shared waits",        "semaphores, message queues and locks of the kernel use the real clock, and the first two and shared memory are stamped by it", NULL },
    { "timeouts of sockets", "the limits of recv, send, accept and connect, and of asynchronous I/O, do not move the clock", NULL },
    { "what is left of a wait", "an interrupted wait, and a timer that is queried, report real time", NULL },
    { "ports and sockets",   "the kernel picks free ports at random, and stamps and measures by the real clock", NULL },
    { "free space",          "a disk reports its present free space, and which disk it is", NULL },
    { "process statistics",  "/proc/PID shows real time and real use, and SIGCHLD tells real use",                       NULL },
};

static const struct column columns[] = {
    { "what", COLUMN_TEXT, offsetof(struct held_open_row, what) },
    { "why",  COLUMN_TEXT, offsetof(struct held_open_row, why) },
};
/* clang-format on */

const struct table held_open_table = {
    .name = "held_open",
    .about = "What --deterministic fixed does not hold; the first five depend on CPU and kernel.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(held_open_rows),
};

bool held_is_open(const struct held_open_row *row)
{
    return !row->is_open || row->is_open();
}
