#!/usr/bin/env python3
"""network: nothing at all by default; hosts by name through a gate; all of it with an approval.

usage: network.py WRIT      prints TAP
"""
import base64
import http.server
import socket
import sys
import threading

import ground
from ground import TOUCH, expect, hold, printed, refused

CASES = []
case = ground.collector(CASES)

# Which interfaces are there, can this port of the loop be reached, can the world?
LOOK = """
import errno, socket, sys
def reach(*address):
    s = socket.socket(); s.settimeout(5)
    try: s.connect(address); return s.recv(9).decode()
    except OSError as e: return errno.errorcode.get(e.errno, "timeout")
print(*sorted(line.split(":")[0].strip() for line in open("/proc/self/net/dev") if ":" in line))
print(reach("127.0.0.1", int(sys.argv[1])), reach("192.0.2.1", 9) if sys.argv[2:] else "")
"""


class Host:
    """Somebody on the host's own loop who greets whoever comes."""

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.came = 0
        threading.Thread(target=self.greet, daemon=True).start()
        return self

    def greet(self):
        try:
            while True:
                guest, _ = self.server.accept()
                self.came += 1
                guest.sendall(b"host")
                guest.close()
        except OSError:
            pass

    @property
    def port(self):
        return str(self.server.getsockname()[1])

    def __exit__(self, *_):
        self.server.close()


@case
def R_001_017_R_001_050_offline_is_the_default_and_reaches_nothing(place):
    with Host() as host:
        for run in (place.python(LOOK, host.port, "world"),
                    place.python(LOOK, host.port, "world", options=["--net=offline"]),
                    place.ask_python(LOOK, host.port, "world"),
                    place.ask_python(LOOK, host.port, "world", sandbox={"network": {"enabled": False}})):
            printed(run, "lo\nECONNREFUSED ENETUNREACH\n")
            expect(run, limits__network="offline")
            hold("net" in run.record["layers"] and host.came == 0, run)


@case
def R_001_050_offline_has_no_way_round(place):
    run = place.python("import socket\n"
                       "for family, kind, number in ((socket.AF_UNIX, socket.SOCK_STREAM, 0),\n"
                       "        (socket.AF_PACKET, socket.SOCK_RAW, 3), (socket.AF_INET, socket.SOCK_RAW, 1),\n"
                       "        (40, socket.SOCK_STREAM, 0)):\n"
                       "    try: socket.socket(family, kind, number); print(family, kind)\n"
                       "    except OSError: pass\n"
                       "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                       "try: s.sendto(b'x', ('192.0.2.1', 53)); print('sent')\n"
                       "except OSError: pass\n")
    printed(run, "")


@case
def R_001_050_a_command_may_talk_to_itself(place):
    run = place.python("import socket\n"
                       "server = socket.create_server(('127.0.0.1', 0))\n"
                       "client = socket.create_connection(server.getsockname())\n"
                       "client.sendall(b'itself'); print(server.accept()[0].recv(9).decode())\n"
                       "print(socket.gethostbyname('localhost'))\n")
    printed(run, "itself\n127.0.0.1\n")


@case
def R_001_054_open_without_an_approval_is_refused(place):
    run = place.exec(*TOUCH, options=["--net=open"])
    refused(place, run, 64, "APPROVAL_MISSING", "open", "approval")
    run = place.ask(*TOUCH, sandbox={"network": {"enabled": True, "level": "open"}})
    refused(place, run, 65, "APPROVAL_MISSING", "open", "approval")
    run = place.ask(*TOUCH, sandbox={"network": {"enabled": True, "level": "open"}},
                    approval={"reason": "because"})
    refused(place, run, 77, "APPROVAL_MISSING", "open", "TL-1")


OPEN = ["--net=open", "--approve=to look around"]

# One request to the proxy, as it is written; the whole answer.
ASK = """
import socket, sys
s = socket.create_connection(("127.0.0.1", 3128), 20)
s.sendall(sys.argv[1].encode())
answer = b""
while True:
    piece = s.recv(65536)
    if not piece: break
    answer += piece
if b"key " in answer: answer = answer[:answer.index(b"key ") + 4] + answer[:-1][:answer.index(b"key ") + 3:-1] + b"\\n"
print(answer.decode())
"""


