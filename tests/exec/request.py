#!/usr/bin/env python3
"""request: a run by a document, from its reading to its record.

usage: request.py WRIT      prints TAP
"""
import json
import os
import pwd
import sys
import uuid

import ground
from ground import PYTHON, REAL_PYTHON, TOUCH, expect, hold, printed, refused

CASES = []
case = ground.collector(CASES)

DOCUMENT = """\
execution_id: 0b6a1c54-2f0d-4b8e-9d53-7c1e5a9f4e20
tool_id: TL-1
adapter_id: ADP-1
inputs:
  command: %(python)s
  arguments:
    - -c
    - |
      import os, sys
      print(os.getcwd() == %(work)r, sys.argv[1:], os.environ["NAME"], sys.stdin.read(), open("in").read())
      print("to stderr", file=sys.stderr)
      open("made", "w").write("made")
    - two words
  environment: {NAME: value}
  working_directory: %(work)s
  input_files: [in]
  stdin: given
sandbox:
  timeout_ms: 20000
  memory_mb: 128
  cpu_cores: 2
  filesystem:
    level: standard
    read: [%(repo)s]
    deny: [%(repo)s/shut]
  network: {enabled: false}
  processes: {max_children: 3, allow_fork: true}
outputs:
  stdout: captured
  stderr: {expected: "to stderr\\n"}
  exit_code: 0
  output_files: [made]
  artifacts: ["ma*"]
metadata:
  requested_by: tester
  requested_at: "2026-01-16T10:20:00Z"
  purpose: to see all of it
  evidence_ref: https://example.com/evidence/7
"""


def whole(place):
    """The document above, in a place that has what it speaks of."""
    place.put("work/in", "input")
    place.registry({"tool_id": "TL-1", "scope": {"commands": [REAL_PYTHON]}})
    return place.put("request.yaml", DOCUMENT % {"python": PYTHON, "work": str(place.work),
                                                 "repo": str(place.repo)})


# ---- right ones ----

@case
def R_001_001_R_001_002_R_001_005_R_001_006_R_001_007_R_001_008_R_001_010_the_whole_of_a_document_is_done(place):
    run = place.record_of("-f", whole(place), at=place.repo)
    expect(run, execution_id="0b6a1c54-2f0d-4b8e-9d53-7c1e5a9f4e20", exit_code=0, state="succeeded",
           stdout__text="True ['two words'] value given input\n",
           expected={"exit_code": True, "stderr": True},
           limits={"timeout_ms": 20000, "memory_mb": 128, "cpu_cores": 2, "max_children": 3,
                   "allow_fork": True, "filesystem": "standard", "network": "offline"})
    expect(run, **{"checks__IV-01": "allowed: TL-1"})
    hold([entry["state"] for entry in run.record["output_files"] + run.record["artifacts"]]
         == ["collected", "collected"], run)
    hold((place.work / "made").read_text() == "made", run)


@case
def R_001_001_a_document_may_come_by_standard_input_and_as_json(place):
    path = whole(place)
    run = place.record_of("-f", "-", stdin=path.read_bytes())
    expect(run, exit_code=0, execution_id="0b6a1c54-2f0d-4b8e-9d53-7c1e5a9f4e20")
    printed(place.ask_python("print('json')"), "json\n")


@case
def R_001_001_R_001_002_R_001_149_every_run_has_a_contract_its_digest_and_an_id_used_once(place):
    run = place.exec("/usr/bin/true")
    hold(run.record["request"]["digest"].startswith("sha256:"), run)
    path = place.request(PYTHON, "-c", "pass")
    place.registry({"tool_id": "TL-1", "scope": {"commands": [REAL_PYTHON]}})
    known = json.loads(b'"' + place.writ("digest", path).out.strip() + b'"')
    first, again = place.record_of("-f", path), place.record_of("-f", path)
    expect(first, exit_code=0)
    hold(first.record["request"]["digest"] == known, first)
    hold(again.status == 77 and again.record["code"] == "EXECUTION_USED", again)
    path = place.request(PYTHON, "-c", "pass # other")
    hold(place.record_of("-f", path).record["request"]["digest"] != known, first)


def asked(run):
    return run.record["request"]["inputs_digest"]


@case
def R_001_149_the_same_command_under_the_same_limits_has_one_digest(place):
    first, again = (place.exec("/usr/bin/true", "a", options=["--env", "A=1"]) for _ in range(2))
    hold(asked(first) == asked(again), first)
    for other in (place.exec("/usr/bin/true", "b", options=["--env", "A=1"]),
                  place.exec("/usr/bin/true", "a", options=["--env", "A=2"]),
                  place.exec("/usr/bin/true", "a", options=["--env", "A=1", "--memory-mb", "64"])):
        hold(asked(other) != asked(first), other)


