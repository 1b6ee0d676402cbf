"""clients.py: programs that people use, inside, against the servers of the town."""
import os
import pathlib

import origin
import town
import visit
from visit import PYTHON, decided, expect, hold, needs, printed, true

CASES = []
case = visit.collector(CASES)

NODE, GIT, APT = "/usr/bin/node", "/usr/bin/git", "/usr/lib/apt/methods/http"
URLLIB = """
import sys, urllib.request, urllib.error
for url in sys.argv[1:]:
    try: print(urllib.request.urlopen(url, timeout=30).read().decode(), end="")
    except urllib.error.HTTPError as e: print(e.code)
    except OSError as e: print(type(e).__name__)
"""


def went(run, host, via, port=80, address=town.ALLOWED):
    """The record says so: where to, how much, how long."""
    one = decided(run, host, True, via=via, port=port)
    hold(one["address"].startswith(address) and one["bytes_up"] > 0 and one["bytes_down"] > 0, run)
    hold(one["ms"] >= 0 and one["rule"], run)


def did_not(place, run, host, address=town.OTHER):
    """The record says so, nobody was spoken to, and nobody was asked for the name."""
    one = decided(run, host, False)
    hold(one["rule"] and not one.get("address"), run)
    place.untouched(address, run)
    true(host not in place.town.names.asked, f"{host} was looked up")


# ---- curl ----

@case
def N06_curl_reaches_an_allowed_host_over_http(place):
    run = place.curl("http://allowed.test/hello", allow=["allowed.test"])
    printed(run, "hello from allowed.test\n")
    went(run, "allowed.test", "http")
    true(len(place.seen(host="allowed.test")) == 1, place.town.seen)


@case
def N06_curl_reaches_an_allowed_host_over_https_by_connect(place):
    run = place.curl("https://allowed.test/hello", allow=["allowed.test"])
    printed(run, "hello from allowed.test\n")
    went(run, "allowed.test", "connect", 443)
    true(place.town.servers[town.ALLOWED, 443].names == ["allowed.test"], "TLS goes from end to end")


@case
def N06_curl_reaches_an_allowed_host_by_socks5h(place):
    run = place.curl("--proxy", "socks5h://127.0.0.1:3128", "http://allowed.test/hello", "https://allowed.test/hello",
                     allow=["allowed.test"])
    printed(run, "hello from allowed.test\n" * 2)
    went(run, "allowed.test", "socks5", 80)
    went(run, "allowed.test", "socks5", 443)


@case
def N07_curl_does_not_reach_another_host_whichever_way(place):
    for way in ([], ["--proxy", "socks5h://127.0.0.1:3128"], ["--noproxy", "*"]):
        for url in ("http://other.test/hello", "https://other.test/hello", "http://other.test:8080/hello"):
            run = place.curl("--fail", *way, url, allow=["allowed.test"])
            hold(run.record["exit_code"] not in (0, None) and "hello" not in run.record["stdout"]["text"], run)
            did_not(place, run, "other.test")


# Not the web's: all_proxy shows the way, and curl asks for a tunnel.
@case
def N06_curl_reaches_an_allowed_host_by_another_protocol(place):
    run = place.curl("--max-time", "20", "dict://allowed.test:8080/show:server", allow=["allowed.test:8080"])
    went(run, "allowed.test", "connect", 8080)
    run = place.curl("--max-time", "20", "dict://other.test:8080/show:server", allow=["allowed.test:8080"])
    hold(run.record["exit_code"] not in (0, None), run)
    did_not(place, run, "other.test")


# Some read every variable, and speak HTTP to a proxy alone.
@case
def N06_who_cannot_speak_socks_finds_no_proxy_that_does(place):
    run = place.reach(PYTHON, "-c", "import urllib.request\nprint(sorted(set(urllib.request.getproxies().values())))",
                      allow=["allowed.test"])
    found = run.record["stdout"]["text"]
    hold("http://127.0.0.1:3128" in found and "socks" not in found, run)


