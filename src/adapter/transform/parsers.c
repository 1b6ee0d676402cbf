/* SPDX-License-Identifier: Apache-2.0 */
/* parsers.c: the parsers as a table, and what all of them do first. */
#include "adapter/transform.h"
#include "adapter/transform_parts.h"
#include "base/utf8.h"

enum { DELIMITER_CHARS = 1, SEPARATOR_CHARS = 8, PATTERN_CHARS = 16384 };

/* clang-format off */
#define AT(member) offsetof(struct csv_options, member)
static const struct field csv_fields[] = {
    { "header",    F_BOOL, ONE, OPTIONAL, .at = AT(header), .fallback = 1, .help = "The first row has the names: rows are maps; else lists." },
    { "quotes",    F_BOOL, ONE, OPTIONAL, .at = AT(quotes), .fallback = 1, .help = "false: a quote is a character like any other." },
    { "delimiter", F_TEXT, ONE, OPTIONAL, .at = AT(delimiter), .min = 1, .max = DELIMITER_CHARS, .help = "What is between two fields." },
};
#undef AT

#define AT(member) offsetof(struct kv_options, member)
static const struct field kv_fields[] = {
    { "separator", F_TEXT, ONE, OPTIONAL, .at = AT(separator), .min = 1, .max = SEPARATOR_CHARS, .help = "What is between key and value; = or : when left out." },
};
#undef AT

#define AT(member) offsetof(struct regex_options, member)
static const struct field regex_fields[] = {
    { "pattern",   F_TEXT, ONE, NEEDED,   .at = AT(pattern), .min = 1, .max = PATTERN_CHARS, .help = "As in ECMA-262, without look-around and back-references; its groups have names." },
    { "all",       F_BOOL, ONE, OPTIONAL, .at = AT(all), .help = "Every match, as a list; else the first, which must be there." },
    { "multiline", F_BOOL, ONE, OPTIONAL, .at = AT(multiline), .help = "^ and $ also stand where lines begin and end." },
};
#undef AT

static const struct rule csv_rules[]   = { { "R-001-105", "A delimiter is one character of ASCII.", delimiter_fits } };
static const struct rule regex_rules[] = { { "R-001-105", "The pattern is one.",                    regex_fits } };
/* clang-format on */

static const struct shape csv_shape = { .name = "csv parser",
                                        .size = sizeof(struct csv_options),
                                        FIELDS(csv_fields),
                                        RULES(csv_rules),
                                        .code = CODE_VALIDATION_ERROR };
static const struct shape kv_shape = { .name = "kv parser",
                                       .size = sizeof(struct kv_options),
                                       FIELDS(kv_fields),
                                       .code = CODE_VALIDATION_ERROR };
static const struct shape regex_shape = { .name = "regex parser",
                                          .size = sizeof(struct regex_options),
                                          FIELDS(regex_fields),
                                          RULES(regex_rules),
                                          .code = CODE_VALIDATION_ERROR };

/* clang-format off */
static const struct way parser_rows[] = {
    { "json",       "",                           "One JSON document (RFC 8259, strict).",                                       .parse = parse_json },
    { "json_lines", "",                           "One JSON document on each line; a list of them.",                             .parse = parse_json_lines },
    { "yaml",       "",                           "One YAML document (1.2, core schema).",                                       .parse = parse_yaml },
    { "csv",        "header, quotes, delimiter",  "Fields between commas (RFC 4180): a list of maps, or of lists.",             &csv_shape, .parse = parse_csv },
    { "tsv",        "header, quotes, delimiter",  "The same with tabs.",                                                         &csv_shape, .parse = parse_tsv },
    { "lines",      "",                           "A list of lines.",                                                            .parse = parse_lines },
    { "kv",         "separator",                  "A map of lines such as key=value or key: value; quotes and # as os-release has them.", &kv_shape, .parse = parse_kv },
    { "regex",      "pattern, all, multiline",    "A map of what the named groups of a pattern matched, or a list of maps.",    &regex_shape, "pattern", parse_regex },
};
/* clang-format on */

