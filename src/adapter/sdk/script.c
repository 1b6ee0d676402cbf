/* SPDX-License-Identifier: Apache-2.0 */
/* script.c: functions in Python and JavaScript: the interpreter is given a program of ours.
 *
 * What is called comes as arguments behind it and is never part of its text. Modules are found by
 * an argument, too: variables such as PYTHONPATH would go on to whatever the function starts.
 *
 * Python is not started with -I, which would have it ignore PYTHONHASHSEED; nor with -P, which
 * versions before 3.11 do not know: the program does what that would.
 */
#include "adapter/sdk/parts.h"
#include "adapter/sdk_bind.h"

#include <unistd.h>

extern const char sdk_python_text[], sdk_node_text[];

struct str sdk_interpreter(const struct sdk_interface *sdk)
{
    return str_of(sdk->language == SDK_PYTHON ? "python3"
                  : sdk->language == SDK_NODE ? "node"
                                              : "");
}

static void bind_python(const struct sdk_function *f, struct arena *a, struct cli_call *out)
{
    const char *const words[] = {
        "-s", "-B", "-c", sdk_python_text, f->base ? f->base : "", f->module, f->name, NULL,
    };
    static const char *const variables[] = { "PYTHONHASHSEED", "0", NULL };

    out->command = sdk_interpreter(f->sdk);
    out->arguments = sdk_words(a, words);
    out->environment = sdk_variables(a, variables);
}

/* What is installed is looked for from the adapter's own directory on, as node does. */
static void bind_node(const struct sdk_function *f, struct arena *a, struct cli_call *out)
{
    const char *from = f->ask->adapter->directory;
    const char *const words[] = {
        "--random-seed=42",
        "--input-type=module",
        "-e",
        sdk_node_text,
        "--",
        f->base ? "path" : "installed",
        f->base ? f->base
        : from  ? from
                : "",
        f->module,
        f->name,
        NULL,
    };

    out->command = sdk_interpreter(f->sdk);
    out->arguments = sdk_words(a, words);
}

bool sdk_bind_script(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                     struct error *e)
{
    bool node = f->sdk->language == SDK_NODE;
    const char *from = f->ask->adapter->directory;
    const char *modules = node && from ? arena_printf(a, "%s/node_modules", from) : NULL;
    const char *read[3] = { NULL };
    size_t n = 0;

    (void)e;
    if (node)
        bind_node(f, a, &out->call);
    else
        bind_python(f, a, &out->call);
    if (f->base)
        read[n++] = f->base;
    if (modules && access(modules, R_OK) == 0 && sdk_is_near(f->ask->adapter, modules))
        read[n++] = modules;
    out->read = sdk_words(a, read);
    return true;
}
