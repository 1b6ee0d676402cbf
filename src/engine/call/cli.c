/* SPDX-License-Identifier: Apache-2.0 */
/* cli.c: an attempt that is a command in the sandbox. */
#include "base/doc_make.h"
#include "base/utf8.h"
#include "engine/call.h"
#include "engine/call/cache.h"
#include "engine/call/peer.h"

enum { TOLD_MOST = 300, TOLD_LINES = 3 };

/* ---- one run as part of a call ---- */

static void take_ledger(const struct tool_call *c, const struct exec *x, struct attempt_end *end)
{
    struct str *all = arena_alloc(c->a, (end->ledger_count + x->entry_count) * sizeof *all);

    if (end->ledger_count) /* what was built for it */
        memcpy(all, end->ledger, end->ledger_count * sizeof *all);
    end->ledger = all;
    for (size_t i = 0; i < x->entry_count; i++) {
        char id[ENTRY_ID_TEXT];

        entry_id_text(&x->entries[i], id);
        end->ledger[end->ledger_count++] = str_of(arena_text(c->a, str_of(id)));
    }
}

/* Secrets a tool prints are not kept: neither in the record nor in the answer. */
static void clean(void *self, struct exec *x)
{
    struct tool_call *c = self;
    struct printed *printed[] = { &x->outcome.out, &x->outcome.err, &x->outcome.result };

    for (size_t i = 0; i < COUNT(printed); i++)
        exec_redact(printed[i], &c->secrets, c->a);
}

static void pass_secrets(struct tool_call *c, struct exec_call *how)
{
    struct pair *all = arena_alloc(c->a, c->secrets.n * sizeof *all);
    size_t n = 0;

    for (size_t i = 0; i < c->secrets.n; i++)
        if (c->secrets.v[i].variable.n)
            all[n++] = (struct pair){ c->secrets.v[i].variable, c->secrets.v[i].value };
    how->secrets = all;
    how->secret_count = how->peer ? 0 : n;
    if (!how->clean)
        how->clean = clean;
    if (!how->self)
        how->self = c;
}

static void take_kept(const struct exec *x, struct attempt_end *end)
{
    static const struct digest none;
    const struct printed *printed[] = { &x->outcome.out, &x->outcome.err };

    for (size_t i = 0; i < COUNT(printed); i++)
        if (memcmp(&x->now.printed[i], &none, sizeof none) != 0)
            end->kept[i] = (struct call_kept){ x->now.printed[i], (int64_t)printed[i]->head.n };
}

static bool reaches(const struct doc *request)
{
    const struct doc *network = doc_get(doc_get(request, "sandbox"), "network");
    const struct doc *enabled = doc_get(network, "enabled");

    return enabled && enabled->truth;
}

bool call_exec(struct tool_call *c, const struct doc *request, struct exec_call *how,
               struct exec *x, struct attempt_end *end)
{
    struct writ_command command = { .environment = c->ask->environment,
                                    .ledger = c->ask->ledger,
                                    .weak = c->ask->weak,
                                    .live = { -1, -1 },
                                    .cancel = c->ask->cancel };
    struct error e = { 0 };
    const char *kind;
    int status;

    c->report = report_new(c->a, "request", (struct str){ 0 });
    how->request = request;
    if (!how->registry)
        how->registry = c->registry;
    how->own_paths = how->own_paths || c->directory;
    pass_secrets(c, how);
    x->command = arena_new(c->a, struct writ_command);
    memcpy((void *)x->command, &command, sizeof command);
    x->step = c->step;
    x->call = how;
    x->world = c->world;
    x->a = c->a;
    x->store = -1;
    if (!how->peer && reaches(request) && !tool_lets_reach(c->tool, &e)) {
        call_failed(end, WRIT_REFUSED, &e, c->a);
        return false;
    }
    if (doc_not_text(request)) { /* such as the path of a directory */
        (void)error_set(&e, CODE_ENCODING, "%s is not UTF-8, and could not be recorded",
                        said(doc_not_text(request)->key, c->a));
        call_failed(end, WRIT_USAGE, &e, c->a);
        return false;
    }
    status = exec_run(x, &c->report, &kind, &end->ran, &e);
    end->execution = doc_text(request, "execution_id");
    take_ledger(c, x, end);
    take_kept(x, end);
    end->duration_ms = x->outcome.duration_ms;
    end->ended_ms = x->outcome.ended_ms;
    if (end->ran)
        return true;
    if (status == WRIT_WRONG && c->report.first)
        (void)error_set(&e, c->report.first->code, "%s: %s", c->report.first->pointer,
                        c->report.first->msg);
    (void)exec_keep_refusal(x, &e, status);
    call_failed(end, status, &e, c->a);
    return false;
}

/* ---- how a command ended ---- */

static struct str last_line(struct str s)
{
    size_t begin = s.n;

    while (begin && s.s[begin - 1] != '\n')
        begin--;
    return (struct str){ s.s + begin, s.n - begin };
}

/* node ends what it says with the stack, the members of the error and its own version: what is
 * wrong stands before all that, on a line that begins with the error's name. */
static struct str before_stack(struct str s)
{
    struct str rest = str_trim_end(s, "\r\n"), line = last_line(rest);

