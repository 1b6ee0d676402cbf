#!/usr/bin/env python3
"""golden: calls are recorded, made again and compared; what differs is told.

usage: golden.py RUN_PLAN WRIT      prints TAP
"""
import base64
import hashlib
import json
import os
import signal
import subprocess
import sys

import toolshed
from toolshed import hold, plans, same, script

CASES = []
case = toolshed.collector(CASES)

PARSED = {"transforms": {"input": [], "output": [{"type": "parse", "spec": "json"}]}}
ARGS = "import sys,json; print(json.dumps({'words': sys.argv[1:], 'n': 1}))"


def golden(place, *words, status=0):
    """The lines of `writ golden --json ..`, which ends as it should."""
    run = place.writ("golden", *words, "--json")
    hold(run.status == status, run)
    return [json.loads(line) for line in run.out.splitlines()]


def kept(place, name="ADP-args.run.first"):
    return json.loads((place.repo / ".writ/golden" / f"{name}.json").read_text())


@case
def R_001_157_R_001_148_a_call_is_recorded_with_what_it_was_made_with(place):
    place.stock(script("args", ARGS, **PARSED))
    [line] = golden(place, "record", "first", "args.run", "word=a")
    hold(line["recorded"] and line["same"] and line["error"] is None, line)
    same((line["name"], line["adapter_id"], line["operation"]), ("first", "ADP-args", "run"))
    file = kept(place)
    digest = file.pop("adapter_digest")
    hold(digest.startswith("sha256:"), digest)
    same(file, {"adapter": "ADP-args", "adapter_version": "1.0.0", "directory": "work", "name": "first",
                "operation": "run",
                "output": {"words": ["a"], "n": 1}, "params": {"word": "a"}})


