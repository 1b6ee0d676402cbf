/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c: one struct kept for this process. */
#include "engine/exec_pool.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct kept *kept; /* NULL: there is none yet */
    size_t inside;     /* calls under way that use it */
    bool called;       /* before */
    bool watched;      /* whether this process forks */
    pid_t owner;       /* whose it is */
    ino_t mounts;      /* what this process saw of the disk when it was made */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void lock(void)
{
    (void)pthread_mutex_lock(&pool.lock);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&pool.lock);
}

/* In the new process: what the other one keeps is not ours. */
static void abandon(void)
{
    kept_abandon(pool.kept);
    pool.kept = NULL;
    pool.inside = 0;
    pool.called = false;
}

static void forget(void)
{
    abandon();
    unlock();
}

/* Under the lock. Not every fork tells: _Fork() and the bare calls do not. */
static void look_who_we_are(void)
{
    if (pool.owner != 0 && pool.owner != getpid())
        abandon();
    pool.owner = getpid();
}

/* Who is still inside needs it; what is left then ends with us. */
static __attribute__((destructor)) void end(void)
{
    lock();
    look_who_we_are();
    if (pool.inside == 0) {
        kept_free(pool.kept);
        pool.kept = NULL;
    }
    unlock();
}

static ino_t mounts_now(void)
{
    struct stat s;

    return stat("/proc/thread-self/ns/mnt", &s) == 0 ? s.st_ino : 0;
}

/* Under the lock. A caller that has gone to other mounts is shown those. */
static bool is_usable(ino_t mounts)
{
    if (pool.kept && pool.mounts != mounts && pool.inside == 0) {
        kept_free(pool.kept);
        pool.kept = NULL;
    }
    if (!pool.kept) {
        pool.kept = kept_new();
        pool.mounts = mounts;
    }
    return pool.mounts == mounts;
}

struct kept *exec_pool_enter(void)
{
    struct kept *kept = NULL;
    ino_t mounts = mounts_now();

    lock();
    look_who_we_are();
    if (!pool.watched)
        pool.watched = pthread_atfork(lock, unlock, forget) == 0;
    if (pool.called && pool.watched && mounts != 0 && is_usable(mounts)) {
        kept = pool.kept;
        pool.inside++;
    }
    pool.called = true;
    unlock();
    return kept;
}

void exec_pool_leave(struct kept *kept)
{
    lock();
    if (kept && kept == pool.kept && pool.inside > 0)
        pool.inside--;
    unlock();
}
