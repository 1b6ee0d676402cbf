#!/usr/bin/env python3
"""checks: what a call would refuse before it begins, `writ check` tells from the files alone.

usage: checks.py RUN_PLAN WRIT      prints TAP
"""
import sys

import toolshed
from toolshed import APPROVED, adapter, hold, plans, same, script, tool

CASES = []
case = toolshed.collector(CASES)

NETWORK = {"network": {"enabled": True, "allow": ["api.example.org"]}}


def api(auth="none", url="https://api.example.org/v1", **members):
    interface = {"base_url": url, "auth_method": auth, "endpoint_mapping": {"get": "GET /x"}}
    interface |= members.pop("interface", {})
    return adapter("n", "api", interface, **({"sandbox_override": NETWORK} | members))


def warned(place, name="n"):
    """What `writ check` warns of, by code; there is no error."""
    run = place.look(name)
    hold(run.status == 0 and {one["severity"] for one in run.record["problems"]} <= {"warning"}, run)
    return {(one["pointer"], one["code"]) for one in run.record["problems"]}


# ---- the adapter alone ----

@case
def R_001_116_an_api_without_its_host_is_told_before_it_is_called(place):
    for override in ({}, {"network": {"enabled": False}}, {"network": {"enabled": True, "allow": ["example.com"]}}):
        place.stock(api(sandbox_override=override), tools=[tool("n", network="api")])
        place.never("HOST_REFUSED", "n", "n.get", at="/interface/api/base_url", told=["api.example.org"])
    place.stock(api(), tools=[tool("n", network="api")])
    same(warned(place), set())


@case
def R_001_116_a_host_that_is_none_is_told_with_the_adapter(place):
    for host, told in (("https://api.example.org", "no host"), ("api.example.org:99999", "no host"), ("a b", "no host")):
        override = {"network": {"enabled": True, "allow": ["api.example.org", host]}}
        place.stock(api(sandbox_override=override), tools=[tool("n", network="api")])
        run = place.writ("check", str(place.repo / ".writ/adapters/n.yaml"))
        hold(run.status == 65 and told.encode() in run.out + run.err
             and b"/sandbox_override/network/allow/1" in run.out + run.err, run)


@case
def R_001_091_auth_that_lacks_something_is_told_before_it_is_called(place):
    for auth, members, code, at in (
            ("oauth", {}, "VALIDATION_ERROR", "/interface/api/auth_method"),
            ("basic", {"auth": {"secret": "t"}}, "VALIDATION_ERROR", "/interface/api/auth"),
            ("bearer", {"auth": {"secret": "nobody"}}, "SECRET_MISSING", "/interface/api/auth/secret"),
            ("bearer", {"base_url": "http://api.example.org"}, "HOST_REFUSED", "/interface/api/base_url"),
            ("api_key", {"auth": {"secret": "t", "name": "Host"}}, "VALIDATION_ERROR", "/interface/api/auth/name")):
        place.stock(api(auth, interface=members, secrets=[{"name": "t", "env": "MINE"}]),
                    tools=[tool("n", network="api")])
        place.never(code, "n", "n.get", at=at, env={"MINE": "long enough"})


@case
def R_001_091_a_header_that_holds_a_secret_is_refused_whatever_its_case(place):
    for name in ("Authorization", "PROXY-AUTHORIZATION", "cookie", "Set-Cookie", "x-api-key"):
        place.stock(api(interface={"headers": {"Accept": "*/*", name: toolshed.SECRET}}),
                    tools=[tool("n", network="api")])
        place.never("VALIDATION_ERROR", "n", "n.get", at=f"/interface/api/headers/{name}",
                    told=[f"'{name}'", "`secrets`", "auth_method"])


