/* SPDX-License-Identifier: Apache-2.0 */
/* cli_bind.c: parameters become the words of a command line: values, never shell text.
 *
 * A template is split at its blanks before values are put in, so a value is always inside of one
 * word, whatever it holds. Options come before positional arguments: programs that stop looking for
 * options at the first argument find them all. A value that begins a word must not begin with '-':
 * the tool would take it for an option. It may where the template gives it to one ('-m {value}'),
 * or where the tool was told that no options follow ('--').
 */
#include "adapter/cli_bind.h"

#include "base/json_write.h"
#include "contract/admit.h"

enum { WORDS_MAX = 4096, VALUE_MAX = 16 << 20 };

struct word {
    struct str text;
    const struct doc
        *bare;  /* the parameter whose value begins it; NULL: none, or an option's own */
    bool fixed; /* it is the adapter's, without any value */
};

struct words {
    struct word *v;
    size_t n, room;
};

struct binding {
    const struct cli_interface *cli;
    struct operation_doc operation;
    struct str name; /* of the operation */
    struct arena *a;
    struct words options, positional;
    struct error *e;
};

static bool refused(const struct binding *b, const struct doc *param, const char *why)
{
    struct at at = { .file = "parameters" };
    _buf_ struct buf pointer = { .max = ERROR_PTR - 1 };

    doc_pointer_name(param->key, &pointer);
    (void)memcpy(at.ptr, buf_str(&pointer).s ? buf_str(&pointer).s : "", pointer.len);
    return error_at(b->e, CODE_PARAMETER_REFUSED, &at, "%s %s", said(param->key, b->a), why);
}

static bool add_word(struct binding *b, const struct doc *param, struct words *to, struct word word)
{
    if (to->n == WORDS_MAX)
        return refused(b, param, "gives more words than a command line takes here (4096)");
    if (to->n == to->room)
        to->v = arena_more(b->a, to->v, to->n, &to->room, sizeof *to->v);
    to->v[to->n++] = word;
    return true;
}

/* ---- values ---- */

static bool is_scalar(const struct doc *d)
{
    return d->kind == DOC_TEXT || d->kind == DOC_INT || d->kind == DOC_NUMBER ||
           d->kind == DOC_BOOL;
}

/* A value as the program sees it: a text as it is, anything else as JSON writes it. */
static struct str value_text(const struct doc *d, struct arena *a)
{
    _buf_ struct buf text = { .max = VALUE_MAX };

    if (d->kind == DOC_TEXT)
        return d->text;
    json_canon(d, a, &text);
    return (struct str){ arena_text(a, buf_str(&text)), text.len };
}

/* NULL, or why no program can be given it as a word or a variable. */
static const char *no_word(struct str s, struct arena *a)
{
    if (s.n && memchr(s.s, 0, s.n))
        return "holds a NUL byte, which no argument or variable can";
    if (s.n < ADMIT_TEXT_MAX)
        return NULL;
    return arena_printf(a,
                        "has %zu bytes, and an argument or variable at most %d; give it as a file, "
                        "or by stdin_mapping",
                        s.n, ADMIT_TEXT_MAX - 1);
}

/* On the command line everything is text: true and false are as good as the real ones. */
static bool is_truth(const struct doc *d, bool *out)
{
    if (d->kind == DOC_BOOL)
        *out = d->truth;
    else if (d->kind == DOC_TEXT && (str_is(d->text, "true") || str_is(d->text, "false")))
        *out = str_is(d->text, "true");
    else
        return false;
    return true;
}

/* ---- templates ---- */

/* The placeholder at the beginning of `s`: {value}, or {name} of the parameter itself. 0: none. */
static size_t placeholder(struct str s, struct str name)
{
    static const char value[] = "{value}";

    if (str_begins(s, value))
        return sizeof value - 1;
    if (s.n >= name.n + 2 && s.s[0] == '{' && s.s[name.n + 1] == '}' &&
        memcmp(s.s + 1, name.s, name.n) == 0)
        return name.n + 2;
    return 0;
}

static bool has_placeholder(struct str template, struct str name)
{
    for (size_t i = 0; i < template.n; i++)
        if (placeholder((struct str){ template.s + i, template.n - i }, name))
            return true;
    return false;
}

