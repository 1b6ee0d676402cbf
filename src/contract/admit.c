/* SPDX-License-Identifier: Apache-2.0 */
/* admit.c: the checks of a command in their order; arguments and sizes. */
#include "contract/admit.h"

#include <inttypes.h>

/* ---- IV-02: no shell reads an argument, so that each is handed over as it is ---- */

static char first_shell_char(struct str argument)
{
    struct str rest = { argument.s, 1 };

    while (inputs_shell_chars(rest) == 0)
        rest.s++;
    return *rest.s;
}

static bool fits_argument(const struct str *argument, size_t number, struct error *e)
{
    if (argument->n && memchr(argument->s, '\0', argument->n))
        return error_set(e, CODE_ARGUMENT_REFUSED,
                         "argument %zu holds a NUL byte, which no program can be given", number);
    if (argument->n >= ADMIT_TEXT_MAX)
        return error_set(e, CODE_ARGUMENT_REFUSED,
                         "argument %zu has %zu bytes, allowed %d; give it as a file", number,
                         argument->n, ADMIT_TEXT_MAX - 1);
    return true;
}

static bool admit_arguments(const struct admit_ask *ask, struct arena *a, struct admission *out,
                            struct error *e)
{
    bool block = out->tool && out->tool->scope->iv02 != IV02_ESCAPE;
    size_t escaped = 0;

    for (size_t i = 0; i < ask->argument_count; i++) {
        const struct str *argument = &ask->arguments[i];

        if (!fits_argument(argument, i + 1, e))
            return false;
        if (inputs_shell_chars(*argument) == 0)
            continue;
        if (block)
            return error_set(e, CODE_ARGUMENT_REFUSED,
                             "argument %zu holds '%c', and tool %s takes none of the characters "
                             "that `writ explain characters` lists",
                             i + 1, first_shell_char(*argument), said(out->tool->tool_id, a));
        escaped++;
    }
    out->checks[CHECK_ARGUMENTS] = escaped ? arena_printf(a, "escaped: %zu", escaped) : "ok";
    return true;
}

/* ---- IV-03 ---- */

static bool admit_paths(const struct admit_ask *ask, struct arena *a, struct admission *out,
                        struct error *e)
{
    (void)ask;
    (void)a;
    (void)e;
    out->checks[CHECK_PATHS] = "ok";
    return true;
}

/* ---- IV-05 ---- */

static bool fits_size(const struct admit_ask *ask, enum input_size which, bool *cut,
                      struct error *e)
{
    const struct input_size_row *row = &input_sizes[which];
    int64_t bytes = which == INPUT_STDIN ? ask->stdin_bytes : ask->file_bytes;
    bool more;

    *cut = bytes > row->bytes && ask->truncate;
    if (bytes <= row->bytes || ask->truncate)
        return true;
    more = which == INPUT_STDIN; /* of a stream nobody reads on to tell how much it has */
    return error_set(e, CODE_INPUT_TOO_LARGE,
                     "%s has %s%" PRId64 " bytes, allowed %" PRId64 "; give less%s", row->name,
                     more ? "more than " : "", more ? row->bytes : bytes, row->bytes,
                     ask->call     ? ", such as the path of a file that the tool reads itself"
                     : ask->person ? "; a request (-f) may also say on_oversize: truncate"
                                   : ", or say on_oversize: truncate");
}

static bool admit_size(const struct admit_ask *ask, struct arena *a, struct admission *out,
                       struct error *e)
{
    const struct input_size_row *in = &input_sizes[INPUT_STDIN], *files = &input_sizes[INPUT_FILES];
    const char *stdin_said = "", *files_said = "";

    if (!fits_size(ask, INPUT_STDIN, &out->stdin_cut, e) ||
        !fits_size(ask, INPUT_FILES, &out->files_cut, e))
        return false;
    if (out->stdin_cut)
        stdin_said = arena_printf(a, "%s to %" PRId64 " bytes", in->name, in->bytes);
    if (out->files_cut)
        files_said = arena_printf(a, "%s to %" PRId64 " bytes", files->name, files->bytes);
    out->checks[CHECK_SIZE] = "ok";
    if (out->stdin_cut || out->files_cut)
        out->checks[CHECK_SIZE] = arena_printf(
            a, "cut: %s%s%s", stdin_said, out->stdin_cut && out->files_cut ? ", " : "", files_said);
    return true;
}

/* ---- all of them ---- */

static bool (*const parts[CHECK_COUNT])(const struct admit_ask *ask, struct arena *a,
                                        struct admission *out, struct error *e) = {
    [CHECK_COMMAND] = admit_command, [CHECK_ARGUMENTS] = admit_arguments,
    [CHECK_PATHS] = admit_paths,     [CHECK_ENVIRONMENT] = admit_environment,
    [CHECK_SIZE] = admit_size,
};

bool admit(const struct admit_ask *ask, struct arena *a, struct admission *out, struct error *e)
{
    *out = (struct admission){ 0 };
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        if (parts[i](ask, a, out, e))
            continue;
        out->checks[i] = arena_printf(a, "refused: %s", e->msg);
        return false;
    }
    return true;
}
