"""machine: a small machine of qemu's with Debian's kernel, for the programs of a build."""
import gzip
import os
import pathlib
import platform
import re
import subprocess

SECONDS, PROBE_SECONDS = 900, 20
ELF = {183: "aarch64", 62: "x86_64"}
MACHINES = {  # a machine: Debian's name for it, qemu's options, its processor, its console
    "aarch64": ("arm64", ["qemu-system-aarch64", "-machine", "virt"], "cortex-a72", "ttyAMA0"),
    "x86_64": ("amd64", ["qemu-system-x86_64", "-machine", "q35"], "max", "ttyS0"),
}


class Absent(Exception):
    """What is needed from outside is not to be had here; the text says what."""


def ask(*command, **options):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              **options)
    except FileNotFoundError:
        raise Absent(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        raise Absent(f"{' '.join(command)}: {' '.join(done.stderr.split())}")
    return done.stdout


# ---- the kernel ----

def kernel(home, machine):
    """Debian's, unpacked and not installed; small, for clouds, with all this needs built in."""
    debian = MACHINES[machine][0] + ("" if machine == platform.machine() else f":{MACHINES[machine][0]}")
    home.mkdir(parents=True, exist_ok=True)
    if not list(home.glob("boot/vmlinuz-*")):
        names = re.findall(r"Depends: (linux-image-\S+)",
                           ask("apt-cache", "depends", f"linux-image-cloud-{debian}"))
        if not names:
            raise Absent(f"apt knows no linux-image-cloud-{debian}")
        ask("apt-get", "download", "-qq", names[0], cwd=home)
        for package in home.glob("linux-image-*.deb"):
            ask("dpkg", "-x", package.name, ".", cwd=home)
            package.unlink()
    return sorted(home.glob("boot/vmlinuz-*"))[-1]


# ---- the files of the machine: a cpio archive in the "newc" format ----

def entry(name, mode, data=b"", device=(0, 0), owner=(0, 0)):
    name = os.fsencode(name) + b"\0"
    fields = [0, mode, *owner, 1, 0, len(data), 0, 0, *device, len(name), 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


CONSOLE = entry("dev/console", 0o020600, device=(5, 1))
END = entry("TRAILER!!!", 0)


def archive(files):
    """files: {absolute path: bytes}. Folders are made as needed."""
    folders = {str(parent) for name in files for parent in pathlib.PurePath(name).parents}
    out = [entry(name.lstrip("/"), 0o040755) for name in sorted(folders | {"/dev", "/mnt"}) if name != "/"]
    out += [entry(name.lstrip("/"), 0o100755, data) for name, data in sorted(files.items())]
    return b"".join(out) + CONSOLE + END


def tree(root):
    """A directory as it is, but for what is no file, no folder and no link."""
    out = []
    for path in sorted(root.rglob("*")):
        found = path.lstat()
        data = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        if path.is_symlink() or path.is_file() or path.is_dir():
            out.append(entry(path.relative_to(root), found.st_mode, data, owner=(found.st_uid, found.st_gid)))
    return b"".join(out) + CONSOLE + END


# ---- the machine ----

def of(program):
    """The name of the machine that a program is for."""
    return ELF.get(int.from_bytes(pathlib.Path(program).read_bytes()[18:20], "little"), "another")


def is_fast(qemu, image):
    """Whether the processor itself runs such a machine: a kernel without files ends at once. Where this
    machine is one within another, it may begin and get nowhere."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    command = [*qemu, "-cpu", "host", "-enable-kvm", "-m", "256", "-nographic", "-no-reboot", "-nic", "none",
               "-kernel", image, "-append", "loglevel=1 panic=-1"]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=PROBE_SECONDS).returncode == 0
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False


def boot(build, files, words, memory=512):
    """What a machine of these files, an archive, printed on its console."""
    machine = of(build / "tests/v2_init")
    if machine not in MACHINES:
        raise Absent(f"no machine like {machine} is known")
    _, qemu, processor, console = MACHINES[machine]
    home = build / "v2"
    image = kernel(home, machine)
    (home / "initrd.gz").write_bytes(gzip.compress(files, 1))
    fast = machine == platform.machine() and is_fast(qemu, image)
    command = [*qemu, "-cpu", "host" if fast else processor, *(["-enable-kvm"] if fast else []),
               "-smp", "2", "-m", str(memory), "-nographic", "-no-reboot", "-nic", "none",
               "-kernel", image, "-initrd", home / "initrd.gz",
               "-append", f"console={console} no_timer_check loglevel=1 panic=-1 -- {words}"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS)
        return done.stdout.decode(errors="replace").replace("\r", "")
    except FileNotFoundError:
        raise Absent(f"{qemu[0]} is not installed") from None
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace").replace("\r", "")
