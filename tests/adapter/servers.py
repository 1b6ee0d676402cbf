#!/usr/bin/env python3
"""servers: adapters of the kind mcp: real servers inside the sandbox, over HTTP and WebSocket, and hostile ones.

usage: servers.py RUN_PLAN WRIT      prints TAP
"""
import contextlib
import json
import shutil
import signal
import subprocess
import sys
import time

import toolshed
from toolshed import REAL_PYTHON, SECRET, adapter, hold, missing, plan, plans, retry, same, step, tool, true

import peers
import sockets
import strangers

CASES = []
case = toolshed.collector(CASES)
EXTRACT = {"transforms": {"output": [{"type": "extract", "spec": "$.content[0].text"}]}}
LONG = {"timeout_ms": 600000}  # which no test waits out
NETWORK = {"timeout_ms": 10000, "network": {"enabled": True, "allow": ["127.0.0.1"]}}


def mcp(name, tools, command=None, url=None, transport="stdio", **members):
    interface = {"server": f"{name}-server", "transport": transport, "tool_mapping": {t: t for t in tools}}
    interface |= {"command": [str(word) for word in command]} if command else {}
    interface |= {"url": url} if url else {}
    return adapter(name, "mcp", interface, **({"sandbox_override": {"timeout_ms": 10000, "memory_mb": 1024}} | members))


@contextlib.contextmanager
def inside(place):
    """The peers of npm below the repository, where a server in the sandbox can read them."""
    peers.node()
    home, rigs = peers.HOME, peers.RIGS
    for how in ("-al", "-a"):  # links are quick, where they can be had
        if subprocess.run(["cp", how, home / "node_modules", place.repo], capture_output=True).returncode == 0:
            break
        shutil.rmtree(place.repo / "node_modules", ignore_errors=True)
    shutil.copy(rigs / "modern_server.mjs", place.repo)
    peers.HOME = peers.RIGS = place.repo
    peers.node.cache_clear()
    try:
        yield
    finally:
        peers.HOME, peers.RIGS = home, rigs
        peers.node.cache_clear()


def stock(place, *adapters, **scope):
    """Servers may run whatever starts them."""
    place.stock(*adapters, tools=[tool(one["name"], **({
        "commands": [one["interface"]["mcp"].get("command", ["none"])[0]], "filesystem": "extended",
        "network": "api"} | scope)) for one in adapters])


