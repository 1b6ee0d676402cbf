/* SPDX-License-Identifier: Apache-2.0 */
/* help.c: what `--help` says. Examples come first: they are what people read. */
#include "cli/help.h"

#include <string.h>

#include "cli/print.h"

enum { USAGE_OPTIONS = 4, NAMES = 16, HELP_COLUMN = NAMES + 5, DOES_COLUMN = 6 };

const char help_tagline[] = "runs commands, tools and plans under a contract";

static void show_examples(const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n && examples[i].typed; i++) {
        out(CYAN, "  $ %s\n", examples[i].typed);
        out(PLAIN, "%*s", DOES_COLUMN, "");
        out_folded(DIM, str_of(examples[i].does), DOES_COLUMN);
    }
}

/* The verbs themselves, or with a group those below it. */
static const char *listed_name(const struct command *group, const struct command *c)
{
    if (group)
        return command_below(group, c);
    return strchr(c->name, ' ') ? NULL : c->name;
}

static bool has_verbs(const struct command *group)
{
    for (size_t i = 0; i < command_count; i++)
        if (command_below(group, commands[i]))
            return true;
    return false;
}

static void list_commands(const struct command *group)
{
    size_t width = 0;

    for (size_t i = 0; i < command_count; i++) {
        const char *name = listed_name(group, commands[i]);

        if (name && strlen(name) > width)
            width = strlen(name);
    }
    for (size_t i = 0; i < command_count; i++) {
        const char *name = listed_name(group, commands[i]);

        if (!name)
            continue;
        out(BOLD, "  %-*s", (int)width, name);
        out(PLAIN, "  ");
        out_folded(PLAIN, str_of(commands[i]->summary), width + 4);
    }
}

void help_all(void)
{
    out(BOLD, "writ");
    out(PLAIN, " ");
    out_folded(PLAIN, str_of(help_tagline), sizeof "writ");
    out(PLAIN, "\n");
    for (size_t i = 0; i < command_count; i++)
        if (commands[i]->greets)
            show_examples(commands[i]->examples, 1);
    out(PLAIN, "\n");
    list_commands(NULL);
    out(PLAIN, "\n");
    out(PLAIN, "  ");
    out_folded(
        PLAIN,
        str_of("writ VERB --help says more. writ --version. Exit codes: writ explain statuses"), 2);
}

/* An option without which there is nothing to do stands among the operands. */
static bool is_operand(const struct command *c, const struct option *o)
{
    return strncmp(c->operands, "--", 2) == 0 && strcmp(c->operands + 2, o->name) == 0;
}

/* Many options would hide the operands: they are named below in any case. */
static void show_usage(const struct command *c)
{
    bool many = c->command_line || c->options[USAGE_OPTIONS].name;

    out(PLAIN, "writ %s", c->name);
    if (many)
        out(PLAIN, " [OPTION...]");
    if (*c->operands)
        out(PLAIN, " %s", c->operands);
    for (const struct option *o = c->options; o->name && !many; o++)
        if (!is_operand(c, o))
            out(PLAIN, " [--%s%s%s]", o->name, o->value ? " " : "", o->value ? o->value : "");
    out(PLAIN, "\n\n");
}

static void show_options(const struct command *c)
{
    for (const struct option *o = c->options; o->name; o++) {
        int pad = NAMES - (int)strlen(o->name) - (o->value ? (int)strlen(o->value) + 1 : 0);

        if (o->letter) {
            out(BOLD, "  -%c", o->letter);
            out(PLAIN, ",");
            pad -= 4;
        }
        out(BOLD, o->letter ? " --%s" : "  --%s", o->name);
        out(PLAIN, "%s%s%*s ", o->value ? " " : "", o->value ? o->value : "", pad > 0 ? pad : 0,
            "");
        out_folded(PLAIN, str_of(o->help), HELP_COLUMN);
    }
    out(BOLD, "  --help");
    out(PLAIN, "%*s this text\n", 12, "");
}

void help_command(const struct command *c)
{
    show_usage(c);
    show_examples(c->examples, COUNT(c->examples));
    out(PLAIN, "\n");
    out_folded(PLAIN, str_of(c->about), 0);
    out(PLAIN, "\n");
    if (c->run)
        show_options(c);
    if (!has_verbs(c))
        return;
    if (c->run)
        out(PLAIN, "\n");
    list_commands(c);
    out(PLAIN, "\n");
    out(PLAIN, "  writ %s VERB --help says more\n", c->name);
}
