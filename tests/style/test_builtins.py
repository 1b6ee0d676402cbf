#!/usr/bin/env python3
"""test_builtins: the builtin executors, and all they call, name nothing that touches the world.

usage: test_builtins.py LIBEXECUTOR.a LIBRARY.a...     prints TAP

From the object files of the builtins every name is followed into the object file that has it, in
any of the libraries. What is left comes from outside, and must be on the list: functions of libc
that compute, and memory. A file, a socket, a process, a clock or the environment is not on it.
"""
import re
import subprocess
import sys

BUILTINS = re.compile(r"executor_(?:builtin\w*|condition)\.c\.o")
COMPUTES = re.compile(
    r"mem(?:cpy|cmp|chr|mem|move|set)|str(?:len|nlen|chr|cmp|ncmp)|bcmp|explicit_bzero|qsort"  # texts
    r"|malloc|calloc|realloc|free|abort"                                        # memory, and its end
    r"|v?snprintf|vasprintf|strerrordesc_np|__errno_location|__assert_fail"     # messages
    r"|strtod_l|newlocale|floor"                                                # numbers, as "C" has them
    r"|getauxval|__cpu_\w+|__x86_get_cpuid_feature_leaf"                                                     # what the CPU can do
    r"|__\w+_chk|__stack_chk_\w+|_GLOBAL_OFFSET_TABLE_|__\w+ti[34]")              # the compiler's own
SANITIZER = re.compile(r"_*(?:asan|ubsan|sanitizer|(?:start__+|stop__+)?sancov)_\w+")
CASES, OUTSIDE = [], {}  # OUTSIDE: {name: the object file that wants it}


def case(function):
    CASES.append(function)
    return function


def names(library):
    """{object file: (names it has, names it wants)} of one library."""
    listed = subprocess.run(["nm", library], check=True, capture_output=True, text=True).stdout
    found, member = {}, None
    for line in listed.splitlines():
        words = line.split()
        if line.endswith(".o:"):
            member = f"{library.rsplit('/', 1)[-1]}:{line[:-1].rsplit('/', 1)[-1]}"
            found[member] = (set(), set())
        elif len(words) == 2 and words[0] in "Uw":
            found[member][1].add(words[1].split("@")[0])
        elif len(words) == 3 and words[1].isupper():
            found[member][0].add(words[2])
    return found


def follow(objects):
    """Fills OUTSIDE; how many object files were on the way."""
    home = {name: member for member, (has, _) in objects.items() for name in has}
    todo = [member for member in objects if BUILTINS.search(member)]
    seen = set(todo)
    while todo:
        member = todo.pop()
        for name in objects[member][1]:
            other = home.get(name)
            if other is None and not SANITIZER.fullmatch(name):
                OUTSIDE.setdefault(name, member)
            elif other and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen)


def wanted(pattern):
    return [name for name in OUTSIDE if re.fullmatch(pattern, name)]


# ---- the list is the test; the others say what it means, should it ever grow ----

@case
def R_003_023_what_they_call_computes_and_nothing_else():
    return [name for name in OUTSIDE if not COMPUTES.fullmatch(name)]


@case
def R_003_017_R_003_019_no_file_and_no_database():
    return wanted(r"f?open\w*|creat|p?read\w*|p?write\w*|\w*stat\w*|unlink\w*|rename\w*|mkdir\w*|mk\w*temp\w*|mmap|sqlite3_\w+|PQ\w+")


@case
def R_003_018_no_network():
    return wanted(r"socket\w*|connect|bind|listen|accept\w*|send\w*|recv\w*|getaddrinfo|gethost\w*")


@case
def R_003_020_no_process():
    return wanted(r"v?fork|clone\w*|exec\w*|posix_spawn\w*|system|popen|kill|syscall|pthread_create")


@case
def R_003_021_R_003_022_no_environment_clock_or_chance():
    return wanted(r"(?:secure_)?getenv|environ|setlocale|getcwd|uname|clock\w*|time|gettimeofday|localtime\w*|getrandom|getentropy|s?rand\w*")


def main():
    objects = {}
    for library in sys.argv[1:]:
        objects |= names(library)
    reached, failed = follow(objects), False
    print(f"1..{len(CASES)}")
    for n, function in enumerate(CASES, 1):
        bad = [f"{name}, wanted by {OUTSIDE[name]}" for name in function()]
        if reached < 10 or "malloc" not in OUTSIDE:
            bad = ["the object files of the builtins are not where they were"]
        failed |= bool(bad)
        print(f"{'not ok' if bad else 'ok'} {n} - {function.__name__}")
        print("".join(f"# {line}\n" for line in sorted(bad)), end="")
    sys.exit(failed)


main()