@case
def N06_curl_sends_and_gets_much(place):
    place.put("work/sent", os.urandom(3 << 20))
    run = place.curl("--data-binary", "@sent", "-o", "told", "http://allowed.test/echo", allow=["allowed.test"],
                     options=["--timeout-ms=60000"])
    printed(run, "")
    told = (place.work / "told").read_text()
    true(f'"bytes": {3 << 20}' in told, told)
    run = place.curl("-o", "got", "http://allowed.test/big?n=20000000", "-o", "got2", "--insecure",
                     "https://allowed.test/big?n=20000000", allow=["allowed.test"], options=["--timeout-ms=60000"])
    printed(run, "")
    true(all((place.work / name).read_bytes() == b"b" * 20000000 for name in ("got", "got2")), run)
    hold(sum(one["bytes_down"] for one in visit.decisions(run)) > 40000000, run)
    hold(sum(one["bytes_up"] for one in visit.decisions(run)) < 100000, run)


@case
def N06_every_request_on_a_connection_that_is_kept_is_decided_anew(place):
    run = place.curl("http://allowed.test/hello", "http://other.test/hello", "http://allowed.test/hello",
                     allow=["allowed.test"])
    text = run.record["stdout"]["text"]
    hold(text.count("hello from allowed.test") == 2 and "from other" not in text, run)
    did_not(place, run, "other.test")
    hold(len(visit.decisions(run, host="allowed.test", via="http")) == 2, run)


@case
def R_001_018_a_port_that_is_named_is_the_one_that_is_open(place):
    run = place.curl("--fail", "http://allowed.test:8080/hello", allow=["allowed.test:8080"])
    printed(run, "hello from allowed.test:8080\n")
    went(run, "allowed.test", "http", 8080)
    for url in ("http://allowed.test/hello", "https://allowed.test/hello"):
        run = place.curl("--fail", url, allow=["allowed.test:8080"])
        hold(run.record["exit_code"] not in (0, None), run)
    true(place.town.came(town.ALLOWED, 80) == place.town.came(town.ALLOWED, 443) == 0, place.town.seen)


# Whatever else is listed of the host, and wherever in the list it stands.
@case
def R_001_018_every_port_that_is_named_is_open_to_who_knows_no_proxy(place):
    ports = range(8001, 8007)
    servers = [origin.Server(town.ALLOWED, port, place.town.seen) for port in ports]
    code = ("import http.client, sys\n"
            "for port in map(int, sys.argv[1:]):\n"
            "    c = http.client.HTTPConnection('allowed.test', port, timeout=20)\n"
            "    c.request('GET', '/hello'); print(c.getresponse().status)\n")
    try:
        for first in ([], ["other.test:8080", "allowed.test"]):
            run = place.code(code, *ports, allow=[*first, *(f"allowed.test:{port}" for port in ports)])
            hold(run.record["stdout"]["text"] == "200\n" * 6, run)
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


@case
def R_001_018_a_list_with_more_ports_than_there_is_room_for_is_refused(place):
    run = place.curl("http://allowed.test:8080/hello", allow=[f"h{n}.test:8080" for n in range(26)] + ["allowed.test:8080"])
    hold(run.record.get("exit_code") == 0, run)
    run = place.curl("http://allowed.test:8080/hello", allow=[f"h{n}.test:8080" for n in range(27)] + ["allowed.test:8080"])
    hold("exit_code" not in run.record and b"28 hosts have a port, at most 27 can" in run.out + run.err, run)
    run = place.curl("http://allowed.test:8080/hello", allow=[f"127.0.0.1:{20000 + n}" for n in range(40)]
                     + [f"h{n}.test:8080" for n in range(26)] + ["allowed.test:8080"])
    hold(run.record.get("exit_code") == 0, run)  # the proxy leads to addresses


@case
def R_001_018_an_address_that_is_listed_is_reached(place):
    run = place.curl("--fail", f"http://{town.ALLOWED}/hello", allow=[town.ALLOWED])
    printed(run, f"hello from {town.ALLOWED}\n")
    run = place.curl("--fail", f"http://{town.OTHER}/hello", allow=[town.ALLOWED, "other.test"])
    hold(run.record["exit_code"] not in (0, None), run)
    place.untouched(town.OTHER, run)


