/* SPDX-License-Identifier: Apache-2.0 */
/* bench_plan.c: a plan of 1,024 commands in the sandbox, on record, against ninja running the same
 * commands bare; and what a step costs that does nothing. The goals: 1.25 x ninja's time with the
 * ledger on, 5 us a step that does nothing, as much for the last as for the first, and 12 MB. */
#include <writ/plans.h>

#include "base/buf.h"
#include "base/fs.h"
#include "ground.h"
#include "race.h"

enum { STEPS = 1024, TURNS = 7, QUICK_TURNS = 41, JOBS = 2 };

static struct ground ground;
static char state[] = "/tmp/writ-bench-XXXXXX";
static char place[64];
static long most_kb;

/* ---- plans ---- */

enum graph { ALL_AT_ONCE, CHAIN, LAYERS };

struct quick {
    int steps;
    enum graph graph;
    struct buf text;
};

/* Layers of 32: each step waits for all of the layer before. */
static void put_after(struct buf *to, enum graph graph, int i)
{
    int layer = i / 32;

    if (graph == CHAIN && i > 0)
        buf_addf(to, ",\"after\":[\"s%d\"]", i - 1);
    if (graph != LAYERS || layer == 0)
        return;
    for (int k = 0; k < 32; k++)
        buf_addf(to, "%s\"s%d\"", k ? "," : ",\"after\":[", (layer - 1) * 32 + k);
    buf_adds(to, "]");
}

static void put_quick(struct quick *q)
{
    q->text.max = 64 << 20;
    buf_adds(&q->text, "{\"name\":\"quick\",\"steps\":[");
    for (int i = 0; i < q->steps; i++) {
        buf_addf(&q->text, "%s{\"name\":\"s%d\",\"action\":\"notify\"", i ? "," : "", i);
        put_after(&q->text, q->graph, i);
        buf_adds(&q->text, "}");
    }
    buf_adds(&q->text, "]}");
}

static void write_commands(void)
{
    struct buf plan = { .max = 1 << 20 }, rules = { .max = 1 << 20 };

    buf_adds(&plan, "name: commands\nsteps:\n");
    buf_adds(&rules, "rule true\n  command = /bin/true\n");
    for (int i = 0; i < STEPS; i++) {
        buf_addf(&plan, "  - {name: s%d, run: [/bin/true]}\n", i);
        buf_addf(&rules, "build t%d: true\n", i);
    }
    (void)mkdir(".writ", 0755);
    ground_write(".writ/tools.yaml", "tools:\n  - tool_id: t\n    name: t\n    owner: us\n"
                                     "    scope: {commands: [/bin/true, /usr/bin/true]}\n"
                                     "    status: active\n");
    ground_write("plan.yaml", plan.s);
    ground_write("build.ninja", rules.s);
    buf_free(&plan);
    buf_free(&rules);
}

/* ---- contestants ---- */

static void run_program(const char *const *argv, struct rusage *used)
{
    int status = ground_run(argv, (struct ground_io){ -1, -1 }, used);

    assert(status == 0);
    (void)status;
}

static void run_ninja(void)
{
    const char *argv[] = { "/usr/bin/ninja", "-j2", NULL };

    run_program(argv, NULL);
}

static void run_plan(void)
{
    const char *argv[] = { ground.writ, "run",        "plan.yaml", "--jobs",
                           "2",         "--progress", "none",      NULL };
    struct rusage used;

    run_program(argv, &used);
    if (used.ru_maxrss > most_kb)
        most_kb = used.ru_maxrss;
}

static void run_quick(const void *with)
{
    const struct quick *q = with;
    const char *const environment[] = { place, NULL };
    const struct writ_input input = { "quick.json", q->text.s, q->text.len };
    const struct writ_plan plan = {
        .plan = &input, .environment = environment, .jobs = JOBS, .progress = -1, .force = -1
    };
    char *answer;
    int status = writ_run(&plan, &answer);

    assert(status == WRIT_OK);
    writ_free(answer);
}

/* Reading alone: the document becomes a plan, and that is written. */
static void read_quick(const void *with)
{
    const struct quick *q = with;
    const struct writ_input input = { "quick.json", q->text.s, q->text.len };
    const struct writ_plan plan = { .plan = &input, .progress = -1, .force = -1 };
    char *answer;
    int status = writ_plan_show(&plan, &answer);

    assert(status == WRIT_OK);
    writ_free(answer);
}

/* ---- what is told ---- */

static void race_commands(void)
{
    struct runner runners[] = { { .name = "ninja -j2, bare, through /bin/sh", .run = run_ninja },
                                { .name = "writ run --jobs 2, sandboxed, on record",
                                  .run = run_plan } };
    double ninja, plan;

    race_measure(runners, 2, TURNS, 1);
    ninja = race_median(&runners[0]) / STEPS;
    plan = race_median(&runners[1]) / STEPS;
    printf("%d x /bin/true, two at a time\n", STEPS);
    printf("  %-44s %9.0f us a command\n", runners[0].name, ninja / 1000);
    printf("  %-44s %9.0f us a command %6.2f x (goal 1.25)\n", runners[1].name, plan / 1000,
           plan / ninja);
    printf("  most memory of writ: %.1f MB (goal 12)\n", (double)most_kb / 1024);
}

static void race_quick(void)
{
    static struct quick all[] = { { 1, ALL_AT_ONCE },
                                  { 257, ALL_AT_ONCE },
                                  { 1024, ALL_AT_ONCE },
                                  { 1024, CHAIN },
                                  { 1024, LAYERS } };
    static const char *const names[] = { "1 step", "257 steps", "1,024 steps",
                                         "1,024 steps, one after the other",
                                         "1,024 steps, layers of 32" };
    struct runner runners[2 * COUNT(all)];
    const size_t n = COUNT(all);

    for (size_t i = 0; i < n; i++) {
        put_quick(&all[i]);
        runners[i] = (struct runner){ .name = names[i], .run_with = run_quick, .with = &all[i] };
        runners[n + i] = (struct runner){ .run_with = read_quick, .with = &all[i] };
    }
    race_measure(runners, 2 * n, QUICK_TURNS, 1);
    printf("a step that does nothing: ordered, begun, ended, on record with its plan\n");
    printf("  %-44s %9.0f us a plan\n", names[0], race_median(&runners[0]) / 1000);
    for (size_t i = 1; i < n; i++) {
        double whole = race_median(&runners[i]) - race_median(&runners[0]);
        double reading = race_median(&runners[n + i]) - race_median(&runners[n]);
        double steps = (all[i].steps - 1) * 1000.0;

        printf("  %-44s %9.2f us a step (goal 5), and %.2f to read it\n", names[i],
               (whole - reading) / steps, reading / steps);
    }
}

int main(int argc, char **argv)
{
    struct error e;

    if (!mkdtemp(state))
        return 1;
    (void)snprintf(place, sizeof place, "WRIT_STATE=%s", state);
    (void)putenv(place);
    ground_make(&ground, argc > 1 ? argv[1] : NULL);
    write_commands();
    if (ground_has_exec(&ground))
        race_commands(); /* first: a child's memory is never told to be less than ours is */
    race_quick();
    (void)!fs_remove(state, &e);
    return 0;
}
