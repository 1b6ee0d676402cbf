#!/usr/bin/env python3
"""run_view: what is shown of a plan while it runs, on a terminal, in a pipe and for programs.

usage: run_view.py PLAYER      prints TAP

The player is writ with a plan that is played, not run: what happens when is told by the case, which
opens a gate (a fifo) when it has seen what it waits for.
"""
import json
import os
import re
import select
import signal
import subprocess
import sys
import time

import tap
from stage import FOUR, PATIENCE, Play, Terminal, error, ident, in_pipe, same
from tap import WRIT

CASES = []
case = tap.collector(CASES)


# ---- the picture ----

@case
def live(scratch):
    """a picture that moves: what ended stays, what runs and waits is below, then the summary"""
    play = Play(scratch, FOUR)
    play.starts(0, 1)
    play.gate()
    play.completes(0, note="214 matches")
    play.fails(1, message="exit 6: no host", last_words="one\n\x1b[31mtwo\x1b[0m\tthree\n")
    play.starts(2)
    play.fails(2, "retry")
    play.line("step_retries", 2, wait_ms=3600000)
    play.gate()
    play.line("step_started", 2, attempt=2)
    play.gate()
    play.completes(2, attempt=2)
    play.starts(3)
    play.line("notify", 3, payload={"text": "done"})
    play.completes(3)
    trace = [error(1, "STEP_FAILED", "exit 6: no host", execution_id=ident(950)), error(1, "STEP_SKIPPED", "-", "warn")]
    play.end("partial", 3, trace[0] | {"context": {"errors": trace, "incomplete_steps": [ident(1)]}})
    t = Terminal(play, env={"NO_COLOR": "1"})
    text = t.until("find-todos", "0 of 4 steps", "waits for flaky")
    assert re.search(r"⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏", text), text
    assert t.hidden
    play.open_gate()
    text = t.until("attempt 2 of 3 in 59 m", "1 of 4 steps", "1 failed")
    assert "✓ find-todos" in text and "214 matches" in text, text
    assert "! phone-home" in text and "(skipped)" in text and "│ two three" in text, text
    assert text.index("│ two three") < text.index("⟳ flaky"), text
    play.open_gate()
    text = t.until("attempt 2 of 3\n")
    play.open_gate()
    text = t.to_the_end()
    same(text, """audit  4 steps · at most 5 m 00 s · offline
  ✓ find-todos  json_select            38 ms  214 matches
  ! phone-home  execute ./probe -x      7 ms  STEP_FAILED (skipped)
      STEP_FAILED: exit 6: no host
      │ one
      │ two three
  ✓ flaky       execute ./probe -x     38 ms  2 attempts
  » report      done
  ✓ report      notify                 38 ms
partial  3 of 4 steps in 2.4 s
  phone-home  STEP_FAILED  exit 6: no host (skipped)
              what it printed and left: writ show %s
recorded   led-00000386 · writ show 00000385
evidence   3 files, 41 kB in /home/me/state/evidence""" % ident(950)[:8])
    assert t.status == 3 and not t.hidden


