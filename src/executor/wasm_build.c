/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_build.c: runs wasm2c and cc over a module, and keeps what they make. */
#include "executor/wasm_build.h"

#include <errno.h>
#include <stdio.h>

#include "base/digest.h"
#include "base/fs.h"
#include "contract/codes.h"
#include "executor/wasm_abi.h"
#include "executor/wasm_module.h"

extern const char wasm_glue_text[], wasm_abi_text[]; /* made by tools/quote.py */

enum { OBJECT_BYTES = 64 << 20, SAID_BYTES = 64 << 10 };

/* The C it writes and the runtime it expects change from version to version; the glue fits this
 * one. */
static const char wasm2c_version[] = "1.0.32";

/* A cache may be shared by machines that are not alike. */
#if defined(__aarch64__)
static const char machine[] = "aarch64";
#elif defined(__x86_64__)
static const char machine[] = "x86_64";
#else
static const char machine[] = "another";
#endif

static const char *const to_c[] = { "wasm2c", "--no-debug-names", "-n",          "executor",
                                    "-o",     "module.c",         "module.wasm", NULL };

/* What differs from module to module follows in compile(). No contraction of floats: a * b + c is
 * rounded twice on every machine. No start files, so that loading the object runs nothing. */
static const char *const to_object[] = {
    "cc",
    "-O2",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-frounding-math",
    "-fsignaling-nans",
    "-fno-math-errno",
    "-fno-strict-aliasing",
    "-fno-optimize-sibling-calls",
    "-U_FORTIFY_SOURCE",
    "-nostartfiles",
    "-Wl,-z,defs,-z,now,-z,relro,-z,noexecstack",
    "-I.",
};

static const struct program {
    const char *name, *package, *about;
    const char *silent; /* what is likely where it fails without a word */
} programs[] = {
    { "wasm2c", "wabt", "wasm2c turns modules into C", "; it takes no SIMD" },
    { "cc", "gcc", "a C compiler turns modules into machine code", "" },
};

/* ---- running ---- */

static struct str first_line(const struct buf *said, const char *with)
{
    struct str all = buf_str(said);
    const char *at = with ? strstr(all.s, with) : all.s;

    at = at ? at : all.s;
    return (struct str){ at, strcspn(at, "\n") };
}

static bool run(const struct wasm_build *how, const char *const *argv, const char *dir,
                struct buf *said, struct error *e)
{
    const struct program *p = strcmp(argv[0], "cc") == 0 ? &programs[1] : &programs[0];
    struct str why;

    buf_reset(said);
    e->sys = 0;
    if (how->builder->run(how->builder->self, argv, dir, said, e))
        return true;
    if (e->sys == ENOENT)
        return error_set(e, ERROR_IO, "%s was not found; %s (Debian: package %s)", p->name,
                         p->about, p->package);
    if (e->code != CODE_COMMAND_FAILED) /* it was not asked */
        return error_wrap(e, "%s cannot run", p->name);
    why = first_line(said, "error: ");
    if (why.n == 0)
        return error_wrap(e, "%s does not take the module and does not say why%s", p->name,
                          p->silent);
    return error_set(e, CODE_EXECUTOR_REFUSED, "%s does not take the module: %.*s", p->name,
                     (int)(why.n < 300 ? why.n : 300), why.s);
}

/* ---- what an object is made from ---- */

static void add_text(struct sha256 *s, struct str text)
{
    uint64_t n = text.n; /* the length first: no two lists of texts are hashed alike */

    sha256_add(s, &n, sizeof n);
    sha256_add(s, text.s, text.n);
}

/* The name of the object, which depends on everything it comes from. */
static bool name_object(const struct wasm_build *how, const char *dir, struct buf *said,
                        char name[DIGEST_TEXT], struct error *e)
{
    static const char *const ask_wasm2c[] = { "wasm2c", "--version", NULL };
    static const char *const ask_cc[] = { "cc", "--version", NULL };
    struct sha256 s;
    struct digest d;

    sha256_begin(&s);
    add_text(&s, how->module);
    if (!run(how, ask_wasm2c, dir, said, e))
        return false;
    if (!str_is(first_line(said, NULL), wasm2c_version))
        return error_set(e, CODE_EXECUTOR_REFUSED,
                         "wasm2c is of version %.*s, wanted is %s (Debian 12: wabt)",
                         STR_ARG(first_line(said, NULL)), wasm2c_version);
    add_text(&s, str_of(wasm2c_version));
    if (!run(how, ask_cc, dir, said, e))
        return false;
    add_text(&s, first_line(said, NULL));
    add_text(&s, str_of(machine));
    for (size_t i = 0; i < COUNT(to_object); i++)
        add_text(&s, str_of(to_object[i]));
    add_text(&s, str_of(wasm_abi_text)); /* with the ABI's number */
    add_text(&s, str_of(wasm_glue_text));
    d = sha256_end(&s);
    digest_text(&d, name);
    return true;
}

/* ---- checking ---- */

bool wasm_object_check(const char *object, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct str bytes, kept;
    struct digest is, was;

    if (!fs_read_file(arena_printf(&a, "%s.digest", object), DIGEST_TEXT, &a, &kept, e) ||
        !fs_read_file(object, OBJECT_BYTES, &a, &bytes, e))
        return error_wrap(e, "%s", object);
    is = digest_of(bytes.s, bytes.n);
    if (!digest_parse(kept, &was) || memcmp(&is, &was, sizeof is) != 0)
        return error_set(e, ERROR_IO,
                         "%s: is not what was compiled; register the executor once more", object);
    return true;
}

