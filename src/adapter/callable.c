/* SPDX-License-Identifier: Apache-2.0 */
/* callable.c: what an adapter must have so that it can ever be called, as rows. */
#include "adapter/callable.h"

#include "adapter/api_bind.h"
#include "adapter/host.h"
#include "contract/codes.h"

static const struct doc *interface(const struct adapter *adapter, const char *member)
{
    const struct doc *all = doc_get(adapter->tree, "interface");

    return doc_get(doc_get(all, adapter_types[adapter->doc.type]), member);
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

/* ws: and wss: are http: and https: until they are open. */
static bool split(struct str url, struct arena *a, struct url_parts *out)
{
    if (str_begins(url, "ws://") || str_begins(url, "wss://"))
        url = str_of(arena_printf(a, "http%.*s", (int)url.n - 2, url.s + 2));
    return url_split(url, out);
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

    if (!url || url->kind != DOC_TEXT || !split(url->text, r->a, &parts))
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
        host_fits_list(adapter, interface(adapter, "base_url"), r);
    if (mcp && mcp->transport != TRANSPORT_STDIO)
        host_fits_list(adapter, interface(adapter, "url"), r);
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

static void bearer_listed(const struct adapter *adapter, struct report *r)
{
    const struct mcp_interface *mcp = adapter->doc.interface->mcp;

    if (mcp && mcp->auth && mcp->transport != TRANSPORT_STDIO &&
        !has_secret(adapter, mcp->auth->secret))
        report_add(r, ABOUT_VALUE, doc_get(interface(adapter, "auth"), "secret"),
                   CODE_SECRET_MISSING,
                   "auth names the secret '%.*s', which is not among the adapter's `secrets`",
                   STR_ARG(mcp->auth->secret));
}

static void commands_of_user(const struct adapter *adapter, struct report *r)
{
    if (adapter->origin == ORIGIN_PROJECT)
        secrets_of_project(adapter->tree, r);
}

/* ---- functions ---- */

/* A project's adapter has functions of the project: it does not choose what else is read. */
static void package_near(const struct adapter *adapter, struct report *r)
{
    const struct sdk_interface *sdk = adapter->doc.interface->sdk;

    if (!sdk || adapter->origin != ORIGIN_PROJECT ||
        !(sdk->package.s[0] == '/' || str_begins(sdk->package, "..") ||
          memmem(sdk->package.s, sdk->package.n, "/../", 4)))
        return;
    report_add(r, ABOUT_VALUE, interface(adapter, "package"), CODE_PATH_REFUSED,
               "the package %s lies outside of the project; only an adapter of your own, below "
               "~/.config/writ/adapters, may name it",
               said(sdk->package, r->a));
}

/* ---- the rows ---- */

static const struct callable_row {
    const char *req, *about;
    void (*fits)(const struct adapter *adapter, struct report *r);
} rows[] = {
    /* clang-format off */
    { "R-001-116", "The host of an api, and that of an MCP server's url, is listed in sandbox_override.network.allow.", hosts_listed },
    { "R-001-091", "What auth_method needs is said: oauth: token_url, client_id, client_secret; basic: user.",          auth_whole },
    { "R-001-091", "The secret that an MCP server is sent is among the adapter's secrets.",                             bearer_listed },
    { "R-001-091", "A project's adapter has no secret that a command prints.",                                          commands_of_user },
    { "R-001-095", "A project's adapter has a package of the project.",                                                 package_near },
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