ASK = ("import http.client, sys\n"
       "for where in sys.argv[1:]:\n"
       "    host, port = where.rsplit(':', 1)\n"
       "    try:\n"
       "        c = http.client.HTTPConnection(host, int(port), timeout=20)\n"
       "        c.request('GET', '/hello', headers={'Host': 'me'}); print(c.getresponse().read().decode(), end='')\n"
       "    except OSError as e: print(type(e).__name__)\n")


def servers_at(place, *where):
    return [origin.Server(address, port, place.town.seen) for address, port in where]


# A database or a server beside the run.
@case
def N06_a_loopback_that_is_listed_is_reached_by_who_knows_no_proxy(place):
    servers = servers_at(place, ("127.0.0.1", 9801), ("127.7.7.7", 9802), ("127.7.7.7", 9801))
    try:
        run = place.code(ASK, "127.7.7.7:9801", allow=["localhost:9801", "127.7.7.7:9801"])
        went(run, "127.7.7.7", "straight", 9801, address="127.7.7.7")
        for entry, there, host in (("localhost:9801", ["localhost:9801", "127.0.0.1:9801"], "localhost"),
                                   ("127.0.0.1:9801", ["localhost:9801", "127.0.0.1:9801"], "127.0.0.1"),
                                   ("127.7.7.7:9802", ["127.7.7.7:9802"], "127.7.7.7")):
            run = place.code(ASK, *there, allow=[entry])
            hold(run.record["stdout"]["text"] == "hello from me\n" * len(there), run)
            port = int(entry.rsplit(":", 1)[1])
            went(run, host, "straight", port, address=host if host[0] == "1" else "127.0.0.1")
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


@case
def N21_a_loopback_that_is_not_listed_is_the_runs_own(place):
    servers = servers_at(place, ("127.0.0.1", 9801))
    try:
        for options in ({"allow": ["allowed.test", "localhost:9803", "127.0.0.1:9804"]},
                        {"allow": ["localhost:9801"], "options": ["--deny-host=127.0.0.1"]},
                        {"allow": ["127.0.0.1:9801"], "options": ["--deny-host=localhost"]}):
            run = place.code(ASK, "127.0.0.1:9801", **options)
            hold("hello" not in run.record["stdout"]["text"] and run.record["exit_code"] == 0, run)
        true(not place.town.seen, place.town.seen)
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


@case
def N06_a_host_of_ipv6_is_reached(place):
    if not town.has_six():
        raise visit.tap.Skip("no IPv6 here")
    run = place.curl("--fail", "http://six.test/hello", "https://six.test/hello", allow=["six.test"])
    printed(run, "hello from six.test\n" * 2)
    hold(town.SIX in decided(run, "six.test", True, via="http")["address"], run)
    run = place.curl("--fail", "-g", f"http://[{town.SIX}]/hello", allow=[f"[{town.SIX}]"])
    hold(run.record["exit_code"] == 0, run)


@case
def N06_names_of_the_hosts_file_are_names(place):
    run = place.curl("--fail", "http://filed.test/hello", allow=["filed.test"])
    printed(run, "hello from filed.test\n")
    run = place.curl("--fail", "http://filed-loop.test/hello", allow=["filed-loop.test"])
    hold(run.record["exit_code"] not in (0, None), run)


# ---- python3, node, git, apt ----

@case
def N06_N07_python_s_urllib(place):
    run = place.reach(PYTHON, "-c", URLLIB, "http://allowed.test/hello", "https://allowed.test/hello",
                      "http://other.test/hello", "https://other.test/hello", allow=["allowed.test"])
    printed(run, "hello from allowed.test\nhello from allowed.test\n403\nURLError\n")
    went(run, "allowed.test", "http")
    went(run, "allowed.test", "connect", 443)
    did_not(place, run, "other.test")


NODE_FETCH = """
const tell = async url => {
  try { const r = await fetch(url); console.log(r.status, (await r.text()).trim()); }
  catch (e) { console.log("not reached"); }
};
(async () => { for (const url of process.argv.slice(1)) await tell(url); })();
"""


