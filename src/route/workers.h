/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h: how each kind of worker is reached, and whether it can be. */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "contract/config_doc.h"
#include "route/slurm.h"

/* The command line of what carries `writ worker --stdio` (ssh, srun, or writ itself), ended by
 * NULL. `writ` is the path of this program, for a pipe; of slurm only the job's name, and what the
 * job has to have (NULL: what Slurm gives by default). */
char **worker_carrier(const struct config_worker *worker, const char *writ,
                      const struct slurm_job *job, const struct worker_need *need, struct arena *a);

/* The command line of a wrapper around these words: `rch exec -- CMD ARG...`. */
char **worker_wrapped(const struct config_worker *worker, char *const *argv, struct arena *a);

/* Can it be had, as far as this machine can tell without trying: its program is in PATH and, of a
 * wrapper, its probe ends with 0 within the worker's patience; nobody waits for it who finds
 * `cancel` (-1: never) readable. False: *e says why and what to do. */
bool worker_available(const struct config_worker *worker, char *const *environment,
                      const char *writ, int cancel, struct error *e) NODISCARD;
