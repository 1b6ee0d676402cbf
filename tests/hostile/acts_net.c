/* SPDX-License-Identifier: Apache-2.0 */
/* acts_net.c: reaching the host's listeners, and one's own. */
#include "acts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define AWAY "ENETUNREACH EHOSTUNREACH EPERM EACCES ECONNREFUSED EADDRNOTAVAIL EAFNOSUPPORT"

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un un;
};

static socklen_t inet(union address *out, const char *host, int port)
{
    memset(out, 0, sizeof *out);
    if (strchr(host, ':')) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons((uint16_t)port);
        inet_pton(AF_INET6, host, &out->v6.sin6_addr);
        return sizeof out->v6;
    }
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = htons((uint16_t)port);
    inet_pton(AF_INET, host, &out->v4.sin_addr);
    return sizeof out->v4;
}

/* A name that begins with @ is abstract. */
static socklen_t local(union address *out, const char *name)
{
    memset(out, 0, sizeof *out);
    out->un.sun_family = AF_UNIX;
    snprintf(out->un.sun_path, sizeof out->un.sun_path, "%s", name);
    if (name[0] != '@')
        return sizeof out->un;
    out->un.sun_path[0] = 0;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
}

/* ---- N01: TCP_PORT, UDP_PORT, HOST.. ---- */

static void reach(const char *host, int tcp, int udp)
{
    union address to;
    socklen_t n = inet(&to, host, tcp);
    int fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0)
        refused(AWAY, connect(fd, &to.any, n), "TCP to %s", host);
    n = inet(&to, host, udp);
    fd = socket(to.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    /* To its own loopback a datagram may go: the runner's listener must not see it. */
    note("UDP to %s: %s", host,
         sendto(fd, "canary", 6, 0, &to.any, n) < 0 ? strerrorname_np(errno) : "sent");
    close(fd);
}

static int network(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *name; int family, type, protocol; } rows[] = {
        { "raw ICMP", AF_INET, SOCK_RAW, 1 }, { "ping", AF_INET, SOCK_DGRAM, 1 },
        { "raw IP", AF_INET, SOCK_RAW, 255 }, { "raw IPv6", AF_INET6, SOCK_RAW, 58 },
        { "packet", AF_PACKET, SOCK_RAW, 0x300 }, { "packet, cooked", AF_PACKET, SOCK_DGRAM, 0x300 },
        { "SCTP", AF_INET, SOCK_STREAM, 132 }, { "SCTP, packets", AF_INET, SOCK_SEQPACKET, 132 },
        { "DCCP", AF_INET, SOCK_DCCP, 33 }, { "MPTCP", AF_INET, SOCK_STREAM, 262 },
        { "netlink route", AF_NETLINK, SOCK_RAW, 0 }, { "netlink audit", AF_NETLINK, SOCK_RAW, 9 },
        { "netlink uevent", AF_NETLINK, SOCK_RAW, 15 }, { "netlink filter", AF_NETLINK, SOCK_RAW, 12 },
    };
    /* clang-format on */
    const char *shut = "EPERM EACCES EAFNOSUPPORT EPROTONOSUPPORT ESOCKTNOSUPPORT";

    for (int i = 2; i < argc; i++)
        reach(argv[i], atoi(argv[0]), atoi(argv[1]));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(shut, socket(rows[i].family, rows[i].type, rows[i].protocol), "%s", rows[i].name);
    return verdict();
}

/* ---- N02 to N04: local sockets ---- */

/* Did it go to the other half, whatever address was on it? */
static bool came_back(int other)
{
    char bytes[16];

    return other >= 0 && recv(other, bytes, sizeof bytes, MSG_DONTWAIT) > 0;
}

