"""forms.py: N07 to N18 of HOSTILE: names and addresses in all their disguises, at the gate."""
import contextlib
import socket
import ssl
import threading
import time

import origin
import town
import visit
from visit import CURL, decided, decisions, hold, true

CASES = []
case = visit.collector(CASES)

OPEN, SHUT = 200, 403


def asks(place, *hosts, allow=("allowed.test",), deny=(), **how):
    """How each host ends by HTTP, CONNECT and SOCKS5. A host is a name, or a name and a port."""
    given = [host if isinstance(host, tuple) else (host, 80) for host in hosts]
    run, told = place.inside("three_ways", given, allow=allow, deny=deny, **how)
    return run, [told[f"{host}:{port}"] for host, port in given]


def all_open(run, told):
    hold(all(way == [OPEN, OPEN, 0] for way in told), run)


def all_shut(run, told):
    """Refused by the gate: a status of its own (a request that is none is a 400), an answer of SOCKS5."""
    for http, connect, socks in told:
        hold(http in (400, SHUT) and connect in (400, SHUT) and socks not in (0, 255), run)


def nobody_but(place, run, *addresses):
    """Whoever was reached lives at one of these, and nobody else's name was looked up."""
    others = {one.address for one in place.town.seen} - set(addresses)
    hold(not others, run)
    for (address, _), server in place.town.servers.items():
        hold(address in addresses or server.came == 0, run)


@case
def N07_a_request_in_absolute_form_for_another_host_is_403_without_contact(place):
    run, told = asks(place, "other.test", ("other.test", 443), ("other.test", 8080), "evil.test")
    hold(told == [[SHUT, SHUT, 2]] * 4, run)
    nobody_but(place, run)
    hold(not place.town.names.asked, run)
    for via in ("http", "connect", "socks5"):
        decided(run, "other.test", False, via=via, port=80)
        decided(run, "evil.test", False, via=via)


# The host of the line is the one that is asked, whatever the header says; the server sees the line's.
@case
def N07_the_line_decides_and_not_the_header_host(place):
    run, told = place.inside("talk", [
        "GET http://other.test/hello HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n",
        "GET http://allowed.test/hello HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n",
        "GET http://allowed.test/hello HTTP/1.1\r\nHost: allowed.test\r\nHost: other.test\r\nConnection: close\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: allowed.test\r\n X: y\r\nConnection: close\r\n\r\n",
    ], allow=["allowed.test"])
    hold(told[0].startswith("HTTP/1.1 403"), run)
    nobody_but(place, run, town.ALLOWED)
    for one in place.town.seen:
        hold(one.host == "allowed.test" and len(one.headers.get_all("Host")) == 1, run)
    hold("from other" not in "".join(told), run)


# What one reader takes for the end of a request and another does not: nothing of it goes out.
@case
def N07_requests_that_are_two_at_once_are_none(place):
    second = "GET http://other.test/hello HTTP/1.1\r\nHost: other.test\r\n\r\n"
    head = "POST http://allowed.test/echo HTTP/1.1\r\nHost: allowed.test\r\n"
    texts = [
        f"{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{second}",
        f"{head}Content-Length: 4\r\nContent-Length: 40\r\n\r\nabcd{second}",
        f"{head}Content-Length: +4\r\n\r\nabcd{second}",
        f"{head}Content-Length: 4, 4\r\n\r\nabcd{second}",
        f"{head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n{second}",
        f"{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{second}",
        f"{head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{second}",
        f"{head}X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{second}",
        f"{head}X: a\0b\r\nContent-Length: 0\r\n\r\n{second}",
        f"GET http://allowed.test/hello\r\nX: y HTTP/1.1\r\nHost: allowed.test\r\n\r\n{second}",
        "GET http://allowed.test/he\tllo HTTP/1.1\r\nHost: allowed.test\r\n\r\n",
        "GET  http://allowed.test/hello HTTP/1.1\r\nHost: allowed.test\r\n\r\n",
    ]
    run, told = place.inside("talk", texts, allow=["allowed.test"])
    for text, answer in zip(texts, told):
        if not answer.startswith(("HTTP/1.1 400", "HTTP/1.1 403", "HTTP/1.1 501")) and answer:
            raise AssertionError(f"{text!r} was answered with {answer[:200]!r}")
    nobody_but(place, run)


