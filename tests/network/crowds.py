"""crowds.py: N19 and N22 to N24 of HOSTILE: too many, too slow, too long; other people's gates."""
import os
import socket
import subprocess
import threading

import origin
import town
import visit
from visit import PYTHON, decided, decisions, gates, hold, kilobytes, true

CASES = []
case = visit.collector(CASES)

# What writ-net may take at its worst: 256 connections with their heads and both their buffers.
# A sanitizer keeps books about each byte, and what was freed.
MOST_KB = (96 << 10) * (8 if b"__asan_init" in (visit.STATE["tools"] / "writ-net").read_bytes() else 1)
MOST_OPEN = 1024


def bounded(child):
    """The gate of a run as it is now: its memory and its descriptors have a ceiling."""
    found = gates(child.pid)
    true(found, "there is no writ-net below it")
    for pid in found:
        peak = kilobytes(pid, "VmHWM")
        true(peak < MOST_KB, f"writ-net took {peak} kB")
        if os.access(f"/proc/{pid}/fd", os.R_OK):
            opened = len(os.listdir(f"/proc/{pid}/fd"))
            true(opened < MOST_OPEN, f"writ-net has {opened} descriptors open")
        threads = kilobytes(pid, "Threads")
        true(threads < 600, f"writ-net has {threads} threads")
    return f"{kilobytes(found[0], 'VmHWM')} kB"


@case
def N19_ten_thousand_connections_are_bounded_and_the_gate_still_serves(place):
    with place.running("swarm", [10000, 900, "allowed.test"], allow=["allowed.test"],
                       options=["--timeout-ms=120000"]) as child:
        print(f"# writ-net took {bounded(child)} at most", flush=True)
    hold(child.run.record.get("exit_code") == 0, child.run)
    told = visit.json.loads(child.run.record["stdout"]["text"])
    hold(told["then"] == 200 and told["tried"] >= 10000 and told["made"] >= 256, child.run)
    decided(child.run, "allowed.test", True, via="http")


@case
def N19_slow_heads_hold_nobody_up_when_they_are_gone(place):
    # 256 are served at once, and 64 wait: more could not connect before some have gone.
    with place.running("slow", [300, "allowed.test"], allow=["allowed.test"],
                       options=["--timeout-ms=120000"]) as child:
        bounded(child)
    told = visit.json.loads(child.run.record["stdout"]["text"])
    hold(told["then"] == 200, child.run)


@case
def N19_a_head_of_a_gigabyte_is_let_go_early(place):
    with place.running("header", [1 << 30, "allowed.test"], allow=["allowed.test"],
                       options=["--timeout-ms=120000"]) as child:
        bounded(child)
    told = visit.json.loads(child.run.record["stdout"]["text"])
    for _, status in told["told"]:  # what comes behind the answer is thrown away, for a moment
        hold(status in (0, 400, 414, 431), child.run)
    hold(told["then"] == 200, child.run)
    place.untouched(town.OTHER, child.run)


@case
def N19_names_by_the_thousand_are_bounded(place):
    code = ("import socket, struct\n"
            "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('127.0.0.1', 53))\n"
            "s.setblocking(False)\n"
            "def query(n):\n"
            "    name = b''.join(bytes([len(p)]) + p for p in (str(n).encode(), b'evil', b'test'))\n"
            "    return struct.pack('>HHHHHH', n & 65535, 256, 1, 0, 0, 0) + name + b'\\0\\0\\1\\0\\1'\n"
            "for n in range(20000):\n"
            "    try: s.send(query(n))\n"
            "    except OSError: pass\n"
            "for packet in (b'', b'\\0', b'\\0' * 12, b'\\xff' * 512, query(1)[:-3], b'\\0\\1\\1\\0\\0\\1' + b'\\0' * 6 + b'\\xc0\\x0c'):\n"
            "    for _ in range(50):\n"
            "        try: s.send(packet)\n"
            "        except OSError: pass\n"
            "s.setblocking(True); s.settimeout(20)\n"
            "import time\n"
            "for n in range(40):\n"
            "    try: print(len(socket.getaddrinfo('allowed.test', 80, socket.AF_INET)) > 0); break\n"
            "    except OSError: pass\n")
    run = place.code(code, allow=["allowed.test"], options=["--timeout-ms=120000"])
    hold(run.record["stdout"]["text"] == "True\n", run)
    true(set(place.town.names.asked) <= {"allowed.test"}, place.town.names.asked[:9])
    hold(len(decisions(run)) <= 20050 and run.record["network"]["unlisted"] >= 0, run)
    hold(len(decisions(run)) + run.record["network"]["unlisted"] >= 1, run)


