/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_glue.c: what stands between a module that wasm2c turned into C and the worker that calls it.
 *
 * Not part of writ itself: its text is kept in writ and compiled with each module, as one
 * translation unit. It is all the runtime that the generated code has; wabt's own would print,
 * abort and, where memory is short, go on with a NULL pointer.
 *
 * A fresh instance per call is one that was put back: after instantiation (the start function
 * included; without imports it always does the same) everything a module can change is kept aside.
 * That is the instance's struct with its globals, the tables and the memory.
 */
#define NDEBUG
#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 0
#define WASM_RT_USE_STACK_DEPTH_COUNT   1
#define WASM_RT_MAX_CALL_STACK_DEPTH    WASM_DEPTH

#include "executor/wasm_abi.h"

#include "module.c"
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

/* Zeroing by hand is quicker than giving pages back and faulting them in again, up to about this
 * much on either side of what has to be copied; beyond it only touched pages should cost. */
enum { NEAR = 128 << 10, KERNEL_PAGE = 1 << 16 };

uint32_t wasm_rt_call_stack_depth;

static struct type {
    uint32_t params, results;
    uint8_t v[2 * WASM_VALUES];
} types[WASM_TYPES];
static uint32_t type_count;

static struct table {
    void *data, *fresh;
    size_t bytes; /* that a fresh one has */
} tables[WASM_TABLES];
static uint32_t table_count;

static jmp_buf trapped;
static Z_executor_instance_t instance, fresh;
static bool have_fresh;
static uint8_t *memory; /* MAX_PAGES of them; what is behind the instance's size is zero */
static uint8_t *image;  /* of the part of a fresh memory that is not zero */
static size_t image_from, image_to;

void wasm_rt_trap(wasm_rt_trap_t code)
{
    (void)code;
    longjmp(trapped, 1);
}

/* ---- what the generated code asks for ---- */

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
    struct type t = { .params = params, .results = results };
    va_list args;

    if (params > WASM_VALUES || results > WASM_VALUES || type_count == WASM_TYPES)
        wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
    va_start(args, results);
    for (uint32_t i = 0; i < params + results; i++)
        t.v[i] = (uint8_t)va_arg(args, wasm_rt_type_t);
    va_end(args);
    for (uint32_t i = 0; i < type_count; i++)
        if (memcmp(&types[i], &t, sizeof t) == 0)
            return i + 1;
    types[type_count++] = t;
    return type_count;
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *m, uint32_t pages, uint32_t max_pages)
{
    if (pages > MAX_PAGES || max_pages > MAX_PAGES)
        wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
    *m = (wasm_rt_memory_t){ memory, pages, max_pages, pages * WASM_PAGE };
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *m, uint32_t delta)
{
    uint32_t before = m->pages;

    if (delta > m->max_pages - before)
        return UINT32_MAX;
    m->pages += delta;
    m->size = m->pages * WASM_PAGE;
    return before;
}

/* Room for as many elements as the table may ever have: it never moves. */
static void *make_table(uint32_t elements, uint32_t *max, size_t size)
{
    struct table *t;

    if (*max > WASM_ELEMENTS)
        *max = WASM_ELEMENTS;
    if (elements > *max || table_count == WASM_TABLES)
        wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
    t = &tables[table_count++];
    free(t->data);
    t->bytes = elements * size;
    t->data = calloc(*max ? *max : 1, size);
    if (!t->data)
        wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
    return t->data;
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *t, uint32_t elements, uint32_t max)
{
    t->data = make_table(elements, &max, sizeof *t->data);
    t->size = elements;
    t->max_size = max;
}

void wasm_rt_allocate_externref_table(wasm_rt_externref_table_t *t, uint32_t elements, uint32_t max)
{
    t->data = make_table(elements, &max, sizeof *t->data);
    t->size = elements;
    t->max_size = max;
}

/* A table that grows while the module starts is as long as that when it is fresh. */
static void note_table(const void *data, size_t bytes)
{
    for (uint32_t i = 0; !have_fresh && i < table_count; i++)
        if (tables[i].data == data)
            tables[i].bytes = bytes;
}

uint32_t wasm_rt_grow_funcref_table(wasm_rt_funcref_table_t *t, uint32_t delta,
                                    wasm_rt_funcref_t init)
{
    uint32_t before = t->size;

    if (delta > t->max_size - before)
        return UINT32_MAX;
    while (t->size < before + delta)
        t->data[t->size++] = init;
    note_table(t->data, t->size * sizeof *t->data);
    return before;
}

