/* SPDX-License-Identifier: Apache-2.0 */
/* callable.c: what an adapter must have so that it can ever be called, as rows. */
#include "adapter/callable.h"

#include "adapter/api_bind.h"
#include "adapter/callable/rules.h"
#include "adapter/host.h"
#include "contract/codes.h"

const struct doc *callable_member(const struct adapter *adapter, const char *member)
{
    const struct doc *all = doc_get(adapter->tree, "interface");

    return doc_get(doc_get(all, adapter_types[adapter->doc.type]), member);
}

const struct doc *callable_operation(const struct adapter *adapter, struct str name)
{
    static const char *const mappings[ADAPTER_TYPE_COUNT] = {
        [ADAPTER_API] = "endpoint_mapping",
        [ADAPTER_SDK] = "function_mapping",
        [ADAPTER_MCP] = "tool_mapping",
    };
    const char *mapping = mappings[adapter->doc.type];
    const struct doc *map =
        mapping ? callable_member(adapter, mapping) : doc_get(adapter->tree, "operations");
    const struct doc *d = doc_first(map, DOC_MAP);

    while (d && !str_eq(d->key, name))
        d = d->next;
    return d;
}

/* ---- hosts ---- */

bool callable_network(const struct adapter *adapter, struct str host, struct error *e)
{
    const struct override_network *network = adapter->doc.sandbox_override->network;

    return (network && network->enabled && network->allow.n) ||
           error_set(e, CODE_HOST_REFUSED,
                     "%.*s is not reached: adapter %.*s has no "
                     "sandbox_override.network with enabled: true and allow: [%.*s]",
                     STR_ARG(host), STR_ARG(adapter->doc.adapter_id), STR_ARG(host));
}

bool callable_reaches_out(const struct adapter *adapter)
{
    const struct override_network *network = adapter->doc.sandbox_override->network;
    const struct mcp_interface *mcp = adapter->doc.interface->mcp;

    return adapter->doc.type == ADAPTER_API || (mcp && mcp->transport != TRANSPORT_STDIO) ||
           (network && network->enabled);
}

static bool is_listed(const struct override_network *network, const struct url_parts *url)
{
    const struct str *allow = network->allow.v;

    for (size_t i = 0; i < network->allow.n; i++)
        if (host_reached(allow[i], url))
            return true;
    return false;
}

static void host_fits_list(const struct adapter *adapter, const struct doc *url, struct report *r)
{
    struct url_parts parts;
    struct error e = { 0 };

    if (!url || url->kind != DOC_TEXT || !url_split_server(url->text, &parts))
        return;
    if (!callable_network(adapter, parts.host, &e))
        report_add(r, ABOUT_VALUE, url, e.code, "%s", e.msg);
    else if (!is_listed(adapter->doc.sandbox_override->network, &parts))
        report_add(r, ABOUT_VALUE, url, CODE_HOST_REFUSED,
                   "%.*s is not reached: sandbox_override.network.allow does not list it",
                   STR_ARG(parts.authority));
}

/* Where the configuration has a server's URL, the call alone knows it. */
static void hosts_listed(const struct adapter *adapter, struct report *r)
{
    const struct mcp_interface *mcp = adapter->doc.interface->mcp;

    if (adapter->doc.type == ADAPTER_API)
        host_fits_list(adapter, callable_member(adapter, "base_url"), r);
    if (mcp && mcp->transport != TRANSPORT_STDIO)
        host_fits_list(adapter, callable_member(adapter, "url"), r);
}

/* ---- secrets ---- */

static void auth_whole(const struct adapter *adapter, struct report *r)
{
    const struct doc *at = adapter->tree;
    struct error e = { 0 };

    if (adapter->doc.type == ADAPTER_API && !api_auth_whole(adapter, r->a, &at, &e))
        report_add(r, ABOUT_VALUE, at, e.code, "%s", e.msg);
}

