/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_process.c: a ledger in a file, many processes, and things that go wrong.
 *
 * These tests start processes, and end some of them in the middle of their work. */
#include "unit/ledger/by_hand.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "contract/codes.h"

/* A process of its own. What it asserts ends it: it must not go on with its copy of the tests. */
typedef bool (*child_main)(void *self);

static pid_t begin_child(child_main run, void *self)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        (void)setenv("CMOCKA_TEST_ABORT", "1", 1);
        _exit(run(self) ? 0 : 1);
    }
    return pid;
}

static int end_of(pid_t pid)
{
    int status = 0;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* Somebody who may read and not write; the ledger has these entries at least. */
static bool read_as_stranger(void *self)
{
    _arena_ struct arena a = { 0 };
    struct store_open how = { self, STORE_READ, world_real() };
    struct store *s;
    struct error e = { 0 };
    struct tip tip;

    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return false;
    if (!kind->open(&how, &a, &s, &e) || !kind->look(s, &tip, &e)) {
        print_message("%s\n", e.msg);
        return false;
    }
    kind->look_end(s);
    kind->close(s);
    how.access = STORE_APPEND;
    return tip.size >= 300 && !kind->open(&how, &a, &s, &e) && strstr(e.msg, "read-only");
}

static void chmod_ledger(const char *where, mode_t file, mode_t directory, struct arena *a)
{
    static const char *const ends[] = { "", "-wal", "-shm" };

    for (size_t i = 0; i < COUNT(ends); i++)
        (void)chmod(arena_printf(a, "%s%s", where, ends[i]), file);
    assert_int_equal(chmod(arena_text(a, (struct str){ where, strlen(where) - 10 }), directory), 0);
}

/* With a log beside it, without one, and without anything beside it. */
static void a_ledger_is_read_where_nothing_can_be_written(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = made_place(300, &a);
    struct error e = { 0 };

    (void)state;
    assert_int_equal(chmod(place_dir, 0755), 0);
    chmod_ledger(where, 0444, 0555, &a);
    assert_int_equal(end_of(begin_child(read_as_stranger, (void *)where)), 0);
    chmod_ledger(where, 0600, 0700, &a);
    ok(by_hand(where, "PRAGMA wal_checkpoint(TRUNCATE)", &e));
    chmod_ledger(where, 0444, 0555, &a);
    assert_int_equal(end_of(begin_child(read_as_stranger, (void *)where)), 0);
    chmod_ledger(where, 0600, 0700, &a);
    assert_int_equal(unlink(arena_printf(&a, "%s-wal", where)), 0);
    assert_int_equal(unlink(arena_printf(&a, "%s-shm", where)), 0);
    chmod_ledger(where, 0444, 0555, &a);
    assert_int_equal(end_of(begin_child(read_as_stranger, (void *)where)), 0);
    chmod_ledger(where, 0600, 0700, &a);
}

struct appender {
    const char *where;
    int pipe;
    int times;
};

/* Appends batches of any size, and tells how far it came after each. */
static bool append_and_tell(void *self)
{
    struct appender *p = self;
    struct store_open how = { p->where, STORE_APPEND, world_real() };
    _arena_ struct arena a = { 0 };
    struct error e = { 0 };
    struct store *s;

    ok(kind->open(&how, &a, &s, &e));
    lots += (uint64_t)getpid();
    for (int i = 0; i < p->times; i++) {
        int64_t size = append_some(s, 1 + lot(lot(3) ? 40 : 700), lot(2));

        if (p->pipe >= 0 && write(p->pipe, &size, sizeof size) != sizeof size)
            return false;
    }
    kind->close(s);
    return true;
}

static void a_stranger_reads_while_others_append(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = made_place(300, &a);
    struct appender child = { .where = where, .times = 1000000 };
    int64_t told = 0;
    int ends[2];
    pid_t pid;

    (void)state;
    assert_int_equal(chmod(place_dir, 0755), 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    child.pipe = ends[1];
    pid = begin_child(append_and_tell, &child);
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &told, sizeof told), sizeof told);
    chmod_ledger(where, 0444, 0555, &a);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(end_of(begin_child(read_as_stranger, (void *)where)), 0);
        assert_int_equal(read(ends[0], &told, sizeof told), sizeof told);
    }
    chmod_ledger(where, 0600, 0700, &a);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_true(WIFSIGNALED(end_of(pid)));
    (void)close(ends[0]);
}

