/* SPDX-License-Identifier: Apache-2.0 */
/* network_doc.c: the shape of what a command may reach, and its rules. */
#include "contract/network_doc.h"

#include <strings.h>

#include "contract/hosts.h"
#include "contract/whole.h"

enum { HOSTS_MOST = 256, INJECTS_MOST = 16, HEADER_MOST = 64 };

/* Headers that say where a message goes and where it ends. */
static const char *const framing[] = {
    "connection", "content-length",     "host",    "keep-alive", "proxy-authorization",
    "te",         "proxy-connection",   "trailer", "upgrade",    "transfer-encoding",
    "expect",     "proxy-authenticate",
};

const char *const sni_names[] = { "any", "match", NULL };

enum net_level request_net_level(const struct request_network *network)
{
    if (!network->enabled)
        return NET_OFFLINE;
    return network->level == CHOICE_NONE ? NET_API : (enum net_level)network->level;
}

/* What is said about the network must not be silently without effect. */
static void network_agrees(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_network *network = decoded;

    if (network->level != CHOICE_NONE && network->enabled == (network->level == NET_OFFLINE))
        report_add(r, ABOUT_VALUE, doc_get(d, "level"), CODE_VALIDATION_ERROR,
                   "network level '%s' needs enabled: %s", net_level_names[network->level],
                   network->enabled ? "false" : "true");
}

/* What stands before an '@' may be a password. */
static const char *host_said(struct str host, struct arena *a)
{
    const char *at = host.n ? memrchr(host.s, '@', host.n) : NULL;
    struct str rest = at ? (struct str){ at, (size_t)(host.s + host.n - at) } : host;

    return at ? said(str_of(arena_printf(a, "..%.*s", STR_ARG(rest))), a) : said(host, a);
}

static void entries(const struct doc *list, struct report *r)
{
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        const char *why = c->kind == DOC_TEXT && c->text.n ? host_entry_wrong(c->text) : NULL;

        if (why)
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR, "%s is no host: %s",
                       host_said(c->text, r->a), why);
    }
}

void network_entries(const struct doc *d, const void *decoded, struct report *r)
{
    (void)decoded;
    entries(doc_get(d, "allow"), r);
    entries(doc_get(d, "deny"), r);
}

/* A project's file adds them, and who runs a project has not read it: an address, of this machine
 * or of its neighbours, is only for whoever types it. */
void network_registries(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *list = doc_get(d, "registries");
    struct host_entry entry;

    (void)decoded;
    entries(list, r);
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT && host_entry_read(c->text, &entry) &&
            (entry.is_address || host_entry_names(&entry, str_of("localhost"))))
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                       "%s is no name of a registry; an address, or this machine, is allowed with "
                       "--allow-host",
                       said(c->text, r->a));
        else if (c->kind == DOC_TEXT && host_entry_read(c->text, &entry) && entry.below &&
                 !memchr(entry.name.s, '.', entry.name.n))
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                       "%s means nearly everybody; a star stands before two names at least, as in "
                       "*.corp.example",
                       said(c->text, r->a));
}

/* There is nobody between the command and the host's network: what would have to be held there
 * cannot be. */
static void raw_alone(const struct doc *d, const void *decoded, struct report *r)
{
    static const char *const others[] = { "allow", "deny", "inject" };
    const struct request_network *network = decoded;

    if (!network->raw)
        return;
    if (request_net_level(network) != NET_OPEN)
        report_add(r, ABOUT_VALUE, doc_get(d, "raw"), CODE_VALIDATION_ERROR,
                   "raw is the network of the host; it needs level: open, or --net open");
    for (size_t i = 0; i < COUNT(others); i++) {
        const struct doc *other = doc_get(d, others[i]);

        if (other && other->count)
            report_add(r, ABOUT_KEY, other, CODE_VALIDATION_ERROR,
                       "'%s' cannot be held where the network is raw", others[i]);
    }
    if (network->sni == SNI_MATCH)
        report_add(r, ABOUT_VALUE, doc_get(d, "sni"), CODE_VALIDATION_ERROR,
                   "sni: match cannot be held where the network is raw");
}

