/* SPDX-License-Identifier: Apache-2.0 */
/* given.c: tells what a caller did not hand over. */
#include "engine/given.h"

#include <limits.h>
#include <string.h>

#include "contract/codes.h"
#include "engine/home.h"
#include "engine/record.h"

static bool missing(const char *name, const char *what, char **answer)
{
    struct error e;

    (void)error_set(&e, CODE_USAGE, "%s%s is NULL, and has to be given", name, what);
    *answer = record_failure(e.code, e.msg);
    return false;
}

bool given(const void *it, const char *name, char **answer)
{
    return it || missing(name, "", answer);
}

bool given_input(const struct writ_input *input, const char *name, char **answer)
{
    return given(input, name, answer) && (input->name || missing(name, "'s name", answer));
}

bool given_ledger(const char *ledger, const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    const char *where = home_ledger(ledger, environment, &a);
    struct error e;

    if (!where || ledger_is_known(where, &e))
        return true;
    *answer = record_failure(e.code, e.msg);
    return false;
}

bool given_here(char **answer)
{
    char here[PATH_MAX];
    struct error e;

    if (home_here(here, NULL, &e))
        return true;
    *answer = record_failure(e.code, e.msg);
    return false;
}

bool given_to(const void *it, const char *name, writ_line line, void *self)
{
    char *answer;

    if (line && !given(it, name, &answer)) {
        (void)line(self, answer, strlen(answer));
        writ_free(answer);
    }
    return line && it;
}