def get(host, port, path="/"):
    return f"GET http://{host}:{port}{path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"


class Web(http.server.ThreadingHTTPServer):
    """A server on the host's own loop. It says which header X-Key came, backwards: as it came it would be cut."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.came.append((self.path, self.headers.get("X-Key")))
            body = f"key {self.headers.get('X-Key', 'None')[::-1]}\n".encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Web.Handler)
        self.came = []
        self.port = self.server_address[1]
        self.at = f"127.0.0.1:{self.port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def connections(run):
    return run.record["network"]["connections"]


# ---- open ----

@case
def R_001_053_R_001_054_N21_open_is_a_network_of_its_own_too(place):
    with Host() as host:
        run = place.python(LOOK, host.port, "world", options=OPEN)
        printed(run, "lo\nECONNREFUSED ENETUNREACH\n")
        expect(run, limits__network="open", approval="to look around", network__raw=False)
        hold("net" in run.record["layers"] and host.came == 0, run)


@case
def R_001_053_private_addresses_stay_closed_at_level_open(place):
    with Web() as web:
        run = place.python(ASK, get("127.0.0.1", web.port), options=OPEN)
        hold(b"403" in run.record["stdout"]["text"].encode() and not web.came, run)
        event = connections(run)[0]
        hold((event["host"], event["port"], event["verdict"], event["refusal"]) ==
             ("127.0.0.1", web.port, "refused", "address"), run)
        hold(event["address"] is None and event["rule"] and event["via"] == "http", run)
        run = place.python(ASK, get("127.0.0.1", web.port), options=[*OPEN, f"--allow-host={web.at}"])
        hold("key None" in run.record["stdout"]["text"] and len(web.came) == 1, run)


@case
def R_001_053_raw_is_the_network_of_the_host(place):
    with Host() as host:
        run = place.python(LOOK, host.port, options=[*OPEN, "--raw-net"])
        names = " ".join(sorted(name for _, name in socket.if_nameindex()))
        printed(run, f"{names}\nhost \n")
        expect(run, limits__network="open", network__raw=True, network__connections=[])
        hold(host.came == 1 and "net" not in run.record["layers"], run)
    for options in (["--raw-net"], ["--net=api", "--raw-net"], ["--net=open", "--raw-net"],
                    [*OPEN, "--raw-net", "--deny-host=example.org"]):
        run = place.exec(*TOUCH, options=options)
        hold(run.status == 64 and not (place.work / "ran").exists(), run)


@case
def R_001_054_open_by_a_document_is_approved_there_and_in_the_registry(place):
    place.registry({"tool_id": "TL-1", "approval": {"by": "mara", "at": "2026-01-15", "reason": "x"},
                    "scope": {"commands": [ground.REAL_PYTHON], "network": "open"}})
    asked = {"sandbox": {"network": {"enabled": True, "level": "open", "raw": True}}}
    with Host() as host:
        run = place.ask_python(LOOK, host.port, **asked)
        refused(place, run, 65, "APPROVAL_MISSING", "open")
        run = place.ask_python(LOOK, host.port, **asked, approval={"reason": "to ask the host"})
        expect(run, exit_code=0, limits__network="open", approval="to ask the host", network__raw=True)
        hold(host.came == 1, run)


# ---- hosts by name ----

@case
def R_001_018_R_001_052_N06_only_what_is_listed_is_reached_and_it_is_recorded(place):
    with Web() as web, Web() as other:
        run = place.python(ASK, get("127.0.0.1", web.port), options=[f"--allow-host={web.at}"])
        hold("key None" in run.record["stdout"]["text"], run)
        expect(run, limits__network="api", network__level="api", network__allow=[web.at])
        event = connections(run)[0]
        hold((event["via"], event["host"], event["port"], event["verdict"], event["refusal"], event["rule"]) ==
             ("http", "127.0.0.1", web.port, "allowed", None, web.at), run)
        hold(event["address"].startswith("127.0.0.1") and event["bytes_up"] > 0 < event["bytes_down"], run)
        run = place.python(ASK, get("127.0.0.1", other.port), options=[f"--allow-host={web.at}"])
        hold(" 403 " in run.record["stdout"]["text"] and not other.came, run)
        hold((connections(run)[0]["verdict"], connections(run)[0]["refusal"]) == ("refused", "port"), run)


@case
def R_001_052_why_an_allowed_host_was_not_reached_is_recorded_and_said(place):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        at = "127.0.0.1:%d" % taken.getsockname()[1]
        fails = f"import urllib.request; urllib.request.urlopen('http://{at}/')"
        run = place.python(fails, options=[f"--allow-host={at}"])
        event = connections(run)[0]
        hold((event["verdict"], event["address"], event["error"]) == ("allowed", None, "no connection: Connection refused"), run)
        told = place.writ("exec", f"--allow-host={at}", "--", ground.PYTHON, "-c", fails)
        hold(f"{at} was allowed and could not be reached: no connection: Connection refused".encode() in told.err, told)
    with Web() as web:
        run = place.python(ASK, get("127.0.0.1", web.port), options=[f"--allow-host={web.at}"])
        hold("error" not in connections(run)[0], run)


@case
def R_001_019_N10_deny_wins(place):
    with Web() as web:
        run = place.python(ASK, get("127.0.0.1", web.port),
                           options=[f"--allow-host={web.at}", "--deny-host=127.0.0.1"])
        hold(" 403 " in run.record["stdout"]["text"] and not web.came, run)
        expect(run, network__deny=["127.0.0.1"])


@case
def R_001_051_a_project_adds_registries_by_name_and_never_this_machine(place):
    place.put(".writ/config.yaml", "network: {registries: [pip.corp.example, 'npm.corp.example:8443']}\n")
    run = place.exec(*TOUCH, options=["--net=registry"])
    added = ["pip.corp.example", "npm.corp.example:8443"]
    hold(run.record["network"]["allow"] == run.record["network"]["allowed_by_project"] == added, run)
    run = place.writ("exec", "--net=registry", "--allow-host=own.example", "--", *TOUCH)
    hold("config.yaml allows besides: pip.corp.example, npm.corp.example:8443\n" in run.err.decode(), run)
    with Web() as web:
        for entry in (web.at, "169.254.169.254", f"localhost:{web.port}", "'[::1]:80'", "10.0.0.1"):
            place.put(".writ/config.yaml", f"network: {{registries: [{entry if entry[0] == chr(39) else repr(entry)}]}}\n")
            run = place.exec(*TOUCH, options=["--net=registry"])
            hold(run.status != 0 and "is no name of a registry" in run.out.decode() + run.err.decode(), run)
        hold(not web.came, run)


@case
def R_001_018_R_001_051_R_001_052_a_document_has_no_more_than_its_tool(place):
    for network in ({"enabled": True}, {"enabled": True, "level": "registry"},
                    {"enabled": True, "allow": ["example.com"], "deny": ["www.example.com"]}):
        run = place.ask(*TOUCH, sandbox={"network": network})
        refused(place, run, 77, "APPROVAL_MISSING", "network level", "offline")


@case
def R_001_018_an_entry_that_is_no_host_is_refused(place):
    for entry in ("*", "http://example.org", "2130706433", "example.org:0"):
        run = place.exec(*TOUCH, options=[f"--allow-host={entry}"])
        refused(place, run, 64, "VALIDATION_ERROR", "is no host")


NEAR = "localhost,writ,127.0.0.1,127.0.0.2,0.0.0.0,::1"


@case
def a_command_reaches_itself_by_every_name_it_has(place):
    itself = ("import http.server, sys, threading, urllib.request\n"
              "server = http.server.HTTPServer(('', 0), http.server.SimpleHTTPRequestHandler)\n"
              "threading.Thread(target=server.serve_forever, daemon=True).start()\n"
              "for name in sys.argv[1:]:\n"
              "    print(urllib.request.urlopen(f'http://{name}:{server.server_port}/', timeout=20).status)\n")
    names = ("localhost", "writ", "127.0.0.1", "127.0.0.2", "0.0.0.0")
    for options in ([], ["--allow-host=example.org"]):
        run = place.python(itself, *names, options=options)
        expect(run, exit_code=0, stdout__text="200\n" * len(names))


@case
def R_001_018_what_programs_find_there(place):
    run = place.exec("/bin/sh", "-c", "env | grep -i proxy | sort; cat /etc/resolv.conf",
                     options=["--allow-host=example.org"])
    hold([line for line in run.record["stdout"]["text"].splitlines()] == [
        "ALL_PROXY=http://127.0.0.1:3128", "HTTPS_PROXY=http://127.0.0.1:3128",
        "HTTP_PROXY=http://127.0.0.1:3128", "NODE_USE_ENV_PROXY=1", f"NO_PROXY={NEAR}",
        "all_proxy=http://127.0.0.1:3128", "http_proxy=http://127.0.0.1:3128",
        "https_proxy=http://127.0.0.1:3128", f"no_proxy={NEAR}",
        "nameserver 127.0.0.1"], run)
    run = place.exec("/bin/sh", "-c", "env | grep -i proxy; test -e /etc/resolv.conf")
    hold(run.record["stdout"]["text"] == "" and run.record["exit_code"] == 1, run)


@case
def R_001_018_what_is_listed_of_the_loop_is_the_hosts(place):
    fetch = ("import os, sys, urllib.request\nprint(os.environ['no_proxy'] + ';' + os.environ['NO_PROXY'])\n"
             "print(urllib.request.urlopen(sys.argv[1], timeout=20).status)\n")
    with Web() as web:
        for listed, asked, near in (("localhost", "localhost", "writ,0.0.0.0"), ("localhost", "127.0.0.1", "writ,0.0.0.0"),
                                    ("127.0.0.1", "127.0.0.1", NEAR.replace(",127.0.0.1", ""))):
            run = place.python(fetch, f"http://{asked}:{web.port}/", options=[f"--allow-host={listed}:{web.port}"])
            printed(run, f"{near};{near}\n200\n")
            hold((connections(run)[0]["host"], connections(run)[0]["verdict"]) == (asked, "allowed"), run)
        hold(len(web.came) == 3, run)


@case
def N23_N24_ports_of_the_doors_are_taken_and_all_others_free(place):
    run = place.python("import socket\n"
                       "for port in (3128, 53, 80, 443, 8080):\n"
                       "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
                       "        s = socket.socket(socket.AF_INET, kind)\n"
                       "        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
                       "        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
                       "        try: s.bind(('127.0.0.1', port)); print(port, kind.name)\n"
                       "        except OSError: pass\n"
                       "server = socket.create_server(('127.0.0.1', 8443))\n"
                       "client = socket.create_connection(server.getsockname())\n"
                       "client.sendall(b'itself'); print(server.accept()[0].recv(9).decode())\n",
                       options=["--allow-host=example.org:8443"])
    printed(run, "3128 SOCK_DGRAM\n8080 SOCK_STREAM\n8080 SOCK_DGRAM\nitself\n")


@case
def R_001_017_without_writ_net_nothing_runs(place):
    run = place.exec(*TOUCH, options=["--allow-host=example.org"], env={"WRIT_LIBEXEC": str(place.outside)})
    refused(place, run, 125, "LAYER_MISSING", "LAYER_MISSING:net", "writ-net")
    run = place.exec("/bin/true", env={"WRIT_LIBEXEC": str(place.outside)})
    expect(run, exit_code=0)


@case
def a_person_is_told_what_was_refused(place):
    ask = get("example.invalid", 80)
    run = place.writ("exec", "--allow-host=example.org", "--", ground.PYTHON, "-c", ASK, ask)
    hold(b"example.invalid:80 was not reached" in run.err and b"--allow-host" in run.err, run)
    for asked, mend in (("example.invalid", b"      allow it with --allow-host\n"),
                        ("example.org:8443", b"      allow it with its port: --allow-host HOST:PORT\n"),
                        ("denied.example.org", b"      what is denied is not reached, whatever allows it\n")):
        host, _, port = asked.partition(":")
        run = place.writ("exec", "--allow-host=example.org", "--allow-host=*.example.org",
                         "--deny-host=denied.example.org", "--", ground.PYTHON, "-c", ASK, get(host, int(port or 80)))
        hold(mend in run.err and run.err.count(b"--allow-host") <= 1, run)
    run = place.writ("exec", "--", ground.PYTHON, "-c", "import urllib.request as u; u.urlopen('http://example.org')")
    hold(b"the sandbox gives it no network; allow a host with --allow-host" in run.err, run)


# ---- secrets on the way ----

SECRET = "s3cret-of-the-host"


@case
def R_001_018_a_secret_is_added_on_the_way_and_seen_by_nobody(place):
    with Web() as web:
        run = place.python(ASK + "import os; print(dict(os.environ))", get("127.0.0.1", web.port),
                           options=[f"--allow-host={web.at}", f"--inject=http://{web.at}:X-Key=env:TOKEN"],
                           env={"TOKEN": SECRET})
        hold(web.came == [("/", SECRET)], run)
        hold("key [redacted]" in run.record["stdout"]["text"] and SECRET.encode() not in run.out, run)
        expect(run, network__inject=[{"host": web.at, "header": "X-Key"}], stdout__truncated=False)
        kept = [path for path in place.state.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
        hold(not kept, run)


# What is taken out has another length than what is put in its place, and nothing was cut off by that.
@case
def R_001_018_R_001_022_output_is_truncated_where_it_was_cut_and_nowhere_else(place):
    again = ASK + "print(int(sys.argv[2]) * answer.decode().split('key ')[1])"
    with Web() as web:
        for secret in (SECRET, "k3y!"):
            for times, cut in ((2, False), ((1 << 20) // len(secret) + 1, True)):
                run = place.python(again, get("127.0.0.1", web.port), str(times), env={"TOKEN": secret},
                                   options=[f"--allow-host={web.at}", f"--inject=http://{web.at}:X-Key=env:TOKEN"])
                hold(secret not in run.record["stdout"]["text"] and "[redacted]" in run.record["stdout"]["text"], run)
                expect(run, stdout__truncated=cut)


# What came back, as it is, in base64, and at the end of much else; beside it what is harmless.
LEAVE = ASK + """
import base64, os
os.mkdir("left")
key = answer.split(b"key ")[1].strip()
for name, data in (("plain", answer), ("coded", base64.b64encode(b"." + key)), ("harmless", b"hello"),
                   ("big", bytes(200001) + key), (key.decode(), b"its name")):
    open("left/" + name, "wb").write(data)
