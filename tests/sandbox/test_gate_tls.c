/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate_tls.c: a secret goes to a host that shows its certificate, and to no other.
 *
 * The server is OpenSSL's own program; writ-net has the names of odd_names.c.
 */
#include "gates.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "base/own.h"

extern char **environ;

static char folder[] = "/tmp/writ-gate-tls-XXXXXX", cert[64], key[64];

static pid_t start(const char *const argv[], int in, int out)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;

    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    (void)posix_spawn_file_actions_adddup2(&actions, in, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out, 1);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ) != 0)
        pid = -1;
    (void)posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* For good.test; false: there is no OpenSSL here. */
static bool make_certificate(void)
{
    const char *argv[] = { "openssl",
                           "req",
                           "-x509",
                           "-newkey",
                           "ec",
                           "-pkeyopt",
                           "ec_paramgen_curve:P-256",
                           "-nodes",
                           "-subj",
                           "/CN=good.test",
                           "-addext",
                           "subjectAltName=DNS:good.test",
                           "-keyout",
                           key,
                           "-out",
                           cert,
                           NULL };
    int status = -1;
    pid_t pid = start(argv, 0, 2);

    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

struct tls_server {
    int port, say, hear;
    pid_t pid;
};

static void tls_start(struct tls_server *v)
{
    char at[32];
    const char *argv[] = { "openssl", "s_server", "-quiet", "-accept", at,
                           "-cert",   cert,       "-key",   key,       NULL };
    int in[2], out[2], fd = -1;

    (void)close(loop_socket(SOCK_STREAM, &v->port));
    (void)snprintf(at, sizeof at, "127.0.0.1:%d", v->port);
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
    v->pid = start(argv, in[0], out[1]);
    assert_true(v->pid > 0);
    (void)close(in[0]);
    (void)close(out[1]);
    v->say = in[1];
    v->hear = out[0];
    while (fd < 0) { /* until it listens */
        struct sockaddr_in here = { .sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)v->port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&here, sizeof here) != 0) {
            own_close(&fd);
            fd = -1;
            assert_int_equal(waitpid(v->pid, NULL, WNOHANG), 0);
        }
    }
    (void)close(fd);
}

static char heard[4096];
static size_t heard_count;

static bool hear_some(const struct tls_server *v)
{
    ssize_t got = read(v->hear, heard + heard_count, sizeof heard - 1 - heard_count);

    heard_count += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Answers once it was asked: before, s_server would give the answer to whoever is there. */
static void tls_answer(const struct tls_server *v, int client, struct str answer)
{
    struct pollfd fds[] = { { .fd = v->hear, .events = POLLIN },
                            { .fd = client, .events = POLLIN } };

    assert_true(poll(fds, COUNT(fds), -1) > 0);
    if (fds[0].revents && hear_some(v))
        assert_int_equal(write(v->say, answer.s, answer.n), answer.n);
}

/* What it heard, in all. */
static const char *tls_stop(struct tls_server *v)
{
    (void)kill(v->pid, SIGKILL);
    (void)waitpid(v->pid, NULL, 0);
    while (heard_count < sizeof heard - 1 && hear_some(v))
        ;
    heard[heard_count] = '\0';
    heard_count = 0;
    (void)close(v->say);
    (void)close(v->hear);
    return heard;
}

/* One request in absolute form; the reply, and what the server heard. */
static const char *ask(const char *host, bool trusted, const char **told)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    struct rig r = { .inject = { str_of(host), str_of("X-Key"), str_of("planted"), false } };
    struct tls_server v;
    char text[200];
    const char *reply;
    int fd;

    tls_start(&v);
    assert_int_equal(trusted ? setenv("SSL_CERT_FILE", cert, 1) : unsetenv("SSL_CERT_FILE"), 0);
    rig_allow(&r, host, v.port);
    rig_allow(&r, "127.0.0.1", v.port);
    r.inject.host = r.allow[0]; /* with its port */
    rig_open(&r);
    fd = dial(r.proxy);
    (void)snprintf(text, sizeof text, "GET http://%s:%d/x HTTP/1.1\r\nConnection: close\r\n\r\n",
                   host, v.port);
    say(fd, text);
    tls_answer(&v, fd, str_of(answer));
    reply = hear_all(fd);
    (void)close(fd);
    rig_close(&r);
    assert_int_equal(r.log.n, 1);
    rig_free(&r);
    *told = tls_stop(&v);
    return reply;
}

static void a_secret_goes_by_tls(void **state)
{
    const char *told, *reply = ask("good.test", true, &told);

    (void)state;
    assert_non_null(strstr(reply, "\r\n\r\nhello"));
    assert_non_null(strstr(told, "GET /x HTTP/1.1\r\nHost: good.test:"));
    assert_non_null(strstr(told, "X-Key: planted\r\n"));
}

static void a_certificate_of_somebody_else_gets_no_secret(void **state)
{
    const char *told, *reply = ask("second.test", true, &told);

    (void)state;
    assert_non_null(strstr(reply, "HTTP/1.1 502 "));
    assert_non_null(strstr(reply, "mismatch"));
    assert_string_equal(told, "");
}

static void a_certificate_that_nobody_trusts_gets_no_secret(void **state)
{
    const char *told, *reply = ask("good.test", false, &told);

    (void)state;
    assert_non_null(strstr(reply, "HTTP/1.1 502 "));
    assert_non_null(strstr(reply, "self-signed"));
    assert_string_equal(told, "");
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_goes_by_tls),
        cmocka_unit_test(a_certificate_of_somebody_else_gets_no_secret),
        cmocka_unit_test(a_certificate_that_nobody_trusts_gets_no_secret),
    };
    int failed;

    gate_program = argc > 1 ? argv[1] : "writ-net";
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(cert, sizeof cert, "%s/cert.pem", folder);
    (void)snprintf(key, sizeof key, "%s/key.pem", folder);
    if (!make_certificate()) {
        printf("1..0 # SKIP no openssl here\n");
        failed = 0;
    } else {
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    }
    (void)unlink(cert);
    (void)unlink(key);
    (void)rmdir(folder);
    return failed;
}
