/* SPDX-License-Identifier: Apache-2.0 */
/* keywords.c: every keyword of the two drafts, in the order in which they are checked.
 */
#include "base/jsonschema/parts.h"

/* clang-format off */
enum { NEW = 1 << SCHEMA_2020_12, OLD = 1 << SCHEMA_DRAFT_07, BOTH = NEW | OLD };
enum { IS_COUNTED = IS_INT | IS_NUMBER };
enum { CORE = VOCABULARY_CORE, APPLY = VOCABULARY_APPLICATOR, VALID = VOCABULARY_VALIDATION, REST = VOCABULARY_UNEVALUATED };

const struct keyword keywords[] = {
    { "$id",                   BOTH, CORE,  HOLDS_NONE },
    { "$schema",               BOTH, CORE,  HOLDS_NONE },
    { "$anchor",               NEW,  CORE,  HOLDS_NONE },
    { "$dynamicAnchor",        NEW,  CORE,  HOLDS_NONE },
    { "$vocabulary",           NEW,  CORE,  HOLDS_NONE },
    { "$defs",                 NEW,  CORE,  HOLDS_MAP },
    { "definitions",           BOTH, CORE,  HOLDS_MAP },

    { "type",                  BOTH, VALID, HOLDS_NONE, IS_ANY,     read_type,       check_type,        say_type,        WEIGHS_KIND },
    { "const",                 BOTH, VALID, HOLDS_NONE, IS_ANY,     read_const,      check_const,       say_const,       WEIGHS_CHOICE },
    { "enum",                  BOTH, VALID, HOLDS_NONE, IS_ANY,     read_enum,       check_enum,        say_enum,        WEIGHS_CHOICE },
    { "minimum",               BOTH, VALID, HOLDS_NONE, IS_COUNTED, read_number,     check_minimum,     say_minimum },
    { "maximum",               BOTH, VALID, HOLDS_NONE, IS_COUNTED, read_number,     check_maximum,     say_maximum },
    { "exclusiveMinimum",      BOTH, VALID, HOLDS_NONE, IS_COUNTED, read_number,     check_above,       say_above },
    { "exclusiveMaximum",      BOTH, VALID, HOLDS_NONE, IS_COUNTED, read_number,     check_below,       say_below },
    { "multipleOf",            BOTH, VALID, HOLDS_NONE, IS_COUNTED, read_multiple,   check_multiple,    say_multiple },
    { "minLength",             BOTH, VALID, HOLDS_NONE, IS_TEXT,    read_count,      check_least_chars, say_least_chars },
    { "maxLength",             BOTH, VALID, HOLDS_NONE, IS_TEXT,    read_count,      check_most_chars,  say_most_chars },
    { "pattern",               BOTH, VALID, HOLDS_NONE, IS_TEXT,    read_pattern,    check_pattern,     say_pattern },
    { "format",                BOTH, CORE,  HOLDS_NONE, IS_TEXT,    read_format,     check_format,      say_format },

    { "minProperties",         BOTH, VALID, HOLDS_NONE, IS_MAP,     read_count,      check_least,       say_least },
    { "maxProperties",         BOTH, VALID, HOLDS_NONE, IS_MAP,     read_count,      check_most,        say_most },
    { "required",              BOTH, VALID, HOLDS_NONE, IS_MAP,     read_required,   check_members },
    { "properties",            BOTH, APPLY, HOLDS_MAP,  IS_MAP,     read_properties, check_members },
    { "patternProperties",     BOTH, APPLY, HOLDS_MAP,  IS_MAP,     read_patterns,   check_members },
    { "additionalProperties",  BOTH, APPLY, HOLDS_ONE,  IS_MAP,     read_additional, check_members },
    { "propertyNames",         BOTH, APPLY, HOLDS_ONE,  IS_MAP,     read_one,        check_names },
    { "dependentRequired",     NEW,  VALID, HOLDS_NONE, IS_MAP,     read_dependent,  check_dependent },
    { "dependentSchemas",      NEW,  APPLY, HOLDS_MAP,  IS_MAP,     read_dependent,  check_dependent },
    { "dependencies",          BOTH, APPLY, HOLDS_MAP,  IS_MAP,     read_dependent,  check_dependent },

    { "minItems",              BOTH, VALID, HOLDS_NONE, IS_LIST,    read_count,      check_least,       say_least },
    { "maxItems",              BOTH, VALID, HOLDS_NONE, IS_LIST,    read_count,      check_most,        say_most },
    { "uniqueItems",           BOTH, VALID, HOLDS_NONE, IS_LIST,    read_unique,     check_unique },
    { "prefixItems",           NEW,  APPLY, HOLDS_LIST, IS_LIST,    read_prefix,     check_items },
    { "items",                 BOTH, APPLY, HOLDS_ONE_OR_LIST, IS_LIST, read_items,  check_items },
    { "additionalItems",       OLD,  APPLY, HOLDS_ONE,  IS_LIST,    read_additional_items, check_items },
    { "contains",              BOTH, APPLY, HOLDS_ONE,  IS_LIST,    read_contains,   check_contains },
    { "minContains",           NEW,  VALID, HOLDS_NONE },
    { "maxContains",           NEW,  VALID, HOLDS_NONE },

    { "$ref",                  BOTH, CORE,  HOLDS_NONE, IS_ANY,     read_ref,        check_ref },
    { "$dynamicRef",           NEW,  CORE,  HOLDS_NONE, IS_ANY,     read_dynamic_ref, check_dynamic_ref },
    { "allOf",                 BOTH, APPLY, HOLDS_LIST, IS_ANY,     read_branches,   check_all },
    { "anyOf",                 BOTH, APPLY, HOLDS_LIST, IS_ANY,     read_branches,   check_any },
    { "oneOf",                 BOTH, APPLY, HOLDS_LIST, IS_ANY,     read_branches,   check_one },
    { "not",                   BOTH, APPLY, HOLDS_ONE,  IS_ANY,     read_not,        check_not },
    { "if",                    BOTH, APPLY, HOLDS_ONE,  IS_ANY,     read_if,         check_if },
    { "then",                  BOTH, APPLY, HOLDS_ONE },
    { "else",                  BOTH, APPLY, HOLDS_ONE },
    { "contentSchema",         NEW,  CORE,  HOLDS_ONE },

    { "unevaluatedItems",      NEW,  REST,  HOLDS_ONE,  IS_LIST,    read_unevaluated, check_unevaluated },
    { "unevaluatedProperties", NEW,  REST,  HOLDS_ONE,  IS_MAP,     read_unevaluated, check_unevaluated },
};
/* clang-format on */

const size_t keyword_count = COUNT(keywords);

const struct keyword *keyword_named(struct build *b, const struct resource *home, struct str name)
{
    const struct name *found;
    const struct keyword *row;

    if (b->rows.count == 0)
        for (size_t i = 0; i < keyword_count; i++)
            schema_name_add(&b->rows, str_of(keywords[i].name), b->a, &b->work)->is =
                (void *)&keywords[i];
    found = schema_name_find(&b->rows, name, &b->work);
    row = found ? found->is : NULL;
    if (!row || !(row->drafts & 1U << home->draft) || !(row->vocabulary & home->vocabularies))
        return NULL;
    return row;
}
