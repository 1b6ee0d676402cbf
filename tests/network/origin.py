"""origin.py: the servers of the town: HTTP with and without TLS, a git repository, a Debian archive.

They keep what they were asked, headers and all. Each lives at an address of its own.
"""
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import socket
import ssl
import subprocess
import threading
import urllib.parse

import town

HOSTS = ("allowed.test", "other.test", "third.test", "api.test", "git.test", "deb.test", "www.allowed.test",
         "a.b.allowed.test", "evil.test", "evilallowed.test", "pypi.org", "files.pythonhosted.org",
         "registry.npmjs.org", "six.test", "both.test", "mixed.test", "flip.test", "filed.test")
CERTIFICATES = "/etc/ssl/certs"
IPV6_FREEBIND = 78


class Seen:
    """One request that came."""

    def __init__(self, server, handler, body):
        self.address, self.port = server.server_address[:2]
        self.method, self.path, self.headers, self.body = handler.command, handler.path, handler.headers, body
        self.host = handler.headers.get("Host", "")
        self.raw = handler.raw_requestline + bytes(handler.headers)

    def __repr__(self):
        return f"{self.method} {self.host}{self.path} at {self.address}:{self.port}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(iter(self.chunk, b""))
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def chunk(self):
        data = self.rfile.read(int(self.rfile.readline().split(b";")[0], 16))
        self.rfile.readline()
        return data

    def serve(self):
        body = self.body()
        self.server.seen.append(Seen(self.server, self, body))
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/hello":
            return self.answer(200, b"hello from " + self.headers.get("Host", "").encode() + b"\n")
        if url.path == "/echo":
            told = {"method": self.command, "path": self.path, "headers": dict(self.headers.items()),
                    "bytes": len(body), "digest": hashlib.sha256(body).hexdigest()}
            return self.answer(200, json.dumps(told).encode())
        if url.path == "/mirror":
            return self.mirror(query["how"], self.headers.get("X-Api-Key", ""), int(query.get("after", 0)))
        if url.path == "/big":
            return self.answer(200, b"b" * int(query["n"]))
        if url.path == "/elsewhere":
            return self.answer(302, b"", Location=query["to"])
        if url.path == "/gzip":
            return self.answer(200, gzip.compress(b"hello in gzip\n"), **{"Content-Encoding": "gzip"})
        return self.file(url.path)

    def mirror(self, how, key, after):
        """What it was sent in a header: in one, in a body of a length, in chunks, in chunks of a byte, up to the end;
        or what only begins like it, in chunks of a byte. Much is said beside those of what is hidden."""
        key = key[:-1] if how == "like" else key
        body = b"b" * after + key.encode() + b"\n"
        if how == "head":
            return self.answer(200, b"", Mirror=key)
        if how == "length":
            return self.answer(200, body)
        self.send_response(200)
        size = {"chunks": len(body), "apart": 1, "like": 1, "hidden": 1}.get(how)
        self.send_header(*(("Transfer-Encoding", "chunked") if size else ("Connection", "close")))
        self.end_headers()
        if size:
            more = b"m" * (8000 if how == "hidden" else 4)
            pieces = [body[i:i + size] for i in range(0, len(body), size)]
            body = b"".join(b"%x;some=%b\r\n%b\r\n" % (len(piece), more, piece) for piece in pieces) + b"0\r\n\r\n"
        self.wfile.write(body)
        self.close_connection = not size

    def file(self, path):
        """What was put below the server's directory."""
        root = self.server.files
        target = (root / path.lstrip("/")).resolve() if root else None
        if not target or root not in target.parents or not target.is_file():
            return self.answer(404, b"nothing here\n")
        return self.answer(200, target.read_bytes(), **{"Content-Type": "application/octet-stream",
                                                        "Last-Modified": "Fri, 16 Jan 2026 10:20:00 GMT"})

    do_GET = do_POST = do_PUT = do_HEAD = serve


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 512
    allow_reuse_address = True

    def __init__(self, address, port, seen, files=None, tls=None):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.seen, self.files, self.tls, self.came, self.names = seen, files, tls, 0, []
        super().__init__((address, port), Handler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def server_bind(self):  # without asking for the name of the address
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)  # a route leads here, no interface has it
        self.socket.bind(self.server_address)
        self.server_name, self.server_port = self.server_address[:2]

    def get_request(self):
        guest, peer = super().get_request()
        self.came += 1
        if self.tls:  # the handshake is the handler's: nobody else waits for it
            guest = self.tls.wrap_socket(guest, server_side=True, do_handshake_on_connect=False)
        return guest, peer

    def handle_error(self, *_):
        pass  # guests come and go as they like

    def told_name(self, guest, name, _):
        self.names.append(name)


# ---- certificates ----

