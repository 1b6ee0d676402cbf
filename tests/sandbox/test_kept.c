/* SPDX-License-Identifier: Apache-2.0 */
/* test_kept.c: what is kept from run to run carries nothing from one to the other.
 *
 * usage: test_kept [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>

#include "base/fs.h"
#include "kept_runs.h"

static int ended(const char *script)
{
    return ran(script).exit_code;
}

static const char *namespace_of(const char *name)
{
    return printed(arena_printf(&r.a, "readlink /proc/self/ns/%s", name));
}

/* ---- what is shared, and what is not ---- */

static void runs_with_the_same_grants_share_a_berth(void **state)
{
    static const char *const shared[] = { "ipc", "net", "user", "uts", "cgroup" };
    bool own = strcmp(ran(":").cgroup, "v1") != 0; /* the last one is each run's own */

    (void)state;
    for (size_t i = 0; i < COUNT(shared) - own; i++)
        assert_string_equal(namespace_of(shared[i]), namespace_of(shared[i]));
}

static void nothing_written_is_there_in_the_next_run(void **state)
{
    static const char *const places[] = { "/tmp", "/dev/shm", "/run", "/home/writ" };

    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        (void)printed(arena_printf(&r.a, "echo left > %s/left; mkdir %s/d", places[i], places[i]));
        assert_string_equal(
            printed(arena_printf(&r.a, "find %s -path %s -prune -o -print", places[i], r.dir)),
            arena_printf(&r.a, "%s\n", places[i]));
    }
}

static void the_shared_root_cannot_be_written(void **state)
{
    (void)state;
    assert_int_equal(ended("(echo x > /x) 2>/dev/null || (echo x > /etc/x) 2>/dev/null || "
                           "(echo x > /dev/x) 2>/dev/null || (echo x >> /etc/passwd) 2>/dev/null "
                           "|| mkdir /home/other 2>/dev/null || exit 9"),
                     9);
    /* Landlock says no, and so would the mount. */
    assert_string_equal(
        printed("sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \\/ \\(..\\),.*/\\1/p' /proc/self/mountinfo"),
        "ro\n");
}

static void no_process_of_an_earlier_run_is_left(void **state)
{
    (void)state;
    assert_string_equal(printed("setsid sh -c 'while :; do :; done' >/dev/null 2>&1 & echo begun"),
                        "begun\n");
    assert_string_equal(printed("echo /proc/[0-9]*"), "/proc/2\n");
}

static void what_an_earlier_run_used_is_not_counted(void **state)
{
    struct outcome out = runs_do(&r, world_real(),
                                 "head -c 100000000 /dev/zero > /tmp/big; cat /tmp/big >/dev/null");

    (void)state;
    assert_true(out.memory_peak_bytes > 90 << 20);
    out = runs_do(&r, world_real(), ":");
    assert_true(out.memory_peak_bytes < 30 << 20);
    assert_true(out.cpu_ms < 1000);
    assert_int_equal(out.oom_events, 0);
    assert_int_equal(out.pids_hits, 0);
}

static void limits_are_those_of_each_run(void **state)
{
    struct outcome out;

    (void)state;
    (void)printed(":");
    r.limits.memory_mb = 64;
    out = runs_do(&r, world_real(), "head -c 200000000 /dev/zero | tail -c 200000000 >/dev/null");
    assert_true(out.oom_events > 0 || out.exit_code != 0);
    assert_int_equal(ended("head -c 40000000 /dev/zero > /tmp/x 2>/dev/null || exit 9"), 9);
    r.limits.memory_mb = 256;
    assert_int_equal(ended("head -c 40000000 /dev/zero > /tmp/x 2>/dev/null || exit 9"), 0);
    r.processes.allow_fork = false;
    assert_int_equal(ended("(:) 2>/dev/null || exit 9; exit 0"), 2);
    r.processes.allow_fork = true;
    assert_int_equal(ended("(:)"), 0);
}

/* ---- the network ---- */

static const char counters[] = "sed -n 's/ *lo: *\\([0-9]*\\).*/\\1/p' /proc/self/net/dev";

static void a_network_that_was_used_is_not_used_again(void **state)
{
    const char *before = namespace_of("net");

    (void)state;
    assert_string_equal(before, namespace_of("net"));
    /* Nobody listens: the packet and its answer are counted. */
    assert_string_not_equal(
        printed(arena_printf(&r.a,
                             "python3 -c 'import socket; "
                             "socket.socket().connect_ex((\"127.0.0.1\", 9))'; %s",
                             counters)),
        "0\n");
    assert_string_equal(printed(counters), "0\n");
}

