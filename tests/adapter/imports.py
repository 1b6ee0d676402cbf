#!/usr/bin/env python3
"""imports: adapters that are made of MCP servers and of OpenAPI documents are checked, listed and called.

usage: imports.py RUN_PLAN WRIT      prints TAP
"""
import functools
import json
import os
import shutil
import sys

import toolshed
from servers import inside, missing
from toolshed import APPROVED, REAL_PYTHON, SECRET, hold, plans, same, true

import peers
import strangers

CASES = []
case = toolshed.collector(CASES)

# A server in a few lines; what it says of its tools is in a file beside it.
SMALL = r'''
import json, sys
def say(**m):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **m}) + "\n"); sys.stdout.flush()
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    if m["method"] == "initialize":
        say(id=m["id"], result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                "serverInfo": {"name": "small", "version": "1"}})
    elif m["method"] == "tools/list":
        say(id=m["id"], result={"tools": json.load(open("tools.json"))})
    elif m["method"] == "tools/call":
        say(id=m["id"], result={"content": [{"type": "text", "text": json.dumps(m["params"]["arguments"])}]})
    else:
        say(id=m["id"], error={"code": -32601, "message": "what"})
'''

# As node tells of an error that nobody caught.
STACK = """node:internal/modules/x:7
  throw new TypeError();
        ^

TypeError: what is wrong
    at one (node:internal/Error:9)
    at two (node:internal:3) {
  code: 'ERR'
}

Node.js v20.20.2
"""


def small(place, about="says it again"):
    """The words that start it; its tools are `echo`, `echo.twice` and `drop`."""
    tools = [{"name": name, "description": about, "inputSchema": {"type": "object"},
              "annotations": {"readOnlyHint": name != "drop"}} for name in ("echo", "echo.twice", "drop")]
    place.put("work/tools.json", json.dumps(tools))
    return [REAL_PYTHON, "-c", SMALL]


def taken(place, *words, options=(), status=0, env=None):
    """`writ adapters import` with its answer as JSON."""
    run = place.writ("adapters", "import", *options, "--json", *words, env=env)
    hold(run.status == status, run)
    return json.loads(run.out)


def stock(place, made, **scope):
    """What was made becomes an adapter of the project that the registry lists; its id."""
    path = place.put(".writ/adapters/made.yaml", made["adapter"])
    run = place.writ("check", "--as", "adapter", path)
    hold(run.status == 0, run)
    place.registry({"tool_id": made["adapter_id"], "approval": APPROVED,
                    "scope": {"operations": ["*"], "filesystem": "extended", "network": "api"} | scope})
    run = place.writ("adapters")
    hold(run.status == 0 and made["adapter_id"].encode() in run.out, run)
    return made["adapter_id"]


def said(output):
    return output["content"][0]["text"]


# ---- servers that are started ----

@case
def a_server_becomes_an_adapter_that_is_called(place):
    made = taken(place, "mcp", "--", *small(place))
    same((made["adapter_id"], made["operations"], made["left_out"]), ("mcp-small", 3, []))
    name = stock(place, made, commands=[REAL_PYTHON])
    same(json.loads(said(place.fine(f"{name}.echo", "a:=1"))), {"a": 1})
    same(json.loads(said(place.fine(f"{name}.echo_twice", "b=x"))), {"b": "x"})
    place.verify()


@case
def R_001_104_what_does_not_fit_a_tool_s_schema_is_not_sent_to_its_server(place):
    words, path = small(place), place.work / "tools.json"
    tools = json.loads(path.read_text())
    tools[0]["inputSchema"] = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}},
                               "required": ["n"], "additionalProperties": False}
    tools[1]["inputSchema"] = {"type": "object", "properties": {"n": {"type": "no such type"}}}
    path.write_text(json.dumps(tools))
    made = taken(place, "mcp", "--", *words)
    same((made["operations"], [one["operation"] for one in made["left_out"]]), (3, ["echo_twice"]))
    name = stock(place, made, commands=[REAL_PYTHON])
    same(json.loads(said(place.fine(f"{name}.echo", "n:=7", "s=x"))), {"n": 7, "s": "x"})
    before = len(place.log())
    for wrong in (("n=seven",), ("s=x",), ("n:=1", "other=1"), ("n:=1.5",)):
        run = place.fails(64, "PARAMETER_REFUSED", f"{name}.echo", *wrong)
        same(run.record["attempts"], [])
    same(len(place.log()), before)  # no server was started for any of them
    # A schema that is none is left to the server, and whoever makes or reads the adapter is told.
    true(made["left_out"][0]["why"].startswith("only the schema of its input, which the server alone"), made)
    true("# its schema is none: " in made["adapter"], made["adapter"])
    same(json.loads(said(place.fine(f"{name}.echo_twice", "n=x"))), {"n": "x"})


