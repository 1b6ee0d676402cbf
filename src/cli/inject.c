/* SPDX-License-Identifier: Apache-2.0 */
/* inject.c: takes "[http://]HOST:HEADER=PLACE:NAME" apart. */
#include "cli/inject.h"

#include <string.h>

#include "base/json_write.h"

/* A command that prints a secret takes words: it is for documents and configurations. */
static const char *const places[] = { "env", "file", "credential" };

const char *secret_place(const char *text, const char **name)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        size_t n = strlen(places[i]);

        if (strncmp(text, places[i], n) == 0 && text[n] == ':' && text[n + 1]) {
            *name = text + n + 1;
            return places[i];
        }
    }
    return NULL;
}

static const char *without_scheme(const char *text, bool *plain)
{
    *plain = strncmp(text, "http://", 7) == 0;
    if (*plain)
        return text + 7;
    return strncmp(text, "https://", 8) == 0 ? text + 8 : text;
}

bool inject_write(const char *text, struct buf *to)
{
    bool plain;
    const char *host = without_scheme(text, &plain), *equals = strchr(host, '='), *name;
    const char *colon = equals ? memrchr(host, ':', (size_t)(equals - host)) : NULL;
    const char *place = equals ? secret_place(equals + 1, &name) : NULL;

    if (!colon || colon == host || colon + 1 == equals || !place)
        return false;
    if (!to)
        return true;
    json_open(to, '{');
    json_put_text(to, "host", (struct str){ host, (size_t)(colon - host) });
    json_put_text(to, "header", (struct str){ colon + 1, (size_t)(equals - colon - 1) });
    json_key(to, "secret");
    json_open(to, '{');
    json_put_text(to, place, str_of(name));
    json_close(to, '}');
    if (plain)
        json_put_bool(to, "plain", true);
    json_close(to, '}');
    return true;
}
