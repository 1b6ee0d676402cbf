/* SPDX-License-Identifier: Apache-2.0 */
/* test_arena.c: an arena that is used by turns. The linker puts the counting function below in the
 * place of malloc() (tests/meson.build). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

enum { PIECES = 800, PIECE = 8 << 10 };

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static size_t allocated;

void *__wrap_malloc(size_t size)
{
    allocated += size;
    return __real_malloc(size);
}

static void take_turn(struct arena *a)
{
    for (size_t i = 0; i < PIECES; i++)
        memset(arena_alloc(a, PIECE), 0xaa, PIECE);
}

static void a_turn_has_the_memory_of_the_one_before(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    take_turn(&a);
    arena_reset(&a);
    allocated = 0;
    for (int turn = 0; turn < 5; turn++) {
        take_turn(&a);
        arena_reset(&a);
    }
    assert_int_equal(allocated, 0);
}

static void what_one_large_turn_took_is_not_kept_for_ever(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    for (int i = 0; i < 10; i++)
        take_turn(&a);
    arena_reset(&a);
    allocated = 0;
    for (int i = 0; i < 10; i++)
        take_turn(&a);
    assert_true(allocated > (size_t)4 * PIECES * PIECE);
}

static void what_is_joined_stays_and_is_freed_once(void **state)
{
    _arena_ struct arena to = { 0 }, from = { 0 };
    const char *kept;

    (void)state;
    take_turn(&to);
    arena_reset(&to);
    take_turn(&from);
    arena_reset(&from);
    kept = arena_printf(&from, "kept");
    arena_join(&to, &from);
    assert_null(from.last);
    take_turn(&to);
    take_turn(&from);
    assert_string_equal(kept, "kept");
}

/* One byte less than there is room for, as many, and one more. */
static void a_text_is_whole_where_little_room_is_left(void **state)
{
    char text[PIECE];

    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t room = ARENA_ALIGN; room < 10 * ARENA_ALIGN; room += ARENA_ALIGN) {
        for (int more = -2; more <= 1; more++) {
            _arena_ struct arena a = { 0 };
            int n = (int)room + more;
            char *before, *made, *after;

            (void)arena_alloc(&a, 1);
            before = arena_alloc(&a, (size_t)(a.end - a.at) - room);
            made = arena_printf(&a, "%.*s", n, text);
            after = arena_alloc(&a, ARENA_ALIGN);
            memset(after, 'y', ARENA_ALIGN);
            assert_int_equal(strlen(made), n);
            assert_memory_equal(made, text, (size_t)n);
            assert_int_equal(before[0], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_has_the_memory_of_the_one_before),
        cmocka_unit_test(what_one_large_turn_took_is_not_kept_for_ever),
        cmocka_unit_test(what_is_joined_stays_and_is_freed_once),
        cmocka_unit_test(a_text_is_whole_where_little_room_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
