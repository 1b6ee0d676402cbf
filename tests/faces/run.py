#!/usr/bin/env python3
"""run: types what the transcripts say and expects, byte for byte, what they say comes back.

usage: run.py WRIT             every tests/faces/*.txt, one TAP case a command
       run.py --accept WRIT    writes what came back into the transcripts; read the diff

A transcript is plain text. A line `$ ...` is run by sh, with writ on PATH, in a directory that
holds copies of tests/faces/files. Below it stands what came back: stdout; stderr, marked `! `;
`[no line end]` where stdout ends without one; `[exit 65]` unless it was 0. A line that begins with
`#` is for the reader.

The commands in README.md are played too, as on a terminal, in a directory that holds copies of what
they speak of.

Each command runs twice, under two environments that have nothing in common: what writ prints must
not depend on them.
"""
import contextlib
import difflib
import pathlib
import shutil
import sys
import tempfile

import tap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORLDS = [
    {"umask": 0o022, "env": {"TZ": "UTC", "LANG": "C", "LC_ALL": "C", "HOME": "/root"}},
    {"umask": 0o077, "env": {"TZ": "Asia/Kathmandu", "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8",
                             "HOME": "/nonexistent", "TERM": "xterm-256color", "COLUMNS": "33",
                             "LANGUAGE": "de", "CLICOLOR_FORCE": "1", "USER": "somebody"}},
]
OF_README = ["examples", ".writ", "src", "tools", "include", "README.md", "STYLE.md", "ARCHITECTURE.md",
             "meson.build"]


def shown(answer):
    """An answer as a transcript has it."""
    text = answer.out.decode(errors="backslashreplace")
    if text and not text.endswith("\n"):
        text += "\n[no line end]\n"
    text += "".join(f"! {line}\n" for line in
                    answer.err.decode(errors="backslashreplace").splitlines())
    return text + (f"[exit {answer.status}]\n" if answer.status else "")


def transcript_lines(path):
    """The lines of a transcript; of a Markdown file, those between fences that begin with `$ writ`."""
    if path.suffix != ".md":
        return path.read_text().splitlines()
    fenced = path.read_text().split("```\n")[1::2]
    return [line for part in fenced if part.startswith("$ writ") for line in part.splitlines()]


def blocks(transcript):
    """(command, what should come back) of a transcript; the command of its head is None."""
    command, lines = None, []
    for line in transcript_lines(transcript):
        if line.startswith("$ "):
            yield command, lines
            command, lines = line[2:], []
        else:
            lines.append(line)
    yield command, lines


def wanted(lines):
    """Without the remarks, and without the blank lines that keep commands apart."""
    text = "\n".join(line for line in lines if not line.startswith("#")).rstrip("\n")
    return text + "\n" if text else ""


def answers(command, directory):
    """The reader's own ledger is none of ours: each world has a state of its own."""
    for n, world in enumerate(WORLDS):
        more = {"PATH": f"{tap.WRIT.parent}:{tap.ENV['PATH']}", "WRIT_STATE": str(directory.with_name(f"state-{n}"))}
        yield shown(tap.run(command, cwd=directory, umask=world["umask"], env=world["env"] | more))


def furnish(directory, names):
    for name in names:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, directory / name)


@contextlib.contextmanager
def directory_of_files():
    with tempfile.TemporaryDirectory() as scratch:
        yield pathlib.Path(shutil.copytree(tap.FILES, f"{scratch}/here"))


def play(transcript, cases):
    with directory_of_files() as directory:
        furnish(directory, OF_README if transcript.name == "README.md" else ["examples"])
        for command, lines in blocks(transcript):
            if command is None:
                continue
            should = wanted(lines)
            typed = f"{{ {command}; }} 2>&1 || :" if transcript.suffix == ".md" else command
            for got in answers(typed, directory):
                fault = "\n".join(difflib.unified_diff(should.splitlines(), got.splitlines(),
                                                       "should", "did", lineterm=""))
                if fault:
                    break
            cases.case(f"{transcript.name}: {command}", fault)


def accept(transcript):
    with directory_of_files() as directory:
        text = ""
        for command, lines in blocks(transcript):
            if command is None:
                text += "".join(line + "\n" for line in lines)
                continue
            remarks = "".join(line + "\n" for line in lines if line.startswith("#"))
            got = next(answers(command, directory))
            text += f"$ {command}\n{got}\n" + remarks
        transcript.write_text(text.rstrip("\n") + "\n")


def main(args):
    cases = tap.Tap()
    for transcript in sorted(HERE.glob("*.txt")):
        if args[0] == "--accept":
            accept(transcript)
        else:
            play(transcript, cases)
    if args[0] != "--accept":
        play(ROOT / "README.md", cases)
    return 0 if args[0] == "--accept" else cases.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or sys.exit(__doc__)))
