#!/usr/bin/env python3
"""bench_adapters: `writ adapters` over ten thousand of them, the whole process, into a pipe.

The goals: at most 20 ms when they were listed before, at most 300 ms when nothing is known of them.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

WRIT = "@WRIT@"
COUNT, TURNS = 10000, 15
TEXT = """adapter_id: ADP-{0:05}
name: tool-{0}
version: "1.0.0"
tool_id: TL-{1}

type: cli

interface:
  cli:
    executable: rg
    base_args: ["--json", "--no-heading"]
    arg_mapping:
      pattern: "{{pattern}}"
    env_mapping: {{}}

metadata: {{author: bench, created: "2026-01-16", updated: "2026-01-16", status: active}}
"""
ODD = "{{adapter_id: ADP-{0:05}, name: \"tool {0}\", tool_id: TL-{1}, type: cli}}\n"  # cannot be skimmed


def furnish(project, text):
    folder = project / ".writ/adapters"
    folder.mkdir(parents=True)
    for i in range(COUNT):
        (folder / f"adapter-{i}.yaml").write_text(text.format(i, i % 50))
    return project


def take(project, state, *args):
    begin = time.perf_counter()
    lines = subprocess.run([WRIT, "adapters", *args], cwd=project, check=True, stdout=subprocess.PIPE,
                           env={"WRIT_STATE": str(state), "PATH": os.environ["PATH"]}).stdout
    took = time.perf_counter() - begin
    assert lines.count(b"\n") >= COUNT
    return took * 1000


def line(what, times, goal):
    median, best = statistics.median(times), min(times)
    print(f"  {what:<44} {median:8.1f} ms   best {best:6.1f} ms   {goal}")


def main():
    if not os.access(WRIT, os.X_OK):
        sys.exit(f"{WRIT} is not built")
    with tempfile.TemporaryDirectory() as scratch:
        place, state = pathlib.Path(scratch), pathlib.Path(scratch) / "state"
        project = furnish(place / "plain", TEXT)
        odd = furnish(place / "odd", ODD)
        cold, parsed, warm, json, changed = [], [], [], [], []
        time.sleep(0.1)  # what changed this moment is not believed
        for _ in range(TURNS):
            shutil.rmtree(state, ignore_errors=True)
            cold.append(take(project, state))
            warm.append(take(project, state))
            json.append(take(project, state, "--json"))
            parsed.append(take(odd, state)) if len(parsed) < 3 else None
            (project / ".writ/adapters/adapter-7.yaml").write_text(TEXT.format(7, 7))
            changed.append(take(project, state))
        print(f"writ adapters, {COUNT} of them, into a pipe")
        line("listed before", warm, "(goal 20)")
        line("listed before, --json", json, "(goal 20)")
        line("one of them changed", changed, "")
        line("nothing known of them", cold, "(goal 300)")
        line("nothing known, and each must be parsed", parsed, "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
