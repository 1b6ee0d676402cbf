/* SPDX-License-Identifier: Apache-2.0 */
/* adapter.c: what all adapters have: operations. */
#include "adapter/adapter.h"

const char *const origin_names[] = { "project", "user", "shipped", NULL };

static struct items names_of(const struct doc *map, struct arena *a)
{
    struct str *names = arena_alloc(a, (map ? map->count : 0) * sizeof *names);
    struct items out = { names, 0 };

    for (const struct doc *c = doc_first(map, DOC_MAP); c; c = c->next)
        names[out.n++] = c->key;
    return out;
}

struct items adapter_operations(const struct adapter *adapter, struct arena *a)
{
    static const char *const mappings[ADAPTER_TYPE_COUNT][2] = {
        [ADAPTER_CLI] = { NULL, NULL },
        [ADAPTER_API] = { "api", "endpoint_mapping" },
        [ADAPTER_SDK] = { "sdk", "function_mapping" },
        [ADAPTER_MCP] = { "mcp", "tool_mapping" },
    };
    const char *const *where = mappings[adapter->doc.type];
    const struct doc *kind;

    if (!where[0])
        return names_of(doc_get(adapter->tree, "operations"), a);
    kind = doc_get(doc_get(adapter->tree, "interface"), where[0]);
    return names_of(doc_get(kind, where[1]), a);
}
