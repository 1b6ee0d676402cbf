#!/usr/bin/env python3
"""fixed: with --deterministic fixed time stands still and chance is the same in every run.

usage: fixed.py HELD HELD_STATIC WRIT    prints TAP; HELD is held.c, linked in two ways

Each program runs twice; the second time, where that can be done, in a time namespace whose clocks
are days ahead. The real wall clock is decades away from the one that is held.
"""
import datetime
import json
import shutil
import subprocess
import sys

import ground
import old_program
import tap
from ground import PYTHON, expect, hold

CASES = []


class Place(ground.Place):
    def __init__(self, scratch):
        super().__init__(scratch)
        for name, program in zip(("held", "held_static"), sys.argv[1:3]):
            shutil.copy(program, self.work / name)


case = ground.collector(CASES, Place)

HELD, HELD_STATIC = "./held", "./held_static"
DAYS = 3 * 86400
EPOCH = 315532800  # SOURCE_DATE_EPOCH, as every run has it
FIXED = ("--deterministic", "fixed")
ACTS = ("library", "raw", "system", "counter", "wait", "fork", "timer", "thread")


def ahead():
    """The words that put a command into a time namespace, or none."""
    words = ["unshare", "--time", f"--monotonic={DAYS}", "--"]
    able = shutil.which("unshare") and subprocess.run([*words, "true"], capture_output=True).returncode == 0
    return words if able else []


AHEAD = ahead()


def fixed(place, *command, options=(), before=()):
    """The record of one run."""
    done = subprocess.run([*before, tap.WRIT, "exec", "--json", *FIXED, *options, "--", *command],
                          cwd=place.work, env=place.environment(None), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=ground.SECONDS)
    return ground.Run(done.returncode, json.loads(done.stdout), done.stdout, done.stderr)


def same(place, *command, options=(), code=0):
    """Runs it twice; returns what it printed, which is the same."""
    first = fixed(place, *command, options=options)
    second = fixed(place, *command, options=options, before=AHEAD)
    for run in (first, second):
        expect(run, exit_code=code, stderr__text="")
    one, two = (run.record["stdout"]["text"] for run in (first, second))
    for left, right in zip(one.splitlines(), two.splitlines()):
        if left != right:
            raise AssertionError(f"once {left!r}, then {right!r}")
    hold(one == two, second)
    return one


def needs(*programs):
    def decorate(function):
        if all(shutil.which(program, path="/usr/bin:/bin") for program in programs):
            return case(function)
        return function
    return decorate


# ---- programs ----

@case
def R_001_153_I07_date_says_the_day_of_the_environment(place):
    day = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc)
    text = same(place, "/bin/date", "+%s.%N %F")
    hold(text == f"{EPOCH}.000000000 {day:%F}\n", ground.Run(0, {}, text.encode(), b""))


@case
def R_001_153_I07_another_day_is_asked_for_by_the_environment(place):
    text = same(place, "/bin/date", "+%s", options=["--env", "SOURCE_DATE_EPOCH=1700000000"])
    hold(text == "1700000000\n", ground.Run(0, {}, text.encode(), b""))


@case
def R_001_153_I07_waits_hold_on_every_day_that_can_be_asked_for(place):
    for day in (2305843010, 4102444800):  # in 2043, where a quarter of all nanoseconds is over, and in 2100
        text = same(place, HELD, "wait", options=["--env", f"SOURCE_DATE_EPOCH={day}", "--timeout-ms", "10000"])
        hold("until the wall" in text, ground.Run(0, {}, text.encode(), b""))


@case
def R_001_150_R_001_153_I07_python_gives_the_same_bytes(place):
    same(place, PYTHON, "-c", """
import os, random, subprocess, sys, tempfile, threading, time, uuid
print(time.time(), time.monotonic(), time.perf_counter(), time.process_time(), time.localtime())
print(random.random(), os.urandom(8).hex(), hash("abc"), uuid.uuid4(), uuid.uuid1(), id(object()))
begin = time.monotonic(); time.sleep(0.02); assert time.monotonic() - begin >= 0.019
print(threading.Event().wait(0.01), time.monotonic() - begin)
slept = []
threads = [threading.Thread(target=lambda i=i: (time.sleep(0.03 * i), slept.append(i))) for i in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(slept), tempfile.mktemp(), os.getpid(), {"a", "b", "c"})
print(subprocess.run([sys.executable, "-c", "import uuid, time; print(uuid.uuid4(), time.time())"],
                     capture_output=True, check=True).stdout)
try:
    subprocess.run(["sleep", "30"], timeout=0.05)
except subprocess.TimeoutExpired:
    print("out of time", time.monotonic())
print(open("/dev/urandom", "rb").read(16).hex(), open("/dev/random", "rb", 0).read(16).hex())
""")


