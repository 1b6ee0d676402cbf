/* SPDX-License-Identifier: Apache-2.0 */
/* fickle.c: a resolver for writ-http that changes its mind: what is asked for the first time is
 * harmless, and ever after an address that must not be reached. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct found {
    struct addrinfo info;
    struct sockaddr_in at;
};

/* libcurl finds this one before the C library's. NAME.test: the address that is first, and then. */
static const struct {
    const char *name, *first, *then;
} names[] = {
    { "fickle.test", "127.0.0.1", "127.0.0.2" },
    { "private.test", "10.1.2.3", "10.1.2.3" },
    { "metadata.test", "169.254.169.254", "169.254.169.254" },
};

__attribute__((visibility("default"))) int getaddrinfo(const char *name, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    static atomic_int asked;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct found *f;

        if (strcmp(name, names[i].name) != 0)
            continue;
        f = calloc(1, sizeof *f);
        if (!f)
            return EAI_MEMORY;
        f->at.sin_family = AF_INET;
        f->at.sin_port = htons((uint16_t)(service ? strtoul(service, NULL, 10) : 0));
        (void)inet_pton(AF_INET, atomic_fetch_add(&asked, 1) ? names[i].then : names[i].first,
                        &f->at.sin_addr);
        f->info = (struct addrinfo){ .ai_family = AF_INET,
                                     .ai_socktype = hints ? hints->ai_socktype : SOCK_STREAM,
                                     .ai_addrlen = sizeof f->at,
                                     .ai_addr = (struct sockaddr *)&f->at };
        *out = &f->info;
        return 0;
    }
    return EAI_NONAME;
}

__attribute__((visibility("default"))) void freeaddrinfo(struct addrinfo *info)
{
    free(info); /* it stands first in what was found */
}
