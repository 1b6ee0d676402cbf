/* SPDX-License-Identifier: Apache-2.0 */
/* lane_scene.h: a lane on a stage: a clock that stands still, and a listener that keeps every line.
 * Include after cmocka.h.
 */
#pragma once

#include <string.h>

#include "base/json_read.h"
#include "route/lane.h"
#include "unit/contract/check.h"

#define SCENE_RUN "3b241101-e2bb-4255-8caf-4136c566a962"

enum { SCENE_TOLD = 64 << 20 };

struct lane_scene {
    struct fake_world clock;
    struct transcript transcript;
    struct buf told; /* the lines, each ended by a newline */
    struct policy_doc remote, fallback;
    struct config_worker worker;
    struct route_plan plan, local; /* as wanted, and as it is without its worker */
    struct lane lane;
    struct arena a;
};

static inline void scene_line(void *self, enum transcript_event event, struct str line)
{
    struct lane_scene *s = self;

    assert_true(event < TRANSCRIPT_EVENTS);
    buf_add(&s->told, line.s, line.n);
    buf_addc(&s->told, '\n');
}

static inline struct route_plan scene_plan(struct lane_scene *s, enum route route)
{
    static const struct str words[] = { { "cargo", 5 }, { "test", 4 }, { "-p", 2 }, { "a b", 3 } };

    return (struct route_plan){
        .command_id = str_of("cmd-1"),
        .command_class = str_of("cargo_test"),
        .correlation_id = str_of("nightly:2026/7"),
        .words = { words, COUNT(words) },
        .normalized_command = str_of("cargo test -p 'a b'"),
        .route = route,
        .reason = REASON_FORCE_RCH,
        .policy = &s->remote,
        .worker = &s->worker,
        .routed_command = str_of("rch exec -- cargo test -p 'a b'"),
        .soft_timeout_secs = 1500,
        .hard_timeout_secs = 1800,
        .cancel_grace_secs = 30,
        .max_retries = 2,
        .state = ROUTE_PLANNED,
    };
}

static inline void scene_free(struct lane_scene *s)
{
    buf_free(&s->told);
    buf_free(&s->transcript.line);
    arena_free(&s->a);
}

#define _scene_ _cleanup_(scene_free)

/* Zeroed before; the lane is not begun. */
static inline void scene_open(struct lane_scene *s, enum route route)
{
    fake_world_init(&s->clock, 1766000000000);
    s->told.max = SCENE_TOLD;
    s->transcript = (struct transcript){
        .world = &s->clock.world,
        .fd = -1,
        .path = "/state/lanes/run-" SCENE_RUN "/transcript.jsonl",
        .run_id = "run-" SCENE_RUN,
        .trace_id = "trace-nightly:2026/7",
        .listener = { scene_line, s },
    };
    s->remote.policy_id = str_of("remote_rch_default");
    s->fallback.policy_id = str_of("local_fallback_on_rch_unavailable");
    s->worker.name = str_of("rch");
    s->plan = scene_plan(s, route);
    s->local = scene_plan(s, ROUTE_LOCAL_DIRECT);
    s->local.policy = &s->fallback;
    s->local.worker = NULL;
    s->local.reason = REASON_RCH_UNAVAILABLE;
    s->local.routed_command = s->local.normalized_command;
    s->local.downgraded = true;
    s->local.unavailable = "rch is not in PATH";
}

/* A lane that is begun. */
static inline void scene_begin(struct lane_scene *s, enum route route)
{
    scene_open(s, route);
    lane_begin(&s->lane, &s->plan, &s->transcript);
}

/* The lines that were told, one after the other; NULL: there is no other. */
static inline const struct doc *scene_next(struct lane_scene *s, size_t *at)
{
    struct ceilings max = ceilings_default();
    const struct document *d;
    const char *end;
    struct str line;
    struct error e = { 0 };

    if (*at >= s->told.len)
        return NULL;
    end = memchr(s->told.s + *at, '\n', s->told.len - *at);
    line = (struct str){ s->told.s + *at, (size_t)(end - s->told.s) - *at };
    if (!json_read("line", line, &max, &s->a, &d, &e))
        fail_msg("%.*s: %s", STR_ARG(line), e.msg);
    *at += line.n + 1;
    return &d->root;
}

static inline bool scene_is(const struct doc *line, enum transcript_event event)
{
    return str_is(doc_text(line, "event"), transcript_event_names[event]);
}

/* The last line about that, or NULL. */
static inline const struct doc *scene_last(struct lane_scene *s, enum transcript_event event)
{
    const struct doc *line, *last = NULL;
    size_t at = 0;

    while ((line = scene_next(s, &at)))
        last = scene_is(line, event) ? line : last;
    return last;
}

/* The triggers of the moves, in order: "enqueue start exit_zero". */
static inline const char *scene_way(struct lane_scene *s)
{
    const struct doc *line;
    const char *way = "";
    size_t at = 0;

    while ((line = scene_next(s, &at))) {
        if (scene_is(line, SAID_STATE))
            way = arena_printf(&s->a, "%s%s%.*s", way, *way ? " " : "",
                               STR_ARG(doc_text(line, "trigger")));
    }
    return way;
}

static inline void scene_check(const struct lane_scene *s, enum route_state state,
                               enum outcome_class outcome, enum code failure, int exit_code)
{
    assert_string_equal(route_state_names[s->lane.state], route_state_names[state]);
    assert_string_equal(outcome_class_names[s->lane.outcome], outcome_class_names[outcome]);
    assert_string_equal(codes[s->lane.failure].name, codes[failure].name);
    assert_int_equal(s->lane.exit_code, exit_code);
}
