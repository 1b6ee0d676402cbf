/* SPDX-License-Identifier: Apache-2.0 */
/* variable.c: looks through a list of NAME=value. */
#include "base/variable.h"

const char *variable_of(const char *const *environment, struct str name)
{
    for (; environment && *environment; environment++)
        if (strnlen(*environment, name.n) == name.n && memcmp(*environment, name.s, name.n) == 0 &&
            (*environment)[name.n] == '=')
            return *environment + name.n + 1;
    return NULL;
}
