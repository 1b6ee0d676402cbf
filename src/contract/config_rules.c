/* SPDX-License-Identifier: Apache-2.0 */
/* config_rules.c: what must hold between the fields of a configuration. */
#include "contract/config_rules.h"

#include <inttypes.h>

#include "contract/classes.h"
#include "contract/config_doc.h"
#include "contract/forms.h"
#include "contract/route_names.h"
#include "contract/route_rules.h"

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters, digits and these others, and nothing else. */
static bool made_of(struct str text, const char *others)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_letter_or_digit(text.s[i]) && !is_one_of(text.s[i], others))
            return false;
    return true;
}

static const struct doc *first_text(const struct doc *d, const char *list)
{
    return doc_first(doc_get(d, list), DOC_LIST);
}

/* ---- classes ---- */

void config_class_is_new(const struct doc *d, const void *class, struct report *r)
{
    struct str id = ((const struct config_class *)class)->class_id;

    if (class_named(id))
        report_add(r, ABOUT_VALUE, doc_get(d, "class_id"), CODE_CONTRACT_INVALID,
                   "%s is a class that writ ships, and means the same everywhere; choose another "
                   "id",
                   said(id, r->a));
}

static bool has_spare_blank(struct str text)
{
    return text.n &&
           (text.s[0] == ' ' || text.s[text.n - 1] == ' ' || memmem(text.s, text.n, "  ", 2));
}

/* A00-5, A00-6: a prefix is compared with a line in which a word stands bare only when it is of
 * these characters. Any other could never fit, or would fit a text that a shell reads. */
void config_prefixes_plain(const struct doc *d, const void *class, struct report *r)
{
    (void)class;
    for (const struct doc *p = first_text(d, "allowed_prefixes"); p; p = p->next) {
        if (p->kind != DOC_TEXT || p->text.n == 0 || str_is(p->text, PREFIX_ANY))
            continue;
        if (!made_of(p->text, " %+,-./:=@_"))
            report_add(r, ABOUT_VALUE, p, CODE_CONTRACT_INVALID,
                       "%s holds characters a shell would read or a terminal would not show; "
                       "letters, digits, blanks and %% + , - . / : = @ _ are allowed",
                       said(p->text, r->a));
        else if (has_spare_blank(p->text))
            report_add(r, ABOUT_VALUE, p, CODE_CONTRACT_INVALID,
                       "%s has blanks at an end or two in a row, and no command has",
                       said(p->text, r->a));
    }
}

void config_prefixes_unique(const struct doc *d, const void *class, struct report *r)
{
    struct names names = names_of(doc_get(d, "allowed_prefixes"), NULL, r->a);

    (void)class;
    names_twice(&names, "", r);
}

void config_any_alone(const struct doc *d, const void *class, struct report *r)
{
    const struct doc *list = doc_get(d, "allowed_prefixes");

    (void)class;
    for (const struct doc *p = doc_first(list, DOC_LIST); p; p = p->next)
        if (list->count > 1 && p->kind == DOC_TEXT && str_is(p->text, PREFIX_ANY))
            report_add(r, ABOUT_VALUE, p, CODE_CONTRACT_INVALID,
                       "'*' takes any command already, and stands alone");
}

void config_label_shows(const struct doc *d, const void *class, struct report *r)
{
    struct str label = ((const struct config_class *)class)->label;

    for (size_t i = 0; i < label.n; i++) {
        if ((unsigned char)label.s[i] >= ' ' && label.s[i] != 0x7f)
            continue;
        report_add(r, ABOUT_VALUE, doc_get(d, "label"), CODE_CONTRACT_INVALID,
                   "label holds a character that steers terminals, allowed are those that show");
        return;
    }
}