@case
def R_001_090_R_001_116_a_service_that_nobody_can_ask_is_told_before_it_is_called(place):
    reach = {"network": {"enabled": True, "allow": ["api.example.org", "10.1.2.3", "127.0.0.1"]}}
    for url, code, told in (("https://api.example.org/v1?x=1", "VALIDATION_ERROR", "without ? and #"),
                            ("https://api.example.org/v1#x", "VALIDATION_ERROR", "without ? and #"),
                            ("http://10.1.2.3/v1", "HOST_REFUSED", "10.1.2.3 is not reached unless")):
        place.stock(api(url=url, sandbox_override=reach), tools=[tool("n", network="api")])
        place.never(code, "n", "n.get", at="/interface/api/base_url", told=[told])
    place.stock(api(url="http://api.example.org", sandbox_override=reach), tools=[tool("n", network="api")])
    same(warned(place), {("/interface/api/base_url", "HOST_REFUSED")})  # its name may be one of this machine
    place.stock(api(url="http://127.0.0.1:1", sandbox_override=reach), tools=[tool("n", network="api")])
    same(warned(place), set())


@case
def R_001_092_a_header_that_cannot_be_sent_is_told_before_it_is_called(place):
    for name in ("Host", "content-length", "Transfer-Encoding", "Connection", "Upgrade", "Proxy-Connection"):
        place.stock(api(interface={"headers": {name: "x"}}), tools=[tool("n", network="api")])
        place.never("VALIDATION_ERROR", "n", "n.get", at=f"/interface/api/headers/{name}",
                    told=[f"the header '{name}' belongs to the connection"])
        place.stock(api(operations={"get": {"parameters": {"p": {"in": "header", "name": name}}}}),
                    tools=[tool("n", network="api")])
        place.never("VALIDATION_ERROR", "n", "n.get", at="/operations/get/parameters/p/name", told=[f"'{name}'"])
    for members, at in (({"p": {"in": "header", "name": "a b"}}, "p/name"), ({"a:b": {"in": "header"}}, "a:b")):
        place.stock(api(operations={"get": {"parameters": members}}), tools=[tool("n", network="api")])
        place.never("VALIDATION_ERROR", "n", "n.get", at=f"/operations/get/parameters/{at}",
                    told=["has a character that no header's name has"])
    place.stock(api(operations={"get": {"content_type": "application/json\r\nX-a: b"}}),
                tools=[tool("n", network="api")])
    place.never("VALIDATION_ERROR", "n", "n.get", at="/operations/get/content_type", told=["control character"])
    for odd in ("merge", "text/", "/json", "*/*", "application/*", "a b/c"):
        place.stock(api(operations={"get": {"content_type": odd}}), tools=[tool("n", network="api")])
        place.never("VALIDATION_ERROR", "n", "n.get", at="/operations/get/content_type",
                    told=[f"'{odd}' is no media type; write one such as"])
    for kind, odd in (("text/xml", True), ("application/json; a=b", False), ("application/x-ndjson", False)):
        place.stock(api(operations={"get": {"content_type": kind, "parameters": {"x": {"in": "body"}}}}),
                    tools=[tool("n", network="api")])
        same(warned(place), {("/operations/get/content_type", "VALIDATION_ERROR")} if odd else set())
    place.stock(api(operations={"get": {"content_type": "text/xml", "body": "x"}}), tools=[tool("n", network="api")])
    same(warned(place), set())
    place.fails(64, "PARAMETER_REFUSED", "n.get", "x:=[1]", told=["'x' is a list of 1; it is a body of type 'text/xml'"])
    place.stock(api(operations={"get": {"parameters": {"a b": {"in": "query"}, "X-a": {"in": "header"}}}},
                    interface={"headers": {"X-b": "y"}}), tools=[tool("n", network="api")])
    same(warned(place), set())


