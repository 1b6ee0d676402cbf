/* SPDX-License-Identifier: Apache-2.0 */
/* builder.c: runs a compiler inside the sandbox, with one directory to write to. */
#include "engine/builder.h"

#include <errno.h>

#include <writ/writ.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/home.h"

enum { COMPILE_MS = 120000, COMPILE_MB = 2048, NOT_FOUND = 127, MODULE_PAGES = 1024 };

static void put_options(const char *dir, struct buf *to)
{
    json_open(to, '{');
    json_key(to, "inputs");
    json_open(to, '{');
    json_put(to, "working_directory", dir);
    json_close(to, '}');
    json_key(to, "sandbox");
    json_open(to, '{');
    json_put_int(to, "timeout_ms", COMPILE_MS);
    json_put_int(to, "memory_mb", COMPILE_MB);
    json_key(to, "filesystem");
    json_open(to, '{');
    json_key(to, "write");
    json_open(to, '[');
    json_text(to, str_of(dir));
    json_close(to, ']');
    json_close(to, '}');
    json_close(to, '}');
    json_close(to, '}');
}

static void add_text(const struct doc *record, const char *stream, struct buf *to)
{
    const struct doc *d = doc_get(record, stream);
    struct str text = d ? doc_text(d, "text") : (struct str){ 0 };

    buf_add(to, text.s, text.n);
}

static bool read_answer(const char *answer, bool ran, struct buf *said, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error ignored;

    if (!json_read("record", str_of(answer), &max, &a, &document, &ignored))
        return error_set(e, CODE_UNKNOWN_ERROR, "the sandbox gave no record");
    if (!ran) {
        struct str message = doc_text(&document->root, "message");

        return error_set(e, (int)code_named(doc_text(&document->root, "code")), "%.*s",
                         STR_ARG(message));
    }
    add_text(&document->root, "stdout", said);
    add_text(&document->root, "stderr", said);
    return true;
}

static bool run(void *self, const char *const *argv, const char *dir, struct buf *said,
                struct error *e)
{
    struct workshop *w = self;
    _buf_ struct buf options = { .max = 1 << 16 };
    struct writ_command command = { .argv = argv,
                                    .environment = w->environment,
                                    .ledger = w->ledger,
                                    .weak = w->weak,
                                    .live = { -1, -1 },
                                    .cancel = -1,
                                    .texts = true };
    char *answer = NULL;
    bool ran, ok;
    int status;

    put_options(dir, &options);
    command.options = options.s;
    status = writ_exec(&command, &answer, &ran);
    ok = read_answer(answer, ran, said, e);
    writ_free(answer);
    w->refused = ran ? WRIT_OK : status;
    if (!ok)
        return false;
    if (status == 0)
        return true;
    (void)error_set(e, CODE_COMMAND_FAILED, "%s ended with %d", argv[0], status);
    e->sys = status == NOT_FOUND ? ENOENT : 0;
    return false;
}

/* The state directory is hidden from commands, so it cannot be there. */
bool workshop_build(struct workshop *w, struct str module, struct arena *a, const char **object,
                    struct error *e)
{
    const char *tmp = home_variable(w->environment, "TMPDIR");
    char *dir = arena_printf(a, "%s/writ-build-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    const struct builder builder = { run, w };

    if (!mkdtemp(dir))
        return error_sys(e, CODE_IO, "%s", dir);
    w->dir = dir;
    return wasm_build(
        &(struct wasm_build){
            .module = module, .max_pages = MODULE_PAGES, .cache = dir, .builder = &builder },
        a, object, e);
}

void workshop_close(struct workshop *w)
{
    struct error ignored;

    if (w->dir)
        (void)!fs_remove(w->dir, &ignored);
}
