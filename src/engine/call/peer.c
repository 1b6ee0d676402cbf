/* SPDX-License-Identifier: Apache-2.0 */
/* peer.c: what a service or a server came to, as the outcome of a run. */
#include "engine/call/peer.h"

#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "contract/limits.h"
#include "engine/home.h"

static struct printed printed_of(struct str bytes)
{
    struct printed p = { .head = bytes,
                         .bytes = (int64_t)bytes.n,
                         .digest = digest_of(bytes.s, bytes.n) };

    if (p.bytes > outputs[OUTPUT_STDOUT].bytes)
        p.head.n = (size_t)outputs[OUTPUT_STDOUT].bytes;
    return p;
}

void peer_ended(struct exec *x, const struct peer_end *end)
{
    x->outcome = outcome_unrun(end->cause, end->exit_code);
    x->outcome.out = printed_of(end->printed);
    x->outcome.duration_ms = end->duration_ms;
    x->outcome.ended_ms = x->world->mono_ms(x->world->self);
    x->peer = end->peer;
    if (end->code != CODE_NONE) {
        struct failing *failing = arena_new(x->a, struct failing);

        *failing = (struct failing){ end->code, codes[end->code].retryable, end->message };
        x->now.failing = failing;
    }
}

void call_nothing_to_clean(void *self, struct exec *x)
{
    (void)self;
    (void)x;
}

const char *call_redacted(const struct tool_call *c, const char *words)
{
    struct str text = str_of(words ? words : "");
    struct str clean = redact(text, &c->secrets, c->a);

    return clean.s == text.s ? words : arena_text(c->a, clean);
}

/* Ends of lines and other control characters are blanks, and several blanks are one. */
const char *call_quoted(struct str text, size_t most, struct arena *a)
{
    _buf_ struct buf line = { .max = most + sizeof "'…'" };
    size_t at = 0;

    buf_addc(&line, '\'');
    while (at < text.n) {
        size_t step = utf8_step(text.s + at, text.s + text.n);
        bool blank = !step || (unsigned char)text.s[at] <= ' ' || text.s[at] == 0x7f;

        if (line.len + (blank ? 1 : step) > most + 1)
            break;
        if (!blank)
            buf_add(&line, text.s + at, step);
        else if (line.len > 1 && line.s[line.len - 1] != ' ')
            buf_addc(&line, ' ');
        at += step ? step : 1;
    }
    buf_adds(&line, at < text.n ? "…'" : "'");
    return arena_text(a, buf_str(&line));
}

const char *call_time_said(int64_t ms, struct arena *a)
{
    return arena_printf(a, "; it may take %lld ms (sandbox_override.timeout_ms, --timeout-ms)",
                        (long long)ms);
}

struct secret_places call_places(struct tool_call *c)
{
    const struct settings *settings = NULL;
    struct report r;

    if (!toolbox_settings(c->box, &settings, &r))
        return (struct secret_places){ .environment = c->ask->environment };
    return (struct secret_places){ .environment = c->ask->environment,
                                   .configured = settings->secrets,
                                   .configured_count = settings->secret_count };
}

/* The record of a request is what was asked, with its digest: a secret in it could not be taken out
 * afterwards. */
bool call_keeps_secrets(const struct tool_call *c, struct error *e)
{
    const struct doc *held = secret_held(c->given, &c->secrets);

    if (!held)
        held = secret_held(c->params, &c->secrets);
    if (!held)
        return true;
    return error_set(e, CODE_SECRET_IN_PARAMETER,
                     "%s holds the value of a secret of this call, and parameters are recorded; "
                     "leave it out",
                     said(redact(held->key, &c->secrets, c->a), c->a));
}

bool call_secrets(struct tool_call *c, struct attempt_end *end)
{
    struct secret_places places = call_places(c);
    struct error e;

    secrets_wipe(&c->secrets);
    c->secrets = (struct secrets){ 0 }; /* of a call without any, output is left as it is */
    if (!c->adapter->doc.secrets.n ||
        (secrets_find(c->adapter, &places, c->a, &c->secrets, &e) && call_keeps_secrets(c, &e)))
        return true;
    call_failed(end, WRIT_REFUSED, &e, c->a);
    return false;
}

const char *call_passed_over(const struct exec *x)
{
    struct str name = x->request.inputs->command;
    const char *top = x->reach.home_root ? x->reach.home_root : ".";
    const char *path = arena_printf(x->a, "%s/node_modules/.bin:%s", top,
                                    home_variable(x->command->environment, "PATH")
                                        ? home_variable(x->command->environment, "PATH")
                                        : "");

    for (size_t n; !memchr(name.s, '/', name.n) && *path; path += n + (path[n] == ':')) {
        const char *found;

        n = strcspn(path, ":");
        found = arena_printf(x->a, "%.*s/%.*s", (int)n, path, STR_ARG(name));
        if (*path == '/' && access(found, X_OK) == 0)
            return arena_printf(x->a,
                                "%s is there, which a command may have written: such programs are "
                                "started by their path only, in the adapter's command and in "
                                "scope.commands of the registry",
                                found);
    }
    return NULL;
}
