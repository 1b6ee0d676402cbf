#!/usr/bin/env python3
"""inputs: the five checks before a run, and what of it reaches the command.

usage: inputs.py WRIT      prints TAP
"""
import json
import os
import subprocess
import sys
import tempfile

import ground
import tap
from ground import PYTHON, TOUCH, Run, digest, expect, hold, printed, refused

CASES = []
case = ground.collector(CASES)

CHARACTERS = ";|&$`(){}[]<>\\\"'!#*?"
TOUCHES = {"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"]}}


def ran(place, run, by):
    """TOUCH ran, allowed by this."""
    expect(run, exit_code=0, **{"checks__IV-01": f"allowed: {by}"})
    hold((place.work / "ran").exists(), run)
    (place.work / "ran").unlink()


# ---- IV-01 ----

@case
def R_001_055_without_a_registry_a_person_runs_what_they_typed(place):
    ran(place, place.exec(*TOUCH), "caller")


@case
def R_001_055_R_001_158_R_001_162_a_strict_registry_lets_only_what_it_lists_run(place):
    place.registry(TOUCHES)
    ran(place, place.exec(*TOUCH), "TL-1")
    run = place.exec("/usr/bin/cp", "/dev/null", "ran")
    refused(place, run, 77, "COMMAND_NOT_ALLOWED", "/usr/bin/cp", "/.writ/tools.yaml", "allowlist: caller")
    hold(run.record["checks"]["IV-01"].startswith("refused: "), run)
    place.registry(TOUCHES, allowlist="caller")
    ran(place, place.exec(*TOUCH), "TL-1")
    run = place.exec("/usr/bin/cp", "/dev/null", "ran")
    ran(place, run, "caller")


@case
def R_001_055_R_001_158_a_registry_is_found_from_below(place):
    place.registry(TOUCHES)
    (place.work / "deep/er").mkdir(parents=True)
    refused(place, place.exec("/usr/bin/cp", "/dev/null", place.work / "ran", at=place.work / "deep/er"),
            77, "COMMAND_NOT_ALLOWED")


@case
def R_001_055_R_001_158_R_001_162_a_registry_that_a_command_could_have_written_counts_for_nothing(place):
    place.registry(TOUCHES)
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["cp"]}}, allowlist="caller", at="work/deep")
    deep = place.work / "deep"
    copy = ("cp", "/dev/null", str(place.work / "ran"))
    refused(place, place.exec(*copy, at=deep), 77, "COMMAND_NOT_ALLOWED")
    refused(place, place.exec(*copy, options=["--cwd=deep"]), 77, "COMMAND_NOT_ALLOWED")
    for at in (place.work, deep):
        run = place.ask(*copy, inputs={"working_directory": str(deep)}, at=at)
        refused(place, run, 77, "COMMAND_NOT_ALLOWED")


@case
def R_001_055_R_001_158_a_blocked_tool_runs_for_nobody(place):
    for allowlist in ("strict", "caller"):
        place.registry(TOUCHES | {"status": "blocked"}, allowlist=allowlist)
        refused(place, place.exec(*TOUCH), 77, "COMMAND_NOT_ALLOWED", "TL-1", "blocked")
        refused(place, place.ask(*TOUCH), 77, "COMMAND_NOT_ALLOWED", "TL-1", "blocked")


@case
def R_001_055_R_001_158_a_deprecated_tool_runs_and_the_record_says_so(place):
    place.registry(TOUCHES | {"status": "deprecated"})
    ran(place, place.exec(*TOUCH), "TL-1 (deprecated)")
    ran(place, place.ask(*TOUCH), "TL-1 (deprecated)")


@case
def R_001_003_R_001_055_R_001_158_R_001_162_a_document_runs_what_its_tool_lists(place):
    place.registry(TOUCHES, {"tool_id": "TL-2", "scope": {"commands": ["cp"]}})
    ran(place, place.ask(*TOUCH), "TL-1")
    ran(place, place.ask("cp", "/dev/null", "ran", tool="TL-2"), "TL-2")
    for tool, says in (("TL-2", "its scope.commands in "), ("TL-3", "'TL-3' is not in "), ("caller", "is not in ")):
        refused(place, place.ask(*TOUCH, tool=tool), 77, "COMMAND_NOT_ALLOWED", says, "/.writ/tools.yaml")
    place.registry(TOUCHES, allowlist="caller")
    refused(place, place.ask("/usr/bin/cp", "/dev/null", "ran"), 77, "COMMAND_NOT_ALLOWED", "TL-1")