/* What nobody accepts is charged to nobody. */
static void connections_are_small_in_every_network(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_string_equal(printed("python3 -c 'import socket as s; "
                                    "print(s.socket().getsockopt(s.SOL_SOCKET, s.SO_RCVBUF))'"),
                            "65536\n");
}

/* Descriptors that are under way to themselves are there until the kernel looks for such. */
static void what_is_under_way_when_a_run_ends_is_not_in_the_next_one(void **state)
{
    static const char leaver[] =
        "python3 -c 'import socket as s, array\n"
        "for i in range(50):\n"
        "    a, b = s.socketpair(); a.bind(\"\\0left-%d\" % i)\n"
        "    a.sendmsg([b\"x\"], [(s.SOL_SOCKET, s.SCM_RIGHTS, array.array(\"i\", [a.fileno(), "
        "b.fileno()]))])\n"
        "'; readlink /proc/self/ns/user";
    const char *user;

    (void)state;
    for (int i = 0; i < 3; i++) {
        user = printed(leaver);
        assert_string_equal(printed("grep -c @left /proc/self/net/unix || :"), "0\n");
        assert_string_not_equal(user, namespace_of("user"));
    }
}

static void a_program_may_talk_to_itself(void **state)
{
    static const char script[] =
        "python3 -c 'import socket as s; a=s.socket(); a.bind((\"127.0.0.1\",0)); a.listen(); "
        "b=s.create_connection(a.getsockname()); c,_=a.accept(); b.send(b\"hello\"); "
        "print(c.recv(9).decode())'";

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_string_equal(printed(script), "hello\n");
}

/* ---- grants ---- */

static void a_denied_path_is_denied_in_its_run_only(void **state)
{
    static struct str secret = { "secret", 6 };

    (void)state;
    runs_write(&r, "secret", "hidden\n");
    for (int i = 0; i < 2; i++) {
        r.filesystem.deny = (struct items){ .v = &secret, .n = 1 };
        assert_int_not_equal(ended("cat secret 2>/dev/null"), 0);
        r.filesystem.deny = (struct items){ 0 };
        assert_string_equal(printed("cat secret"), "hidden\n");
    }
}

/* What a mask lay on is taken away, and comes again under the same number, where the disk gives
 * numbers out again: the mask must come again, too. */
static void a_denied_path_that_is_made_anew_is_denied(void **state)
{
    static struct str secret = { "secret", 6 };
    char path[128];

    (void)state;
    (void)snprintf(path, sizeof path, "%s/secret", r.dir);
    r.filesystem.deny = (struct items){ .v = &secret, .n = 1 };
    for (int i = 0; i < 5; i++) {
        runs_write(&r, "secret", "hidden\n");
        assert_int_not_equal(ended("cat secret 2>/dev/null"), 0);
        assert_int_equal(unlink(path), 0);
    }
}

static void a_protected_name_is_looked_at_afresh(void **state)
{
    char old[128], new[128];

    (void)state;
    (void)snprintf(old, sizeof old, "%s/.git/config.new", r.dir);
    (void)snprintf(new, sizeof new, "%s/.git/config", r.dir);
    assert_string_equal(printed("echo begun"), "begun\n");
    for (int i = 0; i < 5; i++) {
        runs_write(&r, ".git/config.new", i % 2 ? "[one]\n" : "[two]\n");
        assert_int_equal(rename(old, new), 0);
        assert_string_equal(printed("cat .git/config"), i % 2 ? "[one]\n" : "[two]\n");
        assert_int_equal(ended("(echo x >> .git/config) 2>/dev/null || exit 9"), 9);
        assert_int_equal(ended("rm -f .git/config 2>/dev/null || exit 9"), 9);
        assert_int_equal(unlink(new), 0);
        runs_write(&r, ".git/config", "[three]\n");
        assert_int_equal(ended("(echo x >> .git/config) 2>/dev/null || exit 9"), 9);
    }
}

