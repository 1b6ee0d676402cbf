/* SPDX-License-Identifier: Apache-2.0 */
/* request.h: options of a command line as the members of a request document they stand for. */
#pragma once

#include "base/buf.h"
#include "base/doc.h"
#include "cli/args.h"

/* The options as JSON: {"sandbox":{"memory_mb":64}}. */
void request_write(const struct args *args, struct buf *to);

enum { WEAK_MAX = 8, REQUEST_MAX = 64 << 20 }; /* more than a command line has */

/* The layers that --allow-weak names, ended by NULL. */
void request_weak(const struct args *args, const char *weak[WEAK_MAX + 1]);

/* The first option given that a request document says itself; NULL: none. */
const char *request_member(const struct args *args);

/* A variable that is not NAME=VALUE; NULL: all are. */
const char *request_bad_pair(const struct args *args);

/* An --inject that is not of its form; NULL: all are. */
const char *request_bad_inject(const struct args *args);

/* The option that a JSON pointer into it comes from, or NULL. */
const char *request_option(struct str pointer);
