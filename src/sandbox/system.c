/* SPDX-License-Identifier: Apache-2.0 */
/* system.c: the table of system paths, and what lies there. */
#include "sandbox/system.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/version.h"

enum system_when { WHEN_ALWAYS, WHEN_NETWORK, WHEN_RAW };

struct system_row {
    const char *path, *holds;
    enum system_when when;
};

/* clang-format off */
static const struct system_row rows[] = {
    { "/usr",                  "programs and libraries",        WHEN_ALWAYS },
    { "/bin",                  "programs",                      WHEN_ALWAYS },
    { "/sbin",                 "programs",                      WHEN_ALWAYS },
    { "/lib",                  "libraries",                     WHEN_ALWAYS },
    { "/lib64",                "libraries",                     WHEN_ALWAYS },
    { "/lib32",                "libraries",                     WHEN_ALWAYS },
    { "/libx32",               "libraries",                     WHEN_ALWAYS },
    { "/nix/store",            "programs and libraries",        WHEN_ALWAYS },
    { "/gnu/store",            "programs and libraries",        WHEN_ALWAYS },
    { "/etc/ld.so.cache",      "where libraries are",           WHEN_ALWAYS },
    { "/etc/alternatives",     "which program a name means",    WHEN_ALWAYS },
    { "/etc/java-8-openjdk",   "settings of the Java runtime",  WHEN_ALWAYS },
    { "/etc/java-11-openjdk",  "settings of the Java runtime",  WHEN_ALWAYS },
    { "/etc/java-17-openjdk",  "settings of the Java runtime",  WHEN_ALWAYS },
    { "/etc/java-21-openjdk",  "settings of the Java runtime",  WHEN_ALWAYS },
    { "/etc/java-25-openjdk",  "settings of the Java runtime",  WHEN_ALWAYS },
    { "/etc/maven/m2.conf",    "how Maven starts",              WHEN_ALWAYS },
    { "/etc/maven/logging",    "settings of Maven's log",       WHEN_ALWAYS },
    { "/etc/ssl",              "certificates",                  WHEN_NETWORK },
    { "/etc/pki",              "certificates",                  WHEN_NETWORK },
    { "/etc/ca-certificates",  "certificates",                  WHEN_NETWORK },
    { "/etc/resolv.conf",      "the name servers",              WHEN_RAW },
    { "/etc/hosts",            "names of hosts",                WHEN_RAW },
};

static const char *const when_names[] = { "always", "with a network", "with the network of the host" };

static const struct column columns[] = {
    { "path",  COLUMN_TEXT, offsetof(struct system_row, path) },
    { "holds", COLUMN_TEXT, offsetof(struct system_row, holds) },
    { "when",  COLUMN_NAME, offsetof(struct system_row, when), when_names },
};
/* clang-format on */

const struct table system_table = {
    .name = "system",
    .about = "Paths of the system that every command can read, so that it can start.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(rows),
};

bool system_has(const char *path)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].when == WHEN_ALWAYS && path_is_in(path, rows[i].path))
            return true;
    return false;
}

/* Of these not what lies below: people and services keep their own work there. */
static const char *const roots[] = { "/opt", "/run", "/srv" };

/* Sources that somebody unpacked, each in a directory of its own. */
static const char *const sources[] = { "/usr/src/", "/usr/local/src/" };

static bool is_at_systems_place(const char *path)
{
    for (size_t i = 0; i < COUNT(sources); i++)
        if (strncmp(path, sources[i], strlen(sources[i])) == 0)
            return false;
    for (size_t i = 0; i < COUNT(roots); i++)
        if (strcmp(path, roots[i]) == 0)
            return true;
    return path_is_in(path, "/boot") || system_has(path);
}

/* Some have the homes of people below /usr. One that is root's, as /usr/sbin of a service, is none
 * of these. What a person has built into a store of programs stays as it is. */
static bool is_a_persons(const struct grant *found, const char *home, struct arena *a)
{
    struct grant at = { 0 };
    struct error e;

    if (!path_is_in(found->path, "/usr"))
        return false;
    if (found->owner != 0 && found->owner == geteuid())
        return true;
    return home && grant_find("/", home, a, &at, &e) && at.owner != 0 &&
           path_is_in(found->path, at.path);
}

bool system_owns(const struct grant *found, const char *home, struct arena *a)
{
    return is_at_systems_place(found->path) && !is_a_persons(found, home, a);
}

/* ---- what lies there ---- */

enum { LINK_KEPT = 64 };

enum state { UNKNOWN, ABSENT, LINK, THERE };

struct answer {
    enum state state;
    char to[LINK_KEPT]; /* of a link */
    struct grant grant; /* of what is there */
};

struct system_known {
    pthread_mutex_t lock;
    bool holds;
    unsigned mounts;          /* their age, as kept.c counts */
    struct version root, etc; /* as they were before the answers were found */
    struct answer answers[COUNT(rows)];
};

