#!/usr/bin/env python3
"""cow: commands that write beside the disk, which stays as it is.

usage: cow.py WRIT      prints TAP
"""
import hashlib
import os
import pathlib
import random
import stat
import sys
import time

import ground
from ground import digest, expect, hold

CASES = []
case = ground.collector(CASES)

COW = ("--write-mode", "cow")
KILLS = 100


def picture(place):
    rows = set()
    for top in (place.repo, place.outside):
        for at, dirs, files in os.walk(top):
            for name in (".", *dirs, *files):
                path = os.path.join(at, name)
                s = os.lstat(path)
                data = pathlib.Path(path).read_bytes() if stat.S_ISREG(s.st_mode) else b""
                rows.add((path, s.st_mode, s.st_uid, s.st_gid, s.st_size, s.st_nlink, s.st_ino, s.st_mtime_ns,
                          s.st_ctime_ns, hashlib.sha256(data).hexdigest()))
    return rows


def fill(place):
    place.put("work/a", "one\n")
    place.put("work/d/x", "x\n")
    place.put("work/d/y", "y\n")
    (place.work / "l").symlink_to("a")


def mounts(place):
    return [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
            if str(place.repo.parent) in line]


@case
def R_001_015_what_a_command_writes_is_not_on_the_disk(place):
    fill(place)
    before = picture(place)
    run = place.exec("/bin/sh", "-c", "cat a; echo two >> a; rm -r d l; mkdir d; echo n > n; chmod 700 .; cat a n",
                     options=COW)
    expect(run, exit_code=0, stdout__text="one\none\ntwo\nn\n")
    hold(picture(place) == before, run)


@case
def F32_F33_F34_F37_outputs_are_what_the_command_saw(place):
    fill(place)
    place.put("outside/file", "outside\n")
    before = picture(place)
    code = ("import os; open('a', 'a').write('two\\n'); open('n', 'w').write('new\\n'); os.mkfifo('p');"
            f"os.symlink('{place.outside}/file', 's'); os.symlink('{place.outside}', 'dir');"
            "os.remove('d/x'); os.mkdir('e'); open('e/z', 'w').write('z'); open('full', 'w').truncate(11 << 20)")
    names = ("a", "n", "p", "s", "dir/file", "d/x", "d/y", "e/z", "full")
    run = place.python(code, options=(*COW, *(word for name in names for word in ("--output-file", name)),
                                      "--artifact", "**"))
    expect(run, exit_code=73, own_exit_code=0, cause="undelivered")
    states = {row["path"]: row["state"] for row in run.record["output_files"]}
    hold(states == {"a": "collected", "n": "collected", "p": "not_regular", "s": "symlink_refused",
                    "dir/file": "symlink_refused", "d/x": "missing", "d/y": "collected", "e/z": "collected",
                    "full": "too_large"}, run)
    digests = {row["path"]: row["digest"] for row in run.record["output_files"] if row["state"] == "collected"}
    hold(digests["a"] == digest(b"one\ntwo\n") and digests["d/y"] == digest(b"y\n"), run)
    hold("d/x" not in {row["path"] for row in run.record["artifacts"]}, run)
    hold(picture(place) == before, run)


@case
def F07_F38_protected_names_are_taken_out_of_the_layer(place):
    before = picture(place)
    run = place.exec("/bin/sh", "-c", "mkdir .husky; echo x > .husky/pre-commit; echo x > .envrc; echo y > kept",
                     options=(*COW, "--artifact", "**"))
    expect(run, exit_code=0)
    hold({(pathlib.Path(row["path"]).name, row["undone"]) for row in run.record["denials"]}
         == {(".husky", True), (".envrc", True)}, run)
    hold({(row["path"], row["state"]) for row in run.record["artifacts"]}
         == {("kept", "collected"), (".husky", "unreadable")}, run)  # it is not emptied, but nothing is taken from it
    hold([pathlib.Path(row["path"]).name for row in run.record["changes"]["list"]] == ["kept"], run)
    hold(picture(place) == before, run)