@case
def N19_tunnels_that_never_end_end_with_the_run(place):
    with place.running("hold", ["allowed.test", 80, 100], allow=["allowed.test"]) as child:
        bounded(child)
        true(established() >= 100, established())
        found = gates(child.pid)
    hold(visit.json.loads(child.run.record["stdout"]["text"]) == {"kept": 100}, child.run)
    true(not [pid for pid in found if visit.alive(pid)], "writ-net is left")
    visit.toolshed.plans.until(lambda: established() == 0, "connections to end")
    hold(len(decisions(child.run, True, via="connect")) == 100, child.run)


def rests(pid):
    """It waits to be told something, and does not ask again and again."""
    return {open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] for _ in range(50)} == {"S"}


@case
def N08_tunnels_that_do_not_say_for_whom_they_are_are_waited_for_in_peace(place):
    with place.running("hold", ["allowed.test", 80, 20], allow=["allowed.test"], options=["--sni=match"]) as child:
        gate, = gates(child.pid)
        visit.toolshed.plans.until(lambda: rests(gate), "the gate to rest", child)
    hold(len(decisions(child.run, True, via="connect", bytes_up=0)) == 20, child.run)


# The far end never reads: what the run sends waits in the run, and not in writ-net.
@case
def N19_a_tunnel_into_which_a_run_pours_is_bounded_where_nobody_reads(place):
    with socket.create_server((town.THIRD, 8083)) as deaf:
        with place.running("pour", ["third.test", 8083], allow=["third.test:8083"],
                           options=["--timeout-ms=60000"]) as child:
            guest, _ = deaf.accept()
            for _ in range(50):
                bounded(child)
            child.terminate()
            place.end_of(child)
        guest.close()


def established():
    """Connections that lead to a server of the town just now."""
    rows = [line.split() for line in open("/proc/self/net/tcp")][1:]
    wanted = {":".join((socket.inet_aton(address)[::-1].hex().upper() if visit.sys.byteorder == "little"
                        else socket.inet_aton(address).hex().upper(), f"{port:04X}"))
              for address in town.PUBLIC for port in (80, 443, 8080)}
    return len([row for row in rows if row[2] in wanted and row[3] == "01"])


# ---- whose gate ----

# Not from the host, not by another run: each has a network, and a list, of its own.
@case
def N22_the_gate_of_a_run_is_reached_by_nobody_else(place):
    with place.running("hold", ["allowed.test", 80, 1], allow=["allowed.test"]) as child:
        for address in ("127.0.0.1", town.ALLOWED, "10.1.2.3"):
            with socket.socket() as probe:
                probe.settimeout(5)
                probe.bind(("127.0.0.1", 0))
                ended = probe.connect_ex((address, 3129))
                true(ended != 0, f"{address}:3129 answers")
        listening = [line.split()[1] for line in open("/proc/self/net/tcp") if line.split()[3] == "0A"]
        mine = {f"{port:04X}" for port in (80, 443, 8080, 3128, 53, 22, 25)}
        true({row.split(":")[1] for row in listening} <= mine, listening)
        other = visit.Visit(place.scratch / "other")
        run, told = other.inside("talk", ["GET http://allowed.test/hello HTTP/1.1\r\nHost: allowed.test\r\n\r\n",
                                          "GET http://other.test/hello HTTP/1.1\r\nHost: other.test\r\n\r\n"],
                                 allow=["other.test"])
        hold(" 403" in told[0][:13] and " 200" in told[1][:13], run)
        run = other.exec(PYTHON, "-c", "import socket\ntry: socket.create_connection(('127.0.0.1', 3128), 5); print('GOT IT')\n"
                                       "except OSError as e: print('no')\n")
        hold(run.record["stdout"]["text"] == "no\n", run)
    hold(not decisions(child.run, host="other.test"), child.run)


