/* SPDX-License-Identifier: Apache-2.0 */
/* scope.c: asks systemd for a group of one's own: one message of D-Bus, and its answer.
 *
 * The manager listens on a socket of its own, without a bus between: who connects says who he is,
 * as the kernel can confirm, and sends the one call. The answer comes when the job is queued; that
 * it is done is seen by the group that we are in.
 */
#include "sandbox/cgroup/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "contract/codes.h"
#include "sandbox/cgroup/file.h"
#include "sandbox/cgroup/types.h"

enum { PATIENCE_MS = 2000, ANSWER_MAX_BYTES = 4096 };

void scope_manager(char path[SCOPE_PATH])
{
    (void)snprintf(path, SCOPE_PATH, "/run/user/%u/systemd/private", (unsigned)geteuid());
}

/* ---- a message ---- */

/* Numbers lie at multiples of their size, structs at multiples of 8, both from the beginning. */
struct message {
    size_t n;
    uint8_t bytes[1024];
};

static void align(struct message *m, size_t to)
{
    while (m->n % to)
        m->bytes[m->n++] = 0;
}

static void put_number(struct message *m, uint32_t number)
{
    align(m, sizeof number);
    memcpy(m->bytes + m->n, &number, sizeof number);
    m->n += sizeof number;
}

static void put_text(struct message *m, const char *text)
{
    size_t n = strlen(text) + 1;

    put_number(m, (uint32_t)n - 1);
    memcpy(m->bytes + m->n, text, n);
    m->n += n;
}

/* The type of what follows. */
static void put_type(struct message *m, const char *type)
{
    size_t n = strlen(type) + 1;

    m->bytes[m->n++] = (uint8_t)(n - 1);
    memcpy(m->bytes + m->n, type, n);
    m->n += n;
}

/* The length of an array is known at its end; its elements may begin further on. */
struct array {
    size_t length, begin;
};

static struct array array_begin(struct message *m, size_t element)
{
    struct array a;

    put_number(m, 0);
    a.length = m->n - sizeof(uint32_t);
    align(m, element);
    a.begin = m->n;
    return a;
}

static void array_end(struct message *m, struct array a)
{
    uint32_t n = (uint32_t)(m->n - a.begin);

    memcpy(m->bytes + a.length, &n, sizeof n);
}

/* ---- the call ---- */

enum { FIELD_PATH = 1, FIELD_INTERFACE = 2, FIELD_MEMBER = 3, FIELD_TO = 6, FIELD_TYPE = 8 };

static const struct {
    uint8_t field;
    const char *type, *value;
} told[] = {
    { FIELD_PATH, "o", "/org/freedesktop/systemd1" },
    { FIELD_INTERFACE, "s", "org.freedesktop.systemd1.Manager" },
    { FIELD_MEMBER, "s", "StartTransientUnit" },
    { FIELD_TO, "s", "org.freedesktop.systemd1" },
    { FIELD_TYPE, "g", "ssa(sv)a(sa(sv))" },
};

static void put_property(struct message *m, const char *name, const char *type)
{
    align(m, 8);
    put_text(m, name);
    put_type(m, type);
}

/* The unit's name, what to do where there is one of that name, its properties, no other units. */
static void write_body(const char *unit, struct message *m)
{
    struct array properties, pids, others;

    put_text(m, unit);
    put_text(m, "fail");
    properties = array_begin(m, 8);
    put_property(m, "Description", "s");
    put_text(m, "commands that writ runs");
    put_property(m, "CollectMode", "s");
    put_text(m, "inactive-or-failed");
    put_property(m, "Delegate", "b");
    put_number(m, true);
    put_property(m, "PIDs", "au");
    pids = array_begin(m, sizeof(uint32_t));
    put_number(m, (uint32_t)getpid());
    array_end(m, pids);
    array_end(m, properties);
    others = array_begin(m, 8);
    array_end(m, others);
}

static void write_call(const char *unit, struct message *m)
{
    enum { CALL = 1, PROTOCOL = 1, SERIAL = 1 };
    struct message body = { 0 };
    const uint16_t one = 1;
    struct array fields;

    write_body(unit, &body);
    m->bytes[m->n++] = *(const uint8_t *)&one ? 'l' : 'B'; /* our order of bytes */
    m->bytes[m->n++] = CALL;
    m->bytes[m->n++] = 0;
    m->bytes[m->n++] = PROTOCOL;
    put_number(m, (uint32_t)body.n);
    put_number(m, SERIAL);
    fields = array_begin(m, 8);
    for (size_t i = 0; i < COUNT(told); i++) {
        align(m, 8);
        m->bytes[m->n++] = told[i].field;
        put_type(m, told[i].type);
        if (told[i].field == FIELD_TYPE)
            put_type(m, told[i].value);
        else
            put_text(m, told[i].value);
    }
    array_end(m, fields);
    align(m, 8);
    memcpy(m->bytes + m->n, body.bytes, body.n);
    m->n += body.n;
}

