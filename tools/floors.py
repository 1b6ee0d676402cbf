#!/usr/bin/env python3
"""floors: keeps the house standing, as STYLE.md says it should stand.

Includes point down only, a file includes what declares it, files and functions stay small, each
outside library and each call that touches the world has one home. usage: tools/floors.py ROOT. One line per breach; exit 1 on any.
"""
import pathlib
import re
import sys

FLOORS = [  # lowest first; folders on one floor do not know each other
    {"base"}, {"contract"}, {"sandbox", "ledger", "plan"}, {"route", "executor"},
    {"adapter"}, {"engine"}, {"cli", "mcp", "http"},
]
FLOOR = {name: n for n, names in enumerate(FLOORS) for name in names}
FACES = FLOORS[-1]

FILE_LINES = 800
FUNCTION_LINES = 100
PARAMETERS = 7
NESTING = 3

BANNED = {  # word: the only files that may say it
    r"\b(?:clock_gettime|time|gettimeofday|getrandom|getentropy|s?rand|s?random)\s*\(":
        {"base/world.c"},
    r"\b(?:secure_)?getenv\s*\(": {"cli/main.c"},
    r"\b_?exit\s*\(": {"adapter/http/main.c", "cli/main.c", "executor/pure_main.c",
                          "route/guard.c", "sandbox/child.c", "sandbox/net/main.c",
                          "sandbox/process/init.c", "sandbox/trial.c"},
    r"\babort\s*\(": {"base/world.c", "base/mem.c"},
    r"\b(?:v?f?printf|f?puts|putchar|f?putc|perror)\s*\(|\b(?:stdout|stderr)\b":
        {"cli/print.c", "executor/serve_jq.c"},
    r"\bstrto(?:d|f|ld)(?:_l)?\s*\(": {"base/number.c"},
    r"\b(?:system|popen|strcpy|strcat|v?sprintf|strtok|ato[ifl]|gets|alloca)\s*\(": set(),
    r"\bgoto\b": set(),
}
OUTSIDE = re.compile(r"^\s*#\s*include\s+<(sqlite3\.h|seccomp\.h|curl/|openssl/"
                     r"|libpq-fe\.h|microhttpd\.h|jq\.h|sodium\.h)", re.M)
OURS = re.compile(r'^\s*#\s*include\s+"((\w+)/(?:(\w+)/)?\w+)\.h"', re.M)
LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"

QUIET = re.compile(  # what is not code: comments, text, characters, preprocessor lines
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M)


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def only_code(text):
    """The same text with everything QUIET turned to spaces; lines and columns stay."""
    return QUIET.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


# ---- one file ----

def opening(name, text):
    first = f"/* {name.rsplit('/', 1)[-1]}: "
    if not text.startswith(LICENCE):
        yield f"{name}:1: begins without the SPDX line"
    elif not text[len(LICENCE):].startswith(first):
        yield f"{name}:2: says not what it is, as in '{first}...'"


def length(name, text):
    lines = text.count("\n")
    if lines > FILE_LINES:
        yield f"{name}: {lines} lines, at most {FILE_LINES}"


def includes(name, text):
    home = name.split("/")[0]
    if home not in FLOOR:
        yield f"{name}: folder {home}/ has no floor"
        return
    for m in OURS.finditer(text):
        other, room, line = m[2], m[3], line_of(text, m.start(1))
        if room and not name.startswith((f"{other}/{room}/", f"{other}/{room}.", f"{other}/{room}_")):
            yield f"{name}:{line}: only the room {other}/{room}/ and its door look inside of it"
        if other in (home, "writ"):
            continue
        if home in FACES and other != "base":
            yield f"{name}:{line}: a face may include only writ/ and base/, not {other}/"
        elif FLOOR.get(other, len(FLOORS)) >= FLOOR[home]:
            yield f"{name}:{line}: {home}/ may not look at {other}/"


def words(name, text):
    code = only_code(text)
    for pattern, homes in BANNED.items():
        for m in re.finditer(pattern, code) if name not in homes else ():
            yield f"{name}:{line_of(code, m.start())}: {m.group().rstrip(' (')} is not for this file"
    for m in QUIET.finditer(text):
        if m.group().startswith("//"):
            yield f"{name}:{line_of(text, m.start())}: a comment is written /* so */"


# ---- functions: a scan by braces, which tells blocks from tables ----

SAID = re.compile(r"^(?!static\b)\w[\w *]*?(\w+)\((?:[^;{}()]|\([^()]*\))*\)(?: \w+(?:\([^()]*\))?)*\s*(;|\n\{)", re.M)
HEAD = re.compile(r"(\w+)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*$")
CONTROL = re.compile(r"\b(?:if|for|while|switch)\s*$")


