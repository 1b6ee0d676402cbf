/* SPDX-License-Identifier: Apache-2.0 */
/* onward.h: what somebody prints is passed on to somebody who looks on, and may not read.
 *
 * Whoever passes it on does not sleep in that, whatever descriptor it was given: what does not go
 * now goes when poll says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct onward {
    int to;   /* -1: nobody, or nobody any more */
    int lost; /* errno, where it took no more while somebody still read; ECANCELED, where they were
                 not waited for any longer; 0: it took all */
    bool is_socket;
    bool is_blocking; /* a write may wait */
};

/* An opening of our own of the same pipe or terminal, to be closed: whether it blocks is then our
 * affair, and not that of everybody who shares it. -1: there is none to be had. */
int onward_open(int fd);

/* `to` stays the caller's; -1: nobody looks on. */
void onward_begin(struct onward *o, int to);

/* How much of it went, at most n; 0: none goes now. Where nobody reads any more, or it cannot be
 * written, `to` is -1 afterwards. SIGPIPE is the caller's affair. */
size_t onward_pass(struct onward *o, const char *bytes, size_t n);
