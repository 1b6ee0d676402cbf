/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: one call: attempts, waits between them, the adapter that is fallen back to. */
#include "engine/call.h"

#include "base/cancel.h"
#include "contract/backoff.h"
#include "contract/exits.h"
#include "contract/fallback.h"

/* EACH_MOST: of what an adapter said, beside what another did; a message has 512 bytes. */
enum { BACKOFF_MOST_MS = 60000, EACH_MOST = 180 };

void call_warn(struct tool_call *c, const char *text)
{
    if (c->warning_count == c->warning_room)
        c->warnings =
            arena_more(c->a, c->warnings, c->warning_count, &c->warning_room, sizeof *c->warnings);
    c->warnings[c->warning_count++] = text;
}

void call_failed(struct attempt_end *end, int exit, const struct error *e, struct arena *a)
{
    end->ok = false;
    end->exit = exit;
    end->code = (enum code)e->code;
    end->message = arena_text(a, str_of(e->msg));
}

/* ---- one attempt ---- */

static const char *message_of(const struct attempt_end *end)
{
    return end->message ? end->message : "it failed";
}

typedef void (*attempt_fn)(struct tool_call *c, struct attempt_end *end);

static const attempt_fn kinds_of_call[ADAPTER_TYPE_COUNT] = {
    [ADAPTER_CLI] = call_cli,
    [ADAPTER_API] = call_api,
    [ADAPTER_SDK] = call_sdk,
    [ADAPTER_MCP] = call_mcp,
};

static struct attempt_end *new_attempt(struct tool_call *c)
{
    struct attempt_end *end;

    if (c->attempt_count == c->attempt_room)
        c->attempts =
            arena_more(c->a, c->attempts, c->attempt_count, &c->attempt_room, sizeof *c->attempts);
    end = &c->attempts[c->attempt_count++];
    *end = (struct attempt_end){ .adapter = c->adapter, .exit_code = -1, .retry_after = -1 };
    return end;
}

/* A transform reads what it is given: a secret that was escaped twice comes out of it as one that
 * was escaped once, and two halves as a whole. */
static void clean_output(struct tool_call *c)
{
    c->output.bytes = redact(c->output.bytes, &c->secrets, c->a);
    if (c->output.doc)
        c->output.doc = redact_doc(c->output.doc, &c->secrets, c->a);
}

/* What comes back and does not fit is a failure of the call, not of what was run. */
static void take_output(struct tool_call *c, struct attempt_end *end)
{
    struct error e;

    if (!end->ok)
        return;
    if (transform_output(c->adapter, &end->value, c->a, &c->output, &e)) {
        if (c->secrets.n)
            clean_output(c);
        return;
    }
    e.code = CODE_TRANSFORM_FAILED;
    call_failed(end, WRIT_NO, &e, c->a);
    end->message = arena_text(c->a, redact(str_of(end->message), &c->secrets, c->a));
}

static struct attempt_end *attempt(struct tool_call *c)
{
    struct attempt_end *end = new_attempt(c);

    c->cut = NULL;
    kinds_of_call[c->adapter->doc.type](c, end);
    take_output(c, end);
    return end;
}

/* ---- again ---- */

/* By kind: an exit code, a status of HTTP, a JSON-RPC code (A01-12). */
static bool code_is_listed(const struct adapter_retry *retry, const struct attempt_end *end)
{
    const int64_t *listed = retry->retryable_codes.v;
    int64_t code = end->exit_code >= 0 ? end->exit_code : end->status;

    for (size_t i = 0; i < retry->retryable_codes.n; i++)
        if (listed[i] == code)
            return true;
    return false;
}

/* What has ended so is worth another attempt, where that cannot do a thing twice. A status that is
 * not of a run is that of a token endpoint. */
static bool wants_again(const struct adapter_retry *retry, const struct attempt_end *end)
{
    if (end->ok || end->code == CODE_PEER_UNAVAILABLE)
        return !end->ok && (end->ran || end->nothing_happened);
    return (end->ran || end->status) && code_is_listed(retry, end);
}

/* Whether a service that said 429 or 503 has done something, only the service knows. */
static bool may_again(const struct adapter_retry *retry, const struct attempt_end *end)
{
    return wants_again(retry, end) &&
           (end->nothing_happened || end->repeatable || end->exit_code >= 0);
}

static void tell_once(struct tool_call *c, const struct adapter_retry *retry,
                      struct attempt_end *end)
{
    if (end->once && wants_again(retry, end) && !may_again(retry, end))
        end->message = arena_printf(c->a, "%s; not tried again: it might be done twice, %s",
                                    message_of(end), end->once);
}

/* Who comes back too early is refused again, and may be shut out for it. */
static void tell_patience(struct tool_call *c, struct attempt_end *end, int64_t waited_ms)
{
    const char *before = waited_ms ? arena_printf(c->a, " in all, and %lld s were",
                                                  (long long)((waited_ms + 999) / 1000))
                                   : "";

    end->message = arena_printf(c->a,
                                "%s; not tried again: the service asks for %lld s, at most %d s "
                                "are waited%s",
                                message_of(end), (long long)((end->retry_after + 999) / 1000),
                                BACKOFF_MOST_MS / 1000, before);
}

/* Who calls it off wants nothing more of it, whatever it had come to before. */
static void call_off(struct tool_call *c, struct attempt_end *end)
{
    end->code = CODE_EXECUTION_HALTED;
    end->exit = EXIT_TIMEOUT;
    end->message = arena_printf(c->a, "%s; then it was called off", message_of(end));
}

