#!/usr/bin/env python3
"""calls: tools of the command line as people call them: words, limits, registry, secrets.

usage: calls.py RUN_PLAN WRIT      prints TAP
"""
import hashlib
import json
import shutil
import socket
import sys

import toolshed
from toolshed import REAL_PYTHON, SECRET, cli, hold, plan, plans, retry, same, script, step, tool, true

CASES = []
case = toolshed.collector(CASES)

ARGS = "import sys,json; print(json.dumps(sys.argv[1:]))"
PARSED = {"transforms": {"input": [], "output": [{"type": "parse", "spec": "json"}]}}


# ---- words ----

@case
def what_init_writes_below_the_top_of_a_repository_is_read_there(place):
    place.put("work/list", "a\nb\n")
    shutil.rmtree(place.repo / ".writ")
    run = place.writ("init")
    hold(run.status == 0 and (place.repo / ".writ/tools.yaml").exists() and not (place.work / ".writ").exists(), run)
    true(str(place.repo).encode() in run.err, run)
    same(place.fine("example.count", "path=list"), {"lines": "2"})
    run = place.writ("tools", "--json")
    same(json.loads(run.out)["registry"], str(place.repo / ".writ/tools.yaml"))


@case
def init_refuses_a_directory_whose_files_nobody_would_read(place):
    shutil.rmtree(place.repo / ".writ")
    run = place.writ("init", str(place.work))
    hold(run.status == 64 and not (place.work / ".writ").exists() and not (place.repo / ".writ").exists(), run)
    true(f"writ init {place.repo}".encode() in run.err, run)
    hold(place.writ("init", str(place.repo)).status == 0 and (place.repo / ".writ/tools.yaml").exists(), run)


@case
def init_in_a_home_that_is_a_repository_stays_where_it_is(place):
    shutil.rmtree(place.repo / ".writ")  # no whole home is granted, so that a project in one is its own top
    run = place.writ("init", env={"HOME": str(place.repo)})
    hold(run.status == 0 and (place.work / ".writ/tools.yaml").exists() and not (place.repo / ".writ").exists(), run)


@case
def R_001_086_R_001_088_words_reach_the_tool_as_they_are(place):
    place.stock(script("args", ARGS, {"word": "{word}", "many": "--many={value}", "flag": "-f"}, **PARSED))
    for word in ("plain", "two words", "$(id)", "; ls", "`id`", "../../etc/passwd", "*", "a\nb", "'q'", "", "ü"):
        same(place.fine("args.run", params={"word": word}), [word])
    same(place.fine("args.run", "word=x", "many:=[\"a\",\"b c\"]", "flag:=true"), ["--many=a", "--many=b c", "-f", "x"])


@case
def a_value_that_would_be_an_option_or_no_word_at_all_is_refused(place):
    place.stock(script("args", ARGS, **PARSED))
    for params, told in (({"word": "-rf"}, "begins with '-'"), ({"word": "a\0b"}, "NUL"), ({"word": {"a": 1}}, "must be"),
                         ({"other": 1}, "there are word")):
        run = place.fails(64, "PARAMETER_REFUSED", "args.run", params=params, told=[told])
        same([attempt for attempt in run.record["attempts"] if "execution_id" in attempt], [])
    place.fails(64, "PARAMETER_REFUSED", "args.run", params={"word": "x" * (1 << 20)}, told=["'word' has 1048576 bytes"])


@case
def what_is_not_utf_8_is_refused_before_anything_is_recorded(place):
    place.stock(script("args", ARGS, {"word": "{word}", "many": "--many={value}"}, **PARSED))
    for words, told in ((("word=f\udcff",), "'word'"), (("word=x", "m\udcff=1"), "'m"),
                        (("word=x", "--approve", "\udcfe"), "approval")):
        place.fails(64, "ENCODING", "args.run", *words, told=[told, "is not UTF-8"])
        run = place.writ("golden", "record", "first", "args.run", *words, "--json")
        hold(run.status == 64 and b"ENCODING" in run.out, run)
    run = place.call("args.run", 'word:="f\udcff"')
    hold(run.status == 64, run)
    hold(b"there is no ledger" in place.writ("log").err, "something was recorded")
    same(place.fine("args.run", "word=x", env={"USER": "\udcff"}), ["x"])
    hold(place.writ("log").status == 0, "log")