static bool has_secret(const struct adapter *adapter, struct str name)
{
    const struct secret_doc *all = adapter->doc.secrets.v;

    for (size_t i = 0; i < adapter->doc.secrets.n; i++)
        if (str_eq(all[i].name, name))
            return true;
    return false;
}

/* Where the configuration has the server's URL, the call alone can hold the secret against it. */
static void bearer_fits(const struct adapter *adapter, struct report *r)
{
    const struct mcp_interface *mcp = adapter->doc.interface->mcp;
    struct url_parts url;
    const struct doc *at;
    struct error e = { 0 };

    if (!mcp || !mcp->auth || mcp->transport == TRANSPORT_STDIO)
        return;
    at = doc_get(callable_member(adapter, "auth"), "secret");
    if (!has_secret(adapter, mcp->auth->secret))
        report_add(r, ABOUT_VALUE, at, CODE_SECRET_MISSING,
                   "auth names the secret '%.*s', which is not among the adapter's `secrets`",
                   STR_ARG(mcp->auth->secret));
    else if (url_split_server(mcp->url, &url) &&
             !secret_goes_to(adapter, mcp->auth->secret, &url, &e))
        report_add(r, ABOUT_VALUE, at, e.code, "%s", e.msg);
}

static void commands_of_user(const struct adapter *adapter, struct report *r)
{
    if (adapter->origin == ORIGIN_PROJECT)
        secrets_of_project(adapter->tree, r);
}

/* ---- functions ---- */

static bool climbs(struct str path)
{
    while (path.n)
        if (str_is(str_cut(&path, "/"), ".."))
            return true;
    return false;
}

/* A project's adapter has functions of the project: it does not choose what else is read. */
static void package_near(const struct adapter *adapter, struct report *r)
{
    const struct sdk_interface *sdk = adapter->doc.interface->sdk;

    if (!sdk || adapter->origin != ORIGIN_PROJECT ||
        (sdk->package.s[0] != '/' && !climbs(sdk->package)))
        return;
    report_add(r, ABOUT_VALUE, callable_member(adapter, "package"), CODE_PATH_REFUSED,
               "the package %s lies outside of the project; only an adapter of your own, below "
               "~/.config/writ/adapters, may name it",
               said(sdk->package, r->a));
}

/* ---- operations ---- */

/* ADAPTER.OPERATION is parted at its last dot, by plans and on the command line. */
static void operations_without_dot(const struct adapter *adapter, struct report *r)
{
    struct items names = adapter_operations(adapter, r->a);
    const struct str *all = names.v;

    for (size_t i = 0; i < names.n; i++)
        if (memchr(all[i].s, '.', all[i].n) && callable_operation(adapter, all[i]))
            report_add(r, ABOUT_KEY, callable_operation(adapter, all[i]), CODE_VALIDATION_ERROR,
                       "the operation %s has a dot in its name, so that nobody can call it: what "
                       "stands before its last dot is taken for the adapter; write '_' instead",
                       said(all[i], r->a));
}

/* What is said of an operation that there is not, such as the digest of a tool, holds nothing. */
static void operations_there(const struct adapter *adapter, struct report *r)
{
    struct items names = adapter_operations(adapter, r->a);
    const struct doc *o = doc_first(doc_get(adapter->tree, "operations"), DOC_MAP);

    for (; o; o = o->next)
        if (!items_have(&names, o->key))
            report_add(
                r, ABOUT_KEY, o, CODE_OPERATION_UNKNOWN,
                "the mapping of interface.%s has no operation %s, so that this holds nothing",
                adapter_types[adapter->doc.type], said(o->key, r->a));
}

