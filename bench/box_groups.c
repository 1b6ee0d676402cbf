/* SPDX-License-Identifier: Apache-2.0 */
/* box_groups.c: the control groups of a box: three of version 1, or one of version 2. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box_parts.h"

enum { GROUPS = 3, UNIFIED = GROUPS };

static struct {
    const char *directory, *file, *limit;
} controllers[GROUPS + 1] = {
    { "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "536870912" },
    { "/sys/fs/cgroup/pids", "pids.max", "64" },
    { "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "100000" },
    { "/sys/fs/cgroup/unified", NULL, NULL },
};
static int entries[GROUPS + 1] = { -1, -1, -1, -1 }; /* of `tasks`; of the directory in version 2 */
/* The receiver shares memory with the sender, whose numbers for the same descriptors must stay. */
static int received[GROUPS];
static int *mine = entries;
static char names[GROUPS + 1][100];

void groups_prepare(void)
{
    if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0)
        controllers[UNIFIED].directory = "/sys/fs/cgroup";
    for (int i = 0; i <= GROUPS; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s/writ-bench-%d", controllers[i].directory,
                       (int)getpid());
    }
}

static void make_one(int i)
{
    int group, file;

    must(mkdir(names[i], 0755), names[i]);
    group = open(names[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
    must(group, names[i]);
    file = openat(group, controllers[i].file, O_WRONLY | O_CLOEXEC);
    must(file, controllers[i].file);
    must(write(file, controllers[i].limit, strlen(controllers[i].limit)), controllers[i].file);
    close(file);
    entries[i] = openat(group, "tasks", O_WRONLY | O_CLOEXEC);
    must(entries[i], "tasks");
    close(group);
}

void groups_make(enum box_groups kind)
{
    mine = entries;
    if (kind == GROUPS_UNIFIED) {
        must(mkdir(names[UNIFIED], 0755), names[UNIFIED]);
        entries[UNIFIED] = open(names[UNIFIED], O_PATH | O_DIRECTORY | O_CLOEXEC);
        must(entries[UNIFIED], names[UNIFIED]);
        return;
    }
    for (int i = 0; i < GROUPS; i++)
        make_one(i);
}

struct packet {
    struct msghdr head;
    struct iovec bytes;
    char byte;
    char room[CMSG_SPACE(GROUPS * sizeof(int))] __attribute__((aligned(8)));
};

static void packet_lay(struct packet *p)
{
    *p = (struct packet){ .byte = 'x' };
    p->bytes = (struct iovec){ &p->byte, 1 };
    p->head = (struct msghdr){ .msg_iov = &p->bytes,
                               .msg_iovlen = 1,
                               .msg_control = p->room,
                               .msg_controllen = sizeof p->room };
}

void groups_send(int socket)
{
    struct packet p;
    struct cmsghdr *rights;

    packet_lay(&p);
    rights = CMSG_FIRSTHDR(&p.head);
    *rights = (struct cmsghdr){ CMSG_LEN(GROUPS * sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
    memcpy(CMSG_DATA(rights), entries, GROUPS * sizeof(int));
    must(sendmsg(socket, &p.head, MSG_NOSIGNAL), "send the groups");
}

void groups_receive(int socket)
{
    struct packet p;

    packet_lay(&p);
    must(recvmsg(socket, &p.head, MSG_CMSG_CLOEXEC), "receive the groups");
    memcpy(received, CMSG_DATA(CMSG_FIRSTHDR(&p.head)), sizeof received);
    mine = received;
}

void groups_enter(void)
{
    for (int i = 0; i < GROUPS; i++)
        must(write(mine[i], "0", 1), "tasks");
}

int groups_unified(void)
{
    return entries[UNIFIED];
}

static void remove_one(int i)
{
    close(entries[i]);
    while (rmdir(names[i]) < 0 && errno == EBUSY)
        (void)usleep(20);
}

void groups_remove(enum box_groups kind)
{
    if (kind == GROUPS_UNIFIED)
        remove_one(UNIFIED);
    else if (kind != GROUPS_NONE) {
        for (int i = 0; i < GROUPS; i++)
            remove_one(i);
    }
}

bool groups_possible(enum box_groups kind)
{
    int from = kind == GROUPS_UNIFIED ? UNIFIED : 0, to = kind == GROUPS_UNIFIED ? UNIFIED : 2;

    for (int i = from; i <= to && kind != GROUPS_NONE; i++) {
        if (access(controllers[i].directory, W_OK) < 0)
            return false;
    }
    return true;
}
