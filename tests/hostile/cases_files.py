"""cases_files.py: F, reading and writing what was not granted."""
import os
import shutil
import struct
import subprocess
import tempfile

from ground import Skip, case, fault


def granted(world, *more):
    return [*world.hidden, *more]


# ---- outside ----

@case("F01 a path outside, in every spelling")
def outside(world):
    world.holds("outside", *world.canaries[:2], "/etc/shadow", "/root/.bashrc", "/var/log")


@case("F01 a secret in the caller's /tmp and /dev/shm")
def outside_tmp(world):
    for place in ("/tmp", "/dev/shm"):
        if not os.access(place, os.W_OK):
            continue
        with tempfile.NamedTemporaryFile("w", prefix="hostile-", dir=place) as file:
            file.write(world.token)
            file.flush()
            os.chmod(file.name, 0o644)
            world.holds("outside", file.name)


@case("F01 a project that lies in /tmp sees only itself there")
def inside_tmp(world):
    with tempfile.TemporaryDirectory(prefix="hostile-") as place:
        os.chmod(place, 0o755)
        os.mkdir(f"{place}/project")
        shutil.copy(world.act, f"{place}/project/{world.mark}")
        with open(f"{place}/secret", "w") as file:
            file.write(world.token)
        world.run("outside", f"{place}/secret", cwd=f"{place}/project",
                  program=f"{place}/project/{world.mark}").expect()


@case("F02 a denied directory and a denied file inside the project")
def denied(world):
    run = world.holds("denied", "deny/secret", "deny-file", f"{world.work}/deny/secret",
                      "../work/deny/secret", options=granted(world))
    if "denials" not in run.record:
        fault("the record has no list of denials", run)


@case("F02 deny wins over read and write of the same path")
def deny_wins(world):
    world.holds("denied", "deny/secret", "deny-file",
                options=["--read", world.work / "deny", "--write", world.work / "deny",
                         "--write", world.work / "deny-file", *granted(world)])


@case("F03 writing inside a denied directory")
def denied_write(world):
    world.holds("denied_write", "deny", options=granted(world))


@case("F04 moving a denied directory or file away")
def denied_move(world):
    world.holds("denied_move", "deny", "deny-file", options=granted(world))


def ancestor(world):
    os.mkdir(world.work / "a")
    os.rename(world.work / "deny", world.work / "a/deny")
    world.moved = True
    world.expected |= {"work/a", "work/b"}
    return ["--deny", world.work / "a/deny"]


@case("F05 renaming an ancestor of a denied path")
def denied_ancestor(world):
    world.holds("denied_ancestor", "a", "b", "deny/secret", options=ancestor(world))


@case("F06 the run after that, with the same policy")
def denied_second(world):
    options = ancestor(world)
    world.run("denied_ancestor", "a", "b", "deny/secret", options=options)
    world.holds("unreadable", "a/deny/secret", "b/deny/secret", options=options)


@case("F07 a denied path that does not exist is not made")
def denied_missing(world):
    options = ["--deny", world.work / "later", "--deny", world.work / "sub/later"]
    world.expected |= {"work/sub"}
    (world.work / "sub").mkdir()
    (world.work / "seed").write_text("planted")
    world.expected.add("work/seed")
    run = world.run("plant", "later", "sub/later", options=options)
    for path in (world.work / "later", world.work / "sub/later"):
        if path.exists():
            fault(f"{path} is there", run)


@case("F07 taking the thing away again does not reach through a link")
def denied_rerouted(world):
    (world.work / "sub").mkdir()
    (world.outside / "later").mkdir()
    (world.outside / "later/file").write_text("the owner's")
    world.expected |= {"work/sub", "work/sub.old"}
    run = world.run("reroute", "sub", world.outside, options=["--deny", world.work / "sub/later"])
    if not (world.outside / "later/file").exists():
        fault("writ removed what lies outside", run)


@case("F08 a denied path that is a symbolic link, and its target")
def denied_link(world):
    (world.work / "link").symlink_to("deny")
    world.expected |= {"work/link", "work/elsewhere"}
    world.holds("denied", "deny/secret", options=["--deny", world.work / "link"])


@case("F08 the denied link is turned to another target")
def denied_retarget(world):
    (world.work / "other").mkdir()
    (world.work / "other/secret").write_text(world.token)
    (world.work / "link").symlink_to("deny")
    world.expected |= {"work/link", "work/elsewhere", "work/other"}
    world.holds("retarget", "link", "other", options=["--deny", world.work / "link",
                                                      "--deny", world.work / "other"])


@case("F10 a hard link to what may only be read, or not at all")
def hard_link(world):
    world.holds("hardlink", "../ro.txt", "deny/secret", "deny-file", options=granted(world))


@case("F11 a write path that is a symbolic link to /etc")
def write_link(world):
    (world.work / "etc").symlink_to("/etc")
    (world.work / "dir").mkdir()
    (world.work / "dir/etc").symlink_to("/etc")
    world.expected |= {"work/etc", "work/dir", "work/ran"}
    for path in ("etc", "etc/cron.d", "dir/etc/cron.d"):
        world.run("touch", "ran", options=["--write", world.work / path]).refused(65, 77, 125)
        if (world.work / "ran").exists():
            fault(f"it ran with --write {path}")


@case("F11 a write path that names /etc outright, without approval")
def write_etc(world):
    world.run("touch", "ran", options=["--write", "/etc"]).refused(65, 77, 125)


