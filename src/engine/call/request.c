/* SPDX-License-Identifier: Apache-2.0 */
/* request.c: the execution contract of an attempt, with the limits that hold (A01-8).
 *
 * The adapter's override takes the place of the defaults; the caller's own values narrow it
 * further, and the tool's scope is the most there is.
 */
#include "base/doc_make.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "base/utf8.h"
#include "contract/hosts_meet.h"
#include "engine/call.h"
#include "engine/home.h"
#include "engine/input.h"

static void add_text(const struct tool_call *c, struct doc *to, const char *key, const char *text)
{
    doc_add_text(c->a, to, key, str_of(arena_text(c->a, str_of(text))));
}

static void add_digest(const struct tool_call *c, struct doc *to, const char *key,
                       const struct digest *digest)
{
    char text[DIGEST_TEXT];

    digest_text(digest, text);
    add_text(c, to, key, text);
}

static void add_texts(const struct tool_call *c, struct doc *to, const char *key,
                      const struct items *texts)
{
    const struct str *all = texts->v;
    struct doc *list = doc_add_kind(c->a, to, key, DOC_LIST);

    for (size_t i = 0; i < texts->n; i++)
        doc_add_text(c->a, list, NULL, all[i]);
}

static void add_inputs(const struct tool_call *c, const struct call_request *r, struct doc *to)
{
    struct doc *inputs = doc_add_kind(c->a, to, "inputs", DOC_MAP);
    const struct pair *env = r->environment.v;
    struct doc *map;

    doc_add_text(c->a, inputs, "command", r->command);
    add_texts(c, inputs, "arguments", &r->arguments);
    if (r->environment.n) {
        map = doc_add_kind(c->a, inputs, "environment", DOC_MAP);
        for (size_t i = 0; i < r->environment.n; i++)
            doc_add_text(c->a, map, arena_text(c->a, env[i].key), env[i].text);
    }
    if (r->directory || c->directory)
        add_text(c, inputs, "working_directory", r->directory ? r->directory : c->directory);
    if (r->input.s)
        doc_add_text(c->a, inputs, "stdin", r->input);
}

/* ---- limits ---- */

const struct doc *call_asked(const struct tool_call *c, const char *map, const char *key)
{
    const struct doc *d = c->narrow ? doc_get(c->narrow, map) : NULL;

    return d && key ? doc_get(d, key) : d;
}

static int64_t asked_whole(const struct tool_call *c, const char *name)
{
    return c->narrow ? doc_whole(c->narrow, name) : 0;
}

static int64_t narrowed(const struct tool_call *c, const char *name, int64_t value)
{
    int64_t asked = asked_whole(c, name);

    return asked > 0 && asked < value ? asked : value;
}

int64_t call_timeout(const struct tool_call *c)
{
    int64_t own = c->adapter->doc.sandbox_override->timeout_ms;

    return narrowed(c, "timeout_ms", own ? own : limits[LIMIT_TIMEOUT_MS].fallback);
}

static int64_t memory(const struct tool_call *c)
{
    int64_t own = c->adapter->doc.sandbox_override->memory_mb;

    return narrowed(c, "memory_mb", own ? own : limits[LIMIT_MEMORY_MB].fallback);
}

static int level_asked(const struct tool_call *c, int most)
{
    const struct doc *asked = call_asked(c, "filesystem", "level");

    for (int i = 0; asked && asked->kind == DOC_TEXT && fs_level_names[i]; i++)
        if (str_is(asked->text, fs_level_names[i]))
            return i;
    return most;
}

/* What the registry gives the tool, above standard only where it is approved; elevated is the
 * caller's to approve as well, each time. The caller may want less. */
static int level_of(const struct tool_call *c)
{
    int most = tool_fs_most(c->tool);
    int wanted;

    if (most == FS_ELEVATED && !c->ask->approve)
        most = FS_EXTENDED;
    wanted = level_asked(c, most);
    return wanted < most ? wanted : most;
}

