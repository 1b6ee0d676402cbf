/* SPDX-License-Identifier: Apache-2.0 */
/* http_main.c: writ-http, the program that speaks HTTP for writ.
 *
 * usage: writ-http PROTOCOL
 *
 * writ starts it; descriptor 3 is its channel (http_frame.h). It reads what strangers send, so it
 * gives away what it does not need before it begins. It ends when the channel does, by _exit:
 * nothing is left to tidy up. (A death signal would come too early: it comes when the thread that
 * started us ends, and writ may have others that still call.)
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "adapter/http_serve.h"

enum { DESCRIPTORS = 1024, OUT_MAX = 1 << 30, X32 = 0x40000000 };

/* On another architecture this file does not compile: nobody has read its calls. */
#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* ---- less than we were given ---- */

/* No other program is ever started, and nobody's memory is read: who gets in stays alone. A call of
 * another architecture has another number, so it is not made at all. */
static bool filter_calls(struct error *e)
{
    static const uint32_t denied[] = {
        SYS_execve, SYS_execveat,          SYS_ptrace, SYS_process_vm_readv,
        SYS_mount,  SYS_process_vm_writev, SYS_bpf,    SYS_unshare,
        SYS_setns,  SYS_io_uring_setup,    SYS_keyctl, SYS_perf_event_open
    };
    struct sock_filter code[2 * COUNT(denied) + 7];
    struct sock_fprog program = { .filter = code };
    unsigned short n = 0;

    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    for (size_t i = 0; i < COUNT(denied); i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program.len = n;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return error_sys(e, ERROR_IO, "system calls cannot be filtered");
    return true;
}

static bool give_away(struct error *e)
{
    static const struct {
        int resource;
        rlim_t most;
    } rows[] = {
        { RLIMIT_CORE, 0 },
        { RLIMIT_FSIZE, 0 }, /* it writes no file */
        { RLIMIT_NOFILE, DESCRIPTORS },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rlimit now = { 0 };

        if (getrlimit(rows[i].resource, &now) != 0)
            return error_sys(e, ERROR_IO, "limits cannot be read");
        if (now.rlim_max > rows[i].most)
            now.rlim_max = rows[i].most;
        now.rlim_cur = now.rlim_max;
        if (setrlimit(rows[i].resource, &now) != 0)
            return error_sys(e, ERROR_IO, "limits cannot be set");
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0 ||
        signal(SIGPIPE, SIG_IGN) == SIG_ERR || chdir("/") != 0)
        return error_sys(e, ERROR_IO, "what is not needed cannot be given away");
    return filter_calls(e);
}

/* ---- begin ---- */

int main(int argc, char **argv, char **environment)
{
    enum { GOOD, BAD, USAGE = 64 };
    struct serve s = { .channel = HTTP_CHANNEL, .world = world_real(), .out = { .max = OUT_MAX } };
    struct web_settings settings;
    struct error e = { 0 };

    if (argc != 2 || strcmp(argv[1], HTTP_PROTOCOL) != 0)
        _exit(USAGE);
    http_settings_read((const char *const *)environment, &s.settings);
    settings.certificates = s.settings.value[SETTING_CERTIFICATES];
    settings.certificate_directory = s.settings.value[SETTING_CERTIFICATE_DIRECTORY];
    http_reader_open(&s.in, HTTP_WRIT);
    s.eager = http_eager_new();
    _exit(give_away(&e) && web_open(&settings, &s.web, &e) && serve_run(&s, &e) ? GOOD : BAD);
}
