/* SPDX-License-Identifier: Apache-2.0 */
/* secret_doc.c: the shapes of a reference to a secret and of what it is used for. */
#include "contract/secret_doc.h"

#include "contract/inputs.h"

/* clang-format off */
static const struct secret_name_row {
    const char *end;
    const char *example;
} secret_names[] = {
    { "TOKEN",           "GITHUB_TOKEN" },
    { "SECRET",          "CLIENT_SECRET" },
    { "SECRETS",         "APP_SECRETS" },
    { "KEY",             "AWS_SECRET_ACCESS_KEY" },
    { "SECRET_KEY_BASE", "SECRET_KEY_BASE" },
    { "PASSWORD",        "DB_PASSWORD" },
    { "PASSWD",          "MYSQL_PASSWD" },
    { "PASSPHRASE",      "GPG_PASSPHRASE" },
    { "_PASS",           "SMTP_PASS" },
    { "_PWD",            "MYSQL_PWD" },
    { "_PAT",            "AZURE_PAT" },
    { "_AUTH",           "NPM_AUTH" },
    { "CREDENTIAL",      "LOGIN_CREDENTIAL" },
    { "CREDENTIALS",     "CLOUD_CREDENTIALS" },
};

static const struct column secret_name_columns[] = {
    { "end",     COLUMN_TEXT, offsetof(struct secret_name_row, end) },
    { "example", COLUMN_TEXT, offsetof(struct secret_name_row, example) },
};
/* clang-format on */

const struct table secret_names_table = {
    .name = "secret_names",
    .about = "How the name of a variable ends that is taken for the name of a secret.",
    COLUMNS(secret_name_columns),
    .keys = 1,
    ROWS(secret_names),
};

bool secret_name(struct str name)
{
    while (name.n && is_one_of(name.s[name.n - 1], "0123456789_"))
        name.n--;
    for (size_t i = 0; i < COUNT(secret_names); i++) {
        struct str end = str_of(secret_names[i].end);

        if (name.n >= end.n && str_cmp_letters(str_from(name, name.n - end.n), end) == 0)
            return true;
    }
    return false;
}

static const char *const auth_places[] = { "header", "query", "cookie", NULL };

static void one_place(const struct doc *d, const void *decoded, struct report *r)
{
    static const char *const places[] = { "env", "file", "command", "credential" };
    int n = 0;

    (void)decoded;
    for (size_t i = 0; i < COUNT(places); i++)
        n += doc_get(d, places[i]) != NULL;
    if (n != 1)
        report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR,
                   "a secret comes from one place: env, file, command or credential; here are %d",
                   n);
}

static void variable_given(const struct doc *d, const void *decoded, struct report *r)
{
    const struct secret_doc *secret = decoded;

    if (secret->variable.n && inputs_env_stripped(secret->variable))
        report_add(r, ABOUT_VALUE, doc_get(d, "variable"), CODE_VALIDATION_ERROR,
                   "%s is given to no tool; take another variable, `writ explain variables` lists "
                   "the names that are not allowed",
                   said(secret->variable, r->a));
}

/* clang-format off */
#define AT(member) offsetof(struct secret_doc, member)
static const struct field secret_fields[] = {
    { "name",       F_TEXT, ONE,  OPTIONAL, .at = AT(name), .form = FORM_STEP_NAME,         .level = L2, .req = "R-001-091", .help = "Its name in the adapter." },
    { "env",        F_TEXT, ONE,  OPTIONAL, .at = AT(env), .form = FORM_ENV_NAME,           .level = L2, .req = "R-001-091", .help = "The caller's variable that has it." },
    { "file",       F_TEXT, ONE,  OPTIONAL, .at = AT(file), .min = 1,                       .level = L2, .req = "R-001-091", .help = "The file that has it, readable by its owner alone." },
    { "command",    F_TEXT, LIST, OPTIONAL, .at = AT(command), .least = 1, .most = 64, .min = 1, .level = L2, .req = "R-001-091", .help = "A command that prints it, a word each; in the user's own files only." },
    { "credential", F_TEXT, ONE,  OPTIONAL, .at = AT(credential), .form = FORM_STEP_NAME,   .level = L2, .req = "R-001-091", .help = "Its name among systemd's credentials." },
    { "variable",   F_TEXT, ONE,  OPTIONAL, .at = AT(variable), .form = FORM_ENV_NAME,      .level = L2, .req = "R-001-089", .help = "The variable in which the tool's process gets it; it gets no other." },
    { "hosts",      F_TEXT, LIST, OPTIONAL, .at = AT(hosts), .min = 1, .most = 64,          .level = L2, .req = "R-001-116", .help = "The hosts it may be sent to." },
};
#undef AT

