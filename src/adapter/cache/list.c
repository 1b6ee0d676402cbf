/* SPDX-License-Identifier: Apache-2.0 */
/* list.c: what is remembered, by the first line of each file. */
#include "adapter/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "adapter/cache/parts.h"

struct listing {
    struct cache_items items;
    size_t room;
    struct session_eye eye;
    struct arena *a;
};

/* The digest is not computed: who lists a cache does not read all of it. */
static bool head_of(const char *path, enum cache level, const struct cache_entry *x,
                    struct arena *a, struct cache_head *out)
{
    char bytes[CACHE_HEAD];
    _fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : pread(fd, bytes, sizeof bytes, 0);
    struct str text = { bytes, n > 0 ? (size_t)n : 0 };

    if (!cache_file_ours(&x->s))
        return false;
    if (level == CACHE_ADAPTERS && cache_is_index(text)) {
        out->ends_ms = out->made_ms + caches[level].ttl_ms;
        return true;
    }
    if (!cache_head_read(text, level, x->name, out) ||
        x->s.st_size != (int64_t)out->length + out->bytes) {
        out->about = (struct str){ 0 };
        return false;
    }
    out->about.s = arena_text(a, out->about); /* the line goes */
    return true;
}

static void list_value(struct listing *l, enum cache level, const char *directory,
                       const struct cache_entry *x, bool ended)
{
    struct cache_item item = { .level = level, .ended = true };
    struct cache_head head = { .made_ms = (int64_t)x->s.st_mtim.tv_sec * 1000,
                               .bytes = x->s.st_size };

    if (head_of(arena_printf(l->a, "%s/%s", directory, x->name), level, x, l->a, &head))
        item.ended = ended || !cache_head_holds(&head, l->eye.now_ms);
    memcpy(item.key, "sha256:", sizeof "sha256:" - 1);
    memcpy(item.key + sizeof "sha256:" - 1, x->name, CACHE_KEY + 1);
    item.bytes = head.bytes;
    item.made_ms = head.made_ms;
    item.ends_ms = head.ends_ms;
    item.about = head.about.n ? head.about.s : NULL;
    l->items.v = arena_more(l->a, l->items.v, l->items.n, &l->room, sizeof item);
    l->items.v[l->items.n++] = item;
}

static void list_values(struct listing *l, enum cache level, const char *directory, bool ended)
{
    struct cache_entries all = cache_entries(directory, false, l->a);

    for (size_t i = 0; i < all.n; i++)
        if (cache_is_key(all.v[i].name))
            list_value(l, level, directory, &all.v[i], ended);
}

static void list_sessions(struct listing *l, const char *directory)
{
    struct cache_entries all = cache_entries(directory, true, l->a);

    for (size_t i = 0; i < all.n; i++)
        if (session_is_one(all.v[i].name))
            list_values(l, CACHE_RESULTS, arena_printf(l->a, "%s/%s", directory, all.v[i].name),
                        session_ended(&l->eye, all.v[i].name, &all.v[i].s));
}

static int by_level_and_age(const void *a, const void *b)
{
    const struct cache_item *x = a, *y = b;

    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->made_ms != y->made_ms)
        return x->made_ms < y->made_ms ? -1 : 1;
    return strcmp(x->key, y->key);
}

bool cache_list(const struct cache_place *p, struct arena *a, struct cache_items *out,
                struct error *e)
{
    struct listing l = { .a = a };

    session_look(&l.eye, p->now_ms);
    for (int i = 0; p->directory && i < CACHE_GOLDEN; i++) {
        const char *directory = cache_directory(p->directory, (enum cache)i, a);

        if (access(directory, R_OK | X_OK) != 0 && errno != ENOENT)
            return error_sys(e, ERROR_IO, "%s cannot be read", directory);
        if (i == CACHE_RESULTS)
            list_sessions(&l, directory);
        else
            list_values(&l, (enum cache)i, directory, false);
    }
    if (l.items.n)
        qsort(l.items.v, l.items.n, sizeof *l.items.v, by_level_and_age);
    *out = l.items;
    return true;
}
