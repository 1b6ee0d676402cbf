/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what a schema becomes, and what its files say to each other.
 *
 * Each place in a document that is a schema becomes a node, each of its keywords a rule. A keyword
 * is a row of one table: how it is read into a rule, how the rule is checked, what is said where it
 * does not hold. Nothing is compared by name once a schema has been read.
 */
#pragma once

#include "base/jsonschema.h"
#include "base/jsonschema/names.h"

/* ---- the program ---- */

enum {
    IS_NULL = 1 << DOC_NULL,
    IS_BOOL = 1 << DOC_BOOL,
    IS_INT = 1 << DOC_INT,
    IS_NUMBER = 1 << DOC_NUMBER,
    IS_TEXT = 1 << DOC_TEXT,
    IS_LIST = 1 << DOC_LIST,
    IS_MAP = 1 << DOC_MAP,
    IS_WHOLE = 1 << 7, /* a number such as 1.0 */
    IS_ANY = (1 << 7) - 1,
};

enum vocabulary {
    VOCABULARY_CORE = 1,
    VOCABULARY_APPLICATOR = 2,
    VOCABULARY_UNEVALUATED = 4,
    VOCABULARY_VALIDATION = 8,
    VOCABULARY_FORMAT = 16, /* format is checked */
};

/* A schema with a URI of its own, $id or given, and what lies in it up to the next. */
struct resource {
    struct str uri;
    const struct doc *root;
    const struct doc
        *via; /* the reference in the schema that led here; NULL: it is in the schema */
    enum schema_draft draft;
    unsigned vocabularies;
    struct anchor *dynamic; /* those of $dynamicAnchor */
};

struct anchor {
    struct anchor *next;
    struct str name;
    const struct doc *at;
    const struct resource *home;
    const struct node *node; /* of a dynamic one */
};

struct marks; /* which members or items were looked at, for unevaluated.. */
struct run;
struct rule;
struct build;

/* Fills a rule; false: there is nothing to check. */
typedef bool read_rule(struct build *b, struct node *n, const struct doc *value, struct rule *rule);
typedef bool check_rule(struct run *c, const struct rule *rule, const struct doc *d,
                        struct marks *m);
/* What is wrong, behind the name of the value. */
typedef void say_rule(const struct rule *rule, const struct doc *d, struct buf *to);

struct rule {
    check_rule *check;
    uint32_t kinds;  /* of the values it is about; others fit */
    uint32_t number; /* and whatever the row wants to know */
    const void *with;
    const struct keyword *row;
    const struct doc *at; /* the value of the keyword */
};

struct node {
    const struct doc *at;
    const struct resource *home;
    bool always, never; /* true and false as schemas */
    bool plain;         /* its rules are about the value alone */
    bool keeps;         /* has unevaluated.., so marks are kept */
    struct rule *rules; /* in the order of the table */
    size_t count, room;
    struct members *members; /* while it is read: what several keywords share */
    struct items *items;
    struct node **same; /* nodes that are held against the same value */
    size_t same_count, same_room;
    enum { LOOP_NEW, LOOP_OPEN, LOOP_DONE } loop;
};

struct jsonschema {
    const struct node *root;
    int code;
};

/* ---- the table ---- */

/* Where in the value of a keyword schemas are. */
enum holds { HOLDS_NONE, HOLDS_ONE, HOLDS_LIST, HOLDS_MAP, HOLDS_ONE_OR_LIST };

/* How much it tells about a branch of anyOf that this keyword did not hold. */
enum weighs { WEIGHS_LITTLE, WEIGHS_CHOICE, WEIGHS_KIND };

struct keyword {
    const char *name;
    unsigned drafts;     /* bits of enum schema_draft */
    unsigned vocabulary; /* of enum vocabulary */
    enum holds holds;
    uint32_t kinds;
    read_rule *read; /* NULL: other rows look at it, or nobody */
    check_rule *check;
    say_rule *say; /* NULL: check() says it */
    enum weighs weighs;
};

extern const struct keyword keywords[];
extern const size_t keyword_count;

/* ---- reading ---- */

/* A pattern becomes a program with room to work in, which is much more than its text. That is what
 * this stands for; what it takes to make the program is counted besides. */
enum { PATTERN_STEPS = 1 << 15 };

struct place {
    struct resource *home;
    struct node *node;
};

struct build {
    struct arena *a;
    const struct schema_options *options;
    struct report *r;
    struct work work;
    bool failed, meta;                /* meta: this is a meta-schema, and needs no check */
    struct names rows, uris, anchors; /* keyword; resource; anchor, by "uri#name" */
    struct names patterns;            /* regex, by its text: many values may share one */
    struct places *places;            /* by the address of the value */
    struct node **todo;
    size_t todo_count, todo_room;
    const struct jsonschema *judges[2]; /* the meta-schemas, by draft */
};

/* Says what is wrong with the schema, at d or at what led to its document. */
void complain(struct build *b, const struct resource *home, const struct doc *d, const char *fmt,
              ...) PRINTF(4, 5);

/* The row of a keyword in a resource, or NULL. */
const struct keyword *keyword_named(struct build *b, const struct resource *home, struct str name);

