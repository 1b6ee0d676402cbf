/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c: the names of hosts, the entries of lists, and what the two come to. */
#include "contract/hosts.h"

#include <arpa/inet.h>

#include "base/num.h"

/* ---- names ---- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           is_one_of(c, "-._");
}

/* Dots stand between labels, which are not empty. The last label of a name has a letter first: what
 * looks like a number anywhere is read as an address by somebody. */
const char *host_name_wrong(struct str name)
{
    size_t label = 0;

    if (name.n == 0 || name.n > HOST_MAX)
        return "its host is empty or too long";
    if (name.s[0] == '-')
        return "no host begins with '-'";
    for (size_t i = 0; i < name.n; i++) {
        if (!is_name_char(name.s[i]))
            return "its host has a character that is not allowed (names outside ASCII are written "
                   "as xn--..)";
        if (name.s[i] != '.')
            continue;
        if (i == label || i + 1 == name.n)
            return "its host has an empty part";
        label = i + 1;
    }
    if (name.s[label] >= '0' && name.s[label] <= '9')
        return "its host is an address in an unusual form";
    return NULL;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static struct str without_brackets(struct str text)
{
    if (text.n > 2 && text.s[0] == '[' && text.s[text.n - 1] == ']')
        return (struct str){ text.s + 1, text.n - 2 };
    return text;
}

/* "example.org." is example.org to every resolver. */
static struct str without_dot(struct str name)
{
    return name.n > 1 && name.s[name.n - 1] == '.' ? (struct str){ name.s, name.n - 1 } : name;
}

const char *host_read(struct str text, uint16_t port, struct host *out)
{
    struct host host = { .port = port };
    struct str name = without_brackets(text);
    const char *why;

    host.is_address =
        name.n < text.n ? address_read_six(name, &host.address) : address_read(name, &host.address);
    if (host.is_address) {
        (void)inet_ntop(host.address.six ? AF_INET6 : AF_INET, host.address.b, host.name,
                        sizeof host.name);
        host.length = strlen(host.name);
        *out = host;
        return NULL;
    }
    name = without_dot(text);
    why = host_name_wrong(name);
    if (why)
        return why;
    for (size_t i = 0; i < name.n; i++)
        host.name[i] = lower(name.s[i]);
    host.length = name.n;
    *out = host;
    return NULL;
}

/* ---- entries ---- */

bool host_entry_read(struct str entry, struct host_entry *out)
{
    struct host_entry e = { .name = entry };
    const char *colon = entry.n ? memrchr(entry.s, ':', entry.n) : NULL;
    const char *bracket = entry.n ? memchr(entry.s, ']', entry.n) : NULL;
    int64_t port;

    e.is_address = address_read(entry, &e.address);
    if (!e.is_address && colon && (!bracket || colon > bracket)) {
        struct str digits = { colon + 1, (size_t)(entry.s + entry.n - colon) - 1 };

        if (!num_int(digits, &port) || port < 1 || port > UINT16_MAX)
            return false;
        e.port = (uint16_t)port;
        e.name.n = (size_t)(colon - entry.s);
    }
    e.name = without_dot(without_brackets(e.name));
    e.is_address = e.is_address || address_read(e.name, &e.address);
    e.below = e.name.n > 2 && str_begins(e.name, "*.");
    if (e.below)
        e.name = (struct str){ e.name.s + 2, e.name.n - 2 };
    if (e.name.n == 0)
        return false;
    *out = e;
    return true;
}

/* "*.example.org" is every name below, and not example.org itself. */
bool host_entry_names(const struct host_entry *entry, struct str name)
{
    struct str tail;

    if (!entry->below)
        return str_cmp_letters(entry->name, name) == 0;
    if (name.n <= entry->name.n + 1)
        return false;
    tail = (struct str){ name.s + name.n - entry->name.n, entry->name.n };
    return tail.s[-1] == '.' && str_cmp_letters(tail, entry->name) == 0;
}

static bool is_localhost(const struct host_entry *entry)
{
    return !entry->below && str_cmp_letters(entry->name, str_of("localhost")) == 0;
}

bool host_entry_in_loop(const struct host_entry *entry, uint8_t address[4])
{
    static const uint8_t local[4] = { 127, 0, 0, 1 };

    if (!is_localhost(entry) &&
        (!entry->is_address || entry->address.six || !address_is_loopback(&entry->address)))
        return false;
    memcpy(address, entry->is_address ? entry->address.b : local, sizeof local);
    return true;
}

bool host_entry_has_address(const struct host_entry *entry, const struct address *address)
{
    struct address real = address_unmapped(address), meant = address_meant(&real);

    if (is_localhost(entry))
        return address_is_loopback(&real) && address_same(&real, &meant);
    return entry->is_address &&
           (address_same(&entry->address, address) || address_same(&entry->address, &real));
}

const char *host_entry_wrong(struct str entry)
{
    struct host_entry e;

    if (str_is(entry, "*"))
        return "level open is what reaches every host";
    if (entry.n && memchr(entry.s, '@', entry.n))
        return "it names a user; write the host alone";
    if (entry.n && memchr(entry.s, '/', entry.n))
        return "it is a URL or a path; write the host alone";
    if (!host_entry_read(entry, &e))
        return "it is no host, or its port is not 1 to 65535";
    if (e.is_address)
        return e.below ? "an address has nothing below it" : NULL;
    return host_name_wrong(e.name);
}

/* ---- the lists ---- */

static bool entry_means(const struct host_entry *entry, const struct host *host)
{
    if (host->is_address)
        return host_entry_has_address(entry, &host->address);
    return host_entry_names(entry, (struct str){ host->name, host->length });
}

static bool is_usual_port(uint16_t port)
{
    return port == 80 || port == 443;
}

static bool entry_opens(const struct host_entry *entry, uint16_t port)
{
    return port == 0 || (entry->port ? entry->port == port : is_usual_port(port));
}

/* An entry that denies one port leaves the host its others. */
static bool entry_closes(const struct host_entry *entry, uint16_t port)
{
    return !entry->port || entry->port == port;
}

static struct host_verdict refused(enum host_refusal refusal, const char *rule)
{
    return (struct host_verdict){ refusal, rule };
}

static struct host_verdict allowed(const char *rule)
{
    return (struct host_verdict){ HOST_LET_OUT, rule };
}

/* In whatever form either is written: one of IPv6 may stand for one of IPv4. */
static bool entry_shuts(const struct host_entry *entry, const struct address *address)
{
    struct address listed = address_meant(&entry->address), real = address_meant(address);

    if (is_localhost(entry))
        return address_is_loopback(address);
    return entry->is_address &&
           (address_same(&entry->address, address) || address_same(&listed, &real));
}

/* The first that denies it, or NULL. */
static const struct str *denier(const struct str *list, size_t n, const struct host *host,
                                const struct address *address)
{
    const struct address *at = !address && host->is_address ? &host->address : address;

    for (size_t i = 0; i < n; i++) {
        struct host_entry entry;

        if (host_entry_read(list[i], &entry) && entry_closes(&entry, host->port) &&
            (at ? entry_shuts(&entry, at) : entry_means(&entry, host)))
            return &list[i];
    }
    return NULL;
}

bool hosts_deny(const struct str *list, size_t n, const struct host *host,
                const struct address *address)
{
    return denier(list, n, host, address) != NULL;
}

static bool is_denied(const struct hosts *hosts, const struct host *host,
                      const struct address *address, struct arena *a, const char **rule)
{
    const struct str *by = denier(hosts->deny, hosts->deny_count, host, address);

    if (by)
        *rule = arena_printf(a, "denied by %.*s", STR_ARG(*by));
    return by != NULL;
}

/* The row of a registry that has the name, or NULL. */
static const struct registry_host *registry_of(const struct host *host)
{
    const struct registry_host *rows = registry_hosts_table.rows;

    for (size_t i = 0; i < registry_hosts_table.row_count && !host->is_address; i++)
        if (strcmp(rows[i].host, host->name) == 0)
            return &rows[i];
    return NULL;
}

static struct host_verdict judge_level(const struct hosts *hosts, const struct host *host,
                                       bool other_port, struct arena *a)
{
    const struct registry_host *row = hosts->level == NET_REGISTRY ? registry_of(host) : NULL;

    if (hosts->level == NET_OPEN)
        return allowed("level open");
    if (row && (host->port == 0 || is_usual_port(host->port)))
        return allowed(arena_printf(a, "registry of %s", row->ecosystem));
    if (row || other_port)
        return refused(HOST_PORT, "its port is not in the list of hosts");
    return refused(HOST_UNLISTED, "it is not in the list of hosts");
}

struct host_verdict hosts_judge(const struct hosts *hosts, const struct host *host, struct arena *a)
{
    bool other_port = false;
    const char *rule;

    if (hosts->level == NET_OFFLINE)
        return refused(HOST_UNLISTED, "level offline");
    if (is_denied(hosts, host, NULL, a, &rule))
        return refused(HOST_DENIED, rule);
    for (size_t i = 0; i < hosts->allow_count; i++) {
        struct host_entry entry;

        if (!host_entry_read(hosts->allow[i], &entry) || !entry_means(&entry, host))
            continue;
        if (entry_opens(&entry, host->port))
            return allowed(arena_text(a, hosts->allow[i]));
        other_port = true;
    }
    return judge_level(hosts, host, other_port, a);
}

/* The entry that lists this very address at the host's port, or NULL. */
static const struct str *lister(const struct hosts *hosts, const struct host *host,
                                const struct address *address)
{
    for (size_t i = 0; i < hosts->allow_count; i++) {
        struct host_entry entry;

        if (host_entry_read(hosts->allow[i], &entry) && entry_opens(&entry, host->port) &&
            host_entry_has_address(&entry, address))
            return &hosts->allow[i];
    }
    return NULL;
}

bool hosts_own_loop(const struct hosts *hosts, struct host *host)
{
    const struct str *by =
        address_is_loopback(&host->address) ? lister(hosts, host, &host->address) : NULL;
    struct host_entry entry, first;
    struct host named;

    if (!by || !host_entry_read(*by, &entry) || !host_entry_read(str_of("127.0.0.1"), &first))
        return false;
    if (is_localhost(&entry) && address_same(&host->address, &first.address) &&
        !host_read(entry.name, host->port, &named))
        *host = named;
    return true;
}

bool hosts_list_address(const struct hosts *hosts, const struct host *host,
                        const struct address *address)
{
    return lister(hosts, host, address) != NULL;
}

struct host_verdict hosts_judge_address(const struct hosts *hosts, const struct host *host,
                                        const struct address *address, struct arena *a)
{
    const char *why, *rule;
    enum address_reach reach = address_reach(address, &why);
    const struct str *by;

    if (hosts->level == NET_OFFLINE)
        return refused(HOST_UNLISTED, "level offline");
    if (reach == ADDRESS_NEVER)
        return refused(HOST_REQUEST, why);
    if (is_denied(hosts, host, address, a, &rule))
        return refused(HOST_DENIED, rule);
    if (reach == ADDRESS_PUBLIC)
        return allowed(why);
    by = lister(hosts, host, address);
    return by ? allowed(arena_text(a, *by)) : refused(HOST_ADDRESS, why);
}