static const struct rule secret_rules[] = {
    { "R-001-091", "A secret comes from exactly one place.", one_place },
    { "R-001-089", "Its variable is none of those that are stripped.", variable_given },
};

const struct shape secret_shape = { .name = "secret", .size = sizeof(struct secret_doc), FIELDS(secret_fields), RULES(secret_rules), .code = CODE_VALIDATION_ERROR };

#define AT(member) offsetof(struct auth_doc, member)
static const struct field auth_fields[] = {
    { "secret",        F_TEXT,   ONE, OPTIONAL, .at = AT(secret), .form = FORM_STEP_NAME,                                  .level = L2, .req = "R-001-091", .help = "The adapter's secret that is sent; the user's own for the host when left out." },
    { "in",            F_CHOICE, ONE, OPTIONAL, .at = AT(in), .choices = auth_places, .fallback = AUTH_IN_HEADER,          .level = L2, .req = "R-001-091", .help = "Of api_key: where it is sent." },
    { "name",          F_TEXT,   ONE, OPTIONAL, .at = AT(name), .min = 1,                                                  .level = L2, .req = "R-001-091", .help = "Of api_key: under which name; X-API-Key when left out." },
    { "user",          F_TEXT,   ONE, OPTIONAL, .at = AT(user), .min = 1,                                                  .level = L2, .req = "R-001-091", .help = "Of basic: the user, or the name of the adapter's secret that is it; `secret` is the password." },
    { "token_url",     F_TEXT,   ONE, OPTIONAL, .at = AT(token_url), .form = FORM_URL,                                     .level = L2, .req = "R-001-091", .help = "Of oauth: where tokens are had." },
    { "client_id",     F_TEXT,   ONE, OPTIONAL, .at = AT(client_id), .min = 1,                                             .level = L2, .req = "R-001-091", .help = "Of oauth: the client's id, or the name of the adapter's secret that is it." },
    { "client_secret", F_TEXT,   ONE, OPTIONAL, .at = AT(client_secret), .form = FORM_STEP_NAME,                           .level = L2, .req = "R-001-091", .help = "Of oauth: the name of the adapter's secret that is the client's." },
    { "scope",         F_TEXT,   ONE, OPTIONAL, .at = AT(scope), .min = 1,                                                 .level = L2, .req = "R-001-091", .help = "Of oauth: what is asked for." },
    { "resource",      F_TEXT,   ONE, OPTIONAL, .at = AT(resource), .form = FORM_URL,                                      .level = L2, .req = "R-001-091", .help = "Of oauth: for which resource (RFC 8707)." },
};

static const struct field bearer_fields[] = {
    { "secret",        F_TEXT,   ONE, NEEDED,   .at = AT(secret), .form = FORM_STEP_NAME,                                  .level = L2, .req = "R-001-091", .help = "The adapter's secret that is sent as a bearer token." },
};
#undef AT
/* clang-format on */

const struct shape bearer_shape = { .name = "server's auth",
                                    .size = sizeof(struct auth_doc),
                                    FIELDS(bearer_fields),
                                    .code = CODE_VALIDATION_ERROR };

const struct shape auth_shape = { .name = "api's auth",
                                  .size = sizeof(struct auth_doc),
                                  FIELDS(auth_fields),
                                  .code = CODE_VALIDATION_ERROR };

void secrets_of_project(const struct doc *d, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "secrets"), DOC_LIST);

    for (; c; c = c->next) {
        const struct doc *command = c->kind == DOC_MAP ? doc_get(c, "command") : NULL;

        if (command)
            report_add(r, ABOUT_KEY, command, CODE_VALIDATION_ERROR,
                       "a command that prints a secret belongs in the user's own files below "
                       "~/.config/writ: it runs outside of the sandbox, and a project does not "
                       "choose it");
    }
}
