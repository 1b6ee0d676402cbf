/* SPDX-License-Identifier: Apache-2.0 */
/* adapters_import.c: `writ adapters import`: an adapter of what others wrote. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <writ/adapters.h>

#include "base/fs.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/ending.h"
#include "cli/keeper.h"
#include "cli/print.h"
#include "cli/request.h"
#include "cli/stops.h"

/* What was given for an option each time, ended by NULL. */
static const char **all_given(const struct args *args, const char *option, struct arena *a)
{
    const char **out = arena_alloc(a, (args->given_count + 1) * sizeof *out);
    size_t n = 0;

    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option, option) == 0)
            out[n++] = args->given[i].value;
    return out;
}

/* ---- where adapters come from: the first operand ---- */

static bool from_openapi(const struct args *args, struct arena *a, struct writ_import *out)
{
    struct writ_input *input = arena_new(a, struct writ_input);

    if (args->count != 2) {
        say("openapi takes one FILE, or - for standard input");
        return false;
    }
    input->name = args->operands[1];
    out->openapi = input;
    return true;
}

static bool from_mcp(const struct args *args, struct arena *a, struct writ_import *out)
{
    (void)a;
    out->url = args_get(args, "url");
    out->bearer = args_get(args, "bearer");
    out->argv = args->count > 1 ? args->operands + 1 : NULL;
    if (!out->url == !out->argv) {
        say("mcp takes either what starts the server, behind --, or --url URL");
        return false;
    }
    if (out->bearer && !out->url) {
        say("--bearer is for a server at --url; one that is started here has --env");
        return false;
    }
    out->cancel = stops_watch();
    return true;
}

static const struct source {
    const char *name;
    bool (*read)(const struct args *args, struct arena *a, struct writ_import *out);
} sources[] = {
    { "openapi", from_openapi },
    { "mcp", from_mcp },
};

static bool read_source(const struct args *args, struct arena *a, struct writ_import *out)
{
    for (size_t i = 0; i < COUNT(sources); i++)
        if (strcmp(sources[i].name, args->operands[0]) == 0)
            return sources[i].read(args, a, out);
    say("adapters are not imported from '%s'; see `writ adapters import --help`",
        args->operands[0]);
    return false;
}

/* What a server that runs here is given besides its command. */
static bool read_given(const struct args *args, struct writ_import *out, struct buf *options)
{
    const char *bad = request_bad_pair(args), *first = request_member(args);
    const char *net = args_get(args, "net");
    bool open = net && strcmp(net, "open") == 0;

    if (bad)
        say("--env takes NAME=VALUE, with a name of at most 255 letters; '%s' is not that", bad);
    else if (first && !out->argv)
        say("--%s is for an MCP server that is started here", first);
    else if (open) /* which asks for an approval, and a listing of tools is none to give it for */
        say("--net: no server is imported with network level 'open': registry and api are less, "
            "and --allow-host names what it needs");
    if (bad || (first && !out->argv) || open)
        return false;
    request_write(args, options);
    out->options = first ? options->s : NULL;
    return true;
}

/* ---- where it goes ---- */

/* `.writ/adapters` is made where there is a `.writ`: a project that nobody began has no place for
 * it. False: that was told. Other directories are for the user to make. */
static bool make_place(const char *path, struct arena *a)
{
    static const char folder[] = ".writ/adapters";
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0, tail = sizeof folder - 1;
    const char *directory = arena_text(a, (struct str){ path, n });
    const char *above;

    if (n < tail || strcmp(directory + n - tail, folder) != 0 ||
        (n > tail && directory[n - tail - 1] != '/') || access(directory, F_OK) == 0)
        return true;
    above = arena_text(a, (struct str){ path, n - strlen("/adapters") });
    if (access(above, F_OK) != 0) {
        say("there is no directory %s; `writ init` makes it", above);
        return false;
    }
    if (mkdir(directory, 0755) == 0)
        return true;
    say("%s cannot be made: %s", directory, strerror(errno));
    return false;
}

