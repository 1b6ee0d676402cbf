#!/usr/bin/env python3
"""examples: the three adapters that the contract prints, called: what they send, try again, give and may use.

usage: examples.py RUN_PLAN WRIT      prints TAP

The service of ADP-002 and the server of ADP-003 are on this machine; but for where they are, nothing
of the documents is changed.
"""
import contextlib
import datetime
import http.server
import json
import pathlib
import shutil
import sys
import threading

import toolshed
from toolshed import APPROVED, REAL_PYTHON, SECRET, hold, plans, same

CASES = []
case = toolshed.collector(CASES)
SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "adapters"


def asked(place, run):
    """The execution contract of each attempt."""
    return [next(entry["body"] for entry in place.log("--execution", id) if "inputs" in entry["body"])
            for id in place.executions(run)]


def moments(place, execution):
    """When it was planned and when it ended, in milliseconds."""
    events = [entry for entry in place.log("--execution", execution) if entry["kind"] == "execution_event"]
    return [round(datetime.datetime.fromisoformat(one["createdAt"].replace("Z", "+00:00")).timestamp() * 1000)
            for one in (events[0], events[-1])]


# ---- ADP-001: ripgrep ----

def search(place, *words):
    if not shutil.which("rg", path="/usr/bin:/bin"):
        raise plans.tap.Skip("ripgrep is not installed")
    (place.repo / ".writ/tools.yaml").unlink()  # the registry that ships holds where there is no other
    place.put("work/a.txt", "nothing\nTodo: one\nTODO two\n")
    return place.call("ripgrep-search.search", *words)


@case
def R_001_121_R_001_122_R_001_123_R_001_124_adp_001_finds_what_it_is_asked_for(place):
    run = search(place, "pattern=TODO", "path=a.txt", "ignore_case:=true", "max_count:=1")
    hold(run.status == 0, run)
    [request] = asked(place, run)
    same(request["inputs"]["command"], "rg")
    same(request["inputs"]["arguments"], ["--json", "--no-heading", "-i", "-m", "1", "TODO", "a.txt"])
    same(request["inputs"].get("environment", {}), {})
    matches = [one["data"] for one in run.record["output"] if one["type"] == "match"]
    same([(one["line_number"], one["lines"]["text"]) for one in matches], [(2, "Todo: one\n")])
    same({type(one) for one in run.record["output"]}, {dict})


@case
def R_001_125_R_001_126_adp_001_has_one_attempt_and_its_own_limits(place):
    run = search(place, "pattern=nowhere", "path=a.txt")
    same((run.status, len(run.record["attempts"]), run.record["fell_back"]), (1, 1, False))
    [request] = asked(place, run)
    same((request["sandbox"]["timeout_ms"], request["sandbox"]["memory_mb"]), (60000, 256))
    same(request["sandbox"]["network"], {"enabled": False})


# ---- ADP-002: a service ----