# A server in a few lines: it does what it is told by the word behind its name.
SMALL = r'''
import json, os, signal, sys, time
how, stays = sys.argv[1].rstrip("!"), "!" in sys.argv[1]
seen = calls = 0
def say(**m):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **m}) + "\n"); sys.stdout.flush()
def tools():
    return [{"name": "echo", "description": "once" if seen < 2 or how != "rename" else "twice",
             "inputSchema": {"type": "object"}, **({"outputSchema": {"type": "object", "properties": {"n": {
                 "enum": ["a"]}}}} if how == "cut_value" else {"outputSchema": {"type": "object", "required": ["m"]}}
                 if how == "lacks" else {})}]
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m or how == "mute":
        continue
    if how == "drowsy" and m["method"] in ("initialize", "tools/call"): time.sleep(1.8)
    if m["method"] == "initialize" and how == "refuses":
        say(id=m["id"], error={"code": -32000, "message": "no, " + os.environ["TOKEN"]})
    elif m["method"] == "initialize":
        say(id=m["id"], result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                "serverInfo": {"name": "small", "version": "1"}})
    elif m["method"] == "tools/list":
        seen += 1
        say(id=m["id"], result={"tools": tools()})
    elif m["method"] == "tools/call":
        calls += 1
        if how == "silent" or (how == "dozes" and calls == 1): continue
        if how == "zero": say(id=0, result={}); continue
        if how == "bare": say(id=m["id"]); continue
        if how == "closes": os.close(1); continue
        if how == "dies": os._exit(3)
        if how == "sobs": sys.stderr.write("one\ntwo\nwith " + os.environ["TOKEN"] + "\nthe disk is full\n"); sys.stderr.flush(); os._exit(3)
        if how == "falls": os.kill(os.getpid(), 11); time.sleep(60)
        if how == "noise": print("this is no JSON"); sys.stdout.flush()
        if how == "half": sys.stdout.write('{"jsonrpc": "2.0", "id"'); sys.stdout.flush(); continue
        if how == "flood": sys.stdout.write('{"jsonrpc":"2.0","id":%d,"result":"' % m["id"] + "x" * (1 << 26)); sys.stdout.flush(); continue
        if how == "error": say(id=m["id"], error={"code": -32000, "message": "busy"}); continue
        if how == "tells": say(id=m["id"], error={"code": -32000, "message": "no, " + os.environ["TOKEN"]}); continue
        # What is told of these is cut short, in the middle of the secret.
        if how == "cut_error": say(id=m["id"], error={"code": -32000, "message": "x" * 490 + os.environ["TOKEN"]}); continue
        if how == "cut_noise": print("x" * 30 + os.environ["TOKEN"]); sys.stdout.flush(); continue
        if how == "cut_key": print('{"%s":1,"%s":1}' % (("x" * 30 + os.environ["TOKEN"],) * 2)); sys.stdout.flush(); continue
        if how == "lacks": say(id=m["id"], result={"content": [], "structuredContent": {"n": os.environ["TOKEN"]}}); continue
        if how == "cut_value": say(id=m["id"], result={"content": [], "structuredContent": {"n": "x" * 30 + os.environ["TOKEN"]}}); continue
        if how == "twice": say(id=m["id"], result={"content": [{"type": "text", "text": "first"}]})
        text = json.dumps(m["params"]["arguments"])
        if how == "fails": text = "the reason is\n" + "long " * 60 + "\tand here is its end"
        if how == "reads":
            try: text = open("private.txt").read() + open("made.txt", "w").write("x") * "w"
            except OSError as why: text = type(why).__name__
        if how == "secret": text = os.environ.get("TOKEN", "none") + " " + str(len(os.environ.get("OTHER", "")))
        say(id=m["id"], result={"content": [{"type": "text", "text": text}], "isError": how == "fails"})
    else:
        say(id=m["id"], error={"code": -32601, "message": "what"})
if how in ("slow", "polite", "stubborn"):
    signal.signal(signal.SIGTERM, lambda *_: open("asked.txt", "w").write("SIGTERM") and how != "stubborn" and os._exit(0))
    time.sleep(2.5)
if stays or how in ("polite", "stubborn"): time.sleep(60)
'''


# The same, which asks for a form first and answers with what became of it.
ASKING = SMALL.replace('text = json.dumps(m["params"]["arguments"])', '''say(
            id="f", method="elicitation/create", params={"message": "?", "requestedSchema": {
                "type": "object", "properties": {"sure": {"type": "boolean", "default": True}}}})
        text = json.loads(sys.stdin.readline())["result"]["action"]''')


def small(place, how, program=SMALL, **members):
    path = place.put("outside/small.py", program)
    one = mcp("small", ["echo"], [REAL_PYTHON, "-c", path.read_text(), how], **(EXTRACT | members))
    stock(place, one)
    return "small.echo"


@case
def a_server_of_the_project_is_started_from_its_top_wherever_it_is_called(place):
    place.put("srv", f"#!{REAL_PYTHON}\n" + SMALL, 0o755)
    stock(place, mcp("small", ["echo"], ["./srv", "well"], **EXTRACT))
    for at in (place.repo, place.work):
        same(place.fine("small.echo", "a:=1", at=at), '{"a": 1}')


@case
def A01_8_what_the_caller_leaves_is_what_a_server_has(place):
    place.put("work/private.txt", "mine ")
    name = small(place, "reads")
    same(place.fine(name), "mine w")
    hidden = place.fine(name, options=("--deny", place.work / "private.txt"))
    same(hidden, "PermissionError")
    place.put("work/made.txt", "")
    same(place.fine(name, options=("--fs", "minimal")), "OSError")


# ---- real ones ----

@case
@missing
def R_001_098_R_001_099_R_001_100_files_are_read_and_written_inside_the_sandbox(place):
    place.put("work/hello.txt", "hello\n")
    with inside(place):
        command = peers.filesystem(".")
    stock(place, mcp("files", ["read_text_file", "write_file", "list_directory"], command, **EXTRACT))
    same(place.fine("files.read_text_file", "path=hello.txt"), "hello\n")
    place.fine("files.write_file", "path=new.txt", "content=written")
    same((place.work / "new.txt").read_text(), "written")
    place.fails(1, "PEER_ERROR", "files.read_text_file", "path=/etc/shadow")
    place.verify()


