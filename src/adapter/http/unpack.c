/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.c: unpacks by zlib, the only file that knows it. */
#include "adapter/http/unpack.h"

#define ZLIB_CONST /* what is read is not written */
#include <zlib.h>

enum {
    ROOM = 32 << 10,
    ANY_HEAD = 15 + 32, /* the largest window; the head of gzip or of zlib says which it is */
};

struct unpack {
    z_stream z;
    bool begun, ended; /* several may stand one after the other, as gzip allows */
    bool more;         /* there was no room for all of it */
    size_t eaten;      /* of a piece that comes again */
    size_t n;          /* in `out`, not taken yet */
    char out[ROOM];
};

bool unpack_knows(struct str name)
{
    static const char *const names[] = { "gzip", "x-gzip", "deflate" };

    for (size_t i = 0; i < COUNT(names); i++)
        if (name.n == strlen(names[i]) && str_cmp_letters(name, str_of(names[i])) == 0)
            return true;
    return false;
}

struct unpack *unpack_open(void)
{
    struct unpack *u = mem_zeroed(sizeof *u);

    if (inflateInit2(&u->z, ANY_HEAD) == Z_OK)
        return u;
    free(u);
    return NULL;
}

void unpack_close(struct unpack *u)
{
    if (!u)
        return;
    (void)inflateEnd(&u->z);
    explicit_bzero(u->out, sizeof u->out);
    free(u);
}

/* Fills `out` from the rest of a piece, and says how much of it is left. */
static bool fill(struct unpack *u, struct str rest, size_t *left)
{
    int end;

    if (u->ended && inflateReset(&u->z) != Z_OK)
        return false;
    u->ended = false;
    u->begun = true;
    u->z.next_in = (const Bytef *)rest.s;
    u->z.avail_in = (uInt)rest.n;
    u->z.next_out = (Bytef *)u->out;
    u->z.avail_out = sizeof u->out;
    end = inflate(&u->z, Z_NO_FLUSH);
    u->n = sizeof u->out - u->z.avail_out;
    u->ended = end == Z_STREAM_END;
    u->more = !u->ended && u->z.avail_out == 0;
    *left = u->z.avail_in;
    return u->ended || end == Z_OK || end == Z_BUF_ERROR;
}

enum unpack_took unpack_feed(struct unpack *u, struct str piece,
                             enum web_take (*take)(void *self, struct str bytes), void *self)
{
    size_t at = u->eaten < piece.n ? u->eaten : piece.n, left;

    u->eaten -= at;
    for (;;) {
        enum web_take took = u->n ? take(self, (struct str){ u->out, u->n }) : WEB_TAKEN;

        if (took == WEB_HOLD)
            u->eaten = at;
        if (took != WEB_TAKEN)
            return took == WEB_HOLD ? UNPACK_HOLD : UNPACK_STOP;
        u->n = 0;
        if (at == piece.n && !u->more)
            return UNPACK_TAKEN;
        if (!fill(u, (struct str){ piece.s + at, piece.n - at }, &left))
            return UNPACK_ODD;
        at = piece.n - left;
    }
}

bool unpack_whole(const struct unpack *u)
{
    return u->ended || !u->begun;
}
