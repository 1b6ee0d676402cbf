/* SPDX-License-Identifier: Apache-2.0 */
/* jail.h: a service in a child with walls like a worker's, asked through a socket. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "executor/serve.h"

struct jail {
    pid_t pid;
    int socket;
};

enum { JAIL_BYTES = 1 << 16, JAIL_DEAD = -1 };

/* ---- inside ---- */

static const int jail_calls[] = { SYS_read,  SYS_write,       SYS_exit,   SYS_exit_group,
                                  SYS_brk,   SYS_munmap,      SYS_mremap, SYS_madvise,
                                  SYS_futex, SYS_rt_sigreturn };

/* A sanitizer's own runtime cannot live behind walls. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JAIL_OPEN 1
#endif
#endif
#ifndef JAIL_OPEN
#define JAIL_OPEN 0
#endif

static inline bool jail_close(void)
{
    struct sock_filter code[2 * COUNT(jail_calls) + 6] = { 0 };
    struct sock_fprog program = { .filter = code };
    size_t n = 0;

    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT(jail_calls); i++) {
        code[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)jail_calls[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, args[2]));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    program.len = (unsigned short)n;
    if (JAIL_OPEN)
        return true;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* One message is one payload; one answer is a byte for the end, then the output. */
static inline void jail_serve(const struct service *service, const char *object, int fd,
                              size_t memory)
{
    struct rlimit as = { memory, memory };
    static char payload[JAIL_BYTES];
    struct buf answer = { .max = JAIL_BYTES }, out = { .max = 20000 };
    struct error e = { 0 };
    ssize_t n;

    if (!service->open(object, &e) || (memory && !JAIL_OPEN && setrlimit(RLIMIT_AS, &as) != 0) ||
        !jail_close())
        _exit(1);
    if (!service->ready(&e))
        _exit(2);
    while ((n = read(fd, payload, sizeof payload)) > 0) {
        char end = (char)service->call((struct str){ payload, (size_t)n }, &out);

        buf_add(&answer, &end, 1);
        buf_add(&answer, out.s, out.len);
        if (write(fd, answer.s, answer.len) < 0)
            break;
        buf_reset(&answer);
        buf_reset(&out);
    }
    _exit(0);
}

/* ---- outside ---- */

static inline struct jail jail_start(const struct service *service, const char *object,
                                     size_t memory)
{
    int ends[2];
    struct jail jail;

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    jail.socket = ends[0];
    jail.pid = fork();
    assert_true(jail.pid >= 0);
    if (jail.pid == 0) {
        (void)close(ends[0]);
        jail_serve(service, object, ends[1], memory);
    }
    (void)close(ends[1]);
    return jail;
}

/* How the call ended, or JAIL_DEAD; the output is a text of the arena. */
static inline int jail_ask(const struct jail *jail, struct str payload, struct arena *a,
                           const char **output)
{
    char answer[JAIL_BYTES];
    ssize_t n;

    if (send(jail->socket, payload.s, payload.n, MSG_NOSIGNAL) < 0)
        return JAIL_DEAD;
    n = recv(jail->socket, answer, sizeof answer, 0);
    if (n < 1)
        return JAIL_DEAD;
    *output = arena_text(a, (struct str){ answer + 1, (size_t)n - 1 });
    return answer[0];
}

/* The status it ended with. */
static inline int jail_end(struct jail *jail)
{
    int status = -1;

    (void)close(jail->socket);
    assert_int_equal(waitpid(jail->pid, &status, 0), jail->pid);
    return status;
}
