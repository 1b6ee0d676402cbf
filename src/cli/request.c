/* SPDX-License-Identifier: Apache-2.0 */
/* request.c: the table of options and members. A problem in a member is told as one of its option.
 */
#include "cli/request.h"

#include "base/json_write.h"
#include "cli/inject.h"

enum as {
    AS_TEXT,
    AS_NUMBER,
    AS_LIST,
    AS_PAIRS,   /* of --env: values that stand there */
    AS_SECRETS, /* of --env: values that are somewhere else */
    AS_FALSE,
    AS_TRUE,
    AS_LEVEL,
    AS_HOSTS,
    AS_INJECTS,
    AS_CLOSED,
};

enum { DEPTH = 3, NAME_SIZE = 256 };

/* In the order of the document, so that members of one map stand together. */
/* clang-format off */
static const struct member {
    const char *option;
    const char *at[DEPTH]; /* the maps it is in, and its name */
    enum as as;
} members[] = {
    { "env",          { "inputs", "environment" },                     AS_PAIRS },
    { "env",          { "inputs", "secrets" },                         AS_SECRETS },
    { "cwd",          { "inputs", "working_directory" },               AS_TEXT },
    { "input-file",   { "inputs", "input_files" },                     AS_LIST },
    { "timeout-ms",   { "sandbox", "timeout_ms" },                     AS_NUMBER },
    { "memory-mb",    { "sandbox", "memory_mb" },                      AS_NUMBER },
    { "cpu-cores",    { "sandbox", "cpu_cores" },                      AS_NUMBER },
    { "deterministic", { "sandbox", "deterministic" },                 AS_TEXT },
    { "fs",           { "sandbox", "filesystem", "level" },            AS_TEXT },
    { "read",         { "sandbox", "filesystem", "read" },             AS_LIST },
    { "write",        { "sandbox", "filesystem", "write" },            AS_LIST },
    { "deny",         { "sandbox", "filesystem", "deny" },             AS_LIST },
    { "allow-protected", { "sandbox", "filesystem", "allow_protected" }, AS_LIST },
    { "write-mode",   { "sandbox", "filesystem", "write_mode" },       AS_TEXT },
    { "net",          { "sandbox", "network", "level" },               AS_LEVEL },
    { "allow-host",   { "sandbox", "network", "allow" },               AS_HOSTS },
    { "deny-host",    { "sandbox", "network", "deny" },                AS_LIST },
    { "raw-net",      { "sandbox", "network", "raw" },                 AS_TRUE },
    { "sni",          { "sandbox", "network", "sni" },                 AS_TEXT },
    { "inject",       { "sandbox", "network", "inject" },              AS_INJECTS },
    { "max-children", { "sandbox", "processes", "max_children" },      AS_NUMBER },
    { "no-fork",      { "sandbox", "processes", "allow_fork" },        AS_FALSE },
    { "output-file",  { "outputs", "output_files" },                   AS_LIST },
    { "artifact",     { "outputs", "artifacts" },                      AS_LIST },
    { "class",        { "route", "class" },                            AS_TEXT },
    { "remote",       { "route", "remote" },                           AS_TRUE },
    { "worker",       { "route", "worker" },                           AS_TEXT },
    { "fail-closed",  { "route", "fallback" },                         AS_CLOSED },
    { "command-id",     { "route", "command_id" },                     AS_TEXT },
    { "correlation-id", { "route", "correlation_id" },                 AS_TEXT },
    { "scenario-id",    { "route", "scenario_id" },                    AS_TEXT },
};
/* clang-format on */

/* How many maps a member is in. */
static size_t depth_of(const struct member *m)
{
    return m->at[2] ? 2 : 1;
}

static bool is_number(const char *text)
{
    const char *number = text + (text[0] == '-');
    size_t digits = strspn(number, "0123456789");

    return digits > 0 && digits < 16 && !number[digits] && (number[0] != '0' || digits == 1);
}

static void put_value(const struct member *m, const char *value, struct buf *to)
{
    if (m->as == AS_NUMBER && is_number(value))
        buf_adds(to, value);
    else if (m->as == AS_FALSE || m->as == AS_TRUE)
        json_bool(to, m->as == AS_TRUE);
    else if (m->as == AS_CLOSED)
        json_text(to, str_of("fail_closed"));
    else
        json_text(to, str_of(value)); /* a number that is none is refused as the text it is */
}

/* Of "NAME=VALUE": the place that VALUE names, or NULL where it is the value itself. */
static const char *pair_place(const char *pair, const char **name)
{
    return secret_place(strchr(pair, '=') + 1, name);
}

/* "text:" stands before a value that would else name a place. */
static const char *pair_text(const char *pair)
{
    const char *value = strchr(pair, '=') + 1;

    return strncmp(value, "text:", 5) == 0 ? value + 5 : value;
}

