/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_net_head.c: any bytes are the head of a request or an answer, or not; what was taken is
 * inside of them, has one reading, and leads to a host in its one form. */
#include <assert.h>

#include "sandbox/net/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(struct str part, struct str whole)
{
    return part.n == 0 || (part.s >= whole.s && part.s + part.n <= whole.s + whole.n);
}

/* No line of what we write from it ends before we say so. */
static bool is_line(struct str t)
{
    return t.n == 0 || (!memchr(t.s, '\r', t.n) && !memchr(t.s, '\n', t.n));
}

static void check_fields(const struct head *h, struct str bytes)
{
    size_t lengths = 0;

    assert(h->n <= HEAD_FIELDS && h->length >= 0 && (h->minor == 0 || h->minor == 1));
    for (size_t i = 0; i < h->n; i++) {
        struct str name = h->v[i].name;

        assert(is_inside(name, bytes) && is_inside(h->v[i].value, bytes));
        assert(name.n > 0 && is_line(name) && is_line(h->v[i].value));
        assert(!memchr(name.s, ':', name.n) && !memchr(name.s, ' ', name.n));
        lengths += str_cmp_letters(name, str_of("content-length")) == 0 ||
                   str_cmp_letters(name, str_of("transfer-encoding")) == 0;
        (void)head_is_hop(h, name);
    }
    assert(lengths <= 1);
}

static void check_host(const struct host *host)
{
    struct host again;

    assert(host->length == strlen(host->name) && host->length <= HOST_MAX && host->port > 0);
    for (size_t i = 0; i < host->length; i++)
        assert(!is_one_of(host->name[i], "@%/\\#? ") &&
               !(host->name[i] >= 'A' && host->name[i] <= 'Z'));
    assert(!host_read((struct str){ host->name, host->length }, host->port, &again));
    assert(strcmp(again.name, host->name) == 0 && again.is_address == host->is_address);
}

static void check_target(struct str text)
{
    struct target t;

    if (!target_read(text, &t)) {
        check_host(&t.host);
        assert(is_inside(t.path, text) && is_line(t.path));
        assert(t.path.n == 0 || is_one_of(t.path.s[0], "/?"));
    }
    if (!target_read_authority(text, &t))
        check_host(&t.host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data, size };
    size_t looked = 0, bit = 0, whole = 0, pieces = 0;
    struct head h;

    if (!head_read_request(bytes, &h)) {
        check_fields(&h, bytes);
        assert(is_inside(h.method, bytes) && is_inside(h.target, bytes) && h.target.n > 0);
        assert(h.body != BODY_TO_END);
        check_target(h.target);
    }
    for (int to_head = 0; to_head < 2; to_head++)
        if (!head_read_answer(bytes, to_head, &h)) {
            check_fields(&h, bytes);
            assert(h.status >= 100 && h.status <= 599 && is_line(h.reason));
        }
    whole = head_length(bytes, &looked);
    looked = 0;
    while (bit < size && pieces == 0)
        pieces = head_length((struct str){ bytes.s, ++bit }, &looked);
    assert(whole == pieces); /* however it comes */
    check_target(bytes);
    return 0;
}
