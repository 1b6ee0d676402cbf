/* SPDX-License-Identifier: Apache-2.0 */
/* value.c: values are got and put. */
#include "adapter/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "adapter/cache/parts.h"
#include "base/fs.h"

struct digest cache_key(const struct str *texts, size_t n)
{
    struct sha256 s;

    /* Each with its length before it: ["ab",""] is not ["a","b"]. */
    sha256_begin(&s);
    for (size_t i = 0; i < n; i++) {
        uint64_t length = texts[i].n;
        uint8_t eight[8];

        for (size_t k = 0; k < sizeof eight; k++)
            eight[k] = (uint8_t)(length >> (8 * k));
        sha256_add(&s, eight, sizeof eight);
        sha256_add(&s, texts[i].s, texts[i].n);
    }
    return sha256_end(&s);
}

/* ---- where ---- */

struct spot {
    const char *directory, *path;
    char key[DIGEST_TEXT];
    const char *name; /* the digits of the key */
    bool unseen;      /* nobody sees the end of its session */
};

static bool spot_of(const struct cache_place *p, enum cache level, const struct digest *key,
                    struct arena *a, struct spot *out)
{
    char session[SESSION_NAME] = "";

    if (!p->directory || level >= CACHE_GOLDEN || (level == CACHE_RESULTS && !p->session))
        return false;
    digest_text(key, out->key);
    out->name = out->key + sizeof "sha256:" - 1;
    out->directory = cache_directory(p->directory, level, a);
    out->unseen = false;
    if (level == CACHE_RESULTS) {
        session_directory(p->session, session);
        out->directory = arena_printf(a, "%s/%s", out->directory, session);
        out->unseen = !session_is_seen(session);
    }
    out->path = arena_printf(a, "%s/%s", out->directory, out->name);
    return true;
}

/* ---- getting ---- */

bool cache_get(const struct cache_place *p, enum cache level, const struct digest *key,
               struct arena *a, struct str *out)
{
    _fd_ int fd = -1;
    struct spot spot;
    struct cache_head head;
    struct stat s;
    struct str text;
    struct error e;

    if (!spot_of(p, level, key, a, &spot))
        return false;
    fd = open(spot.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &s) != 0 || !cache_file_ours(&s) ||
        !fd_read(fd, (size_t)cache_sizes[level].value_bytes + CACHE_HEAD, a, &text, &e))
        return false;
    if (!cache_head_read(text, level, spot.name, &head) || !cache_head_holds(&head, p->now_ms) ||
        !cache_head_fits(text, &head))
        return false;
    *out = (struct str){ text.s + head.length, text.n - head.length };
    return true;
}

/* ---- putting ---- */

/* Nothing is synced: what a power cut tears has the wrong digest. Its time is when it was made, so
 * that who sweeps need not open it. */
static bool write_new(const struct spot *spot, struct str head, struct str value, int64_t made_ms)
{
    _arena_ struct arena a = { 0 };
    char *beside = arena_printf(&a, "%s/.new-XXXXXX", spot->directory);
    struct timespec made = { made_ms / 1000, made_ms % 1000 * 1000000 };
    _fd_ int fd = mkostemp(beside, O_CLOEXEC);
    int why;

    if (fd < 0)
        return false;
    if (fd_write(fd, head) && fd_write(fd, value) &&
        futimens(fd, (struct timespec[]){ made, made }) == 0 && rename(beside, spot->path) == 0)
        return true;
    why = errno;
    (void)unlink(beside);
    errno = why;
    return false;
}

/* The directory may not be there yet, and may go while we write: somebody clears. */
static bool write_value(const struct spot *spot, struct str head, struct str value, int64_t made_ms,
                        struct error *e)
{
    for (int tries = 0; tries < 32; tries++) {
        if (write_new(spot, head, value, made_ms))
            return true;
        if (errno != ENOENT)
            break;
        if (!fs_make_dirs(spot->directory, e) && e->sys != ENOENT)
            return false;
    }
    return error_sys(e, ERROR_IO, "%s cannot be written", spot->path);
}

bool cache_put(const struct cache_place *p, enum cache level, const struct digest *key,
               struct str value, struct error *e)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf line = { .max = CACHE_HEAD };
    struct cache_head head = { .made_ms = p->now_ms, .bytes = (int64_t)value.n, .about = p->about };
    struct spot spot;

    if (!spot_of(p, level, key, &a, &spot))
        return error_set(e, ERROR_IO, "there is no %s to remember it in",
                         p->directory && level == CACHE_RESULTS ? "session" : "directory");
    if (head.bytes > cache_sizes[level].value_bytes)
        return error_set(e, ERROR_CEILING, "has %zu bytes, at most %lld are remembered", value.n,
                         (long long)cache_sizes[level].value_bytes);
    if (caches[level].ttl_ms || spot.unseen)
        head.ends_ms = p->now_ms + (caches[level].ttl_ms ? caches[level].ttl_ms : DAY_MS);
    cache_head_write(level, spot.name, &head, value, &line);
    if (!write_value(&spot, buf_str(&line), value, p->now_ms, e))
        return false;
    cache_sweep(spot.directory, level, &(struct cache_put){ spot.name, head.bytes }, p->now_ms);
    if (level == CACHE_RESULTS)
        cache_sweep_sessions(cache_directory(p->directory, level, &a), p->now_ms);
    return true;
}
