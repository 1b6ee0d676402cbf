/* SPDX-License-Identifier: Apache-2.0 */
/* interface_doc.c: the shapes of the four interfaces of an adapter (contract 001, adapter schema).
 *
 * The levels are those of adapter_doc.c: the maps of names are shown from L1 on, where they are the
 * summary, and everything else from L2 on.
 */
#include "contract/interface_doc.h"

#include "contract/forms.h"
#include "contract/inputs.h"

/* clang-format off */
static const char *const auth_names[]      = { "none", "api_key", "oauth", "bearer", "basic", NULL };
static const char *const language_names[]  = { "python", "node", "go", "rust", NULL };
static const char *const transport_names[] = { "stdio", "http", "websocket", NULL };
static const char *const methods[]         = { "GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS " };
/* clang-format on */

static bool is_name(char c)
{
    return is_one_of(c, "0123456789_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* What stands in braces at the beginning of `s` and looks like a name: with its last brace, where
 * it has one before the word ends. No text: nothing does; such braces are the tool's own. */
static struct str named(struct str s)
{
    size_t n = 1;

    if (!s.n || s.s[0] != '{')
        return (struct str){ 0 };
    while (n < s.n && is_name(s.s[n]))
        n++;
    if (n == 1 || (n < s.n && s.s[n] != '}' && s.s[n] != ' '))
        return (struct str){ 0 };
    return (struct str){ s.s, n + (n < s.n && s.s[n] == '}') };
}

/* A brace and the name of a value, as "{value,x": with no brace behind, it was meant to end. */
static struct str unclosed(struct str s, struct str key)
{
    size_t n = 1;

    if (!s.n || s.s[0] != '{' || memchr(s.s, '}', s.n))
        return (struct str){ 0 };
    while (n < s.n && is_name(s.s[n]))
        n++;
    if (str_is((struct str){ s.s + 1, n - 1 }, "value") ||
        str_eq((struct str){ s.s + 1, n - 1 }, key))
        return s;
    return (struct str){ 0 };
}

static bool is_placeholder(struct str s, struct str key)
{
    struct str name = { s.s + 1, s.n - 2 };

    return s.n > 2 && s.s[s.n - 1] == '}' && (str_is(name, "value") || str_eq(name, key));
}

static void template_fits(const struct doc *c, struct report *r)
{
    for (size_t i = 0; i < c->text.n; i++) {
        struct str found = named((struct str){ c->text.s + i, c->text.n - i });
        bool closed = found.n && found.s[found.n - 1] == '}';

        if (i + 1 < c->text.n && memcmp(c->text.s + i, "{{", 2) == 0) {
            i++; /* the tool's own braces */
            continue;
        }
        if (!found.n)
            found = unclosed((struct str){ c->text.s + i, c->text.n - i }, c->key);
        if (!found.n || is_placeholder(found, c->key))
            continue;
        report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                   closed ? "%s is no placeholder; there are {value} and {%.*s}"
                          : "%s has no '}'; there are {value} and {%.*s}",
                   said(found, r->a), STR_ARG(c->key));
    }
}

/* A placeholder with a slip would be a flag, or be handed to the tool as it is. */
static void templates_fit(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "arg_mapping"), DOC_MAP);

    (void)decoded;
    for (; c; c = c->next)
        if (c->kind == DOC_TEXT)
            template_fits(c, r);
}

/* What the sandbox strips is never given: whoever asks for it would get something else. Those that
 * are kept where they are scoped depend on the value, and the call sees to them. */
static void variables_given(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "env_mapping"), DOC_MAP);

    (void)decoded;
    for (; c; c = c->next) {
        const struct env_row *row = c->kind == DOC_TEXT ? inputs_env_row(c->text) : NULL;

        if (row)
            report_add(r, row->scoped ? ABOUT_ODD : ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                       row->scoped ? "%s is given only where each directory in it is one that the "
                                     "run sees; a call with another value is refused"
                                   : "%s is given to no tool; take another variable, `writ explain "
                                     "variables` lists the names that are not allowed",
                       said(c->text, r->a));
    }
}

/* The path behind the method; all of it where there is none. */
static struct str endpoint_path(struct str endpoint)
{
    for (size_t i = 0; i < COUNT(methods); i++) {
        size_t n = strlen(methods[i]);

        if (endpoint.n > n && str_begins(endpoint, methods[i]))
            return (struct str){ endpoint.s + n, endpoint.n - n };
    }
    return endpoint;
}

static bool is_path(struct str path)
{
    if (path.n == 0 || path.s[0] != '/')
        return false;
    for (size_t i = 0; i < path.n; i++)
        if ((unsigned char)path.s[i] <= ' ' || path.s[i] == 0x7f)
            return false;
    return true;
}

