"""inside.py: what a command in the sandbox does to the gate. Runs there, alone: it imports nothing of ours.

usage: inside.py ACT [JSON]      prints what came of it as JSON
"""
import errno
import json
import os
import pathlib
import select
import socket
import struct
import sys
import time

GATE, NAMES = ("127.0.0.1", 3128), ("127.0.0.1", 53)


def join(seconds=20, at=GATE):
    s = socket.create_connection(at, seconds)
    s.settimeout(seconds)
    return s


def heard(s, most=1 << 20):
    """What comes until the end, or until an answer with a length is complete."""
    got = b""
    try:
        while len(got) < most and (more := s.recv(65536)):
            got += more
            head, _, body = got.partition(b"\r\n\r\n")
            length = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            if head.startswith(b"HTTP/1") and b"\r\n\r\n" in got and length and len(body) >= int(length[0]):
                break
    except OSError as why:
        if isinstance(why, TimeoutError):
            got += b"TIMEOUT"
    return got


def ask(text, at=GATE):
    """Bytes on a connection of their own."""
    with join(at=at) as s:
        try:
            s.sendall(text)
        except OSError:
            pass
        return heard(s)


def talk(texts):
    """A list of texts, each said to the gate; what was answered."""
    return [ask(text.encode("latin-1")).decode("latin-1") for text in texts]


def get(host, port=80, path="/hello"):
    near = host if port == 80 else f"{host}:{port}"
    return (f"GET http://{near}{path} HTTP/1.1\r\nHost: {near}\r\nConnection: close\r\n\r\n").encode("latin-1")


def socks(host, port, then):
    """SOCKS5 by name; what was answered to the request, and to what was said then."""
    name = host.encode("latin-1")
    if len(name) > 255:
        return [1, ""]  # it cannot even be said
    with join() as s:
        s.sendall(b"\5\1\0")
        if s.recv(2) != b"\5\0":
            return [255, ""]
        s.sendall(b"\5\1\0\3" + bytes([len(name)]) + name + struct.pack(">H", port))
        answer = s.recv(10)
        if len(answer) < 2 or answer[1]:
            return [answer[1] if len(answer) > 1 else 255, ""]
        s.sendall(then)
        return [0, heard(s).decode("latin-1")]


def tunnel(host, port, then):
    """CONNECT; how it was answered, and what was answered to what was said then."""
    with join() as s:
        s.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode("latin-1"))
        head = b""
        while b"\r\n\r\n" not in head and (more := s.recv(4096)):
            head += more
        if status(head) != 200:
            return [status(head), ""]
        s.sendall(then)
        return [200, heard(s).decode("latin-1")]


def three_ways(hosts):
    """Each host by HTTP, CONNECT and SOCKS5: the status each way; 200 is through."""
    told = {}
    for host, port in hosts:
        near = host if port == 80 else f"{host}:{port}"
        plain = f"GET /hello HTTP/1.1\r\nHost: {near}\r\nConnection: close\r\n\r\n".encode("latin-1")
        told[f"{host}:{port}"] = [status(ask(get(host, port))), tunnel(host, port, plain)[0], socks(host, port, plain)[0]]
    return told


def status(answer):
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.") and len(answer.split()) > 1 else \
        0 if not answer else -1


def rename(hello, name, turn):
    """A hello of TLS that says another name, of the same length, or none, or what cannot be read."""
    was = b"\0\0" + struct.pack(">HHBH", len(name) + 5, len(name) + 3, 0, len(name)) + name
    if turn == "none":
        return hello.replace(was, b"\x33\x77" + was[2:])
    if turn == "unreadable":
        return hello.replace(was, was[:4] + b"\0\1" + was[6:])
    return hello.replace(was, was[:-len(name)] + turn.encode())


def retry(host, port, turn, piece):
    """A session of OpenSSL in a tunnel, whose second hello is changed on its way and goes out piece by piece."""
    import ssl
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    session, sent = context.wrap_bio(into, out, server_hostname=host), b""
    with join() as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        s.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        s.recv(4096)
        try:
            while True:
                try:
                    session.do_handshake()
                    session.write(b"hello")
                    s.sendall(out.read())
                    into.write(s.recv(65536))
                    return [True, session.read(100).decode()]
                except ssl.SSLWantReadError:
                    text = out.read()
                    if sent and turn:
                        text = rename(text, host.encode(), turn)
                    sent += text
                    for at in range(0, len(text), piece):
                        s.sendall(text[at:at + piece])
                        if piece < 100:
                            time.sleep(0.0005)
                    more = s.recv(65536)
                    if not more:
                        return [False, "end"]
                    into.write(more)
        except OSError as why:
            return [False, str(why)]


# ---- names ----