/* Notes every schema in d and below with its resource; the place of one. */
void index_schema(struct build *b, const struct doc *d, struct resource *home);
struct place *place_of(struct build *b, const struct doc *d);
struct place *place_add(struct build *b, const struct doc *d);

/* The resource of a document that was given, of the schema itself where via is NULL. */
struct resource *document_enter(struct build *b, const struct document *document, struct str uri,
                                const struct resource *from, const struct doc *via);

/* A document by its URI, of those that were given or are a meta-schema; or NULL, and perhaps why.
 */
const struct document *document_given(struct build *b, struct str uri, const char **why);
const struct document *meta_document(struct build *b, struct str uri);

/* Is a document a schema, as its meta-schema has it? False after complaints. */
bool schema_judged(struct build *b, const struct resource *r, const struct doc *root);

/* What a reference in a resource says in full: costs its bytes. Nothing where the work is over. */
struct str uri_in(struct build *b, const struct resource *home, struct str reference);

/* "uri#name", by which an anchor is found. */
struct str anchor_name(struct build *b, struct str uri, struct str anchor);

/* What a reference means; NULL after a complaint. *dynamic: it named a $dynamicAnchor. */
const struct doc *reference_find(struct build *b, const struct resource *home,
                                 const struct doc *reference, const struct anchor **dynamic);

/* The node of a schema, read now or later; `same` is about the same value as n. */
struct node *node_of(struct build *b, const struct doc *d);
struct node *node_same(struct build *b, struct node *n, const struct doc *d);

/* The program of a pattern that stands at d; NULL after a complaint, or where the work is over. */
const struct regex *pattern_of(struct build *b, const struct node *n, const struct doc *d,
                               struct str text);

/* A meta-schema and its parts as text, by URI; NULL: it is none. */
const char *meta_text(struct str uri, struct arena *a);
const char *meta_uri(enum schema_draft draft);

/* ---- checking ---- */

struct scope {
    const struct resource *home;
    const struct scope *up;
};

struct tally {
    uint32_t errors, kinds, choices; /* kinds, choices: those at the value itself or just below */
    const struct doc *about;
};

struct run {
    const struct jsonschema *schema;
    struct work *w;
    struct arena *a;
    struct report *r;
    struct tally *tally; /* problems are counted, not said */
    bool quick;          /* the first problem ends it, and nothing is said */
    uint32_t depth;
    const struct scope *scope; /* resources on the way here, for $dynamicRef */
    const char *note;          /* goes behind each message */
    uint64_t *words;           /* a stack for marks and lists of hashes */
    size_t used, room;
    struct arena scratch; /* of regular expressions */
};

/* Is d what the node wants? m: where to mark what was looked at, or NULL. */
bool schema_apply(struct run *c, const struct node *n, const struct doc *d, struct marks *m);

/* A problem; always false. */
bool refuse(struct run *c, enum about about, const struct doc *d, const char *fmt, ...)
    PRINTF(4, 5);

/* Nobody hears what is said. */
static inline bool is_quiet(const struct run *c)
{
    return c->quick || c->tally || c->w->over || report_full(c->r);
}

/* "'size'", "item 3", "the document": what a message is about. */
void say_subject(const struct doc *d, struct buf *to);

/* Room for n words of zero on the stack of the run; given back by setting c->used to *at. */
void words_take(struct run *c, size_t n, size_t *at);

struct marks {
    size_t at;      /* in run->words: a bit for each member or item */
    uint32_t count; /* words */
};

struct marks marks_new(struct run *c, const struct doc *d);
void marks_join(struct run *c, struct marks *to, const struct marks *from);

static inline void mark(struct run *c, struct marks *m, uint32_t index)
{
    if (m)
        c->words[m->at + index / 64] |= UINT64_C(1) << index % 64;
}

static inline bool is_marked(const struct run *c, const struct marks *m, uint32_t index)
{
    return c->words[m->at + index / 64] >> index % 64 & 1;
}

void say_kinds(uint32_t kinds, struct buf *to);

/* The table's functions, by file: of a value alone, maps, lists, other schemas. */
read_rule read_type, read_enum, read_const, read_number, read_multiple, read_count, read_pattern,
    read_format;
check_rule check_type, check_enum, check_const, check_minimum, check_maximum, check_above,
    check_below, check_multiple, check_least_chars, check_most_chars, check_least, check_most,
    check_pattern, check_format;
say_rule say_type, say_enum, say_const, say_minimum, say_maximum, say_above, say_below,
    say_multiple, say_least_chars, say_most_chars, say_least, say_most, say_pattern, say_format;

read_rule read_properties, read_patterns, read_additional, read_required, read_one, read_dependent;
check_rule check_members, check_names, check_dependent;

read_rule read_prefix, read_items, read_additional_items, read_contains, read_unique;
check_rule check_items, check_contains, check_unique;

read_rule read_ref, read_dynamic_ref, read_branches, read_not, read_if, read_unevaluated;
check_rule check_ref, check_dynamic_ref, check_all, check_any, check_one, check_not, check_if,
    check_unevaluated;