/* Is each brace the beginning or the end of a name? */
static bool braces_match(struct str path)
{
    size_t open = 0; /* behind the brace; 0: none is open */

    for (size_t i = 0; i < path.n; i++) {
        if (!is_one_of(path.s[i], "{}"))
            continue;
        if ((path.s[i] == '{') == (open > 0) || (path.s[i] == '}' && i == open))
            return false;
        open = path.s[i] == '{' ? i + 1 : 0;
    }
    return open == 0;
}

static void endpoints_said(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "endpoint_mapping"), DOC_MAP);

    (void)decoded;
    for (; c; c = c->next) {
        if (c->kind != DOC_TEXT)
            continue;
        if (is_path(endpoint_path(c->text))) {
            if (!braces_match(c->text))
                report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                           "%s has a brace that is not one of a pair around a name, as {id}",
                           said(c->text, r->a));
            continue;
        }
        report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                   "%s is not an endpoint such as 'GET /resources/{id}' or '/resources'",
                   said(c->text, r->a));
    }
}

/* RFC 9110: a name is a token, and a value has no line ends. */
static bool is_header(struct str name, struct str value)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (size_t i = 0; i < name.n; i++)
        if (!is_one_of(name.s[i], token))
            return false;
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.s[i] < ' ' && value.s[i] != '\t') || value.s[i] == 0x7f)
            return false;
    return name.n > 0;
}

static void headers_plain(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "headers"), DOC_MAP);

    (void)decoded;
    for (; c; c = c->next)
        if (c->kind == DOC_TEXT && !is_header(c->key, c->text))
            report_add(r, ABOUT_KEY, c, CODE_VALIDATION_ERROR,
                       "the header %s must have a plain name, such as X-Page, and one line of text",
                       said(c->key, r->a));
}

static void url_without_login(const struct doc *d, const void *decoded, struct report *r)
{
    const struct mcp_interface *mcp = decoded;

    if (url_has_login(mcp->url))
        report_add(r, ABOUT_VALUE, doc_get(d, "url"), CODE_VALIDATION_ERROR, "%s", url_login_told);
}

/* clang-format off */
#define AT(member) offsetof(struct cli_interface, member)
static const struct field cli_fields[] = {
    { "executable",  F_TEXT, ONE,  NEEDED,   .at = AT(executable), .min = 1,               .level = L2, .req = "R-001-086", .help = "A command, or the path of one." },
    { "base_args",   F_TEXT, LIST, OPTIONAL, .at = AT(base_args),                          .level = L2, .req = "R-001-087", .help = "Arguments that always come first." },
    { "arg_mapping", F_TEXT, DICT, OPTIONAL, .at = AT(arg_mapping), .min = 1,              .level = L1, .req = "R-001-088", .help = "The argument each parameter becomes, such as '-m {value}'." },
    { "env_mapping", F_TEXT, DICT, OPTIONAL, .at = AT(env_mapping), .form = FORM_ENV_NAME, .level = L1, .req = "R-001-089", .help = "The variable each parameter is put in." },
    { "stdin_mapping", F_TEXT, ONE, OPTIONAL, .at = AT(stdin_mapping), .min = 1,           .level = L1, .req = "R-001-088", .help = "The parameter that is given on standard input." },
};
#undef AT

static const struct rule cli_rules[] = {
    { "R-001-088", "A placeholder is {value}, or {name} of the parameter itself.", templates_fit },
    { "R-001-089", "A variable is none of those that are stripped; `writ explain variables` lists them.", variables_given },
};

#define AT(member) offsetof(struct api_interface, member)
static const struct field api_fields[] = {
    { "base_url",         F_TEXT,   ONE,  NEEDED,   .at = AT(base_url), .form = FORM_URL,                                   .level = L2, .req = "R-001-090", .help = "Where the API is." },
    { "auth_method",      F_CHOICE, ONE,  OPTIONAL, .at = AT(auth_method), .choices = auth_names, .fallback = AUTH_NONE,    .level = L2, .req = "R-001-091", .help = "How a call proves who it is." },
    { "headers",          F_TEXT,   DICT, OPTIONAL, .at = AT(headers),                                                      .level = L2, .req = "R-001-092", .help = "Headers sent with every call." },
    { "endpoint_mapping", F_TEXT,   DICT, NEEDED,   .at = AT(endpoint_mapping), .least = 1,                                 .level = L1, .req = "R-001-093", .help = "The endpoint of each operation, such as 'GET /resources/{id}'." },
    { "auth",             F_SHAPE,  ONE,  OPTIONAL, .at = AT(auth), .sub = &auth_shape,                                     .level = L2, .req = "R-001-091", .help = "What auth_method needs: which secret, where it goes." },
};
#undef AT