@case
def N07_a_request_behind_another_is_decided_for_itself(place):
    first = "GET http://allowed.test/hello HTTP/1.1\r\nHost: allowed.test\r\n\r\n"
    second = "GET http://other.test/hello HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n"
    body = "POST http://allowed.test/echo HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: {}\r\n\r\n{}"
    run, _ = place.inside("talk", [first + second, body.format(len(second), second) + second,
                                   body.format(0, "") + second], allow=["allowed.test"])
    nobody_but(place, run, town.ALLOWED)
    hold(all(one.host == "allowed.test" for one in place.town.seen), run)


# A limit unless sni: match is asked for: the host that was asked for is the one connected to; another name inside goes there, too.
@case
def N08_what_is_said_inside_of_a_tunnel_is_the_host_s_affair(place):
    run = place.reach(CURL, "-sS", "--connect-to", "other.test:443:allowed.test:443", "--insecure", "--max-time", "20",
                      "https://other.test/hello", allow=["allowed.test"])
    place.untouched(town.OTHER, run)
    decided(run, "allowed.test", True, via="connect", port=443)
    hold(not decisions(run, host="other.test", verdict=True), run)


def in_a_tunnel(place, *words, **how):
    """curl, which takes what is said to other.test to allowed.test."""
    return place.curl("--connect-to", "other.test:443:allowed.test:443", "--connect-to",
                      "other.test:80:allowed.test:80", "--insecure", *words, allow=["allowed.test"],
                      options=["--sni=match"], **how)


@case
def N08_with_sni_match_tls_names_the_host_that_was_asked_for(place):
    for way, via in (([], "connect"), (["--proxy", "socks5h://127.0.0.1:3128"], "socks5"),
                     (["--noproxy", "*"], "straight")):
        run = in_a_tunnel(place, *way, "https://other.test/hello")
        hold(run.record["exit_code"] not in (0, None) and "hello" not in run.record["stdout"]["text"], run)
        one = decided(run, "allowed.test", False, via=via, port=443)
        hold("another host" in one["rule"] and one["bytes_up"] == 0, run)
        hold(not place.town.seen and run.record["network"]["sni"] == "match", run)
        run = in_a_tunnel(place, *way, "https://allowed.test/hello")
        hold(run.record["stdout"]["text"] == "hello from allowed.test\n", run)
        decided(run, "allowed.test", True, via=via, port=443)
        place.town.seen.clear()


@case
def N08_with_sni_match_nothing_but_tls_goes_through_a_tunnel(place):
    for way, via in ((["--proxytunnel"], "connect"), (["--proxy", "socks5h://127.0.0.1:3128"], "socks5"),
                     (["--noproxy", "*"], "straight")):
        run = in_a_tunnel(place, *way, "-H", "Host: other.test", "http://allowed.test/hello")
        hold(run.record["exit_code"] not in (0, None), run)
        hold("not TLS" in decided(run, "allowed.test", False, via=via, port=80)["rule"], run)
        hold(not place.town.seen, run)
    run = in_a_tunnel(place, "-H", "Host: other.test", "http://allowed.test/hello")
    hold(run.record["stdout"]["text"] == "hello from allowed.test\n", run)