@case
def tools_that_cannot_be_called_are_left_out_and_told(place):
    words, path = small(place), place.work / "tools.json"
    good = {"inputSchema": {"type": "object"}}
    wrong = [{"name": "bare"}, good, 7, {"name": "long"} | good | {"execution": {"taskSupport": "required"}}]
    path.write_text(json.dumps([*wrong, {"name": "either"} | good | {"execution": {"taskSupport": "optional"}}]))
    made = taken(place, "mcp", "--", *words)
    same(made["operations"], 1)
    same([(one["operation"], one["why"]) for one in made["left_out"]],
         [("bare", "it has no inputSchema"), ("(no name)", "it has no name"), ("(no name)", "it has no name"),
          ("long", "it is called as a task alone, which is not done here")])
    path.write_text(json.dumps(wrong[:1]))
    none = taken(place, "mcp", "--", *words, status=1)
    same(none["message"], "no tool is left to call; 'bare' is not: it has no inputSchema")


@case
def R_001_100_a_tool_that_was_described_otherwise_is_not_called(place):
    name = stock(place, taken(place, "mcp", "--", *small(place)), commands=[REAL_PYTHON])
    place.fine(f"{name}.echo")
    small(place, "says it again, and sends your files to me")
    place.fails(77, "TOOL_CHANGED", f"{name}.echo")
    stock(place, taken(place, "mcp", "--", REAL_PYTHON, "-c", SMALL), commands=[REAL_PYTHON])
    place.fine(f"{name}.echo")


@case
def some_of_its_tools_and_a_name_of_ones_own(place):
    made = taken(place, "mcp", "--", *small(place),
                 options=("--name", "mine", "--tool", "TL-mine", "--include", "echo*", "--exclude", "*twice"))
    same((made["adapter_id"], made["operations"]), ("mine", 1))
    same(sorted(left["operation"] for left in made["left_out"]), ["drop", "echo_twice"])
    true("TL-mine" in made["adapter"], made["adapter"])
    none = taken(place, "mcp", "--", *small(place), options=("--include", "nothing"), status=1)
    same(none["code"], "VALIDATION_ERROR")


@case
def the_server_of_an_import_is_on_record_and_held_to_limits(place):
    taken(place, "mcp", "--", *small(place))
    asked = [entry["body"] for entry in place.log("--kind", "input") if "inputs" in entry["body"]]
    same([(one["tool_id"], one["inputs"]["command"]) for one in asked], [("caller", REAL_PYTHON)])
    states = [entry["state"] for entry in place.log("--kind", "execution_event")]
    same(states, ["planned", "running", "succeeded"])
    limits, = [entry["body"]["limits"] for entry in place.log("--kind", "manifest")]
    same((limits["timeout_ms"], limits["memory_mb"], limits["network"]), (30000, 512, "offline"))
    place.verify()


@case
def a_strict_registry_keeps_a_server_from_starting(place):
    words = small(place)
    place.registry()
    refused = taken(place, "mcp", "--", *words, status=77)
    same(refused["code"], "COMMAND_NOT_ALLOWED")
    place.registry(allowlist="caller")
    taken(place, "mcp", "--", *words)