@case
def lanes(scratch):
    """a lane that goes another way or is held by less: it is said in the words of `writ exec`, and stays"""
    play = Play(scratch, FOUR)
    play.starts(1)
    play.line("step_lane", 1, said={"event": "unavailable", "worker": "box", "message": "box is not there"})
    play.line("step_lane", 1, said={"event": "retry", "worker": "box", "code": "rch_unavailable", "retry": 1,
                                    "delay_ms": 1000})
    play.line("step_lane", 1, said={"event": "downgrade", "from": "remote_ssh", "to": "local_direct",
                                    "policy_id": "local_fallback_on_rch_unavailable"})
    play.line("step_held", 1, missing=["cgroup", "seccomp"])
    play.completes(1)
    play.line("step_held", 2, missing=[])
    for said in (None, 3, [], {"event": "printed"}, {"event": []}):
        play.line("step_lane", 3, said=said)
    play.line("step_held", 3, inner="in", missing=["user"])
    t = Terminal(play, env={"NO_COLOR": "1"})
    text = t.to_the_end()
    same(text[:text.index("success")], """audit  4 steps · at most 5 m 00 s · offline
  ! phone-home  box is not there
  ! phone-home  rch_unavailable (worker box): retry 1 in 1.0 s
  ! phone-home
      route downgrade: remote_ssh to local_direct
      (local_fallback_on_rch_unavailable)
  ! phone-home  it was held by less than the default: without cgroup, seccomp
  ✓ phone-home  execute ./probe -x     38 ms
  ! report      in: it was held by less than the default: without user
""")
    play.lines = [line for line in play.lines if not line.startswith("!")]
    answer = in_pipe(play, "--progress", "lines")
    same([line for line in answer.err.decode().splitlines() if "phone-home: succeeded" not in line][:5],
         ["audit: phone-home: box is not there", "audit: phone-home: rch_unavailable (worker box): retry 1 in 1.0 s",
          "audit: phone-home: route downgrade: remote_ssh to local_direct (local_fallback_on_rch_unavailable)",
          "audit: phone-home: it was held by less than the default: without cgroup, seccomp",
          "audit: report: in: it was held by less than the default: without user"])


@case
def small_terminals(scratch):
    """never more rows or columns than the terminal has, whatever runs"""
    steps = [(f"step-{i}-{'x' * (i % 40)}", "execute", [], "halt") for i in range(300)]
    for rows, columns in ((24, 80), (6, 40), (2, 20), (1, 8), (5, 200), (3, 2)):
        where = scratch / f"{rows}x{columns}"
        where.mkdir()
        play = Play(where, steps)
        play.starts(*range(100))
        play.gate()
        play.completes(*range(50))
        play.gate()
        play.completes(*range(50, 100))
        t = Terminal(play, rows=rows, columns=columns)  # it checks what it is sent
        t.until(*(["0 of 300"] if columns > 12 else ["…"]))
        play.open_gate()
        t.until(*(["50 of 300"] if columns > 12 else ["…"]))
        play.open_gate()
        t.columns = 1 << 20  # the summary is the terminal's to break
        t.to_the_end()
        assert t.status == 0 and not t.hidden, t.screen()


@case
def a_narrow_summary(scratch):
    """on a narrow terminal a summary is broken at blanks"""
    play = Play(scratch, FOUR[:1])
    play.starts(0)
    play.completes(0)
    play.end("success", 1)
    t = Terminal(play, columns=40, env={"NO_COLOR": "1"})
    text = t.to_the_end()
    assert all(words in text for words in (
        "led-00000386 ·\n           writ show 00000385\n",
        "evidence   3 files, 41 kB in\n           /home/me/state/evidence")), text
    assert max(map(len, text.splitlines())) <= 40, text


@case
def resizes(scratch):
    """a terminal that changes its size is drawn anew"""
    play = Play(scratch, FOUR)
    play.starts(0, 1)
    play.gate()
    play.completes(0)
    play.gate()
    t = Terminal(play)
    t.until("waits for flaky")
    t.resize(10, 120)
    play.open_gate()
    t.until("✓ find-todos", "1 of 4 steps")
    t.resize(3, 30)
    t.until(" phone-…  ")
    play.open_gate()
    t.columns = 1 << 20
    assert "success  4 of 4 steps" in t.to_the_end()


@case
def quick(scratch):
    """a plan that has ended before a frame is due flashes nothing"""
    play = Play(scratch, FOUR)
    t = Terminal(play, env={"NO_COLOR": "1"})
    text = t.to_the_end()
    assert text.startswith("audit  4 steps"), text
    assert "success  4 of 4 steps in 2.4 s" in text and not t.hidden


