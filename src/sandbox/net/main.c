/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: writ-net, the program through which a run reaches hosts.
 *
 * usage: writ-net PROTOCOL
 *
 * writ starts it; descriptor 3 is its channel (net_wire.h). It reads what strangers send, so it
 * gives away what it does not need before it begins. It ends when the channel does, by _exit:
 * nothing is left to tidy up.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/confine.h"
#include "sandbox/net/serve.h"

enum { DESCRIPTORS = 1024 };

static bool needs_tls(const struct policy *p)
{
    for (size_t i = 0; i < p->inject_count; i++)
        if (!p->injects[i].plain)
            return true;
    return false;
}

static void say_why(int channel, const struct error *e)
{
    char packet[ERROR_MSG + 1];
    int n = snprintf(packet, sizeof packet, "%c%s", WIRE_CANNOT, e->msg);

    (void)send(channel, packet, (size_t)n, MSG_NOSIGNAL);
}

int main(int argc, char **argv)
{
    enum { GOOD, BAD, USAGE = 64 };
    static struct serve s; /* large: zeroes take no room in the file */
    struct error e = { 0 };

    if (argc != 2 || strcmp(argv[1], NET_PROTOCOL) != 0)
        _exit(USAGE);
    s.channel = NET_CHANNEL;
    s.world = world_real();
    if (serve_hear_policy(&s, &e) && (!needs_tls(&s.policy) || tls_begin(&e)) &&
        confine_self(DESCRIPTORS, &e) && serve_run(&s, &e))
        _exit(GOOD);
    say_why(NET_CHANNEL, &e);
    _exit(BAD);
}
