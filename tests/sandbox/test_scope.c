/* SPDX-License-Identifier: Apache-2.0 */
/* test_scope.c: what the user's service manager is asked, and whatever it may answer.
 *
 * The manager is one of the test's own, on a socket of its own: it is the protocol that is the
 * seam.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cgroup/scope.h"

enum { MOST = 4096 };

struct manager {
    const char *greeting; /* NULL: it hangs up */
    const void *answer;   /* bytes after the call was read */
    size_t n;
    int tell; /* where it writes the call that it got; -1: nowhere */
};

static char directory[64], path[108];

static int listener(void)
{
    struct sockaddr_un here = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)unlink(path);
    memcpy(here.sun_path, path, strlen(path) + 1);
    assert_int_equal(bind(fd, (const struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(listen(fd, 1), 0);
    return fd;
}

static size_t read_line(int fd, char *line)
{
    size_t n = 0;

    while (n < MOST && read(fd, line + n, 1) == 1 && line[n++] != '\n')
        ;
    line[n] = '\0';
    return n;
}

static void serve(int at, const struct manager *m)
{
    char line[MOST + 1], who[32], hex[64] = "";
    int fd = accept(at, NULL, NULL);
    ssize_t n;

    (void)read_line(fd, line);
    (void)snprintf(who, sizeof who, "%u", (unsigned)geteuid());
    for (const char *p = who; *p; p++)
        (void)snprintf(hex + strlen(hex), sizeof hex - strlen(hex), "%02x", (unsigned)*p);
    (void)snprintf(who, sizeof who, "%s", hex);
    if (line[0] != '\0' || strncmp(line + 1, "AUTH EXTERNAL ", 14) != 0 ||
        strncmp(line + 15, who, strlen(who)) != 0 || strcmp(line + 15 + strlen(who), "\r\n") != 0)
        _exit(1);
    if (!m->greeting)
        _exit(0);
    (void)!write(fd, m->greeting, strlen(m->greeting));
    (void)read_line(fd, line);
    if (strcmp(line, "BEGIN\r\n") != 0)
        _exit(0);
    n = read(fd, line, MOST);
    if (m->tell >= 0)
        (void)!write(m->tell, line, (size_t)n);
    (void)!write(fd, m->answer, m->n);
    (void)shutdown(fd, SHUT_WR);
    (void)!read(fd, line, 1); /* until the other has heard it */
    _exit(0);
}

/* What is said where the manager does this. It never moves anybody. */
static struct error asked(const struct manager *m)
{
    int at = listener(), status;
    pid_t pid = fork();
    struct error e = { 0 };

    if (pid == 0)
        serve(at, m);
    (void)close(at);
    assert_false(scope_enter(path, "writ-a-scope", &e));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0); /* it was greeted as it has to be */
    return e;
}

/* ---- a message, read by rules of its own ---- */

struct reader {
    const uint8_t *bytes;
    size_t n, at;
};

static uint32_t number(struct reader *r)
{
    uint32_t out;

    r->at = (r->at + 3) / 4 * 4;
    assert_true(r->at + sizeof out <= r->n);
    memcpy(&out, r->bytes + r->at, sizeof out);
    r->at += sizeof out;
    return out;
}

static const char *text(struct reader *r)
{
    uint32_t n = number(r);
    const char *out = (const char *)r->bytes + r->at;

    assert_true(r->at + n < r->n && out[n] == '\0' && strlen(out) == n);
    r->at += n + 1;
    return out;
}

static void type_is(struct reader *r, const char *type)
{
    assert_int_equal(r->bytes[r->at], strlen(type));
    assert_string_equal((const char *)r->bytes + r->at + 1, type);
    r->at += strlen(type) + 2;
}

static void property(struct reader *r, const char *name, const char *type)
{
    r->at = (r->at + 7) / 8 * 8;
    assert_string_equal(text(r), name);
    type_is(r, type);
}

static void the_call_is_whole(void **state)
{
    int ends[2];
    struct manager m = { .greeting = "OK 1\r\n", .answer = "", .n = 0 };
    uint8_t call[MOST];
    struct reader r = { .bytes = call }, body;
    size_t end;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    m.tell = ends[1];
    (void)asked(&m);
    r.n = (size_t)read(ends[0], call, sizeof call);
    assert_true(r.n > 16 && (call[0] == 'l' || call[0] == 'B'));
    assert_memory_equal(call + 1, "\1\0\1", 3); /* a call that wants its answer */
    end = (16 + *(const uint32_t *)(const void *)(call + 12) + 7) / 8 * 8;
    body = (struct reader){ .bytes = call + end, .n = r.n - end };
    assert_int_equal(body.n, *(const uint32_t *)(const void *)(call + 4));
    assert_string_equal(text(&body), "writ-a-scope.scope");
    assert_string_equal(text(&body), "fail");
    end = number(&body);
    body.at = (body.at + 7) / 8 * 8;
    end += body.at;
    property(&body, "Description", "s");
    (void)text(&body);
    property(&body, "CollectMode", "s");
    assert_string_equal(text(&body), "inactive-or-failed");
    property(&body, "Delegate", "b");
    assert_int_equal(number(&body), 1);
    property(&body, "PIDs", "au");
    assert_int_equal(number(&body), 4);
    assert_int_equal(number(&body), getpid());
    assert_int_equal(body.at, end);
    assert_int_equal(number(&body), 0);
    assert_int_equal((body.at + 7) / 8 * 8, body.n);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* ---- what it may say ---- */

static void nobody_listens(void **state)
{
    struct error e = { 0 };

    (void)state;
    (void)unlink(path);
    assert_false(scope_enter(path, "writ-a-scope", &e));
    assert_non_null(strstr(e.msg, path));
}

static void who_is_not_let_in_is_told(void **state)
{
    static const char *const greetings[] = { NULL, "REJECTED EXTERNAL\r\n", "no end of a line",
                                             "\r\n" };

    (void)state;
    for (size_t i = 0; i < sizeof greetings / sizeof greetings[0]; i++) {
        struct manager m = { .greeting = greetings[i], .answer = "", .tell = -1 };
        struct error e = asked(&m);

        assert_string_equal(e.msg, "it does not talk to us");
    }
}

static size_t message(uint8_t *to, uint8_t kind, uint32_t body, uint32_t fields)
{
    memset(to, 0, 16 + 64);
    to[0] = 'l';
    to[1] = kind;
    to[3] = 1;
    memcpy(to + 4, &body, sizeof body);
    memcpy(to + 12, &fields, sizeof fields);
    return 16 + (fields + 7) / 8 * 8 + body;
}

static void what_it_says_against_it_is_told(void **state)
{
    uint8_t answer[MOST] = { 0 };
    struct manager m = { .greeting = "OK 1\r\n", .answer = answer, .tell = -1 };
    size_t signal = message(answer, 4, 8, 3);

    (void)state;
    m.n = signal + message(answer + signal, 3, 4 + 11, 0); /* a signal before it is passed over */
    memcpy(answer + signal + 16, "\12\0\0\0not today!", 15);
    assert_string_equal(asked(&m).msg, "it says: not today!");
}

static void what_is_no_answer_is_none(void **state)
{
    static const struct {
        uint8_t kind;
        uint32_t body, fields;
        size_t sent;
    } odd[] = {
        { 2, 0, 0, 0 },      { 2, 0, 0, 15 },   { 2, 0xffffffff, 0, 64 }, { 2, 0, 0xffffffff, 64 },
        { 3, 5000, 0, 200 }, { 3, 8, 100, 40 }, { 3, 0, 0xfffffff8, 64 },
    };
    uint8_t answer[MOST] = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct manager m = { .greeting = "OK 1\r\n", .answer = answer, .tell = -1 };
        struct error e;

        (void)message(answer, odd[i].kind, odd[i].body, odd[i].fields);
        m.n = odd[i].sent;
        e = asked(&m);
        assert_true(strcmp(e.msg, "it did not answer") == 0 ||
                    strcmp(e.msg, "its answer cannot be read") == 0);
    }
}

static void who_says_no_without_words_has_said_no(void **state)
{
    uint8_t answer[MOST] = { 0 };
    struct manager m = { .greeting = "OK 1\r\n", .answer = answer, .tell = -1 };

    (void)state;
    m.n = message(answer, 3, 8, 0);
    answer[16] = 0xff; /* more words than there are bytes */
    assert_string_equal(asked(&m).msg, "it says: no");
}

static void who_is_not_moved_does_not_wait_for_ever(void **state)
{
    uint8_t answer[MOST] = { 0 };
    struct manager m = { .greeting = "OK 1\r\n", .answer = answer, .tell = -1 };

    (void)state;
    m.n = message(answer, 2, 0, 0);
    assert_string_equal(asked(&m).msg, "it took too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_call_is_whole),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(who_is_not_let_in_is_told),
        cmocka_unit_test(what_it_says_against_it_is_told),
        cmocka_unit_test(what_is_no_answer_is_none),
        cmocka_unit_test(who_says_no_without_words_has_said_no),
        cmocka_unit_test(who_is_not_moved_does_not_wait_for_ever),
    };
    int failed;

    (void)snprintf(directory, sizeof directory, "/tmp/scope-XXXXXX");
    if (!mkdtemp(directory))
        return 1;
    (void)snprintf(path, sizeof path, "%s/private", directory);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    (void)rmdir(directory);
    return failed;
}