@case
def text_that_should_be_json_is_told_how_it_is_written(place):
    schema = {"type": "object", "properties": {
        "n": {"type": "integer", "maximum": 9}, "on": {"type": "boolean"}, "word": {"type": "string", "pattern": "^[a-z]+$"}}}
    place.stock(script("args", ARGS, {"n": "-n {value}", "on": "-o {value}", "word": "{word}"},
                       transforms={"input": [{"type": "validate", "spec": schema}],
                                   "output": [{"type": "parse", "spec": "json"}]}))
    for words, hint in ((("n=3",), "; write n:=3"), (("on=true", "word=x"), "; write on:=true"),
                        (("n=three",), None), (("n=30",), None), (("word=7",), None), (("n:=\"3\"",), None),
                        (("n=3", "on=true"), "; write ")):
        run = place.fails(64, "PARAMETER_REFUSED", "args.run", *words, told=[hint or "must"])
        hold(("; write" in run.record["error"]["message"]) == bool(hint), run)
    same(place.fine("args.run", "n:=3", "on:=true"), ["-n", "3", "-o", "true"])


@case
def json_that_cannot_be_taken_is_told_with_its_place(place):
    place.stock(script("args", ARGS))
    for word, told in (('word:={"a":12345678901234567890}', "at 1:6 behind the ':=': 12345678901234567890 cannot be held exactly "
                        "by a double; write it as text"), ('word:={"a":1,]}', "is not key:=JSON, at 1:8 behind the ':=': found ']'")):
        place.fails(64, "PARAMETER_REFUSED", "args.run", word, told=[told])
    for text, told in (("[1]", "a list of 1"), ("7", "this is 7"), ('"x"', "a text")):
        path = place.put("outside/params.json", text)
        place.fails(64, "PARAMETER_REFUSED", "args.run", "--params", path, told=[f"{path}: parameters must be a map", told])


@case
def a_parameter_that_is_missing_is_told_with_its_operation(place):
    place.stock(script("args", ARGS, transforms={"input": [{"type": "validate", "spec": {
        "type": "object", "required": ["word"]}}], "output": []}))
    place.fails(64, "PARAMETER_REFUSED", "args.run", told=["operation run of adapter ADP-args needs the parameter 'word'"])


@case
def R_001_089_variables_and_standard_input_are_given(place):
    one = script("env", "import os,sys; print(os.environ['WORD'] + sys.stdin.read())")
    one["interface"]["cli"] |= {"env_mapping": {"variable": "WORD"}, "stdin_mapping": "text"}
    place.stock(one)
    same(place.fine("env.run", "variable=a", "text=b"), "ab\n")


# ---- who may ----

@case
def R_001_158_R_001_162_A01_16_only_what_the_registry_lists_is_called(place):
    one = script("args", ARGS, **PARSED)
    for tools, code, told in (
            ([], "OPERATION_NOT_ALLOWED", "TL-args"),
            ([tool("args", operations=["other"])], "OPERATION_NOT_ALLOWED", "other"),
            ([tool("args") | {"status": "blocked"}], "OPERATION_NOT_ALLOWED", "blocks"),
            ([tool("args", commands=["/usr/bin/true"])], "COMMAND_NOT_ALLOWED", "TL-args")):
        place.stock(one, tools=tools)
        place.fails(77, code, "args.run", "word=x", told=[told])
    place.stock(one, tools=[tool("args", operations=["run"])])
    same(place.fine("args.run", "word=x"), ["x"])


@case
def R_001_162_a_star_covers_a_command_whose_adapter_names_no_operation(place):
    one = cli("args", REAL_PYTHON, "-c", ARGS, mapping={"word": "{word}"}, **PARSED)
    place.stock(one)
    for name in ("args", "args.run", "args.show", "TL-args.show"):
        same(place.fine(name, "word=x"), ["x"])
    run = place.writ("adapters", "args", "--level", "L2")
    hold(run.status == 0 and b"writ call args.run" in run.out, run)
    place.stock(one, tools=[tool("args", operations=["*", "show"])])
    for name in ("args", "args.show", "args.other"):
        same(place.fine(name, "word=x"), ["x"])
    place.stock(one, tools=[tool("args", operations=["show"])])
    same(place.fine("args", "word=x"), ["x"])
    place.fails(64, "OPERATION_UNKNOWN", "args.other", told=["there are show"])
    place.stock(one, tools=[tool("args", operations=["show", "tell"])])
    place.fails(64, "OPERATION_UNKNOWN", "args", told=["several operations, name one: show, tell"])
    place.stock(one, tools=[tool("args", operations=[])])
    for name in ("args", "args.run"):
        place.fails(77, "OPERATION_NOT_ALLOWED", name, told=["names no operation", "scope.operations of the tool TL-args"])