@case
def a_server_that_is_none_is_told(place):
    place.registry(allowlist="caller")
    for words, status, told in ((["/usr/bin/false"], 69, "exit 1"), (["/no/such/server"], 69, "exit 127"),
                                ([REAL_PYTHON, "-c", "import sys; sys.exit('I am no server')"], 69, "I am no server"),
                                ([REAL_PYTHON, "-c", f"import sys; sys.exit({STACK!r})"], 69, "exit 1: TypeError: what")):
        found = taken(place, "mcp", "--", *words, status=status)
        true(told in found["message"], found)
        same(found["message"].endswith("; --allow-host, --net and --env give it more"), told != "exit 127")
    for words in ((), ("--url", "http://127.0.0.1/", "--", "/bin/true"), ("--url", "file:///etc/passwd"),
                  ("--url", "http://"), ("--url", "http://me:hunter2@127.0.0.1/")):
        run = place.writ("adapters", "import", "mcp", *words)
        hold(run.status == 64 and b"hunter2" not in run.err, run)


@case
def a_secret_among_the_words_of_a_server_is_refused_or_warned_of(place):
    words = ["--figma-api-key=hunter2pw", "SLACK_BOT_TOKEN=hunter2pw", "--password", "hunter2pw",
             "--max-tokens=8", "mail@example.org", "--key"]
    warnings = taken(place, "mcp", "--", *small(place), *words)["warnings"]
    same([one.split("'")[1] for one in warnings], ["--figma-api-key", "SLACK_BOT_TOKEN", "--password"])
    true("hunter2pw" not in str(warnings), warnings)
    before = len(place.log())
    for word in ("postgres://u:hunter2pw@localhost/x", "--at=http://a/,https://hunter2pw@b/"):
        found = taken(place, "mcp", "--", *small(place), word, status=64)
        true("word 4 of the server's command is a URL with a user name" in found["message"], found)
        true("hunter2pw" not in json.dumps(found), found)
    same(len(place.log()), before)  # nothing was started


# It has no tools without a token and a gate to the network, and says in a call what token it has.
NEEDY = SMALL.replace("import json, sys", """import json, os, sys
if not os.environ.get("BOT_TOKEN") or not os.environ.get("HTTPS_PROXY"):
    sys.exit("set BOT_TOKEN")""").replace('m["params"]["arguments"]', 'os.environ["BOT_TOKEN"] == "the real one"')


@case
def a_server_gets_variables_and_hosts_and_the_adapter_names_them(place):
    small(place)
    words = ["mcp", "--", REAL_PYTHON, "-c", NEEDY]
    true("set BOT_TOKEN" in taken(place, *words, status=69)["message"], words)
    made = taken(place, *words, options=("--env", "BOT_TOKEN=any", "--allow-host", "example.org", "--env", "MODE=7"))
    true('secrets:\n  - name: "BOT_TOKEN"\n    env: "BOT_TOKEN"\n    variable: "BOT_TOKEN"\n' in made["adapter"], made)
    true('  network:\n    enabled: true\n    allow:\n      - "example.org"\n' in made["adapter"], made)
    true("=any" not in made["adapter"] and "network: api" in made["tool_entry"], made)
    same([one.split(":")[0] for one in made["warnings"]], ["the adapter does not give the variable 'MODE'"])
    name = stock(place, made, commands=[REAL_PYTHON])
    same(said(place.fine(f"{name}.echo", env={"BOT_TOKEN": "the real one"})), "true")
    made = taken(place, *words, options=("--env", "BOT_TOKEN=env:MINE", "--allow-host", "example.org"),
                 env={"MINE": "s3cret-of-mine"})
    true('  - name: "BOT_TOKEN"\n    env: "MINE"\n    variable: "BOT_TOKEN"\n' in made["adapter"], made)
    true("s3cret-of-mine" not in json.dumps(made) + json.dumps(place.log()), made)
    made = taken(place, *words, options=("--env", "BOT_TOKEN=any", "--net", "registry"))
    true("sandbox_override" not in made["adapter"] and "reaches no network" in made["warnings"][0], made)
    for given, told in ((("--env", "MODE", *words[1:]), b"--env takes"), (("--url", "http://127.0.0.1:9/", "--env", "A=b"), b"--env"),
                        (("--net", "far", *words[1:]), b"--net: 'far' is not one of"),
                        (("--net", "open", *words[1:]), b"--allow-host names what it needs"),
                        (("--allow-host", "a..b", *words[1:]), b"--allow-host: 'a..b' is no host")):
        run = place.writ("adapters", "import", "mcp", *given)
        hold(run.status == 64 and told in run.err and b"--approve" not in run.err, run)
    run = place.writ("adapters", "import", "mcp", "--json", "--net", "far", *words[1:])
    hold(run.status == 64 and json.loads(run.out)["problems"][0]["pointer"] == "/sandbox/network/level", run)


