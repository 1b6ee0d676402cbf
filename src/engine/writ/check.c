/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: the public functions about documents: check, canon, digest, schema. */
#include <writ/plans.h>

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json_write.h"
#include "contract/config_doc.h"
#include "contract/exits.h"
#include "contract/kinds.h"
#include "contract/lane_doc.h"
#include "contract/template_doc.h"
#include "engine/check_adapter.h"
#include "engine/config.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/plan.h"
#include "ledger/draft.h"
#include "route/route.h"

/* The border and the table that `writ explain statuses` shows say the same. */
_Static_assert((int)WRIT_OK == STATUS_OK && (int)WRIT_USAGE == STATUS_USAGE &&
                   (int)WRIT_WRONG == STATUS_WRONG && (int)WRIT_UNAVAILABLE == STATUS_UNAVAILABLE &&
                   (int)WRIT_BUG == STATUS_BUG && (int)WRIT_UNRECORDED == STATUS_UNRECORDED &&
                   (int)WRIT_REFUSED == STATUS_REFUSED,
               "writ.h and exits.h differ");

static void say_kinds(struct buf *to)
{
    for (size_t i = 0; i < kind_count; i++)
        buf_addf(to, "%s%s", i ? ", " : "", kinds[i].name);
}

/* {"topic":..,"code":..,"message":..,"near":..,"known":..} for a kind there is not. */
static int unknown_kind(const char *kind, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX }, known = { .max = 1024 };
    const char *names[KINDS_MAX], *near;

    for (size_t i = 0; i < kind_count; i++)
        names[i] = kinds[i].name;
    say_kinds(&known);
    near = str_nearest(str_of(kind), names, kind_count);
    json_open(&out, '{');
    json_put(&out, "topic", kind);
    json_put(&out, "code", codes[CODE_KIND_UNKNOWN].name);
    json_put(&out, "message", "there is no such kind of document");
    json_put(&out, "near", near ? near : "");
    json_put_text(&out, "known", buf_str(&known));
    json_close(&out, '}');
    return take_answer(&out, WRIT_USAGE, answer);
}

static const struct kind_row *recognise(const struct doc *root, struct report *r)
{
    const struct kind_row *row = kind_of(root);
    _buf_ struct buf names = { .max = 1024 };

    if (row)
        return row;
    if (root->kind != DOC_MAP) {
        doc_say(root, &names);
        report_add(r, ABOUT_VALUE, root, CODE_KIND_UNKNOWN,
                   "this is %s; every kind of document is a map", names.s);
        return NULL;
    }
    say_kinds(&names);
    report_add(r, ABOUT_VALUE, root, CODE_KIND_UNKNOWN,
               "this could be any document; say which with --as, one of %s", names.s);
    return NULL;
}

/* Whether a configuration is a project's is told by its place alone. */
static bool is_of_project(const char *file)
{
    static const char place[] = "/.writ/config.yaml";
    _free_ char *real = realpath(file, NULL);
    size_t n = real ? strlen(real) : 0;

    return n >= sizeof place - 1 && strcmp(real + n - (sizeof place - 1), place) == 0;
}

/* What its steps ask for is judged as when it is run, where it is known by whom. */
static void check_plan_doc(const struct writ_plan *ask, const struct shape *shape,
                           const struct document *document, struct report *r)
{
    struct plan_read plan = { .document = document };

    (void)!plan_decode(shape, world_real(), r->a, &plan, r);
    if (ask->environment)
        plan_judge(ask, false, &plan, r->a, r);
}

static bool is_class(const struct route_doc *contract, struct str id)
{
    const struct class_doc *class = contract->command_classes.v;

    for (size_t i = 0; i < contract->command_classes.n; i++)
        if (str_eq(class[i].class_id, id))
            return true;
    return false;
}

/* What the classes that hold here say to it: no more than a warning, as it may be meant for others.
 */
static void check_lane(const struct writ_plan *ask, const struct doc *root, struct report *r)
{
    struct report ignored = report_new(r->a, "", (struct str){ 0 });
    struct settings settings;
    struct lane_doc lane = { 0 };
    struct route_ask asked = { .contract = &settings.contract, .lane = &lane };
    struct route_plan plan;
    const char *about;
    struct error e;

    if (!settings_here(ask->environment, r->a, &settings, &ignored) ||
        !shape_decode(&lane_shape, root, &ignored, &lane) || route_plan(&asked, r->a, &plan, &e))
        return;
    about = lane.argv.n ? "argv" : "raw_command";
    if (!is_class(&settings.contract, lane.command_class))
        about = "command_class";
    report_add(r, ABOUT_ODD, doc_place(root, about), e.code, "%s", e.msg);
}