@case
def R_001_158_a_blocked_tool_is_told_as_blocked_whatever_is_called(place):
    for one in (script("args", ARGS), cli("args", REAL_PYTHON, "-c", ARGS),
                script("args", ARGS, operations={"run": {}, "other": {}})):
        for operations in (["*"], ["run"], []):
            place.stock(one, tools=[tool("args", operations=operations) | {"status": "blocked"}])
            for name in ("args", "args.run", "args.walk"):
                place.fails(77, "OPERATION_NOT_ALLOWED", name, told=["the registry blocks the tool TL-args"])


@case
def a_program_of_the_project_is_meant_from_its_top_wherever_it_is_called(place):
    path = place.repo / "bin/show"
    place.put("bin/show", f"#!{REAL_PYTHON}\nprint('top')\n", 0o755)
    place.put("work/bin/show", f"#!{REAL_PYTHON}\nprint('another')\n", 0o755)
    for written, listed in (("./bin/show", "./bin/show"), ("bin/show", "./bin/show"), ("./bin/show", "bin/show"),
                            ("./bin/show", str(path)), (str(path), "./bin/show")):
        place.stock(cli("show", written, operations={"run": {}}), tools=[tool("show", commands=[listed])])
        for at in (place.repo, place.work, place.work / "bin"):
            same(place.fine("show.run", at=at), "top\n")
    place.stock(cli("show", "./bin/show", operations={"run": {}}), tools=[tool("show", commands=["show"])])
    place.fails(77, "COMMAND_NOT_ALLOWED", "show.run", told=[f"must list '{path}'"])
    place.registry(tool("show", commands=["./bin/show"]), allowlist="strict")
    same(place.writ("exec", "--", "./bin/show", at=place.repo).status, 0)
    same(place.writ("exec", "--", "./bin/show", at=place.work).status, 77)


@case
def a_deprecated_tool_is_called_with_a_warning(place):
    place.stock(script("args", ARGS, **PARSED), tools=[tool("args") | {"status": "deprecated"}])
    run = place.call("args.run", "word=x")
    hold(run.status == 0 and "deprecated" in run.record["warnings"][0], run)


@case
def R_001_081_an_adapter_is_called_by_its_id_or_its_name_and_the_only_operation_needs_none(place):
    place.stock(script("args", ARGS, **PARSED))
    for name in ("args", "args.run", "ADP-args", "ADP-args.run"):
        same(place.fine(name, "word=x"), ["x"])
    place.fails(64, "ADAPTER_UNKNOWN", "arg.run", told=["arg"])
    place.fails(64, "OPERATION_UNKNOWN", "args.walk", told=["run"])


@case
def R_001_081_an_adapter_that_another_one_hides_is_told_as_that(place):
    place.stock(script("mine", ARGS, adapter_id="ADP-001", **PARSED))
    run = place.fails(64, "ADAPTER_UNKNOWN", "ripgrep-search.search",
                      told=["'ripgrep-search' (shipped) is hidden by mine.yaml", "'ADP-001'"])
    true("did you mean" not in run.record["error"]["message"], run.record)
    run = place.fails(64, "ADAPTER_UNKNOWN", "ripgrep-serch.search")
    true("'ripgrep-search'" not in run.record["error"]["message"], run.record)


@case
def R_001_142_R_001_144_R_001_145_R_001_146_a_tool_s_id_stands_for_the_adapter_that_has_the_operation(place):
    first = script("first", "print('first')", operations={"one": {}}, tool_id="TL-t")
    second = script("second", "print('second')", operations={"two": {}}, tool_id="TL-t")
    place.stock(first, second, tools=[tool("t")])
    same((place.fine("TL-t.one"), place.fine("TL-t.two")), ("first\n", "second\n"))
    place.fails(64, "ADAPTER_UNKNOWN", "TL-t.three", told=["TL-t"])


