#!/usr/bin/env python3
"""test_child: what runs between clone and exec calls nothing that allocates, locks or prints.

usage: test_child.py LIBSANDBOX.a LIBROUTE.a LIBBASE.a

The parent may have threads: a lock that one of them held at the clone stays locked in the child for
ever. So the object files of the child may not even name a function that takes one.
"""
import re
import subprocess
import sys

CHILD = ["child", "cow_mount", "doors", "guard", "held_tracer", "landlock", "net", "process_init", "root", "signals",
         "stages_command", "stages_init", "stages_slot"]
BANNED = re.compile(
    r"\b(?:malloc|calloc|realloc|free|aligned_alloc|posix_memalign|mmap|brk|sbrk|strdup|asprintf"
    r"|arena_\w+|buf_\w+|fopen|fdopen|f?printf|puts|fputs|fwrite|v?s?n?printf|opendir|readdir"
    r"|getpwnam|getenv|setenv|pthread_\w+|set(?:groups|res?[ug]id|[ug]id)|dlopen|strerror|syslog|exit|atexit|__cxa_\w+)\b")


def undefined(library):
    """The functions each object file calls and does not have: {'child': {'clone', ...}, ...}"""
    listed = subprocess.run(["nm", "-u", library], check=True, capture_output=True, text=True).stdout
    member, found = None, {}
    for line in listed.splitlines():
        if line.endswith(".o:"):
            member = re.sub(r"^[a-z]+_(\w+)\.c\.o:$", r"\1", line.rsplit("/", 1)[-1])
            found[member] = set()
        elif line.strip().startswith("U "):
            found[member].add(line.split()[1].split("@")[0])
    return found


def main():
    found = {name: calls for library in sys.argv[1:] for name, calls in undefined(library).items()}
    print(f"1..{len(CHILD)}")
    failed = False
    for n, name in enumerate(CHILD, 1):
        calls = found.get(name)
        bad = sorted(c for c in calls if BANNED.fullmatch(c)) if calls else ["(no such object file)"]
        failed |= bool(bad)
        print(f"{'not ok' if bad else 'ok'} {n} - {name}.c calls nothing that allocates")
        if bad:
            print(f"# {name}.c calls {', '.join(bad)}")
    sys.exit(failed)


main()