def query(name, kind=1):
    labels = b"".join(bytes([len(part)]) + part for part in name.encode("latin-1").split(b".") if part)
    return struct.pack(">HHHHHH", 0x4242, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


def look_up(names, at=NAMES):
    """[code, addresses] of each name, as the resolver inside answers them."""
    told = {}
    for name in names:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(20)
            s.sendto(query(name), tuple(at))
            try:
                packet = s.recv(4096)
            except TimeoutError:
                told[name] = [-1, []]
                continue
        count, end = struct.unpack_from(">H", packet, 6)[0], len(query(name))
        rows = [socket.inet_ntoa(packet[end + 12 + 16 * n:end + 16 + 16 * n]) for n in range(count)]
        told[name] = [packet[3] & 15, rows]
    return told


def direct(targets):
    """[address, port] each, without the gate: how TCP and UDP end."""
    told = []
    for address, port in targets:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind) as s:
                s.settimeout(10)
                try:
                    s.connect((address, port))
                    s.sendall(b"canary")
                    told.append([address, port, kind, "GOT IT"])
                except OSError as why:
                    told.append([address, port, kind, errno.errorcode.get(why.errno, str(why))])
    return told


# ---- too much ----

def swarm(count, held, host):
    """Connections, many more at once than are served; then one that is meant."""
    made = tried = 0
    while tried < count:
        kept, there = [], select.poll()
        for _ in range(held):
            s = socket.socket()
            s.setblocking(False)
            s.connect_ex(GATE)
            there.register(s, select.POLLOUT)
            kept.append(s)
        tried += held
        if tried >= count:
            wait()
        for fd, _ in there.poll(10000):  # those that were let in; the others wait at the door
            made += 1
            try:
                os.write(fd, b"GET http")
            except OSError:
                pass
        for s in kept:
            s.close()
    return {"tried": tried, "made": made, "then": status(ask(get(host)))}


def slow(count, host):
    """Heads of requests that come a byte at a time and never end; then one that is meant."""
    kept, lost = [], 0
    for n in range(count):
        try:
            s = socket.create_connection(GATE, 20)
            s.setblocking(False)
            kept.append(s)
        except OSError:
            lost += 1
    for byte in b"GET http://allowed.test/hello HTTP/1.1\r\nX: ":
        for s in kept:
            try:
                s.send(bytes([byte]))
            except OSError:
                pass
    wait()
    for s in kept:
        s.close()
    return {"kept": len(kept), "then": status(ask(get(host)))}


def header(most, host):
    """A head that does not end: how much of it was taken before the gate let go."""
    told = []
    for start in (f"GET http://{host}/hello HTTP/1.1\r\nX: ", f"GET http://{host}/", f"CONNECT {host}:443 HTTP/1.1\r\nX: ",
                  "", f"GET http://{host}/hello HTTP/1.1\r\n" + "X: y\r\n" * 200):
        sent, block, answer = 0, b"x" * 65536, b""
        line = b"X: y\r\n" * 10000
        with join() as s:
            try:
                s.sendall(start.encode())
                while sent < most:
                    sent += s.send(line if start.endswith("\n") else block)
            except OSError:
                pass
            answer = heard(s)
        told.append([sent, status(answer)])
    wait()
    return {"told": told, "then": status(ask(get(host)))}


def hold_open(host, port, count):
    """Tunnels that stay open; says so in a file and waits."""
    kept = []
    for _ in range(count):
        s = join()
        s.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        if status(s.recv(4096)) != 200:
            return {"kept": len(kept)}
        kept.append(s)
    wait()
    return {"kept": len(kept)}


def pour(host, port):
    """A tunnel into which it pours without end."""
    with join() as s:
        s.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        s.recv(4096)
        pathlib.Path("ready").write_text("")
        while True:
            s.sendall(b"p" * 65536)


def wait(seconds=120):
    """Those outside look; they say when to go on."""
    pathlib.Path("ready").write_text("")
    end = time.monotonic() + seconds
    while not os.path.exists("go") and time.monotonic() < end:
        time.sleep(0.01)


def steal(_):
    """The gate's ports, by everything that might share or take them."""
    told = {}
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"),
                            (socket.AF_INET6, "::ffff:127.0.0.1")):
        for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            with socket.socket(family) as s:
                if option:
                    s.setsockopt(socket.SOL_SOCKET, option, 1)
                if family == socket.AF_INET6:
                    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
                try:
                    s.bind((address, GATE[1]))
                    s.listen(8)
                    told[f"{address} {option}"] = "GOT IT"
                except OSError as why:
                    told[f"{address} {option}"] = errno.errorcode[why.errno]
    return told


ACTS = {"talk": talk, "three_ways": three_ways, "look_up": look_up, "direct": direct, "steal": steal,
        "socks": lambda given: socks(given[0], given[1], get_path(given[0])), "swarm": lambda given: swarm(*given),
        "slow": lambda given: slow(*given), "header": lambda given: header(*given),
        "hold": lambda given: hold_open(*given), "pour": lambda given: pour(*given),
        "retry": lambda given: retry(*given), "look_up_at": lambda given: look_up(given[1], given[0])}


def get_path(host):
    return f"GET /hello HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1")


if __name__ == "__main__":
    print(json.dumps(ACTS[sys.argv[1]](json.loads(sys.argv[2]) if sys.argv[2:] else None)))
