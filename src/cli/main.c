/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: finds the verb and runs it; the only reader of the environment. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <writ/writ.h>

#include "cli/args.h"
#include "cli/help.h"
#include "cli/print.h"

static bool wants_colour(int fd)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

    return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col;
    return isatty(STDOUT_FILENO) ? 80 : NO_EDGE;
}

static int unknown_verb(const char *typed)
{
    const char *near = command_near(typed);

    say("'%s' is not a verb of writ%s%s%s; writ --help lists them", typed,
        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return WRIT_USAGE;
}

static int run_command(const struct command *c, int argc, char **argv)
{
    struct args args;
    struct error e;

    if (!args_read(c, argc, argv, &args, &e)) {
        say("%s", e.msg);
        say("try: writ %s --help", c->name);
        return WRIT_USAGE;
    }
    if (args.help) {
        help_command(c);
        return WRIT_OK;
    }
    args.environment = (const char *const *)environ;
    return c->run(&args);
}

/* `writ`, `writ --help`, `writ help`, `writ help VERB`, `writ --version`, `writ VERB ...`. */
static int run(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : NULL;
    const struct command *c;

    if (!verb) {
        help_all();
        return WRIT_USAGE;
    }
    if (strcmp(verb, "--version") == 0) {
        out_line("writ %s", writ_version());
        return WRIT_OK;
    }
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 ||
        (strcmp(verb, "help") == 0 && argc == 2)) {
        help_all();
        return WRIT_OK;
    }
    if (strcmp(verb, "help") == 0) {
        c = command_named(argv[2]);
        if (c)
            help_command(c);
        return c ? WRIT_OK : unknown_verb(argv[2]);
    }
    c = command_named(verb);
    return c ? run_command(c, argc - 2, argv + 2) : unknown_verb(verb);
}

int main(int argc, char **argv)
{
    int status;

    print_setup(wants_colour(STDOUT_FILENO), wants_colour(STDERR_FILENO), terminal_width());
    status = run(argc, argv);
    if (!print_flush()) {
        say("cannot write to standard output");
        return status == WRIT_OK ? WRIT_UNRECORDED : status;
    }
    return status;
}
