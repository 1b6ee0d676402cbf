/* SPDX-License-Identifier: Apache-2.0 */
/* streams.h: what a command reads from and prints to, and our ends of it. */
#pragma once

#include "sandbox/capture.h"
#include "sandbox/jail.h"

/* As struct run has them. */
struct streams_ask {
    struct str input;
    int live[2];
    bool result, wired;
    int wires[2];
};

struct streams {
    int ours[STREAM_COUNT - 1]; /* the reading ends of its 1, 2 and 3; -1: nobody listens there */
    char *parts;
    struct capture out, err, result;
};

/* Makes them, the command's ends in jail->streams. What is there on false is let go of, too. */
bool streams_make(const struct streams_ask *ask, struct streams *s, struct jail *jail,
                  struct error *e) NODISCARD;

/* The command has its ends now: closes ours of them. */
void streams_let_go(struct jail *jail);

/* Hands the reading ends over to the captures. */
void streams_listen(struct streams *s, const struct streams_ask *ask);

void streams_close(struct streams *s);
