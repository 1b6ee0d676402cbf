/* SPDX-License-Identifier: Apache-2.0 */
/* secret_command.h: a secret that a command of the user's own prints: pass, secret-tool, op. */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "contract/shape.h"

enum { SECRET_MAX = 64 << 10, SECRET_COMMAND_MS = 10000 };

/* Runs the words as they are, without a shell and outside of the sandbox, with nothing to read. Its
 * output without one line end at the end; what it says on stderr is not kept. False:
 * CODE_SECRET_MISSING. */
bool secret_command(const struct items *words, const char *const *environment, const char *source,
                    struct arena *a, struct str *out, struct error *e) NODISCARD;
