/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: the resolver of a run: it gives allowed names addresses of the loop.
 *
 * A program that knows of no proxy asks for a name and connects to what it is told. That address is
 * a door of ours, and says which name was meant. Entry i of the list has 127.53.0.(i+1), a name of
 * several entries that of its first: there its doors are (doors.c); of localhost they are where it
 * always is. Other names have 127.53.1.0 and on, in the order they are asked for.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "sandbox/net/serve.h"

enum { LOOP = 127, OURS = 53, FIXED = DOORS_NAMED, PACKETS = 64 };

/* The name of an entry that is one, neither an address nor a star, and where it is. */
static bool fixed_name(const struct serve *s, size_t i, struct host *out, uint8_t address[4])
{
    const uint8_t own[4] = { LOOP, OURS, 0, (uint8_t)(i + 1) };
    struct host_entry entry;

    if (i >= FIXED || i >= s->policy.hosts.allow_count ||
        !host_entry_read(s->policy.hosts.allow[i], &entry) || entry.below || entry.is_address ||
        host_read(entry.name, 0, out))
        return false;
    if (!host_entry_in_loop(&entry, address))
        memcpy(address, own, sizeof own);
    return true;
}

static size_t add_fixed(const struct serve *s, const struct host *host, struct dns_addresses *out)
{
    uint8_t address[4];
    struct host fixed;

    for (size_t i = 0; i < FIXED && i < s->policy.hosts.allow_count && out->n == 0; i++)
        if (fixed_name(s, i, &fixed, address) && strcmp(fixed.name, host->name) == 0)
            memcpy(out->v[out->n++], address, sizeof address);
    return out->n;
}

static bool add_given(struct serve *s, const struct host *host, struct dns_addresses *out)
{
    size_t i = 0;

    while (i < s->name_count && strcmp(s->names[i].name, host->name) != 0)
        i++;
    if (i == NAMES)
        return false;
    if (i == s->name_count)
        memcpy(s->names[s->name_count++].name, host->name, sizeof host->name);
    memcpy(out->v[out->n++], (uint8_t[]){ LOOP, OURS, (uint8_t)(1 + i / 256), (uint8_t)(i % 256) },
           4);
    return true;
}

bool names_are_at(const struct address *address)
{
    return !address->six && address->b[0] == LOOP && address->b[1] == OURS;
}

struct str names_of(const struct serve *s, const struct address *address)
{
    const uint8_t *b = address->b;
    size_t i = b[2] > 0 ? (size_t)(b[2] - 1) * 256 + b[3] : 0;
    struct host_entry entry;
    uint8_t own[4];
    struct host fixed;

    if (!names_are_at(address))
        return (struct str){ 0 };
    if (b[2] > 0)
        return i < s->name_count ? str_of(s->names[i].name) : (struct str){ 0 };
    if (b[3] == 0 || !fixed_name(s, b[3] - 1U, &fixed, own) ||
        !host_entry_read(s->policy.hosts.allow[b[3] - 1], &entry))
        return (struct str){ 0 };
    return entry.name;
}

/* ---- questions ---- */

static void tell(struct serve *s, const char *name, size_t n, const struct host_verdict *v)
{
    struct wire_event w = { .kind = WIRE_EVENT,
                            .via = VIA_NAMES,
                            .refused = (uint8_t)v->refused,
                            .at_ms = s->world->wall_ms(s->world->self) };
    size_t rule = strnlen(v->rule, sizeof w.rule - 1);

    for (size_t i = 0; i < n && i < HOST_MAX; i++)
        w.host[i] = name[i] > ' ' && name[i] < 0x7f ? name[i] : '?';
    memcpy(w.rule, v->rule, rule);
    event_tell(s, &w);
}

static bool find(void *self, struct str name, struct dns_addresses *out)
{
    struct serve *s = self;
    struct host_verdict verdict = { HOST_REQUEST, NULL };
    struct host host;

    verdict.rule = host_read(name, 0, &host);
    if (!verdict.rule) {
        arena_reset(&s->scratch);
        verdict = hosts_judge(&s->policy.hosts, &host, &s->scratch);
    }
    if (!verdict.refused && host.is_address)
        verdict = (struct host_verdict){ HOST_REQUEST, "an address is not looked up" };
    if (!verdict.refused && add_fixed(s, &host, out) == 0 && !add_given(s, &host, out))
        verdict = (struct host_verdict){ HOST_REQUEST, "too many names were asked for" };
    tell(s, name.s, name.n, &verdict);
    return !verdict.refused;
}

void names_serve(struct serve *s, int fd)
{
    for (int i = 0; i < PACKETS; i++) {
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        char question[DNS_MAX + 1];
        uint8_t answer[DNS_MAX];
        ssize_t got =
            recvfrom(fd, question, sizeof question, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
        size_t n;

        if (got < 0)
            return;
        n = dns_answer((struct str){ question, (size_t)got }, find, s, answer);
        if (n > 0)
            (void)sendto(fd, answer, n, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&from,
                         size);
    }
}

/* The same with the length of each before it. */
void names_stream(struct serve *s, struct conn *c)
{
    struct str bytes = flow_unread(&c->up);
    uint8_t answer[2 + DNS_MAX];
    size_t asked, n;

    if (bytes.n < 2 || !flow_is_empty(&c->down))
        return;
    asked = (size_t)((uint8_t)bytes.s[0] << 8 | (uint8_t)bytes.s[1]);
    if (asked > DNS_MAX) {
        conn_abort(s, c);
        return;
    }
    if (bytes.n < 2 + asked)
        return;
    n = dns_answer((struct str){ bytes.s + 2, asked }, find, s, answer + 2);
    answer[0] = (uint8_t)(n >> 8);
    answer[1] = (uint8_t)n;
    flow_say(&c->down, answer, n ? n + 2 : 0);
    c->up.from = c->up.ready = c->up.ready + 2 + asked;
    c->deadline_ms = s->now_ms + HEADER_MS;
}
