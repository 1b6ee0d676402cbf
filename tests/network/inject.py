"""inject.py: headers with secrets that are added on the way out, and that the command never sees."""
import base64
import json
import pathlib
import subprocess

import town
import visit
from visit import CURL, REAL_PYTHON, decided, hold, refused, true
from toolshed import SECRET

CASES = []
case = visit.collector(CASES)

# All that a command can see of itself and of those around it.
RUMMAGE = """
import glob, os, sys, urllib.request
print(urllib.request.urlopen("http://api.test/hello", timeout=30).read().decode())
secret = bytes.fromhex(sys.argv[1])[::-1]
found = [name for name in os.environ if secret in os.environb[name.encode()]]
for top in ("/proc", "/tmp", "/run", "/home", "/dev/shm", "/etc", "."):
    for path, dirs, files in os.walk(top):
        for name in files:
            try:
                fd = os.open(os.path.join(path, name), os.O_RDONLY | os.O_NONBLOCK)
                if secret in os.read(fd, 1 << 20): found.append(os.path.join(path, name))
                os.close(fd)
            except OSError: pass
print("found", [name for name in found if "cmdline" not in name])
"""


def network(*injects, allow=("api.test",), **members):
    return {"network": {"enabled": True, "level": "api", "allow": list(allow),
                        "inject": [{"host": "api.test", "header": "X-Api-Key", "secret": {"env": "TOWN_KEY"},
                                    "plain": True} | one for one in injects]} | members}


def registry(place, approved=True):
    like = {"tool_id": "TL-1", "scope": {"commands": [REAL_PYTHON, CURL], "network": "api"}}
    place.registry(like | ({"approval": visit.toolshed.APPROVED} if approved else {}))


def no_trace(place, run):
    """Not in what was said, not in anything that is kept, not in the project, in no usual form."""
    place.no_secret(run)
    forms = [SECRET.encode(), base64.b64encode(SECRET.encode()), SECRET.encode().hex().encode(),
             json.dumps(SECRET).encode()[1:-1]]
    for path in [*place.state.rglob("*"), *place.repo.rglob("*"), *place.home.rglob("*")]:
        if path.is_file():
            data = path.read_bytes()
            true(not any(form in data for form in forms), f"the secret is in {path}")
    hold(not any(form in run.out + run.err for form in forms), run)


def asks(place, *command, sandbox, env=None):
    run = place.ask(*command, sandbox=sandbox, env={"TOWN_KEY": SECRET} if env is None else env)
    no_trace(place, run)
    return run


@case
def R_001_018_the_server_sees_the_header_and_the_command_finds_it_nowhere(place):
    registry(place)
    run = asks(place, REAL_PYTHON, "-c", RUMMAGE, SECRET[::-1].encode().hex(), sandbox=network({}))
    hold(run.record.get("exit_code") == 0, run)
    hold(run.record["stdout"]["text"] == "hello from api.test\n\nfound []\n", run)
    seen = place.seen(host="api.test")
    true(len(seen) == 1 and seen[0].headers.get_all("X-Api-Key") == [SECRET], seen)
    decided(run, "api.test", True, via="http")
    hold(run.record["network"]["inject"] == [{"host": "api.test", "header": "X-Api-Key"}], run)


@case
def R_001_018_over_tls_the_gate_speaks_it_and_checks_the_certificate(place):
    registry(place)
    run = asks(place, CURL, "-sS", "http://api.test/hello", "http://api.test:443/hello",
               sandbox=network({"plain": False}))
    hold(run.record.get("exit_code") == 0 and "hello from api.test" in run.record["stdout"]["text"], run)
    seen = [one for one in place.town.seen if one.address == town.THIRD]
    true(seen and all(one.port == 443 and one.headers.get_all("X-Api-Key") == [SECRET] for one in seen), seen)
    true("api.test" in place.town.servers[town.THIRD, 443].names, "the name was told")


@case
def R_001_018_a_server_with_another_certificate_gets_nothing(place):
    registry(place)
    place.town.names.table["wrong.test"] = [town.THIRD]
    run = asks(place, CURL, "-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://wrong.test/hello",
               sandbox=network({"host": "wrong.test", "plain": False}, allow=["wrong.test"]))
    hold(run.record["stdout"]["text"].startswith("5"), run)
    true(not place.seen(host="wrong.test"), place.town.seen)