    if (!str_begins(line, "Node.js v"))
        return s;
    while (rest.n) {
        if (line.n && is_one_of(line.s[0], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") &&
            memmem(line.s, line.n, "Error", 5))
            return line;
        rest.n -= line.n + (line.n < rest.n);
        line = last_line(rest);
    }
    return s;
}

/* The last lines of what it said, for people: many programs tell first what is wrong, and then what
 * to do. */
static const char *last_lines(const struct printed *err, struct arena *a)
{
    bool whole;
    struct str s = before_stack(printed_end(err, &whole));
    const char *told = NULL;

    for (int i = 0; i < TOLD_LINES && s.n; i++) {
        struct str line;

        while (s.n && is_one_of(s.s[s.n - 1], "\r\n"))
            s.n--;
        line = last_line(s);
        s.n -= line.n;
        if (told && strlen(told) + line.n > TOLD_MOST)
            break;
        line.n = line.n < TOLD_MOST ? line.n : TOLD_MOST;
        line.n = utf8_valid(line);
        if (line.n)
            told = told ? arena_printf(a, "%.*s | %s", STR_ARG(line), told) : arena_text(a, line);
    }
    return told;
}

static struct str base_name(struct str path)
{
    const char *slash = memrchr(path.s, '/', path.n);

    return slash ? (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.s) } : path;
}

/* A program that returns 128 or more itself was ended by no signal; and where it said what is
 * wrong, that it is an error of its own adds nothing. */
static const char *meaning(struct str command, const struct outcome *o, bool told, struct arena *a)
{
    const struct exit_row *row = exit_meaning(o->exit_code, o->cause);
    const char *answer =
        o->cause == CAUSE_EXITED ? exit_answer(base_name(command), o->exit_code) : NULL;

    if (answer)
        return arena_printf(a, ", %s", answer);
    if (o->cause == CAUSE_EXITED && (o->exit_code >= 128 || (told && row->from < row->to)))
        return "";
    if (o->cause == CAUSE_SIGNALED && sigabbrev_np(o->signal))
        return arena_printf(a, ", %s (SIG%s)", row->meaning, sigabbrev_np(o->signal));
    return arena_printf(a, ", %s", row->meaning);
}

/* How much it may take, where that ended it. */
static const char *limit_of(const struct exec *x, struct arena *a)
{
    const struct request_sandbox *held = x->request.sandbox;

    if (x->deaf && *x->deaf)
        return ""; /* it is a server, and what it had no more of is the time of a call */
    if (x->outcome.cause == CAUSE_TIMEOUT)
        return call_time_said(held->timeout_ms, a);
    if (x->outcome.cause == CAUSE_OOM)
        return arena_printf(a, "; it may have %lld MB (sandbox_override.memory_mb, --memory-mb)",
                            (long long)held->memory_mb);
    if (x->outcome.cause == CAUSE_VIOLATION)
        return arena_printf(a, "; %s", outcome_violation(&x->outcome));
    return "";
}

static enum code code_of(enum cause cause)
{
    return cause == CAUSE_TIMEOUT     ? CODE_COMMAND_TIMEOUT
           : cause == CAUSE_CANCELLED ? CODE_EXECUTION_HALTED
           : cause == CAUSE_OOM       ? CODE_RESOURCE_EXHAUSTED
                                      : CODE_COMMAND_FAILED;
}

void call_command_failed(struct tool_call *c, const struct exec *x, struct attempt_end *end)
{
    const char *told = last_lines(&x->outcome.err, c->a);

    end->told = told;
    end->exit = x->outcome.exit_code;
    end->code = code_of(x->outcome.cause);
    end->message = arena_printf(c->a, "%.*s: exit %d%s%s%s%s", STR_ARG(x->request.inputs->command),
                                x->outcome.exit_code,
                                meaning(x->request.inputs->command, &x->outcome, told, c->a),
                                limit_of(x, c->a), told ? ": " : "", told ? told : "");
}

static void take_end(struct tool_call *c, const struct exec *x, struct attempt_end *end)
{
    const struct printed *out = &x->outcome.out;

    end->exit_code = x->outcome.exit_code;
    end->ok = exec_came_to(x) == EVENT_SUCCEEDED;
    if (!end->ok) {
        call_command_failed(c, x, end);
        return;
    }
    end->value = (struct value){ .bytes = out->head };
    if (out->bytes <= outputs[OUTPUT_STDOUT].bytes) /* what was redacted is shorter, not cut */
        return;
    c->cut = arena_printf(c->a, "it printed %lld bytes, of which the first %zu are kept",
                          (long long)out->bytes, out->head.n);
    call_warn(c, c->cut);
}

static struct call_request request_of(const struct cli_call *bound)
{
    return (struct call_request){ .command = bound->command,
                                  .arguments = bound->arguments,
                                  .environment = bound->environment,
                                  .input = bound->input };
}

void call_cli(struct tool_call *c, struct attempt_end *end)
{
    struct exec *x = arena_new(c->a, struct exec);
    struct exec_call how = { 0 };
    struct call_request request;
    struct remembered known;
    struct cli_call bound;
    struct error e;

    if (!call_secrets(c, end))
        return;
    if (!cli_bind(c->adapter, c->operation, c->params, c->a, &bound, &e)) {
        call_failed(end, WRIT_USAGE, &e, c->a);
        return;
    }
    call_recall(c, &bound, &(struct items){ 0 }, &known);
    if (known.found) {
        call_recalled(c, &known, &bound, end);
        return;
    }
    request = request_of(&bound);
    call_hold(&known, &request, &how);
    if (call_exec(c, call_request(c, &request), &how, x, end)) {
        take_end(c, x, end);
        if (end->ok && x->outcome.out.bytes == (int64_t)x->outcome.out.head.n)
            call_remember(c, &known, x->outcome.out.head, &x->outcome.program);
    }
    exec_close(x);
}
