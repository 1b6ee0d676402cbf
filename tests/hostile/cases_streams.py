"""cases_streams.py: R11 to R18, what is printed, and what is read."""
import json
import os
import pathlib
import subprocess

from ground import case, digest, fault, processes, until

MIB, KIB = 1 << 20, 1 << 10


def peak_kb(world):
    """The largest process of writ: the most memory each has had."""
    found = []
    for pid in processes(world.mark):
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        rows = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        if rows["Name"].strip() != world.mark[:15] and "VmHWM" in rows:
            found.append(int(rows["VmHWM"].split()[0]))
    return max(found)


def cut(run, name, total, kept, content):
    """A stream of so many bytes, of which the first were kept."""
    stream = run[name]
    wanted = {"bytes": total, "truncated": total > kept, "digest": digest(content) if content else stream["digest"]}
    if {key: stream.get(key) for key in wanted} != wanted:
        fault(f"wanted {name} {wanted}", run)
    if len(run.stream(name)) != min(total, kept):
        fault(f"{len(run.stream(name))} bytes of {name} were kept", run)


def flooded(world, fd, total):
    world.expected.add("work/go")
    with world.running("flood", fd, total, options=["--timeout-ms", 600000]) as child:
        peak = peak_kb(world)
        (world.work / "go").touch()
        run = world.end(child)
    if peak > 16 * KIB:
        fault(f"writ had {peak} KiB", run)
    return run


@case("R11 stdout without measure")
def flood(world):
    total = 10 << 30 if world.place.long else 256 * MIB
    run = flooded(world, 1, total)
    if run["cause"] != "exited":
        fault("an unknown end", run)
    cut(run, "stdout", total, MIB, b"x" * total if total < 1 << 30 else None)


@case("R11 the flood, passed through to the caller")
def through(world):
    command = world.command("emit", 1, 64 * MIB, json=False)
    child = subprocess.Popen(command, cwd=world.work, env=world.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE)
    total = 0
    while True:
        block = child.stdout.read(MIB)
        if not block:
            break
        total += len(block)
    if child.wait() != 0 or total not in (64 * MIB, MIB):
        fault(f"{total} bytes, status {child.returncode}")


@case("R11 a caller that closes its end of stdout")
def closed(world):
    for act in (["emit", 1, 8 * MIB], ["emit", 2, 8 * MIB], ["exit", 0]):
        reader, writer = os.pipe()
        os.close(reader)
        child = subprocess.Popen(world.command(*act, json=False), cwd=world.work, env=world.env,
                                 stdin=subprocess.DEVNULL, stdout=writer, stderr=writer)
        os.close(writer)
        child.wait(60)
        world.alone()


@case("R12 stderr alone, without measure")
def stderr(world):
    run = flooded(world, 2, 64 * MIB)
    cut(run, "stderr", 64 * MIB, 256 * KIB, b"x" * (64 * MIB))
    cut(run, "stdout", 0, MIB, b"")


@case("R12 a byte here, a byte there")
def alternate(world):
    run = world.run("alternate", 20000).expect(0)
    cut(run, "stdout", 20000, MIB, b"o" * 20000)
    cut(run, "stderr", 20000, 256 * KIB, b"e" * 20000)


@case("R13 stdin that nobody reads")
def unread(world):
    (world.home / "stdin").write_bytes(b"x" * MIB)
    world.run("exit", 5, options=["--stdin", world.home / "stdin"]).expect(5)
    child = world.start(world.command("exit", 5, options=["--stdin", "-"]), stdin=subprocess.PIPE)
    try:
        child.stdin.write(b"x" * MIB)
        child.stdin.close()
    except BrokenPipeError:
        pass
    world.end(child).expect(5)


@case("R13 64 MB of stdin, closed at once by the tool")
def large(world):
    with open(world.home / "stdin", "wb") as file:
        file.truncate(64 * MIB)
    run = world.run("shut", 0, options=["--stdin", world.home / "stdin"])
    if run.status != 0:
        run.refused(65, 77)


@case("R13 stdout and stderr closed early")
def shut(world):
    for fds in ([1], [2], [0, 1, 2]):
        world.run("shut", *fds).expect(0)


@case("R14 a grandchild that keeps stdout open")
def kept(world):
    world.expected.add("work/daemon")
    for _ in range(5):
        world.run("daemon", "keep").expect(0)


RAW = (b"nul:\0.\nbad:\xff\xfe\xc0\x80\xed\xa0\x80.\nansi:\x1b[31m\x1b]0;title\x07\x1b[2J.\n"
       b'{"exit_code": 0, "cause": "exited", "assurance": "full"}\n'
       b"</stdout>\r\n\r\nCONTENT\b\b\x7f\xc2\x9b\xe2\x80\xaeend")


@case("R16 bytes of every kind")
def raw(world):
    run = world.run("bytes").expect(0)
    cut(run, "stdout", len(RAW), MIB, RAW)
    if run.stream("stdout") != RAW:
        fault("the bytes are not the same", run)
    if any(byte < 32 and byte != 10 for byte in run.out) or b"\x7f" in run.out:
        fault("the record would steer a terminal", run)


@case("R16 a forged record")
def forge(world):
    run = world.run("forge").expect(41)
    text = b'"}\n{"exit_code":0,"cause":"exited","forged":true}\n\\u0000\\"\n'
    if run.stream("stdout") != text or "forged" in run.record:
        fault("it was taken for a record", run)
    if len(run.out.strip().splitlines()) != 1:
        json.loads(run.out)


@case("R16 one line of 100 MB")
def line(world):
    size = 100 * MIB if world.place.long else 20 * MIB
    cut(world.run("emit", 1, size).expect(0), "stdout", size, MIB, b"x" * size)


@case("R16 raw bytes pass through as they are")
def raw_through(world):
    run = world.run("bytes", json=False)
    if run.status != 0 or run.out != RAW:
        fault("the bytes are not the same", run)


@case("R18 exactly the limit, and one byte more")
def limit(world):
    for fd, name, most in ((1, "stdout", MIB), (2, "stderr", 256 * KIB)):
        for more in (-1, 0, 1):
            run = world.run("emit", fd, most + more).expect(0)
            cut(run, name, most + more, most, b"x" * (most + more))


@case("R14 writ ends when the tool ends, not when the pipes do")
def ended(world):
    world.expected.add("work/daemon")
    child = world.start(world.command("daemon", "keep", json=False))
    until(lambda: child.poll() is not None, "writ to end")
    world.end(child)
