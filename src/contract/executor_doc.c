/* SPDX-License-Identifier: Apache-2.0 */
/* executor_doc.c: the shapes of executor, action, result and audit record (contract 003).
 *
 * An executor may have more fields than these; the other three are closed, so that nothing but
 * digests of what went in and came out can be written down.
 */
#include "contract/executor_doc.h"

const char *const executor_kind_names[] = { "builtin", "wasm", "jq", NULL };
static const char *const result_names[] = { "SUCCESS", "FAILED", "BLOCKED", NULL };
const char *const action_status_names[] = { "SUCCESS", "FAILED", "BLOCKED", "PENDING", NULL };
static const char *const action_audit[] = { "action_audit", NULL };
static const char *const alg_names[] = { "sha256-jcs", "sha256-raw", NULL };

static struct str trimmed_upper(struct str t, struct arena *a)
{
    char *upper;

    t = str_trim(t, " \t\r\n");
    upper = arena_text(a, t);
    for (size_t i = 0; i < t.n; i++)
        if (upper[i] >= 'a' && upper[i] <= 'z')
            upper[i] = (char)(upper[i] - 'a' + 'A');
    return (struct str){ upper, t.n };
}

/* Upper case outside of ASCII depends on the language, and some letters have none. */
static void capabilities_plain(const struct doc *d, const void *decoded, struct report *r)
{
    (void)decoded;
    for (const struct doc *c = doc_first(doc_get(d, "capabilities"), DOC_LIST); c; c = c->next) {
        bool plain = true;

        for (size_t i = 0; c->kind == DOC_TEXT && i < c->text.n; i++)
            plain = plain && (unsigned char)c->text.s[i] < 0x80;
        if (!plain)
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                       "the capability %s is not all ASCII, and capabilities are compared in upper "
                       "case; name it in ASCII",
                       said(c->text, r->a));
    }
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

void capabilities_normal(const struct items *declared, struct arena *a, struct items *out)
{
    const struct str *text = declared->v;
    struct str *normal = arena_alloc(a, declared->n * sizeof *normal);
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < declared->n; i++) {
        normal[n] = trimmed_upper(text[i], a);
        if (normal[n].n > 0)
            n++;
    }
    if (n > 0)
        qsort(normal, n, sizeof *normal, by_text);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || !str_eq(normal[kept - 1], normal[i]))
            normal[kept++] = normal[i];
    *out = (struct items){ normal, kept };
}

static void result_has_reason(const struct doc *d, const void *decoded, struct report *r)
{
    const struct action_result_doc *result = decoded;
    const struct doc *codes_said = doc_get(d, "reason_codes");

    if (result->status != ACTION_SUCCESS && result->status != CHOICE_NONE && codes_said &&
        codes_said->kind == DOC_LIST && codes_said->count == 0)
        report_add(r, ABOUT_VALUE, codes_said, CODE_VALIDATION_ERROR,
                   "a %s result needs a reason code", result_names[result->status]);
}

/* clang-format off */
#define AT(member) offsetof(struct executor_limits, member)
static const struct field limits_fields[] = {
    { "timeout_ms",        F_INT, ONE, NEEDED, .at = AT(timeout_ms), .min = 1, .max = WHOLE_MAX,        .req = "R-003-008", .help = "Longest time for one call." },
    { "max_payload_bytes", F_INT, ONE, NEEDED, .at = AT(max_payload_bytes), .min = 1, .max = WHOLE_MAX, .req = "R-003-009", .help = "Largest payload, as canonical JSON." },
    { "max_depth",         F_INT, ONE, NEEDED, .at = AT(max_depth), .min = 1, .max = WHOLE_MAX,         .req = "R-003-010", .help = "Deepest nesting; the outermost list or map is 1." },
    { "max_list_items",    F_INT, ONE, NEEDED, .at = AT(max_list_items), .min = 1, .max = WHOLE_MAX,    .req = "R-003-011", .help = "Longest list." },
};
#undef AT
/* clang-format on */

static const struct shape limits_shape = { .name = "pure executor's limits",
                                           .size = sizeof(struct executor_limits),
                                           FIELDS(limits_fields),
                                           .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct fixture_doc, member)
