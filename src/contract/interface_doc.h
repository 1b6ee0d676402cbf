/* SPDX-License-Identifier: Apache-2.0 */
/* interface_doc.h: how an adapter calls its tool: cli, api, sdk or mcp (contract 001). */
#pragma once

#include "contract/secret_doc.h"
#include "contract/shape.h"

enum auth_method { AUTH_NONE, AUTH_API_KEY, AUTH_OAUTH, AUTH_BEARER, AUTH_BASIC };
enum sdk_language { SDK_PYTHON, SDK_NODE, SDK_GO, SDK_RUST };
enum mcp_transport { TRANSPORT_STDIO, TRANSPORT_HTTP, TRANSPORT_WEBSOCKET };

struct cli_interface {
    struct str executable;
    struct items base_args;                /* of struct str */
    struct items arg_mapping, env_mapping; /* of struct pair */
    struct str stdin_mapping;              /* the parameter that is standard input; or none */
};

struct api_interface {
    struct str base_url;
    int auth_method;                        /* enum auth_method */
    struct items headers, endpoint_mapping; /* of struct pair */
    const struct auth_doc *auth;            /* NULL: as the method has it by itself */
};

struct sdk_interface {
    int language; /* enum sdk_language */
    struct str package, import_path;
    struct items function_mapping; /* of struct pair */
};

struct mcp_interface {
    struct str server;
    int transport;               /* enum mcp_transport */
    struct items tool_mapping;   /* of struct pair */
    struct items command;        /* of struct str: starts the server; none: as configured */
    struct str url;              /* of http and websocket; none: as configured */
    const struct auth_doc *auth; /* of http and websocket; NULL: none */
};

/* The one the adapter's type names is there; the others are NULL. */
struct adapter_interface {
    const struct cli_interface *cli;
    const struct api_interface *api;
    const struct sdk_interface *sdk;
    const struct mcp_interface *mcp;
};

extern const struct shape interface_shape;
