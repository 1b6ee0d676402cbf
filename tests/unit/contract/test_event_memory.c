/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_memory.c: an event costs the arena and next to nothing beside it. The linker puts the
 * counting functions below in the place of malloc() and realloc() (tests/meson.build). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/event_doc.h"
#include "unit/contract/data.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *p, size_t size);

static size_t allocated;

void *__wrap_malloc(size_t size)
{
    allocated += size;
    return __real_malloc(size);
}

void *__wrap_realloc(void *p, size_t size)
{
    allocated += size;
    return __real_realloc(p, size);
}

static void take(struct str text, struct arena *a, struct buf *canon)
{
    struct ceilings max = ceilings_default();
    struct event_doc event = { 0 };
    const struct document *d;
    struct report r;
    struct error e;

    arena_reset(a);
    buf_reset(canon);
    assert_true(json_read("event.json", text, &max, a, &d, &e));
    r = report_new(a, "event.json", text);
    assert_true(shape_decode(&event_shape, &d->root, &r, &event));
    json_canon(&d->root, a, canon);
    (void)digest_of(canon->s, canon->len);
}

static void the_second_event_allocates_under_a_kilobyte(void **state)
{
    _arena_ struct arena texts = { 0 }, a = { 0 };
    _buf_ struct buf canon = { .max = 1 << 20 };
    struct str text = str_of(data_text(&texts, "contract-002/valid.json"));

    (void)state;
    take(text, &a, &canon);
    assert_true(allocated > 1024); /* the counting counts */
    allocated = 0;
    take(text, &a, &canon);
    assert_true(allocated < 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_event_allocates_under_a_kilobyte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