@needs("node")
def R_001_150_R_001_153_I07_node_gives_the_same_bytes(place):
    text = same(place, "/usr/bin/node", "-e", """
const { execFileSync, exec } = require('child_process');
const crypto = require('crypto'), os = require('os');
const begin = Date.now();
console.log(begin, Math.random(), crypto.randomBytes(8).toString('hex'), crypto.randomUUID());
console.log(performance.now(), process.hrtime.bigint(), process.uptime(), os.uptime(), os.hostname());
setTimeout(() => { console.log('10', Date.now() - begin);
                   exec('date', (e, out) => console.log(out, Date.now() - begin)); }, 10);
setTimeout(() => console.log('5', Date.now() - begin), 5);
console.log(execFileSync('date').toString(), new Date());
""", options=["--memory-mb", "2048"])
    hold("5 5\n10 10\n" in text, ground.Run(0, {}, text.encode(), b""))


@case
def R_001_150_R_001_153_I07_a_shell_with_pipes_and_jobs_gives_the_same_bytes(place):
    text = same(place, "/bin/sh", "-c", """
date +%s.%N; sleep 0.02; date +%s.%N
for i in 1 3 5; do (sleep 0.$i; echo job $i) & done; wait
head -c 12 /dev/urandom | od -An -tx1; head -c 100000 /dev/random | cksum
mktemp -u XXXXXXXX; hostname; echo $$
exec date +%s.%N
""")
    hold(text.startswith(f"{EPOCH}.000000000\n{EPOCH}.020000000\n"), ground.Run(0, {}, text.encode(), b""))


@case
def I08_a_static_program_gives_the_same_bytes(place):
    text = same(place, HELD_STATIC, *ACTS)
    hold(f"day {EPOCH}.000000000\n" in text, ground.Run(0, {}, text.encode(), b""))


@case
def I08_a_linked_program_gives_the_same_bytes(place):
    same(place, HELD, *ACTS)


@needs("go")
def I08_go_gives_the_same_bytes(place):
    place.put("work/time.go", """package main
import ("crypto/rand"; "fmt"; "time")
func main() {
    b := make([]byte, 8); rand.Read(b); t := time.Now()
    fmt.Println(t.UnixNano(), b); time.Sleep(10 * time.Millisecond); fmt.Println(time.Since(t))
    m := map[int]int{1: 1, 2: 2, 3: 3, 4: 4}; for k := range m { fmt.Print(k, " ") }
}
""")
    built = subprocess.run(["/usr/bin/go", "build", "-o", "told", "time.go"], cwd=place.work, capture_output=True,
                           env=tap.ENV | {"HOME": str(place.home), "CGO_ENABLED": "0", "GO111MODULE": "off"})
    assert built.returncode == 0, built.stderr
    text = same(place, "./told", options=["--memory-mb", "1024"])
    hold(text.startswith(f"{EPOCH}000000000 ") and "\n10ms\n" in text, ground.Run(0, {}, text.encode(), b""))


@case
def R_001_151_I07_a_directory_is_read_in_the_order_of_names(place):
    names = [f"{n * 7919 % 1000:03}" for n in range(300)]
    for name in names:
        place.put(f"work/many/{name}", "")
    text = same(place, PYTHON, "-c", "import os; print(*os.listdir('many'))")
    assert text.split() == sorted(names), text
    first = place.python("import os; print(*os.listdir('many'))").record["stdout"]["text"].split()
    assert sorted(first) == sorted(names), first


# ---- a clock that goes on ----

@case
def I07_waits_move_the_clock_by_what_was_asked(place):
    text = same(place, HELD, "wait")
    passed = dict(line.rsplit(" ", 1) for line in text.splitlines())
    ms = {name: int(ns) / 1e6 for name, ns in passed.items()}
    want = {"nanosleep": 3, "until": 8, "until the wall": 13, "select": 17, "epoll": 23,
            "condition": 30, "signal": 32}
    hold(ms == want, ground.Run(0, {}, text.encode(), b""))


@case
def I07_who_only_asks_for_the_time_gets_on(place):
    same(place, HELD, "spin")


