/* SPDX-License-Identifier: Apache-2.0 */
/* network.c: what a run reaches through its gate: decided before, recorded afterwards. */
#include "engine/exec_network.h"

#include <string.h>

#include "adapter/secret.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "engine/config.h"
#include "engine/exec_secrets.h"
#include "engine/home.h"
#include "sandbox/doors.h"

const char gate_program[] = "writ-net";

/* What a run has of it. */
struct exec_network {
    struct gate_ask ask;
    struct hosts hosts;
    size_t project_hosts; /* the last of those that are allowed, so many, a project's file adds */
};

/* ---- what it may reach ---- */

/* Which registries a team has besides is theirs to say: they count at level registry. */
static bool read_registries(const struct exec *x, struct items *out, size_t *project,
                            struct error *e)
{
    struct settings settings;
    struct report r;

    if (request_net_level(x->request.sandbox->network) != NET_REGISTRY)
        return true;
    if (!settings_read(x->reach.home_root, x->command->environment, x->a, &settings, &r)) {
        report_finish(&r);
        return error_set(e, CODE_CONTRACT_INVALID, "%s: %s", r.file,
                         r.first ? r.first->msg : "it cannot be read");
    }
    *out = settings.registries;
    *project = settings.project_registries;
    return true;
}

static bool find_hosts(const struct exec *x, struct exec_network *n, struct error *e)
{
    const struct request_network *network = x->request.sandbox->network;
    struct items registries = { 0 };
    struct hosts *out = &n->hosts;
    struct str *allow;

    if (!read_registries(x, &registries, &n->project_hosts, e))
        return false;
    allow = arena_alloc(x->a, (network->allow.n + registries.n) * sizeof *allow);
    if (network->allow.n)
        memcpy(allow, network->allow.v, network->allow.n * sizeof *allow);
    if (registries.n)
        memcpy(allow + network->allow.n, registries.v, registries.n * sizeof *allow);
    *out = (struct hosts){ .level = request_net_level(network),
                           .allow = allow,
                           .allow_count = network->allow.n + registries.n,
                           .deny = network->deny.v,
                           .deny_count = network->deny.n };
    return doors_do(out, e);
}

/* ---- secrets on their way ---- */

/* A line end would begin another header. */
static bool is_line(struct str value)
{
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.s[i] < ' ' && value.s[i] != '\t') || value.s[i] == 0x7f)
            return false;
    return true;
}

static bool find_header(struct exec *x, const struct request_inject *inject, struct error *e)
{
    if (!exec_find_secret(x, inject->secret, e))
        return error_wrap(e, "the secret for %.*s", STR_ARG(inject->host));
    return is_line(x->secrets->v[x->secrets->n - 1].value) ||
           error_set(e, CODE_SECRET_MISSING,
                     "the secret for %.*s has a line end or another control in it, which no header "
                     "may have",
                     STR_ARG(inject->host));
}

/* Who names no port means those of the web. */
static bool is_reached(const struct hosts *hosts, struct str asked, struct arena *a)
{
    static const uint16_t usual[] = { 443, 80 };
    struct host_entry entry;
    struct host host;

    if (!host_entry_read(asked, &entry))
        return false;
    for (size_t i = 0; i < (entry.port ? 1 : COUNT(usual)); i++)
        if (!host_read(entry.name, entry.port ? entry.port : usual[i], &host) &&
            !hosts_judge(hosts, &host, a).refused)
            return true;
    return false;
}

static bool find_injects(struct exec *x, struct exec_network *n, struct error *e)
{
    const struct items *asked = &x->request.sandbox->network->inject;
    const struct request_inject *injects = asked->v;
    struct gate_inject *all;

    if (!asked->n)
        return true;
    all = arena_alloc(x->a, asked->n * sizeof *all);
    for (size_t i = 0; i < asked->n; i++) {
        if (!is_reached(&n->hosts, injects[i].host, x->a))
            return error_set(e, CODE_INVALID_PAYLOAD,
                             "a header is injected for %.*s, which cannot be reached: no entry of "
                             "allow has this host, or deny has it; add --allow-host %.*s",
                             STR_ARG(injects[i].host), STR_ARG(injects[i].host));
    }
    for (size_t i = 0; i < asked->n; i++) {
        if (!find_header(x, &injects[i], e))
            return false;
        all[i] = (struct gate_inject){ .host = injects[i].host,
                                       .header = injects[i].header,
                                       .value = x->secrets->v[x->secrets->n - 1].value,
                                       .plain = injects[i].plain };
        exec_add_credentials(all[i].value, x->secrets, x->a);
    }
    n->ask.injects = all;
    n->ask.inject_count = asked->n;
    return true;
}

bool exec_find_network(struct exec *x, struct error *e)
{
    const struct request_network *network = x->request.sandbox->network;
    struct exec_network *n;

    x->network = NULL;
    if (request_net_level(network) == NET_OFFLINE || network->raw)
        return true;
    n = arena_new(x->a, struct exec_network);
    n->ask.program = home_program(gate_program, x->command->environment, x->a);
    if (!n->ask.program)
        return error_set(
            e, CODE_LAYER_MISSING,
            "LAYER_MISSING:net: writ-net, which leads to hosts, is not installed beside "
            "writ");
    if (!find_hosts(x, n, e) || !find_injects(x, n, e))
        return false;
    /* What an adapter gives to the command in variables may be asked for as the name of a host. */
    for (size_t i = 0; x->call && i < x->call->secret_count; i++)
        secrets_add(x->secrets, "variable", x->call->secrets[i].text, x->a);
    n->ask.hosts = &n->hosts;
    n->ask.environment = x->command->environment;
    n->ask.match = network->sni == SNI_MATCH;
    x->network = n;
    return true;
}

