/* SPDX-License-Identifier: Apache-2.0 */
/* secrets.c: what a run is given or sent that no record has: found before it, taken out of all that
 * is kept of it.
 */
#include "engine/exec_secrets.h"

#include <string.h>

#include "adapter/secret.h"
#include "base/base64.h"
#include "base/json_write.h"

/* ---- before it runs ---- */

/* A document that lies in a project is given no secret unless its tool is approved (031). */
static bool may_have(const struct exec *x, struct error *e)
{
    if (x->served)
        return error_set(e, CODE_SECRET_MISSING, "a worker has no secrets of its own to give");
    return x->person || (x->admission.tool && x->admission.tool->approval) ||
           error_set(
               e, CODE_APPROVAL_MISSING,
               "a secret is injected or given only for a tool that the registry has approved");
}

bool exec_find_secret(struct exec *x, const struct secret_doc *doc, struct error *e)
{
    struct secret_places places = { .environment = x->command->environment };
    struct secret_ask ask = {
        .doc = doc, .places = &places, .directory = x->reach.cwd, .commands = x->person
    };

    return may_have(x, e) && secret_find(&ask, x->a, x->secrets, e);
}

bool exec_find_secrets(struct exec *x, struct error *e)
{
    const struct items *asked = &x->request.inputs->secrets;
    const struct secret_doc *docs = asked->v;
    struct pair *all = arena_alloc(x->a, asked->n * sizeof *all);

    x->secrets = arena_new(x->a, struct secrets); /* an attempt before had its own */
    x->variables = all;
    x->variable_count = asked->n;
    for (size_t i = 0; i < asked->n; i++) {
        if (!exec_find_secret(x, &docs[i], e)) {
            exec_forget_secrets(x);
            return error_wrap(e, "the secret for the variable %.*s", STR_ARG(docs[i].variable));
        }
        all[i] = (struct pair){ .key = docs[i].variable,
                                .text = x->secrets->v[x->secrets->n - 1].value };
    }
    return true;
}

/* Who is let in by a user and a password (RFC 7617) has them in base64. */
static void add_basic(struct str coded, struct secrets *all, struct arena *a)
{
    char *both = arena_alloc(a, coded.n + 1);
    const char *colon;
    size_t n;

    if (!base64_read(coded, both, coded.n, &n))
        return;
    secrets_add(all, "basic", (struct str){ both, n }, a);
    colon = memchr(both, ':', n);
    if (colon)
        secrets_add(all, "password", str_from((struct str){ both, n }, (size_t)(colon + 1 - both)),
                    a);
    explicit_bzero(both, n);
}

/* Of "Bearer .." and its like (RFC 9110, 11.4) the secret is what comes behind the scheme: whoever
 * gets the header back may show that alone. */
void exec_add_credentials(struct str value, struct secrets *all, struct arena *a)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    struct str scheme = { value.s, 0 }, rest;

    while (scheme.n < value.n && is_one_of(value.s[scheme.n], letters))
        scheme.n++;
    rest = str_from(value, scheme.n);
    if (!scheme.n || !rest.n || !is_one_of(rest.s[0], " \t"))
        return;
    rest = str_trim(rest, " \t");
    secrets_add(all, "credentials", rest, a);
    if (scheme.n == 5 && str_cmp_letters(scheme, str_of("basic")) == 0)
        add_basic(rest, all, a);
}

struct items exec_secret_files(const struct exec *x)
{
    const struct items *given = &x->request.inputs->secrets;
    const struct items *sent = &x->request.sandbox->network->inject;
    const struct secret_doc *variables = given->v;
    const struct request_inject *injects = sent->v;
    struct secret_places places = { .environment = x->command->environment };
    struct str *files = arena_alloc(x->a, (given->n + sent->n) * sizeof *files);
    size_t n = 0;

    for (size_t i = 0; i < given->n + sent->n; i++) {
        const struct secret_doc *doc = i < given->n ? &variables[i] : injects[i - given->n].secret;
        struct secret_ask ask = { .doc = doc, .places = &places, .directory = "." };
        const char *file = secret_file(&ask, x->a);

        if (file)
            files[n++] = str_of(file);
    }
    return (struct items){ .v = files, .n = n };
}

/* ---- afterwards ---- */

static struct str in_small_letters(struct str text, struct arena *a)
{
    char *out = arena_text(a, text);

    for (size_t i = 0; i < text.n; i++)
        if (out[i] >= 'A' && out[i] <= 'Z')
            out[i] = (char)(out[i] - 'A' + 'a');
    return (struct str){ out, text.n };
}

/* What a command asks for by name is its own to say, and names have no large letters: a secret that
 * it was sent back is one of them without regard to case. */
static void clean_names_asked_for(const struct exec *x, const struct secrets *secrets)
{
    const struct gate_log *log = &x->outcome.gate;
    struct arena own = { 0 };
    struct secrets small = { 0 };

    for (size_t i = 0; i < secrets->n; i++)
        secrets_add(&small, "small", in_small_letters(secrets->v[i].value, &own), &own);
    for (size_t i = 0; i < log->n; i++) {
        struct gate_event *event = &log->v[i];
        struct str host = in_small_letters(event->host, x->a);
        struct str clean = redact(host, &small, x->a), rule = str_of(event->rule);

        if (clean.s != host.s)
            event->host = clean;
        event->rule = arena_text(x->a, redact(rule, secrets, x->a));
        event->error = arena_text(x->a, redact(str_of(event->error), secrets, x->a));
    }
    arena_wipe(&own);
    arena_free(&own);
}

void exec_clean_secrets(struct exec *x)
{
    struct printed *printed[] = { &x->outcome.out, &x->outcome.err, &x->outcome.result };

    if (!x->secrets || !x->secrets->n)
        return;
    for (size_t i = 0; i < COUNT(printed); i++)
        exec_redact(printed[i], x->secrets, x->a);
    clean_names_asked_for(x, x->secrets);
}

static bool holds_secret(void *exec, struct str content)
{
    _arena_ struct arena scratch = { 0 };
    struct exec *x = exec;
    struct str left = redact(content, x->secrets, &scratch);

    return left.s != content.s || left.n != content.n;
}

void exec_guard_files(struct exec *x, struct collect_job *job)
{
    if (!x->secrets || !x->secrets->n)
        return;
    job->withholds = holds_secret;
    job->self = x;
}

void exec_clean_names(struct exec *x)
{
    struct collected_list *list = &x->now.artifacts;

    if (!x->secrets || !x->secrets->n)
        return;
    for (size_t i = 0; i < list->n; i++)
        list->v[i].path = redact(list->v[i].path, x->secrets, x->a);
}

void exec_forget_secrets(struct exec *x)
{
    if (x->secrets)
        secrets_wipe(x->secrets);
}

/* The request is kept as it is, with the values of its variables. */
static void put_recorded(const struct exec *x, struct buf *to)
{
    const struct items *given = &x->request.inputs->environment;
    const struct pair *pairs = given->v;
    bool any = false;

    for (size_t i = 0; i < given->n; i++) {
        if (!pairs[i].text.n || !secret_name(pairs[i].key))
            continue;
        if (!any) {
            json_key(to, "recorded_secrets");
            json_open(to, '[');
        }
        any = true;
        json_text(to, pairs[i].key);
    }
    if (any)
        json_close(to, ']');
}

void exec_put_secrets(const struct exec *x, struct buf *to)
{
    put_recorded(x, to);
    if (!x->request.inputs->secrets.n)
        return;
    json_key(to, "secrets");
    json_doc(to, doc_get(doc_get(x->asked, "inputs"), "secrets"));
}