@case
def R_001_003_R_001_055_R_001_158_a_document_without_a_registry_is_refused(place):
    run = place.record_of("-f", place.request(*TOUCH))
    refused(place, run, 77, "COMMAND_NOT_ALLOWED", "registry", "there is none", "`writ init`", ".writ/tools.yaml")


@case
def R_001_055_a_name_in_the_allowlist_is_no_other_program_of_that_name(place):
    place.put("work/touch", f"#!{PYTHON}\nopen('ran', 'w')\n", 0o755)
    place.registry(TOUCHES)
    for command in ("./touch", str(place.work / "touch")):
        refused(place, place.ask(command), 77, "COMMAND_NOT_ALLOWED")
        refused(place, place.exec(command), 77, "COMMAND_NOT_ALLOWED")
    (place.work / "link").symlink_to("/usr/bin/touch")  # the other way round: it is that program
    ran(place, place.ask("./link", "ran"), "TL-1")


@case
def R_001_055_a_registry_that_is_wrong_lets_nothing_run(place):
    place.put(".writ/tools.yaml", "allowlist: caller\ntools: [{tool_id: TL-1}]\n")
    run = place.exec(*TOUCH)
    hold(run.status in (64, 65) and not (place.work / "ran").exists(), run)
    hold(run.record["problems"][0]["line"] == 2 and run.record["kind"] == "registry", run)


# ---- IV-02 ----

@case
def R_001_056_R_001_060_each_character_arrives_as_it_is(place):
    words = [f"a{c}b" for c in CHARACTERS] + list(CHARACTERS) + ["$(touch ran)", "`touch ran`", ";touch ran",
                                                                  "a b", "", "-", "\n", "ü"]
    code = "import sys; sys.stdout.write(repr(sys.argv[1:]))"
    bad = 1 + sum(any(c in CHARACTERS for c in word) for word in words)  # and the code itself
    for run in (place.python(code, *words), place.ask_python(code, *words)):
        printed(run, repr(words))
        expect(run, **{"checks__IV-02": f"escaped: {bad}"})
        hold(not (place.work / "ran").exists() and run.record["command"][3:] == words, run)