void config_force_is_cargo(const struct doc *d, const void *class, struct report *r)
{
    if (!((const struct config_class *)class)->force_rch)
        return;
    for (const struct doc *p = first_text(d, "allowed_prefixes"); p; p = p->next)
        if (p->kind == DOC_TEXT && p->text.n && !route_is_cargo(p->text))
            report_add(r, ABOUT_VALUE, p, CODE_CONTRACT_INVALID,
                       "%s is not a cargo command, as force_rch asks", said(p->text, r->a));
}

static void within_hard(const struct doc *d, const char *name, int64_t secs, int64_t hard,
                        struct report *r)
{
    if (secs > hard)
        report_add(r, ABOUT_VALUE, doc_place(d, name), CODE_CONTRACT_INVALID,
                   "%s is %" PRId64 ", must not be above hard_timeout_secs, %" PRId64, name, secs,
                   hard);
}

void config_times_within_hard(const struct doc *d, const void *class, struct report *r)
{
    const struct config_class *c = class;

    if (c->hard_timeout_secs == 0)
        return;
    within_hard(d, "soft_timeout_secs", c->soft_timeout_secs, c->hard_timeout_secs, r);
    within_hard(d, "default_timeout_secs", c->default_timeout_secs, c->hard_timeout_secs, r);
}

/* ---- workers ---- */

enum {
    OF_PIPE = 1 << WORKER_PIPE,
    OF_SLURM = 1 << WORKER_SLURM,
    OF_SSH = 1 << WORKER_SSH,
    OF_WRAP = 1 << WORKER_WRAP,
};

static const struct {
    const char *name;
    unsigned kinds;
    const char *say;
} suits[] = {
    { "host", OF_SSH, "ssh" },
    { "options", OF_SLURM | OF_SSH, "slurm and ssh" },
    { "probe", OF_WRAP, "wrap" },
    { "refusals", OF_WRAP, "wrap" },
    { "queue_secs", OF_SLURM, "slurm" },
    { "directory", OF_PIPE | OF_SLURM | OF_SSH, "pipe, slurm and ssh" },
};

void config_members_suit(const struct doc *d, const void *worker, struct report *r)
{
    const struct config_worker *w = worker;

    if (w->kind == CHOICE_NONE)
        return;
    for (size_t i = 0; i < COUNT(suits); i++) {
        const struct doc *member = doc_get(d, suits[i].name);

        if (member && !(suits[i].kinds & 1U << w->kind))
            report_add(r, ABOUT_KEY, member, CODE_CONTRACT_INVALID,
                       "%s is for workers of the kind %s, and this is %s", suits[i].name,
                       suits[i].say, worker_kind_names[w->kind]);
    }
    if (w->kind == WORKER_SSH && !doc_get(d, "host"))
        report_add(r, ABOUT_VALUE, d, CODE_CONTRACT_INVALID,
                   "a worker of the kind ssh needs 'host'");
}

/* Whatever begins with '-' is an option to ssh, and a host may end in a command of a shell by way
 * of ssh's own configuration (ProxyCommand). */
void config_host_is_one(const struct doc *d, const void *worker, struct report *r)
{
    struct str host = ((const struct config_worker *)worker)->host;

    if (host.n && (host.s[0] == '-' || !made_of(host, "-._@:/%[]")))
        report_add(r, ABOUT_VALUE, doc_get(d, "host"), CODE_CONTRACT_INVALID,
                   "%s is no host: letters, digits and - . _ @ : / %% [ ] are allowed, and no '-' "
                   "at the beginning",
                   said(host, r->a));
}

/* Anything else at the beginning would be taken for the host, or for the command. */
void config_options_begin(const struct doc *d, const void *worker, struct report *r)
{
    const struct doc *first = first_text(d, "options");

    (void)worker;
    if (first && first->kind == DOC_TEXT && first->text.n && first->text.s[0] != '-')
        report_add(r, ABOUT_VALUE, first, CODE_CONTRACT_INVALID,
                   "%s is no option; the first begins with '-'", said(first->text, r->a));
}

