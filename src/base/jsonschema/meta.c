/* SPDX-License-Identifier: Apache-2.0 */
/* meta.c: the schemas that schemas have: 2020-12 in its parts, draft-07 whole.
 *
 * Written with ' for ", so that they can be read; meta_text() puts that right. */
#include "base/jsonschema/parts.h"

/* clang-format off */
static const char schema_2020[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/schema'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/core':true"
    ",'https://json-schema.org/draft/2020-12/vocab/applicator':true"
    ",'https://json-schema.org/draft/2020-12/vocab/unevaluated':true"
    ",'https://json-schema.org/draft/2020-12/vocab/validation':true"
    ",'https://json-schema.org/draft/2020-12/vocab/meta-data':true"
    ",'https://json-schema.org/draft/2020-12/vocab/format-annotation':true"
    ",'https://json-schema.org/draft/2020-12/vocab/content':true}"
    ",'$dynamicAnchor':'meta'"
    ",'allOf':[{'$ref':'meta/core'},{'$ref':'meta/applicator'},{'$ref':'meta/unevaluated'}"
    ",{'$ref':'meta/validation'},{'$ref':'meta/meta-data'},{'$ref':'meta/format-annotation'}"
    ",{'$ref':'meta/content'}]"
    ",'type':['object','boolean']"
    ",'properties':{'definitions':{'type':'object','additionalProperties':{'$dynamicRef':'#meta'}}"
    ",'dependencies':{'type':'object','additionalProperties':{'anyOf':[{'$dynamicRef':'#meta'}"
    ",{'$ref':'meta/validation#/$defs/texts'}]}}"
    ",'$recursiveAnchor':{'type':'string'}"
    ",'$recursiveRef':{'type':'string','format':'uri-reference'}}}";

static const char core[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/core'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/core':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'$id':{'type':'string','format':'uri-reference','pattern':'^[^#]*#?$'}"
    ",'$schema':{'type':'string','format':'uri'}"
    ",'$ref':{'type':'string','format':'uri-reference'}"
    ",'$anchor':{'type':'string','pattern':'^[A-Za-z_][-A-Za-z0-9._]*$'}"
    ",'$dynamicRef':{'type':'string','format':'uri-reference'}"
    ",'$dynamicAnchor':{'type':'string','pattern':'^[A-Za-z_][-A-Za-z0-9._]*$'}"
    ",'$vocabulary':{'type':'object','propertyNames':{'type':'string','format':'uri'}"
    ",'additionalProperties':{'type':'boolean'}}"
    ",'$comment':{'type':'string'}"
    ",'$defs':{'type':'object','additionalProperties':{'$dynamicRef':'#meta'}}}}";

static const char applicator[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/applicator'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/applicator':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'prefixItems':{'$ref':'#/$defs/some'}"
    ",'items':{'$dynamicRef':'#meta'},'contains':{'$dynamicRef':'#meta'}"
    ",'additionalProperties':{'$dynamicRef':'#meta'}"
    ",'properties':{'type':'object','additionalProperties':{'$dynamicRef':'#meta'}}"
    ",'patternProperties':{'type':'object','additionalProperties':{'$dynamicRef':'#meta'}"
    ",'propertyNames':{'format':'regex'}}"
    ",'dependentSchemas':{'type':'object','additionalProperties':{'$dynamicRef':'#meta'}}"
    ",'propertyNames':{'$dynamicRef':'#meta'},'if':{'$dynamicRef':'#meta'}"
    ",'then':{'$dynamicRef':'#meta'},'else':{'$dynamicRef':'#meta'}"
    ",'allOf':{'$ref':'#/$defs/some'},'anyOf':{'$ref':'#/$defs/some'}"
    ",'oneOf':{'$ref':'#/$defs/some'},'not':{'$dynamicRef':'#meta'}}"
    ",'$defs':{'some':{'type':'array','minItems':1,'items':{'$dynamicRef':'#meta'}}}}";

static const char unevaluated[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/unevaluated'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/unevaluated':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'unevaluatedItems':{'$dynamicRef':'#meta'}"
    ",'unevaluatedProperties':{'$dynamicRef':'#meta'}}}";

static const char validation[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/validation'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/validation':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'type':{'anyOf':[{'$ref':'#/$defs/type'},{'type':'array'"
    ",'items':{'$ref':'#/$defs/type'},'minItems':1,'uniqueItems':true}]}"
    ",'const':true,'enum':{'type':'array'}"
    ",'multipleOf':{'type':'number','exclusiveMinimum':0}"
    ",'maximum':{'type':'number'},'exclusiveMaximum':{'type':'number'}"
    ",'minimum':{'type':'number'},'exclusiveMinimum':{'type':'number'}"
    ",'maxLength':{'$ref':'#/$defs/count'},'minLength':{'$ref':'#/$defs/count'}"
    ",'pattern':{'type':'string','format':'regex'}"
    ",'maxItems':{'$ref':'#/$defs/count'},'minItems':{'$ref':'#/$defs/count'}"
    ",'uniqueItems':{'type':'boolean'},'maxContains':{'$ref':'#/$defs/count'}"
    ",'minContains':{'$ref':'#/$defs/count'}"
    ",'maxProperties':{'$ref':'#/$defs/count'}"
    ",'minProperties':{'$ref':'#/$defs/count'},'required':{'$ref':'#/$defs/texts'}"
    ",'dependentRequired':{'type':'object','additionalProperties':{'$ref':'#/$defs/texts'}}}"
    ",'$defs':{'count':{'type':'integer','minimum':0}"
    ",'texts':{'type':'array','items':{'type':'string'},'uniqueItems':true}"
    ",'type':{'enum':['array','boolean','integer','null','number','object','string']}}}";

static const char meta_data[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/meta-data'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/meta-data':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'title':{'type':'string'},'description':{'type':'string'}"
    ",'default':true,'deprecated':{'type':'boolean'}"
    ",'readOnly':{'type':'boolean'},'writeOnly':{'type':'boolean'}"
    ",'examples':{'type':'array'}}}";

static const char format_annotation[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/format-annotation'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/format-annotation':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'format':{'type':'string'}}}";

static const char format_assertion[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/format-assertion'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/format-assertion':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'format':{'type':'string'}}}";

static const char content[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema'"
    ",'$id':'https://json-schema.org/draft/2020-12/meta/content'"
    ",'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/content':true}"
    ",'$dynamicAnchor':'meta','type':['object','boolean']"
    ",'properties':{'contentEncoding':{'type':'string'}"
    ",'contentMediaType':{'type':'string'}"
    ",'contentSchema':{'$dynamicRef':'#meta'}}}";

static const char schema_07[] =
    "{'$schema':'http://json-schema.org/draft-07/schema#'"
    ",'$id':'http://json-schema.org/draft-07/schema#','type':['object','boolean']"
    ",'definitions':{'count':{'type':'integer','minimum':0}"
    ",'texts':{'type':'array','items':{'type':'string'},'uniqueItems':true}"
    ",'type':{'enum':['array','boolean','integer','null','number','object','string']}"
    ",'some':{'type':'array','minItems':1,'items':{'$ref':'#'}}}"
    ",'properties':{'$id':{'type':'string','format':'uri-reference'}"
    ",'$schema':{'type':'string','format':'uri'}"
    ",'$ref':{'type':'string','format':'uri-reference'}"
    ",'$comment':{'type':'string'},'title':{'type':'string'}"
    ",'description':{'type':'string'},'default':true"
    ",'readOnly':{'type':'boolean'},'writeOnly':{'type':'boolean'}"
    ",'examples':{'type':'array'}"
    ",'type':{'anyOf':[{'$ref':'#/definitions/type'},{'type':'array'"
    ",'items':{'$ref':'#/definitions/type'},'minItems':1,'uniqueItems':true}]}"
    ",'const':true,'enum':{'type':'array'}"
    ",'multipleOf':{'type':'number','exclusiveMinimum':0}"
    ",'maximum':{'type':'number'},'exclusiveMaximum':{'type':'number'}"
    ",'minimum':{'type':'number'},'exclusiveMinimum':{'type':'number'}"
    ",'maxLength':{'$ref':'#/definitions/count'}"
    ",'minLength':{'$ref':'#/definitions/count'}"
    ",'pattern':{'type':'string','format':'regex'}"
    ",'maxItems':{'$ref':'#/definitions/count'}"
    ",'minItems':{'$ref':'#/definitions/count'},'uniqueItems':{'type':'boolean'}"
    ",'additionalItems':{'$ref':'#'}"
    ",'items':{'anyOf':[{'$ref':'#'},{'$ref':'#/definitions/some'}]}"
    ",'contains':{'$ref':'#'},'maxProperties':{'$ref':'#/definitions/count'}"
    ",'minProperties':{'$ref':'#/definitions/count'}"
    ",'required':{'$ref':'#/definitions/texts'}"
    ",'additionalProperties':{'$ref':'#'}"
    ",'definitions':{'type':'object','additionalProperties':{'$ref':'#'}}"
    ",'properties':{'type':'object','additionalProperties':{'$ref':'#'}}"
    ",'patternProperties':{'type':'object','additionalProperties':{'$ref':'#'}"
    ",'propertyNames':{'format':'regex'}}"
    ",'dependencies':{'type':'object','additionalProperties':{'anyOf':[{'$ref':'#'}"
    ",{'$ref':'#/definitions/texts'}]}}"
    ",'propertyNames':{'$ref':'#'},'format':{'type':'string'}"
    ",'contentMediaType':{'type':'string'},'contentEncoding':{'type':'string'}"
    ",'if':{'$ref':'#'},'then':{'$ref':'#'},'else':{'$ref':'#'}"
    ",'allOf':{'$ref':'#/definitions/some'},'anyOf':{'$ref':'#/definitions/some'}"
    ",'oneOf':{'$ref':'#/definitions/some'},'not':{'$ref':'#'}}}";

static const struct {
    const char *uri, *text;
} metas[] = {
    { "https://json-schema.org/draft/2020-12/schema", schema_2020 },
    { "https://json-schema.org/draft/2020-12/meta/core", core },
    { "https://json-schema.org/draft/2020-12/meta/applicator", applicator },
    { "https://json-schema.org/draft/2020-12/meta/unevaluated", unevaluated },
    { "https://json-schema.org/draft/2020-12/meta/validation", validation },
    { "https://json-schema.org/draft/2020-12/meta/meta-data", meta_data },
    { "https://json-schema.org/draft/2020-12/meta/format-annotation", format_annotation },
    { "https://json-schema.org/draft/2020-12/meta/format-assertion", format_assertion },
    { "https://json-schema.org/draft/2020-12/meta/content", content },
    { "http://json-schema.org/draft-07/schema", schema_07 },
};
/* clang-format on */

const char *meta_text(struct str uri, struct arena *a)
{
    for (size_t i = 0; i < COUNT(metas); i++) {
        char *text = str_is(uri, metas[i].uri) ? arena_text(a, str_of(metas[i].text)) : NULL;

        for (char *p = text; p && *p; p++)
            *p = *p == '\'' ? '"' : *p;
        if (text)
            return text;
    }
    return NULL;
}

const char *meta_uri(enum schema_draft draft)
{
    static const char *const uris[] = {
        [SCHEMA_2020_12] = "https://json-schema.org/draft/2020-12/schema",
        [SCHEMA_DRAFT_07] = "http://json-schema.org/draft-07/schema",
    };

    return uris[draft];
}
