/* SPDX-License-Identifier: Apache-2.0 */
/* servers.h: MCP servers of a test over pipes, and a connection to one. */
#pragma once

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "adapter/mcp.h"
#include "base/json_read.h"
#include "contract/interface_doc.h"

enum { SOON_MS = 400, LONG_MS = 20000 };

static const char *hostile;

struct scene {
    struct arena a;
    pid_t pid;
    struct mcp *m;
    struct mcp_ask ask;
    struct error e;
    struct mcp_answer got;
};

/* Starts a server; its ends of the pipes are ours, in the ask. */
static inline void start(struct scene *s, const char *mode)
{
    int to[2], from[2];

    *s = (struct scene){ 0 };
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    s->pid = fork();
    assert_true(s->pid >= 0);
    if (s->pid == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        (void)execl(hostile, hostile, mode, (char *)NULL);
        _exit(127);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    s->ask = (struct mcp_ask){ .transport = TRANSPORT_STDIO,
                               .world = world_real(),
                               .name = "hostile",
                               .in = from[0],
                               .out = to[1],
                               .patience_ms = LONG_MS,
                               .cancel = -1 };
}

static inline void open_server(struct scene *s, const char *mode)
{
    start(s, mode);
    if (!mcp_open(&s->ask, &s->m, &s->e))
        fail_msg("%s: %s", mode, s->e.msg);
}

/* The server ends when its line does; one that does not look at it is killed. */
static inline void end(struct scene *s)
{
    mcp_close(s->m);
    (void)kill(s->pid, SIGKILL);
    assert_int_equal(waitpid(s->pid, NULL, 0), s->pid);
    arena_free(&s->a);
}

static inline void call_pinned(struct scene *s, const char *tool, struct str pinned, int64_t ms)
{
    struct mcp_call call = {
        .tool = str_of(tool), .pinned = pinned, .timeout_ms = ms, .cancel = -1
    };

    assert_true(mcp_call(s->m, &call, &s->a, &s->got, &s->e));
}

static inline void call(struct scene *s, int64_t ms)
{
    call_pinned(s, "tool", (struct str){ 0 }, ms);
}

/* The text of the first block of content. */
static inline struct str said_text(const struct mcp_answer *got)
{
    return doc_text(doc_first(doc_get(got->result, "content"), DOC_LIST), "text");
}

static inline void assert_text(struct str found, const char *expected)
{
    if (!found.s || !str_is(found, expected))
        fail_msg("found '%.*s', expected '%s'", (int)found.n, found.s ? found.s : "", expected);
}
