/* SPDX-License-Identifier: Apache-2.0 */
/* hand_over.c: finds writ-postgres, and runs it in place of this program. */
#include "cli/hand_over.h"

#include <stdbool.h>
#include <unistd.h>

#include "base/companion.h"

static bool is_postgres(const char *ledger)
{
    struct str address = str_of(ledger);

    return str_begins(address, "postgres://") || str_begins(address, "postgresql://");
}

void hand_over(const char *ledger, const char *libexec, char **argv)
{
    _arena_ struct arena a = { 0 };
    const char *program;

    if (!ledger || !is_postgres(ledger))
        return;
    program = companion("writ-postgres", libexec, &a);
    if (program)
        (void)execv(program, argv);
}
