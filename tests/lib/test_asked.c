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

#include <writ/adapters.h>
#include <writ/changes.h>
#include <writ/plans.h>
#include <writ/routes.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
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

static void a_proof_is_found_by_the_beginning_of_an_id(void **state)
{
    struct writ_ledger *ledger = opened(true);
    char *answer = NULL, id[64] = "", start[4 + 14] = "";

    (void)state;
    assert_int_equal(writ_ledger_input(ledger, &small, "proved", NULL, &answer), WRIT_OK);
    assert_int_equal(sscanf(strstr(answer, "led-"), "%40[^\"]", id), 1);
    writ_free(answer);
    memcpy(start, id, sizeof start - 1);
    assert_int_equal(writ_prove(ledger, id + 4, NULL, &answer), WRIT_OK);
    says(answer, id);
    assert_int_equal(writ_prove(ledger, "proved", NULL, &answer), WRIT_OK);
    says(answer, id);
    assert_int_equal(writ_prove(ledger, start, NULL, &answer), WRIT_OK);
    says(answer, id);
    assert_int_equal(writ_prove(ledger, "led-0000", NULL, &answer), WRIT_NO);
    says(answer, "\"candidates\":[]");
    writ_ledger_close(ledger);
}

/* The subject is part of the header, which is what is hashed. */
static void a_name_that_no_header_holds_is_refused(void **state)
{
    enum { SUBJECT = 6 << 20 };
    struct writ_ledger *ledger = opened(true);
    char *subject = malloc(SUBJECT + 1), *answer = NULL;

    (void)state;
    assert_non_null(subject);
    memset(subject, '\1', SUBJECT);
    subject[SUBJECT] = '\0';
    assert_int_equal(writ_ledger_input(ledger, &small, subject, NULL, &answer), WRIT_UNRECORDED);
    says(answer, "a header of more than 65535 bytes");
    free(subject);
    writ_ledger_close(ledger);
}

/* Its note could be written and not be read again: the ledger would not be intact any more. */
static void a_reason_that_no_note_holds_erases_nothing(void **state)
{
    enum { REASON = 17 << 20 };
    struct writ_ledger *ledger = opened(true);
    char *reason = malloc(REASON + 1), *answer = NULL, id[sizeof "led-" + 36];

    (void)state;
    assert_non_null(reason);
    memset(reason, 'r', REASON);
    reason[REASON] = '\0';
    assert_int_equal(writ_ledger_input(ledger, &small, "much", NULL, &answer), WRIT_OK);
    (void)snprintf(id, sizeof id, "%s", strstr(answer, "led-"));
    writ_free(answer);
    assert_int_equal(writ_ledger_erase(ledger, id, reason, &answer), WRIT_UNRECORDED);
    says(answer, "at most 1048576");
    assert_int_equal(writ_verify(ledger, NULL, NULL, &answer), WRIT_OK);
    says(answer, "\"erased\":0");
    free(reason);
    writ_ledger_close(ledger);
}

static void a_query_is_a_map(void **state)
{
    const char *const queries[] = { "[{\"limit\":2}]", "5", "null", "\"x\"" };
    struct writ_ledger *ledger = opened(false);

    (void)state;
    for (size_t i = 0; i < COUNT(queries); i++) {
        struct lines log = { 0 }, export = { 0 };

        assert_int_equal(writ_log(ledger, queries[i], keep_line, &log), WRIT_USAGE);
        assert_non_null(strstr(log.text, "a query is a map"));
        assert_int_equal(writ_export(ledger, queries[i], "jsonl", keep_line, &export), WRIT_USAGE);
        assert_non_null(strstr(export.text, "a query is a map"));
    }
    writ_ledger_close(ledger);
}

/* ---- limits, and what else is said of a run ---- */

static void options_of_a_command_are_a_map(void **state)
{
    const char *const options[] = { "[{\"sandbox\":{\"memory_mb\":64}}]", "5", "null", "\"x\"" };

    (void)state;
    for (size_t i = 0; i < COUNT(options); i++) {
        struct writ_command command = plain;
        char *answer = NULL;
        bool ran = true;

        command.options = options[i];
        assert_int_equal(writ_exec(&command, &answer, &ran), WRIT_WRONG);
        assert_false(ran);
        says(answer, "options are a map");
    }
}

static void a_ledger_at_an_address_that_nobody_knows_is_no_file(void **state)
{
    static const char *const slips[] = { "postgres:/word", "postgresql:word",
                                         "postgres:", "file:word/y.db", "file:///word" };
    struct writ_command command = plain;
    struct writ_ledger *ledger;
    char *answer = NULL;
    bool ran = true;

    (void)state;
    command.ledger = "postgress://me:word@host/x";
    assert_int_equal(writ_exec(&command, &answer, &ran), WRIT_USAGE);
    assert_false(ran);
    assert_null(strstr(answer, "word"));
    says(answer, "there is no ledger at 'postgress://..'");
    assert_int_equal(writ_ledger_open("mysql://x", surroundings, true, &ledger, &answer),
                     WRIT_USAGE);
    says(answer, "there is no ledger at 'mysql://..'");
    for (size_t i = 0; i < COUNT(slips); i++) {
        assert_int_equal(writ_ledger_open(slips[i], surroundings, true, &ledger, &answer),
                         WRIT_USAGE);
        assert_null(strstr(answer, "word"));
        says(answer, "which is named by its path alone, or is at postgres://..");
    }
    command.ledger = "./a://b"; /* a file, and where the command may write */
    assert_int_equal(writ_exec(&command, &answer, &ran), WRIT_REFUSED);
    says(answer, "the command could write the ledger");
}

