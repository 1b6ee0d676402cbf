/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c: the formats as a table, and what several of them need. */
#include "adapter/transform_parts.h"
#include "base/json_write.h"
#include "base/number.h"

enum { SAY = 256, COLUMNS_MOST = 1000, TEMPLATE_CHARS = 16384 };

/* clang-format off */
#define AT(member) offsetof(struct csv_options, member)
static const struct field csv_fields[] = {
    { "header",    F_BOOL, ONE,  OPTIONAL, .at = AT(header), .fallback = 1, .help = "Of maps: the first row has the names." },
    { "delimiter", F_TEXT, ONE,  OPTIONAL, .at = AT(delimiter), .min = 1, .max = 1, .help = "What is between two fields." },
    { "crlf",      F_BOOL, ONE,  OPTIONAL, .at = AT(crlf), .help = "Lines end in CRLF, as RFC 4180 has it; else in LF." },
    { "columns",   F_TEXT, LIST, OPTIONAL, .at = AT(columns), .least = 1, .most = COLUMNS_MOST, .help = "Of maps: these members, in this order; what a row has not is empty." },
};
#undef AT

#define AT(member) offsetof(struct template_options, member)
static const struct field template_fields[] = {
    { "text", F_TEXT, ONE, NEEDED,   .at = AT(text), .max = TEMPLATE_CHARS, .help = "{name} is a member, {/pointer} a value further down; {{ and }} are braces." },
    { "each", F_BOOL, ONE, OPTIONAL, .at = AT(each), .help = "Of a list: once for each item, each on a line." },
};
#undef AT

static const struct rule csv_rules[]      = { { "R-001-107", "A delimiter is one character of ASCII.", delimiter_fits } };
static const struct rule template_rules[] = { { "R-001-107", "The template is one.",                   template_fits } };
/* clang-format on */

static const struct shape csv_shape = { .name = "csv format",
                                        .size = sizeof(struct csv_options),
                                        FIELDS(csv_fields),
                                        RULES(csv_rules),
                                        .code = CODE_VALIDATION_ERROR };
static const struct shape template_shape = { .name = "template",
                                             .size = sizeof(struct template_options),
                                             FIELDS(template_fields),
                                             RULES(template_rules),
                                             .code = CODE_VALIDATION_ERROR };

/* clang-format off */
static const struct way format_rows[] = {
    { "text",        "",                                 "A text as it is; of a number, a truth or null its word.",           .format = format_text },
    { "json",        "",                                 "JSON on one line.",                                                .format = format_json },
    { "json_pretty", "",                                 "JSON on many lines, two blanks deeper each.",                      .format = format_json_pretty },
    { "json_lines",  "",                                 "Of a list: each item as JSON on a line.",                          .format = format_json_lines },
    { "yaml",        "",                                 "YAML that every reader reads as the same.",                        .format = format_yaml },
    { "csv",         "header, delimiter, crlf, columns", "Of a list of maps or lists: fields between commas (RFC 4180); of null none.", &csv_shape, .format = format_csv },
    { "tsv",         "header, delimiter, crlf, columns", "The same with tabs.",                                             &csv_shape, .format = format_tsv },
    { "lines",       "",                                 "Of a list: each item on a line, as text writes it.",                .format = format_lines },
    { "template",    "text, each",                       "A text with values in it, as text writes them, lists and maps as JSON: {name}, {/pointer}; {{ and }} are braces.", &template_shape, "text", .format = format_template },
};
/* clang-format on */

const struct ways formats = { "format", format_rows, COUNT(format_rows) };

const struct table formats_table = {
    .name = "formats",
    .about = "How an adapter's output is written: transforms of type format.",
    .columns = way_columns,
    .column_count = WAY_COLUMNS,
    .keys = 1,
    ROWS(format_rows),
};

bool scalar_text(const struct doc *d, struct buf *to)
{
    _buf_ struct buf number = { .max = NUMBER_MAX };

    switch (d->kind) {
    case DOC_NULL: buf_adds(to, "null"); return true;
    case DOC_TEXT: buf_add(to, d->text.s, d->text.n); return true;
    case DOC_BOOL: buf_adds(to, d->truth ? "true" : "false"); return true;
    case DOC_INT:
    case DOC_NUMBER:
        json_doc(&number, d);
        buf_add(to, number.s, number.len);
        return true;
    case DOC_LIST:
    case DOC_MAP: return false;
    }
    return false;
}

bool unfit(const struct making *m, const struct doc *d, const char *must)
{
    _buf_ struct buf found = { .max = SAY }, place = { .max = SAY };

    doc_say(d, &found);
    doc_pointer(d, &place);
    return error_set(m->e, CODE_TRANSFORM_FAILED, "%s%s is %s, must be %s",
                     place.len ? "" : "the output", buf_str(&place).s, buf_str(&found).s, must);
}
