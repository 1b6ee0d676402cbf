/* SPDX-License-Identifier: Apache-2.0 */
/* adopt.c: the public function by which a person trusts a .writ that a command could make. */
#include <writ/adapters.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/adapters_here.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/record.h"
#include "engine/written.h"

static bool is_dir(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* The directory that is meant; NULL: there is none, and *e says so. */
static const char *find_folder(const char *given, const char *const *environment, struct arena *a,
                               struct error *e)
{
    struct adapters_here here;
    const char *found;
    char real[PATH_MAX];

    if (!given) {
        if (!adapters_here(environment, a, &here, e))
            return NULL;
        found = home_above(here.root, ".writ", a);
        if (!found)
            (void)error_set(e, CODE_USAGE, "there is no .writ in %s or above it", here.root);
        return found;
    }
    found = arena_printf(a, "%s/.writ", given);
    if (is_dir(found) && realpath(given, real))
        return arena_printf(a, "%s/.writ", real);
    if (is_dir(given) && realpath(given, real))
        return arena_text(a, str_of(real));
    (void)error_set(e, CODE_USAGE, "%s is no directory", given);
    return NULL;
}

int writ_adopt(const char *directory, const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct error e = { 0 };
    const char *folder;

    if (!directory && !given_here(answer))
        return WRIT_UNAVAILABLE;
    folder = find_folder(directory, environment, &a, &e);
    if (!folder || !written_adopt(environment, folder, &a, &e)) {
        *answer = record_failure(e.code, e.msg);
        return e.code == CODE_USAGE         ? WRIT_USAGE
               : e.code == CODE_NOT_ADOPTED ? WRIT_REFUSED
                                            : WRIT_UNAVAILABLE;
    }
    json_open(&out, '{');
    json_key(&out, "adopted");
    json_outside(&out, str_of(folder));
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}