static void put_pair(const struct member *m, const char *pair, struct buf *to)
{
    size_t n = strcspn(pair, "=");
    const char *at, *place = pair_place(pair, &at);
    char name[NAME_SIZE] = "";

    memcpy(name, pair, n);
    if (m->as == AS_PAIRS && !place) {
        json_key(to, name);
        json_text(to, str_of(pair_text(pair)));
    } else if (m->as == AS_SECRETS && place) {
        json_open(to, '{');
        json_put(to, "variable", name);
        json_put(to, place, at);
        json_close(to, '}');
    }
}

static void put_each(const struct args *args, const struct member *m, struct buf *to)
{
    json_open(to, m->as == AS_PAIRS ? '{' : '[');
    for (size_t i = 0; i < args->given_count; i++) {
        const char *value = args->given[i].value;

        if (strcmp(args->given[i].option, m->option) != 0)
            continue;
        if (m->as == AS_PAIRS || m->as == AS_SECRETS)
            put_pair(m, value, to);
        else if (m->as == AS_INJECTS)
            (void)inject_write(value, to);
        else
            json_text(to, str_of(value));
    }
    json_close(to, m->as == AS_PAIRS ? '}' : ']');
}

/* Is there something to write? Each --env is of one of the two members. */
static bool is_given(const struct args *args, const struct member *m)
{
    const char *name;

    if (m->as != AS_PAIRS && m->as != AS_SECRETS)
        return args_get(args, m->option);
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option, m->option) == 0 &&
            (pair_place(args->given[i].value, &name) != NULL) == (m->as == AS_SECRETS))
            return true;
    return false;
}

/* Who names a host wants it reached: with no level, that is api. */
static bool enables(const struct args *args, const struct member *m, const char *value)
{
    if (m->as == AS_LEVEL)
        return strcmp(value, "offline") != 0;
    if (args_get(args, "net"))
        return false;
    return m->as == AS_HOSTS || (m->as == AS_INJECTS && !args_get(args, "allow-host"));
}

static void put_member(const struct args *args, const struct member *m, struct buf *to)
{
    const char *value = args_get(args, m->option);

    if (enables(args, m, value)) {
        json_key(to, "enabled");
        json_bool(to, true);
    }
    json_key(to, m->at[depth_of(m)]);
    if (m->as == AS_LIST || m->as == AS_PAIRS || m->as == AS_SECRETS || m->as == AS_HOSTS ||
        m->as == AS_INJECTS)
        put_each(args, m, to);
    else
        put_value(m, value, to);
}

/* Closes the maps that this member is not in, and opens those that it is. */
static void move_to(const struct member *m, const char *open[DEPTH], struct buf *to)
{
    size_t same = 0, depth = m ? depth_of(m) : 0;

    while (m && same < depth && open[same] && strcmp(open[same], m->at[same]) == 0)
        same++;
    for (size_t i = DEPTH; i-- > same;) {
        if (open[i])
            json_close(to, '}');
        open[i] = NULL;
    }
    for (size_t i = same; m && i < depth; i++) {
        json_key(to, m->at[i]);
        json_open(to, '{');
        open[i] = m->at[i];
    }
}

const char *request_member(const struct args *args)
{
    for (size_t i = 0; i < COUNT(members); i++)
        if (args_get(args, members[i].option))
            return members[i].option;
    return args_get(args, "approve") ? "approve" : NULL;
}

const char *request_bad_pair(const struct args *args)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const char *value = args->given[i].value, *equals = strchr(value, '=');

        if (strcmp(args->given[i].option, "env") == 0 &&
            (!equals || equals == value || equals - value >= NAME_SIZE))
            return value;
    }
    return NULL;
}

const char *request_bad_inject(const struct args *args)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option, "inject") == 0 &&
            !inject_write(args->given[i].value, NULL))
            return args->given[i].value;
    return NULL;
}

void request_write(const struct args *args, struct buf *to)
{
    const char *open[DEPTH] = { 0 };

    json_open(to, '{');
    for (size_t i = 0; i < COUNT(members); i++) {
        if (!is_given(args, &members[i]))
            continue;
        move_to(&members[i], open, to);
        put_member(args, &members[i], to);
    }
    move_to(NULL, open, to);
    json_close(to, '}');
}

const char *request_option(struct str pointer)
{
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct member *m = &members[i];
        _buf_ struct buf path = { .max = 256 };
        struct str whole;

        for (size_t k = 0; k < DEPTH && m->at[k]; k++)
            buf_addf(&path, "/%s", m->at[k]);
        whole = buf_str(&path);
        if (pointer.n >= whole.n && memcmp(pointer.s, whole.s, whole.n) == 0 &&
            (pointer.n == whole.n || pointer.s[whole.n] == '/'))
            return m->option;
    }
    return str_begins(pointer, "/approval") ? "approve" : NULL;
}

void request_weak(const struct args *args, const char *weak[WEAK_MAX + 1])
{
    size_t n = 0;

    for (size_t i = 0; i < args->given_count && n < WEAK_MAX; i++)
        if (strcmp(args->given[i].option, "allow-weak") == 0)
            weak[n++] = args->given[i].value;
    weak[n] = NULL;
}
