/* SPDX-License-Identifier: Apache-2.0 */
/* config.c: finds and reads configurations, and makes one of them. */
#include "engine/config.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "engine/home.h"
#include "engine/input.h"
#include "engine/written.h"
#include "sandbox/repository.h"

static const char project_path[] = ".writ/config.yaml";

/* Always there: `writ worker --stdio` on this machine. */
static const struct config_worker worker_local = {
    .name = { WORKER_LOCAL, sizeof WORKER_LOCAL - 1 }, .kind = WORKER_PIPE, .patience_secs = 10
};

static const struct config_worker *const always[] = { &worker_rch, &worker_local };

/* What was read, in this order: the user's own comes first, for of two documents with one class it
 * is the project's that is wrong. */
enum { USERS, PROJECTS, DOCUMENTS };

struct read {
    const struct doc *documents[DOCUMENTS];
    const struct config_doc *configs[DOCUMENTS];
    size_t n;
    struct route_doc contract;
};

/* Reads one and adds its classes. No file: there is none. */
static bool read_one(const char *file, bool project, const char *const *environment,
                     struct arena *a, struct read *all, struct report *r)
{
    const struct document *document;
    struct config_doc *config;
    struct error e;

    if (!file)
        return true;
    if (!input_read_file(file, a, &document, r))
        return false;
    if (!written_trusts(environment, file, a, &e)) {
        report_error(r, &e);
        return false;
    }
    config = arena_new(a, struct config_doc);
    if (project)
        config_of_project(&document->root, r);
    if (!shape_decode(&config_shape, &document->root, r, config) || r->errors)
        return false;
    all->documents[all->n] = &document->root;
    all->configs[all->n++] = config;
    return route_extended(all->documents, all->configs, all->n, a, &all->contract, r);
}

static const char *users_file(const char *const *environment, struct arena *a)
{
    const char *directory = home_config(environment, a);
    const char *file = directory ? arena_printf(a, "%s/config.yaml", directory) : NULL;

    return file && access(file, F_OK) == 0 ? file : NULL;
}

static const struct config_worker *named(const struct config_worker *workers, size_t n,
                                         struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(workers[i].name, name))
            return &workers[i];
    return NULL;
}

static void gather(const struct read *all, struct arena *a, struct settings *out)
{
    struct config_worker *workers;
    size_t n = 0, most = COUNT(always);
    bool fails = false;

    for (size_t i = 0; i < all->n; i++)
        most += all->configs[i]->workers.n;
    workers = arena_alloc(a, most * sizeof *workers);
    for (size_t i = 0; i < all->n; i++) {
        const struct config_doc *c = all->configs[i];

        if (c->workers.n)
            memcpy(workers + n, c->workers.v, c->workers.n * sizeof *workers);
        n += c->workers.n;
        if (c->remote.n)
            out->remote = c->remote;
        if (c->fallback == FALLBACK_FAIL_CLOSED)
            out->fallback = FALLBACK_FAIL_CLOSED;
        if (c->dependency_skip == DEPENDENCY_SKIP_CASCADE && !fails)
            out->dependency_skip = DEPENDENCY_SKIP_CASCADE;
        fails = fails || c->dependency_skip == DEPENDENCY_SKIP_FAIL;
        if (fails)
            out->dependency_skip = DEPENDENCY_SKIP_FAIL;
    }
    for (size_t i = 0; i < COUNT(always); i++)
        if (!named(workers, n, always[i]->name))
            workers[n++] = *always[i];
    out->workers = workers;
    out->worker_count = n;
}

static void gather_servers(const struct read *all, struct arena *a, struct settings *out)
{
    struct config_server *servers;
    size_t n = 0, most = 0;

    for (size_t i = 0; i < all->n; i++)
        most += all->configs[i]->servers.n;
    servers = arena_alloc(a, most * sizeof *servers);
    for (size_t i = 0; i < all->n; i++) {
        const struct config_doc *c = all->configs[i];

        if (c->servers.n)
            memcpy(servers + n, c->servers.v, c->servers.n * sizeof *servers);
        n += c->servers.n;
    }
    out->servers = servers;
    out->server_count = n;
}

/* Only the user's own document has any. */
static void take_secrets(const struct read *all, struct settings *out)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->configs[i]->secrets.n) {
            out->secrets = all->configs[i]->secrets.v;
            out->secret_count = all->configs[i]->secrets.n;
        }
}

static void gather_registries(const struct read *all, struct arena *a, struct settings *out)
{
    struct str *hosts;
    size_t n = 0, most = 0;

    for (size_t i = 0; i < all->n; i++)
        most += all->configs[i]->network->registries.n;
    hosts = arena_alloc(a, most * sizeof *hosts);
    for (size_t i = 0; i < all->n; i++) {
        const struct items *more = &all->configs[i]->network->registries;

        if (more->n)
            memcpy(hosts + n, more->v, more->n * sizeof *hosts);
        n += more->n;
    }
    out->registries = (struct items){ hosts, n };
}

const struct config_server *settings_server(const struct settings *settings, struct str name)
{
    for (size_t i = 0; i < settings->server_count; i++)
        if (str_eq(settings->servers[i].name, name))
            return &settings->servers[i];
    return NULL;
}

bool settings_read(const char *from, const char *const *environment, struct arena *a,
                   struct settings *out, struct report *r)
{
    const char *users = users_file(environment, a), *projects = home_above(from, project_path, a);
    struct read all = { .n = 0 };

    *r = report_new(a, projects ? projects : project_path, (struct str){ 0 });
    route_shipped(a, &all.contract);
    if (!read_one(users, false, environment, a, &all, r) ||
        !read_one(projects, true, environment, a, &all, r))
        return false;
    *out = (struct settings){ .contract = all.contract,
                              .remote = worker_rch.name,
                              .fallback = FALLBACK_LOCAL };
    gather(&all, a, out);
    gather_servers(&all, a, out);
    take_secrets(&all, out);
    gather_registries(&all, a, out);
    if (projects)
        out->project_registries = all.configs[all.n - 1]->network->registries.n;
    return true;
}

bool settings_here(const char *const *environment, struct arena *a, struct settings *out,
                   struct report *r)
{
    const char *home = home_variable(environment, "HOME");
    char here[PATH_MAX];
    struct repository repository;
    struct stat s = { 0 };
    struct error e;

    if (!home_here(here, &s, &e)) {
        *r = report_new(a, project_path, (struct str){ 0 });
        report_error(r, &e);
        return false;
    }
    repository_find(&(struct repository_ask){ here, home, geteuid(), s.st_uid }, a, &repository);
    return settings_read(repository.root, environment, a, out, r);
}

enum fallback settings_fallback(const struct settings *settings, int asked)
{
    return asked == FALLBACK_FAIL_CLOSED ? FALLBACK_FAIL_CLOSED : settings->fallback;
}

const struct config_worker *settings_worker(const struct settings *settings, struct str name)
{
    return named(settings->workers, settings->worker_count, name.n ? name : settings->remote);
}