@case
def R_001_018_a_redirect_to_another_host_does_not_carry_it(place):
    registry(place)
    run = asks(place, CURL, "-sS", "-L", "http://api.test/elsewhere?to=http://allowed.test/hello",
               "http://allowed.test/hello", sandbox=network({}, allow=["api.test", "allowed.test"]))
    hold(run.record["stdout"]["text"].count("hello from allowed.test") == 2, run)
    true(len(place.seen(host="allowed.test")) == 2, place.town.seen)
    for one in place.seen(host="allowed.test"):
        true(SECRET not in str(one.headers) and SECRET not in one.path, one.headers)
    true([one.headers["X-Api-Key"] for one in place.seen(host="api.test")] == [SECRET], place.town.seen)


@case
def R_001_018_what_the_command_says_in_that_header_is_replaced(place):
    registry(place)
    for more in ([], ["-H", "Connection: x-api-key"]):  # nor is it taken for one that ends here
        run = asks(place, CURL, "-sS", "-H", "X-Api-Key: mine", "-H", "x-api-key: mine too", *more,
                   "http://api.test/hello", "http://API.test./hello", sandbox=network({}))
        hold(run.record.get("exit_code") == 0, run)
    true(len(place.town.seen) == 4, place.town.seen)
    for one in place.town.seen:
        true(one.headers.get_all("X-Api-Key") == [SECRET] and "mine" not in str(one.headers), one.headers)
    run = asks(place, CURL, "-sS", "-H", "X-API-KEY : third", "http://api.test/hello", sandbox=network({}))
    true(not any("third" in str(one.headers) for one in place.town.seen), place.town.seen)


@case
def R_001_018_it_goes_by_no_tunnel_and_to_no_name_below(place):
    registry(place)
    place.town.names.table["sub.api.test"] = [town.OTHER]
    run = asks(place, CURL, "-sS", "-p", "-x", "http://127.0.0.1:3128", "http://api.test/hello",
               "http://sub.api.test/hello", sandbox=network({}, allow=["api.test", "sub.api.test"]))
    true(not any(SECRET in str(one.headers) for one in place.town.seen), place.town.seen)
    hold(len(place.town.seen) >= 2, run)


# A host that tells what it was sent would show it to the command: its answer is cut before that.
@case
def R_001_018_a_server_that_sends_it_back_is_cut(place):
    registry(place)
    for how in ("head", "length", "chunks", "apart", "end"):
        run = asks(place, CURL, "-sS", "-i", f"http://api.test/mirror?how={how}", sandbox=network({}))
        hold("redacted" not in run.record["stdout"]["text"], run)
        hold(how != "head" or "HTTP/1.1 502 " in run.record["stdout"]["text"], run)
        hold(decided(run, "api.test", False)["rule"] == "its answer has the secret that was added", run)
    run = asks(place, CURL, "-sS", "http://api.test/mirror?how=hidden", sandbox=network({}))
    hold(SECRET not in run.record["stdout"]["text"] and "its chunks hide it" in decided(run, "api.test", False)["rule"], run)
    for how, after in (*(("chunks", after) for after in (*range(65510, 65540, 3), 400000)),
                       *(("apart", after) for after in (*range(3630, 3650, 4), 40000))):
        run = asks(place, CURL, "-sS", "-o", "got", f"http://api.test/mirror?how={how}&after={after}",
                   sandbox=network({}))
        hold(run.record["exit_code"] in (0, 18, 56), run)
        decided(run, "api.test", False)


@case
def R_001_018_of_a_header_with_a_scheme_the_secret_is_what_follows(place):
    registry(place)
    place.town.servers[town.THIRD, 80].files = place.town.place.resolve()
    (place.town.place / "leak").write_text(f"x {SECRET} x")
    run = asks(place, CURL, "-sS", "-i", "http://api.test/leak", env={"TOWN_KEY": f"Bearer {SECRET}"},
               sandbox=network({"header": "Authorization"}))
    hold("redacted" not in run.record["stdout"]["text"], run)
    decided(run, "api.test", False)


