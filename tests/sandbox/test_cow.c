/* SPDX-License-Identifier: Apache-2.0 */
/* test_cow.c: commands that write beside the disk, and what is read of it afterwards.
 *
 * usage: test_cow [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "runs.h"
#include "sandbox/collect_store.h"
#include "sandbox/cow_walk.h"

static struct runs r;
static char store_path[64];
static int store = -1;

static int make(void **state)
{
    (void)state;
    runs_make(&r);
    r.filesystem.write_mode = WRITE_COW;
    (void)snprintf(store_path, sizeof store_path, "/tmp/writ-store-XXXXXX");
    assert_non_null(mkdtemp(store_path));
    store = open(store_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(store >= 0);
    return 0;
}

static int end(void **state)
{
    char line[128];

    (void)state;
    (void)close(store);
    (void)snprintf(line, sizeof line, "rm -rf '%s'", store_path);
    assert_int_equal(system(line), 0); /* NOLINT: a path of our own */
    (void)snprintf(line, sizeof line, "chmod -R u+rwx '%s'", r.dir);
    assert_int_equal(system(line), 0); /* NOLINT: a path of our own */
    runs_free(&r);
    return 0;
}

/* ---- the disk ---- */

/* By the shell, in the working directory: what is there before. */
static void before(const char *script)
{
    char *line = arena_printf(&r.a, "cd '%s' && umask 022 && { %s; }", r.dir, script);

    assert_int_equal(system(line), 0); /* NOLINT: a script of our own */
}

/* Everything that can be told about the tree, without its access times. */
static const char *disk(void)
{
    char *line = arena_printf(&r.a,
                              "cd '%s' && { find . -printf '%%p %%y %%m %%U %%G %%s %%T@ %%C@ %%n "
                              "%%l\\n' | sort; find . -type f -readable -exec sha256sum {} + | "
                              "sort; }",
                              r.dir);
    FILE *f = popen(line, "re"); /* NOLINT: a path of our own */
    _buf_ struct buf text = { .max = 64 << 20 };
    char part[4096];
    size_t n;

    assert_non_null(f);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        buf_add(&text, part, n);
    assert_int_equal(pclose(f), 0);
    return arena_text(&r.a, buf_str(&text));
}

/* ---- changes ---- */

static void put_side(struct buf *to, const struct change_side *s)
{
    if (!s->there) {
        buf_addf(to, " -");
        return;
    }
    buf_addf(to, " %s:%o", change_kind_names[s->kind], (unsigned)s->mode);
    if (s->kind == CHANGE_FILE)
        buf_addf(to, ":%lld", (long long)s->bytes);
    if (s->kind == CHANGE_LINK)
        buf_addf(to, ":%.*s", STR_ARG(s->target));
}

/* "added n - file:644:4", a line each. */
static const char *listed(const struct changes *all)
{
    _buf_ struct buf text = { .max = 64 << 20 };

    for (size_t i = 0; i < all->n; i++) {
        const struct change_row *row = &all->v[i];

        assert_true(row->path.n >= strlen(r.dir));
        buf_addf(&text, "%s %.*s", change_names[row->change], (int)(row->path.n - strlen(r.dir)),
                 row->path.s + strlen(r.dir));
        put_side(&text, &row->before);
        put_side(&text, &row->after);
        buf_addf(&text, "\n");
    }
    return arena_text(&r.a, buf_str(&text));
}

static struct changes read_layers(struct outcome *out)
{
    struct changes all = { 0 };
    struct error e = { 0 };

    if (!cow_read(&out->cow, store, &r.a, &all, &e))
        fail_msg("%s", e.msg);
    return all;
}

/* Runs it; the disk must be as it was. */
static struct changes changes_of(const char *script, struct outcome *out)
{
    const char *was = disk();
    struct changes all;

    *out = runs_do(&r, world_real(), script);
    if (out->exit_code != 0)
        fail_msg("status %d: %.*s", out->exit_code, STR_ARG(out->err.head));
    assert_string_equal(disk(), was);
    all = read_layers(out);
    assert_string_equal(disk(), was);
    return all;
}

/* ---- what is read ---- */

