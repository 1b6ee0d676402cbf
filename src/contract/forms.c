/* SPDX-License-Identifier: Apache-2.0 */
/* forms.c: whether a text has the form its field asks for. */
#include "contract/forms.h"

#include "base/digest.h"
#include "base/stamp.h"
#include "base/uuid.h"
#include "contract/semver.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

/* Drops the prefix from *t if it is there. */
static bool skip(struct str *t, const char *prefix)
{
    size_t n = strlen(prefix);

    if (!str_begins(*t, prefix))
        return false;
    *t = (struct str){ t->s + n, t->n - n };
    return true;
}

/* Drops what leads *t and `is` such; returns how many bytes that was. */
static size_t skip_all(struct str *t, bool (*is)(char c))
{
    size_t n = 0;

    while (n < t->n && is(t->s[n]))
        n++;
    if (n)
        *t = (struct str){ t->s + n, t->n - n };
    return n;
}

static bool fits_uuid(struct str t, const char **why)
{
    (void)why;
    return uuid_v4(t, NULL);
}

static bool fits_stamp(struct str t, const char **why)
{
    struct stamp stamp;

    return stamp_read(t, &stamp, why);
}

/* The complaint about a timestamp helps only where one was meant. */
static bool fits_day(struct str t, const char **why)
{
    enum { DATE = 10 };

    return stamp_date(t) || (t.n > DATE && fits_stamp(t, why));
}

static bool fits_version(struct str t, const char **why)
{
    struct semver version;

    (void)why;
    return semver_read(t, &version);
}

static bool is_snake(char c)
{
    return is_lower(c) || is_digit(c);
}

static bool fits_snake(struct str t, const char **why)
{
    (void)why;
    if (t.n == 0 || !is_lower(t.s[0]))
        return false;
    while (skip_all(&t, is_snake)) {
        if (t.n == 0)
            return true;
        if (!skip(&t, "_"))
            return false;
    }
    return false;
}

static bool is_slug(char c)
{
    return is_lower(c) || is_digit(c) || is_one_of(c, "._:/-");
}

static bool fits_slug(struct str t, const char **why)
{
    (void)why;
    return skip_all(&t, is_slug) && t.n == 0;
}

static bool fits_digest(struct str t, const char **why)
{
    struct digest digest;

    (void)why;
    return digest_parse(t, &digest);
}

static bool is_host(char c)
{
    return is_letter(c) || is_digit(c) || is_one_of(c, "._~-");
}

static bool is_address(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
}

static bool is_graph(char c)
{
    return c > ' ' && c <= '~';
}

static bool skip_host(struct str *t)
{
    if (skip(t, "["))
        return skip_all(t, is_address) && skip(t, "]");
    return skip_all(t, is_host);
}

const char url_login_told[] = "the URL has a user name or a password in it; take out what stands "
                              "before the '@', and name it under `secrets` instead";

/* A password may have a '/' that should have been written as %2F: what is no port, and has an '@'
 * somewhere behind it, is taken for one. */
bool url_has_login(struct str url)
{
    const char *at = url.n ? memmem(url.s, url.n, "://", 3) : NULL;
    struct str rest = at ? (struct str){ at + 3, url.n - (size_t)(at + 3 - url.s) } : url;
    size_t n = 0;

    while (n < rest.n && !is_one_of(rest.s[n], "/?#"))
        n++;
    if (n > 0 && memchr(rest.s, '@', n))
        return true;
    (void)skip_host(&rest);
    if (!skip(&rest, ":"))
        return false;
    (void)skip_all(&rest, is_digit);
    return rest.n && !is_one_of(rest.s[0], "/?#") && memchr(rest.s, '@', rest.n);
}