@case
def R_001_018_what_only_begins_like_it_arrives_whole(place):
    registry(place)
    place.town.servers[town.THIRD, 80].files = place.town.place.resolve()
    (place.town.place / "like").write_text(SECRET[:-1] * 3)
    run = asks(place, CURL, "-sS", "http://api.test/like", "http://api.test/big?n=300000", "-o", "like", "-o", "big",
               sandbox=network({}))
    hold(run.record["exit_code"] == 0 and (place.work / "like").read_text() == SECRET[:-1] * 3, run)
    hold((place.work / "big").stat().st_size == 300000, run)
    for after in (0, 3640, 40000):
        run = asks(place, CURL, "-sS", f"http://api.test/mirror?how=like&after={after}", "-o", "like", sandbox=network({}))
        hold(run.record["exit_code"] == 0 and (place.work / "like").read_text() == "b" * after + SECRET[:-1] + "\n", run)


@case
def R_001_018_a_secret_that_is_not_there_or_is_no_line_stops_the_run(place):
    registry(place)
    run = asks(place, "/usr/bin/curl", "http://api.test/hello", sandbox=network({}), env={"OTHER": "x"})
    hold(run.status not in (0, None) and "exit_code" not in run.record, run)
    run = asks(place, "/usr/bin/curl", "http://api.test/hello", sandbox=network({}), env={"TOWN_KEY": "a\r\nX-Evil: b"})
    hold(run.status not in (0, None) and "exit_code" not in run.record, run)
    true(place.town.total() == 0, place.town.seen)


@case
def R_001_018_a_document_injects_for_an_approved_tool_only(place):
    registry(place, approved=False)
    run = asks(place, CURL, "http://api.test/hello", sandbox=network({}))
    refused(place, run, 77, "APPROVAL_MISSING")
    true(place.town.total() == 0, place.town.seen)


@case
def R_001_018_an_injection_that_could_frame_a_message_is_refused(place):
    registry(place)
    for one in ({"header": "Host"}, {"header": "Content-Length"}, {"header": "transfer-encoding"}, {"header": "A B"},
                {"header": "A:"}, {"host": "*.api.test"}, {"host": "api.test@evil"}, {"header": "X\r\nY"}):
        run = asks(place, CURL, "http://api.test/hello", sandbox=network(one))
        hold(run.status == 65 and "exit_code" not in run.record, run)


# Not in the command line or the environment of writ-net, which anybody may read.
@case
def R_001_018_others_on_the_machine_do_not_see_it(place):
    registry(place)
    path = place.request(REAL_PYTHON, "-I", "inside.py", "hold", json.dumps(["api.test", 80, 1]), sandbox=network({}))
    place.acting("hold")
    child = subprocess.Popen([visit.tap.WRIT, "exec", "--json", "-f", path], cwd=place.work,
                             env=place.environment({"TOWN_KEY": SECRET}), stdin=subprocess.DEVNULL,
                             stdout=open(place.scratch / "said", "w+b"), stderr=subprocess.DEVNULL)
    try:
        visit.toolshed.plans.until((place.work / "ready").exists, "it to be ready", child)
        found = visit.gates(child.pid)
        true(found, "there is no writ-net")
        for pid in found:
            for what in ("cmdline", "environ"):
                try:
                    data = pathlib.Path(f"/proc/{pid}/{what}").read_bytes()
                except PermissionError:
                    continue
                true(SECRET.encode() not in data, f"it is in the {what} of writ-net")
        place.put("work/go", "")
        true(child.wait(timeout=60) == 0, (place.scratch / "said").read_bytes()[-600:])
    finally:
        child.kill()
        child.wait()


@case
def R_001_018_it_goes_to_no_port_that_is_not_its_own(place):
    registry(place)
    run = asks(place, CURL, "-sS", "http://api.test:8080/hello", sandbox=network({}, allow=["api.test", "api.test:8080"]))
    hold(len(place.seen(port=8080)) <= 1, run)
    true(not any(SECRET in str(one.headers) for one in place.seen(port=8080)), place.town.seen)


@case
def R_001_018_a_host_may_have_several_headers(place):
    registry(place)
    run = asks(place, CURL, "-sS", "-H", "X-Other: mine", "http://api.test/hello",
               sandbox=network({}, {"header": "X-Other"}))
    hold(run.record.get("exit_code") == 0, run)
    for one in place.town.seen:
        true(one.headers.get_all("X-Api-Key") == one.headers.get_all("X-Other") == [SECRET], one.headers)
    true(len(place.town.seen) == 1, place.town.seen)
    for two in ({"header": "x-api-key"}, {"header": "X-Other", "plain": False}):
        run = asks(place, CURL, "-sS", "http://api.test/hello", sandbox=network({}, two))
        hold(run.status == 65 and "exit_code" not in run.record, run)
    true(len(place.town.seen) == 1, place.town.seen)


