/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_module.c: reads the sections of a module, within their bounds, in one pass.
 *
 * The list of exports is also a wall: wasm2c writes names of exports into comments of the C it
 * makes, as they are. A module that may not choose its names cannot end such a comment.
 */
#include "executor/wasm_module.h"

#include "contract/codes.h"
#include "executor/wasm_abi.h"

enum section {
    SECTION_CUSTOM,
    SECTION_TYPE,
    SECTION_IMPORT,
    SECTION_FUNCTION,
    SECTION_TABLE,
    SECTION_MEMORY,
    SECTION_GLOBAL,
    SECTION_EXPORT,
    SECTION_START,
    SECTION_ELEMENT,
    SECTION_CODE,
    SECTION_DATA,
    SECTION_DATA_COUNT,
    SECTIONS,
};

enum external { EXTERNAL_FUNCTION, EXTERNAL_TABLE, EXTERNAL_MEMORY, EXTERNAL_GLOBAL };

static const char *const external_names[] = { "function", "table", "memory", "global" };

/* The order in which sections come; the last number was given late. */
static const int section_order[SECTIONS] = {
    [SECTION_TYPE] = 1,    [SECTION_IMPORT] = 2,      [SECTION_FUNCTION] = 3, [SECTION_TABLE] = 4,
    [SECTION_MEMORY] = 5,  [SECTION_GLOBAL] = 6,      [SECTION_EXPORT] = 7,   [SECTION_START] = 8,
    [SECTION_ELEMENT] = 9, [SECTION_DATA_COUNT] = 10, [SECTION_CODE] = 11,    [SECTION_DATA] = 12,
};

/* What an executor exports. The globals are names that linkers add unasked. */
static const struct export_row {
    const char *name;
    enum external what;
    bool needed;
    const char *type; /* of a function: parameters, 0x60, results */
    const char *said; /* the same, for people */
} export_rows[] = {
    { "memory", EXTERNAL_MEMORY, true, NULL, NULL },
    { "room", EXTERNAL_FUNCTION, true, "\x7f\x60\x7f", "(i32) -> i32" },
    { "execute", EXTERNAL_FUNCTION, true, "\x7f\x7f\x60\x7e", "(i32, i32) -> i64" },
    { "__data_end", EXTERNAL_GLOBAL, false, NULL, NULL },
    { "__heap_base", EXTERNAL_GLOBAL, false, NULL, NULL },
};
static const char wanted[] = "an executor exports memory, room and execute, and nothing else";

/* What is left to read; `broken` once more was asked for than there is. */
struct cursor {
    const uint8_t *at, *end;
    bool broken;
};

struct reading {
    struct cursor types, functions; /* the sections, behind their counts */
    uint32_t type_count, function_count;
    uint32_t max_pages;
    bool memory_seen, exports_seen;
    struct wasm_module *out;
};

/* ---- bytes, numbers, names ---- */

static uint8_t take_byte(struct cursor *c)
{
    if (c->at == c->end) {
        c->broken = true;
        return 0;
    }
    return *c->at++;
}

