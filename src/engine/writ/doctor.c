/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c: the public function that tells what this machine can enforce. */
#include <writ/writ.h>

#include <errno.h>
#include <inttypes.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json_write.h"
#include "engine/exec_network.h"
#include "engine/grounds.h"
#include "engine/home.h"
#include "engine/idle.h"
#include "engine/input.h"
#include "engine/routes.h"
#include "sandbox/held_open.h"
#include "sandbox/mend.h"
#include "sandbox/probe.h"
#include "sandbox/process.h"

struct doctor {
    struct idle idle;
    struct finding findings[FINDING_COUNT];
    struct finding gate; /* to hosts, by name */
    struct finding proof, fixed;
    unsigned missing; /* layers */
    unsigned spare;   /* what a caller has to do without, then */
};

/* ---- trying ---- */

static void examine(struct doctor *d)
{
    const struct exec *x = &d->idle.x;
    struct jail_ask ask = { .program = &x->program,
                            .grants = &x->reach.grants,
                            .cwd = x->reach.cwd,
                            .owner = x->reach.owner,
                            .group = x->reach.group,
                            .memory_mb = x->request.sandbox->memory_mb,
                            .cpu_cores = x->request.sandbox->cpu_cores,
                            .allow_fork = true,
                            .count_threads = true,
                            .layers = LAYER_ALL,
                            .argv = d->idle.argv,
                            .env = x->env };

    probe(&ask, x->a, d->findings);
    for (enum finding_of i = 0; i < FINDING_COUNT; i++)
        if (d->findings[i].state == FINDING_ABSENT)
            d->missing |= 1U << finding_rows[i].layer;
}

static bool all_spared(unsigned missing)
{
    for (enum layer i = 0; i < LAYER_COUNT; i++)
        if ((missing & (1U << i)) && !layers[i].spared)
            return false;
    return true;
}

/* Who does without the user's namespace does without all of them. */
static unsigned to_spare(unsigned missing)
{
    unsigned namespaces = LAYER_ALL & ~PROCESS_LAYERS;

    return missing & namespaces ? (missing & ~namespaces) | 1U << LAYER_USER : missing;
}

static const char *names(unsigned set, struct arena *a)
{
    const char *text = "";

    for (enum layer i = 0; i < LAYER_COUNT; i++)
        if (set & (1U << i))
            text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", layers[i].name);
    return text;
}

/* Of a refusal for a layer that was found to be missing, the code says enough. */
static const char *refusal(const struct doctor *d, const struct error *e)
{
    for (enum layer i = 0; i < LAYER_COUNT; i++) {
        const char *code = arena_printf(d->idle.x.a, "LAYER_MISSING:%s", layers[i].name);

        if ((d->missing & (1U << i)) && str_begins(str_of(e->msg), code))
            return code;
    }
    return arena_text(d->idle.x.a, str_of(e->msg));
}

/* Why not even a run that does without what is missing can be had. */
static const char *refused_weak(const struct doctor *d, const struct error *e)
{
    return arena_printf(d->idle.x.a, "Without %s: %s", names(d->spare, d->idle.x.a), e->msg);
}

/* The whole of it, as every command gets it; without what is missing, if that may be spared. */
static void prove(struct doctor *d)
{
    struct arena *a = d->idle.x.a;
    struct error e, weak;

    d->proof.state = FINDING_ABSENT;
    d->spare = to_spare(d->missing);
    if (d->idle.x.program.missing) {
        d->proof.detail = "there is no /bin/true to run";
    } else if (idle_run(&d->idle, 0, NULL, &e)) {
        d->proof.state = FINDING_PASS;
        d->proof.detail = arena_printf(a, "%s ran inside all of it, in %" PRId64 " ms",
                                       d->idle.argv[0], d->idle.x.outcome.duration_ms);
    } else if (d->missing && all_spared(d->spare) && idle_run(&d->idle, d->spare, NULL, &weak)) {
        d->proof.state = FINDING_WEAK;
        d->proof.detail = arena_printf(
            a, "%s ran without %s%s, in %" PRId64 " ms", d->idle.argv[0],
            names(d->idle.x.outcome.missing, a),
            d->idle.x.outcome.hosted ? ", held by lists alone (isolation: process)" : "",
            d->idle.x.outcome.duration_ms);
    } else {
        d->proof.detail = refusal(d, &e);
        if (d->missing && all_spared(d->spare))
            d->proof.mend = refused_weak(d, &weak);
    }
}

/* What of the namespaces is missing, as it was found; FINDING_COUNT: nothing. Runs by lists alone
 * have no network of their own, and nobody holds their time. */
static enum finding_of lost_namespace(const struct doctor *d)
{
    for (enum finding_of i = 0; i < FINDING_COUNT; i++)
        if (d->findings[i].state == FINDING_ABSENT &&
            !(PROCESS_LAYERS & (1U << finding_rows[i].layer)))
            return i;
    return FINDING_COUNT;
}

/* Who reaches hosts by name needs somebody to serve the doors; nobody else does. */
static void try_gate(struct doctor *d)
{
    struct arena *a = d->idle.x.a;
    struct hosts nowhere = { .level = NET_API };
    struct gate_ask ask = { .hosts = &nowhere,
                            .program =
                                home_program(gate_program, (const char *const *)environ, a) };
    enum finding_of lost = lost_namespace(d);
    struct gate_log log = { 0 };
    struct gate *opened;
    struct error e = { .msg = "writ-net is not there" };

    if (lost != FINDING_COUNT) {
        d->gate =
            (struct finding){ FINDING_ABSENT, "without namespaces no run has a network of its own",
                              d->findings[lost].mend };
        return;
    }
    if (ask.program && gate_open(&ask, world_real(), &opened, &e)) {
        gate_close(opened, a, &log);
        d->gate = (struct finding){ FINDING_PASS, "writ-net serves what --allow-host names", NULL };
        return;
    }
    d->gate = (struct finding){ FINDING_ABSENT, arena_text(a, str_of(e.msg)),
                                "Install writ-net beside writ; without it every run is offline." };
}

