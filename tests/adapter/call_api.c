/* SPDX-License-Identifier: Apache-2.0 */
/* call_api.c: calls an operation of an api adapter as writ does, but without a registry, a record
 * or a retry: bind, authorize, call, and once more with a fresh token.
 *
 * usage: call_api WRIT_HTTP ADAPTER OPERATION PARAMS [TIMES]
 *
 * One line of JSON for each call. Everything that is printed was redacted.
 */
#include <stdio.h>
#include <string.h>

#include "adapter/api_bind.h"
#include "base/doc_read.h"
#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/world.h"

enum { DOCUMENT_MAX = 1 << 20, WAIT_MOST_MS = 60000 };

extern char **environ;

struct tool {
    struct adapter adapter;
    const struct doc *params;
    struct str operation;
    struct secret_places places;
    struct api_auth auth;
    struct arena a;
};

static bool load(struct tool *t, char **words, struct error *e)
{
    struct ceilings max = ceilings_default();
    const struct document *adapter, *params;
    struct report r;
    struct str text;

    if (!fs_read(words[0], DOCUMENT_MAX, &t->a, &text, e) ||
        !doc_read(words[0], text, &max, &t->a, &adapter, e) ||
        !json_read("params", str_of(words[2]), &max, &t->a, &params, e))
        return false;
    r = report_new(&t->a, words[0], text);
    t->adapter = (struct adapter){ .tree = &adapter->root, .origin = ORIGIN_USER };
    if (!shape_decode(&adapter_shape, &adapter->root, &r, &t->adapter.doc))
        return error_set(e, r.first->code, "%s: %s", r.first->pointer, r.first->msg);
    t->operation = str_of(words[1]);
    t->params = &params->root;
    return true;
}

struct outcome {
    struct api_call call;
    struct http_answer answer;
    struct secrets secrets;
    bool kept, renewed;
};

static bool send_it(struct tool *t, struct outcome *o, struct error *e)
{
    const struct world *w = world_real();

    t->auth.now_ms = w->mono_ms(w->self);
    if (!api_authorize(&t->adapter, &t->auth, &t->a, &o->call, &o->secrets, e))
        return false;
    return http_call(t->auth.http, &o->call.request, &t->a, &o->answer, e);
}

static bool call(struct tool *t, struct outcome *o, struct error *e)
{
    const struct override_network *network = t->adapter.doc.sandbox_override->network;

    if (!secrets_find(&t->adapter, &t->places, &t->a, &o->secrets, e) ||
        !api_bind(&t->adapter, t->operation, t->params, &t->a, &o->call, e))
        return false;
    o->call.request.hosts.allow = network ? network->allow.v : NULL;
    o->call.request.hosts.allow_count = network ? network->allow.n : 0;
    o->call.request.timeout_ms = 20000;
    o->call.request.body_max = DOCUMENT_MAX;
    if (!send_it(t, o, e))
        return false;
    o->kept = o->call.token_kept;
    if (!api_renew(&t->adapter, &t->auth, &o->answer, &o->call, &o->secrets))
        return true;
    o->renewed = true;
    return send_it(t, o, e);
}

static void put(struct tool *t, const struct outcome *o, const char *key, struct str text,
                struct buf *to)
{
    json_key(to, key);
    json_outside(to, redact(text.s ? text : str_of(""), &o->secrets, &t->a));
}

static void tell(struct tool *t, const struct outcome *o, const struct error *e, struct buf *to)
{
    const struct world *w = world_real();

    json_open(to, '{');
    if (e) {
        json_put(to, "code", codes[e->code].name);
        put(t, o, "message", str_of(e->msg), to);
    } else {
        json_put_int(to, "end", o->answer.end);
        json_put_int(to, "status", o->answer.status);
        put(t, o, "why", str_of(o->answer.why ? o->answer.why : ""), to);
        put(t, o, "shown", str_of(o->call.shown), to);
        put(t, o, "body", api_value(&o->answer).bytes, to);
        json_put_int(to, "retry_after_ms",
                     http_retry_after(&o->answer, w->wall_ms(w->self), WAIT_MOST_MS));
        json_put_bool(to, "kept", o->kept);
        json_put_bool(to, "renewed", o->renewed);
    }
    json_close(to, '}');
}

int main(int argc, char **argv)
{
    struct tool t = { .places = { .environment = (const char *const *)environ } };
    static const char *const nothing[] = { NULL };
    struct error e = { 0 };
    int times = argc > 5 ? argv[5][0] - '0' : 1;

    if (argc < 5 || !load(&t, argv + 2, &e) || !http_open(argv[1], nothing, &t.auth.http, &e)) {
        (void)fprintf(stderr, "call_api: %s\n", e.msg);
        return 64;
    }
    t.auth.places = &t.places;
    t.auth.tokens = api_tokens_open();
    for (int i = 0; i < times; i++) {
        _buf_ struct buf line = { .max = DOCUMENT_MAX * 8 };
        struct outcome o = { 0 };
        bool good = call(&t, &o, &e);

        tell(&t, &o, good ? NULL : &e, &line);
        (void)printf("%s\n", line.s);
        secrets_wipe(&o.secrets);
    }
    api_tokens_close(t.auth.tokens);
    http_close(t.auth.http);
    arena_free(&t.a);
    return 0;
}
