/* SPDX-License-Identifier: Apache-2.0 */
/* check_schema.c: a document against a JSON Schema, and the schemas that lie beside it. */
#include <fcntl.h>
#include <sys/stat.h>

#include <writ/writ.h>

#include "base/doc_read.h"
#include "base/fs.h"
#include "base/jsonschema.h"
#include "base/jsonschema_uri.h"
#include "base/openat2.h"
#include "contract/codes.h"
#include "engine/given.h"
#include "engine/input.h"

/* Where schemas that others refer to may be: below the directory of the first one. */
struct shelf {
    int dir;         /* -1: the schema is no file, so nothing lies beside it */
    struct str base; /* the $id of the schema up to its last '/', which stands for the directory */
    struct arena *a;
};

static void shelf_close(struct shelf *s)
{
    own_close(&s->dir);
}

/* "a/b" of "a/b/schema.json"; "." of "schema.json". */
static const char *directory_of(const char *file, struct arena *a)
{
    const char *slash = strrchr(file, '/');

    if (!slash)
        return ".";
    return arena_text(a, (struct str){ file, (size_t)(slash - file) + 1 });
}

static struct shelf shelf_of(const struct writ_input *schema, const struct doc *root,
                             struct arena *a)
{
    struct shelf s = { .dir = -1, .base = doc_text(root, "$id"), .a = a };

    while (s.base.n > 0 && s.base.s[s.base.n - 1] != '/')
        s.base.n--;
    if (!schema->text && strcmp(schema->name, "-") != 0)
        s.dir = open(directory_of(schema->name, a), O_PATH | O_DIRECTORY | O_CLOEXEC);
    return s;
}

/* The path below the shelf that a URI stands for, or NULL. */
static const char *path_of(const struct shelf *s, struct str uri)
{
    const char *path;

    if (s->base.n > 0 && uri.n > s->base.n && memcmp(uri.s, s->base.s, s->base.n) == 0)
        uri = (struct str){ uri.s + s->base.n, uri.n - s->base.n };
    else if (memchr(uri.s, ':', uri.n))
        return NULL;
    uri = uri_decode(uri, s->a);
    path = arena_text(s->a, uri);
    return strlen(path) == uri.n && path[0] != '/' ? path : NULL;
}

static bool is_file(int fd)
{
    struct stat st;

    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* A link is followed as long as it stays below: the kernel sees to it. */
static const struct document *find(void *self, const char *uri, const char **why)
{
    const struct shelf *s = self;
    const char *path = path_of(s, str_of(uri));
    const struct document *document;
    struct ceilings max = ceilings_default();
    struct str text = { 0 };
    struct error e;
    _fd_ int fd = -1;

    *why = "nothing is fetched from elsewhere: keep a copy below the directory of this schema, and "
           "refer to that";
    if (s->dir < 0 || !path)
        return NULL;
    fd = kernel_openat2(s->dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                        RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
    *why = "there is no such file below the directory of this schema";
    if (!is_file(fd))
        return NULL;
    if (!fd_read(fd, max.v[CEILING_BYTES], s->a, &text, &e) ||
        !doc_read(path, text, &max, s->a, &document, &e)) {
        *why = arena_printf(s->a, "%s:%d:%d: %s", path, e.at.line, e.at.col, e.msg);
        return NULL;
    }
    return document;
}

static const struct jsonschema *read_schema(const struct writ_input *input, struct arena *a,
                                            struct report *r)
{
    const struct document *document;
    const struct jsonschema *schema;

    if (!input_read(input, a, &document, r))
        return NULL;
    _cleanup_(shelf_close) struct shelf shelf = shelf_of(input, &document->root, a);
    const struct schema_options options = { .draft = SCHEMA_2020_12,
                                            .formats_of_draft_7 = true,
                                            .code = CODE_SCHEMA_MISMATCH,
                                            .schema_code = CODE_SCHEMA_INVALID,
                                            .find = find,
                                            .self = &shelf };
    return jsonschema_read(document, &options, a, &schema, r) ? schema : NULL;
}

static void check(const struct jsonschema *schema, const struct writ_input *input, struct arena *a,
                  struct report *r)
{
    const struct ceiling_row *most = &ceiling_rows[CEILING_SCHEMA_STEPS];
    struct work work = { .left = most->value };
    const struct document *document;

    if (!input_read(input, a, &document, r))
        return;
    if (!jsonschema_check(schema, &document->root, a, &work, r) && work.over)
        report_add(r, ABOUT_VALUE, &document->root, CODE_CEILING, "%s is above %u: %s", most->name,
                   most->value, most->meaning);
}

int writ_check_schema(const struct writ_input *schema, const struct writ_input *input,
                      char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const struct jsonschema *program;
    struct report r;

    if (!given_input(schema, "schema", answer) || !given_input(input, "input", answer))
        return WRIT_USAGE;
    program = read_schema(schema, &a, &r);
    if (program)
        check(program, input, &a, &r);
    report_finish(&r);
    input_answer(&r, "schema", &out);
    return take_answer(&out, r.errors ? WRIT_WRONG : WRIT_OK, answer);
}
