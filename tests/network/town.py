"""town.py: a network of the test's own: addresses that look like the world's, names, and eyes on both.

Nothing here leaves the machine: the network has a loop and no other interface. The addresses of the
world lead to the loop by a route: no interface has them, or they would be the machine's own. The names are answered by a name server on 127.0.0.1:53 that remembers what it was asked.
"""
import ctypes
import fcntl
import os
import pathlib
import socket
import struct
import threading

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK = 0x8914, 0x8916, 0x891C
IFF_UP, IFF_RUNNING = 0x1, 0x40

# Addresses of the world, and who lives there.
ALLOWED, OTHER, THIRD, GIT, DEBIAN = (f"93.184.216.{n}" for n in range(34, 39))
SIX = "2606:2800:220:1::5"
PUBLIC = (ALLOWED, OTHER, THIRD, GIT, DEBIAN)
OWN = "93.184.216.50"  # looks like the world's, and is the machine's

# Addresses that no name may lead to, by the name that does.
NEVER = {
    "to-loop": "127.0.0.1", "to-loop-9": "127.9.9.9", "to-ten": "10.1.2.3", "to-172": "172.16.5.4",
    "to-192": "192.168.7.7", "to-metadata": "169.254.169.254", "to-carrier": "100.64.0.9",
    "to-zero": "0.0.0.0", "to-zero-net": "0.1.2.3", "to-bench": "198.18.0.1", "to-ietf": "192.0.0.1",
    "to-many": "224.0.0.1", "to-all": "255.255.255.255", "to-class-e": "240.0.0.1",
    "to-six-loop": "::1", "to-six-zero": "::", "to-mapped": "::ffff:127.0.0.1",
    "to-mapped-ten": "::ffff:10.1.2.3", "to-mapped-metadata": "::ffff:169.254.169.254",
    "to-compatible": "::127.0.0.1", "to-nat64": "64:ff9b::7f00:1", "to-nat64-ten": "64:ff9b::a01:203",
    "to-6to4": "2002:7f00:1::1", "to-teredo": "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "to-local-six": "fd00::5", "to-link-six": "fe80::5", "to-site-six": "fec0::5", "to-many-six": "ff02::1",
}
ON_THE_LOOP = ("10.1.2.3", "172.16.5.4", "192.168.7.7", "169.254.169.254", "100.64.0.9", "198.18.0.1")
ON_THE_LOOP_SIX = (SIX, "fd00::5", "fec0::5", "64:ff9b::7f00:1", "64:ff9b::a01:203", "2002:7f00:1::1")

NAMES = {
    "allowed.test": [ALLOWED], "www.allowed.test": [ALLOWED], "a.b.allowed.test": [ALLOWED],
    "evilallowed.test": [OTHER], "allowed.test.evil.test": [OTHER], "other.test": [OTHER],
    "evil.test": [OTHER], "third.test": [THIRD], "git.test": [GIT], "deb.test": [DEBIAN], "api.test": [THIRD],
    "six.test": [SIX], "xn--allwed-9ya.test": [OTHER], "mixed.test": ["127.0.0.1", "10.1.2.3", ALLOWED],
    "both.test": [ALLOWED, "::1"], "pypi.org": [THIRD], "files.pythonhosted.org": [THIRD],
    "registry.npmjs.org": [THIRD], "crates.io": [THIRD], "proxy.golang.org": [THIRD],
    "deb.debian.org": [DEBIAN], "evil.pypi.org": [OTHER], "own.test": [OWN],
} | {f"{name}.test": [address] for name, address in NEVER.items()}

libc = ctypes.CDLL(None, use_errno=True)


class Missing(Exception):
    """Such a network cannot be had here; says why."""


def call(what, status):
    if status != 0:
        raise Missing(f"{what}: {os.strerror(ctypes.get_errno())}")


# ---- the place ----

def settle(base):
    """This process moves there, and with it all that it starts from now on. For one who is not root
    it is a user namespace, too, in which the user has the same id."""
    ids = None if os.geteuid() == 0 else (os.getuid(), os.getgid())
    call("no namespaces", libc.unshare(CLONE_NEWNS | CLONE_NEWNET | (CLONE_NEWUSER if ids else 0)))
    if ids:
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"{ids[0]} {ids[0]} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"{ids[1]} {ids[1]} 1")
    call("mounts stay shared", libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    try:
        put_up_addresses()
        pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").write_text("0")
    except OSError as why:
        raise Missing(f"no network can be built: {why}") from None
    etc = base / "etc"
    etc.mkdir()
    lay(etc / "hosts", "127.0.0.1 localhost\n::1 localhost\n" f"{ALLOWED} filed.test\n127.0.0.1 filed-loop.test\n",
        "/etc/hosts")
    lay(etc / "resolv.conf", "nameserver 127.0.0.1\nsearch test\noptions timeout:2 attempts:1\n", "/etc/resolv.conf")
    lay(etc / "nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n", "/etc/nsswitch.conf")
    return etc


def put_up_addresses():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as four:
        fcntl.ioctl(four, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP | IFF_RUNNING))
        for n, address in enumerate((OWN, *ON_THE_LOOP), 1):
            for what, bits in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, "255.255.255.255")):
                fcntl.ioctl(four, what, struct.pack("16sHH4s8x", f"lo:{n}".encode(), socket.AF_INET, 0,
                                                    socket.inet_aton(bits)))
    for address in PUBLIC:
        lead_to_loop(socket.AF_INET, address)
    if not os.path.exists("/proc/net/if_inet6"):
        return
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as six:
        for address in ON_THE_LOOP_SIX[1:]:
            fcntl.ioctl(six, SIOCSIFADDR, struct.pack("16sIi", socket.inet_pton(socket.AF_INET6, address), 128,
                                                      socket.if_nametoindex("lo")))
    lead_to_loop(socket.AF_INET6, SIX)


