/* SPDX-License-Identifier: Apache-2.0 */
/* test_sdk_scripts.c: functions in Python and JavaScript, called for real in the sandbox.
 *
 * usage: test_sdk_scripts [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/functions.h"

/* What a function does in either language. */
static const struct function_row plain[] = {
    { "add", "{\"a\":2,\"b\":3}", "5", NULL, 0 },
    { "echo", "{\"z\":[1,null,\"\\u0000'\\\"$(id)\"],\"a\":{\"b\":true}}",
      "{\"a\":{\"b\":true},\"z\":[1,null,\"\\u0000'\\\"$(id)\"]}", NULL, 0 },
    { "nothing", "{}", "null", NULL, 0 },
    { "later", "{\"n\":7}", "7", NULL, 0 },
};

/* ---- python ---- */

static const char python_text[] =
    "import asyncio, os, sys, threading, time\n"
    "def add(a, b): return a + b\n"
    "def echo(**words): return words\n"
    "def nothing(): pass\n"
    "def prints():\n"
    "    print('{\"ok\":false}'); print('noise', file=sys.stderr); os.write(1, b'more\\n'); return 1\n"
    "def raises(): raise ValueError('a bad\\nthing')\n"
    "def strange(): raise ValueError('\\ud800')\n"
    "def nan(): return [float('nan')]\n"
    "def object_(): return {1, 2}\n"
    "def deep():\n"
    "    d = []\n"
    "    for i in range(100000): d = [d]\n"
    "    return d\n"
    "def nested():\n"
    "    d = []\n"
    "    for i in range(500): d = [d]\n"
    "    return d\n"
    "def exits(): sys.exit(3)\n"
    "def vanishes(): os._exit(0)\n"
    "def big(): return 'x' * (2 << 20)\n"
    "def garbage(): os.write(3, b'garbage')\n"
    "def hunts():\n"
    "    for fd in range(3, 64):\n"
    "        try: os.write(fd, b'{\"ok\":true,\"value\":666}')\n"
    "        except OSError: pass\n"
    "    return 1\n"
    "def floods():\n"
    "    for fd in range(3, 64):\n"
    "        try:\n"
    "            for i in range(2048): os.write(fd, b'x' * 1024)\n"
    "        except OSError: pass\n"
    "def closes(): os.closerange(3, 64); return 1\n"
    "def forks(): os.fork(); return 1\n"
    "def keeps():\n"
    "    if os.fork() == 0: time.sleep(1000)\n"
    "    return 1\n"
    "def waits(): threading.Thread(target=time.sleep, args=(1000,)).start(); return 1\n"
    "async def later(n): await asyncio.sleep(0); return n\n"
    "def twice(): return {1: 'a', '1': 'b'}\n"
    "def hashes(): return str(hash('writ')) + str({'a', 'b', 'c', 'd', 'e'})\n"
    "def path(): return [sys.argv, sys.path[0] == os.getcwd(), '' in sys.path]\n"
    "class Tool:\n"
    "    @staticmethod\n"
    "    def run(x): return x\n";

static const struct package python = { &r, SDK_PYTHON, "./", "functions" };

static void R_001_094_R_001_097_a_function_in_python_is_called(void **state)
{
    static const struct function_row rows[] = {
        { "Tool.run", "{\"x\":\"-rf\"}", "\"-rf\"", NULL, 0 },
        { "path", "{}", "[[\"functions\"],true,false]", NULL, 0 },
        { "add", "{\"a\":2}", NULL, "TypeError: add() missing 1 required", 1 },
        { "add", "{\"a\":2,\"b\":3,\"c\":4}", NULL, "TypeError: add() got an unexpected", 1 },
        { "missing", "{}", NULL, "AttributeError: module 'functions' has no attribute 'missing'",
          1 },
        { "raises", "{}", NULL, "ValueError: functions.py:7: a bad thing", 1 },
    };

    (void)state;
    runs_write(&r, "functions.py", python_text);
    functions_check(&python, plain, COUNT(plain));
    functions_check(&python, rows, COUNT(rows));
}