struct system_known *system_known_new(void)
{
    struct system_known *known = mem_zeroed(sizeof *known);

    (void)pthread_mutex_init(&known->lock, NULL);
    return known;
}

void system_known_free(struct system_known *known)
{
    if (!known)
        return;
    (void)pthread_mutex_destroy(&known->lock);
    free(known);
}

/* Under the lock. True: answers can be taken from it and put into it. */
static bool is_of_use(struct system_known *known, unsigned mounts, int64_t now_ms)
{
    struct stat root, etc;

    if (lstat("/", &root) != 0 || lstat("/etc", &etc) != 0 || !S_ISDIR(etc.st_mode))
        return false;
    if (known->holds && known->mounts == mounts && version_is(&known->root, &root) &&
        version_is(&known->etc, &etc))
        return true;
    memset(known->answers, 0, sizeof known->answers);
    known->holds = version_is_settled(&root, now_ms) && version_is_settled(&etc, now_ms);
    known->mounts = mounts;
    known->root = version_of(&root);
    known->etc = version_of(&etc);
    return known->holds;
}

/* Does the answer follow from the names in / and /etc alone? */
static bool is_to_be_kept(const struct system_row *row, const struct answer *answer)
{
    struct str above = { row->path, (size_t)(strrchr(row->path, '/') - row->path) };
    char dir[LINK_KEPT];
    struct stat s;

    if (answer->state == LINK)
        return true;
    if (answer->state == THERE && strcmp(answer->grant.path, row->path) != 0)
        return false;
    if (above.n == 0 || str_is(above, "/etc"))
        return true;
    if (answer->state != ABSENT || above.n >= sizeof dir)
        return false;
    memcpy(dir, above.s, above.n);
    dir[above.n] = '\0';
    return !strchr(dir + 1, '/') && lstat(dir, &s) != 0 && errno == ENOENT;
}

/* The text of a link, or NULL where it is none. */
static const char *link_at(const struct system_row *row, struct arena *a)
{
    char to[PATH_MAX];
    bool top = !strchr(row->path + 1, '/');
    ssize_t n = top ? readlink(row->path, to, sizeof to) : -1;

    return n > 0 ? arena_text(a, (struct str){ to, (size_t)n }) : NULL;
}

static void add_link(struct system_links *links, const struct system_row *row, const char *to)
{
    links->v[links->n++] = (struct system_link){ row->path + 1, to };
}

static void look(const struct system_row *row, struct system_links *links, struct grants *g,
                 struct answer *out)
{
    struct grant found = { .access = ACCESS_READ, .why = GRANT_SYSTEM, .implied = true };
    const char *to = link_at(row, g->a);
    struct error e = { 0 };

    if (to && links->n < SYSTEM_LINKS) {
        add_link(links, row, to);
        if (strlen(to) < sizeof out->to) {
            out->state = LINK;
            memcpy(out->to, to, strlen(to) + 1);
        }
    } else if (grant_find("/", row->path, g->a, &found, &e)) {
        grants_add(g, &found);
        *out = (struct answer){ .state = THERE, .grant = found };
    } else if (e.sys == ENOENT && !to) {
        out->state = ABSENT;
    }
}

/* As it was found before; the path is the row's own. */
static bool recall(const struct answer *answer, const struct system_row *row,
                   struct system_links *links, struct grants *g)
{
    if (answer->state == UNKNOWN || (answer->state == LINK && links->n == SYSTEM_LINKS))
        return false;
    if (answer->state == LINK)
        add_link(links, row, arena_text(g->a, str_of(answer->to)));
    if (answer->state == THERE)
        grants_add(g, &answer->grant);
    return true;
}

static bool wanted(enum system_when when, const struct system_ask *ask)
{
    return when == WHEN_ALWAYS || (when == WHEN_NETWORK && ask->network) ||
           (when == WHEN_RAW && ask->raw);
}

static void grant_rows(struct system_known *known, const struct system_ask *ask,
                       struct system_links *links, struct grants *g)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct answer answer = { 0 };

        if (!wanted(rows[i].when, ask) || (known && recall(&known->answers[i], &rows[i], links, g)))
            continue;
        look(&rows[i], links, g, &answer);
        if (!known || answer.state == UNKNOWN || !is_to_be_kept(&rows[i], &answer))
            continue;
        known->answers[i] = answer;
        known->answers[i].grant.path = rows[i].path; /* the same text, for as long as we live */
    }
}

void system_grant(const struct system_ask *ask, struct system_links *links, struct grants *g)
{
    struct system_known *known = ask->known;

    if (!known) {
        grant_rows(NULL, ask, links, g);
        return;
    }
    (void)pthread_mutex_lock(&known->lock);
    grant_rows(is_of_use(known, ask->mounts, ask->now_ms) ? known : NULL, ask, links, g);
    (void)pthread_mutex_unlock(&known->lock);
}
