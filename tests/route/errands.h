/* SPDX-License-Identifier: Apache-2.0 */
/* errands.h: errands of a test, run by a fake worker of some mode.
 *
 * The clock stands still until a test lets it leap: then every look at it is past every patience.
 */
#pragma once

#include "people.h"
#include "route/channel.h"

enum { A_LEAP_MS = 1000000 };

static const char *fake_worker;

struct scene {
    struct arena a;
    struct channel *c;
    struct errand errand;
    int64_t now_ms, leap_ms;
    struct world world;
    bool allowed, leap_at_go; /* what permit does */
    int asked;                /* how often permit was */
    char moments[64];         /* that were told: "late asked killed " */
};

static inline int64_t scene_ms(void *self)
{
    struct scene *s = self;

    return s->now_ms += s->leap_ms;
}

static inline bool scene_permit(void *self, struct error *e)
{
    struct scene *s = self;

    s->asked++;
    if (s->leap_at_go)
        s->leap_ms = A_LEAP_MS;
    return s->allowed || error_set(e, 1, "not today");
}

static inline void scene_moment(void *self, enum pace_news news, enum cause cause)
{
    static const char *const names[] = { "late ", "asked ", "killed " };
    struct scene *s = self;
    size_t n = strlen(s->moments);

    (void)cause;
    (void)snprintf(s->moments + n, sizeof s->moments - n, "%s", names[news]);
}

/* A worker on a pipe: the fake one in that mode. */
static inline struct config_worker fake_of(const char *mode, struct arena *a)
{
    struct str *words = arena_alloc(a, 2 * sizeof *words);

    words[0] = str_of(fake_worker);
    words[1] = str_of(mode);
    return (struct config_worker){
        .name = str_of("fake"), .kind = WORKER_PIPE, .command = { words, 2 }, .patience_secs = 20
    };
}

static inline bool scene_try(struct scene *s, const char *mode, struct error *e)
{
    struct config_worker worker;
    struct channel_ask ask = { .worker = &worker, .environment = environ, .cancel = -1 };

    *s = (struct scene){ .allowed = true };
    worker = fake_of(mode, &s->a);
    s->world = (struct world){ .wall_ms = world_real()->wall_ms, .mono_ms = scene_ms, .self = s };
    ask.world = &s->world;
    s->errand = (struct errand){ .request = str_of("{\"execution_id\":\"one\",\"a\":[1]}"),
                                 .cwd = "/",
                                 .attempt = 1,
                                 .timeout_ms = 1000,
                                 .live = { -1, -1 },
                                 .cancel = -1,
                                 .store = -1,
                                 .permit = scene_permit };
    s->errand.pace.news = scene_moment;
    return channel_open(&ask, &s->c, e);
}

/* Afterwards the scene must stay where it is. */
static inline void scene_open(struct scene *s, const char *mode)
{
    struct error e = { 0 };

    if (!scene_try(s, mode, &e))
        fail_msg("%s: %s", mode, e.msg);
}

/* By the scene's own clock, or the one that a test has put in its place. */
static inline void scene_run(struct scene *s)
{
    s->errand.world = &s->world;
    s->errand.permit_self = s;
    s->errand.pace.self = s;
    channel_run(s->c, &s->errand, &s->a);
}

static inline void scene_close(struct scene *s)
{
    channel_close(s->c, NULL);
    arena_free(&s->a);
}

static inline void assert_str(struct str is, const char *wanted)
{
    if (!str_is(is, wanted))
        fail_msg("'%.*s' is not '%s'", STR_ARG(is), wanted);
}
