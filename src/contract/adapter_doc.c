/* SPDX-License-Identifier: Apache-2.0 */
/* adapter_doc.c: the shape of an adapter, all but its interface (contract 001, adapter schema).
 *
 * Each row says from which level of disclosure on it is shown. A map of names that is shown at L1
 * is there a list of the names alone; disclose.c reads it so.
 */
#include "contract/adapter_doc.h"

#include "contract/fallback.h"
#include "contract/network_doc.h"
#include "contract/whole.h"

/* clang-format off */
const char *const adapter_types[]      = { "cli", "api", "sdk", "mcp", NULL };
static const char *const input_names[]  = { "rename", "map", "default", "validate", NULL };
static const char *const output_names[] = { "parse", "extract", "format", NULL };
static const char *const status_names[] = { "active", "deprecated", "experimental", NULL };
/* clang-format on */

static void interface_fits(const struct doc *d, const void *decoded, struct report *r)
{
    const struct adapter_doc *adapter = decoded;
    const struct doc *interface = doc_get(d, "interface");
    const char *mine;

    if (adapter->type == CHOICE_NONE || !interface || interface->kind != DOC_MAP)
        return;
    mine = adapter_types[adapter->type];
    if (!doc_get(interface, mine))
        report_add(r, ABOUT_VALUE, interface, CODE_VALIDATION_ERROR,
                   "an adapter of type '%s' needs 'interface.%s'", mine, mine);
    for (int i = 0; i < ADAPTER_TYPE_COUNT; i++) {
        const struct doc *other = doc_get(interface, adapter_types[i]);

        if (other && i != adapter->type)
            report_add(r, ABOUT_KEY, other, CODE_VALIDATION_ERROR,
                       "an adapter of type '%s' must not have 'interface.%s'", mine,
                       adapter_types[i]);
    }
}

static void condition_is_known(const struct doc *d, const void *decoded, struct report *r)
{
    const struct adapter_fallback *fallback = decoded;
    struct str word;
    const char *wrong = fallback->condition.s ? fallback_wrong(fallback->condition, &word) : NULL;

    if (wrong)
        report_add(r, ABOUT_VALUE, doc_get(d, "condition"), CODE_VALIDATION_ERROR, "%s %s",
                   said(word.n ? word : fallback->condition, r->a), wrong);
}

static void fallback_is_another(const struct doc *d, const void *decoded, struct report *r)
{
    const struct adapter_doc *adapter = decoded;
    const struct adapter_fallback *fallback = adapter->errors ? adapter->errors->fallback : NULL;

    if (fallback && fallback->adapter_id.s && str_eq(fallback->adapter_id, adapter->adapter_id))
        report_add(r, ABOUT_VALUE, doc_get(doc_get(doc_get(d, "errors"), "fallback"), "adapter_id"),
                   CODE_VALIDATION_ERROR, "'%.*s' is this adapter itself; fall back to another",
                   STR_ARG(fallback->adapter_id));
}

static void secrets_named(const struct doc *d, const void *decoded, struct report *r)
{
    const struct adapter_doc *adapter = decoded;
    const struct secret_doc *all = adapter->secrets.v;
    const struct doc *c = doc_first(doc_get(d, "secrets"), DOC_LIST);

    for (size_t i = 0; c && i < adapter->secrets.n; i++, c = c->next) {
        if (!all[i].name.n)
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                       "a secret of an adapter needs 'name'");
        for (size_t j = 0; j < i; j++)
            if (all[i].name.n && all[j].name.n && str_eq(all[i].name, all[j].name))
                report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                           "there is a secret of the name %s before it", said(all[i].name, r->a));
    }
}

/* clang-format off */
#define AT(member) offsetof(struct transform, member)
static const struct field input_fields[] = {
    { "type", F_CHOICE, ONE, NEEDED, .at = AT(type), .choices = input_names,  .level = L2, .req = "R-001-101", .help = "What is done to the input." },
    { "spec", F_ANY,    ONE, NEEDED, .at = AT(spec),                          .level = L2, .req = "R-001-101", .help = "How, in the words of that transform." },
};
static const struct field output_fields[] = {
    { "type", F_CHOICE, ONE, NEEDED, .at = AT(type), .choices = output_names, .level = L2, .req = "R-001-105", .help = "What is done to the output." },
    { "spec", F_ANY,    ONE, NEEDED, .at = AT(spec),                          .level = L2, .req = "R-001-105", .help = "How, in the words of that transform." },
};
#undef AT

#define AT(member) offsetof(struct adapter_retry, member)
static const struct field retry_fields[] = {
    { "max_attempts",    F_INT, ONE,  OPTIONAL, .at = AT(max_attempts), .min = 1, .max = WHOLE_MAX, .fallback = 1, .level = L2, .req = "R-001-109", .help = "Attempts altogether; 1 means no retry." },
    { "backoff_ms",      F_INT, ONE,  OPTIONAL, .at = AT(backoff_ms), .min = 0, .max = WHOLE_MAX, .fallback = 0,   .level = L2, .req = "R-001-110", .help = "Wait before the first retry." },
    { "retryable_codes", F_INT, LIST, OPTIONAL, .at = AT(retryable_codes),                                         .level = L2, .req = "R-001-111", .help = "Only these exit codes or statuses are tried again." },
};
#undef AT

