/* SPDX-License-Identifier: Apache-2.0 */
/* wraps.h: commands run by a wrapper that misbehaves (wrapper.c), and what a test sees of them. */
#pragma once

#include <sys/stat.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "people.h"
#include "route/wrap.h"

enum { HOUR_MS = 3600000, MOMENTS = 8 };

static const char *wrapper;

/* What a test asks for, and what it saw of it. */
struct scene {
    char dir[64], fifo[80];
    int ends;  /* of the FIFO: to be read, and written */
    int quiet; /* to be read alone: hangs up when nobody writes any more */
    struct arena a;
    struct str command[1];
    int64_t refusals[2];
    struct config_worker worker;
    struct wrap_ask ask;
    enum pace_news moments[MOMENTS];
    size_t count;
    int permits;
    bool forbid, cancel_again, tell_when_late;
    struct world world; /* that tells the time */
    int64_t now, tick_ms;

    enum wrap_end end;
    struct outcome out;
    struct error e;
};

static inline void hear(void *self, enum pace_news news, enum cause cause)
{
    struct scene *s = self;

    assert_true(news == PACE_LATE ? cause == CAUSE_EXITED : cause != CAUSE_EXITED);
    assert_true(s->count < MOMENTS);
    s->moments[s->count++] = news;
    if ((s->cancel_again && news == PACE_ASKED) || (s->tell_when_late && news == PACE_LATE))
        assert_int_equal(write(s->ends, "!", 1), 1);
}

/* A clock that stands still until the wrapper has said that it is ready. */
static inline int64_t ready_ms(void *self)
{
    struct scene *s = self;

    s->now += is_ready(s->ends, 0) ? 10 : 0;
    return s->now;
}

/* The guard is our only child; -1: there is none. */
static inline pid_t guard_of_ours(void)
{
    FILE *f = fopen("/proc/thread-self/children", "re");
    int pid = -1;

    assert_non_null(f);
    if (fscanf(f, "%d", &pid) != 1)
        pid = -1;
    (void)fclose(f);
    return pid;
}

/* Nothing is started before it was permitted. */
static inline bool permit(void *self, struct error *e)
{
    struct scene *s = self;

    s->permits++;
    assert_int_equal(guard_of_ours(), -1);
    return !s->forbid || error_set(e, CODE_IO, "not today");
}

static inline int scene_make(void **state)
{
    static char variable[] = "WRAPPER=is here", path[] = "PATH=/usr/bin:/bin";
    static char *environment[] = { path, variable, NULL };
    struct scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    *state = s;
    (void)snprintf(s->dir, sizeof s->dir, "/tmp/writ-wrap-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    (void)snprintf(s->fifo, sizeof s->fifo, "%s/fifo", s->dir);
    assert_int_equal(mkfifo(s->fifo, 0600), 0);
    s->quiet = open(s->fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    s->ends = open(s->fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_true(s->quiet >= 0 && s->ends >= 0);
    s->world = *world_real();
    s->command[0] = str_of(wrapper);
    s->refusals[0] = 69;
    s->refusals[1] = 75;
    s->worker = (struct config_worker){ .name = { "test", 4 },
                                        .kind = WORKER_WRAP,
                                        .command = { s->command, 1 },
                                        .refusals = { s->refusals, 2 } };
    s->ask = (struct wrap_ask){ .worker = &s->worker,
                                .environment = environment,
                                .cwd = s->dir,
                                .timeout_ms = HOUR_MS,
                                .pace = { .grace_ms = HOUR_MS, .news = hear, .self = s },
                                .live = { -1, -1 },
                                .cancel = -1,
                                .permit = permit,
                                .permit_self = s };
    return 0;
}

static inline int scene_free(void **state)
{
    struct scene *s = *state;
    struct error e;

    own_close(&s->ends);
    own_close(&s->quiet);
    assert_true(fs_remove(s->dir, &e));
    arena_free(&s->a);
    free(s);
    return 0;
}

/* Runs an act of the wrapper, which has one argument at most. */
static inline void play(struct scene *s, const char *act, const char *arg)
{
    char *argv[] = { arena_text(&s->a, str_of(act)), arg ? arena_text(&s->a, str_of(arg)) : NULL,
                     NULL };

    s->ask.argv = argv;
    s->end = wrap_run(&s->ask, &s->world, &s->a, &s->out, &s->e);
}

static inline void expect(const struct scene *s, enum cause cause, int exit_code)
{
    if (s->end != WRAP_ENDED)
        fail_msg("%s", s->e.msg);
    assert_int_equal(s->out.cause, cause);
    assert_int_equal(s->out.exit_code, exit_code);
    assert_int_equal(s->permits, 1);
}

static inline void expect_moments(const struct scene *s, const char *names)
{
    char had[MOMENTS + 1] = { 0 };

    for (size_t i = 0; i < s->count; i++)
        had[i] = "lak"[s->moments[i]];
    assert_string_equal(had, names);
}

static inline void expect_unavailable(const struct scene *s, const char *words)
{
    assert_int_equal(s->end, WRAP_UNAVAILABLE);
    assert_int_equal(s->e.code, CODE_RCH_UNAVAILABLE);
    if (!strstr(s->e.msg, words))
        fail_msg("%s", s->e.msg);
}

/* Nobody has the FIFO open any more, but we do. */
static inline void expect_nobody(struct scene *s)
{
    struct pollfd p = { .fd = s->quiet, .events = POLLIN };
    char bytes[16];

    (void)close(s->ends);
    s->ends = -1;
    while (poll(&p, 1, LONG_MS) == 1 && read(p.fd, bytes, sizeof bytes) > 0)
        ;
    assert_int_equal(p.revents & (POLLIN | POLLHUP), POLLHUP);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_make, scene_free)

/* `argv` of a test: WRAPPER [--user]. */
static inline int run_scenes(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
    wrapper = realpath(argv[1], NULL);
    if (!wrapper)
        return 1;
    if (!become_who(argc, argv)) {
        (void)printf("1..0 # SKIP only root can become another user\n");
        return 0;
    }
    return _cmocka_run_group_tests("wrap", tests, count, NULL, NULL);
}
