/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what the files of the OpenAPI import share. */
#pragma once

#include "adapter/import/names.h"
#include "base/doc.h"
#include "base/jsonschema.h"
#include "base/work.h"

struct import_ask;
struct import_left;

enum {
    IMPORT_OPERATIONS = 2000, /* of one adapter */
    IMPORT_HOPS = 16,         /* of references that refer to references */
    IMPORT_DEPTH = 64,        /* of schemas in schemas */
    IMPORT_VALUES = 20000,    /* in the schemas of one operation */
    IMPORT_NAME = 200,        /* characters of a name */
    IMPORT_REF = 2000,        /* characters of a reference */
    IMPORT_ABOUT = 300,       /* characters of what is said about something */
};

enum spec { SWAGGER_2, OPENAPI_30, OPENAPI_31 };

/* The kinds of body that are sent. What the adapter says of all is one of the first two. */
enum body_form { BODIES_JSON, BODIES_FORM, BODIES_TEXT };

struct importing {
    const struct import_ask *ask;
    const struct doc *root;
    enum spec spec;
    enum body_form bodies;
    bool any_json, any_form;            /* is there an operation with such a body? */
    struct doc *endpoints, *operations; /* maps that fill */
    struct names names;                 /* of operations, those that are not wanted as well */
    struct import_left *left;
    size_t left_count, left_room;
    const char **warnings;
    size_t warned, warnings_room;
    size_t wanted, passed; /* operations, by --include and --exclude */
    const char *some[5];   /* names of those that were passed by */
    struct str url;        /* of its server, as the document has it */
    bool server_seen;      /* an operation was asked for its own */
    struct str scheme;     /* the security scheme it uses; no text: none */
    bool root_secures;     /* an operation goes by the requirements of the document */
    const char *open[5];   /* names of operations that ask for no proof of who calls */
    size_t open_count;
    struct work work;            /* for all of it: following references, copying */
    struct schema_series series; /* and trying the schemas that were made */
    bool json_only;              /* every operation answers with JSON */
    struct arena *a;
};

/* One operation as it is found. */
struct found {
    const struct doc *item, *op; /* the path's and its own */
    struct str path;
    const char *method; /* "get" */
    const char *name;   /* as the adapter will call it */
};

void import_leave(struct importing *im, const char *operation, const char *why);

/* Nothing was left out, but whoever uses it should know. */
void import_warn(struct importing *im, const char *text);

/* The member of a map; NULL also where it is no map. */
const struct doc *map_get(const struct doc *d, const char *key);
const struct doc *map_find(const struct doc *d, struct str key);
struct str map_text(const struct doc *d, const char *key);
bool map_true(const struct doc *d, const char *key);

/* What it is, or refers to. NULL: *why says what is wrong with the reference. */
const struct doc *import_deref(struct importing *im, const struct doc *d, const char **why);

/* A text in one line, short, without blanks at its ends. */
struct str import_line(struct importing *im, struct str text, size_t most);

/* Letters, digits, _ and -; what else there is becomes `other`. */
const char *import_word(struct importing *im, struct str text, char other, bool lower);

/* ---- schemas (import/schema.c) ---- */

struct schema_def {
    const struct doc *from;
    const char *name;
};

/* Those of one operation: the references in it lead to definitions beside it. */
struct schemas {
    struct importing *im;
    struct schema_def *defs;
    size_t def_count, def_room;
    struct names names; /* of definitions */
    uint32_t values;
    const char *why;    /* what is wrong, once something is */
    bool readable_only; /* patterns that our own reader does not read are left out, and told: */
    const char *unread; /* the first of them, and why */
    size_t unread_count;
};

/* Gives `to`, which is null, the schema as 2020-12 writes it. */
bool schema_copy(struct schemas *s, const struct doc *from, struct doc *to, int depth) NODISCARD;

/* The same for a parameter of Swagger 2.0, which is a schema and more. */
bool schema_of_parameter(struct schemas *s, const struct doc *parameter, struct doc *to) NODISCARD;

/* Adds what was referred to, as $defs of the schema. */
bool schema_defs(struct schemas *s, struct doc *input) NODISCARD;

