/* SPDX-License-Identifier: Apache-2.0 */
/* shipped.c: the adapters that ship: the files of adapters/, as texts the build has made of them.
 */
#include "adapter/catalog.h"

extern const char git_text[], jq_text[], mcp_filesystem_text[], python_text[], rest_text[],
    ripgrep_text[], tools_text[], init_tools_text[], init_example_text[];

const struct shipped_row shipped_adapters[] = {
    { "git.yaml", git_text },
    { "jq.yaml", jq_text },
    { "mcp-filesystem.yaml", mcp_filesystem_text },
    { "python.yaml", python_text },
    { "rest.yaml", rest_text },
    { "ripgrep.yaml", ripgrep_text },
};
const size_t shipped_count = COUNT(shipped_adapters);
const char *const shipped_tools = tools_text;
const char *const shipped_init_tools = init_tools_text;
const char *const shipped_init_adapter = init_example_text;
