/* SPDX-License-Identifier: Apache-2.0 */
/* gate.c: the supervisor's end of writ-net. */
#include "sandbox/gate.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/launch.h"
#include "base/pass.h"
#include "contract/codes.h"
#include "sandbox/net_wire.h"

enum {
    READY_MS = 10000, /* it is started while the run is built; a busy machine takes its time */
    LAST_MS = 3000,   /* for the last decisions */
    /* Of decisions so much is kept, and the rest is counted: the record and the ledger have each
     * again, and all of it is our memory, which a command must not fill. */
    KEPT_BYTES = 320 << 10,
    KEPT_WORDS = 128, /* what a record says around one */
    HEARD = 1024,     /* packets at a time: who talks without end must not hold up the clock */
    SETTINGS = 2,
};

struct gate {
    struct arena a;
    int handle, channel; /* -1: it is gone */
    bool ready, told;    /* told: it has said its last word */
    struct gate_log log;
    size_t log_bytes;
    const struct world *world;
};

/* ---- out ---- */

/* It reads all the time until it is served its doors: a packet that waits long will not go. */
static bool say(const struct gate *g, const void *packet, size_t n, int fd, struct error *e)
{
    return pass_send(g->channel, packet, n, &fd, fd >= 0) ||
           error_sys(e, CODE_LAYER_MISSING, "writ-net cannot be told");
}

static bool say_text(const struct gate *g, enum wire_kind kind, struct str text, struct error *e)
{
    _buf_ struct buf out = { .max = WIRE_MAX };

    buf_addc(&out, (char)kind);
    buf_add(&out, text.s, text.n);
    if (!buf_ok(&out))
        return error_set(e, CODE_LAYER_MISSING, "an entry is too long for writ-net");
    return say(g, out.s, out.len, -1, e);
}

/* Nothing in it ends a line, or is read as something else. */
static bool is_header(const struct gate_inject *i)
{
    for (size_t k = 0; k < i->header.n; k++)
        if (!isalnum((unsigned char)i->header.s[k]) &&
            !is_one_of(i->header.s[k], "!#$%&'*+-.^_`|~"))
            return false;
    return i->header.n > 0 && i->value.n > 0 && i->value.n <= WIRE_SECRET &&
           str_visible(i->value) && !host_entry_wrong(i->host);
}

static void wipe(struct buf *b)
{
    if (b->s)
        explicit_bzero(b->s, b->cap);
    buf_free(b);
}

/* A secret is in it. It has its full size at once: a buffer that grows would leave copies. */
static bool say_inject(const struct gate *g, const struct gate_inject *i, struct error *e)
{
    const struct str parts[] = { i->host, i->header, i->value };
    _cleanup_(wipe) struct buf out = { .max = WIRE_MAX };

    if (!buf_reserve(&out, out.max))
        mem_end();
    buf_addc(&out, WIRE_INJECT);
    buf_addc(&out, (char)i->plain);
    for (size_t p = 0; p < COUNT(parts); p++) {
        buf_add(&out, parts[p].s, parts[p].n);
        buf_addc(&out, '\0');
    }
    if (!buf_ok(&out) || !is_header(i))
        return error_set(e, CODE_INVALID_PAYLOAD, "%.*s is no header that can be added",
                         STR_ARG(i->header));
    return say(g, out.s, out.len, -1, e);
}

static bool say_policy(const struct gate *g, const struct gate_ask *ask, struct error *e)
{
    char level = (char)ask->hosts->level;
    size_t added = 0;

    if (!say_text(g, WIRE_LEVEL, (struct str){ &level, 1 }, e))
        return false;
    for (size_t i = 0; i < ask->hosts->allow_count; i++)
        if (!say_text(g, WIRE_ALLOW, ask->hosts->allow[i], e))
            return false;
    for (size_t i = 0; i < ask->hosts->deny_count; i++)
        if (!say_text(g, WIRE_DENY, ask->hosts->deny[i], e))
            return false;
    for (size_t i = 0; i < ask->inject_count; i++) {
        added += ask->injects[i].header.n + ask->injects[i].value.n + sizeof ": \r\n";
        if (added > WIRE_ADDED)
            return error_set(e, CODE_INVALID_PAYLOAD,
                             "the headers to be added are larger than 24 KiB together");
        if (!say_inject(g, &ask->injects[i], e))
            return false;
    }
    if (ask->match && !say_text(g, WIRE_MATCH, (struct str){ "", 0 }, e))
        return false;
    return say_text(g, WIRE_GO, (struct str){ "", 0 }, e);
}

/* ---- in ---- */

/* There is no room for it any more. */
static bool is_too_much(const struct gate *g, struct str packet)
{
    struct wire_event w;
    if (packet.n != sizeof w || packet.s[0] != WIRE_EVENT)
        return false;
    memcpy(&w, packet.s, sizeof w);
    return g->log_bytes >= (wire_is_let_out(&w) ? KEPT_BYTES : KEPT_BYTES / 2);
}

static void take(struct gate *g, struct str packet)
{
    struct gate_event event;
    struct wire_count count;

    if (packet.n == 1 && packet.s[0] == WIRE_END) {
        g->told = true;
        return;
    }
    if (packet.n == sizeof count && packet.s[0] == WIRE_COUNT) {
        memcpy(&count, packet.s, sizeof count);
        g->log.unlisted += count.uncounted;
        return;
    }
    if (is_too_much(g, packet)) {
        g->log.unlisted++;
        return;
    }
    if (!wire_read_event(packet, &g->a, &event))
        return;
    g->log.v = arena_more(&g->a, g->log.v, g->log.n, &g->log.room, sizeof *g->log.v);
    g->log.v[g->log.n++] = event;
    g->log_bytes += sizeof event + KEPT_WORDS + event.host.n + event.address.n +
                    strlen(event.rule) + strlen(event.error);
}

