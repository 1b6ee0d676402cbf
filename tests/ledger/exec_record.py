#!/usr/bin/env python3
"""exec_record: what `writ exec` leaves in the ledger, and that nothing runs that cannot be recorded.

usage: exec_record.py [--postgres] WRIT      prints TAP
"""
import hashlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys

import ledger
import ground
import tap
from ground import TOUCH, expect, hold
from ledger import POSTGRES, same, true

CASES = []
case = ledger.collector(CASES)

ID = "3f0c8a52-6d1b-4e97-a1c4-5b7e2d9f0a61"


def entries_of(place, run):
    """The entries that the record names, in their order."""
    return [place.entry(id) for id in run.record["ledger"]]


def told(place, run, end, **members):
    """The record names an input, three events and a manifest; the last one says how it ended."""
    entries = entries_of(place, run)
    same([(entry["kind"], entry["state"]) for entry in entries],
         [("input", None), ("execution_event", "planned"), ("execution_event", "running"),
          ("manifest", None), ("execution_event", end)], entries)
    for entry in (*entries[1:3], entries[4]):
        same(entry["subject"], run.record["execution_id"])
        payload = entry["body"]["payload"]
        same((payload["attempt"], payload["dryRun"], payload["coherenceStatus"]), (1, True, "coherent"), payload)
        same(entry["body"]["lineage"]["dependsOnLedgerIds"], [entries[0]["ledger_id"]], entry)
    payload = entries[4]["body"]["payload"]
    for name, value in members.items():
        at = payload
        for part in name.split("__"):
            at = at.get(part) if isinstance(at, dict) else None
        same(at, value, payload)
    place.verify()
    return entries


@case
def R_002_003_R_002_030_R_001_002_a_run_is_an_input_three_events_and_a_manifest(place):
    run = place.exec("/usr/bin/true")
    hold(run.status == 0, run)
    entries = told(place, run, "succeeded", error=None)
    true(entries[4]["body"]["payload"]["result"] is not None, entries[4])
    same(place.log(), [entry for entry in entries])  # and nothing else


@case
def the_entries_are_there_without_asking_for_the_record(place):
    run = place.writ("exec", "--", "/usr/bin/true")
    hold(run.status == 0 and run.out == b"", run)
    same([entry["kind"] for entry in place.log()],
         ["input", "execution_event", "execution_event", "manifest", "execution_event"])


@case
def R_002_022_a_command_that_fails_is_failed_with_command_failed(place):
    for command in (["/usr/bin/false"], ["/bin/sh", "-c", "exit 77"], ["/bin/sh", "-c", "kill -9 $$"],
                    ["no-such-command"]):
        told(place, place.exec(*command), "failed", error__code="command_failed", error__retryable=False)


@case
def R_002_022_a_command_that_ran_out_of_time_is_failed_with_command_timeout(place):
    run = place.exec("/usr/bin/sleep", "60", options=["--timeout-ms", "1000"])
    expect(run, cause="timeout")
    told(place, run, "failed", error__code="command_timeout", error__retryable=True)


@case
def R_002_023_a_command_that_was_called_off_is_cancelled_with_a_reason(place):
    ready = place.work / "ready"
    with open(place.path("record"), "w+b") as out:
        child = subprocess.Popen([tap.WRIT, "exec", "--json", "--", ground.PYTHON, "-c",
                                  "import time; open('ready', 'w').close(); time.sleep(60)"], cwd=place.work,
                                 env=place.environment({}), stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.DEVNULL)
        while not ready.exists():
            same(child.poll(), None)
            os.sched_yield()
        child.send_signal(signal.SIGINT)
        child.wait(timeout=60)
        out.seek(0)
        run = ground.Run(child.returncode, ledger.json.loads(out.read()), b"", b"")
    expect(run, cause="cancelled")
    entries = told(place, run, "cancelled", error=None, result=None)
    true(entries[4]["body"]["payload"]["cancelReason"], entries[4])


def listens(child):
    """Has it begun to hear SIGINT by itself?"""
    blocked = next(line for line in open(f"/proc/{child.pid}/status") if line.startswith("SigBlk:"))
    return int(blocked.split()[1], 16) >> (signal.SIGINT - 1) & 1