@case
def R_001_146_R_001_147_what_is_of_L3_is_shown_to_who_debugs_and_to_no_call(place):
    word = "planted-3c7d"
    one = script("args", ARGS, **PARSED)
    one["metadata"] |= {"author": word}
    place.stock(one)
    shown = {level: word in place.writ("adapters", "args", "--level", level, "--json").out.decode()
             for level in ("L0", "L1", "L2", "L3")}
    same(shown, {"L0": False, "L1": False, "L2": False, "L3": True})
    full = json.loads(place.writ("adapters", "args", "--level", "L2", "--json").out)["adapter"]
    same((full["interface"], full["transforms"]), (one["interface"], one["transforms"]))  # what a call needs
    run = place.call("args.run", "word=x")
    hold(run.status == 0 and word.encode() not in run.out + run.err, run)
    kept = [path for path in place.state.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]
    same(kept, [])


# ---- limits ----

@case
def R_001_114_R_001_115_A01_8_the_override_holds_and_the_caller_only_narrows(place):
    one = script("args", ARGS, sandbox_override={"timeout_ms": 5000, "memory_mb": 128}, **PARSED)
    place.stock(one)
    for options, timeout_ms, memory_mb in (((), 5000, 128), (("--timeout-ms", 2000), 2000, 128),
                                           (("--timeout-ms", 60000, "--memory-mb", 4096), 5000, 128)):
        run = place.call("args.run", "word=x", options=options)
        hold(run.status == 0, run)
        bodies = [entry["body"] for entry in place.log("--execution", place.executions(run)[0])]
        limits = next(body["sandbox"] for body in bodies if "sandbox" in body)
        same((limits["timeout_ms"], limits["memory_mb"]), (timeout_ms, memory_mb))


@case
def R_001_164_a_tool_that_takes_too_long_is_stopped(place):
    place.stock(script("slow", "import time; time.sleep(600)", sandbox_override={"timeout_ms": 1000}))
    run = place.fails(143, "command_timeout", "slow.run", told=["it may take 1000 ms (sandbox_override.timeout_ms"])
    same(len(run.record["attempts"]), 1)


@case
def R_001_116_A01_8_a_network_needs_more_than_the_adapter_s_word(place):
    one = script("net", ARGS, sandbox_override={"network": {"enabled": True, "allow": ["example.org"]}})
    place.stock(one)
    run = place.call("net.run", "word=x")
    hold(run.status == 77 and run.record["error"]["code"] == "APPROVAL_MISSING", run)


# Which of these ports of the loop the gate leads to.
REACH = """
import socket, sys
for port in sys.argv[1].split(","):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    s.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n".encode())
    print(s.recv(99).split()[1].decode())
"""


@case
def R_001_116_A01_8_a_call_reaches_what_adapter_and_caller_both_allow(place):
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        at = [f"127.0.0.1:{server.getsockname()[1]}" for server in (one, two)]
        ports = ",".join(address.split(":")[1] for address in at)
        place.stock(script("reach", REACH, sandbox_override={"network": {"enabled": True, "allow": at}}),
                    tools=[tool("reach", network="api")])
        same(place.fine("reach.run", f"word={ports}").split(), ["200", "200"])
        same(place.fine("reach.run", f"word={ports}", options=[f"--allow-host={at[0]}"]).split(), ["200", "403"])
        same(place.fine("reach.run", f"word={ports}", options=[f"--deny-host={at[0]}"]).split(), ["403", "200"])
        same(place.fine("reach.run", f"word={ports}", options=["--net=registry"]).split(), ["403", "403"])
        run = place.call("reach.run", f"word={ports}", options=["--net=offline"])
        hold(run.status != 0 and not run.record["ok"], run)
        run = place.call("reach.run", f"word={ports}", options=["--deny-host=a@b"])
        hold(run.status == 64, run)


# ---- what comes back ----

@case
def R_001_105_R_001_108_output_that_does_not_fit_is_a_failure_that_ran(place):
    place.stock(script("text", "print('no json')", **PARSED))
    run = place.fails(1, "TRANSFORM_FAILED", "text.run")
    same(len(place.executions(run)), 1)


