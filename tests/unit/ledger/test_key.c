/* SPDX-License-Identifier: Apache-2.0 */
/* test_key.c: the ledger's key is made once, for its owner alone, and never taken on trust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "ledger/checkpoint.h"

/* The key that the documentation of Go's package note shows. */
#define PETER   "PeterNeumann"
#define PRIVATE "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n"
#define PUBLIC  "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n"

enum { THREADS = 8, ROUNDS = 30 };

static const uint8_t seed_one[SIGN_SEED] = { 1 }, seed_two[SIGN_SEED] = { 2 };

struct home {
    char dir[64], key[80], pub[80], other[80];
    struct arena a;
    struct error e;
};

static int setup(void **state)
{
    struct home *h = calloc(1, sizeof *h);

    assert_non_null(h);
    (void)snprintf(h->dir, sizeof h->dir, "/tmp/writ-key-XXXXXX");
    assert_non_null(mkdtemp(h->dir));
    (void)snprintf(h->key, sizeof h->key, "%s/key", h->dir);
    (void)snprintf(h->pub, sizeof h->pub, "%s/key.pub", h->dir);
    (void)snprintf(h->other, sizeof h->other, "%s/other", h->dir);
    *state = h;
    return 0;
}

static int teardown(void **state)
{
    struct home *h = *state;
    struct error e;
    bool gone = fs_remove(h->dir, &e);

    arena_free(&h->a);
    free(h);
    return gone ? 0 : -1;
}

static void put(const char *path, struct str text, mode_t mode)
{
    _fd_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.s, text.n), text.n);
    assert_int_equal(fchmod(fd, mode), 0);
}

static const char *text_of(struct home *h, const char *path)
{
    struct str text;

    if (!fs_read(path, 10000, &h->a, &text, &h->e))
        fail_msg("%s: %s", path, h->e.msg);
    return text.s;
}

static int mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return (int)(st.st_mode & 07777);
}