static void a_hostile_function_in_python_gives_a_clear_end(void **state)
{
    static const struct function_row rows[] = {
        { "prints", "{}", "1", NULL, 0 },
        { "strange", "{}", NULL, "ValueError: functions.py:8: ?", 1 },
        { "nan", "{}", NULL, "ValueError: Out of range float", 1 },
        { "object_", "{}", NULL, "TypeError: Object of type set", 1 },
        { "deep", "{}", NULL, "RecursionError", 1 },
        { "nested", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
        { "twice", "{}", NULL, "TypeError: '<' not supported", 1 },
        { "exits", "{}", NULL, "SystemExit: functions.py:19: 3", 3 },
        { "vanishes", "{}", NULL, "the function ended without a result", 0 },
        { "big", "{}", NULL, "ResultTooLarge: the result has 2097177 bytes, allowed 1048576", 1 },
        { "garbage", "{}", NULL, "OSError: functions.py:22: [Errno 9] Bad file", 1 },
        { "hunts", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
        { "floods", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
        { "closes", "{}", NULL, "the function ended without a result", 1 },
        { "forks", "{}", "1", NULL, 0 },
        { "keeps", "{}", "1", NULL, 0 },
        { "waits", "{}", "1", NULL, 0 },
    };
    struct called c;

    (void)state;
    runs_write(&r, "functions.py", python_text);
    functions_check(&python, rows, COUNT(rows));
    c = function_call(&python, "prints", "{}");
    assert_true(str_is(c.out.out.head, "{\"ok\":false}\nmore\n") ||
                str_is(c.out.out.head, "more\n{\"ok\":false}\n"));
    assert_true(str_is(c.out.err.head, "noise\n"));
    c = function_call(&python, "floods", "{}");
    assert_true(c.out.result.bytes >= 2 * MIB);
}

static void the_same_call_in_python_gives_the_same_bytes(void **state)
{
    (void)state;
    runs_write(&r, "functions.py", python_text);
    assert_int_equal(function_same(&python, "hashes").value.doc->kind, DOC_TEXT);
}

/* A package is a path beside the adapter, a file, or what is installed; nothing else is looked in,
 * and a module in the working directory does not stand in for one of Python's own. */
static void R_001_095_R_001_096_a_package_is_found_where_it_is_said_to_be(void **state)
{
    static const struct function_row ours = { "name", "{}", "\"ours\"", NULL, 0 };
    static const struct function_row dumps = { "dumps", "{\"obj\":[1]}", "\"[1]\"", NULL, 0 };
    static const struct function_row none = { "name", "{}", NULL,
                                              "ModuleNotFoundError: No module named 'ours'", 1 };
    const struct package directory = { &r, SDK_PYTHON, "./in", "ours" };
    const struct package file = { &r, SDK_PYTHON, "./in/ours.py", "ours" };
    const struct package whole = { &r, SDK_PYTHON, arena_printf(&r.a, "%s/in", r.dir), "ours" };
    const struct package installed = { &r, SDK_PYTHON, "json", "json" };
    const struct package absent = { &r, SDK_PYTHON, "ours", "ours" };

    (void)state;
    make_dir("in");
    runs_write(&r, "in/ours.py", "def name(): return 'ours'\n");
    runs_write(&r, "json.py", "raise SystemExit('the wrong one')\n");
    function_check(&directory, &ours);
    function_check(&file, &ours);
    function_check(&whole, &ours);
    function_check(&installed, &dumps);
    function_check(&absent, &none);
}

/* ---- node ---- */

static const char node_text[] =
    "import fs from 'node:fs'; import { fork, spawn } from 'node:child_process';\n"
    "export const add = ({ a, b }) => a + b;\n"
    "export const echo = (words) => words;\n"
    "export const nothing = () => {};\n"
    "export const later = async ({ n }) => { await null; return n; };\n"
    "export const tool = { me: 5, run() { return this.me; } };\n"
    "export const prints = () => { console.log('{\"ok\":false}'); return 1; };\n"
    "export const raises = () => { throw new RangeError('a bad\\nthing'); };\n"
    "export const text = () => { throw 'words'; };\n"
    "export const worse = () => { throw { get message() { throw 1; } }; };\n"
    "export const nan = () => [NaN];\n"
    "export const big_int = () => 1n;\n"
    "export const fun = () => () => 1;\n"
    "export const loop = () => { const o = {}; o.o = o; return o; };\n"
    "export const deep = () => { let d = []; for (let i = 0; i < 1e6; i++) d = [d]; return d; };\n"
    "export const exits = () => process.exit(0);\n"
    "export const never = () => new Promise(() => {});\n"
    "export const later_throw = () => new Promise(() => setTimeout(() => { throw new Error('late'); }));\n"
    "export const big = () => 'x'.repeat(2 << 20);\n"
    "export const garbage = () => { fs.writeSync(3, 'garbage'); return 1; };\n"
    "export const twice = () => { fs.writeSync(3, '{\"ok\":true,\"value\":666}'); return 1; };\n"
    "export const closes = () => { fs.closeSync(3); return 1; };\n"
    "export const floods = () => { fs.writeSync(3, 'x'.repeat(2 << 20)); return 1; };\n"
    "export const waits = () => { setInterval(() => {}, 1000); return 1; };\n"
    "export const starts = () => { spawn('sleep', ['1000'], { stdio: [0, 1, 2, 3] }); return 1; };\n"
    "export const chance = () => Math.random();\n"
    "export const proto = (p) => [Object.keys(p), ({}).polluted === undefined];\n";

static const struct package node = { &r, SDK_NODE, "./", "functions" };

/* Where there is node, the functions are there as well. Where there is none, what would be run is
 * all that can be looked at. */
static bool node_ready(void)
{
    struct error e = { 0 };
    struct sdk_call bound;

    if (access("/usr/bin/node", X_OK) == 0 || access("/usr/local/bin/node", X_OK) == 0) {
        runs_write(&r, "functions.mjs", node_text);
        return true;
    }
    print_message("# node is not installed\n");
    assert_true(function_bind(&node, "add", "{}", &bound, &e));
    assert_true(str_is(bound.call.command, "node"));
    return false;
}

static void R_001_094_R_001_097_a_function_in_node_is_called(void **state)
{
    static const struct function_row rows[] = {
        { "tool.run", "{}", "5", NULL, 0 },
        { "proto", "{\"__proto__\":{\"polluted\":1}}", "[[\"__proto__\"],true]", NULL, 0 },
        { "missing", "{}", NULL, "TypeError: missing is no function of functions", 1 },
        { "raises", "{}", NULL, "RangeError: functions.mjs:8: a bad thing", 1 },
        { "text", "{}", NULL, "string: words", 1 },
    };

    (void)state;
    if (!node_ready())
        return;
    functions_check(&node, plain, COUNT(plain));
    functions_check(&node, rows, COUNT(rows));
}

static void a_hostile_function_in_node_gives_a_clear_end(void **state)
{
    static const struct function_row rows[] = {
        { "prints", "{}", "1", NULL, 0 },
        { "worse", "{}", NULL, "Error: the function failed, and cannot say how", 1 },
        { "nan", "{}", NULL, "RangeError: NaN is no number that JSON has", 1 },
        { "big_int", "{}", NULL, "TypeError: ", 1 },
        { "fun", "{}", NULL, "TypeError: the result is nothing that JSON has", 1 },
        { "loop", "{}", NULL, "", 1 },
        { "deep", "{}", NULL, "RangeError: Maximum call stack", 1 },
        { "exits", "{}", NULL, "Unfinished: it ended before the function gave a result", 1 },
        { "never", "{}", NULL, "Unfinished: ", 1 },
        { "later_throw", "{}", NULL, "Error: functions.mjs:18: late", 1 },
        { "big", "{}", NULL, "ResultTooLarge: the result has 2097", 1 },
        { "garbage", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
        { "twice", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
        { "floods", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
        { "closes", "{}", NULL, "the function ended without a result", 1 },
        { "waits", "{}", "1", NULL, 0 },
        { "starts", "{}", "1", NULL, 0 },
    };

    (void)state;
    if (node_ready())
        functions_check(&node, rows, COUNT(rows));
}

static void the_same_call_in_node_gives_the_same_bytes(void **state)
{
    (void)state;
    if (node_ready())
        (void)function_same(&node, "chance");
}

static void R_001_095_R_001_096_a_module_is_found_as_node_finds_it(void **state)
{
    static const struct function_row ours = { "name", "{}", "\"ours\"", NULL, 0 };
    static const struct function_row none = { "name", "{}", NULL, "Error: Cannot find package", 1 };
    const struct package common = { &r, SDK_NODE, "./in/common.cjs", "common" };
    const struct package installed = { &r, SDK_NODE, "ours", "ours" };
    const struct package absent = { &r, SDK_NODE, "absent", "absent" };

    (void)state;
    if (!node_ready())
        return;
    make_dir("in");
    make_dir("node_modules");
    make_dir("node_modules/ours");
    runs_write(&r, "in/common.cjs", "exports.name = () => 'ours';\n");
    runs_write(&r, "node_modules/ours/index.js", "exports.name = () => 'ours';\n");
    function_check(&common, &ours);
    function_check(&installed, &ours);
    function_check(&absent, &none);
}

#define IN_BOX(f) cmocka_unit_test_setup_teardown(f, make, end)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        IN_BOX(R_001_094_R_001_097_a_function_in_python_is_called),
        IN_BOX(a_hostile_function_in_python_gives_a_clear_end),
        IN_BOX(the_same_call_in_python_gives_the_same_bytes),
        IN_BOX(R_001_095_R_001_096_a_package_is_found_where_it_is_said_to_be),
        IN_BOX(R_001_094_R_001_097_a_function_in_node_is_called),
        IN_BOX(a_hostile_function_in_node_gives_a_clear_end),
        IN_BOX(the_same_call_in_node_gives_the_same_bytes),
        IN_BOX(R_001_095_R_001_096_a_module_is_found_as_node_finds_it),
    };

    return cmocka_run_group_tests(list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
