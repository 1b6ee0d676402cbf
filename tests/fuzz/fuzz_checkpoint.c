/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_checkpoint.c: any bytes are a checkpoint or not; one that is can be signed by us, reads back
 * the same and then holds, and what did not come from our key never does. */
#include <assert.h>

#include "ledger/checkpoint.h"
#include "ledger/note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A key that no corpus has a signature of. */
static const uint8_t seed[SIGN_SEED] = "no corpus is signed by this key";

/* Whether or not it is a key: what is read is written back byte by byte. */
static void check_verifier(struct str text, struct arena *a)
{
    _buf_ struct buf again = { .max = CHECKPOINT_MAX };
    struct verifier v;
    struct error e;

    if (!verifier_read(text, a, &v, &e))
        return;
    verifier_text(&v, &again);
    assert(text.n - again.len <= 1); /* a line end may follow */
    text.n = again.len;
    assert(str_eq(buf_str(&again), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf ours = { .max = CHECKPOINT_MAX };
    struct str note = { (const char *)data, size };
    struct checkpoint c = { 0 }, again = { 0 };
    struct error e = { 0 };
    struct sign_key key;
    struct verifier by;
    bool ok;

    check_verifier(note, &a);
    if (!checkpoint_read(note, &a, &c, &e)) {
        assert(e.code && e.msg[0]);
        return 0;
    }
    sign_key_from(seed, &key);
    by.name = c.origin;
    memcpy(by.public, key.public, sizeof by.public);
    assert(!checkpoint_signed(note, &by, &e));
    if (!note_name_fits(c.origin))
        return 0;
    checkpoint_write(&c, &key, &ours);
    if (!buf_ok(&ours))
        return 0;
    ok = checkpoint_read(buf_str(&ours), &a, &again, &e) &&
         checkpoint_signed(buf_str(&ours), &by, &e);
    assert(ok && again.size == c.size && again.made_ms == c.made_ms);
    assert(str_eq(again.origin, c.origin));
    assert(memcmp(&again.root, &c.root, sizeof c.root) == 0);
    return 0;
}
