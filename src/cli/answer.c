/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: reads the engine's answers back, and shows the problems in them. */
#include "cli/answer.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>

#include "base/json_read.h"
#include "cli/print.h"

enum { NAME_SHOWN = 40 };

const struct doc *answer_read(const char *answer, struct arena *a)
{
    return answer_line(str_of(answer), a);
}

bool answer_try(struct str line, struct arena *a, const struct doc **out)
{
    struct ceilings any = ceilings_none();
    const struct document *document;
    struct error e;

    any.any_number = true; /* a tool may have given it */
    if (!json_read("answer", line, &any, a, &document, &e))
        return false;
    *out = &document->root;
    return true;
}

const struct doc *answer_line(struct str line, struct arena *a)
{
    const struct doc *d = NULL;
    bool ok = answer_try(line, a, &d);

    assert(ok);
    return d;
}

/* A name that no file can have is told by its beginning. */
static void show_file(struct str file, void (*print)(enum colour, const char *, ...))
{
    size_t bytes = file.n;

    if (file.n > PATH_MAX)
        (void)print_measure(file, NAME_SHOWN, &bytes);
    print(BOLD, "%.*s%s:", (int)bytes, file.s, bytes < file.n ? "…" : "");
}

static void show_problem(struct str file, const struct doc *p,
                         void (*print)(enum colour, const char *, ...))
{
    int64_t line = doc_whole(p, "line");
    struct str pointer = doc_text(p, "pointer");
    bool warning = str_is(doc_text(p, "severity"), "warning");

    show_file(file, print);
    if (line > 0)
        print(BOLD, "%" PRId64 ":%" PRId64 ":", line, doc_whole(p, "column"));
    print(PLAIN, " ");
    if (pointer.n > 0)
        print(CYAN, "%.*s: ", STR_ARG(pointer));
    if (warning)
        print(YELLOW, "warning: ");
    print(PLAIN, "%.*s ", STR_ARG(doc_text(p, "message")));
    print(DIM, "[%.*s]", STR_ARG(doc_text(p, "code")));
    print(PLAIN, "\n");
}

struct str answer_file(const struct doc *report)
{
    struct str file = doc_text(report, "file");

    if (str_is(file, "-"))
        return str_of("standard input");
    return file.n > 0 ? file : str_of("''");
}

int64_t answer_list(struct str file, const struct doc *problems, bool to_stdout)
{
    void (*print)(enum colour, const char *, ...) = to_stdout ? out : err;
    int64_t n = 0;

    for (const struct doc *p = doc_first(problems, DOC_LIST); p; p = p->next, n++)
        show_problem(file, p, print);
    return n;
}

int64_t answer_problems(const struct doc *report, bool to_stdout)
{
    void (*print)(enum colour, const char *, ...) = to_stdout ? out : err;
    struct str file = answer_file(report);
    int64_t errors = doc_whole(report, "errors"), more = errors + doc_whole(report, "warnings");

    more -= answer_list(file, doc_get(report, "problems"), to_stdout);
    if (more > 0)
        print(PLAIN, "%.*s: %" PRId64 " more problems\n", STR_ARG(file), more);
    return errors;
}

void answer_no_kind(const char *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);
    struct str near = doc_text(d, "near");

    say("'%.*s' is not a kind of document%s%.*s%s", STR_ARG(doc_text(d, "topic")),
        near.n ? " (did you mean '" : "", STR_ARG(near), near.n ? "'?)" : "");
    say("the kinds are %.*s", STR_ARG(doc_text(d, "known")));
}
