/* SPDX-License-Identifier: Apache-2.0 */
/* serve_jq.c: jq programs in a worker; the only file that knows libjq.
 *
 * A call is one value in and at most one out: none is nothing, a second is an exception. Numbers
 * are what libjq makes of them, in 1.6 doubles: a whole number beyond 2^53 loses its last digits.
 */
#include <ctype.h>
#include <jq.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "executor/jq_leaks.h"
#include "executor/serve.h"

enum { PROGRAM_MAX = 1 << 20, DEPTH_MAX = 128 };

static struct {
    struct arena a;
    struct str program;
    const char *text; /* with what stands before it */
    jq_state *jq;     /* NULL: it could not be made anew */
    bool anew;        /* for every call */
} self;

/* libjq draws a seed for its tables of keys, behind the walls. No output depends on it, but how
 * long a call takes does: equal calls shall meet equal verdicts. Ours is found before the C
 * library's. */
__attribute__((visibility("default"), used)) uint32_t arc4random(void)
{
    return 1;
}

static bool jq_open(const char *file, struct error *e)
{
    if (!fs_read_file(file, PROGRAM_MAX, &self.a, &self.program, e))
        return error_wrap(e, "%s", file);
    if (memchr(self.program.s, '\0', self.program.n))
        return error_set(e, ERROR_SYNTAX, "%s: a jq program is text, this has a NUL", file);
    return true;
}

/* The first thing jq says of a program that it does not take; it goes on one line. */
static void keep_first(void *to, jv message)
{
    struct error *e = to;
    jv text = jq_format_error(message);

    if (e->code == ERROR_NONE) {
        (void)error_set(e, ERROR_SYNTAX, "%s", jv_string_value(text));
        for (char *c = e->msg; *c; c++)
            if (iscntrl((unsigned char)*c))
                *c = c[1] ? ' ' : '\0';
    }
    jv_free(text);
}

/* What jq says when it runs, of a stack that is too deep or a value that halts it, is not told. */
static void keep_none(void *to, jv message)
{
    (void)to;
    jv_free(message);
}

static jq_state *compile(const char *text, struct error *e)
{
    jq_state *jq = jq_init();

    if (!jq) {
        (void)error_set(e, ERROR_IO, "libjq cannot begin");
        return NULL;
    }
    jq_set_error_cb(jq, keep_first, e);
    /* Without these it dies of an import. */
    jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
    jq_set_attr(jq, jv_string("JQ_ORIGIN"), jv_string("/"));
    jq_set_attr(jq, jv_string("PROGRAM_ORIGIN"), jv_string("/"));
    if (!jq_compile(jq, text))
        jq_teardown(&jq);
    else
        jq_set_error_cb(jq, keep_none, NULL); /* who compiled it does not wait for more */
    return jq;
}

/* Whether a label is numbered by anything that the program calls, jq's own functions among it: jq
 * alone knows, and says so only where it prints what it has compiled. */
static bool numbers_labels(jq_state *jq)
{
    _free_ char *text = NULL;
    size_t n = 0;
    FILE *was = stdout, *to = open_memstream(&text, &n);

    if (!to)
        return true;
    stdout = to;
    jq_dump_disassembly(jq, 0);
    stdout = was;
    return fclose(to) != 0 || strstr(text, "GENLABEL");
}

/* Labels are numbered on from call to call. That is to be seen where a break is caught, with the
 * number of its label, and where one is raised as if by a break. To compile takes a thousand times
 * as long as many a call, so no other program is. */
static bool sees_labels(struct str program, jq_state *jq)
{
    return (memmem(program.s, program.n, "catch", 5) || memmem(program.s, program.n, "error", 5)) &&
           numbers_labels(jq);
}

/* What jq says of the program with its prefix would tell of lines that the user did not write, so
 * it is asked again about the program alone; no call is ever made to that. */
