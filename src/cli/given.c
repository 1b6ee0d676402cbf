/* SPDX-License-Identifier: Apache-2.0 */
/* given.c: a document that the command line names, read before the library is asked. */
#include "cli/given.h"

#include <string.h>

#include "base/ceilings.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "cli/print.h"

/* As the library says it of a file. */
static void tell_unread(const struct error *e, bool json)
{
    _buf_ struct buf told = { .max = 1 << 12 };

    if (!json) {
        say("standard input: %s", e->msg);
        return;
    }
    json_open(&told, '{');
    json_put(&told, "file", "-");
    json_put_bool(&told, "ok", false);
    json_put(&told, "code", e->code == ERROR_CEILING ? "CEILING" : "IO");
    json_put(&told, "message", e->msg);
    json_close(&told, '}');
    out_json(told.s);
}

bool given_read(const char *name, bool json, struct arena *a, struct writ_input *out)
{
    bool piped = strcmp(name, "-") == 0;
    size_t most = ceilings_default().v[CEILING_BYTES];
    struct str text;
    struct error e;

    *out = (struct writ_input){ .name = name };
    if (piped ? fd_read(STDIN_FILENO, most, a, &text, &e) : fs_read(name, most, a, &text, &e)) {
        out->text = text.s;
        out->len = text.n;
        return true;
    }
    if (piped)
        tell_unread(&e, json);
    return !piped;
}
