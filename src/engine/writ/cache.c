/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: the public function about what is remembered: listed, and forgotten. */
#include <writ/adapters.h>

#include "adapter/cache.h"
#include "adapter/golden.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "base/world.h"
#include "contract/codes.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/record.h"

static void put_stamp(const char *key, int64_t ms, struct buf *to)
{
    char text[STAMP_TEXT];

    if (ms)
        stamp_text(ms, text);
    json_put(to, key, ms ? text : NULL);
}

static void put_item(const struct cache_item *item, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "level", caches[item->level].name);
    json_put(to, "key", item->key);
    json_put_int(to, "bytes", item->bytes);
    put_stamp("made", item->made_ms, to);
    put_stamp("ends", item->ends_ms, to);
    json_put_bool(to, "ended", item->ended);
    if (item->about)
        json_put(to, "about", item->about);
    json_close(to, '}');
}

/* They are the project's, have no end, and are said with the file that a person would look at. */
static void put_golden(const struct golden_file *file, struct buf *to)
{
    char key[DIGEST_TEXT];

    digest_text(&file->digest, key);
    json_open(to, '{');
    json_put(to, "level", caches[CACHE_GOLDEN].name);
    json_put(to, "key", key);
    json_put_int(to, "bytes", file->bytes);
    put_stamp("made", file->changed_ms, to);
    put_stamp("ends", 0, to);
    json_put_bool(to, "ended", false);
    json_put(to, "file", file->path);
    json_close(to, '}');
}

/* What is wrong with one is no reason not to list another; the first has code and message. */
static size_t put_unread(const struct golden_files *golden, struct buf *to)
{
    size_t n = 0;

    json_key(to, "unread");
    json_open(to, '[');
    for (size_t i = 0; i < golden->n; i++)
        if (golden->v[i].wrong) {
            json_open(to, '{');
            json_put(to, "file", golden->v[i].path);
            json_put(to, "message", golden->v[i].wrong->msg);
            json_close(to, '}');
            n++;
        }
    json_close(to, ']');
    for (size_t i = 0; n && i < golden->n; i++)
        if (golden->v[i].wrong) {
            json_put(to, "code", codes[golden->v[i].wrong->code].name);
            json_put(to, "message", golden->v[i].wrong->msg);
            break;
        }
    return n;
}

static bool list(const struct cache_place *p, int level, struct buf *to, int *status,
                 struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct cache_items items;
    struct golden_files golden = { 0 };

    if (!cache_list(p, &a, &items, e) ||
        ((level < 0 || level == CACHE_GOLDEN) && !golden_files(home_project(&a), &a, &golden, e)))
        return false;
    json_open(to, '{');
    json_key(to, "items");
    json_open(to, '[');
    for (size_t i = 0; i < items.n; i++)
        if (level < 0 || (int)items.v[i].level == level)
            put_item(&items.v[i], to);
    for (size_t i = 0; i < golden.n; i++)
        if (!golden.v[i].wrong)
            put_golden(&golden.v[i], to);
    json_close(to, ']');
    if (put_unread(&golden, to))
        *status = WRIT_UNAVAILABLE;
    json_close(to, '}');
    return true;
}

static bool forget(const struct cache_place *p, int level, struct buf *to, struct error *e)
{
    size_t removed = 0;

    if (!cache_clear(p, level, &removed, e))
        return false;
    json_open(to, '{');
    json_put_int(to, "removed", (int64_t)removed);
    json_close(to, '}');
    return true;
}

/* The level that was asked for, -1 for all; false: there is no such level, or it is not to be
 * cleared, and *answer says so. */
static bool level_of(const char *name, bool clear, int *level, struct arena *a, char **answer)
{
    *level = name ? cache_level(str_of(name)) : -1;
    if (!name || (*level >= 0 && !(clear && *level == CACHE_GOLDEN)))
        return true;
    if (*level == CACHE_GOLDEN)
        *answer = record_failure(CODE_USAGE,
                                 "golden outputs are files of the project, below .writ/golden: who "
                                 "wants one gone removes its file");
    else
        *answer = record_failure(CODE_USAGE, arena_printf(a,
                                                          "there is no cache %s: adapter-schema, "
                                                          "tool-metadata, execution-results and "
                                                          "golden-outputs are there",
                                                          said(str_of(name), a)));
    return false;
}

int writ_cache(bool clear, const char *level, const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const struct world *world = world_real();
    const char *state = home_state(environment, &a);
    struct cache_place place = { .now_ms = world->wall_ms(world->self) };
    struct error e;
    int which, status = WRIT_OK;

    if (!level_of(level, clear, &which, &a, answer))
        return WRIT_USAGE;
    if (state)
        place.directory = arena_printf(&a, "%s/cache", state);
    if (clear ? !forget(&place, which, &out, &e) : !list(&place, which, &out, &status, &e))
        return record_unread(&e, answer);
    return take_answer(&out, status, answer);
}
