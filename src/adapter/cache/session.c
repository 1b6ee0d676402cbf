/* SPDX-License-Identifier: Apache-2.0 */
/* session.c: which session this is, and whether another one has ended.
 *
 * The name of a session's directory says how its end is seen:
 *
 *     sid-<number>-<start of its leader>-<where>   it ends with its leader
 *     name-<digest>                                nobody sees its end
 *
 * `where` is this boot of this machine and this space of process numbers. From elsewhere (another
 * container, another machine on the same disk) the leader cannot be seen either.
 */
#include "adapter/cache.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "adapter/cache/parts.h"
#include "base/process.h"
#include "base/variable.h"

static size_t read_some(const char *path, char *to, size_t room)
{
    _fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);

    to[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* When the leader of a session began. False: it is gone, or dead and only waited for. */
static bool leader_start(long pid, uint64_t *out)
{
    struct process leader;

    if (!process_look(pid, &leader) || leader.state == 'Z' || leader.state == 'X')
        return false;
    *out = (uint64_t)leader.start;
    return true;
}

static void short_digest(const void *bytes, size_t n, size_t digits, char *out)
{
    struct digest d = digest_of(bytes, n);
    char text[DIGEST_TEXT];

    digest_text(&d, text);
    memcpy(out, text + sizeof "sha256:" - 1, digits);
    out[digits] = '\0';
}

void session_look(struct session_eye *eye, int64_t now_ms)
{
    char text[256];
    size_t n = read_some("/proc/sys/kernel/random/boot_id", text, 64);
    ssize_t space = readlink("/proc/self/ns/pid", text + n, sizeof text - n);

    *eye = (struct session_eye){ .now_ms = now_ms };
    if (n > 0 && space > 0)
        short_digest(text, n + (size_t)space, sizeof eye->here - 1, eye->here);
}

const char *cache_session(const char *const *environment, struct arena *a)
{
    const char *named = variable_of(environment, str_of("WRIT_SESSION"));
    long sid = (long)getsid(0);
    struct session_eye eye;
    uint64_t start;

    if (named && *named)
        return arena_printf(a, "named %s", named);
    session_look(&eye, 0);
    if (!eye.here[0] || !leader_start(sid, &start))
        return NULL;
    return arena_printf(a, "sid-%ld-%" PRIu64 "-%s", sid, start, eye.here);
}

/* sid-<number>-<start>-<where>: the three of them. */
struct seen {
    long sid;
    uint64_t start;
    const char *where;
};

static bool read_seen(const char *directory, struct seen *out)
{
    static const char digits[] = "0123456789";
    const char *sid = directory + 4, *start, *where;

    if (strncmp(directory, "sid-", 4) != 0 || strlen(directory) >= SESSION_NAME)
        return false;
    start = sid + strspn(sid, digits);
    if (start == sid || start - sid > 10 || *start++ != '-')
        return false;
    where = start + strspn(start, digits);
    if (where == start || where - start > 20 || *where++ != '-')
        return false;
    if (strspn(where, "0123456789abcdef") != 16 || where[16])
        return false;
    *out = (struct seen){ strtol(sid, NULL, 10), strtoull(start, NULL, 10), where };
    return true;
}

bool session_is_seen(const char *directory)
{
    struct seen s;

    return read_seen(directory, &s);
}

bool session_is_one(const char *directory)
{
    return session_is_seen(directory) ||
           (strncmp(directory, "name-", 5) == 0 && strlen(directory) == 5 + 32 &&
            strspn(directory + 5, "0123456789abcdef") == 32);
}

void session_directory(const char *session, char out[SESSION_NAME])
{
    char digits[33];

    if (session_is_seen(session)) {
        (void)snprintf(out, SESSION_NAME, "%s", session);
    } else {
        short_digest(session, strlen(session), sizeof digits - 1, digits);
        (void)snprintf(out, SESSION_NAME, "name-%s", digits);
    }
}

bool session_ended(const struct session_eye *eye, const char *directory, const struct stat *s)
{
    struct seen seen;
    uint64_t start;

    if (read_seen(directory, &seen) && eye->here[0] && strcmp(seen.where, eye->here) == 0)
        return !leader_start(seen.sid, &start) || start != seen.start;
    return eye->now_ms - (int64_t)s->st_mtim.tv_sec * 1000 > DAY_MS;
}
