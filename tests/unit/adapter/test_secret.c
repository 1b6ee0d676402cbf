/* SPDX-License-Identifier: Apache-2.0 */
/* test_secret.c: secrets are found by their references, or not, and then it is said why.
 *
 * Files are real ones, in a directory of the test's own; commands are programs of the system.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "adapter/host.h"
#include "adapter/secret.h"
#include "base/fs.h"
#include "contract/codes.h"

static const char planted[] = "planted-secret-42";
static char home[] = "/tmp/test_secret.XXXXXX";

static int make_home(void **state)
{
    (void)state;
    return mkdtemp(home) ? 0 : -1;
}

static int remove_home(void **state)
{
    struct error e;

    (void)state;
    return fs_remove(home, &e) ? 0 : -1;
}

static const char *put_file(struct arena *a, const char *name, const char *text, mode_t mode)
{
    const char *path = arena_printf(a, "%s/%s", home, name);
    struct error e = { 0 };

    assert_true(fs_write(path, str_of(text), &e));
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

struct asked {
    struct arena a;
    struct secrets found;
    struct error e;
    bool good;
};

static void asked_free(struct asked *q)
{
    arena_free(&q->a);
}

#define _asked_ _cleanup_(asked_free)

static const char *const environment[] = { "A_TOKEN=planted-secret-42",
                                           "EMPTY=",
                                           "A_TOKEN2=no",
                                           "PATH=/usr/bin:/bin",
                                           "SHORT=pin",
                                           "LEAST=pin4",
                                           NULL };

static void find(struct asked *q, const struct secret_doc *doc, enum origin origin,
                 const char *const *env)
{
    struct secret_doc one = *doc;
    struct adapter adapter = { .origin = origin, .directory = home };
    struct secret_places places = { .environment = env };

    one.name = str_of("token");
    adapter.doc.secrets = (struct items){ &one, 1 };
    q->good = secrets_find(&adapter, &places, &q->a, &q->found, &q->e);
}

static void check_found(const struct secret_doc *doc, const char *value, const char *source)
{
    _asked_ struct asked q = { 0 };

    find(&q, doc, ORIGIN_USER, environment);
    if (!q.good)
        fail_msg("%s", q.e.msg);
    assert_int_equal(q.found.n, 1);
    assert_true(str_is(q.found.v[0].value, value));
    assert_string_equal(q.found.v[0].source, source);
    assert_ptr_equal(secret_named(&q.found, str_of("token")), &q.found.v[0]);
    assert_null(secret_named(&q.found, str_of("tok")));
}

static void check_missing(const struct secret_doc *doc, const char *const *env, const char *why)
{
    _asked_ struct asked q = { 0 };

    find(&q, doc, ORIGIN_USER, env);
    assert_false(q.good);
    assert_int_equal(q.e.code, CODE_SECRET_MISSING);
    if (!strstr(q.e.msg, why))
        fail_msg("'%s' does not say '%s'", q.e.msg, why);
    assert_non_null(strstr(q.e.msg, "'token'"));
    assert_null(strstr(q.e.msg, planted));
}

static struct secret_doc env(const char *name)
{
    return (struct secret_doc){ .env = str_of(name) };
}

static struct secret_doc file(const char *path)
{
    return (struct secret_doc){ .file = str_of(path) };
}

static void R_001_091_a_secret_comes_from_a_variable(void **state)
{
    struct secret_doc there = env("A_TOKEN"), empty = env("EMPTY"), none = env("A_TOK");

    (void)state;
    check_found(&there, planted, "env A_TOKEN");
    check_missing(&empty, environment, "env EMPTY: it is empty");
    check_missing(&none, environment, "env A_TOK: the variable is not set");
    check_missing(&there, NULL, "env A_TOKEN: the variable is not set");
}

/* What is too short to be found in a text would be recorded: nobody gets it. */
static void a_secret_that_could_not_be_taken_out_again_is_refused(void **state)
{
    static struct str words[] = { { "echo", 4 }, { "pin", 3 } };
    _arena_ struct arena a = { 0 };
    struct secret_doc by_command = { .command = { words, COUNT(words) } };
    struct secret_doc by_file = file(put_file(&a, "short", "pin\n", 0600));
    struct secret_doc by_variable = env("SHORT"), least = env("LEAST");
    static const char why[] =
        "it has fewer than 4 bytes, and could not be taken out of what is kept";

    (void)state;
    check_missing(&by_variable, environment, why);
    check_missing(&by_file, environment, why);
    check_missing(&by_command, environment, why);
    check_found(&least, "pin4", "env LEAST");
}