@case
@needs(NODE)
def N06_N07_node_s_fetch_which_knows_of_no_proxy(place):
    place.put("work/ca.pem", place.town.authority.read_bytes())
    run = place.reach(NODE, "-e", NODE_FETCH, "http://allowed.test/hello", "https://allowed.test/hello",
                      "http://other.test/hello", "https://other.test/hello", allow=["allowed.test"],
                      options=[f"--env=NODE_EXTRA_CA_CERTS={place.work}/ca.pem", "--memory-mb=2048"])
    expect(run, exit_code=0)
    lines = run.record["stdout"]["text"].splitlines()
    hold(lines[:2] == ["200 hello from allowed.test"] * 2, run)
    hold(len(lines) == 4 and not any("hello" in line for line in lines[2:]), run)
    for port in (80, 443):
        hold(decided(run, "allowed.test", True, port=port)["bytes_down"] > 0, run)
    did_not(place, run, "other.test")


@case
@needs(GIT)
def N06_N07_git_clones_over_http(place):
    run = place.reach(GIT, "clone", "-q", "http://git.test/project.git", "cloned", allow=["git.test"])
    expect(run, exit_code=0)
    true((place.work / "cloned/read.me").read_text() == "cloned over http\n", "the file is there")
    went(run, "git.test", "http", address=town.GIT)
    run = place.reach(GIT, "clone", "-q", "https://git.test/project.git", "cloned2", allow=["git.test"])
    expect(run, exit_code=0)
    run = place.reach(GIT, "clone", "-q", "http://other.test/project.git", "cloned3", allow=["git.test"])
    hold(run.record["exit_code"] not in (0, None), run)
    did_not(place, run, "other.test")


# It ends when nobody speaks to it any more: who uses it waits for its answers.
DRIVE = """
import subprocess, sys
method = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
method.stdin.write("601 Configuration\\nConfig-Item: APT::Architecture=all\\n\\n")
for url, name in zip(sys.argv[2::2], sys.argv[3::2]):
    method.stdin.write(f"600 URI Acquire\\nURI: {url}\\nFilename: {name}\\n\\n")
    method.stdin.flush()
    for line in method.stdout:
        if line[:3] in ("201", "400", "401"):
            print(line.strip(), flush=True)
            break
"""


@case
@needs(APT)
def N06_N07_apt_s_http_method(place):
    run = place.reach(PYTHON, "-c", DRIVE, APT, "http://deb.test/debian/Packages", str(place.work / "Packages"),
                      "http://other.test/debian/Packages", str(place.work / "Evil"), allow=["deb.test"])
    printed(run, "201 URI Done\n400 URI Failure\n")
    true("Package: townhall" in (place.work / "Packages").read_text(), "it was fetched")
    true(not (place.work / "Evil").exists() or not (place.work / "Evil").read_bytes(), "the other was not")
    went(run, "deb.test", "http", address=town.DEBIAN)
    did_not(place, run, "other.test")


@case
@needs("/usr/bin/apt-get")
def N06_apt_get_updates_from_an_archive_and_fetches_a_package(place):
    if not (place.town.place / "deb/debian/Packages").exists():
        raise visit.tap.Skip("no dpkg-deb to build a package with")
    for name in ("state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d"):
        (place.work / "apt" / name).mkdir(parents=True)
    at = place.work / "apt"
    place.put("work/apt/etc/sources.list", "deb [trusted=yes] http://deb.test/debian ./\n")
    place.put("work/apt/state/status", "")
    options = [f"Dir={at}", f"Dir::State={at}/state", f"Dir::State::status={at}/state/status", f"Dir::Cache={at}/cache",
               f"Dir::Etc={at}/etc", "Dir::Bin::Methods=/usr/lib/apt/methods", "Dir::Log=/dev/null",
               "APT::Sandbox::User=", "Acquire::Languages=none", "Debug::NoLocking=1", "Dir::Bin::dpkg=/usr/bin/dpkg"]
    given = [word for option in options for word in ("-o", option)]
    run = place.reach("/usr/bin/apt-get", *given, "update", allow=["deb.test"], options=["--timeout-ms=60000"])
    expect(run, exit_code=0)
    run = place.reach("/usr/bin/apt-get", *given, "download", "townhall", allow=["deb.test"],
                      options=["--timeout-ms=60000"])
    expect(run, exit_code=0)
    true(pathlib.Path(place.work / "townhall_1.0_all.deb").exists(), os.listdir(place.work))
    went(run, "deb.test", "http", address=town.DEBIAN)