@case
def R_001_030_the_record_says_who_asked_and_where_the_evidence_is(place):
    said = {"requested_by": "somebody", "requested_at": "2026-01-16T10:20:00Z", "purpose": "to see",
            "evidence_ref": "EV-7"}
    run = place.exec("true")
    hold("registry" not in run.record["request"], run)
    run = place.ask("/usr/bin/touch", "x", metadata=said)
    expect(run, exit_code=0)
    by = run.record["request"]["requested_by"]
    hold(by["claimed"] == said.pop("requested_by") and by["uid"] == os.getuid(), run)
    hold(said.items() <= run.record["request"].items(), run)
    hold(run.record["request"]["tool_id"] == "TL-1", run)
    hold(run.record["request"]["registry"] == str(place.repo / ".writ/tools.yaml"), run)
    (place.work / ".git").mkdir()
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"]}}, at="work")
    run = place.record_of("-f", place.request("/usr/bin/touch", "x"))
    hold(run.record["request"]["registry"] == str(place.work / ".writ/tools.yaml"), run)


@case
def R_001_027_who_asked_is_what_the_kernel_says_and_a_claim_stands_beside_it(place):
    # These cases are run by root, and by a user who is in no user database.
    name = {row.pw_uid: row.pw_name for row in reversed(pwd.getpwall())}.get(os.getuid())
    login = int(open("/proc/self/loginuid").read()) if os.path.exists("/proc/self/loginuid") else 2**32 - 1
    truth = {"uid": os.getuid(), "login_uid": None if login == 2**32 - 1 else login} | ({"name": name} if name else {})
    for liar in ("somebody-else", "nobody", ""):
        run = place.exec("true", env={"USER": liar, "LOGNAME": liar})
        by = run.record["request"]["requested_by"]
        hold(by == truth | {"claimed": liar or name or "unknown"}, by)
    ids = [entry["body"]["payload"] for entry in map(json.loads, place.writ("log", "--json", "--limit", "0",
           "--kind", "execution_event").out.splitlines())]
    hold(ids and all({**payload["requestedBy"], "claimed": ""} == truth | {"claimed": ""} for payload in ids), ids)
    hold({payload["requestedBy"]["claimed"] for payload in ids} == {"somebody-else", "nobody", name or "unknown"}, ids)
    shown = place.writ("show", run.record["execution_id"])
    hold(b"asked by" in shown.out and f"uid {os.getuid()}".encode() in shown.out, shown)
    told = place.writ("export", "--format", "in-toto")
    hold(b'"requestedBy":{"claimed"' in told.out, told)


@case
def R_001_163_evidence_has_its_place_before_anything_runs(place):
    run = place.exec(*TOUCH, options=["--output-file", "ran"], env={"WRIT_STATE": "/proc/nope"})
    hold(run.status == 74 and not (place.work / "ran").exists(), run)


@case
def R_001_001_what_a_request_says_is_not_said_beside_it(place):
    path = place.request("/usr/bin/true")
    for option in ("--memory-mb=64", "--fs=minimal", "--approve=x", "--env=A=1"):
        run = place.writ("exec", "-f", path, option)
        hold(run.status == 64 and b"a request says that itself" in run.err, run)


@case
def R_001_002_a_run_without_a_document_has_an_id_of_its_own(place):
    runs = [place.exec("/usr/bin/true") for _ in range(3)]
    ids = {run.record["execution_id"] for run in runs}
    hold(len(ids) == 3 and all(uuid.UUID(each).version == 4 for each in ids), runs[0])


@case
def R_001_001_R_001_168_a_document_passes_on_output_and_exit_code_too(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": [REAL_PYTHON]}})
    path = place.request(PYTHON, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")
    run = place.writ("exec", "-f", path)
    hold((run.status, run.out, run.err) == (7, b"out\n", b"err\n"), run)


@case
def R_001_055_A01_16_a_command_is_listed_by_any_name_people_write_for_its_file(place):
    script = "print('ran')"
    for entry in ("python3", PYTHON, REAL_PYTHON):
        place.registry({"tool_id": "TL-1", "scope": {"commands": [entry]}})
        for command in ("python3", PYTHON, "/bin/python3", REAL_PYTHON):
            run = place.ask(command, "-c", script)
            expect(run, exit_code=0, stdout__text="ran\n", **{"checks__IV-01": "allowed: TL-1"})
        expect(place.exec(PYTHON, "-c", script), exit_code=0, **{"checks__IV-01": "allowed: TL-1"})


@case
def R_001_055_A01_16_a_name_means_no_file_that_somebody_put_here(place):
    # Neither another file of that name, nor a link of that name by a path from here, nor another name.
    place.put("work/bin/python3", "#!/bin/sh\ntouch ran\n", mode=0o755)
    (place.work / "python3").symlink_to(PYTHON)
    (place.outside / "python3").symlink_to(place.work / "bin/python3")
    (place.outside / "touch").symlink_to("/usr/bin/touch")
    (place.outside / "reach").symlink_to("/usr/bin/touch")
    for entry in ("python3", PYTHON):
        place.registry({"tool_id": "TL-1", "scope": {"commands": [entry]}})
        for command in ("bin/python3", "./bin/python3", str(place.work / "bin/python3"), str(place.outside / "python3")):
            refused(place, place.ask(command), 77, "COMMAND_NOT_ALLOWED", "TL-1")
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["python3"]}})
    refused(place, place.ask("./python3", "-c", "open('ran', 'w')"), 77, "COMMAND_NOT_ALLOWED", "./python3")
    for entry, command, allowed in (("reach", "touch", False), ("touch", "touch", True), ("touch", "/usr/bin/touch", True),
                                    ("reach", "/usr/bin/touch", False)):
        place.registry({"tool_id": "TL-1", "scope": {"commands": [str(place.outside / entry)]}})
        run = place.ask(command, "made")
        if allowed:
            expect(run, exit_code=0)
        else:
            refused(place, run, 77, "COMMAND_NOT_ALLOWED", "TL-1")
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["bin/python3"]}})
    refused(place, place.ask("python3", "-c", "open('ran', 'w')"), 77, "COMMAND_NOT_ALLOWED", "TL-1")


