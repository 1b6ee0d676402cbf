#!/usr/bin/env python3
"""hostile: gives writ what nobody should, and expects a clear word and a known exit status.

usage: hostile.py WRIT      prints TAP

No input may crash it or take it past the ceilings of memory and time in tap.py.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

import tap
from tap import SECONDS, WRIT, insist, writ

CASES = []
case = tap.collector(CASES)


def refused(place, *says):
    """Every verb that reads refuses the file: check on stdout, the others on stderr."""
    for verb in ("check", "canon", "digest"):
        answer = writ(verb, place)
        told, silent = (answer.out, answer.err) if verb == "check" else (answer.err, answer.out)
        insist(answer.status == 65 and silent == b"", answer)
        insist(all(text.encode() in told for text in says), answer)
    json.loads(writ("check", "--json", place).out)


# ---- documents that are too much ----

FIVE = "1, 1, 1, 1, 1"
LINES = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10))

DOCUMENTS = [  # what it is, the file's name, its text (a large one is made when needed), what is said
    ("nothing at all", "a.yaml", b"", "empty"),
    ("nothing at all", "a.json", b"", "the text ends"),
    ("only blanks", "a.yaml", b" \n\n  \n", "empty"),
    ("only a remark", "a.yaml", b"# nothing\n", "empty"),
    ("random bytes", "a", bytes(range(255, 0, -1)) * 20, "is not UTF-8 [ENCODING]"),
    ("an executable", "a", b"\x7fELF\x02\x01\x01\0\0\0\xb7\0", "[ENCODING]"),
    ("zero bytes", "a.yaml", bytes(1000), "a.yaml:1:1:"),
    ("zero bytes", "a.json", bytes(1000), "a.json:1:1:"),
    ("invalid UTF-8", "a.json", b'{"a": "\xff"}', "a.json:1:8:", "byte 0xff is not UTF-8"),
    ("invalid UTF-8", "a.yaml", b"b: 1\na: \xc3\x28\n", "a.yaml:2:4:", "byte 0xc3 is not UTF-8"),
    ("overlong UTF-8", "a.json", b'["\xc0\xaf"]', "byte 0xc0 is not UTF-8"),
    ("a surrogate in UTF-8", "a.yaml", b"a: \xed\xa0\x80\n", "byte 0xed is not UTF-8"),
    ("UTF-16", "a.json", "{}".encode("utf-16"), "byte 0xff is not UTF-8"),
    ("100,000 lists", "a.json", b"[" * 100000 + b"]" * 100000, "document_depth is above 128"),
    ("100,000 maps", "a.json", b'{"a":' * 100000 + b"1" + b"}" * 100000, "document_depth is"),
    ("100,000 open lists", "a.json", b"[" * 100000, "document_depth is above 128"),
    ("100,000 lists", "a.yaml", b"[" * 100000 + b"]" * 100000, "[CEILING]"),
    ("100,000 maps", "a.yaml", b"{a: " * 100000 + b"1" + b"}" * 100000, "[CEILING]"),
    ("100,000 dashes", "a.yaml", b"- " * 100000, "document_depth is above 128"),
    ("900 indented maps", "a.yaml", b"".join(b" " * i + b"a:\n" for i in range(900)), "document_depth"),
    ("a text of 60 MB", "a.json", lambda: b'"' + b"a" * 60_000_000 + b'"', "text_bytes is above 16777216"),
    ("a text of 60 MB", "a.yaml", lambda: b"a: " + b"a" * 60_000_000, "yaml_bytes is above 4194304"),
    ("a key of 60 MB", "a.json", lambda: b'{"' + b"a" * 60_000_000 + b'": 1}', "text_bytes is above"),
    ("a number of 1 MB", "a.json", b"1" * 1_000_000, "number_bytes is above 400"),
    ("two million values", "a.json", lambda: b"[0" + b",0" * 2_000_000 + b"]", "document_values is above"),
    ("aliases of aliases", "a.yaml", f"a0: &a0 [{FIVE}]\n{LINES}".encode(), "document_values is"),
    ("an alias inside itself", "a.yaml", b"a: &a [*a]\n", "stands inside what it repeats"),
    ("1000 anchors", "a.yaml", b"".join(b"- &a%d 1\n" % i for i in range(1000)), "yaml_anchors"),
    ("a key given twice", "a.json", b'{"a": 1, "b": {"c": 1, "c": 2}}', "/b:", "'c' is given twice"),
    ("a key given twice", "a.yaml", b"a: 1\n'a': 2\n", "a.yaml:2:1:", "'a' is given twice"),
    ("a key given twice of 100,000", "a.json",
     b"{" + b"".join(b'"%d":1,' % i for i in range(100_000)) + b'"77":1}', "'77' is given twice"),
    ("a megabyte of blanks", "a.yaml", b"a:" + b" " * 1_000_000 + b"b: 1", "a.yaml:1:1000004:"),
    ("a directive without end", "a.yaml", b"%" + b"a" * 1_000_000, "after a directive the document begins with ---"),
    ("a megabyte of brackets", "a.yaml", b"[" * 1_000_000, "document_depth is above 128"),
]


def document_case(what, name, text, *says):
    def hand_over(scratch):
        (scratch / name).write_bytes(text() if callable(text) else text)
        refused(scratch / name, *says)

    hand_over.__doc__ = f"{what}, {name}"
    CASES.append(hand_over)


for row in DOCUMENTS:
    document_case(*row)


@case
def large_alias(scratch):
    """a large text and 300,000 aliases of it: no canonical form is cut short"""
    (scratch / "a.yaml").write_bytes(b'a: &a "' + b"x" * 2_000_000 + b'"\nb: [' + b"*a," * 300_000 + b"]\n")
    for verb in ("canon", "digest"):
        answer = writ(verb, scratch / "a.yaml")
        insist(answer.status == 65 and not answer.out and b"[CEILING]" in answer.err, answer)


def identity(i):
    return f"{i:08x}-0000-4000-8000-000000000000"


def items(n, make):
    """A JSON list of n items, as text: objects in their millions would make this process large."""
    return "[" + ",".join(map(make, range(n))) + "]"


def step(i, needs="[]"):
    return ('{"id": "%s", "action": "x", "payload": {}, "on_failure": "halt", "depends_on": %s}'
            % (identity(i), needs))


def plan(steps, more=""):
    return ('{"id": "%s", "version": 1, "created_at": 1, "name": "wide", "context_requirements": ["x"],'
            '"steps": %s%s}' % (identity(1 << 30), steps, more))


def names(n, first=0):
    return items(n, lambda i: f'"{identity(first + i)}"')


def tool(i):
    return '{"tool_id": "T-%d", "name": "n", "owner": "o", "scope": {}, "status": "active"}' % i


def long_route(n):
    """A route contract with n items in each of its lists."""
    route = json.loads((tap.FILES / "route.json").read_text())
    for key, item in [("command_classes", "class_id"), ("timeout_profiles", "class_id"),
                      ("route_policies", "policy_id"), ("failure_taxonomy", "code")]:
        route[key] = [route[key][0] | {item: f"x{i:06}"} for i in range(n)]
    return json.dumps(route)


def long_event(n):
    event = json.loads((tap.FILES / "event.json").read_text())
    event["lineage"]["dependsOnLedgerIds"] = ["?"]
    return json.dumps(event).replace('["?"]', names(n))


WIDE = [  # what it is, how it is made
    ("a plan of 100,000 steps in a chain",
     lambda: plan(items(100_000, lambda i: step(i, names(1, i - 1) if i else "[]")))),
    ("a plan of 100,000 steps that need what is not there",
     lambda: plan(items(100_000, lambda i: step(i, names(1, i + 200_000))))),
    ("a plan of 100,000 steps of one name", lambda: plan(items(100_000, lambda i: step(1)))),
    ("a plan of 1000 steps, each after all before it",
     lambda: plan(items(1000, lambda i: step(i, names(i))))),
    ("a step that needs one step 500,000 times",
     lambda: plan(f"[{step(0)}, {step(1, items(500_000, lambda i: names(1)[1:-1]))}]")),
    ("a registry of 100,000 tools", lambda: '{"tools": %s}' % items(100_000, tool)),
    ("a registry of 100,000 tools of one name",
     lambda: '{"tools": %s}' % items(100_000, lambda i: tool(1))),
    ("a route contract of 20,000 classes", lambda: long_route(20_000)),
    ("an event that rests on 500,000 others", lambda: long_event(500_000)),
    ("40,000 maps on one line of YAML",
     lambda: "steps: " + items(40_000, lambda i: "{name: s%d, run: [a]}" % i)),
    ("a plan of 500,000 unknown fields",
     lambda: plan("[]", "," + items(500_000, lambda i: f'"k{i}": 1')[1:-1])),
]


def wide_case(what, make):
    def hand_over(scratch):
        text = make()
        file = scratch / ("wide.json" if text.startswith("{") else "wide.yaml")
        file.write_text(text)
        answer = writ("check", file)
        insist(answer.status in (0, 65) and answer.out.count(b"\n") < 210, answer)

    hand_over.__doc__ = f"{what} (in less than {SECONDS} s)"
    CASES.append(hand_over)


for row in WIDE:
    wide_case(*row)


# ---- files that are no documents ----

@case
def huge_sparse(scratch):
    """a file of 1 GB"""
    with open(scratch / "huge.json", "wb") as file:
        file.truncate(1 << 30)
    refused(scratch / "huge.json", "1073741824 bytes, at most 67108864 are read [CEILING]")


@case
def huge_text(scratch):
    """a text of 200 MB"""
    with open(scratch / "huge.yaml", "wb") as file:
        file.write(b"a: ")
        for _ in range(200):
            file.write(b"a" * 1_000_000)
    refused(scratch / "huge.yaml", "[CEILING]")


@case
def huge_pipe(_):
    """1 GB of zeros through a pipe"""
    with subprocess.Popen(["head", "-c", "1G", "/dev/zero"], stdout=subprocess.PIPE) as zeros:
        answer = writ("check", "-", stdin=zeros.stdout)
    insist(answer.status == 65 and b"more than 67108864 bytes" in answer.out, answer)


@case
def dev_zero(_):
    """/dev/zero ends at the ceiling"""
    refused("/dev/zero", "more than 67108864 bytes")


@case
def dev_zero_stdin(_):
    """/dev/zero on standard input ends at the ceiling"""
    with open("/dev/zero", "rb") as zeros:
        answer = writ("check", "-", stdin=zeros)
    insist(answer.status == 65 and b"more than 67108864 bytes" in answer.out, answer)


@case
def just_below(scratch):
    """a document just below the ceiling of bytes is read"""
    texts = ["x" * 15_000_000] * 4
    (scratch / "large.json").write_text(json.dumps(texts))
    answer = writ("digest", scratch / "large.json")
    insist(answer.status == 0, answer)


@case
def other_things(scratch):
    """a directory, a missing file, a file as a directory, a loop of links, a name too long"""
    os.symlink("loop", scratch / "loop")
    (scratch / "file").write_text("a: 1\n")
    refused(scratch, "is a directory")
    refused(scratch / "missing", "No such file or directory [IO]")
    refused(scratch / "no" / "such" / "file", "No such file or directory [IO]")
    refused(scratch / "file" / "more", "Not a directory [IO]")
    refused(scratch / "loop", "Too many levels of symbolic links")
    refused("x" * 300, "File name too long")
    refused("/" + "x/" * 3000 + "y", "[IO]")


@case
def unreadable(scratch):
    """a file and a directory that may not be read"""
    program, secret = scratch / "writ", scratch / "secret"
    shutil.copy(WRIT, program)
    secret.mkdir()
    (secret / "plan.yaml").write_text("a: 1\n")
    os.chmod(secret / "plan.yaml", 0)
    os.chmod(scratch, 0o755)
    other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    answer = tap.run([program, "check", secret / "plan.yaml"], **other)
    insist(answer.status == 65 and b"Permission denied [IO]" in answer.out, answer)
    os.chmod(secret, 0)
    answer = tap.run([program, "canon", secret / "plan.yaml"], **other)
    insist(answer.status == 65 and b"Permission denied [IO]" in answer.err, answer)
    os.chmod(secret, 0o700)


@case
def fifo(scratch):
    """a FIFO is read like a file"""
    os.mkfifo(scratch / "pipe")
    writer = threading.Thread(target=(scratch / "pipe").write_bytes,
                              args=[(tap.FILES / "plan.yaml").read_bytes()])
    writer.start()
    answer = writ("check", scratch / "pipe")
    writer.join()
    insist(answer.status == 0, answer)


@case
def vanishing(scratch):
    """a file that vanishes after it was opened is read; one that vanished before is told of"""
    shutil.copy(tap.FILES / "plan.yaml", scratch / "plan.yaml")
    with open(scratch / "plan.yaml", "rb") as file:
        os.unlink(scratch / "plan.yaml")
        answer = writ("check", f"/proc/{os.getpid()}/fd/{file.fileno()}", scratch / "plan.yaml",
                      tap.FILES / "plan.yaml")
    insist(answer.status == 65 and answer.out.count(b"ok  ") == 2, answer)
    insist(b"No such file or directory" in answer.out, answer)


@case
def growing(scratch):
    """a file that never stops growing ends at the ceiling"""
    (scratch / "log").write_bytes(b"")
    shell = f"yes >{scratch}/log & yes=$!; {WRIT} check - <{scratch}/log; s=$?; kill $yes; exit $s"
    answer = tap.run(f"ulimit -f 400000; {shell}", seconds=SECONDS)
    insist(answer.status == 65 and answer.peak_mb < tap.MEMORY_MB, answer)


# ---- the world around: command lines, descriptors, pipes, limits, environment ----

@case
def long_names(_):
    """names as long as a command line takes: a word of them is told, and what is wrong with them"""
    long = "é" * 50_000
    for args, why in ((["check", long], "cannot be opened"), ([long], "is not a verb of writ"),
                      (["explain", long], "writ explain lists what there is"), (["canon", long], "cannot be opened"),
                      (["check", "--as", long, "x"], "is not a kind of document"), (["check", "--" + long], "no option"),
                      (["run", "x", "--set", long], "is not that"), (["log", "--limit", long], "is none"),
                      (["call", long], "there is no adapter"), (["call", long + ".y"], "there is no adapter")):
        answer = writ(*args)
        told = (answer.out + answer.err).decode()
        insist(answer.status in (64, 65) and "éé" in told and why in told and len(told) < 1500, answer)
    answer = tap.run([WRIT, "cancel", "x" * 100_000], env={"WRIT_STATE": "/nowhere"})
    insist(answer.status == 1 and b"there is no lane 'xxx" in answer.err and len(answer.err) < 200, answer)


@case
def long_commands(scratch):
    """a command, its variables and an executor whose names are long"""
    (scratch / "work").mkdir()
    (scratch / "state/executors").mkdir(parents=True)
    where = {"cwd": scratch / "work", "env": {"WRIT_STATE": str(scratch / "state")}}
    many = [word for i in range(12) for word in ("--env", f"A{i}=" + "x" * 100_000)]
    for args, status in ((["x" * 100_000], 126), (["/bin/true", "é" * 50_000], 0), ([*many, "/bin/true"], 0)):
        answer = tap.run([WRIT, "exec", *args], **where)
        insist(answer.status in (status, 125), answer)  # 125: this machine has no sandbox
    answer = tap.run([WRIT, "apply", "x" * 256], **where)
    insist(answer.status == 64 and b"there is no executor" in answer.err, answer)


@case
def empty_names(scratch):
    """a name that is empty, as of a variable that is not set, is none"""
    answer = tap.run([WRIT, "init", ""], cwd=scratch)
    insist(answer.status == 64 and b"is empty" in answer.err and not list(scratch.iterdir()), answer)
    answer = tap.run([WRIT, "exec", "--ledger", "", "--", "true"], cwd=scratch)
    insist(answer.status == 64 and b"is empty" in answer.err, answer)
    answer = tap.run([WRIT, "call", "grep."], cwd=scratch)
    insist(answer.status == 64 and b"'grep.'" in answer.err, answer)


@case
def many_files(_):
    """1000 files on one command line; 5000 are too many"""
    plan_yaml = str(tap.FILES / "plan.yaml")
    answer = writ("check", *[plan_yaml] * 1000)
    insist(answer.status == 0 and answer.out.count(b"ok  ") == 1000, answer)
    answer = writ("digest", *[plan_yaml] * 1000)
    insist(answer.status == 0 and len(set(answer.out.splitlines())) == 1, answer)
    answer = writ("check", *[plan_yaml] * 5000)
    insist(answer.status == 64 and b"4096" in answer.err, answer)


@case
def closed_descriptors(_):
    """standard input, output and error closed, one by one and together"""
    good, wrong = tap.FILES / "plan.yaml", tap.FILES / "plan-bad.yaml"
    for redirections, verb, file, status in [
            (">&-", "check", good, 74), (">&-", "digest", good, 74), (">&-", "canon", good, 74),
            ("2>&-", "check", good, 0), ("2>&-", "check", wrong, 65), ("2>&-", "canon", "/no", 65),
            ("<&-", "check", good, 0), ("<&-", "check", "-", 65), ("<&- >&- 2>&-", "check", good, 74),
            (">&- 2>&-", "chek", good, 64), (">/dev/full", "canon", good, 74),
            (">/dev/full", "check", good, 74), ("2>/dev/full", "canon", "/no", 65),
            (">/dev/full", "check --json", wrong, 74), (">/dev/full", "check", wrong, 74)]:
        answer = tap.run(f"{WRIT} {verb} {file} {redirections}")
        insist(answer.status == status, answer)
        if "out" in answer.err.decode() or redirections in (">&-", ">/dev/full"):
            insist(b"cannot write to standard output: " in answer.err, answer)


@case
def closed_descriptors_of_a_ledger(scratch):
    """no file that is opened takes the place of a closed descriptor: nothing goes into a record"""
    lane, printer = "exec --class generic --worker local -- sh", "sh -c 'echo said; echo told >&2'"
    for redirections, typed, status, says in [
            ("<&-", "ledger append -", 65, b"Bad file descriptor"), ("<&-", "ledger input -", 65, b"Bad file descriptor"),
            ("<&-", "exec --stdin - -- cat", 65, b"Bad file descriptor"), ("<&-", f"exec -- {printer}", 0, b"told"),
            (">&-", f"exec -- {printer}", 74, b"Bad file descriptor"), ("2>&-", f"exec -- {printer}", 74, b""),
            (">&-", f"{lane} -c 'echo told >&2'", 0, b"told"), ("2>&-", f"{lane} -c 'echo said'", 0, b""),
            ("<&- >&- 2>&-", "exec --stdin - -- cat", 65, b""), (">&-", "checkpoint", 74, b"standard output"),
            (">&-", "ledger input in.json", 74, b"standard output"), ("<&-", "worker --stdio", 69, b"nobody to serve"),
            (">&-", "worker --stdio", 69, b"nobody to serve")]:
        (scratch / "in.json").write_text("{}")
        answer = tap.run(f"{WRIT} {typed} {redirections}", env={"WRIT_STATE": str(scratch / "state")}, cwd=scratch)
        insist(answer.status == status and says in answer.err, answer)
        for transcript in scratch.glob("state/lanes/*/transcript.jsonl"):
            for line in transcript.read_text().splitlines():
                json.loads(line)


@case
def broken_pipe(_):
    """a reader that goes away ends it quietly"""
    wide = f"{WRIT} check --json {' '.join([str(tap.FILES / 'plan-bad.yaml')] * 500)}"
    for line in (f"{WRIT} explain | head -1", f"{wide} | head -1", f"{WRIT} explain codes | true"):
        answer = tap.run(line)
        insist(answer.status == 0 and answer.err == b"", answer)


@case
def bare_environment(_):
    """no environment at all, and odd ones"""
    plan_yaml = tap.FILES / "plan.yaml"
    first = tap.run(["env", "-i", WRIT, "check", plan_yaml])
    insist(first.status == 0, first)
    for env in ({"LC_ALL": "de_DE.UTF-8"}, {"LC_ALL": "tr_TR"}, {"LC_ALL": "nonsense"}, {"TERM": ""},
                {"TERM": "\x1b"}, {"HOME": ""}, {"TZ": ":/dev/zero"}, {"NO_COLOR": ""},
                {"COLUMNS": "-1"}, {"MALLOC_PERTURB_": "165"}):
        answer = tap.run([WRIT, "check", plan_yaml], env=env)
        insist(answer == first._replace(peak_mb=answer.peak_mb), answer)


@case
def locale_and_numbers(_):
    """a locale that writes 1,5 changes no number"""
    for locale in ("C", "de_DE.UTF-8", "fr_FR.UTF-8"):
        answer = tap.run(f"echo '[1.5, 1e21]' | {WRIT} canon -", env={"LC_ALL": locale})
        insist(answer.out == b"[1.5,1e+21]", answer)


@case
def little_memory(_):
    """every good document is read within 256 MB of address space"""
    good = [path for path in sorted(tap.FILES.iterdir()) if writ("check", path).status == 0]
    answer = writ("check", *good, memory_mb=256)
    insist(answer.status == 0 and len(good) >= 15, answer)
    insist(writ("explain", "--json", memory_mb=256).status == 0, answer)


@case
def few_descriptors(_):
    """files are closed again: 1000 of them with 8 descriptors"""
    answer = tap.run(f"ulimit -n 8; {WRIT} check {' '.join([str(tap.FILES / 'plan.yaml')] * 1000)}")
    insist(answer.status == 0, answer)


@case
def killed(scratch):
    """a signal ends it at once, with nothing half written"""
    os.mkfifo(scratch / "pipe")
    for sign in (signal.SIGINT, signal.SIGTERM):
        child = subprocess.Popen([WRIT, "check", scratch / "pipe"], stdout=subprocess.PIPE)
        child.send_signal(sign)
        out, _ = child.communicate(timeout=SECONDS)
        assert child.returncode == -sign and out == b"", (child.returncode, out)


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
