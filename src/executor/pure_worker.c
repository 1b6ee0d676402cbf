/* SPDX-License-Identifier: Apache-2.0 */
/* pure_worker.c: starts, watches and ends the process of a worker. */
#include "executor/pure_worker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/launch.h"

static_assert((int)PURE_CHANNEL == LAUNCH_FIRST && (int)PURE_PAGE == LAUNCH_FIRST + 1,
              "what is given comes in this order");

/* The page cannot shrink: who looks at it meets no hole. */
static bool make_page(int *fd, struct pure_page **page, struct error *e)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *at;

    *fd = launch_moved_up(memfd_create("writ-pure", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (*fd < 0 || ftruncate(*fd, (off_t)size) != 0 ||
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return error_sys(e, ERROR_IO, "no page can be shared with a worker");
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (at == MAP_FAILED)
        return error_sys(e, ERROR_IO, "no page can be shared with a worker");
    *page = at;
    return true;
}

/* Puts into *w what it has come to, also when it fails. */
static bool start(const char *kind, const struct call_program *program, struct worker *w,
                  struct error *e)
{
    static char *const nothing[] = { NULL };
    _arena_ struct arena a = { 0 };
    _fd_ int theirs = -1;
    _fd_ int shared = -1;
    int pair[2] = { -1, -1 };
    pid_t pid = 0;
    char *argv[] = { arena_text(&a, str_of("writ-pure")),
                     arena_text(&a, str_of(kind)),
                     arena_text(&a, str_of(program->file)),
                     arena_printf(&a, "%zu", program->bounds.memory_bytes),
                     arena_printf(&a, "%zu", program->bounds.output_bytes),
                     NULL };

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return error_sys(e, ERROR_IO, "no channel can be made");
    w->channel = pair[0];
    theirs = launch_moved_up(pair[1]);
    if (theirs < 0)
        return error_sys(e, ERROR_IO, "no channel can be made");
    if (!make_page(&shared, &w->page, e))
        return false;
    errno = launch(&(struct launch){ .program = program->worker,
                                     .argv = argv,
                                     .environment = nothing,
                                     .given = (const int[]){ theirs, shared },
                                     .given_count = 2 },
                   &pid);
    if (errno != 0)
        return error_sys(e, ERROR_IO, "%s cannot be started", program->worker);
    w->pid = pid;
    w->handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (w->handle < 0)
        return error_sys(e, ERROR_IO, "a worker cannot be held");
    return true;
}

static void let_go(struct worker *w)
{
    own_close(&w->channel);
    own_close(&w->handle);
    if (w->page)
        (void)munmap(w->page, sizeof *w->page);
    *w = (struct worker){ 0 };
}

bool worker_start(const char *kind, const struct call_program *program, struct worker *out,
                  struct error *e)
{
    struct worker w = { .handle = -1, .channel = -1 };
    pid_t pid;

    if (start(kind, program, &w, e)) {
        *out = w;
        return true;
    }
    pid = w.pid;
    let_go(&w);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0); /* its channel is closed, and so it ends */
    return false;
}

const char *worker_end(struct worker *w, struct arena *a)
{
    siginfo_t how;
    const char *name;

    launch_end(&w->handle, &how);
    let_go(w);
    if (how.si_code == CLD_EXITED)
        return arena_printf(a, "ended with status %d", how.si_status);
    name = sigabbrev_np(how.si_status);
    return name ? arena_printf(a, "ended by signal %d (%s)", how.si_status, name) : "ended";
}

bool watch_over(struct watch *watch, const struct worker *w, size_t call,
                const struct call_program *program, int64_t timeout_ms)
{
    int64_t cpu_ms = world_cpu_ms(w->pid), wall_ms = program->world->mono_ms(program->world->self);

    if (!watch->begun || watch->call != call) {
        *watch = (struct watch){ call, cpu_ms, wall_ms, true };
        return false;
    }
    return cpu_ms - watch->cpu_ms >= timeout_ms ||
           wall_ms - watch->wall_ms >= timeout_ms * WATCH_SLOWER + WATCH_SPARE_MS;
}

int watch_pause_ms(int64_t timeout_ms)
{
    enum { LEAST_MS = 1, MOST_MS = 20, LOOKS = 8 };
    int64_t pause_ms = timeout_ms / LOOKS;

    return pause_ms < LEAST_MS ? LEAST_MS : pause_ms > MOST_MS ? MOST_MS : (int)pause_ms;
}
