/* SPDX-License-Identifier: Apache-2.0 */
/* given.c: the rule about parameters that transforms make: somebody must take them. */
#include "adapter/callable.h"
#include "adapter/callable/rules.h"
#include "adapter/transform_parts.h"
#include "contract/codes.h"

/* ---- what an operation takes ---- */

static bool cli_takes(const struct cli_interface *cli, const struct operation_doc *o,
                      struct str name)
{
    return (pairs_have(&cli->arg_mapping, name) || pairs_have(&cli->env_mapping, name) ||
            (cli->stdin_mapping.n && str_eq(cli->stdin_mapping, name))) &&
           (!o->takes.n || items_have(&o->takes, name));
}

static bool has_member(const struct doc *map, struct str name)
{
    const struct doc *c = doc_first(map, DOC_MAP);

    while (c && !str_eq(c->key, name))
        c = c->next;
    return c != NULL;
}

/* Where `input` lists all there are, others are refused; what has a place by another word is not.
 */
static bool api_takes(const struct doc *endpoint, const struct operation_doc *o, struct str name,
                      struct arena *a)
{
    const struct doc *more = o->input ? doc_get(o->input, "additionalProperties") : NULL;
    const struct doc *properties = o->input ? doc_get(o->input, "properties") : NULL;
    const char *placeholder = arena_printf(a, "{%.*s}", STR_ARG(name));

    return !more || more->kind != DOC_BOOL || more->truth || !doc_first(properties, DOC_MAP) ||
           has_member(properties, name) || has_member(o->parameters, name) ||
           str_eq(o->body, name) ||
           (endpoint && endpoint->kind == DOC_TEXT &&
            memmem(endpoint->text.s, endpoint->text.n, placeholder, strlen(placeholder)));
}

/* False: certainly not. Functions and servers say themselves what they take. */
static bool takes(const struct adapter *adapter, struct str operation, struct str name,
                  struct arena *a)
{
    struct operation_doc o = operation_of(adapter->tree, operation, a);

    if (adapter->doc.type == ADAPTER_CLI)
        return cli_takes(adapter->doc.interface->cli, &o, name);
    return adapter->doc.type != ADAPTER_API ||
           api_takes(callable_operation(adapter, operation), &o, name, a);
}

/* The first operation that does not take it; `all`: only where none does. No text: it is taken. */
static struct str refusing(const struct adapter *adapter, struct str name, bool all,
                           struct arena *a)
{
    struct items operations = adapter_operations(adapter, a);
    const struct str *names = operations.v;
    struct str found = { 0 };

    if (operations.n == 0) /* the registry names them */
        return takes(adapter, (struct str){ "", 0 }, name, a) ? found : str_of("any operation");
    for (size_t i = 0; i < operations.n; i++) {
        bool taken = takes(adapter, names[i], name, a);

        if (taken && all)
            return (struct str){ 0 };
        if (!taken && !found.s)
            found = names[i];
    }
    return found;
}

/* ---- what transforms make ---- */

/* What it is called after the transforms from `i` on: a later one may give it another name. */
static struct str called_at_last(const struct items *list, size_t i, struct str place,
                                 struct arena *a)
{
    const struct transform *all = list->v;
    struct error ignored;
    struct str *names;
    size_t n;

    for (; i < list->n; i++) {
        const struct doc *row =
            all[i].type == INPUT_RENAME ? doc_first(all[i].spec, DOC_MAP) : NULL;

        while (row && !str_eq(row->key, place))
            row = row->next;
        if (row && row->kind == DOC_TEXT)
            place = row->text;
    }
    return place_read(place, a, &names, &n, &ignored) && n ? names[0] : (struct str){ 0 };
}

static void default_taken(const struct adapter *adapter, const struct items *list, size_t i,
                          struct report *r)
{
    const struct transform *all = list->v;

    for (const struct doc *row = doc_first(all[i].spec, DOC_MAP); row; row = row->next) {
        struct str name = called_at_last(list, i + 1, row->key, r->a);
        struct str operation = name.s ? refusing(adapter, name, false, r->a) : name;

        if (operation.s)
            report_add(r, ABOUT_KEY, row, CODE_VALIDATION_ERROR,
                       "%s is no parameter of %s, so that every call is refused to which it is "
                       "added; `default` is for parameters",
                       said(name, r->a), said(operation, r->a));
    }
}

static void rename_taken(const struct adapter *adapter, const struct items *list, size_t i,
                         struct report *r)
{
    const struct transform *all = list->v;

    for (const struct doc *row = doc_first(all[i].spec, DOC_MAP); row; row = row->next) {
        struct str name = row->kind == DOC_TEXT ? called_at_last(list, i + 1, row->text, r->a)
                                                : (struct str){ 0 };

        if (name.s && refusing(adapter, name, true, r->a).s)
            report_add(r, ABOUT_VALUE, row, CODE_VALIDATION_ERROR,
                       "%s is no parameter of any operation, so that every call is refused that "
                       "gives %s; `rename` leads to a parameter",
                       said(name, r->a), said(row->key, r->a));
    }
}

void changes_fit_parameters(const struct adapter *adapter, struct report *r)
{
    const struct items *list = &adapter->doc.transforms->input;
    const struct transform *all = list->v;

    for (size_t i = 0; i < list->n; i++) {
        if (all[i].type == INPUT_DEFAULT)
            default_taken(adapter, list, i, r);
        else if (all[i].type == INPUT_RENAME)
            rename_taken(adapter, list, i, r);
    }
}
