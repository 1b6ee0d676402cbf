#!/usr/bin/env python3
"""embed: the library as a C program meets it: installed, found by pkg-config, compiled with, linked
and run.

usage: embed.py --cc CC --cxx C++ --prefix DIR --libdir DIR [--http] [--jq] [--man] BUILD WRIT   prints TAP
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "faces"))
import tap  # noqa: E402

CASES = []
case = tap.collector(CASES)
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
HEADERS = ["adapters.h", "changes.h", "plans.h", "routes.h", "writ.h"]
DECLARED = "".join((ROOT / "include/writ" / name).read_text() for name in HEADERS)
FUNCTIONS = sorted(re.findall(r"^WRIT_API [^;(]*?\b(writ_\w+)\(", DECLARED, re.M))
PAYLOAD = '{"before":{"a":1},"after":{"a":2}}'


def options():
    read = argparse.ArgumentParser()
    for name in ("--cc", "--cxx", "--prefix", "--libdir"):
        read.add_argument(name, required=True)
    for name in ("--http", "--jq", "--man"):
        read.add_argument(name, action="store_true")
    read.add_argument("build")
    read.add_argument("writ")
    return read.parse_args()


ASKED = options()
TREE = pathlib.Path()  # where it was installed: DESTDIR


def same(found, expected, what=""):
    if found != expected:
        raise AssertionError(f"{what} {found!r}, expected {expected!r}")


def run(*command, status=0, **env):
    """What a command prints; it must end with this status."""
    clean = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env=clean | {k: str(v) for k, v in env.items()})
    if done.returncode != status:
        raise AssertionError(f"{command} ended with {done.returncode}, expected {status}\n"
                             f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


# ---- the installed tree ----

def installed(path):
    """A path below the prefix, where it is now."""
    return TREE / ASKED.prefix.lstrip("/") / path


def library(name):
    return installed(ASKED.libdir) / name


def flags(*options):
    """What pkg-config says for a tree that was installed below DESTDIR."""
    return run("pkg-config", *options, "writ", PKG_CONFIG_PATH=library("pkgconfig"),
               PKG_CONFIG_SYSROOT_DIR=TREE).split()


def compile(source, out, archive=False, std="c17"):
    """A program, linked with the shared library or with the archive."""
    linked = flags("--libs", "--static") if archive else flags("--libs")
    if archive:  # a linker takes the shared one where there are both
        linked = ["-l:libwrit.a" if word == "-lwrit" else word for word in linked]
    run(*ASKED.cc.split(), f"-std={std}", *STRICT, *flags("--cflags"), source, "-o", out, *linked)
    return out


def start(program, *args, **env):
    return run(program, *args, LD_LIBRARY_PATH=library(""), **env)


def shown(*nm):
    """The symbols that nm lists; an archive's lines also name its members."""
    return sorted(line.split()[0] for line in run("nm", "-P", *nm).splitlines() if " " in line)


# ---- what is there ----

@case
def everything_is_installed(scratch):
    version = run(installed("bin/writ"), "--version").split()[1]
    wanted = ["bin/writ", "libexec/writ/writ-pure", *(f"include/writ/{name}" for name in HEADERS),
              "share/bash-completion/completions/writ", "share/zsh/site-functions/_writ",
              "share/fish/vendor_completions.d/writ.fish"]
    wanted += [f"{ASKED.libdir}/{name}" for name in ("libwrit.a", "libwrit.so", "libwrit.so.0",
                                                     f"libwrit.so.{version}", "pkgconfig/writ.pc")]
    wanted += ["libexec/writ/writ-http"] if ASKED.http else []
    wanted += [f"share/man/man{page[-1]}/{page}" for page in
               ("writ.1", "writ-call.1", "libwrit.3", "writ-adapter.5", "writ-tools.5")] if ASKED.man else []
    same([path for path in wanted if not installed(path).exists()], [], "missing:")
    same(flags("--modversion"), [version])
    if "[libwrit.so.0]" not in run("readelf", "-d", library("libwrit.so")):
        raise AssertionError("the soname is not libwrit.so.0")


def offered(*words):
    """What the completion for bash offers for the last of these words; None: files."""
    script = """source "$1"; shift; compopt() { echo files; }
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _writ; echo "${COMPREPLY[*]}" """
    return run("bash", "-c", script, "bash", installed("share/bash-completion/completions/writ"), *words).split()


@case
def values_of_options_are_completed(scratch):
    same(offered("writ", "run", "--policy", ""), ["block", "draft_only"])
    same(offered("writ", "exec", "--write-mode", "c"), ["cow"])
    same(offered("writ", "plan", "graph", "--format", "m"), ["mermaid"])
    same(offered("writ", "run", "--context", ""), ["files"])
    same(offered("writ", "exec", "--", "git", "--js"), ["files"])  # its options are not ours


def only_functions(names):
    """Exactly what the headers declare."""
    same(sorted(set(FUNCTIONS) - set(names)), [], "not there:")
    same(sorted(set(names) - set(FUNCTIONS)), [], "in no header:")


@case
def the_shared_library_shows_the_functions_of_the_headers_alone(scratch):
    only_functions(shown("-D", "--defined-only", library("libwrit.so")))


@case
def the_archive_shows_the_functions_of_the_headers_alone(scratch):
    only_functions(shown("-g", "--defined-only", library("libwrit.a")))


@case
def the_shared_library_brings_no_second_sqlite(scratch):
    listed = run("readelf", "-d", library("libwrit.so"))
    for name in ("libsqlite3.so", "libsodium.so"):
        if name not in listed:
            raise AssertionError(f"{name} is not needed by it")


