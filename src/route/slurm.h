/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.h: the job of a worker in Slurm: what it asks for, whether it waits in the queue, its end.
 *
 * An srun that is killed may leave its job running, so each job has a name of its own, by which it
 * is cancelled and looked for. Inside an allocation that exists already (srun's --jobid, or
 * SLURM_JOB_ID in the environment) only the step is ours: it is found by its name, and asks for
 * nothing that the allocation does not have.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "base/world.h"
#include "contract/config_doc.h"

/* What the run that a worker is reached for may use at most. */
struct worker_need {
    int64_t memory_mb, cpu_cores, time_ms;
};

struct slurm_job {
    const char *name; /* NULL: it is no job of Slurm */
    bool step;        /* inside an allocation of somebody else's */
    char *const *environment;
    const struct world *world;
};

enum slurm_state {
    SLURM_GONE,
    SLURM_QUEUED,  /* it waits for resources */
    SLURM_THERE,   /* it runs, or is ending */
    SLURM_UNKNOWN, /* squeue does not say */
};

enum {
    SLURM_WORD = 64,
    SLURM_SPARE_MS = 5 * 60000, /* of a job's own time, on top of the run's */
};

struct slurm_job slurm_job_new(const struct config_worker *worker, char *const *environment,
                               const struct world *world, struct arena *a);

/* How it is, with Slurm's own words: "PENDING (Resources)". */
enum slurm_state slurm_look(const struct slurm_job *job, char words[SLURM_WORD]);

/* Cancels it until it is gone, for some seconds at most. False: it may still be there, and *e says
 * how it is and what to do. */
bool slurm_end(const struct slurm_job *job, struct error *e) NODISCARD;

/* Commands that end the job, for whoever does it when we are gone: lists of words ended by NULL,
 * the first an absolute path; the list of them ended by NULL. */
char *const *const *slurm_last(const struct slurm_job *job, struct arena *a);