static bool is_token(struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.s[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c && strchr("!#$%&'*+-.^_`|~", c))))
            return false;
    }
    return text.n > 0;
}

static bool is_framing(struct str header)
{
    for (size_t i = 0; i < COUNT(framing); i++)
        if (header.n == strlen(framing[i]) && strncasecmp(header.s, framing[i], header.n) == 0)
            return true;
    return false;
}

static void inject_names(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_inject *inject = decoded;
    const char *why = inject->host.n ? host_entry_wrong(inject->host) : NULL;

    if (!why && inject->host.n && inject->host.s[0] == '*')
        why = "a secret is for one host, and this is many";
    if (why)
        report_add(r, ABOUT_VALUE, doc_get(d, "host"), CODE_VALIDATION_ERROR, "%s is no host: %s",
                   host_said(inject->host, r->a), why);
    if (inject->header.n && !is_token(inject->header))
        report_add(r, ABOUT_VALUE, doc_get(d, "header"), CODE_VALIDATION_ERROR,
                   "%s is not the name of a header such as Authorization",
                   said(inject->header, r->a));
    else if (is_framing(inject->header))
        report_add(r, ABOUT_VALUE, doc_get(d, "header"), CODE_VALIDATION_ERROR,
                   "the header %s says where a message goes or ends, and no secret",
                   said(inject->header, r->a));
}

/* Of a reference only where it is found: the command gets nothing, and the host is said here. */
static void inject_secret(const struct doc *d, const void *decoded, struct report *r)
{
    static const char *const others[] = { "name", "variable", "hosts" };
    const struct doc *secret = doc_get(d, "secret");

    (void)decoded;
    if (!secret || secret->kind != DOC_MAP)
        return;
    for (size_t i = 0; i < COUNT(others); i++) {
        const struct doc *other = doc_get(secret, others[i]);

        if (other)
            report_add(
                r, ABOUT_KEY, other, CODE_VALIDATION_ERROR,
                "'%s' has no meaning here: the secret goes into the header, and nowhere else",
                others[i]);
    }
}

static void inject_needs_network(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_network *network = decoded;

    if (network->inject.n && !network->enabled)
        report_add(
            r, ABOUT_KEY, doc_get(d, "inject"), CODE_VALIDATION_ERROR,
            "a header is injected, but the network is off; it needs enabled: true, or --net with a level");
}

static void match_needs_network(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_network *network = decoded;

    if (network->sni == SNI_MATCH && !network->enabled)
        report_add(
            r, ABOUT_VALUE, doc_get(d, "sni"), CODE_VALIDATION_ERROR,
            "there is nothing to match: the network is off; it needs enabled: true, or --net with a level");
}

static bool same_letters(struct str a, struct str b)
{
    return a.n == b.n && a.n > 0 && strncasecmp(a.s, b.s, a.n) == 0;
}

/* Is there a request that both are for? Who names no port means those of the web. */
static bool meet(struct str a, struct str b)
{
    struct host_entry one, two;
    uint16_t port;

    if (!host_entry_read(a, &one) || !host_entry_read(b, &two))
        return same_letters(a, b);
    port = one.port ? one.port : two.port;
    return (one.is_address && two.is_address ? address_same(&one.address, &two.address)
                                             : same_letters(one.name, two.name)) &&
           (one.port == two.port || ((!one.port || !two.port) && (port == 80 || port == 443)));
}

/* Of two that cannot both hold, one would be without effect. */
static void injects_agree(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_network *network = decoded;
    const struct request_inject *v = network->inject.v;
    const struct doc *list = doc_get(d, "inject");
    const struct doc *one = doc_first(list, DOC_LIST);

    for (size_t i = 0; one && i < network->inject.n; i++, one = one->next) {
        for (size_t k = 0; k < i; k++) {
            if (!meet(v[i].host, v[k].host))
                continue;
            if (same_letters(v[i].header, v[k].header) || v[i].plain != v[k].plain)
                report_add(r, ABOUT_VALUE, one, CODE_VALIDATION_ERROR,
                           "%s has the header %s twice, or is spoken to both with TLS and without",
                           said(v[i].host, r->a), said(v[i].header, r->a));
        }
    }
}