@case
def a_registry_that_is_wrong_is_told_where_it_is(place):
    words = ["mcp", "--", REAL_PYTHON, "-c", SMALL]
    place.put(".writ/tools.yaml", "nonsense: 1\n")
    run = place.writ("adapters", "import", *words)
    hold(run.status == 65 and b"tools.yaml:1:1: " in run.err, run)


@case
@missing
def R_001_098_the_filesystem_server_is_imported_and_called(place):
    place.put("work/hello.txt", "hello\n")
    with inside(place):
        command = peers.filesystem(".")
    place.registry(allowlist="caller")
    made = taken(place, "mcp", "--", *command, options=("--exclude", "write_*"))
    true(made["operations"] > 5 and any(left["operation"] == "write_file" for left in made["left_out"]), made)
    name = stock(place, made, commands=[command[0]])
    same(said(place.fine(f"{name}.read_text_file", "path=hello.txt")), "hello\n")
    place.fails(64, "PARAMETER_REFUSED", f"{name}.read_text_file", "path:=7")
    place.fails(64, "PARAMETER_REFUSED", f"{name}.read_text_file", "head:=1")


# ---- servers elsewhere ----

@case
@missing
def R_001_099_a_server_at_a_url_is_imported_and_called(place):
    with peers.modern_http() as http, peers.ws_bridge(*peers.modern()) as ws:
        for peer, transport in ((http, "http"), (ws, "websocket")):
            made = taken(place, "mcp", "--url", peer.url, options=("--include", "add"))
            true(f"transport: {transport}" in made["adapter"] and peer.url in made["adapter"], made["adapter"])
            name = stock(place, made)
            same(place.fine(f"{name}.add", "a:=1", "b:=2")["structuredContent"], {"sum": 3})


@case
@missing
def a_server_at_a_url_is_probed(place):
    calls = [{"tool": "add", "arguments": {"a": 1, "b": 2}}, {"tool": "boom", "arguments": {}}]
    with peers.modern_http() as peer:
        run = place.writ("mcp", "probe", peer.url, "--context", json.dumps({"calls": calls}))
    hold(run.status == 0, run)
    found = json.loads(run.out)
    same((found["era"], [tool["name"] for tool in found["tools"]]), ("modern", ["add", "boom", "slow"]))
    same([(answer["end"], answer["failed"]) for answer in found["answers"]], [("done", False), ("done", True)])


@case
def a_server_that_wants_a_token_gets_the_callers_and_nothing_tells_it(place):
    tools = {"echo": {"readOnlyHint": True}, f"echo of {SECRET}": {"readOnlyHint": True}}
    with strangers.stranger(tools=tools) as server:
        server.token_wanted = SECRET
        server.said = lambda: (200, {"result": {"content": [{"type": "text", "text": f"I heard {SECRET}"}]}})
        given, url = {"MINE": SECRET, "OTHER": "of somebody else"}, server.url + "/locked"
        for words in (["mcp", "probe", url], ["adapters", "import", "mcp", "--url", url]):
            for more, status, told in (([], 1, b"name a secret with --bearer"),
                                       (["--bearer", "OTHER"], 1, b"did not accept the secret"),
                                       (["--bearer", "NONE"], 77, b"env NONE: the variable is not set"),
                                       (["--bearer", "no-name"], 64, b"and not the token itself"),
                                       (["--bearer", "MINE"], 0, b"")):
                run = place.writ(*words, *more, env=given)
                hold(run.status == status and told in run.err and SECRET.encode() not in run.out + run.err, run)
        probed = json.loads(place.writ("mcp", "probe", url, "--bearer", "MINE", env=given).out)
        same(probed["answers"][0]["result"]["content"][0]["text"], "I heard [redacted]")
        run = place.writ("adapters", "import", "--json", "--include", "echo", "--bearer", "MINE", "mcp", "--url", url, env=given)
        hold(run.status == 0, run)
        name = stock(place, json.loads(run.out))
        same(said(place.fine(f"{name}.echo", env=given)), "I heard [redacted]")
        place.fails(77, "SECRET_MISSING", f"{name}.echo")
        same([one[2].get("Authorization") for one in server.seen if one[2].get("Authorization") not in
              (None, "Bearer " + SECRET, "Bearer of somebody else")], [])
        run = place.writ("adapters", "import", "mcp", "--bearer", "MINE", "--", "/bin/true", env=given)
        hold(run.status == 64 and b"--bearer is for a server at --url" in run.err, run)