/* As any file that somebody writes; one that was there keeps what it had. */
static mode_t mode_of(const char *path)
{
    struct stat st;
    mode_t mask;

    if (stat(path, &st) == 0)
        return st.st_mode & 0777;
    mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

static bool save(const char *path, bool force, struct str yaml, struct arena *a)
{
    mode_t mode = mode_of(path);
    struct error e;

    if (!make_place(path, a))
        return false;
    if (!force && access(path, F_OK) == 0) {
        say("%s is there already; --force replaces it", path);
        return false;
    }
    if (fs_write(path, yaml, &e)) {
        (void)!chmod(path, mode); /* it is private else, and there all the same */
        return true;
    }
    say("%s: %s", path, e.msg);
    return false;
}

static void tell_left_out(const struct doc *d)
{
    const struct doc *c = doc_first(doc_get(d, "left_out"), DOC_LIST);

    for (; c; c = c->next) {
        err(YELLOW, "left out ");
        err(BOLD, "%.*s: ", STR_ARG(doc_text(c, "operation")));
        err(PLAIN, "%.*s\n", STR_ARG(doc_text(c, "why")));
    }
}

static void tell_warnings(const struct doc *d)
{
    const struct doc *c = doc_first(doc_get(d, "warnings"), DOC_LIST);

    for (; c; c = c->next) {
        err(YELLOW, "warning: ");
        err(PLAIN, "%.*s\n", STR_ARG(c->text));
    }
}

/* Nothing is called that the registry does not list. */
static void tell_entry(const struct doc *d)
{
    struct str tool = doc_text(d, "tool_id"), entry = doc_text(d, "tool_entry");

    if (!entry.n) {
        err(DIM, ".writ/tools.yaml has the tool %.*s already\n", STR_ARG(tool));
        return;
    }
    err(PLAIN,
        "to call it, put this under `tools:` of .writ/tools.yaml (`writ init` writes one):\n");
    while (entry.n) {
        const char *end = memchr(entry.s, '\n', entry.n);
        size_t n = end ? (size_t)(end - entry.s) : entry.n, taken = end ? n + 1 : n;

        err(PLAIN, "%.*s\n", (int)n, entry.s);
        entry = (struct str){ entry.s + taken, entry.n - taken };
    }
}

/* Of what the options say, as writ exec tells it. */
static int tell_options(char *answer, const struct doc *d, bool json)
{
    if (json)
        out_json(answer);
    else
        ending_tell_options(d);
    writ_free(answer);
    return WRIT_USAGE;
}

static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    const char *path = args_get(args, "output");
    struct writ_import import = { .name = args_get(args, "name"),
                                  .tool = args_get(args, "tool"),
                                  .include = all_given(args, "include", &a),
                                  .exclude = all_given(args, "exclude", &a),
                                  .environment = args->environment,
                                  .ledger = args_get(args, "ledger"),
                                  .cancel = -1,
                                  .weak = all_given(args, "allow-weak", &a) };
    _buf_ struct buf options = { .max = REQUEST_MAX };
    const struct doc *d;
    char *answer;
    int status;

    if (!read_source(args, &a, &import))
        return WRIT_USAGE;
    if (!read_given(args, &import, &options))
        return WRIT_USAGE;
    status = writ_import(&import, &answer);
    d = answer_read(answer, &a);
    if (status == WRIT_WRONG && import.options && ending_is_about_options(answer))
        return tell_options(answer, d, args_get(args, "json"));
    if (args_get(args, "json") || status != WRIT_OK)
        return keeper_tell(answer, status, args_get(args, "json"));
    tell_left_out(d);
    tell_warnings(d);
    if (!path)
        out_shown(doc_text(d, "adapter"));
    else if (save(path, args_get(args, "force"), doc_text(d, "adapter"), &a))
        out_line("%s: %.*s, operations: %" PRId64, path, STR_ARG(doc_text(d, "adapter_id")),
                 doc_whole(d, "operations"));
    else
        status = WRIT_UNAVAILABLE;
    if (status == WRIT_OK)
        tell_entry(d);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_adapters_import = {
    .name = "adapters import",
    .operands = "openapi FILE | mcp [--] SERVER ARG...",
    .summary = "make an adapter of an OpenAPI document or an MCP server",
    .about = "Writes an adapter with one operation for each of the document (OpenAPI 3.0 and 3.1, "
             "Swagger 2.0), and says on stderr what was left out, and why. References are followed "
             "within the document only; nothing is fetched. Read what was made before it is used: "
             "base_url, secrets and sandbox_override.network.allow are the document's own words. "
             "Of an MCP server, its tools: it is started as `writ exec --` would start it, or "
             "reached at --url, listed and ended; no tool is called. Each operation is pinned to "
             "its tool as it is now, and refuses parameters that do not fit its schema. What is called later is for .writ/tools.yaml to allow.",
    .examples = { { "writ adapters import openapi api.yaml",                                  "the adapter, on stdout" },
                  { "writ adapters import openapi api.json -o .writ/adapters/api.yaml",       "as a file of the project" },
                  { "writ adapters import openapi api.json --include 'get*' --exclude '*Old'", "some of its operations" },
                  { "writ adapters import mcp -- mcp-server-filesystem .",                    "the tools of a server, started in the sandbox" },
                  { "writ adapters import mcp --allow-host slack.com --env SLACK_BOT_TOKEN=any -- mcp-server-slack", "one that needs a host and a secret; whoever calls it has the real one" },
                  { "writ adapters import mcp --url https://example.org/mcp --bearer EXAMPLE_TOKEN", "the tools of a server elsewhere that wants a token" } },
    .options = { { "name",    "NAME",    NULL, "its adapter_id and name; after the document's title or the server when left out" },
                 { "url",     "URL",     NULL, "where the MCP server is: http, https, ws or wss" },
                 { "bearer",  "VARIABLE", NULL, "the variable that has the token which the server at --url wants; the adapter names it under secrets" },
                 { "tool",    "TOOL",    NULL, "its tool_id in the registry; its name when left out" },
                 { "include", "PATTERN", NULL, "only operations like this, with * for anything", .many = true },
                 { "exclude", "PATTERN", NULL, "no operations like this",                        .many = true },
                 { "output",  "FILE",    NULL, "a file for it, instead of stdout",               .letter = 'o' },
                 { "force",   NULL,      NULL, "a file that is there is replaced" },
                 { "ledger",  "LEDGER",  NULL, "where a server that runs here is recorded: a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "net",     "LEVEL",   "network", "how much of the network a server that runs here reaches meanwhile: offline (the default), registry, api" },
                 { "allow-host", "HOST", NULL, "a host that it reaches, now and when the adapter is called", .many = true },
                 { "env",     "K=V",     NULL, "a variable for it, recorded as it is; where its name looks like that of a secret (`writ explain secret_names`), the adapter names it under secrets, and any value does for the import; V may also be env:NAME, file:PATH or credential:NAME, which is not recorded and stands in the adapter", .many = true },
                 { "allow-weak", "LAYER", "layers", "run without a layer that this machine lacks, for a server that runs here", .many = true },
                 { "json",    NULL,      NULL, "one JSON object" } },
    .least = 1,
    .most = OPERANDS_MAX,
    .run = run,
};
/* clang-format on */
