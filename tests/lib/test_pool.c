/* SPDX-License-Identifier: Apache-2.0 */
/* test_pool.c: a program that calls writ_exec() again and again keeps slots, and leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <writ/writ.h>

static void run_and_see(const char *word)
{
    char *argv[] = { strdup("/bin/echo"), strdup(word), NULL };
    struct writ_command command = { .argv = (const char *const *)argv,
                                    .environment = (const char *const *)environ,
                                    .live = { -1, -1 },
                                    .cancel = -1,
                                    .texts = true };
    char *answer = NULL;
    bool ran = false;

    assert_int_equal(writ_exec(&command, &answer, &ran), 0);
    assert_true(ran);
    assert_non_null(strstr(answer, word));
    writ_free(answer);
    free(argv[0]);
    free(argv[1]);
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
    };

    return cmocka_run_group_tests_name("pool", list, make, end);
}