@case("F12 a part of a path is swapped for a link while writ looks")
def race(world):
    box, spare = world.work / "box", world.work / "spare"
    for path in (box, spare):
        (path / "in").mkdir(parents=True)
    (world.outside / "in").mkdir()
    (world.outside / "in/secret").write_text("the other side")
    (world.work / "link").symlink_to(world.outside)
    world.expected |= {"work/box", "work/spare", "work/link"}
    world.restless = True
    swapper = subprocess.Popen([world.place.hostile, "swap", "box", "link"], cwd=world.work)
    try:
        for _ in range(2000 if world.place.long else 200):
            run = world.run("unreadable", "box/in/secret", "link/in/secret",
                            f"{world.outside}/in/secret", options=["--read", box / "in"])
            granted_paths = [entry["path"] for entry in run.record.get("paths", [])]
            if b"the other side" in run.stream("stdout") and str(world.outside / "in") not in granted_paths:
                fault("what was mounted is not what was checked", run)
    finally:
        swapper.kill()
        swapper.wait()


# ---- climbing ----

@case("F13 climbing out by /proc")
def climb(world):
    world.holds("climb", world.secret)


@case("F14 a working directory that is a descriptor of writ")
def magic_cwd(world):
    fd = os.open(world.outside, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for path in (f"/proc/self/fd/{fd}", "/proc/self/cwd", "/proc/self/root", f"/dev/fd/{fd}",
                     f"/./proc/self/fd/{fd}", f"//proc/self/fd/{fd}", f"/usr/../proc/self/fd/{fd}"):
            run = world.run("outside", "secret", options=["--cwd", path], pass_fds=(fd,))
            if run.status not in (64, 65, 69, 77, 125):
                fault(f"--cwd {path} was taken", run)
    finally:
        os.close(fd)


@case("F15 opening by a guessed handle")
def handles(world):
    world.holds("handles")


@case("F16 remount ro to rw")
def remount(world):
    world.holds("remount", "../ro.txt", "/", world.repo, world.work, "/usr", "/tmp", "/proc")


@case("F17 a user namespace of its own, to take the masks off")
def userns(world):
    world.holds("userns", "deny", "deny-file", "/proc", "/tmp", world.repo, options=granted(world))


@case("F18 mounts of every kind")
def mounts(world):
    world.holds("mounts")


@case("F19 chroot and pivot_root, with a directory kept open")
def chroot(world):
    fds = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in ("/", world.outside)]
    try:
        world.holds("chroot", pass_fds=tuple(fds))
    finally:
        for fd in fds:
            os.close(fd)


# ---- devices and programs ----

@case("F20 devices")
def devices(world):
    world.holds("devices", ".", "/tmp", "/dev", "/dev/shm")


@case("F21 programs that are set-user-id")
def set_user(world):
    copy = world.work / (world.mark + "s")
    shutil.copy(world.act, copy)
    copy.chmod(0o6755)
    world.expected.add(f"work/{copy.name}")
    world.holds("set_user", f"./{copy.name}")


@case("F21 no program that is set-user-id is left for the host")
def set_user_left(world):
    world.expected.add("work")
    run = world.run("set_mode", "set-chmod")
    left = [path.name for path in world.work.iterdir()
            if path.lstat().st_mode & 0o6000 and not path.is_dir()]
    if left:
        fault(f"set-user-id: {left}", run)


@case("F22 a program with capabilities")
def capabilities(world):
    if world.place.user:
        raise Skip("only root can give a file capabilities")
    everything = struct.pack("<5I", 0x02000001, 0xffffffff, 0, 0xffffffff, 0)
    os.setxattr(world.act, "security.capability", everything)
    world.holds("whoami")


@case("F22 no right of any kind, from the beginning")
def rights(world):
    world.holds("whoami")


@case("F23 a program in memory is held as well")
def memory_program(world):
    world.holds("memory_program", "outside", world.secret)


# ---- read only ----

@case("F25 truncating what may only be read")
def truncate(world):
    world.holds("truncate", "../ro.txt")


@case("F26 changing what may only be read")
def readonly(world):
    world.holds("readonly", "../ro.txt")
    if (world.repo / "ro.txt").read_text() != "may be read\n":
        fault("ro.txt has changed")


@case("F26 the level minimal writes nowhere")
def minimal(world):
    world.holds("readonly", "deny-file", options=["--fs", "minimal"])


# ---- private places ----

@case("F27 /dev/shm, /tmp, /run and the home are private and have a size")
def private(world):
    name, homes = f"left-{world.mark}", ["/dev/shm", "/tmp", "/run", "HOME"]
    world.holds("leave", name, *homes)
    for home in (*homes[:3], world.user_home, "/home", "/root"):
        if os.path.exists(f"{home}/{name}"):
            fault(f"the file is in the host's {home}")


@case("F28 the next run finds nothing there")
def not_there(world):
    name, homes = f"left-{world.mark}", ["/dev/shm", "/tmp", "/run", "HOME"]
    world.holds("leave", name, *homes)
    world.holds("absent", name, *homes)


@case("F29 /tmp is full at its size")
def full(world):
    run = world.run("fill", "/tmp/full", options=["--memory-mb", 1024])
    if run.record.get("cause") != "oom":
        run.expect()


@case("F29 files larger than any disk")
def sparse(world):
    world.expected.add("work/sparse")
    world.holds("sparse", "sparse")


@case("F29 /tmp holds only so many files")
def inodes(world):
    world.holds("inodes", "/tmp", options=["--memory-mb", 1024])


# ---- the kernel's files ----

@case("F43 watching outside")
def watch(world):
    world.holds("watch", world.secret, world.outside, "/etc/shadow")


@case("F44 the kernel's own files")
def kernel_files(world):
    world.holds("kernel_files")


@case("F44 at the level elevated, too")
def kernel_files_elevated(world):
    world.holds("kernel_files", options=["--fs", "elevated", "--approve", "test"])
