/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c: tries an MCP server as the conformance suite wants: the URL is the last argument.
 *
 * usage: probe WRIT_HTTP URL               http, https, ws or wss
 *        probe WRIT_HTTP -- COMMAND ARGS.. a server over pipes
 *
 * What is called is in $MCP_CONFORMANCE_CONTEXT, else every tool. Prints the answer.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>

#include "adapter/mcp_probe.h"
#include "base/json_read.h"
#include "contract/interface_doc.h"

static bool start(char **argv, struct mcp_ask *ask, pid_t *pid)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return false;
    *pid = fork();
    if (*pid == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        (void)execvp(argv[0], argv);
        _exit(127);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    ask->in = from[0];
    ask->out = to[1];
    return *pid > 0;
}

/* The host and port of the URL: all that may be reached. */
static struct str host_of(const char *url)
{
    const char *at = strstr(url, "://");

    at = at ? at + 3 : url;
    return (struct str){ at, strcspn(at, "/") };
}

static void seen(void *self, bool outwards, struct str message)
{
    (void)self;
    (void)fprintf(stderr, "%s %.*s\n", outwards ? "->" : "<-", (int)message.n, message.s);
}

static bool probe(const struct mcp_ask *ask, struct arena *a, struct buf *answer, struct error *e)
{
    const char *text = getenv("MCP_CONFORMANCE_CONTEXT");
    struct ceilings max = ceilings_default();
    const struct document *context = NULL;
    struct mcp *m;
    bool good;

    if (text && !json_read("context", str_of(text), &max, a, &context, e))
        return false;
    if (!mcp_open(ask, &m, e))
        return false;
    good = mcp_probe(m, context ? &context->root : NULL, true, a, answer, e);
    mcp_close(m);
    return good;
}

int main(int argc, char **argv)
{
    static const char *const environment[] = { NULL };
    _arena_ struct arena a = { 0 };
    _buf_ struct buf answer = { .max = 64 << 20 };
    struct str host = { 0 };
    struct mcp_ask ask = { .world = world_real(),
                           .name = "the server",
                           .in = -1,
                           .out = -1,
                           .hosts = { .allow = &host, .allow_count = 1 },
                           .patience_ms = 20000,
                           .cancel = -1,
                           .seen = getenv("PROBE_SEEN") ? seen : NULL };
    struct error e = { 0 };
    pid_t pid = 0;
    bool good;

    if (argc < 3)
        return 64;
    if (strcmp(argv[2], "--") == 0) {
        ask.transport = TRANSPORT_STDIO;
        good = start(argv + 3, &ask, &pid);
    } else {
        ask.url = argv[argc - 1];
        ask.transport = strncmp(ask.url, "ws", 2) == 0 ? TRANSPORT_WEBSOCKET : TRANSPORT_HTTP;
        host = host_of(ask.url);
        good = http_open(argv[1], environment, &ask.http, &e);
    }
    good = good && probe(&ask, &a, &answer, &e);
    http_close(ask.http);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    if (!good)
        (void)fprintf(stderr, "probe: %s\n", e.msg);
    else
        (void)puts(answer.s);
    return good ? 0 : 1;
}