/* Members of an operation that are for one type alone. */
static void members_of_type(const struct adapter *adapter, struct report *r)
{
    static const struct {
        const char *name;
        enum adapter_type type;
    } members[] = { { "args", ADAPTER_CLI },
                    { "takes", ADAPTER_CLI },
                    { "parameters", ADAPTER_API },
                    { "body", ADAPTER_API },
                    { "digest", ADAPTER_MCP } };
    const struct doc *o = doc_first(doc_get(adapter->tree, "operations"), DOC_MAP);

    for (; o; o = o->next)
        for (size_t i = 0; i < COUNT(members); i++)
            if (adapter->doc.type != (int)members[i].type && doc_get(o, members[i].name))
                report_add(r, ABOUT_KEY, doc_get(o, members[i].name), CODE_VALIDATION_ERROR,
                           "'%s' is for adapters of type '%s', this one is of type '%s'",
                           members[i].name, adapter_types[members[i].type],
                           adapter_types[adapter->doc.type]);
}

static bool has_member(const struct doc *map, struct str name)
{
    for (const struct doc *c = doc_first(map, DOC_MAP); c; c = c->next)
        if (str_eq(c->key, name))
            return true;
    return false;
}

static void named_there(const struct doc *properties, const struct doc *at, struct str name,
                        struct report *r)
{
    if (!has_member(properties, name))
        report_add(r, ABOUT_ODD, at, CODE_VALIDATION_ERROR,
                   "%s is no parameter of the operation: properties of its `input` do not have it",
                   said(name, r->a));
}

/* A slip in the name of a parameter leaves the request without it. An `input` that lists nothing
 * says nothing about names. */
static void parameters_there(const struct adapter *adapter, struct report *r)
{
    const struct doc *o = doc_first(doc_get(adapter->tree, "operations"), DOC_MAP);

    if (adapter->doc.type != ADAPTER_API)
        return;
    for (; o; o = o->next) {
        const struct doc *input = doc_get(o, "input"), *body = doc_get(o, "body");
        const struct doc *properties = input ? doc_get(input, "properties") : NULL;
        const struct doc *p = doc_first(doc_get(o, "parameters"), DOC_MAP);

        if (!doc_first(properties, DOC_MAP))
            continue;
        if (body && body->kind == DOC_TEXT)
            named_there(properties, body, body->text, r);
        for (; p; p = p->next)
            named_there(properties, p, p->key, r);
    }
}

/* What nothing maps is refused by every call. */
static void parameters_mapped(const struct adapter *adapter, struct report *r)
{
    const struct cli_interface *cli = adapter->doc.interface->cli;
    const struct doc *o = cli ? doc_first(doc_get(adapter->tree, "operations"), DOC_MAP) : NULL;

    for (; o; o = o->next)
        for (const struct doc *d = doc_first(doc_get(o, "takes"), DOC_LIST); d; d = d->next)
            if (!pairs_have(&cli->arg_mapping, d->text) &&
                !pairs_have(&cli->env_mapping, d->text) && !str_eq(cli->stdin_mapping, d->text))
                report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR,
                           "%s is in none of arg_mapping, env_mapping and stdin_mapping",
                           said(d->text, r->a));
}

/* A01-12: what a code means depends on the type; any number may be one of JSON-RPC. */
static void codes_of_type(const struct adapter *adapter, struct report *r)
{
    static const struct {
        int64_t least, most;
        const char *what;
    } kinds[ADAPTER_TYPE_COUNT] = {
        [ADAPTER_CLI] = { 1, 255, "an exit code of a failed command" },
        [ADAPTER_API] = { 100, 599, "a status of HTTP" },
        [ADAPTER_SDK] = { 1, 255, "an exit code of a failed command" },
        [ADAPTER_MCP] = { INT64_MIN, INT64_MAX, "a code of JSON-RPC" },
    };
    const struct doc *errors = doc_get(adapter->tree, "errors");
    const struct doc *retry = errors ? doc_get(errors, "retry") : NULL;
    const struct doc *listed = retry ? doc_get(retry, "retryable_codes") : NULL;

    for (const struct doc *d = doc_first(listed, DOC_LIST); d; d = d->next)
        if (d->kind == DOC_INT &&
            (d->whole < kinds[adapter->doc.type].least || d->whole > kinds[adapter->doc.type].most))
            report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR,
                       "%lld is not %s: for an adapter of type '%s' allowed %lld..%lld",
                       (long long)d->whole, kinds[adapter->doc.type].what,
                       adapter_types[adapter->doc.type], (long long)kinds[adapter->doc.type].least,
                       (long long)kinds[adapter->doc.type].most);
}

