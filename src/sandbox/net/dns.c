/* SPDX-License-Identifier: Apache-2.0 */
/* dns.c: answers one question a packet. */
#include "sandbox/net/dns.h"

enum { HEADER = 12, LABEL_MAX = 63, TYPE_A = 1, CLASS_IN = 1, A_BYTES = 16, POINTER = 0xc0 };
enum { CODE_GOOD, CODE_FORM, CODE_SERVER, CODE_NO_NAME, CODE_NOT_DONE, CODE_REFUSED };

static uint16_t two(struct str bytes, size_t i)
{
    return (uint16_t)((uint8_t)bytes.s[i] << 8 | (uint8_t)bytes.s[i + 1]);
}

static void put(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

/* The name of the question as "a.b"; how far it goes, or 0. Names that point elsewhere are in no
 * question; a dot within a label would make two names one. */
static size_t read_name(struct str q, char name[HOST_MAX + 1], size_t *length)
{
    size_t i = HEADER, n = 0;

    while (i < q.n && q.s[i] != 0) {
        size_t label = (uint8_t)q.s[i];

        if (label > LABEL_MAX || i + 1 + label >= q.n || n + label + 1 > HOST_MAX ||
            memchr(q.s + i + 1, '.', label))
            return 0;
        if (n > 0)
            name[n++] = '.';
        memcpy(name + n, q.s + i + 1, label);
        n += label;
        i += 1 + label;
    }
    *length = n;
    return i < q.n ? i + 1 : 0;
}

static size_t put_address(uint8_t *to, const uint8_t address[4])
{
    put(to, POINTER << 8 | HEADER);
    put(to + 2, TYPE_A);
    put(to + 4, CLASS_IN);
    put(to + 6, 0);
    put(to + 8, DNS_TTL_S);
    put(to + 10, 4);
    memcpy(to + 12, address, 4);
    return A_BYTES;
}

/* The header again, as an answer: ours, with the last word, and nobody else is asked. */
static void put_header(uint8_t *out, struct str q, unsigned code, bool asked, size_t answers)
{
    memset(out, 0, HEADER);
    memcpy(out, q.s, 2);
    out[2] = (uint8_t)(0x84 | ((uint8_t)q.s[2] & 0x79)); /* their kind of question and wish */
    out[3] = (uint8_t)(0x80 | code);
    put(out + 4, asked);
    put(out + 6, (unsigned)answers);
}

size_t dns_answer(struct str question, dns_find *find, void *self, uint8_t out[DNS_MAX])
{
    struct dns_addresses found = { 0 };
    char name[HOST_MAX + 1];
    size_t length = 0, end, n;
    unsigned code = CODE_GOOD;

    if (question.n < HEADER || question.n > DNS_MAX || (uint8_t)question.s[2] & 0x80)
        return 0; /* too short to be answered, or an answer itself */
    end = read_name(question, name, &length);
    if (end == 0 || end + 4 > question.n || two(question, 4) != 1) {
        put_header(out, question, CODE_FORM, false, 0);
        return HEADER;
    }
    end += 4;
    if ((uint8_t)question.s[2] & 0x78)
        code = CODE_NOT_DONE;
    else if (two(question, end - 2) != CLASS_IN)
        code = CODE_REFUSED;
    else if (!find(self, (struct str){ name, length }, &found))
        code = CODE_NO_NAME;
    if (code != CODE_GOOD || two(question, end - 4) != TYPE_A)
        found.n = 0;
    while (found.n > 0 && end + found.n * A_BYTES > DNS_MAX)
        found.n--;
    memcpy(out + HEADER, question.s + HEADER, end - HEADER);
    put_header(out, question, code, true, found.n);
    n = end;
    for (size_t i = 0; i < found.n; i++)
        n += put_address(out + n, found.v[i]);
    return n;
}
