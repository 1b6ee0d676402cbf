/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h: runs one command inside its walls and says what happened.
 *
 * The one door of this folder. An outcome is data: that the command failed, was stopped or could
 * not be started is what was asked. False means that the walls could not be built, and that
 * nothing ran.
 */
#pragma once

#include "base/world.h"
#include "contract/request_doc.h"
#include "sandbox/gate.h"
#include "sandbox/grants.h"
#include "sandbox/held.h"
#include "sandbox/kept.h"
#include "sandbox/outcome.h"
#include "sandbox/program.h"
#include "sandbox/protect.h"

struct run {
    const struct program *program;
    const struct grants *grants;  /* settled */
    const struct absents *absent; /* names that must not come into being; NULL: none */
    const char *state;            /* the directory where writ keeps what it knows; NULL: none */
    const char *cwd;
    uid_t owner; /* of the working directory */
    gid_t group;
    char *const *argv;
    char *const *env; /* sorted */
    struct str input; /* on standard input */
    bool result;      /* it has a descriptor 3, too, and what it writes there is captured */

    /* Its standard input and output are these, of pipes or a socket of the caller's, whose they
     * stay: nothing is fed to it or captured, and the end of its input asks it to end. */
    bool wired;
    int wires[2];

    /* What it reaches by name, through a gate. NULL: nothing, but where the network is raw: that of
     * the host. */
    const struct gate_ask *gate;

    const struct held *held; /* NULL: time runs, and chance is chance */

    const struct request_sandbox *limits;
    unsigned weak; /* layers the caller does without, when they cannot be had */
    int live[2];   /* where stdout and stderr are passed on to as they come; -1: nowhere */
    int cancel;    /* readable when it should be stopped; a second time: at once. -1: never */
    bool patient;  /* what is passed on is evidence: who reads it is waited for */
    bool at_once;  /* stopped, or out of time: the tree is killed, and not asked to end before */
    struct pace pace;

    struct kept *kept; /* what earlier runs have left to be used again; NULL: nothing is kept */

    /* Asked while the walls are being built; the command is started when it says true. NULL: it may
     * run. */
    bool (*permit)(void *self, struct error *e);
    void *permit_self;
};

bool sandbox_run(const struct run *run, const struct world *world, struct arena *a,
                 struct outcome *out, struct error *e) NODISCARD;