/* ---- one operation (import/operation.c) ---- */

struct making {
    struct importing *im;
    const struct found *f;
    struct schemas schemas;
    struct doc *properties, *places; /* maps */
    struct doc *required;            /* a list */
    const struct doc *body_schema;   /* NULL: there is no body */
    bool body_required;
    bool body_text;        /* it is one text, whatever its schema says */
    const char *form;      /* of Swagger 2.0: the type of its form, which is not sent; or NULL */
    const char *body_left; /* why it has none, though it might have; or NULL */
    const char *body;      /* the parameter that is the whole body; or NULL */
    struct str body_type;  /* of what is sent; no text: what the adapter says of all */
    bool dry;              /* the second time: nothing is told again */
};

/* NULL, and the operation stands in the maps; else why it is left out. */
const char *import_operation(struct importing *im, const struct found *f);

/* ---- its body (import/body.c) ---- */

/* Finds it; false: m->schemas.why. Adds it as parameters: comes last, its members give way to
 * parameters of the same name. */
bool body_find(struct making *m) NODISCARD;
bool body_add(struct making *m) NODISCARD;

/* The same of Swagger 2.0, where it is a parameter. */
bool body_take(struct making *m, const struct doc *parameter) NODISCARD;

/* The parameters of the operation are a form: says so where the adapter says something else. */
void body_is_of_form(struct making *m);

/* A body that is not sent, or a field of one: the operation needs it, or goes without. */
bool body_leave(struct making *m, struct str type, bool required) NODISCARD;

bool body_is_form(struct str type);

/* The media type of a body that can be sent: its schema; NULL: there is none. */
const struct doc *import_body_schema(const struct doc *body, enum body_form form);

/* Does an answer say that it has JSON? */
bool import_is_json(const struct doc *response);

/* The first of the types that Swagger 2.0 lists under `consumes` or `produces`, of the operation or
 * of all, where none of them is JSON; else no text. */
struct str import_not_json(const struct importing *im, const struct doc *op, const char *key);

/* ---- forms of Swagger 2.0 (import/form.c) ---- */

/* The media type of what its parameters in formData make; NULL: it has none. */
const char *import_form_type(struct importing *im, const struct doc *item, const struct doc *op);

/* ---- its parameters (import/parameter.c) ---- */

/* A name for one more: its own, or with its place before it; NULL: both are taken. */
const char *parameter_name(struct making *m, struct str name, const char *in);

/* One more, and the place of its schema, which is null; NULL: there is no name for it. */
struct doc *parameter_put(struct making *m, struct str name, const char *in, bool required);

/* Adds one as the document describes it; false: m->schemas.why. */
bool parameter_add(struct making *m, const struct doc *p, const char *in) NODISCARD;

/* ---- where the service is (import/server.c) ---- */

/* An operation that is wanted: where all have one and the same server of their own, it is the
 * adapter's. Of all, before the next. */
void import_see_server(struct importing *im, const struct doc *item, const struct doc *op);

/* What base_url says; where the document does not say it, that is told. */
struct str import_server(struct importing *im);

/* Has it servers of its own, and is none of them the adapter's? */
bool import_is_elsewhere(struct importing *im, const struct found *f);

/* ---- who calls (import/security.c) ---- */

/* An operation that is wanted: what it asks for may be what is chosen. Of all, before the next. */
void import_see_security(struct importing *im, const struct doc *op);

/* Chooses the scheme that most can be called with; puts auth_method, auth and secrets. */
void import_security(struct importing *im, const char *id, struct doc *api, struct doc *adapter,
                     struct doc *allow);

/* Is that the place where auth_method puts its key? Nobody else has a value for it. */
bool import_has_key(struct importing *im, const char *in, struct str name);

/* NULL: the operation can be called with the scheme that was chosen. */
const char *import_secured(struct importing *im, const struct found *f);

/* An operation that was taken: does it get a proof that it does not ask for? Those are told. */
void import_note_open(struct importing *im, const struct found *f);
void import_tell_open(struct importing *im);
