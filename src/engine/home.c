/* SPDX-License-Identifier: Apache-2.0 */
/* home.c: finds the state and configuration directories, the ledger, and programs that come with
 * writ. */
#include "engine/home.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/companion.h"
#include "base/digest.h"
#include "base/variable.h"
#include "contract/codes.h"
#include "route/carrier.h"

const char *home_variable(const char *const *environment, const char *name)
{
    return variable_of(environment, str_of(name));
}

const char *const *home_states(const char *const *environment, struct arena *a)
{
    const char *state = home_variable(environment, "WRIT_STATE"),
               *xdg = home_variable(environment, "XDG_STATE_HOME"),
               *home = home_variable(environment, "HOME");
    const char **all = arena_alloc(a, 4 * sizeof *all);
    size_t n = 0;

    if (state && *state)
        all[n++] = state;
    if (xdg && *xdg == '/')
        all[n++] = arena_printf(a, "%s/writ", xdg);
    if (home && *home == '/')
        all[n] = arena_printf(a, "%s/.local/state/writ", home);
    return all;
}

const char *home_state(const char *const *environment, struct arena *a)
{
    return home_states(environment, a)[0];
}

const char *home_config(const char *const *environment, struct arena *a)
{
    const char *xdg = home_variable(environment, "XDG_CONFIG_HOME"),
               *home = home_variable(environment, "HOME");

    if (xdg && *xdg == '/')
        return arena_printf(a, "%s/writ", xdg);
    return home && *home == '/' ? arena_printf(a, "%s/.config/writ", home) : NULL;
}

/* What a variable names, if it does, and what it is without that. */
static const char *const *both(const char *const *environment, const char *variable,
                               const char *below_home, struct arena *a)
{
    const char *xdg = home_variable(environment, variable),
               *home = home_variable(environment, "HOME");
    const char **found = arena_alloc(a, 3 * sizeof *found);
    size_t n = 0;

    if (xdg && *xdg == '/')
        found[n++] = xdg;
    if (home && *home == '/')
        found[n++] = arena_printf(a, "%s/%s", home, below_home);
    return found;
}

const char *const *home_settings(const char *const *environment, struct arena *a)
{
    return both(environment, "XDG_CONFIG_HOME", ".config", a);
}

const char *const *home_caches(const char *const *environment, struct arena *a)
{
    return both(environment, "XDG_CACHE_HOME", ".cache", a);
}

const char *home_cache(const char *const *environment, struct arena *a)
{
    const char *first = home_caches(environment, a)[0];

    return first ? arena_printf(a, "%s/writ", first) : NULL;
}

/* What lies in a directory that everybody may write, such as /tmp, is not everybody's project: it
 * belongs to us, to root, or to whom the directory belongs that we are in. */
static bool is_ours(const char *file, uid_t owner)
{
    const char *slash = strrchr(file, '/');
    char dir[PATH_MAX];
    struct stat s, d;

    (void)snprintf(dir, sizeof dir, "%.*s", (int)(slash - file), file);
    if (stat(file, &s) != 0 || stat(*dir ? dir : "/", &d) != 0)
        return false;
    return (s.st_uid == 0 || s.st_uid == geteuid() || s.st_uid == owner) &&
           (d.st_uid == 0 || d.st_uid == geteuid() || d.st_uid == owner);
}

/* The nearest that is ours, or that is not; what is ours ends the search for what is not. */
static const char *find_above(const char *from, const char *name, bool ours, struct arena *a)
{
    char *at = arena_text(a, str_of(from));
    struct stat here = { .st_uid = geteuid() };

    (void)stat(from, &here);
    for (;;) {
        char *slash = strrchr(at, '/');
        const char *file = arena_printf(a, "%s/%s", at, name);

        if (access(file, F_OK) == 0) {
            bool is = is_ours(file, here.st_uid);

            if (is || !ours)
                return is == ours ? file : NULL;
        }
        if (!slash)
            return NULL;
        *slash = '\0';
    }
}

const char *home_above(const char *from, const char *name, struct arena *a)
{
    return find_above(from, name, true, a);
}

const char *home_passed_over(const char *from, const char *name, struct arena *a)
{
    return find_above(from, name, false, a);
}

const char *home_part(struct str id, struct arena *a)
{
    enum { LONGEST = 128 };
    struct digest d = digest_of(id.s, id.n);
    bool plain = id.n > 0 && id.n <= LONGEST && id.s[0] != '.';
    char text[DIGEST_TEXT];

    for (size_t i = 0; i < id.n && plain; i++)
        plain = (id.s[i] >= 'a' && id.s[i] <= 'z') || (id.s[i] >= 'A' && id.s[i] <= 'Z') ||
                (id.s[i] >= '0' && id.s[i] <= '9') || is_one_of(id.s[i], "-_.");
    if (plain)
        return arena_text(a, id);
    digest_text(&d, text);
    return arena_text(a, str_of(text + strlen("sha256:")));
}

bool home_here(char *out, struct stat *s, struct error *e)
{
    errno = ENOENT; /* of a name that begins elsewhere the system says no more */
    if (getcwd(out, PATH_MAX) && out[0] == '/' && (!s || stat(out, s) == 0))
        return true;
    return error_sys(e, CODE_IO, "the current directory has no name");
}

const char *home_project(struct arena *a)
{
    static const char *const marks[] = { "/.writ/golden", "/.writ" };
    char here[PATH_MAX];

    if (!getcwd(here, sizeof here) || here[0] != '/')
        return ".";
    for (size_t i = 0; i < COUNT(marks); i++) {
        const char *found = home_above(here, marks[i] + 1, a);

        if (found)
            return arena_text(a, (struct str){ found, strlen(found) - strlen(marks[i]) });
    }
    return arena_text(a, str_of(here));
}

const char *home_ledger(const char *given, const char *const *environment, struct arena *a)
{
    const char *ledger = home_variable(environment, "WRIT_LEDGER");
    const char *state = home_state(environment, a);

    if (given)
        return given;
    if (ledger && *ledger)
        return ledger;
    return state ? arena_printf(a, "%s/ledger.db", state) : NULL;
}

static const char *in_state(const char *name, const char *const *environment, struct arena *a)
{
    const char *state = home_state(environment, a);

    return state ? arena_printf(a, "%s/%s", state, name) : NULL;
}

const char *home_evidence(const char *const *environment, struct arena *a)
{
    return in_state("evidence", environment, a);
}

const char *home_executors(const char *const *environment, struct arena *a)
{
    return in_state("executors", environment, a);
}

const char *home_program(const char *name, const char *const *environment, struct arena *a)
{
    return companion(name, home_variable(environment, "WRIT_LIBEXEC"), a);
}

const char *home_writ(const char *const *environment, struct arena *a)
{
    const char *found = companion("writ", NULL, a);

    if (!found)
        found = carrier_find("writ", (char *const *)environment, a);
    return found ? found : "writ";
}
