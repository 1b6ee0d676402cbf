/* SPDX-License-Identifier: Apache-2.0 */
/* inject.h: "HOST:HEADER=env:NAME" of a command line as the member of a request it stands for. */
#pragma once

#include "base/buf.h"

/* "env", "file" or "credential", where the text is that, a colon and a name; else NULL. */
const char *secret_place(const char *text, const char **name);

/* Writes {"host":..,"header":..,"secret":{..}}; "http://" before the host means without TLS. False:
 * it is not of that form, and nothing was written. `to` may be NULL. */
bool inject_write(const char *text, struct buf *to);
