/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_fork.c: notices that this process was forked, and keeps a fork from tearing SQLite apart.
 */
#include "ledger/sqlite_fork.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* SQLite holds its mutexes for microseconds, or for as long as a file takes to be closed. */
enum { HOLD_TRIES = 20000, HOLD_NAP_US = 50 };

/* Numbers of devices do not reach that far. */
enum { DEVICE_BITS = 48 };

static struct {
    pthread_mutex_t lock;
    const struct sqlite_hands *hands; /* NULL: nothing was opened yet */
    size_t held;                      /* guards, while we fork */
    pid_t owner;                      /* the process that opened something last */
    dev_t forks;                      /* from the first process that did to this one */
} process = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Of the file that this thread opens: the rest of the program has its files as they are. */
static _Thread_local dev_t mark;

static int fstat_marked(int fd, struct stat *s)
{
    int rc = fstat(fd, s);

    s->st_dev ^= mark;
    return rc;
}

/* ---- forking ---- */

static void give_all(void)
{
    while (process.held > 0)
        process.hands->give(--process.held);
}

/* All of them, or none: in which order SQLite takes them is its own affair. */
static bool take_all(const struct sqlite_hands *hands)
{
    while (process.held < hands->guards && hands->take(process.held))
        process.held++;
    if (process.held == hands->guards)
        return true;
    give_all();
    return false;
}

/* A thread of the new process would wait for ever for what another one has held in the old. */
static void before_fork(void)
{
    (void)pthread_mutex_lock(&process.lock);
    for (int i = 0; i < HOLD_TRIES && process.hands && !take_all(process.hands); i++)
        (void)nanosleep(&(struct timespec){ .tv_nsec = HOLD_NAP_US * 1000 }, NULL);
}

/* In both processes. */
static void after_fork(void)
{
    give_all();
    (void)pthread_mutex_unlock(&process.lock);
}

static __attribute__((constructor)) void watch(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

/* ---- opening ---- */

/* Under the lock. Not every fork tells: _Fork() and the bare calls do not. */
static void look_who_we_are(void)
{
    pid_t us = getpid();

    process.forks += process.owner != 0 && process.owner != us;
    process.owner = us;
}

/* Others come in while a file is opened, unless it has to be marked. */
void sqlite_fork_enter(const struct sqlite_hands *hands)
{
    (void)pthread_mutex_lock(&process.lock);
    if (!process.hands)
        hands->begin();
    process.hands = hands;
    look_who_we_are();
    mark = process.forks << DEVICE_BITS;
    if (mark)
        hands->know(fstat_marked);
    else
        (void)pthread_mutex_unlock(&process.lock);
}

void sqlite_fork_leave(const struct sqlite_hands *hands)
{
    if (!mark)
        return;
    mark = 0;
    hands->know(NULL);
    (void)pthread_mutex_unlock(&process.lock);
}
