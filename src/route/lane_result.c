/* SPDX-License-Identifier: Apache-2.0 */
/* lane_result.c: what a lane came to, as documents (A00-12). */
#include "base/utf8.h"
#include "base/uuid.h"
#include "route/lane.h"

enum { PROVENANCE_CHARS = 200 };

/* Words of a command are any bytes; a document is UTF-8. What is not becomes U+FFFD, as in
 * json_outside(). */
static struct str clean(struct str text, struct arena *a)
{
    size_t room = 3 * text.n + 1, n = 0;
    char *to;

    if (utf8_valid(text) == text.n)
        return text;
    to = arena_alloc(a, room);
    for (const char *p = text.s, *end = p + text.n; p < end;) {
        size_t step = utf8_step(p, end);

        memcpy(to + n, step ? p : "\xef\xbf\xbd", step ? step : 3);
        n += step ? step : 3;
        p += step ? step : 1;
    }
    return (struct str){ to, n };
}

/* The beginning of a text that is UTF-8. */
static struct str first_chars(struct str text, size_t most)
{
    const char *p = text.s, *end = text.s + text.n;

    for (size_t i = 0; i < most && p < end; i++)
        p += utf8_step(p, end);
    return (struct str){ text.s, (size_t)(p - text.s) };
}

struct str lane_provenance(const struct route_plan *plan, struct arena *a)
{
    if (plan->provenance.n)
        return plan->provenance;

    struct str line = clean(plan->normalized_command, a);
    struct str head = first_chars(line, PROVENANCE_CHARS);
    char text[DIGEST_TEXT];
    struct digest digest;
    struct sha256 sum;

    sha256_begin(&sum);
    for (size_t i = 0; i < plan->words.n; i++) {
        sha256_add(&sum, plan->words.v[i].s, plan->words.v[i].n);
        sha256_add(&sum, "", 1);
    }
    digest = sha256_end(&sum);
    digest_text(&digest, text);
    return str_of(arena_printf(a, "%.*s %s %.*s%s", STR_ARG(plan->command_class), text,
                               STR_ARG(head), head.n < line.n ? " ..." : ""));
}

/* one spelling of an id, the lower-case one. */
static struct str run_id(struct str run, struct arena *a)
{
    char text[UUID_TEXT];
    struct uuid id;

    if (!uuid_v4(run, &id))
        return str_of(arena_printf(a, "run-%.*s", STR_ARG(run)));
    uuid_text(&id, text);
    return str_of(arena_printf(a, "run-%s", text));
}

struct manifest_doc lane_manifest(const struct lane *l, struct arena *a)
{
    const struct route_plan *plan = l->plan;
    const char *path = l->transcript->path;

    return (struct manifest_doc){
        .command_provenance = lane_provenance(plan, a),
        .outcome_class = (int)l->outcome,
        .scenario_id = plan->scenario_id.n ? plan->scenario_id : plan->command_class,
        .transcript_path = clean(str_of(path ? path : "-"), a),
        .worker_route = (int)(l->nowhere ? ROUTE_NOWHERE : plan->route),
    };
}

void lane_result(const struct lane *l, struct str run, struct arena *a,
                 struct manifest_doc *manifest, struct lane_result_doc *out)
{
    const struct route_plan *plan = l->plan;
    enum route route = l->nowhere ? ROUTE_NOWHERE : plan->route;

    *manifest = lane_manifest(l, a);
    manifest->run_id = run_id(run, a);
    manifest->trace_id = str_of(arena_printf(a, "trace-%.*s", STR_ARG(plan->correlation_id)));
    *out = (struct lane_result_doc){
        .artifact_manifest = manifest,
        .command_id = plan->command_id,
        .routed_command =
            clean(plan->routed_command.n ? plan->routed_command : plan->normalized_command, a),
        .exit_code = l->exit_code,
        .outcome_class = (int)l->outcome,
        .route = (int)route,
        .state = (int)l->state,
        .failure_code = l->failure ? str_of(codes[l->failure].name) : (struct str){ 0 },
        .route_reason = (int)plan->reason,
    };
}
