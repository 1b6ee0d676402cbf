/* SPDX-License-Identifier: Apache-2.0 */
/* repeatable.c: holds the facts of a run against the six rows of determinism.
 *
 * What cannot be known counts as different. A command that can read a directory has inputs that
 * nobody has listed, whatever it says it reads; so what is remembered are calls whose readable
 * files are all listed and digested, or that can read none.
 */
#include "adapter/repeatable.h"

#include "base/json_write.h"
#include "contract/shape.h"

enum { KEY_BYTES = 64 << 20 };

/* Each says why its row does not hold, or NULL. */

static const char *versions(const struct repeat_facts *f, struct arena *a)
{
    if (!f->adapter || !f->adapter_version.n)
        return "the adapter's version is not known";
    if (!f->executable && !f->tool_version.n)
        return "the tool's version is not pinned";
    if (f->executable && !f->system)
        return "the system's libraries are not known";
    for (size_t i = 0; i < f->place_count; i++)
        if (f->places[i].runtime && !f->places[i].digest)
            return arena_printf(a, "it runs on %s, which has no digest", f->places[i].path);
    return NULL;
}

static const char *inputs(const struct repeat_facts *f, struct arena *a)
{
    if (f->secrets)
        return "it was handed a secret, and no key has one in it";
    if (f->cut)
        return "not all of its input was given to it";
    if (f->lasting)
        return "the server was asked before, and may remember";
    for (size_t i = 0; i < f->place_count; i++) {
        const struct repeat_place *p = &f->places[i];

        if (p->runtime)
            continue;
        if (p->kind == PLACE_TREE)
            return arena_printf(a, "it could read all of %s", p->path);
        if (p->kind == PLACE_FILE && !p->digest)
            return arena_printf(a, "%s has no digest, or changed meanwhile", p->path);
    }
    return NULL;
}

static const char *randomness(const struct repeat_facts *f, struct arena *a)
{
    if (f->seeded)
        return NULL;
    return arena_printf(a, "the adapter does not say that %.*s is deterministic",
                        STR_ARG(f->operation));
}

static const char *filesystem(const struct repeat_facts *f, struct arena *a)
{
    for (size_t i = 0; i < f->place_count; i++) {
        const struct repeat_place *p = &f->places[i];

        if (p->written)
            return arena_printf(a, "it could write to %s", p->path);
        if (p->kind == PLACE_TREE && !p->runtime)
            return arena_printf(a, "the files of %s come in the order of the disk", p->path);
    }
    return NULL;
}

static const char *network(const struct repeat_facts *f, struct arena *a)
{
    if (f->host_count)
        return arena_printf(a, "%.*s was reached", STR_ARG(f->hosts[0]));
    if (f->network != NET_OFFLINE)
        return arena_printf(a, "the network is %s, not offline", net_level_names[f->network]);
    return NULL;
}

static const char *clocks(const struct repeat_facts *f, struct arena *a)
{
    if (f->timeless)
        return NULL;
    return arena_printf(a, "%.*s could read the clock", STR_ARG(f->operation));
}

typedef const char *(*row_check)(const struct repeat_facts *f, struct arena *a);

/* clang-format off */
static const row_check checks[REPEAT_COUNT] = {
    [REPEAT_VERSIONS]   = versions,
    [REPEAT_INPUTS]     = inputs,
    [REPEAT_RANDOMNESS] = randomness,
    [REPEAT_FILESYSTEM] = filesystem,
    [REPEAT_NETWORK]    = network,
    [REPEAT_TIME]       = clocks,
};
/* clang-format on */

void repeatable(const struct repeat_facts *f, struct arena *a, struct repeat_verdict *out)
{
    *out = (struct repeat_verdict){ .all = true };
    for (size_t i = 0; i < REPEAT_COUNT; i++) {
        const char *why = checks[i](f, a);

        if (!why)
            continue;
        out->why[i] = arena_printf(a, "%s: %s", repeats[i].name, why);
        out->all = false;
    }
}

/* ---- the key ---- */

static void put_text(const char *key, struct str text, struct buf *to)
{
    json_key(to, key);
    json_base64(to, text); /* an environment or a path is any bytes */
}

static void put_environment(const struct repeat_facts *f, struct buf *to)
{
    json_key(to, "environment");
    json_open(to, '[');
    for (size_t i = 0; i < f->environment_count; i++) {
        json_open(to, '{');
        put_text("name", f->environment[i].key, to);
        put_text("value", f->environment[i].text, to);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_places(const struct repeat_facts *f, struct buf *to)
{
    json_key(to, "places");
    json_open(to, '[');
    for (size_t i = 0; i < f->place_count; i++) {
        json_open(to, '{');
        put_text("path", str_of(f->places[i].path), to);
        json_put_int(to, "kind", f->places[i].kind);
        json_put_digest(to, "digest", f->places[i].digest);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_limits(const struct repeat_facts *f, struct buf *to)
{
    json_put_int(to, "timeout_ms", f->timeout_ms);
    json_put_int(to, "memory_mb", f->memory_mb);
    json_put_int(to, "cpu_cores", f->cpu_cores);
    json_put_int(to, "max_children", f->max_children);
    json_put(to, "network", net_level_names[f->network]);
    json_put(to, "mode", f->mode);
}

static void put_canon(const char *key, const struct doc *d, struct arena *a, struct buf *to)
{
    _buf_ struct buf canon = { .max = KEY_BYTES };

    if (d)
        json_canon(d, a, &canon);
    if (!buf_ok(&canon))
        mem_end();
    put_text(key, buf_str(&canon), to);
}

/* The members come in one order, and what the caller wrote is canonical: equal facts are equal
 * bytes. The hosts that were reached are known too late to be in it. */
struct digest repeat_key(const struct repeat_facts *f, struct arena *a)
{
    _buf_ struct buf text = { .max = KEY_BYTES };

    json_open(&text, '{');
    json_put_digest(&text, "adapter", f->adapter);
    put_text("adapter_id", f->adapter_id, &text);
    put_text("adapter_version", f->adapter_version, &text);
    put_text("tool_version", f->tool_version, &text);
    json_put_digest(&text, "executable", f->executable);
    json_put_digest(&text, "system", f->system);
    put_text("operation", f->operation, &text);
    put_canon("params", f->params, a, &text);
    put_canon("narrow", f->narrow, a, &text);
    put_text("directory", f->directory ? str_of(f->directory) : (struct str){ "", 0 }, &text);
    put_environment(f, &text);
    put_places(f, &text);
    put_limits(f, &text);
    json_close(&text, '}');
    if (!buf_ok(&text))
        mem_end();
    return digest_of(text.s, text.len);
}
