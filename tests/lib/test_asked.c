/* SPDX-License-Identifier: Apache-2.0 */
/* test_asked.c: what a program asks for wrongly, or where something is missing, is answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <writ/writ.h>

static char place[] = "/tmp/writ-asked-XXXXXX";
static char state_variable[64], path_variable[64];
static const char *const surroundings[] = { state_variable, path_variable, NULL };
static const char *const idle[] = { "/bin/true", NULL };

static const struct writ_command plain = {
    .argv = idle, .environment = surroundings, .live = { -1, -1 }, .cancel = -1
};

/* The answer is given back; it has to have these words in it. */
static void says(char *answer, const char *words)
{
    if (!answer || !strstr(answer, words))
        fail_msg("'%s' is not in %s", words, answer ? answer : "(nothing)");
    writ_free(answer);
}

/* ---- where no writ is installed beside the library ---- */

static const char closed[] = "'writ' is not a program in PATH";

static void the_doctor_tells_that_the_worker_here_is_not_there(void **state)
{
    char *answer = NULL;

    (void)state;
    assert_int_equal(setenv("PATH", place, 1), 0);
    (void)writ_doctor(&answer);
    says(answer, closed);
}

static void a_route_to_the_worker_here_is_closed(void **state)
{
    struct writ_route route = {
        .class_id = "generic", .argv = idle, .worker = "local", .environment = surroundings
    };
    char *answer = NULL;

    (void)state;
    assert_int_equal(writ_route_plan(&route, &answer), WRIT_OK);
    says(answer, closed);
}

static void a_command_for_the_worker_here_is_not_run_by_it(void **state)
{
    struct writ_command command = plain;
    char *answer = NULL;
    bool ran;

    (void)state;
    command.options = "{\"route\":{\"class\":\"generic\",\"worker\":\"local\","
                      "\"fallback\":\"fail_closed\"}}";
    assert_int_equal(writ_exec(&command, &answer, &ran), WRIT_UNAVAILABLE);
    says(answer, "\"exit_code\":69");
}

/* ---- */

/* The state is hidden from commands, and cannot be where they work. */
static int make(void **state)
{
    (void)state;
    if (!mkdtemp(place) || chdir(place) != 0 || mkdir("work", 0755) != 0 || chdir("work") != 0)
        return -1;
    (void)snprintf(state_variable, sizeof state_variable, "WRIT_STATE=%s/state", place);
    (void)snprintf(path_variable, sizeof path_variable, "PATH=%s", place);
    return setenv("WRIT_STATE", strchr(state_variable, '=') + 1, 1);
}

static int end(void **state)
{
    char line[64];

    (void)state;
    (void)snprintf(line, sizeof line, "/bin/rm -rf %s", place);
    return system(line); /* NOLINT: a path of our own */
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(the_doctor_tells_that_the_worker_here_is_not_there),
        cmocka_unit_test(a_route_to_the_worker_here_is_closed),
        cmocka_unit_test(a_command_for_the_worker_here_is_not_run_by_it),
    };

    return cmocka_run_group_tests_name("asked", list, make, end);
}
