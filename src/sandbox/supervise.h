/* SPDX-License-Identifier: Apache-2.0 */
/* supervise.h: the supervisor's loop: output, time, threads, and the end of the tree. */
#pragma once

#include "base/world.h"
#include "contract/exits.h"
#include "sandbox/absents.h"
#include "sandbox/capture.h"
#include "sandbox/child.h"
#include "sandbox/cow.h"
#include "sandbox/gate.h"
#include "sandbox/threads.h"
#include "sandbox/uncounted.h"

/* How long a command that was asked to end may take to do so, where nobody says otherwise. */
enum { GRACE_MS = 2000 };

/* Who reads what it has printed has this long once it is dead, where somebody wanted it to end: who
 * did waits. */
enum { READER_MS = 5000 };

/* It runs longer than it should; it was asked to end, and why; it did not and is killed, for its
 * grace is over (CAUSE_TIMEOUT) or somebody does not wait for that (CAUSE_CANCELLED). */
enum pace_news { PACE_LATE, PACE_ASKED, PACE_KILLED };

/* What a run is given beside its time, and who is told when it takes it. */
struct pace {
    int64_t grace_ms; /* 0: GRACE_MS */
    int64_t soft_ms;  /* late after this time; 0: never */
    bool asks;        /* when its own time is up it is asked to end, also where at_once is set */
    void (*news)(void *self, enum pace_news news, enum cause cause); /* NULL: nobody is told */
    /* What is kept of its output (stream 1 or 2), as it comes. NULL: nobody is told. */
    void (*printed)(void *self, int stream, const char *bytes, size_t n);
    void *self;
};

struct supervision {
    const struct world *world;
    const struct cgroup *group;
    int line;         /* to init; -1: it is none of ours */
    int init;         /* a pidfd; readable when the whole tree is dead */
    int cancel;       /* readable when somebody wants it stopped; -1: nobody can */
    int64_t began_ms; /* its time runs from then on: we may have been stopped since */
    int64_t timeout_ms;
    bool plain_init; /* nobody ends its tree but init: it is told to, and never killed itself */
    bool patient;    /* who reads what it prints is waited for, though somebody called it off */
    bool at_once;    /* when it is stopped, all of it is killed: nobody is asked, but see pace */
    struct pace pace;
    struct capture *out, *err;
    struct capture *result; /* NULL: none is asked for */
    struct threads *threads;
    struct cow_layers *cow;       /* where layers that init hands over go; NULL: it has none */
    pid_t counted;                /* the run's init, at whose tree uncounted.h looks; 0: not */
    bool own_net;                 /* and at its network */
    const struct absents *absent; /* names that are watched for */
    struct gate *gate;            /* tells what it decides; NULL: there is none */
    bool (*idle)(void *self);     /* work for when nothing happens; false: it is done. NULL: none */
    void *idle_self;

    /* Where init is none of ours: SIGTERM asks the tree to end, SIGQUIT ends it, and SIGKILL ends
     * whoever did not do that. NULL: init is told. */
    void (*send)(void *self, int signal);
    void *send_self;

    void (*ended_hook)(void *self); /* the command has ended; its tree is being torn down */
    void *ended_self;

    /* what came of it */
    bool ready;         /* the walls stood, and the command was being started */
    bool ended;         /* init told how the command ended */
    int status;         /* as from wait */
    int64_t over_ms;    /* when that was, or else when the tree was seen to be dead */
    bool breached;      /* a wall was gone, and init ended it for that */
    bool made;          /* a denied name came into being, and it was ended for that */
    const char *excess; /* what it had too much of, in words, and was ended for; NULL: nothing */
    bool unheld;        /* init has killed a program that it could not hold */
    bool page_open;     /* a program began that can read the real time */
    bool failed;        /* a stage failed: `failure` */
    struct word failure;
    enum cause stopped_for; /* CAUSE_EXITED: nobody stopped it */
    bool unseen;            /* its end was not to be seen in time: some of it is there still */
    bool forced;            /* it did not end when it was asked to */
};

/* How long init gives a tree before it ends that itself: as long as the supervisor could take to
 * end it, and a little more. */
int64_t supervise_most_ms(int64_t timeout_ms, bool at_once, const struct pace *pace);

/* Until the tree is dead and everything it printed was taken. */
void supervise(struct supervision *s);