@case
@missing
def both_eras_are_spoken_over_stdio(place):
    with inside(place):
        new, old = peers.modern(), peers.everything()
    stock(place, mcp("modern", ["add", "boom"], new, **EXTRACT), mcp("old", ["echo"], old, **EXTRACT))
    true("3" in place.fine("modern.add", "a:=1", "b:=2"), "a sum")
    true("hi" in place.fine("old.echo", "message=hi"), "echo")
    run = place.fails(1, "PEER_ERROR", "modern.boom")
    records = [entry["body"] for attempt in place.executions(run) for entry in place.log("--execution", attempt)]
    true(any("modern" in json.dumps(body) for body in records), records)


@case
@missing
def R_001_099_servers_are_reached_over_http_and_websocket(place):
    with peers.modern_http() as http, peers.ws_bridge(*peers.modern()) as ws:
        stock(place, mcp("web", ["add"], url=http.url, transport="http", sandbox_override=NETWORK, **EXTRACT),
              mcp("socket", ["add"], url=ws.url, transport="websocket", sandbox_override=NETWORK, **EXTRACT))
        for name in ("web.add", "socket.add"):
            place.fine(name, "a:=1", "b:=2")


@case
@missing
def a_plan_speaks_to_one_server_from_many_steps(place):
    with inside(place):
        stock(place, mcp("modern", ["add"], peers.modern(), **EXTRACT))
    ran = place.comes_to("success", plan(*(step("modern.add", {"a": n, "b": 1}) for n in range(5))))
    asked = [entry["body"]["metadata"]["purpose"] for entry in place.log("--kind", "input")
             if "metadata" in entry["body"] and "call" in entry["body"]]
    same((asked.count("MCP server modern-server"), len(asked)), (1, 6))
    same(len(ran.result["result_payload"]["steps"]), 5)
    place.verify()


# ---- small ones that misbehave ----

@case
def a_server_of_a_few_lines_is_called(place):
    same(json.loads(place.fine(small(place, "well"), "a:=1")), {"a": 1})


@case
def a_server_that_does_not_answer_keeps_nobody_from_another(place):
    stock(place, mcp("mute", ["echo"], ["/bin/sleep", "600"], sandbox_override={"timeout_ms": 60000}),
          mcp("small", ["echo"], [REAL_PYTHON, "-c", SMALL, "well"], **EXTRACT))
    steps = [step(action, {}, on_failure="skip", timeout_ms=ms)
             for action, ms in (("mute.echo", 12000), ("small.echo", 8000))]
    ran = place.comes_to("partial", plan(*steps, retry_policy=plans.retries(1, "STEP_TIMEOUT")), jobs=2)
    same(list(ran.result["result_payload"]["steps"]), [steps[1]["id"]])


@case
def R_001_098_a_server_that_nobody_allows_does_not_start(place):
    small(place, "well")
    place.registry(tool("small", commands=["/usr/bin/true"]))
    run = place.call("small.echo")
    hold(run.status in (69, 77) and not run.record["ok"], run)


@case
def what_hostile_servers_do_has_an_outcome(place):
    for how, status, code in (("silent", 143, "command_timeout"), ("dies", 1, "PEER_PROTOCOL"),
                              ("half", 143, "command_timeout"), ("error", 1, "PEER_ERROR"), ("fails", 1, "PEER_ERROR")):
        place.fails(status, code, small(place, how), options=("--timeout-ms", 2000),
                    told=["small-server: no answer in time; it may take 2000 ms"] if status == 143 else [])
    for how in ("noise", "twice"):
        run = place.call(small(place, how), "a:=1", options=("--timeout-ms", 2000))
        hold(run.status in (0, 1, 143), run)
    run = place.call(small(place, "flood"), options=("--timeout-ms", 5000))
    hold(run.status in (1, 69, 143) and not run.record["ok"], run)