class Resources(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def play(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append((self.command, self.path, self.headers, body))
        status = self.server.says.pop(0) if self.server.says else 200
        answer = json.dumps({"data": {"n": len(self.server.seen)}, "more": 1}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = play


@contextlib.contextmanager
def resources(place):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Resources) as server:
        server.seen, server.says = [], []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        text = (SHIPPED / "rest.yaml").read_text()
        here = text.replace("https://api.example.com/v1", f"http://127.0.0.1:{server.server_port}/v1")
        place.put(".writ/adapters/rest.yaml", here.replace('allow: ["api.example.com"]', 'allow: ["127.0.0.1"]'))
        place.registry({"tool_id": "TL-100", "approval": APPROVED, "scope": {"operations": ["*"], "network": "api"}})
        place.put("home/.config/writ/config.yaml",
                  json.dumps({"secrets": [{"env": "MINE", "hosts": ["127.0.0.1"]}]}))
        try:
            yield server
        finally:
            server.shutdown()


def ask(place, *words):
    return place.call(*words, env={"MINE": SECRET})


@case
def R_001_092_R_001_127_R_001_128_R_001_129_R_001_130_adp_002_asks_what_its_mapping_says(place):
    with resources(place) as server:
        for words, method, path, body in (
                (("get_resource", "id=7"), "GET", "/v1/resources/7", b""),
                (("list_resources",), "GET", "/v1/resources", b""),
                (("create_resource", "name=x"), "POST", "/v1/resources", b'{"name":"x"}')):
            run = ask(place, "rest-api-client." + words[0], *words[1:])
            hold(run.status == 0, run)
            same(server.seen[-1][:2] + server.seen[-1][3:], (method, path, body))
            same(run.record["output"], {"n": len(server.seen)})
            for name, value in (("Content-Type", "application/json"), ("Accept", "application/json"),
                                ("Authorization", "Bearer " + SECRET)):
                same(server.seen[-1][2][name], value)


@case
def a_host_s_own_secret_in_a_parameter_is_not_sent_and_not_recorded(place):
    with resources(place) as server:
        place.fails(77, "SECRET_IN_PARAMETER", "rest-api-client.get_resource", f"id={SECRET}",
                    env={"MINE": SECRET}, told=["'id'"])
        same(server.seen, [])


@case
def R_001_130_adp_002_holds_input_to_the_schema_of_the_operation(place):
    with resources(place) as server:
        path = place.repo / ".writ/adapters/rest.yaml"
        schema = {"get_resource": {"input": {"type": "object", "properties": {"id": {"type": "integer"}}}}}
        path.write_text(path.read_text() + f"\noperations: {json.dumps(schema)}\n")
        run = ask(place, "rest-api-client.get_resource", "id=seven")
        same((run.status, run.record["ok"], server.seen), (64, False, []))
        hold(ask(place, "rest-api-client.get_resource", "id:=7").status == 0, run)


@case
def R_001_110_R_001_131_adp_002_tries_four_statuses_again_and_no_other(place):
    with resources(place) as server:
        for says, tried in (([429, 500, 200], [429, 500, 200]), ([502, 503], [502, 503, 200]),
                            ([503] * 4, [503] * 3), ([501], [501]), ([404], [404])):
            server.says[:] = says
            run = ask(place, "rest-api-client.get_resource", "id=7")
            same([attempt["status"] for attempt in run.record["attempts"]], tried)
            same(run.status, 0 if tried[-1] == 200 else 1)
            times = [moments(place, id) for id in place.executions(run)]
            for i, least in enumerate((1000, 2000)[:len(times) - 1]):
                hold(times[i + 1][0] - times[i][1] >= least, run)


@case
def R_001_131_a_post_is_tried_again_where_the_adapter_says_that_it_is_idempotent(place):
    with resources(place) as server:
        path = place.repo / ".writ/adapters/rest.yaml"
        for more, tried, warned in (("", [503], True),
                                    ("\noperations:\n  create_resource: {idempotent: true}\n", [503, 503, 200], False)):
            path.write_text(path.read_text() + more)
            server.says[:] = [503, 503]
            run = ask(place, "rest-api-client.create_resource", "name=x")
            same([attempt["status"] for attempt in run.record["attempts"]], tried)
            same([seen[0] for seen in server.seen], ["POST"] * len(tried))
            server.seen.clear()
            told = place.writ("check", "--as", "adapter", path)
            same(b"'create_resource' is never tried again" in told.out + told.err, warned)
            hold(told.status == 0 and b"get_resource" not in told.err, told)


@case
def R_001_132_adp_002_reaches_one_host_in_its_time(place):
    with resources(place) as server:
        run = ask(place, "rest-api-client.list_resources")
        [request] = asked(place, run)
        same(request["sandbox"]["timeout_ms"], 30000)
        same(request["sandbox"]["network"], {"enabled": True, "allow": ["127.0.0.1"]})
        path = place.repo / ".writ/adapters/rest.yaml"
        path.write_text(path.read_text().replace('["127.0.0.1"]', '["api.example.com"]'))
        place.never("HOST_REFUSED", "rest", "rest-api-client.list_resources", at="/interface/api/base_url",
                    env={"MINE": SECRET})
        same(len(server.seen), 1)


# ---- ADP-003: a server ----

SERVER = r'''
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    result = None
    if m["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}}
    elif m["method"] == "tools/list":
        result = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("read_file", "write_file", "list_directory")]}
    elif m["method"] == "tools/call" and m["params"]["arguments"].get("path") != "busy":
        result = {"content": [{"type": "text", "text": m["params"]["name"]}]}
    if "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"]} | ({"result": result} if result else
              {"error": {"code": -32000, "message": "busy"}})), flush=True)
'''


def filesystem(place):
    place.put(".writ/adapters/files.yaml", (SHIPPED / "mcp-filesystem.yaml").read_text())
    place.put(".writ/config.yaml", json.dumps({"servers": [
        {"name": "filesystem-server", "command": [REAL_PYTHON, "-c", SERVER]}]}))
    place.registry({"tool_id": "TL-200", "scope": {"commands": [REAL_PYTHON], "operations": ["*"]}})


@case
def R_001_133_R_001_134_R_001_135_adp_003_calls_tools_of_the_same_names(place):
    filesystem(place)
    for name in ("read_file", "write_file", "list_directory"):
        same(place.fine(f"mcp-filesystem.{name}", "path=x"), [{"type": "text", "text": name}])


@case
def R_001_136_R_001_137_adp_003_tries_nothing_again_that_it_does_not_list(place):
    filesystem(place)
    run = place.fails(1, "PEER_ERROR", "mcp-filesystem.read_file", "path=busy")
    same([attempt["status"] for attempt in run.record["attempts"]], [-32000])
    [request] = asked(place, run)
    same((request["sandbox"]["timeout_ms"], request["sandbox"]["memory_mb"]), (10000, 128))
    same(request["sandbox"]["network"], {"enabled": False})


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