/* LEB128 of 32 bits: at most 5 bytes, and the last has only 4 bits to give. */
static uint32_t take_number(struct cursor *c)
{
    uint32_t n = 0;

    for (int shift = 0; shift < 35; shift += 7) {
        uint8_t b = take_byte(c);

        if (shift == 28 && b > 0x0f)
            break;
        n |= (uint32_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return n;
    }
    c->broken = true;
    return 0;
}

static struct str take_bytes(struct cursor *c, uint32_t n)
{
    struct str s = { (const char *)c->at, n };

    if (n > (size_t)(c->end - c->at)) {
        c->broken = true;
        return (struct str){ "", 0 };
    }
    c->at += n;
    return s;
}

static struct str take_name(struct cursor *c)
{
    return take_bytes(c, take_number(c));
}

enum { SHOWN = 64 };

/* A stranger's name as it can stand in a message. */
static const char *shown(struct str name, char out[SHOWN])
{
    size_t n = name.n < SHOWN - 4 ? name.n : SHOWN - 4;

    for (size_t i = 0; i < n; i++)
        out[i] =
            (char)(name.s[i] >= ' ' && name.s[i] <= '~' && name.s[i] != '\'' ? name.s[i] : '?');
    (void)memcpy(out + n, n < name.n ? "..." : "", n < name.n ? 4 : 1);
    return out;
}

static bool torn(struct error *e, const char *section)
{
    return error_set(e, ERROR_SYNTAX, "the %s section of the module is torn or not well-formed",
                     section);
}

/* ---- limits of memories and tables ---- */

struct span {
    uint32_t flags, least, most;
};

static struct span take_span(struct cursor *c)
{
    struct span s = { .flags = take_byte(c) };

    if (s.flags > 1) /* shared, 64 bits, pages of other sizes: what follows differs */
        return s;
    s.least = take_number(c);
    s.most = s.flags & 1 ? take_number(c) : UINT32_MAX;
    return s;
}

static bool read_memory(struct reading *r, struct cursor *c, struct error *e)
{
    uint32_t count = take_number(c);
    struct span s;

    if (c->broken || count > 1)
        return c->broken ? torn(e, "memory")
                         : error_set(e, CODE_EXECUTOR_REFUSED,
                                     "the module has %u memories, wanted is one", count);
    if (count == 0)
        return true;
    s = take_span(c);
    if (!c->broken && s.flags > 1)
        return error_set(e, CODE_EXECUTOR_REFUSED,
                         "the memory is %s, wanted is a plain one of 32 bits",
                         s.flags & 4   ? "one of 64 bits"
                         : s.flags & 2 ? "shared"
                                       : "unusual");
    if (c->broken || c->at != c->end)
        return torn(e, "memory");
    if (!(s.flags & 1))
        return error_set(e, CODE_EXECUTOR_REFUSED,
                         "the memory has no maximum, wanted is one of at most %u pages of 64 KiB "
                         "(clang: -Wl,--max-memory=%llu)",
                         r->max_pages, (unsigned long long)r->max_pages * WASM_PAGE);
    if (s.most > r->max_pages)
        return error_set(e, ERROR_CEILING,
                         "the memory may grow to %u pages of 64 KiB, allowed are %u", s.most,
                         r->max_pages);
    if (s.least > s.most)
        return error_set(e, ERROR_SYNTAX, "the memory begins with %u pages and may have only %u",
                         s.least, s.most);
    r->out->pages = s.least;
    r->out->max_pages = s.most;
    r->memory_seen = true;
    return true;
}

static bool read_tables(struct reading *r, struct cursor *c, struct error *e)
{
    uint32_t count = take_number(c);

    (void)r;
    if (!c->broken && count > WASM_TABLES)
        return error_set(e, ERROR_CEILING, "the module has %u tables, allowed are %d", count,
                         WASM_TABLES);
    for (uint32_t i = 0; i < count && !c->broken; i++) {
        struct span s;

        (void)take_byte(c); /* funcref or externref: for wasm2c to check */
        s = take_span(c);
        if (s.flags > 1)
            return torn(e, "table");
        if (!c->broken && s.least > WASM_ELEMENTS)
            return error_set(e, ERROR_CEILING, "a table has %u elements, allowed are %d", s.least,
                             WASM_ELEMENTS);
    }
    return (!c->broken && c->at == c->end) || torn(e, "table");
}

/* ---- functions and their types ---- */

static bool take_type(struct cursor *c, struct str *params, struct str *results)
{
    if (take_byte(c) != 0x60)
        c->broken = true;
    *params = take_name(c);
    *results = take_name(c);
    return !c->broken;
}

static bool read_types(struct reading *r, struct cursor *c, struct error *e)
{
    r->type_count = take_number(c);
    if (!c->broken && r->type_count > WASM_TYPES)
        return error_set(e, ERROR_CEILING, "the module has %u types of functions, allowed are %d",
                         r->type_count, WASM_TYPES);
    r->types = *c;
    for (uint32_t i = 0; i < r->type_count; i++) {
        struct str params, results;

        if (!take_type(c, &params, &results))
            return torn(e, "type");
        if (params.n > WASM_VALUES || results.n > WASM_VALUES)
            return error_set(e, ERROR_CEILING,
                             "a function has %zu parameters and %zu results, allowed are %d",
                             params.n, results.n, WASM_VALUES);
    }
    return (!c->broken && c->at == c->end) || torn(e, "type");
}

static bool read_functions(struct reading *r, struct cursor *c, struct error *e)
{
    r->function_count = take_number(c);
    r->functions = *c;
    for (uint32_t i = 0; i < r->function_count && !c->broken; i++)
        c->broken = take_number(c) >= r->type_count || c->broken;
    return (!c->broken && c->at == c->end) || torn(e, "function");
}

static bool read_imports(struct reading *r, struct cursor *c, struct error *e)
{
    char module[SHOWN], name[SHOWN];
    uint32_t count = take_number(c);
    struct str from = { "", 0 }, what = { "", 0 };

    (void)r;
    if (!c->broken && count > 0) {
        from = take_name(c);
        what = take_name(c);
    }
    if (c->broken || (count == 0 && c->at != c->end))
        return torn(e, "import");
    return count == 0 || error_set(e, CODE_EXECUTOR_REFUSED,
                                   "the module imports '%s' from '%s'; an executor imports nothing",
                                   shown(what, name), shown(from, module));
}

/* Nothing is imported, so functions are numbered as they are declared. */
static bool function_is(const struct reading *r, uint32_t index, const char *type)
{
    struct cursor f = r->functions, t = r->types;
    struct str params = { "", 0 }, results = { "", 0 };
    const char *middle = strchr(type, 0x60);
    uint32_t number = 0;

    for (uint32_t i = 0; i <= index; i++)
        number = take_number(&f);
    for (uint32_t i = 0; i <= number; i++)
        if (!take_type(&t, &params, &results))
            return false;
    return str_eq(params, (struct str){ type, (size_t)(middle - type) }) &&
           str_is(results, middle + 1);
}

/* ---- exports ---- */

static const struct export_row *row_of(struct str name)
{
    for (size_t i = 0; i < COUNT(export_rows); i++)
        if (str_is(name, export_rows[i].name))
            return &export_rows[i];
    return NULL;
}

static bool check_export(const struct reading *r, const struct export_row *row, uint8_t what,
                         uint32_t index, struct error *e)
{
    if (what != row->what)
        return error_set(e, CODE_EXECUTOR_REFUSED, "the export '%s' is a %s, wanted is a %s",
                         row->name,
                         what < COUNT(external_names) ? external_names[what] : "thing unknown",
                         external_names[row->what]);
    if (what == EXTERNAL_FUNCTION && index >= r->function_count)
        return torn(e, "export");
    if (row->type && !function_is(r, index, row->type))
        return error_set(e, CODE_EXECUTOR_REFUSED, "the function '%s' is not of the type %s",
                         row->name, row->said);
    return true;
}

static bool read_exports(struct reading *r, struct cursor *c, struct error *e)
{
    uint32_t count = take_number(c), seen = 0;
    char text[SHOWN];

    for (uint32_t i = 0; i < count && !c->broken; i++) {
        struct str name = take_name(c);
        uint8_t what = take_byte(c);
        uint32_t index = take_number(c);
        const struct export_row *row = row_of(name);

        if (c->broken)
            break;
        if (!row)
            return error_set(e, CODE_EXECUTOR_REFUSED, "the module exports '%s'; %s",
                             shown(name, text), wanted);
        if (seen & 1u << (row - export_rows))
            return error_set(e, ERROR_DUPLICATE, "the module exports '%s' twice", row->name);
        seen |= 1u << (row - export_rows);
        if (!check_export(r, row, what, index, e))
            return false;
    }
    if (c->broken || c->at != c->end)
        return torn(e, "export");
    r->exports_seen = true;
    for (size_t i = 0; i < COUNT(export_rows); i++)
        if (export_rows[i].needed && !(seen & 1u << i))
            return error_set(e, CODE_EXECUTOR_REFUSED, "the module exports no '%s'; %s",
                             export_rows[i].name, wanted);
    return true;
}

static bool read_start(struct reading *r, struct cursor *c, struct error *e)
{
    uint32_t index = take_number(c);

    if (c->broken || c->at != c->end || index >= r->function_count)
        return torn(e, "start");
    r->out->starts = true;
    return true;
}

/* ---- the file ---- */

static bool (*const readers[SECTIONS])(struct reading *r, struct cursor *c, struct error *e) = {
    [SECTION_TYPE] = read_types,         [SECTION_IMPORT] = read_imports,
    [SECTION_FUNCTION] = read_functions, [SECTION_TABLE] = read_tables,
    [SECTION_MEMORY] = read_memory,      [SECTION_EXPORT] = read_exports,
    [SECTION_START] = read_start,
};

static bool read_section(struct reading *r, struct cursor *file, int *last, struct error *e)
{
    uint8_t id = take_byte(file);
    struct str body = take_name(file);
    struct cursor c = { (const uint8_t *)body.s, (const uint8_t *)body.s + body.n, false };

    if (file->broken)
        return error_set(e, ERROR_SYNTAX, "the module ends within a section");
    if (id == SECTION_CUSTOM)
        return true;
    if (id >= SECTIONS)
        return error_set(e, CODE_EXECUTOR_REFUSED,
                         "the module has a section of kind %d, known are 0 to %d", id,
                         SECTIONS - 1);
    if (section_order[id] <= *last)
        return error_set(e, ERROR_SYNTAX, "the section of kind %d stands out of order", id);
    *last = section_order[id];
    return !readers[id] || readers[id](r, &c, e);
}

static bool read_head(struct str bytes, struct error *e)
{
    if (bytes.n > WASM_MODULE_BYTES)
        return error_set(e, ERROR_CEILING, "the module has %zu bytes, allowed are %d", bytes.n,
                         WASM_MODULE_BYTES);
    if (bytes.n < 8 || memcmp(bytes.s, "\0asm", 4) != 0)
        return error_set(e, ERROR_SYNTAX,
                         "this is no WebAssembly module: it does not begin with '\\0asm'");
    if (memcmp(bytes.s + 4, "\1\0\0\0", 4) != 0)
        return error_set(e, CODE_EXECUTOR_REFUSED, "the module is of version %d.%d, wanted is 1.0",
                         (uint8_t)bytes.s[4], (uint8_t)bytes.s[6]);
    return true;
}

bool wasm_module_read(struct str bytes, uint32_t max_pages, struct wasm_module *out,
                      struct error *e)
{
    struct wasm_module module = { 0 };
    struct reading r = { .max_pages = max_pages < WASM_PAGES_MOST ? max_pages : WASM_PAGES_MOST,
                         .out = &module };
    struct cursor file = { (const uint8_t *)bytes.s, (const uint8_t *)bytes.s + bytes.n, false };
    int last = 0;

    if (!read_head(bytes, e))
        return false;
    file.at += 8;
    while (file.at < file.end)
        if (!read_section(&r, &file, &last, e))
            return false;
    if (!r.memory_seen || !r.exports_seen)
        return error_set(e, CODE_EXECUTOR_REFUSED, "the module %s; %s",
                         r.memory_seen ? "exports nothing" : "has no memory of its own", wanted);
    *out = module;
    return true;
}
