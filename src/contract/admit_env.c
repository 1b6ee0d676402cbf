/* SPDX-License-Identifier: Apache-2.0 */
/* admit_env.c: IV-04, which variables reach a command, and which dangerous ones do not. */
#include "contract/admit.h"

enum {
    NAMES_SAID = 32, /* in the sentence; more are counted */
    NAME_SAID = 64,  /* bytes of a name in the sentence */
};

/* Names of variables, in the order they were met. */
struct names {
    struct str *v;
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static bool fits_name(struct str name)
{
    const char *why;

    return forms[FORM_ENV_NAME].fits(name, &why);
}

/* A name as the sentence shows it. A caller's environment may hold anything: what is not a proper
 * name is shown as the row that names it. */
static struct str shown(struct str name, const struct env_row *row)
{
    return name.n <= NAME_SAID && fits_name(name) ? name : str_of(row->name);
}

static bool is_kept(const struct admit_ask *ask, const struct env_row *row, struct str value)
{
    return row->scoped && inputs_path_scoped(value, ask->path_roots, ask->path_root_count);
}

/* ---- what was asked for ---- */

struct asked {
    struct pair pair;
    size_t place;
};

static int by_key(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;
    int order = str_cmp(x->pair.key, y->pair.key);

    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static bool fits_variable(const struct pair *pair, struct arena *a, struct error *e)
{
    if (!fits_name(pair->key))
        return error_set(e, CODE_ARGUMENT_REFUSED, "variable %s is not %s such as %s",
                         said(pair->key, a), forms[FORM_ENV_NAME].name,
                         forms[FORM_ENV_NAME].example);
    if (pair->text.n && memchr(pair->text.s, '\0', pair->text.n))
        return error_set(e, CODE_ARGUMENT_REFUSED,
                         "variable %s holds a NUL byte, which no program can be given",
                         said(pair->key, a));
    if (pair->key.n + pair->text.n + sizeof "=" > ADMIT_TEXT_MAX)
        return error_set(e, CODE_ARGUMENT_REFUSED,
                         "variable %s has %zu bytes with its name, allowed %d", said(pair->key, a),
                         pair->key.n + pair->text.n, ADMIT_TEXT_MAX - (int)sizeof "=");
    return true;
}

static bool sort_asked(const struct admit_ask *ask, struct arena *a, struct asked *sorted,
                       struct error *e)
{
    for (size_t i = 0; i < ask->environment_count; i++) {
        if (!fits_variable(&ask->environment[i], a, e))
            return false;
        sorted[i] = (struct asked){ ask->environment[i], i };
    }
    if (ask->environment_count)
        qsort(sorted, ask->environment_count, sizeof *sorted, by_key);
    return true;
}

/* An adapter says what it needs: it is not called without it. */
static bool refuse_call(const struct pair *pair, const struct env_row *row, struct arena *a,
                        struct error *e)
{
    return error_set(e, CODE_ARGUMENT_REFUSED,
                     row->scoped
                         ? "variable %s may name only directories that the run sees; `writ explain "
                           "variables` lists such names"
                         : "variable %s is given to no tool; `writ explain variables` lists such "
                           "names",
                     said(shown(pair->key, row), a));
}

/* Keeps a variable or names it among those not given. */
static void take_asked(const struct admit_ask *ask, const struct pair *pair, struct admission *out,
                       struct pair *kept, struct names *not_given)
{
    const struct env_row *row = inputs_env_row(pair->key);

    if (row && !is_kept(ask, row, pair->text))
        not_given->v[not_given->n++] = shown(pair->key, row);
    else if (str_is(pair->key, "PATH"))
        out->path = pair->text;
    else
        kept[out->environment_count++] = *pair;
}

/* ---- what the caller has ---- */

static bool is_asked(const struct asked *sorted, size_t count, struct str name)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        int order = str_cmp(name, sorted[middle].pair.key);

        if (order == 0)
            return true;
        if (order < 0)
            count = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* A variable that was asked for has been judged, and the caller's own of that name is no matter. */
static void take_caller(const struct admit_ask *ask, const struct asked *sorted, const char *text,
                        struct admission *out, struct names *stripped)
{
    struct str name = { text, strcspn(text, "=") };
    struct str value = { text + name.n + 1, 0 };
    const struct env_row *row = inputs_env_row(name);

    if (text[name.n] == '\0' || !row || is_asked(sorted, ask->environment_count, name))
        return;
    value.n = strlen(value.s);
    if (str_is(name, "PATH") && is_kept(ask, row, value))
        out->path = value;
    else
        stripped->v[stripped->n++] = shown(name, row);
}

/* ---- the sentence ---- */

static size_t unique(struct names *names)
{
    size_t n = 0;

    if (names->n)
        qsort(names->v, names->n, sizeof *names->v, by_name);
    for (size_t i = 0; i < names->n; i++) {
        if (n == 0 || !str_eq(names->v[n - 1], names->v[i]))
            names->v[n++] = names->v[i];
    }
    return n;
}

static const char *sentence(struct names *stripped, struct arena *a)
{
    _buf_ struct buf text = { .max = (size_t)NAMES_SAID * (NAME_SAID + 2) + 64 };
    size_t n = unique(stripped), said_names = n < NAMES_SAID ? n : NAMES_SAID;

    if (n == 0)
        return "ok";
    for (size_t i = 0; i < said_names; i++)
        buf_addf(&text, "%s%.*s", i ? ", " : "stripped: ", STR_ARG(stripped->v[i]));
    if (said_names < n)
        buf_addf(&text, " and %zu more", n - said_names);
    return arena_text(a, buf_str(&text));
}

bool admit_environment(const struct admit_ask *ask, struct arena *a, struct admission *out,
                       struct error *e)
{
    size_t asked = ask->environment_count, callers = 0;
    struct asked *sorted = arena_alloc(a, (asked + 1) * sizeof *sorted);
    struct pair *kept = arena_alloc(a, (asked + 1) * sizeof *kept);
    struct str *not_given = arena_alloc(a, (asked + 1) * sizeof *not_given);
    struct names stripped = { 0 };

    while (ask->caller_env && ask->caller_env[callers])
        callers++;
    stripped.v = arena_alloc(a, (asked + callers + 1) * sizeof *stripped.v);
    if (!sort_asked(ask, a, sorted, e))
        return false;
    for (size_t i = 0; i < asked; i++) {
        bool last = i + 1 == asked || !str_eq(sorted[i].pair.key, sorted[i + 1].pair.key);

        const struct env_row *row = last && ask->call ? inputs_env_row(sorted[i].pair.key) : NULL;

        if (row && !is_kept(ask, row, sorted[i].pair.text))
            return refuse_call(&sorted[i].pair, row, a, e);
        if (last)
            take_asked(ask, &sorted[i].pair, out, kept, &stripped);
    }
    out->not_given_count = stripped.n;
    if (stripped.n)
        memcpy(not_given, stripped.v, stripped.n * sizeof *not_given);
    out->not_given = not_given;
    for (size_t i = 0; i < callers; i++)
        take_caller(ask, sorted, ask->caller_env[i], out, &stripped);
    out->environment = kept;
    out->checks[CHECK_ENVIRONMENT] = sentence(&stripped, a);
    return true;
}