@case
def thousand(scratch):
    """1,024 steps: what is sent stays small, and every step has its line"""
    steps = [(f"step-{i}", "json_select", [f"step-{i - 1}"] if i else [], "halt") for i in range(1024)]
    play = Play(scratch, steps)
    for i in range(1024):
        play.starts(i)
        play.completes(i)
    t = Terminal(play, env={"NO_COLOR": "1"})
    text = t.to_the_end()
    assert text.count("✓ step-") == 1024, text[-2000:]
    assert len(t.all) < 300000, len(t.all)


@case
def lost(scratch):
    """lines that were lost: the picture says so, and the end comes from the answer"""
    play = Play(scratch, FOUR)
    play.line("step_started", 2, lost=7)
    play.gate()
    play.line("step_started", 3)
    play.gate()
    t = Terminal(play)
    t.until("7 changes were missed")
    play.open_gate()
    t.until("2 of 4 steps")  # what report waits for must have completed
    play.open_gate()
    assert "success  4 of 4 steps" in t.to_the_end()


@case
def odd_lines(scratch):
    """odd lines change nothing and crash nothing"""
    play = Play(scratch, FOUR)
    for text in ("", "{", "null", "[]", '"x"', "{}", "[" * 100000, '{"event":3}', '{"event":"step_started"}',
                 '{"event":"step_started","index":4}', '{"event":"step_started","index":-1}',
                 '{"event":"step_started","index":1e300}', '{"event":"step_failed","index":0}',
                 '{"event":"step_completed","index":0,"duration_ms":-5,"note":[1]}',
                 '{"event":"step_retries","index":1,"at":9007199254740991,"wait_ms":9007199254740991}',
                 '{"event":"notify","index":1}', '{"event":"plan_execution_success"}',
                 '{"event":"step_started","index":2,"lost":9007199254740991}',
                 '{"event":"step_failed","index":3,"code":"\\u001b[2J","message":"\\u0007","last_words":"\\u001b["}'):
        play.raw(text)
    play.gate()
    t = Terminal(play)
    t.until("report", "changes were missed")
    play.open_gate()
    assert "success  4 of 4 steps" in t.to_the_end()
    play.lines = [line for line in play.lines if not line.startswith("!")]
    answer = in_pipe(play, "--progress", "lines")
    assert answer.status == 0 and b"\x1b" not in answer.err and b"\x07" not in answer.err, answer


# ---- signals ----

@case
def ctrl_c(scratch):
    """Ctrl-C: its time is up, and that is said; what was told still comes"""
    play = Play(scratch, FOUR)
    play.starts(0)
    play.raw("!force")
    play.fails(0, "halt", code="PLAN_TIMEOUT", severity="fatal")
    play.gate()
    play.end("failure", 0, error(None, "PLAN_TIMEOUT", "its time was up", "fatal",
                                 incomplete_steps=[ident(i) for i in range(4)]))
    t = Terminal(play, env={"NO_COLOR": "1"})
    t.until("find-todos", "0 of 4 steps")
    os.write(t.main, b"\x03")
    t.until("stopping: its time is up")
    play.open_gate()
    text = t.to_the_end()
    assert t.status == 1 and not t.hidden and "stopping" not in text, text
    assert "plan  PLAN_TIMEOUT  its time was up" in text, text
    assert "by writ, which got the signal SIGINT\n" in text and "timeout_ms" not in text, text
    assert "cut off    find-todos\nnot run    phone-home, flaky, report\n" in text, text


@case
def ctrl_c_twice(scratch):
    """Ctrl-C twice: it goes at once, and the cursor is back"""
    play = Play(scratch, FOUR)
    play.starts(0)
    play.gate()
    t = Terminal(play)
    t.until("find-todos", "0 of 4 steps")
    os.write(t.main, b"\x03")
    t.until("stopping: its time is up")
    end = time.monotonic() + PATIENCE
    while t.read(1):  # as often as it is drawn: too soon is not a second time
        assert time.monotonic() < end, t.screen()
        t.child.send_signal(signal.SIGINT)
    t.to_the_end()
    assert t.status == -signal.SIGINT and not t.hidden, t.status


