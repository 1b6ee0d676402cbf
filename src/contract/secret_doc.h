/* SPDX-License-Identifier: Apache-2.0 */
/* secret_doc.h: where a secret is found; never the secret itself.
 *
 * An adapter names the secrets it needs; the user's own configuration may name one for a host. A
 * command that prints a secret is a program outside of the walls, so only the user's own files name
 * one, as with workers (config_doc.h).
 */
#pragma once

#include "base/table.h"
#include "contract/shape.h"

/* Exactly one of env, file, command and credential is there. */
struct secret_doc {
    struct str name;       /* by which the adapter refers to it; of a configuration: may be none */
    struct str env;        /* a variable of the caller's */
    struct str file;       /* readable by its owner alone */
    struct items command;  /* of struct str: prints it */
    struct str credential; /* a file of that name in systemd's CREDENTIALS_DIRECTORY */
    struct str variable;   /* the tool's own process gets it in this variable; none: it does not */
    struct items hosts;    /* of struct str: of a configuration, where it may be sent */
};

extern const struct shape secret_shape;

/* How a call of an api proves who it is. */
enum auth_place { AUTH_IN_HEADER, AUTH_IN_QUERY, AUTH_IN_COOKIE };

struct auth_doc {
    struct str secret; /* the name of one of the adapter's; none: the user's own for the host */
    int in;            /* enum auth_place: of api_key */
    struct str name;   /* of api_key: of the header, query parameter or cookie */
    struct str user;   /* of basic: itself, or the name of one of the adapter's secrets */
    struct str token_url, client_id, client_secret, scope, resource; /* of oauth */
};

extern const struct shape auth_shape;   /* of api */
extern const struct shape bearer_shape; /* of mcp: a secret, and nothing else */

/* Does a secret go by such a name? Letters count without case, and a number at the end does not. */
bool secret_name(struct str name);

extern const struct table secret_names_table;

/* A rule of documents that a project may have written: no secret comes from a command. d has the
 * list `secrets`. */
void secrets_of_project(const struct doc *d, struct report *r);
