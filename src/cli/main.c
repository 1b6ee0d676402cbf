/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: finds the verb and runs it; the only reader of the environment. */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <writ/writ.h>

#include "base/buf.h"
#include "base/descriptors.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/hand_over.h"
#include "cli/help.h"
#include "cli/print.h"

enum { STACK_LEAST = 1 << 20, STACK_USUAL = 8 << 20, NARROWEST = 20 };

static bool wants_colour(int fd)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

    return isatty(fd) && !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
}

static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
    return isatty(STDOUT_FILENO) ? 80 : NO_EDGE;
}

/* Who asks for JSON is told in JSON, also that the command line is wrong. */
static int wrong_use(bool json)
{
    _buf_ struct buf told = { .max = 1 << 20 };
    const char *said = print_only_said();

    if (!said || !json)
        return WRIT_USAGE;
    json_open(&told, '{');
    json_put(&told, "code", "USAGE");
    json_put(&told, "message", said);
    json_close(&told, '}');
    out_json(told.s);
    return WRIT_USAGE;
}

/* Where there is no verb there are no options yet. */
static bool asks_json(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

/* Says which words are no verb; below a group they are two. */
static int unknown_verb(const struct command *group, int argc, char **argv)
{
    _buf_ struct buf typed = { .max = SIZE_MAX / 2 };
    const char *near;

    if (group)
        buf_addf(&typed, "%s ", group->name);
    buf_adds(&typed, argv[0]);
    near = command_near(group, argv[0]);
    say("'%s' is not a verb of writ%s%s%s; writ%s%s --help lists them", typed.s,
        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", group ? " " : "",
        group ? group->name : "");
    return wrong_use(asks_json(argc, argv));
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* `writ ledger`, `writ ledger --help`. */
static int run_group(const struct command *group, int argc, char **argv)
{
    if (argc > 0 && argv[0][0] != '-')
        return unknown_verb(group, argc, argv);
    if (argc > 0 && !asks_help(argv[0])) {
        say("%s needs a verb before its options; writ %s --help lists them", group->name,
            group->name);
        return wrong_use(asks_json(argc, argv));
    }
    help_command(group);
    return argc > 0 ? WRIT_OK : WRIT_USAGE;
}

static int help_on(int argc, char **argv)
{
    int words;
    const struct command *c = command_typed(argc, argv, &words);

    if (!c || (!c->run && words < argc))
        return unknown_verb(c, argc - words, argv + words);
    help_command(c);
    return WRIT_OK;
}

/* A ledger in PostgreSQL is for another program; a verb that asks none has no option for one. */
static void go_where_the_ledger_is(const struct args *args, char **all)
{
    const char *given = args_get(args, "ledger"), *usual = getenv("WRIT_LEDGER");

    if (args->command->keeps)
        hand_over(usual, getenv("WRIT_LIBEXEC"), all);
    for (const struct option *o = args->command->options; o->name; o++)
        if (strcmp(o->name, "ledger") == 0)
            hand_over(given ? given : usual, getenv("WRIT_LIBEXEC"), all);
}

/* all: the command line from the program's name on. */
static int run_command(const struct command *c, int argc, char **argv, char **all)
{
    struct args args;
    struct error e;
    int status;

    if (!args_read(c, argc, argv, &args, &e)) {
        say("%s", e.msg);
        say("try: writ %s --help", c->name);
        return wrong_use(args_get(&args, "json") != NULL);
    }
    if (args.help) {
        help_command(c);
        return WRIT_OK;
    }
    go_where_the_ledger_is(&args, all);
    descriptors_raise();
    args.environment = (const char *const *)environ;
    status = c->run(&args);
    return status == WRIT_USAGE ? wrong_use(args_get(&args, "json") != NULL) : status;
}

/* `writ`, `writ --help`, `writ help`, `writ help VERB`, `writ --version`, `writ VERB ...`; a verb
 * below a group is two words. */
static int run(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : NULL;
    const struct command *c;
    int words;

    if (!verb) {
        help_all();
        return WRIT_USAGE;
    }
    if (strcmp(verb, "--version") == 0) {
        out_line("writ %s", writ_version());
        return WRIT_OK;
    }
    if (asks_help(verb) ||
        (strcmp(verb, "help") == 0 && (argc == 2 || strcmp(argv[2], "help") == 0))) {
        help_all();
        return WRIT_OK;
    }
    if (strcmp(verb, "help") == 0)
        return help_on(argc - 2, argv + 2);
    c = command_typed(argc - 1, argv + 1, &words);
    if (!c)
        return unknown_verb(NULL, argc - 1, argv + 1);
    words++;
    return c->run ? run_command(c, argc - words, argv + words, argv)
                  : run_group(c, argc - words, argv + words);
}

/* Where standard input, output or error is closed, the next file that is opened would be it, and
 * what is printed would go into a record. Its place is taken by what can only be used the other
 * way round: whoever reads or writes there learns that it is closed. */
static void fill_closed(void)
{
    static const int wrong_way[] = { O_WRONLY, O_RDONLY, O_RDONLY };

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", wrong_way[fd]) != fd)
            exit(WRIT_UNAVAILABLE);
}

/* What the shell allows may be less than we need, on our own stack and on those of threads, which
 * take their size from what was allowed at the start. */
static bool have_room(void)
{
    struct rlimit stack;
    pthread_attr_t usual;
    bool ok;

    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= STACK_LEAST)
        return true;
    stack.rlim_cur = stack.rlim_max < STACK_USUAL ? stack.rlim_max : STACK_USUAL;
    if (stack.rlim_cur < STACK_LEAST || setrlimit(RLIMIT_STACK, &stack) != 0)
        return false;
    if (pthread_attr_init(&usual) != 0)
        return false;
    ok = pthread_attr_setstacksize(&usual, stack.rlim_cur) == 0 &&
         pthread_setattr_default_np(&usual) == 0;
    (void)pthread_attr_destroy(&usual);
    return ok;
}

/* What we make must be ours to use: of a mask that takes the owner's rights away, as 0777, what it
 * says about others holds. */
static void own_what_is_made(void)
{
    mode_t mask = umask(077);

    (void)umask(mask & ~(mode_t)S_IRWXU);
}

static void tell_no_memory(void)
{
    static const char last[] = "writ: no more memory is available here (see ulimit -d and -v)\n";

    (void)!write(STDERR_FILENO, last, sizeof last - 1);
}

int main(int argc, char **argv)
{
    int status;

    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error, and told as one */
    own_what_is_made();
    mem_on_end(tell_no_memory);
    if (!have_room()) {
        say("the stack may not grow to 1 MiB here, which writ needs: ulimit -s");
        return WRIT_NO_SANDBOX;
    }
    (void)mallopt(M_ARENA_MAX, 1); /* threads that come and go would each leave theirs behind */
    fill_closed();
    print_setup(wants_colour(STDOUT_FILENO), wants_colour(STDERR_FILENO), terminal_width());
    status = run(argc, argv);
    if (!print_flush() && print_reader_gone()) {
        say("the reader of standard output went away; the outcome is recorded, and the exit "
            "status tells it");
    } else if (!print_flush()) {
        say("cannot write to standard output%s%s", print_lost() ? ": " : "",
            print_lost() ? error_words(print_lost()) : "");
        return WRIT_UNRECORDED; /* whoever reads it by the exit code would take it for whole */
    }
    return status;
}