#define AT(member) offsetof(struct adapter_fallback, member)
static const struct field fallback_fields[] = {
    { "adapter_id", F_TEXT, ONE, NEEDED, .at = AT(adapter_id), .min = 1, .level = L2, .req = "R-001-112", .help = "The adapter used instead." },
    { "condition",  F_TEXT, ONE, NEEDED, .at = AT(condition), .min = 1,  .level = L2, .req = "R-001-113", .help = "When it is used." },
};
#undef AT

static const struct rule fallback_rules[] = {
    { "R-001-113", "A condition is failed, unavailable, timeout, a number, or several of these.", condition_is_known },
};

#define AT(member) offsetof(struct override_network, member)
static const struct field network_fields[] = {
    { "enabled", F_BOOL, ONE,  OPTIONAL, .at = AT(enabled),         .level = L2, .req = "R-001-116", .help = "false: nothing can be reached." },
    { "allow",   F_TEXT, LIST, OPTIONAL, .at = AT(allow), .min = 1, .level = L2, .req = "R-001-116", .help = "The only hosts that can be reached." },
};
#undef AT

static const struct rule network_rules[] = {
    { "R-001-116", "Hosts are allowed only where the network is on.", whole_network },
    { "R-001-116", "An entry is a name, *.name or an address, with a port or without.", network_entries },
};

#define AT(member) offsetof(struct adapter_metadata, member)
static const struct field metadata_fields[] = {
    { "author",  F_TEXT,   ONE, NEEDED, .at = AT(author), .min = 1,                 .level = L3, .req = "R-001-117", .help = "Who made the adapter." },
    { "created", F_TEXT,   ONE, NEEDED, .at = AT(created), .form = FORM_DAY,        .level = L3, .req = "R-001-118", .help = "When it was made." },
    { "updated", F_TEXT,   ONE, NEEDED, .at = AT(updated), .form = FORM_DAY,        .level = L3, .req = "R-001-119", .help = "When it was last changed." },
    { "status",  F_CHOICE, ONE, NEEDED, .at = AT(status), .choices = status_names,  .level = L3, .req = "R-001-120", .help = "Whether it should be used." },
};
#undef AT
/* clang-format on */

static const struct shape input_shape = { .name = "transform of input",
                                          .size = sizeof(struct transform),
                                          FIELDS(input_fields),
                                          .code = CODE_VALIDATION_ERROR };
static const struct shape output_shape = { .name = "transform of output",
                                           .size = sizeof(struct transform),
                                           FIELDS(output_fields),
                                           .code = CODE_VALIDATION_ERROR };
static const struct shape retry_shape = { .name = "retry policy",
                                          .size = sizeof(struct adapter_retry),
                                          FIELDS(retry_fields),
                                          .code = CODE_VALIDATION_ERROR };
static const struct shape fallback_shape = { .name = "fallback",
                                             .size = sizeof(struct adapter_fallback),
                                             FIELDS(fallback_fields),
                                             RULES(fallback_rules),
                                             .code = CODE_VALIDATION_ERROR };
static const struct shape network_shape = { .name = "sandbox override's network",
                                            .size = sizeof(struct override_network),
                                            FIELDS(network_fields),
                                            RULES(network_rules),
                                            .code = CODE_VALIDATION_ERROR };
static const struct shape metadata_shape = { .name = "tool adapter's metadata",
                                             .size = sizeof(struct adapter_metadata),
                                             FIELDS(metadata_fields),
                                             .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct adapter_transforms, member)
static const struct field transforms_fields[] = {
    { "input",  F_SHAPE, LIST, OPTIONAL, .at = AT(input), .sub = &input_shape,   .level = L2, .req = "R-001-108", .help = "Done to the parameters before the call, in order." },
    { "output", F_SHAPE, LIST, OPTIONAL, .at = AT(output), .sub = &output_shape, .level = L2, .req = "R-001-108", .help = "Done to what comes back, in order." },
};
#undef AT

#define AT(member) offsetof(struct adapter_errors, member)
static const struct field errors_fields[] = {
    { "retry",    F_SHAPE, ONE, NULLABLE, .at = AT(retry), .sub = &retry_shape, .filled = true, .level = L2, .req = "R-001-109", .help = "When and how often a failed call is tried again." },
    { "fallback", F_SHAPE, ONE, NULLABLE, .at = AT(fallback), .sub = &fallback_shape,           .level = L2, .req = "R-001-112", .help = "Another adapter to use instead; null means none." },
};
#undef AT