@case
def R_001_098_R_001_099_a_server_that_nobody_can_reach_is_told_before_it_is_called(place):
    reach = {"network": {"enabled": True, "allow": ["example.org", "10.1.2.3", "127.0.0.1"]}}
    for transport, members, at, code, told in (
            ("http", {"url": "example.org/mcp"}, "url", "VALIDATION_ERROR", "is no URL of a server"),
            ("http", {"url": "https://"}, "url", "VALIDATION_ERROR", "is no URL of a server"),
            ("http", {"url": "https://example.org/mcp#x"}, "url", "VALIDATION_ERROR", "has a '#'"),
            ("http", {"url": "wss://example.org/mcp"}, "url", "VALIDATION_ERROR", "transport 'websocket'"),
            ("websocket", {"url": "https://example.org/mcp"}, "url", "VALIDATION_ERROR", "transport 'http'"),
            ("http", {"url": "http://10.1.2.3/mcp"}, "url", "HOST_REFUSED", "unless it is this machine"),
            ("stdio", {"url": "https://example.org/mcp"}, "url", "VALIDATION_ERROR", "started by `command`"),
            ("http", {"command": ["./server"]}, "command", "VALIDATION_ERROR", "found at a `url`")):
        interface = {"server": "s", "transport": transport, "tool_mapping": {"get": "get"}} | members
        place.stock(adapter("n", "mcp", interface, sandbox_override=reach), tools=[tool("n", network="api")])
        place.never(code, "n", "n.get", at=f"/interface/mcp/{at}", told=[told])
    for transport, members in (("websocket", {"url": "ws://127.0.0.1:1/x"}), ("http", {"url": "https://example.org?x"}),
                               ("http", {}), ("stdio", {})):
        interface = {"server": "s", "transport": transport, "tool_mapping": {"get": "get"}} | members
        place.stock(adapter("n", "mcp", interface, sandbox_override=reach), tools=[tool("n", network="api")])
        same(warned(place), set())


@case
def R_001_101_R_001_103_what_a_transform_makes_is_a_parameter(place):
    def stocked(*changes, **members):
        place.stock(script("n", "print(1)", mapping={"word": "{word}", "m": "-m {value}"},
                           transforms={"input": [{"type": one, "spec": spec} for one, spec in changes]}, **members))

    for changes, members, at, told in (
            ((("default", {"word": "x", "nope": "d"}),), {}, "0/spec/nope", "'nope' is no parameter of 'run'"),
            ((("default", {"m": "x"}),), {"operations": {"run": {}, "other": {"takes": ["word"]}}}, "0/spec/m",
             "'m' is no parameter of 'other'"),
            ((("default", {"/nope/x": 1}),), {}, "0/spec/~1nope~1x", "'nope'"),
            ((("rename", {"w": "wrod"}),), {}, "0/spec/w", "'wrod' is no parameter of any operation"),
            ((("default", {"a": 1}), ("rename", {"a": "b"})), {}, "0/spec/a", "'b' is no parameter")):
        stocked(*changes, **members)
        place.never("VALIDATION_ERROR", "n", "n.run", "word=x", at=f"/transforms/input/{at}", told=[told])
    stocked(("default", {"w": "x"}), ("rename", {"w": "v"}), ("rename", {"v": "word"}), ("rename", {"word": "m"}))
    same(warned(place), set())
    listed = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    place.stock(api(operations={"get": {"input": listed, "parameters": {"b": {"in": "query"}}}},
                    transforms={"input": [{"type": "default", "spec": {"a": 1, "b": 1, "c": 1}}]}),
                tools=[tool("n", network="api")])
    same([one["pointer"] for one in place.look("n").record["problems"] if one["severity"] == "error"],
         ["/transforms/input/0/spec/c"])


@case
def R_001_139_an_operation_with_a_dot_in_its_name_is_told_before_it_is_called(place):
    place.stock(api(interface={"endpoint_mapping": {"get": "GET /x", "x.get": "GET /x"}}), tools=[tool("n", network="api")])
    place.never("VALIDATION_ERROR", "n", "n.get", at="/interface/api/endpoint_mapping/x.get", told=["'x.get' has a dot"])


@case
def R_001_093_a_parameter_that_the_input_does_not_have_is_warned_about(place):
    properties = {"input": {"type": "object", "properties": {"pet": {}, "n": {}}}}
    for members, at in (({"body": "pte"}, "body"), ({"parameters": {"m": {"in": "query"}}}, "parameters/m")):
        place.stock(api(operations={"get": properties | members}), tools=[tool("n", network="api")])
        same(warned(place), {(f"/operations/get/{at}", "VALIDATION_ERROR")})
        place.stock(api(operations={"get": members}), tools=[tool("n", network="api")])
        same(warned(place), set())
    place.stock(api(operations={"get": properties | {"body": "pet", "parameters": {"n": {"in": "query"}}}}),
                tools=[tool("n", network="api")])
    same(warned(place), set())


