/* SPDX-License-Identifier: Apache-2.0 */
/* hand_over.h: writ becomes writ-postgres where the ledger is in PostgreSQL.
 *
 * Every start of writ would pay for libpq, and most never need it: so it is in a program of its
 * own, which is the same but for that.
 */
#pragma once

#ifdef WRIT_POSTGRES
static inline void hand_over(const char *ledger, const char *libexec, char **argv)
{
    (void)ledger;
    (void)libexec;
    (void)argv;
}
#else
/* Does not come back where the address (NULL: none) is PostgreSQL's and writ-postgres is there: in
 * libexec, else (NULL) where companion() finds it. */
void hand_over(const char *ledger, const char *libexec, char **argv);
#endif
