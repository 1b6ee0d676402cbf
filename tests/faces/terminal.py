#!/usr/bin/env python3
"""terminal: nothing a stranger wrote steers the terminal; colours and widths are the terminal's own.

usage: terminal.py WRIT      prints TAP
"""
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

import tap
from tap import SECONDS, WRIT, insist, writ

CASES = []
case = tap.collector(CASES)


# ---- names and texts that would steer a terminal ----

NAMES = [b"a b", b"two\nlines", b"red\x1b[31m", b"bell\x07", b"back\x08\x08", b"title\x1b]0;x\x07",
         b"\xff\xfe", b"csi\xc2\x9b31m", b"turn\xe2\x80\xaeed", b"tab\there", b"\x7f", b"'quote\"",
         b"%s%n%d", b"\\x1b", b"caf\xc3\xa9", "in\u2060vi\u00adsible".encode(), "tag\U000e0041ged".encode()]
STEERS = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f\xad]|\xe2\x80[\x8b-\x8f\xa8-\xae]|"
                    rb"\xe2\x81[\xa0-\xaf]|\xf3\xa0[\x80\x81]")


def tame(answer):
    """Only text and line ends came out, and all of it UTF-8."""
    for text in (answer.out, answer.err):
        insist(not STEERS.search(text), answer)
        text.decode()
    return answer


@case
def names_of_files(scratch):
    """no name of a file steers the terminal"""
    for name in NAMES:
        path = os.fsencode(scratch) + b"/" + name
        shutil.copy(tap.FILES / "plan.yaml", path)
        for args in (["check", path], ["digest", path, path], ["check", path + b".no"],
                     ["canon", path + b".no"], ["check", "--as", "event", path]):
            answer = tame(writ(*args))
            insist(answer.out.count(b"\n") + answer.err.count(b"\n") < 15, answer)


@case
def names_in_json(scratch):
    """--json stays JSON whatever the names"""
    for name in NAMES:
        path = os.fsencode(scratch) + b"/" + name
        answer = writ("check", "--json", path)
        insist(json.loads(answer.out)["file"].encode() == path or b"\xff" in name, answer)


@case
def words_on_the_command_line(_):
    """no verb, option, kind or topic steers the terminal"""
    for name in NAMES:
        plan_yaml = tap.FILES / "plan.yaml"
        for args in ([name], ["help", name], ["explain", name], ["explain", name, "--schema"],
                     ["check", b"--" + name, "x"], ["check", b"-" + name, "x"],
                     ["check", "--as", name, plan_yaml], ["check", b"--json=" + name, "x"]):
            answer = tame(writ(*args))
            insist(answer.status == 64 and answer.out == b"" and answer.err.count(b"\n") < 3, answer)


@case
def words_in_documents(scratch):
    """no key and no text of a document steers the terminal"""
    for name in NAMES:
        word = name.decode(errors="replace")
        for text in (json.dumps({"steps": [], "context_requirements": [], word: word, "id": word}),
                     json.dumps({"tools": [{word: 1}], word: {word: 1}}),
                     '{%s: 1, %s: 2}' % (json.dumps(word), json.dumps(word)),
                     '{"a": %s}' % word, "[%s]" % word, "&%s 1" % word, "*%s" % word,
                     "a: %s: %s" % (word, word), "%s" % word):
            (scratch / "a.json").write_text(text)
            (scratch / "a.yaml").write_text(text)
            tame(writ("check", scratch / "a.json", scratch / "a.yaml"))


@case
def cut_in_two(scratch):
    """a message that is cut short is still UTF-8"""
    for lead in ("", "x", "xx", "xxx"):
        for letter in "é€😀":
            name = lead + letter * 600
            for args in (["check", name], ["check", "--json", name], ["canon", name], [name],
                         ["check", "--" + name], ["check", "--as", name, "x"], ["explain", name]):
                tame(writ(*args))
            (scratch / "a.json").write_text(json.dumps({"tools": [{name: name}], "allowlist": name}))
            tame(writ("check", scratch / "a.json"))
            (scratch / "a.json").write_text('{"%s": {"a": 1, "a": 2}}' % name)
            tame(writ("check", scratch / "a.json"))


# ---- the terminal ----