/* ---- making ---- */

static bool write_sources(const struct wasm_build *how, const char *dir, struct arena *a,
                          struct error *e)
{
    const struct {
        const char *name;
        struct str text;
    } files[] = {
        { "module.wasm", how->module },
        { "glue.c", str_of(wasm_glue_text) },
        { "executor/wasm_abi.h", str_of(wasm_abi_text) },
    };

    if (!fs_make_dirs(arena_printf(a, "%s/executor", dir), e))
        return false;
    for (size_t i = 0; i < COUNT(files); i++)
        if (!fs_write(arena_printf(a, "%s/%s", dir, files[i].name), files[i].text, e))
            return false;
    return true;
}

/* gcc and clang do not agree how to make an error of this warning, but on its name. */
static bool frames_fit(const struct buf *said, struct error *e)
{
    if (!buf_ok(said) || strstr(buf_str(said).s, "frame-larger-than"))
        return error_set(e, ERROR_CEILING,
                         "a function of the module needs more than %d bytes of stack", WASM_FRAME);
    return true;
}

static bool compile(const struct wasm_build *how, const struct wasm_module *module, const char *dir,
                    struct arena *a, struct error *e)
{
    const char *last[] = { arena_printf(a, "-DMAX_PAGES=%uu", module->max_pages),
                           arena_printf(a, "-Wframe-larger-than=%d", WASM_FRAME),
                           "glue.c",
                           "-lm",
                           "-o",
                           "executor.so",
                           NULL };
    const char *argv[COUNT(to_object) + COUNT(last)];
    _buf_ struct buf said = { .max = SAID_BYTES };

    memcpy(argv, to_object, sizeof to_object);
    memcpy(argv + COUNT(to_object), last, sizeof last);
    return write_sources(how, dir, a, e) && run(how, to_c, dir, &said, e) &&
           run(how, argv, dir, &said, e) && frames_fit(&said, e);
}

/* What the directory in the cache will have: the object and its digest. */
static bool pack(const char *from, const char *to, struct arena *a, struct error *e)
{
    const char *made = arena_printf(a, "%s/executor.so", from);
    const char *object = arena_printf(a, "%s/executor.so", to);
    char text[DIGEST_TEXT];
    struct str bytes;
    struct digest d;

    if (!fs_read_file(made, OBJECT_BYTES, a, &bytes, e))
        return error_wrap(e, "%s", made);
    d = digest_of(bytes.s, bytes.n);
    digest_text(&d, text);
    return fs_write(object, bytes, e) &&
           fs_write(arena_printf(a, "%s.digest", object), str_of(text), e);
}

/* Whoever comes second has made the same: theirs is used, unless it is damaged. */
static bool put(const char *ready, const char *place, const char *object, struct error *e)
{
    if (rename(ready, place) == 0)
        return true;
    if (errno != EEXIST && errno != ENOTEMPTY)
        return error_sys(e, ERROR_IO, "%s cannot be put in its place", place);
    if (wasm_object_check(object, e))
        return true;
    if (!fs_remove(place, e))
        return error_wrap(e, "%s", place);
    if (rename(ready, place) == 0 || wasm_object_check(object, e))
        return true;
    return error_sys(e, ERROR_IO, "%s cannot be put in its place", place);
}

struct made {
    const char *dir;   /* where compilers work */
    const char *place; /* in the cache */
    const char *object;
};

static bool make(const struct wasm_build *how, const struct wasm_module *module,
                 const struct made *made, struct arena *a, struct error *e)
{
    char *ready = arena_printf(a, "%s/new.XXXXXX", how->cache);
    struct error ignored;
    bool done;

    if (!compile(how, module, made->dir, a, e))
        return false;
    if (!mkdtemp(ready))
        return error_sys(e, ERROR_IO, "%s: cannot be written to", how->cache);
    done = pack(made->dir, ready, a, e) && put(ready, made->place, made->object, e);
    (void)!fs_remove(ready, &ignored); /* where it was renamed there is none */
    return done;
}

static bool build_in(const struct wasm_build *how, const struct wasm_module *module,
                     const char *dir, struct arena *a, const char **object, struct error *e)
{
    _buf_ struct buf said = { .max = SAID_BYTES };
    char name[DIGEST_TEXT];
    struct made made = { .dir = dir };
    struct error absent;

    if (!name_object(how, dir, &said, name, e))
        return false;
    made.place = arena_printf(a, "%s/%s", how->cache, strchr(name, ':') + 1);
    made.object = arena_printf(a, "%s/executor.so", made.place);
    if (!wasm_object_check(made.object, &absent) && !make(how, module, &made, a, e))
        return false;
    *object = made.object;
    return true;
}

bool wasm_build(const struct wasm_build *how, struct arena *a, const char **object, struct error *e)
{
    struct wasm_module module;
    struct error ignored;
    char *dir = arena_printf(a, "%s/work.XXXXXX", how->cache);
    bool done;

    if (!wasm_module_read(how->module, how->max_pages, &module, e))
        return false;
    if (!fs_make_dirs(how->cache, e))
        return false;
    if (!mkdtemp(dir))
        return error_sys(e, ERROR_IO, "%s: cannot be written to", how->cache);
    done = build_in(how, &module, dir, a, object, e);
    (void)!fs_remove(dir, &ignored);
    return done;
}
