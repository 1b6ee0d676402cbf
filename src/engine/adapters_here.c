/* SPDX-License-Identifier: Apache-2.0 */
/* adapters_here.c: finds the project, the user's directory and the cache. */
#include "engine/adapters_here.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/world.h"
#include "engine/home.h"
#include "sandbox/repository.h"

static const char *project_above(const char *root, struct arena *a)
{
    static const char folder[] = "/.writ/adapters";
    const char *found = home_above(root, folder + 1, a);

    return found ? arena_text(a, (struct str){ found, strlen(found) - strlen(folder) }) : root;
}

bool adapters_here(const char *const *environment, struct arena *a, struct adapters_here *out,
                   struct error *e)
{
    const struct world *world = world_real();
    const char *home = home_variable(environment, "HOME"), *state = home_state(environment, a);
    struct repository repository;
    char here[PATH_MAX];
    struct stat s;

    if (!home_here(here, &s, e))
        return false;
    repository_find(&(struct repository_ask){ here, home, geteuid(), s.st_uid }, a, &repository);
    out->directory = arena_text(a, str_of(here));
    out->length = strlen(here);
    out->root = arena_text(a, str_of(repository.root));
    out->ask = (struct catalog_ask){ .project = project_above(out->root, a),
                                     .user = home_config(environment, a),
                                     .cache = state ? arena_printf(a, "%s/cache", state) : NULL,
                                     .now_ms = world->wall_ms(world->self) };
    return true;
}

const char *adapters_shown(const struct adapters_here *here, const char *path)
{
    size_t n = here->length;

    return strncmp(path, here->directory, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}
