/* SPDX-License-Identifier: Apache-2.0 */
/* papers_man.c: the man pages of writ and of its verbs, as scdoc source. */
#include "cli/commands.h"
#include "cli/help.h"
#include "contract/exits.h"
#include "papers.h"

static void line(const char *text, struct buf *to)
{
    man_text(str_of(text), to);
    buf_addc(to, '\n');
}

/* ---- one verb ---- */

static void man_usage(const struct command *c, struct buf *to)
{
    man_bold(str_of("writ"), to);
    buf_addc(to, ' ');
    man_bold(str_of(c->name), to);
    if (c->command_line)
        buf_adds(to, " \\[OPTION...\\]");
    buf_adds(to, *c->operands ? " " : "");
    man_text(str_of(c->operands), to);
    for (const struct option *o = c->options; o->name && !c->command_line; o++) {
        buf_adds(to, " \\[*--");
        buf_adds(to, o->name);
        buf_addc(to, '*');
        if (o->value) {
            buf_addc(to, ' ');
            man_text(str_of(o->value), to);
        }
        buf_adds(to, "\\]");
    }
    buf_addc(to, '\n');
}

static void man_examples(const struct command *c, size_t most, struct buf *to)
{
    for (size_t i = 0; i < most && c->examples[i].typed; i++) {
        buf_adds(to, "$ ");
        man_bold(str_of(c->examples[i].typed), to);
        buf_adds(to, "\n\t");
        line(c->examples[i].does, to);
        buf_addc(to, '\n');
    }
}

static void man_values(const char *table, struct buf *to)
{
    static struct words words;
    _arena_ struct arena a = { 0 };

    words_of(table, &a, &words);
    buf_adds(to, "; one of ");
    for (size_t i = 0; i < words.n; i++) {
        buf_adds(to, i ? ", " : "");
        man_text(str_of(words.v[i].name), to);
    }
}

static void man_options(const struct command *c, struct buf *to)
{
    for (const struct option *o = c->options; o->name; o++) {
        if (o->letter)
            buf_addf(to, "*-%c*, ", o->letter);
        buf_adds(to, "*--");
        buf_adds(to, o->name);
        buf_addc(to, '*');
        if (o->value)
            buf_addf(to, " %s", o->value);
        buf_adds(to, "\n\t");
        man_text(str_of(o->help), to);
        if (o->table)
            man_values(o->table, to);
        buf_adds(to, "\n\n");
    }
    buf_adds(to, "*--help*\n\tthe same in short\n\n");
}

static const char see_also[] =
    "# SEE ALSO\n\n*writ*(1), which has the exit statuses; *writ-documents*(5)\n";

static void man_usages_below(const struct command *c, struct buf *to)
{
    for (size_t i = 0; i < command_count; i++) {
        if (!command_below(c, commands[i]))
            continue;
        man_usage(commands[i], to);
        buf_addc(to, '\n');
    }
}

static void man_verbs_below(const struct command *c, struct buf *to)
{
    for (size_t i = 0; i < command_count; i++) {
        const char *verb = command_below(c, commands[i]);

        if (!verb)
            continue;
        buf_addf(to, "\n# %s\n\n", verb);
        line(commands[i]->about, to);
        buf_addc(to, '\n');
        man_examples(commands[i], COUNT(commands[i]->examples), to);
        man_options(commands[i], to);
    }
}

static void man_verb(const struct command *c, const char *page, struct buf *to)
{
    man_begin(page, 1, c->summary, to);
    buf_adds(to, "\n# SYNOPSIS\n\n");
    man_usage(c, to);
    buf_addc(to, '\n');
    man_usages_below(c, to);
    buf_adds(to, "# EXAMPLES\n\n");
    man_examples(c, COUNT(c->examples), to);
    buf_adds(to, "# DESCRIPTION\n\n");
    line(c->about, to);
    buf_adds(to, "\n# OPTIONS\n\n");
    man_options(c, to);
    man_verbs_below(c, to);
    buf_adds(to, see_also);
}

/* The verbs of a group share a page. */
static void man_group(const struct command *group, const char *page, struct buf *to)
{
    man_begin(page, 1, group->summary, to);
    buf_adds(to, "\n# SYNOPSIS\n\n");
    man_usages_below(group, to);
    buf_adds(to, "# DESCRIPTION\n\n");
    line(group->about, to);
    man_verbs_below(group, to);
    buf_adds(to, see_also);
}

/* ---- all verbs ---- */