static struct str fill(struct str word, struct str name, struct str value, struct arena *a)
{
    _buf_ struct buf out = { .max = VALUE_MAX };

    for (size_t i = 0; i < word.n;) {
        size_t n = placeholder((struct str){ word.s + i, word.n - i }, name);

        if (n)
            buf_add(&out, value.s, value.n);
        else
            buf_addc(&out, word.s[i]);
        i += n ? n : 1;
    }
    return (struct str){ arena_text(a, buf_str(&out)), out.len };
}

/* ---- one parameter ---- */

/* '-m' takes the next word, as far as can be told; '--colour=always' has its own. */
static bool takes_value(struct str word, struct str name)
{
    return word.n > 1 && word.s[0] == '-' && !has_placeholder(word, name) &&
           !memchr(word.s, '=', word.n);
}

static bool put_value(struct binding *b, const struct doc *param, struct str template,
                      const struct doc *value)
{
    struct str rest = template, word, text;
    struct words *to = placeholder(template, param->key) > 0 ? &b->positional : &b->options;
    bool option = false, again = param->kind == DOC_LIST && value != param->first;
    const char *why;

    if (!is_scalar(value))
        return refused(b, param, "must be a text, a number, true or false, or a list of these");
    text = value_text(value, b->a);
    why = no_word(text, b->a);
    if (why)
        return refused(b, param, why);
    if (again && str_is(str_word(&rest, " "), "--"))
        template = rest; /* a second one would be a value */
    for (rest = template; (word = str_word(&rest, " ")).n > 0;) {
        struct word made = { .text = fill(word, param->key, text, b->a),
                             .fixed = !has_placeholder(word, param->key) };

        if (!option && placeholder(word, param->key))
            made.bare = param;
        if (!add_word(b, param, to, made))
            return false;
        option = takes_value(word, param->key) && !str_is(word, "--");
    }
    return true;
}

static bool put_flag(struct binding *b, const struct doc *param, struct str template)
{
    bool on;

    if (!is_truth(param, &on))
        return refused(b, param, "is a flag: it takes true or false");
    if (!on)
        return true;
    for (struct str word; (word = str_word(&template, " ")).n > 0;)
        if (!add_word(b, param, &b->options, (struct word){ .text = word, .fixed = true }))
            return false;
    return true;
}

static bool put_argument(struct binding *b, const struct doc *param, struct str template)
{
    if (param->kind == DOC_NULL)
        return true;
    if (!has_placeholder(template, param->key))
        return put_flag(b, param, template);
    if (param->kind != DOC_LIST)
        return put_value(b, param, template, param);
    for (const struct doc *c = param->first; c; c = c->next)
        if (!put_value(b, param, template, c))
            return false;
    return true;
}

/* ---- all of them ---- */

static const struct doc *param_named(const struct doc *params, struct str name)
{
    for (const struct doc *c = doc_first(params, DOC_MAP); c; c = c->next)
        if (str_eq(c->key, name))
            return c;
    return NULL;
}

static bool is_taken(const struct binding *b, struct str name)
{
    const struct str *takes = b->operation.takes.v;
    bool known = pairs_have(&b->cli->arg_mapping, name) || pairs_have(&b->cli->env_mapping, name) ||
                 (b->cli->stdin_mapping.n && str_eq(b->cli->stdin_mapping, name));

    if (!known || !b->operation.takes.n)
        return known;
    for (size_t i = 0; i < b->operation.takes.n; i++)
        if (str_eq(takes[i], name))
            return true;
    return false;
}

/* "is no parameter; there are a, b and c" */
static const char *which_there_are(const struct binding *b)
{
    const struct items *maps[] = { &b->cli->arg_mapping, &b->cli->env_mapping };
    _buf_ struct buf text = { .max = 400 };

    for (size_t m = 0; m < COUNT(maps); m++) {
        const struct pair *all = maps[m]->v;

        for (size_t i = 0; i < maps[m]->n; i++)
            if (is_taken(b, all[i].key))
                buf_addf(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(all[i].key));
    }
    if (b->cli->stdin_mapping.n && is_taken(b, b->cli->stdin_mapping))
        buf_addf(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(b->cli->stdin_mapping));
    if (!text.len)
        return "is no parameter: the operation takes none";
    return arena_printf(b->a, "is no parameter; there are %s", arena_text(b->a, buf_str(&text)));
}

