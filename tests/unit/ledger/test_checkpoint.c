/* SPDX-License-Identifier: Apache-2.0 */
/* test_checkpoint.c: checkpoints as C2SP wants them, to the byte, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "notes.h"

/* ---- what others wrote ---- */

/* The examples of C2SP signed-note (verifier keys), and of Go's package note. */
/* clang-format off */
static const struct {
    const char *key, *note;
} examples[] = {
    { "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
      "This is an example message.\n\n" DASH "example.com/foo "
      "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n" },
    { "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
      "If you think cryptography is the answer to your problem,\n"
      "then you don't know what your problem is.\n\n" DASH "PeterNeumann "
      "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n" },
};
/* clang-format on */

static void notes_that_others_signed_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf text = { .max = 1000 };
        struct verifier v;
        struct error e = { 0 };

        if (!verifier_read(str_of(examples[i].key), &a, &v, &e) ||
            !checkpoint_signed(str_of(examples[i].note), &v, &e))
            fail_msg("example %zu: %s", i, e.msg);
        verifier_text(&v, &text);
        assert_true(str_is(buf_str(&text), examples[i].key));
        refuse_signed(str_of(examples[1 - i].note), &v, "not signed by the key");
    }
}

static void the_checkpoint_of_tlog_checkpoint_is_read(void **state)
{
    static const char note[] =
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n" DASH
        "example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/"
        "Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";
    _arena_ struct arena a = { 0 };
    struct checkpoint c;
    struct error e = { 0 };

    (void)state;
    if (!checkpoint_read(str_of(note), &a, &c, &e))
        fail_msg("%s", e.msg);
    assert_true(str_is(c.origin, "example.com/behind-the-sofa"));
    assert_int_equal(c.size, 20852163);
    assert_int_equal(c.root.b[0], 0x0a);
    assert_int_equal(c.root.b[31], 0x62);
    assert_int_equal(c.made_ms, 0);
}

/* ---- round trips ---- */

static void a_checkpoint_has_these_bytes(void **state)
{
    static const char start[] = ORIGIN "\n128\n" ROOT "\n" MADE "\n\n" DASH ORIGIN " ";
    _buf_ struct buf note = { .max = CHECKPOINT_MAX };

    (void)state;
    add_good(&note);
    assert_true(str_begins(buf_str(&note), start));
    assert_int_equal(note.len, sizeof start - 1 + 92 + 1);
    assert_int_equal(note.s[note.len - 1], '\n');
}

static void check_round(int64_t size, int64_t made_ms)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf note = { .max = CHECKPOINT_MAX };
    struct checkpoint c = checkpoint_of(ORIGIN, size, made_ms), back;
    struct sign_key key = key_of(1);
    struct verifier v = verifier_of(ORIGIN, 1);
    struct error e = { 0 };

    buf_adds(&note, "before\n"); /* it is added to what is there, and signs only itself */
    checkpoint_write(&c, &key, &note);
    assert_true(buf_ok(&note));

    struct str text = { note.s + 7, note.len - 7 };
    if (!checkpoint_read(text, &a, &back, &e) || !checkpoint_signed(text, &v, &e))
        fail_msg("%lld: %s", (long long)size, e.msg);
    assert_true(back.size == size && back.made_ms == made_ms);
    assert_true(str_is(back.origin, ORIGIN));
    assert_memory_equal(&back.root, &c.root, sizeof c.root);
}

static void what_is_written_is_read_and_holds(void **state)
{
    static const int64_t day_ms = 86400000;
    static const int64_t sizes[] = { 0, 1, 9, 10, 255, 256, 20852163, INT64_MAX - 1, INT64_MAX };

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        check_round(sizes[i], 0);
        check_round(sizes[i], 1);
        check_round(sizes[i], good_made_ms + (int64_t)i * day_ms + (int64_t)i);
    }
}

static void a_note_that_does_not_fit_is_no_note(void **state)
{
    _buf_ struct buf whole = { .max = CHECKPOINT_MAX };

    (void)state;
    add_good(&whole);
    for (size_t max = 0; max < whole.len; max++) {
        _buf_ struct buf note = { .max = max };
        struct checkpoint c = checkpoint_of(ORIGIN, 128, good_made_ms);
        struct sign_key key = key_of(1);

        checkpoint_write(&c, &key, &note);
        assert_false(buf_ok(&note));
    }
}

/* ---- every form that is wrong ---- */

