/* SPDX-License-Identifier: Apache-2.0 */
/* request.h: options of a command line as the members of a request document they stand for. */
#pragma once

#include "base/buf.h"
#include "base/doc.h"
#include "cli/args.h"

/* The options as JSON: {"sandbox":{"memory_mb":64}}. */
void request_write(const struct args *args, struct buf *to);

/* The option that a JSON pointer into it comes from, or NULL. */
const char *request_option(struct str pointer);