def called_off(place, *words, when=lambda: True):
    """Others keep the ledger, and who waits for it is called off once he listens: his status, and what he tells."""
    if POSTGRES:
        raise tap.Skip("a lock of the file")
    same(place.exec("/bin/true").status, 0)
    writer = sqlite3.connect(place.file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    child = subprocess.Popen([tap.WRIT, "exec", "--json", *words], cwd=place.work, env=place.environment({}),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    while not (listens(child) and when()):
        same(child.poll(), None)
        os.sched_yield()
    child.send_signal(signal.SIGINT)
    told = ledger.json.loads(child.communicate(timeout=50)[0])  # less than it would wait
    writer.close()
    return child.returncode, told


@case
def who_waits_for_the_ledger_can_be_called_off_and_ran_nothing(place):
    for way in ([], ["--class", "generic"]):
        status, told = called_off(place, "--write", ".", *way, "--", "/bin/touch", "ran")
        same((status, told["code"], (place.work / "ran").exists()), (74, "EXECUTION_HALTED", False), told)
        true("nothing ran" in told["message"] and "is busy" in told["message"], told)


@case
def who_waits_to_tell_a_refusal_can_be_called_off_wherever_it_would_have_run(place):
    for way in ([], ["--class", "generic"]):
        status, told = called_off(place, "--write", "/proc", *way, "--", "/bin/true",
                                  when=lambda: not way or is_told_refused(place))
        same((status, told["code"]), (77, "PATH_REFUSED"), told)
        true("until that was called off" in told["unrecorded"], told)


def is_told_refused(place):
    """In the transcript of a lane."""
    return any('"event":"refused"' in path.read_text() for path in place.state.glob("lanes/*/transcript.jsonl"))


@case
def R_001_002_an_execution_id_is_used_once(place):
    run = place.ask("/usr/bin/touch", "first", execution_id=ID)
    hold(run.status == 0 and run.record["execution_id"] == ID, run)
    before = place.log()
    for command in (TOUCH, ("/usr/bin/touch", "first")):
        run = place.ask(*command, execution_id=ID)
        ground.refused(place, run, 77, "EXECUTION_USED", ID)
    same([entry for entry in place.log() if entry["kind"] != "input"],
         [entry for entry in before if entry["kind"] != "input"])
    true(not (place.work / "ran").exists())
    place.verify()


@case
def R_001_002_an_id_that_is_in_use_this_moment_is_refused_too(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch", ground.REAL_PYTHON],
                                                 "filesystem": "extended"}})
    code = "import os; open(f'ran-{os.getpid()}-{os.urandom(8).hex()}', 'w').close()"
    request = place.request(ground.PYTHON, "-c", code)
    children = [subprocess.Popen([tap.WRIT, "exec", "-f", request], cwd=place.work, env=place.environment({}),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for _ in range(8)]
    same(sorted(child.wait(timeout=120) for child in children), [0] + [77] * 7)
    same(len(list(place.work.glob("ran-*"))), 1)
    same([entry["state"] for entry in place.log("--kind", "execution_event")], ["planned", "running", "succeeded"])


@case
def what_the_policy_refuses_leaves_no_execution(place):
    run = place.exec(*TOUCH, options=["--read", "/etc/shadow"])
    true(run.status in (64, 65, 77), run)
    true(not (place.work / "ran").exists(), run)
    seen = place.writ("log", "--json", "--kind", "execution_event")
    hold(seen.status in (0, 69) and b"ledger_id" not in seen.out, seen)  # 69: there is no ledger yet


def rejects(place):
    run = place.writ("ledger", "rejects", "--json", "--limit", "0")
    return [json.loads(line) for line in run.out.splitlines()] if run.status == 0 else []


def without_net(place):
    """Where writ's other programs are, but for the one that leads to hosts."""
    for program in pathlib.Path(tap.WRIT).resolve().parent.glob("writ-postgres"):
        (place.outside / program.name).symlink_to(program)
    return place.outside


@case
def what_is_refused_before_it_runs_is_among_the_rejects(place):
    # By policy (77), for a layer that is missing (125), for an id that was used: who asked for what, and why not.
    request = place.ask("/usr/bin/touch", "first", execution_id=ID)
    hold(request.status == 0, request)
    same(rejects(place), [])
    shadow = place.exec(*TOUCH, options=["--read", "/etc/shadow"])
    used = place.ask(*TOUCH, execution_id=ID)
    missing = place.exec(*TOUCH, options=["--net=registry"], env={"WRIT_LIBEXEC": str(without_net(place))})
    runs, kept = (shadow, used, missing), rejects(place)
    same([run.status for run in runs], [77, 77, 125], runs)
    same([(reject["code"], reject["message"]) for reject in kept],
         [(run.record["code"], run.record["message"]) for run in runs])
    for reject in kept:
        text = reject["event"].encode()
        same(reject["digest"], "sha256:" + hashlib.sha256(text).hexdigest())
        same((reject["bytes"], reject["tenant"]), (len(text), "local"), reject)
        same(json.loads(text)["execution_id"], reject["subject"])
    same(kept[1]["subject"], ID)
    same(len(place.log("--kind", "execution_event")), 3)  # no event of what did not run
    true(not (place.work / "ran").exists())
    place.verify()


@case
def a_refusal_stands_when_it_cannot_be_recorded(place):
    bad = "postgres://127.0.0.1:1/none" if POSTGRES else str(place.put("plain", "no directory") / "ledger.db")
    run = place.exec(*TOUCH, options=["--read", "/etc/shadow"], env={"WRIT_LEDGER": bad})
    same(run.status, 77, run)
    true(run.record["unrecorded"] and run.record["code"] != "IO", run)


@case
def what_cannot_be_recorded_does_not_run(place):
    # An unwritable ledger: exit 74, and nothing ran.
    place.put("plain", "no directory")
    bad = "postgres://127.0.0.1:1/none" if POSTGRES else str(place.repo / "plain" / "ledger.db")
    run = place.exec(*TOUCH, env={"WRIT_LEDGER": bad})
    hold(run.status == 74 and not (place.work / "ran").exists(), run)
    true(run.record["message"] and "exit_code" not in run.record, run)
    said = place.writ("exec", "--", *TOUCH, env={"WRIT_LEDGER": bad})
    hold(said.status == 74 and said.err and not (place.work / "ran").exists(), said)


@case
def a_ledger_that_is_no_ledger_is_left_alone_and_nothing_runs(place):
    if POSTGRES:
        raise tap.Skip("a file")
    for text in (b"this is not a database, and it is longer than one page header" * 100, b"SQLite format 3\0" * 500):
        path = place.put("other.db", text)
        run = place.exec(*TOUCH, env={"WRIT_LEDGER": str(path)})
        hold(run.status == 74 and not (place.work / "ran").exists(), run)
        same(path.read_bytes() == text, True)


@case
def commands_that_run_at_once_are_all_recorded(place):
    children = [place.start("--", "/usr/bin/true") for _ in range(8)]
    same([child.wait(timeout=120) for child in children], [0] * 8)
    entries = place.log("--kind", "execution_event")
    by_run = {}
    for entry in entries:
        by_run.setdefault(entry["subject"], []).append(entry["state"])
    same(list(by_run.values()), [["planned", "running", "succeeded"]] * 8)
    same(len(place.log("--kind", "manifest")), 8)
    place.verify()


@case
def a_run_can_be_shown_by_the_start_of_its_id(place):
    run = place.exec("/usr/bin/true")
    shown = place.one("show", run.record["execution_id"][:8])
    same((shown["what"], shown["execution"], shown["state"]),
         ("execution", run.record["execution_id"], "succeeded"), shown)
    ids = {name: [entry["ledger_id"] for entry in shown[name]] for name in ("events", "manifests", "rests_on")}
    rests_on, planned, running, manifest, end = run.record["ledger"]
    same(ids, {"events": [planned, running, end], "manifests": [manifest], "rests_on": [rests_on]}, shown)


def shown_under(place, run):
    """What `writ show` lists of a run, by the label it stands under."""
    found, label = {}, ""
    for line in place.writ("show", run.record["execution_id"]).out.decode().splitlines():
        if line.startswith("  "):
            label = line[2:12].strip() or label
            found.setdefault(label, []).append(line[13:].split())
    return found


@case
def what_a_fixed_run_was_held_to_is_shown_and_what_stayed_open(place):
    run = place.exec("/usr/bin/true", options=["--deterministic", "fixed"])
    shown, held = shown_under(place, run), run.record["deterministic"]
    words, = shown["fixed"]
    true(words[:2] == ["the", "clock,"] and held["clock"] in words, words)
    same(" ".join(word for line in shown["not fixed"] for word in line), ", ".join(held["open"]))
    true(not {"fixed", "not fixed"} & shown_under(place, place.exec("/usr/bin/true")).keys())


@case
def what_is_kept_is_shown_as_evidence_and_printed_as_the_manual_says(place):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "man" / "writ-ledger.7.scd"
    recipe, = (part for part in page.read_text().split("```")[1::2] if part.startswith("\nevidence="))
    run = place.exec("/bin/sh", "-c", "echo kept > a; echo printed", options=["--output-file", "a"])
    shown, evidence = shown_under(place, run), place.state / "evidence"
    (name, digest), = shown["evidence"]
    same((name, shown["kept in"]), ("a", [[str(evidence)]]), shown)
    true(["stdout", run.record["stdout"]["digest"]] in shown["digests"], shown)
    lines = [f"digest={digest}" if line.startswith("digest=") else line
             for line in recipe.replace("\\\\", "\\").splitlines()]
    said = subprocess.run(["sh", "-c", "\n".join(lines)], env={**os.environ, "WRIT_STATE": str(place.state)},
                          capture_output=True, text=True, timeout=60)
    same(said.stdout, "kept\n", said.stderr)
    for path in evidence.rglob("*"):
        if path.is_file():
            path.unlink()
    true("evidence" not in shown_under(place, run), "it is not there any more")
    plain = shown_under(place, place.exec("/bin/echo", "printed"))
    true("evidence" not in plain and "kept in" not in plain and plain["digests"], plain)


@case
def each_run_can_be_exported_as_an_attestation(place):
    run = place.exec("/usr/bin/true")
    place.exec("/usr/bin/false")
    statements = place.lines("export", "--format", "in-toto")
    same([statement["_type"] for statement in statements], ["https://in-toto.io/Statement/v1"] * 2, statements)
    true(run.record["execution_id"] in str(statements[0]), statements[0])
    true(all(statement["subject"] and statement["predicateType"] and statement["predicate"]
             for statement in statements), statements)
    same(place.lines("export", "--format", "in-toto", "--limit", "1"), statements[1:])
    same(place.lines("export", "--format", "in-toto", "--kind", "input"), [])
    same(place.lines("export", "--format", "in-toto", "--state", "succeeded"), statements[:1])


def sha256(data):
    return {"sha256": hashlib.sha256(data).hexdigest()}


@case
def an_attestation_names_every_file_that_was_kept_of_runs_that_failed_too(place):
    odd = 'import sys; [open(name, "wb").write(name) for name in (b"b\\xffd", b"b\\xfed", b"plain")]; sys.exit(%d)'
    wanted = {"plain": sha256(b"plain"), "base64:Yv9k": sha256(b"b\xffd"), "base64:Yv5k": sha256(b"b\xfed")}
    for status in (0, 3):
        run = place.python(odd % status, options=["--output-file", "plain", "--artifact", "b*"])
        statement = place.lines("export", "--format", "in-toto")[-1]
        event, *files = statement["subject"]
        same((run.status, event["name"]), (status, run.record["ledger"][-1]), statement)
        same({file["name"]: file["digest"] for file in files}, wanted, statement)
        same(len(files), 3)
    place.one("ledger", "erase", run.record["ledger"][-2], "--reason", "r")  # the manifest
    same(len(place.lines("export", "--format", "in-toto")[-1]["subject"]), 1)


@case
def a_file_that_is_output_and_artifact_is_one_subject(place):
    place.python('[open(name, "wb").write(name) for name in (b"b\\xffd", b"b\\xfed", b"plain")]',
                 options=["--output-file", b"b\xffd", "--output-file", "plain", "--artifact", "b*", "--artifact", "plain"])
    _, *files = place.lines("export", "--format", "in-toto")[-1]["subject"]
    same(sorted(file["name"] for file in files), ["base64:Yv5k", "base64:Yv9k", "plain"], files)


@case
def an_attestation_takes_no_files_from_what_another_execution_left(place):
    run = place.exec("/bin/sh", "-c", "echo 1 >made", options=["--artifact", "made"])
    manifest = run.record["ledger"][-2]
    for tenant, execution in (("local", "other"), ("t-1", run.record["execution_id"])):
        base = place.enter({"for": tenant}, "mine", tenant)["ledger_id"]
        place.accept(*(place.event(state, execution, tenantId=tenant, externalRefs={"manifest": manifest},
                                   dependsOnLedgerIds=[base],
                                   createdAt="2100-01-01T00:00:00Z", snapshotAt="2100-01-01T00:00:00Z")
                       for state in ("planned", "running", "succeeded")))
    same([len(statement["subject"]) for statement in place.lines("export", "--format", "in-toto")], [2, 1, 1])


@case
def attestations_are_as_many_as_there_are_ends_and_in_their_order(place):
    names = [f"e-{n}" for n in range(70)]
    place.accept(*(place.event(state, name) for name in names for state in ("planned", "running", "succeeded")))
    for options, wanted in (([], names), (["--limit", "50"], names[-50:]), (["--limit", "99"], names),
                            (["--execution", "e-3"], ["e-3"])):
        found = place.lines("export", "--format", "in-toto", *options)
        same([statement["predicate"]["payload"]["executionId"] for statement in found], wanted, options)


@case
def a_ledger_that_the_command_could_write_is_refused(place):
    ours = place.work / "ours.db"
    run = place.writ("exec", "--ledger", ours, "--", *TOUCH)
    same(run.status, 77, run)
    true(b"could write the ledger" in run.err, run)
    same([path.name for path in place.work.iterdir() if path.name.startswith(("ours", TOUCH[-1]))], [])


@case
def a_ledger_is_refused_by_its_own_file_wherever_its_name_leads(place):
    ours, books = place.outside / "ours.db", place.work / "books.db"
    (place.outside / "link.db").symlink_to(books)
    (place.outside / "far.db").symlink_to("link.db")
    (place.work / "in.db").symlink_to(ours)
    (place.work / "in").symlink_to(place.outside)
    (place.outside / "back").symlink_to(place.work / "in")
    for kept in ("nothing yet", "a ledger"):
        for name, options in ((ours, ["--write", ours]), (ours, ["--write", f"{ours}-wal"]),
                              (place.outside / "link.db", []), (place.outside / "far.db", []),
                              (place.work / "in.db", []), (place.work / "in/ours.db", []),
                              (place.outside / "back/ours.db", [])):
            for path in options[1:]:
                pathlib.Path(path).touch()
            run = place.writ("exec", "--ledger", name, *options, "--", *TOUCH)
            same(run.status, 77, (kept, name, options, run))
            true(b"could write the ledger" in run.err, run)
            for path in options[1:]:
                same(pathlib.Path(path).stat().st_size, 0, path)
                pathlib.Path(path).unlink()
        true(not (place.work / TOUCH[-1]).exists())
        books.touch()
    (place.outside / "link.db").unlink()
    (place.outside / "link.db").symlink_to(place.outside / "safe.db")
    (place.outside / "here").symlink_to(".")
    for name, options in ((place.outside / "safe.db", []), (place.outside / "far.db", []),
                          (place.outside / "here/../" / place.outside.name / "here/safe.db", []),
                          (place.work / "hidden/l.db", ["--deny", "hidden"])):
        name.parent.mkdir(exist_ok=True)
        run = place.writ("exec", "--ledger", name, *options, "--", *TOUCH)
        same(run.status, 0, (name, run))


@case
def a_state_directory_in_the_tree_is_hidden_and_its_ledger_is_safe(place):
    run = place.writ("exec", "--", *TOUCH, env={"WRIT_STATE": str(place.work / "state"),
                                                     "WRIT_LEDGER": None})
    same(run.status, 0, run)
    true((place.work / "state/ledger.db").exists())


@case
def the_state_of_other_runs_is_hidden_where_this_one_has_its_own(place):
    for name, more in ((".local/state/writ", {}), ("states/writ", {"XDG_STATE_HOME": str(place.work / "states")}),
                       (".local/state/writ", {"XDG_STATE_HOME": str(place.work / "elsewhere")})):
        ledger_there = place.put(f"work/{name}/ledger.db", "another's")
        run = place.exec("sh", "-c", f"cat {name}/ledger.db; echo x >> {name}/ledger.db; mv {name} moved",
                         env={"HOME": str(place.work)} | more)
        hold(run.record["exit_code"] != 0 and not run.record["stdout"]["text"], run)
        hold(ledger_there.read_text() == "another's", run)
    (place.work / ".local/state/writ/ledger.db").unlink()
    (place.work / ".local/state/writ").rmdir()
    expect(place.exec("true", env={"HOME": str(place.work)}), exit_code=0)


@case
def R_001_171_a_run_whose_files_cannot_be_kept_has_its_end_all_the_same(place):
    place.put("state/evidence/sha256", "in the way")
    script = "echo 1 > b; echo 2 > c1; echo 3 > c2; exit $0"
    for code, options in ((0, ["--write-mode", "cow"]), (0, []), (7, []), (0, ["--class", "generic"]),
                          (7, ["--class", "generic"])):
        run = place.exec("/bin/sh", "-c", script, str(code), options=[
            *options, "--output-file=a", "--output-file=b", "--output-file=c1", "--artifact=no*", "--artifact=c*"])
        true(run.status == 74 and "it ran" in run.record["message"], run)
        entries = [place.entry(entry["ledger_id"]) for entry in place.log()][-5:]
        end = ((code, "exited", "failed") if code else (0, "exited", "succeeded") if "cow" in options
               else (73, "undelivered", "failed"))  # in cow nothing can be looked at: what is not kept is not missed
        same([entry["state"] for entry in entries], [None, "planned", "running", None, end[2]], entries)
        record = entries[3]["body"]
        same((record["exit_code"], record["cause"], record["state"]), end, record)
        true("kept" in record["unkept"], record)
        if "cow" in options:
            same((record["changes"]["list"], record["changes"]["truncated"]), ([], record["unkept"]), record)
            same([one["state"] for one in record["output_files"]], ["not_kept"] * 3, record)
            said = place.writ("commit", record["execution_id"])
            true(said.status != 0 and b"not all of its changes are listed" in said.err, said)
        else:
            same([(one["path"], one["state"]) for one in record["output_files"]],
                 [("a", "missing"), ("b", "not_kept"), ("c1", "not_kept")], record)
        same([(one["path"], one["state"]) for one in record["artifacts"]],
             [("no*", "not_kept"), ("c*", "not_kept")], record)
        place.verify()


@case
def what_runs_now_is_listed_and_gone_afterwards(place):
    seen = []
    for options in ([], ["--class", "generic"]):
        run = place.exec_while("$wait; true", lambda: seen.append(place.lines("log", "--live")), options)
        same((run.status, len(seen[-1])), (0, 1), run)
        entry = seen[-1][0]
        same((entry["subject"], entry["state"]), (run.record["execution_id"], "running"), entry)
        same(entry, place.entry(entry["ledger_id"]))
        same(place.lines("log", "--live"), [])
    here = place.writ("log", "--live")
    hold(here.status == 0 and here.out == b"" and b"nothing like that runs now" in here.err, here)


@case
def who_cannot_see_what_runs_is_not_told_that_nothing_does(place):
    expect(place.exec("/usr/bin/true"))
    (place.state / "running").rmdir()
    (place.state / "running").write_text("")  # as one that is somebody else's, to root as well
    expect(place.exec("/usr/bin/true"))
    said = place.writ("log", "--live")
    hold(said.status == 69 and said.out == b"" and b"'running' in the state directory cannot be read" in said.err, said)
    same(place.writ("log").status, 0)


@case
def what_runs_now_is_narrowed_like_any_entry(place):
    def narrowed():
        first, second = (entry["subject"] for entry in place.lines("log", "--live"))  # the oldest first
        true(place.log("--execution", first)[0]["seq"] < place.log("--execution", second)[0]["seq"])
        for filters, left in ((["--execution", first], [first]), (["--execution", second[:8]], [second]),
                              (["--kind", "input"], []), (["--state", "planned"], []), (["--tenant", "other"], []),
                              (["--until", "2001-01-01"], []), (["--since", "2001-01-01"], [first, second]),
                              (["--limit", "1"], [second])):
            same([entry["subject"] for entry in place.lines("log", "--live", *filters)], left, filters)

    expect(place.exec_while("$wait; true", lambda: expect(place.exec_while("$wait; true", narrowed))))


@case
def a_writ_that_is_killed_leaves_its_run_open_and_the_ledger_intact(place):
    ready = place.work / "ready"
    child = place.start("--", ground.PYTHON, "-c", "import time; open('ready', 'w').close(); time.sleep(60)")
    while not ready.exists():
        same(child.poll(), None)
        os.sched_yield()
    execution = place.log("--kind", "execution_event")[0]["subject"]
    shown = place.writ("show", execution)
    true(b"none yet: it runs" in shown.out, shown)
    same([entry["subject"] for entry in place.lines("log", "--live")], [execution])
    child.kill()
    child.wait(timeout=60)
    same(place.lines("log", "--live"), [])
    same([entry["state"] for entry in place.log("--kind", "execution_event")], ["planned", "running"])
    shown = place.writ("show", execution)
    true(b"it does not run any more: who ran it was killed" in shown.out, shown)
    place.verify()
    told(place, place.exec("/usr/bin/true"), "succeeded")


LOCAL = ("bcachefs", "btrfs", "ext2/ext3", "f2fs", "overlayfs", "tmpfs", "xfs", "zfs")
RENAMED = ["unshare", "-u" if os.geteuid() == 0 else "-Uru", ground.PYTHON, "-c",
           "import os, socket, sys; socket.sethostname('elsewhere'); os.execv(sys.argv[1], sys.argv[1:])"]


@case
def who_lives_is_known_when_the_machine_has_another_name(place):
    if subprocess.run([*RENAMED, "/usr/bin/true"], capture_output=True).returncode:
        raise tap.Skip("a machine that keeps its name")
    if tap.run(["stat", "-f", "-c", "%T", place.scratch]).out.decode().strip() not in LOCAL:
        raise tap.Skip("a file system that other machines may have")
    ready = place.work / "ready"
    os.mkfifo(ready)
    child = place.start("--", "/bin/sh", "-c", "echo >ready; sleep 60")
    ready.read_bytes()
    (file,) = (place.state / "running").iterdir()
    live = ledger.limited(place, RENAMED, "log", "--live", "--json")
    child.kill()
    child.wait(timeout=60)
    same(json.loads(live.out)["subject"], file.name)
    shown = ledger.limited(place, RENAMED, "show", file.name)
    true(b"it does not run any more: who ran it was killed" in shown.out, shown)


@case
def a_run_whose_connection_was_lost_has_its_end_recorded(place):
    if not POSTGRES:
        raise tap.Skip("a connection")
    ready, go = place.work / "ready", place.work / "go"
    os.mkfifo(ready)
    os.mkfifo(go)
    child = place.start("--", "/bin/sh", "-c", "echo >ready; read x <go")
    ready.read_bytes()
    ledger.databases().sql(place.address, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                           " WHERE datname = current_database() AND pid <> pg_backend_pid()")
    go.write_bytes(b"\n")
    same(child.wait(timeout=60), 0)
    same([entry["state"] for entry in place.log("--kind", "execution_event")], ["planned", "running", "succeeded"])
    place.verify()


if __name__ == "__main__":
    sys.exit(ledger.main(CASES, sandbox=True))
