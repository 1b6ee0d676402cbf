# SPDX-License-Identifier: Apache-2.0
# call.py: calls one function with keyword arguments from standard input; the result goes to 3.
# usage: python3 -s -B -c TEXT BASE MODULE FUNCTION; BASE is put on the module path, unless empty.
import sys

if sys.path and sys.path[0] == "":
    del sys.path[0]  # modules do not come from wherever it is called

import json
import os

MOST = 1 << 20
out = os.dup(3)  # not passed on to what is started, and not where the function looks for it
os.close(3)
me = os.getpid()


def failed(kind, message):
    message = str(message).encode("utf-8", "replace").decode()[:2000]
    return json.dumps({"ok": False, "error": {"type": kind, "message": message}}), 1


def place(e, base, module):
    """Where in the package it was: "mine.py:7: ", or nothing where no line of it is to blame."""
    own = base and os.path.join(base, "")
    file = getattr(sys.modules.get(module), "__file__", None)
    found, frame = "", e.__traceback__
    while frame:
        name = frame.tb_frame.f_code.co_filename
        if name.startswith(own) if own else name == file:
            found = f"{os.path.relpath(name, base) if own else os.path.basename(name)}:{frame.tb_lineno}: "
        frame = frame.tb_next
    return found


def leaves(e):
    """The code that it ends with: that of sys.exit(), where it is one of a failure."""
    code = e.code if isinstance(e, SystemExit) else 1
    return code & 255 or 1 if isinstance(code, int) else 1


def call(base, module, function):
    import importlib

    params = json.loads(sys.stdin.buffer.read())
    if base:
        sys.path.insert(0, base)
    target = importlib.import_module(module)
    for name in function.split("."):
        target = getattr(target, name)
    value = target(**params)
    if hasattr(value, "__await__"):
        import asyncio

        async def wait():
            return await value

        value = asyncio.run(wait())
    answer = json.dumps({"ok": True, "value": value}, sort_keys=True, allow_nan=False)
    if len(answer) > MOST:
        return failed("ResultTooLarge", f"the result has {len(answer)} bytes, allowed {MOST}")
    return answer, 0


def end(answer, code):
    if os.getpid() != me:
        os._exit(code)  # a child of the function's: the result is not its to give
    answer = answer.encode()
    while answer:
        answer = answer[os.write(out, answer):]
    for stream in sys.stdout, sys.stderr:
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(code)  # threads that go on are not waited for


arguments, sys.argv = sys.argv[1:4], sys.argv[2:3]
try:
    answer, code = call(*arguments)
except BaseException as e:
    try:
        if not isinstance(e, SystemExit):
            import traceback

            traceback.print_exc()
        text = place(e, *arguments[:2]) + str(e)
    except BaseException:
        text = ""
    answer, code = failed(type(e).__name__, text)[0], leaves(e)
end(answer, code)