@case
def R_001_056_R_001_060_where_a_tool_blocks_each_character_is_refused(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"], "iv02": "block"}})
    hold(len(set(CHARACTERS)) == 20, place.exec(*TOUCH))
    (place.work / "ran").unlink()
    for c in CHARACTERS:
        run = place.exec(*TOUCH, f"a{c}b")
        refused(place, run, 77, "ARGUMENT_REFUSED", "argument 2", f"'{c}'", "TL-1")
        hold(run.record["checks"]["IV-02"].startswith("refused: "), run)
    refused(place, place.ask(*TOUCH, "a;b"), 77, "ARGUMENT_REFUSED", "argument 2", "';'")
    run = place.exec(*TOUCH, "a-b_c.d/../e=f,g:h@i%j+k~l m")
    hold(run.record["checks"]["IV-02"] == "ok", run)


@case
def R_001_056_nothing_is_read_by_a_shell(place):
    run = place.exec("/usr/bin/printf", "%s|", "*", "$HOME", "~", "a  b", "\\n", env={"HOME": str(place.home)})
    printed(run, "*|$HOME|~|a  b|\\n|")


# ---- IV-03 ----

@case
def R_001_057_R_001_061_a_path_is_judged_by_where_it_leads(place):
    place.put("beside", "text")
    place.put("work/in", "text")
    printed(place.python("print(open('../beside').read())", options=["--input-file=../beside"]), "text\n")
    printed(place.python("pass", options=["--input-file=../work/./../work/in"]), "")
    climbs = "../" * len(place.work.parents) + str(place.outside / "secret")[1:]
    for path in ("../../outside/secret", climbs, "../work/../../outside/secret", f"{place.repo}/../outside/secret"):
        run = place.exec(*TOUCH, options=[f"--input-file={path}"])
        refused(place, run, 77, "PATH_REFUSED", path)
        run = place.ask(*TOUCH, inputs={"input_files": [path]})
        refused(place, run, 77, "PATH_REFUSED", path)
        run = place.ask(*TOUCH, sandbox={"filesystem": {"read": [path if path[0] == "/"
                                                                 else f"{place.work}/{path}"]}})
        refused(place, run, 77, "PATH_REFUSED", "outside of the repository")


@case
def R_001_057_a_granted_path_is_recorded_without_dots(place):
    run = place.python("pass", options=["--read=../../outside/./secret"])
    expect(run, exit_code=0)
    hold(str(place.outside / "secret") in [path["path"] for path in run.record["paths"]], run)
    hold(not any(".." in path["path"] for path in run.record["paths"]), run)


@case
def R_001_057_R_001_061_R_001_062_R_001_065_output_paths_stay_below(place):
    for path in ("../out", "a/../../out", "..", "..\\out", "a\\..\\out", "C:\\Windows\\out", "c:/windows/out",
                 "/etc/out", "/var/out", f"{place.work}/out"):
        run = place.exec(*TOUCH, options=[f"--output-file={path}"])
        refused(place, run, 77, "PATH_REFUSED", "output file", path)
        run = place.ask(*TOUCH, outputs={"output_files": [path]})
        refused(place, run, 77, "PATH_REFUSED", "output file", path)


@case
def a_working_directory_that_needs_a_level_says_what_allows_it(place):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as at:
        run = place.exec(*TOUCH, at=at)
        refused(place, run, 77, "PATH_REFUSED", at, "'/var/'", "--fs elevated --approve REASON", "--write .")
        run = place.exec(*TOUCH, at=at, options=["--fs=elevated", "--approve=x", "--write=."])
        expect(run, exit_code=0)
        hold(os.path.exists(f"{at}/ran"), run)


@case
def what_is_the_system_s_own_is_written_with_an_approval_alone(place):
    approved = ["--fs=elevated", "--approve=x"]
    for path in ("/usr", "/usr/share", "/opt", "/srv"):
        refused(place, place.exec(*TOUCH, options=[f"--write={path}"]), 77, "PATH_REFUSED", path, "approval")
        expect(place.exec("/usr/bin/true", options=[*approved, f"--write={path}"]), exit_code=0)
        for level in ("standard", "extended"):
            run = place.exec("/usr/bin/test", "-w", ".", at=path, options=[f"--fs={level}"])
            expect(run, exit_code=1)
            hold(f"read-only: the working directory {path}, which is the system's own" in
                 run.record["checks"]["IV-03"], run)
    if os.geteuid() == 0:
        with tempfile.TemporaryDirectory(dir="/srv") as own:
            run = place.exec(*TOUCH, at=own)
            expect(run, exit_code=0, **{"checks__IV-03": "ok"})
            expect(place.exec("/usr/bin/touch", f"{own}/more", options=[f"--write={own}"]), exit_code=0)


@case
def a_home_below_usr_is_not_the_system_s_own(place):
    if os.geteuid() != 0 or not os.access("/usr/local", os.W_OK):
        raise tap.Skip("needs a home below /usr")

    def is_systems(work, env):
        run = place.exec("/usr/bin/test", "-w", ".", at=work, env=env)
        hold("which is the system's own" in run.record["checks"]["IV-03"] and run.status == 1, run)

    with tempfile.TemporaryDirectory(dir="/usr/local") as home:
        work = f"{home}/work"
        os.chmod(home, 0o755)
        os.mkdir(work)
        is_systems(work, {"HOME": home})  # root's
        for path in (home, work):
            os.chown(path, ground.USER, ground.USER)
        is_systems(work, {})  # somebody else's
        expect(place.exec("/usr/bin/touch", "made", at=work, env={"HOME": home}), exit_code=0, **{"checks__IV-03": "ok"})
        expect(place.exec("/usr/bin/true", options=[f"--write={work}"], env={"HOME": home}), exit_code=0)
        refused(place, place.exec(*TOUCH, options=[f"--write={work}"]), 77, "PATH_REFUSED", "approval")
        done = subprocess.run(["setpriv", f"--reuid={ground.USER}", f"--regid={ground.USER}", "--clear-groups",
                               tap.WRIT, "exec", "--allow-weak=cgroup", "--", *TOUCH], cwd=work, capture_output=True,
                              env=place.environment({"HOME": "/", "WRIT_STATE": f"{home}/state"}))
        assert done.returncode == 0 and os.path.exists(f"{work}/ran"), done


@case
def R_001_057_R_001_063_R_001_064_system_paths_need_elevated_and_an_approval(place):
    (place.work / "link").symlink_to("/etc")
    for path in ("/etc/hostname", "/etc", "/etc/../etc/hostname", "/usr/../etc/hostname", "/var/log", "link",
                 "link/hostname"):
        for option in ("--read", "--write", "--input-file"):
            run = place.exec(*TOUCH, options=[f"{option}={path}"])
            refused(place, run, 77, "PATH_REFUSED", path)
        refused(place, place.exec(*TOUCH, options=[f"--read={path}", "--approve=x"]), 77, "PATH_REFUSED")
    run = place.python("print(len(open('/etc/passwd').read()) > 0)",
                       options=["--fs=elevated", "--approve=x", "--read=/etc/passwd", "--input-file=/etc/passwd"])
    printed(run, "True\n")


# ---- IV-04 ----

SEEN = "import os; print(*sorted(os.environ), sep='\\n')"


@case
def R_001_007_R_001_058_only_what_was_asked_for_reaches_the_command(place):
    ask = "import os; print(os.environ.get('MINE'), os.environ.get('SECRET'), os.environ.get('EMPTY'))"
    for run in (place.python(ask, options=["--env=MINE=a=b c", "--env=EMPTY="], env={"SECRET": "s", "MINE": "no"}),
                place.ask_python(ask, inputs={"environment": {"MINE": "a=b c", "EMPTY": ""}},
                                 env={"SECRET": "s", "MINE": "no"})):
        printed(run, "a=b c None \n")
    hold("SECRET" not in place.python(SEEN, env={"SECRET": "s"}).record["stdout"]["text"], run)


@case
def R_001_058_R_001_066_R_001_067_dangerous_variables_of_the_caller_are_stripped_and_named(place):
    bad = {"LD_PRELOAD": "/nowhere/a.so", "LD_LIBRARY_PATH": "/nowhere", "LD_AUDIT": "/nowhere/b.so",
           "BASH_ENV": "/nowhere/rc", "PYTHONSTARTUP": "/nowhere/x.py"}
    run = place.python(SEEN, env=bad)
    expect(run, exit_code=0, **{"checks__IV-04": "stripped: " + ", ".join(sorted(bad))})
    hold(not set(bad) & set(run.record["stdout"]["text"].split()), run)


@case
def R_001_058_R_001_066_R_001_067_R_001_068_dangerous_variables_asked_for_are_stripped_and_named(place):
    bad = {"LD_PRELOAD": "/nowhere/a.so", "LD_LIBRARY_PATH": "/nowhere", "PATH": "/nowhere:/usr/bin"}
    show = "import os; print(*(os.environ.get(n) for n in ('LD_PRELOAD', 'LD_LIBRARY_PATH', 'PATH', 'GOOD')))"
    policy = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    for run in (place.python(show, options=["--env=GOOD=g", *(f"--env={k}={v}" for k, v in bad.items())]),
                place.ask_python(show, inputs={"environment": bad | {"GOOD": "g"}})):
        printed(run, f"None None {policy} g\n")
        expect(run, not_given=sorted(bad), **{"checks__IV-04": "stripped: LD_LIBRARY_PATH, LD_PRELOAD, PATH"})


@case
def R_001_058_who_asked_for_a_variable_is_told_that_it_was_not_given(place):
    typed = ["exec", "--env=LD_PRELOAD=x", "--env=GOOD=g", "--env=BASH_ENV=1", "--", "/bin/true"]
    run = place.writ(*typed, env={"PYTHONSTARTUP": "/nowhere"})
    same = b"writ: the command was not given BASH_ENV, LD_PRELOAD as asked for: see `writ explain variables`\n"
    hold(run.status == 0 and run.err == same, run)
    hold(place.writ("exec", "--", "/bin/true", env={"PYTHONSTARTUP": "/nowhere"}).err == b"", run)


@case
def R_001_068_a_path_is_kept_where_all_of_it_is_in_reach(place):
    (place.work / "bin").mkdir()
    show = "import os; print(os.environ['PATH'])"
    mine = f"{place.work}/bin:/usr/bin:/bin"
    run = place.python(show, env={"PATH": mine})
    printed(run, mine + "\n")
    expect(run, **{"checks__IV-04": "ok"})
    printed(place.python(show, options=[f"--env=PATH={mine}"]), mine + "\n")
    for part in (str(place.outside), "", ".", "bin", f"{place.work}/../../outside", "/nowhere"):
        run = place.python(show, env={"PATH": f"{mine}:{part}"})
        printed(run, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n")
        expect(run, **{"checks__IV-04": "stripped: PATH"})


@case
def R_001_007_R_001_058_names_that_are_none_are_refused(place):
    for name in ("A B", "1A", "A-B", "", "A.B"):
        run = place.writ("exec", f"--env={name}=x", "--", *TOUCH)
        hold(run.status == 64 and not (place.work / "ran").exists(), run)
        run = place.ask(*TOUCH, inputs={"environment": {name: "x"}})
        refused(place, run, 65, "VALIDATION_ERROR")


@case
def R_001_007_a_variable_is_a_name_and_a_value(place):
    for given in ("A", "=x", "A" * 256 + "=x"):
        run = place.writ("exec", f"--env={given}", "--", *TOUCH)
        hold(run.status == 64 and b"NAME=VALUE" in run.err and not (place.work / "ran").exists(), run)


# ---- secrets in variables ----

SECRET = "s3cret-of-a-variable"

# Says and leaves it, as it is and in base64.
TELL = ("import base64, os, sys\n"
        "key = os.environ['A_TOKEN']\n"
        "print(key, base64.b64encode(b'.' + key.encode()).decode()); print(key, file=sys.stderr)\n"
        "open('left', 'w').write(key); open('harmless', 'w').write('hello')")


def holds_no_secret(place, run):
    hold(SECRET.encode() not in run.out and SECRET.encode() not in run.err, run)
    kept = [path for path in place.state.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    hold(not kept, run)


@case
def R_001_007_a_secret_reaches_the_command_and_no_record(place):
    place.put("outside/token", SECRET + "\n", 0o600)
    place.put("home/credentials/token", SECRET, 0o600)
    for source, env in (("env:MINE", {"MINE": SECRET}), (f"file:{place.outside}/token", None),
                        ("file:~/credentials/token", None),
                        ("credential:token", {"CREDENTIALS_DIRECTORY": str(place.home / "credentials")})):
        run = place.python(TELL, env=env, options=[f"--env=A_TOKEN={source}", "--output-file=left",
                                                   "--output-file=harmless"])
        kind, _, name = source.partition(":")
        expect(run, exit_code=0, secrets=[{"variable": "A_TOKEN", kind: name}], recorded_secrets=None)
        hold((place.work / "left").read_text() == SECRET, run)
        hold([entry["state"] for entry in run.record["output_files"]] == ["withheld", "collected"], run)
        hold(run.record["stdout"]["text"].startswith("[redacted] ") and SECRET[:4] not in run.record["stdout"]["text"], run)
        (place.work / "left").unlink()
        holds_no_secret(place, run)


@case
def R_001_007_the_file_of_a_secret_is_shut_to_the_command(place):
    place.put("work/token", SECRET, 0o600)
    run = place.python("import os; print(len(os.environ['A_TOKEN'])); open('token').read()",
                       options=["--env=A_TOKEN=file:token"])
    expect(run, exit_code=1, stdout__text=f"{len(SECRET)}\n")
    hold("denied" in run.record["stderr"]["text"] or "No such file" in run.record["stderr"]["text"], run)
    holds_no_secret(place, run)


@case
def R_001_007_a_value_that_begins_like_a_place_is_given_as_text(place):
    for value in ("env:x", "file:./dev.db", "credential:y", "text:z", ""):
        run = place.exec("/usr/bin/env", options=[f"--env=A=text:{value}"])
        hold(f"\nA={value}\n" in "\n" + run.record["stdout"]["text"], run)
    run = place.exec("/usr/bin/env", options=["--env=A=env:", "--env=B=environment:x"])
    hold({"A=env:", "B=environment:x"} <= set(run.record["stdout"]["text"].splitlines()), run)


@case
def R_001_007_a_secret_that_cannot_be_had_or_kept_apart_is_refused(place):
    place.put("work/open", SECRET, 0o644)
    for given, env, word in (("env:NOT_THERE", {}, "the variable is not set"), ("file:open", {}, "chmod 600"),
                             ("file:none", {}, "cannot be opened"), ("env:SHORT", {"SHORT": "abc"}, "fewer than 4")):
        run = place.exec(*TOUCH, env=env, options=[f"--env=A={given}"])
        refused(place, run, 77, "SECRET_MISSING", "the variable A", word)
    mine = {"MINE": SECRET}
    refused(place, place.exec(*TOUCH, env=mine, options=["--env=A=env:MINE", "--write-mode=cow"]), 64,
            "VALIDATION_ERROR", "write_mode: direct")
    refused(place, place.exec(*TOUCH, env=mine, options=["--env=A=env:MINE", "--env=A=x"]), 64,
            "VALIDATION_ERROR", "given twice")
    refused(place, place.exec(*TOUCH, env=mine, options=["--env=LD_PRELOAD=env:MINE"]), 64,
            "VALIDATION_ERROR", "given to no tool")


@case
def R_001_007_a_document_is_given_a_secret_for_an_approved_tool_only(place):
    given = {"secrets": [{"variable": "A_TOKEN", "env": "MINE"}]}
    run = place.ask_python(TELL, inputs=given, env={"MINE": SECRET})
    refused(place, run, 77, "APPROVAL_MISSING")
    place.registry({"tool_id": "TL-1", "scope": {"commands": [ground.REAL_PYTHON]},
                    "approval": {"by": "somebody", "at": "2026-01-16", "reason": "it needs the token"}})
    run = place.ask_python(TELL, inputs=given, env={"MINE": SECRET})
    expect(run, exit_code=0, secrets=given["secrets"])
    holds_no_secret(place, run)
    for wrong in ({"env": "MINE"}, {"variable": "A", "env": "MINE", "file": "x"}, {"variable": "A"}):
        run = place.ask_python(TELL, inputs={"secrets": [wrong]}, env={"MINE": SECRET})
        hold(run.status == 65 and "exit_code" not in run.record, run)


@case
def R_001_007_a_secret_whose_value_is_recorded_is_warned_of(place):
    secret = ["GITHUB_TOKEN", "aws_secret_access_key", "DB_PASSWORD", "CLIENT_SECRET_2", "SMTP_PASS", "KEY"]
    harmless = ["TOKENIZERS_PARALLELISM", "MODE", "PWD_NOW", "COMPASS", "KEY_FILE"]
    given = [f"--env={name}=hunter2" for name in (*secret, *harmless)]
    run = place.exec("/usr/bin/true", options=[*given, "--env=EMPTY_TOKEN="])
    expect(run, exit_code=0, recorded_secrets=secret)
    run = place.writ("exec", *given, "--", "/usr/bin/true")
    for name in secret:
        hold(f"the value of {name} is in the record".encode() in run.err and
             f"--env {name}=env:NAME".encode() in run.err, run)
    hold(not any(name.encode() in run.err for name in harmless) and b"hunter2" not in run.err, run)
    run = place.writ("check", place.request("/usr/bin/true", inputs={"environment": {"A_TOKEN": "x", "MODE": "7"}}))
    hold(run.status == 0 and b"A_TOKEN" in run.out + run.err and b"MODE" not in run.out + run.err, run)


@case
def R_001_062_R_001_065_an_input_file_of_another_system_is_refused(place):
    for name in ("..\\secret", "a\\..\\secret", "C:\\Windows\\x"):
        place.put(f"work/{name}", "x")
        run = place.exec(*TOUCH, options=[f"--input-file={name}"])
        refused(place, run, 77, "PATH_REFUSED")
        hold(run.record["checks"]["IV-03"].startswith("refused: "), run)


# ---- standard input and IV-05 ----

SUM = ("import hashlib, sys\n"
       "data = sys.stdin.buffer.read()\n"
       "print(len(data), hashlib.sha256(data).hexdigest())")
MOST = 1 << 20


def summed(data):
    return f"{len(data)} {digest(data)[7:]}\n"


@case
def R_001_010_standard_input_is_handed_over_byte_by_byte(place):
    data = bytes(range(256)) * 33 + b"\r\n\0"
    place.put("outside/given", data)
    run = place.python(SUM, options=["--stdin=-"], stdin=data)
    printed(run, summed(data))
    expect(run, stdin={"bytes": len(data), "digest": digest(data)})
    printed(place.python(SUM, options=[f"--stdin={place.outside}/given"]), summed(data))
    text = "zwölf Boxkämpfer\n\tund\u2028mehr\n"
    printed(place.ask_python(SUM, inputs={"stdin": text}), summed(text.encode()))


@case
def R_001_016_what_is_denied_is_not_given_to_read_either(place):
    env = place.put("work/.env", "a secret")
    (place.work / "way").symlink_to(".env")
    for name in (".env", "way", env):
        run = place.exec(*TOUCH, options=["--deny=.env", f"--stdin={name}"])
        refused(place, run, 77, "PATH_REFUSED", f"stdin: '{name}' is {env}, which is denied")
    printed(place.python(SUM, options=["--deny=.env", "--stdin=-"], stdin=b"by the caller"), summed(b"by the caller"))


@case
def R_001_010_standard_input_is_empty_unless_given(place):
    printed(place.python(SUM, stdin=b"not for it"), summed(b""))
    printed(place.ask_python(SUM, stdin=b"not for it"), summed(b""))
    printed(place.python(SUM, options=["--stdin=-"], stdin=b""), summed(b""))


@case
def standard_input_that_cannot_be_had_is_wrong_as_a_document_would_be(place):
    for way in ([], ["--class=generic"], ["--class=generic", "--worker=local"]):
        for name, why in (("nothing", "cannot be opened: No such file"), (".", "cannot be read: Is a directory")):
            run = place.exec(*TOUCH, options=[*way, f"--stdin={name}"])
            refused(place, run, 65, "IO", why)
            hold((run.record["file"], run.record["kind"]) == (name, "stdin"), run)
            said = place.writ("exec", *way, "--stdin", name, "--", *TOUCH)
            hold(said.status == 65 and f"{name}: {why}".encode() in said.err, said)


@case
def R_001_011_standard_input_that_never_ends_does_not_outlast_the_time(place):
    end, held = os.pipe()
    child = subprocess.Popen([tap.WRIT, "exec", "--json", "--timeout-ms=1000", "--stdin=-", "--", *TOUCH],
                             cwd=place.work, env=place.environment({}), stdin=end, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    os.close(end)
    try:
        os.write(held, b"some of it")
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
        os.close(held)
    run = Run(child.returncode, json.loads(out), out, err)
    expect(run, cause="timeout", exit_code=143)
    hold(run.status == 143 and not (place.work / "ran").exists(), run)


@case
def R_001_059_standard_input_of_the_full_size_is_taken_and_one_byte_more_refused(place):
    data = os.urandom(MOST)
    printed(place.python(SUM, options=["--stdin=-"], stdin=data), summed(data))
    for options in (["--stdin=-"], [f"--stdin={place.put('outside/large', data + b'x')}"]):
        run = place.exec(*TOUCH, options=options, stdin=data + b"x")
        refused(place, run, 77, "INPUT_TOO_LARGE", "stdin has more than 1048576 bytes")
        hold(run.record["checks"]["IV-05"].startswith("refused: "), run)
    run = place.ask(*TOUCH, inputs={"stdin": "x" * (MOST + 1)})
    refused(place, run, 77, "INPUT_TOO_LARGE", "stdin has more than 1048576 bytes")


@case
def R_001_059_standard_input_is_cut_where_the_document_says_so(place):
    text = "0123456789abcdef" * (MOST // 16)
    run = place.ask_python(SUM, inputs={"stdin": text + "beyond", "on_oversize": "truncate"})
    printed(run, summed(text.encode()))
    expect(run, **{"checks__IV-05": f"cut: stdin to {MOST} bytes"},
           stdin={"bytes": MOST, "digest": digest(text.encode())})
    run = place.ask_python(SUM, inputs={"stdin": text, "on_oversize": "truncate"})
    printed(run, summed(text.encode()))
    expect(run, **{"checks__IV-05": "ok"})


@case
def R_001_059_input_files_of_the_full_size_are_taken_and_one_byte_more_refused(place):
    place.put("work/a", bytes(6 << 20))
    place.put("work/b", bytes(4 << 20))
    place.put("work/c", "x")
    expect(place.exec("/usr/bin/true", options=["--input-file=a", "--input-file=b"]), exit_code=0)
    full = bytes(10 << 20)
    place.put("work/full", full)
    run = place.exec("/usr/bin/true", options=["--input-file=full"])
    expect(run, exit_code=0, input_files=[{"path": "full", "bytes": len(full), "digest": digest(full)}])
    run = place.exec(*TOUCH, options=["--input-file=a", "--input-file=b", "--input-file=c"])
    refused(place, run, 77, "INPUT_TOO_LARGE", "input_files", "10485761", "10485760")
    run = place.ask(*TOUCH, inputs={"input_files": ["a", "b", "c"]})
    refused(place, run, 77, "INPUT_TOO_LARGE", "input_files", "10485761", "10485760")
    place.put("work/large", full + b"x")
    run = place.exec(*TOUCH, options=["--input-file=large"])
    refused(place, run, 77, "INPUT_TOO_LARGE", "input_files", "10485761", "10485760")


@case
def R_001_059_input_files_are_cut_where_the_document_says_so(place):
    parts = {"a": b"a" * (6 << 20), "b": b"b" * (5 << 20), "c": b"c" * 9, "d": b""}
    for name, data in parts.items():
        place.put(f"work/{name}", data)
    given = {"a": parts["a"], "b": parts["b"][:4 << 20], "c": b"", "d": b""}
    look = ("import hashlib, os\n"
            "for n in 'abcd': print(n, os.path.getsize(n), hashlib.sha256(open(n, 'rb').read()).hexdigest())\n"
            "for n in 'bc':\n"
            "    try: open(n, 'a'); print('written')\n"
            "    except OSError: pass\n"
            "os.rename('a', 'z'); os.rename('z', 'a')")
    run = place.ask_python(look, inputs={"input_files": list(parts), "on_oversize": "truncate"})
    expect(run, exit_code=0, stdout__text="".join(f"{n} {len(d)} {digest(d)[7:]}\n" for n, d in given.items()),
           **{"checks__IV-05": f"cut: input_files to {10 << 20} bytes"})
    same = [{"path": n, "bytes": len(given[n]), "digest": digest(given[n])}
            | ({"whole_bytes": len(d)} if given[n] != d else {}) for n, d in parts.items()]
    hold(run.record["input_files"] == same, run)
    hold(all((place.work / n).read_bytes() == d for n, d in parts.items()), run)  # what was given stays as it was
    hold(not list(place.state.rglob("cut-*")), run)


@case
def R_001_059_input_files_that_cannot_be_cut_are_refused(place):
    place.put("work/large", bytes((10 << 20) + 1))
    given = {"input_files": ["large"], "on_oversize": "truncate"}
    run = place.ask(*TOUCH, inputs=given, sandbox={"filesystem": {"write_mode": "cow"}})
    refused(place, run, 77, "INPUT_TOO_LARGE", "write_mode: direct")
    run = place.ask(*TOUCH, inputs=given, sandbox={"filesystem": {"deny": ["large"]}})
    hold(run.status == 77 and "exit_code" not in run.record and not (place.work / "ran").exists(), run)
    hold(not list(place.state.rglob("cut-*")), run)


# ---- all of them ----

@case
def R_001_160_every_check_is_in_the_record(place):
    run = place.exec("/usr/bin/true")
    expect(run, checks={"IV-01": "allowed: caller", "IV-02": "ok", "IV-03": "ok", "IV-04": "ok", "IV-05": "ok"})


@case
def R_001_160_checks_come_before_the_run_in_their_order(place):
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"], "iv02": "block"}})
    large = {"stdin": "x" * (MOST + 1)}
    run = place.ask("/usr/bin/cp", "a;b", inputs=large)
    refused(place, run, 77, "COMMAND_NOT_ALLOWED")
    hold(list(run.record["checks"]) == ["IV-01"], run)
    run = place.ask(*TOUCH, "a;b", inputs=large)
    refused(place, run, 77, "ARGUMENT_REFUSED")
    run = place.ask(*TOUCH, inputs=large)
    refused(place, run, 77, "INPUT_TOO_LARGE")
    hold(list(run.record["checks"]) == ["IV-01", "IV-02", "IV-03", "IV-04", "IV-05"], run)


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