/* A file's name may have blanks, but who looks for a command has none in mind. */
static void command_is_one_word(const struct adapter *adapter, struct report *r)
{
    const struct cli_interface *cli = adapter->doc.interface->cli;

    if (cli && memchr(cli->executable.s, ' ', cli->executable.n) &&
        !memchr(cli->executable.s, '/', cli->executable.n))
        report_add(r, ABOUT_ODD, callable_member(adapter, "executable"), CODE_VALIDATION_ERROR,
                   "%s is looked for as one name, with its blanks; arguments belong in base_args",
                   said(cli->executable, r->a));
}

/* ---- the rows ---- */

static const struct callable_row {
    const char *req, *about;
    void (*fits)(const struct adapter *adapter, struct report *r);
} rows[] = {
    /* clang-format off */
    { "R-001-116", "The host of an api, and that of an MCP server's url, is listed in sandbox_override.network.allow.", hosts_listed },
    { "R-001-090", "The base_url of an api has no ? and no #, and is https:// but for this machine.",                    service_reachable },
    { "R-001-098", "The url of an MCP server is one of its transport; command is for stdio, url for the others.",      server_reachable },
    { "R-001-092", "A header that an api is sent has a plain name, and is none that belongs to the connection.",       headers_sendable },
    { "R-001-091", "What auth_method needs is said: oauth: token_url, client_id, client_secret; basic: user.",          auth_whole },
    { "R-001-091", "The secret that an MCP server is sent is one of the adapter's, and may go to its host.",            bearer_fits },
    { "R-001-091", "The headers of an api have no secret: not Authorization, Cookie, X-API-Key and the like.",          headers_without_secret },
    { "R-001-091", "A project's adapter has no secret that a command prints.",                                          commands_of_user },
    { "R-001-095", "A project's adapter has a package of the project.",                                                 package_near },
    { "R-001-139", "What `operations` names is in the mapping of the interface.",                                       operations_there },
    { "R-001-139", "The name of an operation has no dot.",                                                              operations_without_dot },
    { "R-001-093", "What body and parameters of an api name is in properties of `input`, where it has them.",           parameters_there },
    { "R-001-139", "args and takes are for cli, parameters and body for api, digest for mcp.",                          members_of_type },
    { "R-001-088", "What an operation takes is in arg_mapping, env_mapping or stdin_mapping.",                          parameters_mapped },
    { "R-001-103", "What a transform adds or renames is a parameter that the operation takes.",                         changes_fit_parameters },
    { "R-001-111", "retryable_codes are exit codes (1..255) for cli and sdk, statuses (100..599) for api.",             codes_of_type },
    { "R-001-131", "An operation that retryable_codes are meant for may be done twice; warned about.",                  retries_possible },
    { "R-001-086", "An executable is one name, without arguments; blanks are warned about.",                            command_is_one_word },
    /* clang-format on */
};

static const struct column columns[] = {
    { "requirement", COLUMN_TEXT, offsetof(struct callable_row, req) },
    { "rule", COLUMN_TEXT, offsetof(struct callable_row, about) },
};

const struct table callable_table = {
    .name = "callable",
    .about = "What an adapter must have to be called at all; `writ check` and every call ask it.",
    COLUMNS(columns),
    .keys = 2,
    ROWS(rows),
};

void callable_fits(const struct adapter *adapter, struct report *r)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        rows[i].fits(adapter, r);
}
