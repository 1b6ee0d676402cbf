/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: a program that calls the executor it is told of, with the payload it is told. */
#include <stdio.h>
#include <string.h>

#include <writ/writ.h>

extern char **environ;

static bool show(void *self, const char *line, size_t len)
{
    (void)self;
    return printf("%.*s\n", (int)len, line) > 0;
}

int main(int argc, char **argv)
{
    const char *text = argc > 2 ? argv[2] : "null";
    struct writ_input payload = { .name = "payload", .text = text, .len = strlen(text) };
    struct writ_action action = { .executor = argc > 1 ? argv[1] : "",
                                  .payload = &payload,
                                  .environment = (const char *const *)environ,
                                  .output = true };

    return writ_apply(&action, show, NULL);
}
