"""cases_network.py: N, the offline level, and local sockets."""
import os
import socket
import subprocess

from ground import case, fault


def addresses():
    """Of this machine, loopback and all."""
    found = {"127.0.0.1", "::1"}
    text = subprocess.run(["ip", "-o", "addr"], capture_output=True, text=True).stdout \
        if os.path.exists("/usr/sbin/ip") or os.path.exists("/usr/bin/ip") else ""
    for line in text.splitlines():
        found.add(line.split()[3].split("/")[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            found.add(probe.getsockname()[0])
    except OSError:
        pass
    return sorted(address for address in found if not address.startswith("fe80"))


def hosts(world):
    """Listeners for TCP and UDP on one port each."""
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
    tcp, udp = world.listen(*((socket.AF_INET, kind, ("0.0.0.0", 0)) for kind in kinds))
    for kind, other in zip(kinds, (tcp, udp)):
        try:
            world.listen((socket.AF_INET6, kind, ("::1", other.name[1])))
        except OSError:
            pass
    return tcp.name[1], udp.name[1]


@case("N01 the listeners of the host, by every protocol")
def network(world):
    world.holds("network", *hosts(world), *addresses(), "192.0.2.1", "169.254.169.254", "1.1.1.1")


@case("N02 an abstract socket of the host")
def abstract(world):
    name = f"\0hostile-{world.mark}"
    world.listen((socket.AF_UNIX, socket.SOCK_STREAM, name + "s"), (socket.AF_UNIX, socket.SOCK_DGRAM, name + "d"))
    world.holds("local_sockets", f"@hostile-{world.mark}s", f"@hostile-{world.mark}d")


def in_project(world, *places):
    """Sockets that lie in the project, by relative names: a path may be too long for one."""
    here = os.getcwd()
    try:
        for place in places:
            os.chdir(place)
            world.listen((socket.AF_UNIX, socket.SOCK_STREAM, "s"), (socket.AF_UNIX, socket.SOCK_DGRAM, "d"))
            os.chmod("s", 0o777)
            os.chmod("d", 0o777)
            world.expected |= {str((place / name).relative_to(world.repo)) for name in "sd"}
    finally:
        os.chdir(here)


@case("N03 a socket of the host that lies in the project")
def pathname(world):
    in_project(world, world.work)
    world.holds("local_sockets", "s", "d")


@case("N03 a socket of the host where the project may only be read")
def pathname_readonly(world):
    in_project(world, world.repo)
    world.holds("local_sockets", "../s", "../d")


@case("N04 a datagram without a connection, from half a pair")
def datagram(world):
    in_project(world, world.work)
    run = world.run("local_sockets", "d")
    for listener in world.listeners:
        if listener.heard():
            fault(f"somebody spoke to {listener.name}", run)


@case("N03 a pair of sockets works")
def pair(world):
    world.holds("socket_pair")


@case("N05 every other family")
def families(world):
    world.holds("families")


@case("N24 among its own processes, the network works")
def own(world):
    hosts_known = ["127.0.0.1"] + (["::1"] if os.path.exists("/proc/net/if_inet6") else [])
    world.holds("own_network", *hosts_known)
