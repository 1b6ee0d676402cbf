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

/* ---- a ledger that was opened to read ---- */

static const char only_read[] = "\"code\":\"USAGE\",\"message\":\"this ledger was opened to read";
static const struct writ_input small = { .name = "small", .text = "{}", .len = 2 };
static const char erased[] = "led-00000000-0000-4000-8000-000000000000";

/* The lines that came, ended by NUL. */
struct lines {
    char text[4096];
    size_t len;
};

static bool keep_line(void *self, const char *line, size_t len)
{
    struct lines *kept = self;

    if (kept->len + len + 1 > sizeof kept->text)
        return false;
    memcpy(kept->text + kept->len, line, len);
    kept->len += len;
    return true;
}

static struct writ_ledger *opened(bool append)
{
    struct writ_ledger *ledger = NULL;
    char *answer = NULL;

    assert_int_equal(writ_ledger_open(NULL, surroundings, append, &ledger, &answer), WRIT_OK);
    return ledger;
}

static void what_would_write_a_ledger_that_is_read_is_answered(void **state)
{
    struct writ_ledger *ledger = opened(true);
    struct lines lines = { 0 };
    char *answer = NULL;

    (void)state;
    assert_int_equal(writ_ledger_input(ledger, &small, NULL, NULL, &answer), WRIT_OK);
    says(answer, "appended");
    writ_ledger_close(ledger);
    ledger = opened(false);
    assert_int_equal(writ_ledger_append(ledger, &small, NULL, keep_line, &lines), WRIT_USAGE);
    assert_non_null(strstr(lines.text, only_read));
    assert_int_equal(writ_ledger_input(ledger, &small, NULL, NULL, &answer), WRIT_USAGE);
    says(answer, only_read);
    assert_int_equal(writ_ledger_erase(ledger, erased, "why", &answer), WRIT_USAGE);
    says(answer, only_read);
    assert_int_equal(writ_checkpoint(ledger, &answer), WRIT_USAGE);
    says(answer, only_read);
    writ_ledger_close(ledger);
}

static void a_proof_that_needs_a_new_checkpoint_is_not_made_of_a_ledger_that_is_read(void **state)
{
    struct writ_ledger *ledger = opened(true);
    char *answer = NULL, id[64] = "";

    (void)state;
    assert_int_equal(writ_ledger_input(ledger, &small, "other", NULL, &answer), WRIT_OK);
    assert_int_equal(sscanf(strstr(answer, "led-"), "%40[^\"]", id), 1);
    writ_free(answer);
    writ_ledger_close(ledger);
    ledger = opened(false);
    assert_int_equal(writ_prove(ledger, id, NULL, &answer), WRIT_USAGE);
    says(answer, only_read);
    writ_ledger_close(ledger);
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
        cmocka_unit_test(what_would_write_a_ledger_that_is_read_is_answered),
        cmocka_unit_test(a_proof_that_needs_a_new_checkpoint_is_not_made_of_a_ledger_that_is_read),
    };

    return cmocka_run_group_tests_name("asked", list, make, end);
}
