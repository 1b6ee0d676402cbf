/* SPDX-License-Identifier: Apache-2.0 */
/* reached.c: connections of a record, gathered by host and port. */
#include "cli/reached.h"

#include <inttypes.h>

#include "cli/print.h"
#include "cli/show.h"
#include "cli/units.h"

enum { SAID_MOST = 5 };

static const struct doc *connections_of(const struct doc *record)
{
    const struct doc *network = doc_get(record, "network");

    return network && network->kind == DOC_MAP
               ? doc_first(doc_get(network, "connections"), DOC_LIST)
               : NULL;
}

/* Those who should have told all of it have not. */
static bool is_incomplete(const struct doc *record)
{
    return doc_get(doc_place(record, "network"), "incomplete") != NULL;
}

static bool is_refused(const struct doc *c)
{
    return str_is(doc_text(c, "verdict"), "refused");
}

/* Why a connection came to nothing that was allowed; empty: it was not so. */
static struct str error_of(const struct doc *c)
{
    return doc_text(c, "error");
}

/* A name that was asked for has no port yet: it counts as every port of the host. */
static bool same(const struct doc *a, const struct doc *b)
{
    return is_refused(a) == is_refused(b) && str_eq(error_of(a), error_of(b)) &&
           str_eq(doc_text(a, "host"), doc_text(b, "host")) &&
           doc_whole(a, "port") == doc_whole(b, "port");
}

static bool is_first(const struct doc *from, const struct doc *c)
{
    for (; from != c; from = from->next)
        if (same(from, c))
            return false;
    return true;
}

static void put_host(const struct doc *c, struct buf *to)
{
    buf_addf(to, "%.*s", STR_ARG(doc_text(c, "host")));
    if (doc_whole(c, "port"))
        buf_addf(to, ":%" PRId64, doc_whole(c, "port"));
}

/* Who runs a project has not read its file. */
static void say_project_hosts(const struct doc *record)
{
    const struct doc *hosts = doc_get(doc_place(record, "network"), "allowed_by_project");
    _buf_ struct buf text = { .max = SHOW_MAX };
    size_t n = 0;

    for (const struct doc *h = doc_first(hosts, DOC_LIST); h; h = h->next)
        if (n++ < SAID_MOST)
            buf_addf(&text, "%s%.*s", n > 1 ? ", " : "", STR_ARG(h->text));
    if (n == 0)
        return;
    say("the project's .writ/config.yaml allows besides: %.*s", STR_ARG(buf_str(&text)));
    if (n > SAID_MOST)
        err(DIM, "      and %zu more: see \"network\" in the record\n", n - SAID_MOST);
}

/* What a command says of it is often no more than that a proxy said no. */
static void say_unreached(const struct doc *record)
{
    const struct doc *first = connections_of(record);
    size_t n = 0;

    if (doc_whole(record, "exit_code") == 0)
        return;
    for (const struct doc *c = first; c; c = c->next) {
        _buf_ struct buf host = { .max = SHOW_MAX };

        if (!error_of(c).n || !is_first(first, c) || n++ >= SAID_MOST)
            continue;
        put_host(c, &host);
        say("%.*s was allowed and could not be reached: %.*s", STR_ARG(buf_str(&host)),
            STR_ARG(error_of(c)));
    }
    if (n > SAID_MOST)
        err(DIM, "      and %zu more: see \"network\" in the record\n", n - SAID_MOST);
}

void reached_say(const struct doc *record)
{
    const struct doc *first = connections_of(record);
    size_t n = 0;

    say_project_hosts(record);
    if (is_incomplete(record))
        say("writ-net ended too early: the record may lack some of what was reached");
    say_unreached(record);
    for (const struct doc *c = first; c; c = c->next) {
        _buf_ struct buf host = { .max = SHOW_MAX };

        if (!is_refused(c) || !is_first(first, c))
            continue;
        if (n++ >= SAID_MOST)
            continue;
        put_host(c, &host);
        say("%.*s was not reached: %.*s", STR_ARG(buf_str(&host)), STR_ARG(doc_text(c, "rule")));
    }
    if (n > SAID_MOST)
        err(DIM, "      and %zu more: see \"network\" in the record\n", n - SAID_MOST);
    if (n > 0)
        err(DIM,
            "      allow a host with --allow-host; private addresses only as they are written\n");
    else if (doc_get(doc_place(record, "network"), "missed"))
        say("the sandbox gives it no network; allow a host with --allow-host");
}

/* What went to one host and port, all connections together. */
static void show_host(const struct doc *first, const struct doc *c, const char *label)
{
    _buf_ struct buf text = { .max = SHOW_MAX };
    char up[UNITS_TEXT], down[UNITS_TEXT];
    int64_t n = 0, out_bytes = 0, in_bytes = 0;

    for (const struct doc *each = first; each; each = each->next)
        if (same(each, c)) {
            n++;
            out_bytes += doc_whole(each, "bytes_up");
            in_bytes += doc_whole(each, "bytes_down");
        }
    put_host(c, &text);
    if (is_refused(c)) {
        buf_addf(&text, " refused: %.*s", STR_ARG(doc_text(c, "rule")));
    } else if (error_of(c).n) {
        buf_addf(&text, " not reached: %.*s", STR_ARG(error_of(c)));
    } else {
        units_bytes(out_bytes, up);
        units_bytes(in_bytes, down);
        buf_addf(&text, " %s out, %s in", up, down);
    }
    if (n > 1)
        buf_addf(&text, ", %" PRId64 " times", n);
    show_folded(label, buf_str(&text));
}

void reached_show(const struct doc *record)
{
    const struct doc *first = connections_of(record);
    const char *label = "network";

    for (int refused = 1; refused >= 0; refused--)
        for (const struct doc *c = first; c; c = c->next)
            if (is_refused(c) == (bool)refused && is_first(first, c)) {
                show_host(first, c, label);
                label = "";
            }
    if (is_incomplete(record))
        show_folded(label, str_of("writ-net ended too early: there may have been more"));
}
