/* SPDX-License-Identifier: Apache-2.0 */
/* unending.c: a command whose first child the kernel does not end, as one in state D.
 *
 * usage: unending built|running CMD ARG...
 *
 * Traces the command and all that it starts. The first process that it starts is held where it has
 * ended its work and is not yet dead, so that whoever waits for it does not hear of it; with
 * `built` it is held from its birth, too. Ends as the command does; what was held dies then.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OPTIONS = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT |
              PTRACE_O_EXITKILL,
};

static int is_thread(pid_t of, pid_t thread)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d", of, thread);
    return access(path, F_OK) == 0;
}

int main(int argc, char **argv)
{
    int status, held_at_birth = argc > 1 && strcmp(argv[1], "built") == 0;
    pid_t command, first = 0, pid;
    unsigned long made;

    if (argc < 3)
        return 64;
    command = fork();
    if (command == 0) {
        (void)raise(SIGSTOP);
        (void)execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (waitpid(command, &status, WUNTRACED) != command ||
        ptrace(PTRACE_SEIZE, command, 0, OPTIONS) != 0) {
        perror("ptrace");
        return 98;
    }
    (void)kill(command, SIGCONT);
    while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        int event = status >> 16, signal = WSTOPSIG(status);

        if (pid == command && !WIFSTOPPED(status))
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (!WIFSTOPPED(status))
            continue;
        if (first == 0 && event >= PTRACE_EVENT_FORK && event <= PTRACE_EVENT_CLONE &&
            ptrace(PTRACE_GETEVENTMSG, pid, 0, &made) == 0 && !is_thread(command, (pid_t)made))
            first = (pid_t)made;
        if (event == PTRACE_EVENT_EXIT && pid == first)
            continue;
        if (event == PTRACE_EVENT_STOP && pid != command && held_at_birth &&
            (pid == first || (first == 0 && !is_thread(command, pid))))
            continue;
        (void)ptrace(PTRACE_CONT, pid, 0, event ? 0 : signal);
    }
    return 98;
}