@case
def R_001_018_a_host_that_is_written_in_two_ways_is_one(place):
    registry(place)
    for host in ("api.test.", "API.test", "api.test:80", "api.test:443"):
        run = asks(place, CURL, "-sS", "http://api.test/hello", sandbox=network({}, {"host": host}))
        hold(run.status == 65 and "exit_code" not in run.record, run)
    run = asks(place, CURL, "-sS", "http://api.test/hello",
               sandbox=network({}, {"host": "api.test:8080"}, {"header": "X.Other'Key"},
                               allow=["api.test", "api.test:8080"]))
    hold(run.record.get("exit_code") == 0, run)
    true([one.headers.get_all("X-Api-Key") for one in place.town.seen] == [[SECRET]], place.town.seen)
    true([one.headers.get_all("X.Other'Key") for one in place.town.seen] == [[SECRET]], place.town.seen)


# The server must not be told to take another for it.
@case
def R_001_018_what_the_command_says_of_that_header_behind_the_body_goes_to_nobody(place):
    registry(place)
    place.acting("talk")
    head = "POST http://{}/hello HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n{}\r\n"
    texts = [head.format("api.test", "X-Api-Key: mine\r\n"), head.format("api.test", ""),
             head.format("allowed.test", "X-Api-Key: mine\r\n")]
    run = asks(place, REAL_PYTHON, "-I", "inside.py", "talk", json.dumps(texts),
               sandbox=network({}, allow=["api.test", "allowed.test"]))
    hold(run.record.get("exit_code") == 0, run)
    told = json.loads(run.record["stdout"]["text"])
    hold([text[:12] for text in told[1:]] == ["HTTP/1.1 200"] * 2 and "hello" not in told[0], run)


# The command lives beside the file: it reads it under no name, and moves it nowhere.
TAKE = """
import os, sys, urllib.request
print(urllib.request.urlopen("http://api.test/hello", timeout=30).read().decode().strip())
for take in (lambda name: open(name).read()[::-1], lambda name: os.link(name, "third"), lambda name: os.rename(name, "moved")):
    for name in sys.argv[1:]:
        try: print("TOOK", take(name))
        except OSError: print("no")
"""


@case
def R_001_018_the_file_of_a_secret_is_denied_to_the_command(place):
    registry(place)
    file = place.put("work/tok", SECRET, 0o600)
    other = place.work / "below" / "also"
    other.parent.mkdir()
    other.hardlink_to(file)
    held = "hello from api.test\n" + "no\n" * 6
    for options in (["--inject=http://api.test:X-Api-Key=file:tok"], [f"--inject=http://api.test:X-Api-Key=file:{file}"]):
        run = place.exec(REAL_PYTHON, "-c", TAKE, "tok", "below/also",
                         options=["--net=api", "--allow-host=api.test", *options])
        hold(run.record.get("exit_code") == 0 and run.record["stdout"]["text"] == held, run)
    run = place.ask(REAL_PYTHON, "-c", TAKE, "tok", "below/also", sandbox=network({"secret": {"file": "tok"}}))
    hold(run.record.get("exit_code") == 0 and run.record["stdout"]["text"] == held, run)
    true([one.headers.get_all("X-Api-Key") for one in place.town.seen] == [[SECRET]] * 3, place.town.seen)
    true(file.read_text() == SECRET and file.samefile(other), "it is where it was")


@case
def R_001_018_a_credential_is_denied_to_the_command_too(place):
    place.put("work/credentials/key", SECRET, 0o600)
    run = place.exec(REAL_PYTHON, "-c", TAKE, "credentials/key", env={"CREDENTIALS_DIRECTORY": str(place.work / "credentials")},
                     options=["--net=api", "--allow-host=api.test", "--inject=http://api.test:X-Api-Key=credential:key"])
    hold(run.record.get("exit_code") == 0 and run.record["stdout"]["text"] == "hello from api.test\n" + "no\n" * 3, run)


# A link in the way to it leads to where nothing can be masked.
@case
def R_001_018_a_secret_that_cannot_be_hidden_stops_the_run(place):
    (place.work / "way").symlink_to("/dev/shm")
    run = place.exec("/usr/bin/true", options=["--net=api", "--allow-host=api.test",
                                               "--inject=http://api.test:X-Api-Key=file:way/tok"])
    refused(place, run, 77, "PATH_REFUSED")