static bool jq_ready(struct error *e)
{
    _buf_ struct buf text = { .max = 2 * PROGRAM_MAX };
    struct error ignored = { 0 }, alone = { 0 };
    jq_state *jq;

    for (size_t i = 0; i < jq_leak_count; i++)
        buf_adds(&text, jq_leaks[i].prefix ? jq_leaks[i].prefix : "");
    buf_adds(&text, "\n");
    buf_add(&text, self.program.s, self.program.n);
    if (!buf_ok(&text))
        return error_set(e, ERROR_CEILING, "the program is too long");
    self.jq = compile(text.s, &ignored);
    if (self.jq) {
        self.text = arena_text(&self.a, buf_str(&text));
        self.anew = sees_labels(self.program, self.jq);
        return true;
    }
    jq = compile(arena_text(&self.a, self.program), &alone);
    if (!jq)
        return error_set(e, ERROR_SYNTAX, "%s%s", alone.msg,
                         strstr(alone.msg, "module not found")
                             ? "; an executor reads no files: put its functions into the program"
                             : "");
    jq_teardown(&jq);
    return error_set(e, ERROR_SYNTAX,
                     "the program is empty, or begins with what must come first: "
                     "module, import or include");
}

/* How deep a JSON text nests. */
static size_t depth_of(struct str text)
{
    size_t depth = 0, most = 0;
    bool quoted = false;

    for (size_t i = 0; i < text.n; i++) {
        char c = text.s[i];

        if (quoted)
            i += c == '\\';
        else if (c == '[' || c == '{')
            most = ++depth > most ? depth : most;
        else if (c == ']' || c == '}')
            depth--;
        if (c == '"')
            quoted = !quoted;
    }
    return most;
}

static enum call_end put(jv value, struct buf *out)
{
    jv text = jv_dump_string(value, 0);

    buf_add(out, jv_string_value(text), (size_t)jv_string_length_bytes(jv_copy(text)));
    jv_free(text);
    return buf_ok(out) && depth_of(buf_str(out)) <= DEPTH_MAX ? CALL_OUTPUT : CALL_LIMIT;
}

static bool is_end(jv value)
{
    bool end = !jv_is_valid(value) && !jv_invalid_has_msg(jv_copy(value));

    jv_free(value);
    return end && !jq_halted(self.jq);
}

/* What was raised, for who asked for the output: as it is when it is a text, else as JSON. */
static void put_words(jv raised, struct buf *out)
{
    jv message = jv_invalid_get_msg(raised);
    jv text = jv_get_kind(message) == JV_KIND_STRING ? message : jv_dump_string(message, 0);

    buf_add(out, jv_string_value(text), (size_t)jv_string_length_bytes(jv_copy(text)));
    jv_free(text);
}

/* Lets go of all that the call has left: should that be too much, it dies of it, not the next. */
static void leave_nothing(void)
{
    struct error ignored = { 0 };

    jq_start(self.jq, jv_null(), 0);
    if (!self.anew)
        return;
    jq_teardown(&self.jq);
    self.jq = compile(self.text, &ignored);
}

static enum call_end jq_call(struct str payload, struct buf *out)
{
    jv value = payload.n <= INT_MAX ? jv_parse_sized(payload.s, (int)payload.n) : jv_invalid();
    enum call_end end = CALL_EXCEPTION;

    if (!jv_is_valid(value) || !self.jq) {
        jv_free(value);
        return self.jq ? end : CALL_LIMIT;
    }
    jq_start(self.jq, value, 0);
    value = jq_next(self.jq);
    if (!jv_is_valid(value) && is_end(jv_copy(value)))
        end = CALL_NO_OUTPUT;
    else if (!jv_is_valid(value))
        put_words(jv_copy(value), out);
    else if (is_end(jq_next(self.jq)))
        end = put(jv_copy(value), out);
    jv_free(value);
    leave_nothing();
    return end;
}

const struct service jq_service = {
    .name = "jq",
    .open = jq_open,
    .ready = jq_ready,
    .call = jq_call,
};
