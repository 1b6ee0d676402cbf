/* SPDX-License-Identifier: Apache-2.0 */
/* input.c: writes a text into a file in memory and seals it. */
#include "sandbox/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/fs.h"

int input_file(struct str text)
{
    _fd_ int fd = -1;
    char path[32];

    if (text.n == 0)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    fd = memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || !fd_write(fd, text) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) != 0)
        return -1;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}