@case
def a_server_that_is_not_installed_is_told_with_what_to_do(place):
    stock(place, mcp("small", ["echo"], ["no-such-server", "."]))
    place.fails(69, "PEER_UNAVAILABLE", "small.echo", told=["there is no program 'no-such-server'; install it", "`servers`"])
    own = place.put("node_modules/.bin/own-server", "#!/bin/sh\n", 0o755)
    stock(place, mcp("small", ["echo"], ["own-server"]))
    for env in ({}, {"PATH": f"/usr/bin:{own.parent}"}):
        place.fails(69, "PEER_UNAVAILABLE", "small.echo", env=env, told=[str(own), "by their path only"])
    if not shutil.which("mcp-server-filesystem", path="/usr/local/bin:/usr/bin:/bin"):
        (place.repo / ".writ/tools.yaml").unlink()
        place.fails(69, "PEER_UNAVAILABLE", "mcp-filesystem.read_file", "path=x",
                    told=["'mcp-server-filesystem'", "npm install -g @modelcontextprotocol/server-filesystem"])


@case
def a_tool_that_the_server_does_not_have_is_an_operation_that_is_unknown(place):
    path = place.put("outside/small.py", SMALL)
    stock(place, mcp("small", ["echo", "gone"], [REAL_PYTHON, "-c", path.read_text(), "well"]))
    place.fails(64, "OPERATION_UNKNOWN", "small.gone", told=["gone"])
    place.fails(64, "OPERATION_UNKNOWN", "small.none", told=["none"])


@case
def a_server_that_dies_in_a_call_is_told_with_how_and_its_last_words(place):
    place.fails(1, "PEER_PROTOCOL", small(place, "dies"), told=["its output has ended", "exit 3"])
    place.fails(1, "PEER_PROTOCOL", small(place, "falls"), told=["small-server: its output has ended", "exit 139, signal termination (SIGSEGV)"])
    name = small(place, "sobs", secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}])
    run = place.fails(1, "PEER_PROTOCOL", name, env={"MINE": SECRET},
                      told=["exit 3: two | with [redacted] | the disk is full"])
    hold(SECRET.encode() not in run.out + run.err, run)


@case
def a_server_that_dies_in_a_call_may_have_done_it(place):
    back = {"retry": retry(2)["retry"], "fallback": {"adapter_id": "ADP-other", "condition": "unavailable"}}
    path = place.put("outside/small.py", SMALL)
    other = mcp("other", ["echo"], [REAL_PYTHON, "-c", path.read_text(), "well"], **EXTRACT)
    with strangers.stranger(tools={"echo": {}}) as server:
        there = {"url": server.url + "/mcp", "transport": "http", "sandbox_override": NETWORK}
        for how in ({"command": [REAL_PYTHON, "-c", path.read_text(), "dies"]}, there):
            for effect, ran in (("write", ["ADP-small"]), ("read", ["ADP-small", "ADP-small", "ADP-other"])):
                stock(place, mcp("small", ["echo"], operations={"echo": {"effect": effect}}, errors=back, **how), other)
                run = place.call("small.echo")
                same([one["adapter_id"] for one in run.record["attempts"]], ran)
                hold(run.record["fell_back"] == (effect == "read"), run)
                if effect == "write":
                    same(run.record["error"]["code"], "PEER_PROTOCOL")
    stock(place, mcp("small", ["echo"], url=f"http://127.0.0.1:{peers.port()}", transport="http",
                     sandbox_override=NETWORK, errors=back), other)
    hold(place.call("small.echo").record["fell_back"], "who is not there did nothing")


@case
def what_is_no_websocket_is_no_protocol_and_who_hangs_up_is_gone(place):
    rows = ((b"\x81\x83abcd123", "masks its frames"), (b"\x89\x7e\x00\x7e" + b"x" * 126, "a control frame is too long"),
            (b"\xc1\x01x", "bits set"), (b"\x82\x01x", "not text"), (b"\x81\x7f\x00\x00\x00\x00\x40" + b"\x00" * 3, "larger than"))
    for answer, code, status, told in (*((wrong, "PEER_PROTOCOL", 1, told) for wrong, told in rows),
                                       (b"", "PEER_PROTOCOL", 1, "closed in the middle"),
                                       (sockets.frame(b"\x03\xe8", 0x88), "PEER_PROTOCOL", 1, "has closed")):
        with sockets.socket(answer) as server:
            stock(place, mcp("ws", ["echo"], url=server.url, transport="websocket", sandbox_override=NETWORK))
            place.fails(status, code, "ws.echo", told=[told])


