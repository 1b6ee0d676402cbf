/* SPDX-License-Identifier: Apache-2.0 */
/* net_wire.c: packets between a supervisor and writ-net, read. */
#include "sandbox/net_wire.h"

/* clang-format off */
static const char *const via_names[VIA_COUNT] = {
    [VIA_HTTP]     = "http",
    [VIA_CONNECT]  = "connect",
    [VIA_SOCKS]    = "socks5",
    [VIA_NAMES]    = "dns",
    [VIA_STRAIGHT] = "straight",
};
/* clang-format on */

static struct str kept(const char *text, struct arena *a)
{
    struct str t = str_of(text);

    return (struct str){ arena_text(a, t), t.n };
}

bool wire_read_event(struct str packet, struct arena *a, struct gate_event *out)
{
    struct wire_event w;

    if (packet.n != sizeof w || packet.s[0] != WIRE_EVENT)
        return false;
    memcpy(&w, packet.s, sizeof w);
    if (w.via >= VIA_COUNT || w.refused >= HOST_REFUSALS || w.host[HOST_MAX] ||
        w.address[ADDRESS_TEXT - 1] || w.rule[WIRE_RULE - 1] || w.error[WIRE_RULE - 1])
        return false;
    *out = (struct gate_event){ .via = via_names[w.via],
                                .host = kept(w.host, a),
                                .port = w.port,
                                .address = kept(w.address, a),
                                .refused = (enum host_refusal)w.refused,
                                .rule = kept(w.rule, a).s,
                                .error = kept(w.error, a).s,
                                .up = w.up,
                                .down = w.down,
                                .ms = w.ms,
                                .at_ms = w.at_ms };
    return true;
}

static void add(struct str **v, size_t *n, size_t *room, struct str text, struct arena *a)
{
    *v = arena_more(a, *v, *n, room, sizeof **v);
    (*v)[(*n)++] = (struct str){ arena_text(a, text), text.n };
}

static struct str next_text(struct str *rest, struct arena *a)
{
    size_t n = strnlen(rest->s, rest->n);
    struct str text = { arena_text(a, (struct str){ rest->s, n }), n };

    n += n < rest->n;
    *rest = (struct str){ rest->s + n, rest->n - n };
    return text;
}

static bool add_inject(struct str rest, struct arena *a, struct policy *p)
{
    struct gate_inject inject = { .plain = rest.n > 0 && rest.s[0] };

    if (rest.n < 1)
        return false;
    rest = (struct str){ rest.s + 1, rest.n - 1 };
    inject.host = next_text(&rest, a);
    inject.header = next_text(&rest, a);
    inject.value = next_text(&rest, a);
    p->injects = arena_more(a, p->injects, p->inject_count, &p->inject_room, sizeof *p->injects);
    p->injects[p->inject_count++] = inject;
    return true;
}

bool wire_read_policy(struct str packet, struct arena *a, struct policy *p)
{
    struct str rest;

    if (packet.n < 1)
        return false;
    rest = (struct str){ packet.s + 1, packet.n - 1 };
    if (packet.s[0] == WIRE_LEVEL && rest.n == 1 && (uint8_t)rest.s[0] < NET_LEVEL_COUNT)
        p->hosts.level = (enum net_level)rest.s[0];
    else if (packet.s[0] == WIRE_ALLOW)
        add(&p->allow, &p->hosts.allow_count, &p->allow_room, rest, a);
    else if (packet.s[0] == WIRE_DENY)
        add(&p->deny, &p->hosts.deny_count, &p->deny_room, rest, a);
    else if (packet.s[0] == WIRE_MATCH)
        p->match = true;
    else if (packet.s[0] == WIRE_GO)
        p->done = true;
    else
        return packet.s[0] == WIRE_INJECT && add_inject(rest, a, p);
    p->hosts.allow = p->allow;
    p->hosts.deny = p->deny;
    return true;
}