/* Of ssh only: what it is given is joined, and a shell there takes it apart again. */
void config_words_plain(const struct doc *d, const void *worker, struct report *r)
{
    if (((const struct config_worker *)worker)->kind != WORKER_SSH)
        return;
    for (const struct doc *w = first_text(d, "command"); w; w = w->next)
        if (w->kind == DOC_TEXT && !made_of(w->text, "_./-"))
            report_add(r, ABOUT_VALUE, w, CODE_CONTRACT_INVALID,
                       "%s would be read by a shell on the host; letters, digits and _ . / - are "
                       "allowed",
                       said(w->text, r->a));
}

void config_directory_whole(const struct doc *d, const void *worker, struct report *r)
{
    struct str directory = ((const struct config_worker *)worker)->directory;

    if (directory.n && directory.s[0] != '/')
        report_add(r, ABOUT_VALUE, doc_get(d, "directory"), CODE_CONTRACT_INVALID,
                   "%s is no absolute path", said(directory, r->a));
}

/* Who reads `local` in a record must be able to rely on it. */
void config_local_is_here(const struct doc *d, const void *worker, struct report *r)
{
    const struct config_worker *w = worker;

    if (str_is(w->name, WORKER_LOCAL) && w->kind != CHOICE_NONE && w->kind != WORKER_PIPE)
        report_add(r, ABOUT_VALUE, doc_get(d, "name"), CODE_CONTRACT_INVALID,
                   "a worker called 'local' is of the kind pipe, and this is %s",
                   worker_kind_names[w->kind]);
}

/* ---- the whole ---- */

void config_classes_unique(const struct doc *d, const void *config, struct report *r)
{
    struct names names = names_of(doc_get(d, "classes"), "class_id", r->a);

    (void)config;
    names_twice(&names, "the class ", r);
}

void config_workers_unique(const struct doc *d, const void *config, struct report *r)
{
    struct names names = names_of(doc_get(d, "workers"), "name", r->a);

    (void)config;
    names_twice(&names, "the worker ", r);
}

void config_remote_known(const struct doc *d, const void *config, struct report *r)
{
    struct str remote = ((const struct config_doc *)config)->remote;
    struct names names = names_of(doc_get(d, "workers"), "name", r->a);

    if (remote.n && !str_is(remote, WORKER_LOCAL) && !str_eq(remote, worker_rch.name) &&
        !names_find(&names, remote))
        report_add(r, ABOUT_VALUE, doc_get(d, "remote"), CODE_CONTRACT_INVALID,
                   "no worker is called %s; there are local, rch and those of 'workers'",
                   said(remote, r->a));
}

void config_servers_unique(const struct doc *d, const void *config, struct report *r)
{
    struct names names = names_of(doc_get(d, "servers"), "name", r->a);

    (void)config;
    names_twice(&names, "the server ", r);
}

void config_server_is_one(const struct doc *d, const void *server, struct report *r)
{
    const struct config_server *s = server;

    if ((s->command.n > 0) == (s->url.n > 0))
        report_add(r, ABOUT_VALUE, d, CODE_CONTRACT_INVALID,
                   "a server needs 'command' or 'url', one of the two");
    if (url_has_login(s->url))
        report_add(r, ABOUT_VALUE, doc_get(d, "url"), CODE_CONTRACT_INVALID, "%s", url_login_told);
}

/* A secret for any host would be one for nobody. */
void config_secrets_bound(const struct doc *d, const void *config, struct report *r)
{
    const struct items *secrets = &((const struct config_doc *)config)->secrets;
    const struct secret_doc *all = secrets->v;
    const struct doc *c = doc_first(doc_get(d, "secrets"), DOC_LIST);

    for (size_t i = 0; c && i < secrets->n; i++, c = c->next)
        if (!all[i].hosts.n)
            report_add(r, ABOUT_VALUE, c, CODE_CONTRACT_INVALID,
                       "a secret of the configuration needs 'hosts': where it may be sent");
}