@case
def N22_two_runs_at_once_have_each_their_own_hosts_and_record(place):
    other = visit.Visit(place.scratch / "other")
    runs = {}

    def go(who, allow):
        runs[allow] = who.inside("three_ways", [("allowed.test", 80), ("other.test", 80)] * 10, allow=[allow])

    threads = [threading.Thread(target=go, args=pair) for pair in ((place, "allowed.test"), (other, "other.test"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    true(len(runs) == 2, "one of them failed")
    for allow, (run, told) in runs.items():
        for host in ("allowed.test", "other.test"):
            hold((told[f"{host}:80"] == [200, 200, 0]) == (host == allow), run)
            hold({one["verdict"] for one in decisions(run, host=host)} == {visit.WORDS[host == allow]}, run)


@case
def N23_the_port_of_the_gate_cannot_be_taken(place):
    run, told = place.inside("steal", allow=["allowed.test"])
    hold(set(told.values()) <= {"EADDRINUSE", "EACCES", "EADDRNOTAVAIL"}, run)
    run = place.curl("--fail", "http://allowed.test/hello", allow=["allowed.test"])
    hold(run.record["exit_code"] == 0, run)


@case
def N23_the_gate_cannot_be_killed_from_inside(place):
    code = ("import os, signal, subprocess, sys\n"
            "for pid in list(range(2, 400)) + [-1]:\n"
            "    if pid == os.getpid(): continue\n"
            "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "    try: os.kill(pid, signal.SIGTERM if pid < 0 else signal.SIGKILL)\n"
            "    except OSError: pass\n"
            "print(subprocess.run(['/usr/bin/curl', '-sS', '--fail', 'http://allowed.test/hello'], capture_output=True).stdout.decode())\n")
    run = place.code(code, allow=["allowed.test"])
    hold("hello from allowed.test" in run.record["stdout"]["text"], run)


@case
def N24_processes_of_a_run_with_a_network_talk_to_each_other(place):
    place.act("own_network", "127.0.0.1", *(["::1"] if town.has_six() else []), allow=["allowed.test"])
    run = place.code("import http.server, threading, urllib.request\n"
                     "s = http.server.ThreadingHTTPServer(('127.0.0.1', 8000), http.server.SimpleHTTPRequestHandler)\n"
                     "threading.Thread(target=s.serve_forever, daemon=True).start()\n"
                     "for host in ('localhost', '127.0.0.1'):\n"
                     "    print(urllib.request.urlopen(f'http://{host}:8000/').status)\n", allow=["allowed.test"])
    hold(run.record["stdout"]["text"] == "200\n200\n", run)
    hold(not decisions(run, True), run)


# ---- what stays shut when the network is on ----

@case
def N01_N05_with_a_network_all_other_protocols_stay_shut(place):
    tcp, udp = 80, 9
    place.act("network", tcp, udp, town.ALLOWED, town.OTHER, "10.1.2.3", "192.0.2.1", "169.254.169.254", "1.1.1.1",
              *([town.SIX, "fd00::5"] if town.has_six() else []), allow=["allowed.test"])
    place.act("families", allow=["allowed.test"])
    true(place.town.total() == 0, place.town.seen)


@case
def N02_N03_N04_with_a_network_sockets_of_the_host_stay_shut(place):
    name = f"town-{os.getpid()}"
    place.act("local_sockets", f"@{name}s", f"@{name}d", allow=["allowed.test"])
    here = os.getcwd()
    try:
        os.chdir(place.work)
        with origin.canary(socket.AF_UNIX, socket.SOCK_STREAM, "s"), \
                origin.canary(socket.AF_UNIX, socket.SOCK_DGRAM, "d"):
            place.act("local_sockets", "s", "d", allow=["allowed.test"])
        place.act("socket_pair", allow=["allowed.test"])
    finally:
        os.chdir(here)


# Root looks from the host as somebody else, who has the same network as the test.
@case
def N22_another_user_does_not_reach_the_gate_of_a_run(place):
    if os.geteuid() != 0:
        raise visit.tap.Skip("only root can be two people")
    with place.running("hold", ["allowed.test", 80, 1], allow=["allowed.test"]) as child:
        probe = subprocess.run(["setpriv", "--reuid=23456", "--regid=23456", "--clear-groups", PYTHON, "-c",
                                "import os, sys\n"
                                f"for pid in {gates(child.pid)}:\n"
                                "    for what in ('fd', 'mem', 'environ', 'cwd', 'ns/net'):\n"
                                "        try: os.listdir(f'/proc/{pid}/fd') if what == 'fd' else open(f'/proc/{pid}/{what}').read(1); print(what)\n"
                                "        except OSError: pass\n"], capture_output=True, text=True)
        true(probe.stdout == "", probe)
    hold(child.run.record.get("exit_code") == 0, child.run)
