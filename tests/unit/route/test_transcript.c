/* SPDX-License-Identifier: Apache-2.0 */
/* test_transcript.c: the lines of a transcript: whole, in order, durable, told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "sandbox/outcome.h"
#include "unit/route/lane_scene.h"

/* A file in a directory of its own. */
struct place {
    char directory[32], file[64];
};

static void place_make(struct place *p)
{
    (void)snprintf(p->directory, sizeof p->directory, "/tmp/writ-transcript-XXXXXX");
    assert_non_null(mkdtemp(p->directory));
    (void)snprintf(p->file, sizeof p->file, "%s/transcript.jsonl", p->directory);
}

static void place_free(struct place *p)
{
    struct error e;

    assert_true(fs_remove(p->directory, &e));
}

#define _place_ _cleanup_(place_free)

static void say(struct transcript *t, const char *message)
{
    struct buf *line = transcript_begin(t, SAID_UNAVAILABLE);

    json_put(line, "message", message);
    transcript_end(t);
}

static struct str contents(struct lane_scene *s, const char *path)
{
    struct error e;
    struct str text = { 0 };

    assert_true(fs_read(path, 16 << 20, &s->a, &text, &e));
    return text;
}

static void R_000_076_the_file_is_there_from_the_first_line_on(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    _place_ struct place p;
    struct digest told, found;
    struct stat there;
    struct error e;
    struct str text;

    (void)state;
    place_make(&p);
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    s.transcript.path = NULL;
    assert_true(transcript_open(&s.transcript, p.file, &e));
    assert_string_equal(s.transcript.path, p.file);
    assert_int_equal(stat(p.file, &there), 0);
    assert_int_equal(there.st_mode & 07777, 0600);
    assert_true(fcntl(s.transcript.fd, F_GETFL) & O_APPEND);
    assert_true(fcntl(s.transcript.fd, F_GETFD) & FD_CLOEXEC);

    say(&s.transcript, "one");
    text = contents(&s, p.file);
    assert_true(str_is(text, "{\"ts\":\"2025-12-17T19:33:20.000Z\",\"event\":\"unavailable\","
                             "\"run_id\":\"run-" SCENE_RUN "\","
                             "\"trace_id\":\"trace-nightly:2026/7\",\"message\":\"one\"}\n"));
    fake_world_tick(&s.clock, 1);
    say(&s.transcript, "two");
    text = contents(&s, p.file);
    assert_true(str_eq(text, buf_str(&s.told)));
    assert_non_null(strstr(s.told.s, "19:33:20.001Z"));
    assert_true(transcript_close(&s.transcript, &told, &e));
    assert_int_equal(s.transcript.fd, -1);
    found = digest_of(text.s, text.n);
    assert_memory_equal(&told, &found, sizeof told);
}

static void a_file_that_is_there_already_is_left_alone(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    _place_ struct place p;
    char link[80];
    struct error e = { 0 };

    (void)state;
    place_make(&p);
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    assert_true(fs_write(p.file, str_of("mine"), &e));
    assert_false(transcript_open(&s.transcript, p.file, &e));
    assert_non_null(strstr(e.msg, "cannot be made"));
    assert_true(str_is(contents(&s, p.file), "mine"));
    (void)snprintf(link, sizeof link, "%s/link", p.directory); /* to where nothing is */
    assert_int_equal(symlink("nowhere", link), 0);
    assert_false(transcript_open(&s.transcript, link, &e));
    assert_int_equal(s.transcript.fd, -1);
}

/* A socket that keeps its packets apart shows each write by itself. */
static void a_line_is_one_write(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    char packet[4096];
    int ends[2];

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    s.transcript.fd = ends[0];
    lane_begin(&s.lane, &s.plan, &s.transcript);
    lane_start(&s.lane);
    (void)close(ends[0]);
    for (int i = 0; i < 3; i++) { /* planned, enqueue, start */
        ssize_t n = read(ends[1], packet, sizeof packet);

        assert_true(n > 2);
        assert_ptr_equal(memchr(packet, '\n', (size_t)n), packet + n - 1);
        assert_int_equal(packet[0], '{');
    }
    assert_int_equal(read(ends[1], packet, sizeof packet), 0);
    (void)close(ends[1]);
}