@case
def R_001_086_R_001_088_R_001_111_R_001_139_what_holds_nothing_is_told(place):
    for members, at, told in (
            ({"operations": {"run": {"takes": ["word", "wrod"]}}}, "/operations/run/takes/1", "'wrod' is in none"),
            ({"operations": {"run": {"body": "word"}}}, "/operations/run/body", "type 'api'"),
            ({"operations": {"run": {"input": {"type": "strng"}}}}, "/operations/run/input/type", "strng"),
            ({"operations": {"run": {"output": {"pattern": "("}}}}, "/operations/run/output/pattern", ""),
            ({"errors": {"retry": {"max_attempts": 2, "retryable_codes": [1, 503]}}}, "/errors/retry/retryable_codes/1",
             "allowed 1..255")):
        place.stock(script("n", "print(1)", **members))
        run = place.look("n")
        [problem] = run.record["problems"]
        hold(run.status == 65 and problem["pointer"] == at and told in problem["message"], run)
        hold(place.call("n.run", "word=x").status == 65, run)
    for members, at in (({"operations": {"gte": {"about": "x"}}}, "/operations/gte"),
                        ({"errors": {"retry": {"max_attempts": 2, "retryable_codes": [7]}}},
                         "/errors/retry/retryable_codes/0")):
        place.stock(api(**members), tools=[tool("n", network="api")])
        same([(one["pointer"], one["severity"]) for one in place.look("n").record["problems"]], [(at, "error")])
    place.stock(toolshed.cli("n", "rg --json", operations={"run": {}}), tools=[tool("n", commands=["rg --json"])])
    same(warned(place), {("/interface/cli/executable", "VALIDATION_ERROR")})


@case
def R_001_101_R_001_105_transforms_are_looked_at_whatever_else_is_wrong(place):
    changes = {"input": [{"type": "rename", "spec": 5}, 5, {"type": "validate", "spec": "json_schema"}],
               "output": [{"type": "format", "spec": "jsn"}, {"type": "nothing", "spec": 1}]}
    schemas = {"operations": {"run": {"input": {"type": "strng"}}}}
    for members, more in (({"version": "one"}, {"/version"}), ({"type": "cly"}, {"/type"}),
                          ({"interface": 5}, {"/interface"}), ({"operations": 5}, {"/operations"})):
        place.stock(script("n", "print(1)", transforms=changes) | schemas | members)
        run = place.look("n")
        if "operations" not in members:
            more = more | {"/operations/run/input/type"}
        same({one["pointer"] for one in run.record["problems"] if one["severity"] == "error"},
             more | {"/transforms/input/0/spec", "/transforms/input/1", "/transforms/output/0/spec",
                     "/transforms/output/1/type"})


# ---- and its registry ----

@case
def R_001_162_A01_8_what_the_registry_does_not_allow_is_warned_of(place):
    for tools, pointer, code in (
            ([], "/tool_id", "OPERATION_NOT_ALLOWED"),
            ([tool("n", network="api") | {"status": "blocked"}], "/tool_id", "OPERATION_NOT_ALLOWED"),
            ([tool("n", network="api", operations=["put"])], "/interface/api/endpoint_mapping/get",
             "OPERATION_NOT_ALLOWED"),
            ([tool("n")], "/tool_id", "APPROVAL_MISSING"),
            ([tool("n", network="api") | {"approval": None}], "/tool_id", "APPROVAL_MISSING")):
        tools = [{key: value for key, value in one.items() if value is not None} for one in tools]
        place.stock(api(), tools=tools or [tool("other")])
        same(warned(place), {(pointer, code)})
        place.fails(77, code, "n.get")


