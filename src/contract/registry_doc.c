/* SPDX-License-Identifier: Apache-2.0 */
/* registry_doc.c: the shape of the tool registry. What it does not list is not allowed. */
#include "contract/registry_doc.h"

#include "contract/inputs.h"
#include "contract/whole.h"

static const char *const allowlist_names[] = { "strict", "caller", NULL };
static const char *const iv02_names[] = { "escape", "block", NULL };
static const char *const status_names[] = { "active", "deprecated", "blocked", NULL };

/* A tool's place in the registry, sorted by id. */
struct entry {
    struct str id;
    const struct doc *tool;
    size_t n;
};

static int by_id(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = str_cmp(x->id, y->id);

    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

static void tool_ids_unique(const struct doc *d, const void *decoded, struct report *r)
{
    const struct items *tools = &((const struct registry_doc *)decoded)->tools;
    const struct tool_doc *tool = tools->v;
    struct entry *entries = arena_alloc(r->a, tools->n * sizeof *entries);
    const struct doc *c = tools->n ? doc_get(d, "tools")->first : NULL;
    size_t n = 0;

    for (size_t i = 0; i < tools->n; i++, c = c->next)
        if (tool[i].tool_id.s)
            entries[n++] = (struct entry){ tool[i].tool_id, c, i };
    if (n > 0)
        qsort(entries, n, sizeof *entries, by_id);
    for (size_t i = 1; i < n; i++)
        if (str_eq(entries[i - 1].id, entries[i].id))
            report_add(r, ABOUT_VALUE, doc_get(entries[i].tool, "tool_id"), CODE_VALIDATION_ERROR,
                       "'%.*s' is the id of tool %zu already; ids are unique",
                       STR_ARG(entries[i].id), entries[i - 1].n);
}

static void levels_approved(const struct doc *d, const void *decoded, struct report *r)
{
    const struct tool_doc *tool = decoded;
    const struct doc *scope = doc_get(d, "scope");
    struct error e;

    if (!tool->scope)
        return;
    if (tool->scope->filesystem != CHOICE_NONE &&
        !fs_level_granted((enum fs_level)tool->scope->filesystem, tool->approval, &e))
        report_add(r, ABOUT_VALUE, doc_get(scope, "filesystem"), e.code, "%s", e.msg);
    if (tool->scope->network != CHOICE_NONE &&
        !net_level_granted((enum net_level)tool->scope->network, tool->approval, &e))
        report_add(r, ABOUT_VALUE, doc_get(scope, "network"), e.code, "%s", e.msg);
}

static void shells_seen(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "commands"), DOC_LIST);

    (void)decoded;
    for (; c; c = c->next)
        if (c->kind == DOC_TEXT && inputs_is_shell(c->text))
            report_add(r, ABOUT_ODD, c, CODE_REGISTRY_SHELL,
                       "'%.*s' can run anything; name the programs it should start instead",
                       STR_ARG(c->text));
}

/* clang-format off */
#define AT(member) offsetof(struct tool_scope, member)
static const struct field scope_fields[] = {
    { "commands",   F_TEXT,   LIST, OPTIONAL, .at = AT(commands), .min = 1,                                                 .req = "R-001-055", .help = "Commands that may run." },
    { "operations", F_TEXT,   LIST, OPTIONAL, .at = AT(operations), .min = 1,                                               .req = "R-001-162", .help = "Operations that may be called through adapters." },
    { "filesystem", F_CHOICE, ONE,  OPTIONAL, .at = AT(filesystem), .choices = fs_level_names, .fallback = FS_STANDARD,     .req = "R-001-049", .help = "The most of the disk it may be given; elevated needs an approval, extended too where an adapter is called." },
    { "network",    F_CHOICE, ONE,  OPTIONAL, .at = AT(network), .choices = net_level_names, .fallback = NET_OFFLINE,       .req = "R-001-054", .help = "The most of the network it may be given; open needs an approval. Calls of adapters reach hosts with api or open alone, and always need one." },
    { "iv02",       F_CHOICE, ONE,  OPTIONAL, .at = AT(iv02), .choices = iv02_names, .fallback = IV02_ESCAPE,               .req = "R-001-056", .help = "Hand arguments over literally, or refuse those a shell would read." },
};
#undef AT

static const struct rule scope_rules[] = {
    { "R-001-055", "A shell or an interpreter among the commands is warned about.", shells_seen },
};