@case
def F07_a_denied_name_is_not_made(place):
    before = picture(place)
    run = place.exec("/bin/sh", "-c", "echo x > later; mkdir later; touch later/x; echo x > sub; exit 0",
                     options=(*COW, "--deny", place.work / "later", "--deny", place.work / "sub/later",
                              "--artifact", "**"))
    expect(run, exit_code=0, denials=[])
    hold({row["state"] for row in run.record["artifacts"]} <= {"missing"}, run)
    hold(picture(place) == before, run)


@case
def F02_what_is_denied_is_not_kept(place):
    ground.denied_is_not_kept(place, *COW)


@case
def F29_F41_a_layer_is_full_at_its_size(place):
    before, free = picture(place), os.statvfs(place.work)
    run = place.python("import os\ntry:\n  f = open('big', 'wb')\n  while True: f.write(bytes(1 << 20))\n"
                       "except OSError as why: print(why.errno)", options=(*COW, "--memory-mb", "256"))
    hold(run.record["stdout"]["text"] == "28\n" or run.record["cause"] == "oom", run)
    hold(picture(place) == before and os.statvfs(place.work).f_files == free.f_files, run)


@case
def F29_a_file_with_holes_is_kept_with_them(place):
    run = place.python("f = open('big', 'wb'); f.seek(1 << 28); f.write(b'end')", options=COW)
    expect(run, exit_code=0)
    kept = [path.stat() for path in (place.state / "evidence").rglob("*") if path.is_file()]
    hold((1 << 28) + 3 in {s.st_size for s in kept}, run)
    hold(sum(s.st_blocks for s in kept) * 512 < 1 << 20, run)
    row = run.record["changes"]["list"][0]
    hold(row["digest"] == digest(bytes(1 << 28) + b"end"), run)
    path = place.state / "evidence/sha256" / row["digest"][7:9] / row["digest"][9:]
    hold(digest(path.read_bytes()) == row["digest"], run)


@case
def a_program_in_the_layer_runs(place):
    place.put("work/tool", "#!/bin/sh\necho tool\n", 0o755)
    expect(place.exec("./tool", options=COW), exit_code=0, stdout__text="tool\n")
    expect(place.exec("/bin/sh", "-c", "cp tool t2; ./t2; echo 'echo other' > tool; ./tool", options=COW),
           exit_code=0, stdout__text="tool\nother\n")


@case
def git_works(place):
    place.put("file", "text\n")
    before = picture(place)
    run = place.exec("/bin/sh", "-c", "git add -A && git -c user.name=x -c user.email=x@x commit -qm one && "
                     "git log --format=%s && git status --short", options=COW, at=place.repo)
    expect(run, exit_code=0, stdout__text="one\n", denials=[])
    hold(picture(place) == before, run)


@case
def killed_at_any_moment_the_disk_is_as_it_was(place):
    fill(place)
    for i in range(200):
        place.put(f"work/many/{i}", f"{i}\n")
    before, mounted, beside = picture(place), mounts(place), set(place.repo.parent.iterdir()) | {place.state}
    chance = random.Random(7)
    script = "while :; do rm -rf many d; mkdir many; for i in 1 2 3 4 5 6 7 8; do echo $i > many/$i; done; echo x > a; done"
    for i in range(KILLS):
        child = place.start(*COW, "--timeout-ms", "20000", "--", "/bin/sh", "-c", script)
        time.sleep(chance.random() * 0.06)  # the moment is what is tried, not waited for
        child.kill()
        child.wait()
    run = place.exec("/bin/cat", "a", options=COW)
    expect(run, exit_code=0, stdout__text="one\n")
    hold(picture(place) == before, run)
    hold(mounts(place) == mounted and set(place.repo.parent.iterdir()) <= beside, run)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
