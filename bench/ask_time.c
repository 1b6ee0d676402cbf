/* SPDX-License-Identifier: Apache-2.0 */
/* ask_time.c: asks the time so many times, or with `never` works as long without asking. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    volatile uint64_t sum = 1;
    struct timespec t;

    if (argc > 2 && strcmp(argv[2], "never") == 0)
        for (long i = 0; i < n; i++)
            sum = sum * 6364136223846793005ULL + 1;
    else
        for (long i = 0; i < n; i++)
            (void)clock_gettime(CLOCK_REALTIME, &t);
    return 0;
}