@case
def what_a_websocket_is_closed_with_is_told(place):
    for reason, told in ((b"boom", "1011 boom"), (b"", "1011"), (b"no, " + SECRET.encode(), "1011 no, [redacted]"),
                         (b"a\x1b[31m\nb", "1011 a"), (b"x" * 123, "1011 xxx")):
        with sockets.socket(sockets.frame(b"\x03\xf3" + reason, 0x88)) as server:
            one = mcp("ws", ["echo"], url=server.url, transport="websocket", sandbox_override=NETWORK,
                      secrets=[{"name": "t", "env": "MINE"}])
            one["interface"]["mcp"]["auth"] = {"secret": "t"}
            stock(place, one)
            run = place.fails(1, "PEER_PROTOCOL", "ws.echo", env={"MINE": SECRET}, told=["has closed the connection: " + told])
            hold(SECRET.encode() not in run.out and b"\\u001b" not in run.out and b"\x1b" not in run.out, run)


@case
def who_is_not_let_in_is_told_about_secrets(place):
    for status in (401, 403):
        with strangers.stranger() as server, sockets.socket(status=status) as door:
            told_about_secrets(place, status, url=f"{server.url}/shut/{status}", transport="http")
            told_about_secrets(place, status, url=door.url, transport="websocket")


def told_about_secrets(place, status, **where):
    one = mcp("shut", ["echo"], sandbox_override=NETWORK, **where)
    stock(place, one)
    place.fails(1, "PEER_ERROR", "shut.echo", told=[f"HTTP status {status}", "name a secret under interface.mcp.auth"])
    one["secrets"] = [{"name": "t", "env": "MINE"}]
    one["interface"]["mcp"]["auth"] = {"secret": "t"}
    stock(place, one)
    place.fails(1, "PEER_ERROR", "shut.echo", env={"MINE": SECRET}, told=[f"HTTP status {status}", "did not accept the secret"])


@case
def R_001_116_a_bearer_goes_to_no_server_but_its_own(place):
    with strangers.stranger() as server:
        one = mcp("bound", ["hang_up"], url=f"{server.url}/mcp", transport="http", sandbox_override=NETWORK,
                  secrets=[{"name": "t", "env": "MINE", "hosts": ["example.org"]}])
        one["interface"]["mcp"]["auth"] = {"secret": "t"}
        stock(place, one)
        place.never("HOST_REFUSED", "bound", "bound.hang_up", env={"MINE": SECRET}, at="/interface/mcp/auth/secret",
                    told=["the secret 't' is not for 127.0.0.1"])
        del one["interface"]["mcp"]["url"]  # the configuration says where it is
        stock(place, one)
        place.put(".writ/config.yaml", json.dumps({"servers": [{"name": "bound-server", "url": f"{server.url}/mcp"}]}))
        run = place.call("bound.hang_up", env={"MINE": SECRET})
        hold(run.record["error"]["code"] == "HOST_REFUSED" and "'t' is not for" in run.record["error"]["message"], run)
        same(server.seen, [])
        one["secrets"][0]["hosts"] = ["127.0.0.1"]
        stock(place, one)
        place.call("bound.hang_up", env={"MINE": SECRET})
        same({seen[2].get("Authorization") for seen in server.seen}, {"Bearer " + SECRET})


@case
def a_bearer_beyond_ascii_is_sent_to_no_server(place):
    with strangers.stranger() as server:
        one = mcp("wide", ["hang_up"], url=f"{server.url}/mcp", transport="http", sandbox_override=NETWORK,
                  secrets=[{"name": "t", "env": "MINE"}])
        one["interface"]["mcp"]["auth"] = {"secret": "t"}
        stock(place, one)
        place.fails(77, "SECRET_MISSING", "wide.hang_up", env={"MINE": "t\u00f6ken-of-mine"}, told=["beyond ASCII"])
        same(server.seen, [])


@case
def a_form_is_filled_for_what_reads_alone_and_it_is_told(place):
    for operations, action, told in (({"echo": {"effect": "read"}}, "accept", "was given its own defaults"),
                                     ({"echo": {"effect": "write"}}, "decline", "which was declined"),
                                     ({}, "decline", "which was declined")):
        run = place.call(small(place, "well", ASKING, operations=operations))
        same(run.record["output"], action)
        hold([told in one for one in run.record["warnings"]] == [True], run)


