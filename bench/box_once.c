/* SPDX-License-Identifier: Apache-2.0 */
/* box_once.c: a launcher that does nothing but launch: the least a whole sandbox can cost.
 *
 * usage: box_once ROW [NET]    in a directory that has a .git; NET: the file of a kept namespace
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box_whole.h"

int main(int argc, char **argv)
{
    char work[200];
    int status;

    if (argc < 2 || !getcwd(work, sizeof work))
        return 64;
    box_prepare(work);
    if (argc > 2)
        box_use_net(open(argv[2], O_RDONLY | O_CLOEXEC));
    for (size_t i = 0; i < sizeof whole_boxes / sizeof whole_boxes[0]; i++) {
        if (strcmp(argv[1], whole_boxes[i].name) != 0)
            continue;
        status = box_run(&whole_boxes[i]);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    }
    return 64;
}