@case
def R_001_055_a_command_that_the_registry_does_not_list_is_warned_of(place):
    place.stock(script("n", "print(1)"), tools=[tool("n", commands=["rg"])])
    same(warned(place), {("/interface/cli/executable", "COMMAND_NOT_ALLOWED")})
    place.fails(77, "COMMAND_NOT_ALLOWED", "n.run", "word=x")
    place.put(".writ/adapters/f.py", "def run(): return 1\n")
    for type_, interface, pointer in (
            ("sdk", {"language": "python", "package": "./", "import_path": "f", "function_mapping": {"run": "run"}},
             "/interface/sdk/language"),
            ("mcp", {"server": "s", "transport": "stdio", "command": ["./server"], "tool_mapping": {"run": "run"}},
             "/interface/mcp/command/0")):
        place.stock(adapter("n", type_, interface), tools=[tool("n", commands=["rg"])])
        same(warned(place), {(pointer, "COMMAND_NOT_ALLOWED")})
        place.fails(77, "COMMAND_NOT_ALLOWED", "n.run")
        place.stock(adapter("n", type_, interface), tools=[tool("n", commands=["python3", "server"])])
        same(warned(place), set())


@case
def R_001_049_a_scope_that_calls_do_not_get_is_warned_of(place):
    def odd(approval, **scope):
        place.stock(script("n", "print(1)"), tools=[{key: value for key, value in (
            tool("n", **scope) | {"approval": approval}).items() if value}])
        run = place.writ("check", "--json", f"{place.repo}/.writ/tools.yaml")
        return [word in run.out for word in (b"scope/network", b"scope/filesystem")]

    same(odd(None, network="api", filesystem="extended"), [True, True])
    same(odd(None, network="api", operations=[]), [False, False])
    same(odd(APPROVED, network="api", filesystem="extended"), [False, False])


# ---- and other adapters ----

@case
def R_001_112_a_fallback_that_is_not_there_is_told_wherever_the_file_lies(place):
    errors = {"fallback": {"adapter_id": "ADP-nobody", "condition": "failed"}}
    place.stock(script("n", "import sys; sys.exit(9)", errors=errors))
    same(warned(place), {("/errors/fallback/adapter_id", "ADAPTER_UNKNOWN")})
    text = (place.repo / ".writ/adapters/n.yaml").read_text()
    for path in ("work/draft.yaml", "outside/draft.yaml"):
        run = place.writ("check", place.put(path, text))
        hold(run.status == 0 and b"'ADP-nobody' is no adapter" in run.out + run.err, run)
    place.fails(9, "command_failed", "n.run", "word=x", told=["exit 9", "cannot fall back to ADP-nobody", "no adapter"])
    place.put("work/draft.yaml", text.replace("ADP-nobody", "ADP-001"))
    run = place.writ("check", f"{place.work}/draft.yaml")
    hold(run.status == 0 and b"is no adapter" not in run.out + run.err, run)


# ---- schemas ----

HEAVY = "".join(chr(0x4E00 + i) for i in range(5400))  # each character is one more to tell from all others


@case
def a_pattern_costs_its_reader_once_however_often_an_alias_stands_for_it(place):
    place.stock(script("n", "print(1)"))
    members = "".join(f", p{i}: {{pattern: *p}}" for i in range(3000))
    text = (place.repo / ".writ/adapters/n.yaml").read_text().replace(
        '"run": {}', f'"run": {{input: {{type: object, properties: {{p: {{pattern: &p "{HEAVY}"}}{members}}}}}}}')
    place.put(".writ/adapters/n.yaml", text)
    same(warned(place), set())


@case
def schemas_that_cost_too_much_to_read_are_refused_where_it_is_too_much(place):
    place.stock(script("n", "print(1)"))
    others = "".join(f', "x{i}": *o' for i in range(2000))
    text = (place.repo / ".writ/adapters/n.yaml").read_text().replace(
        '"run": {}', f'"run": &o {{input: {{properties: {{p: {{pattern: "{HEAVY}"}}}}}}}}{others}')
    place.put(".writ/adapters/n.yaml", text)
    run = place.look("n")
    hold(run.status == 65 and len(run.record["problems"]) == 1, run)
    problem = run.record["problems"][0]
    hold("the schemas up to here take more than 1073741824 steps" in problem["message"], run)
    hold(problem["pointer"].startswith("/operations/x") and problem["pointer"].endswith("/input/properties/p"), run)


