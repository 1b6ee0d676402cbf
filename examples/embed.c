/* SPDX-License-Identifier: Apache-2.0 */
/* embed.c: writ from a C program.
 *
 *     cc -std=c17 embed.c $(pkg-config --cflags --libs writ) -o embed && ./embed
 *
 * Every call answers with a status and with JSON text that is given back to writ_free(). What runs
 * is recorded in the ledger that `writ log` shows, unless WRIT_LEDGER or WRIT_STATE name another.
 */
#include <stdio.h>
#include <string.h>

#include <writ/plans.h>

extern char **environ;

/* A plan as people write it: names for ids. A step that runs a command needs it to be listed in
 * .writ/tools.yaml; these compute, and tell. */
static const char plan_text[] = "name: greeting\n"
                                "steps:\n"
                                "  - name: compare\n"
                                "    action: json_diff\n"
                                "    payload: {before: {greeted: false}, after: {greeted: true}}\n"
                                "  - name: tell\n"
                                "    action: notify\n"
                                "    payload: {text: compared}\n"
                                "    after: [compare]\n";

/* Shows an answer and gives it back. Where there is none it is NULL, which writ_free() takes, too.
 */
static int show(const char *call, int status, char *answer)
{
    printf("%s: %d %s\n", call, status, answer ? answer : "");
    writ_free(answer);
    return status;
}

/* Is a document right? WRIT_WRONG is an answer as good as WRIT_OK: it says where and why. */
static int check(const char *text)
{
    struct writ_input plan = { .name = "plan.yaml", .text = text, .len = strlen(text) };
    char *answer = NULL;
    int status = writ_check(&plan, "plan", &answer);

    return show("writ_check", status, answer);
}

/* A command in a sandbox, with limits. A command may return any number, and so may writ: `ran`
 * tells whose it is. */
static int exec(const char *const *environment)
{
    const char *const argv[] = { "sh", "-c", "echo hello from the sandbox", NULL };
    struct writ_command command = {
        .argv = argv,
        .options = "{\"sandbox\":{\"timeout_ms\":5000,\"memory_mb\":64}}",
        .environment = environment,
        .live = { -1, -1 }, /* what it prints is not passed on as it comes .. */
        .cancel = -1,
        .texts = true, /* .. but told in the record */
    };
    bool ran = false;
    char *answer = NULL;
    int status = writ_exec(&command, &answer, &ran);

    return show(ran ? "writ_exec" : "writ_exec, which ran nothing", status, answer);
}

/* A plan, to its end: every step is recorded, and so is what came of it all. */
static int run(const char *const *environment)
{
    struct writ_input text = { .name = "plan", .text = plan_text, .len = sizeof plan_text - 1 };
    struct writ_plan plan = {
        .plan = &text, .environment = environment, .progress = -1, .force = -1
    };
    char *answer = NULL;
    int status = writ_run(&plan, &answer);

    return show("writ_run", status, answer);
}

int main(void)
{
    const char *const *environment = (const char *const *)environ;

    printf("libwrit %s\n", writ_version());
    if (check("name: half a plan\nsteps: []\n") != WRIT_WRONG)
        return 1;
    return exec(environment) != 0 || run(environment) != WRIT_OK;
}
