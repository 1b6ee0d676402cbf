/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c: `writ worker`: runs commands for a writ elsewhere. */
#include <fcntl.h>
#include <unistd.h>

#include <writ/routes.h>

#include "cli/commands.h"
#include "cli/print.h"

/* Of one that was closed, main() left the other direction. */
static int take_stream(int fd, int closed)
{
    return (fcntl(fd, F_GETFL) & O_ACCMODE) == closed ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* Frames alone go through the two streams: whatever else would be printed goes nowhere. */
static int run(const struct args *args)
{
    int in, out, null;

    if (!args_get(args, "stdio")) {
        say("worker serves on standard input and output: writ worker --stdio");
        say("it is started by what reaches it; see writ explain worker_kinds");
        return WRIT_USAGE;
    }
    in = take_stream(STDIN_FILENO, O_WRONLY);
    out = take_stream(STDOUT_FILENO, O_RDONLY);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (in < 0 || out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(null, STDOUT_FILENO) < 0) {
        say("there is nobody to serve: standard input or output is closed");
        return WRIT_UNAVAILABLE;
    }
    return writ_worker(in, out, args_get(args, "eager"), args->environment);
}

/* clang-format off */
const struct command cmd_worker = {
    .name = "worker",
    .operands = "--stdio",
    .summary = "run commands for a writ elsewhere",
    .about = "Serves a writ on the other end of a stream: a local pipe, ssh, or srun in a Slurm "
             "allocation. What it is sent runs here, inside this machine's sandbox; the record goes "
             "back. When the stream ends, everything it runs is ended. Nobody types this: writ "
             "starts it to reach a worker, as the configuration names them.",
    .examples = { { "writ exec --class generic --worker box -- make", "starts it on the worker `box`" },
                  { "ssh box writ worker --stdio",                    "what that does, if box is reached by ssh" } },
    .options = { { "stdio", NULL, NULL, "serve on standard input and output" },
                 { "eager", NULL, NULL, "answer every piece at once, as srun needs it" } },
    .least = 0,
    .most = 0,
    .run = run,
};
/* clang-format on */
