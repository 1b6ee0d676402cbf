/* SPDX-License-Identifier: Apache-2.0 */
/* bench_gate.c: a connection through writ-net, against the same one through socat, a plain relay.
 * The goals: at least 0.7 x its throughput, at most 1.3 x its latency.
 *
 * usage: bench_gate [WRIT_NET]
 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"
#include "sandbox/gate.h"

enum { ASK = 64, PINGS = 500, FRESH = 20, TURNS = 31, BULK = 256 << 20, PIECE = 256 << 10 };

static int server_port, socat_port, gate_port, kept_socat, kept_gate;
static char piece[PIECE];

/* ---- sockets ---- */

static int listen_at(int *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int bad = bind(fd, (struct sockaddr *)&at, n) | listen(fd, 128) |
              getsockname(fd, (struct sockaddr *)&at, &n);

    assert(!bad);
    *port = ntohs(at.sin_port);
    return fd;
}

static int try_dial(int port)
{
    static const int yes = 1;
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static int dial(int port)
{
    int fd = try_dial(port);

    if (fd < 0)
        abort();
    return fd;
}

static void send_all(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes; n > 0;) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

        if (sent <= 0)
            abort();
        p += sent;
        n -= (size_t)sent;
    }
}

/* Asks for so many bytes, and takes them. */
static void ask(int fd, int64_t bytes)
{
    char text[ASK] = { 0 };

    memcpy(text, &bytes, sizeof bytes);
    send_all(fd, text, sizeof text);
    while (bytes > 0) {
        ssize_t got = recv(fd, piece, sizeof piece, 0);

        if (got <= 0)
            abort();
        bytes -= got;
    }
}

/* ---- the server: a process a connection ---- */

static void serve_one(int fd)
{
    char text[ASK];
    int64_t bytes;

    while (recv(fd, text, sizeof text, MSG_WAITALL) == sizeof text) {
        memcpy(&bytes, text, sizeof bytes);
        for (; bytes > 0; bytes -= PIECE)
            send_all(fd, piece, bytes < PIECE ? (size_t)bytes : PIECE);
    }
    _exit(0);
}

static pid_t start_server(void)
{
    static const int yes = 1;
    int listener = listen_at(&server_port);
    pid_t pid = fork();

    if (pid != 0)
        return close(listener) == 0 ? pid : -1;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int fd = accept(listener, NULL, NULL);

        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (fork() == 0)
            serve_one(fd);
        (void)close(fd);
    }
}

/* ---- the two relays ---- */

static pid_t start_socat(void)
{
    char from[128], to[128];
    pid_t pid;
    int fd;

    (void)close(listen_at(&socat_port));
    (void)snprintf(from, sizeof from, "TCP4-LISTEN:%d,bind=127.0.0.1,fork,reuseaddr,nodelay",
                   socat_port);
    (void)snprintf(to, sizeof to, "TCP4:127.0.0.1:%d,nodelay", server_port);
    pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setsid(); /* as writ-net: schedulers weigh sessions */
        (void)execlp("socat", "socat", from, to, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 500; i++) {
        fd = try_dial(socat_port);
        if (fd >= 0 || waitpid(pid, NULL, WNOHANG) == pid)
            break;
        (void)usleep(10000);
    }
    return fd >= 0 && close(fd) == 0 ? pid : -1;
}

static struct gate *start_gate(const char *program)
{
    static char entry[64];
    static struct str allow;
    static struct hosts hosts = { .level = NET_API, .allow = &allow, .allow_count = 1 };
    struct gate_ask want = { .hosts = &hosts, .program = program };
    struct door door = { .kind = DOOR_PROXY };
    struct gate *g = NULL;
    struct error e = { 0 };

    (void)snprintf(entry, sizeof entry, "127.0.0.1:%d", server_port);
    allow = str_of(entry);
    door.fd = listen_at(&gate_port);
    if (gate_open(&want, world_real(), &g, &e) && gate_serve(g, &door, 1, &e))
        return g;
    (void)fprintf(stderr, "%s\n", e.msg);
    exit(1);
}

static int dial_gate(void)
{
    char text[128];
    int fd = dial(gate_port),
        n = snprintf(text, sizeof text, "CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n", server_port);

    send_all(fd, text, (size_t)n);
    for (n = 0; n < 4 || memcmp(text + n - 4, "\r\n\r\n", 4) != 0; n++)
        if (n == sizeof text || recv(fd, text + n, 1, 0) != 1)
            abort();
    return fd;
}

/* ---- what is measured ---- */

static void ping_with(const void *fd)
{
    for (int i = 0; i < PINGS; i++)
        ask(*(const int *)fd, ASK);
}

static void bulk_with(const void *fd)
{
    ask(*(const int *)fd, BULK);
}

static void fresh_socat(void)
{
    for (int i = 0; i < FRESH; i++) {
        int fd = dial(socat_port);

        ask(fd, ASK);
        (void)close(fd);
    }
}

static void fresh_gate(void)
{
    for (int i = 0; i < FRESH; i++) {
        int fd = dial_gate();

        ask(fd, ASK);
        (void)close(fd);
    }
}

static void compare(const char *title, struct runner *two, double each, const char *unit)
{
    double socat, ours;

    race_measure(two, 2, TURNS, 1);
    socat = race_median(&two[0]) / each;
    ours = race_median(&two[1]) / each;
    printf("%-28s socat %10.1f %s  writ-net %10.1f %s  time %.2f x, speed %.2f x\n", title, socat,
           unit, ours, unit, ours / socat, socat / ours);
}

int main(int argc, char **argv)
{
    struct arena a = { 0 };
    struct gate_log log;
    struct gate *g;
    pid_t server = start_server(), socat = start_socat();

    if (socat < 0) {
        printf("bench_gate: no socat here\n");
        (void)kill(server, SIGKILL);
        return 0;
    }
    g = start_gate(argc > 1 ? argv[1] : WRIT_NET);
    kept_socat = dial(socat_port);
    kept_gate = dial_gate();
    printf("through writ-net, against socat: speed at least 0.70 x, latency at most 1.30 x\n");
    compare("a round trip",
            (struct runner[]){ { "socat", .run_with = ping_with, .with = &kept_socat },
                               { "writ-net", .run_with = ping_with, .with = &kept_gate } },
            PINGS * 1e3, "us");
    compare("a connection of its own",
            (struct runner[]){ { "socat", .run = fresh_socat }, { "writ-net", .run = fresh_gate } },
            FRESH * 1e3, "us");
    compare("256 MiB",
            (struct runner[]){ { "socat", .run_with = bulk_with, .with = &kept_socat },
                               { "writ-net", .run_with = bulk_with, .with = &kept_gate } },
            1e6, "ms");
    gate_close(g, &a, &log);
    arena_free(&a);
    (void)kill(socat, SIGTERM);
    (void)kill(server, SIGKILL);
    return 0;
}