/* What an event leaves to the ledger (A02-10, A02-20) is no fault of it: `writ ledger append` takes
 * it, and both have one verdict. The document is ours. */
static void complete_event(struct doc *root, struct arena *a)
{
    struct doc *payload = root->kind == DOC_MAP ? (struct doc *)doc_get(root, "payload") : NULL;
    const struct world *w = world_real();

    if (root->kind == DOC_MAP && !doc_get(root, "createdAt"))
        draft_fill(root, "createdAt", draft_stamp(w->wall_ms(w->self), a), a);
    if (!payload || payload->kind != DOC_MAP)
        return;
    if (!doc_get(payload, "executionId"))
        draft_fill(payload, "executionId", str_of("given by the ledger"), a);
    if (!doc_get(payload, "snapshotAt"))
        draft_fill(payload, "snapshotAt", doc_text(root, "createdAt"), a);
    if (!doc_get(payload, "coherenceStatus"))
        draft_fill(payload, "coherenceStatus", str_of(coherence_names[COHERENCE_COHERENT]), a);
}

/* Beside its shape: what an adapter can never do, and what configurations may not say. */
static void check_whole(const struct writ_plan *ask, const struct kind_row *row,
                        const struct doc *root, struct report *r)
{
    bool right;

    if (row->shape == &event_shape)
        complete_event((struct doc *)root, r->a);
    right = kind_check(row, root, r);
    if (row->shape == &lane_shape && right && ask->environment)
        check_lane(ask, root, r);
    if (row->shape == &adapter_shape)
        check_adapter(root, r);
    if (row->shape == &config_shape && is_of_project(r->file))
        config_of_project(root, r);
}

int writ_check_in(const struct writ_input *input, const char *kind, const char *const *environment,
                  char **answer)
{
    struct writ_plan ask = {
        .plan = input, .environment = environment, .progress = -1, .force = -1
    };
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const struct document *document;
    const struct kind_row *row = kind ? kind_named(str_of(kind)) : NULL;
    struct report r;

    if (!given_input(input, "input", answer))
        return WRIT_USAGE;
    if (kind && !row)
        return unknown_kind(kind, answer);
    if (input_read(input, &a, &document, &r)) {
        if (!row)
            row = recognise(&document->root, &r);
        if (row && (row->shape == &plan_shape || row->shape == &template_shape))
            check_plan_doc(&ask, row->shape, document, &r);
        else if (row)
            check_whole(&ask, row, &document->root, &r);
    }
    report_finish(&r);
    input_answer(&r, row ? row->name : NULL, &out);
    return take_answer(&out, r.errors ? WRIT_WRONG : WRIT_OK, answer);
}

int writ_check(const struct writ_input *input, const char *kind, char **answer)
{
    return writ_check_in(input, kind, NULL, answer);
}

/* The canonical bytes in `out`, or the report there and WRIT_WRONG. */
static int canonical(const struct writ_input *input, struct arena *a, struct buf *out)
{
    const struct document *document;
    struct report r;

    if (input_read(input, a, &document, &r)) {
        json_canon(&document->root, a, out);
        if (buf_ok(out))
            return WRIT_OK;
        report_add(&r, ABOUT_VALUE, &document->root, CODE_CEILING,
                   "its canonical form has more than %d bytes", ANSWER_MAX);
        buf_reset(out);
    }
    report_finish(&r);
    input_answer(&r, NULL, out);
    return WRIT_WRONG;
}

int writ_canon(const struct writ_input *input, char **answer, size_t *len)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    int status;

    if (!given_input(input, "input", answer) || !given(len, "len", answer))
        return WRIT_USAGE;
    status = canonical(input, &a, &out);
    *len = out.len;
    return take_answer(&out, status, answer);
}

int writ_digest(const struct writ_input *input, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    int status;

    if (!given_input(input, "input", answer))
        return WRIT_USAGE;
    status = canonical(input, &a, &out);
    if (status == WRIT_OK) {
        struct digest d = digest_of(out.s, out.len);
        char text[DIGEST_TEXT];

        digest_text(&d, text);
        buf_reset(&out);
        buf_adds(&out, text);
    }
    return take_answer(&out, status, answer);
}

int writ_schema(const char *kind, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const struct kind_row *row;

    if (!given(kind, "kind", answer))
        return WRIT_USAGE;
    row = kind_named(str_of(kind));
    if (!row)
        return unknown_kind(kind, answer);
    shape_schema(row->shape, &out);
    return take_answer(&out, WRIT_OK, answer);
}

void writ_free(char *answer)
{
    free(answer);
}

const char *writ_version(void)
{
    return WRIT_VERSION;
}
