/* SPDX-License-Identifier: Apache-2.0 */
/* test_checkpoint_signed.c: whose signature a checkpoint has, whatever else stands beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "notes.h"

enum { NOTE_ROOM = CHECKPOINT_MAX + 1024 };

static void a_changed_lost_or_added_byte_anywhere_is_seen(void **state)
{
    _buf_ struct buf note = { .max = CHECKPOINT_MAX }, other = { .max = CHECKPOINT_MAX };
    struct verifier v = verifier_of(ORIGIN, 1);
    struct error e = { 0 };

    (void)state;
    add_good(&note);
    for (size_t i = 0; i < 8 * note.len; i++) {
        note.s[i / 8] ^= (char)(1 << i % 8);
        refuse_signed(buf_str(&note), &v, "");
        note.s[i / 8] ^= (char)(1 << i % 8);
    }
    for (size_t i = 0; i < note.len; i++) {
        buf_reset(&other);
        buf_add(&other, note.s, i);
        buf_add(&other, note.s + i + 1, note.len - i - 1);
        refuse_signed(buf_str(&other), &v, "");
        for (const char *more = "\n =A"; *more; more++) {
            buf_reset(&other);
            buf_add(&other, note.s, i);
            buf_addc(&other, *more);
            buf_add(&other, note.s + i, note.len - i);
            refuse_signed(buf_str(&other), &v, "");
        }
    }
    assert_true(checkpoint_signed(buf_str(&note), &v, &e));
}

static void only_the_key_that_signed_holds(void **state)
{
    _buf_ struct buf note = { .max = CHECKPOINT_MAX };
    struct verifier same_name = verifier_of(ORIGIN, 2), same_key = verifier_of("writ/other", 1);

    (void)state;
    add_good(&note);
    refuse_signed(buf_str(&note), &same_name, "not signed by the key");
    refuse_signed(buf_str(&note), &same_key, "of 'writ/other'");
}

/* Somebody takes name and id of a key, which are no secret, for a signature of his own. */
static void a_borrowed_id_is_no_signature(void **state)
{
    _buf_ struct buf note = { .max = CHECKPOINT_MAX }, line = { .max = 1000 };
    struct sign_key mine = key_of(3);
    struct verifier v = verifier_of(ORIGIN, 1);
    uint8_t bytes[NOTE_ID + SIGN_BYTES + 1] = { 0 };
    const char *text = ORIGIN "\n128\n" ROOT "\n";

    (void)state;
    note_key_id(v.name, v.public, bytes);
    sign(&mine, str_of(text), bytes + NOTE_ID);
    for (size_t n = NOTE_ID + 1; n <= sizeof bytes; n++) {
        buf_reset(&note);
        buf_addf(&note, "%s\n" DASH ORIGIN " ", text);
        base64_add(&note, (struct str){ (const char *)bytes, n });
        buf_addc(&note, '\n');
        refuse_signed(buf_str(&note), &v, "does not belong to this text");
    }
    add_good(&line); /* and beside a good one it still spoils the note */
    buf_adds(&line, strstr(note.s, DASH));
    refuse_signed(buf_str(&line), &v, "two signatures by '" ORIGIN "'");
}

/* One that ends in a zero byte, without it: it must not be taken for the whole. */
static void a_signature_has_all_its_bytes(void **state)
{
    struct sign_key key = key_of(1);
    struct verifier v = verifier_of("a", 1);
    uint8_t bytes[NOTE_ID + SIGN_BYTES] = { [sizeof bytes - 1] = 1 };
    char text[100];

    (void)state;
    note_key_id(v.name, v.public, bytes);
    for (int size = 0; bytes[sizeof bytes - 1] != 0; size++) {
        (void)snprintf(text, sizeof text, "a\n%d\n" ROOT "\n", size);
        sign(&key, str_of(text), bytes + NOTE_ID);
    }
    for (int less = 0; less < 2; less++) {
        _buf_ struct buf note = { .max = 1000 };
        struct error e = { 0 };

        buf_addf(&note, "%s\n" DASH "a ", text);
        base64_add(&note, (struct str){ (const char *)bytes, sizeof bytes - (size_t)less });
        buf_addc(&note, '\n');
        assert_int_equal(checkpoint_signed(buf_str(&note), &v, &e), less == 0);
    }
}

