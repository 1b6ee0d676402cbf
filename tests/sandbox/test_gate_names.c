/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate_names.c: names that are looked up, names that are not, and the resolver at the door.
 *
 * writ-net is here one with a resolver of the test's own: odd_names.c has its names.
 */
#include "gates.h"

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/* The status of a CONNECT to that host. */
static int status_of(const struct rig *r, const char *host, int port)
{
    char text[400];
    int status = 0, fd = dial(r->proxy);

    (void)snprintf(text, sizeof text, "CONNECT %s:%d HTTP/1.1\r\n\r\n", host, port);
    say(fd, text);
    (void)sscanf(hear_until(fd, "\r\n"), "HTTP/1.1 %d", &status);
    (void)close(fd);
    return status;
}

static void N13_an_allowed_name_does_not_lead_to_a_private_address(void **state)
{
    static const char *const names[] = { "private.test", "metadata.test", "mapped.test",
                                         "zero.test",    "provider.test", "six.test" };
    struct rig r = { .hosts.level = NET_OPEN };

    (void)state;
    rig_open(&r);
    for (size_t i = 0; i < COUNT(names); i++)
        if (status_of(&r, names[i], 80) != 403)
            fail_msg("%s", names[i]);
    rig_close(&r);
    assert_int_equal(r.log.n, COUNT(names));
    for (size_t i = 0; i < r.log.n; i++) {
        assert_true(rig_event(&r, i)->refused);
        assert_int_equal(rig_event(&r, i)->address.n, 0);
        assert_non_null(strstr(rig_event(&r, i)->rule, "its address is "));
    }
    rig_free(&r);
}

static void N13_only_an_address_that_was_judged_is_connected_to(void **state)
{
    struct rig r = { 0 };
    struct server *v = server_start(answer);
    char text[64];

    (void)state;
    rig_allow(&r, "second.test", v->port);
    rig_allow(&r, "deaf.test", v->port);
    rig_allow(&r, "127.0.0.1", v->port);
    rig_allow(&r, "127.0.0.9", v->port);
    rig_open(&r);
    assert_int_equal(status_of(&r, "second.test", v->port), 200);
    assert_int_equal(status_of(&r, "deaf.test", v->port), 200);
    rig_close(&r);
    (void)snprintf(text, sizeof text, "127.0.0.1:%d", v->port);
    for (size_t i = 0; i < 2; i++)
        assert_true(str_is(rig_event(&r, i)->address, text));
    rig_free(&r);
    server_stop(v);
}

static void a_name_that_is_nowhere_is_said_to_be(void **state)
{
    struct rig r = { 0 };

    (void)state;
    rig_allow(&r, "nowhere.test", 0);
    rig_open(&r);
    assert_int_equal(status_of(&r, "nowhere.test", 443), 502);
    rig_close(&r);
    assert_false(rig_event(&r, 0)->refused);
    assert_int_equal(rig_event(&r, 0)->address.n, 0);
    rig_free(&r);
}

/* ---- the resolver ---- */

/* Asks for one name; the answer's code, and the first address in it. */
static size_t question(const char *name, int type, uint8_t *out)
{
    size_t n = 12;

    memcpy(out, "\x12\x34\1\0\0\1\0\0\0\0\0\0", 12);
    while (*name) {
        size_t label = strcspn(name, ".");

        out[n++] = (uint8_t)label;
        memcpy(out + n, name, label);
        n += label;
        name += label + (name[label] == '.');
    }
    memcpy(out + n, "\0\0\1\0\1", 5);
    out[n + 2] = (uint8_t)type;
    return n + 5;
}

static int resolve(const struct rig *r, const char *name, int type, struct in_addr *address)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)r->names_udp),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    uint8_t ask[300], reply[600];
    size_t n = question(name, type, ask);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ssize_t got;

    address->s_addr = 0;
    assert_int_equal(sendto(fd, ask, n, 0, (struct sockaddr *)&at, sizeof at), (ssize_t)n);
    got = recv(fd, reply, sizeof reply, 0);
    (void)close(fd);
    assert_true(got >= 12 && reply[0] == 0x12 && reply[1] == 0x34 && reply[2] & 0x80);
    if (reply[7] > 0)
        memcpy(address, reply + n + 12, 4);
    return reply[3] & 15;
}