static const struct field fixture_fields[] = {
    { "payload", F_ANY,    ONE, NEEDED,   .at = AT(payload), .req = "R-003-066", .help = "What it is given." },
    { "output",  F_ANY,    ONE, OPTIONAL, .at = AT(output),  .req = "R-003-066", .help = "What it must return; any value when left out." },
    { "nothing", F_BOOL,   ONE, OPTIONAL, .at = AT(nothing), .req = "R-003-067", .help = "true: it must return without an output." },
    { "status",  F_CHOICE, ONE, OPTIONAL, .at = AT(status), .choices = result_names, .fallback = ACTION_SUCCESS, .req = "R-003-024", .help = "What the call must come to." },
};
#undef AT
/* clang-format on */

static void one_expectation(const struct doc *d, const void *decoded, struct report *r)
{
    const struct fixture_doc *fixture = decoded;

    if (fixture->output && fixture->nothing)
        report_add(r, ABOUT_VALUE, doc_place(d, "nothing"), CODE_VALIDATION_ERROR,
                   "a fixture has an output or nothing, not both");
}

static const struct rule fixture_rules[] = {
    { "R-003-067", "A fixture has an output or nothing.", one_expectation },
};

static const struct shape fixture_shape = { .name = "fixture of an executor",
                                            .size = sizeof(struct fixture_doc),
                                            FIELDS(fixture_fields),
                                            RULES(fixture_rules),
                                            .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct executor_doc, member)
static const struct field executor_fields[] = {
    { "executor_id",  F_TEXT,   ONE,  NEEDED,   .at = AT(executor_id), .form = FORM_SNAKE, .min = 1, .max = 200, .req = "R-003-004", .help = "Names the executor; unique." },
    { "version",      F_TEXT,   ONE,  NEEDED,   .at = AT(version), .form = FORM_VERSION,           .req = "R-003-005", .help = "Its version." },
    { "capabilities", F_TEXT,   LIST, NEEDED,   .at = AT(capabilities), .min = 1,                  .req = "R-003-006", .help = "What it declares it can do; upper case once registered." },
    { "limits",       F_SHAPE,  ONE,  NEEDED,   .at = AT(limits), .sub = &limits_shape,            .req = "R-003-012", .help = "What one call may use." },
    { "kind",         F_CHOICE, ONE,  OPTIONAL, .at = AT(kind), .choices = executor_kind_names, .fallback = EXECUTOR_BUILTIN, .req = "R-003-058", .help = "What it is made of." },
    { "source",       F_TEXT,   ONE,  OPTIONAL, .at = AT(source), .min = 1,                        .req = "R-003-058", .help = "The file it is made from." },
    { "fixtures",     F_SHAPE,  LIST, OPTIONAL, .at = AT(fixtures), .sub = &fixture_shape,                       .req = "R-003-058", .help = "Calls the review gate tries." },
};
#undef AT

static const struct rule executor_rules[] = {
    { "R-003-007", "Capabilities are ASCII.", capabilities_plain },
};

#define AT(member) offsetof(struct action_doc, member)
static const struct field action_fields[] = {
    { "executor_id",      F_TEXT, ONE, NEEDED,   .at = AT(executor_id), .form = FORM_SNAKE,        .req = "R-003-014", .help = "The executor that is called." },
    { "payload",          F_ANY,  ONE, NEEDED,   .at = AT(payload),                                .req = "R-003-014", .help = "What it is given." },
    { "trace_id",         F_TEXT, ONE, OPTIONAL, .at = AT(trace_id), .form = FORM_UUID,            .req = "R-003-051", .help = "Names the call; a new one when left out." },
    { "executor_version", F_TEXT, ONE, OPTIONAL, .at = AT(executor_version), .form = FORM_VERSION, .req = "R-003-029", .help = "The version that is wanted; the newest when left out." },
};
#undef AT

#define AT(member) offsetof(struct action_result_doc, member)
static const struct field result_fields[] = {
    { "executor_id",      F_TEXT,   ONE,  NEEDED,   .at = AT(executor_id), .form = FORM_SNAKE,                .req = "R-003-045", .help = "The executor that was called." },
    { "executor_version", F_TEXT,   ONE,  NEEDED,   .at = AT(executor_version), .form = FORM_VERSION,         .req = "R-003-045", .help = "Its version." },
    { "status",           F_CHOICE, ONE,  NEEDED,   .at = AT(status), .choices = result_names,                .req = "R-003-041", .help = "What the call came to." },
    { "reason_codes",     F_TEXT,   LIST, NEEDED,   .at = AT(reason_codes), .min = 1,                         .req = "R-003-041", .help = "Why, where it did not succeed." },
    { "input_digest",     F_TEXT,   ONE,  NEEDED,   .at = AT(input_digest), .form = FORM_DIGEST,              .req = "R-003-032", .help = "Digest of the payload." },
    { "output_digest",    F_TEXT,   ONE,  NEEDED_OR_NULL, .at = AT(output_digest), .form = FORM_DIGEST,       .req = "R-003-056", .help = "Digest of the output; null when there was none." },
    { "trace_id",         F_TEXT,   ONE,  NEEDED,   .at = AT(trace_id), .form = FORM_UUID,                    .req = "R-003-051", .help = "Names the call." },
    { "duration_ms",      F_INT,    ONE,  NEEDED,   .at = AT(duration_ms), .min = 0, .max = WHOLE_MAX,        .req = "R-003-052", .help = "How long it took." },
    { "ts_utc",           F_TEXT,   ONE,  NEEDED,   .at = AT(ts_utc), .form = FORM_STAMP,                     .req = "R-003-045", .help = "When it ended." },
};
#undef AT

