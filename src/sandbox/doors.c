/* SPDX-License-Identifier: Apache-2.0 */
/* doors.c: sockets that listen inside of a run's network and are served from outside. */
#include "sandbox/doors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/pass.h"
#include "contract/codes.h"

enum { WAITING = 128, NAMES_PORT = 53 };

/* What every run with a network has. 0.0.0.0 is every address of the loop: names are answered with
 * one of it each. */
static const struct door always[] = {
    { DOOR_PROXY, { 127, 0, 0, 1 }, GATE_PORT, -1 },
    { DOOR_NAMES_UDP, { 127, 0, 0, 1 }, NAMES_PORT, -1 },
    { DOOR_NAMES_TCP, { 127, 0, 0, 1 }, NAMES_PORT, -1 },
    { DOOR_STRAIGHT, { 0, 0, 0, 0 }, 80, -1 },
    { DOOR_STRAIGHT, { 0, 0, 0, 0 }, 443, -1 },
};

/* ---- which ---- */

/* "example.org:8443"; false: it has no port of its own, or stands for many. */
static bool is_one(struct str entry, struct host_entry *out)
{
    return host_entry_read(entry, out) && out->port && !out->below;
}

static bool is_there(const struct door *doors, size_t n, const struct door *one)
{
    for (size_t i = 0; i < n; i++)
        if (doors[i].port == one->port && doors[i].kind != DOOR_NAMES_UDP &&
            (doors[i].address[0] == 0 ||
             memcmp(doors[i].address, one->address, sizeof one->address) == 0))
            return true;
    return false;
}

/* A name is answered with the address of its first entry, with a port or without. */
static size_t first_of(const struct hosts *hosts, const struct host_entry *name)
{
    struct host_entry other;
    size_t i = 0;

    while (i < hosts->allow_count && !(host_entry_read(hosts->allow[i], &other) && !other.below &&
                                       !other.is_address && host_entry_names(&other, name->name)))
        i++;
    return i;
}

/* False: it is one more than there is room for. Addresses come last and need none: the proxy leads
 * to them all the same. */
static bool add_one(const struct hosts *hosts, size_t entry, bool addresses, struct door *out,
                    size_t *n)
{
    struct host_entry name;
    struct door one = { .kind = DOOR_STRAIGHT, .fd = -1 };
    size_t first = 0;

    if (!is_one(hosts->allow[entry], &name) || name.is_address != addresses)
        return true;
    if (!host_entry_in_loop(&name, one.address)) {
        if (addresses)
            return true;
        first = first_of(hosts, &name);
        memcpy(one.address, (uint8_t[]){ 127, 53, 0, (uint8_t)(first + 1) }, sizeof one.address);
    }
    one.port = name.port;
    if (is_there(out, *n, &one))
        return true;
    if (*n == DOORS_MAX || first >= DOORS_NAMED)
        return addresses;
    out[(*n)++] = one;
    return true;
}

size_t doors_plan(const struct hosts *hosts, struct door out[DOORS_MAX], size_t *left)
{
    size_t n = COUNT(always);

    *left = 0;
    memcpy(out, always, sizeof always);
    for (int addresses = 0; addresses < 2; addresses++)
        for (size_t i = 0; i < hosts->allow_count; i++)
            *left += !add_one(hosts, i, addresses, out, &n);
    return n;
}

bool doors_do(const struct hosts *hosts, struct error *e)
{
    static const char mend[] = "each needs a door for programs that know of no proxy; give fewer, "
                               "or a star (*.example.org:8443), to which the proxy alone leads";
    enum { MOST = DOORS_MAX - COUNT(always) };
    struct door doors[DOORS_MAX];
    size_t left, own = doors_plan(hosts, doors, &left) - COUNT(always);

    if (left == 0)
        return true;
    if (own == MOST)
        return error_set(e, CODE_INVALID_PAYLOAD, "%zu hosts have a port, at most %d can: %s",
                         own + left, MOST, mend);
    return error_set(e, CODE_INVALID_PAYLOAD,
                     "%zu hosts with a port stand behind the first %d of the list, where none can: "
                     "%s",
                     left, DOORS_NAMED, mend);
}

/* ---- inside ---- */

/* Nobody who says SO_REUSEADDR or SO_REUSEPORT shares a port with who did not. */
static int open_one(const struct door *door)
{
    bool datagrams = door->kind == DOOR_NAMES_UDP;
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(door->port) };
    int fd =
        socket(AF_INET, (datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    memcpy(&at.sin_addr, door->address, sizeof at.sin_addr);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        (datagrams || listen(fd, WAITING) == 0))
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

_Static_assert((int)DOORS_MAX <= PASS_MOST, "all go with one word");

int doors_open(const struct door *doors, size_t n, int line)
{
    const struct word word = { .kind = WORD_DOORS };
    int fds[DOORS_MAX], done = 0, sys;
    size_t opened = 0;

    while (opened < n && (fds[opened] = open_one(&doors[opened])) >= 0)
        opened++;
    if (opened < n || !pass_send(line, &word, sizeof word, fds, n))
        done = -1;
    sys = errno;
    for (size_t i = 0; i < opened; i++)
        (void)close(fds[i]);
    errno = sys;
    return done;
}

/* ---- outside ---- */

/* Nothing that init does before takes so long. */
enum { BUILT_MS = 10000 };

/* Our own copy of the far end is still open: that it is gone only the pidfd tells. */
static bool wait_for_word(int line, int init)
{
    struct pollfd fds[] = { { .fd = line, .events = POLLIN }, { .fd = init, .events = POLLIN } };
    int n;

    while ((n = poll(fds, COUNT(fds), BUILT_MS)) < 0 && errno == EINTR)
        ;
    return n > 0 && (fds[0].revents & POLLIN);
}

bool doors_take(struct door *doors, size_t n, int line, int init, struct word *word)
{
    int fds[PASS_MOST];

    *word = (struct word){ .kind = WORD_ENDED };
    if (!wait_for_word(line, init) ||
        pass_hear(line, word, sizeof *word, MSG_DONTWAIT, fds) != (ssize_t)sizeof *word) {
        word->kind = WORD_ENDED;
        return false;
    }
    for (size_t i = 0; i < n && word->kind == WORD_DOORS; i++) {
        doors[i].fd = fds[i];
        fds[i] = -1;
    }
    pass_drop(fds, 0);
    for (size_t i = 0; i < n; i++)
        if (doors[i].fd < 0)
            return false;
    return word->kind == WORD_DOORS;
}

void doors_close(struct door *doors, size_t n)
{
    for (size_t i = 0; i < n; i++)
        own_close(&doors[i].fd);
}
