/* SPDX-License-Identifier: Apache-2.0 */
/* odd_names.c: a resolver for writ-net that knows a few names, some at addresses that must not be
 * reached. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3 };

struct found {
    struct addrinfo info[MOST];
    struct sockaddr_in four[MOST];
    struct sockaddr_in6 six[MOST];
};

static const struct {
    const char *name, *addresses[MOST];
} names[] = {
    { "good.test", { "127.0.0.1" } },
    { "second.test", { "10.1.2.3", "127.0.0.1" } }, /* only the second may be reached */
    { "deaf.test", { "127.0.0.9", "127.0.0.1" } },  /* nobody listens at the first */
    { "private.test", { "10.1.2.3", "192.168.0.1" } },
    { "metadata.test", { "169.254.169.254" } },
    { "six.test", { "::1" } },
    { "mapped.test", { "::ffff:10.1.2.3" } },
    { "zero.test", { "0.0.0.0" } },
    { "provider.test", { "100.64.0.1" } },
};

static void add(struct found *f, int i, const char *text)
{
    f->four[i].sin_family = AF_INET;
    f->six[i].sin6_family = AF_INET6;
    if (inet_pton(AF_INET, text, &f->four[i].sin_addr) == 1)
        f->info[i] = (struct addrinfo){ .ai_family = AF_INET,
                                        .ai_addr = (struct sockaddr *)&f->four[i],
                                        .ai_addrlen = sizeof f->four[i] };
    else if (inet_pton(AF_INET6, text, &f->six[i].sin6_addr) == 1)
        f->info[i] = (struct addrinfo){ .ai_family = AF_INET6,
                                        .ai_addr = (struct sockaddr *)&f->six[i],
                                        .ai_addrlen = sizeof f->six[i] };
    if (i > 0)
        f->info[i - 1].ai_next = &f->info[i];
}

__attribute__((visibility("default"))) int getaddrinfo(const char *name, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    struct found *f = calloc(1, sizeof *f);

    (void)service;
    (void)hints;
    for (size_t i = 0; f && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i].name) != 0)
            continue;
        for (int k = 0; k < MOST && names[i].addresses[k]; k++)
            add(f, k, names[i].addresses[k]);
        *out = f->info;
        return 0;
    }
    free(f);
    return EAI_NONAME;
}

__attribute__((visibility("default"))) void freeaddrinfo(struct addrinfo *info)
{
    free(info); /* it stands first in what was found */
}
