/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c: which hosts and addresses a call reaches, by its list. */
#include "adapter/http/policy.h"

#include "contract/hosts.h"

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

const char *http_refuses_host(const struct http_policy *policy, const struct http_place *place)
{
    for (size_t i = 0; i < policy->host_count; i++)
        if (entry_has_place(policy->hosts[i], place))
            return NULL;
    return "it is not in the list of hosts";
}

const char *http_refuses_address(const struct http_policy *policy, const struct http_place *place,
                                 const struct address *address)
{
    const char *why;
    enum address_reach reach = address_reach(address, &why);

    if (reach == ADDRESS_NEVER)
        return why;
    if (!place->tls && !policy->plain && reach != ADDRESS_LOOPBACK)
        return "plain http is spoken with this machine only; https is needed";
    if (reach == ADDRESS_PUBLIC)
        return NULL;
    for (size_t i = 0; i < policy->host_count; i++) {
        struct host_entry entry;

        if (entry_read(policy->hosts[i], place->port, &entry) &&
            host_entry_has_address(&entry, address))
            return NULL;
    }
    return why;
}
