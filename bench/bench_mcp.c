/* SPDX-License-Identifier: Apache-2.0 */
/* bench_mcp.c: a call of a tool over a pipe, against the same bytes written and read with nothing
 * between: no id looked for, no JSON read. One server that answers at once, in either era. The
 * goal: at most 1.3 x the bare round trip. */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "adapter/mcp.h"
#include "base/doc_make.h"
#include "contract/interface_doc.h"
#include "race.h"

enum { CALLS = 200, LINE = 64 << 10 };

struct server {
    int in, out;
    struct mcp *m;
};

static struct server bare, legacy, modern;
static struct arena arena, kept;
static struct doc *arguments;
static char request[LINE];
static size_t request_n;

/* ---- the server: says what it has to, and answers every call with the same ---- */

static void answer(const char *line, bool is_modern)
{
    static const char info[] = "\"serverInfo\":{\"name\":\"echo\",\"version\":\"1\"}";
    const char *id = strstr(line, "\"id\":");
    char text[2048];
    int n;

    if (!id)
        return;
    n = snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%ld,", strtol(id + 5, NULL, 10));
    if (strstr(line, "\"tools/call\""))
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"some text that is as "
                      "long as one that a tool might give\"}]}}\n");
    else if (strstr(line, "\"tools/list\""))
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\"result\":{\"ttlMs\":3600000,\"tools\":[{\"name\":\"echo\",\"inputSchema\":"
                      "{\"type\":\"object\"}}]}}\n");
    else if (is_modern && strstr(line, "server/discover"))
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}\n");
    else if (strstr(line, "\"initialize\""))
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},%s}}\n",
                      info);
    else
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "\"error\":{\"code\":-32601,\"message\":\"no\"}}\n");
    if (write(1, text, (size_t)n) != n)
        _exit(1);
}

static void serve(bool is_modern)
{
    static char line[LINE];
    size_t have = 0;
    ssize_t n;

    while ((n = read(0, line + have, sizeof line - have - 1)) > 0) {
        char *end;

        have += (size_t)n;
        line[have] = '\0';
        while ((end = strchr(line, '\n'))) {
            *end = '\0';
            answer(line, is_modern);
            have -= (size_t)(end + 1 - line);
            memmove(line, end + 1, have + 1);
        }
    }
    _exit(0);
}

static void start(struct server *s, bool is_modern)
{
    int to[2], from[2];
    bool ok = pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0;
    pid_t pid = fork();

    assert(ok && pid >= 0);
    if (pid == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        (void)close(to[1]);
        (void)close(from[0]);
        serve(is_modern);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    s->in = from[0];
    s->out = to[1];
}

/* The bytes that a call sends are what the bare round trip sends. */
static void keep_request(void *self, bool outwards, struct str message)
{
    (void)self;
    if (!outwards || message.n + 2 > sizeof request)
        return;
    memcpy(request, message.s, message.n);
    request[message.n] = '\n';
    request_n = message.n + 1;
}

static void open_server(struct server *s, bool is_modern, bool seen)
{
    struct mcp_ask ask = { .transport = TRANSPORT_STDIO,
                           .world = world_real(),
                           .name = "echo",
                           .patience_ms = 10000,
                           .cancel = -1,
                           .seen = seen ? keep_request : NULL };
    struct error e;
    bool ok;

    start(s, is_modern);
    ask.in = s->in;
    ask.out = s->out;
    ok = mcp_open(&ask, &s->m, &e);
    assert(ok);
}

/* ---- the contestants ---- */

static void round_trip(bool in_time)
{
    struct pollfd p = { .fd = bare.in, .events = POLLIN };
    char got[4096];
    size_t n = 0;
    ssize_t done = write(bare.out, request, request_n);

    assert(done == (ssize_t)request_n);
    do {
        int ready = in_time ? poll(&p, 1, 10000) : 1;

        assert(ready == 1);
        done = read(bare.in, got + n, sizeof got - n);
        assert(done > 0);
        n += (size_t)done;
    } while (got[n - 1] != '\n');
}

static void run_bare(void)
{
    round_trip(false);
}

static void run_in_time(void)
{
    round_trip(true);
}

static void run_call(const void *with)
{
    const struct server *s = with;
    struct mcp_call call = {
        .tool = { "echo", 4 }, .arguments = arguments, .timeout_ms = 10000, .cancel = -1
    };
    struct mcp_answer got;
    struct error e;
    bool ok;

    arena_reset(&arena);
    ok = mcp_call(s->m, &call, &arena, &got, &e);
    assert(ok && got.end == MCP_DONE && got.result);
}

int main(void)
{
    struct server first = { 0 };
    struct runner runners[] = {
        { .name = "bare: write, read to the end of the line", .run = run_bare },
        { .name = "bare, but not for ever: poll before read", .run = run_in_time },
        { .name = "mcp_call, legacy era", .run_with = run_call, .with = &legacy },
        { .name = "mcp_call, modern era", .run_with = run_call, .with = &modern },
    };

    arguments = doc_root(&kept, DOC_MAP);
    doc_add_text(&kept, arguments, "path", str_of("/a/path/that/is/as/long/as/many/are.txt"));
    doc_add_int(&kept, arguments, "head", 100);
    open_server(&first, false, true);
    run_call(&first);
    start(&bare, false);
    open_server(&legacy, false, false);
    open_server(&modern, true, false);
    race("a call of a tool over a pipe", runners, sizeof runners / sizeof runners[0], CALLS);
    mcp_close(first.m);
    mcp_close(legacy.m);
    mcp_close(modern.m);
    return 0;
}