/* In the good note, the first `find` becomes `with`. */
/* clang-format off */
static const struct {
    const char *find, *with, *words;
} wrong[] = {
    { ORIGIN "\n128", "\n128",                  "no origin" },
    { ORIGIN "\n128", "128",                    "the size is" },
    { "\n128\n", "\n\n",                        "the size is ''" },
    { "\n128\n", "\n0128\n",                    "the size is '0128', allowed is a whole number" },
    { "\n128\n", "\n00\n",                      "the size is '00'" },
    { "\n128\n", "\n-1\n",                      "the size is '-1'" },
    { "\n128\n", "\n-0\n",                      "the size is '-0'" },
    { "\n128\n", "\n+128\n",                    "the size is '+128'" },
    { "\n128\n", "\n128 \n",                    "the size is '128 '" },
    { "\n128\n", "\n 128\n",                    "the size is ' 128'" },
    { "\n128\n", "\n0x80\n",                    "the size is '0x80'" },
    { "\n128\n", "\n1e2\n",                     "the size is '1e2'" },
    { "\n128\n", "\n9223372036854775808\n",     "the size is '9223372036854775808'" },
    { ROOT "\n" MADE "\n", "",                  "the root is ''" },
    { ROOT, "",                                 "the root is ''" },
    { ROOT, "AAAA",                             "the root is 'AAAA', allowed is base64 of 32 bytes" },
    { "Hh8=\n", "Hh9=\n",                       "the root is" },
    { "Hh8=\n", "Hh8\n",                        "the root is" },
    { "Hh8=\n", "Hh8= \n",                      "the root is" },
    { "Hh8=\n", "Hh8g\n",                       "the root is" },
    { "AAECAwQF", "AAEC-wQF",                   "the root is" },
    { MADE "\n", "x\n\ny\n",                    "an empty line in its text" },
    { MADE "\n", "\n" MADE "\n",                "an empty line in its text" },
    { MADE "\n", MADE "\n" MADE "\n",           "says twice when it was made" },
    { MADE "\n", "made \n",                     "made is ''" },
    { MADE "\n", "made yesterday\n",            "made is 'yesterday', allowed is a time" },
    { "00.000Z", "00Z",                         "made is '2026-11-15T14:00:00Z'" },
    { "00.000Z", "00.0001Z",                    "made is" },
    { "00.000Z", "00.000+00:00",                "made is" },
    { "00.000Z", "00.000Z ",                    "made is" },
    { "2026-11-15T14", "1970-01-01T00",         "made is" },
    { "2026-11-15T14", "1969-01-01T00",         "made is" },
    { "2026-11-15T14", "2026-02-30T14",         "made is" },
    { "\n\n" DASH, "\n" DASH,                   "no blank line" },
    { DASH ORIGIN, "",                          "signature 1 does not begin with an em dash" },
    { DASH, "- ",                               "signature 1 does not begin with an em dash" },
    { DASH, "\xe2\x80\x93 ",                    "signature 1 does not begin with an em dash" },
    { DASH, "\xe2\x80\x94",                     "signature 1 does not begin with an em dash" },
    { DASH, "\xe2\x80\x94\xc2\xa0",             "signature 1 does not begin with an em dash" },
    { DASH, " " DASH,                           "signature 1 does not begin with an em dash" },
    { DASH, DASH " ",                           "signature 1 has a name that is empty" },
    { DASH ORIGIN " ", DASH,                    "signature 1 is not a name, a space and base64" },
    { DASH ORIGIN " ", DASH "a+b ",             "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xc2\xa0" "b ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xc2\x85" "b ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xe1\x9a\x80 ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "\xe2\x80\x80" "a ","signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xe2\x80\x8a ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xe2\x80\xa8 ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xe2\x80\xaf ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xe2\x81\x9f ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH "a\xe3\x80\x80 ",   "signature 1 has a name" },
    { DASH ORIGIN " ", DASH ORIGIN "  ",        "signature 1 is not base64" },
    { DASH ORIGIN " ", DASH ORIGIN " x ",       "signature 1 is not base64" },
    { DASH ORIGIN " ", DASH ORIGIN " =",        "signature 1 is not base64" },
    { DASH, BESIDE DASH "a\n" DASH,             "signature 2 is not a name" },
    { DASH, DASH "a AAAA\n" DASH,               "signature 1 is too short" },
    { DASH, DASH "a AAAABA==\n" DASH,           "signature 1 is too short" },
    { DASH, DASH "a \n" DASH,                   "signature 1 is too short" },
    { DASH, BESIDE BESIDE DASH,                 "signature 2 was there before" },
    { DASH, BESIDE "rubbish\n" DASH,            "signature 2 does not begin" },
    { "128\n", "128\r\n",                       "control character 0x0d at byte" },
    { "128\n", "128\t\n",                       "control character 0x09 at byte" },
    { DASH ORIGIN, DASH "\x01",                 "control character 0x01 at byte" },
    { ORIGIN, "writ/\xff",                      "not UTF-8 from byte 5 on" },
    { DASH, "\xe2\x80 ",                        "not UTF-8" },
};
/* clang-format on */

