/* SPDX-License-Identifier: Apache-2.0 */
/* fake_worker.c: a worker that runs nothing, and speaks the protocol well or badly.
 *
 * usage: fake_worker MODE ...    the modes are the rows at the end; what follows is not looked at
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "base/digest.h"
#include "base/json_write.h"
#include "route/frame.h"

enum { IN, OUT, MANY = 512, NOTE = 64 };

struct mode {
    const char *name;
    void (*start)(void);
    void (*run)(const struct frame *f);
    void (*go)(const struct frame *f);
    void (*stop)(const struct frame *f);
    void (*end)(void);
};

static struct frame_reader reader;
static struct buf input = { .max = 64 << 20 };
static char ids[1024][NOTE]; /* of executions, by errand */
static int stops[1024];

/* ---- saying ---- */

static void say(enum frame_kind kind, uint32_t errand, struct str body)
{
    const struct frame f = { kind, errand, body };
    struct error e;

    if (!frame_write(OUT, -1, &f, &e))
        _exit(1);
}

static void say_text(enum frame_kind kind, uint32_t errand, const char *text)
{
    say(kind, errand, str_of(text));
}

static void hello(void)
{
    say_text(FRAME_HELLO, 0,
             "{\"protocol\":\"writ-worker/1\",\"version\":\"0\",\"host\":\"here\",\"slots\":8}");
}

static void result(uint32_t errand, const char *id, const char *cause)
{
    char text[256];

    (void)snprintf(text, sizeof text, "{\"execution_id\":\"%s\",\"cause\":\"%s\",\"exit_code\":0}",
                   id, cause);
    say_text(FRAME_RESULT, errand, text);
}

static const char *id_of(const struct frame *f)
{
    return ids[f->errand % 1024];
}

static void pass(const struct frame *f)
{
    (void)f;
}

static void leave(void)
{
    _exit(0);
}

static _Noreturn void wait_forever(void)
{
    for (;;)
        (void)pause();
}

/* ---- at the start ---- */

static void start_mute(void)
{
    wait_forever();
}

static void start_banner(void)
{
    (void)!write(OUT, "Welcome to the machine\n", 23);
    hello();
}

static void start_dead(void)
{
    (void)!write(STDERR_FILENO, "Permission denied\r\n(publickey).\n", 32);
    _exit(255);
}

static void start_other(void)
{
    say_text(FRAME_HELLO, 0, "{\"protocol\":\"writ-worker/2\",\"slots\":1}");
}

static void start_full(void)
{
    say_text(FRAME_HELLO, 0, "{\"protocol\":\"writ-worker/1\",\"slots\":0}");
}

static void start_silly(void)
{
    say_text(FRAME_HELLO, 0, "hello");
}

static void start_ready(void)
{
    say_text(FRAME_READY, 1, "");
}

/* ---- at a request ---- */

static void run_well(const struct frame *f)
{
    say_text(FRAME_READY, f->errand, "");
}

static void run_refused(const struct frame *f)
{
    say_text(FRAME_REFUSED, f->errand, "{\"status\":77,\"code\":\"COMMAND_NOT_ALLOWED\"}");
}

static void run_garbage(const struct frame *f)
{
    (void)f;
    (void)!write(OUT, "Killed by the scheduler\n", 24);
    wait_forever();
}

static void run_long(const struct frame *f)
{
    (void)f;
    (void)!write(OUT, "\1\0\0\0\10\0\0\0\0\0\0\1", FRAME_HEAD);
    wait_forever();
}

static void run_hello(const struct frame *f)
{
    (void)f;
    hello();
}

static void run_eager(const struct frame *f)
{
    result(f->errand, id_of(f), "exited");
}

static void run_eager_output(const struct frame *f)
{
    say_text(FRAME_OUT, f->errand, "already");
}

static void run_dead(const struct frame *f)
{
    (void)f;
    _exit(1);
}

/* What is sent to it then is read by nobody. */
static void run_ready_and_dead(const struct frame *f)
{
    (void)close(IN);
    say_text(FRAME_READY, f->errand, "");
    _exit(1);
}

static void run_twice(const struct frame *f)
{
    say_text(FRAME_READY, f->errand, "");
    say_text(FRAME_READY, f->errand, "");
}

/* ---- at go ---- */

static void keep(const struct frame *f, const char *text, const char *digest_of_text)
{
    char digest[DIGEST_TEXT];
    struct digest d = digest_of(digest_of_text, strlen(digest_of_text));

    digest_text(&d, digest);
    say_text(FRAME_FILE, f->errand, text);
    say_text(FRAME_FILE_END, f->errand, digest);
}

static void go_well(const struct frame *f)
{
    say_text(FRAME_OUT, f->errand, "out ");
    say_text(FRAME_ERR, f->errand, "err\n");
    say_text(FRAME_OUT, f->errand, "put\n");
    keep(f, "a file", "a file");
    result(f->errand, id_of(f), "exited");
}