static void R_001_091_a_secret_comes_from_a_file_of_the_owner_alone(void **state)
{
    _arena_ struct arena a = { 0 };
    struct secret_doc good = file(put_file(&a, "good", "planted-secret-42\n", 0600));
    struct secret_doc dos = file(put_file(&a, "dos", "planted-secret-42\r\n", 0400));
    struct secret_doc two = file(put_file(&a, "two", "planted-secret-42\n\n", 0600));
    struct secret_doc open_to_all = file(put_file(&a, "open", planted, 0644));
    struct secret_doc group = file(put_file(&a, "group", planted, 0640));
    struct secret_doc empty = file(put_file(&a, "empty", "\n", 0600));
    struct secret_doc directory = file(home), none = file("/nonexistent/secret");
    const char *link = arena_printf(&a, "%s/link", home), *fifo = arena_printf(&a, "%s/fifo", home);
    struct secret_doc by_link = file(link), by_fifo = file(fifo);

    (void)state;
    assert_int_equal(symlink("good", link), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    check_found(&good, planted, arena_printf(&a, "file %s", good.file.s));
    check_found(&dos, planted, arena_printf(&a, "file %s", dos.file.s));
    check_found(&two, "planted-secret-42\n", arena_printf(&a, "file %s", two.file.s));
    check_missing(&open_to_all, environment, "its mode is 644");
    check_missing(&group, environment, "its mode is 640");
    check_missing(&empty, environment, "it is empty");
    check_missing(&directory, environment, "it is not a regular file");
    check_missing(&none, environment, "cannot be opened");
    check_missing(&by_link, environment, "it is a link");
    check_missing(&by_fifo, environment, "it is not a regular file");
}

static void R_001_091_a_file_of_somebody_else_is_no_secret(void **state)
{
    enum { SOMEBODY = 12345 };
    _arena_ struct arena a = { 0 };
    struct secret_doc theirs = file(put_file(&a, "theirs", planted, 0600));

    (void)state;
    if (chown(theirs.file.s, SOMEBODY, (gid_t)-1) != 0)
        skip(); /* Only root can give a file away. */
    check_missing(&theirs, environment, "it belongs to somebody else");
}

static void a_file_s_path_starts_where_the_adapter_s_do_or_at_home(void **state)
{
    _arena_ struct arena a = { 0 };
    struct secret_doc relative = file("below"), tilde = file("~/below");
    const char *at_home[] = { arena_printf(&a, "HOME=%s", home), NULL };
    _asked_ struct asked q = { 0 };

    (void)state;
    (void)put_file(&a, "below", planted, 0600);
    check_found(&relative, planted, "file below");
    find(&q, &tilde, ORIGIN_USER, at_home);
    assert_true(q.good);
    assert_true(str_is(q.found.v[0].value, planted));
    check_missing(&tilde, NULL, "nowhere to start from");
}

static void a_file_has_64_KiB_and_no_NUL(void **state)
{
    _arena_ struct arena a = { 0 };
    char *large = arena_alloc(&a, (64 << 10) + 2);
    struct error e = { 0 };
    const char *nul = arena_printf(&a, "%s/nul", home);
    struct secret_doc full, over, bad = file(nul);

    (void)state;
    memset(large, 'x', (64 << 10) + 1);
    over = file(put_file(&a, "over", large, 0600));
    large[64 << 10] = '\0';
    full = file(put_file(&a, "full", large, 0600));
    assert_true(fs_write(nul, (struct str){ "ab\0cd", 5 }, &e));
    assert_int_equal(chmod(nul, 0600), 0);
    check_found(&full, large, arena_printf(&a, "file %s", full.file.s));
    check_missing(&over, environment, "more than 65536 bytes");
    check_missing(&bad, environment, "a NUL byte");
}

static void R_001_091_a_secret_comes_from_systemd_s_credentials(void **state)
{
    _arena_ struct arena a = { 0 };
    struct secret_doc doc = { .credential = str_of("api") }, up = { .credential = str_of("..") };
    const char *env_of[] = { arena_printf(&a, "CREDENTIALS_DIRECTORY=%s", home), NULL };
    _asked_ struct asked q = { 0 };

    (void)state;
    (void)put_file(&a, "api", "planted-secret-42\n", 0400);
    find(&q, &doc, ORIGIN_PROJECT, env_of);
    assert_true(q.good);
    assert_true(str_is(q.found.v[0].value, planted));
    assert_string_equal(q.found.v[0].source, "credential api");
    check_missing(&doc, environment, "CREDENTIALS_DIRECTORY is not set");
    check_missing(&up, env_of, "that is a directory");
}

static struct secret_doc command(struct str *words, size_t n)
{
    return (struct secret_doc){ .command = { words, n } };
}

static void R_001_091_a_secret_comes_from_a_command_of_the_user_s(void **state)
{
    struct str prints[] = { str_of("printf"), str_of("%s\\n"), str_of("planted-secret-42") };
    struct str literal[] = { str_of("printf"), str_of("%s"), str_of("$(id);`id`|x") };
    struct str reads[] = { str_of("cat") };
    struct str fails[] = { str_of("false"), str_of("planted-secret-42") };
    struct str absent[] = { str_of("no-such-program-of-ours") };
    struct str floods[] = { str_of("head"), str_of("-c"), str_of("65538"), str_of("/dev/zero") };
    struct str environ_of[] = { str_of("printenv"), str_of("A_TOKEN") };
    struct secret_doc d;

    (void)state;
    d = command(prints, COUNT(prints));
    check_found(&d, planted, "command printf");
    d = command(literal, COUNT(literal));
    check_found(&d, "$(id);`id`|x", "command printf");
    d = command(environ_of, COUNT(environ_of));
    check_found(&d, planted, "command printenv");
    d = command(reads, COUNT(reads));
    check_missing(&d, environment, "command cat: it printed nothing");
    d = command(fails, COUNT(fails));
    check_missing(&d, environment, "command false: it ended with status 1");
    d = command(absent, COUNT(absent));
    check_missing(&d, environment, "is not a program in PATH");
    d = command(floods, COUNT(floods));
    check_missing(&d, environment, "more than 65536 bytes");
}

static void a_project_s_adapter_names_no_command(void **state)
{
    struct str words[] = { str_of("touch"), str_of("/nonexistent/never") };
    struct secret_doc d = command(words, COUNT(words));
    _asked_ struct asked q = { 0 };

    (void)state;
    find(&q, &d, ORIGIN_PROJECT, environment);
    assert_false(q.good);
    assert_int_equal(q.e.code, CODE_SECRET_MISSING);
    assert_non_null(strstr(q.e.msg, "a project does not choose a command"));
}

/* ---- the user's own, for hosts ---- */

/* Without a scheme it is https. */
static bool split(const char *host, struct arena *a, struct url_parts *out)
{
    return url_split(str_of(arena_printf(a, "%s%s", strstr(host, "://") ? "" : "https://", host)),
                     out);
}

static void R_001_116_a_configured_secret_is_for_the_hosts_it_lists(void **state)
{
    static const struct {
        const char *entry, *host;
        bool fits;
    } rows[] = {
        { "api.example.org", "api.example.org", true },
        { "api.example.org", "API.EXAMPLE.ORG", true },
        { "api.example.org", "api.example.org:8443", true },
        { "api.example.org:8443", "api.example.org:8443", true },
        { "api.example.org:8443", "api.example.org", false },
        { "api.example.org:443", "api.example.org", true },
        { "api.example.org:443", "http://api.example.org", false },
        { "api.example.org:80", "http://api.example.org", true },
        { "api.example.org:80", "api.example.org", false },
        { "*.example.org", "api.example.org", true },
        { "*.example.org", "example.org", false },
        { "*.example.org", "notexample.org", false },
        { "*.example.org", ".example.org", false },
        { "*.example.org", "a.b.example.org", true },
        { "example.org", "api.example.org", false },
        { "example.org", "example.org.evil.net", false },
        { "example.org", "evil-example.org", false },
        { "*", "example.org", false },
        { "127.0.0.1", "127.0.0.1:80", true },
        { "[::1]:80", "[::1]:80", true },
        { "[::1]", "[::2]", false },
        { "example.org", "x@example.org", false },
        { "example.org", "", false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct str hosts[] = { str_of(rows[i].entry) };
        struct secret_doc doc = { .env = str_of("A_TOKEN"), .hosts = { hosts, 1 } };
        struct secret_places places = { environment, &doc, 1 };
        struct secrets found = { 0 };
        struct error e = { 0 };
        struct url_parts url;

        if (split(rows[i].host, &a, &url))
            assert_true(secrets_for_host(&places, &url, &a, &found, &e));
        if ((found.n == 1) != rows[i].fits)
            fail_msg("%s for %s", rows[i].entry, rows[i].host);
        if (found.n)
            assert_non_null(secret_named(&found, str_of("host")));
    }
}

static void a_configured_secret_that_cannot_be_had_is_told(void **state)
{
    _arena_ struct arena a = { 0 };
    struct str hosts[] = { str_of("example.org") };
    struct secret_doc doc = { .env = str_of("EMPTY"), .hosts = { hosts, 1 } };
    struct secret_places places = { environment, &doc, 1 };
    struct secrets found = { 0 };
    struct error e = { 0 };
    struct url_parts url;

    (void)state;
    assert_true(split("example.org", &a, &url));
    assert_false(secrets_for_host(&places, &url, &a, &found, &e));
    assert_string_equal(e.msg, "your secret for example.org: env EMPTY: it is empty");
}

static void what_was_found_is_wiped(void **state)
{
    _arena_ struct arena a = { 0 };
    struct secrets all = { 0 };
    const char *bytes;

    (void)state;
    secrets_add(&all, "token", str_of(planted), &a);
    bytes = all.v[0].value.s;
    secrets_wipe(&all);
    assert_int_equal(all.n, 0);
    for (size_t i = 0; i < sizeof planted - 1; i++)
        assert_int_equal(bytes[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_091_a_secret_comes_from_a_variable),
        cmocka_unit_test(a_secret_that_could_not_be_taken_out_again_is_refused),
        cmocka_unit_test(R_001_091_a_secret_comes_from_a_file_of_the_owner_alone),
        cmocka_unit_test(R_001_091_a_file_of_somebody_else_is_no_secret),
        cmocka_unit_test(a_file_s_path_starts_where_the_adapter_s_do_or_at_home),
        cmocka_unit_test(a_file_has_64_KiB_and_no_NUL),
        cmocka_unit_test(R_001_091_a_secret_comes_from_systemd_s_credentials),
        cmocka_unit_test(R_001_091_a_secret_comes_from_a_command_of_the_user_s),
        cmocka_unit_test(a_project_s_adapter_names_no_command),
        cmocka_unit_test(R_001_116_a_configured_secret_is_for_the_hosts_it_lists),
        cmocka_unit_test(a_configured_secret_that_cannot_be_had_is_told),
        cmocka_unit_test(what_was_found_is_wiped),
    };

    return cmocka_run_group_tests(tests, make_home, remove_home);
}
