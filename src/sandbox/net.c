/* SPDX-License-Identifier: Apache-2.0 */
/* net.c: makes an empty network and enters it. */
#include "sandbox/net.h"

#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* Making one takes the kernel longer than anything else here. A second process that makes it while
 * the root is built was tried: what it saved, starting it cost. */
int net_enter(void)
{
    return unshare(CLONE_NEWNET) == 0 ? raise_loop() : -1;
}
