#!/usr/bin/env python3
"""mcp_conformance: the client passes the protocol's own scenarios, all that are not about OAuth.

usage: mcp_conformance.py WRIT     prints TAP; skipped where the suite is not installed
"""
import pathlib
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "rigs"), str(HERE.parents[0] / "faces")]
import peers  # noqa: E402
import tap  # noqa: E402

COMMAND = shlex.join([str(pathlib.Path(sys.argv[1]).resolve()), "mcp", "probe", "--call-all"])
SCENARIOS = {
    "2025-11-25": ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"],
    "2026-07-28": ["tools_call", "request-metadata", "sep-2322-client-request-state",
                   "http-standard-headers", "http-custom-headers", "http-invalid-tool-headers",
                   "json-schema-ref-no-deref"],
}


def scenario(version, name):
    def play(scratch):
        try:
            passed, said = peers.conformance(COMMAND, name, version, scratch)
        except peers.Missing as why:
            raise tap.Skip(str(why)) from why
        if not passed or "OVERALL: PASSED" not in said:
            raise AssertionError(said[-6000:])

    play.__doc__ = f"{version} {name}"
    return play


sys.exit(tap.play([scenario(version, name) for version, names in SCENARIOS.items() for name in names]))
