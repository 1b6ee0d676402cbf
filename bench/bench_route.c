/* SPDX-License-Identifier: Apache-2.0 */
/* bench_route.c: what it takes to plan one command of a class, as text and as words, by the
 * contract that ships and by one of a thousand classes. The goal: at most 5 us. */
#include <assert.h>

#include "race.h"
#include "route/route.h"

enum { CALLS = 200, MANY = 1000, ID = 16 };

static struct arena arena, kept;
static struct route_doc shipped, large;
static struct buf json = { .max = 1 << 20 };

static struct str words[] = { { "cargo", 5 },     { "test", 4 }, { "-p", 2 },
                              { "a package", 9 }, { "--", 2 },   { "it's", 4 } };

static const struct lane_doc text = { .command_class = { "cargo_test", 10 },
                                      .command_id = { "c1", 2 },
                                      .correlation_id = { "night:1", 7 },
                                      .raw_command = { "  cargo test   -p x --lib ", 26 } },
                             wrapped = { .command_class = { "cargo_test", 10 },
                                         .raw_command = { "rch exec -- cargo test -p x", 27 } },
                             list = { .command_class = { "cargo_test", 10 },
                                      .argv = { words, sizeof words / sizeof words[0] } },
                             late = { .command_class = { "z0999", 5 },
                                      .raw_command = { "cargo test -p x", 15 } };

/* The shipped contract and a thousand classes behind it. */
static void enlarge(void)
{
    static char ids[MANY][ID];
    size_t n = shipped.command_classes.n, all = n + MANY;
    struct class_doc *class = arena_alloc(&kept, all * sizeof *class);
    struct timeout_doc *timeout = arena_alloc(&kept, all * sizeof *timeout);

    memcpy(class, shipped.command_classes.v, n * sizeof *class);
    memcpy(timeout, shipped.timeout_profiles.v, n * sizeof *timeout);
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(ids[i], ID, "z%04zu", i);
        class[n + i] = class[4];
        timeout[n + i] = timeout[4];
        class[n + i].class_id = timeout[n + i].class_id = str_of(ids[i]);
    }
    large = shipped;
    large.command_classes = (struct items){ class, all };
    large.timeout_profiles = (struct items){ timeout, all };
}

static void plan_by(const struct route_doc *contract, const struct lane_doc *lane, bool write)
{
    struct route_ask ask = {
        .contract = contract, .lane = lane, .worker = &worker_rch, .available = true
    };
    struct route_plan plan;
    struct error e;
    bool ok;

    arena_reset(&arena);
    ok = route_plan(&ask, &arena, &plan, &e);
    assert(ok && plan.route == ROUTE_REMOTE_RCH);
    if (!write)
        return;
    buf_reset(&json);
    route_plan_json(&plan, &json);
}

static void run_plan(const void *lane)
{
    plan_by(&shipped, lane, false);
}

static void run_large(const void *lane)
{
    plan_by(&large, lane, false);
}

static void run_json(const void *lane)
{
    plan_by(&shipped, lane, true);
}

int main(void)
{
    struct runner runners[] = {
        { .name = "a text", .run_with = run_plan, .with = &text },
        { .name = "a text that is wrapped", .run_with = run_plan, .with = &wrapped },
        { .name = "words with quotes", .run_with = run_plan, .with = &list },
        { .name = "a text, 1010 classes", .run_with = run_large, .with = &late },
        { .name = "a text, and its plan as JSON", .run_with = run_json, .with = &text },
    };
    enum { COUNT_RUNNERS = sizeof runners / sizeof runners[0] };

    route_shipped(&kept, &shipped);
    enlarge();
    race_measure(runners, COUNT_RUNNERS, RACE_TURNS, CALLS);
    printf("planning one command of a class\n");
    for (int i = 0; i < COUNT_RUNNERS; i++)
        printf("  %-44s %7.2f us\n", runners[i].name, race_median(&runners[i]) / 1e3);
    printf("  goal: at most 5 us\n");
    arena_free(&arena);
    arena_free(&kept);
    buf_free(&json);
    return 0;
}
