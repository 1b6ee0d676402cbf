/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mcp_rpc.c: any text is one kind of message, and has what that kind has. Tools in it are
 * digested, their headers read, and an adapter that is made of them is right. */
#include <assert.h>

#include "adapter/import_mcp.h"
#include "adapter/mcp.h"
#include "adapter/mcp/headers.h"
#include "adapter/mcp_rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tools(const struct doc *result, struct arena *a)
{
    struct mcp_import_ask ask = { .tools = rpc_get(result, "tools"), .today = "2026-01-16" };
    struct mcp_imported made;
    struct error e = { 0 };

    for (const struct doc *c = doc_first(ask.tools, DOC_LIST); c; c = c->next) {
        const struct tool_headers *marks = NULL;
        const char *why = NULL;
        size_t n;

        (void)mcp_tool_digest(c, a);
        if (headers_read(rpc_get(c, "inputSchema"), a, &marks, &why))
            (void)(marks ? headers_of(marks, rpc_get(c, "annotations"), a, &n) : NULL);
        else
            assert(why);
    }
    if (!import_mcp(&ask, a, &made, &e))
        assert(e.msg[0]);
    else
        assert(made.operations > 0 && made.yaml.n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    struct rpc_message m;

    rpc_read((struct str){ (const char *)data, size }, &a, &m);
    switch (m.kind) {
    case RPC_ANSWER:
        assert(!m.result != !m.error);
        if (m.result)
            check_tools(m.result, &a);
        break;
    case RPC_REQUEST: assert(m.id && m.method.s); break;
    case RPC_NOTE: assert(!m.id && m.method.s); break;
    case RPC_NOISE:
    case RPC_BROKEN: assert(m.wrong && m.wrong[0] && !strchr(m.wrong, '\n')); break;
    }
    return 0;
}
