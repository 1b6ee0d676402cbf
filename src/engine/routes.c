/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c: tells of each route whether it is open. A closed one is no fault of the machine. */
#include "engine/routes.h"

#include "engine/home.h"

#include "base/json_write.h"
#include "engine/config.h"
#include "route/command.h"
#include "route/workers.h"

static const char *const mends[WORKER_KINDS] = {
    [WORKER_SLURM] = "apt install slurm-client, on a machine of the cluster",
    [WORKER_SSH] = "apt install openssh-client",
    [WORKER_WRAP] =
        "a worker of that name in ~/.config/writ/config.yaml can be another wrapper; until then "
        "the fallback decides",
};

struct told {
    const char *route, *worker;
    bool open, unasked; /* unasked: what carries it is there; nobody knows of the other end */
    const char *detail, *mend;
};

static void put(const struct told *t, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "route", t->route);
    json_put(to, "worker", t->worker);
    json_key(to, "open");
    if (t->unasked)
        json_nil(to);
    else
        json_bool(to, t->open);
    json_put(to, "detail", t->detail);
    json_put(to, "mend", t->mend);
    json_close(to, '}');
}

static bool try(const struct config_worker *worker, const char *const *environment, struct arena *a,
                struct told *out)
{
    struct error e;

    out->route = route_names[worker_kinds[worker->kind].route];
    out->open =
        worker_available(worker, (char *const *)environment, home_writ(environment, a), -1, &e);
    if (out->open)
        return true;
    out->detail = arena_printf(a, "closed: %s", e.msg);
    out->mend = mends[worker->kind];
    return false;
}

/* Of a worker's own command all words, as it is started. */
static const char *reached(const struct config_worker *worker, struct arena *a)
{
    struct words own = { worker->command.v, worker->command.n };
    const char *begin = own.n ? command_join(own, a).s : NULL;

    if (worker->kind == WORKER_SSH)
        return arena_printf(a, "ssh %.*s", STR_ARG(worker->host));
    if (worker->kind == WORKER_SLURM)
        return "srun";
    if (worker->kind == WORKER_WRAP)
        return arena_printf(a, "%s exec -- ..", begin ? begin : "rch");
    return arena_printf(a, "%s worker --stdio, here", begin ? begin : "writ");
}

static void put_worker(const struct config_worker *worker, const char *const *environment,
                       struct arena *a, struct buf *to)
{
    struct told t = { .worker = arena_text(a, worker->name) };

    if (try(worker, environment, a, &t))
        t.detail = reached(worker, a);
    if (t.open && (worker->kind == WORKER_SSH || worker->kind == WORKER_SLURM)) {
        t.unasked = true;
        t.detail = arena_printf(a, "%s: not asked", t.detail);
        t.mend = arena_printf(
            a, "to ask it: writ exec --class generic --worker %s --fail-closed -- true", t.worker);
    }
    put(&t, to);
}

/* A kind that no worker has: what carries it may be there all the same. */
static void put_kind(enum worker_kind kind, const char *const *environment, struct arena *a,
                     struct buf *to)
{
    const struct config_worker any = { .name = str_of(worker_kind_names[kind]), .kind = (int)kind };
    struct told t = { 0 };

    if (try(&any, environment, a, &t)) {
        t.detail = arena_printf(a, "%s is there, and no worker of the kind %s is named",
                                worker_kinds[kind].program, worker_kind_names[kind]);
        t.mend = "name one in ~/.config/writ/config.yaml; `writ explain config` shows how";
    }
    put(&t, to);
}

static void put_all(const struct settings *s, const char *const *environment, struct arena *a,
                    struct buf *to)
{
    bool named[WORKER_KINDS] = { false };

    for (size_t i = 0; i < s->worker_count; i++) {
        named[s->workers[i].kind] = true;
        put_worker(&s->workers[i], environment, a, to);
    }
    for (enum worker_kind kind = 0; kind < WORKER_KINDS; kind++)
        if (!named[kind])
            put_kind(kind, environment, a, to);
}

/* The problem itself is for `writ check`. */
static void put_wrong(const struct report *r, struct arena *a, struct buf *to)
{
    struct told t = { .detail = arena_printf(a, "%s is wrong: no worker can be used", r->file),
                      .mend = arena_printf(a, "writ check %s", r->file) };

    put(&t, to);
}

void routes_put(const char *const *environment, struct arena *a, struct buf *to)
{
    const struct told here = { .route = route_names[ROUTE_LOCAL_DIRECT],
                               .open = true,
                               .detail = "commands run here, in the sandbox above" };
    struct settings s;
    struct report r;

    json_key(to, "routes");
    json_open(to, '[');
    put(&here, to);
    if (settings_here(environment, a, &s, &r))
        put_all(&s, environment, a, to);
    else
        put_wrong(&r, a, to);
    json_close(to, ']');
}