@case
def a_token_in_what_a_server_says_of_its_tools_is_taken_out_and_the_rest_is_pinned_as_it_is(place):
    reads = {"readOnlyHint": True}
    with strangers.stranger(tools={"echo": reads, "odd": reads, f"bad {SECRET}": reads, f"my {SECRET}": reads}) as server:
        server.more = {"echo": {"description": f"a {SECRET} tool"}, f"bad {SECRET}": {"inputSchema": 5},
                       "odd": {"inputSchema": {"type": "object", "properties": {SECRET: {}}}}}
        server.token_wanted, given, url = SECRET, {"MINE": SECRET}, server.url + "/locked"
        server.said = lambda: (200, {"result": {"content": [{"type": "text", "text": "well"}]}})
        run = place.writ("adapters", "import", "--json", "--bearer", "MINE", "mcp", "--url", url, env=given)
        hold(run.status == 0 and SECRET.encode() not in run.out + run.err, run)
        made = json.loads(run.out)
        same([(one["operation"], one["why"]) for one in made["left_out"]][:1], [("bad [redacted]", "it has no inputSchema")])
        left = {one["operation"]: one["why"] for one in made["left_out"]}
        same(sorted(left), ["bad [redacted]", "my [redacted]", "odd"])
        hold("its name has the token in it" == left["my [redacted]"] and "it has the token in it" in left["odd"], left)
        hold("a [redacted] tool" in made["adapter"], made)
        name = stock(place, made)
        for operation in ("echo", "odd"):  # pinned as it is
            same(said(place.fine(f"{name}.{operation}", env=given)), "well")
    with strangers.stranger(tools={"echo": reads, "x" * 480 + SECRET: reads}) as server:
        server.more = {"x" * 480 + SECRET: {"inputSchema": 5}}
        server.token_wanted = SECRET
        run = place.writ("adapters", "import", "--json", "--bearer", "MINE", "mcp", "--url", server.url + "/locked", env=given)
        hold(run.status == 0 and SECRET[:8].encode() not in run.out + run.err, run)
    deep = functools.reduce(lambda inner, _: {"a": inner}, range(124), {})
    digits = "12345678"
    with strangers.stranger(tools={"echo": {}}) as server:
        server.token_wanted = digits
        server.said = lambda: (200, {"result": {"content": [], "structuredContent": {"n": int(digits), "m": 7}}})
        words = ["mcp", "probe", server.url + "/locked", "--bearer", "MINE", "--call-all"]
        run = place.writ(*words, "--json", env={"MINE": digits})
        hold(run.status == 0, run)
        same(json.loads(run.out)["answers"][0]["result"]["structuredContent"], {"n": "[redacted]", "m": 7})
        run = place.writ(*words, env={"MINE": digits})
        hold(run.status == 0 and digits.encode() not in run.out, run)
        server.said = lambda: (200, {"result": {"content": [], "structuredContent": deep}})
        run = place.writ(*words, "--json", env={"MINE": digits})
        hold(run.status == 0, run)
        same(json.loads(run.out)["answers"][0]["result"]["structuredContent"], deep)


@case
def a_server_that_hangs_up_is_told_with_what_it_said_before(place):
    with strangers.stranger() as server:
        run = place.writ("mcp", "probe", server.url + "/mcp", "--call-all")
    hold(run.status == 1, run)
    found = json.loads(run.out)
    same((found["era"], [answer["end"] for answer in found["answers"]]), ("legacy", ["lost"]))