@case
def I07_who_sleeps_for_short_times_in_a_thread_gets_on(place):
    text = same(place, HELD, "doze", options=["--timeout-ms", "20000"])
    hold(text == "slept in a thread 1000000000\n", ground.Run(0, {}, text.encode(), b""))


@case
def I07_two_requests_draw_different_bytes(place):
    one, two = (same(place, "/bin/sh", "-c", f"head -c 16 /dev/urandom | od -An -tx1 # {n}") for n in "12")
    assert one != two, one


# Readers that leave when they like, one that wants much at once, and one that looks twice.
READERS = """
for i in 1 2 3 4; do tr -dc a-z </dev/urandom | head -c 8; echo; done
for i in 1 2 3 4; do cat /dev/random | head -c 16 | od -An -tx1; done
dd if=/dev/urandom bs=1M count=4 2>/dev/null | sha256sum
dd if=/dev/random bs=48k count=30 2>/dev/null | wc -c
exec 4</dev/urandom; head -c 70000 <&4 >/dev/null; head -c 8 <&4 | od -An -tx1
"""


@case
def I07_who_reads_a_random_device_gets_the_same_whenever_others_read(place):
    shared = "random devices" in fixed(place, "/bin/true").record["deterministic"]["open"]
    text = same(place, "/bin/sh", "-c", READERS)
    lines = text.splitlines()
    hold(len(set(lines[:4])) == len(set(lines[4:8])) == (1 if shared else 4), ground.Run(0, {}, text.encode(), b""))
    hold(lines[9].strip() == str(30 * 48 << 10), ground.Run(0, {}, text.encode(), b""))


@case
def I07_a_process_draws_anew_each_time_it_opens_a_random_device(place):
    if "random devices" in fixed(place, "/bin/true").record["deterministic"]["open"]:
        return
    text = same(place, PYTHON, "-c", """
import os
one, two, three = (open(f"/dev/{name}random", "rb", 0) for name in ("", "u", "u"))
print(one.read(4).hex(), two.read(4).hex(), three.read(4).hex(), flush=True)
print(os.pread(one.fileno(), 4, 0).hex(), len(one.read(5 << 20)), flush=True)
if os.fork() == 0:
    print(open("/dev/random", "rb", 0).read(4).hex(), flush=True)
    os._exit(0)
os.wait()
""")
    drawn = text.split()
    hold(len({*drawn[:3], drawn[5]}) == 4 and drawn[3:5] == [drawn[0], str(5 << 20)],
         ground.Run(0, {}, text.encode(), b""))


@case
def P_what_is_written_to_a_random_device_is_taken(place):
    if "random devices" in fixed(place, "/bin/true").record["deterministic"]["open"]:
        return
    text = same(place, "/bin/sh", "-c", "echo seed >/dev/urandom && head -c 500000 /dev/zero >>/dev/random && echo taken",
                options=["--timeout-ms", "10000"])
    hold(text == "taken\n", ground.Run(0, {}, text.encode(), b""))


# A /dev without /dev/fuse, for the one command that follows.
BARE = """mount -t tmpfs -o mode=755 none /dev
for d in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 /dev/${d%:*} c 1 ${d#*:} || exit; done
exec "$@"
"""


@case
def I07_without_fuse_all_who_read_a_random_device_get_the_same(place):
    before = ["unshare", "--mount", "sh", "-c", BARE, "sh"]
    if not shutil.which("unshare") or subprocess.run([*before, "true"], capture_output=True).returncode != 0:
        return
    one, two = (fixed(place, "/bin/sh", "-c", READERS, before=before) for _ in "12")
    lines = one.record["stdout"]["text"].splitlines()
    hold("random devices" in one.record["deterministic"]["open"], one)
    hold(one.record["stdout"] == two.record["stdout"] and len(set(lines[:4])) == 1, two)
    hold(lines[9].strip() == str(30 * 48 << 10), one)


@case
def I07_children_draw_bytes_of_their_own(place):
    text = same(place, HELD, "fork")
    drawn = [line for line in text.splitlines() if line.startswith("child") and "." not in line]
    assert len(drawn) == 3 and len(set(drawn)) == 3, text


@case
def I07_who_closes_its_memory_is_answered_all_the_same(place):
    text = same(place, HELD_STATIC, "close", "raw", "counter", "fork")
    hold("closed 0\n" in text and "drawn 300\n" in text and f"clock {EPOCH}." in text,
         ground.Run(0, {}, text.encode(), b""))