static void go_dead(const struct frame *f)
{
    say_text(FRAME_OUT, f->errand, "well\n");
    (void)!write(STDERR_FILENO, "oops\n", 5);
    _exit(1);
}

static void go_half(const struct frame *f)
{
    (void)f;
    (void)!write(OUT, "\0\0\0\11\14\0\0\0\0\0\0\1{\"exec", FRAME_HEAD + 6);
    _exit(0);
}

static void go_stranger(const struct frame *f)
{
    result(f->errand + 1000, id_of(f), "exited");
}

static void go_twice(const struct frame *f)
{
    result(f->errand, id_of(f), "exited");
    result(f->errand, id_of(f), "exited");
}

static void go_wrong_id(const struct frame *f)
{
    result(f->errand, "somebody-else", "exited");
}

static void go_no_id(const struct frame *f)
{
    say_text(FRAME_RESULT, f->errand, "{\"cause\":\"exited\",\"exit_code\":0}");
}

static void go_not_json(const struct frame *f)
{
    say_text(FRAME_RESULT, f->errand, "all is well");
}

static void go_list(const struct frame *f)
{
    say_text(FRAME_RESULT, f->errand, "[]");
}

static void go_empty(const struct frame *f)
{
    say_text(FRAME_RESULT, f->errand, "");
}

static void go_wrong_digest(const struct frame *f)
{
    keep(f, "a file", "another");
    result(f->errand, id_of(f), "exited");
}

static void go_open_file(const struct frame *f)
{
    say_text(FRAME_FILE, f->errand, "a file");
    result(f->errand, id_of(f), "exited");
}

static void go_much(const struct frame *f)
{
    static char piece[FRAME_PIECE];

    for (int i = 0; i <= 320; i++)
        say(FRAME_FILE, f->errand, (struct str){ piece, sizeof piece });
    result(f->errand, id_of(f), "exited");
}

static void go_refused(const struct frame *f)
{
    run_refused(f);
}

static void go_ran_and_refused(const struct frame *f)
{
    say_text(FRAME_OUT, f->errand, "well\n");
    run_refused(f);
}

static void go_echo(const struct frame *f)
{
    for (size_t at = 0; at < input.len; at += FRAME_PIECE)
        say(FRAME_OUT, f->errand,
            (struct str){ input.s + at,
                          input.len - at < FRAME_PIECE ? input.len - at : FRAME_PIECE });
    buf_reset(&input);
    result(f->errand, id_of(f), "exited");
}

static void go_flood(const struct frame *f)
{
    static char piece[FRAME_PIECE];

    for (int i = 0; i < MANY; i++) {
        memset(piece, 'a' + i % 26, sizeof piece);
        say(FRAME_OUT, f->errand, (struct str){ piece, sizeof piece });
    }
    result(f->errand, id_of(f), "exited");
}

/* Until somebody says something, which is that it should stop. */
static void go_endless(const struct frame *f)
{
    static char piece[FRAME_PIECE];
    struct frame next;
    struct error e;
    bool whole = false;

    while (frame_take(&reader, &next, &whole, &e) && !whole)
        say(FRAME_OUT, f->errand, (struct str){ piece, sizeof piece });
    result(f->errand, id_of(f), "cancelled");
}

/* Its own number, and those of a child that leaves its group; neither minds the end of input. */
static void go_family(const struct frame *f)
{
    char text[NOTE];
    int done[2];
    pid_t child;

    if (pipe(done) != 0)
        _exit(1);
    child = fork();
    if (child == 0) {
        (void)setsid();
        (void)signal(SIGTERM, SIG_IGN);
        (void)close(OUT);
        (void)!write(done[1], "x", 1);
        wait_forever();
    }
    (void)!read(done[0], text, 1);
    (void)signal(SIGTERM, SIG_IGN);
    (void)snprintf(text, sizeof text, "%d\n%d\n", getpid(), child);
    say_text(FRAME_OUT, f->errand, text);
    result(f->errand, id_of(f), "exited");
}

/* ---- at stop ---- */

/* How often it was told; who is told again has answered. */
static int times(const struct frame *f)
{
    return ++stops[f->errand % 1024];
}

static void stop_well(const struct frame *f)
{
    if (times(f) == 1)
        result(f->errand, id_of(f), "cancelled");
}

static void stop_late(const struct frame *f)
{
    if (times(f) == 2)
        result(f->errand, id_of(f), "cancelled");
}

static void stop_never(const struct frame *f)
{
    bool again = times(f) == 2;

    while (again)
        say_text(FRAME_OUT, f->errand, "well\n");
}

static void stop_refused(const struct frame *f)
{
    if (times(f) == 1)
        run_refused(f);
}

static void stop_lie(const struct frame *f)
{
    if (times(f) == 1)
        result(f->errand, id_of(f), "exited");
}

/* ---- all of it ---- */

