/* SPDX-License-Identifier: Apache-2.0 */
/* print_bytes.c: writes so many MiB to standard output, 64 KiB at a time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char block[64 * 1024];
    long left = argc > 1 ? strtol(argv[1], NULL, 10) * 16 : 0;

    memset(block, 'x', sizeof block);
    while (left > 0) {
        ssize_t n = write(1, block, sizeof block);

        if (n != (ssize_t)sizeof block)
            return 1;
        left--;
    }
    return 0;
}