static void each_malformed_form_is_refused(void **state)
{
    _buf_ struct buf good = { .max = CHECKPOINT_MAX };

    (void)state;
    add_good(&good);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        _buf_ struct buf bad = { .max = CHECKPOINT_MAX };
        const char *at = strstr(good.s, wrong[i].find);

        assert_non_null(at);
        buf_add(&bad, good.s, (size_t)(at - good.s));
        buf_adds(&bad, wrong[i].with);
        buf_adds(&bad, at + strlen(wrong[i].find));
        refuse(buf_str(&bad), wrong[i].words);
    }
}

/* Every beginning of a note, and every note with an end too much. */
static void a_note_is_whole(void **state)
{
    _buf_ struct buf good = { .max = CHECKPOINT_MAX };
    struct verifier v = verifier_of(ORIGIN, 1);

    (void)state;
    add_good(&good);
    for (size_t n = 0; n < good.len; n++) {
        _free_ char *copy = malloc(n + 1); /* of its own size, for the sanitizer */

        assert_non_null(copy);
        memcpy(copy, good.s, n);
        refuse((struct str){ copy, n }, "");
        refuse_signed((struct str){ copy, n }, &v, "");
    }
    refuse((struct str){ good.s, good.len - 1 }, "does not end in a line end");
    buf_addc(&good, '\n');
    refuse(buf_str(&good), "no signature after its blank line");
    buf_adds(&good, "\n");
    refuse(buf_str(&good), "no signature after its blank line");
    refuse((struct str){ "a\0\n\n", 4 }, "control character 0x00");
    refuse(str_of(""), "no blank line");
}

/* ---- verifier keys ---- */

/* clang-format off */
static const struct {
    const char *text, *words;
} no_keys[] = {
    { "",                                                                   "not <name>+<8 hex" },
    { "+",                                                                  "not <name>+<8 hex" },
    { "name",                                                               "not <name>+<8 hex" },
    { "name+530d903a",                                                      "not <name>+<8 hex" },
    { "name+530d903a-Aeky",                                                 "not <name>+<8 hex" },
    { "name+530d903+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",          "not <name>+<8 hex" },
    { "name+530d903a+",                                                     "not base64" },
    { "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv",  "not base64" },
    { "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2kAAAA", "not base64" },
    { "example.com/foo+530d903a+AukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", "not base64 of the byte 1" },
    { "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k ", "not base64" },
    { "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k\n\n", "not base64" },
    { "example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", "8 hex digits in lower case" },
    { "example.com/foo+530d90xy+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", "8 hex digits in lower case" },
    { "+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",             "name is empty" },
    { "a b+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",          "has a space" },
    { " example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", "has a space" },
    { "example.com/foO+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", "id is 530d903a, but name and key make" },
    { "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", "make 530d903a" },
    { "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2l", "id is 530d903a" },
};
/* clang-format on */

static void a_verifier_key_is_read_strictly(void **state)
{
    static const char good[] = "example.com/foo+530d903a+"
                               "AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k\n";
    _arena_ struct arena a = { 0 };
    struct verifier v = { .name = { "x", 1 } };
    struct error e = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(no_keys); i++) {
        if (verifier_read(str_of(no_keys[i].text), &a, &v, &e))
            fail_msg("'%s' was read", no_keys[i].text);
        if (!strstr(e.msg, no_keys[i].words))
            fail_msg("'%s': says '%s'", no_keys[i].text, e.msg);
        assert_true(str_is(v.name, "x"));
    }
    assert_true(verifier_read(str_of(good), &a, &v, &e)); /* as it stands in a file */
    assert_true(str_is(v.name, "example.com/foo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_that_others_signed_hold),
        cmocka_unit_test(the_checkpoint_of_tlog_checkpoint_is_read),
        cmocka_unit_test(a_checkpoint_has_these_bytes),
        cmocka_unit_test(what_is_written_is_read_and_holds),
        cmocka_unit_test(a_note_that_does_not_fit_is_no_note),
        cmocka_unit_test(each_malformed_form_is_refused),
        cmocka_unit_test(a_note_is_whole),
        cmocka_unit_test(a_verifier_key_is_read_strictly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
