/* SPDX-License-Identifier: Apache-2.0 */
/* bench_wasm.c: calls of a wasm executor, each in a fresh instance: in this process, and in a
 * worker. The goal: 50,000 calls a second in a worker, so an instance may cost 10 us. */
#include <assert.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include "executor/compilers.h"
#include "executor/pure.h"
#include "executor/serve.h"
#include "executor/wasm_abi.h"
#include "race.h"

static const char text[] = "{\"text\":\"the quick brown fox jumps over the lazy dog, and then "
                           "again, until nobody looks any more\"}";
static struct buf out = { .max = 1 << 20 };
static const struct wasm_executor *executor;
static char *memory, *image;
static struct pure *worker;
enum { BYTES = 2 * WASM_PAGE, BATCH = 100 };

static void run_service(void)
{
    enum call_end end;

    buf_reset(&out);
    end = wasm_service.call(str_of(text), &out);
    assert(end == CALL_OUTPUT && str_is(buf_str(&out), "{\"words\":17}"));
}

static void run_reused(void)
{
    const void *at;
    uint32_t n;
    enum wasm_end end = executor->call(text, sizeof text - 1, &at, &n);

    assert(end == WASM_OUTPUT && n == 12);
}

/* What putting back would cost if it copied everything, or gave every page back. */
static void run_copy(void)
{
    memcpy(memory, image, BYTES);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static void run_pages(void)
{
    int bad = madvise(memory, BYTES, MADV_DONTNEED);

    assert(!bad);
    for (int i = 0; i < 4; i++) /* data, payload, output, stack */
        memory[i * BYTES / 4] = 1;
}

/* ---- in a worker ---- */

static void run_calls(struct call *calls, size_t n)
{
    static struct arena a;

    arena_reset(&a);
    for (size_t i = 0; i < n; i++)
        calls[i] = (struct call){ .payload = str_of(text) };
    pure_calls(worker, calls, n, &a);
    for (size_t i = 0; i < n; i++)
        assert(calls[i].end == CALL_OUTPUT && calls[i].text.n == 12);
}

static void run_one(void)
{
    struct call one;

    run_calls(&one, 1);
}

/* race() divides by the calls of run: this one does BATCH of them every BATCH times. */
static void run_batch(void)
{
    static struct call calls[BATCH];
    static int turn;

    if (turn++ % BATCH == 0)
        run_calls(calls, BATCH);
}

static bool start_worker(const char *object, struct arena *a, struct error *e)
{
    struct call_program how = {
        .id = "word_count",
        .file = object,
        .worker = WRIT_PURE,
        .world = world_real(),
        .bounds = { .timeout_ms = 1000, .output_bytes = 1 << 20, .memory_bytes = 64 << 20 },
    };

    return pure_start("wasm", &how, a, &worker, e);
}

static bool begin(struct arena *a, struct error *e)
{
    const char *object = object_of("word_count", a);

    if (!object || !wasm_service.open(object, e) || !wasm_service.ready(e) ||
        !start_worker(object, a, e))
        return false;
    executor = dlsym(dlopen(object, RTLD_NOW), WASM_SYMBOL);
    memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(executor && memory != MAP_FAILED);
    image = memory + BYTES;
    memset(image, 1, BYTES);
    return true;
}

int main(void)
{
    _arena_ struct arena a = { 0 };
    struct error e = { 0 };
    struct runner runners[] = {
        { .name = "a call in a fresh instance, in this process", .run = run_service },
        { .name = "  nothing put back", .run = run_reused },
        { .name = "  copying all of its 128 KiB", .run = run_copy },
        { .name = "  giving pages back, four touched", .run = run_pages },
        { .name = "a call in a worker, one by one", .run = run_one },
        { .name = "a call in a worker, 100 at a time", .run = run_batch },
    };

    if (!begin(&a, &e)) {
        printf("%s\n", e.msg);
        return 1;
    }
    race("wasm: one call of word_count, 100 bytes of payload", runners, COUNT(runners), 1000);
    for (size_t i = 0; i < COUNT(runners); i++)
        if (runners[i].name[0] == 'a')
            printf("  %-44s %9.0f a second\n", runners[i].name, 1e9 / race_median(&runners[i]));
    pure_stop(worker);
    return remove_cache(NULL);
}