uint32_t wasm_rt_grow_externref_table(wasm_rt_externref_table_t *t, uint32_t delta,
                                      wasm_rt_externref_t init)
{
    uint32_t before = t->size;

    if (delta > t->max_size - before)
        return UINT32_MAX;
    while (t->size < before + delta)
        t->data[t->size++] = init;
    note_table(t->data, t->size * sizeof *t->data);
    return before;
}

/* Instances are put back, never freed. */
void wasm_rt_free_memory(wasm_rt_memory_t *m)
{
    (void)m;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *t)
{
    (void)t;
}

void wasm_rt_free_externref_table(wasm_rt_externref_table_t *t)
{
    (void)t;
}

/* ---- putting back ---- */

/* All is zero again, whether or not it was touched. */
static void zero(size_t from, size_t to)
{
    if (to - from <= 2 * NEAR)
        memset(memory + from, 0, to - from);
    else if (madvise(memory + from, to - from, MADV_DONTNEED) != 0)
        memset(memory + from, 0, to - from);
}

static size_t less(size_t a, size_t by)
{
    return a > by ? a - by : 0;
}

static void put_memory_back(size_t size)
{
    size_t near_from = less(image_from, NEAR) & ~(size_t)(KERNEL_PAGE - 1);
    size_t near_to = (image_to + NEAR + KERNEL_PAGE - 1) & ~(size_t)(KERNEL_PAGE - 1);

    if (near_to > size)
        near_to = size;
    zero(0, near_from);
    memset(memory + near_from, 0, image_from - near_from);
    memcpy(memory + image_from, image, image_to - image_from);
    memset(memory + image_to, 0, near_to - image_to);
    zero(near_to, size);
}

static void forget(void)
{
    wasm_rt_call_stack_depth = 0;
    if (!have_fresh) { /* it did not come to be, so there is nothing to go back to */
        zero(0, (size_t)MAX_PAGES * WASM_PAGE);
        return;
    }
    put_memory_back(Z_executorZ_memory(&instance)->size);
    for (uint32_t i = 0; i < table_count; i++)
        memcpy(tables[i].data, tables[i].fresh, tables[i].bytes);
    instance = fresh;
}

/* ---- the first instance ---- */

static void find_image(size_t size)
{
    image_from = 0;
    image_to = size;
    while (image_to > 0 && memory[image_to - 1] == 0)
        image_to--;
    while (image_from < image_to && memory[image_from] == 0)
        image_from++;
}

static void *kept(const void *bytes, size_t n)
{
    void *copy = malloc(n ? n : 1);

    if (!copy)
        wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
    return memcpy(copy, bytes, n);
}

/* Traps where the module's own start does, or memory is short; then the next call tries again. */
static void instantiate(void)
{
    type_count = 0;
    table_count = 0;
    memset(&instance, 0, sizeof instance);
    Z_executor_init_module();
    Z_executor_instantiate(&instance);
    find_image(Z_executorZ_memory(&instance)->size);
    free(image);
    image = NULL;
    image = kept(memory + image_from, image_to - image_from);
    for (uint32_t i = 0; i < table_count; i++)
        tables[i].fresh = kept(tables[i].data, tables[i].bytes);
    fresh = instance;
    have_fresh = true;
}

/* ---- what the worker sees ---- */

static bool reserve(void)
{
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    size_t bytes = (size_t)MAX_PAGES * WASM_PAGE + 1;
    /* cppcheck-suppress invalidFunctionArg ; memory of no file has no descriptor */
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how, -1, 0);

    if (at == MAP_FAILED)
        return false;
    memory = at;
    return true;
}

static bool lies_within(uint32_t at, uint32_t size)
{
    return (uint64_t)at + size <= Z_executorZ_memory(&instance)->size;
}

static enum wasm_end call(const void *payload, uint32_t size, const void **output,
                          uint32_t *output_size)
{
    uint32_t at;
    uint64_t answer;

    if (setjmp(trapped) != 0)
        return WASM_EXCEPTION;
    if (!have_fresh)
        instantiate();
    at = Z_executorZ_room(&instance, size);
    if (at == 0 || !lies_within(at, size))
        return WASM_EXCEPTION;
    memcpy(memory + at, payload, size);
    answer = Z_executorZ_execute(&instance, at, size);
    if (answer == 0)
        return WASM_NOTHING;
    at = (uint32_t)(answer >> 32);
    if (!lies_within(at, (uint32_t)answer))
        return WASM_EXCEPTION;
    *output = memory + at;
    *output_size = (uint32_t)answer;
    return WASM_OUTPUT;
}

/* The one name that leaves the object. */
extern const struct wasm_executor writ_executor;
__attribute__((visibility("default")))
const struct wasm_executor writ_executor = { WASM_ABI, reserve, call, forget };
