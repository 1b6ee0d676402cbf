/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_wait.c: how who finds an SQLite file locked by others waits for his turn. */
#include <time.h>

#include "base/cancel.h"
#include "ledger/sqlite.h"

enum {
    WAIT_FIRST_US = 50,
    WAIT_MOST_US = 5000,
    WAIT_ALL_US = SQLITE_BUSY_SECONDS * 1000000,
};

/* Sleeps are short at first, for most transactions are, then longer, and a little random, so that
 * those who wait do not meet again and again. What was slept is counted: a test's clock may stand
 * still. */
static void nap(struct sqlite *db, int tries)
{
    int64_t us = (int64_t)WAIT_FIRST_US << (tries < 7 ? tries : 7);
    uint16_t lot = 0;

    db->world->chance(db->world->self, &lot, sizeof lot);
    us = us > WAIT_MOST_US ? WAIT_MOST_US : us;
    us = us / 2 + us * lot / UINT16_MAX;
    (void)nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
    db->waited_us += us;
}

int sqlite_wait_turn(void *self, int tries)
{
    struct sqlite *db = self;

    if (tries == 0)
        db->waited_us = 0;
    db->called_off = db->cancel && cancel_asked(*db->cancel);
    if (db->called_off || db->waited_us >= WAIT_ALL_US)
        return 0;
    nap(db, tries);
    return 1;
}
