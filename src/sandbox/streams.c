/* SPDX-License-Identifier: Apache-2.0 */
/* streams.c: the pipes of a run, or those that its caller made. */
#include "sandbox/streams.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "contract/codes.h"
#include "contract/limits.h"
#include "sandbox/input.h"
#include "sandbox/outcome.h"

/* A copy of the caller's, above what the command's own are to be. */
static bool take_wire(int wire, int *to, struct error *e)
{
    *to = fcntl(wire, F_DUPFD_CLOEXEC, STREAM_COUNT);
    return *to >= 0 || error_sys(e, CODE_IO, "the descriptor %d cannot be passed on", wire);
}

/* A command of root's is somebody else, who can open /dev/stdout again only if the pipe is its own.
 */
static bool make_pipe(const struct jail *jail, int *ours, int *theirs, struct error *e)
{
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) != 0)
        return error_sys(e, CODE_IO, "a pipe cannot be made");
    *ours = pair[0];
    *theirs = pair[1];
    (void)fcntl(pair[0], F_SETFL, O_NONBLOCK);
    if (jail->privileged)
        (void)!fchown(pair[1], jail->outside, jail->outside_group);
    return true;
}

bool streams_make(const struct streams_ask *ask, struct streams *s, struct jail *jail,
                  struct error *e)
{
    int *theirs = jail->streams;

    if (ask->wired) {
        if (!take_wire(ask->wires[0], &theirs[0], e) || !take_wire(ask->wires[1], &theirs[1], e))
            return false;
    } else {
        theirs[0] = input_file(ask->input);
        if (theirs[0] < 0)
            return error_sys(e, CODE_IO, "standard input cannot be made");
    }
    for (int i = ask->wired ? 2 : 1; i < (ask->result ? STREAM_COUNT : STREAM_RESULT); i++)
        if (!make_pipe(jail, &s->ours[i - 1], &theirs[i], e))
            return false;
    return true;
}

void streams_let_go(struct jail *jail)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        own_close(&jail->streams[i]);
}

void streams_listen(struct streams *s, const struct streams_ask *ask)
{
    const struct {
        struct capture *capture;
        int live;
        int64_t most;
    } rows[] = {
        { &s->out, ask->wired ? -1 : ask->live[0], outputs[OUTPUT_STDOUT].bytes },
        { &s->err, ask->live[1], outputs[OUTPUT_STDERR].bytes },
        { &s->result, -1, RESULT_BYTES },
    };

    s->parts = malloc((size_t)(STREAM_COUNT - 1) * CAPTURE_PART);
    if (!s->parts)
        mem_end();
    for (size_t i = 0; i < COUNT(rows); i++) {
        capture_begin(rows[i].capture, s->ours[i], rows[i].live, (size_t)rows[i].most,
                      s->parts + i * CAPTURE_PART);
        s->ours[i] = -1; /* the capture has it */
    }
}

void streams_close(struct streams *s)
{
    for (size_t i = 0; i < COUNT(s->ours); i++)
        own_close(&s->ours[i]);
    buf_free(&s->out.head);
    buf_free(&s->err.head);
    buf_free(&s->result.head);
    free(s->parts);
}
