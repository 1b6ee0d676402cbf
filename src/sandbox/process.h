/* SPDX-License-Identifier: Apache-2.0 */
/* process.h: a run where namespaces cannot be had, held by lists alone.
 *
 * Landlock holds paths and signals, seccomp the calls, a cgroup the limits. The command is the
 * caller's own user, on the host's own disk, among the host's processes. What the lists cannot
 * express is refused: a hole in something granted, a network, a layer beside the disk. Only a
 * caller who does without the layer `user` gets it, and only where namespaces cannot be made.
 */
#pragma once

#include "contract/request_doc.h"
#include "sandbox/jail.h"
#include "sandbox/protect.h"

struct seccomp_notif;
struct seccomp_notif_resp;

/* The layers there are. */
enum { PROCESS_LAYERS = 1 << LAYER_CGROUP | 1 << LAYER_LANDLOCK | 1 << LAYER_SECCOMP };

/* What such a run does not hold, although others do. */
struct process_gap {
    const char *name, *what;
    bool by_group; /* a group does hold it */
};

enum { PROCESS_GAPS = 9 };

extern const struct process_gap process_gaps[PROCESS_GAPS];
extern const struct table process_table;

/* What is to be run, as far as it concerns the lists. */
struct process_ask {
    const struct grants *grants;  /* settled */
    const struct absents *absent; /* NULL: none */
    const struct request_sandbox *limits;
    const char *cwd, *state; /* as of struct run */
    uid_t owner;
    gid_t group;
};

/* Did the caller say that it may be so, and has it to be? */
bool process_is_needed(unsigned weak);

/* Can the lists express what is asked? False: *e says what they cannot, and the way out. */
bool process_admits(const struct process_ask *ask, struct error *e) NODISCARD;

/* A directory of the run's own on the host's disk, for its HOME and TMPDIR. */
struct scratch {
    const char *dir; /* NULL: there is none */
    struct jail_rule rules[2];
};

/* Makes it for that user, below the state directory; and removes what the dead have left there. */
bool scratch_make(const char *state, uid_t uid, gid_t gid, struct arena *a, struct scratch *out,
                  struct error *e) NODISCARD;

/* Removes it. Accepts a zeroed one. */
bool scratch_remove(const struct scratch *s, struct error *e) NODISCARD;

/* Turns a jail with everything in it into one that is held by lists. */
bool process_lay(const struct process_ask *ask, struct arena *a, struct jail *jail,
                 struct scratch *scratch, struct error *e) NODISCARD;

/* How many tasks that user has: the limit on them without a group counts all. */
int64_t process_tasks_of(uid_t uid);

/* Without a group that limit leaves room for this many that the user may have elsewhere later. */
enum { PROCESS_ROOM = 512 };

/* Ends the youngest below init where there are more processes than that, a few at a time; how many.
 */
int64_t process_end_excess(pid_t init, int64_t most);

/* Makes init of such a run, which waits to be let go on: its number and a pidfd. */
bool process_fork(struct jail *jail, pid_t *pid, int *init, struct error *e) NODISCARD;

/* The stages of such a run have numbers from here on. */
enum { PROCESS_STAGES = 1000 };
const char *process_stage(int stage, int *layer);

/* Who changes a mode or the times of a file asks: Landlock has no rule for that. Does it, where the
 * file may be written. False: another call was asked about. */
bool process_answers(const struct jail *jail, int listener, const struct seccomp_notif *question,
                     struct seccomp_notif_resp *answer);