static void N16_only_allowed_names_have_an_address(void **state)
{
    struct rig r = { 0 };
    struct in_addr a;

    (void)state;
    rig_allow(&r, "*.below.test", 0);
    rig_allow(&r, "good.test", 8080);
    rig_open(&r);
    assert_int_equal(resolve(&r, "good.test", 1, &a), 0);
    assert_string_equal(inet_ntoa(a), "127.53.0.2");
    assert_int_equal(resolve(&r, "GOOD.test", 1, &a), 0);
    assert_string_equal(inet_ntoa(a), "127.53.0.2");
    assert_int_equal(resolve(&r, "x.below.test", 1, &a), 0);
    assert_string_equal(inet_ntoa(a), "127.53.1.0");
    assert_int_equal(resolve(&r, "y.below.test", 1, &a), 0);
    assert_string_equal(inet_ntoa(a), "127.53.1.1");
    assert_int_equal(resolve(&r, "x.below.test", 1, &a), 0);
    assert_string_equal(inet_ntoa(a), "127.53.1.0");
    assert_int_equal(resolve(&r, "good.test", 28, &a), 0); /* AAAA: it is there, and has none */
    assert_int_equal(a.s_addr, 0);
    assert_int_equal(resolve(&r, "below.test", 1, &a), 3);
    assert_int_equal(resolve(&r, "secret-in-a-name.evil.test", 1, &a), 3);
    assert_int_equal(resolve(&r, "1.0.0.127.in-addr.arpa", 12, &a), 3);
    rig_close(&r);
    assert_int_equal(r.log.n, 9);
    assert_string_equal(rig_event(&r, 7)->via, "dns");
    assert_true(str_is(rig_event(&r, 7)->host, "secret-in-a-name.evil.test"));
    assert_true(rig_event(&r, 7)->refused);
    rig_free(&r);
}

/* Who asks for names until nothing more is kept has not hidden where it went. */
static void N21_a_connection_is_recorded_after_any_number_of_names(void **state)
{
    enum { QUESTIONS = 12000 };
    struct rig r = { 0 };
    struct server *v = server_start(answer);
    struct in_addr a;
    size_t found = 0, bytes = 0;

    (void)state;
    rig_allow(&r, "good.test", v->port);
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    for (int i = 0; i < QUESTIONS; i++) {
        assert_int_equal(resolve(&r, "evil.test", 1, &a), 3);
        gate_hear(r.gate);
    }
    assert_int_equal(status_of(&r, "good.test", v->port), 200);
    rig_close(&r);
    for (size_t i = 0; i < r.log.n; i++) {
        found += !r.log.v[i].refused;
        bytes += sizeof r.log.v[i] + r.log.v[i].host.n + strlen(r.log.v[i].rule);
    }
    assert_int_equal(found, 1);
    assert_in_range(bytes, 1, 256 << 10); /* of ours it takes no more, whatever it asks for */
    assert_int_equal(r.log.n + (size_t)r.log.unlisted, QUESTIONS + 1);
    rig_free(&r);
    server_stop(v);
}

static void names_are_asked_for_over_tcp_too(void **state)
{
    struct rig r = { 0 };
    uint8_t ask[302], reply[600];
    size_t n = question("good.test", 1, ask + 2);
    int fd;

    (void)state;
    rig_allow(&r, "good.test", 0);
    rig_open(&r);
    fd = dial(r.names_tcp);
    ask[0] = 0;
    ask[1] = (uint8_t)n;
    for (int i = 0; i < 2; i++) {
        assert_true(send_all(fd, ask, 3) && send_all(fd, ask + 3, n - 1));
        assert_int_equal(recv(fd, reply, 2 + n + 16, MSG_WAITALL), 2 + n + 16);
        assert_memory_equal(reply + 2 + n + 12, "\177\65\0\1", 4);
    }
    (void)close(fd);
    rig_close(&r);
    rig_free(&r);
}

/* ---- who knows of no proxy ---- */

static int dial_at(const char *address, int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(inet_pton(AF_INET, address, &at.sin_addr), 1);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

/* A door at every address of the loop and the server's own port: the server has it at one. */
static void a_straight_door_leads_to_the_name_of_its_address(void **state)
{
    struct rig r = { 0 };
    struct server *v = server_start(answer);
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)v->port) };
    struct door door = { .kind = DOOR_STRAIGHT, .fd = socket(AF_INET, SOCK_STREAM, 0) };
    struct error e = { 0 };
    char byte;
    int fd;

    (void)state;
    rig_allow(&r, "good.test", v->port);
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    assert_int_equal(inet_pton(AF_INET, "127.53.0.1", &at.sin_addr), 1);
    assert_int_equal(bind(door.fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(door.fd, 8), 0);
    assert_true(gate_serve(r.gate, &door, 1, &e));
    fd = dial_at("127.53.0.1", v->port);
    say(fd, "GET / HTTP/1.1\r\n\r\n");
    assert_string_equal(hear_all(fd), answer);
    (void)close(fd);
    fd = dial(r.straight); /* at 127.0.0.1, which no name was given */
    assert_int_not_equal(recv(fd, &byte, 1, 0), 1);
    (void)close(fd);
    rig_close(&r);
    assert_int_equal(r.log.n, 1);
    assert_string_equal(rig_event(&r, 0)->via, "straight");
    assert_true(str_is(rig_event(&r, 0)->host, "good.test"));
    assert_false(rig_event(&r, 0)->refused);
    rig_free(&r);
    server_stop(v);
}

