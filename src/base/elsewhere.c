/* SPDX-License-Identifier: Apache-2.0 */
/* elsewhere.c: a new task is shown the way off our processor, and may go anywhere again. */
#include "base/elsewhere.h"

#include <sched.h>
#include <stdbool.h>

/* Ours, and those of them that we are not on. False: there are none. */
static bool look(cpu_set_t *ours, cpu_set_t *others)
{
    int here = sched_getcpu();

    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof *ours, ours) != 0)
        return false;
    *others = *ours;
    CPU_CLR(here, others);
    return CPU_COUNT(others) > 0;
}

void elsewhere(pid_t process)
{
    cpu_set_t ours, others;

    if (look(&ours, &others) && sched_setaffinity(process, sizeof others, &others) == 0)
        (void)sched_setaffinity(process, sizeof ours, &ours);
}

/* It is moved before it begins: it would else take our place. */
int elsewhere_thread(pthread_t *out, void *(*run)(void *), void *self)
{
    cpu_set_t ours, others;
    pthread_attr_t there;
    int sys;

    if (!look(&ours, &others) || pthread_attr_init(&there) != 0)
        return pthread_create(out, NULL, run, self);
    (void)pthread_attr_setaffinity_np(&there, sizeof others, &others);
    sys = pthread_create(out, &there, run, self);
    (void)pthread_attr_destroy(&there);
    if (sys == 0)
        (void)pthread_setaffinity_np(*out, sizeof ours, &ours);
    return sys;
}
