/* SPDX-License-Identifier: Apache-2.0 */
/* import_given.c: what a server was started with for an import, and what people must know of it. */
#include "engine/import_given.h"

#include <string.h>
#include <sys/stat.h>

#include "adapter/mcp_rpc.h"
#include "base/json_read.h"
#include "contract/codes.h"
#include "contract/forms.h"
#include "contract/secret_doc.h"

/* ---- its words ---- */

/* A word such as "data" or "serve" may be a directory of this place, or have another meaning. */
static bool names_place(const char *word)
{
    struct stat st;

    return !strchr(word, '/') && *word != '-' && strcmp(word, ".") != 0 &&
           strcmp(word, "..") != 0 && stat(word, &st) == 0 && S_ISDIR(st.st_mode);
}

static void warn(struct import_made *made, const char *text, struct arena *a)
{
    size_t room = made->warned;

    made->warnings = arena_more(a, made->warnings, made->warned, &room, sizeof *made->warnings);
    made->warnings[made->warned++] = text;
}

static void warn_of_places(const char *const *argv, struct arena *a, struct import_made *made)
{
    for (size_t i = 1; argv && argv[0] && argv[i]; i++)
        if (names_place(argv[i]))
            warn(made,
                 arena_printf(a,
                              "%s of the server's command is also a directory here, and stays as "
                              "it is: from another directory it leads elsewhere; write ./%s where "
                              "this one is meant",
                              said(str_of(argv[i]), a), argv[i]),
                 a);
}

/* The name in "--api-key=.." and "API_TOKEN=..", or in "--api-key" where a value comes next; no
 * text: it is none that a secret goes by. */
static struct str secret_word(const char *word, const char *next)
{
    struct str name = { word, strcspn(word, "=") };

    if (!word[name.n] && (*word != '-' || !next || *next == '-'))
        return (struct str){ 0 };
    return secret_name(name) ? name : (struct str){ 0 };
}

/* The value itself is not repeated. */
static void warn_of_secrets(const char *const *argv, struct arena *a, struct import_made *made)
{
    for (size_t i = 1; argv && argv[0] && argv[i]; i++) {
        struct str name = secret_word(argv[i], argv[i + 1]);

        if (name.n)
            warn(made,
                 arena_printf(a,
                              "what %s of the server's command is given stands in the adapter and "
                              "in the ledger as it is; where it is a secret, take it out, and let "
                              "the adapter give it in a variable: secrets: [{name: .., env: .., "
                              "variable: ..}]",
                              said(name, a)),
                 a);
    }
}

static bool holds_login(const char *word)
{
    for (const char *at = word; (at = strstr(at, "://")); at++)
        if (url_has_login(str_of(at)))
            return true;
    return false;
}

/* A server's command is written down twice, in the adapter and in the ledger. */
bool import_no_login(const char *const *argv, struct error *e)
{
    for (size_t i = 0; argv && argv[i]; i++)
        if (holds_login(argv[i]))
            return error_set(e, CODE_VALIDATION_ERROR,
                             "word %zu of the server's command is a URL with a user name or a "
                             "password in it, which the adapter and the ledger would have as it "
                             "is; let the server read it from a variable, and name that under "
                             "`secrets` of the adapter",
                             i + 1);
    return true;
}

void import_warn_of_words(const char *const *argv, struct arena *a, struct import_made *made)
{
    warn_of_places(argv, a, made);
    warn_of_secrets(argv, a, made);
}

/* ---- what it was given besides ---- */

struct import_given import_given(const char *options, struct arena *a)
{
    struct ceilings max = ceilings_default();
    struct import_given out = { 0 };
    const struct document *document;
    const struct doc *network, *variables, *secrets;
    struct error e;

    if (!options || !json_read("options", str_of(options), &max, a, &document, &e))
        return out; /* whoever starts the server says so */
    network = rpc_get(rpc_get(&document->root, "sandbox"), "network");
    variables = rpc_get(rpc_get(&document->root, "inputs"), "environment");
    out.network = rpc_get(network, "enabled") != NULL;
    out.hosts = doc_first(rpc_get(network, "allow"), DOC_LIST);
    out.variables = doc_first(variables, DOC_MAP);
    secrets = rpc_get(rpc_get(&document->root, "inputs"), "secrets");
    out.secrets =
        arena_alloc(a, ((variables ? variables->count : 0) + (secrets ? secrets->count : 0)) *
                           sizeof *out.secrets);
    for (const struct doc *c = out.variables; c; c = c->next)
        if (secret_name(c->key)) /* its value is for the import alone */
            out.secrets[out.secret_count++] =
                (struct secret_doc){ .env = c->key, .variable = c->key };
    for (const struct doc *c = doc_first(secrets, DOC_LIST); c; c = c->next)
        out.secrets[out.secret_count++] =
            (struct secret_doc){ .env = doc_text(c, "env"),
                                 .file = doc_text(c, "file"),
                                 .credential = doc_text(c, "credential"),
                                 .variable = doc_text(c, "variable") };
    return out;
}

void import_warn_of_given(const struct import_given *given, struct arena *a,
                          struct import_made *made)
{
    if (given->network && !given->hosts)
        warn(made,
             "the adapter reaches no network: the level held for the import alone; name the hosts "
             "that its tools need by --allow-host, or under sandbox_override.network.allow",
             a);
    for (const struct doc *c = given->variables; c; c = c->next)
        if (!secret_name(c->key))
            warn(made,
                 arena_printf(a,
                              "the adapter does not give the variable %s: write it into the "
                              "server's command, as in `-- env %.*s=.. SERVER`",
                              said(c->key, a), STR_ARG(c->key)),
                 a);
}