@case
def a_server_that_leads_elsewhere_is_refused_and_not_asked_again(place):
    with strangers.stranger(tools={"echo": {"readOnlyHint": True}}) as server:
        one = mcp("astray", ["echo"], url=f"{server.url}/astray", transport="http", sandbox_override=NETWORK,
                  errors={"retry": {"max_attempts": 3, "backoff_ms": 1}}, operations={"echo": {"effect": "read"}})
        stock(place, one)
        run = place.fails(77, "HOST_REFUSED", "astray.echo", told=["redirects to another place"])
        same(len(run.record["attempts"]), 1)


@case
def a_server_that_speaks_something_else_is_not_refused_by_a_policy(place):
    with sockets.socket(proof=False) as server:
        stock(place, mcp("ws", ["echo"], url=server.url, transport="websocket", sandbox_override=NETWORK))
        place.fails(1, "PEER_PROTOCOL", "ws.echo", told=["does not agree"])


@case
def a_call_whose_stream_ends_is_not_sent_again(place):
    with strangers.stranger(tools={"echo": {}}) as server:
        for path, status, code, told in (("cut", 1, "PEER_PROTOCOL", "ended before the answer"),
                                         ("cut/slow", 143, "command_timeout", "no time is left")):
            stock(place, mcp("cut", ["echo"], url=f"{server.url}/{path}", transport="http", sandbox_override=NETWORK))
            server.called.clear()
            place.fails(status, code, "cut.echo", told=[told])
            same(server.called, ["echo"])


@case
def a_stream_is_asked_for_again_while_its_server_is_away(place):
    with strangers.stranger(tools={"echo": {}}) as server:
        stock(place, mcp("away", ["echo"], url=f"{server.url}/away", transport="http", sandbox_override=NETWORK, **EXTRACT))
        same((place.fine("away.echo"), server.called), ("here", ["echo"]))
        stock(place, mcp("away", ["echo"], url=f"{server.url}/away/gone", transport="http", sandbox_override=NETWORK))
        place.fails(143, "command_timeout", "away.echo", options=("--timeout-ms", 1500), told=["its stream ended"])
        same(server.called, ["echo"] * 2)


@case
def a_server_that_asks_without_end_holds_no_call_past_its_time(place):
    with strangers.stranger(tools={"echo": {}}) as server:
        for path, status in (("pings/beside", 0), ("pings", 143)):
            stock(place, mcp("pings", ["echo"], url=f"{server.url}/{path}", transport="http", sandbox_override=NETWORK))
            began = time.monotonic()
            same(place.call("pings.echo", options=("--timeout-ms", 2000)).status, status)
            true(time.monotonic() - began < 7, f"{path}: {time.monotonic() - began} s")
        stock(place, mcp("pings", ["echo"], url=f"{server.url}/deaf", transport="http", sandbox_override=NETWORK, **EXTRACT))
        same(place.call("pings.echo", options=("--timeout-ms", 1500)) and server.called, ["the caller"])


@case
def a_broken_answer_and_the_end_of_its_output_end_a_call_at_once(place):
    place.fails(1, "PEER_PROTOCOL", small(place, "bare", sandbox_override=LONG),
                told=["small-server: an answer that has not either a result or an error"])
    same(servers_ended(place), [("succeeded", None, "exited")])  # it heard that its input had ended
    with strangers.stranger(tools={"echo": {}}) as server:
        stock(place, mcp("bare", ["echo"], url=f"{server.url}/bare", transport="http", sandbox_override=NETWORK | LONG))
        place.fails(1, "PEER_PROTOCOL", "bare.echo", told=["an answer that has not either a result or an error"])
    place.fails(1, "PEER_PROTOCOL", small(place, "closes", sandbox_override=LONG),
                told=["small-server: its output has ended (the server itself runs on)"])


def servers_ended(place):
    """How the runs of servers ended, the last first: state, code, cause."""
    out = []
    for entry in reversed(place.log("--kind", "manifest")):
        if entry["body"].get("request", {}).get("purpose", "").startswith("MCP server"):
            last = place.log("--execution", entry["subject"])[-1]
            out.append((last["state"], last["body"]["payload"].get("error", {}).get("code"), entry["body"]["cause"]))
    return out


