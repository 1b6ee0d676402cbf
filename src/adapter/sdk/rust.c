/* SPDX-License-Identifier: Apache-2.0 */
/* rust.c: functions in Rust: a crate with a main() is put below theirs, in a copy of it; one
 * file, or a directory without a Cargo.toml, is a module of that main() itself.
 *
 * Nothing is fetched: crates they depend on must be vendored, as `cargo vendor` does.
 */
#include "adapter/sdk/parts.h"

#include <unistd.h>

#include "base/fs.h"
#include "contract/codes.h"

extern const char sdk_rust_text[];

#define OURS "writ_call_main"

enum { SETTINGS_MAX = 64 << 10 };

/* ---- names ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_letter(text.s[i]) && !(i > 0 && is_one_of(text.s[i], "0123456789")))
            return false;
    return text.n > 0;
}

/* What becomes part of a program must be names, with :: between them, and nothing else. */
static bool is_path(const char *text)
{
    for (;;) {
        const char *end = strstr(text, "::");
        size_t n = end ? (size_t)(end - text) : strlen(text);

        if (!is_name((struct str){ text, n }))
            return false;
        if (!end)
            return true;
        text = end + 2;
    }
}

/* A file's name, or a crate's, which may have a dash. */
static bool is_plain(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_letter(text.s[i]) && !is_one_of(text.s[i], "0123456789.-"))
            return false;
    return text.n > 0;
}

/* The name of the package in a Cargo.toml: the first `name` of its table. */
static struct str package_name(struct str toml)
{
    const char *at = toml.s, *end = toml.s + toml.n;
    bool inside = false;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct str line = { at, (size_t)((stop ? stop : end) - at) };
        const char *open = memchr(line.s, '"', line.n);
        const char *close = open ? memchr(open + 1, '"', (size_t)(line.s + line.n - open - 1)) : 0;

        if (str_begins(line, "["))
            inside = str_begins(line, "[package]");
        else if (inside && str_begins(line, "name") && close)
            return (struct str){ open + 1, (size_t)(close - open - 1) };
        at = line.s + line.n + 1;
    }
    return (struct str){ 0 };
}

/* ---- tools ---- */

/* Of rustup, whose programs only start others: the toolchain it would use. */
static const char *behind_rustup(const struct sdk_ask *ask, const char *name, struct arena *a)
{
    static const char key[] = "default_toolchain = \"";
    const char *at, *path;
    struct str text;
    struct error e;

    if (!ask->home || !fs_read_file(arena_printf(a, "%s/.rustup/settings.toml", ask->home),
                                    SETTINGS_MAX, a, &text, &e))
        return NULL;
    at = strstr(arena_text(a, text), key);
    if (!at)
        return NULL;
    at += sizeof key - 1;
    path = arena_printf(a, "%s/.rustup/toolchains/%.*s/bin/%s", ask->home, (int)strcspn(at, "\"\n"),
                        at, name);
    return access(path, X_OK) == 0 ? path : NULL;
}

static const char *tool(const struct sdk_ask *ask, const char *name, struct arena *a)
{
    const char *path = sdk_tool(ask, name, a);
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash && strcmp(slash, "/rustup") == 0 ? behind_rustup(ask, name, a) : path;
}

/* ---- what is built ---- */

/* What the two ways to build have to say. */
struct building {
    const struct sdk_function *f;
    struct arena *a;
    struct sdk_sources sources;
    struct sdk_plan plan;
};

static void add_main(struct building *b, const char *at, const char *head, const char *path)
{
    struct items functions = sdk_functions(b->f, b->a);
    const struct str *v = functions.v;
    _buf_ struct buf text = { .max = 1 << 20 };

    buf_addf(&text, "%smod call;\n\nfn main() {\n    call::serve(&[\n", head);
    for (size_t i = 0; i < functions.n; i++)
        buf_addf(&text, "        (\"%.*s\", %s::%.*s as call::Function),\n", STR_ARG(v[i]), path,
                 STR_ARG(v[i]));
    buf_adds(&text, "    ])\n}\n");
    sdk_add_source(&b->sources, arena_printf(b->a, "%s/call.rs", at), sdk_rust_text, b->a);
    sdk_add_source(&b->sources, arena_printf(b->a, "%s/main.rs", at),
                   arena_text(b->a, buf_str(&text)), b->a);
}