static void speak(int fd, int other, const char *how, const char *name)
{
    union address to;
    socklen_t n = local(&to, name);
    char word[] = "canary";
    struct iovec content = { word, 6 };
    struct msghdr message = { &to.any, n, &content, 1, NULL, 0, 0 };

    long sent = sendto(fd, "canary", 6, MSG_NOSIGNAL | MSG_DONTWAIT, &to.any, n);

    if (sent < 0 || !came_back(other))
        refused(NULL, sent, "%s: sendto %s", how, name);
    sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 || !came_back(other))
        refused(NULL, sent, "%s: sendmsg %s", how, name);
    refused(NULL, connect(fd, &to.any, n), "%s: connect %s", how, name);
}

/* NAME..: sockets of the host, stream and datagram. */
static int local_sockets(int argc, char **argv)
{
    static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW };
    union address unspecified = { .any.sa_family = AF_UNSPEC };

    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        for (int i = 0; i < argc; i++) {
            int pair[2] = { -1, -1 }, fd = socket(AF_UNIX, types[k] | SOCK_CLOEXEC, 0);

            if (refused("EAFNOSUPPORT EPERM EACCES", fd, "socket of type %d", types[k]))
                speak(fd, -1, "socket", argv[i]);
            /* One half of a pair can be turned to another name, if it takes datagrams. */
            if (socketpair(AF_UNIX, types[k] | SOCK_CLOEXEC, 0, pair))
                continue;
            speak(pair[0], pair[1], text("pair of type %d", types[k]), argv[i]);
            connect(pair[0], &unspecified.any, sizeof unspecified.any.sa_family);
            speak(pair[0], pair[1], text("parted pair of type %d", types[k]), argv[i]);
            close(pair[1]);
            speak(pair[0], -1, text("half a pair of type %d", types[k]), argv[i]);
            close(pair[0]);
        }
    }
    return verdict();
}

/* A pair must work, whatever else does not: shells and runtimes use it. */
static int pair(int argc, char **argv)
{
    char byte = 0;
    int fds[2];

    if (works(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), "socketpair"))
        holds(write(fds[0], "x", 1) == 1 && read(fds[1], &byte, 1) == 1 && byte == 'x', "carries");
    return argc && argv ? 99 : verdict();
}

/* ---- N05: other families ---- */

static int families(int argc, char **argv)
{
    for (int family = 0; family < 64; family++) {
        if (family == AF_INET || family == AF_INET6 || family == AF_UNIX || family == AF_NETLINK ||
            family == AF_UNSPEC || family == AF_PACKET)
            continue;
        for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++)
            refused("EAFNOSUPPORT", socket(family, type, 0), "family %d, type %d", family, type);
    }
    return argc && argv ? 99 : verdict();
}

/* ---- N24: among its own ---- */

static void talk(const char *host)
{
    union address at;
    socklen_t n = inet(&at, host, 0);
    int listener = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int client, server, pid;
    int room = INT_MAX;
    socklen_t wide = sizeof room;
    char byte = 0;

    getsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, &wide);
    holds(room <= 64 << 10, "what waits for us is small over %s", host);
    if (!works(bind(listener, &at.any, n), "bind %s", host) ||
        !works(listen(listener, 4), "listen"))
        return;
    getsockname(listener, &at.any, &n);
    pid = fork();
    if (pid == 0) {
        client = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        _exit(connect(client, &at.any, n) || write(client, "y", 1) != 1);
    }
    poll(&(struct pollfd){ listener, POLLIN, 0 }, 1, 10000);
    server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    holds(server >= 0 && read(server, &byte, 1) == 1 && byte == 'y', "heard over %s", host);
    holds(waited(pid) == 0, "said over %s", host);
}

static int own_network(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        talk(argv[i]);
    return argc ? verdict() : 99;
}

/* clang-format off */
const struct act acts_net[] = {
    { "N01", "network",       network },
    { "N02", "local_sockets", local_sockets },
    { "N03", "socket_pair",   pair },
    { "N05", "families",      families },
    { "N24", "own_network",   own_network },
    { 0 },
};
/* clang-format on */
