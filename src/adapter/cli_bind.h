/* SPDX-License-Identifier: Apache-2.0 */
/* cli_bind.h: parameters become the words of a command line: values, never shell text. */
#pragma once

#include "adapter/adapter.h"

struct cli_call {
    struct str command;
    struct items arguments;   /* of struct str */
    struct items environment; /* of struct pair */
    struct str input;         /* on standard input; .s is NULL: none */
};

/* `params` is a map, after the input transforms. False: CODE_PARAMETER_REFUSED, and the place of
 * the parameter. */
bool cli_bind(const struct adapter *adapter, struct str operation, const struct doc *params,
              struct arena *a, struct cli_call *out, struct error *e) NODISCARD;
