/* SPDX-License-Identifier: Apache-2.0 */
/* check_adapter.c: holds an adapter against its project: its registry, and the other adapters.
 *
 * Who decides is the same as when it is called: transforms_fit(), callable_fits(), tool_lets_call()
 * and tool_lets_reach(). The user's own files are not looked at: what `writ check` says does not
 * depend on who asks.
 */
#include "engine/check_adapter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapter/callable.h"
#include "adapter/catalog.h"
#include "adapter/sdk_bind.h"
#include "adapter/transform.h"
#include "contract/inputs.h"
#include "engine/home.h"
#include "engine/registries.h"

static const char folder[] = "/.writ/adapters";

/* The directory of the file; of standard input, this one. NULL: it has none. */
static const char *directory_of(const char *file, struct arena *a)
{
    _free_ char *real = realpath(file, NULL);
    char here[PATH_MAX];

    if (real)
        return arena_text(a, (struct str){ real, (size_t)(strrchr(real, '/') - real) });
    return getcwd(here, sizeof here) && here[0] == '/' ? arena_text(a, str_of(here)) : NULL;
}

/* The project whose adapters lie in that directory; NULL: it is another one. */
static const char *project_of(const char *directory, struct arena *a)
{
    size_t n = directory ? strlen(directory) : 0, tail = sizeof folder - 1;

    return n > tail && strcmp(directory + n - tail, folder) == 0
               ? arena_text(a, (struct str){ directory, n - tail })
               : NULL;
}

/* ---- other adapters ---- */

/* One that is neither of the project nor shipped may still be one of the user's own. */
static void fallback_is_there(const struct adapter *adapter, const char *directory,
                              struct report *r)
{
    const struct adapter_fallback *fallback = adapter->doc.errors->fallback;
    const char *found = directory ? home_above(directory, folder + 1, r->a) : NULL;
    const struct catalog_entry *entry;
    struct catalog_ask ask = { 0 };
    struct catalog all = { 0 };
    struct error e = { 0 };

    if (!fallback)
        return;
    ask.project = project_of(directory, r->a);
    if (!ask.project && found)
        ask.project = project_of(found, r->a);
    if (catalog_list(&ask, r->a, &all, &e) &&
        !catalog_find(&all, fallback->adapter_id, r->a, &entry, &e) &&
        e.code == CODE_ADAPTER_UNKNOWN)
        report_add(r, ABOUT_ODD,
                   doc_get(doc_get(doc_get(adapter->tree, "errors"), "fallback"), "adapter_id"),
                   CODE_ADAPTER_UNKNOWN,
                   "%s is no adapter of this project or of writ; without one of that id below "
                   "~/.config/writ/adapters nothing can be fallen back to",
                   said(fallback->adapter_id, r->a));
}

/* ---- the registry ---- */

static void operations_called(const struct adapter *adapter, const struct tool_doc *tool,
                              struct report *r)
{
    struct items all = adapter_operations(adapter, r->a);
    const struct str *names = all.v;
    struct error e;

    if (tool->status == TOOL_BLOCKED) {
        if (!tool_lets_call(tool, (struct str){ 0 }, r->a, &e))
            report_add(r, ABOUT_ODD, doc_get(adapter->tree, "tool_id"), e.code, "%s", e.msg);
        return;
    }
    for (size_t i = 0; i < all.n; i++)
        if (!tool_lets_call(tool, names[i], r->a, &e))
            report_add(r, ABOUT_ODD, callable_operation(adapter, names[i]), e.code, "%s", e.msg);
}

/* What the tool has to be allowed to run, and where the adapter says so. .n is 0: nothing, or what
 * is not known before the call. */
static struct str command_of(const struct adapter *adapter, const struct doc **at)
{
    const struct adapter_interface *in = adapter->doc.interface;
    const struct doc *said_in = doc_get(adapter->tree, "interface");

    if (in->cli) {
        *at = doc_get(doc_get(said_in, "cli"), "executable");
        return in->cli->executable;
    }
    if (in->sdk) {
        *at = doc_get(doc_get(said_in, "sdk"), "language");
        return sdk_interpreter(in->sdk);
    }
    if (in->mcp && in->mcp->transport == TRANSPORT_STDIO && in->mcp->command.n) {
        *at = doc_first(doc_get(doc_get(said_in, "mcp"), "command"), DOC_LIST);
        return *(const struct str *)in->mcp->command.v;
    }
    return (struct str){ 0 };
}

/* By their names alone: which file a name leads to is the call's to find out. */
static void command_listed(const struct adapter *adapter, const struct tool_doc *tool,
                           struct report *r)
{
    const struct str *listed = tool->scope->commands.v;
    const struct doc *at = NULL;
    struct str command = command_of(adapter, &at);

    if (command.n == 0 || tool->status == TOOL_BLOCKED)
        return;
    for (size_t i = 0; i < tool->scope->commands.n; i++)
        if (inputs_same_program(listed[i], command))
            return;
    report_add(r, ABOUT_ODD, at, CODE_COMMAND_NOT_ALLOWED,
               "tool %s may not run %s: scope.commands of the registry does not list it",
               said(tool->tool_id, r->a), said(command, r->a));
}

static void registry_lets(const struct adapter *adapter, const char *project, struct report *r)
{
    struct report ignored = report_new(r->a, "", (struct str){ 0 });
    const struct doc *at = doc_get(adapter->tree, "tool_id");
    const struct registry_doc *registry;
    static const char *const anywhere[] = { NULL }; /* whose state directory nobody asks */
    const struct tool_doc *tool;
    struct error e;

    if (!registry_above(NULL, project, anywhere, r->a, &registry, &ignored))
        return; /* it has a check of its own */
    tool = registry_tool(registry, adapter->doc.tool_id);
    if (!registry)
        report_add(r, ABOUT_ODD, at, CODE_OPERATION_NOT_ALLOWED,
                   "it cannot be called yet: there is no registry .writ/tools.yaml that allows its "
                   "tool; `writ init` writes one");
    else if (!tool)
        report_add(r, ABOUT_ODD, at, CODE_OPERATION_NOT_ALLOWED,
                   "it cannot be called yet: the registry .writ/tools.yaml has no tool %s",
                   said(adapter->doc.tool_id, r->a));
    if (!tool)
        return;
    operations_called(adapter, tool, r);
    command_listed(adapter, tool, r);
    if (callable_reaches_out(adapter) && !tool_lets_reach(tool, &e))
        report_add(r, ABOUT_ODD, at, e.code, "%s", e.msg);
}

void check_adapter(const struct doc *root, struct report *r)
{
    struct adapter adapter = { .tree = root, .file = r->file, .origin = ORIGIN_USER };
    struct report ignored = report_new(r->a, "", (struct str){ 0 });
    const char *directory = directory_of(r->file, r->a);
    const char *project = project_of(directory, r->a);

    if (!shape_decode(&adapter_shape, root, &ignored, &adapter.doc)) {
        transforms_fit_alone(root, adapter.doc.transforms, r);
        return;
    }
    if (project)
        adapter.origin = ORIGIN_PROJECT;
    transforms_fit(&adapter, r);
    callable_fits(&adapter, r);
    fallback_is_there(&adapter, directory, r);
    if (project)
        registry_lets(&adapter, project, r);
}