static const struct rule api_rules[] = {
    { "R-001-093", "An endpoint is a method, a space and a path, or a path alone.", endpoints_said },
    { "R-001-092", "A header is a plain name and one line of text.",                headers_plain },
};

#define AT(member) offsetof(struct sdk_interface, member)
static const struct field sdk_fields[] = {
    { "language",         F_CHOICE, ONE,  NEEDED, .at = AT(language), .choices = language_names, .level = L2, .req = "R-001-094", .help = "The language the package is for." },
    { "package",          F_TEXT,   ONE,  NEEDED, .at = AT(package), .min = 1,                   .level = L2, .req = "R-001-095", .help = "The package that has the functions." },
    { "import_path",      F_TEXT,   ONE,  NEEDED, .at = AT(import_path), .min = 1,               .level = L2, .req = "R-001-096", .help = "The module in it." },
    { "function_mapping", F_TEXT,   DICT, NEEDED, .at = AT(function_mapping), .least = 1, .min = 1, .level = L1, .req = "R-001-097", .help = "The function of each operation." },
};
#undef AT

#define AT(member) offsetof(struct mcp_interface, member)
static const struct field mcp_fields[] = {
    { "server",       F_TEXT,   ONE,  NEEDED, .at = AT(server), .min = 1,                     .level = L2, .req = "R-001-098", .help = "The MCP server, by its name in the configuration." },
    { "transport",    F_CHOICE, ONE,  NEEDED, .at = AT(transport), .choices = transport_names, .level = L2, .req = "R-001-099", .help = "How it is spoken to." },
    { "tool_mapping", F_TEXT,   DICT, NEEDED, .at = AT(tool_mapping), .least = 1, .min = 1,   .level = L1, .req = "R-001-100", .help = "The server's tool for each operation." },
    { "command",      F_TEXT,   LIST, OPTIONAL, .at = AT(command), .least = 1, .most = 64, .min = 1, .level = L2, .req = "R-001-098", .help = "Of stdio: what starts the server, a word each; as the configuration says when left out." },
    { "url",          F_TEXT,   ONE,  OPTIONAL, .at = AT(url), .min = 1,                       .level = L2, .req = "R-001-098", .help = "Of http and websocket: where the server is; as the configuration says when left out." },
    { "auth",         F_SHAPE,  ONE,  OPTIONAL, .at = AT(auth), .sub = &bearer_shape,          .level = L2, .req = "R-001-091", .help = "Of http and websocket: the secret that is sent as a bearer token." },
};
#undef AT

static const struct rule mcp_rules[] = {
    { "R-001-098", "A URL has no user name and no password in it.", url_without_login },
};
/* clang-format on */

static const struct shape cli_shape = { .name = "tool's cli interface",
                                        .size = sizeof(struct cli_interface),
                                        FIELDS(cli_fields),
                                        RULES(cli_rules),
                                        .code = CODE_VALIDATION_ERROR };
static const struct shape api_shape = { .name = "tool's api interface",
                                        .size = sizeof(struct api_interface),
                                        FIELDS(api_fields),
                                        RULES(api_rules),
                                        .code = CODE_VALIDATION_ERROR };
static const struct shape sdk_shape = { .name = "tool's sdk interface",
                                        .size = sizeof(struct sdk_interface),
                                        FIELDS(sdk_fields),
                                        .code = CODE_VALIDATION_ERROR };
static const struct shape mcp_shape = { .name = "tool's mcp interface",
                                        .size = sizeof(struct mcp_interface),
                                        FIELDS(mcp_fields),
                                        RULES(mcp_rules),
                                        .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct adapter_interface, member)
static const struct field interface_fields[] = {
    { "cli", F_SHAPE, .at = AT(cli), .sub = &cli_shape, .level = L1, .req = "R-001-086", .help = "For a command." },
    { "api", F_SHAPE, .at = AT(api), .sub = &api_shape, .level = L1, .req = "R-001-090", .help = "For a service spoken to over HTTP." },
    { "sdk", F_SHAPE, .at = AT(sdk), .sub = &sdk_shape, .level = L1, .req = "R-001-094", .help = "For functions of a package." },
    { "mcp", F_SHAPE, .at = AT(mcp), .sub = &mcp_shape, .level = L1, .req = "R-001-098", .help = "For tools of an MCP server." },
};
#undef AT
/* clang-format on */

const struct shape interface_shape = { .name = "tool's interface",
                                       .size = sizeof(struct adapter_interface),
                                       FIELDS(interface_fields),
                                       .code = CODE_VALIDATION_ERROR };