static void add_filesystem(const struct tool_call *c, const struct call_request *r, struct doc *to)
{
    struct doc *fs = doc_add_kind(c->a, to, "filesystem", DOC_MAP);
    const struct doc *deny = call_asked(c, "filesystem", "deny");
    struct work work = { .left = UINT64_MAX };
    int level = r->minimal ? FS_MINIMAL : level_of(c);

    doc_add_text(c->a, fs, "level", str_of(fs_level_names[level]));
    if (r->read.n)
        add_texts(c, fs, "read", &r->read);
    if (r->write.n)
        add_texts(c, fs, "write", &r->write);
    if (deny)
        (void)!doc_copy(deny, doc_add(c->a, fs, str_of("deny")), &work, c->a);
}

/* The texts of a list that the caller wrote. */
static struct items texts_asked(const struct tool_call *c, const char *map, const char *key)
{
    const struct doc *list = call_asked(c, map, key);
    struct str *texts = arena_alloc(c->a, (list ? list->count : 0) * sizeof *texts);
    struct items out = { texts, 0 };

    for (const struct doc *d = doc_first(list, DOC_LIST); d; d = d->next)
        if (d->kind == DOC_TEXT)
            texts[out.n++] = d->text;
    return out;
}

static bool wants_level(const struct tool_call *c, enum net_level level)
{
    const struct doc *asked = call_asked(c, "network", "level");

    return asked && asked->kind == DOC_TEXT && str_is(asked->text, net_level_names[level]);
}

static bool wants_none(const struct tool_call *c)
{
    const struct doc *enabled = call_asked(c, "network", "enabled");

    return (enabled && enabled->kind == DOC_BOOL && !enabled->truth) || wants_level(c, NET_OFFLINE);
}

/* What level registry reaches. */
static struct items registries(struct arena *a)
{
    const struct registry_host *rows = registry_hosts_table.rows;
    struct str *texts = arena_alloc(a, registry_hosts_table.row_count * sizeof *texts);

    for (size_t i = 0; i < registry_hosts_table.row_count; i++)
        texts[i] = str_of(rows[i].host);
    return (struct items){ texts, registry_hosts_table.row_count };
}

/* Who reaches the hosts decides what an entry without a port means: see http/policy.c. */
static enum bare_port bare_port(const struct tool_call *c)
{
    const struct adapter_interface *in = c->adapter->doc.interface;

    return in->api || (in->mcp && in->mcp->transport != TRANSPORT_STDIO) ? BARE_IS_ANY
                                                                         : BARE_IS_USUAL;
}

/* A01-8: what is allowed is the intersection, what is denied the union. Level registry has the
 * usual ports alone. */
struct call_network call_network(const struct tool_call *c)
{
    const struct override_network *own = c->adapter->doc.sandbox_override->network;
    struct items asked = texts_asked(c, "network", "allow");
    struct call_network out = { .on = own && own->enabled && !wants_none(c) };

    if (!out.on)
        return out;
    out.allow = own->allow;
    if (call_asked(c, "network", "allow"))
        out.allow = hosts_meet(&own->allow, &asked, bare_port(c), c->a);
    if (wants_level(c, NET_REGISTRY)) {
        struct items least = registries(c->a);

        out.allow = hosts_meet(&out.allow, &least, BARE_IS_USUAL, c->a);
    }
    out.deny = texts_asked(c, "network", "deny");
    return out;
}

static void add_network(const struct tool_call *c, const struct call_request *r, struct doc *to)
{
    struct call_network held = call_network(c);
    struct doc *network = doc_add_kind(c->a, to, "network", DOC_MAP);

    held.on = held.on && !r->offline;
    doc_add_bool(c->a, network, "enabled", held.on);
    if (held.on)
        add_texts(c, network, "allow", &held.allow);
    if (held.deny.n)
        add_texts(c, network, "deny", &held.deny);
}