static const struct rule result_rules[] = {
    { "R-003-041", "A FAILED or BLOCKED result has a reason code.", result_has_reason },
};

#define AT(member) offsetof(struct audit_doc, member)
/* In the order of their names, so that what shape_json() writes is canonical as it is. */
static const struct field audit_fields[] = {
    { "delivered",        F_BOOL,   ONE,  OPTIONAL,       .at = AT(delivered),                                 .req = "R-003-031", .help = "true: the output was handed to the caller." },
    { "digest_alg",       F_CHOICE, ONE,  OPTIONAL,       .at = AT(digest_alg), .choices = alg_names, .fallback = DIGEST_JCS, .req = "R-003-032", .help = "How the bytes were made that the digests cover." },
    { "duration_ms",      F_INT,    ONE,  NEEDED,         .at = AT(duration_ms), .min = 0, .max = WHOLE_MAX,   .req = "R-003-052", .help = "How long it took." },
    { "event_type",       F_CHOICE, ONE,  NEEDED,         .at = AT(event_type), .choices = action_audit,       .req = "R-003-047", .help = "Fixed by the contract." },
    { "executor_id",      F_TEXT,   ONE,  NEEDED,         .at = AT(executor_id), .form = FORM_SNAKE,           .req = "R-003-048", .help = "The executor that was called." },
    { "executor_version", F_TEXT,   ONE,  NEEDED,         .at = AT(executor_version), .form = FORM_VERSION,    .req = "R-003-049", .help = "Its version." },
    { "input_digest",     F_TEXT,   ONE,  NEEDED,         .at = AT(input_digest), .form = FORM_DIGEST,         .req = "R-003-053", .help = "Digest of the payload." },
    { "output_digest",    F_TEXT,   ONE,  NEEDED_OR_NULL, .at = AT(output_digest), .form = FORM_DIGEST,        .req = "R-003-054", .help = "Digest of the output; null when there was none." },
    { "reason_codes",     F_TEXT,   LIST, OPTIONAL,       .at = AT(reason_codes), .min = 1,                    .req = "R-003-057", .help = "Why, where it did not succeed." },
    { "status",           F_CHOICE, ONE,  NEEDED,         .at = AT(status), .choices = action_status_names,            .req = "R-003-050", .help = "What the call came to; PENDING before it began." },
    { "trace_id",         F_TEXT,   ONE,  NEEDED,         .at = AT(trace_id), .form = FORM_UUID,               .req = "R-003-051", .help = "Names the call." },
    { "ts_utc",           F_TEXT,   ONE,  OPTIONAL,       .at = AT(ts_utc), .form = FORM_STAMP,                .req = "R-003-057", .help = "When it was recorded." },
};
#undef AT
/* clang-format on */

const struct shape executor_shape = { .name = "pure executor",
                                      .size = sizeof(struct executor_doc),
                                      FIELDS(executor_fields),
                                      RULES(executor_rules),
                                      .code = CODE_VALIDATION_ERROR,
                                      .open = true };
const struct shape action_shape = { .name = "call of an executor",
                                    .size = sizeof(struct action_doc),
                                    FIELDS(action_fields),
                                    .code = CODE_VALIDATION_ERROR };
const struct shape action_result_shape = { .name = "result of an action",
                                           .size = sizeof(struct action_result_doc),
                                           FIELDS(result_fields),
                                           RULES(result_rules),
                                           .code = CODE_VALIDATION_ERROR };
const struct shape audit_shape = { .name = "record of an action",
                                   .size = sizeof(struct audit_doc),
                                   FIELDS(audit_fields),
                                   .code = CODE_VALIDATION_ERROR };