/* clang-format off */
#define AT(member) offsetof(struct request_inject, member)
static const struct field inject_fields[] = {
    { "host",   F_TEXT,  ONE, NEEDED,   .at = AT(host), .min = 1,                     .req = "R-001-018", .help = "The host it is sent to, with :port where that is neither 80 nor 443." },
    { "header", F_TEXT,  ONE, NEEDED,   .at = AT(header), .min = 1, .max = HEADER_MOST, .req = "R-001-018", .help = "The header that has it; what the command says there is replaced." },
    { "secret", F_SHAPE, ONE, NEEDED,   .at = AT(secret), .sub = &secret_shape,       .req = "R-001-018", .help = "Where it is found." },
    { "plain",  F_BOOL,  ONE, OPTIONAL, .at = AT(plain),                              .req = "R-001-018", .help = "true: the host speaks HTTP without TLS." },
};
#undef AT

static const struct rule inject_rules[] = {
    { "R-001-018", "A secret is for one host and one header, which frames no message.", inject_names },
    { "R-001-018", "Of the secret only is said where it is found.",                     inject_secret },
};

static const struct shape inject_shape = { .name = "injected header", .size = sizeof(struct request_inject), FIELDS(inject_fields), RULES(inject_rules), .code = CODE_VALIDATION_ERROR };

#define AT(member) offsetof(struct request_network, member)
static const struct field network_fields[] = {
    { "enabled", F_BOOL,   ONE,  OPTIONAL, .at = AT(enabled),                                                    .req = "R-001-017", .help = "false: nothing can be reached." },
    { "level",   F_CHOICE, ONE,  NULLABLE, .at = AT(level), .choices = net_level_names, .fallback = CHOICE_NONE, .req = "R-001-050", .help = "How much of the network is open when it is enabled, api when left out; open needs an approval." },
    { "allow",   F_TEXT,   LIST, OPTIONAL, .at = AT(allow), .min = 1, .most = HOSTS_MOST,                        .req = "R-001-018", .help = "The only hosts that can be reached: example.org, *.example.org, example.org:8443, 192.0.2.1." },
    { "deny",    F_TEXT,   LIST, OPTIONAL, .at = AT(deny), .min = 1, .most = HOSTS_MOST,                         .req = "R-001-019", .help = "Hosts that cannot; wins over allow." },
    { "raw",     F_BOOL,   ONE,  OPTIONAL, .at = AT(raw),                                                        .req = "R-001-053", .help = "true: the host's own network at level open, where nothing is filtered and nothing is recorded." },
    { "sni",     F_CHOICE, ONE,  OPTIONAL, .at = AT(sni), .choices = sni_names, .fallback = SNI_ANY,             .req = "R-001-018", .help = "match: through a tunnel goes TLS alone, and only if it names the host that was asked for." },
    { "inject",  F_SHAPE,  LIST, OPTIONAL, .at = AT(inject), .sub = &inject_shape, .most = INJECTS_MOST,         .req = "R-001-018", .help = "Headers with secrets that are added on the way to a host; the command never sees them, unless the host sends one back encoded or in pieces." },
};
#undef AT

static const struct rule network_rules[] = {
    { "R-001-017", "A network level other than offline goes with enabled: true, and offline without.", network_agrees },
    { "R-001-018", "Hosts are allowed only where the network is on.",                     whole_network },
    { "R-001-018", "An entry is a name, *.name or an address, with a port or without.",   network_entries },
    { "R-001-053", "raw goes with level open, and with nothing that a gate would hold.",  raw_alone },
    { "R-001-018", "A header is injected only where the network is on.",                  inject_needs_network },
    { "R-001-018", "What TLS names is compared only where the network is on.",            match_needs_network },
    { "R-001-018", "A host has a header once, and is spoken to in one way.",              injects_agree },
};
/* clang-format on */

const struct shape request_network_shape = { .name = "request's network",
                                             .size = sizeof(struct request_network),
                                             FIELDS(network_fields),
                                             RULES(network_rules),
                                             .code = CODE_VALIDATION_ERROR };
