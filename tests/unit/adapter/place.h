/* SPDX-License-Identifier: Apache-2.0 */
/* place.h: a project, a user and a cache in a directory of their own, and adapters in them.
 *
 * Include it after cmocka.h.
 */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "adapter/catalog.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/world.h"

struct place {
    char path[64];
    struct arena a;
    struct catalog_ask ask;
    struct catalog c;
    struct error e;
};

static inline const char *place_path(struct place *p, const char *name)
{
    return arena_printf(&p->a, "%s/%s", p->path, name);
}

/* A minute from now, files of this moment are old enough to be believed. */
static inline int place_setup(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    const struct world *world = world_real();

    assert_non_null(p);
    strcpy(p->path, "/tmp/writ-catalog-XXXXXX");
    assert_non_null(mkdtemp(p->path));
    p->ask = (struct catalog_ask){ .project = place_path(p, "project"),
                                   .user = place_path(p, "user"),
                                   .cache = place_path(p, "cache"),
                                   .now_ms = world->wall_ms(world->self) + 60000 };
    *state = p;
    return 0;
}

static inline int place_teardown(void **state)
{
    struct place *p = *state;
    struct error e;

    assert_true(fs_remove(p->path, &e));
    arena_free(&p->a);
    free(p);
    return 0;
}

/* A file below the place, as it is from now on. */
static inline void place_put(struct place *p, const char *name, const char *text)
{
    char *path = arena_text(&p->a, str_of(place_path(p, name)));
    int fd;

    *strrchr(path, '/') = '\0';
    assert_true(fs_make_dirs(path, &p->e));
    fd = open(place_path(p, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
}

/* A whole adapter of that id, for that tool. */
static inline void place_adapter(struct place *p, const char *file, const char *id,
                                 const char *tool, const char *more)
{
    place_put(p, file,
              arena_printf(&p->a,
                           "adapter_id: %s\nname: name-of-%s\nversion: \"1.0.0\"\ntool_id: %s\n"
                           "type: cli\n%sinterface:\n  cli:\n    executable: env\n    "
                           "base_args: []\n    arg_mapping: {}\n    env_mapping: {}\n"
                           "metadata: {author: me, created: \"2026-01-16\", updated: "
                           "\"2026-01-16\", status: active}\n",
                           id, id, tool, more));
}

static inline const struct catalog *place_list(struct place *p)
{
    assert_true(catalog_list(&p->ask, &p->a, &p->c, &p->e));
    return &p->c;
}

static inline const struct catalog_entry *place_entry(const struct catalog *c, const char *id,
                                                      enum origin origin)
{
    for (size_t i = 0; i < c->n; i++)
        if (str_is(c->v[i].adapter_id, id) && c->v[i].origin == origin)
            return &c->v[i];
    return NULL;
}
