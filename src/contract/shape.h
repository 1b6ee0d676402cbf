/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h: what a document may say, as rows; one walker turns it into a C struct.
 *
 * A row is read by five readers: the decoder, the JSON writer, the schema writer, `writ explain`
 * and, for adapters, the disclosure filter. To add a field is to add a row and a struct member.
 *
 * The member a row points at has the type its kind says:
 *
 *     F_TEXT struct str    F_INT int64_t    F_NUMBER double    F_BOOL bool    F_CHOICE int
 *     F_SHAPE const struct X * (NULL: not there)    F_MAP, F_ANY const struct doc *
 *
 * or, where it may be many, struct items: an array of these (LIST), of struct pair (DICT, texts
 * only), or of the structs themselves (LIST of F_SHAPE).
 */
#pragma once

#include "base/doc.h"
#include "base/number.h"
#include "base/report.h"
#include "contract/codes.h"
#include "contract/forms.h"
#include "contract/limits.h"

enum field_kind { F_TEXT, F_INT, F_NUMBER, F_BOOL, F_CHOICE, F_SHAPE, F_MAP, F_ANY };
enum field_many { ONE, LIST, DICT };

/* Nullable fields may be left out or say null, and both mean the same. NEEDED_OR_NULL: it must be
 * said, and may be said to be null. */
enum field_need { OPTIONAL, NEEDED, NULLABLE, NEEDED_OR_NULL };

/* How much of an adapter is shown at which level of disclosure (contract 001). */
enum level { L0, L1, L2, L3 };

struct field {
    const char *name;
    enum field_kind kind;
    enum field_many many;
    enum field_need need;
    size_t at;                     /* offsetof the member */
    int64_t min, max;              /* of a number, or characters of a text; both 0: any */
    uint32_t least, most;          /* items of a list or dict; most 0: any number */
    int64_t fallback;              /* of F_INT, F_BOOL, F_CHOICE, F_NUMBER when left out */
    const struct limit_row *limit; /* takes the place of min, max and fallback */
    bool bare;                     /* the limit's range alone; its default does not apply here */
    const char *const *choices;    /* of F_CHOICE, ended by NULL; one choice is a literal */
    enum form form;                /* of F_TEXT */
    const struct shape *sub;       /* of F_SHAPE; of F_MAP, that of each member, or NULL */
    bool later;  /* needed, and added by the ledger where a document leaves it out */
    bool nil;    /* what is not there is written as null by shape_json() */
    bool filled; /* an F_SHAPE or F_MAP that is left out is {}, not NULL */
    enum level level;
    const char *req;  /* the requirement it answers */
    const char *help; /* one sentence */
};

static inline int64_t field_min(const struct field *f)
{
    return f->limit ? f->limit->min : f->min;
}

static inline int64_t field_max(const struct field *f)
{
    return f->limit ? f->limit->max : f->max;
}

static inline bool field_needed(const struct field *f)
{
    return f->need == NEEDED || f->need == NEEDED_OR_NULL;
}

/* Bytes of one decoded item of a LIST. */
size_t field_item_size(const struct field *f);

/* A choice that was left out although needed, or is none of the choices. */
enum { CHOICE_NONE = -1 };

/* A rule between fields. It looks at the decoded struct, where a field that was left out or wrong
 * is zero (a choice: CHOICE_NONE), and adds what it finds to the report. Rules run in order, after
 * the fields. */
struct rule {
    const char *req;
    const char *says;
    void (*check)(const struct doc *d, const void *decoded, struct report *r);
};

struct shape {
    const char *name; /* "plan", as in: a plan needs 'steps' */
    size_t size;
    const struct field *fields;
    size_t count;
    const struct rule *rules;
    size_t rule_count;
    enum code code; /* of the problems found in it */
    bool open;      /* unknown fields are kept, not refused */
};

struct items {
    void *v;
    size_t n;
};

/* Of a list of struct str: is this one of them? All of them, "a, b, c", or "none". */
bool items_have(const struct items *names, struct str name);
bool pairs_have(const struct items *pairs, struct str key); /* of struct pair */
const char *items_said(const struct items *names, struct arena *a);

struct pair {
    struct str key, text;
};

#define FIELDS(rows) .fields = (rows), .count = COUNT(rows)
#define RULES(rows)  .rules = (rows), .rule_count = COUNT(rows)

/* Fills *out (shape->size bytes, zeroed) and reports every problem. True when there was none;
 * warnings do not count. */
bool shape_decode(const struct shape *shape, const struct doc *d, struct report *r, void *out);

/* The decoded struct as JSON, members in the order of the rows; what is not there is left out,
 * unless its row says null. */
void shape_json(const struct shape *shape, const void *decoded, struct buf *to);

/* The shape as a JSON Schema (2020-12). Rules between fields are named in its description. */
void shape_schema(const struct shape *shape, struct buf *to);

/* The fields as a JSON list of rows for people: field, type, needed, default, allowed, meaning.
 * Those of sub-shapes follow theirs, with a dotted name; of members with any name as NAME.*. */
void shape_fields(const struct shape *shape, struct buf *to);

/* The shapes inside a shape that have this name, or are the value of a field of this name, with
 * their dotted names among the fields: behind the n that told[] has, each once, `most` in all. The
 * number of them with those. */
struct shape_part {
    const struct shape *shape;
    const char *path;
};
size_t shape_parts(const struct shape *shape, struct str name, struct arena *a,
                   struct shape_part told[], size_t n, size_t most);