static const struct {
    const char *what, *before, *script, *expected;
} cases[] = {
    { "nothing", "echo one > a", "cat a; ls -la > /dev/null", "" },
    { "a file is added", ":", "echo new > n", "added /n - file:644:4\n" },
    { "a file is changed", "echo one > a", "echo more >> a", "changed /a file:644:4 file:644:9\n" },
    { "a file is truncated", "echo one > a", ": > a", "changed /a file:644:4 file:644:0\n" },
    { "a file is deleted", "echo one > a", "rm a", "deleted /a file:644:4 -\n" },
    { "a file is moved", "echo one > a", "mv a b",
      "deleted /a file:644:4 -\nadded /b - file:644:4\n" },
    { "a mode is changed", "echo one > a", "chmod 755 a", "changed /a file:644:4 file:755:4\n" },
    { "and changed back", "echo one > a", "chmod 755 a; chmod 644 a; touch a", "" },
    { "written as it was", "echo one > a", "echo one > a", "" },
    { "deleted, and made again as it was", "echo one > a; mkdir d; echo x > d/x",
      "rm -r a d; echo one > a; mkdir d; echo x > d/x", "" },
    { "a link is added", ":", "ln -s /etc/passwd l", "added /l - link:777:/etc/passwd\n" },
    { "a link is changed", "ln -s a l", "ln -sf b l", "changed /l link:777:a link:777:b\n" },
    { "a file becomes a link", "echo one > a", "rm a; ln -s b a",
      "changed /a file:644:4 link:777:b\n" },
    { "a hard link is added", "echo one > a", "ln a b", "added /b - file:644:4\n" },
    { "two names of a new file", ":", "echo new > a; ln a b",
      "added /a - file:644:4\nadded /b - file:644:4\n" },
    { "a directory is added", ":", "mkdir -p d/e; echo x > d/e/x",
      "added /d - directory:755\nadded /d/e - directory:755\nadded /d/e/x - file:644:2\n" },
    { "a directory is deleted", "mkdir -p d/e; echo x > d/e/x; echo y > d/y", "rm -r d",
      "deleted /d directory:755 -\ndeleted /d/e directory:755 -\ndeleted /d/e/x file:644:2 -\n"
      "deleted /d/y file:644:2 -\n" },
    { "a directory is deleted, and made anew", "mkdir -p d/e; echo x > d/e/x; echo y > d/y",
      "rm -r d; mkdir d; echo z > d/z; mkdir d/e",
      "deleted /d/e/x file:644:2 -\ndeleted /d/y file:644:2 -\nadded /d/z - file:644:2\n" },
    { "a directory is moved", "mkdir -p d/e; echo x > d/e/x", "mv d f",
      "deleted /d directory:755 -\ndeleted /d/e directory:755 -\ndeleted /d/e/x file:644:2 -\n"
      "added /f - directory:755\nadded /f/e - directory:755\nadded /f/e/x - file:644:2\n" },
    { "a directory becomes a file", "mkdir d; echo x > d/x", "rm -r d; echo file > d",
      "changed /d directory:755 file:644:5\ndeleted /d/x file:644:2 -\n" },
    { "a file becomes a directory", "echo one > a", "rm a; mkdir a; echo x > a/x",
      "changed /a file:644:4 directory:755\nadded /a/x - file:644:2\n" },
    { "the mode of a directory", "mkdir d; echo x > d/x", "chmod 700 d",
      "changed /d directory:755 directory:700\n" },
    { "the mode of the root", ":", "chmod 711 .", "changed  directory:700 directory:711\n" },
    { "deep inside", "mkdir -p a/b/c/d; echo x > a/b/c/d/x", "echo y >> a/b/c/d/x",
      "changed /a/b/c/d/x file:644:2 file:644:4\n" },
    { "others", ":", "mkfifo p", "added /p - other:644\n" },
    { "what nobody may read", "echo one > a",
      "echo two > b; chmod 0 b; mkdir d; echo x > d/x; chmod 0 d; mkdir e; echo y > e/y; "
      "chmod 600 e; chmod 0 a",
      "changed /a file:644:4 file:0:4\nadded /b - file:0:4\nadded /d - directory:0\n"
      "added /d/x - file:644:2\nadded /e - directory:600\nadded /e/y - file:644:2\n" },
    { "in order of bytes", ":", "mkdir a; touch a/b a-b a.b aa",
      "added /a - directory:755\nadded /a-b - file:644:0\nadded /a.b - file:644:0\n"
      "added /a/b - file:644:0\nadded /aa - file:644:0\n" },
    { "a name of any bytes", ":", "touch -- \"$(printf 'a\\nb\\377')\" -rf",
      "added /-rf - file:644:0\nadded /a\nb\377 - file:644:0\n" },
    { "a sparse file", ":", "truncate -s 100M s", "added /s - file:644:104857600\n" },
};

static void R_001_015_what_a_run_wrote_beside_the_disk_is_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcome out;
        struct changes all;

        (void)make(NULL);
        before(cases[i].before);
        all = changes_of(cases[i].script, &out);
        if (strcmp(listed(&all), cases[i].expected) != 0)
            fail_msg("%s:\n%s", cases[i].what, listed(&all));
        assert_null(all.cut);
        cow_close(&out.cow);
        (void)end(NULL);
    }
}

/* The bytes of what was written are kept under their digest. */
static void R_001_015_bytes_of_what_was_written_are_kept(void **state)
{
    struct outcome out;
    struct changes all;
    struct digest one, was = digest_of("one\n", 4), is = digest_of("one\ntwo\n", 8);
    char bytes[16] = { 0 };
    _fd_ int fd = -1;

    (void)state;
    before("echo one > a");
    all = changes_of("echo two >> a", &out);
    assert_int_equal(all.n, 1);
    one = all.v[0].before.digest;
    assert_memory_equal(&one, &was, sizeof was);
    assert_memory_equal(&all.v[0].after.digest, &is, sizeof is);
    fd = keep_open(store, &is);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, bytes, sizeof bytes), 8);
    assert_memory_equal(bytes, "one\ntwo\n", 8);
    assert_int_equal(keep_open(store, &was), -1);
    cow_close(&out.cow);
}

/* What the disk has now is what a change is compared to. */
static void what_was_changed_meanwhile_is_seen(void **state)
{
    struct outcome out;
    struct changes all;

    (void)state;
    before("echo one > a; echo two > b");
    out = runs_do(&r, world_real(), "echo new > a; rm b");
    assert_int_equal(out.exit_code, 0);
    before("echo new > a; rm b");
    all = read_layers(&out);
    assert_string_equal(listed(&all), "");
    cow_close(&out.cow);
}

static int all_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_015_what_a_run_wrote_beside_the_disk_is_listed),
        cmocka_unit_test_setup_teardown(R_001_015_bytes_of_what_was_written_are_kept, make, end),
        cmocka_unit_test_setup_teardown(what_was_changed_meanwhile_is_seen, make, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return home_run(all_tests, argc > 1 && strcmp(argv[1], "--user") == 0 ? SOME_USER : 0);
}
