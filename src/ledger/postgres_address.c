/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_address.c: the address of a server, and what of it people may see. */
#include "ledger/postgres_address.h"

#include <string.h>

/* What follows the user and the password, which are there where an @ comes before any slash; NULL:
 * an option stands before it, as where no path was given, and is taken for a part of the user. */
static const char *behind_user(const char *text)
{
    const char *scheme = strstr(text, "://"), *begin = scheme ? scheme + strlen("://") : text;
    const char *end = begin + strcspn(begin, "@/"), *option = begin + strcspn(begin, "?@/");

    if (*end != '@')
        return begin;
    return *option == '?' && memchr(option, '=', (size_t)(end - option)) ? NULL : end + 1;
}

/* A socket of this machine, by its path or by its abstract name. */
static bool is_socket(const char *host)
{
    return host[0] == '/' || host[0] == '@';
}

bool pg_address_is_clear(const struct pg_address *p)
{
    const char *rest = behind_user(p->text);

    if (!rest || (p->port && strspn(p->port, "0123456789,") != strlen(p->port)))
        return false;
    if (!strchr(rest, '@'))
        return true;
    if (rest[0] == '@' || (p->host && p->host[0] != '/' && p->host[0] && strchr(p->host + 1, '@')))
        return false;
    return !p->database || !strchr(p->database, '@');
}

const char *pg_address_shown(const struct pg_address *p, struct arena *a)
{
    const char *host = p->host ? p->host : "", *socket = is_socket(host) ? host : NULL;

    return arena_printf(a, "postgres://%s%s%s%s%s/%s%s%s", p->user ? p->user : "",
                        p->user ? "@" : "", socket ? "" : host, p->port ? ":" : "",
                        p->port ? p->port : "", p->database ? p->database : "",
                        socket ? "?host=" : "", socket ? socket : "");
}