const struct gate_ask *exec_gate(const struct exec *x)
{
    return x->network ? &x->network->ask : NULL;
}

/* ---- afterwards ---- */

/* What programs say when they find no way out of an empty network. */
static const char *const complaints[] = {
    "ould not resolve",
    "ailure in name resolution",
    "ailure resolving",
    "etwork is unreachable",
    "ame or service not known",
    "ENETUNREACH",
    "ENOTFOUND",
    "EAI_AGAIN",
    "no such host",
    "failed to lookup address",
};

static bool complains(struct str words)
{
    for (size_t i = 0; words.n && i < COUNT(complaints); i++)
        if (memmem(words.s, words.n, complaints[i], strlen(complaints[i])))
            return true;
    return false;
}

/* It failed without a network and says why: a person is to be told what to do about it. */
static bool missed(const struct exec *x)
{
    return x->outcome.exit_code != 0 &&
           request_net_level(x->request.sandbox->network) == NET_OFFLINE &&
           (complains(x->outcome.err.head) || complains(x->outcome.err.tail));
}

const char *exec_network_why(const struct exec *x)
{
    const struct gate_log *log = &x->outcome.gate;

    if (missed(x))
        return "the sandbox gives this step no network; allow a host with network.allow, or level "
               "api";
    for (size_t i = 0; i < log->n; i++) {
        const char *mend = host_refusals[log->v[i].refused].mend;

        if (log->v[i].refused)
            return arena_printf(x->a, "%.*s was not reached: %s%s%s", STR_ARG(log->v[i].host),
                                log->v[i].rule, mend ? "; " : "", mend ? mend : "");
    }
    for (size_t i = 0; i < log->n; i++)
        if (*log->v[i].error)
            return arena_printf(x->a, "%.*s was allowed and could not be reached: %s",
                                STR_ARG(log->v[i].host), log->v[i].error);
    if (x->network && x->outcome.exit_code != 0 && log->led_nowhere > 0)
        return arena_printf(x->a,
                            "%lld connections or packets went past the proxy and led nowhere; "
                            "programs that do not know http_proxy reach names by ports 80 and 443, "
                            "and others with a port of their own in the list",
                            (long long)log->led_nowhere);
    return NULL;
}

static void put_texts(struct buf *to, const char *key, const struct str *texts, size_t n)
{
    json_key(to, key);
    json_open(to, '[');
    for (size_t i = 0; i < n; i++)
        json_outside(to, texts[i]);
    json_close(to, ']');
}

static void put_event(const struct gate_event *event, struct buf *to)
{
    char at[STAMP_TEXT];

    stamp_text(event->at_ms, at);
    json_open(to, '{');
    json_put(to, "via", event->via);
    json_put_outside(to, "host", event->host);
    json_put_int(to, "port", event->port);
    json_key(to, "address");
    if (event->address.n)
        json_outside(to, event->address);
    else
        json_nil(to);
    json_put(to, "verdict", event->refused ? "refused" : "allowed");
    json_put(to, "refusal", host_refusals[event->refused].name);
    json_put(to, "rule", event->rule);
    if (*event->error)
        json_put(to, "error", event->error);
    json_put_int(to, "bytes_up", event->up);
    json_put_int(to, "bytes_down", event->down);
    json_put_int(to, "ms", event->ms);
    json_put(to, "at", at);
    json_close(to, '}');
}

/* Where a secret was sent, and that it was found; never a byte of it. */
static void put_injects(const struct exec *x, struct buf *to)
{
    const struct items *asked = &x->request.sandbox->network->inject;
    const struct request_inject *injects = asked->v;

    if (!asked->n)
        return;
    json_key(to, "inject");
    json_open(to, '[');
    for (size_t i = 0; i < asked->n; i++) {
        json_open(to, '{');
        json_put_outside(to, "host", injects[i].host);
        json_put_outside(to, "header", injects[i].header);
        json_close(to, '}');
    }
    json_close(to, ']');
}

/* Who runs a project has not read its file: what that allows is told apart. */
static void put_project_hosts(const struct exec *x, struct buf *to)
{
    const struct exec_network *n = x->network;

    if (n && n->project_hosts)
        put_texts(to, "allowed_by_project",
                  n->hosts.allow + n->hosts.allow_count - n->project_hosts, n->project_hosts);
}

void exec_put_network(const struct exec *x, struct buf *to)
{
    const struct request_network *network = x->request.sandbox->network;
    const struct gate_log *log = &x->outcome.gate;

    json_key(to, "network");
    json_open(to, '{');
    json_put(to, "level", net_level_names[request_net_level(network)]);
    if (x->network)
        put_texts(to, "allow", x->network->hosts.allow, x->network->hosts.allow_count);
    else
        put_texts(to, "allow", network->allow.v, network->allow.n);
    put_project_hosts(x, to);
    put_texts(to, "deny", network->deny.v, network->deny.n);
    json_put_bool(to, "raw", network->raw);
    json_put(to, "sni", sni_names[network->sni]);
    put_injects(x, to);
    json_key(to, "connections");
    json_open(to, '[');
    for (size_t i = 0; i < log->n; i++)
        put_event(&log->v[i], to);
    json_close(to, ']');
    json_put_int(to, "unlisted", log->unlisted);
    json_key(to, "led_nowhere");
    if (x->network && log->led_nowhere >= 0)
        json_int(to, log->led_nowhere);
    else
        json_nil(to);
    if (log->incomplete)
        json_put_bool(to, "incomplete", true);
    if (missed(x))
        json_put_bool(to, "missed", true);
    json_close(to, '}');
}
