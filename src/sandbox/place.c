/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: a jail copied into memory that is shared, with everything that it points to. */
#include "sandbox/place.h"

#include <string.h>
#include <sys/mman.h>

#include "sandbox/root.h"

struct place *places_map(void)
{
    const int rights = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_ANONYMOUS;
    struct place *places;

    /* cppcheck-suppress invalidFunctionArg ; memory of no file has no descriptor */
    places = mmap(NULL, PLACES * sizeof *places, rights, kind, -1, 0);
    if (places == MAP_FAILED)
        return NULL;
    return places;
}

void places_unmap(struct place *places)
{
    if (places)
        (void)munmap(places, PLACES * sizeof *places);
}

/* ---- copying ---- */

struct copy {
    char *at, *end;
};

static void *copy_bytes(struct copy *c, const void *bytes, size_t n)
{
    size_t room = (n + 15) & ~(size_t)15;
    void *to = c->at;

    if ((size_t)(c->end - c->at) < room) {
        c->at = c->end = NULL; /* nothing fits any more, and the caller asks once */
        return NULL;
    }
    c->at += room;
    if (n > 0)
        memcpy(to, bytes, n);
    return to;
}

static char *copy_text(struct copy *c, const char *text)
{
    return c->at ? copy_bytes(c, text, strlen(text) + 1) : NULL;
}

static char *const *copy_texts(struct copy *c, char *const *texts)
{
    size_t n = 0;
    char **list;

    while (texts[n])
        n++;
    list = c->at ? copy_bytes(c, texts, (n + 1) * sizeof *texts) : NULL;
    for (size_t i = 0; list && i < n; i++)
        list[i] = copy_text(c, texts[i]);
    return list;
}

/* Of the root only what lies in directories that every run has for itself. */
static void copy_root(struct copy *c, const struct jail *from, struct jail *to)
{
    to->dirs = c->at ? copy_bytes(c, from->dirs, from->dir_count * sizeof *from->dirs) : NULL;
    to->mounts =
        c->at ? copy_bytes(c, from->mounts, from->mount_count * sizeof *from->mounts) : NULL;
    to->files = c->at ? copy_bytes(c, from->files, from->file_count * sizeof *from->files) : NULL;
    to->dir_count = to->mount_count = to->file_count = to->link_count = 0;
    for (size_t i = 0; c->at && i < from->dir_count; i++)
        if (root_is_in_scratch(from->dirs[i]))
            to->dirs[to->dir_count++] = copy_text(c, from->dirs[i]);
    for (size_t i = 0; c->at && i < from->mount_count; i++) {
        struct jail_mount m = from->mounts[i];

        if (m.shown || !root_is_scratch(m.to))
            continue;
        m.from = m.to = copy_text(c, m.to);
        to->mounts[to->mount_count++] = m;
    }
    for (size_t i = 0; c->at && i < from->file_count; i++)
        if (root_is_scratch(from->files[i].path))
            to->files[to->file_count++] = (struct jail_file){ copy_text(c, from->files[i].path),
                                                              copy_text(c, from->files[i].text) };
}

bool place_walls(struct place *place, const struct jail *jail)
{
    struct jail *to = &place->jail;
    struct copy c = { place->text, place->text + sizeof place->text };

    *to = *jail;
    to->place = place;
    to->in_berth = true;
    to->owner = place->owner;
    to->late_groups = true;
    to->line = to->far_end = -1;
    to->cgroup = (struct cgroup){ 0 };
    to->path = to->cwd = NULL;
    to->argv = to->env = NULL;
    for (int i = 0; i < STREAM_COUNT; i++)
        to->streams[i] = -1;
    copy_root(&c, jail, to);
    to->scratch_size = copy_text(&c, jail->scratch_size);
    to->rules = c.at ? copy_bytes(&c, jail->rules, jail->rule_count * sizeof *jail->rules) : NULL;
    for (size_t i = 0; to->rules && i < jail->rule_count; i++)
        to->rules[i].path = copy_text(&c, jail->rules[i].path);
    place->rest = c.at;
    atomic_store(&place->state, PLACE_WAITS);
    return c.at != NULL;
}

bool place_command(struct place *place, const struct jail *jail)
{
    struct jail *to = &place->jail;
    struct copy c = { place->rest, place->text + sizeof place->text };

    to->dev = jail->dev;
    to->ino = jail->ino;
    to->most_ms = jail->most_ms;
    to->path = copy_text(&c, jail->path);
    to->cwd = copy_text(&c, jail->cwd);
    to->argv = copy_texts(&c, jail->argv);
    to->env = copy_texts(&c, jail->env);
    return c.at != NULL;
}

/* ---- comparing ---- */

static bool have_same_rules(const struct jail *a, const struct jail *b)
{
    if (a->rule_count != b->rule_count)
        return false;
    for (size_t i = 0; i < a->rule_count; i++)
        if (a->rules[i].writable != b->rules[i].writable ||
            strcmp(a->rules[i].path, b->rules[i].path) != 0)
            return false;
    return true;
}

bool place_has_walls_of(const struct place *place, const struct jail *jail)
{
    const struct jail *built = &place->jail;

    return built->cores == jail->cores && strcmp(built->scratch_size, jail->scratch_size) == 0 &&
           built->asks == jail->asks && built->seccomp.count == jail->seccomp.count &&
           memcmp(built->seccomp.code, jail->seccomp.code,
                  jail->seccomp.count * sizeof jail->seccomp.code[0]) == 0 &&
           have_same_rules(built, jail);
}
