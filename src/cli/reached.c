/* SPDX-License-Identifier: Apache-2.0 */
/* reached.c: connections of a record, gathered by host and port. */
#include "cli/reached.h"

#include <inttypes.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/print.h"
#include "cli/show.h"
#include "cli/units.h"

enum {
    SAID_MOST = 5,
    PLACES_MOST = 256, /* that are told apart: each connection is held against all of them */
};

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

static bool is_let_out(const struct doc *c)
{
    return !is_refused(c);
}

/* Why a connection came to nothing that was allowed; empty: it was not so. */
static struct str error_of(const struct doc *c)
{
    return doc_text(c, "error");
}

static bool is_unreached(const struct doc *c)
{
    return error_of(c).n > 0;
}

/* A name that was asked for has no port yet: it counts as every port of the host. */
static bool same(const struct doc *a, const struct doc *b)
{
    return is_refused(a) == is_refused(b) && str_eq(error_of(a), error_of(b)) &&
           str_eq(doc_text(a, "host"), doc_text(b, "host")) &&
           doc_whole(a, "port") == doc_whole(b, "port");
}

/* The first connection to each host and port, among those that are asked for. */
struct places {
    const struct doc *v[PLACES_MOST];
    size_t n;
    bool more; /* than there is room for */
};

static bool has(const struct places *places, const struct doc *c)
{
    for (size_t i = 0; i < places->n; i++)
        if (same(places->v[i], c))
            return true;
    return false;
}

static void gather(const struct doc *record, bool (*wanted)(const struct doc *c),
                   struct places *out)
{
    out->n = 0;
    out->more = false;
    for (const struct doc *c = connections_of(record); c; c = c->next) {
        if (!wanted(c) || has(out, c))
            continue;
        if (out->n < PLACES_MOST)
            out->v[out->n++] = c;
        else
            out->more = true;
    }
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
        if (h->kind == DOC_TEXT && n++ < SAID_MOST)
            buf_addf(&text, "%s%.*s", n > 1 ? ", " : "", STR_ARG(h->text));
    if (n == 0)
        return;
    say("the project's .writ/config.yaml allows besides: %.*s", STR_ARG(buf_str(&text)));
    if (n > SAID_MOST)
        err(DIM, "      and %zu more: see \"network\" in the record\n", n - SAID_MOST);
}

static void say_others(const struct places *places)
{
    if (places->n > SAID_MOST)
        err(DIM, "      and %s%zu more: see \"network\" in the record\n",
            places->more ? "at least " : "", places->n - SAID_MOST);
}

/* What a command says of it is often no more than that a proxy said no. */
static void say_unreached(const struct doc *record)
{
    struct places places;

    if (doc_whole(record, "exit_code") == 0)
        return;
    gather(record, is_unreached, &places);
    for (size_t i = 0; i < places.n && i < SAID_MOST; i++) {
        _buf_ struct buf host = { .max = SHOW_MAX };

        put_host(places.v[i], &host);
        say("%.*s was allowed and could not be reached: %.*s", STR_ARG(buf_str(&host)),
            STR_ARG(error_of(places.v[i])));
    }
    say_others(&places);
}

/* What to do about a refusal, with the options of a command; about some nothing can be done. */
static struct str mend_of(const struct doc *rows, struct str refusal)
{
    for (const struct doc *row = doc_first(rows, DOC_LIST); row; row = row->next)
        if (str_eq(doc_text(row, "refusal"), refusal))
            return doc_text(row, "option");
    return str_of("");
}

static void say_refused(const struct places *places)
{
    _arena_ struct arena a = { 0 };
    const struct doc *table = NULL;
    char *answer = NULL;

    if (places->n && writ_explain("host_refusals", &answer) == WRIT_OK)
        table = doc_first(doc_get(answer_read(answer, &a), "tables"), DOC_LIST);
    for (size_t i = 0; i < places->n && i < SAID_MOST; i++) {
        _buf_ struct buf host = { .max = SHOW_MAX };
        struct str refusal = doc_text(places->v[i], "refusal");
        struct str mend = mend_of(table ? doc_get(table, "rows") : NULL, refusal);
        bool last = i + 1 == places->n || i + 1 == SAID_MOST;

        put_host(places->v[i], &host);
        say("%.*s was not reached: %.*s", STR_ARG(buf_str(&host)),
            STR_ARG(doc_text(places->v[i], "rule")));
        if (mend.n && (last || !str_eq(doc_text(places->v[i + 1], "refusal"), refusal)))
            err(DIM, "      %.*s\n", STR_ARG(mend));
    }
    say_others(places);
    writ_free(answer);
}

void reached_say(const struct doc *record)
{
    struct places places;

    say_project_hosts(record);
    if (is_incomplete(record))
        say("writ-net ended too early: the record may lack some of what was reached");
    say_unreached(record);
    gather(record, is_refused, &places);
    say_refused(&places);
    if (places.n == 0 && doc_get(doc_place(record, "network"), "missed"))
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
    static bool (*const kinds[])(const struct doc *c) = { is_refused, is_let_out };
    const struct doc *first = connections_of(record);
    const char *label = "network";

    for (size_t k = 0; k < COUNT(kinds); k++) {
        struct places places;

        gather(record, kinds[k], &places);
        for (size_t i = 0; i < places.n; i++) {
            show_host(first, places.v[i], label);
            label = "";
        }
        if (places.more)
            show_folded(label, str_of("and others: see \"network\" in the record"));
    }
    if (is_incomplete(record))
        show_folded(label, str_of("writ-net ended too early: there may have been more"));
}
