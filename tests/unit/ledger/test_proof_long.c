/* SPDX-License-Identifier: Apache-2.0 */
/* test_proof_long.c: what is longer as canonical JSON than there is room for is not hashed in part.
 *
 * Compiled with the checker and room for 4,000 bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "notes.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "ledger/proof.h"
#include "ledger/tree.h"

enum { NUMBERS = 300, SALT_ROOM = 2 * SALT_BYTES + 1 };

/* Each has 4 bytes, and 21 as RFC 8785 writes it. */
static void put_numbers(struct buf *to, const char *key, size_t n)
{
    buf_addf(to, "\"%s\":[1e20", key);
    for (size_t i = 1; i < n; i++)
        buf_adds(to, ",1e20");
    buf_addc(to, ']');
}

static const struct doc *read_json(const struct buf *text, struct arena *a)
{
    struct ceilings max = ceilings_none();
    const struct document *document;
    struct error e;

    assert_true(json_read("proof", buf_str(text), &max, a, &document, &e));
    return &document->root;
}

/* The body's digest, and a header with it behind so many numbers. */
static void put_header(struct buf *to, const struct buf *body, size_t numbers, struct arena *a)
{
    static const uint8_t salt[SALT_BYTES];
    _buf_ struct buf canon = { .max = 1 << 20 };
    char digest[DIGEST_TEXT];
    struct digest d;

    json_canon(read_json(body, a), a, &canon);
    d = entry_body_digest(salt, buf_str(&canon));
    digest_text(&d, digest);
    buf_addc(to, '{');
    put_numbers(to, "a", numbers);
    buf_addf(to, ",\"body_digest\":\"%s\",\"seq\":0}", digest);
}

/* A ledger of one entry, whose leaf is that of the header, signed by key 1. */
static void prove(const struct buf *body, size_t numbers, struct proof_finding *f)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf header = { .max = 1 << 20 }, canon = { .max = 1 << 20 };
    _buf_ struct buf note = { .max = CHECKPOINT_MAX }, text = { .max = 1 << 20 };
    struct checkpoint c = checkpoint_of(ORIGIN, 1, good_made_ms);
    struct verifier v = verifier_of(ORIGIN, 1);
    struct sign_key key = key_of(1);
    char salt[SALT_ROOM];

    put_header(&header, body, numbers, &a);
    json_canon(read_json(&header, &a), &a, &canon);
    c.root = tree_leaf(buf_str(&canon));
    checkpoint_write(&c, &key, &note);
    memset(salt, '0', sizeof salt);
    salt[SALT_ROOM - 1] = '\0';
    buf_addf(&text, "{\"proof\":\"inclusion\",\"index\":0,\"size\":1,\"path\":[],\"salt\":\"%s\"",
             salt);
    buf_addf(&text, ",\"header\":%s,\"body\":%s,\"checkpoint\":", header.s, body->s);
    json_text(&text, buf_str(&note));
    buf_addc(&text, '}');
    assert_true(buf_ok(&text));
    proof_check(read_json(&text, &a), &v, &a, f);
}

static void a_header_that_has_no_room_is_no_proof(void **state)
{
    _buf_ struct buf body = { .max = 1 << 20 };
    struct proof_finding f;

    (void)state;
    buf_adds(&body, "{\"pay\":\"alice\"}");
    prove(&body, 1, &f);
    assert_true(f.holds);
    prove(&body, NUMBERS, &f);
    assert_false(f.holds);
    assert_non_null(strstr(f.why, "MiB as canonical JSON"));
}

static void a_body_that_has_no_room_is_no_proof(void **state)
{
    _buf_ struct buf body = { .max = 1 << 20 };
    struct proof_finding f;

    (void)state;
    buf_addc(&body, '{');
    put_numbers(&body, "b", NUMBERS);
    buf_addc(&body, '}');
    prove(&body, 1, &f);
    assert_false(f.holds);
    assert_non_null(strstr(f.why, "MiB as canonical JSON"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_that_has_no_room_is_no_proof),
        cmocka_unit_test(a_body_that_has_no_room_is_no_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