@case
def every_function_is_in_libwrit_3(scratch):
    if not ASKED.man:
        raise tap.Skip("there is no scdoc")
    page = installed("share/man/man3/libwrit.3").read_text()
    same([name for name in FUNCTIONS if f"\\fB{name}\\fR()" not in page], [], "not in the page:")


# ---- compiled and run ----

@case
def each_header_is_c_and_cpp(scratch):
    for header in HEADERS:
        (scratch / "t.c").write_text(f"#include <writ/{header}>\n")
        for compiler, language, std in ((ASKED.cc, "c", "c99"), (ASKED.cc, "c", "c17"),
                                        (ASKED.cxx, "c++", "c++11"), (ASKED.cxx, "c++", "c++20")):
            run(*compiler.split(), "-x", language, f"-std={std}", "-pedantic-errors", *STRICT,
                "-fsyntax-only", *flags("--cflags"), scratch / "t.c")


def plain(text):
    """Without what differs from one run to the next: ids, digests, times and amounts."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|sha256:[0-9a-f]{64}", "ID", text)
    return re.sub(r"\d+", "N", re.sub(r"\d+-\d+-\d+T[\d:.]+Z", "TIME", text))


@case
def the_example_prints_the_same_with_the_shared_library_and_the_archive(scratch):
    said = []
    for archive in (False, True):
        program = compile(ROOT / "examples/embed.c", scratch / f"embed{archive}", archive)
        state = scratch / f"state{int(archive)}"
        said.append(start(program, WRIT_STATE=state, HOME=scratch))
        needs = "libwrit.so" in run("readelf", "-d", program)
        same(needs, not archive, "needs the shared library:")
        run(installed("bin/writ"), "verify", "--ledger", state / "ledger.db")
    same(plain(said[0]), plain(said[1]))
    for words in ("libwrit 0", "writ_check: 65", "writ_exec: 0", "hello from the sandbox",
                  "writ_run: 0"):
        if words not in said[0]:
            raise AssertionError(f"'{words}' is not in\n{said[0]}")


@case
def a_program_may_use_the_names_that_the_library_uses_inside(scratch):
    for archive in (False, True):
        program = compile(HERE / "collide.c", scratch / f"collide{archive}", archive)
        same(start(program).splitlines(),
             ["own 36", 'canon 0 {"a":"x","b":[1,2.5]}', "explain 0 SYNTAX", "postgres 69"])


# ---- programs that come with it ----

def with_executor(scratch):
    """A state directory in which there is a jq executor: its worker has to be found."""
    if not ASKED.jq:
        raise tap.Skip("built without jq")
    state = scratch / "state"
    run(installed("bin/writ"), "executors", "add", ROOT / "examples/executor.yaml", WRIT_STATE=state)
    return {"WRIT_STATE": state, "HOME": scratch}


def output(text):
    return json.loads(text)["output"]


@case
def the_installed_writ_runs_commands_and_finds_its_worker(scratch):
    env = with_executor(scratch)
    run(installed("bin/writ"), "exec", "--", "true", **env)
    (scratch / "payload.json").write_text(PAYLOAD)
    same(output(run(installed("bin/writ"), "apply", "changed_keys", "--payload",
                    scratch / "payload.json", "--output", "--json", **env)), ["a"])


def in_place(command, **env):
    """Runs a command where the tree is what it will be: at its prefix."""
    place = pathlib.Path(ASKED.prefix)
    if place in (pathlib.Path("/"), pathlib.Path("/usr")) or not place.is_dir():
        raise tap.Skip(f"nothing can be mounted at {place}")
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        raise tap.Skip("no mount namespace of its own")
    return run(*unshare, "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"',
               installed(""), place, *command, **env)


@case
def a_program_finds_the_worker_where_it_was_installed(scratch):
    env = with_executor(scratch)
    for archive in (False, True):
        program = compile(HERE / "call.c", scratch / f"call{archive}", archive)
        same(output(in_place([program, "changed_keys", PAYLOAD], LD_LIBRARY_PATH=library(""), **env)),
             ["a"])


@case
def a_program_finds_the_worker_in_WRIT_LIBEXEC_and_then_nowhere_else(scratch):
    env = with_executor(scratch)
    program = compile(HERE / "call.c", scratch / "call", archive=True)
    place = installed("libexec/writ")
    same(output(run(program, "changed_keys", PAYLOAD, WRIT_LIBEXEC=place, **env)), ["a"])
    said = json.loads(run(program, "changed_keys", PAYLOAD, status=69, WRIT_LIBEXEC=scratch, **env))
    if "writ-pure" not in said["message"]:
        raise AssertionError(said)


@case
def what_stands_beside_a_program_is_run_for_writ_alone(scratch):
    env = with_executor(scratch)
    program = compile(HERE / "call.c", scratch / "call", archive=True)
    for place in ("bin", "libexec/writ"):
        trap = scratch / place / "writ-pure"
        trap.parent.mkdir(parents=True)
        trap.write_text(f"#!/bin/sh\ntouch {scratch}/sprung\n")
        trap.chmod(0o755)
        for name in ("call", "writer", "writ"):
            shutil.copy(program, scratch / "bin" / name)
            subprocess.run([scratch / "bin" / name, "changed_keys", PAYLOAD], capture_output=True,
                           timeout=120, env={key: str(value) for key, value in env.items()})
            same((scratch / "sprung").exists(), name == "writ", f"run for {name}:")
        (scratch / "sprung").unlink()
        trap.unlink()


def main():
    global TREE
    with tempfile.TemporaryDirectory() as tree:
        TREE = pathlib.Path(tree)
        run("meson", "install", "-C", ASKED.build, "--no-rebuild", "--quiet", "--destdir", tree)
        return tap.play(CASES)


if __name__ == "__main__":
    sys.exit(main())