/* A user name in a URL is a secret in a document, and hides which host is meant. */
static bool fits_url(struct str t, const char **why)
{
    enum { PORT_DIGITS = 5 };
    struct str rest = t;
    size_t digits;

    if (!skip(&rest, "https://") && !skip(&rest, "http://")) {
        *why = "it must begin with https:// or http://";
        return false;
    }
    if (!skip_host(&rest))
        return false;
    if (skip(&rest, ":")) {
        digits = skip_all(&rest, is_digit);
        if (digits == 0 || digits > PORT_DIGITS)
            return false;
    }
    if (rest.n && !is_one_of(rest.s[0], "/?#"))
        return false;
    (void)skip_all(&rest, is_graph);
    return rest.n == 0;
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool fits_env_name(struct str t, const char **why)
{
    if (t.n && is_digit(t.s[0])) {
        *why = "it may not begin with a digit";
        return false;
    }
    return skip_all(&t, is_name) && t.n == 0;
}

static bool fits_tool_version(struct str t, const char **why)
{
    (void)why;
    for (int part = 0; part < 3; part++) {
        if (part && !skip(&t, "."))
            break;
        if (!skip_all(&t, is_digit))
            return false;
    }
    (void)skip(&t, "+");
    return t.n == 0;
}

static bool is_step_name(char c)
{
    return is_letter(c) || is_digit(c) || is_one_of(c, "-_.");
}

static bool fits_step_name(struct str t, const char **why)
{
    (void)why;
    return skip_all(&t, is_step_name) && t.n == 0;
}

static bool is_of_class_id(char c)
{
    return (c >= 'a' && c <= 'z') || is_digit(c) || is_one_of(c, "_-");
}

/* One that begins with '-' would be taken for an option where it is typed. */
static bool fits_class_id(struct str t, const char **why)
{
    *why = "lower-case letters, digits, _ and - are allowed, and no - at the beginning";
    return !skip(&t, "-") && skip_all(&t, is_of_class_id) && t.n == 0;
}

/* clang-format off */
#define STAMP_TAIL "[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"

/* Names carry their article: "'x' is not a slug such as run:42". */
const struct form_row forms[FORM_COUNT] = {
    [FORM_ANY]      = { "any text", "anything", NULL, NULL, NULL, "Text, as it is." },
    [FORM_UUID]     = { "a UUID v4", "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11",
                        "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$", "uuid",
                        fits_uuid, "A random UUID (version 4), in lower or upper case." },
    [FORM_STAMP]    = { "a timestamp", "2026-01-16T10:15:30.000Z", NULL, "date-time",
                        fits_stamp, "A date and time with its zone (RFC 3339)." },
    [FORM_DAY]      = { "a date or a timestamp", "2026-01-16", "^[0-9]{4}-[0-9]{2}-[0-9]{2}(" STAMP_TAIL ")?$", NULL,
                        fits_day, "A plain date, or a date and time with its zone (RFC 3339)." },
    [FORM_VERSION]  = { "a version", "1.0.0", "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$", NULL,
                        fits_version, "Three whole numbers X.Y.Z, without a pre-release tag." },
    [FORM_SNAKE]    = { "a lower_snake name", "text_digest", "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", NULL,
                        fits_snake, "Lower-case words and digits, joined by single underscores." },
    [FORM_SLUG]     = { "a slug", "run:2026/nightly-1", "^[a-z0-9._:/-]+$", NULL,
                        fits_slug, "Lower-case letters, digits and . _ : / - only." },
    [FORM_DIGEST]   = { "a digest", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "^sha256:[0-9a-f]{64}$", NULL,
                        fits_digest, "sha256: and 64 lower-case hex digits." },
    [FORM_URL]      = { "a URL", "https://api.example.com/v1",
                        "^https?://([A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?([/?#][!-~]*)?$", NULL,
                        fits_url, "https:// or http://, a host, perhaps a port and a path; no user name." },
    [FORM_ENV_NAME] = { "a variable name", "HTTP_PROXY", "^[A-Za-z_][A-Za-z0-9_]*$", NULL,
                        fits_env_name, "Letters, digits and underscores, not beginning with a digit." },
    [FORM_STEP_NAME] = { "a name", "find-todos", "^[A-Za-z0-9._-]+$", NULL,
                        fits_step_name, "Letters, digits and - _ . only." },
    [FORM_TOOL_VERSION] = { "a tool version", "13+", "^[0-9]+(\\.[0-9]+){0,2}\\+?$", NULL,
                        fits_tool_version, "X, X.Y or X.Y.Z, which pins it; a + behind it means at least." },
    [FORM_CLASS_ID] = { "a class id", "go_test", "^[a-z0-9_][a-z0-9_-]*$", NULL,
                        fits_class_id, "Lower-case letters, digits and _ -, not beginning with -." },
};

#undef STAMP_TAIL

static const struct column form_columns[] = {
    { "name",    COLUMN_TEXT, offsetof(struct form_row, name) },
    { "example", COLUMN_TEXT, offsetof(struct form_row, example) },
    { "pattern", COLUMN_TEXT, offsetof(struct form_row, pattern) },
    { "format",  COLUMN_TEXT, offsetof(struct form_row, format) },
    { "meaning", COLUMN_TEXT, offsetof(struct form_row, meaning) },
};
/* clang-format on */

const struct table forms_table = {
    .name = "forms",
    .about = "The forms a text field can have.",
    COLUMNS(form_columns),
    .keys = 1,
    ROWS(forms),
};