"""


@case
def R_001_018_R_001_025_R_001_026_what_holds_a_secret_is_not_kept(place):
    asked = ["left/plain", "left/coded", "left/harmless", "left/big"]
    with Web() as web:
        options = [f"--allow-host={web.at}", f"--inject=http://{web.at}:X-Key=env:TOKEN"]
        run = place.python(LEAVE, get("127.0.0.1", web.port), env={"TOKEN": SECRET},
                           options=[*options, *(f"--output-file={name}" for name in asked), "--artifact=left/*"])
        refused(place, place.exec(*TOUCH, options=[*options, "--write-mode=cow"], env={"TOKEN": SECRET}),
                64, "VALIDATION_ERROR", "write_mode: direct")
    hold(run.status == 0 and SECRET.encode() not in run.out, run)
    for kept in (run.record["output_files"], [one for one in run.record["artifacts"] if "redacted" not in one["path"]]):
        same = {one["path"]: (one["state"], one["bytes"] > 0, "digest" in one) for one in kept}
        hold(same == {name: ("collected", True, True) if name == "left/harmless" else ("withheld", True, False)
                      for name in asked}, run)
    hold([one["state"] for one in run.record["artifacts"] if one["path"] == "left/[redacted]"] == ["collected"], run)
    hold((place.work / "left/plain").read_bytes().count(SECRET.encode()) == 1, run)  # the command's own
    for path in place.state.rglob("*"):
        hold(not path.is_file() or not any(form in path.read_bytes() for form in (
            SECRET.encode(), base64.b64encode(b"." + SECRET.encode()))), run)


# Names have no large letters; what is refused is told with the name that was asked for.
ASK_FOR_IT = ASK + """
key = answer.decode().split("key ")[1].strip()
for host in (key, key.upper() + ".example.invalid"):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    s.sendall(f"GET http://{host}/ HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n".encode())
    s.recv(1)
