/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.c: `writ mcp`: servers of the Model Context Protocol. */
#include <writ/adapters.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"

static int run_probe(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    bool json = args_get(args, "json");
    const char *context = args_get(args, "context");
    char *answer;
    int status;

    if (!context && args_get(args, "call-all"))
        context = "{\"all\":true}";
    status = writ_mcp_probe(args->operands[0], context, args_get(args, "bearer"), args->environment,
                            &answer);
    /* What was heard is JSON for everybody; that nothing was is told to people in words. */
    return keeper_tell(answer, status, json || doc_get(answer_read(answer, &a), "answers"));
}

/* clang-format off */
const struct command cmd_mcp_probe = {
    .name = "mcp probe",
    .operands = "URL",
    .summary = "speak to a server, and show what it says",
    .about = "Opens the server at the URL (http, https, ws or wss), finds out which era of the protocol it speaks, lists its tools and calls those that say that they only read (readOnlyHint and not destructiveHint), with arguments made from their schemas; "
             "the names of the others are in not_called. --call-all calls these, too, whatever they do; --context names the calls instead, of any tool. The whole of it is printed as JSON. Nothing but the URL's own host is reached. The exit status is 0 where every call had an answer, also one that says "
             "that the tool failed. MCP_CONFORMANCE_CONTEXT is read as the protocol's own suite of tests sets it.",
    .examples = { { "writ mcp probe http://127.0.0.1:3000/mcp",                     "tools that only read are called once" },
                  { "writ mcp probe https://example.org/mcp --context '{\"calls\":[{\"tool\":\"add\",\"arguments\":{\"a\":1,\"b\":2}}]}'", "this call alone" },
                  { "writ adapters import mcp --url https://example.org/mcp", "an adapter of its tools; none is called" } },
    .options = { { "context", "JSON", NULL, "what is called: {\"calls\":[{\"tool\":..,\"arguments\":{..}}]}" },
                 { "bearer",  "VARIABLE", NULL, "the variable that has the token which the server wants" },
                 { "call-all", NULL,  NULL, "calls every tool once, also those that may change or destroy something" },
                 { "json",    NULL,   NULL, "what went wrong is JSON, too" } },
    .least = 1,
    .most = 1,
    .run = run_probe,
};

const struct command cmd_mcp = {
    .name = "mcp",
    .operands = "VERB",
    .summary = "servers of the Model Context Protocol",
    .about = "Tools of MCP servers are called as operations of adapters: `writ adapters import mcp` makes one of a server, `writ call` calls it. Here servers are tried without an adapter.",
    .examples = { { "writ mcp probe http://127.0.0.1:3000/mcp",        "what it says, as JSON" },
                  { "writ adapters import mcp -- mcp-server-filesystem .", "an adapter of a server's tools" } },
};
/* clang-format on */