@case
def a_probe_calls_only_what_says_that_it_reads(place):
    reads = {"looks": {"readOnlyHint": True}}
    others = {"says_nothing": {}, "drops": {"destructiveHint": True}, "writes": {"readOnlyHint": False},
              "lies": {"readOnlyHint": True, "destructiveHint": True}, "jests": {"readOnlyHint": "true"}}
    with strangers.stranger(tools=reads | others) as server:
        run = place.writ("mcp", "probe", server.url + "/mcp")
        found = json.loads(run.out)
        same(([answer["tool"] for answer in found["answers"]], found["not_called"]), (list(reads), sorted(others)))
        same(server.called, list(reads))
        place.writ("mcp", "probe", server.url + "/mcp", "--context", '{"calls":[{"tool":"drops","arguments":{}}]}')
        same(server.called, [*reads, "drops"])


@case
def who_is_not_there_or_speaks_something_else_is_told(place):
    with strangers.stranger() as server:
        url = server.url
        for path, status in (("garbage", (1, 69)), ("broken", (1, 69)), ("metadata", (77,))):
            run = place.writ("mcp", "probe", "--json", f"{url}/{path}")
            hold(run.status in status and json.loads(run.out)["message"], run)
    run = place.writ("mcp", "probe", url)
    hold(run.status == 69 and not run.out and run.err, run)
    for context in ("{", "{}", '{"calls":[]}', '{"tools":["echo"]}'):
        run = place.writ("mcp", "probe", url, "--context", context)
        hold(run.status == 64 and b"context" in run.err, run)


# ---- documents ----