static struct attempt_end *attempts(struct tool_call *c)
{
    const struct adapter_retry *retry = c->adapter->doc.errors->retry;
    struct backoff backoff = { .max_attempts = retry->max_attempts,
                               .backoff_ms = retry->backoff_ms,
                               .max_backoff_ms = BACKOFF_MOST_MS,
                               .multiplier = 2.0 };
    int64_t waited_ms = 0; /* because a service asked for it: that has an end, however often */

    for (int n = 1;; n++) {
        struct attempt_end *end = attempt(c);
        int64_t wait = backoff_delay(&backoff, n);

        if (end->ok || !backoff_again(&backoff, n))
            return end;
        if (!may_again(retry, end)) {
            tell_once(c, retry, end);
            return end;
        }
        if (end->retry_after > wait) {
            wait = end->retry_after;
            if (wait > BACKOFF_MOST_MS - waited_ms) {
                tell_patience(c, end, waited_ms);
                return end;
            }
            waited_ms += wait;
        }
        if (!cancel_wait(c->ask->cancel, wait, c->world)) {
            call_off(c, end);
            return end;
        }
    }
}

/* ---- another adapter ---- */

static bool was_refused(const struct attempt_end *end)
{
    return !end->ok && !end->ran && fallback_refused(end->code);
}

static const struct adapter_fallback *fallback_of(const struct tool_call *c,
                                                  const struct attempt_end *end)
{
    const struct adapter_fallback *fallback = c->adapter->doc.errors->fallback;
    struct attempt_failure failure = { end->code,
                                       end->exit_code >= 0 ? end->exit_code : end->status };

    if (end->ok || !fallback || end->code == CODE_EXECUTION_HALTED || was_refused(end) ||
        !fallback_holds(fallback->condition, &failure))
        return NULL;
    for (size_t i = 0; i < c->attempt_count; i++) /* never in a circle */
        if (str_eq(c->attempts[i].adapter->doc.adapter_id, fallback->adapter_id))
            return NULL;
    return fallback;
}

static void tell_fallback(struct tool_call *c, struct str from)
{
    call_warn(c, arena_printf(c->a, "%.*s failed; fell back to %.*s", STR_ARG(from),
                              STR_ARG(c->adapter->doc.adapter_id)));
    c->fell_back = true;
}

/* Why the adapters failed that were called before the last one: what is mended first is the one
 * that was asked for. `n` attempts are looked at. */
static const char *failures_before(const struct tool_call *c, size_t n)
{
    const char *text = "";

    for (size_t i = 0; i < n; i++) {
        const struct attempt_end *end = &c->attempts[i];

        if (i + 1 == n || c->attempts[i + 1].adapter != end->adapter)
            text = arena_printf(c->a, "%s%s%.*s: %.*s", text, *text ? "; " : "",
                                STR_ARG(end->adapter->doc.adapter_id), EACH_MOST, message_of(end));
    }
    return text;
}

static int status_of(const struct attempt_end *end)
{
    return end->exit ? end->exit : WRIT_NO; /* what failed is no success, whatever it ended with */
}

/* The adapter to fall back to cannot be called: what there was need of it for, and that. The call
 * failed as the first `n` attempts did. */
static int no_fallback(struct tool_call *c, size_t n, struct str id, const char *why)
{
    const struct attempt_end *failed = &c->attempts[n - 1];

    c->kind = NULL;
    c->adapter = failed->adapter;
    c->fell_back = n > 1 && c->attempts[0].adapter != failed->adapter;
    c->error = (struct error){ 0 };
    (void)error_set(&c->error, (int)failed->code, "%s; cannot fall back to %.*s: %.*s",
                    failures_before(c, n), STR_ARG(id), EACH_MOST, why);
    return status_of(failed);
}

static int tell_failure(struct tool_call *c, const struct attempt_end *end)
{
    size_t before = c->attempt_count;
    struct str id = end->adapter->doc.adapter_id;

    while (before && c->attempts[before - 1].adapter == end->adapter)
        before--;
    if (before && was_refused(end))
        return no_fallback(c, before, id, message_of(end));
    c->error = (struct error){ 0 };
    if (before)
        (void)error_set(&c->error, (int)end->code, "%s; fell back to %.*s: %.*s",
                        failures_before(c, before), STR_ARG(id), EACH_MOST, message_of(end));
    else
        (void)error_set(&c->error, (int)end->code, "%s", message_of(end));
    return status_of(end);
}

int call_run(struct tool_call *c)
{
    struct str asked = str_of(c->ask->operation ? c->ask->operation : "");
    struct attempt_end *end;
    int status;

    if (!call_find(c, str_of(c->ask->adapter), asked, &status))
        return status;
    for (;;) {
        const struct adapter_fallback *fallback;
        struct str from = c->adapter->doc.adapter_id;

        end = attempts(c);
        secrets_wipe(&c->secrets);
        fallback = fallback_of(c, end);
        if (fallback && cancel_asked(c->ask->cancel)) {
            call_off(c, end);
            break;
        }
        if (!fallback)
            break;
        if (!call_find(c, fallback->adapter_id, c->operation, &status))
            return no_fallback(c, c->attempt_count, fallback->adapter_id, call_why_not(c));
        tell_fallback(c, from);
    }
    return end->ok ? WRIT_OK : tell_failure(c, end);
}