@case
def terminated(scratch):
    """SIGTERM does the same in a pipe"""
    play = Play(scratch, FOUR)
    play.raw("!force")
    play.write()
    child = subprocess.Popen([WRIT, "run", "audit.yaml"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env=tap.ENV | {"WRIT_PLAY": str(scratch)})
    play_started(child)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, (child.returncode, err)
    assert b"audit: stopping: its time is up" in err and b"success" in out, (out, err)


@case
def told_once_by_several(scratch):
    """signals that come together are one wish: the plan ends as told, and its result is there"""
    for number, (first, second) in enumerate(((signal.SIGTERM, signal.SIGHUP), (signal.SIGHUP, signal.SIGHUP),
                                              (signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGTERM))):
        where = scratch / str(number)
        where.mkdir()
        play = Play(where, FOUR)
        play.gate()
        play.write()
        child = subprocess.Popen([WRIT, "run", "audit.yaml", "--progress", "lines"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=tap.ENV | {"WRIT_PLAY": str(where)})
        play_started(child)
        began = time.monotonic()
        child.send_signal(first)
        while (line := child.stderr.readline()) and b"stopping" not in line:
            pass
        child.send_signal(second)
        await_taken(child, second)
        if time.monotonic() - began > 0.4 and first == second != signal.SIGHUP:
            child.kill()  # a machine so slow that it may have been meant again
            child.communicate()
            continue
        play.open_gate()
        out, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0 and b"success" in out, (first, second, child.returncode, out, err)


@case
def ignored(scratch):
    """what its caller has ignored does not end a plan: nohup, and a script's background"""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        where = scratch / str(int(number))
        where.mkdir()
        play = Play(where, FOUR)
        play.gate()
        play.write()
        child = subprocess.Popen([WRIT, "run", "audit.yaml", "--progress", "lines"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=tap.ENV | {"WRIT_PLAY": str(where)},
                                 preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
        play_started(child)
        child.send_signal(number)
        await_taken(child, number)
        play.open_gate()
        out, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0 and b"success" in out and b"stopping" not in err, (number, out, err)


def await_taken(child, number):
    """Waits until the signal does not wait any more; or whoever it was for."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        status = open(f"/proc/{child.pid}/status").read()
        if not int(re.search(r"ShdPnd:\s*([0-9a-f]+)", status)[1], 16) >> (number - 1) & 1:
            return
        os.sched_yield()
    raise AssertionError("nobody took it")


def play_started(child):
    """Waits until SIGTERM is blocked: from then on it is heard."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        status = open(f"/proc/{child.pid}/status").read()
        if int(re.search(r"SigBlk:\s*([0-9a-f]+)", status)[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        os.sched_yield()
    raise AssertionError("it never listened")


@case
def stopped(scratch):
    """Ctrl-Z gives the screen back, and the picture comes again when it goes on"""
    play = Play(scratch, FOUR)
    play.starts(0)
    play.gate()
    t = Terminal(play)
    t.until("find-todos", "0 of 4 steps")
    os.kill(t.child.pid, signal.SIGTSTP)
    _, status = os.waitpid(t.child.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), status
    while select.select([t.main], [], [], 0)[0]:
        t.read(0)
    assert not t.hidden and "of 4 steps" not in t.screen(), t.screen()
    os.kill(t.child.pid, signal.SIGCONT)
    t.until("0 of 4 steps")
    play.open_gate()
    assert "success  4 of 4 steps" in t.to_the_end() and not t.hidden


# ---- in a pipe, and for programs ----

def some(scratch):
    play = Play(scratch, FOUR)
    play.starts(0, 1, 2)
    play.completes(0, note="214 matches")
    play.fails(1, message="exit 6: three", last_words="one\ntwo\nthree\n")
    play.fails(2, "retry")
    play.line("step_retries", 2, wait_ms=800)
    play.fails(2, "retry", attempt=2, code="UNKNOWN_ERROR", severity="fatal")
    return play


@case
def lines(scratch):
    """in a pipe a line for each change on stderr, and the summary on stdout"""
    answer = in_pipe(some(scratch))
    same(answer.err.decode(), """audit: find-todos: succeeded 38 ms, 214 matches
audit: phone-home: failed 7 ms, STEP_FAILED: exit 6: three (skipped)
audit: phone-home: | one
audit: phone-home: | two
audit: phone-home: | three
audit: flaky: failed 7 ms, STEP_FAILED: exit 6 (attempt 1 of 3)
audit: flaky: tries again in 800 ms
audit: flaky: failed 7 ms, UNKNOWN_ERROR: exit 6 (attempt 2 of 3) (halts)
""")
    same(answer.out.decode(), f"""success  4 of 4 steps in 2.4 s
recorded   led-{ident(902)} · writ show {ident(901)}
evidence   3 files, 41 kB in /home/me/state/evidence
""")
    assert answer.status == 0


@case
def dumb(scratch):
    """lines on a dumb terminal, and where they are asked for; nothing where nothing is"""
    for args, env in (([], {"TERM": "dumb"}), (["--progress=lines"], {})):
        play = some(scratch)
        t = Terminal(play, *args, env=env | {"NO_COLOR": "1"}, columns=200)
        text = t.to_the_end()
        assert "audit: flaky: tries again in 800 ms" in text and "\x1b" not in t.all, t.all
    answer = in_pipe(some(scratch), "--progress=none")
    assert answer.err == b"" and answer.out.startswith(b"success"), answer


@case
def for_programs(scratch):
    """--json: the PlanResult alone on stdout; --progress json: the lines, and the end in any case"""
    play = some(scratch)
    wanted = json.loads((scratch / "answer.json").read_text())["result"]
    answer = in_pipe(play, "--json")
    assert json.loads(answer.out) == wanted and answer.out.count(b"\n") == 1, answer
    assert answer.err.endswith(b"audit: success, 4 of 4 steps in 2.4 s\n"), answer
    answer = in_pipe(play, "--json", "--progress=none")
    assert json.loads(answer.out) == wanted and answer.err == b"", answer
    answer = in_pipe(play, "--progress=json")
    got = [json.loads(line) for line in answer.out.splitlines()]
    assert [line["event"] for line in got[:3]] == ["step_started"] * 3, got
    assert got[-1]["event"] == "plan_execution_success" and got[-1]["result"] == wanted, got
    assert answer.err == b"", answer
    play.raw(json.dumps({"event": "plan_execution_success", "result": wanted}))
    again = in_pipe(play, "--progress=json").out.splitlines()
    assert len(again) == len(got), again


@case
def summaries(scratch):
    """the summary: each step's failure once, what to do, what was not run, the plan's own error"""
    def summary(status, done, trace, top, incomplete=()):
        play.end(status, done, top | {"context": {"errors": trace, "failed_steps": [],
                                                  "incomplete_steps": [ident(i) for i in incomplete]}})
        return in_pipe(play, *how).out.decode()

    play, how = Play(scratch, FOUR), []
    for attempt in (1, 2, 3):
        play.line("step_started", 2, attempt=attempt)
    last = error(2, "STEP_FAILED", "exit 3")
    text = summary("partial", 2, [last, error(2, "STEP_SKIPPED", "-", "warn")], last, [2, 3])
    assert "  flaky  STEP_FAILED  exit 3 (3 attempts) (skipped)\n" in text, text
    assert text.count("STEP_FAILED") == 1 and "not run    report\n" in text, text
    play, how = Play(scratch, FOUR), ["--progress=none"]
    text = summary("partial", 2, [last, error(2, "STEP_SKIPPED", "-", "warn")], last, [2, 3])
    assert "exit 3 (skipped)\n" in text and "unfinished report\n" in text, text
    halted = error(0, "EXECUTION_HALTED", "halted", "fatal") | {"cause": error(0, "STEP_FAILED", "exit 2")}
    text = summary("failure", 0, [error(0, "STEP_FAILED", "exit 2")], halted, [0, 1, 2, 3])
    assert "EXECUTION_HALTED" not in text and "  find-todos  STEP_FAILED  exit 2\n" in text, text
    late = error(2, "STEP_TIMEOUT", "too long")  # listed or not: the advice is true
    text = summary("partial", 3, [late], late, [2])
    assert "STEP_TIMEOUT  too long\n         Raise timeout_ms, or give" in text and "retryable" not in text, text
    text = summary("failure", 0, [], error(None, "CONTEXT_MISSING", "repo is not there", "fatal"))
    assert "  plan  CONTEXT_MISSING  repo is not there\n        Add the key" in text, text


@case
def long_messages(scratch):
    """a message that does not fit is folded below its code"""
    play = Play(scratch, FOUR)
    play.end("failure", 0, error(2, "STEP_FAILED", "word " * 30 + "\x1b[2J", "fatal"))
    text = Terminal(play, env={"NO_COLOR": "1"}).to_the_end()
    assert "\n  flaky  STEP_FAILED\n         word word" in text, text
    assert "word\n         \\x1b[2J\n" in text or "word \\x1b[2J\n" in text, text


@case
def troubles(scratch):
    """where there is no result, why is said, and the status is writ_run()'s own"""
    play = Play(scratch, FOUR)
    for status, answer in ((77, {"code": "EXECUTION_USED", "message": "the plan was used before"}),
                           (74, {"code": "IO", "message": "the plan was used before"})):
        play.status = status
        (scratch / "answer.json").write_text(json.dumps(answer))
        told = in_pipe(play)
        assert told.status == status and told.out == b"", told
        assert told.err == b"writ: the plan was used before\n", told
        told = in_pipe(play, "--json")
        assert json.loads(told.out) == answer and told.status == status, told


@case
def places(scratch):
    """problems of a plan are told with their places, from a file and from standard input"""
    play = Play(scratch, FOUR)
    (scratch / "audit.yaml").write_text("name: x\nsteps:\n  - name: a\n    action: notfy\n")
    told = [{"line": 4, "column": 13, "pointer": "/steps/0/action", "message": "no", "code": "C",
             "severity": "error"}]
    play.end("failure", 0, error(None, "ACTION_NOT_FOUND", "no", "fatal"), problems=told)
    play.write()
    answer = tap.run([WRIT, "run", scratch / "audit.yaml", "--progress=none"],
                     env={"WRIT_PLAY": str(scratch)})
    same(answer.err.decode(), f"{scratch}/audit.yaml:4:13: /steps/0/action: no [C]\n")
    with open(scratch / "audit.yaml") as stdin:
        answer = tap.run([WRIT, "run", "-", "--progress=none"], stdin=stdin,
                         env={"WRIT_PLAY": str(scratch)})
    same(answer.err.decode(), "standard input:4:13: /steps/0/action: no [C]\n")


@case
def wrong_options(scratch):
    """what cannot be meant is refused with a word, and nothing runs"""
    play = Play(scratch, FOUR)
    for args, word in ((["--progress=loud"], b"--progress is auto"), (["--jobs=0"], b"--jobs is 1 to"),
                       (["--jobs=two"], b"--jobs is 1 to"), (["--policy=none"], b"--policy is block"),
                       (["--set=x"], b"--set takes KEY=VALUE"), (["--set==x"], b"--set takes KEY=VALUE"),
                       (["--json", "--progress=json"], b"not both")):
        answer = in_pipe(play, *args)
        told = json.loads(answer.out)["message"].encode() if "--json" in args else word
        assert answer.status == 64 and word in answer.err and word in told, answer
        assert "--json" in args or answer.out == b"", answer
    play.write()
    answer = tap.run([WRIT, "run", "-", "--context", "-"], env={"WRIT_PLAY": str(scratch)})
    assert answer.status == 64 and b"standard input" in answer.err, answer


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
