/* SPDX-License-Identifier: Apache-2.0 */
/* sdk.c: an attempt that calls a function of a package, in the sandbox. */
#include "adapter/sdk_bind.h"
#include "engine/call.h"

#include <unistd.h>

#include "base/fs.h"
#include "engine/call/cache.h"
#include "engine/call/peer.h"
#include "engine/home.h"

/* ---- what is built before ---- */

/* Who lets a tool run `go` or `cargo` lets it run what these make of the project's own functions:
 * the toolchain's real program, wherever it lies, and the product. */
static const struct registry_doc *as_built(const struct tool_call *c, struct str program)
{
    static const char *const builders[] = { [SDK_GO] = "go", [SDK_RUST] = "cargo" };
    const char *builder = builders[c->adapter->doc.interface->sdk->language];
    const struct str *listed = c->tool->scope->commands.v;
    struct registry_doc *registry = arena_new(c->a, struct registry_doc);
    struct tool_scope *scope = arena_new(c->a, struct tool_scope);
    struct tool_doc *tool = arena_new(c->a, struct tool_doc);
    struct str *command = arena_new(c->a, struct str);
    size_t i = 0;

    while (i < c->tool->scope->commands.n && !str_is(listed[i], builder))
        i++;
    if (i == c->tool->scope->commands.n)
        return c->registry;
    *command = program;
    *scope = *c->tool->scope;
    scope->commands = (struct items){ command, 1 };
    *tool = *c->tool;
    tool->scope = scope;
    *registry = *c->registry;
    registry->tools = (struct items){ tool, 1 };
    return registry;
}

/* Another run of its own, on record: what was built, by what, from what. */
static bool run_build(struct tool_call *c, const struct sdk_build *build, struct attempt_end *end)
{
    struct exec *x = arena_new(c->a, struct exec);
    struct exec_call how = { .own_paths = true,
                             .builds = true,
                             .registry = as_built(c, build->call.command) };
    struct str directory = str_of(build->directory);
    struct call_request request = { .command = build->call.command,
                                    .arguments = build->call.arguments,
                                    .environment = build->call.environment,
                                    .read = build->read,
                                    .write = { &directory, 1 },
                                    .directory = build->directory,
                                    .timeout_ms = build->timeout_ms,
                                    .memory_mb = build->memory_mb,
                                    .max_children = build->max_children,
                                    .offline = true };
    struct error e;
    bool ok = call_exec(c, call_request(c, &request), &how, x, end);

    if (ok && (x->outcome.exit_code != 0 || access(build->product, X_OK) != 0)) {
        (void)error_set(&e, CODE_COMMAND_FAILED, "it could not be built: %.*s",
                        (int)(x->outcome.err.head.n < 400 ? x->outcome.err.head.n : 400),
                        x->outcome.err.head.s ? x->outcome.err.head.s : "");
        end->exit_code = x->outcome.exit_code;
        call_failed(end, WRIT_NO, &e, c->a);
        ok = false;
    }
    exec_close(x);
    return ok;
}

/* In a directory of its own, which takes its place when all is well. */
static bool build(struct tool_call *c, const struct sdk_build *wanted, struct attempt_end *end)
{
    struct uuid id = c->world->new_id(c->world->self);
    struct sdk_build beside;
    struct error e, left;
    char text[UUID_TEXT];
    bool ok;

    uuid_text(&id, text);
    sdk_sweep(wanted, c->world->wall_ms(c->world->self));
    beside = sdk_beside(wanted, text, c->a);
    ok = sdk_lay_out(&beside, &e);
    if (!ok)
        call_failed(end, WRIT_UNRECORDED, &e, c->a);
    ok = ok && run_build(c, &beside, end);
    if (ok && !sdk_settle(&beside, wanted, &e)) {
        call_failed(end, WRIT_UNRECORDED, &e, c->a);
        ok = false;
    }
    if (!ok)
        (void)!fs_remove(beside.directory, &left);
    return ok;
}

/* ---- the call ---- */

static void take_end(struct tool_call *c, const struct exec *x, struct attempt_end *end)
{
    const struct printed *result = &x->outcome.result;
    struct error e = { 0 };

    end->exit_code = x->outcome.exit_code;
    if (x->outcome.cause == CAUSE_EXITED && printed_cut(result))
        (void)error_set(&e, CODE_PEER_PROTOCOL, "the result has %lld bytes, more than are kept",
                        (long long)result->bytes);
    else if (x->outcome.cause == CAUSE_EXITED && result->bytes > 0)
        end->ok = sdk_value(redact(result->head, &c->secrets, c->a), c->a, &end->value, &e) &&
                  x->outcome.exit_code == 0;
    if (end->ok)
        return;
    if (!e.code && x->outcome.cause == CAUSE_EXITED && x->outcome.exit_code == 0)
        (void)error_set(&e, CODE_PEER_PROTOCOL, "the function ended and gave no result");
    if (e.code)
        call_failed(end, x->outcome.exit_code ? x->outcome.exit_code : WRIT_NO, &e, c->a);
    else
        call_command_failed(c, x, end);
}

/* A result that is remembered is what came on descriptor 3. */
static void take_remembered(struct tool_call *c, const struct remembered *known,
                            const struct cli_call *bound, struct attempt_end *end)
{
    struct error e;

    call_recalled(c, known, bound, end);
    if (end->ok && !sdk_value(known->value, c->a, &end->value, &e))
        call_failed(end, WRIT_NO, &e, c->a);
}

static void run(struct tool_call *c, const struct sdk_call *bound, const struct remembered *known,
                struct attempt_end *end)
{
    struct exec *x = arena_new(c->a, struct exec);
    struct exec_call how = { .own_paths = true };
    struct call_request request = { .command = bound->call.command,
                                    .arguments = bound->call.arguments,
                                    .environment = bound->call.environment,
                                    .input = bound->call.input,
                                    .read = bound->read };

    x->result = true;
    if (bound->build)
        how.registry = as_built(c, bound->call.command);
    call_hold(known, &request, &how);
    if (call_exec(c, call_request(c, &request), &how, x, end)) {
        take_end(c, x, end);
        if (end->ok)
            call_remember(c, known, x->outcome.result.head, &x->outcome.program);
    }
    exec_close(x);
}

void call_sdk(struct tool_call *c, struct attempt_end *end)
{
    const char *cache = home_cache(c->ask->environment, c->a);
    struct sdk_ask ask = { .adapter = c->adapter,
                           .operation = c->operation,
                           .params = c->params,
                           .cache = cache ? arena_printf(c->a, "%s/sdk", cache) : NULL,
                           .path = home_variable(c->ask->environment, "PATH"),
                           .home = home_variable(c->ask->environment, "HOME") };
    struct remembered known;
    struct sdk_call bound;
    struct error e;

    if (!call_secrets(c, end))
        return;
    if (!sdk_bind(&ask, c->a, &bound, &e)) {
        call_failed(end, e.code == CODE_PEER_UNAVAILABLE ? WRIT_UNAVAILABLE : WRIT_USAGE, &e, c->a);
        return;
    }
    if (bound.build && access(bound.build->product, X_OK) != 0 && !build(c, bound.build, end))
        return;
    call_recall(c, &bound.call, &bound.read, &known);
    if (known.found)
        take_remembered(c, &known, &bound.call, end);
    else
        run(c, &bound, &known, end);
}
