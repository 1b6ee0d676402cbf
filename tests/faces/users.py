"""users.py: playing as an ordinary user where root began, with control groups of that user's own."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import sys
import tempfile

UID = GID = 12345
GROUPS = pathlib.Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids", "cpu")
CLONE_NEW = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000  # user, mount, pid, net


def skip_all(why):
    print(f"1..0 # SKIP {why}")
    sys.stdout.flush()
    sys.exit(0)


def able():
    """Does this machine have namespaces at all? Where not, writ refuses, and there is nothing to play."""
    pid = os.fork()
    if pid == 0:
        os._exit(ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEW) != 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def own_group(controller):
    """The directory of this process's own group, for a controller on version 1; "" is version 2."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(","):
            return GROUPS / controller / path.lstrip("/")
    return None


def give(group, files):
    group.mkdir()
    for path in (group, *(group / name for name in files)):
        os.chown(path, UID, GID)


def delegate():
    """Groups that belong to the user, with this process in them. Returns them, for remove()."""
    name, made = f"writ-test-user-{os.getpid()}", []
    if all(own_group(controller) for controller in CONTROLLERS):
        for controller in CONTROLLERS:
            group = own_group(controller) / name
            give(group, ("cgroup.procs", "tasks"))
            made.append(group)
            (group / "cgroup.procs").write_text(str(os.getpid()))
        return made
    if not (GROUPS / "cgroup.controllers").exists():
        skip_all("cgroups are neither all of version 1 nor all of version 2")
    try:
        enabled = " ".join("+" + controller for controller in CONTROLLERS)
        (GROUPS / "cgroup.subtree_control").write_text(enabled)
        give(GROUPS / name, ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads"))
        made.append(GROUPS / name)
        give(GROUPS / name / "leaf", ("cgroup.procs", "cgroup.threads"))
        made.append(GROUPS / name / "leaf")
        (GROUPS / name / "leaf" / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as why:
        remove(made)
        skip_all(f"no cgroup could be given to a user: {why}")
    return made


def remove(made):
    for group in reversed(made):
        with contextlib.suppress(OSError):
            for left in sorted(group.glob("**/"), reverse=True):
                left.rmdir()


def make_base(name):
    """Not below /tmp where that can be helped: every sandbox has a /tmp of its own."""
    place = "/srv" if os.access("/srv", os.W_OK) else None
    base = pathlib.Path(tempfile.mkdtemp(prefix=name, dir=place)).resolve()
    base.chmod(0o755)
    return base


def as_user(base, play, prepare=lambda: None):
    """Plays in a child that is an ordinary user; what root made for it is taken away afterwards.
    prepare() is done by root in that child."""
    os.chown(base, UID, GID)
    pid = os.fork()
    if pid == 0:
        made = delegate()
        (base / "groups").write_text("\n".join(map(str, made)))
        prepare()
        os.setgroups([])
        os.setresgid(GID, GID, GID)
        os.setresuid(UID, UID, UID)
        sys.stdout.flush()
        status = play(base)
        sys.stdout.flush()
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    names = base / "groups"
    remove([pathlib.Path(name) for name in names.read_text().split()] if names.exists() else [])
    shutil.rmtree(base, ignore_errors=True)
    return status
