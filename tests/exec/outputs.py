#!/usr/bin/env python3
"""outputs: what a command prints and leaves behind, how much of it is kept, and what was expected.

usage: outputs.py WRIT      prints TAP
"""
import base64
import json
import shutil
import sys

import ground
from ground import digest, expect, hold

CASES = []
case = ground.collector(CASES)

MOST = {"stdout": 1 << 20, "stderr": 1 << 18}
FILES_MOST = 10 << 20

# Prints so many bytes there, in which no two places look alike.
PRINT = ("import sys; stream, n = sys.argv[1], int(sys.argv[2])\n"
         "text = b''.join(b'%08d' % i for i in range(n // 8 + 1))[:n]\n"
         "getattr(sys, stream).buffer.write(text)")


def text_of(n):
    return b"".join(b"%08d" % i for i in range(n // 8 + 1))[:n]


# ---- streams ----

def stream_holds(place, name):
    for n in (0, 1, MOST[name], MOST[name] + 1, MOST[name] * 4 + 3):
        kept, whole = text_of(min(n, MOST[name])), text_of(n)
        run = place.python(PRINT, name, n)
        expect(run, exit_code=0, cause="exited",
               **{name: {"text": kept.decode(), "bytes": n, "truncated": n > MOST[name],
                         "digest": digest(whole)}})
        hold(run.status == 0, run)


@case
def its_streams_can_be_opened_by_their_names(place):
    script = ("echo out > /dev/stdout; echo err > /dev/stderr; echo both | tee -a /dev/stderr; "
              "cat /dev/stdin; echo $?")
    run = place.exec("/bin/sh", "-c", script)
    expect(run, exit_code=0, stdout__text="out\nboth\n0\n", stderr__text="err\nboth\n")
    run = place.exec("/bin/sh", "-c", script, options=["--stdin", "-"], stdin=b"text\n")
    expect(run, exit_code=0, stdout__text="out\nboth\ntext\n0\n", stderr__text="err\nboth\n")
    run = place.python("import os, stat; print(stat.S_ISCHR(os.fstat(0).st_mode), open('/dev/stdin').read(), "
                       "file=open('/dev/stderr', 'w'))")
    expect(run, exit_code=0, stdout__text="", stderr__text="True \n")


@case
def R_001_069_R_001_166_the_first_mebibyte_of_stdout_is_kept_and_all_of_it_counted(place):
    stream_holds(place, "stdout")


@case
def R_001_070_R_001_166_the_first_quarter_of_a_mebibyte_of_stderr_is_kept_and_all_of_it_counted(place):
    stream_holds(place, "stderr")


@case
def R_001_069_R_001_070_R_001_166_the_streams_are_kept_apart(place):
    run = place.python("import os\n"
                       "for i in range(3000): os.write(1, b'out\\n'); os.write(2, b'err\\n')\n")
    expect(run, stdout__text="out\n" * 3000, stderr__text="err\n" * 3000)


@case
def R_001_069_R_001_166_what_is_no_text_is_kept_as_it_is(place):
    data = bytes(range(256)) * 3
    run = place.python("import os; os.write(1, bytes(range(256)) * 3)")
    expect(run, stdout={"base64": base64.b64encode(data).decode(), "bytes": len(data), "truncated": False,
                        "digest": digest(data)})


@case
def R_001_069_who_prints_without_end_is_not_stopped_for_it(place):
    run = place.exec("/usr/bin/head", "-c", 64 << 20, "/dev/zero")
    expect(run, exit_code=0, cause="exited", stdout__bytes=64 << 20, stdout__truncated=True)


@case
def R_001_069_R_001_070_R_001_166_a_person_sees_all_of_it(place):
    n = MOST["stdout"] + 12345
    run = place.writ("exec", "--", ground.PYTHON, "-c", PRINT, "stdout", n)
    hold(run.status == 0 and run.out == text_of(n) and run.err == b"", run)
    run = place.writ("exec", "--", ground.PYTHON, "-c", PRINT, "stderr", n)
    hold(run.status == 0 and run.err == text_of(n) and run.out == b"", run)


@case
def R_001_166_what_was_printed_before_the_end_is_kept(place):
    for end, options in (("os.kill(os.getpid(), 9)", []), ("time.sleep(50)", ["--timeout-ms=1000"]),
                         ("bytearray(200 << 20)", ["--memory-mb=64"])):
        run = place.python(f"import os, time; os.write(1, b'before'); os.write(2, b'too'); {end}",
                           options=options)
        expect(run, stdout__text="before", stderr__text="too")
        hold(run.record["exit_code"] != 0, run)


# ---- what was expected ----

SAYS = "import sys; sys.stdout.write('out'); sys.stderr.write('err'); sys.exit(3)"


def met(place, outputs, answers, state, code=None):
    """3 where that is the code that was expected and all else came so, or any other would be no success."""
    code = code or (3 if all(answers.values()) or not answers.get("exit_code") else 76)
    run = place.ask_python(SAYS, outputs=outputs)
    expect(run, exit_code=code, expected=answers, state=state, stdout__text="out", stderr__text="err",
           cause="unmet" if code == 76 else "exited", own_exit_code=3 if code == 76 else None)
    hold(run.status == code, run)


@case
def R_001_022_stdout_is_captured_or_compared(place):
    met(place, {"stdout": "captured", "exit_code": 3}, {"exit_code": True}, "succeeded")
    for right in ("out", {"expected": "out"}):
        met(place, {"stdout": right, "exit_code": 3}, {"exit_code": True, "stdout": True}, "succeeded")
    for wrong in ("out\n", "ou", "err", "", {"expected": "captured"}):
        met(place, {"stdout": wrong, "exit_code": 3}, {"exit_code": True, "stdout": False}, "failed")


@case
def R_001_023_stderr_is_captured_or_compared(place):
    met(place, {"stderr": "captured", "exit_code": 3}, {"exit_code": True}, "succeeded")
    for right in ("err", {"expected": "err"}):
        met(place, {"stderr": right, "exit_code": 3}, {"exit_code": True, "stderr": True}, "succeeded")
    for wrong in ("err\n", "out", "", {"expected": "captured"}):
        met(place, {"stderr": wrong, "exit_code": 3}, {"exit_code": True, "stderr": False}, "failed")


@case
def R_001_022_what_lies_beyond_the_kept_part_is_compared_too(place):
    n = MOST["stdout"] + 8
    for text, same in ((text_of(n), True), (text_of(n)[:-1] + b"x", False)):
        run = place.ask_python(PRINT, "stdout", str(n), outputs={"stdout": text.decode()})
        expect(run, exit_code=0 if same else 76, expected={"stdout": same}, state="succeeded" if same else "failed")
        hold(run.status == run.record["exit_code"], run)


@case
def R_001_024_the_exit_code_is_compared(place):
    met(place, {"exit_code": 3}, {"exit_code": True}, "succeeded")
    met(place, {"exit_code": 0}, {"exit_code": False}, "failed")
    met(place, {}, {}, "failed")
    run = place.ask_python("pass", outputs={"exit_code": 0})
    expect(run, exit_code=0, expected={"exit_code": True}, state="succeeded", outcome_class="success")
    run = place.ask_python("pass", outputs={"exit_code": 3})
    expect(run, exit_code=76, own_exit_code=0, cause="unmet", meaning="an expectation was not met",
           expected={"exit_code": False}, state="failed", outcome_class="failed")
    hold(run.status == 76 and place.writ("exec", "-f", place.request(
        ground.PYTHON, "-c", "pass", outputs={"exit_code": 3})).status == 76, run)


@case
def R_001_022_R_001_024_a_lane_that_is_not_what_was_expected_fails(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": [ground.REAL_PYTHON], "filesystem": "extended"}})
    run = place.ask_python("print('no')", outputs={"stdout": "yes\n"}, route={"class": "generic"})
    expect(run, exit_code=76, own_exit_code=0, state="failed", lane__exit_code=76)
    hold(run.status == 76 and "stdout is not what was expected" in place.writ("log", "--json").out.decode(), run)


# ---- files ----

def stored(place, data):
    """The file that keeps this content as evidence."""
    name = digest(data)[7:]
    return place.state / "evidence/sha256" / name[:2] / name[2:]


def collected(path, data):
    return {"path": path, "bytes": len(data), "digest": digest(data), "state": "collected"}


@case
def R_001_025_R_001_072_R_001_169_R_001_170_R_001_171_output_files_are_kept_by_digest(place):
    write = "import os; os.makedirs('d'); open('d/a', 'wb').write(bytes(range(256))); open('b', 'w')"
    data = bytes(range(256))
    for run in (place.python(write, options=["--output-file=d/a", "--output-file=b"]),
                place.ask_python(write.replace("('d')", "('d', exist_ok=True)"),
                                 outputs={"output_files": ["d/a", "b"]})):
        expect(run, exit_code=0, output_files=[collected("d/a", data), collected("b", b"")],
               files_truncated=False)
        hold(stored(place, data).read_bytes() == data and stored(place, b"").read_bytes() == b"", run)
    (place.work / "d/a").unlink()
    hold(stored(place, data).read_bytes() == data, run)


@case
def R_001_026_names_that_are_no_text_are_exact(place):
    names = [b"r/a\xfe", b"r/a\xff", b"r/b"]
    write = "import os; os.mkdir('r')\nfor n in (b'r/a\\xff', b'r/a\\xfe', b'r/b'): open(n, 'wb').write(n)"
    for options in ([], ["--write-mode", "cow"]):
        run = place.python(write, options=["--artifact=r/*", *options])
        found = run.record["artifacts"]
        hold([base64.b64decode(f["path_base64"]) for f in found[:2]] == names[:2] and "path_base64" not in found[2], run)
        hold([f["digest"] for f in found] == [digest(name) for name in names], run)
        hold([f["path"] for f in found] == ["r/a\ufffd", "r/a\ufffd", "r/b"], run)
        shutil.rmtree(place.work / "r", ignore_errors=True)


@case
def R_001_026_R_001_073_R_001_169_R_001_170_R_001_171_artifacts_are_kept_by_digest(place):
    names = ["r/10", "r/9", "r/B", "r/a", "r/d/e", "r/\u00e4"]
    write = ("import os, sys; os.makedirs('r/d')\n"
             "for n in sys.argv[:0:-1]: open(n, 'w').write(n)")
    found = [collected(name, name.encode()) for name in sorted(names, key=str.encode)]
    run = place.python(write, *names, options=["--artifact=r/**"])
    expect(run, exit_code=0, artifacts=found, output_files=[])
    hold(all(stored(place, name.encode()).read_text() == name for name in names), run)
    flat = [entry for entry in found if entry["path"].count("/") == 1]
    for patterns, wanted in ((["r/*"], flat), (["r/?", "r/*"], None), ([{"path": "r/d/*"}], [found[4]])):
        run = place.ask_python("pass", outputs={"artifacts": patterns})
        got = run.record["artifacts"]
        hold(got == wanted if wanted else sorted(e["path"] for e in got) == sorted(e["path"] for e in flat)
             and len(got) == len(flat), run)


@case
def R_001_025_R_001_026_R_001_169_what_cannot_be_kept_has_a_state(place):
    place.put("work/outer", "text")
    run = place.python("import os\n"
                       "os.symlink('outer', 'link'); os.symlink('/etc', 'way'); os.mkfifo('fifo'); os.mkdir('dir')\n"
                       "os.symlink('../../outside', 'out'); os.link('outer', 'twin')",
                       options=[f"--output-file={name}" for name in
                                ("none", "link", "way/passwd", "fifo", "dir", "out/secret", "twin")])
    expect(run, exit_code=73, own_exit_code=0, cause="undelivered", state="failed", outcome_class="failed")
    states = {entry["path"]: entry["state"] for entry in run.record["output_files"]}
    hold(states == {"none": "missing", "link": "symlink_refused", "way/passwd": "symlink_refused",
                    "fifo": "not_regular", "dir": "not_regular", "out/secret": "symlink_refused",
                    "twin": "linked"}, run)
    hold(not any("digest" in entry for entry in run.record["output_files"]), run)
    hold(not stored(place, b"a secret\n").exists() and not stored(place, b"text").exists(), run)
    run = place.exec("/usr/bin/true", options=["--artifact=no*", "--artifact=li*", "--artifact=../outside/*"])
    states = [(entry["path"], entry["state"]) for entry in run.record["artifacts"]]
    hold(states[:2] == [("no*", "missing"), ("link", "symlink_refused")], run)
    hold(states[2][1] in ("missing", "outside") and not stored(place, b"a secret\n").exists(), run)


@case
def R_001_025_R_001_169_who_does_not_deliver_an_output_file_has_failed(place):
    place.put("work/large", bytes(FILES_MOST + 1))
    for name, state in (("none", "missing"), ("large", "too_large")):
        run = place.exec("/usr/bin/true", options=[f"--output-file={name}"])
        expect(run, exit_code=73, own_exit_code=0, cause="undelivered", state="failed",
               meaning="an output file was not delivered")
        hold(run.status == 73 and run.record["output_files"][0]["state"] == state, run)
        log = [json.loads(line) for line in place.writ("log", "--limit", "0", "--json").out.splitlines()]
        [error] = [e["body"]["payload"]["error"] for e in log if e["kind"] == "execution_event"
                   and e["subject"] == run.record["execution_id"] and e["body"]["state"] == "failed"]
        hold(f"'{name}' was not delivered: {state}" in error["message"], run)
    run = place.writ("exec", "--output-file=none", "--", "/usr/bin/true")
    hold(run.status == 73 and b"an output file was not delivered (exit 73" in run.err and b"none was not kept: missing" in run.err, run)
    run = place.exec("/usr/bin/false", options=["--output-file=none"])  # it says itself that it failed
    expect(run, exit_code=1, cause="exited", state="failed")
    run = place.exec("/usr/bin/true", options=["--artifact=none*"])
    expect(run, exit_code=0, state="succeeded")


@case
def R_001_016_R_001_026_what_is_denied_is_not_kept(place):
    ground.denied_is_not_kept(place)


def total_holds(place, option, member):
    """The full size is kept; of one byte more, what does not fit any longer is left out."""
    place.put("work/a", bytes(FILES_MOST - 3))
    place.put("work/b", "abc")
    place.put("work/c", "x")
    run = place.exec("/usr/bin/true", options=[f"{option}=a", f"{option}=b"])
    expect(run, files_truncated=False)
    hold([entry["state"] for entry in run.record[member]] == ["collected"] * 2, run)
    run = place.exec("/usr/bin/true", options=[f"{option}=a", f"{option}=b", f"{option}=c"])
    expect(run, exit_code=73 if member == "output_files" else 0, files_truncated=True)
    hold([(e["path"], e["state"], e["bytes"]) for e in run.record[member]] ==
         [("a", "collected", FILES_MOST - 3), ("b", "collected", 3), ("c", "too_large", 1)], run)
    hold(not stored(place, b"x").exists(), run)


@case
def R_001_072_output_files_together_have_ten_mebibytes(place):
    total_holds(place, "--output-file", "output_files")


@case
def R_001_073_artifacts_together_have_ten_mebibytes(place):
    total_holds(place, "--artifact", "artifacts")


@case
def R_001_072_R_001_073_files_and_artifacts_are_counted_apart(place):
    place.put("work/a", bytes(FILES_MOST))
    run = place.exec("/usr/bin/true", options=["--output-file=a", "--artifact=a"])
    expect(run, files_truncated=False)
    hold(run.record["output_files"] == run.record["artifacts"] == [collected("a", bytes(FILES_MOST))], run)


@case
def R_001_072_R_001_170_evidence_outlives_the_run_and_is_not_written_twice(place):
    place.put("work/a", "evidence")
    place.exec("/usr/bin/true", options=["--output-file=a"])
    first = stored(place, b"evidence").stat()
    run = place.exec("/usr/bin/true", options=["--output-file=a"])
    again = stored(place, b"evidence").stat()
    hold((first.st_ino, first.st_mtime_ns) == (again.st_ino, again.st_mtime_ns), run)
    hold(not any(path.name.startswith(".") or ".tmp" in path.name for path in place.state.rglob("*")), run)


@case
def R_001_170_evidence_is_where_the_caller_keeps_state(place):
    place.put("work/a", "evidence")
    name = digest(b"evidence")[7:]
    below = f"evidence/sha256/{name[:2]}/{name[2:]}"
    for env, root in (({"WRIT_STATE": None}, place.home / ".local/state/writ"),
                      ({"WRIT_STATE": None, "XDG_STATE_HOME": str(place.outside)}, place.outside / "writ"),
                      ({}, place.state)):
        run = place.exec("/usr/bin/true", options=["--output-file=a"], env=env)
        expect(run, exit_code=0)
        hold((root / below).read_text() == "evidence", run)


@case
def R_001_170_R_001_171_what_cannot_be_kept_is_no_success(place):
    place.put("work/a", "evidence")
    place.put("outside/file", "in the way")
    run = place.exec("/usr/bin/true", options=["--output-file=a"],
                     env={"WRIT_STATE": str(place.outside / "file")})
    hold(run.status == 74 and "exit_code" not in run.record and "message" in run.record, run)


# So many empty files, in directories that make the most of what a path may have.
DEEP = ("import os, sys\n"
        "letter, n = chr(int(sys.argv[1])), int(sys.argv[2])\n"
        "os.mkdir('out'); os.chdir('out')\n"
        "for _ in range(13): os.mkdir(letter * 250); os.chdir(letter * 250)\n"
        "for i in range(n): open(str(i) + letter * 240, 'w').close()")


def has_an_end(place, run):
    """The ledger has how it ended, and the list of files is as long as the record says."""
    expect(run, exit_code=0, state="succeeded")
    log = [json.loads(line) for line in place.writ("log", "--limit", "0", "--json").out.splitlines()]
    hold([e["body"]["state"] for e in log if e["kind"] == "execution_event"][-1:] == ["succeeded"], run)
    [kept] = [e["body"] for e in log if e["kind"] == "manifest"]
    hold(len(kept["artifacts"]) == len(run.record["artifacts"]), run)
    hold(place.writ("verify").status == 0, run)


def names_are_cut(place, letter, count):
    run = place.python(DEEP, letter, count, options=["--artifact=out/**"])
    has_an_end(place, run)
    hold(0 < len(run.record["artifacts"]) < count and run.record["files_truncated"], run)


@case
def R_001_171_long_names_of_files_do_not_keep_an_end_from_the_ledger(place):
    names_are_cut(place, ord("a"), 4800)


@case
def R_001_171_nor_do_names_that_take_more_as_JSON(place):
    names_are_cut(place, 1, 3300)


@case
def R_001_171_nor_do_names_of_what_was_written_beside_the_disk(place):
    run = place.python(DEEP, 1, 3300, options=["--write-mode", "cow"])
    has_an_end(place, run)
    changes = run.record["changes"]
    hold(0 < len(changes["list"]) < 3300 and "more changes" in changes["truncated"], run)


@case
def R_001_171_a_record_names_all_there_is_to_prove(place):
    place.put("work/a", "evidence")
    run = place.ask_python("print('out')", inputs={"input_files": ["a"], "stdin": "given"},
                           outputs={"output_files": ["a"]})
    executable = open(ground.REAL_PYTHON, "rb").read()
    expect(run, executable={"path": ground.REAL_PYTHON, "digest": digest(executable)},
           stdin={"bytes": 5, "digest": digest(b"given")},
           input_files=[{"path": "a", "bytes": 8, "digest": digest(b"evidence")}],
           output_files=[collected("a", b"evidence")], stdout__digest=digest(b"out\n"),
           stderr__digest=digest(b""), state="succeeded")
    hold(run.record["paths"] and run.record["layers"] and len(run.record["checks"]) == 5, run)


@case
def R_001_171_every_member_of_a_record_is_explained_and_no_other_is(place):
    place.put("work/a", "evidence")
    runs = [place.exec("/bin/true"), place.exec("/bin/true", options=("--class", "generic")),
            place.exec("/bin/true", options=("--write-mode", "cow", "--deterministic", "fixed")),
            place.python("import os; os.write(1, b'\\xff'); os.write(2, b'\\xff')"),
            place.exec("/bin/true", options=("--env", "LD_PRELOAD=x")),
            place.exec("/bin/true", options=("--output-file", "none")),
            place.exec("/bin/true", options=("--env", "A_TOKEN=recorded", "--env", "B=env:HOME")),
            place.ask_python("", inputs={"input_files": ["a"], "stdin": "given"},
                             metadata={"purpose": "why", "evidence_ref": "EV-1"})]
    always = {name for name, when in ground.record_fields().items() if when in ("", "all but a wrapper's")}
    has = [ground.fields_of(run.record) for run in runs]
    parents = {name for name in always
               if any(other.startswith(name + ".") for other in ground.record_fields())}
    assert always - parents <= has[0], sorted(always - parents - has[0])
    rare = {"executable.changed", "reason", "network.allowed_by_project[]", "network.inject[]",
            "network.incomplete", "network.missed", "not_held[]", "unkept", "code", "message", "peer", "hint",
            "limits.allow_protected[]"}
    rare |= {name for name in ground.record_fields() if name.endswith(".lost") or name.startswith("result")}
    missing = ground.record_fields().keys() - parents - set().union(*has) - rare
    assert not missing, sorted(missing)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