/* ---- a header the client never sees ---- */

static void a_secret_is_added_for_its_host_only(void **state)
{
    struct rig r = { .inject = { str_of("good.test"), str_of("Authorization"),
                                 str_of("Bearer planted"), true } };
    struct server *v = server_start(answer);
    char text[300];
    int fd;

    (void)state;
    rig_allow(&r, "good.test", v->port);
    rig_allow(&r, "127.0.0.1", v->port);
    r.inject.host = r.allow[0]; /* with its port */
    rig_open(&r);
    for (int i = 0; i < 2; i++) {
        fd = dial(r.proxy);
        (void)snprintf(text, sizeof text,
                       "GET http://%s:%d/%d HTTP/1.1\r\nauthorization: theirs\r\n"
                       "Connection: close, authorization\r\n\r\n",
                       i ? "127.0.0.1" : "GOOD.test", v->port, i);
        say(fd, text);
        assert_null(strstr(hear_all(fd), "planted"));
        (void)close(fd);
    }
    fd = dial(r.proxy);
    (void)snprintf(text, sizeof text, "TRACE http://good.test:%d/ HTTP/1.1\r\n\r\n", v->port);
    say(fd, text);
    assert_non_null(strstr(hear_all(fd), " 405 "));
    (void)close(fd);
    rig_close(&r);
    assert_true(server_heard(v, "Authorization: Bearer planted\r\n"));
    assert_false(server_heard(v, "theirs")); /* dropped, or listed as for us alone */
    /* once, for the one host */
    assert_null(strstr(strstr(buf_str(&v->heard).s, "planted") + 1, "planted"));
    assert_int_equal(v->connections, 2);
    rig_free(&r);
    server_stop(v);
}

static void a_header_that_is_two_is_not_taken(void **state)
{
    static const struct {
        const char *host, *header, *value;
        bool taken;
    } rows[] = { { "good.test", "X", "a", true },          { "good.test", "X", "a\r\nY: b", false },
                 { "good.test", "X: y\r\nZ", "b", false }, { "good.test", "", "b", false },
                 { "good.test", "X", "", false },          { "good test", "X", "b", false } };
    struct str allow = str_of("good.test");
    struct hosts hosts = { .level = NET_API, .allow = &allow, .allow_count = 1 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate_inject inject = { .host = str_of(rows[i].host),
                                      .header = str_of(rows[i].header),
                                      .value = str_of(rows[i].value),
                                      .plain = true };
        struct gate_ask ask = {
            .hosts = &hosts, .injects = &inject, .inject_count = 1, .program = gate_program
        };
        _arena_ struct arena a = { 0 };
        struct gate_log log = { 0 };
        struct gate *g = NULL;
        struct error e = { 0 };

        assert_int_equal(gate_open(&ask, world_real(), &g, &e), rows[i].taken);
        if (g)
            gate_close(g, &a, &log);
        else
            assert_non_null(strstr(e.msg, "is no header that can be added"));
    }
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(N13_an_allowed_name_does_not_lead_to_a_private_address),
        cmocka_unit_test(N13_only_an_address_that_was_judged_is_connected_to),
        cmocka_unit_test(a_name_that_is_nowhere_is_said_to_be),
        cmocka_unit_test(N16_only_allowed_names_have_an_address),
        cmocka_unit_test(N21_a_connection_is_recorded_after_any_number_of_names),
        cmocka_unit_test(names_are_asked_for_over_tcp_too),
        cmocka_unit_test(a_straight_door_leads_to_the_name_of_its_address),
        cmocka_unit_test(a_secret_is_added_for_its_host_only),
        cmocka_unit_test(a_header_that_is_two_is_not_taken),
    };

    gate_program = argc > 1 ? argv[1] : "writ-net";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
