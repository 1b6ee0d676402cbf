/* SPDX-License-Identifier: Apache-2.0 */
/* bench_jq.c: a jq program in a jailed worker, against the same program by libjq in this process.
 * The goal: at least half as fast. usage: bench_jq [WORKER]
 */
#include <assert.h>
#include <jq.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "executor/pure.h"
#include "race.h"

static const char program[] =
    "{id, total: ([.items[] | .qty * .price] | add), tags: (.customer.tags | length)}";
static const char payload[] =
    "{\"customer\":{\"name\":\"Ann\",\"tags\":[\"vip\",\"eu\"]},\"id\":\"ord-1\",\"items\":["
    "{\"price\":9.5,\"qty\":2,\"sku\":\"A1\"},{\"price\":100,\"qty\":1,\"sku\":\"B2\"},"
    "{\"price\":0.25,\"qty\":7,\"sku\":\"C3\"}]}";

enum { BATCH = 256 };

static jq_state *jq;
static struct pure *pure;
static struct arena arena;
static struct call calls[BATCH];
static char expected[256];

static void one_in_process(char *to, size_t room)
{
    jv value, text;

    jq_start(jq, jv_parse_sized(payload, sizeof payload - 1), 0);
    value = jq_next(jq);
    assert(jv_is_valid(value));
    text = jv_dump_string(value, 0);
    (void)snprintf(to, room, "%s", jv_string_value(text));
    jv_free(text);
    jv_free(jq_next(jq));
}

static void in_process(void)
{
    char text[256];

    for (int i = 0; i < BATCH; i++)
        one_in_process(text, sizeof text);
}

static void jailed(const void *with)
{
    const size_t *at_once = with;

    arena_reset(&arena);
    for (size_t i = 0; i < BATCH; i += *at_once)
        pure_calls(pure, calls + i, *at_once, &arena);
    for (size_t i = 0; i < BATCH; i++)
        if (calls[i].end != CALL_OUTPUT || !str_is(calls[i].text, expected))
            abort();
}

static void start(const char *worker, const char *file, struct arena *a)
{
    const struct call_program what = {
        .id = "bench",
        .file = file,
        .worker = worker,
        .world = world_real(),
        .bounds = { .timeout_ms = 1000, .output_bytes = 1 << 20, .memory_bytes = 256 << 20 },
    };
    struct error e = { 0 };
    FILE *f = fopen(file, "we");

    if (!f || fputs(program, f) < 0 || fclose(f) != 0 || !pure_start("jq", &what, a, &pure, &e)) {
        (void)fprintf(stderr, "bench_jq: %s\n", e.msg);
        exit(1);
    }
    (void)unlink(file);
}

/* The worker stands beside the folder of the benchmarks. */
static const char *beside(char *path, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", path, room - 1);

    path[n > 0 ? n : 0] = '\0';
    *strrchr(path, '/') = '\0';
    strcpy(strrchr(path, '/'), "/writ-pure");
    return path;
}

int main(int argc, char **argv)
{
    static const size_t all = BATCH, some = 16, one = 1;
    struct runner runners[] = {
        { .name = "libjq, in process", .run = in_process },
        { .name = "jailed, 256 calls at once", .run_with = jailed, .with = &all },
        { .name = "jailed, 16 calls at once", .run_with = jailed, .with = &some },
        { .name = "jailed, one call after the other", .run_with = jailed, .with = &one },
    };
    _arena_ struct arena a = { 0 };
    char path[PATH_MAX], file[] = "/tmp/writ-bench-jq-XXXXXX";

    jq = jq_init();
    if (!jq || !jq_compile(jq, program) || close(mkstemp(file)) != 0)
        return 1;
    one_in_process(expected, sizeof expected);
    start(argc > 1 ? argv[1] : beside(path, sizeof path), file, &a);
    for (size_t i = 0; i < BATCH; i++)
        calls[i].payload = str_of(payload);
    race("256 calls of a jq program (the goal: 0.5 x)", runners, COUNT(runners), 1);
    for (size_t i = 0; i < COUNT(runners); i++)
        printf("  %-44s %9.0f calls/s\n", runners[i].name, BATCH * 1e9 / race_median(&runners[i]));
    pure_stop(pure);
    arena_free(&arena);
    jq_teardown(&jq);
    return 0;
}