@case
def R_001_105_R_001_108_a_number_that_no_double_holds_is_told_as_it_came(place):
    place.stock(script("numbers", "print('[18446744073709551615, 0.1234567890123456789, 1e400]')", **PARSED))
    same(json.dumps(place.fine("numbers.run")), "[18446744073709551615, 0.12345678901234568, Infinity]")
    run = place.writ("call", "numbers.run")
    hold(run.status == 0 and b"18446744073709551615" in run.out and b"0.1234567890123456789" in run.out
         and b"1e400" in run.out, run)


@case
def R_001_148_R_001_149_the_record_names_adapter_operation_and_digests(place):
    place.stock(script("args", ARGS, **PARSED))
    run = place.call("args.run", "word=x")
    bodies = [entry["body"] for entry in place.log("--execution", place.executions(run)[0])]
    request = next(body for body in bodies if "call" in body)
    same((request["tool_id"], request["adapter_id"], request["call"]["operation"]), ("TL-args", "ADP-args", "run"))
    same(request["call"]["adapter_version"], "1.0.0")
    same(request["call"]["parameters_digest"], plans.digest(b'{"word":"x"}'))
    place.verify()


# ---- secrets ----

@case
def secrets_reach_the_tool_only_where_the_adapter_names_them(place):
    show = "import os,json; print(json.dumps(sorted(k for k in os.environ if 'TOKEN' in k)))"
    named = {"secrets": [{"name": "token", "env": "MY_TOKEN", "variable": "TOOL_TOKEN"}]}
    place.stock(script("with", show, **PARSED, **named), script("without", show, **PARSED))
    env = {"MY_TOKEN": SECRET, "OTHER_TOKEN": SECRET}
    same(place.fine("with.run", env=env), ["TOOL_TOKEN"])
    same(place.fine("without.run", env=env), [])
    place.fails(77, "SECRET_MISSING", "with.run", told=["MY_TOKEN"])


@case
def a_tool_that_prints_its_secret_does_not_get_it_into_any_record(place):
    code = ("import os,sys,base64\n"
            "t = os.environ['T']\n"
            "print(t); print(base64.b64encode(t.encode()).decode()); print('said', t, file=sys.stderr)\n"
            "sys.exit(int(sys.argv[1]))")
    place.stock(script("loud", code, secrets=[{"name": "t", "env": "T", "variable": "T"}]))
    same(place.fine("loud.run", "word=0", env={"T": SECRET}), "[redacted]\n[redacted]=\n")
    run = place.fails(4, "command_failed", "loud.run", "word=4", env={"T": SECRET})
    true("[redacted]" in run.record["error"]["message"], run.record)


@case
def what_a_transform_reads_out_of_a_secret_is_redacted(place):
    def outputs(*rows):
        return {"transforms": {"input": [], "output": [{"type": kind, "spec": spec} for kind, spec in rows]},
                "secrets": [{"name": "t", "env": "T", "variable": "T"}]}
    begin = "import json,os\nt = os.environ['T']\n"
    json_twice = begin + "print(json.dumps({'a': json.dumps({'b': ''.join(f'\\\\u{ord(c):04x}' for c in t)}).replace('\\\\\\\\', '\\\\')}))"
    in_yaml = begin + "print('a: \"' + ''.join(f'\\\\x{ord(c):02x}' for c in t) + '\"')"
    halves = begin + "print(json.dumps({'a': t[:9], 'b': t[9:]}))"
    place.stock(script("twice", json_twice, **outputs(("parse", "json"), ("extract", "$.a"), ("parse", "json"))),
                script("yaml", in_yaml, **outputs(("parse", "yaml"))),
                script("halves", halves, **outputs(("parse", "json"), ("format", {"template": "{a}{b}"}))),
                script("wrong", in_yaml, **outputs(("parse", "yaml"), ("extract", "$.a"), ("format", "csv"))))
    same(place.fine("twice.run", env={"T": SECRET}), {"b": "[redacted]"})
    same(place.fine("yaml.run", env={"T": SECRET}), {"a": "[redacted]"})
    same(place.fine("halves.run", env={"T": SECRET}), "[redacted]")
    place.fails(1, "TRANSFORM_FAILED", "wrong.run", env={"T": SECRET}, told=["[redacted]"])


