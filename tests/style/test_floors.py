#!/usr/bin/env python3
"""Feeds tools/floors.py small broken houses and expects each breach to be named. Prints TAP."""
import pathlib
import subprocess
import sys
import tempfile

FLOORS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "floors.py"


def c_file(path, body=""):
    """A file that opens as it should, then the body."""
    return f"/* SPDX-License-Identifier: Apache-2.0 */\n/* {path.rsplit('/', 1)[-1]}: a test. */\n{body}"


def function(lines, parameters="void"):
    return f"int f({parameters})\n{{\n" + "    ;\n" * (lines - 3) + "}\n"


NEST = "int f(int a)\n{{\n    if (a) {{ for (;;) {{ while (a) {{ {0} }} }} }}\n    return 0;\n}}\n"
TABLE = """static const struct row { int a; struct { struct { int b; } c; } d; } rows[] = {
    { 1, { { 2 } } }, { 3, { { 4 } } },
};
int f(int n)
{
    if (n) {
        for (;;) {
            static const struct row mine[] = { { 1, { { 2 } } } };
            g((struct row){ 1, { { '{' } } }, "{{{{", mine);
        }
    }
    return 0;
}
"""
EIGHT = "int a, int b, int c, int d, int e, int f, int g, int h"
SEVEN = "int h, int (*f)(int, int, int), int b, int c, int d, int e, int g"