@case
def R_001_049_R_001_054_R_001_162_levels_stay_within_the_scope_of_the_tool(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"], "filesystem": "minimal"}})
    run = place.ask(*TOUCH)
    refused(place, run, 77, "APPROVAL_MISSING", "filesystem level 'standard'", "TL-1", "'minimal'")
    run = place.ask(*TOUCH, sandbox={"filesystem": {"level": "minimal"}})
    expect(run, exit_code=1, limits__filesystem="minimal")


# ---- wrong ones ----

@case
def R_001_001_a_wrong_document_is_told_by_line_and_column_and_does_not_run(place):
    path = whole(place)
    rows = [  # what is changed, into what, where the problem is, what is said
        ("timeout_ms: 20000", "timeout_ms: 20", "19:15: /sandbox/timeout_ms", "allowed 1000..600000"),
        ("memory_mb: 128", "memory_mb: many", "20:14: /sandbox/memory_mb", "whole number"),
        ("  command:", "  comand:", "5:3: /inputs", "comand"),
        ("tool_id: TL-1\n", "", "1:1:", "tool_id"),
        ("level: standard", "level: some", "23:12: /sandbox/filesystem/level", "minimal"),
        ("enabled: false", "enabled: false, allow: [a.b]", "26:36: /sandbox/network/allow", "allow"),
        ('requested_at: "2026-01-16T10:20:00Z"', "requested_at: today", "36:17: /metadata/requested_at", "today"),
        ("exit_code: 0", "exit_code: 256", "31:14: /outputs/exit_code", "0..255"),
    ]
    for old, new, where, says in rows:
        text = path.read_text()
        hold(text.count(old) == 1, place.writ("--version"))
        wrong = place.put("wrong.yaml", text.replace(old, new))
        run = place.writ("exec", "-f", wrong)
        hold(run.status == 65 and f"{wrong}:{where}" in run.err.decode() + run.out.decode(), run)
        hold(says in run.err.decode() + run.out.decode() and not (place.work / "made").exists(), run)


@case
def R_001_001_a_document_that_is_none_does_not_run(place):
    for name, text, status in (("a.yaml", "", 65), ("a.yaml", "a: [", 65), ("a.json", "{}", 65),
                               ("a.json", "[1]", 65), ("a.yaml", b"\xff", 65)):
        run = place.writ("exec", "-f", place.put(name, text))
        hold(run.status == status and name in run.err.decode() + run.out.decode(), run)
    run = place.writ("exec", "-f", place.repo / "none.yaml")
    hold(run.status in (65, 74) and b"none.yaml" in run.err + run.out, run)


@case
def a_document_of_another_kind_is_told_as_that(place):
    for text, says in (("name: n\nsteps:\n- {name: a, run: [x]}\n", "the kind template, which `writ run` runs; a request has inputs"),
                       ("tools: []\n", "the kind registry; a request has inputs")):
        run = place.writ("exec", "-f", place.put("other.yaml", text))
        hold(run.status == 65 and says in run.err.decode() and len(run.err.splitlines()) == 1, run)


@case
def R_001_001_a_document_and_a_command_do_not_go_together(place):
    run = place.writ("exec", "-f", whole(place), "--", *TOUCH)
    hold(run.status == 64 and b"not both" in run.err and not (place.work / "ran").exists(), run)
    run = place.writ("exec")
    hold(run.status == 64 and b"needs a command" in run.err, run)


# ---- the same again (stable) ----

ENVIRONMENT = {
    "HOME": "/home/writ", "HOSTNAME": "writ", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "LOGNAME": "writ",
    "PATH": "/usr/bin:/bin", "PERL_HASH_SEED": "0", "PYTHONHASHSEED": "0", "SHELL": "/bin/sh",
    "SOURCE_DATE_EPOCH": "315532800", "TZ": "UTC", "USER": "writ",
}


@case
def R_001_149_R_001_150_R_001_153_the_environment_is_the_same_everywhere_and_in_order(place):
    show = "import sys; sys.stdout.write(open('/proc/self/environ').read())"
    wanted = ENVIRONMENT | {"PWD": str(place.work)}
    for options, env, more in (((), {}, {}),
                               (["--deterministic=stable", "--env=ZED=1", "--env=A=2", "--env=TZ=CET"],
                                {"TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8", "USER": "other", "SHELL": "/bin/zsh",
                                 "PYTHONHASHSEED": "7"}, {"ZED": "1", "A": "2", "TZ": "CET"})):
        run = place.python(show, options=options, env=env)
        expect(run, exit_code=0,
               stdout__text="".join(f"{k}={v}\0" for k, v in sorted((wanted | more).items())))


@case
def R_001_149_the_machine_around_it_is_the_same_everywhere(place):
    show = ("import os, socket, time\n"
            "mask = os.umask(0)\n"
            "print(socket.gethostname(), oct(mask), time.tzname[0], sorted(map(int, os.listdir('/proc/self/fd')))[:3],\n"
            "      len(os.listdir('/proc/self/fd')), os.path.expanduser('~'))")
    for mask in (0o077, 0o777):
        with open("/dev/null") as more:  # a descriptor that the caller has open
            os.set_inheritable(more.fileno(), True)
            run = place.python(show, pass_fds=(more.fileno(),), umask=mask)
        printed(run, "writ 0o22 UTC [0, 1, 2] 4 /home/writ\n")  # the fourth is the listing itself


@case
def R_001_149_R_001_150_the_same_program_prints_the_same_bytes(place):
    show = ("print({str(i) for i in range(200)}, hash('a'), sorted(__import__('os').environ))\n"
            "print(__import__('locale').strxfrm('b') < __import__('locale').strxfrm('a'), '\u00e4')")
    first, again = place.python(show), place.python(show, env={"PYTHONHASHSEED": "3", "LC_ALL": "C", "TZ": "CET"})
    expect(first, exit_code=0)
    expect(again, stdout__digest=first.record["stdout"]["digest"])


@case
def R_001_148_the_exact_program_is_recorded(place):
    program = place.put("work/tool", f"#!{PYTHON}\nprint(1)\n", 0o755)
    run = place.exec("./tool")
    printed(run, "1\n")
    expect(run, executable={"path": str(program), "digest": ground.digest(program.read_bytes())})
    program.write_text(f"#!{PYTHON}\nprint(1) # changed\n")
    expect(place.exec("./tool"), executable__digest=ground.digest(program.read_bytes()))


@case
def R_001_148_a_program_that_changes_itself_is_not_recorded_as_something_else(place):
    for change in ("cat other > $0", "printf x | dd of=$0 conv=notrunc 2>/dev/null", "cat other >> $0"):
        place.put("work/other", "#!/bin/sh\n")
        program = place.put("work/tool", f"#!/bin/sh\n{change}; exit\n", 0o755)
        os.truncate(program, 64 << 20)  # long enough to be read for longer than the shell needs to begin
        before = ground.digest(program.read_bytes())
        run = place.exec("./tool")
        expect(run, exit_code=0)
        hold(ground.digest(program.read_bytes()) != before, run)
        hold(run.record["executable"] in ({"path": str(program), "digest": None, "changed": True},
                                          {"path": str(program), "digest": before}), run)
        place.put("work/tool", f"#!/bin/sh\n{change}; exit\n", 0o755)
        program.unlink()


@case
def R_001_151_files_are_kept_in_the_order_of_their_names(place):
    names = ["b", "B", "a", "10", "9", "\u00e4", "z"]
    run = place.python("import sys\nfor n in sys.argv[1:]: open('d-' + n, 'w')", *names,
                       options=["--artifact=d-*"])
    hold([entry["path"][2:] for entry in run.record["artifacts"]] == sorted(names, key=str.encode), run)


@case
def R_001_152_no_call_leaves_the_machine(place):
    run = place.python("import socket\n"
                       "try: socket.getaddrinfo('example.com', 80); print('resolved')\n"
                       "except OSError: print('nothing')")
    printed(run, "nothing\n")


@case
def R_001_153_another_way_to_be_the_same_is_refused(place):
    run = place.writ("exec", "--deterministic=frozen", "--", *TOUCH)
    hold(run.status == 64 and b"stable" in run.err and not (place.work / "ran").exists(), run)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
