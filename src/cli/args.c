/* SPDX-License-Identifier: Apache-2.0 */
/* args.c: reads a command line by the rows of its command. */
#include "cli/args.h"

#include <string.h>

#include <writ/writ.h>

#include "base/str.h"

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

const char *command_near(const char *typed)
{
    const char *names[64] = { "help", "--help", "--version" };
    size_t n = 3;

    for (size_t i = 0; i < command_count && n < COUNT(names); i++)
        names[n++] = commands[i]->name;
    return str_nearest(str_of(typed), names, n);
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

/* One option at *arg, which may take the next argument as its value: --as KIND or --as=KIND. */
static bool read_option(const struct command *c, char ***arg, char **end, struct args *out,
                        struct error *e)
{
    const char *typed = **arg + 2, *equals = strchr(typed, '=');
    struct str name = { typed, equals ? (size_t)(equals - typed) : strlen(typed) };
    size_t i = 0;

    if (str_is(name, "help")) {
        out->help = true;
        return !equals || error_set(e, WRIT_USAGE, "--help takes no value");
    }
    while (c->options[i].name && !str_is(name, c->options[i].name))
        i++;
    if (!c->options[i].name)
        return unknown_option(c, name, e);
    if (!c->options[i].value) {
        out->values[i] = "";
        return !equals || error_set(e, WRIT_USAGE, "--%.*s takes no value", STR_ARG(name));
    }
    if (equals) {
        out->values[i] = equals + 1;
        return true;
    }
    if (*arg + 1 == end)
        return error_set(e, WRIT_USAGE, "--%.*s needs a value: --%.*s %s", STR_ARG(name),
                         STR_ARG(name), c->options[i].value);
    out->values[i] = *++*arg;
    return true;
}

bool args_read(const struct command *command, int argc, char **argv, struct args *out,
               struct error *e)
{
    static const char *operands[OPERANDS_MAX];
    bool only_operands = false;

    *out = (struct args){ .command = command, .operands = operands };
    for (char **arg = argv, **end = argv + argc; arg < end; arg++) {
        if (only_operands || (*arg)[0] != '-' || strcmp(*arg, "-") == 0) {
            if (out->count == OPERANDS_MAX)
                return error_set(e, WRIT_USAGE, "more than %d operands", OPERANDS_MAX);
            operands[out->count++] = *arg;
        } else if (strcmp(*arg, "--") == 0) {
            only_operands = true;
        } else if (strcmp(*arg, "-h") == 0) {
            out->help = true;
        } else if ((*arg)[1] != '-') {
            return error_set(e, WRIT_USAGE, "'%s' is not an option; they begin with --", *arg);
        } else if (!read_option(command, &arg, end, out, e)) {
            return false;
        }
    }
    if (out->help || (out->count >= command->least && out->count <= command->most))
        return true;
    return error_set(e, WRIT_USAGE,
                     out->count < command->least ? "%s needs %s" : "%s takes only %s",
                     command->name, command->operands);
}

const char *args_get(const struct args *args, const char *option)
{
    for (size_t i = 0; args->command->options[i].name; i++)
        if (strcmp(args->command->options[i].name, option) == 0)
            return args->values[i];
    return NULL;
}
