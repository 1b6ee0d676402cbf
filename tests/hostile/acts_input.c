/* SPDX-License-Identifier: Apache-2.0 */
/* acts_input.c: arguments and environment, as they arrived. */
#include "acts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Every argument in hexadecimal, one a line. */
static int args(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        for (const char *at = argv[i]; *at; at++)
            printf("%02x", (unsigned char)*at);
        putchar('\n');
    }
    return 0;
}

/* All of the environment; then all the memory above it, in which a kernel or a loader might have
 * left something. */
static int environment(int argc, char **argv)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long from = 0, to = 0;
    char row[512];

    for (char **at = environ; *at; at++)
        puts(*at);
    while (maps && fgets(row, sizeof row, maps)) {
        if (strstr(row, "[stack]"))
            sscanf(row, "%lx-%lx", &from, &to);
    }
    if (maps)
        fclose(maps);
    for (int i = 0; i < argc; i++) {
        const char *found = from ? memmem((void *)from, to - from, argv[i], strlen(argv[i])) : NULL;

        /* Its own arguments are there as well: only what lies behind them counts. */
        found = found && found > argv[argc - 1] ? found : NULL;
        holds(!found, "'%s' is not in the memory", argv[i]);
    }
    return verdict();
}

/* clang-format off */
const struct act acts_input[] = {
    { "I01", "args",        args },
    { "I03", "environment", environment },
    { 0 },
};
/* clang-format on */