@case
def a_secret_that_is_asked_for_as_a_host_is_not_on_record(place):
    ask = ("import os,socket\ns = socket.create_connection(('127.0.0.1', 3128), 20)\n"
           "s.sendall(('CONNECT ' + os.environ['T'] + '.example.org:443 HTTP/1.1\\r\\n\\r\\n').encode())\n"
           "print(s.recv(99).split()[1].decode())")
    place.stock(script("ask", ask, sandbox_override={"network": {"enabled": True, "allow": ["example.com"]}},
                       secrets=[{"name": "t", "env": "T", "variable": "T"}]), tools=[tool("ask", network="api")])
    same(place.fine("ask.run", env={"T": "s3cret-Of-a-host"}).strip(), "403")
    said = place.writ("export").out
    true(b"[redacted].example.org" in said and b"s3cret" not in said, said)


@case
def a_secret_in_a_parameter_is_refused_before_anything_is_recorded(place):
    named = {"secrets": [{"name": "t", "env": "T", "variable": "T"}]}
    known = {"transforms": {"input": [{"type": "validate", "spec": {
        "type": "object", "properties": {"word": {"enum": ["x"]}}}}], "output": []}}
    place.stock(script("args", ARGS, {"word": "{word}", "many": "--many={value}"}, **PARSED, **named),
                script("known", ARGS, **known, **named),
                script("back", ARGS, **named, errors=retry(1) | {"fallback": {"adapter_id": "ADP-plain",
                                                                            "condition": "failed"}}),
                script("plain", ARGS))
    for name, params, which in (("args", {"word": SECRET}, "'word'"), ("args", {"word": f"-x{SECRET}"}, "'word'"),
                                ("args", {"word": "x", "many": ["a", f"b {SECRET} c"]}, "'many'"),
                                ("args", {SECRET: "x"}, "'[redacted]'"), ("known", {"word": SECRET}, "'word'"),
                                ("back", {"word": SECRET}, "'word'")):
        run = place.fails(77, "SECRET_IN_PARAMETER", f"{name}.run", params=params, env={"T": SECRET}, told=[which])
        same([attempt for attempt in run.record["attempts"] if "execution_id" in attempt], [])
    same(place.fine("args.run", "word=x", env={"T": SECRET}), ["x"])
    place.fails(64, "PARAMETER_REFUSED", "known.run", "word=y", env={"T": SECRET}, told=["'y'"])


@case
def a_project_names_no_command_that_prints_a_secret(place):
    place.stock(script("args", ARGS, secrets=[{"name": "t", "command": ["touch", str(place.outside / "ran")]}]))
    run = place.never("VALIDATION_ERROR", "args", "args.run", "word=x", at="/secrets/0/command",
                      told=["a project does not choose"])
    hold(not (place.outside / "ran").exists(), run)


# ---- in plans ----

@case
def an_operation_is_an_action_of_a_plan(place):
    place.stock(script("args", ARGS, **PARSED))
    ran = place.comes_to("success", plan(step("args.run", {"word": "x"}), step("ADP-args.run", {"word": "y"})))
    for output in ran.result["result_payload"]["steps"].values():
        same((output["adapter_id"], output["operation"], output["exit_code"]), ("ADP-args", "run", 0))
        true(place.kept(output["evidence"]), output)
    same(ran.record["evidence"]["files"], 2)
    place.verify()


@case
def R_004_165_an_operation_that_is_not_there_or_not_allowed_is_no_action(place):
    place.stock(script("args", ARGS, **PARSED), tools=[tool("args", operations=["run"])])
    for action, why in (("args.walk", "adapter ADP-args has no operation 'walk'"), ("none.run", "none"), ("args.", "")):
        ran = place.run(plan(step(action, {"word": "x"})))
        hold(ran.status == 1 and ran.error["error_code"] == "ACTION_NOT_FOUND" and why in ran.error["message"], ran)
    bare = script("bare", ARGS)
    bare.pop("metadata")
    place.stock(bare)
    ran = place.run(plan(step("bare.run")))
    hold(": a tool adapter needs 'metadata'" in ran.error["message"] and ": : " not in ran.error["message"], ran)
    place.stock(script("args", ARGS))
    place.registry(tool("args") | {"status": "blocked"})
    told = place.writ("run", "--dry-run", place.document(plan(step("args.run", {"word": "x"}))))
    hold(told.status == 1 and b"the registry blocks the tool TL-args" in told.err, told)