sys.exit(1)
"""


@case
def R_001_018_a_secret_that_is_asked_for_as_a_host_is_not_kept(place):
    secret = "S3cret-Of-The-Host"
    with Web() as web:
        run = place.python(ASK_FOR_IT, get("127.0.0.1", web.port), env={"TOKEN": secret},
                           options=[f"--allow-host={web.at}", f"--inject=http://{web.at}:X-Key=env:TOKEN"])
    hosts = [one["host"] for one in run.record["network"]["connections"]]
    hold(hosts[1:] == ["[redacted]", "[redacted].example.invalid"], run)
    for path in (None, *place.state.rglob("*")):
        kept = run.out + run.err if path is None else path.read_bytes() if path.is_file() else b""
        hold(secret.lower().encode() not in kept.lower(), run)


# What came back without the word before it, and of a user and a password both, and the second alone.
PARTS = ASK + """
import base64
rest = answer.decode().split("key ")[1].strip().split(" ")[1]
print(rest)
try: print("both", base64.b64decode(rest).decode(), base64.b64decode(rest).decode().split(":")[1])
except ValueError: pass
"""


@case
def R_001_018_a_secret_behind_a_scheme_is_taken_out_alone(place):
    basic = base64.b64encode(f"ada:{SECRET}".encode()).decode()
    with Web() as web:
        for scheme, rest, told in (("Bearer", SECRET, ""), ("token", SECRET, ""),
                                   ("BASIC", basic, "both [redacted] [redacted]\n")):
            run = place.python(PARTS, get("127.0.0.1", web.port), env={"TOKEN": f"{scheme} {rest}"},
                               options=[f"--allow-host={web.at}", f"--inject=http://{web.at}:X-Key=env:TOKEN"])
            hold(run.record["stdout"]["text"].endswith("[redacted]\n" + told) and web.came[-1] == ("/", f"{scheme} {rest}"), run)
            hold(not any(word.encode() in run.out for word in (SECRET, basic)), run)


@case
def R_001_018_who_says_which_secret_is_sent(place):
    allow = "--allow-host=example.org"
    for option in ("example.org=env:T", "example.org:X=T", "example.org:X=env:", "example.org:X=command:id"):
        run = place.writ("exec", allow, f"--inject={option}", "--", *TOUCH)
        hold(run.status == 64 and b"--inject takes" in run.err, run)
    for options, told in ((["--sni=match"], b"writ: --sni: "), (["--raw-net"], b"--net open"),
                          ([allow, "--net=offline"], b"--net with a level"), (["--approve="], b"writ: --approve: ")):
        run = place.writ("exec", *options, "--", *TOUCH)
        hold(run.status == 64 and told in run.err, run)
    for options in ([allow], [allow, "--allow-host=other.org:8443"], ["--net=registry"], ["--allow-host=*.other.org"],
                    ["--allow-host=other.org", "--deny-host=other.org"]):
        run = place.exec(*TOUCH, options=[*options, "--inject=other.org:X-Key=env:T"], env={"T": SECRET})
        refused(place, run, 64, "INVALID_PAYLOAD", "add --allow-host other.org")
    for options in (["--allow-host=*.other.org"], ["--net=open", "--approve=trial"]):
        run = place.exec("/usr/bin/true", options=[*options, "--inject=a.other.org:X-Key=env:T"], env={"T": SECRET})
        expect(run, exit_code=0)
    run = place.exec(*TOUCH, options=[allow, "--inject=example.org:X-Key=env:NOT_THERE"])
    refused(place, run, 77, "SECRET_MISSING", "NOT_THERE")
    run = place.exec(*TOUCH, options=[allow, "--inject=example.org:X-Key=env:T"], env={"T": "a\r\nb"})
    refused(place, run, 77, "SECRET_MISSING", "line end")

    def asked(secret):
        return {"sandbox": {"network": {"enabled": True, "allow": ["example.org"], "inject": [
            {"host": "example.org", "header": "X-Key", "secret": secret}]}}, "env": {"T": SECRET}}

    scope = {"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"], "network": "api"}}
    place.registry(scope)
    run = place.ask(*TOUCH, **asked({"env": "T"}))
    refused(place, run, 77, "APPROVAL_MISSING", "a tool that the registry has approved")
    place.registry(scope | {"approval": {"by": "mara", "at": "2026-01-15", "reason": "x"}})
    run = place.ask(*TOUCH, **asked({"command": ["/bin/echo", "x"]}))
    refused(place, run, 77, "SECRET_MISSING", "a project does not choose a command")
    run = place.ask(*TOUCH, **asked({"env": "T"}))
    expect(run, exit_code=0)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