@case
def A00_3_a_server_that_does_not_answer_in_time_failed_and_was_not_cancelled(place):
    # to the call, or to nothing, or to another; and it ends with its line, or stays
    for n, (how, status) in enumerate((("silent", 143), ("silent!", 143), ("mute", 69), ("mute!", 69), ("zero!", 1))):
        run = place.call(small(place, how), options=("--timeout-ms", 1500))
        hold(run.status == status and not any(word in str(run.record) for word in ("server ended", "600000")), run)
        same(servers_ended(place), [("failed", "command_timeout", "timeout")] * (n + 1), how)
    place.fine(small(place, "well"))
    same(servers_ended(place)[0], ("succeeded", None, "exited"))


@case
def a_server_that_is_called_off_while_it_starts_is_no_reason_to_fall_back(place):
    path = place.put("outside/small.py", SMALL.replace("for line in", "open('up', 'w')\nfor line in"))
    stock(place, mcp("small", ["echo"], [REAL_PYTHON, "-c", path.read_text(), "mute"], sandbox_override=LONG,
                     errors={"fallback": {"adapter_id": "ADP-second", "condition": "unavailable"}}),
          mcp("second", ["echo"], [REAL_PYTHON, "-c", SMALL, "well"]))
    with open(place.scratch / "out", "w+b") as out, open(place.scratch / "err", "w+b") as err:
        child = subprocess.Popen([plans.tap.WRIT, "call", "--json", "small.echo"], cwd=place.work,
                                 env=place.environment(None), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    plans.until(lambda: (place.work / "up").exists(), "the server", child)
    child.send_signal(signal.SIGINT)
    run = place.end(child)
    hold(run.status == 143 and run.record["error"]["code"] == "EXECUTION_HALTED", run)
    hold(len(run.record["attempts"]) == 1 and not run.record["fell_back"], run)


@case
def starting_a_server_and_asking_it_share_the_time_of_one_call(place):
    # Each of the two alone would be in time.
    same(place.call(small(place, "drowsy"), "a:=1", options=("--timeout-ms", 3000)).status, 143)
    same(json.loads(place.fine("small.echo", "a:=1", options=("--timeout-ms", 9000))), {"a": 1})


@case
def a_server_that_stays_is_asked_to_end_and_ended_while_its_answer_waits(place):
    for how in ("slow", "stubborn"):
        same(json.loads(place.fine(small(place, how), "a:=1")), {"a": 1})
        same(((place.work / "asked.txt").read_text(), servers_ended(place)[0][2]), ("SIGTERM", "cancelled"))
        (place.work / "asked.txt").unlink()


@case
def a_server_of_a_plan_that_stays_is_asked_to_end_and_then_ended(place):
    for how in ("polite", "stubborn"):
        place.comes_to("success", plan(step(small(place, how), {"a": 1})))
        same(((place.work / "asked.txt").read_text(), servers_ended(place)[0][2]), ("SIGTERM", "cancelled"))
        (place.work / "asked.txt").unlink()


@case
def A00_3_a_server_that_was_late_once_and_answered_later_did_not_fail(place):
    name = small(place, "dozes", sandbox_override={"timeout_ms": 2000, "memory_mb": 1024})
    first = step(name, {"a": 1}, on_failure="retry")
    place.comes_to("success", plan(first, step(name, {"a": 2}, first), retry_policy=plans.retries(2, "STEP_FAILED")))
    same(servers_ended(place), [("succeeded", None, "exited")])


@case
def R_001_100_a_tool_that_is_not_what_was_pinned_is_not_called(place):
    digest = "sha256:" + "0" * 64
    place.fails(77, "TOOL_CHANGED", small(place, "well", operations={"echo": {"digest": digest}}))


@case
def A01_12_json_rpc_codes_are_tried_again(place):
    run = place.fails(1, "PEER_ERROR", small(place, "error", errors=retry(3, -32000),
                                             operations={"echo": {"effect": "read"}}))
    same([attempt["status"] for attempt in run.record["attempts"]], [-32000] * 3)
    run = place.fails(1, "PEER_ERROR", small(place, "error", errors=retry(3, -32000)),
                      told=["not tried again: it might be done twice, as its effect is not said to be read"])
    same([attempt["status"] for attempt in run.record["attempts"]], [-32000])


@case
def R_001_113_a_json_rpc_code_is_a_condition(place):
    place.put("outside/small.py", SMALL)
    first = mcp("first", ["echo"], [REAL_PYTHON, "-c", SMALL, "error"],
                errors={"fallback": {"adapter_id": "ADP-second", "condition": "-32000"}}, **EXTRACT)
    stock(place, first, mcp("second", ["echo"], [REAL_PYTHON, "-c", SMALL, "well"], **EXTRACT))
    run = place.call("first.echo", "a:=1")
    hold(run.status == 0 and run.record["fell_back"] and json.loads(run.record["output"]) == {"a": 1}, run)


@case
def secrets_reach_a_server_only_where_the_adapter_names_them(place):
    name = small(place, "secret", secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}])
    same(place.fine(name, env={"MINE": SECRET, "OTHER": SECRET}), "[redacted] 0")