/* One packet: its bytes, 0 at the end, -1 when there is none now. */
static ssize_t receive(const struct gate *g, char packet[WIRE_MAX])
{
    ssize_t n;

    do
        n = recv(g->channel, packet, WIRE_MAX, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n < 0 && errno != EAGAIN ? 0 : n;
}

static void gone(struct gate *g)
{
    own_close(&g->channel);
}

void gate_hear(struct gate *g)
{
    char packet[WIRE_MAX];
    ssize_t n = -1;

    for (int i = 0; i < HEARD && g->channel >= 0 && (n = receive(g, packet)) > 0; i++)
        take(g, (struct str){ packet, (size_t)n });
    if (n == 0)
        gone(g);
}

int gate_waits(const struct gate *g)
{
    return g->channel;
}

/* Waits until there is news; false: the time is over. */
static bool wait_until(const struct gate *g, int64_t deadline_ms)
{
    for (;;) {
        struct pollfd p = { .fd = g->channel, .events = POLLIN };
        int64_t left = deadline_ms - g->world->mono_ms(g->world->self);

        if (left <= 0)
            return false;
        if (poll(&p, 1, poll_ms(left)) > 0)
            return true;
    }
}

static bool await_ready(struct gate *g, struct error *e)
{
    int64_t deadline_ms = g->world->mono_ms(g->world->self) + READY_MS;
    char packet[WIRE_MAX];
    ssize_t n = -1;

    while (n < 0 && wait_until(g, deadline_ms))
        n = receive(g, packet);
    g->ready = n > 0 && packet[0] == WIRE_READY;
    if (g->ready)
        return true;
    if (n > 0 && packet[0] == WIRE_CANNOT)
        return error_set(e, CODE_LAYER_MISSING, "writ-net: %.*s", (int)(n - 1), packet + 1);
    return error_set(e, CODE_LAYER_MISSING, "writ-net does not begin");
}

/* ---- from its beginning to its end ---- */

/* Where certificates are; nothing else of our environment is passed on. And the name that was
 * judged is the name that is looked up: the machine's list of domains would make another of it,
 * which may be denied. */
static void settings(const char *const *ours, char *out[SETTINGS + 2])
{
    static const char *const names[SETTINGS] = { "SSL_CERT_FILE=", "SSL_CERT_DIR=" };
    union {
        const char *lent;
        char *passed; /* nothing is written through it */
    } u;
    static char no_domains[] = "LOCALDOMAIN=.";
    size_t n = 0;

    for (; ours && *ours; ours++)
        for (size_t k = 0; k < COUNT(names) && n < SETTINGS; k++)
            if (str_begins(str_of(*ours), names[k])) {
                u.lent = *ours;
                out[n++] = u.passed;
            }
    out[n++] = no_domains;
    out[n] = NULL;
}

static bool start(struct gate *g, const char *program, const char *const *ours, struct error *e)
{
    static char name[] = "writ-net", protocol[] = NET_PROTOCOL;
    char *const argv[] = { name, protocol, NULL }, *environment[SETTINGS + 2];
    struct launch l = { program, argv, environment, NULL, 1, true };
    _fd_ int theirs = -1;
    int pair[2];
    pid_t pid = 0;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return error_sys(e, CODE_LAYER_MISSING, "no channel to writ-net can be made");
    g->channel = pair[0];
    theirs = launch_moved_up(pair[1]);
    l.given = &theirs;
    settings(ours, environment);
    errno = theirs < 0 ? errno : launch(&l, &pid);
    if (errno == 0)
        g->handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (g->handle >= 0)
        return true;
    (void)error_sys(e, CODE_LAYER_MISSING, "%s cannot be started", program);
    if (pid > 0) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
    return false;
}

static void end(struct gate *g)
{
    siginfo_t how;

    gone(g);
    if (g->handle >= 0)
        launch_end(&g->handle, &how);
    arena_free(&g->a);
    free(g);
}

bool gate_open(const struct gate_ask *ask, const struct world *world, struct gate **out,
               struct error *e)
{
    struct gate *g = mem_zeroed(sizeof *g);

    g->handle = g->channel = -1;
    g->world = world;
    if (start(g, ask->program, ask->environment, e) && say_policy(g, ask, e)) {
        *out = g;
        return true;
    }
    end(g);
    return false;
}

bool gate_serve(struct gate *g, struct door *doors, size_t n, struct error *e)
{
    for (size_t i = 0; i < n; i++) {
        struct wire_door w = { .kind = WIRE_DOOR,
                               .door = (uint8_t)doors[i].kind,
                               .port = doors[i].port };

        memcpy(w.address, doors[i].address, sizeof w.address);
        if (!say(g, &w, sizeof w, doors[i].fd, e))
            return false;
        own_close(&doors[i].fd);
    }
    return g->ready || await_ready(g, e);
}

void gate_close(struct gate *g, struct arena *a, struct gate_log *log)
{
    int64_t deadline_ms = g->world->mono_ms(g->world->self) + LAST_MS;

    if (g->channel >= 0)
        (void)shutdown(g->channel, SHUT_WR);
    gate_hear(g);
    while (g->channel >= 0 && wait_until(g, deadline_ms))
        gate_hear(g);
    *log = g->log;
    log->incomplete = !g->told;
    arena_join(a, &g->a);
    end(g);
}