static void one_key_signs_once(void **state)
{
    _buf_ struct buf note = { .max = CHECKPOINT_MAX }, twice = { .max = CHECKPOINT_MAX };
    struct verifier v = verifier_of(ORIGIN, 1);

    (void)state;
    add_good(&note);
    buf_add(&twice, note.s, note.len);
    buf_adds(&twice, strstr(note.s, DASH));
    refuse_signed(buf_str(&twice), &v, "signature 2 was there before");
}

/* Before and after ours, of our name and of others, short ones and long ones. */
static void witnesses_may_sign_beside_us(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf good = { .max = CHECKPOINT_MAX }, note = { .max = CHECKPOINT_MAX };
    _free_ char *large = calloc(1, 5000);
    struct verifier v = verifier_of(ORIGIN, 1), witness = verifier_of("witness.example/w2", 5);
    struct sign_key rotated = key_of(4), theirs = key_of(5);
    struct checkpoint c;
    struct error e = { 0 };
    const char *ours;
    struct str text;

    (void)state;
    add_good(&good);
    ours = strstr(good.s, DASH);
    text = (struct str){ good.s, (size_t)(ours - good.s) - 1 };
    assert_non_null(large);
    buf_add(&note, good.s, (size_t)(ours - good.s));
    buf_adds(&note, BESIDE);
    note_sign(str_of(ORIGIN), &rotated, text, &note);
    buf_adds(&note, ours);
    note_sign(str_of("witness.example/w2"), &theirs, text, &note);
    for (int i = 0; i < 15; i++) { /* signed-note: 16 of nearly 5 kB must be possible */
        buf_addf(&note, DASH "pq.example/\xc3\xa9%d ", i);
        base64_add(&note, (struct str){ large, 5000 });
        buf_addc(&note, '\n');
    }
    if (!checkpoint_read(buf_str(&note), &a, &c, &e) ||
        !checkpoint_signed(buf_str(&note), &v, &e) ||
        !checkpoint_signed(buf_str(&note), &witness, &e))
        fail_msg("%s", e.msg);
    assert_int_equal(c.size, 128);
}

static void extension_lines_of_others_are_let_be(void **state)
{
    static const char *const lines[] = { "x", "made", "made2 x", "Made x", DASH "x y", "+ =" };
    struct verifier v = verifier_of("key", 1); /* an origin may be anything, a key's name not */
    struct sign_key key = key_of(1);

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf note = { .max = CHECKPOINT_MAX };
        struct checkpoint c;
        struct error e = { 0 };

        buf_addf(&note, "a b+c\n7\n" ROOT "\n%s\n" MADE "\nlast\n", lines[i]);
        _free_ char *text = strdup(note.s);
        buf_addc(&note, '\n');
        note_sign(v.name, &key, str_of(text), &note);
        if (!checkpoint_read(buf_str(&note), &a, &c, &e) ||
            !checkpoint_signed(buf_str(&note), &v, &e))
            fail_msg("'%s': %s", lines[i], e.msg);
        assert_true(c.made_ms == good_made_ms);
        assert_true(str_is(c.origin, "a b+c"));
    }
}

static void too_much_is_refused(void **state)
{
    _buf_ struct buf note = { .max = NOTE_ROOM };
    struct verifier v = verifier_of(ORIGIN, 1);

    (void)state;
    add_good(&note);
    for (int i = 1; i < NOTE_SIGNATURES; i++)
        buf_addf(&note, DASH "w%d AAAABHdpdG5lc3M=\n", i);
    struct error e = { 0 };
    assert_true(checkpoint_signed(buf_str(&note), &v, &e));
    buf_adds(&note, DASH "w AAAABHdpdG5lc3M=\n");
    refuse(buf_str(&note), "more than 100 signatures");

    buf_reset(&note);
    while (note.len < CHECKPOINT_MAX)
        buf_adds(&note, "x\n");
    assert_false(checkpoint_signed(buf_str(&note), &v, &e));
    assert_null(strstr(e.msg, "are read"));
    buf_adds(&note, "\n"); /* one byte more than is read */
    refuse(buf_str(&note), "at most 131072 are read");
    refuse_signed(buf_str(&note), &v, "at most 131072 are read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_lost_or_added_byte_anywhere_is_seen),
        cmocka_unit_test(only_the_key_that_signed_holds),
        cmocka_unit_test(a_borrowed_id_is_no_signature),
        cmocka_unit_test(a_signature_has_all_its_bytes),
        cmocka_unit_test(one_key_signs_once),
        cmocka_unit_test(witnesses_may_sign_beside_us),
        cmocka_unit_test(extension_lines_of_others_are_let_be),
        cmocka_unit_test(too_much_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
