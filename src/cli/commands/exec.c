/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c: `writ exec`: one command under a contract. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include <writ/writ.h>

#include "base/onward.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/ending.h"
#include "cli/given.h"
#include "cli/lane_lines.h"
#include "cli/print.h"
#include "cli/request.h"
#include "cli/stops.h"

static bool is_written(int fd)
{
    return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* One that cannot be written does not become one that can. */
static int open_live(int fd)
{
    struct stat s;

    if (fstat(fd, &s) != 0)
        return -1;
    if (!is_written(fd) || (!S_ISFIFO(s.st_mode) && !S_ISCHR(s.st_mode)))
        return dup(fd);
    return onward_open(fd);
}

static void set_live(struct writ_command *command)
{
    for (int i = 0; i < 2; i++) {
        command->live[i] = open_live(i + 1);
        if (command->live[i] < 0)
            command->live[i] = dup(i + 1);
    }
}

static int usage(const struct args *args)
{
    const char *file = args_get(args, "file");
    const char *bad = request_bad_pair(args), *beside = request_member(args);
    const char *inject = request_bad_inject(args);
    const char *lane = args_get(args, "worker")           ? "worker"
                       : args_get(args, "remote")         ? "remote"
                       : args_get(args, "fail-closed")    ? "fail-closed"
                       : args_get(args, "command-id")     ? "command-id"
                       : args_get(args, "correlation-id") ? "correlation-id"
                       : args_get(args, "scenario-id")    ? "scenario-id"
                                                          : NULL;

    if (file && args->count > 0)
        say("a request says what runs; give -f %s or a command, not both", file);
    else if (file && beside)
        say("a request says that itself; --%s is for a command", beside);
    else if (!file && args->count == 0)
        say("exec needs a command: writ exec -- CMD ARG..., or writ exec -f REQUEST");
    else if (bad)
        say("--env takes NAME=VALUE, with a name of at most 255 letters; '%s' is not that", bad);
    else if (inject)
        say("--inject takes HOST:HEADER=env:NAME, file:PATH or credential:NAME; '%s' is not that",
            inject);
    else if (!args_get(args, "class") && lane)
        say("--%s is for a lane; give its class, too: --class generic takes any command", lane);
    else
        return WRIT_OK;
    say("try: writ exec --help");
    return WRIT_USAGE;
}

static int run(const struct args *args)
{
    _buf_ struct buf options = { .max = REQUEST_MAX };
    const char *weak[WEAK_MAX + 1];
    const char *file = args_get(args, "file"), *input_name = args_get(args, "stdin");
    bool json = args_get(args, "json"), ran;
    _arena_ struct arena a = { 0 };
    struct writ_input request = { .name = file }, input = { .name = input_name };
    struct writ_command command = { .request = file ? &request : NULL,
                                    .argv = args->operands,
                                    .input = input_name ? &input : NULL,
                                    .environment = args->environment,
                                    .ledger = args_get(args, "ledger"),
                                    .approve = args_get(args, "approve"),
                                    .weak = weak,
                                    .live = { -1, -1 },
                                    .texts = json,
                                    .lane = lane_tell };
    bool by_options;
    char *answer;
    int status = usage(args);

    if (status != WRIT_OK)
        return status;
    if (file && !given_read(file, json, &a, &request))
        return WRIT_WRONG;
    request_write(args, &options);
    command.options = options.s;
    request_weak(args, weak);
    command.cancel = stops_watch();
    if (!json)
        set_live(&command);
    status = writ_exec(&command, &answer, &ran);
    by_options = !file && ending_is_about_options(answer);
    if (json)
        out_json(answer);
    else
        ending_show(answer, status, ran, by_options);
    if (ran && status == WRIT_OK && ending_is_lost(answer))
        status = WRIT_UNRECORDED;
    writ_free(answer);
    return !ran && status == WRIT_WRONG && by_options ? WRIT_USAGE : status;
}

/* clang-format off */
const struct command cmd_exec = {
    .name = "exec",
    .operands = "[--] CMD ARG...",
    .summary = "run one command inside enforced limits",
    .about = "Runs a command that sees only what it was granted, reaches no network unless a host "
             "or a level is named, and is held to its limits by the kernel. Its output is passed "
             "on as it comes; its exit code is writ's exit code. With --json the whole record is "
             "printed instead. Standard input is empty unless --stdin gives it. At the default "
             "level, standard, it reads the repository and writes the working directory; /tmp and "
             "its home are its own and gone afterwards. A toolchain in your home has to be "
             "granted: --read ~/.pyenv, or --read ~/.rustup --read ~/.cargo --env HOME=\"$HOME\". "
             "It has your PATH only if it sees every directory in it, else that of the system: "
             "for an active venv, say --env PATH=DIR/bin:/usr/bin:/bin. git can commit at the top "
             "of a working tree; in a directory below, it can only read, unless --cwd leads to "
             "the top or --write names its .git.",
    .examples = { { "writ exec -- make test",                          "the defaults: 30 s, 512 MB, 1 core, 10 children, offline" },
                  { "writ exec --memory-mb 64 -- python3 job.py",      "less memory; the whole tree shares it" },
                  { "writ exec --fs minimal --json -- rg TODO",        "read only, and the record as JSON" },
                  { "writ exec --allow-host pypi.org -- curl https://pypi.org/", "one host, by name; every connection is in the record" },
                  { "writ exec --allow-protected AGENTS.md -- git switch main", "git may write the file that agents obey" },
                  { "writ exec --class cargo_test -- cargo test",      "as a lane: where its class is routed, with its timeouts" },
                  { "writ exec -f request.yaml",                       "what a document asks for, a request or a lane; needs .writ/tools.yaml" } },
    .options = { { "file",          "REQUEST", NULL,         "a request document instead of a command; - is standard input", .letter = 'f' },
                 { "timeout-ms",    "N",       NULL,         "longest time it may take: 1000 to 600000, default 30000" },
                 { "memory-mb",     "N",       NULL,         "memory of the whole tree: 64 to 4096, default 512" },
                 { "cpu-cores",     "N",       NULL,         "cores it may keep busy: 1 to 4, default 1" },
                 { "max-children",  "N",       NULL,         "processes besides itself: 0 to 100, default 10" },
                 { "no-fork",       NULL,      NULL,         "it may start no process" },
                 { "fs",            "LEVEL",   "filesystem", "how much of the disk it sees: minimal, standard (the default), extended, elevated" },
                 { "read",          "PATH",    NULL,         "a path it may read, too",        .many = true },
                 { "write",         "PATH",    NULL,         "a path it may write, too",     .many = true },
                 { "deny",          "PATH",    NULL,         "a path it may not see; always wins",   .many = true },
                 { "allow-protected", "NAME",  NULL,         "a protected name that it may write, such as AGENTS.md: `writ explain protected`; recorded", .many = true, .words = ".gitmodules .husky .githooks .envrc .pre-commit-config.yaml .vscode .idea .mcp.json .claude .cursor .codex AGENTS.md CLAUDE.md .github/workflows .gitlab-ci.yml" },
                 { "write-mode",    "HOW",     NULL,         "direct, or cow: nothing on the disk changes until `writ commit`", .words = "direct cow" },
                 { "net",           "LEVEL",   "network",    "how much of the network it reaches: offline (the default), registry, api, open" },
                 { "allow-host",    "HOST",    NULL,         "a host it reaches: example.org, *.example.org, example.org:8443; without --net, at level api", .many = true },
                 { "deny-host",     "HOST",    NULL,         "a host it does not reach; always wins", .many = true },
                 { "sni",           "HOW",     NULL,         "any, or match: a tunnel carries only TLS, and only for the host it was opened for", .words = "any match" },
                 { "inject",        "HOST:HEADER=env:NAME", NULL, "a header with a secret, added on the way to the host: env:NAME, file:PATH or credential:NAME", .many = true },
                 { "raw-net",       NULL,      NULL,         "with --net open: the network of the host itself, neither filtered nor recorded" },
                 { "env",           "K=V",     NULL,         "a variable for it; V is its value, or where a secret is found that no record has: env:NAME, file:PATH or credential:NAME; text:V is V itself, whatever it begins with", .many = true },
                 { "cwd",           "DIR",     NULL,         "where it runs; default: here" },
                 { "stdin",         "FILE",    NULL,         "what it reads; - is standard input" },
                 { "input-file",    "PATH",    NULL,         "a file it works on, kept by digest in the record", .many = true },
                 { "output-file",   "PATH",    NULL,         "a file to keep afterwards",          .many = true },
                 { "artifact",      "GLOB",    NULL,         "files to keep afterwards: * ? **",   .many = true },
                 { "class",         "ID",      "classes",    "run it as a lane of this class: its timeouts, a transcript, a manifest" },
                 { "remote",        NULL,      NULL,         "run it on the remote worker, if that can be reached" },
                 { "worker",        "NAME",    NULL,         "run it on this worker of the configuration, if it can be reached" },
                 { "fail-closed",   NULL,      NULL,         "run it nowhere if the worker cannot be reached; without this option it runs here then" },
                 { "command-id",     "ID",     NULL,        "what the lane's command is called in its result; the execution id without it" },
                 { "correlation-id", "ID",     NULL,        "ties the lane to other records: its trace is trace-ID; the execution id without it" },
                 { "scenario-id",    "ID",     NULL,        "the scenario in the lane's manifest; the class without it" },
                 { "deterministic", "HOW",     NULL,         "stable: the same environment everywhere; fixed: the same time and chance, too", .words = "stable fixed" },
                 { "allow-weak",    "LAYER",   "layers",     "run without a layer that this machine lacks", .many = true },
                 { "approve",       "REASON",  NULL,         "the approval that elevated and open need; recorded" },
                 { "ledger",        "LEDGER",  NULL,         "where it is recorded: a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",          NULL,      NULL,         "the record as one JSON object: `writ explain record`" } },
    .least = 0,
    .most = OPERANDS_MAX,
    .command_line = true,
    .greets = true,
    .run = run,
};
/* clang-format on */
