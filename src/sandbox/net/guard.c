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