def openssl(*args):
    subprocess.run(["openssl", *map(str, args)], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def certify(place):
    """An authority of our own in the place of all others, and a certificate for every host."""
    store = place / "certs"
    store.mkdir()
    key, authority, server = place / "ca.key", store / "ca-certificates.crt", place / "server"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2, "-subj",
            "/CN=town", "-keyout", key, "-out", authority, "-addext", "basicConstraints=critical,CA:TRUE")
    names = ",".join(f"DNS:{name}" for name in HOSTS)
    (place / "extensions").write_text(f"subjectAltName={names}\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=server",
            "-keyout", f"{server}.key", "-out", f"{server}.csr")
    openssl("x509", "-req", "-days", 2, "-in", f"{server}.csr", "-CA", authority, "-CAkey", key, "-CAcreateserial",
            "-extfile", place / "extensions", "-out", f"{server}.crt")
    (store / "town.pem").write_bytes(authority.read_bytes())
    openssl("rehash", store)
    for path in (f"{server}.key", key):
        os.chmod(path, 0o644)
    if os.path.isdir(CERTIFICATES):
        town.cover(store, CERTIFICATES)
    return authority, server


def tls(server, told):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{server}.crt", f"{server}.key")
    context.sni_callback = told
    return context


# ---- what lies on the servers ----

def make_repository(place):
    """A repository as `git update-server-info` leaves it, for those who clone over plain files."""
    tree, bare = place / "tree", place / "git" / "project.git"
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place), "GIT_CONFIG_NOSYSTEM": "1"}
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "-q", tree], check=True, env=env)
    (tree / "read.me").write_text("cloned over http\n")
    subprocess.run([*git, "add", "."], check=True, env=env, cwd=tree)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True, env=env, cwd=tree)
    subprocess.run([*git, "clone", "-q", "--bare", tree, bare], check=True, env=env, stderr=subprocess.DEVNULL)
    subprocess.run([*git, "update-server-info"], check=True, env=env, cwd=bare)
    return bare.parent


def make_archive(place):
    """The smallest archive that apt takes: one package in one flat directory."""
    root = place / "deb" / "debian"
    root.mkdir(parents=True)
    tree = place / "package"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text("Package: townhall\nVersion: 1.0\nArchitecture: all\n"
                                             "Maintainer: x <x@x>\nDescription: a package\n")
    built = subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, root / "townhall_1.0_all.deb"],
                           capture_output=True)
    if built.returncode != 0:
        return root.parent
    data = (root / "townhall_1.0_all.deb").read_bytes()
    packages = ("Package: townhall\nVersion: 1.0\nArchitecture: all\nMaintainer: x <x@x>\nDescription: a package\n"
                f"Filename: ./townhall_1.0_all.deb\nSize: {len(data)}\n"
                f"SHA256: {hashlib.sha256(data).hexdigest()}\n\n").encode()
    (root / "Packages").write_bytes(packages)
    (root / "Release").write_text("Suite: town\nDate: Fri, 16 Jan 2026 10:20:00 UTC\nSHA256:\n"
                                  f" {hashlib.sha256(packages).hexdigest()} {len(packages)} Packages\n")
    return root.parent


class Town:
    """All of it: names, servers, and those who must not be spoken to."""

    def __init__(self, base):
        self.place = base / "town"
        self.place.mkdir()
        self.names, self.seen = town.Names(), []
        self.authority, self.certificate = base / "etc/certs/ca-certificates.crt", base / "etc/server"
        files = {town.GIT: make_repository(self.place), town.DEBIAN: make_archive(self.place)}
        self.servers = {}
        for address in (*town.PUBLIC, town.OWN, *([town.SIX] if town.has_six() else [])):
            for port in (80, 443, 8080):
                self.serve(address, port, files.get(address))
        self.canaries = town.canaries()

    def serve(self, address, port, files):
        server = Server(address, port, self.seen, pathlib.Path(files).resolve() if files else None)
        if port == 443:
            server.tls = tls(self.certificate, server.told_name)
        self.servers[address, port] = server

    def begin(self):
        """Before a case: nothing was seen yet."""
        self.seen.clear()
        self.names.asked.clear()
        for server in self.servers.values():
            server.came = 0
            server.names.clear()

    def came(self, address, port=None):
        """How many connections came to an address."""
        return sum(server.came for (at, on), server in self.servers.items()
                   if at == address and port in (None, on))

    def total(self):
        return sum(server.came for server in self.servers.values())

    def finish(self):
        """After it: nobody spoke to those who must not be spoken to."""
        spoken = [(canary.name, heard) for canary in self.canaries if (heard := canary.heard())]
        if spoken:
            raise AssertionError(f"somebody spoke to {spoken[:5]}")


@contextlib.contextmanager
def canary(family, kind, address):
    """One more of those, for a case."""
    one = town.Canary(family, kind, address)
    try:
        yield one
        heard = one.heard()
        if heard:
            raise AssertionError(f"somebody spoke to {one.name}: {heard}")
    finally:
        one.socket.close()
