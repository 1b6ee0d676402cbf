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

#include <writ/writ.h>

extern char **environ;

/* Shows an answer and gives it back. One that there is not is NULL, which writ_free() takes too. */
static int show(const char *call, int status, char *answer)
{
    printf("%s: %d %s\n", call, status, answer ? answer : "");
    writ_free(answer);
    return status;
}

/* Some answers come line by line; true asks for more. */
static bool show_line(void *self, const char *line, size_t len)
{
    printf("%s: %.*s\n", (const char *)self, (int)len, line);
    return true;
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
        .live = { -1, -1 }, /* not passed on as it comes .. */
        .cancel = -1,
        .texts = true, /* .. but told in the record */
    };
    bool ran = false;
    char *answer = NULL;
    int status = writ_exec(&command, &answer, &ran);

    return show(ran ? "writ_exec" : "writ_exec, which ran nothing", status, answer);
}

/* A pure function, which is recorded before and after it is called. */
static int apply(const char *const *environment)
{
    static const char text[] = "{\"before\":{\"strict\":false},\"after\":{\"strict\":true}}";
    struct writ_input payload = { .name = "payload", .text = text, .len = sizeof text - 1 };
    struct writ_action action = {
        .executor = "json_diff", .payload = &payload, .environment = environment, .output = true
    };
    char call[] = "writ_apply";

    return writ_apply(&action, show_line, call);
}

/* What the ledger has of all this: the newest three entries. */
static int tell(const char *const *environment)
{
    struct writ_ledger *ledger = NULL;
    char *answer = NULL, call[] = "writ_log";
    int status = writ_ledger_open(NULL, environment, false, &ledger, &answer);

    if (status != WRIT_OK)
        return show("writ_ledger_open", status, answer);
    status = writ_log(ledger, "{\"limit\":3}", show_line, call);
    writ_ledger_close(ledger);
    return status;
}

int main(void)
{
    const char *const *environment = (const char *const *)environ;

    printf("libwrit %s\n", writ_version());
    if (check("name: half a plan\nsteps: []\n") != WRIT_WRONG)
        return 1;
    if (exec(environment) != 0 || apply(environment) != WRIT_OK)
        return 1;
    return tell(environment) != WRIT_OK;
}