@case
def R_001_157_golden_outputs_are_a_level_of_the_cache_that_is_listed_and_never_cleared(place):
    place.stock(script("args", ARGS, **PARSED))
    golden(place, "record", "first", "args.run", "word=a")
    path = place.repo / ".writ/golden/ADP-args.run.first.json"
    for words in ((), ("--level", "golden-outputs")):
        run = place.writ("cache", "list", "--json", *words)
        [item] = [one for one in json.loads(run.out)["items"] if one["level"] == "golden outputs"]
        same((item["file"], item["bytes"], item["ends"], item["ended"]),
             (str(path), path.stat().st_size, None, False))
        same(item["key"], "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest())
    run = place.writ("cache", "list", "--json", "--level", "tool-metadata")
    hold("golden" not in run.out.decode(), run)
    run = place.writ("cache", "clear")
    hold(run.status == 0 and path.exists(), run)
    run = place.writ("cache", "clear", "--level", "golden-outputs")
    hold(run.status == 64 and path.exists(), run)
    path.write_text("torn")  # it is listed all the same: who lists does not judge
    run = place.writ("cache", "list")
    hold(run.status == 0 and b"never ends" in run.out and b"ADP-args.run.first.json" in run.out, run)


@case
def a_golden_output_that_cannot_be_read_does_not_hide_the_others(place):
    place.stock(script("args", ARGS, **PARSED))
    golden(place, "record", "first", "args.run", "word=a")
    bad = place.repo / ".writ/golden/a.b.bad.json"
    bad.symlink_to("nowhere")
    run = place.writ("cache", "list")
    hold(run.status == 69 and b"ADP-args.run.first.json" in run.out, run)
    hold(run.err.decode() == f"writ: {bad}: is a link, expected a file\n", run)
    run = place.writ("cache", "list", "--json")
    told = json.loads(run.out)
    hold(run.status == 69 and [one["file"] for one in told["unread"]] == [str(bad)], run)
    hold(told["code"] == "IO" and told["message"] == told["unread"][0]["message"], run)
    hold("golden outputs" in [one["level"] for one in told["items"]], run)


@case
def what_another_adapter_says_in_its_place_is_no_golden_output(place):
    back = {"errors": {"fallback": {"adapter_id": "ADP-other", "condition": "failed"}}}
    other, told = script("other", ARGS, **PARSED), "ADP-args failed and ADP-other was fallen back to; "
    place.stock(script("args", ARGS, **PARSED, **back), other)
    golden(place, "record", "first", "args.run", "word=a")
    place.stock(script("args", "import sys; sys.exit(3)", **PARSED, **back), other)
    for words, then in ((("check",), "check it"), (("diff",), "check it"),
                        (("record", "second", "args.run", "word=a"), "record that one")):
        [line] = golden(place, *words, status=1)
        same((line["same"], line["recorded"], line["error"]["code"]), (False, False, "GOLDEN_DIFFERS"))
        hold(line["error"]["message"].startswith(told + then), line)


@case
def what_could_not_be_done_has_code_and_message_at_the_top(place):
    place.stock(script("args", ARGS, **PARSED))
    [line] = golden(place, "record", "first", "nosuch.run", status=64)
    same((line["code"], line["message"]), (line["error"]["code"], line["error"]["message"]))
    same(line["code"], "ADAPTER_UNKNOWN")
    [line] = golden(place, "record", "first", "args.run", "word=a")
    hold("code" not in line and "message" not in line, line)
    place.stock(script("args", ARGS.replace("'n': 1", "'n': 2"), **PARSED))
    [line] = golden(place, "check", status=1)
    same((line["code"], line["message"]), (line["error"]["code"], line["error"]["message"]))
    same(line["code"], "GOLDEN_DIFFERS")


@case
def a_registry_that_is_wrong_is_told_by_what_is_wrong_and_not_by_a_warning_before_it(place):
    place.stock(script("args", ARGS, **PARSED))
    place.put(".writ/tools.yaml", "tools: [{tool_id: TL-1, name: all, owner: me, status: active, "
                                  "scope: {commands: [sh], bogus: 1}}]\n")
    [line] = golden(place, "record", "first", "args.run", "word=a", status=65)
    hold(": a tool's scope has no field 'bogus'; it has commands, " in line["message"], line)


@case
def a_layer_that_is_not_there_can_be_gone_without(place):
    place.stock(script("args", ARGS, **PARSED))
    golden(place, "record", "first", "args.run", "word=a", "--allow-weak", "cgroup")
    for verb in ("check", "diff"):
        golden(place, verb, "--allow-weak", "cgroup")
        [line] = golden(place, verb, "--allow-weak", "nosuch", status=1)
        hold("'nosuch' is no layer" in line["message"], line)


@case
def where_there_is_no_directory_no_golden_output_is_told_as_right(place):
    place.stock(script("args", ARGS, **PARSED))
    run = plans.tap.run(f"mkdir gone && cd gone && rmdir ../gone && exec {plans.tap.WRIT} golden check --json",
                        cwd=place.work, memory_mb=1 << 30)  # a sanitizer reserves what it never uses
    hold(run.status == 69 and json.loads(run.out)["code"] == "IO", run)


@case
def R_001_157_it_is_checked_by_calling_again(place):
    place.stock(script("args", ARGS, **PARSED))
    golden(place, "record", "first", "args.run", "word=a")
    before = len(place.log())
    [line] = golden(place, "check")
    hold(line["same"] and line["diff"] is None, line)
    [line] = golden(place, "diff", "first")
    hold(line["same"] and line["diff"] is None, line)
    hold(len(place.log()) >= before + 6, "each check is two runs on record")


@case
def R_001_157_what_differs_is_told_and_only_force_takes_it_over(place):
    place.stock(script("args", ARGS, **PARSED))
    golden(place, "record", "first", "args.run", "word=a")
    old = kept(place)
    place.stock(script("args", ARGS.replace("1})", "2})"), version="1.1.0", **PARSED))
    [line] = golden(place, "check", status=1)
    same((line["same"], line["diff"], line["error"]["code"]), (False, None, "GOLDEN_DIFFERS"))
    hold("1.0.0" in line["error"]["message"] and "1.1.0" in line["error"]["message"], line)
    [line] = golden(place, "diff", status=1)
    same(line["diff"], "- /n: 1\n+ /n: 2\n")
    [line] = golden(place, "record", "first", "args.run", "word=a", status=1)
    hold("--force" in line["error"]["message"], line)
    same(kept(place), old)
    golden(place, "record", "first", "args.run", "word=a", "--force")
    same(kept(place)["output"]["n"], 2)
    golden(place, "check")


@case
def R_001_148_a_changed_adapter_is_told_where_the_output_is_the_same(place):
    place.stock(script("args", ARGS, **PARSED))
    golden(place, "record", "first", "args.run", "word=a")
    [line] = golden(place, "check")
    same((line["same"], line["adapter_changed"]), (True, None))
    place.stock(script("args", ARGS + "\n# another text", **PARSED))
    [line] = golden(place, "check")
    same((line["same"], line["error"]), (True, None))
    hold("was changed since it was recorded, and is version 1.0.0 as before" in line["adapter_changed"], line)
    place.stock(script("args", ARGS, version="1.1.0", **PARSED))
    [line] = golden(place, "check")
    hold(line["same"] and "version 1.0.0 of the adapter, which is 1.1.0 now" in line["adapter_changed"], line)
    told = place.writ("golden", "check")
    hold(told.status == 0 and b"the same, but it was recorded with version 1.0.0" in told.out, told)
    golden(place, "record", "first", "args.run", "word=a", "--force")
    same(golden(place, "check")[0]["adapter_changed"], None)


@case
def R_001_157_what_may_differ_is_not_compared_and_stays_listed(place):
    place.stock(script("args", "import os,json; print(json.dumps({'pid': os.urandom(9).hex(), 'n': 1}))", **PARSED))
    golden(place, "record", "first", "args.run", "word=a")
    golden(place, "check", status=1)
    path = place.repo / ".writ/golden/ADP-args.run.first.json"
    path.write_text(json.dumps(kept(place) | {"volatile": ["/pid"]}))
    golden(place, "check")
    golden(place, "record", "first", "args.run", "word=a", "--force")
    same(kept(place)["volatile"], ["/pid"])
    golden(place, "check")


@case
def R_001_157_text_and_bytes_are_compared_as_they_are(place):
    place.stock(script("args", "import sys; sys.stdout.write('one\\ntwo\\n')"))
    golden(place, "record", "first", "args.run", "word=a")
    same(kept(place)["lines"], ["one", "two", ""])
    place.stock(script("args", "import sys; sys.stdout.write('one\\nthree\\n')"))
    [line] = golden(place, "diff", status=1)
    same(line["diff"], "@@ -1,2 +1,2 @@\n one\n-two\n+three\n")
    place.stock(script("args", "import sys; sys.stdout.buffer.write(b'\\xff\\x00')"))
    golden(place, "record", "bytes", "args.run", "word=a")
    same(base64.b64decode(kept(place, "ADP-args.run.bytes")["base64"]), b"\xff\0")
    golden(place, "check", "bytes")


@case
def a_call_that_fails_is_not_recorded_and_does_not_pass(place):
    place.stock(script("args", "import sys; sys.exit(len(sys.argv[1]) - 1)"))
    [line] = golden(place, "record", "first", "args.run", "word=abc", status=2)
    hold(not line["recorded"] and line["error"], line)
    hold(not (place.repo / ".writ/golden").exists(), line)
    golden(place, "record", "first", "args.run", "word=a")
    place.stock(script("args", "import sys; sys.exit(3)"))
    [line] = golden(place, "check", status=1)
    hold(not line["same"] and line["error"]["code"] != "GOLDEN_DIFFERS", line)


@case
def output_that_was_cut_is_not_recorded_and_other_warnings_are_told(place):
    place.stock(script("args", "import sys; sys.stdout.write('x' * int(sys.argv[1]))"))
    for words in ((), ("--force",)):
        [line] = golden(place, "record", "first", "args.run", "word=1048577", *words, status=1)
        same((line["recorded"], line["error"]["code"], line["warnings"]), (False, "CEILING", []))
        hold("it printed 1048577 bytes, of which the first 1048576 are kept" in line["error"]["message"], line)
    hold(not (place.repo / ".writ/golden").exists(), line)
    place.registry(toolshed.tool("args") | {"status": "deprecated"})
    [line] = golden(place, "record", "first", "args.run", "word=1048576")
    hold(line["recorded"] and "deprecated" in line["warnings"][0], line)
    run = place.writ("golden", "check")
    hold(run.status == 0 and b"first: the tool TL-args is deprecated" in run.err, run)


@case
def names_that_are_wrong_or_not_there_are_said_so(place):
    place.stock(script("args", ARGS, **PARSED))
    for words, told in ((("record", "No", "args.run", "word=a"), "a-z"), (("check", "frist"), "first"),
                        (("record", "x", "arg.run", "word=a"), "arg")):
        golden(place, "record", "first", "args.run", "word=a", "--force")
        run = place.writ("golden", *words)
        hold(run.status == 64 and told.encode() in run.out + run.err, run)


@case
def R_001_157_it_is_called_where_it_was_recorded_whichever_directory_that_is_asked_in(place):
    place.stock(script("args", "import os; print(os.path.basename(os.getcwd()), open('f').read())"))
    place.put("f", "top")
    place.put("sub/f", "below")
    for name, at in (("top", place.repo), ("below", place.repo / "sub")):
        run = place.writ("golden", "record", name, "args.run", "word=a", at=at)
        hold(run.status == 0, run)
    hold("directory" not in kept(place, "ADP-args.run.top"), "the top is where there is none")
    same(kept(place, "ADP-args.run.below")["directory"], "sub")
    for at in (place.repo, place.repo / "sub", place.work):
        for verb in ("check", "diff"):
            run = place.writ("golden", verb, at=at)
            hold(run.status == 0 and b"2 of 2 as recorded" in run.out, run)
    path = place.repo / ".writ/golden/ADP-args.run.below.json"
    file = json.loads(path.read_text())
    place.put("sub/f", "other")
    run = place.writ("golden", "check")
    hold(run.status == 1 and b"writ golden diff" in run.err, run)
    (place.repo / "out").symlink_to("/etc")
    for directory, status, told in (("gone", 1, b"is not there"), ("../x", 1, b"no directory below"),
                                    ("/etc", 1, b"no directory below"), ("out", 1, b"leads out of")):
        path.write_text(json.dumps(file | {"directory": directory}))
        run = place.writ("golden", "check", "below")
        hold(run.status == status and told in run.out + run.err, run)
        hold(b"writ golden diff" not in run.err, run)


@case
def one_that_is_torn_is_told_and_keeps_no_other_from_being_checked(place):
    place.stock(script("args", ARGS, **PARSED))
    golden(place, "record", "first", "args.run", "word=a")
    golden(place, "record", "last", "args.run", "word=a")
    golden_dir = place.repo / ".writ/golden"
    place.put(".writ/golden/ADP-args.run.torn.json", "torn")
    (golden_dir / "ADP-args.run.link.json").symlink_to("/etc/passwd")
    [line] = golden(place, "check", "first")
    hold(line["same"], line)
    for verb in ("check", "diff"):
        lines = golden(place, verb, status=1)
        same([(line["name"], line["same"]) for line in lines],
             [("first", True), ("last", True), ("link", False), ("torn", False)])
        same([line["error"]["code"] for line in lines[2:]], ["IO", "SYNTAX"])
        same([line["adapter_id"] for line in lines[2:]], [None, None])
        hold("run.link.json: is a link, expected a file" in lines[2]["message"], lines)
        hold("run.torn.json:1:1: " in lines[3]["message"] and lines[3]["file"].endswith("run.torn.json"), lines)
    run = place.writ("golden", "check")
    hold(run.status == 1 and b"2 of 4 as recorded" in run.out and b"run.torn.json:1:1" in run.out, run)
    hold(b"root:" not in run.out + run.err, run)
    [line] = golden(place, "check", "torn", status=1)
    hold(line["name"] == "torn", line)
    run = place.writ("golden", "check", "frist")
    hold(run.status == 64 and b"did you mean first?" in run.err, run)


@case
def nothing_is_recorded_where_a_link_leads_to(place):
    place.stock(script("args", ARGS, **PARSED))
    (place.work / "away").mkdir()
    (place.repo / ".writ/golden").symlink_to(place.work / "away")
    [line] = golden(place, "record", "first", "args.run", "word=a", status=1)
    hold("a link is on the way to it" in line["message"], line)
    same(list((place.work / "away").iterdir()), [])
    run = place.writ("golden", "check")
    hold(run.status == 65 and b"a link is on the way to it" in run.err, run)


@case
def a_person_reads_a_line_each(place):
    place.stock(script("args", ARGS, **PARSED))
    run = place.writ("golden", "check")
    hold(run.status == 0 and b"no golden outputs here" in run.out, run)
    place.writ("golden", "record", "first", "args.run", "word=a")
    place.writ("golden", "record", "second", "args.run", "word=b")
    run = place.writ("golden", "check")
    hold(run.status == 0 and run.out.decode().splitlines() == [
        "  ✓ first                ADP-args.run", "  ✓ second               ADP-args.run", "2 of 2 as recorded"], run)
    place.stock(script("args", ARGS.replace("1})", "2})"), **PARSED))
    run = place.writ("golden", "diff", "first")
    hold(run.status == 1 and run.out.decode().splitlines() == [
        "  ✗ first                ADP-args.run  it differs; the adapter was changed since it was recorded, "
        "and is version 1.0.0 as before [GOLDEN_DIFFERS]", "    - /n: 1", "    + /n: 2",
        "0 of 1 as recorded"], run)


# ---- documents that do not come ----

@case
def who_waits_for_a_document_is_stopped_by_a_signal(place):
    place.stock(script("args", ARGS, **PARSED))
    fifo = str(place.work / "fifo")
    os.mkfifo(fifo)
    for words in (("call", "args.run", "--params", fifo), ("exec", "-f", fifo),
                  ("golden", "record", "first", "args.run", "--params", fifo)):
        child = subprocess.Popen([plans.tap.WRIT, *words], cwd=place.work, env=place.environment({}))
        try:
            with open(fifo, "wb"):  # opened when it reads
                child.send_signal(signal.SIGINT)
                same(child.wait(60), -signal.SIGINT)
        finally:
            child.kill()
            child.wait()


@case
def a_document_that_somebody_names_may_be_a_pipe(place):
    place.stock(script("args", ARGS, **PARSED))
    fifo = str(place.work / "fifo")
    os.mkfifo(fifo)
    with subprocess.Popen([plans.tap.WRIT, "call", "args.run", "--params", fifo], cwd=place.work,
                          env=place.environment({}), stdout=subprocess.PIPE) as child:
        with open(fifo, "w") as to:
            to.write('{"word": "a"}')
        same(json.loads(child.stdout.read()), {"words": ["a"], "n": 1})


@case
def files_of_a_project_are_ordinary_ones(place):
    place.stock(script("args", ARGS, **PARSED))
    (place.repo / ".writ/golden").mkdir()
    for name, words in (("tools.yaml", ("call", "args.run", "word=a")), ("config.yaml", ("call", "args.run", "word=a")),
                        ("golden/ADP-args.run.first.json", ("golden", "check"))):
        path = place.repo / ".writ" / name
        before = path.read_text() if path.exists() else None
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        run = place.writ(*words)
        hold(run.status != 0 and b"is no ordinary file" in run.out + run.err, run)
        path.unlink()
        if before:
            path.write_text(before)


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
