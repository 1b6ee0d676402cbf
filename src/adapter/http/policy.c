/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c: which hosts and addresses a call reaches, by its list. */
#include "adapter/http/policy.h"

#include "contract/hosts.h"

static const char denied[] = "the caller denies it",
                  unsafe[] = "plain http is spoken with this machine only; https is needed";

/* Here an entry without a port means every port. */
static bool entry_read(struct str text, uint16_t port, struct host_entry *out)
{
    return host_entry_read(text, out) && (!out->port || out->port == port);
}

static bool entry_has_place(struct str text, const struct http_place *place)
{
    struct host_entry entry;

    if (!entry_read(text, place->port, &entry))
        return false;
    return place->is_address ? host_entry_has_address(&entry, &place->address)
                             : host_entry_names(&entry, place->host);
}

/* `address`: that its name leads to, or NULL. A host that cannot be read is none that may be. */
static bool is_denied(const struct http_policy *policy, const struct http_place *place,
                      const struct address *address)
{
    struct host host;

    return policy->hosts.deny_count &&
           (host_read(place->host, place->port, &host) ||
            hosts_deny(policy->hosts.deny, policy->hosts.deny_count, &host, address));
}

const char *http_refuses_host(const struct http_policy *policy, const struct http_place *place)
{
    if (is_denied(policy, place, NULL))
        return denied;
    for (size_t i = 0; i < policy->hosts.allow_count; i++)
        if (entry_has_place(policy->hosts.allow[i], place))
            return NULL;
    return "it is not in the list of hosts";
}

const char *http_refuses_proxy(const struct http_policy *policy, const struct http_place *place)
{
    struct host_entry entry;

    if (!place->tls && !policy->plain)
        return unsafe;
    for (size_t i = 0; i < policy->hosts.deny_count; i++)
        if (host_entry_read(policy->hosts.deny[i], &entry) && entry.is_address)
            return "the caller denies an address, and a proxy looks names up by itself";
    return NULL;
}

const char *http_refuses_address(const struct http_policy *policy, const struct http_place *place,
                                 const struct address *address)
{
    const char *why;
    enum address_reach reach = address_reach(address, &why);

    if (reach == ADDRESS_NEVER)
        return why;
    if (is_denied(policy, place, address))
        return denied;
    if (!place->tls && !policy->plain && reach != ADDRESS_LOOPBACK)
        return unsafe;
    if (reach == ADDRESS_PUBLIC)
        return NULL;
    for (size_t i = 0; i < policy->hosts.allow_count; i++) {
        struct host_entry entry;

        if (entry_read(policy->hosts.allow[i], place->port, &entry) &&
            host_entry_has_address(&entry, address))
            return NULL;
    }
    return why;
}