static bool all_known(struct binding *b, const struct doc *params)
{
    for (const struct doc *c = doc_first(params, DOC_MAP); c; c = c->next)
        if (!is_taken(b, c->key))
            return refused(b, c, which_there_are(b));
    return true;
}

/* A positional argument is known by its place alone: without one before it, the tool would take it
 * for that one. */
static bool put_arguments(struct binding *b, const struct doc *params)
{
    const struct pair *all = b->cli->arg_mapping.v;
    const struct pair *missing = NULL;

    for (size_t i = 0; i < b->cli->arg_mapping.n; i++) {
        const struct doc *param = param_named(params, all[i].key);
        size_t before = b->positional.n;

        if (param && !put_argument(b, param, all[i].text))
            return false;
        if (b->positional.n > before && missing)
            return error_set(b->e, CODE_PARAMETER_REFUSED, "%.*s needs '%.*s' before '%.*s'",
                             STR_ARG(b->name), STR_ARG(missing->key), STR_ARG(all[i].key));
        if (b->positional.n == before && !missing && placeholder(all[i].text, all[i].key) &&
            is_taken(b, all[i].key))
            missing = &all[i];
    }
    return true;
}

static bool put_environment(struct binding *b, const struct doc *params, struct items *out)
{
    const struct pair *all = b->cli->env_mapping.v;
    struct pair *env = arena_alloc(b->a, b->cli->env_mapping.n * sizeof *env);
    const char *why;

    *out = (struct items){ env, 0 };
    for (size_t i = 0; i < b->cli->env_mapping.n; i++) {
        const struct doc *param = param_named(params, all[i].key);

        if (!param || param->kind == DOC_NULL)
            continue;
        if (!is_scalar(param))
            return refused(b, param, "must be a text, a number, true or false");
        env[out->n] = (struct pair){ all[i].text, value_text(param, b->a) };
        why = no_word(env[out->n++].text, b->a);
        if (why)
            return refused(b, param, why);
    }
    return true;
}

/* Words of the adapter behind '--' may name another program, which has options of its own. */
static bool ends_options(bool ended, const struct word *word)
{
    return word->fixed ? str_is(word->text, "--") : ended;
}

static bool all_words(const struct binding *b, struct items *out)
{
    const struct items *fixed[] = { &b->cli->base_args, &b->operation.args };
    const struct words *made[] = { &b->options, &b->positional };
    size_t n = fixed[0]->n + fixed[1]->n + made[0]->n + made[1]->n;
    struct str *words = arena_alloc(b->a, n * sizeof *words);
    bool ended = false;

    *out = (struct items){ words, 0 };
    for (size_t i = 0; i < COUNT(fixed); i++)
        for (size_t k = 0; k < fixed[i]->n; k++)
            words[out->n++] = ((const struct str *)fixed[i]->v)[k];
    if (out->n)
        ended = str_is(words[out->n - 1], "--");
    for (size_t i = 0; i < COUNT(made); i++) {
        for (size_t k = 0; k < made[i]->n; k++) {
            const struct word *word = &made[i]->v[k];

            if (word->bare && !ended && word->text.n && word->text.s[0] == '-')
                return refused(b, word->bare,
                               "begins with '-', so the tool would take it for an option");
            ended = ends_options(ended, word);
            words[out->n++] = word->text;
        }
    }
    return true;
}

bool cli_bind(const struct adapter *adapter, struct str operation, const struct doc *params,
              struct arena *a, struct cli_call *out, struct error *e)
{
    struct binding b = { .cli = adapter->doc.interface->cli,
                         .operation = operation_of(adapter->tree, operation, a),
                         .name = operation,
                         .a = a,
                         .e = e };
    struct cli_call call = { .command = b.cli->executable };
    const struct doc *input = NULL;

    if (b.cli->stdin_mapping.n)
        input = param_named(params, b.cli->stdin_mapping);
    if (!all_known(&b, params) || !put_arguments(&b, params) ||
        !put_environment(&b, params, &call.environment))
        return false;
    if (input && input->kind != DOC_NULL)
        call.input = value_text(input, a);
    if (!all_words(&b, &call.arguments))
        return false;
    *out = call;
    return true;
}