/* Their crate is `target` there, by whatever name it goes. */
static bool plan_crate(struct building *b, struct error *e)
{
    static const char *const words[] = {
        "build",
        "--offline",
        "--release",
        "--target-dir",
        "target",
        "--manifest-path",
        "writ_call_main/Cargo.toml",
        NULL,
    };
    struct str name = package_name(*sdk_source(&b->sources, "Cargo.toml"));
    const char *rest = strstr(b->f->module, "::");
    const char *rustc = tool(b->f->ask, "rustc", b->a);
    const char *const variables[] = { "CARGO_HOME", "/tmp/cargo", "RUSTC", rustc, NULL };

    if (!is_plain(name))
        return error_set(e, CODE_VALIDATION_ERROR,
                         "the package's Cargo.toml has no [package] with a plain name");
    b->plan.tool = rustc ? tool(b->f->ask, "cargo", b->a) : NULL;
    b->plan.words = words;
    b->plan.variables =
        memcpy(arena_raw(b->a, sizeof variables), (const void *)variables, sizeof variables);
    b->plan.product = "target/release/program";
    sdk_add_source(&b->sources, OURS "/Cargo.toml",
                   arena_printf(b->a,
                                "[package]\nname = \"program\"\nversion = \"0.0.0\"\n"
                                "edition = \"2021\"\n\n[workspace]\n\n[dependencies]\n"
                                "target = { path = \"..\", package = \"%.*s\" }\n",
                                STR_ARG(name)),
                   b->a);
    add_main(b, OURS "/src", "", arena_printf(b->a, "target%s", rest ? rest : ""));
    return true;
}

/* The file a module without a crate is in: the package itself, or by its name in the directory. */
static const char *module_file(const struct building *b, struct str module)
{
    static const char *const endings[] = { ".rs", "/mod.rs" };

    if (b->f->file)
        return b->f->file;
    for (size_t i = 0; i < COUNT(endings); i++) {
        const char *name = arena_printf(b->a, "%.*s%s", STR_ARG(module), endings[i]);

        if (sdk_source(&b->sources, name))
            return name;
    }
    return NULL;
}

static bool plan_module(struct building *b, struct error *e)
{
    static const char *const words[] = { "--edition=2021",         "-O", "-o", "program",
                                         "writ_call_main/main.rs", NULL };
    static const char *const variables[] = { NULL };
    struct str module = { b->f->module, strcspn(b->f->module, ":") };
    const char *file = module_file(b, module);

    if (!file)
        return error_set(e, CODE_IO, "the package has neither a Cargo.toml nor a '%.*s.rs'",
                         STR_ARG(module));
    if (b->f->file && !is_plain(str_of(file)))
        return error_set(e, CODE_VALIDATION_ERROR, "the file '%s' has no plain name", file);
    b->plan.tool = tool(b->f->ask, "rustc", b->a);
    b->plan.words = words;
    b->plan.variables = variables;
    b->plan.product = "program";
    add_main(b, OURS, arena_printf(b->a, "#[path = \"../%s\"]\nmod %.*s;\n", file, STR_ARG(module)),
             b->f->module);
    return true;
}

static bool names_fit(const struct sdk_function *f, struct arena *a, struct error *e)
{
    struct items functions = sdk_functions(f, a);
    const struct str *v = functions.v;

    if (!f->base)
        return error_set(e, CODE_VALIDATION_ERROR,
                         "package %s is not a path; a crate is built from its directory",
                         said(f->sdk->package, a));
    if (!is_path(f->module))
        return error_set(e, CODE_VALIDATION_ERROR, "import_path %s is no path of Rust",
                         said(str_of(f->module), a));
    for (size_t i = 0; i < functions.n; i++)
        if (!is_name(v[i]))
            return error_set(e, CODE_VALIDATION_ERROR, "%s is no function of Rust", said(v[i], a));
    return true;
}

/* Why there is no compiler: rustup's own programs are nothing without a toolchain. */
static bool no_tool(const struct sdk_ask *ask, struct arena *a, struct error *e)
{
    const char *path = sdk_tool(ask, "cargo", a);

    if (!path)
        path = sdk_tool(ask, "rustc", a);
    if (!path || !strstr(path, "/rustup"))
        return error_set(e, CODE_PEER_UNAVAILABLE,
                         "rustc or cargo is not installed, or not in PATH");
    return error_set(e, CODE_PEER_UNAVAILABLE,
                     "rustc and cargo in PATH are rustup's, and %s%s has no default toolchain; run "
                     "`rustup default stable`, set HOME to where .rustup lies, or put the bin of a "
                     "toolchain into PATH",
                     ask->home ? ask->home : "HOME, which is not set,",
                     ask->home ? "/.rustup" : "");
}

bool sdk_bind_rust(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                   struct error *e)
{
    struct building b = { .f = f, .a = a };

    if (!names_fit(f, a, e) || !sdk_read_sources(f, a, &b.sources, e) ||
        !sdk_has_room(&b.sources, OURS, e))
        return false;
    if (!(sdk_source(&b.sources, "Cargo.toml") ? plan_crate(&b, e) : plan_module(&b, e)))
        return false;
    if (!b.plan.tool)
        return no_tool(f->ask, a, e);
    b.plan.root = sdk_root(b.plan.tool, "lib/rustlib", a);
    sdk_bind_built(f, &b.plan, &b.sources, a, out);
    return true;
}
