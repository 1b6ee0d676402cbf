/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: looks for the result of a call before it is made, and remembers it afterwards. */
#include "engine/call/cache.h"

#include <unistd.h>

#include "base/doc_make.h"
#include "base/fs.h"
#include "engine/call/peer.h"
#include "engine/home.h"

enum {
    PROGRAM_MOST = 256 << 20,
    RUNTIMES = 2, /* of the program, and of what reads it where it is a script */
};

/* ---- what is known before ---- */

/* What is started, and how it is found. */
struct started {
    struct program_ask ask;
    struct program program;
};

static bool find_started(const struct tool_call *c, const struct cli_call *bound,
                         struct started *out)
{
    *out = (struct started){ .ask = { .command = arena_text(c->a, bound->command),
                                      .cwd = "/",
                                      .home = home_variable(c->ask->environment, "HOME") } };
    program_find(&out->ask, c->a, &out->program);
    return !out->program.missing;
}

static bool digest_program(const struct program *program, struct digest *out)
{
    _arena_ struct arena scratch = { 0 };
    struct str bytes;
    struct error e;

    if (!fs_read_file(program->real, PROGRAM_MOST, &scratch, &bytes, &e))
        return false;
    *out = digest_of(bytes.s, bytes.n);
    return true;
}

static const char *empty_directory(struct tool_call *c)
{
    const char *cache = home_cache(c->ask->environment, c->a);
    const char *empty = cache ? arena_printf(c->a, "%s/empty", cache) : NULL;
    struct error e;

    return empty && fs_make_dirs(empty, &e) ? empty : NULL;
}

/* What it sees with its program, and nobody has a digest of: the installation around it, the reader
 * of a script. The program itself has one, and the system's own paths have theirs. */
static size_t add_runtime(struct started *s, struct arena *a, struct repeat_place *to)
{
    struct grants seen = { .a = a };
    const char *own = s->program.real ? s->program.real : "";
    size_t n = 0;

    program_grant(&s->ask, &s->program, &seen);
    for (size_t i = 0; i < seen.n; i++)
        if (seen.v[i].why == GRANT_RUNTIME && strcmp(seen.v[i].path, own) != 0 && n < RUNTIMES)
            to[n++] = (struct repeat_place){
                .path = seen.v[i].path,
                .kind = seen.v[i].is_dir ? PLACE_TREE : PLACE_FILE,
                .runtime = true,
            };
    return n;
}

/* The empty directory, the program's runtime, and trees whose files nobody has listed. */
static void add_places(struct started *s, const struct items *read, struct arena *a,
                       struct repeat_facts *f)
{
    struct repeat_place *all = arena_alloc(a, (1 + RUNTIMES + read->n) * sizeof *all);
    const struct str *paths = read->v;
    size_t n = 0;

    all[n++] = (struct repeat_place){ .path = f->directory, .kind = PLACE_EMPTY };
    n += add_runtime(s, a, all + n);
    for (size_t i = 0; i < read->n; i++)
        all[n++] = (struct repeat_place){ .path = arena_text(a, paths[i]), .kind = PLACE_TREE };
    f->places = all;
    f->place_count = n;
}

static struct repeat_facts facts_of(const struct tool_call *c, const struct cli_call *bound,
                                    const struct remembered *m)
{
    return (struct repeat_facts){ .adapter_id = c->adapter->doc.adapter_id,
                                  .adapter_version = c->adapter->doc.version,
                                  .operation = c->operation,
                                  .adapter = &c->adapter->digest,
                                  .tool_version = c->installed,
                                  .executable = &m->executable,
                                  .system = &m->system,
                                  .params = c->params,
                                  .narrow = c->narrow,
                                  .directory = m->directory,
                                  .environment = bound->environment.v,
                                  .environment_count = bound->environment.n,
                                  .secrets = c->secrets.n > 0,
                                  .seeded = true,
                                  .timeless = true,
                                  .network = call_network(c).on ? NET_API : NET_OFFLINE,
                                  .timeout_ms = call_timeout(c),
                                  .mode = determinism_names[DETERMINISM_FIXED] };
}

void call_recall(struct tool_call *c, const struct cli_call *bound, const struct items *read,
                 struct remembered *m)
{
    const char *state = home_state(c->ask->environment, c->a);
    struct repeat_facts facts;
    struct started started;

    *m = (struct remembered){
        .asked = operation_of(c->adapter->tree, c->operation, c->a).deterministic && !c->step
    };
    if (!m->asked || !state)
        return;
    m->directory = empty_directory(c);
    if (!m->directory || !find_started(c, bound, &started) ||
        !digest_program(&started.program, &m->executable) || !repeat_system(&m->system))
        return;
    facts = facts_of(c, bound, m);
    add_places(&started, read, c->a, &facts);
    repeatable(&facts, c->a, &m->verdict);
    m->holds = m->verdict.all;
    m->key = repeat_key(&facts, c->a);
    m->place = (struct cache_place){
        .directory = arena_printf(c->a, "%s/cache", state),
        .session = cache_session(c->ask->environment, c->a),
        .now_ms = c->world->wall_ms(c->world->self),
        .about = str_of(arena_printf(c->a, "%.*s.%.*s %.*s", STR_ARG(c->adapter->doc.adapter_id),
                                     STR_ARG(c->operation), STR_ARG(c->adapter->doc.version)))
    };
    m->found =
        m->holds && !c->ask->fresh && cache_get(&m->place, CACHE_RESULTS, &m->key, c->a, &m->value);
}

void call_hold(const struct remembered *m, struct call_request *request, struct exec_call *how)
{
    if (!m->asked)
        return;
    request->directory = m->directory;
    request->minimal = true;
    request->fixed = true;
    how->own_paths = true;
}

void call_remember(struct tool_call *c, const struct remembered *m, struct str value,
                   const struct digest *program)
{
    struct error e;

    if (!m->holds || memcmp(program, &m->executable, sizeof *program) != 0)
        return;
    if (m->place.session && !cache_put(&m->place, CACHE_RESULTS, &m->key, value, &e))
        call_warn(c, arena_printf(c->a, "the result could not be remembered: %s", e.msg));
}

/* ---- one that was found ---- */

struct recall {
    struct tool_call *c;
    const struct remembered *m;
};

static void recall(void *self, struct exec *x)
{
    const struct recall *r = self;
    struct doc *peer = doc_root(x->a, DOC_MAP);
    char key[DIGEST_TEXT];
    struct peer_end end = { .cause = CAUSE_EXITED, .printed = r->m->value, .peer = peer };

    digest_text(&r->m->key, key);
    doc_add_text(x->a, peer, "kind", str_of("cache"));
    doc_add_text(x->a, peer, "key", str_of(arena_text(x->a, str_of(key))));
    peer_ended(x, &end);
}

void call_recalled(struct tool_call *c, const struct remembered *m, const struct cli_call *bound,
                   struct attempt_end *end)
{
    struct recall self = { c, m };
    struct exec *x = arena_new(c->a, struct exec);
    struct exec_call how = { .peer = recall,
                             .self = &self,
                             .allowed =
                                 arena_printf(c->a, "allowed: %.*s %.*s", STR_ARG(c->tool->tool_id),
                                              STR_ARG(c->operation)) };
    struct call_request request = { .command = bound->command, .arguments = bound->arguments };

    how.clean = call_nothing_to_clean;
    if (call_exec(c, call_request(c, &request), &how, x, end)) {
        end->ok = true;
        end->value = (struct value){ .bytes = m->value };
        c->cached = true;
    }
    exec_close(x);
}