const struct ways parsers = { "parse", parser_rows, COUNT(parser_rows) };

const struct table parsers_table = {
    .name = "parsers",
    .about = "How an adapter's output is read: transforms of type parse.",
    .columns = way_columns,
    .column_count = WAY_COLUMNS,
    .keys = 1,
    ROWS(parser_rows),
};

bool is_text(struct str text, struct error *e)
{
    size_t good = utf8_valid(text);
    const char *nul = text.n ? memchr(text.s, '\0', text.n) : NULL;

    if (text.n > BYTES_MOST)
        return error_set(e, CODE_TRANSFORM_FAILED, "%zu bytes, allowed are %d", text.n, BYTES_MOST);
    if (nul && (size_t)(nul - text.s) < good)
        return error_set(e, CODE_TRANSFORM_FAILED, "a NUL at byte %zu is no text",
                         (size_t)(nul - text.s));
    return good == text.n || error_set(e, CODE_TRANSFORM_FAILED, "not UTF-8 at byte %zu", good);
}

/* What some programs put before a text to say that it is UTF-8. */
static struct str without_mark(struct str text)
{
    return str_begins(text, "\xef\xbb\xbf") ? (struct str){ text.s + 3, text.n - 3 } : text;
}

static struct at nowhere(void)
{
    return (struct at){ 0 };
}

static bool parse(const struct making *m, const struct doc *spec, struct str bytes,
                  const struct doc **out)
{
    const struct way *way;
    const void *options;

    if (!way_of(&parsers, spec, m, &way, &options))
        return false;
    if (!is_text(bytes, m->e) ||
        !way->parse(m, options, without_mark(bytes.n ? bytes : str_of("")), out)) {
        m->e->code = CODE_TRANSFORM_FAILED;
        m->e->at = nowhere();
        return error_wrap(m->e, "%s", way->name);
    }
    return true;
}

bool parse_output(const struct doc *spec, struct str bytes, struct arena *a, const struct doc **out,
                  struct error *e)
{
    struct work w = { .left = ceiling_rows[CEILING_QUERY].value };
    uint32_t values = 0;
    struct making m = { a, &w, e, &values };

    return parse(&m, spec, bytes, out);
}

/* ---- what parsers share ---- */

bool making_over(const struct making *m)
{
    const struct ceiling_row *most = &ceiling_rows[CEILING_VALUES];

    if (m->values && *m->values > most->value)
        return error_set(m->e, CODE_TRANSFORM_FAILED, "%s is above %u: %s", most->name, most->value,
                         most->meaning);
    return error_set(m->e, CODE_TRANSFORM_FAILED, "more than %u steps of work",
                     ceiling_rows[CEILING_QUERY].value);
}

bool may_make(const struct making *m, size_t values)
{
    uint32_t most = ceiling_rows[CEILING_VALUES].value;

    if (!m->values || (*m->values <= most && values <= most - *m->values))
        return true;
    *m->values = most + 1;
    return false;
}

struct doc *made(const struct making *m, struct doc *up, struct str key, enum doc_kind kind)
{
    struct doc *d;

    if (!work_do(m->w, WORK_VALUE) || !may_make(m, 1))
        return NULL;
    if (m->values)
        ++*m->values;
    d = doc_add(m->a, up, key);
    d->kind = kind;
    return d;
}

bool made_text(const struct making *m, struct doc *up, struct str key, struct str text)
{
    struct doc *d = made(m, up, key, DOC_TEXT);

    if (!d)
        return making_over(m);
    d->text = text;
    return true;
}

struct str line_next(struct str *rest)
{
    const char *end = memchr(rest->s, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->s) : rest->n, taken = end ? n + 1 : n;
    struct str line = { rest->s, n > 0 && end && rest->s[n - 1] == '\r' ? n - 1 : n };

    *rest = (struct str){ rest->s + taken, rest->n - taken };
    return line;
}
