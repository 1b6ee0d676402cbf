#!/usr/bin/env python3
"""completions: what the shells offer after `writ`, by the completions that are installed.

usage: completions.py PAPERS      prints TAP

bash is asked itself, fish where it is installed. Of zsh, whose completion needs a terminal, only the
text is looked at.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PAPERS = pathlib.Path(sys.argv[-1]).resolve()

# What is typed, and what is offered for its last word.
OFFERS = {"writ adapters i": "import", "writ adapters import --ur": "--url", "writ adapters --lev": "--level",
          "writ executors ad": "add", "writ ledger app": "append", "writ plan gr": "graph", "writ verif": "verify",
          "writ exec --allow-weak l": "landlock"}
NEVER = {"writ run --allow-weak mo": "mount", "writ exec --allow-weak p": "pid"}

BASH = """compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_writ
echo "${COMPREPLY[@]}"
"""


def said(*command, at=None):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=at).stdout


def offered(shell, file, typed):
    if shell == "bash":
        return said("bash", "-c", f"source {file}\n{BASH}", "bash", *typed.split()).split()
    with tempfile.TemporaryDirectory() as nothing:  # it offers the files of where it is, too
        lines = said("fish", "-N", "-c", f"source {file}; complete -C '{typed}'", at=nothing).splitlines()
    return [line.split("\t")[0] for line in lines]


def wrong_in(shell):
    text = said(PAPERS, shell)
    if "(null)" in text:
        return "a word is missing"
    if shell == "zsh":
        return None if "'adapters import')" in text and "_writ_verbs_adapters()" in text else "import is not offered"
    if not shutil.which(shell):
        return None
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        return [f"{typed}: {found}" for typed, wanted in OFFERS.items()
                if (found := offered(shell, file.name, typed)) != [wanted]] + [
            typed for typed, refused in NEVER.items() if refused in offered(shell, file.name, typed)]


SHELLS = ("bash", "zsh", "fish")
print(f"1..{len(SHELLS)}")
failures = 0
for n, shell in enumerate(SHELLS, 1):
    wrong = wrong_in(shell)
    failures += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {n} - {shell} offers verbs below verbs, their options, and what these take")
    if wrong:
        print(f"# {wrong}")
sys.exit(bool(failures))