class Retrying:
    """A server of OpenSSL that takes a curve no client offers first: it asks each one for a second hello. What it
    sends goes out piece by piece; `apart`: the record of its first answer is cut into records of a byte, too."""

    def __init__(self, place, piece=1 << 16, apart=False):
        self.names, self.piece, self.apart = [], piece, apart
        self.context = origin.tls(place.town.certificate, lambda _, name, __: self.names.append(name))
        self.context.set_ecdh_curve("secp384r1")
        self.socket = socket.create_server((town.ALLOWED, 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                guest, _ = self.socket.accept()
            except OSError:
                return
            with guest, contextlib.suppress(OSError):
                guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                guest.settimeout(20)
                self.speak(guest)

    def send(self, guest, text, first):
        if first and self.apart and text[:1] == b"\x16":
            length = int.from_bytes(text[3:5], "big")
            text = b"".join(text[:3] + b"\0\1" + text[n:n + 1] for n in range(5, 5 + length)) + text[5 + length:]
        for at in range(0, len(text), self.piece):
            guest.sendall(text[at:at + self.piece])
            if self.piece < 100:
                time.sleep(0.0005)

    def speak(self, guest):
        into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
        session, first, shaken = self.context.wrap_bio(into, out, server_side=True), True, False
        while True:
            try:
                shaken = shaken or session.do_handshake() is None
                session.write(session.read(100).upper())
            except ssl.SSLWantReadError:
                pass
            finally:
                text = out.read()
                self.send(guest, text, first)
                first = first and not text
            more = guest.recv(65536)
            if not more:
                return
            into.write(more)


def retried(place, turn, each=1 << 16, **how):
    """What came of a session with such a server, under --sni match; and the names that reached the server."""
    server = Retrying(place, **how)
    with contextlib.closing(server.socket):
        run, told = place.inside("retry", ["allowed.test", server.port, turn, each],
                                 allow=[f"allowed.test:{server.port}"], options=["--sni=match"])
        return run, told, server


# Real OpenSSL at both ends; 3.0 puts a change of the cipher before its second hello.
@case
def N08_with_sni_match_a_second_hello_for_the_same_host_goes(place):
    for how in ({}, {"piece": 1}, {"piece": 7, "apart": True}):
        run, told, server = retried(place, None, **how)
        true(told == [True, "HELLO"] and server.names == ["allowed.test"] * 2, (run, told, server.names))
        decided(run, "allowed.test", True, via="connect", port=server.port)
    run, told, _ = retried(place, None, 1)
    true(told == [True, "HELLO"], (run, told))


@case
def N08_with_sni_match_a_second_hello_for_another_host_is_refused(place):
    for turn, words in (("hidden.test.", "another host"), ("none", "for whom"), ("unreadable", "not one of TLS")):
        for each, how in ((1 << 16, {}), (1, {"piece": 1, "apart": True}), (3, {"piece": 5})):
            run, told, server = retried(place, turn, each, **how)
            true(not told[0] and server.names == ["allowed.test"], (run, told, server.names))
            one = decided(run, "allowed.test", False, via="connect", port=server.port)
            hold(words in one["rule"], run)


@case
def N08_with_sni_match_a_server_that_does_not_speak_tls_ends_the_tunnel(place):
    with socket.create_server((town.ALLOWED, 0)) as server:
        heard, port = [], server.getsockname()[1]

        def serve():
            guest, _ = server.accept()
            with guest, contextlib.suppress(OSError):
                guest.settimeout(20)
                guest.recv(65536)
                guest.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                heard.append(guest.recv(65536))

        threading.Thread(target=serve, daemon=True).start()
        run, told = place.inside("retry", ["allowed.test", port, None, 1 << 16], allow=[f"allowed.test:{port}"],
                                 options=["--sni=match"])
    true(not told[0] and heard in ([], [b""]), (run, told, heard))
    hold("answer in TLS" in decided(run, "allowed.test", False, port=port)["rule"], run)


@case
def N08_sni_match_is_refused_where_it_could_not_be_held(place):
    for options in (["--sni=match"], ["--net=offline", "--sni=match"],
                    ["--net=open", "--raw-net", "--approve=why", "--sni=match"]):
        run = place.exec("/bin/true", options=options)
        hold(run.status == 64 and run.record["problems"][0]["pointer"] == "/sandbox/network/sni", run)


@case
def N10_deny_wins_over_allow_in_any_order_and_form(place):
    for allow, deny in ((["allowed.test"], ["allowed.test"]), (["*.allowed.test", "allowed.test"], ["allowed.test"]),
                        (["allowed.test"], ["ALLOWED.test"]), (["allowed.test:80", "allowed.test"], ["allowed.test"]),
                        (["allowed.test"], ["allowed.test:80"])):
        run, told = asks(place, "allowed.test", "ALLOWED.TEST", allow=allow, deny=deny)
        all_shut(run, told)
        nobody_but(place, run)
        hold("denied" in decided(run, "allowed.test", False)["rule"], run)
    run, told = asks(place, "www.allowed.test", "a.b.allowed.test", allow=["www.allowed.test", "*.allowed.test"],
                     deny=["*.allowed.test"])
    all_shut(run, told)
    run, told = asks(place, "www.allowed.test", "a.b.allowed.test", allow=["*.allowed.test"], deny=["www.allowed.test"])
    hold(told[1] == [OPEN, OPEN, 0], run)
    all_shut(run, told[:1])
    hold(not any(one.host.startswith("www") for one in place.town.seen), run)


@case
def N10_a_denied_address_is_not_reached_by_an_allowed_name(place):
    run, told = asks(place, "allowed.test", deny=[town.ALLOWED])
    all_shut(run, told)
    nobody_but(place, run)


# The machine's list of domains makes "allowed.test" of "allowed"; that is not what was judged.
@case
def N10_a_short_name_does_not_become_one_that_is_denied(place):
    run, told = asks(place, "allowed", allow=["allowed"], deny=["allowed.test"])
    hold(told[0][:2] == [502, 502] and told[0][2] != 0, run)
    nobody_but(place, run)
    hold(set(place.town.names.asked) == {"allowed"}, run)


@case
def N11_an_allowed_name_in_other_letters_is_that_name(place):
    run, told = asks(place, "ALLOWED.test", "AlLoWeD.TeSt", "allowed.test.")
    all_open(run, told)
    nobody_but(place, run, town.ALLOWED)
    hold({one["host"] for one in decisions(run)} == {"allowed.test"}, run)


@case
def N11_a_name_in_disguise_is_not_that_name(place):
    forms = ["allowed.test@evil.test", "evil.test#allowed.test", "evil.test?allowed.test", "evil.test/allowed.test",
             "evil.test\\allowed.test", "allowed.test%00.evil.test", "allowed.test%2eevil.test", "allowed%2etest",
             "%61llowed.test", "allowed.test\0.evil.test", "allowed.test .evil.test", "allowed.test..", "allowed..test",
             ".allowed.test", "allowed.test\t", "all\xf6wed.test", "xn--allwed-9ya.test", "allowed.test:80@evil.test",
             "evil.test:80#@allowed.test", "allowed.test.evil.test", "evilallowed.test", "allowed.test,evil.test",
             "[allowed.test]", "a" * 64 + ".allowed.test", "a." * 130 + "allowed.test", "-", "_", "*", "*.test", "",
             "allowed.test\x7f", "\u00ad".encode().decode("latin-1") + "allowed.test"]
    run, told = asks(place, *forms)
    for form, (http, connect, socks) in zip(forms, told):
        # What comes behind '/', '?' and '#' is no name of a host in a line of HTTP: evil.test is asked for.
        if http == OPEN or connect == OPEN or socks == 0:
            raise AssertionError(f"{form!r} got through: {http}, {connect}, {socks}")
    nobody_but(place, run)
    hold(not [name for name in place.town.names.asked if "evil" in name or "allwed" in name], run)


@case
def N12_a_wildcard_is_for_names_below_and_for_no_other(place):
    run, told = asks(place, "www.allowed.test", "a.b.allowed.test", "WWW.Allowed.Test.", allow=["*.allowed.test"])
    all_open(run, told)
    hold({one["rule"] for one in decisions(run, True)} == {"*.allowed.test"}, run)
    run, told = asks(place, "allowed.test", "evilallowed.test", "allowed.test.evil.test", "test", "*.allowed.test",
                     ".allowed.test", allow=["*.allowed.test"])
    all_shut(run, told)
    nobody_but(place, run, town.ALLOWED)


@case
def N13_a_name_that_leads_to_an_address_of_the_machine_or_its_neighbours_is_refused(place):
    names = [f"{name}.test" for name in town.NEVER]
    run, told = asks(place, *names, allow=names, options=["--timeout-ms=120000"])
    for name, way in zip(names, told):
        if OPEN in way[:2] or way[2] == 0:
            raise AssertionError(f"{name}, which is {town.NEVER[name[:-5]]}, got through: {way}")
        hold(name in place.town.names.asked, run)
        decided(run, name, False, via="http")
    nobody_but(place, run)


@case
def N13_by_every_port_that_is_named(place):
    names = ["to-loop.test", "to-ten.test", "to-metadata.test", "to-six-loop.test", "to-mapped.test", "to-zero.test"]
    run, told = asks(place, *((name, port) for name in names for port in (443, 8080, 3128)),
                     allow=[f"{name}:{port}" for name in names for port in (443, 8080, 3128)],
                     options=["--timeout-ms=120000"])
    hold(all(OPEN not in way[:2] and way[2] for way in told), run)


@case
def N13_of_a_name_with_many_addresses_only_those_of_the_world_are_tried(place):
    run, told = asks(place, "mixed.test", "both.test", allow=["mixed.test", "both.test"])
    for one in decisions(run, verdict=True):
        hold(one["address"].startswith(town.ALLOWED), run)
    nobody_but(place, run, town.ALLOWED)
    hold(all(OPEN in way or SHUT in way for way in told), run)


# The address that was checked is the one connected to: no second look between.
@case
def N13_a_name_that_changes_is_connected_to_as_it_was_checked(place):
    for first, then in (([town.ALLOWED], ["127.0.0.1"]), ([town.ALLOWED], ["169.254.169.254"])):
        # an A and an AAAA question each count as a look
        place.town.names.turns["flip.test"] = [first, first, then]
        try:
            run, told = asks(place, "flip.test", allow=["flip.test"])
        finally:
            del place.town.names.turns["flip.test"]
        for one in decisions(run, verdict=True):
            hold(one["address"].startswith(town.ALLOWED), run)
        hold(told[0][0] in (OPEN, SHUT, 502), run)


@case
def N13_a_private_address_that_is_listed_literally_is_reached(place):
    with origin.canary(socket.AF_INET, socket.SOCK_STREAM, ("10.1.2.3", 9999)):
        server = origin.Server("192.168.7.7", 8081, place.town.seen)
        try:
            run, told = asks(place, ("192.168.7.7", 8081), allow=["192.168.7.7:8081"])
            all_open(run, told)
            run, told = asks(place, ("10.1.2.3", 9999), ("192.168.7.7", 80), allow=["192.168.7.7:8081"])
            all_shut(run, told)
        finally:
            server.shutdown()
            server.server_close()


@case
def N15_an_address_in_another_form_is_refused(place):
    forms = ["0x7f.1", "2130706433", "0177.0.0.1", "127.1", "0x7f000001", "017700000001", "127.0.0.1.", "127.000.000.001",
             "0", "0.0.0.0", "1", "::1", "[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "[::1%lo]", "[::]",
             "127.0.0.1", "169.254.169.254", "10.1.2.3", "0x5d.0xb8.0xd8.0x22", "1572395042", "0135.0270.0330.042",
             "93.184.55330", "093.184.216.034", "93.184.216.34.", "[::ffff:93.184.216.34]", "\u0661".encode().decode("latin-1")]
    for allow in (["allowed.test"], ["allowed.test", "other.test"]):
        run, told = asks(place, *forms, allow=allow)
        for form, way in zip(forms, told):
            if OPEN in way[:2] or way[2] == 0:
                raise AssertionError(f"{form} got through: {way}")
        nobody_but(place, run)
        hold(not place.town.names.asked, run)
        hold("[::1%lo]" in {one["host"] for one in visit.decisions(run, False)}, run)


@case
def N15_forms_of_a_listed_address_are_refused(place):
    forms = ["0x5d.0xb8.0xd8.0x22", "1572395042", "0135.0270.0330.042", "93.184.55330", "093.184.216.034"]
    run, told = asks(place, *forms, allow=[town.ALLOWED])
    hold(all(OPEN not in way[:2] and way[2] for way in told), run)
    nobody_but(place, run)


@case
def N15_SOCKS5_by_address_is_refused_where_the_address_is_not_listed(place):
    code = ("import socket, struct, sys\n"
            "for kind, address in ((1, socket.inet_aton(sys.argv[1])), (1, socket.inet_aton('127.0.0.1')),\n"
            "                      (4, socket.inet_pton(socket.AF_INET6, '::ffff:127.0.0.1'))):\n"
            "    s = socket.create_connection(('127.0.0.1', 3128), 20)\n"
            "    s.sendall(b'\\5\\1\\0'); s.recv(2)\n"
            "    s.sendall(bytes([5, 1, 0, kind]) + address + struct.pack('>H', 80))\n"
            "    a = s.recv(10); print(a[1] if len(a) > 1 else 255)\n")
    run = place.code(code, town.OTHER, allow=["allowed.test", "other.test"])
    hold(run.record["exit_code"] == 0 and "0" not in run.record["stdout"]["text"].split(), run)
    nobody_but(place, run)


# A secret in a name would leave with the question; there is none.
@case
def N16_a_name_that_is_not_allowed_is_not_looked_up(place):
    names = [f"{n}.secret-{n}.evil.test" for n in range(4)]
    run, told = asks(place, *names, "a" * 60 + ".allowed.test", allow=["allowed.test"])
    all_shut(run, told)
    _, told = place.inside("look_up", [*names, "other.test", "x.allowed.test"], allow=["allowed.test"])
    hold(all(code in (3, 5) and not rows for code, rows in told.values()), run)
    run = place.code("import socket, sys\nfor name in sys.argv[1:]:\n    try: print(socket.getaddrinfo(name, 80))\n"
                     "    except OSError: print('no')\n", *names, allow=["allowed.test"])
    hold(run.record["stdout"]["text"] == "no\n" * 4, run)
    true(not place.town.names.asked, place.town.names.asked)


@case
def N16_a_denied_name_below_an_allowed_wildcard_is_not_looked_up(place):
    run, told = asks(place, "www.allowed.test", allow=["*.allowed.test"], deny=["www.allowed.test"])
    all_shut(run, told)
    true(not place.town.names.asked, place.town.names.asked)


@case
def N16_a_port_that_is_not_allowed_looks_nothing_up(place):
    run, told = asks(place, ("allowed.test", 22), ("allowed.test", 8080))
    all_shut(run, told)
    true(not place.town.names.asked, place.town.names.asked)


@case
def N17_a_name_server_of_one_s_own_choice_is_not_reached(place):
    run, told = place.inside("direct", [["1.1.1.1", 53], [town.ALLOWED, 53], ["8.8.8.8", 53], [town.SIX, 53],
                                        ["169.254.169.254", 80]], allow=["allowed.test"])
    hold(all(end in ("ENETUNREACH", "EHOSTUNREACH", "EPERM", "EACCES", "EADDRNOTAVAIL") for *_, end in told), run)
    true(not place.town.names.asked, place.town.names.asked)


@case
def N17_the_resolver_inside_answers_allowed_names_only(place):
    run, told = place.inside("look_up", ["allowed.test", "ALLOWED.test", "www.allowed.test", "other.test", "localhost"],
                             allow=["allowed.test"])
    for name in ("allowed.test", "ALLOWED.test"):
        hold(told[name][0] == 0 and told[name][1] and all(row.startswith("127.") for row in told[name][1]), run)
    for name in ("www.allowed.test", "other.test"):
        hold(told[name][0] in (3, 5) and not told[name][1], run)
    decided(run, "other.test", False, via="dns")
    true("other.test" not in place.town.names.asked, place.town.names.asked)


@case
def N18_other_ports_of_an_allowed_host_are_refused(place):
    ports = (1, 21, 22, 25, 53, 81, 3128, 8080, 65535, 0)
    run, told = asks(place, *(("allowed.test", port) for port in ports))
    all_shut(run, told)
    nobody_but(place, run)
    for port in (22, 25):
        decided(run, "allowed.test", False, port=port)
    run, told = place.inside("talk", [f"CONNECT allowed.test:{port} HTTP/1.1\r\n\r\n" for port in
                                      ("65616", "4294967376", "+80", "080", "80 ", "0x50", "", "-1")], allow=["allowed.test"])
    hold(not any(text.startswith("HTTP/1.1 200") for text in told), run)
    nobody_but(place, run)


@case
def N20_a_program_that_knows_no_proxy_reaches_nothing_else(place):
    code = ("import os, sys, urllib.request\n"
            "for name in [n for n in os.environ if 'proxy' in n.lower()]: del os.environ[name]\n"
            "for url in sys.argv[1:]:\n"
            "    try: print(urllib.request.urlopen(url, timeout=20).status)\n"
            "    except OSError as e: print('no')\n")
    run = place.code(code, "http://other.test/hello", f"http://{town.OTHER}/hello", "https://other.test/hello",
                     f"http://{town.ALLOWED}/hello", "http://127.0.0.1/hello", allow=["allowed.test"])
    hold(run.record["stdout"]["text"] == "no\n" * 5, run)
    nobody_but(place, run)
    run, told = place.inside("direct", [[town.ALLOWED, 80], [town.OTHER, 80], ["10.1.2.3", 80], ["169.254.169.254", 80]],
                             allow=["allowed.test"])
    hold(all(end != "GOT IT" for *_, end in told), run)
    nobody_but(place, run)


# An address of the loop stands for a name; one that stands for none leads nowhere.
@case
def N20_the_straight_doors_lead_to_allowed_names_only(place):
    code = ("import socket\n"
            "for n in (*range(1, 9), 250):\n"
            "    for address in (f'127.0.0.{n}', f'127.53.0.{n}', f'127.53.9.{n}'):\n"
            "        try:\n"
            "            s = socket.create_connection((address, 80), 10); s.settimeout(10)\n"
            "            s.sendall(b'GET /hello HTTP/1.1\\r\\nHost: other.test\\r\\nConnection: close\\r\\n\\r\\n')\n"
            "            print(s.recv(999).split(b'\\r\\n')[0])\n"
            "        except OSError: pass\n")
    run = place.code(code, allow=["allowed.test"])
    nobody_but(place, run, town.ALLOWED)
    hold(run.record["exit_code"] == 0, run)
    for address in ("127.53.0.2", "127.53.0.250", "127.53.9.1"):
        decided(run, address, False, via="straight", port=80)
    hold(not decisions(run, host="127.0.0.1"), run)  # that is the run's own


@case
def N13_the_straight_doors_check_the_address_too(place):
    run = place.code("import socket\n"
                     "for name in ('to-loop.test', 'to-metadata.test', 'to-mapped.test'):\n"
                     "    try:\n"
                     "        s = socket.create_connection((name, 80), 10); s.settimeout(10)\n"
                     "        s.sendall(b'GET /hello HTTP/1.0\\r\\n\\r\\n'); print(s.recv(99))\n"
                     "    except OSError: print('no')\n",
                     allow=["to-loop.test", "to-metadata.test", "to-mapped.test"])
    hold("HTTP/1.1 200" not in run.record["stdout"]["text"] and run.record["exit_code"] == 0, run)
