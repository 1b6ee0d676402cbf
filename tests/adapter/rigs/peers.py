"""peers.py: servers that others wrote, from npm (tools/setup peers), each on loopback and ended by us.

A test that needs one asks for it; Missing says that it cannot be had here, and the test is skipped.

    with peers.json_server({"things": []}) as peer: ... peer.url ...
"""
import contextlib
import ctypes
import functools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

RIGS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(RIGS.parents[1] / "route" / "rigs")]
import processes  # noqa: E402

Missing = processes.Missing
MCP = "@modelcontextprotocol"
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
HOME = pathlib.Path(os.environ.get("WRIT_PEERS") or pathlib.Path(
    os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "writ-peers")


# ---- where they are ----

def path(*parts):
    """A file below node_modules."""
    found = HOME.joinpath("node_modules", *parts)
    if not found.exists():
        raise Missing(f"{'/'.join(parts)} is not installed (tools/setup peers)")
    return found


@functools.cache
def node():
    """The program of the npm package node, else one of this machine that is new enough."""
    for one in (HOME / "node_modules/node/bin/node", shutil.which("node")):
        if one and os.access(one, os.X_OK):
            said = subprocess.run([one, "--version"], capture_output=True, text=True, timeout=60)
            if said.returncode == 0 and int(said.stdout[1:].split(".")[0]) >= 22:
                return str(one)
    raise Missing("there is no node of version 22 or newer (tools/setup peers)")


def env(home, **more):
    """What a peer is given: no proxy, no settings of the user's, a home of its own."""
    return {"PATH": f"{pathlib.Path(node()).parent}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home),
            "LC_ALL": "C.UTF-8", "NODE_PATH": str(HOME / "node_modules"), "NO_COLOR": "1"} | more


# ---- servers that speak over a pipe: the words that start them ----

def filesystem(*directories):
    return [node(), str(path(MCP, "server-filesystem/dist/index.js")), *map(str, directories)]


def everything(transport="stdio"):
    return [node(), str(path(MCP, "server-everything/dist/index.js")), transport]


def modern(transport="stdio", port=0):
    """tests/adapter/rigs/modern_server.mjs, with SDK 2.4: both eras, tools add, boom and slow."""
    path(MCP, "server")
    return [node(), "--import", resolver(), str(RIGS / "modern_server.mjs"), transport, str(port)]


def resolver():
    """Modules are looked for beside the file that imports them; ours stand elsewhere."""
    hook = ("import{registerHooks,createRequire}from'node:module';"
            f"const r=createRequire({json.dumps(str(HOME / 'package.json'))});"
            "import{pathToFileURL}from'node:url';"
            "registerHooks({resolve(s,c,n){try{return n(s,c)}catch(e){"
            "return n(s,{...c,parentURL:pathToFileURL("
            f"{json.dumps(str(HOME / 'package.json'))}).href}})}}}}}})")
    return "data:text/javascript," + hook


# ---- servers with a port ----

class Peer:
    """One that runs; `url` is where."""

    def __init__(self, words, url, ready=None, **more):
        self.home = tempfile.TemporaryDirectory()
        self.url = url
        self.daemon = processes.Daemon(*words, env=env(self.home.name, **more.pop("env", {})), cwd=self.home.name)
        try:
            self.wait(ready)
        except BaseException:
            self.end()
            raise

    def wait(self, ready):
        host, _, port = self.url.split("/")[2].rpartition(":")

        def there():
            if self.daemon.process.poll() is not None:
                raise RuntimeError(f"it ended: {self.daemon.last()}")
            with contextlib.suppress(OSError):
                socket.create_connection((host, int(port)), 1).close()
                return True

        if ready:
            if not self.daemon.says(ready):
                raise RuntimeError(f"it ended: {self.daemon.last()}")
        else:
            processes.until(there, f"{self.url} answers")

    def end(self):
        self.daemon.end()
        self.home.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def port():
    return processes.free_ports(1)[0]


def modern_http():
    """SDK 2.4 over streamable HTTP, both eras."""
    p = port()
    return Peer(modern("http", p), f"http://127.0.0.1:{p}/mcp")


def everything_http():
    """It binds every interface, so it is for a network of one's own: call alone() first."""
    p = port()
    return Peer(everything("streamableHttp"), f"http://127.0.0.1:{p}/mcp", env={"PORT": str(p)})


def ws_bridge(*words):
    """A WebSocket in front of a server that speaks over a pipe, subprotocol mcp."""
    path("ws")
    p = port()
    return Peer([node(), "--import", resolver(), str(RIGS / "ws_bridge.mjs"), str(p), *words],
                f"ws://127.0.0.1:{p}/")


def json_server(data):
    """CRUD over a JSON file: GET and POST /things, /things/1."""
    p = port()
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as f:
        json.dump(data, f)
    return Peer([node(), path("json-server/lib/cli/bin.js"), "--host", "127.0.0.1", "--port", p, "--quiet", f.name],
                f"http://127.0.0.1:{p}")


def prism(document):
    """Mocks an OpenAPI document: 401, 422, and `Prefer: code=429`."""
    p = port()
    return Peer([node(), path("@stoplight/prism-cli/dist/index.js"), "mock", "-h", "127.0.0.1", "-p", p, document],
                f"http://127.0.0.1:{p}")


def oauth2():
    """/.well-known/openid-configuration, and POST /token for client credentials."""
    p = port()
    return Peer([node(), path("oauth2-mock-server/dist/oauth2-mock-server.mjs"), "-a", "127.0.0.1", "-p", p],
                f"http://127.0.0.1:{p}")


# ---- a network of one's own ----

def alone():
    """From now on this process and its children have a network in which there is loopback alone."""
    libc = ctypes.CDLL(None, use_errno=True)
    flags = CLONE_NEWNET if os.getuid() == 0 else CLONE_NEWNET | CLONE_NEWUSER
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(flags) != 0:
        raise Missing(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    if flags & CLONE_NEWUSER:
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    if subprocess.run([processes.program("ip"), "link", "set", "lo", "up"], capture_output=True).returncode:
        raise Missing("loopback cannot be switched on")


# ---- the conformance suite ----

def conformance(command, scenario, version, scratch):
    """Plays one scenario with a client: (passed, what it printed)."""
    words = [node(), str(path(MCP, "conformance/dist/index.js")), "client", "--command", command, "--scenario",
             scenario, "--spec-version", version, "-o", str(scratch)]
    with subprocess.Popen(words, env=env(scratch), cwd=scratch, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as child:
        try:
            out, _ = child.communicate(timeout=processes.SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            out, _ = child.communicate()
    return child.returncode == 0, out
