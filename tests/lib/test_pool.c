/* SPDX-License-Identifier: Apache-2.0 */
/* test_pool.c: a program that calls writ_exec() again and again keeps slots, and leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <writ/writ.h>

/* False: it did not end as it should, and print that. */
static bool prints(const char *program, const char *option, const char *word)
{
    const char *argv[] = { program, option, word, NULL };
    struct writ_command command = { .argv = argv,
                                    .environment = (const char *const *)environ,
                                    .live = { -1, -1 },
                                    .cancel = -1,
                                    .texts = true };
    char *answer = NULL;
    bool ran = false, ok;

    ok = writ_exec(&command, &answer, &ran) == 0 && ran && strstr(answer, word);
    writ_free(answer);
    return ok;
}

static void run_and_see(const char *word)
{
    assert_true(prints("/bin/echo", "-n", word));
}

/* Children that were made by clone and not by fork. */
static bool has_kept_children(void)
{
    siginfo_t info = { 0 };

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WCLONE) == 0;
}

static void the_first_call_keeps_nothing(void **state)
{
    (void)state;
    run_and_see("first");
    assert_false(has_kept_children());
    run_and_see("second");
    assert_true(has_kept_children());
    for (int i = 0; i < 5; i++)
        run_and_see(i % 2 ? "odd" : "even");
}

static void a_forked_process_begins_anew(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        bool none = !has_kept_children();

        for (int i = 0; i < 4; i++)
            run_and_see("child");
        exit(none && has_kept_children() ? 0 : 1); /* NOLINT: what is kept goes with it */
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    run_and_see("parent"); /* which the other one has not disturbed */
}

/* By the bare call nobody is told of it. */
static void a_process_that_was_forked_unheard_begins_anew(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    for (int i = 0; i < 3; i++)
        run_and_see("before");
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        bool ok = true;

        (void)alarm(30); /* instead of waiting for an answer that the other one has got */
        for (int i = 0; i < 4; i++)
            ok = prints("/bin/echo", "-n", "child") && ok;
        exit(ok ? 0 : 1); /* NOLINT: what is kept goes with it */
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(has_kept_children()); /* which the other one has not ended */
    run_and_see("parent");
}

static void *run_for_long(void *unused)
{
    (void)unused;
    (void)prints("/bin/sh", "-c", "exec sleep 300 > line");
    return NULL;
}

/* Runs something for long, leaves a child that has all its descriptors, and is killed. */
static _Noreturn void own_and_die(int told)
{
    pthread_t thread;
    pid_t heir;

    for (int i = 0; i < 3; i++)
        (void)prints("/bin/sh", "-c", ": owner");
    (void)pthread_create(&thread, NULL, run_for_long, NULL);
    (void)!open("line", O_RDONLY);
    heir = fork();
    if (heir == 0)
        for ((void)alarm(60);;)
            (void)pause();
    (void)!write(told, &heir, sizeof heir);
    (void)raise(SIGKILL);
    _exit(1);
}

/* A child of ours that is not this one; 0: there is none. */
static pid_t another_child(pid_t known)
{
    DIR *in = opendir("/proc");
    pid_t found = 0;

    for (const struct dirent *d = in ? readdir(in) : NULL; d && !found; d = readdir(in)) {
        pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);
        siginfo_t info;

        if (pid > 0 && pid != known &&
            waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
            found = pid;
    }
    if (in)
        (void)closedir(in);
    return found;
}

/* In a process that gets whom the owner leaves, and has none of its own. */
static _Noreturn void see_them_end(void)
{
    int told[2], status = 0;
    pid_t owner, heir = -1;

    (void)alarm(20); /* instead of waiting for as long as they would */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 || pipe(told) != 0)
        _exit(1);
    owner = fork();
    if (owner == 0)
        own_and_die(told[1]);
    if (read(told[0], &heir, sizeof heir) != (ssize_t)sizeof heir)
        _exit(2);
    if (waitpid(owner, &status, 0) != owner || status != SIGKILL)
        _exit(3);
    for (pid_t other = another_child(heir); other > 0; other = another_child(heir))
        (void)waitpid(other, NULL, __WALL);
    _exit(kill(heir, SIGKILL) == 0 && waitpid(heir, NULL, 0) == heir ? 0 : 4);
}

static void all_end_with_their_owner_whoever_has_its_descriptors(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    assert_int_equal(mkfifo("line", 0666), 0);
    pid = fork();
    if (pid == 0)
        see_them_end();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static char place[] = "/tmp/writ-pool-XXXXXX";

/* The state is hidden from commands, and cannot be where they work. */
static int make(void **state)
{
    char path[64];

    (void)state;
    if (!mkdtemp(place) || chdir(place) != 0 || mkdir("work", 0755) != 0 || chdir("work") != 0)
        return -1;
    (void)snprintf(path, sizeof path, "%s/state", place);
    return setenv("WRIT_STATE", path, 1);
}

static int end(void **state)
{
    char line[64];

    (void)state;
    (void)snprintf(line, sizeof line, "rm -rf %s", place);
    return system(line); /* NOLINT: a path of our own */
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(the_first_call_keeps_nothing),
        cmocka_unit_test(a_forked_process_begins_anew),
        cmocka_unit_test(a_process_that_was_forked_unheard_begins_anew),
        cmocka_unit_test(all_end_with_their_owner_whoever_has_its_descriptors),
    };

    return cmocka_run_group_tests_name("pool", list, make, end);
}