def on_terminal(args, columns=80, where=("out", "err"), cwd=None, how=None, **env):
    """What arrives on a terminal of that width that stdout, stderr or both are."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {key: value for key, value in (tap.ENV | {"TERM": "xterm"} | env).items() if value is not None}
    child = subprocess.Popen([WRIT, *args], env=env, cwd=cwd, stdin=subprocess.DEVNULL, **(how or {}),
                             stdout=side if "out" in where else subprocess.DEVNULL,
                             stderr=side if "err" in where else subprocess.DEVNULL)
    os.close(side)
    text = b""
    while True:
        try:
            more = os.read(main, 65536)
        except OSError:  # the terminal is gone: all was read
            break
        if not more:
            break
        text += more
    os.close(main)
    child.wait(SECONDS)
    return text.replace(b"\r\n", b"\n")


BAD = str(tap.FILES / "plan-bad.yaml")
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


@case
def colours(_):
    """colours on a terminal, and the same text without them"""
    for args in (["check", BAD], ["canon", "/no"], ["explain", "running"], ["--help"], ["check", "--help"]):
        coloured = on_terminal(args)
        assert COLOUR.search(coloured), (args, coloured)
        assert COLOUR.sub(b"", coloured) == on_terminal(args, NO_COLOR="1"), args
        assert coloured.count(b"\x1b[0m") * 2 == len(COLOUR.findall(coloured)), (args, coloured)


def openings(pid, side):
    """The flags of what a process has open of a terminal, by the descriptor."""
    names = {os.ttyname(side), "/dev/tty"}
    numbers = [number for number in os.listdir(f"/proc/{pid}/fd") if os.readlink(f"/proc/{pid}/fd/{number}") in names]
    flags = (re.search(r"flags:\s*(\d+)", open(f"/proc/{pid}/fdinfo/{number}").read())[1] for number in numbers)
    return {int(number): int(flag, 8) for number, flag in zip(numbers, flags)}


def waits_for_nobody(scratch, user):
    """A command runs on a terminal that is root's: writ writes there without waiting, by openings of its own."""
    main, side = pty.openpty()
    program, work = shutil.copy(WRIT, scratch), scratch / "work"
    work.mkdir()
    os.mkfifo(work / "fifo")
    for path in (work, work / "fifo"):
        os.chown(path, user, user)
    child = subprocess.Popen([program, "exec", "--allow-weak=cgroup", "--", "sh", "-c", "echo > fifo; cat fifo"],
                             cwd=work, env=tap.ENV | {"WRIT_STATE": str(work / "state")}, user=user, group=user,
                             extra_groups=[], stdin=side, stdout=side, stderr=side, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    try:
        with open(work / "fifo") as fifo:  # it runs
            fifo.read()
        found = openings(child.pid, side)
        assert sum(bool(flags & os.O_NONBLOCK) for flags in found.values()) == 2, found
        assert not any(found[number] & os.O_NONBLOCK for number in range(3)), found  # the caller's own stay
        with open(work / "fifo", "w"):
            pass
        assert child.wait(SECONDS) == 0, os.read(main, 65536)
    finally:
        child.kill()
        child.wait()
        os.close(main)
        os.close(side)


@case
def own_openings(scratch):
    """what a command prints goes to the terminal by openings that are writ's own, after su as well"""
    if os.geteuid() != 0:
        raise tap.Skip("only root can be somebody else")
    scratch.chmod(0o755)
    for name, user in (("root", 0), ("user", 65534)):
        (scratch / name).mkdir()
        waits_for_nobody(scratch / name, user)


@case
def no_colours(_):
    """no colours with NO_COLOR, TERM=dumb, without TERM, in data, or off the terminal"""
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
        assert b"\x1b" not in on_terminal(["check", BAD], **env), env
    assert b"\x1b" in on_terminal(["check", BAD], NO_COLOR="")  # an empty one does not count
    for args in (["check", "--json", BAD], ["canon", BAD], ["explain", "plan", "--schema"]):
        assert b"\x1b" not in on_terminal(args), args
    assert b"\x1b" not in tap.run([WRIT, "check", BAD], env={"TERM": "xterm"}).out
    assert b"\x1b" in on_terminal(["canon", "/no"], where=("err",))
    assert b"\x1b" not in on_terminal(["check", BAD], where=("err",))


@case
def widths(_):
    """the width is the terminal's: columns where they fit, cards where they do not"""
    def longest(text):
        return max(len(line.decode()) for line in text.splitlines())

    for columns in (20, 30, 40, 60, 80, 200):
        for verb in ("check", "canon", "digest", "explain"):
            text = on_terminal([verb, "--help"], columns, NO_COLOR="1")
            about = b"\n".join(line for line in text.splitlines()[1:] if line[:1] != b" ")
            assert longest(about) <= columns, (columns, verb, about)
            does = [line for line in text.splitlines() if line.startswith(b"      ") and line[6:7] != b" "]
            assert does and (columns < 30 or longest(b"\n".join(does)) <= columns), (columns, verb, does)
    assert longest(on_terminal(["--help"], 40, NO_COLOR="1").splitlines()[-1]) <= 40
    for columns in (40, 80):
        text = on_terminal(["executors"], columns, NO_COLOR="1")
        assert text and not [line for line in text.splitlines() if line.endswith(b" ") or not line], text
        assert longest(text) <= columns, text  # what has no room beside a name goes below it
    wide = on_terminal(["explain", "limits"], 200, NO_COLOR="1")
    narrow = on_terminal(["explain", "limits"], 50, NO_COLOR="1")
    assert b"\n  name          default  min" in wide, wide
    assert b"\n  name         timeout_ms\n" in narrow, narrow
    assert longest(on_terminal(["explain", "limits"], 100, NO_COLOR="1")) <= 100
    for columns in (0, 1, 39, 65535):  # a width nobody has
        assert b"timeout_ms" in on_terminal(["explain", "limits"], columns)


@case
def what_in_a_narrow_log(scratch):
    """where a log is narrow, what was done has a line of its own"""
    ledger = scratch / "narrow.db"
    run = tap.run([WRIT, "ledger", "input", "--ledger", ledger, tap.FILES / "plan.yaml"])
    assert run.status == 0, run
    wide = on_terminal(["log", "--ledger", ledger], 100, NO_COLOR="1").splitlines()
    narrow = on_terminal(["log", "--ledger", ledger], 40, NO_COLOR="1").splitlines()
    assert len(narrow) == len(wide) + 1 and narrow[-1].startswith(b"    "), (wide, narrow)
    assert narrow[-1].split()[0][:20] in wide[-1], (wide, narrow)
    assert not any(line.endswith(b" ") for line in wide + narrow), (wide, narrow)
    for columns in (20, 30, 40):  # a column ends where the terminal does
        narrow = on_terminal(["log", "--ledger", ledger], columns, NO_COLOR="1").decode().splitlines()
        assert max(map(len, narrow)) <= columns, (columns, narrow)


@case
def steered_on_a_terminal(scratch):
    """on a terminal, too, the only escapes are writ's own colours"""
    for name in NAMES:
        path = os.fsencode(scratch) + b"/" + name
        text = on_terminal(["check", path])
        assert not STEERS.search(COLOUR.sub(b"", text)), text
        assert b"\x1b[31m" not in text, text


@case
def documents_on_a_terminal(scratch):
    """a document that is printed as it is steers nothing on a terminal; in a pipe it is as it was"""
    evil = "\x9b31m \u202eback \x7f"
    (scratch / "a.json").write_text(json.dumps({"a": evil}, ensure_ascii=False))
    (scratch / "api.json").write_text(json.dumps({
        "openapi": "3.0.0", "info": {"title": "pets", "version": "1.0.0"}, "servers": [{"url": "https://pets.example"}],
        "paths": {"/pets": {"get": {"operationId": "list", "summary": evil, "responses": {}}}}}))
    shown = {("canon", "a.json"): b"\\xe2\\x80\\xaeback", ("canon", "--json", "a.json"): b"\\xe2\\x80\\xaeback",
             ("query", "$", "a.json"): b"\\xe2\\x80\\xaeback",
             ("adapters", "import", "openapi", "api.json"): b"\\u202Eback"}  # in the file, too
    for args, word in shown.items():
        text = COLOUR.sub(b"", on_terminal([*args], 200, cwd=scratch))
        assert word in text and not STEERS.search(text), text
    piped = writ("canon", "a.json", cwd=scratch)
    insist(piped.out == (scratch / "a.json").read_bytes().replace(b" ", b"", 1), piped)


@case
def answers_on_a_terminal(scratch):
    """what a tool says is shown on a terminal, and steers nothing; in a pipe it is as it was"""
    (scratch / ".writ/adapters").mkdir(parents=True)
    frame = {"name": "n", "adapter_id": "ADP-n", "tool_id": "TL-n", "version": "1.0.0", "type": "cli",
             "metadata": {"author": "x", "created": "2026-01-16", "updated": "2026-01-16", "status": "active"}}
    (scratch / ".writ/adapters/n.yaml").write_text(json.dumps(frame | {"interface": {"cli": {
        "executable": "printf", "base_args": ["a\\tb\\033]0;owned\\007\\nc\\n"], "arg_mapping": {}}},
        "operations": {"run": {}}}))
    (scratch / ".writ/tools.yaml").write_text(json.dumps({"tools": [{
        "tool_id": "TL-n", "name": "n", "owner": "me", "status": "active",
        "scope": {"commands": ["printf"], "operations": ["*"]}}]}))
    where = {"cwd": scratch, "WRIT_STATE": str(scratch / "state")}
    shown = on_terminal(["call", "n.run"], **where)
    assert shown == b"a\tb\\x1b]0;owned\\x07\nc\n", shown
    piped = subprocess.run([WRIT, "call", "n.run"], env=tap.ENV | {"WRIT_STATE": str(scratch / "state")}, cwd=scratch,
                           capture_output=True, check=True)
    assert piped.stdout == b"a\tb\x1b]0;owned\x07\nc\n", piped


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
