/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: finds a word in a list of names. */
#include "contract/names.h"

int name_at(const char *const *names, struct str word)
{
    for (int i = 0; names[i]; i++) {
        if (str_is(word, names[i]))
            return i;
    }
    return -1;
}