#define AT(member) offsetof(struct sandbox_override, member)
static const struct field override_fields[] = {
    { "timeout_ms", F_INT,   ONE, NULLABLE, .at = AT(timeout_ms), .limit = &limits[LIMIT_TIMEOUT_MS], .bare = true, .level = L2, .req = "R-001-114", .help = "Takes the place of the default timeout." },
    { "memory_mb",  F_INT,   ONE, NULLABLE, .at = AT(memory_mb), .limit = &limits[LIMIT_MEMORY_MB], .bare = true,   .level = L2, .req = "R-001-115", .help = "Takes the place of the default memory limit." },
    { "network",    F_SHAPE, ONE, NULLABLE, .at = AT(network), .sub = &network_shape,                               .level = L2, .req = "R-001-116", .help = "Takes the place of the default network settings." },
};
#undef AT
/* clang-format on */

static const struct shape transforms_shape = { .name = "tool adapter's transforms",
                                               .size = sizeof(struct adapter_transforms),
                                               FIELDS(transforms_fields),
                                               .code = CODE_VALIDATION_ERROR };
static const struct shape errors_shape = { .name = "tool adapter's errors",
                                           .size = sizeof(struct adapter_errors),
                                           FIELDS(errors_fields),
                                           .code = CODE_VALIDATION_ERROR };
static const struct shape override_shape = { .name = "sandbox override",
                                             .size = sizeof(struct sandbox_override),
                                             FIELDS(override_fields),
                                             .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct adapter_doc, member)
static const struct field adapter_fields[] = {
    { "adapter_id",       F_TEXT,   ONE, NEEDED,   .at = AT(adapter_id), .min = 1,                                       .level = L0, .req = "R-001-081", .help = "Names the adapter; unique." },
    { "name",             F_TEXT,   ONE, NEEDED,   .at = AT(name), .min = 1,                                             .level = L0, .req = "R-001-082", .help = "Names it for people." },
    { "version",          F_TEXT,   ONE, NEEDED,   .at = AT(version), .form = FORM_VERSION,                              .level = L2, .req = "R-001-083", .help = "Version of the adapter." },
    { "tool_id",          F_TEXT,   ONE, NEEDED,   .at = AT(tool_id), .min = 1,                                          .level = L0, .req = "R-001-084", .help = "The tool it is for, as the registry names it." },
    { "tool_version",     F_TEXT,   ONE, OPTIONAL, .at = AT(tool_version), .form = FORM_TOOL_VERSION,                    .level = L2, .req = "R-001-159", .help = "The versions of the tool it is for; any when left out." },
    { "type",             F_CHOICE, ONE, NEEDED,   .at = AT(type), .choices = adapter_types,                    .level = L0, .req = "R-001-085", .help = "What kind of tool it is." },
    { "interface",        F_SHAPE,  ONE, NEEDED,   .at = AT(interface), .sub = &interface_shape,                         .level = L1, .req = "R-001-085", .help = "How the tool is called; one of the four, as the type says." },
    { "operations",       F_MAP,    ONE, OPTIONAL, .at = AT(operations), .sub = &operation_shape,                       .level = L1, .req = "R-001-139", .help = "What is known of each operation beside the mappings: about, input, output, .." },
    { "secrets",          F_SHAPE,  LIST, OPTIONAL, .at = AT(secrets), .sub = &secret_shape, .most = 32,                 .level = L2, .req = "R-001-091", .help = "Where the secrets it needs are found; it gets no others." },
    { "transforms",       F_SHAPE,  ONE, NULLABLE, .at = AT(transforms), .sub = &transforms_shape, .filled = true,       .level = L2, .req = "R-001-108", .help = "What is done to input and output." },
    { "errors",           F_SHAPE,  ONE, NULLABLE, .at = AT(errors), .sub = &errors_shape, .filled = true,               .level = L2, .req = "R-001-109", .help = "What follows a failed call." },
    { "sandbox_override", F_SHAPE,  ONE, NULLABLE, .at = AT(sandbox_override), .sub = &override_shape, .filled = true,   .level = L2, .req = "R-001-114", .help = "Limits of its own, within the same ranges." },
    { "metadata",         F_SHAPE,  ONE, NEEDED,   .at = AT(metadata), .sub = &metadata_shape,                           .level = L3, .req = "R-001-117", .help = "Who made it, when, and whether to use it." },
    { "examples",         F_ANY,    ONE, OPTIONAL, .at = AT(examples),                                                   .level = L3, .req = "R-001-141", .help = "Calls, to learn from." },
    { "fixtures",         F_ANY,    ONE, OPTIONAL, .at = AT(fixtures),                                                   .level = L3, .req = "R-001-141", .help = "Calls and what must come of them, to test with." },
};
#undef AT

static const struct rule adapter_rules[] = {
    { "R-001-085", "The interface is the one the type names, and no other.", interface_fits },
    { "R-001-112", "An adapter does not fall back to itself.",               fallback_is_another },
    { "R-001-139", "What is said about operations has their form.",          operations_fit },
    { "R-001-091", "Secrets have names, and no two the same.",               secrets_named },
    { "A01-2",     "No text holds a NUL byte.",                              whole_texts },
};
/* clang-format on */

const struct shape adapter_shape = { .name = "tool adapter",
                                     .size = sizeof(struct adapter_doc),
                                     FIELDS(adapter_fields),
                                     RULES(adapter_rules),
                                     .code = CODE_VALIDATION_ERROR };