/* How many names there are in the directory. */
static int count(const char *dir)
{
    DIR *d = opendir(dir);
    int n = -2; /* . and .. */

    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

static bool load(struct home *h, const char *name, bool make, struct sign_key *out)
{
    return key_load(h->key, str_of(name), make, make ? seed_one : NULL, out, &h->e);
}

static bool publish(struct home *h, const char *name, const struct sign_key *key)
{
    return key_publish(h->key, str_of(name), key, &h->e);
}

static void refused(struct home *h, const char *name, bool make, const char *words)
{
    struct sign_key key = { .seed = { 99 } };

    if (load(h, name, make, &key))
        fail_msg("was loaded, expected '%s'", words);
    assert_int_equal(key.seed[0], 99);
    if (!strstr(h->e.msg, words))
        fail_msg("says '%s', expected '%s'", h->e.msg, words);
    if (strstr(h->e.msg, "AYEKFALV") || strstr(h->e.msg, "HKDFz"))
        fail_msg("tells the key: %s", h->e.msg);
}

/* ---- making ---- */

static void a_key_is_made_when_it_is_asked_for(void **state)
{
    struct home *h = *state;
    struct sign_key key, want;
    mode_t before = umask(0);
    bool ok = load(h, "writ/a", true, &key);

    assert_int_equal(count(h->dir), 1); /* the public half is for when it has signed */
    ok = ok && publish(h, "writ/a", &key);
    (void)umask(before);
    if (!ok)
        fail_msg("%s", h->e.msg);
    sign_key_from(seed_one, &want);
    assert_memory_equal(&key, &want, sizeof key);
    assert_int_equal(mode_of(h->key), 0600);
    assert_int_equal(mode_of(h->pub), 0644);
    assert_int_equal(count(h->dir), 2); /* nothing is left beside them */
    assert_int_equal(h->e.code, 0);
}

static void it_is_not_made_when_it_is_not(void **state)
{
    struct home *h = *state;

    refused(h, "writ/a", false, "cannot be opened: No such file");
    assert_int_equal(h->e.sys, ENOENT);
    assert_int_equal(count(h->dir), 0);
}

static void once_made_it_stays(void **state)
{
    struct home *h = *state;
    struct sign_key first, again, read;

    assert_true(load(h, "writ/a", true, &first));
    assert_true(key_load(h->key, str_of("writ/a"), true, seed_two, &again, &h->e));
    assert_true(load(h, "writ/a", false, &read));
    assert_memory_equal(&first, &again, sizeof first);
    assert_memory_equal(&first, &read, sizeof first);
}

static void both_files_are_what_c2sp_tools_read(void **state)
{
    struct home *h = *state;
    struct sign_key key;
    struct verifier v;
    char seed[SIGN_SEED];

    put(h->key, str_of(PRIVATE), 0600);
    if (!load(h, PETER, true, &key) || !publish(h, PETER, &key))
        fail_msg("%s", h->e.msg);
    assert_string_equal(text_of(h, h->pub), PUBLIC);
    assert_true(verifier_read(str_of(text_of(h, h->pub)), &h->a, &v, &h->e));
    assert_memory_equal(v.public, key.public, SIGN_PUBLIC);

    memcpy(seed, key.seed, sizeof seed);
    assert_int_equal(unlink(h->key), 0);
    assert_true(key_load(h->key, str_of(PETER), true, (const uint8_t *)seed, &key, &h->e));
    assert_string_equal(text_of(h, h->key), PRIVATE);
}

static void no_directory_no_key(void **state)
{
    struct home *h = *state;
    struct sign_key key;
    char path[128];

    (void)snprintf(path, sizeof path, "%s/none/key", h->dir);
    assert_false(key_load(path, str_of("a"), true, seed_one, &key, &h->e));
    assert_non_null(strstr(h->e.msg, "cannot be made"));
    assert_int_equal(h->e.sys, ENOENT);
}

/* ---- refusing ---- */

static void a_key_that_others_can_use_is_refused(void **state)
{
    static const mode_t bad[] = { 0640, 0604, 0620, 0602, 0610, 0601, 0644, 0666, 0777, 0040 };
    struct home *h = *state;
    struct sign_key key;

    for (size_t i = 0; i < COUNT(bad); i++) {
        put(h->key, str_of(PRIVATE), 0600);
        put(h->key, str_of(PRIVATE), bad[i]);
        if (bad[i] & 0400) /* else an ordinary user cannot even open it */
            refused(h, PETER, true, "allowed is 0600; who has read it can sign");
        assert_int_equal(chmod(h->key, 0600), 0);
    }
    assert_int_equal(chmod(h->key, 0400), 0);
    assert_true(load(h, PETER, true, &key));
}

static void a_link_is_refused(void **state)
{
    struct home *h = *state;

    put(h->other, str_of(PRIVATE), 0600);
    assert_int_equal(symlink("other", h->key), 0);
    refused(h, PETER, true, "is a link, allowed is a file");
    assert_int_equal(unlink(h->other), 0);
    refused(h, PETER, true, "is a link"); /* and nothing is made where it points */
    assert_int_equal(count(h->dir), 1);
}

static void what_is_no_file_is_refused(void **state)
{
    struct home *h = *state;

    assert_int_equal(mkdir(h->key, 0700), 0);
    refused(h, PETER, true, "is not a file");
    assert_int_equal(rmdir(h->key), 0);
    assert_int_equal(mkfifo(h->key, 0600), 0); /* nobody writes to it: waiting would last */
    refused(h, PETER, true, "is not a file");
}

static void the_key_of_another_name_is_refused(void **state)
{
    struct home *h = *state;

    put(h->key, str_of(PRIVATE), 0600);
    refused(h, "writ/a", true, "is the key of 'PeterNeumann', expected the key of 'writ/a'");
}

static void a_name_must_fit(void **state)
{
    static const char *const bad[] = { "", "a b", "a+b", "a\n", "\xff", "a\xc2\xa0" };
    struct home *h = *state;
    char large[600];

    for (size_t i = 0; i < COUNT(bad); i++)
        refused(h, bad[i], true, "a key's name has 1 to 512 bytes");
    memset(large, 'a', sizeof large);
    large[513] = '\0';
    refused(h, large, true, "a key's name has 1 to 512 bytes");
    assert_int_equal(count(h->dir), 0);

    struct sign_key key, again;
    large[512] = '\0';
    assert_true(load(h, large, true, &key));
    assert_true(load(h, large, false, &again));
}

/* clang-format off */
static const struct {
    const char *text, *words;
} bad_files[] = {
    { "",                                                       "begins with PRIVATE+KEY+" },
    { "PRIVATE+KEY+",                                           "begins with PRIVATE+KEY+" },
    { "PRIVATE+KEY+\n",                                         "not <name>+<8 hex digits>" },
    { PUBLIC,                                                   "begins with PRIVATE+KEY+" },
    { " " PRIVATE,                                              "begins with PRIVATE+KEY+" },
    { PRIVATE "\n",                                             "not base64" },
    { PRIVATE PRIVATE,                                          "not base64" },
    { "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz",     "begins with PRIVATE+KEY+" },
    { "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\r\n", "not base64" },
    { "PRIVATE+KEY+PeterNeumann+c74f20a3+AoEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n",   "not base64 of the byte 1" },
    { "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDF0\n",   "is damaged" },
    { "PRIVATE+KEY+PeterNeumann+c74f20a4+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n",   "is damaged" },
    { "PRIVATE+KEY+PeterNeumann+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n",            "not <name>" },
};
/* clang-format on */

static void a_damaged_file_is_refused_and_left(void **state)
{
    struct home *h = *state;
    char large[1025];

    for (size_t i = 0; i < COUNT(bad_files); i++) {
        put(h->key, str_of(bad_files[i].text), 0600);
        refused(h, PETER, true, bad_files[i].words);
        assert_string_equal(text_of(h, h->key), bad_files[i].text);
    }
    memset(large, 'x', sizeof large);
    put(h->key, (struct str){ large, sizeof large }, 0600);
    refused(h, PETER, true, "has more than 1024 bytes");
}

static void the_public_half_is_made_again_and_never_wrong(void **state)
{
    struct home *h = *state;
    struct sign_key key;

    put(h->key, str_of(PRIVATE), 0600);
    assert_true(load(h, PETER, true, &key));
    assert_true(publish(h, PETER, &key));
    assert_int_equal(unlink(h->pub), 0);
    assert_true(load(h, PETER, false, &key));
    assert_int_equal(count(h->dir), 1); /* who only reads makes nothing */
    assert_true(publish(h, PETER, &key));
    assert_true(publish(h, PETER, &key));
    assert_string_equal(text_of(h, h->pub), PUBLIC);
    put(h->pub, str_of("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TX\n"),
        0644);
    refused(h, PETER, true, "key.pub does not belong to the key in");
    assert_false(publish(h, PETER, &key));
}

/* ---- at once ---- */

struct racer {
    const char *path;
    pthread_barrier_t *start;
    uint8_t seed[SIGN_SEED];
    struct sign_key key;
    struct error e;
    bool ok;
};

static void *race(void *self)
{
    struct racer *r = self;

    (void)pthread_barrier_wait(r->start);
    r->ok = key_load(r->path, str_of("writ/a"), true, r->seed, &r->key, &r->e) &&
            key_publish(r->path, str_of("writ/a"), &r->key, &r->e);
    return NULL;
}

static void race_once(struct home *h, int round)
{
    struct racer racers[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;

    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (struct racer){ .path = h->key,
                                    .start = &start,
                                    .seed = { (uint8_t)i, (uint8_t)round } };
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(pthread_barrier_destroy(&start), 0);
    for (int i = 0; i < THREADS; i++) {
        if (!racers[i].ok)
            fail_msg("%s", racers[i].e.msg);
        assert_memory_equal(&racers[i].key, &racers[0].key, sizeof racers[0].key);
    }
}

/* Each brings another seed; all must leave with the one that is in the file. */
static void all_who_make_it_at_once_have_the_same(void **state)
{
    struct home *h = *state;

    for (int round = 0; round < ROUNDS; round++) {
        race_once(h, round);
        assert_int_equal(count(h->dir), 2);
        assert_int_equal(unlink(h->key), 0);
        assert_int_equal(unlink(h->pub), 0);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_key_is_made_when_it_is_asked_for),
        CASE(it_is_not_made_when_it_is_not),
        CASE(once_made_it_stays),
        CASE(both_files_are_what_c2sp_tools_read),
        CASE(no_directory_no_key),
        CASE(a_key_that_others_can_use_is_refused),
        CASE(a_link_is_refused),
        CASE(what_is_no_file_is_refused),
        CASE(the_key_of_another_name_is_refused),
        CASE(a_name_must_fit),
        CASE(a_damaged_file_is_refused_and_left),
        CASE(the_public_half_is_made_again_and_never_wrong),
        CASE(all_who_make_it_at_once_have_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