/* After a kill there is what was committed, or one batch more, and all of it fits together. */
static void a_kill_at_any_moment_leaves_the_old_or_the_new(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    int64_t told = 0;

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct appender child = { .where = where, .times = 1000000 };
        int64_t wanted = 1 + (int64_t)lot(12), least = told;
        int ends[2];
        struct store *s;
        pid_t pid;

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        child.pipe = ends[1];
        lots += 1000;
        pid = begin_child(append_and_tell, &child);
        (void)close(ends[1]);
        for (int64_t i = 0; i < wanted; i++)
            assert_int_equal(read(ends[0], &told, sizeof told), sizeof told);
        for (volatile uint64_t wait = lot(400000); wait > 0;)
            wait--;
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_true(WIFSIGNALED(end_of(pid)));
        while (read(ends[0], &told, sizeof told) == sizeof told)
            continue;
        (void)close(ends[0]);
        assert_true(told > least);
        s = open_at(where, STORE_APPEND, &a);
        least = size_of(s);
        assert_in_range(least, told, told + 700);
        told = least;
        if (round % 10 == 9 || round < 3) {
            assert_all_there(s, told);
            assert_sound(s);
        }
        kind->close(s);
    }
}

/* Sixteen at once, from the making of the ledger on; none is turned away, nothing is lost. */
static void append_at_once(int times)
{
    _arena_ struct arena a = { 0 };
    struct appender child = { .where = fresh_place(&a), .pipe = -1, .times = times };
    pid_t pids[16];
    struct store *s;

    for (size_t i = 0; i < COUNT(pids); i++)
        pids[i] = begin_child(append_and_tell, &child);
    for (size_t i = 0; i < COUNT(pids); i++)
        assert_int_equal(end_of(pids[i]), 0);
    s = open_at(child.where, STORE_READ, &a);
    assert_true(size_of(s) >= 16 * times);
    assert_all_there(s, size_of(s));
    assert_sound(s);
    kind->close(s);
}

static void processes_append_at_once(void **state)
{
    (void)state;
    append_at_once(12);
}

static void processes_make_a_ledger_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < 20; i++)
        append_at_once(1);
}

/* ---- forked while the ledger is open ---- */

struct heir {
    const char *where;
    int told[2], tells[2];
};

static void heir_make(struct heir *h, struct arena *a)
{
    h->where = made_place(3, a);
    assert_int_equal(pipe2(h->told, O_CLOEXEC), 0);
    assert_int_equal(pipe2(h->tells, O_CLOEXEC), 0);
}

static void heir_free(struct heir *h)
{
    for (size_t i = 0; i < 2; i++) {
        (void)close(h->told[i]);
        (void)close(h->tells[i]);
    }
}

static bool append_when_told(void *self)
{
    struct heir *h = self;
    struct appender one = { .where = h->where, .pipe = -1, .times = 1 };
    char word;

    (void)alarm(30); /* instead of waiting for what nobody gives back */
    return read(h->told[0], &word, 1) == 1 && append_and_tell(&one);
}

/* Another thread may be anywhere in a transaction when a process forks. */
static void what_a_parent_had_locked_is_not_locked_in_its_child(void **state)
{
    _arena_ struct arena a = { 0 };
    struct error e = { 0 };
    struct store *s;
    struct heir h;
    struct tip tip;
    pid_t pid;

    (void)state;
    heir_make(&h, &a);
    s = open_at(h.where, STORE_APPEND, &a);
    ok(kind->begin(s, &tip, &e));
    pid = begin_child(append_when_told, &h);
    ok(kind->commit(s, true, &e));
    assert_int_equal(write(h.told[1], "x", 1), 1);
    assert_int_equal(end_of(pid), 0);
    assert_true(size_of(s) > tip.size);
    assert_sound(s);
    kind->close(s);
    heir_free(&h);
}

static bool open_and_wait(void *self)
{
    _arena_ struct arena a = { 0 };
    struct heir *h = self;
    struct store *s;
    char word;
    bool waited;

    (void)alarm(30); /* it has both ends, and would not hear that the other one is gone */
    s = open_at(h->where, STORE_APPEND, &a);
    waited = write(h->tells[1], "x", 1) == 1 && read(h->told[0], &word, 1) == 1;
    kind->close(s);
    return waited;
}

