/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.c: the only file that asks the system's resolver. */
#include "sandbox/net/lookup.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

enum { WAITING = 512 };

struct job {
    struct lookup_answer answer;
    char name[HOST_MAX + 1];
};

/* Jobs go round in a ring: begun by threads in order, done in any, taken when done. */
struct ring {
    struct job v[WAITING];
    size_t first, n;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct ring asked, found;
    int fd, threads, idle, busy;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .fd = -1 };

static void push(struct ring *r, const struct job *j)
{
    r->v[(r->first + r->n++) % WAITING] = *j;
}

static bool pop(struct ring *r, struct job *out)
{
    if (r->n == 0)
        return false;
    *out = r->v[r->first];
    r->first = (r->first + 1) % WAITING;
    r->n--;
    return true;
}

static void look_up(struct job *j)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM }, *found = NULL;
    uint16_t port;

    if (getaddrinfo(j->name, NULL, &hints, &found) != 0)
        return;
    for (struct addrinfo *i = found; i && j->answer.n < LOOKUP_ADDRESSES; i = i->ai_next)
        j->answer.n += address_of_socket(i->ai_addr, &j->answer.v[j->answer.n], &port);
    freeaddrinfo(found);
}

static void *work(void *unused)
{
    struct job job;

    (void)unused;
    (void)pthread_mutex_lock(&all.lock);
    for (;;) {
        while (!pop(&all.asked, &job)) {
            all.idle++;
            (void)pthread_cond_wait(&all.more, &all.lock);
            all.idle--;
        }
        all.busy++;
        (void)pthread_mutex_unlock(&all.lock);
        look_up(&job);
        (void)pthread_mutex_lock(&all.lock);
        all.busy--;
        push(&all.found, &job);
        (void)eventfd_write(all.fd, 1);
    }
    return NULL;
}

bool lookup_open(int *fd, struct error *e)
{
    all.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    *fd = all.fd;
    return all.fd >= 0 || error_sys(e, ERROR_IO, "no names can be looked up");
}

/* With the lock. A thread is made when it is needed, and stays. */
static bool have_thread(void)
{
    pthread_t thread;

    if ((size_t)all.idle > all.asked.n || all.threads == LOOKUP_THREADS)
        return true;
    if (pthread_create(&thread, NULL, work, NULL) == 0) {
        (void)pthread_detach(thread);
        all.threads++;
    }
    return all.threads > 0;
}

bool lookup_ask(uint32_t conn, uint32_t turn, const struct host *host)
{
    struct job job = { .answer = { .conn = conn, .turn = turn } };
    bool asked;

    memcpy(job.name, host->name, sizeof job.name);
    (void)pthread_mutex_lock(&all.lock);
    asked = all.asked.n + all.found.n + (size_t)all.busy < WAITING && have_thread();
    if (asked)
        push(&all.asked, &job);
    (void)pthread_cond_signal(&all.more);
    (void)pthread_mutex_unlock(&all.lock);
    return asked;
}

bool lookup_take(struct lookup_answer *out)
{
    struct job job;
    eventfd_t count;
    bool taken;

    (void)pthread_mutex_lock(&all.lock);
    taken = pop(&all.found, &job);
    if (!taken)
        (void)eventfd_read(all.fd, &count);
    (void)pthread_mutex_unlock(&all.lock);
    if (taken)
        *out = job.answer;
    return taken;
}