/* A disk that fills up in the middle of a line, and later has room again. */
static void a_line_is_there_whole_or_not_at_all(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    _place_ struct place p;
    struct rlimit all, little;
    struct digest d;
    struct error e = { 0 };
    size_t one;

    (void)state;
    place_make(&p);
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    assert_true(transcript_open(&s.transcript, p.file, &e));
    say(&s.transcript, "one");
    one = s.told.len;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    little = (struct rlimit){ one + one / 2, all.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    say(&s.transcript, "two");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_true(s.transcript.failed);
    assert_int_equal(contents(&s, p.file).n, one);
    say(&s.transcript, "three");
    assert_int_equal(contents(&s, p.file).n, one);  /* nothing follows what is missing */
    assert_non_null(strstr(s.told.s, "\"three\"")); /* who looks on is told */
    assert_false(transcript_close(&s.transcript, &d, &e));
    assert_non_null(strstr(e.msg, "is not whole: "));
    assert_int_equal(s.transcript.fd, -1);
}

/* The same where several write: whoever comes next does not go on in somebody's half line. */
static void half_a_line_is_not_gone_on_with(void **state)
{
    _scene_ struct lane_scene s = { 0 }, other = { 0 }, third = { 0 };
    _place_ struct place p;
    struct rlimit all, little;
    atomic_bool torn = false;
    struct error e = { 0 };
    struct str text;
    size_t one;

    (void)state;
    place_make(&p);
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    scene_open(&other, ROUTE_LOCAL_DIRECT);
    scene_open(&third, ROUTE_LOCAL_DIRECT);
    assert_true(transcript_open(&s.transcript, p.file, &e));
    s.transcript.shared = other.transcript.shared = third.transcript.shared = true;
    s.transcript.torn = other.transcript.torn = third.transcript.torn = &torn;
    other.transcript.fd = third.transcript.fd = s.transcript.fd;
    say(&s.transcript, "one");
    one = s.told.len;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    little = (struct rlimit){ one + one / 2, all.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    say(&s.transcript, "two");
    say(&third.transcript, "lost"); /* there is no room for its first byte either */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    say(&other.transcript, "three");
    say(&other.transcript, "four");
    assert_true(s.transcript.failed && third.transcript.failed && !other.transcript.failed);
    text = contents(&s, p.file);
    assert_int_equal(text.n, one + one / 2 + 1 + other.told.len);
    assert_int_equal(text.s[one + one / 2], '\n');
    assert_memory_equal(text.s + one + one / 2 + 1, other.told.s, other.told.len);
    (void)close(s.transcript.fd);
}

static void a_full_disk_is_an_error_at_the_end(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    struct digest d;
    struct error e = { 0 };

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    s.transcript.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (s.transcript.fd < 0)
        skip();
    say(&s.transcript, "one");
    assert_false(transcript_close(&s.transcript, &d, &e));
    assert_non_null(strstr(e.msg, "No space left on device"));
}

static void what_is_kept_nowhere_is_told_and_digested(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    struct digest told, found;
    struct error e;

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    say(&s.transcript, "one");
    s.transcript.listener.line = NULL;
    found = digest_of(s.told.s, s.told.len);
    assert_true(transcript_close(&s.transcript, &told, &e));
    assert_memory_equal(&told, &found, sizeof told);

    s.transcript.line = (struct buf){ 0 }; /* and one in which nothing was said */
    found = digest_of("", 0);
    assert_true(transcript_close(&s.transcript, &told, &e));
    assert_memory_equal(&told, &found, sizeof told);
}

/* ---- what was printed ---- */

static const struct doc *print(struct lane_scene *s, const char *bytes, size_t kept, int64_t all)
{
    struct printed p = { .head = { bytes, kept }, .bytes = all, .digest = digest_of("x", 1) };

    s->told.len = 0;
    transcript_printed(&s->transcript, 2, &p);
    assert_int_equal(utf8_valid(buf_str(&s->told)), s->told.len);
    return scene_last(s, SAID_PRINTED);
}

static void R_000_066_what_it_printed_is_kept_as_it_was(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    const struct doc *line;
    char digest[DIGEST_TEXT];
    struct digest x = digest_of("x", 1);

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    digest_text(&x, digest);
    line = print(&s, "gr\xc3\xbc\xc3\x9f", 6, 6);
    check_is(doc_text(line, "stream"), "stderr");
    check_is(doc_text(line, "text"), "gr\xc3\xbc\xc3\x9f");
    check_is(doc_text(line, "digest"), digest);
    assert_int_equal(doc_whole(line, "bytes"), 6);
    assert_false(doc_get(line, "truncated")->truth);

    line = print(&s, "a\xff\n\0", 4, 4);
    check_is(doc_text(line, "base64"), "Yf8KAA==");
    assert_null(doc_get(line, "text"));

    line = print(&s, "gr\xc3\xbc\xc3", 5, 6); /* cut in the middle of a character */
    check_is(doc_text(line, "text"), "gr\xc3\xbc");
    assert_true(doc_get(line, "truncated")->truth);

    line = print(&s, "gr\xc3\xbc\xc3", 5, 5); /* which it printed so, by itself */
    check_is(doc_text(line, "base64"), "Z3LDvMM=");
    assert_false(doc_get(line, "truncated")->truth);

    line = print(&s, "", 0, 0);
    check_is(doc_text(line, "text"), "");
    assert_int_equal(doc_get(line, "bytes")->whole, 0);
}

/* What is shown is not what came: whether something is missing is known from before. */
static void redacted_words_are_cut_only_where_they_were(void **state)
{
    struct printed p = { .head = { "[redacted]", 10 }, .bytes = 18, .redacted = true };
    _scene_ struct lane_scene s = { 0 };

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    for (int cut = 0; cut < 2; cut++) {
        p.cut = cut;
        s.told.len = 0;
        transcript_printed(&s.transcript, 1, &p);
        assert_int_equal(doc_get(scene_last(&s, SAID_PRINTED), "truncated")->truth, cut);
    }
}

static void much_that_was_printed_is_cut(void **state)
{
    enum { MUCH = (1 << 20) + 7 };
    _scene_ struct lane_scene s = { 0 };
    char *bytes = arena_alloc(&s.a, MUCH);
    const struct doc *line;

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    memset(bytes, 'x', MUCH);
    line = print(&s, bytes, MUCH, MUCH);
    assert_int_equal(doc_text(line, "text").n, 1 << 20);
    assert_int_equal(doc_whole(line, "bytes"), MUCH);
    assert_true(doc_get(line, "truncated")->truth);
}

static void a_line_that_is_too_long_is_missing(void **state)
{
    enum { TOO_MUCH = 65 << 20 };
    _scene_ struct lane_scene s = { 0 };
    char *text = arena_alloc(&s.a, TOO_MUCH);
    struct digest d;
    struct error e = { 0 };

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    memset(text, 'x', TOO_MUCH - 1);
    say(&s.transcript, text);
    assert_int_equal(s.told.len, 0);
    say(&s.transcript, "one");
    assert_false(transcript_close(&s.transcript, &d, &e));
    assert_int_equal(e.code, ERROR_CEILING);
}

static void every_event_is_explained(void **state)
{
    (void)state;
    assert_string_equal(transcript_events_table.name, "transcript");
    assert_int_equal(transcript_events_table.row_count, TRANSCRIPT_EVENTS);
    for (int i = 0; i < TRANSCRIPT_EVENTS; i++) {
        assert_int_equal(transcript_events[i].event, i);
        assert_true(strlen(transcript_event_names[i]) > 0);
        assert_true(strlen(transcript_events[i].members) > 0);
        assert_int_equal(transcript_events[i].meaning[strlen(transcript_events[i].meaning) - 1],
                         '.');
    }
    assert_null(transcript_event_names[TRANSCRIPT_EVENTS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_076_the_file_is_there_from_the_first_line_on),
        cmocka_unit_test(a_file_that_is_there_already_is_left_alone),
        cmocka_unit_test(a_line_is_one_write),
        cmocka_unit_test(a_line_is_there_whole_or_not_at_all),
        cmocka_unit_test(half_a_line_is_not_gone_on_with),
        cmocka_unit_test(a_full_disk_is_an_error_at_the_end),
        cmocka_unit_test(what_is_kept_nowhere_is_told_and_digested),
        cmocka_unit_test(R_000_066_what_it_printed_is_kept_as_it_was),
        cmocka_unit_test(redacted_words_are_cut_only_where_they_were),
        cmocka_unit_test(much_that_was_printed_is_cut),
        cmocka_unit_test(a_line_that_is_too_long_is_missing),
        cmocka_unit_test(every_event_is_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
