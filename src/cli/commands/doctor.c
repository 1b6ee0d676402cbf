/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c: `writ doctor`: what this machine can enforce. */
#include <writ/writ.h>

#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"

enum { MARK = 4, GAP = 2 };

static const struct {
    const char *state, *mark;
    enum colour colour;
} marks[] = {
    { "pass", "✓", GREEN },
    { "weak", "!", YELLOW },
    { "absent", "✗", YELLOW },
};

/* ---- one line of what was found ---- */

static bool same(const struct doc *a, const struct doc *b, const char *key)
{
    return str_eq(doc_text(a, key), doc_text(b, key));
}

/* Parts of one thing that are in one state need only one line. */
static bool goes_on(const struct doc *f)
{
    const struct doc *next = f->next;

    return next && same(f, next, "what") && same(f, next, "state") && same(f, next, "detail");
}

/* "cgroup memory, pids, cpu"; returns the last finding of the line. */
static const struct doc *read_name(const struct doc *f, struct buf *name)
{
    struct str part = doc_text(f, "part");

    buf_addf(name, "%.*s", STR_ARG(doc_text(f, "what")));
    if (part.n)
        buf_addf(name, " %.*s", STR_ARG(part));
    for (; goes_on(f); f = f->next)
        buf_addf(name, ", %.*s", STR_ARG(doc_text(f->next, "part")));
    return f;
}

/* "route gpu": the worker's name; of a kind that has none, the route's. */
static void read_route(const struct doc *route, struct buf *name)
{
    struct str worker = doc_text(route, "worker"), way = doc_text(route, "route");

    buf_addf(name, "route %.*s", STR_ARG(worker.n ? worker : way));
}

static size_t name_width(const struct doc *findings, const struct doc *routes)
{
    size_t width = 0;

    for (const struct doc *r = routes->first; r; r = r->next) {
        _buf_ struct buf name = { .max = 1 << 10 };

        read_route(r, &name);
        width = name.len > width ? name.len : width;
    }

    for (const struct doc *f = findings->first; f; f = f->next) {
        _buf_ struct buf name = { .max = 1 << 10 };

        f = read_name(f, &name);
        width = name.len > width ? name.len : width;
    }
    return width;
}

static void show_mark(struct str state)
{
    for (size_t i = 0; i < COUNT(marks); i++)
        if (str_is(state, marks[i].state))
            out(marks[i].colour, "  %s ", marks[i].mark);
}

/* How what is meant for a shell begins. */
static const char *const typed[] = { "chmod ", "d=/",     "docker run ",  "for d in /", "modprobe ",
                                     "sudo ",  "sysctl ", "systemd-run ", "unshare ",   "writ " };

/* Where the command starts that a mend ends with; the whole length where it has none. */
static size_t command_in(struct str mend)
{
    for (size_t n = 0; n < mend.n; n++) {
        if (n > 0 && (n < 2 || memcmp(mend.s + n - 2, ": ", 2) != 0))
            continue;
        for (size_t i = 0; i < COUNT(typed); i++)
            if (str_begins(str_from(mend, n), typed[i]))
                return n;
    }
    return mend.n;
}

/* What mends several findings in a row is said once, below the last. A command is pasted: one that
 * does not fit is left to the terminal, which joins again what it breaks. */
static void show_mend(const struct doc *f, size_t column)
{
    struct str mend = doc_text(f, "mend");
    size_t words = command_in(mend);

    if (mend.n == 0 || (f->next && same(f, f->next, "mend")))
        return;
    if (column + print_columns(mend) <= print_width())
        words = mend.n;
    if (words > 0) {
        out(PLAIN, "%*s", (int)column, "");
        out_folded(CYAN, str_trim_end((struct str){ mend.s, words }, " "), column);
    }
    if (words < mend.n)
        out(CYAN, "%*s%.*s\n", MARK, "", STR_ARG(str_from(mend, words)));
}

static void show_findings(const struct doc *findings, size_t width)
{
    size_t column = MARK + width + GAP;

    for (const struct doc *f = findings->first; f; f = f->next) {
        _buf_ struct buf name = { .max = 1 << 10 };
        struct str detail;

        show_mark(doc_text(f, "state"));
        f = read_name(f, &name);
        detail = doc_text(f, "detail");
        out(PLAIN, "%s", name.s);
        if (detail.n)
            out(PLAIN, "%*s", (int)(width - name.len + GAP), "");
        out_folded(PLAIN, detail, column);
        show_mend(f, column);
    }
}

/* ---- where commands can go ---- */

static const char hosts_by_name[] = "hosts by name";

/* Without it every run is offline, and held as any other. */
static void show_network(const struct doc *network, size_t width)
{
    size_t column = MARK + width + GAP;
    bool open = doc_get(network, "open")->truth;

    out(open ? GREEN : YELLOW, "  %s ", open ? "✓" : "!");
    out(PLAIN, "%s%*s", hosts_by_name, (int)(column - MARK - strlen(hosts_by_name)), "");
    out_folded(PLAIN, doc_text(network, "detail"), column);
    show_mend(network, column);
}