/* ---- the talk ---- */

static bool send_all(int fd, const void *bytes, size_t n)
{
    return send(fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static bool receive(int fd, void *bytes, size_t n)
{
    return recv(fd, bytes, n, MSG_WAITALL) == (ssize_t)n;
}

static int connect_to(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    own_close(&fd);
    return -1;
}

/* Says who we are: the number of the user as text, in hexadecimal digits. */
static bool greet(int fd)
{
    char user[16], words[96] = { 0 }, answer[128] = { 0 };
    size_t n, got = 0;

    (void)snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    n = 1 + (size_t)snprintf(words + 1, sizeof words - 1, "AUTH EXTERNAL ");
    for (const char *p = user; *p; p++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%02x", (unsigned)*p);
    n += (size_t)snprintf(words + n, sizeof words - n, "\r\n");
    if (!send_all(fd, words, n))
        return false;
    do {
        if (got + 1 == sizeof answer || !receive(fd, answer + got, 1))
            return false;
    } while (answer[got++] != '\n');
    return strncmp(answer, "OK ", 3) == 0 && send_all(fd, "BEGIN\r\n", 7);
}

/* The beginning of every message; what it tells of itself comes then, then its body. */
struct head {
    uint8_t order, kind, flags, protocol;
    uint32_t body, serial, fields;
};

enum { KIND_ANSWER = 2, KIND_ERROR = 3 };

/* Reads messages up to the one that answers: there is one call that it can be about. */
static bool hear(int fd, struct error *e)
{
    struct head head;
    uint8_t rest[ANSWER_MAX_BYTES + 1];
    uint32_t fields, n;

    do {
        if (!receive(fd, &head, sizeof head))
            return error_set(e, CODE_LAYER_MISSING, "it did not answer");
        fields = (head.fields + 7) & ~7U;
        if (head.fields > ANSWER_MAX_BYTES || head.body > ANSWER_MAX_BYTES - fields ||
            !receive(fd, rest, fields + head.body))
            return error_set(e, CODE_LAYER_MISSING, "its answer cannot be read");
    } while (head.kind != KIND_ANSWER && head.kind != KIND_ERROR);
    if (head.kind == KIND_ANSWER)
        return true;
    rest[fields + head.body] = '\0';
    n = 0;
    if (head.body > sizeof n)
        memcpy(&n, rest + fields, sizeof n);
    return error_set(e, CODE_LAYER_MISSING, "it says: %s",
                     n && n < head.body ? (const char *)rest + fields + sizeof n : "no");
}

/* ---- both ---- */

static bool is_in(const char *unit)
{
    char text[4096];
    struct str groups = cgroup_read(AT_FDCWD, "/proc/self/cgroup", text, sizeof text);

    return memmem(groups.s, groups.n, unit, strlen(unit)) != NULL;
}

/* The manager moves us at a time of its own. What it says meanwhile is of no interest, but tells
 * that something was done. */
static bool await(int fd, const char *unit)
{
    struct pollfd news = { .fd = fd, .events = POLLIN };
    char unread[1024];

    for (int ms = 0; !is_in(unit); ms++) {
        if (ms >= PATIENCE_MS)
            return false;
        if (poll(&news, 1, 1) > 0 && recv(fd, unread, sizeof unread, MSG_DONTWAIT) <= 0)
            news.fd = -1; /* it is gone; we may have been moved all the same */
    }
    return true;
}

bool scope_enter(const char *manager, const char *name, struct error *e)
{
    struct message call = { 0 };
    char unit[CGROUP_NAME + 8];
    _fd_ int fd = connect_to(manager);

    if (fd < 0)
        return error_sys(e, CODE_LAYER_MISSING, "%s", manager);
    (void)snprintf(unit, sizeof unit, "%s.scope", name);
    write_call(unit, &call);
    if (!greet(fd) || !send_all(fd, call.bytes, call.n))
        return error_set(e, CODE_LAYER_MISSING, "it does not talk to us");
    if (!hear(fd, e))
        return false;
    return await(fd, unit) || error_set(e, CODE_LAYER_MISSING, "it took too long");
}