# ---- variables and input ----

@case
def R_001_058_R_001_089_a_variable_that_no_tool_is_given_is_refused(place):
    for variable in ("LD_PRELOAD", "BASH_ENV", "PYTHONSTARTUP"):
        one = script("n", "print(1)")
        one["interface"]["cli"]["env_mapping"] = {"word": variable}
        place.stock(one)
        place.never("VALIDATION_ERROR", "n", "n.run", "word=x", at="/interface/cli/env_mapping/word", told=[variable])
        place.stock(script("n", "print(1)", secrets=[{"name": "t", "env": "MINE", "variable": variable}]))
        place.never("VALIDATION_ERROR", "n", "n.run", "word=x", at="/secrets/0/variable", told=[variable])


@case
def R_001_058_R_001_089_a_search_path_that_leads_elsewhere_is_refused_and_not_ignored(place):
    one = script("n", "import os; print(os.environ['PATH'])")
    one["interface"]["cli"]["env_mapping"] = {"path": "PATH"}
    place.stock(one)
    same(warned(place), {("/interface/cli/env_mapping/path", "VALIDATION_ERROR")})
    place.fails(77, "ARGUMENT_REFUSED", "n.run", "path=/nowhere/bin", told=["PATH", "directories that the run sees"])
    same(place.fine("n.run", "path=/usr/bin"), "/usr/bin\n")


@case
def R_001_059_too_much_input_is_refused_with_advice_that_can_be_followed(place):
    one = script("n", "print(1)")
    one["interface"]["cli"]["stdin_mapping"] = "text"
    place.stock(one)
    run = place.fails(77, "INPUT_TOO_LARGE", "n.run", params={"text": "x" * ((1 << 20) + 1)}, told=["give less"])
    hold(b"on_oversize" not in run.out, run)


# ---- the caller's own limits ----

@case
def R_001_115_a_limit_out_of_its_range_is_refused_as_exec_refuses_it(place):
    place.stock(script("n", "print(1)"))
    for option, value in (("--memory-mb", 9999), ("--memory-mb", 63), ("--timeout-ms", 999)):
        runs = [place.writ("call", "n.run", "word=x", option, str(value)),
                place.writ("exec", option, str(value), "--", "true")]
        same(*(run.err for run in runs))
        hold([run.status for run in runs] == [64, 64] and option.encode() + b": " in runs[0].err, runs)


@case
def what_is_wrong_is_read_once_whatever_a_plan_asks_of_it(place):
    if b"__asan_init" in plans.tap.WRIT.read_bytes():
        raise plans.tap.Skip("a sanitizer has its own ways with memory")
    env = ["env", "-i", *(f"{k}={v}" for k, v in place.environment({}).items())]
    long = {"nonsense": [0] * 200000}
    place.stock(script("right", "0", operations={"run": {}}), script("wrong", "0") | long,
                tools=[tool("right", operations=["run"]), tool("wrong")])

    def told(action, says):
        document = place.document(plans.plan(*(plans.step(f"{action}.run_{n}") for n in range(60))))
        for verb in ("check", "run"):
            run = plans.tap.run([*env, plans.tap.WRIT, verb, document], cwd=place.work, seconds=60)
            same((run.status, says in run.out + run.err, run.peak_mb < 200), ({"check": 65, "run": 1}[verb], True, True),
                 (action, verb, run))

    told("wrong", b"has no field 'nonsense'")
    told("TL-wrong", b"has no field 'nonsense'")
    told("TL-right", b"no operation 'run_1'")
    listed = place.repo / ".writ/tools.yaml"
    listed.write_text(plans.json.dumps(plans.json.loads(listed.read_text()) | long))
    told("right", b"has no field 'nonsense'")
    place.put(".writ/config.yaml", plans.json.dumps(long))
    told("right", b"/nonsense: ")


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
