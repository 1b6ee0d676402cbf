/* SPDX-License-Identifier: Apache-2.0 */
/* transform_parts.h: what transforms are made of. For their room, and who reads them in callable/.
 *
 * run.c has the order and the checks, in.c what is done to parameters, out.c what is done to
 * output. ways.c reads a spec such as {csv: {header: false}} by the table of parsers (parsers.c) or
 * formats (formats.c), whose functions are in parse_*.c and format_*.c.
 */
#pragma once

#include "adapter/transform.h"
#include "base/buf.h"
#include "base/doc_make.h"
#include "contract/shape.h"

enum {
    TRANSFORMS_MOST = 32, /* of input, of output */
    PLACE_NAMES = 32,     /* in one JSON Pointer: what is made must not become too deep */
    BYTES_MOST = 64 << 20 /* of a text that is read or written */
};

/* What a transform is done with. */
struct making {
    struct arena *a;
    struct work *w;
    struct error *e;
    uint32_t *values; /* that a parser made; NULL: nobody counts */
};

/* The work is over, or there are more values than a document may have; false, and says which. */
bool making_over(const struct making *m);

/* ---- a way to read or to write: a parser or a format ---- */

typedef bool parse_way(const struct making *m, const void *options, struct str text,
                       const struct doc **out);
typedef bool format_way(const struct making *m, const void *options, const struct doc *d,
                        struct buf *to);

struct way {
    const char *name;
    const char *options; /* as people write them; "": none */
    const char *about;
    const struct shape *shape; /* of the options; NULL: there are none */
    const char *main;          /* the option that may stand in place of all; or NULL */
    parse_way *parse;
    format_way *format;
};

struct ways {
    const char *what; /* "parse" */
    const struct way *v;
    size_t n;
};

extern const struct ways parsers, formats;
extern const struct column way_columns[];
enum { WAY_COLUMNS = 3 };

/* Reads a spec. False: the report has the problems. */
bool way_read(const struct ways *all, const struct doc *spec, struct report *r,
              const struct way **out, const void **options);

/* The same where nobody reads a report: false and CODE_TRANSFORM_FAILED. */
bool way_of(const struct ways *all, const struct doc *spec, const struct making *m,
            const struct way **out, const void **options) NODISCARD;

/* ---- the rows of transforms ---- */

struct change {
    const char *name, *side, *spec, *about;
    void (*fits)(const struct adapter *adapter, const struct doc *spec, struct report *r);
    /* Of input: changes the parameters, a tree of our own. */
    bool (*input)(const struct making *m, const struct doc *spec, const struct doc *schema,
                  struct doc *params);
    /* Of output. */
    bool (*output)(const struct making *m, const struct doc *spec, struct value *value);
};

bool change_rename(const struct making *m, const struct doc *spec, const struct doc *schema,
                   struct doc *params);
bool change_map(const struct making *m, const struct doc *spec, const struct doc *schema,
                struct doc *params);
bool change_default(const struct making *m, const struct doc *spec, const struct doc *schema,
                    struct doc *params);
bool change_validate(const struct making *m, const struct doc *spec, const struct doc *schema,
                     struct doc *params);
bool change_parse(const struct making *m, const struct doc *spec, struct value *value);
bool change_extract(const struct making *m, const struct doc *spec, struct value *value);
bool change_format(const struct making *m, const struct doc *spec, struct value *value);

/* ---- where a parameter is: a name, or a JSON Pointer where it begins with '/' ---- */

/* Is it one that can be used? The message quotes it. */
bool place_read(struct str text, struct arena *a, struct str **names, size_t *n,
                struct error *e) NODISCARD;

/* ---- what parsers and formats share ---- */

/* Has the document room for that many more? What has none is counted: making_over() says so. */
bool may_make(const struct making *m, size_t values) NODISCARD;

/* A new value at the end of a list, or of a map under that key; NULL: making_over(). */
struct doc *made(const struct making *m, struct doc *up, struct str key, enum doc_kind kind);
bool made_text(const struct making *m, struct doc *up, struct str key, struct str text) NODISCARD;

/* Takes the next line off a text: without its LF or CRLF. */
struct str line_next(struct str *rest);

/* What a text, a number, a truth or null is as text. False: it is a list or a map. */
bool scalar_text(const struct doc *d, struct buf *to);

/* "row 3 is a list of 2, must be ..": false and CODE_TRANSFORM_FAILED. The place is d's pointer. */
bool unfit(const struct making *m, const struct doc *d, const char *must);

/* "the output is not UTF-8 at byte 17", and the like: false where it is no text. */
bool is_text(struct str text, struct error *e) NODISCARD;

/* A pattern of {regex: ..}, a template: are they ones? */
void regex_fits(const struct doc *d, const void *decoded, struct report *r);
void template_fits(const struct doc *d, const void *decoded, struct report *r);
void delimiter_fits(const struct doc *d, const void *decoded, struct report *r);

/* ---- options and functions, by file ---- */

struct csv_options {
    bool header, quotes, crlf;
    struct str delimiter; /* no bytes: as the name says */
    struct items columns; /* of struct str; none: all */
};

struct kv_options {
    struct str separator; /* no bytes: = or : */
};

struct regex_options {
    struct str pattern;
    bool all, multiline;
};

struct template_options {
    struct str text;
    bool each;
};

parse_way parse_json, parse_json_lines, parse_yaml, parse_csv, parse_tsv, parse_lines, parse_kv,
    parse_regex;
format_way format_text, format_json, format_json_pretty, format_json_lines, format_yaml, format_csv,
    format_tsv, format_lines, format_template;