/* A berth shows the host's mounts as they were when it was made: later ones make another. */
static void a_mount_of_the_host_is_seen(void **state)
{
    char path[128];

    (void)state;
    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    kept_free(r.run.kept);
    r.run.kept = kept_new();
    (void)snprintf(path, sizeof path, "%s/sub", r.dir);
    assert_int_equal(mkdir(path, 0755), 0);
    runs_write(&r, "sub/below", "below\n");
    assert_string_equal(printed("ls sub"), "below\n");
    assert_int_equal(mount("none", path, "tmpfs", 0, NULL), 0);
    runs_write(&r, "sub/above", "above\n");
    assert_string_equal(printed("ls sub"), "above\n");
    assert_int_equal(umount2(path, MNT_DETACH), 0);
    assert_string_equal(printed("ls sub"), "below\n");
}

/* ---- several at once ---- */

static pthread_barrier_t together;

static bool wait_for_the_other(void *unused, struct error *e)
{
    (void)unused;
    (void)e;
    (void)pthread_barrier_wait(&together);
    return true;
}

struct neighbour {
    struct runs runs;
    struct outcome out;
    struct error e;
    bool ok;
};

static void *run_beside(void *self)
{
    struct neighbour *n = self;

    n->ok = runs_try(&n->runs, world_real(),
                     "readlink /proc/self/ns/user /proc/self/ns/net /proc/self/ns/mnt "
                     "/proc/self/ns/pid /proc/self/ns/ipc /proc/self/ns/uts /proc/self/ns/cgroup; "
                     "readlink /proc/1/ns/pid >/dev/null 2>&1 || echo /proc/[0-9]*",
                     &n->out, &n->e);
    return NULL;
}

