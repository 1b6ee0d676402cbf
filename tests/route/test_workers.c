/* SPDX-License-Identifier: Apache-2.0 */
/* test_workers.c: the command lines that reach workers, and whether they are there.
 *
 * usage: test_workers [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/file.h>

#include "base/buf.h"
#include "contract/codes.h"
#include "people.h"
#include "route/workers.h"

/* A list of words as of a document, from words between blanks. */
static struct items words_of(const char *text, struct arena *a)
{
    struct str *v = arena_alloc(a, 16 * sizeof *v);
    size_t n = 0;

    while (*text) {
        size_t length = strcspn(text, " ");

        v[n++] = (struct str){ text, length };
        text += length + (text[length] == ' ');
    }
    return (struct items){ v, n };
}

static void assert_line(char **argv, const char *wanted)
{
    _buf_ struct buf line = { .max = 4096 };

    for (; *argv; argv++)
        buf_addf(&line, "%s[%s]", line.len ? " " : "", *argv);
    assert_string_equal(line.s, wanted);
}

static void each_kind_is_reached_by_its_own_line(void **state)
{
    static const struct {
        enum worker_kind kind;
        const char *host, *options, *command, *line;
    } rows[] = {
        { WORKER_PIPE, "", "", "", "[/opt/writ] [worker] [--stdio]" },
        { WORKER_PIPE, "", "", "nice writ", "[nice] [writ] [worker] [--stdio]" },
        { WORKER_SSH, "me@host", "", "",
          "[ssh] [-T] [-o] [BatchMode=yes] [-o] [ServerAliveInterval=15] [-o] "
          "[ServerAliveCountMax=3] [-o] [ControlMaster=no] [-o] [ConnectTimeout=7] [--] [me@host] "
          "[writ] [worker] [--stdio]" },
        { WORKER_SSH, "-oProxyCommand=evil", "-p 2222", "/opt/my$writ",
          "[ssh] [-T] [-o] [BatchMode=yes] [-p] [2222] [-o] [ServerAliveInterval=15] [-o] "
          "[ServerAliveCountMax=3] [-o] [ControlMaster=no] [-o] [ConnectTimeout=7] [--] "
          "[-oProxyCommand=evil] ['/opt/my$writ'] [worker] [--stdio]" },
        { WORKER_SLURM, "", "--jobid=5 --overlap", "",
          "[srun] [--ntasks=1] [--wait=0] [--kill-on-bad-exit=0] [--input=0] [--unbuffered] "
          "[--jobid=5] [--overlap] [writ] [worker] [--stdio] [--eager]" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct config_worker worker = { .kind = (int)rows[i].kind,
                                        .host = str_of(rows[i].host),
                                        .options = words_of(rows[i].options, &a),
                                        .command = words_of(rows[i].command, &a),
                                        .patience_secs = 7 };

        assert_line(worker_carrier(&worker, "/opt/writ", NULL, NULL, &a), rows[i].line);
    }
}

static void R_000_059_a_job_asks_for_what_the_run_may_use(void **state)
{
    static const struct worker_need need = { 512, 2, 100000 };
    static const struct slurm_job job = { .name = "writ-1" },
                                  step = { .name = "writ-1", .step = true };
    struct config_worker worker = { .kind = WORKER_SLURM };
    _arena_ struct arena a = { 0 };

    (void)state;
    worker.options = words_of("--mem=9G --job-name=mine", &a);
    assert_line(worker_carrier(&worker, NULL, &job, &need, &a),
                "[srun] [--ntasks=1] [--wait=0] [--kill-on-bad-exit=0] [--input=0] [--unbuffered] "
                "[--mem=640M] [--cpus-per-task=2] [--time=7] [--mem=9G] [--job-name=mine] "
                "[--job-name=writ-1] [writ] [worker] [--stdio] [--eager]");
    worker.options = words_of("--jobid=5", &a);
    assert_line(worker_carrier(&worker, NULL, &step, &need, &a),
                "[srun] [--ntasks=1] [--wait=0] [--kill-on-bad-exit=0] [--input=0] [--unbuffered] "
                "[--jobid=5] [--job-name=writ-1] [writ] [worker] [--stdio] [--eager]");
}

static void R_000_058_a_wrapper_is_put_before_the_command(void **state)
{
    _arena_ struct arena a = { 0 };
    struct config_worker worker = { .kind = WORKER_WRAP };
    char *argv[] = { arena_text(&a, str_of("cargo")), arena_text(&a, str_of("a b; c")),
                     arena_text(&a, str_of("")), NULL };

    (void)state;
    assert_line(worker_wrapped(&worker, argv, &a), "[rch] [exec] [--] [cargo] [a b; c] []");
    worker.command = words_of("/opt/wrap --fast", &a);
    assert_line(worker_wrapped(&worker, argv, &a),
                "[/opt/wrap] [--fast] [exec] [--] [cargo] [a b; c] []");
}

/* ---- is it there? ---- */

static void what_is_not_there_is_not_available(void **state)
{
    static const struct {
        enum worker_kind kind;
        const char *command, *probe, *message; /* "": it is available */
    } rows[] = {
        { WORKER_PIPE, "", "", "" },
        { WORKER_PIPE, "no-such-writ", "",
          "'no-such-writ' is not a program in PATH; install it, or use another worker" },
        { WORKER_WRAP, "sh", "", "" },
        { WORKER_WRAP, "sh", "true", "" },
        { WORKER_WRAP, "no-such-rch", "true",
          "'no-such-rch' is not a program in PATH; install it, or use another worker" },
        { WORKER_WRAP, "sh", "false",
          "the probe 'false' ended with 1, and with 0 where the worker is available" },
        { WORKER_WRAP, "sh", "no-such-probe", "'no-such-probe' is not a program in PATH" },
        { WORKER_WRAP, "sh", "sleep 100000",
          "the probe 'sleep' did not end within 1 s; see what it waits for" },
        { WORKER_WRAP, "sh", "yes",
          "the probe 'yes' did not end within 1 s; see what it waits for" },
        { WORKER_WRAP, "sh", "cat", "" }, /* its input is empty */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct config_worker worker = { .kind = (int)rows[i].kind,
                                        .command = words_of(rows[i].command, &a),
                                        .probe = words_of(rows[i].probe, &a),
                                        .patience_secs = 1 };
        struct error e = { 0 };
        bool there = worker_available(&worker, environ, "/bin/sh", -1, &e);

        assert_string_equal(e.msg, rows[i].message);
        assert_int_equal(there, !*rows[i].message);
        assert_int_equal(e.code, there ? CODE_NONE : CODE_RCH_UNAVAILABLE);
    }
}

/* What a probe leaves behind would be there for every command. */
static void a_probe_leaves_nobody_behind(void **state)
{
    _arena_ struct arena a = { 0 };
    char file[] = "/tmp/writ-probe-XXXXXX", script[256];
    struct config_worker worker = { .kind = WORKER_WRAP,
                                    .command = words_of("sh", &a),
                                    .patience_secs = 20 };
    struct str probe[] = { { "sh", 2 }, { "-c", 2 }, { script, 0 } };
    struct error e = { 0 };
    int fd = mkstemp(file), held = 0;

    (void)state;
    assert_true(fd >= 0);
    (void)snprintf(script, sizeof script,
                   "setsid sh -c 'exec 9<>%s; flock 9; exec sleep 100000' & "
                   "until ! flock -n %s true; do :; done",
                   file, file);
    probe[2].n = strlen(script);
    worker.probe = (struct items){ probe, COUNT(probe) };
    if (!worker_available(&worker, environ, "", -1, &e))
        fail_msg("%s", e.msg);
    held = flock(fd, LOCK_EX | LOCK_NB); /* who held it is gone */
    assert_int_equal(held, 0);
    (void)close(fd);
    (void)unlink(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_reached_by_its_own_line),
        cmocka_unit_test(R_000_059_a_job_asks_for_what_the_run_may_use),
        cmocka_unit_test(R_000_058_a_wrapper_is_put_before_the_command),
        cmocka_unit_test(what_is_not_there_is_not_available),
        cmocka_unit_test(a_probe_leaves_nobody_behind),
    };

    if (!become_who(argc, argv)) {
        (void)printf("1..0 # SKIP only root can become another user\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
