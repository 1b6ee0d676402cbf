/* SPDX-License-Identifier: Apache-2.0 */
/* bench_schema.c: one execution event against writ's own schema of events, text in and verdict out,
 * beside ajv on node, which compiles a schema to code. The goal: at least 3 times faster. */
#include <assert.h>
#include <string.h>
#include <sys/wait.h>

#include <writ/writ.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/jsonschema.h"
#include "race.h"

enum { CALLS = 2000, TURNS = 101 };

/* ajv's side: a line with the schema, one with the document as a text, then lines that say how
 * often; each is answered when it is done. */
static const char script[] =
    "const fs = require('fs'), ajv_home = require('module').createRequire(process.argv[1] + '/');"
    "const Ajv = ajv_home('ajv/dist/2020'), formats = ajv_home('ajv-formats'); let held = '';"
    "const line = () => { for (;;) { const end = held.indexOf('\\n');"
    "  if (end >= 0) { const l = held.slice(0, end); held = held.slice(end + 1); return l; }"
    "  const b = Buffer.alloc(65536), n = fs.readSync(0, b); if (!n) process.exit();"
    "  held += b.toString('utf8', 0, n); } };"
    "const ajv = new Ajv({ strict: false }); formats(ajv);"
    "const fits = ajv.compile(JSON.parse(line())), text = JSON.parse(line());"
    "for (;;) { const n = Number(line()); let right = 0;"
    "  for (let i = 0; i < n; i++) right += fits(JSON.parse(text)) ? 1 : 0;"
    "  fs.writeSync(1, right === n ? 'y' : 'n'); }";

static int to_node = -1, from_node = -1;
static struct str event;
static const struct jsonschema *program;
static struct arena turn;

/* ---- ajv ---- */

static bool succeeds(const char *const argv[])
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
        (void)execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* The package goes beside this program, once. */
static bool install(const char *home, struct arena *a)
{
    const char *const argv[] = { "npm",      "install", "--silent", "--no-audit",  "--no-fund",
                                 "--prefix", home,      "ajv",      "ajv-formats", NULL };

    return access(arena_printf(a, "%s/node_modules/ajv-formats", home), R_OK) == 0 ||
           succeeds(argv);
}

static pid_t start_node(const char *home)
{
    int in[2], out[2];
    pid_t pid;

    if (pipe(in) != 0 || pipe(out) != 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(out[1], STDOUT_FILENO);
        (void)close(in[1]);
        (void)execlp("node", "node", "-e", script, home, (char *)NULL);
        _exit(127);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    to_node = in[1];
    from_node = out[0];
    return pid;
}

static bool ask(const char *text, size_t n)
{
    return write(to_node, text, n) == (ssize_t)n;
}

static void run_ajv(void)
{
    char text[16], answer = 0;
    int n = snprintf(text, sizeof text, "%d\n", CALLS);
    bool asked = ask(text, (size_t)n);

    if (!asked || read(from_node, &answer, 1) != 1 || answer != 'y') {
        printf("ajv does not take the event\n");
        exit(1);
    }
}

/* ---- writ ---- */

static const struct document *read_event(void)
{
    struct ceilings max = ceilings_default();
    const struct document *document = NULL;
    struct error e;
    bool ok;

    arena_reset(&turn);
    ok = json_read("event.json", event, &max, &turn, &document, &e);
    assert(ok);
    return document;
}

static void run_writ(void)
{
    for (int i = 0; i < CALLS; i++) {
        const struct document *document = read_event();
        struct report r = report_new(&turn, "event.json", event);
        struct work work = { .left = ceiling_rows[CEILING_SCHEMA_STEPS].value };
        bool ok = jsonschema_check(program, &document->root, &turn, &work, &r);

        assert(ok);
    }
}

static void run_parse(void)
{
    for (int i = 0; i < CALLS; i++)
        (void)read_event();
}

/* ---- the race ---- */

static void show(struct runner *runners, size_t n, size_t yardstick)
{
    double first = race_median(&runners[yardstick]);

    for (size_t i = 0; i < n; i++) {
        double ns = race_median(&runners[i]);

        printf("  %-44s %9.0f ns %8.2f x\n", runners[i].name, ns / CALLS, first / ns);
    }
}

static bool ajv_ready(struct str schema, struct arena *a)
{
    _buf_ struct buf lines = { .max = 1 << 20 };
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *home;

    assert(n > 0);
    self[n] = '\0';
    home = arena_printf(a, "%s.ajv", self);
    if (!succeeds((const char *const[]){ "node", "-e", "0", NULL }) || !install(home, a))
        return false;
    if (start_node(home) < 0)
        return false;
    buf_add(&lines, schema.s, schema.n);
    buf_addc(&lines, '\n');
    json_text(&lines, event);
    buf_addc(&lines, '\n');
    return ask(lines.s, lines.len);
}

int main(void)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct schema_options options = { .formats = true };
    struct runner runners[] = { { "writ: parse", run_parse },
                                { "writ: parse, check", run_writ },
                                { "ajv on node: parse, check", run_ajv } };
    const struct document *schema = NULL;
    struct report r;
    struct error e;
    char *text;
    bool ok = writ_schema("event", &text) == WRIT_OK &&
              fs_read(EXAMPLES "/event.json", 1 << 20, &a, &event, &e) &&
              json_read("event", str_of(text), &max, &a, &schema, &e);

    assert(ok);
    r = report_new(&a, "event", schema->text);
    ok = jsonschema_read(schema, &options, &a, &program, &r);
    assert(ok);
    printf("one execution event of %zu bytes against its schema of %zu bytes\n", event.n,
           strlen(text));
    if (ajv_ready(str_of(text), &a)) {
        race_measure(runners, 3, TURNS, 1);
        show(runners, 3, 2);
        printf("  goal: writ at least 3 x ajv\n");
    } else {
        race_measure(runners, 2, TURNS, 1);
        show(runners, 2, 1);
        printf("  ajv is left out: it needs node, and npm to install it\n");
    }
    writ_free(text);
    arena_free(&turn);
    return 0;
}