@case
def I09_the_cycle_counter_is_held_or_said_to_be_open(place):
    one, two = (fixed(place, HELD, "counter") for _ in "12")
    if "cycle counter" not in one.record["deterministic"]["open"]:
        hold(one.record["stdout"] == two.record["stdout"], two)


# ---- the record ----

@case
def R_001_150_R_001_153_the_record_says_what_is_held_and_what_is_not(place):
    run = fixed(place, "/bin/true")
    told = run.record["deterministic"]
    hold(told["mode"] == "fixed" and told["clock"] == "1980-01-01T00:00:00.000Z", run)
    hold(told["seed"] == run.record["request"]["inputs_digest"] and "file times" in told["open"], run)
    hold({"timeouts of sockets", "what is left of a wait", "ports and sockets", "free space"} <= set(told["open"]),
         run)
    hold("deterministic" not in place.exec("/bin/true").record, run)


@case
def R_001_153_another_way_is_refused_and_nothing_runs(place):
    done = place.writ("exec", "--deterministic", "sometimes", "--", *ground.TOUCH)
    hold(done.status == 64 and not (place.work / "ran").exists(), done)


@case
def R_001_153_a_program_that_cannot_be_held_is_killed_with_a_word(place):
    shutil.copy("/bin/true", place.work / "sealed")
    (place.work / "sealed").chmod(0o111)
    run = fixed(place, "sh", "-c", "./sealed; exit $?")
    hold(run.record["deterministic"]["killed"] and run.record["exit_code"] == 137, run)
    done = place.writ("exec", *FIXED, "--", "sh", "-c", "exec ./sealed")
    hold(b"killed by signal 9 (exit 137)" in done.err and b"may be run and not read" in done.err, done)
    run = fixed(place, "sh", "-c", "sh -c 'kill -9 $$'; exit $?")  # and not whoever else is killed
    hold(not run.record["deterministic"]["killed"] and run.record["exit_code"] == 137, run)


@case
def R_001_153_a_program_of_32_bits_is_refused_or_killed_with_a_word(place):
    program = place.put("work/small", old_program.made() or b"", 0o755)
    try:
        subprocess.run([program], check=True)
    except (OSError, subprocess.CalledProcessError):
        return  # nobody runs such a program here
    run = fixed(place, "sh", "-c", "./small; exit $?")
    hold(run.record["deterministic"]["killed"] and run.record["exit_code"] == 137, run)
    done = place.writ("exec", *FIXED, "--", "./small")
    hold(done.status == 125 and b"a 32-bit program: only 64-bit programs can be held" in done.err, done)


# Replaces itself by a program whose stack is full but for less than a clock needs: how full that is, it tries out.
FULL = """
import os, resource, signal, sys
def begin(n):
    resource.setrlimit(resource.RLIMIT_STACK, (4096, 4096))
    os.execv("/bin/true", ["true", "x" * n])
def killed(n):
    child = os.fork()
    if child == 0:
        try:
            begin(n)
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
full = next(filter(killed, range(0, os.sysconf("SC_PAGESIZE"), 16)), None)
if full is not None:
    begin(full)
"""


@case
def R_001_153_a_program_that_has_no_room_for_its_clock_is_killed_with_a_word(place):
    done = place.writ("exec", *FIXED, "--", PYTHON, "-c", FULL)
    if done.status:
        hold(done.status == 137 and b"killed by signal 9 (exit 137)" in done.err, done)
        hold(b"or its stack is full" in done.err and b"room on their stack" in done.err, done)


# ---- as without ----

@case
def P_signals_stops_and_interruptions_are_as_without(place):
    for acts in (("stop",), ("interrupted",)):
        held = same(place, HELD, *acts)
        free = place.exec(HELD, *acts).record["stdout"]["text"]
        assert held == free, (held, free)


@case
def R_001_050_time_that_stands_still_ends_all_the_same(place):
    run = fixed(place, "/bin/sleep", "60", options=["--timeout-ms", "1000"])
    expect(run, cause="timeout")


@case
def P_who_traces_is_not_traced(place):
    run = fixed(place, PYTHON, "-c", """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(0, 0, 0, 0), libc.ptrace(16, 1, 0, 0), libc.personality(0), hex(libc.personality(0xffffffff)))
""")
    ground.printed(run, "-1 -1 0 0x40000\n")


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