@case
def a_server_that_repeats_a_secret_in_an_error_has_it_taken_out(place):
    for how, status in (("tells", 1), ("refuses", 1)):
        name = small(place, how, secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}])
        place.fails(status, "PEER_ERROR", name, env={"MINE": SECRET}, told=["no, [redacted]"])


@case
def what_a_result_lacks_as_a_whole_is_told_without_a_place(place):
    name = small(place, "lacks", secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}])
    place.fails(1, "PEER_PROTOCOL", name, env={"MINE": SECRET}, told=["outputSchema says: the document needs 'm'"])


@case
def a_secret_is_not_shown_in_part_where_words_are_cut_short(place):
    part = SECRET[:6]
    for how, code in (("error", "PEER_ERROR"), ("noise", "PEER_PROTOCOL"), ("key", "PEER_PROTOCOL"),
                      ("value", "PEER_PROTOCOL")):
        name = small(place, "cut_" + how, secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}])
        run = place.fails(1, code, name, env={"MINE": SECRET}, options=("--timeout-ms", 1500), told=["xxxxx"])
        hold(part.encode() not in run.out + run.err, run)
    kept = [path for path in place.state.rglob("*") if path.is_file() and part.encode() in path.read_bytes()]
    same(kept, [])


@case
def a_tool_that_fails_is_told_with_its_reason_on_one_line(place):
    told = "the tool echo failed: 'the reason is " + "long " * 60 + "and here is its end'"
    run = place.fails(1, "PEER_ERROR", small(place, "fails"), told=[told])
    same(run.record["attempts"][0]["message"], told)


@case
def R_001_098_a_server_is_named_by_the_configuration(place):
    small(place, "well")
    one = mcp("named", ["echo"], **EXTRACT)
    stock(place, one, commands=[REAL_PYTHON])
    place.fails(69, "PEER_UNAVAILABLE", "named.echo", told=["servers"])
    place.put(".writ/config.yaml", json.dumps({"servers": [
        {"name": "named-server", "command": [REAL_PYTHON, "-c", SMALL, "well"]}]}))
    same(json.loads(place.fine("named.echo", "b:=2")), {"b": 2})


@case
def a_server_that_could_not_be_started_is_told_before(place):
    adapters = [mcp("listed", ["echo"], ["/usr/bin/true"]), mcp("other", ["echo"], ["/usr/bin/true"]),
                mcp("unnamed", ["echo"])]
    place.stock(*adapters, tools=[tool("listed", commands=["/usr/bin/true"]), tool("other", commands=["/usr/bin/id"]),
                                  tool("unnamed", commands=["/usr/bin/id"])])
    document = plan(*(step(f"{one['name']}.echo", on_failure="skip") for one in adapters))
    done = place.writ("run", "--dry-run", "--json", place.document(document))
    steps = json.loads(done.out)["steps"]
    same((done.status, [one["refused"] and one["refused"]["code"] for one in steps]),
         (0, [None, "COMMAND_NOT_ALLOWED", "PEER_UNAVAILABLE"]))
    true("nothing says how the server unnamed-server is started" in steps[2]["refused"]["message"], steps)


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
