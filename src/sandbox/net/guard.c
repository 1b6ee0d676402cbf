/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: what a host answers is searched for the secrets that are added to what it is asked. */
#include "sandbox/net/guard.h"

enum { LEAST = 4 }; /* bytes of a secret: fewer are in every answer */

/* Of "Bearer .." and its like the secret is what comes behind the scheme. */
static struct str secret_of(const struct gate_inject *inject)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    struct str value = inject->value, rest;
    size_t n = 0;

    while (n < value.n && is_one_of(value.s[n], letters))
        n++;
    rest = str_from(value, n);
    if (n == 0 || !rest.n || !is_one_of(rest.s[0], " \t"))
        return value;
    rest = str_trim(rest, " \t");
    return rest.n < LEAST ? value : rest;
}

bool guard_finds(const struct policy *p, struct str bytes)
{
    for (size_t i = 0; i < p->inject_count; i++) {
        struct str secret = secret_of(&p->injects[i]);

        if (secret.n && bytes.n && memmem(bytes.s, bytes.n, secret.s, secret.n))
            return true;
    }
    return false;
}

size_t guard_tail(const struct policy *p, struct str bytes)
{
    size_t most = 0;

    for (size_t i = 0; i < p->inject_count; i++) {
        struct str secret = secret_of(&p->injects[i]);
        size_t n = secret.n ? secret.n - 1 : 0;

        n = n < bytes.n ? n : bytes.n;
        while (n > most && memcmp(bytes.s + bytes.n - n, secret.s, n) != 0)
            n--;
        most = n > most ? n : most;
    }
    return most;
}

/* Where the data byte of that number stands among the bytes; its frames come before it. */
static size_t place_of(struct body at, struct str bytes, size_t number)
{
    struct str data = { bytes.s, 0 };
    size_t used = 0, n;

    while ((n = body_piece(&at, str_from(bytes, used), &data)) > 0 && data.n <= number) {
        used += n;
        number -= data.n;
    }
    return n > 0 ? (size_t)(data.s - bytes.s) + number : bytes.n;
}

bool guard_finds_data(const struct policy *p, struct body at, struct str bytes, size_t *tail)
{
    _buf_ struct buf joined = { .max = bytes.n };
    struct body b = at;
    struct str data;
    size_t n, held;

    for (size_t used = 0; (n = body_piece(&b, str_from(bytes, used), &data)) > 0; used += n)
        buf_add(&joined, data.s, data.n);
    if (guard_finds(p, buf_str(&joined)))
        return true;
    held = guard_tail(p, buf_str(&joined));
    *tail = held ? bytes.n - place_of(at, bytes, joined.len - held) : 0;
    return false;
}
