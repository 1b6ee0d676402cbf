/* SPDX-License-Identifier: Apache-2.0 */
/* help.h: what `--help` says, from the rows of the commands. */
#pragma once

#include "cli/args.h"

void help_all(void);
void help_command(const struct command *c);
