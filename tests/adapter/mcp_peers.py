#!/usr/bin/env python3
"""mcp_peers: the client and servers that others wrote, over pipes, HTTP and a WebSocket.

usage: mcp_peers.py PROBE WRIT_HTTP     prints TAP; skipped where they are not installed
"""
import functools
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "rigs"), str(HERE.parents[0] / "faces")]
import peers  # noqa: E402
import tap  # noqa: E402

PROBE, HTTP = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
CASES = []


def case(function):
    @functools.wraps(function)
    def play(scratch):
        try:
            function(scratch)
        except peers.Missing as why:
            raise tap.Skip(str(why)) from why

    CASES.append(play)
    return play


def probe(scratch, *where, calls=None):
    """What the probe found: its answer, with the answers to calls in their order."""
    env = peers.env(scratch)
    if calls is not None:
        env["MCP_CONFORMANCE_CONTEXT"] = json.dumps(
            {"calls": [{"tool": tool, "arguments": arguments} for tool, arguments in calls]})
    done = subprocess.run([PROBE, HTTP, *where], env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    if done.returncode:
        raise AssertionError(f"status {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def same(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


def first_text(answer):
    return answer["result"]["content"][0]["text"]


def adds(scratch, era, version, *where):
    """The server of both eras: its tools, one that works, one that fails, one that is not there."""
    found = probe(scratch, *where, calls=[("add", {"a": 2, "b": 40}), ("boom", {}), ("add", {"a": "x"}), ("none", {})])
    same((found["era"], found["version"], found["server"]["name"]), (era, version, "modern"))
    same([tool["name"] for tool in found["tools"]], ["add", "boom", "slow"])
    add, boom, bad, none = found["answers"]
    same((add["end"], add["failed"], add["result"]["structuredContent"]), ("done", False, {"sum": 42}))
    same((boom["end"], boom["failed"], first_text(boom)), ("done", True, "boom"))
    same((bad["end"] == "error" or bad["failed"], none["end"]), (True, "unknown_tool"))


@case
def the_sdk_of_the_modern_era_over_a_pipe(scratch):
    adds(scratch, "modern", "2026-07-28", "--", *peers.modern())


@case
def the_sdk_of_the_modern_era_over_http(scratch):
    with peers.modern_http() as peer:
        adds(scratch, "modern", "2026-07-28", peer.url)


@case
def a_websocket_in_front_of_it(scratch):
    with peers.ws_bridge(*peers.modern()) as peer:
        adds(scratch, "modern", "2026-07-28", peer.url)


@case
def the_filesystem_over_a_pipe(scratch):
    work = scratch / "work"
    work.mkdir()
    (work / "a file").write_text("its text\n")
    found = probe(scratch, "--", *peers.filesystem(work), calls=[
        ("read_text_file", {"path": str(work / "a file")}),
        ("write_file", {"path": str(work / "new"), "content": "new\n"}),
        ("list_directory", {"path": str(work)}),
        ("read_text_file", {"path": "/etc/passwd"}),
        ("get_file_info", {"path": str(work / "a file")})])
    same((found["era"], found["version"]), ("legacy", "2025-11-25"))
    same(len(found["tools"]) >= 10, True)
    read, write, listed, outside, info = found["answers"]
    same((read["end"], first_text(read), read["result"]["structuredContent"]),
         ("done", "its text\n", {"content": "its text\n"}))
    same((write["failed"], (work / "new").read_text()), (False, "new\n"))
    same("[FILE] a file" in first_text(listed), True)
    same((outside["end"], outside["failed"]), ("done", True))
    same(info["end"], "done")


def everything(found):
    same(found["era"], "legacy")
    echo, total, structured = found["answers"]
    same(first_text(echo), "Echo: hello")
    same("5" in first_text(total), True)
    same((structured["end"], "temperature" in structured["result"]["structuredContent"]), ("done", True))


EVERYTHING = [("echo", {"message": "hello"}), ("get-sum", {"a": 2, "b": 3}),
              ("get-structured-content", {"location": "Chicago"})]


@case
def everything_over_a_pipe(scratch):
    everything(probe(scratch, "--", *peers.everything(), calls=EVERYTHING))


@case
def everything_over_http(scratch):
    """It listens on every interface, so that it gets a network of its own, and so does this process."""
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        fault = b""
        try:
            peers.alone()
            with peers.everything_http() as peer:
                everything(probe(scratch, peer.url, calls=EVERYTHING))
        except peers.Missing as why:
            fault = b"skip " + str(why).encode()
        except BaseException as wrong:
            fault = repr(wrong).encode()
        os.write(writing, fault[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        fault = said.read().decode(errors="replace")
    os.waitpid(pid, 0)
    if fault.startswith("skip "):
        raise tap.Skip(fault[5:])
    same(fault, "")


everything_over_http.__doc__ = None
sys.exit(tap.play(CASES))
