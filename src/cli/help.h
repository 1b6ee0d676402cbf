/* SPDX-License-Identifier: Apache-2.0 */
/* help.h: what `--help` says, from the rows of the commands. */
#pragma once

#include "cli/args.h"

/* What comes after the name of the program, wherever it is introduced. */
extern const char help_tagline[];

void help_all(void);
void help_command(const struct command *c);
