/* SPDX-License-Identifier: Apache-2.0 */
/* builtin_rule.c: rule_evaluate: which rules apply to some facts, and what they say then. */
#include "base/doc_make.h"
#include "executor/builtin_run.h"
#include "executor/condition.h"

enum mode { MODE_ALL, MODE_FIRST };
static const char *const modes[] = { "all", "first", NULL };

enum { ID_CHARS = 200 };

struct rule_doc {
    struct str id;
    const struct doc *when; /* NULL: always */
    const struct doc *then; /* NULL: nothing is said */
};

struct rules_payload {
    const struct doc *facts;
    struct items rules; /* of struct rule_doc */
    int mode;
};

/* clang-format off */
#define AT(member) offsetof(struct rule_doc, member)
static const struct field rule_fields[] = {
    { "id",   F_TEXT, ONE, NEEDED,   .at = AT(id), .min = 1, .max = ID_CHARS, .help = "Names the rule; unique." },
    { "when", F_MAP,  ONE, OPTIONAL, .at = AT(when), .help = "{\"all\":[..]}, {\"any\":[..]}, {\"not\":{..}} or {\"pointer\":\"/a\",\"op\":\"eq\",\"value\":1}; op: eq ne lt le gt ge in contains exists matches (an I-Regexp, RFC 9485, of all of the text). Left out: always. Where nothing is at the pointer only ne holds, and exists with false." },
    { "then", F_ANY,  ONE, OPTIONAL, .at = AT(then), .help = "What is handed out when it applies." },
};
#undef AT

static const struct shape rule_shape = { .name = "rule",
                                         .size = sizeof(struct rule_doc),
                                         FIELDS(rule_fields),
                                         .code = CODE_EXECUTOR_EXCEPTION };

#define AT(member) offsetof(struct rules_payload, member)
static const struct field rules_fields[] = {
    { "facts", F_ANY,    ONE,  NEEDED,   .at = AT(facts), .help = "The document that conditions look at." },
    { "rules", F_SHAPE,  LIST, NEEDED,   .at = AT(rules), .sub = &rule_shape, .help = "In the order they are tried in." },
    { "mode",  F_CHOICE, ONE,  OPTIONAL, .at = AT(mode), .choices = modes, .fallback = MODE_ALL, .help = "first: the first rule that applies; all: every one." },
};
#undef AT
/* clang-format on */

const struct shape rule_evaluate_payload = { .name = "rule_evaluate payload",
                                             .size = sizeof(struct rules_payload),
                                             FIELDS(rules_fields),
                                             .code = CODE_EXECUTOR_EXCEPTION };

static int by_id(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static bool ids_differ(const struct rules_payload *p, struct arena *a, struct error *e)
{
    struct str *ids = arena_alloc(a, p->rules.n * sizeof *ids);
    const struct rule_doc *rule = p->rules.v;

    for (size_t i = 0; i < p->rules.n; i++)
        ids[i] = rule[i].id;
    if (p->rules.n > 1)
        qsort(ids, p->rules.n, sizeof *ids, by_id);
    for (size_t i = 1; i < p->rules.n; i++)
        if (str_eq(ids[i - 1], ids[i]))
            return error_set(e, CODE_EXECUTOR_EXCEPTION, "/rules: two have the id %s",
                             said(ids[i], a));
    return true;
}

/* All rules are read before the first is tried: whether a rule is well-formed must not depend on
 * the facts. */
static bool read_conditions(const struct rules_payload *p, struct work *w, struct arena *a,
                            const struct condition ***out, struct error *e)
{
    const struct condition **read = arena_alloc(a, p->rules.n * sizeof *read);
    const struct rule_doc *rule = p->rules.v;

    if (!work_do(w, WORK_VALUE * (uint32_t)p->rules.n))
        return work_is_over(e);
    for (size_t i = 0; i < p->rules.n; i++)
        if (rule[i].when && !condition_read(rule[i].when, w, a, &read[i], e))
            return false;
    *out = read;
    return true;
}

/* False: the work is over. */
static bool add_match(const struct rule_doc *rule, struct doc *matched, struct work *w,
                      struct arena *a)
{
    struct doc *map = doc_add_kind(a, matched, NULL, DOC_MAP);

    if (!work_do(w, 2 * WORK_VALUE))
        return false;
    doc_add_text(a, map, "id", rule->id);
    return !rule->then || doc_copy(rule->then, doc_add(a, map, str_of("then")), w, a);
}

bool rule_evaluate_run(const struct doc *payload, struct work *work, struct arena *a,
                       const struct doc **output, struct error *e)
{
    struct doc *map = doc_root(a, DOC_MAP);
    const struct condition **when;
    struct rules_payload p = { 0 };
    const struct rule_doc *rule;
    struct doc *matched;

    if (!payload_read(&rule_evaluate_payload, payload, a, &p, e) || !ids_differ(&p, a, e) ||
        !read_conditions(&p, work, a, &when, e))
        return false;
    rule = p.rules.v;
    matched = doc_add_kind(a, map, "matched", DOC_LIST);
    for (size_t i = 0; i < p.rules.n && !work->over; i++) {
        if (rule[i].when && !condition_holds(when[i], p.facts, work, a))
            continue;
        if (!add_match(&rule[i], matched, work, a) || p.mode == MODE_FIRST)
            break;
    }
    if (work->over)
        return work_is_over(e);
    doc_add_int(a, map, "count", matched->count);
    *output = map;
    return true;
}
