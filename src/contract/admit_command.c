/* SPDX-License-Identifier: Apache-2.0 */
/* admit_command.c: IV-01, which tool of the registry lets a command run, and how far. */
#include "contract/admit.h"

/* ---- which entry names the command ---- */

static bool has(struct str text, char c)
{
    return text.n && memchr(text.s, c, text.n);
}

/* By another name of the same file. A path from the working directory is what somebody put there.
 */
static bool entry_leads(struct str entry, const struct admit_ask *ask)
{
    const struct str *same = ask->same.v;

    if (has(ask->command, '/') && ask->command.s[0] != '/')
        return false;
    for (size_t i = 0; i < ask->same.n; i++)
        if (str_eq(same[i], entry))
            return inputs_same_name(entry, ask->command, ask->executable);
    return false;
}

static bool entry_fits(struct str entry, const struct admit_ask *ask)
{
    bool found = ask->executable.s != NULL;

    if (str_eq(entry, has(entry, '/') && found ? ask->executable : ask->command))
        return true;
    return found && entry_leads(entry, ask);
}

/* A01-2: what runs whatever it is told to must have been meant. */
static bool entry_allows(struct str entry, const struct admit_ask *ask)
{
    bool shell = inputs_is_shell(ask->command) || inputs_is_shell(ask->executable);

    return entry_fits(entry, ask) && (!shell || inputs_is_shell(entry));
}

static bool tool_lists(const struct tool_doc *tool, const struct admit_ask *ask)
{
    const struct str *entries = tool->scope->commands.v;

    for (size_t i = 0; i < tool->scope->commands.n; i++) {
        if (entry_allows(entries[i], ask))
            return true;
    }
    return false;
}

/* ---- where to list it ---- */

static const char *file_of(const struct registry_doc *registry)
{
    return registry->file ? registry->file : "the registry";
}

/* As an entry has to say it: whole, for it is copied from the message. */
static const char *entry_for(const struct admit_ask *ask, struct arena *a)
{
    struct str entry = ask->executable.s ? ask->executable : ask->command;

    for (size_t i = 0; i < entry.n; i++)
        if ((unsigned char)entry.s[i] < ' ' || entry.s[i] == 0x7f)
            return said(entry, a);
    return arena_printf(a, "'%.*s'", STR_ARG(entry));
}

/* ---- a person ---- */

/* The tool that lists the command: an active one before a deprecated one before a blocked one. */
static const struct tool_doc *tool_for_command(const struct admit_ask *ask)
{
    const struct tool_doc *tools = ask->registry->tools.v, *best = NULL;

    for (size_t i = 0; i < ask->registry->tools.n; i++) {
        if (tool_lists(&tools[i], ask) && (!best || tools[i].status < best->status))
            best = &tools[i];
    }
    return best;
}

static bool by_person(const struct admit_ask *ask, struct arena *a, struct admission *out,
                      struct error *e)
{
    if (!ask->registry)
        return true;
    out->tool = tool_for_command(ask);
    if (out->tool || ask->registry->allowlist == ALLOWLIST_CALLER)
        return true;
    return error_set(e, CODE_COMMAND_NOT_ALLOWED,
                     "%s is listed by no tool of %s, which is strict; list %s there, or let it say "
                     "allowlist: caller",
                     said(ask->command, a), file_of(ask->registry), entry_for(ask, a));
}

/* ---- a document ---- */

static const struct tool_doc *tool_named(const struct registry_doc *registry, struct str id)
{
    const struct tool_doc *tools = registry->tools.v;

    for (size_t i = 0; i < registry->tools.n; i++) {
        if (str_eq(tools[i].tool_id, id))
            return &tools[i];
    }
    return NULL;
}

static bool by_document(const struct admit_ask *ask, struct arena *a, struct admission *out,
                        struct error *e)
{
    const char *id = said(ask->tool_id, a);