def function_head(code, since, brace):
    """The name and the parameters if this brace opens a function, else None."""
    m = HEAD.search(code, since, brace)
    return m if m and "=" not in code[since:brace] else None


def opens_block(code, brace):
    """Inside a function: a block of statements, not an initialiser, struct or compound literal."""
    before = code[:brace].rstrip()
    if before.endswith((";", "{", "}", ":")) or re.search(r"\b(?:else|do)$", before):
        return True
    if not before.endswith(")"):
        return False
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[i], 0)
        if depth == 0:
            return bool(CONTROL.search(before, 0, i))
    return False


def parameters(text):
    flat = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", text))
    return 0 if flat.strip() in ("", "void") else flat.count(",") + 1


def functions(name, text):
    code, stack, since, head = only_code(text), [], 0, None
    for m in re.finditer(r"[{};]", code):
        at = m.start()
        if m.group() == "{":
            if not stack:
                head = function_head(code, since, at)
                stack.append("function" if head else "table")
            else:
                inside = head and "table" not in stack
                stack.append("block" if inside and opens_block(code, at) else "table")
            if stack.count("block") == NESTING + 1 and stack[-1] == "block":
                yield f"{name}:{line_of(code, at)}: nests {NESTING + 1} deep, at most {NESTING}"
        elif m.group() == "}" and stack and stack.pop() == "function":
            first = since + len(code[since:]) - len(code[since:].lstrip())
            lines = line_of(code, at) - line_of(code, first) + 1
            if lines > FUNCTION_LINES:
                yield f"{name}:{line_of(code, first)}: {head[1]}() has {lines} lines, at most {FUNCTION_LINES}"
            if parameters(head[2]) > PARAMETERS:
                yield (f"{name}:{line_of(code, first)}: {head[1]}() takes {parameters(head[2])} "
                       f"parameters, at most {PARAMETERS}")
        if not stack:
            since, head = at + 1, None


# ---- all files together ----

def strangers(texts):
    """Each outside library is known by one file."""
    users = {}
    for name, text in texts.items():
        for library in set(OUTSIDE.findall(text)):
            users.setdefault(library, []).append(name)
    for library, names in sorted(users.items()):
        if len(names) > 1:
            yield f"<{library}> belongs to one file, not to {', '.join(names)}"


def headers(texts):
    """A .c file includes the header of its own name first, and itself those that declare what it defines."""
    said = {name: dict(SAID.findall(only_code(text))) for name, text in texts.items()}
    homes = {}
    for name in texts:
        for function in said[name] if name.endswith(".h") else ():
            homes.setdefault(function, set()).add(name)
    for name, text in texts.items():
        own, here = name[:-2] + ".h", {found[0] + ".h" for found in OURS.findall(text)}
        first = re.search(r'^#include [<"](.+)[>"]', text, re.M)
        if name.endswith(".c") and own in texts and (first and first[1]) != own:
            yield f"{name}: its first include is not {own}"
        for function, end in said[name].items() if name.endswith(".c") else ():
            if end != ";" and function in homes and not homes[function] & here:
                yield f"{name}: defines {function}() and does not include {min(homes[function])}"


def circles(texts):
    """Modules (a .c and its .h) must not include each other round in a circle."""
    uses, done, trail = {}, set(), []
    for name, text in texts.items():
        me = name.rsplit(".", 1)[0]
        uses.setdefault(me, set()).update({found[0] for found in OURS.findall(text)} - {me})

    def visit(module):
        if module in trail:
            yield "circle: " + " -> ".join(trail[trail.index(module):] + [module])
        elif module not in done:
            trail.append(module)
            for other in sorted(uses.get(module, ())):
                yield from visit(other)
            trail.pop()
            done.add(module)

    for module in sorted(uses):
        yield from visit(module)


def read(root, folder):
    return {path.relative_to(root / folder).as_posix(): path.read_text()
            for path in sorted((root / folder).rglob("*.[ch]"))}


def breaches(root):
    source = read(root, "src")
    for rule in (opening, length, includes, words, functions):
        for name, text in source.items():
            yield from rule(name, text)
    yield from strangers(source)
    yield from headers(source)
    yield from circles(source)
    for folder in ("include", "tests", "bench", "tools"):  # no floors, but no walls of text either
        for name, text in read(root, folder).items():
            yield from opening(f"{folder}/{name}", text)
            yield from length(f"{folder}/{name}", text)


if __name__ == "__main__":
    found = list(breaches(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "floors: ok")
    sys.exit(bool(found))
