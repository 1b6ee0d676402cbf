/* SPDX-License-Identifier: Apache-2.0 */
/* args.c: reads a command line by the rows of its command. */
#include "cli/args.h"

#include <string.h>

#include <writ/writ.h>

#include "base/str.h"
#include "cli/print.h"

static size_t option_count(const struct command *c)
{
    size_t n = 0;

    while (n < OPTIONS_MAX && c->options[n].name)
        n++;
    return n;
}

const struct command *command_named(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* How many of the words typed make the name; 0: they do not. */
static int words_of(const char *name, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        size_t n = strcspn(name, " ");

        if (strlen(argv[i]) != n || memcmp(argv[i], name, n) != 0)
            return 0;
        if (!name[n])
            return i + 1;
        name += n + 1;
    }
    return 0;
}

const struct command *command_typed(int argc, char **argv, int *words)
{
    const struct command *found = NULL;

    *words = 0;
    for (size_t i = 0; i < command_count; i++) {
        int n = words_of(commands[i]->name, argc, argv);

        if (n > *words) {
            *words = n;
            found = commands[i];
        }
    }
    return found;
}

const char *command_below(const struct command *group, const struct command *c)
{
    size_t n = strlen(group->name);

    return str_begins(str_of(c->name), group->name) && c->name[n] == ' ' ? c->name + n + 1 : NULL;
}

const char *command_near(const struct command *group, const char *typed)
{
    const char *names[64] = { "help", "--help", "--version" }, *near;
    size_t n = group ? 0 : 3, skip = group ? strlen(group->name) + 1 : 0;

    for (size_t i = 0; i < command_count && n < COUNT(names); i++) {
        const char *name = group ? command_below(group, commands[i]) : commands[i]->name;

        if (name)
            names[n++] = name;
    }
    near = str_nearest(str_of(typed), names, n);
    return near ? near - skip : NULL; /* a verb is the end of its command's name */
}

static bool unknown_option(const struct command *c, struct str typed, struct error *e)
{
    const char *names[OPTIONS_MAX + 1], *near;
    size_t n = option_count(c);

    for (size_t i = 0; i < n; i++)
        names[i] = c->options[i].name;
    names[n] = "help";
    near = str_nearest(typed, names, n + 1);
    return error_set(e, WRIT_USAGE, "%s has no option --%.*s%s%s%s", c->name, STR_ARG(typed),
                     near ? " (did you mean --" : "", near ? near : "", near ? "?)" : "");
}

static bool give(struct args *out, const struct option *option, const char *value, struct error *e)
{
    if (!option->many && args_get(out, option->name))
        return error_set(e, WRIT_USAGE, "--%s is given twice", option->name);
    if (out->given_count == GIVEN_MAX)
        return error_set(e, WRIT_USAGE, "more than %d options", GIVEN_MAX);
    out->given[out->given_count++] = (struct given){ option->name, value };
    return true;
}

/* One option at *arg, which may take the next argument as its value: --as KIND or --as=KIND. */
static bool read_option(const struct command *c, char ***arg, char **end, struct args *out,
                        struct error *e)
{
    const char *typed = **arg + 2, *equals = strchr(typed, '=');
    struct str name = { typed, equals ? (size_t)(equals - typed) : strlen(typed) };
    const struct option *option = c->options;

    if (str_is(name, "help")) {
        out->help = true;
        return !equals || error_set(e, WRIT_USAGE, "--help takes no value");
    }
    while (option->name && !str_is(name, option->name))
        option++;
    if (!option->name)
        return unknown_option(c, name, e);
    if (!option->value && equals)
        return error_set(e, WRIT_USAGE, "--%.*s takes no value", STR_ARG(name));
    if (!option->value)
        return give(out, option, "", e);
    if (equals)
        return give(out, option, equals + 1, e);
    if (*arg + 1 == end || strcmp((*arg)[1], "--") == 0)
        return error_set(e, WRIT_USAGE, "--%.*s needs a value: --%.*s %s", STR_ARG(name),
                         STR_ARG(name), option->value);
    return give(out, option, *++*arg, e);
}

/* -f VALUE, or -h. */
static bool read_letter(const struct command *c, char ***arg, char **end, struct args *out,
                        struct error *e)
{
    char letter = (**arg)[1];
    const struct option *option = c->options;

    if (letter == 'h' && !(**arg)[2]) {
        out->help = true;
        return true;
    }
    while (option->name && option->letter != letter)
        option++;
    if (!option->name || (**arg)[2])
        return error_set(e, WRIT_USAGE, "'%s' is not an option; most begin with --", **arg);
    if (*arg + 1 == end)
        return error_set(e, WRIT_USAGE, "-%c needs a value: -%c %s", letter, letter, option->value);
    return give(out, option, *++*arg, e);
}

/* One word of the command line; what follows may be its value. */
static bool read_word(const struct command *command, char ***arg, char **end, struct args *out,
                      struct error *e)
{
    if (out->only_operands || (**arg)[0] != '-' || strcmp(**arg, "-") == 0) {
        if (out->count == OPERANDS_MAX)
            return error_set(e, WRIT_USAGE, "more than %d operands", OPERANDS_MAX);
        out->operands[out->count++] = **arg;
        out->only_operands |= command->command_line;
        return true;
    }
    if (strcmp(**arg, "--") == 0) {
        out->only_operands = true;
        return true;
    }
    return ((**arg)[1] == '-' ? read_option : read_letter)(command, arg, end, out, e);
}

bool args_read(const struct command *command, int argc, char **argv, struct args *out,
               struct error *e)
{
    static const char *operands[OPERANDS_MAX + 1];
    struct error later;
    bool ok = true;

    *out = (struct args){ .command = command, .operands = operands };
    for (char **arg = argv, **end = argv + argc; arg < end; arg++)
        ok &= read_word(command, &arg, end, out, ok ? e : &later);
    operands[out->count] = NULL;
    if (!ok || out->help || (out->count >= command->least && out->count <= command->most))
        return ok;
    if (!command->operands || !*command->operands)
        return error_set(e, WRIT_USAGE, "%s takes only options, and '%s' is none", command->name,
                         operands[0]);
    return error_set(e, WRIT_USAGE,
                     out->count < command->least ? "%s needs %s" : "%s takes only %s",
                     command->name, command->operands);
}

bool args_share_input(const struct args *args)
{
    size_t n = 0;

    for (size_t i = 0; i < args->count && !args->command->command_line; i++)
        n += strcmp(args->operands[i], "-") == 0;
    for (size_t i = 0; i < args->given_count; i++)
        n += strcmp(args->given[i].value, "-") == 0;
    if (n > 1)
        say("standard input can be read once, and - is given %zu times", n);
    return n > 1;
}

const char *args_get(const struct args *args, const char *option)
{
    for (size_t i = args->given_count; i-- > 0;)
        if (strcmp(args->given[i].option, option) == 0)
            return args->given[i].value;
    return NULL;
}