static void two_at_once_share_no_namespace(void **state)
{
    static struct neighbour two[2];
    pthread_t threads[2];
    const char *lines[2];

    (void)state;
    assert_int_equal(pthread_barrier_init(&together, NULL, 2), 0);
    for (int i = 0; i < 2; i++) {
        two[i] = (struct neighbour){ .runs = r };
        two[i].runs.a = (struct arena){ 0 };
        two[i].runs.limits.filesystem = &two[i].runs.filesystem;
        two[i].runs.limits.network = &two[i].runs.network;
        two[i].runs.limits.processes = &two[i].runs.processes;
        two[i].runs.run.permit = wait_for_the_other;
        assert_int_equal(pthread_create(&threads[i], NULL, run_beside, &two[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (!two[i].ok)
            fail_msg("%s", two[i].e.msg);
        lines[i] = arena_text(&r.a, two[i].out.out.head);
    }
    for (int k = 0; k < 7; k++) {
        size_t n = strcspn(lines[0], "\n") + 1;

        assert_true(strncmp(lines[0], lines[1], n) != 0);
        lines[0] += n;
        lines[1] += strcspn(lines[1], "\n") + 1;
    }
    assert_string_equal(lines[0], lines[1]); /* and neither sees a process of the other */
    for (int i = 0; i < 2; i++)
        arena_free(&two[i].runs.a);
    (void)pthread_barrier_destroy(&together);
}

static void *run_and_stay(void *unused)
{
    (void)unused;
    (void)printed(":");
    (void)pthread_barrier_wait(&together); /* the berth is there */
    (void)pthread_barrier_wait(&together); /* and may lose its maker */
    return NULL;
}

static pthread_t maker;

static bool end_the_maker(void *unused, struct error *e)
{
    (void)unused;
    (void)e;
    (void)pthread_barrier_wait(&together);
    (void)pthread_join(maker, NULL);
    return true;
}

static void a_berth_outlives_the_thread_that_made_it(void **state)
{
    (void)state;
    assert_int_equal(pthread_barrier_init(&together, NULL, 2), 0);
    assert_int_equal(pthread_create(&maker, NULL, run_and_stay, NULL), 0);
    (void)pthread_barrier_wait(&together);
    r.run.permit = end_the_maker;
    assert_string_equal(printed("echo alive"), "alive\n");
    r.run.permit = NULL;
    assert_string_equal(printed("echo alive"), "alive\n");
    (void)pthread_barrier_destroy(&together);
}

/* ---- its end ---- */

static bool tell(void *fd, struct error *e)
{
    (void)e;
    return write(*(int *)fd, "x", 1) == 1;
}

/* Whatever a dead supervisor leaves comes to us; here it has to come to an end. */
static void a_killed_supervisor_leaves_nobody(void **state)
{
    int told[2];
    pid_t pid;
    char x;

    (void)state;
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        struct outcome out;
        struct error e;

        (void)printed(":"); /* the next is in a berth that has been used */
        r.run.permit = tell;
        r.run.permit_self = &told[1];
        (void)!runs_try(&r, world_real(), "while :; do :; done", &out, &e);
        _exit(0);
    }
    (void)close(told[1]);
    assert_int_equal(read(told[0], &x, 1), 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (waitpid(-1, NULL, __WALL) > 0)
        ;
    assert_int_equal(errno, ECHILD);
    (void)close(told[0]);
    assert_string_equal(printed("echo next"), "next\n"); /* which also sweeps its groups */
}

/* ---- digests ---- */

static void copy_program(const char *from)
{
    _arena_ struct arena a = { 0 };
    char path[128];
    struct str text;
    struct error e;
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/program", r.dir);
    assert_true(fs_read(from, 16 << 20, &a, &text, &e));
    (void)unlink(path);
    f = fopen(path, "we");
    assert_non_null(f);
    assert_int_equal(fwrite(text.s, 1, text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void the_digest_is_that_of_the_file_that_ran(void **state)
{
    static const char *const files[] = { "/bin/true", "/bin/false" };

    (void)state;
    r.command = "./program";
    for (int i = 0; i < 4; i++) {
        _arena_ struct arena a = { 0 };
        struct outcome out;
        struct digest digest;
        struct str text;
        struct error e;

        copy_program(files[i % 2]);
        out = runs_do(&r, world_real(), "");
        assert_int_equal(out.exit_code, i % 2);
        assert_true(fs_read(files[i % 2], 16 << 20, &a, &text, &e));
        digest = digest_of(text.s, text.n);
        assert_memory_equal(&out.program, &digest, sizeof digest);
        out = runs_do(&r, world_real(), "");
        assert_memory_equal(&out.program, &digest, sizeof digest);
    }
}

static void a_digest_holds_for_one_version_of_a_file(void **state)
{
    struct stat file = { .st_dev = 1, .st_ino = 2, .st_size = 3, .st_ctim = { 100, 5 } }, other;
    struct digest digest = digest_of("x", 1), got;

    (void)state;
    kept_learn(r.run.kept, &file, 100500, &digest); /* too fresh: it might change again */
    assert_false(kept_digest(r.run.kept, &file, &got));
    kept_learn(r.run.kept, &file, 103000, &digest);
    assert_true(kept_digest(r.run.kept, &file, &got));
    assert_memory_equal(&got, &digest, sizeof got);
    other = file;
    other.st_ctim.tv_nsec++;
    assert_false(kept_digest(r.run.kept, &other, &got));
    other = file;
    other.st_mtim.tv_nsec++;
    assert_false(kept_digest(r.run.kept, &other, &got));
    other = file;
    other.st_size++;
    assert_false(kept_digest(r.run.kept, &other, &got));
    other = file;
    other.st_ino++;
    assert_false(kept_digest(r.run.kept, &other, &got));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_kept, end)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        TEST(runs_with_the_same_grants_share_a_berth),
        TEST(nothing_written_is_there_in_the_next_run),
        TEST(the_shared_root_cannot_be_written),
        TEST(no_process_of_an_earlier_run_is_left),
        TEST(what_an_earlier_run_used_is_not_counted),
        TEST(limits_are_those_of_each_run),
        TEST(a_network_that_was_used_is_not_used_again),
        TEST(connections_are_small_in_every_network),
        TEST(what_is_under_way_when_a_run_ends_is_not_in_the_next_one),
        TEST(a_program_may_talk_to_itself),
        TEST(a_denied_path_is_denied_in_its_run_only),
        TEST(a_denied_path_that_is_made_anew_is_denied),
        TEST(a_protected_name_is_looked_at_afresh),
        TEST(two_at_once_share_no_namespace),
        TEST(a_berth_outlives_the_thread_that_made_it),
        TEST(a_killed_supervisor_leaves_nobody),
        TEST(the_digest_is_that_of_the_file_that_ran),
        TEST(a_digest_holds_for_one_version_of_a_file),
        TEST(a_mount_of_the_host_is_seen),
    };

    /* The last one mounts something. */
    return _cmocka_run_group_tests("kept", list, COUNT(list) - (geteuid() == 0 ? 0 : 1), NULL,
                                   NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