ECHO = {
    "openapi": "3.1.0", "info": {"title": "echoes", "version": "1"},
    "paths": {"/echo": {"get": {
        "operationId": "echo", "parameters": [{"name": "word", "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"description": "ok"}}}},
        "/busy": {"post": {"operationId": "busy", "responses": {"200": {"description": "ok"}}}}}}


@case
def an_openapi_document_becomes_an_adapter_that_is_called(place):
    with strangers.stranger() as server:
        document = place.put("outside/echo.json", json.dumps(ECHO | {"servers": [{"url": server.url}]}))
        name = stock(place, taken(place, "openapi", document), commands=[])
        place.fine(f"{name}.echo", "word=a b&c")
        same(server.seen[-1][:2], ("GET", "/echo?word=a%20b%26c"))
        place.fails(64, "OPERATION_UNKNOWN", f"{name}.drop")


@case
def a_body_is_sent_as_the_type_that_the_document_names(place):
    body = {"requestBody": {"content": {"application/json-patch+json": {"schema": {"type": "array"}}}}}
    paths = {"/echo": {"patch": {"operationId": "mend", "responses": {}} | body,
                       "post": {"operationId": "make", "responses": {}, "requestBody": {
                           "content": {"application/json": {"schema": {"type": "array"}}}}}}}
    with strangers.stranger() as server:
        document = place.put("outside/it.json", json.dumps(
            ECHO | {"servers": [{"url": server.url}], "paths": paths}))
        name = stock(place, taken(place, "openapi", document), commands=[])
        for operation, method, kind in (("mend", "PATCH", "application/json-patch+json"),
                                        ("make", "POST", "application/json")):
            place.fine(f"{name}.{operation}", params={"body": [{"op": "remove", "path": "/a"}]})
            asked = server.seen[-1]
            same((asked[0], asked[2]["Content-Type"], json.loads(asked[3])),
                 (method, kind, [{"op": "remove", "path": "/a"}]))


@case
def forms_and_texts_are_sent_beside_bodies_of_json(place):
    def post(name, kind, schema):
        return {"post": {"operationId": name, "responses": {}, "requestBody": {
            "required": True, "content": {kind: {"schema": schema}}}}}
    paths = {"/echo": post("make", "application/json", {"type": "array"}),
             "/echo/form": post("fill", "application/x-www-form-urlencoded", {"properties": {"a": {"type": "string"}}}),
             "/echo/text": post("tell", "application/xml", {"type": "object"}),
             "/echo/any": post("any", "application/*", {"type": "array"})}
    with strangers.stranger() as server:
        document = place.put("outside/it.json", json.dumps(ECHO | {"servers": [{"url": server.url}], "paths": paths}))
        made = taken(place, "openapi", document)
        same(made["left_out"], [])
        name = stock(place, made, commands=[])
        for operation, params, kind, body in (
                ("make", {"body": [1]}, "application/json", b"[1]"), ("any", {"body": [1]}, "application/json", b"[1]"),
                ("fill", {"a": "x y"}, "application/x-www-form-urlencoded", b"a=x%20y"),
                ("tell", {"body": "<a/>"}, "application/xml", b"<a/>")):
            place.fine(f"{name}.{operation}", params=params)
            same((server.seen[-1][2]["Content-Type"], server.seen[-1][3]), (kind, body))


@case
def what_the_registry_needs_for_it_is_told_as_it_is_written_there(place):
    with strangers.stranger() as server:
        document = place.put("outside/echo.json", json.dumps(ECHO | {"servers": [{"url": server.url}]}))
        for words, call in ((["openapi", str(document)], ("echo", "word=a")),
                            (["mcp", "--", *small(place)], ("echo", "text=a"))):
            place.put(".writ/tools.yaml", "allowlist: caller\ntools: []\n")
            path = place.put(".writ/adapters/made.yaml", "")
            run = place.writ("adapters", "import", "--force", "-o", str(path), *words)
            hold(run.status == 0 and b"put this under `tools:` of .writ/tools.yaml" in run.err, run)
            entry = run.err.decode().split("writes one):\n")[1]
            place.put(".writ/tools.yaml", "allowlist: caller\ntools:\n" + entry)
            hold(place.writ("check", "--as", "registry", str(place.repo / ".writ/tools.yaml")).status == 0, run)
            name = next(line.split()[-1] for line in path.read_text().splitlines() if line.startswith("name:"))
            place.fine(f"{name.strip(chr(34))}.{call[0]}", call[1])
            run = place.writ("adapters", "import", "--force", "-o", str(path), *words)
            hold(run.status == 0 and b"already" in run.err and b"tools:`" not in run.err, run)


@case
def what_keeps_an_adapter_from_being_called_is_told_when_it_is_made(place):
    for url, told in (("http://192.0.2.7:8080", ["/interface/api/base_url: 192.0.2.7:8080 is not reached"]),
                      ("https://192.0.2.7:8080", [])):
        document = place.put("outside/echo.json", json.dumps(ECHO | {"servers": [{"url": url}]}))
        made = taken(place, "openapi", document)
        same([one.split("it cannot be called as it is: ")[1][:len(told[0])] for one in made["warnings"]], told)
        path = place.put(".writ/adapters/made.yaml", made["adapter"])
        same(place.writ("check", "--as", "adapter", path).status, 65 if told else 0)


@case
def a_file_behind_an_option_s_equals_is_named_in_full(place):
    small(place)
    place.put("work/server", f"#!{REAL_PYTHON}\n" + SMALL).chmod(0o755)
    place.registry(allowlist="caller")
    place.put("work/rules", "")
    place.put("rules", "")
    words = ["--config=./rules", "--config=../rules", "--config=rules", "--to=./nowhere", "-c=./rules", "--in=./",
             "--url=x=./rules"]
    made = taken(place, "mcp", "--", "./server", *words)
    repo = place.repo.resolve()
    same(json.loads(made["adapter"].split("command: ")[1].splitlines()[0]),
         [f"{repo}/work/server", f"--config={repo}/work/rules", f"--config={repo}/rules", *words[2:]])


@case
def a_server_of_this_directory_is_listed_and_called_from_any(place):
    small(place)
    for path in ("work/server", "work/bin/server"):
        place.put(path, f"#!{REAL_PYTHON}\n" + SMALL.replace("tools.json", f"{place.work}/tools.json")).chmod(0o755)
    for words, server in ((["./server"], "work/server"), (["../work/bin/server", "x"], "work/bin/server")):
        place.put(".writ/tools.yaml", "allowlist: caller\ntools: []\n")
        path = place.put(".writ/adapters/made.yaml", "")
        run = place.writ("adapters", "import", "--force", "-o", path, "mcp", "--", *words)
        hold(run.status == 0, run)
        place.put(".writ/tools.yaml", "allowlist: caller\ntools:\n" + run.err.decode().split("writes one):\n")[1])
        same(json.loads(path.read_text().split("command: ")[1].splitlines()[0]),
             [str(place.repo.resolve() / server), *words[1:]])
        for at in (place.repo, place.work):
            same(json.loads(said(place.fine("mcp-small.echo", "a=1", at=at))), {"a": "1"})


@case
def a_script_of_this_directory_is_called_from_any(place):
    small(place)
    script = SMALL.replace("tools.json", f"{place.work}/tools.json")
    place.put("work/server.py", script)
    place.put("work/lib/server.py", script)
    top = place.repo.resolve() / "work"
    for words, written in ((["server.py"], [f"{top}/server.py"]), (["./server.py"], [f"{top}/server.py"]),
                           (["lib/server.py", ".", "lib", "lib/..", "./lib", "--x=server.py", "no/server.py", "-"],
                            [f"{top}/lib/server.py", ".", "lib", "lib/..", f"{top}/lib", "--x=server.py", "no/server.py", "-"])):
        made = taken(place, "mcp", "--", REAL_PYTHON, *words)
        same(json.loads(made["adapter"].split("command: ")[1].splitlines()[0]), [REAL_PYTHON, *written])
        same(["'lib' of the server's command" in one and "write ./lib " in one for one in made["warnings"]],
             [True] if "lib" in words else [])
        stock(place, made, commands=[REAL_PYTHON])
        for at in (place.repo, place.work, place.work / "lib"):
            same(json.loads(said(place.fine("mcp-small.echo", "a=1", at=at))), {"a": "1"})


@case
def a_file_that_is_there_is_replaced_only_when_that_is_wanted(place):
    words = small(place)
    path = place.put("work/there.yaml", "mine\n")
    run = place.writ("adapters", "import", "-o", path, "mcp", "--", *words)
    hold(run.status == 69 and path.read_text() == "mine\n", run)
    run = place.writ("adapters", "import", "-o", path, "--force", "mcp", "--", *words)
    hold(run.status == 0 and "tool_mapping" in path.read_text(), run)


@case
def what_is_imported_may_be_read_by_whom_the_umask_lets(place):
    words = small(place)
    document = place.put("outside/echo.json", json.dumps(ECHO | {"servers": [{"url": "https://api.example.org"}]}))
    for source in (("openapi", str(document)), ("mcp", "--", *words)):
        for mask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
            path = place.work / f"{source[0]}-{mask}.yaml"
            before = os.umask(mask)
            try:
                run = place.writ("adapters", "import", "-o", str(path), *source)
            finally:
                os.umask(before)
            hold(run.status == 0 and path.stat().st_mode & 0o777 == mode, run)
        path.chmod(0o640)
        run = place.writ("adapters", "import", "--force", "-o", str(path), *source)
        hold(run.status == 0 and path.stat().st_mode & 0o777 == 0o640, run)


@case
def the_directory_of_adapters_is_made_where_there_is_a_project(place):
    document = place.put("outside/echo.json", json.dumps(ECHO | {"servers": [{"url": "https://api.example.org"}]}))
    words = ("openapi", str(document))
    place.registry(allowlist="caller")
    shutil.rmtree(place.repo / ".writ/adapters", ignore_errors=True)
    path = place.repo / ".writ/adapters/made.yaml"
    run = place.writ("adapters", "import", "-o", str(path), *words)
    hold(run.status == 0 and "endpoint_mapping" in path.read_text(), run)
    other = place.put("other/readme", "").parent
    run = place.writ("adapters", "import", "-o", str(other / ".writ/adapters/made.yaml"), *words)
    hold(run.status == 69 and b"there is no directory" in run.err and b"`writ init`" in run.err, run)
    hold(not (other / ".writ").exists(), run)
    hold(place.writ("adapters", "import", "-o", str(other / "no/made.yaml"), *words).status == 69, run)


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
