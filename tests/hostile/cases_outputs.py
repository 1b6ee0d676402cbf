"""cases_outputs.py: F30 to F37, what is left where output is expected."""
import json
import subprocess

from ground import case, digest, fault

MIB = 1 << 20


@case("F30 a deep tree in the project does not stop the collector")
def deep(world):
    world.deep = True  # made outside: inside, Landlock looks at every directory above each time
    depth = 100000 if world.place.long else 20000
    subprocess.run([world.place.hostile, "deep", world.work / "deep", str(depth)], check=True,
                   stdout=subprocess.DEVNULL)
    world.holds("exit", 0, options=["--artifact", "**"], seconds=300)


@case("F30 a deep tree with long names")
def deep_long(world):
    world.deep = True
    world.holds("deep", "deep", 500, "long", options=["--artifact", "**/bottom"])


@case("F30 a deep tree in /tmp goes with the run")
def deep_tmp(world):
    world.run("deep", "/tmp/deep", 100000 if world.place.long else 5000)


@case("F30 names of every kind are recorded, escaped")
def names(world):
    world.expected.add("work")
    run = world.holds("names", options=["--artifact", "*"])
    json.loads(run.out.decode())
    if len([entry for entry in run["artifacts"] if entry["state"] == "collected"]) < 17:
        fault("not every name was collected", run)
    if any(byte < 32 and byte != 10 for byte in run.out):
        fault("a control character stands in the record as it is", run)


@case("F31 files and directories without a mode")
def locked(world):
    world.expected |= {"work/shut", "work/immutable"}
    world.holds("locked", options=["--artifact", "**", "--output-file", "shut/file"])


@case("F32 a FIFO where a file is expected")
def fifo(world):
    world.expected.add("work/out")
    world.holds("fifo", "out", options=["--output-file", "out"]).state("out", "not_regular")


@case("F32 a socket where a file is expected")
def socket_file(world):
    world.expected.add("work/out")
    world.holds("socket_file", "out", options=["--output-file", "out"]).state("out", "not_regular")


@case("F32 a directory where a file is expected")
def directory(world):
    run = world.holds("exit", 0, options=["--output-file", "deny"])
    run.state("deny", "not_regular")


@case("F33 a link to a file of the host where a file is expected")
def link(world):
    world.expected.add("work/out")
    run = world.holds("link_to", world.secret, "out", options=["--output-file", "out", "--artifact", "o*"])
    if run.state("out", "symlink_refused").get("digest") == digest(world.secret.read_bytes()):
        fault("the digest is that of the secret", run)


@case("F33 a link to /proc/self/environ")
def link_environ(world):
    world.expected.add("work/out")
    world.holds("link_to", "/proc/self/environ", "out",
                options=["--output-file", "out"]).state("out", "symlink_refused")


@case("F33 a link to a file beside it")
def link_beside(world):
    world.expected.add("work/out")
    world.holds("link_to", world.mark, "out", options=["--output-file", "out"]).state("out", "symlink_refused")


@case("F33 a hard link to another file of the project")
def hard_link(world):
    world.expected |= {"work/out", "work/file"}
    world.holds("link_twice", "file", "out", options=["--output-file", "out"]).state("out", "linked")


@case("F34 a directory on the way that is a link")
def link_dir(world):
    world.expected |= {"work/real", "work/way"}
    world.holds("link_dir", "real", "way", "out",
                options=["--output-file", "way/out"]).state("way/out", "symlink_refused")


@case("F34 a directory on the way that is a link to the outside")
def link_outside(world):
    world.expected |= {"work/way"}
    world.holds("link_to", world.outside, "way",
                options=["--output-file", "way/secret"]).state("way/secret", "symlink_refused")


@case("F34 output files that climb out are refused or not found")
def climbing(world):
    for path in ("../../outside/secret", str(world.secret), "a/../../../outside/secret"):
        run = world.run("exit", 0, options=["--output-file", path])
        if run.status not in (64, 65, 77):
            states = {entry["state"] for entry in run["output_files"]}
            if not states <= {"outside", "missing"} or digest(world.secret.read_bytes()).encode() in run.out:
                fault(f"{path} was looked at", run)


@case("F34 the working directory itself is moved, and a link put in its place")
def moved(world):
    world.expected |= {"work.old", "work"}
    run = world.run("reroute", world.work, world.outside,
                    options=["--write", world.repo, "--output-file", "secret", "--artifact", "s*"])
    world.moved = True
    if (world.repo / "work.old").exists():
        world.work.unlink(missing_ok=True)
        (world.repo / "work.old").rename(world.work)
    entries = run.record.get("output_files", []) + run.record.get("artifacts", [])
    if digest(world.secret.read_bytes()).encode() in run.out or any(e["state"] == "collected" for e in entries):
        fault("a file from outside was collected", run)


@case("F35 a file that turns into a link and back while it is collected")
def flip(world):
    world.expected |= {"work/out", "work/file", "work/flip"}
    for _ in range(20):
        run = world.holds("flip", "out", world.secret, options=["--output-file", "out"])
        entry = run.files()["out"]
        if entry["state"] not in ("collected", "symlink_refused", "linked", "missing"):
            fault("an unknown state", run)
        if entry["state"] == "collected" and entry["digest"] != digest(b"mine\n"):
            fault("collected something else", run)


def collected(run):
    return sum(entry["bytes"] for entry in run["artifacts"] if entry["state"] == "collected")


@case("F37 exactly 10 MiB are collected")
def ten(world):
    world.expected.add("work/out")
    run = world.holds("big", "out", 10 * MIB, options=["--output-file", "out"])
    if run.state("out", "collected")["bytes"] != 10 * MIB:
        fault("not all of it", run)


@case("F37 one byte more is too large")
def ten_and_one(world):
    world.expected.add("work/out")
    world.holds("big", "out", 10 * MIB + 1, options=["--output-file", "out"]).state("out", "too_large")


@case("F37 many empty files: a bounded list, in order")
def many(world):
    world.expected.add("work/many")
    count = 1000000 if world.place.long else 20000
    run = world.holds("many", "many", count, options=["--artifact", "many/*", "--timeout-ms", 600000],
                      seconds=660)
    paths = [entry["path"] for entry in run["artifacts"]]
    if paths != sorted(paths):
        fault("not in the order of their bytes", run)
    if len(paths) < count and not run["files_truncated"]:
        fault(f"{len(paths)} of {count} are listed, and nothing says so", run)
    if collected(run) != 0:
        fault("empty files have bytes", run)