/* clang-format off */
static const struct mode modes[] = {
    { "good",            hello,        run_well,           go_well,            stop_well,    leave },
    { "mute",            start_mute,   pass,               pass,               pass,         leave },
    { "banner",          start_banner, run_well,           go_well,            stop_well,    leave },
    { "dead",            start_dead,   pass,               pass,               pass,         leave },
    { "other",           start_other,  run_well,           go_well,            stop_well,    leave },
    { "full",            start_full,   run_well,           go_well,            stop_well,    leave },
    { "silly",           start_silly,  run_well,           go_well,            stop_well,    leave },
    { "ready_first",     start_ready,  run_well,           go_well,            stop_well,    leave },
    { "refuses",         hello,        run_refused,        pass,               pass,         leave },
    { "garbage",         hello,        run_garbage,        pass,               pass,         leave },
    { "long",            hello,        run_long,           pass,               pass,         leave },
    { "hello_again",     hello,        run_hello,          pass,               pass,         leave },
    { "eager",           hello,        run_eager,          pass,               pass,         leave },
    { "eager_output",    hello,        run_eager_output,   pass,               pass,         leave },
    { "dead_at_run",     hello,        run_dead,           pass,               pass,         leave },
    { "dead_at_ready",   hello,        run_ready_and_dead, pass,               pass,         leave },
    { "ready_twice",     hello,        run_twice,          pass,               pass,         leave },
    { "dead_at_go",      hello,        run_well,           go_dead,            pass,         leave },
    { "half_a_result",   hello,        run_well,           go_half,            pass,         leave },
    { "stranger",        hello,        run_well,           go_stranger,        pass,         leave },
    { "two_results",     hello,        run_well,           go_twice,           pass,         leave },
    { "wrong_id",        hello,        run_well,           go_wrong_id,        pass,         leave },
    { "no_id",           hello,        run_well,           go_no_id,           pass,         leave },
    { "not_json",        hello,        run_well,           go_not_json,        pass,         leave },
    { "list",            hello,        run_well,           go_list,            pass,         leave },
    { "empty",           hello,        run_well,           go_empty,           pass,         leave },
    { "wrong_digest",    hello,        run_well,           go_wrong_digest,    pass,         leave },
    { "open_file",       hello,        run_well,           go_open_file,       pass,         leave },
    { "much",            hello,        run_well,           go_much,            pass,         leave },
    { "refuses_at_go",   hello,        run_well,           go_refused,         pass,         leave },
    { "ran_and_refuses", hello,        run_well,           go_ran_and_refused, pass,         leave },
    { "echo",            hello,        run_well,           go_echo,            pass,         leave },
    { "flood",           hello,        run_well,           go_flood,           pass,         leave },
    { "endless",         hello,        run_well,           go_endless,         pass,         leave },
    { "family",          hello,        run_well,           go_family,          pass,         wait_forever },
    { "polite",          hello,        run_well,           pass,               stop_well,    leave },
    { "stubborn",        hello,        run_well,           pass,               stop_late,    leave },
    { "unmoved",         hello,        run_well,           pass,               pass,         leave },
    { "never_ends",      hello,        run_well,           pass,               stop_never,   leave },
    { "asleep",          hello,        pass,               pass,               pass,         leave },
    { "never_ready",     hello,        pass,               pass,               stop_well,    leave },
    { "refuses_at_stop", hello,        pass,               pass,               stop_refused, leave },
    { "lies_at_stop",    hello,        pass,               pass,               stop_lie,     leave },
    { "gone_at_stop",    hello,        pass,               pass,               run_dead,     leave },
};
/* clang-format on */

static void remember(const struct frame *f)
{
    static const char key[] = "\"execution_id\":\"";
    _buf_ struct buf text = { .max = FRAME_MAX };
    const char *at;

    buf_add(&text, f->body.s, f->body.n);
    at = strstr(text.s, key);
    if (at)
        (void)snprintf(ids[f->errand % 1024], NOTE, "%.*s", (int)strcspn(at + sizeof key - 1, "\""),
                       at + sizeof key - 1);
    stops[f->errand % 1024] = 0;
}

static void hear(const struct mode *mode, const struct frame *f)
{
    if (f->kind == FRAME_INPUT)
        buf_add(&input, f->body.s, f->body.n);
    if (f->kind == FRAME_RUN) {
        remember(f);
        mode->run(f);
    }
    if (f->kind == FRAME_GO)
        mode->go(f);
    if (f->kind == FRAME_STOP)
        mode->stop(f);
}

int main(int argc, char **argv)
{
    const struct mode *mode = NULL;
    struct pollfd in = { .fd = IN, .events = POLLIN };
    bool whole;
    struct frame f;
    struct error e;

    for (size_t i = 0; i < COUNT(modes); i++)
        if (argc > 1 && strcmp(modes[i].name, argv[1]) == 0)
            mode = &modes[i];
    if (!mode)
        return 64;
    mode->start();
    frame_reader_open(&reader, IN, SIDE_CALLER);
    while (frame_take(&reader, &f, &whole, &e))
        if (whole)
            hear(mode, &f);
        else
            (void)poll(&in, 1, -1);
    mode->end();
    return 0;
}