# name, {file: body}, what must be said (None: nothing)
CASES = [
    ("a good house", {"src/base/a.c": '#include "base/b.h"\n', "src/base/b.h": ""}, None),
    ("looking up", {"src/base/a.c": '#include "contract/b.h"\n'}, "base/a.c:3: base/ may not look at contract/"),
    ("looking down", {"src/contract/a.c": '#include "base/b.h"\n'}, None),
    ("looking across", {"src/plan/a.c": '#include "ledger/b.h"\n'}, "plan/ may not look at ledger/"),
    ("a face looking inside", {"src/cli/a.c": '#include "contract/b.h"\n'}, "a face may include only"),
    ("a face and the public header", {"src/cli/a.c": '#include "writ/writ.h"\n#include "base/b.h"\n'}, None),
    ("a room from inside", {"src/base/room/a.c": '#include "base/room/b.h"\n'}, None),
    ("a room from its door", {"src/base/room.c": '#include "base/room/b.h"\n',
                              "src/base/room_too.c": '#include "base/room/b.h"\n'}, None),
    ("a room from beside it", {"src/base/a.c": '#include "base/room/b.h"\n'},
     "base/a.c:3: only the room base/room/ and its door look inside of it"),
    ("a room from above", {"src/contract/room.c": '#include "base/room/b.h"\n'}, "look inside of it"),
    ("a room looking up", {"src/base/room/a.c": '#include "contract/b.h"\n'}, "base/ may not look at contract/"),
    ("a circle through a room", {"src/base/a.h": '#include "base/a/b.h"\n', "src/base/a/b.h": '#include "base/a.h"\n'},
     "circle: base/a -> base/a/b -> base/a"),
    ("its own header first", {"src/base/a.c": '#include "base/a.h"\n\n#include <poll.h>\n', "src/base/a.h": ""}, None),
    ("its own header second", {"src/base/a.c": '#include <poll.h>\n\n#include "base/a.h"\n', "src/base/a.h": ""},
     "base/a.c: its first include is not base/a.h"),
    ("its own header nowhere", {"src/base/a.c": "", "src/base/a.h": ""}, "its first include is not base/a.h"),
    ("what declares it, included", {"src/base/a.c": '#include "base/b.h"\n' + function(5), "src/base/b.h": "int f(void);\n"},
     None),
    ("what declares it, not included", {"src/base/a.c": function(5), "src/base/b.h": "int f(void) NODISCARD;\n"},
     "base/a.c: defines f() and does not include base/b.h"),
    ("what declares another of its name", {"src/base/a.c": "static " + function(5), "src/base/b.h": "int f(void);\n"}, None),
    ("a folder without a floor", {"src/utils/a.c": ""}, "folder utils/ has no floor"),
    ("a circle", {"src/base/a.h": '#include "base/b.h"\n', "src/base/b.h": '#include "base/a.h"\n'},
     "circle: base/a -> base/b -> base/a"),
    ("801 lines", {"src/base/a.c": "\n" * 799}, "801 lines, at most 800"),
    ("801 lines of test", {"tests/unit/a.c": "\n" * 799}, "tests/unit/a.c: 801 lines"),
    ("a test may print and look anywhere", {"tests/unit/a.c": '#include "cli/a.h"\nint f(void) { puts(""); }\n'}, None),
    ("100 lines of function", {"src/base/a.c": function(100)}, None),
    ("101 lines of function", {"src/base/a.c": function(101)}, "base/a.c:3: f() has 101 lines, at most 100"),
    ("seven parameters, one a function", {"src/base/a.c": function(5, SEVEN)}, None),
    ("eight parameters", {"src/base/a.c": function(5, EIGHT)}, "f() takes 8 parameters, at most 7"),
    ("three deep", {"src/base/a.c": NEST.format(";")}, None),
    ("four deep", {"src/base/a.c": NEST.format("do { ; } while (a);")}, "nests 4 deep, at most 3"),
    ("tables are not nesting", {"src/base/a.c": TABLE}, None),
    ("a library with two homes", {"src/base/a.c": "#include <sqlite3.h>\n", "src/base/b.c": "#include <sqlite3.h>\n"},
     "<sqlite3.h> belongs to one file, not to base/a.c, base/b.c"),
    ("a library's headers with two homes", {"src/base/a.c": "#include <curl/curl.h>\n", "src/base/b.c": "#include <curl/easy.h>\n"},
     "<curl/> belongs to one file"),
    ("goto", {"src/base/a.c": "int f(void) { goto out; out: return 0; }\n"}, "goto is not for this file"),
    ("a // comment", {"src/base/a.c": "int a; // so\n"}, "base/a.c:3: a comment is written /* so */"),
    ("slashes in text", {"src/base/a.c": 'const char *a = "http://b"; /* // */\n'}, None),
    ("the clock", {"src/base/a.c": "int f(void) { return time(0); }\n"}, "time is not for this file"),
    ("the clock at home", {"src/base/world.c": "int f(void) { return time(0); }\n"}, None),
    ("the clock in a comment", {"src/base/a.c": "/* time() */ int uptime(int);\n"}, None),
    ("the environment", {"src/cli/a.c": 'char *f(void) { return getenv("A"); }\n'}, "getenv is not"),
    ("printing", {"src/base/a.c": 'void f(void) { printf("a"); }\n'}, "printf is not"),
    ("printing to a stream", {"src/cli/a.c": "void f(void) { g(stderr); }\n"}, "stderr is not"),
    ("printing at home", {"src/cli/print.c": 'void f(void) { fputs("a", stdout); }\n'}, None),
    ("printing to memory", {"src/base/a.c": 'void f(char *a) { snprintf(a, 1, "a"); }\n'}, None),
    ("abort", {"src/cli/main.c": "void f(void) { abort(); }\n"}, "abort is not"),
    ("exit", {"src/base/mem.c": "void f(void) { exit(1); }\n"}, "exit is not"),
    ("strtod", {"src/base/a.c": "double f(char *a) { return strtod(a, 0); }\n"}, "strtod is not"),
    ("strcpy", {"src/base/a.c": "void f(char *a) { strcpy(a, a); }\n"}, "strcpy is not"),
]


def said(files, opened=c_file):
    with tempfile.TemporaryDirectory() as root:
        for name, body in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(opened(name, body))
        return subprocess.run([sys.executable, FLOORS, root], capture_output=True, text=True)


def verdicts():
    for name, files, words in CASES:
        done = said(files)
        yield name, (words or "floors: ok") in done.stdout and bool(done.returncode) == bool(words), done
    bare = said({"src/base/a.c": "int a;\n"}, lambda name, body: body)
    yield "no licence line", "base/a.c:1: begins without the SPDX line" in bare.stdout, bare
    nameless = said({"src/base/a.c": ""}, lambda name, body: c_file("src/base/b.c"))
    yield "the name of another file", "base/a.c:2: says not what it is" in nameless.stdout, nameless


def main():
    found = list(verdicts())
    print(f"1..{len(found)}")
    for n, (name, good, done) in enumerate(found, 1):
        print(f"{'' if good else 'not '}ok {n} - {name}")
        if not good:
            print("".join(f"# {line}\n" for line in (done.stdout + done.stderr).splitlines()), end="")
    return not all(good for _, good, _ in found)


if __name__ == "__main__":
    sys.exit(main())
