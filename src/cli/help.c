/* SPDX-License-Identifier: Apache-2.0 */
/* help.c: what `--help` says. Examples come first: they are what people read. */
#include "cli/help.h"

#include "cli/print.h"

const char help_tagline[] = "runs commands, tools and plans under a contract";

static void show_examples(const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n && examples[i].typed; i++) {
        out(CYAN, "  $ %s\n", examples[i].typed);
        out(DIM, "      %s\n", examples[i].does);
    }
}

void help_all(void)
{
    out(BOLD, "writ");
    out(PLAIN, " ");
    out_folded(PLAIN, str_of(help_tagline), sizeof "writ");
    out(PLAIN, "\n");
    for (size_t i = 0; i < command_count; i++)
        show_examples(commands[i]->examples, 1);
    out(PLAIN, "\n");
    for (size_t i = 0; i < command_count; i++) {
        out(BOLD, "  %-9s", commands[i]->name);
        out(PLAIN, " %s\n", commands[i]->summary);
    }
    out(PLAIN, "\n");
    out(PLAIN, "  writ VERB --help says more. writ --version. Exit codes: writ explain statuses\n");
}

void help_command(const struct command *c)
{
    out(PLAIN, "writ %s", c->name);
    if (c->command_line)
        out(PLAIN, " [OPTION...]");
    out(PLAIN, " %s", c->operands);
    for (const struct option *o = c->options; o->name && !c->command_line; o++)
        out(PLAIN, " [--%s%s%s]", o->name, o->value ? " " : "", o->value ? o->value : "");
    out(PLAIN, "\n\n");
    show_examples(c->examples, COUNT(c->examples));
    out(PLAIN, "\n");
    out_folded(PLAIN, str_of(c->about), 0);
    out(PLAIN, "\n");
    for (const struct option *o = c->options; o->name; o++) {
        int pad = 16 - (int)strlen(o->name) - (o->value ? (int)strlen(o->value) + 1 : 0);

        if (o->letter) {
            out(BOLD, "  -%c", o->letter);
            out(PLAIN, ",");
            pad -= 4;
        }
        out(BOLD, o->letter ? " --%s" : "  --%s", o->name);
        out(PLAIN, "%s%s%*s %s\n", o->value ? " " : "", o->value ? o->value : "", pad > 0 ? pad : 0,
            "", o->help);
    }
    out(BOLD, "  --help");
    out(PLAIN, "%*s this text\n", 12, "");
}
