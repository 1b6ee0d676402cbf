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
    { "random instructions", "the CPU draws chance for whoever asks it, and nobody can see it", tracee_draws_in_hardware },
    { "random devices",      "without /dev/fuse all who open them read the same, zeros after 1 MiB, and nobody may write", held_chance_is_shared },
    { "blocked faults",      "who reads the cycle counter while SIGSEGV is blocked or ignored finds it unblocked, and its handler gone", faults_are_open },
    { "clock page",          "the kernel's shared code is not known here, or it keeps what that reads the time from, or a program has made it so: it is left to be read", held_page_is_open },
    { "file times",          "the kernel stamps files with the real time, and numbers them",    NULL },
    { "order of threads",    "who runs first, and on which CPU, the kernel decides",            NULL },
    { "order of events",     "what comes first from several sources at once",                   NULL },
    { "timers",              "they run in real time, and how often one cuts off a wait the clock tells; a timerfd does not move it", NULL },
    { "shared waits",        "semaphores, message queues and locks of the kernel go by the real clock", NULL },
    { "timeouts of sockets", "the limits of recv, send, accept and connect, and of asynchronous I/O, do not move the clock", NULL },
    { "what is left of a wait", "a wait that was cut off and a timer that is asked tell of real time", NULL },
    { "ports and sockets",   "the kernel draws free ports, and stamps and measures by the real clock", NULL },
    { "free space",          "a disk says what is free just then, and which it is", NULL },
    { "process statistics",  "/proc/PID tells of real time and real use",                       NULL },
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
