/* SPDX-License-Identifier: Apache-2.0 */
/* net.c: makes an empty network and enters it. */
#include "sandbox/net.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

/* A connection that nobody has accepted belongs to no process and so to no control group: these
 * settings keep each of them small, and short the queue of each listener. What a closed connection
 * leaves behind is not counted either. */
static const struct setting {
    const char *file, *value;
} settings[] = {
    { "net/core/somaxconn", "64" }, /* older kernels do not have it in user namespaces */
    { "net/ipv4/tcp_rmem", "4096 65536 65536" }, /* IPv6 has the same */
    { "net/ipv4/tcp_wmem", "4096 65536 65536" },
    { "net/ipv4/tcp_max_tw_buckets", "4096" },
    { "net/ipv4/igmp_max_memberships", "1" }, /* of each socket */
};

/* A program may talk to itself. */
static int raise_loop(void)
{
    struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), done;

    if (fd < 0)
        return errno == EAFNOSUPPORT ? 0 : -1; /* a kernel without IP has no loop to raise */
    done = ioctl(fd, SIOCSIFFLAGS, &request);
    (void)close(fd);
    return done;
}

static int set(int sysctls, const struct setting *s)
{
    size_t n = strlen(s->value);
    int fd = openat(sysctls, s->file, O_WRONLY | O_CLOEXEC), done;

    if (fd < 0)
        return errno == ENOENT ? 0 : -1; /* the supervisor looks at what waits (uncounted.h) */
    done = write(fd, s->value, n) == (ssize_t)n ? 0 : -1;
    (void)close(fd);
    return done;
}

/* Making one takes the kernel longer than anything else here. A second process that makes it while
 * the root is built was tried: what it saved, starting it cost. */
int net_enter(int sysctls)
{
    if (unshare(CLONE_NEWNET) != 0)
        return -1;
    for (size_t i = 0; i < COUNT(settings); i++)
        if (set(sysctls, &settings[i]) != 0)
            return -1;
    return raise_loop();
}