@case
def what_the_registry_will_say_to_a_call_is_told_before(place):
    reaches = {"sandbox_override": {"network": {"enabled": True, "allow": ["example.org"]}}}
    place.stock(script("args", ARGS), script("far", ARGS, **reaches), script("old", ARGS), script("other", ARGS),
                tools=[tool("args"), tool("far"), tool("old") | {"status": "deprecated"},
                       tool("other", commands=["/usr/bin/true"])])
    document = plan(*(step(f"{name}.run", {"word": "x"}, on_failure="skip") for name in ("args", "far", "old", "other")))
    done = place.writ("run", "--dry-run", "--json", place.document(document))
    hold(done.status == 0, done)
    steps = json.loads(done.out)["steps"]
    same([one["refused"] and one["refused"]["code"] for one in steps],
         [None, "APPROVAL_MISSING", None, "COMMAND_NOT_ALLOWED"])
    same([one["warnings"] for one in steps], [[], [], ["the tool TL-old is deprecated"], []])
    ran = place.run(document)
    same([line["message"] for line in ran.news if line["event"] == "step_failed"],
         [one["refused"]["message"] for one in steps if one["refused"]])


@case
def a_step_that_fails_says_what_its_tool_said(place):
    place.stock(script("bad", "import sys; print('went wrong', file=sys.stderr); sys.exit(9)"))
    ran = place.run(plan(step("bad.run")))
    hold(ran.status == 1 and "went wrong" in json.dumps(ran.error), ran)


@case
def a_secret_of_fewer_than_four_bytes_is_refused_before_anything_runs(place):
    code = "import os; print(os.environ['TOKEN'])"
    place.stock(script("s", code, secrets=[{"name": "t", "env": "MINE", "variable": "TOKEN"}]))
    same(place.fine("s.run", env={"MINE": "pin4"}), "[redacted]\n")
    before = place.log()
    place.fails(77, "SECRET_MISSING", "s.run", env={"MINE": "pin"}, told=["'t'", "fewer than 4 bytes"])
    same(place.log(), before)


@case
def a_secret_at_the_end_of_what_is_kept_leaves_no_beginning(place):
    for stream, most in (("stdout", 1 << 20), ("stderr", 1 << 18)):
        one = script("n", f"import os, sys; sys.{stream}.write('x' * {most - 10} + os.environ['T'] + 'y' * 99)",
                     secrets=[{"name": "t", "env": "MINE", "variable": "T"}])
        place.stock(one)
        run = place.call("n.run", "word=x", env={"MINE": SECRET})
        hold(run.status == 0 and SECRET[:6].encode() not in run.out, run._replace(out=b"", record=run.record["error"]))
        kept = [path for path in place.state.rglob("*") if path.is_file() and SECRET[:6].encode() in path.read_bytes()]
        same(kept, [])


@case
def a_secret_in_the_last_words_of_a_long_output_is_not_told(place):
    code = f"import os, sys; sys.stderr.write('x' * {1 << 18} + '\\nsaid ' + os.environ['T'] + '\\n'); sys.exit(4)"
    place.stock(script("n", code, secrets=[{"name": "t", "env": "MINE", "variable": "T"}]))
    run = place.fails(4, "command_failed", "n.run", "word=x", env={"MINE": SECRET})
    hold("said [redacted]" in run.record["error"]["message"] and SECRET.encode() not in run.out + run.err, run)
    same([path for path in place.state.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()], [])


@case
def the_digest_of_what_a_command_printed_does_not_tell_its_secrets(place):
    place.stock(script("n", "import os; print('pin', os.environ['T'])",
                       secrets=[{"name": "t", "env": "MINE", "variable": "T"}]))
    run = place.call("n.run", "word=x", env={"MINE": SECRET})
    kept = json.dumps([place.log("--execution", one) for one in place.executions(run)])
    for text, there in ((f"pin {SECRET}\n", False), ("pin [redacted]\n", True)):
        same(hashlib.sha256(text.encode()).hexdigest() in kept, there)


@case
def R_004_136_A04_9_a_call_that_ended_in_time_has_done_so_however_long_its_record_takes(place):
    code = "import os, time; open('up', 'w'); [time.sleep(0.01) for _ in iter(lambda: os.path.exists('enough'), True)]"
    place.stock(script("slow", code))
    mark = plans.marker()
    plans.recorded_late(place, mark, step("slow.run", {"word": mark}), timeout_ms=5000)


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