#define AT(member) offsetof(struct tool_approval, member)
static const struct field approval_fields[] = {
    { "by",     F_TEXT, ONE, NEEDED, .at = AT(by), .min = 1,          .req = "R-001-049", .help = "Who approved it." },
    { "at",     F_TEXT, ONE, NEEDED, .at = AT(at), .form = FORM_DAY,  .req = "R-001-049", .help = "When." },
    { "reason", F_TEXT, ONE, NEEDED, .at = AT(reason), .min = 1,      .req = "R-001-049", .help = "Why." },
};
#undef AT
/* clang-format on */

static const struct shape scope_shape = { .name = "tool's scope",
                                          .size = sizeof(struct tool_scope),
                                          FIELDS(scope_fields),
                                          RULES(scope_rules),
                                          .code = CODE_VALIDATION_ERROR };
static const struct shape approval_shape = { .name = "tool's approval",
                                             .size = sizeof(struct tool_approval),
                                             FIELDS(approval_fields),
                                             .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct tool_doc, member)
static const struct field tool_fields[] = {
    { "tool_id",     F_TEXT,   ONE, NEEDED,   .at = AT(tool_id), .min = 1,                   .req = "R-001-003", .help = "Names the tool; unique." },
    { "name",        F_TEXT,   ONE, NEEDED,   .at = AT(name), .min = 1,                      .req = "R-001-158", .help = "Names it for people." },
    { "version",     F_TEXT,   ONE, OPTIONAL, .at = AT(version), .form = FORM_TOOL_VERSION,  .req = "R-001-159", .help = "The versions that may run; any when left out." },
    { "owner",       F_TEXT,   ONE, NEEDED,   .at = AT(owner), .min = 1,                     .req = "R-001-173", .help = "Who answers for it." },
    { "provenance",  F_TEXT,   ONE, OPTIONAL, .at = AT(provenance), .min = 1,                .req = "R-001-173", .help = "Where it comes from." },
    { "scope",       F_SHAPE,  ONE, NEEDED,   .at = AT(scope), .sub = &scope_shape,          .req = "R-001-162", .help = "What it may do." },
    { "approval",    F_SHAPE,  ONE, OPTIONAL, .at = AT(approval), .sub = &approval_shape,    .req = "R-001-049", .help = "Who let it in, when and why; calls of adapters need it for hosts, and for more of the disk than standard." },
    { "status",      F_CHOICE, ONE, NEEDED,   .at = AT(status), .choices = status_names,     .req = "R-001-158", .help = "active runs, deprecated runs with a warning, blocked does not." },
    { "last_review", F_TEXT,   ONE, OPTIONAL, .at = AT(last_review), .form = FORM_DAY,       .req = "R-001-173", .help = "When it was last looked at." },
    { "next_review", F_TEXT,   ONE, OPTIONAL, .at = AT(next_review), .form = FORM_DAY,       .req = "R-001-173", .help = "When it is looked at again." },
};
#undef AT

static const struct rule tool_rules[] = {
    { "R-001-049", "filesystem elevated and network open need an approval.", levels_approved },
    { "R-001-049", "Calls of operations reach hosts, and more of the disk than standard, only with an approval; less is warned about.", tool_calls_odd },
};
/* clang-format on */

static const struct shape tool_shape = { .name = "tool",
                                         .size = sizeof(struct tool_doc),
                                         FIELDS(tool_fields),
                                         RULES(tool_rules),
                                         .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct registry_doc, member)
static const struct field registry_fields[] = {
    { "allowlist", F_CHOICE, ONE,  OPTIONAL, .at = AT(allowlist), .choices = allowlist_names, .fallback = ALLOWLIST_STRICT, .req = "R-001-055", .help = "strict: only what is listed runs; caller: a person's own command too." },
    { "tools",     F_SHAPE,  LIST, NEEDED,   .at = AT(tools), .sub = &tool_shape,                                           .req = "R-001-158", .help = "The tools that are allowed." },
};
#undef AT

static const struct rule registry_rules[] = {
    { "R-001-003", "Tool ids are unique.",      tool_ids_unique },
    { "A01-2",     "No text holds a NUL byte.", whole_texts },
};
/* clang-format on */

const struct shape registry_shape = { .name = "registry",
                                      .size = sizeof(struct registry_doc),
                                      FIELDS(registry_fields),
                                      RULES(registry_rules),
                                      .code = CODE_VALIDATION_ERROR };
