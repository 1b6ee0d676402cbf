/* SPDX-License-Identifier: Apache-2.0 */
/* stages.h: what happens between clone and exec, step by step; child.c has the order.
 *
 * All of it runs in a new process: only system calls. Each stage returns 0, or -1 and errno, or
 * that the supervisor is gone, or has thought better of it. That is not said by errno: those who
 * borrow the memory of a berth share it, and it may change at any time.
 */
#pragma once

#include <sys/resource.h>

#include "sandbox/jail.h"
#include "sandbox/words.h"

enum { SIGNALS = 64, STAGE_UNWANTED = 1 };

/* What the stages hand on to each other. */
struct child {
    struct jail *jail;
    int root; /* of the new disk */
};

/* Waits until there is a word on the line, or its end. False: the owner of the berth is dead. */
bool stage_hears(const struct jail *j);

/* Waits for that word of the supervisor. STAGE_UNWANTED: another came, or none. */
int stage_wait_for(const struct child *c, char wanted);

/* As low as that, if it was not lower; for good. */
int stage_set_limit(__rlimit_resource_t which, rlim_t most);

int stage_wait_for_go(struct child *c);
int stage_reset_signals(struct child *c);
int stage_bound_watches(struct child *c);
int stage_open_chance(struct child *c);
int stage_take_identity(struct child *c);
int stage_enter_net(struct child *c);
int stage_open_doors(struct child *c);
int stage_make_root(struct child *c);
int stage_make_layers(struct child *c);
int stage_mount_trees(struct child *c);
int stage_hold_names(struct child *c);
int stage_mount_devices(struct child *c);
int stage_mount_no_proc(struct child *c);
int stage_mount_scratch(struct child *c);
int stage_mount_proc(struct child *c);
int stage_enter_root(struct child *c);
int stage_lock_root(struct child *c);
int stage_clear_result(struct child *c);
int stage_close_others(struct child *c);
int stage_watch_mounts(struct child *c);
int stage_set_names(struct child *c);
int stage_set_limits(struct child *c);
int stage_drop_bounds(struct child *c);
int stage_drop_rights(struct child *c);
int stage_guard_init(struct child *c);

int stage_be_traced(struct child *c);
int stage_keep_mounts(struct child *c);
int stage_wait_for_command(struct child *c);
int stage_enter_cgroup(struct child *c);
int stage_set_streams(struct child *c);
int stage_set_cpus(struct child *c);
int stage_enter_cwd(struct child *c);
int stage_check_program(struct child *c);
int stage_enter_landlock(struct child *c);
int stage_wait_for_permit(struct child *c);
int stage_enter_seccomp(struct child *c);
int stage_start_command(struct child *c);
