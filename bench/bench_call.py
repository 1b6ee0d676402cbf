#!/usr/bin/env python3
"""bench_call: `writ call` of a command against `writ exec` of the same command, each a process of its own.

The goal: a call of a cli adapter takes at most 1.15 x what exec takes.
"""
import json
import sys

sys.path.insert(0, "@SOURCE@")
import route  # noqa: E402

TURNS = 200
ADAPTER = {"adapter_id": "ADP-t", "name": "t", "version": "1.0.0", "tool_id": "t", "type": "cli",
           "interface": {"cli": {"executable": "/bin/true", "arg_mapping": {"word": "{word}"}}},
           "operations": {"run": {}},
           "metadata": {"author": "us", "created": "2026-01-16", "updated": "2026-01-16", "status": "active"}}


def main():
    with route.ground(route.program("@WRIT@")) as here:
        tools = json.loads((here.work / ".writ/tools.yaml").read_text())
        tools["tools"][0]["scope"]["operations"] = ["run"]
        here.put(here.work / ".writ/tools.yaml", tools | {"allowlist": "caller"})
        here.put(here.work / ".writ/adapters/t.yaml", ADAPTER)
        took = route.race(TURNS, exec=lambda: here.command(here.writ, "exec", "--", "/bin/true", "x"),
                          call=lambda: here.command(here.writ, "call", "t.run", "word=x"))
        print("/bin/true, sandboxed, on record, a process each")
        route.line("writ exec -- /bin/true x", took["exec"], 1)
        route.line("writ call t.run word=x", took["call"], 1, f"{took['call'] / took['exec']:.2f} x (goal 1.15)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