static void what_is_said_of_a_plan_is_what_may_be_said(void **state)
{
    static const char *const no_value[] = { "nokey", NULL }, *const no_key[] = { "=x", NULL };
    static const char *const no_layer[] = { "zz", NULL };
    static const char steps[] =
        "{\"name\": \"x\", \"steps\": [{\"name\": \"a\", \"run\": [\"/bin/true\"]}]}";
    const struct writ_input text = { .name = "plan", .text = steps, .len = strlen(steps) };
    const struct writ_plan right = {
        .plan = &text, .environment = surroundings, .progress = -1, .force = -1
    };
    struct writ_plan wrong[6];
    const char *const told[] = { "the policy is",
                                 "jobs are 1 to 256",
                                 "jobs are 1 to 256",
                                 "what is set is key=value",
                                 "what is set is key=value",
                                 "'zz' is no layer" };
    char *answer = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++)
        wrong[i] = right;
    wrong[0].policy = "zz";
    wrong[1].jobs = WRIT_JOBS_MAX + 1;
    wrong[2].jobs = -3;
    wrong[3].set = no_value;
    wrong[4].set = no_key;
    wrong[5].weak = no_layer;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(writ_run(&wrong[i], &answer), WRIT_USAGE);
        says(answer, told[i]);
        assert_int_equal(writ_plan_order(&wrong[i], &answer), WRIT_USAGE);
        says(answer, told[i]);
    }
    assert_int_equal(writ_plan_order(&right, &answer), WRIT_OK);
    writ_free(answer);
}

/* ---- what is not handed over ---- */

static void missed(int status, char **answer, const char *what)
{
    char message[128];

    (void)snprintf(message, sizeof message, "\"code\":\"USAGE\",\"message\":\"%s is NULL", what);
    assert_int_equal(status, WRIT_USAGE);
    says(*answer, message);
}

static void a_document_without_a_name_is_told(void **state)
{
    const struct writ_input nameless = { .text = "{}", .len = 2 };
    const struct writ_plan plan = { .plan = &nameless, .progress = -1, .force = -1 };
    struct writ_command command = plain;
    char *answer = NULL;
    bool ran = true;
    size_t len;

    (void)state;
    missed(writ_check(&nameless, NULL, &answer), &answer, "input's name");
    missed(writ_check_schema(&nameless, &small, &answer), &answer, "schema's name");
    missed(writ_canon(&nameless, &answer, &len), &answer, "input's name");
    missed(writ_digest(&nameless, &answer), &answer, "input's name");
    missed(writ_digest(NULL, &answer), &answer, "input");
    missed(writ_query("$", &nameless, false, &answer), &answer, "input's name");
    missed(writ_run(&plan, &answer), &answer, "plan's name");
    missed(writ_plan_show(&plan, &answer), &answer, "plan's name");
    missed(writ_verify_proof(&nameless, NULL, &answer), &answer, "proof's name");
    missed(writ_executor_add(&nameless, surroundings, NULL, NULL, &answer), &answer,
           "manifest's name");
    command.request = &nameless;
    missed(writ_exec(&command, &answer, &ran), &answer, "request's name");
    assert_false(ran);
}

static void what_is_to_be_done_is_asked_for(void **state)
{
    static const char *const nothing[] = { NULL };
    const struct writ_changes changes = { .environment = surroundings };
    const struct writ_call call = { .environment = surroundings, .cancel = -1 };
    struct writ_command command = plain;
    char *answer = NULL;
    bool ran = true;

    (void)state;
    missed(writ_exec(&command, &answer, NULL), &answer, "ran");
    command.argv = NULL;
    missed(writ_exec(&command, &answer, &ran), &answer, "argv");
    assert_false(ran);
    command.argv = nothing;
    missed(writ_exec(&command, &answer, &ran), &answer, "argv[0]");
    missed(writ_canon(&small, &answer, NULL), &answer, "len");
    missed(writ_schema(NULL, &answer), &answer, "kind");
    missed(writ_remediation(NULL, "why", surroundings, &answer), &answer, "run");
    missed(writ_cancel(NULL, NULL, surroundings, &answer), &answer, "run");
    missed(writ_mcp_probe(NULL, NULL, NULL, surroundings, &answer), &answer, "url");
    missed(writ_diff(&changes, &answer), &answer, "run");
    missed(writ_commit(&changes, &answer), &answer, "run");
    missed(writ_discard(&changes, &answer), &answer, "run");
    missed(writ_call(&call, &answer), &answer, "adapter");
    missed(writ_ledger_input(NULL, &small, NULL, NULL, &answer), &answer, "ledger");
    missed(writ_route_advance(NULL, NULL, "start", surroundings, &answer), &answer, "state");
}