/* Else the next process to come would take the files for left alone. */
static void a_child_has_locks_that_others_see(void **state)
{
    _arena_ struct arena a = { 0 };
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct store *s;
    struct heir h;
    char word;
    pid_t pid;
    int fd;

    (void)state;
    heir_make(&h, &a);
    s = open_at(h.where, STORE_APPEND, &a);
    pid = begin_child(open_and_wait, &h);
    assert_int_equal(read(h.tells[0], &word, 1), 1);
    fd = open(h.where, O_RDWR | O_CLOEXEC);
    assert_int_equal(fcntl(fd, F_GETLK, &lock), 0);
    assert_int_equal(lock.l_type, F_RDLCK);
    assert_int_equal(lock.l_pid, pid);
    assert_int_equal(write(h.told[1], "x", 1), 1);
    assert_int_equal(end_of(pid), 0);
    kind->close(s);
    (void)close(fd);
    heir_free(&h);
}

/* ---- a full disk ---- */

/* In a file system of 1 MB. */
static bool fill_the_disk(void *self)
{
    _arena_ struct arena a = { 0 };
    const char *where = arena_printf(&a, "%s/ledger.db", (const char *)self);
    struct store_open how = { where, STORE_APPEND, world_real() };
    struct entry *entries = arena_alloc(&a, 100 * sizeof *entries);
    struct error e = { 0 };
    struct store *s;
    struct tip tip;
    bool done = true;

    if (!kind->open(&how, &a, &s, &e))
        return false;
    while (done) {
        if (!kind->begin(s, &tip, &e))
            return false;
        for (int64_t i = 0; i < 100; i++)
            entries[i] = entry_at(tip.size + i, &a);
        done = kind->add_entries(s, entries, 100, &e);
        if (done)
            add_blocks(s, tip.size, tip.size + 100);
        done = done && kind->commit(s, true, &e);
    }
    kind->rollback(s);
    if (e.code != CODE_IO || !strstr(e.msg, "the disk is full"))
        return false;
    assert_all_there(s, tip.size);
    assert_sound(s);
    kind->close(s);
    how.access = STORE_READ;
    if (!kind->open(&how, &a, &s, &e))
        return false;
    assert_all_there(s, tip.size);
    kind->close(s);
    return tip.size > 200;
}

static bool write_to(const char *path, const char *text)
{
    _fd_ int fd = open(path, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Who is not root becomes it in a namespace, where there may be one. */
static bool become_root(void)
{
    char users[32], groups[32];

    (void)snprintf(users, sizeof users, "0 %u 1", getuid());
    (void)snprintf(groups, sizeof groups, "0 %u 1", getgid());
    return getuid() == 0 ? unshare(CLONE_NEWNS) == 0
                         : unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
                               write_to("/proc/self/uid_map", users) &&
                               write_to("/proc/self/setgroups", "deny") &&
                               write_to("/proc/self/gid_map", groups);
}

static bool with_a_small_disk(void *self)
{
    if (!become_root() || mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) != 0 ||
        mount("none", self, "tmpfs", 0, "size=1m") != 0)
        _exit(77);
    return fill_the_disk(self);
}

static void a_full_disk_is_said_and_harms_nothing(void **state)
{
    _arena_ struct arena a = { 0 };
    char *directory = arena_printf(&a, "%s/small", place_dir);
    int status;

    (void)state;
    assert_int_equal(mkdir(directory, 0700), 0);
    status = end_of(begin_child(with_a_small_disk, directory));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ledger_is_read_where_nothing_can_be_written),
        cmocka_unit_test(a_stranger_reads_while_others_append),
        cmocka_unit_test(a_kill_at_any_moment_leaves_the_old_or_the_new),
        cmocka_unit_test(processes_append_at_once),
        cmocka_unit_test(processes_make_a_ledger_at_once),
        cmocka_unit_test(what_a_parent_had_locked_is_not_locked_in_its_child),
        cmocka_unit_test(a_child_has_locks_that_others_see),
        cmocka_unit_test(a_full_disk_is_said_and_harms_nothing),
    };

    kind = &store_sqlite;
    return cmocka_run_group_tests(tests, use_directory, leave_directory);
}
