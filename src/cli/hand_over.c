/* SPDX-License-Identifier: Apache-2.0 */
/* hand_over.c: finds writ-postgres, and runs it in place of this program. */
#include "cli/hand_over.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

static bool is_postgres(const char *ledger)
{
    struct str address = str_of(ledger);

    return str_begins(address, "postgres://") || str_begins(address, "postgresql://");
}

void hand_over(const char *ledger, char **argv)
{
    static const char *const places[] = { "writ-postgres", "../libexec/writ/writ-postgres" };
    char self[PATH_MAX];
    ssize_t n;

    if (!ledger || !is_postgres(ledger))
        return;
    n = readlink("/proc/self/exe", self, sizeof self);
    if (n <= 0 || n == sizeof self)
        return;
    while (n > 0 && self[n - 1] != '/')
        n--;
    for (size_t i = 0; i < COUNT(places); i++) {
        _buf_ struct buf path = { .max = 2 * PATH_MAX };

        buf_add(&path, self, (size_t)n);
        buf_adds(&path, places[i]);
        if (buf_ok(&path))
            (void)execv(path.s, argv);
    }
}
