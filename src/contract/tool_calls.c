/* SPDX-License-Identifier: Apache-2.0 */
/* tool_calls.c: which operations of a tool are called, and how far they reach (A01-8, A01-16). */
#include "contract/registry_doc.h"

#include "contract/codes.h"

const struct tool_doc *registry_tool(const struct registry_doc *registry, struct str id)
{
    const struct tool_doc *tools = registry ? registry->tools.v : NULL;

    for (size_t i = 0; registry && i < registry->tools.n; i++)
        if (str_eq(tools[i].tool_id, id))
            return &tools[i];
    return NULL;
}

bool tool_blocked(const struct tool_doc *tool, struct error *e)
{
    return tool->status == TOOL_BLOCKED &&
           !error_set(e, CODE_OPERATION_NOT_ALLOWED, "the registry blocks the tool %.*s",
                      STR_ARG(tool->tool_id));
}

bool tool_lets_call(const struct tool_doc *tool, struct str operation, struct arena *a,
                    struct error *e)
{
    const struct items *scope = &tool->scope->operations;

    if (tool_blocked(tool, e))
        return false;
    return items_have(scope, operation) || items_have(scope, str_of("*")) ||
           error_set(e, CODE_OPERATION_NOT_ALLOWED,
                     "the registry does not let %.*s of the tool %.*s be called; scope.operations "
                     "has %s",
                     STR_ARG(operation), STR_ARG(tool->tool_id), items_said(scope, a));
}

bool tool_lets_reach(const struct tool_doc *tool, struct error *e)
{
    return (tool->scope->network >= NET_API && tool->approval) ||
           error_set(e, CODE_APPROVAL_MISSING,
                     "the registry gives the tool %.*s no network: it needs scope.network: api and "
                     "an `approval` of the tool, with by, at and reason",
                     STR_ARG(tool->tool_id));
}

enum fs_level tool_fs_most(const struct tool_doc *tool)
{
    int most = tool->scope->filesystem;

    return (enum fs_level)(most > FS_STANDARD && !tool->approval ? FS_STANDARD : most);
}

void tool_calls_odd(const struct doc *d, const void *decoded, struct report *r)
{
    const struct tool_doc *tool = decoded;
    const struct doc *scope = doc_get(d, "scope");
    struct error e;

    if (!tool->scope || !tool->scope->operations.n || tool->approval)
        return;
    /* elevated and open are refused outright, by another rule */
    if (tool->scope->filesystem == FS_EXTENDED)
        report_add(r, ABOUT_ODD, doc_get(scope, "filesystem"), CODE_APPROVAL_MISSING,
                   "calls of its operations get '%s' of the disk: more needs an `approval` of the "
                   "tool, with by, at and reason",
                   fs_level_names[tool_fs_most(tool)]);
    if (tool->scope->network != CHOICE_NONE && tool->scope->network != NET_OFFLINE &&
        tool->scope->network != NET_OPEN && !tool_lets_reach(tool, &e))
        report_add(r, ABOUT_ODD, doc_get(scope, "network"), e.code,
                   "calls of its operations reach no host: that needs network: api and an "
                   "`approval` of the tool, with by, at and reason");
}