/* Where all is well the line at the top says it; of a ledger, where it is. */
static void show_grounds(const struct doc *grounds, size_t width)
{
    size_t column = MARK + width + GAP;

    for (const struct doc *g = grounds->first; g; g = g->next) {
        bool holds = doc_get(g, "holds")->truth;
        struct str what = doc_text(g, "what");

        if (doc_text(g, "detail").n == 0)
            continue;
        out(holds ? GREEN : YELLOW, "  %s ", holds ? "✓" : "!");
        out(PLAIN, "%.*s%*s", STR_ARG(what), (int)(width - what.n + GAP), "");
        out_folded(PLAIN, doc_text(g, "detail"), column);
        show_mend(g, column);
    }
}

/* A route that is closed takes nothing from what the machine enforces. */
static void show_routes(const struct doc *routes, size_t width)
{
    size_t column = MARK + width + GAP;

    for (const struct doc *r = routes->first; r; r = r->next) {
        _buf_ struct buf name = { .max = 1 << 10 };
        const struct doc *open = doc_get(r, "open");

        read_route(r, &name);
        out(open->truth ? GREEN : YELLOW, "  %s ",
            open->kind == DOC_NULL ? "?"
            : open->truth          ? "✓"
                                   : "!");
        out(PLAIN, "%s%*s", name.s, (int)(width - name.len + GAP), "");
        out_folded(PLAIN, doc_text(r, "detail"), column);
        show_mend(r, column);
    }
}

/* ---- what it comes to ---- */

static void list_layers(const struct doc *list, const char *before, const char *between,
                        struct buf *to)
{
    for (const struct doc *m = list->first; m; m = m->next) {
        buf_addf(to, "%s%.*s", before, STR_ARG(doc_text(m, "layer")));
        before = between;
    }
}

static void close_weak(const struct doc *answer)
{
    _buf_ struct buf text = { .max = 1 << 12 };
    const struct doc *spare = doc_get(answer, "spare");

    buf_adds(&text, "writ exec refuses with 125, unless it is told");
    list_layers(spare, " --allow-weak ", " --allow-weak ", &text);
    out(YELLOW, "weak: ");
    out_folded(PLAIN, buf_str(&text), sizeof "weak:");
    for (const struct doc *m = spare->first; m; m = m->next) {
        out(PLAIN, "%*s", (int)sizeof "weak:", "");
        out_folded(DIM, doc_text(m, "without"), sizeof "weak:");
    }
}

static void close_none(const struct doc *answer)
{
    _buf_ struct buf text = { .max = 1 << 12 };

    buf_adds(&text, "writ exec refuses every command here with 125");
    list_layers(doc_get(answer, "missing"), "; missing: ", ", ", &text);
    out(YELLOW, "none: ");
    out_folded(PLAIN, buf_str(&text), sizeof "none:");
}

static void show_where(const struct doc *answer)
{
    _buf_ struct buf text = { .max = 1 << 13 };
    struct str directory = doc_text(answer, "directory");

    buf_addf(&text, "%.*s on %.*s, as %s", STR_ARG(doc_text(answer, "kernel")),
             STR_ARG(doc_text(answer, "machine")),
             doc_get(answer, "root")->truth ? "root" : "an ordinary user");
    if (directory.n)
        buf_addf(&text, ", in %.*s", STR_ARG(directory));
    out_folded(DIM, buf_str(&text), 0);
}

static void show(const char *text, int status)
{
    _arena_ struct arena a = { 0 };
    const struct doc *answer = answer_read(text, &a);
    const struct doc *findings = doc_get(answer, "findings"), *routes = doc_get(answer, "routes");
    size_t width = name_width(findings, routes);

    if (width < strlen(hosts_by_name))
        width = strlen(hosts_by_name);

    show_where(answer);
    show_findings(findings, width);
    show_network(doc_get(answer, "network"), width);
    show_grounds(doc_get(answer, "grounds"), width);
    show_routes(routes, width);
    if (status == WRIT_OK) {
        out(GREEN, "full: ");
        out(PLAIN, "every default guarantee holds\n");
    } else if (doc_get(answer, "full")->truth) {
        out(YELLOW, "full: ");
        out_folded(PLAIN,
                   str_of("every default guarantee holds, and yet writ exec refuses every command "
                          "here; see directory and ledger"),
                   sizeof "full:");
    } else if (doc_get(answer, "weak")->truth) {
        close_weak(answer);
    } else {
        close_none(answer);
    }
}

static int run(const struct args *args)
{
    char *answer;
    int status = writ_doctor(&answer);

    if (args_get(args, "json"))
        out_json(answer);
    else
        show(answer, status);
    writ_free(answer);
    return status;
}

const struct command cmd_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "what this machine can enforce, and how to fix the rest",
    .about =
        "Tries every layer of the sandbox by building it, and runs a command that does nothing "
        "inside all of them. A layer passes, is weak (it holds, and newer systems have more), or "
        "is absent; the line below says how to fix it. Then it tells whether commands may run and "
        "be recorded here, which files of a project are ignored because of their owner, and which "
        "routes are open to commands of a class; a closed route does not affect the rest. Exit 0 "
        "when every default guarantee holds for commands in this directory, 69 when one cannot be "
        "given, or none may run.",
    .examples = { { "writ doctor", "each layer, and what writ exec would do" },
                  { "writ doctor --json", "the same for programs" },
                  { "writ explain layers", "what each layer holds, and which may be spared" } },
    .options = { { "json", NULL, NULL, "what was found as one JSON object" } },
    .least = 0,
    .most = 0,
    .keeps = true,
    .greets = true,
    .run = run,
};