static void man_statuses(struct buf *to)
{
    buf_adds(to, "\n# EXIT STATUS\n\n");
    line(statuses_table.about, to);
    buf_addc(to, '\n');
    for (size_t row = 0; row < statuses_table.row_count; row++)
        man_row(&statuses_table, row, to);
}

static void man_writ(struct buf *to)
{
    man_begin("writ", 1, help_tagline, to);
    buf_adds(to, "\n# SYNOPSIS\n\n*writ* VERB \\[OPTION\\]... \\[OPERAND\\]...\n\n"
                 "*writ* \\[VERB\\] *--help*\n\n*writ* *--version*\n\n# EXAMPLES\n\n");
    for (size_t i = 0; i < command_count; i++)
        if (commands[i]->run) /* a group has the examples of its verbs */
            man_examples(commands[i], 1, to);
    buf_adds(to, "# VERBS\n\n");
    for (size_t i = 0; i < command_count; i++) {
        if (strchr(commands[i]->name, ' '))
            continue; /* on the page of its group */
        buf_addf(to, "*writ-%s*(1)\n\t", commands[i]->name);
        line(commands[i]->summary, to);
        buf_addc(to, '\n');
    }
    buf_adds(to, "Data goes to standard output, messages to standard error. Options and operands "
                 "may be mixed; *\\-\\-* ends the options. Where the operands are a command, as of "
                 "*writ exec*, its first word ends them, too: what follows is the command's.\n");
    man_statuses(to);
    buf_adds(
        to,
        "# ENVIRONMENT\n\n"
        "*NO\\_COLOR*\n\tSet to anything but nothing: no colours.\n\n"
        "*TERM*\n\tNot set, or *dumb*: no colours.\n\n"
        "There are no colours in a pipe or a file either.\n\n"
        "*WRIT\\_STATE*\n\tThe state directory, with what outlives a run: *ledger.db*; *evidence*, "
        "the bytes behind digests (*writ-ledger*(7)); *keys* and *checkpoints*, which sign the ledger; "
        "*changes*, of *writ commit*; *executors* that were added; *lanes*, the transcripts of routed "
        "commands; *cache*, results that are remembered; *running*, what runs now. Else *$XDG\\_STATE\\_HOME/writ*, else "
        "*~/.local/state/writ*.\n\n"
        "*WRIT\\_LEDGER*\n\tThe ledger where *\\-\\-ledger* names none: a file, or "
        "*postgres://...*. Else *ledger.db* in the state directory.\n\n"
        "*WRIT\\_LIBEXEC*\n\tThe directory of the programs that *writ* starts itself: "
        "*writ-http*, *writ-net*, *writ-postgres* and *writ-pure*. Else they are beside *writ*, or where they were "
        "installed.\n\n"
        "*WRIT\\_SESSION*\n\tThe name of the session that remembers results (*writ-cache*(1)). Else it "
        "is that of the terminal.\n\n"
        "*http\\_proxy*, *https\\_proxy*, *all\\_proxy*, *no\\_proxy*, or their capitals\n\tThe proxy by which "
        "adapters of the kind api and MCP servers over HTTP are called. *writ exec* itself uses "
        "none: what a command may reach is reached directly.\n\n"
        "*CURL\\_CA\\_BUNDLE*, *SSL\\_CERT\\_FILE*, *SSL\\_CERT\\_DIR*\n\tThe certificates that those calls "
        "believe; the last two also *writ exec \\-\\-inject*. Else the system's.\n\n"
        "*XDG\\_CONFIG\\_HOME*\n\tYour own settings and adapters are in *writ* below it. Else in "
        "*~/.config/writ*.\n\n"
        "# FILES\n\nThe files that are named on the command line, and "
        "*.writ/tools.yaml* at the top of the repository or above: the tools that "
        "documents may use (*writ-tools*(5)). Beside it *.writ/adapters*: how they are called "
        "(*writ-adapter*(5)), and *.writ/config.yaml* (*writ-config*(5)).\n\n"
        "# SEE ALSO\n\n*writ-documents*(5): every field of every kind of document, and "
        "every table\n");
}

bool paper_man(const char *page, struct buf *to)
{
    const struct command *c = strncmp(page, "writ-", 5) == 0 ? command_named(page + 5) : NULL;

    if (c)
        (c->run ? man_verb : man_group)(c, page, to);
    else if (strcmp(page, "writ") == 0)
        man_writ(to);
    else if (strcmp(page, "writ-documents") == 0)
        paper_documents(to);
    else
        return false;
    return true;
}