static void add_sandbox(const struct tool_call *c, const struct call_request *r, struct doc *to)
{
    struct doc *sandbox = doc_add_kind(c->a, to, "sandbox", DOC_MAP);
    const struct doc *fork = call_asked(c, "processes", "allow_fork");
    int64_t children = r->max_children ? r->max_children : limits[LIMIT_MAX_CHILDREN].fallback;
    const struct doc *asked = call_asked(c, "processes", "max_children");
    struct doc *processes;

    if (r->fixed)
        doc_add_text(c->a, sandbox, "deterministic", str_of(determinism_names[DETERMINISM_FIXED]));
    doc_add_int(c->a, sandbox, limits[LIMIT_TIMEOUT_MS].name,
                r->timeout_ms ? r->timeout_ms : call_timeout(c));
    doc_add_int(c->a, sandbox, limits[LIMIT_MEMORY_MB].name,
                r->memory_mb ? r->memory_mb : memory(c));
    doc_add_int(c->a, sandbox, limits[LIMIT_CPU_CORES].name,
                narrowed(c, limits[LIMIT_CPU_CORES].name, limits[LIMIT_CPU_CORES].fallback));
    add_filesystem(c, r, sandbox);
    add_network(c, r, sandbox);
    if (asked && asked->kind == DOC_INT && asked->whole >= 0 && asked->whole < children)
        children = asked->whole;
    processes = doc_add_kind(c->a, sandbox, "processes", DOC_MAP);
    doc_add_int(c->a, processes, limits[LIMIT_MAX_CHILDREN].name, children);
    if (fork && fork->kind == DOC_BOOL && !fork->truth)
        doc_add_bool(c->a, processes, "allow_fork", false);
}

/* ---- who asks, and for what ---- */

static void add_metadata(const struct tool_call *c, struct doc *to)
{
    const char *user = home_variable(c->ask->environment, "USER");
    struct doc *metadata = doc_add_kind(c->a, to, "metadata", DOC_MAP);
    char at[STAMP_TEXT];

    stamp_text(c->world->wall_ms(c->world->self), at);
    if (user && utf8_valid(str_of(user)) != strlen(user))
        user = NULL;
    add_text(c, metadata, "requested_by", user && *user ? user : "unknown");
    add_text(c, metadata, "requested_at", at);
    add_text(c, metadata, "purpose",
             c->purpose ? c->purpose
                        : arena_printf(c->a, "call %.*s.%.*s", STR_ARG(c->adapter->doc.name),
                                       STR_ARG(c->operation)));
}

static void add_call(const struct tool_call *c, struct doc *to)
{
    struct doc *call = doc_add_kind(c->a, to, "call", DOC_MAP);
    _buf_ struct buf canon = { .max = ANSWER_MAX };
    struct digest digest;

    json_canon(c->given, c->a, &canon);
    digest = digest_of(canon.s, canon.len);
    doc_add_text(c->a, call, "operation", c->operation);
    doc_add_text(c->a, call, "adapter_version", c->adapter->doc.version);
    add_digest(c, call, "adapter_digest", &c->adapter->digest);
    add_digest(c, call, "parameters_digest", &digest);
    if (c->installed.n)
        doc_add_text(c->a, call, "tool_version", c->installed);
}

const struct doc *call_request(struct tool_call *c, const struct call_request *r)
{
    struct doc *root = doc_root(c->a, DOC_MAP);
    struct uuid id = c->world->new_id(c->world->self);
    char text[UUID_TEXT];

    uuid_text(&id, text);
    add_text(c, root, "execution_id", text);
    doc_add_text(c->a, root, "tool_id", c->adapter->doc.tool_id);
    doc_add_text(c->a, root, "adapter_id", c->adapter->doc.adapter_id);
    add_inputs(c, r, root);
    add_sandbox(c, r, root);
    if (c->ask->approve) {
        struct doc *approval = doc_add_kind(c->a, root, "approval", DOC_MAP);

        add_text(c, approval, "reason", c->ask->approve);
    }
    add_metadata(c, root);
    add_call(c, root);
    return root;
}
