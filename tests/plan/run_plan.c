/* SPDX-License-Identifier: Apache-2.0 */
/* run_plan.c: runs a plan through the library alone, as a program of somebody else would.
 *
 * usage: run_plan [--context FILE] [--set KEY=VALUE].. [--jobs N] [--ledger L] [--policy P]
 *                 [--progress FD] [--force FD] [--dependency-skip HOW]
 *                 [--rerun-of ID] PLAN
 *
 * Prints the answer; its exit status is the library's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <writ/plans.h>

enum { SETS_MAX = 16 };

struct words {
    struct writ_input plan, context;
    const char *set[SETS_MAX + 1];
    size_t sets;
    struct writ_plan run;
};

static bool take(struct words *w, const char *option, const char *value)
{
    if (strcmp(option, "--context") == 0) {
        w->context.name = value;
        w->run.context = &w->context;
    } else if (strcmp(option, "--set") == 0 && w->sets < SETS_MAX) {
        w->set[w->sets++] = value;
    } else if (strcmp(option, "--jobs") == 0) {
        w->run.jobs = (int)strtol(value, NULL, 10);
    } else if (strcmp(option, "--ledger") == 0) {
        w->run.ledger = value;
    } else if (strcmp(option, "--policy") == 0) {
        w->run.policy = value;
    } else if (strcmp(option, "--dependency-skip") == 0) {
        w->run.dependency_skip = value;
    } else if (strcmp(option, "--rerun-of") == 0) {
        w->run.rerun_of = value;
    } else if (strcmp(option, "--progress") == 0) {
        w->run.progress = (int)strtol(value, NULL, 10);
    } else if (strcmp(option, "--force") == 0) {
        w->run.force = (int)strtol(value, NULL, 10);
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct words w = { .run = { .progress = -1, .force = -1 } };
    char *answer = NULL;
    int i = 1, status;

    while (i + 2 < argc && take(&w, argv[i], argv[i + 1]))
        i += 2;
    if (i + 1 != argc)
        return WRIT_USAGE;
    w.plan.name = argv[i];
    w.run.plan = &w.plan;
    w.run.set = w.set;
    w.run.environment = (const char *const *)environ;
    status = writ_run(&w.run, &answer);
    if (answer && printf("%s\n", answer) < 0)
        status = WRIT_BUG;
    writ_free(answer);
    return status;
}