    if (!ask->registry && str_is(ask->tool_id, ADMIT_LISTED))
        return error_set(e, CODE_COMMAND_NOT_ALLOWED,
                         "a document may run only what a registry lists, and there is none: `writ "
                         "init` writes one; list %s in a tool's scope.commands in .writ/tools.yaml",
                         said(ask->command, a));
    if (!ask->registry)
        return error_set(e, CODE_COMMAND_NOT_ALLOWED,
                         "a document may run only what a registry lists, and there is none: `writ "
                         "init` writes one; list tool %s in .writ/tools.yaml",
                         id);
    out->tool = tool_named(ask->registry, ask->tool_id);
    if (!out->tool && str_is(ask->tool_id, ADMIT_LISTED)) {
        out->tool = tool_for_command(ask);
        return out->tool ||
               error_set(e, CODE_COMMAND_NOT_ALLOWED,
                         "%s is listed by no tool of %s; list %s in a tool's "
                         "scope.commands there",
                         said(ask->command, a), file_of(ask->registry), entry_for(ask, a));
    }
    if (!out->tool)
        return error_set(e, CODE_COMMAND_NOT_ALLOWED, "tool %s is not in %s", id,
                         file_of(ask->registry));
    if (out->tool->status == TOOL_BLOCKED || tool_lists(out->tool, ask))
        return true;
    return error_set(e, CODE_COMMAND_NOT_ALLOWED,
                     "tool %s may not run %s; its scope.commands in %s must list %s", id,
                     said(ask->command, a), file_of(ask->registry), entry_for(ask, a));
}

/* A01-8: a document gets no more than the registry gives its tool. */
static bool within_scope(const struct admit_ask *ask, struct arena *a, const struct tool_doc *tool,
                         struct error *e)
{
    const struct tool_scope *scope = tool->scope;

    if ((int)ask->fs > scope->filesystem)
        return error_set(e, CODE_APPROVAL_MISSING,
                         "filesystem level '%s' is more than tool %s may have, which is '%s'",
                         fs_level_names[ask->fs], said(tool->tool_id, a),
                         fs_level_names[scope->filesystem]);
    if ((int)ask->net > scope->network)
        return error_set(e, CODE_APPROVAL_MISSING,
                         "network level '%s' is more than tool %s may have, which is '%s'",
                         net_level_names[ask->net], said(tool->tool_id, a),
                         net_level_names[scope->network]);
    return true;
}

/* ---- both ---- */

static bool levels_granted(const struct admit_ask *ask, struct arena *a,
                           const struct tool_doc *tool, struct error *e)
{
    bool approved = ask->approved && (ask->person || tool->approval);

    if (!ask->person && !within_scope(ask, a, tool, e))
        return false;
    return fs_level_granted(ask->fs, approved, e) && net_level_granted(ask->net, approved, e);
}

static bool tool_runs(const struct tool_doc *tool, struct arena *a, struct error *e)
{
    if (!tool || tool->status == TOOL_ACTIVE || tool->status == TOOL_DEPRECATED)
        return true;
    return error_set(e, CODE_COMMAND_NOT_ALLOWED,
                     "tool %s is blocked in the registry; only active and deprecated tools run",
                     said(tool->tool_id, a));
}

bool admit_command(const struct admit_ask *ask, struct arena *a, struct admission *out,
                   struct error *e)
{
    bool allowed;

    if (ask->command.n == 0 || has(ask->command, '\0'))
        return error_set(e, CODE_COMMAND_NOT_ALLOWED, "the command %s",
                         ask->command.n ? "holds a NUL byte, which no name can" : "is empty");
    allowed = ask->person ? by_person(ask, a, out, e) : by_document(ask, a, out, e);
    if (!allowed || !tool_runs(out->tool, a, e) || !levels_granted(ask, a, out->tool, e)) {
        out->tool = NULL;
        return false;
    }
    out->checks[CHECK_COMMAND] = "allowed: caller";
    if (out->tool)
        out->checks[CHECK_COMMAND] =
            arena_printf(a, "allowed: %.*s%s", STR_ARG(out->tool->tool_id),
                         out->tool->status == TOOL_DEPRECATED ? " (deprecated)" : "");
    return true;
}