static const char *still_open(struct arena *a)
{
    const char *text = "";

    for (size_t i = 0; i < HELD_OPEN; i++)
        if (held_is_open(&held_open_rows[i]))
            text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", held_open_rows[i].what);
    return text;
}

/* The same with time and chance held, which nobody needs who does not ask for it. */
static void prove_fixed(struct doctor *d)
{
    struct surroundings around = surroundings_now();
    struct ailment ill = { LAYER_SECCOMP, "trace", EPERM };
    struct outcome plain = d->idle.x.outcome;
    struct held held = held_make(d->idle.x.env, &d->idle.x.inputs_digest);
    enum finding_of lost = lost_namespace(d);
    struct error e;

    if (d->proof.state == FINDING_ABSENT || (d->missing & (1U << LAYER_SECCOMP)))
        return;
    if (lost != FINDING_COUNT) {
        d->fixed = (struct finding){ FINDING_ABSENT, "cannot be held without namespaces",
                                     d->findings[lost].mend };
        return;
    }
    d->fixed.state = FINDING_PASS;
    if (idle_run(&d->idle, d->missing, &held, &e)) {
        d->fixed.detail = arena_printf(d->idle.x.a, "held but for: %s", still_open(d->idle.x.a));
    } else {
        d->fixed.state = FINDING_WEAK;
        d->fixed.detail = refusal(d, &e);
        d->fixed.mend = mend_for(&ill, &around, d->idle.x.a);
    }
    d->idle.x.outcome = plain;
}

/* ---- telling ---- */

static void put_finding(struct buf *to, const char *layer, const char *what, const char *part,
                        const struct finding *f)
{
    json_open(to, '{');
    json_put(to, "layer", layer);
    json_put(to, "what", what);
    json_put(to, "part", part);
    json_put(to, "state", finding_states[f->state]);
    json_put(to, "detail", f->detail);
    json_put(to, "mend", f->mend);
    json_close(to, '}');
}

static void put_findings(const struct doctor *d, struct buf *to)
{
    enum finding_of lost = lost_namespace(d);

    json_key(to, "findings");
    json_open(to, '[');
    for (enum finding_of i = 0; i < FINDING_COUNT; i++)
        if (d->findings[i].state != FINDING_NONE)
            put_finding(to, layers[finding_rows[i].layer].name, finding_rows[i].what,
                        finding_rows[i].part, &d->findings[i]);
    if (d->fixed.state != FINDING_NONE)
        put_finding(to,
                    layers[lost == FINDING_COUNT ? LAYER_SECCOMP : finding_rows[lost].layer].name,
                    "time and chance", NULL, &d->fixed);
    put_finding(to, NULL, "proof", NULL, &d->proof);
    json_close(to, ']');
}

static void put_gate(const struct doctor *d, struct buf *to)
{
    json_key(to, "network");
    json_open(to, '{');
    json_put_bool(to, "open", d->gate.state == FINDING_PASS);
    json_put(to, "detail", d->gate.detail);
    json_put(to, "mend", d->gate.mend);
    json_close(to, '}');
}

static void put_missing(const struct doctor *d, struct buf *to)
{
    json_key(to, "missing");
    json_open(to, '[');
    for (enum layer i = 0; i < LAYER_COUNT; i++) {
        if (!(d->missing & (1U << i)))
            continue;
        json_open(to, '{');
        json_put(to, "layer", layers[i].name);
        json_put_bool(to, "spared", layers[i].spared);
        json_put(to, "without", layers[i].spared ? layers[i].without : NULL);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_spare(const struct doctor *d, struct buf *to)
{
    json_key(to, "spare");
    json_open(to, '[');
    for (enum layer i = 0; i < LAYER_COUNT && d->proof.state == FINDING_WEAK; i++) {
        if (!(d->spare & (1U << i)))
            continue;
        json_open(to, '{');
        json_put(to, "layer", layers[i].name);
        json_put(to, "without", layers[i].without);
        json_close(to, '}');
    }
    json_close(to, ']');
}

int writ_doctor(char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct doctor d = { 0 };
    struct utsname machine = { 0 };
    bool full, stands;

    idle_prepare(&d.idle, (const char *const *)environ, FS_STANDARD, &a);
    examine(&d);
    try_gate(&d);
    prove(&d);
    prove_fixed(&d);
    full = !d.missing && d.proof.state == FINDING_PASS;
    (void)uname(&machine);
    json_open(&out, '{');
    json_put_bool(&out, "full", full);
    json_put(&out, "kernel", arena_printf(&a, "%s %s", machine.sysname, machine.release));
    json_put(&out, "machine", machine.machine);
    json_put_bool(&out, "root", geteuid() == 0);
    json_put(&out, "directory", d.idle.refused ? NULL : d.idle.x.reach.cwd);
    put_findings(&d, &out);
    put_missing(&d, &out);
    json_put_bool(&out, "weak", d.proof.state == FINDING_WEAK);
    put_spare(&d, &out);
    put_gate(&d, &out);
    stands = grounds_put(d.idle.refused, (const char *const *)environ, &a, &out);
    routes_put((const char *const *)environ, &a, &out);
    json_close(&out, '}');
    return take_answer(&out, full && stands ? WRIT_OK : WRIT_UNAVAILABLE, answer);
}
