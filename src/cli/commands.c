/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c: the verbs of writ, in the order --help shows them. */
#include "cli/commands.h"

const struct command *const commands[] = {
    &cmd_check,
    &cmd_canon,
    &cmd_digest,
    &cmd_explain,
};
const size_t command_count = COUNT(commands);