def lead_to_loop(family, address):
    """A route, as `ip route add local ADDRESS dev lo` makes it."""
    raw = socket.inet_pton(family, address)
    new_route, create_and_answer, local_table, boot, host_scope, local = 24, 0x405, 255, 3, 254, 2
    body = struct.pack("8BI", family, len(raw) * 8, 0, 0, local_table, boot, host_scope, local, 0)
    body += struct.pack("HH", 4 + len(raw), 1) + raw + struct.pack("HHI", 8, 4, socket.if_nametoindex("lo"))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as line:
        line.send(struct.pack("IHHII", 16 + len(body), new_route, create_and_answer, 1, 0) + body)
        failed = -struct.unpack_from("i", line.recv(4096), 16)[0]
    if failed:
        raise OSError(failed, os.strerror(failed))


def has_six():
    return os.path.exists("/proc/net/if_inet6") and SIX in ON_THE_LOOP_SIX


def lay(path, text, over):
    """A file over one of the machine's; nobody else sees it."""
    path.write_text(text)
    path.chmod(0o644)
    cover(path, over)


def cover(path, over):
    real = os.path.realpath(over)
    if not os.path.exists(real):
        raise Missing(f"there is no {over} to lay one of our own over")
    call(f"nothing can be laid over {real}", libc.mount(bytes(path), real.encode(), None, MS_BIND, None))


# ---- names ----

def pack_answer(query, addresses):
    """An answer to the one question of a query; None: there is no such name."""
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]])
        at += 1 + query[at]
    kind = struct.unpack_from(">H", query, at + 1)[0]
    name, question = b".".join(labels).decode("latin-1").lower(), query[12:at + 5]
    found = addresses(name)
    packed = [socket.inet_pton(family, one) for one in found or ()
              if (family := socket.AF_INET6 if ":" in one else socket.AF_INET) == {1: socket.AF_INET,
                                                                                   28: socket.AF_INET6}.get(kind)]
    head = query[:2] + struct.pack(">HHHHH", 0x8180 | (3 if found is None else 0), 1, len(packed), 0, 0)
    rows = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(one)) + one for one in packed)
    return name, head + question + rows


class Names:
    """The name server of the town. What it is asked is evidence."""

    def __init__(self):
        self.asked, self.table, self.turns = [], dict(NAMES), {}
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 53))
        self.tcp = socket.create_server(("127.0.0.1", 53))
        for serve in (self.by_packet, self.by_stream):
            threading.Thread(target=serve, daemon=True).start()

    def addresses(self, name):
        """A name in `turns` has another answer each time, and keeps the last one."""
        if name in self.turns:
            answers = self.turns[name]
            return answers.pop(0) if len(answers) > 1 else answers[0]
        return self.table.get(name)

    def answer(self, query):
        name, packet = pack_answer(query, self.addresses)
        self.asked.append(name)
        return packet

    def by_packet(self):
        while True:
            query, peer = self.udp.recvfrom(4096)
            try:
                self.udp.sendto(self.answer(query), peer)
            except (IndexError, struct.error):
                self.asked.append(repr(query))

    def by_stream(self):
        while True:
            guest, _ = self.tcp.accept()
            with guest:
                try:
                    length = struct.unpack(">H", guest.recv(2, socket.MSG_WAITALL))[0]
                    packet = self.answer(guest.recv(length, socket.MSG_WAITALL))
                    guest.sendall(struct.pack(">H", len(packet)) + packet)
                except (IndexError, struct.error, OSError):
                    self.asked.append("something over TCP")


# ---- those who must not be spoken to ----

class Canary:
    """A socket of the host. Whoever speaks to it is remembered by the kernel until it is asked."""

    def __init__(self, family, kind, address):
        self.socket, self.kind = socket.socket(family, kind | socket.SOCK_NONBLOCK), kind
        if family != socket.AF_UNIX:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self.socket.bind(address)
        if kind == socket.SOCK_STREAM:
            self.socket.listen(64)
        self.name = self.socket.getsockname()

    def heard(self):
        try:
            return self.socket.recvfrom(100) if self.kind == socket.SOCK_DGRAM else self.socket.accept()[1]
        except BlockingIOError:
            return None


def canaries():
    """On every address that must not be reached, at the ports of the web and at others."""
    found = []
    for address in ("127.0.0.1", "127.9.9.9", *ON_THE_LOOP, "::1", *ON_THE_LOOP_SIX[1:]):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        if family == socket.AF_INET6 and not has_six():
            continue
        for port in (80, 443, 8080, 3128):
            found.append(Canary(family, socket.SOCK_STREAM, (address, port)))
        found.append(Canary(family, socket.SOCK_DGRAM, (address, 9)))
    for port in (22, 25):
        found += [Canary(socket.AF_INET, socket.SOCK_STREAM, (address, port)) for address in PUBLIC]
    found += [Canary(socket.AF_INET, socket.SOCK_DGRAM, (address, 53)) for address in PUBLIC]
    for kind, end in ((socket.SOCK_STREAM, "s"), (socket.SOCK_DGRAM, "d")):
        found.append(Canary(socket.AF_UNIX, kind, f"\0town-{os.getpid()}{end}"))
    return found
