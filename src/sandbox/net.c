/* SPDX-License-Identifier: Apache-2.0 */
/* net.c: makes a network aside and enters it. */
#include "sandbox/net.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shared with the maker, which has our memory and our descriptors. */
static struct {
    pid_t pid;
    int made;  /* the network, as a descriptor */
    int error; /* or why there is none */
    char stack[16 << 10] __attribute__((aligned(16)));
} maker;

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

static int make(void *unused)
{
    (void)unused;
    maker.made = -1;
    if (unshare(CLONE_NEWNET) == 0 && raise_loop() == 0)
        maker.made = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    maker.error = maker.made < 0 ? errno : 0;
    return 0;
}

int net_begin(void)
{
    maker.pid =
        clone(make, maker.stack + sizeof maker.stack, CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
    return maker.pid < 0 ? -1 : 0;
}

int net_enter(void)
{
    int done;

    while (waitpid(maker.pid, NULL, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (maker.error) {
        errno = maker.error;
        return -1;
    }
    done = setns(maker.made, CLONE_NEWNET);
    (void)close(maker.made);
    return done;
}