static void a_route_is_asked_for_as_a_whole(void **state)
{
    struct writ_route route = { .environment = surroundings };
    char *answer = NULL;

    (void)state;
    missed(writ_route_plan(&route, &answer), &answer, "class_id");
    route.class_id = "generic";
    missed(writ_route_plan(&route, &answer), &answer, "argv");
    route.argv = idle;
    route.available = "maybe";
    assert_int_equal(writ_route_plan(&route, &answer), WRIT_USAGE);
    says(answer, "available is neither yes nor no");
}

static void one_thing_is_imported_at_a_time(void **state)
{
    const struct writ_import import = { .openapi = &small,
                                        .url = "http://127.0.0.1:1/",
                                        .environment = surroundings };
    char *answer = NULL;

    (void)state;
    assert_int_equal(writ_import(&import, &answer), WRIT_USAGE);
    says(answer, "more to import than one");
}

static void a_worker_has_somebody_to_serve(void **state)
{
    (void)state;
    assert_int_equal(writ_worker(-1, STDOUT_FILENO, false, surroundings), WRIT_USAGE);
    assert_int_equal(writ_worker(STDIN_FILENO, -1, false, surroundings), WRIT_USAGE);
}

static void what_comes_in_lines_is_asked_for_and_taken_by_somebody(void **state)
{
    const struct writ_call call = { .environment = surroundings, .cancel = -1 };
    const struct writ_action action = { .executor = "noop", .environment = surroundings };
    struct lines golden = { 0 }, verbs = { 0 }, named = { 0 }, applied = { 0 }, listed = { 0 };

    (void)state;
    assert_int_equal(writ_golden("check", NULL, false, NULL, keep_line, &golden), WRIT_USAGE);
    assert_non_null(strstr(golden.text, "call is NULL"));
    assert_int_equal(writ_golden(NULL, NULL, false, &call, keep_line, &verbs), WRIT_USAGE);
    assert_non_null(strstr(verbs.text, "verb is NULL"));
    assert_int_equal(writ_golden("record", NULL, false, &call, keep_line, &named), WRIT_USAGE);
    assert_non_null(strstr(named.text, "name is NULL"));
    assert_int_equal(writ_golden("check", NULL, false, &call, NULL, NULL), WRIT_USAGE);
    assert_int_equal(writ_apply(&action, keep_line, &applied), WRIT_USAGE);
    assert_non_null(strstr(applied.text, "payload is NULL"));
    assert_int_equal(writ_apply(&action, NULL, NULL), WRIT_USAGE);
    assert_int_equal(writ_log(NULL, NULL, keep_line, &listed), WRIT_USAGE);
    assert_non_null(strstr(listed.text, "ledger is NULL"));
    assert_int_equal(writ_adapters(NULL, NULL, NULL, surroundings, NULL, NULL), WRIT_USAGE);
}

/* ---- what is the caller's ---- */

static struct stat streams[3];

/* The last of the list: after all that was asked for wrongly. */
static void the_callers_descriptors_are_as_they_were(void **state)
{
    struct stat now;

    (void)state;
    for (int fd = 0; fd < (int)COUNT(streams); fd++) {
        assert_int_equal(fstat(fd, &now), 0);
        assert_true(now.st_ino == streams[fd].st_ino && now.st_dev == streams[fd].st_dev);
    }
}

/* The state is hidden from commands, and cannot be where they work. */
static int make(void **state)
{
    int line[2];

    (void)state;
    if (pipe(line) != 0 || dup2(line[0], STDIN_FILENO) != STDIN_FILENO) /* like nothing else */
        return -1;
    for (int fd = 0; fd < (int)COUNT(streams); fd++)
        if (fstat(fd, &streams[fd]) != 0)
            return -1;
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
        cmocka_unit_test(a_document_without_a_name_is_told),
        cmocka_unit_test(what_is_to_be_done_is_asked_for),
        cmocka_unit_test(a_route_is_asked_for_as_a_whole),
        cmocka_unit_test(one_thing_is_imported_at_a_time),
        cmocka_unit_test(a_worker_has_somebody_to_serve),
        cmocka_unit_test(what_comes_in_lines_is_asked_for_and_taken_by_somebody),
        cmocka_unit_test(a_proof_is_found_by_the_beginning_of_an_id),
        cmocka_unit_test(a_name_that_no_header_holds_is_refused),
        cmocka_unit_test(a_reason_that_no_note_holds_erases_nothing),
        cmocka_unit_test(a_query_is_a_map),
        cmocka_unit_test(options_of_a_command_are_a_map),
        cmocka_unit_test(a_ledger_at_an_address_that_nobody_knows_is_no_file),
        cmocka_unit_test(what_is_said_of_a_plan_is_what_may_be_said),
        cmocka_unit_test(a_proof_that_needs_a_new_checkpoint_is_not_made_of_a_ledger_that_is_read),
        cmocka_unit_test(the_callers_descriptors_are_as_they_were),
    };

    return cmocka_run_group_tests_name("asked", list, make, end);
}
