/* SPDX-License-Identifier: Apache-2.0 */
/* planning.h: plans a command by the contract writ ships. Include it after cmocka.h. */
#pragma once

#include "route/route.h"
#include "unit/contract/route_text.h"

enum { PLANNING_WORDS = 16 };

/* One plan, and what it was made of; planning_free() lets go of all of it. */
struct planning {
    struct arena a;
    struct route_doc contract;
    struct lane_doc lane;
    struct route_ask ask;
    struct str words[PLANNING_WORDS];
    struct route_plan plan;
    struct error e;
    bool good;
};

static inline void planning_free(struct planning *p)
{
    arena_free(&p->a);
}

#define _planning_ _cleanup_(planning_free)

/* Ready to be asked: rch is there, nobody prefers it. */
static inline void planning_begin(struct planning *p, const char *class_id)
{
    route_shipped(&p->a, &p->contract);
    p->lane = (struct lane_doc){ .command_class = str_of(class_id),
                                 .command_id = str_of("c1"),
                                 .correlation_id = str_of("night:1") };
    p->ask = (struct route_ask){
        .contract = &p->contract, .lane = &p->lane, .worker = &worker_rch, .available = true
    };
}

static inline void plan_it(struct planning *p)
{
    p->good = route_plan(&p->ask, &p->a, &p->plan, &p->e);
}

static inline void plan_text(struct planning *p, const char *raw)
{
    p->lane.raw_command = str_of(raw);
    p->lane.argv = (struct items){ 0 };
    plan_it(p);
}

/* Words are ended by NULL. */
static inline void plan_words(struct planning *p, const char *const *words)
{
    size_t n = 0;

    for (; words[n]; n++) {
        assert_true(n < PLANNING_WORDS);
        p->words[n] = str_of(words[n]);
    }
    p->lane.raw_command = str_of("for people");
    p->lane.argv = (struct items){ p->words, n };
    plan_it(p);
}

static inline const char *plan_json(struct planning *p)
{
    _buf_ struct buf json = { .max = 1 << 20 };

    route_plan_json(&p->plan, &json);
    return arena_text(&p->a, buf_str(&json));
}

static inline void check_planned(const struct planning *p, enum route route,
                                 enum route_reason reason, const char *policy)
{
    if (!p->good)
        fail_msg("%s", p->e.msg);
    assert_string_equal(route_names[p->plan.route], route_names[route]);
    assert_string_equal(route_reason_names[p->plan.reason], route_reason_names[reason]);
    assert_int_equal(p->plan.policy != NULL, policy != NULL);
    if (policy)
        check_is(p->plan.policy->policy_id, policy);
}

static inline void check_refused(const struct planning *p, const char *msg)
{
    assert_false(p->good);
    assert_string_equal(p->e.msg, msg);
    assert_int_equal(p->e.code, CODE_CONTRACT_INVALID);
}
