/* SPDX-License-Identifier: Apache-2.0 */
/* papers.c: prints the completions and man pages of writ while it is built.
 *
 * usage: papers bash|zsh|fish
 *        papers man PAGE            PAGE is writ, writ-VERB or writ-documents; scdoc source
 *        papers fill FILE           scdoc source that asks for tables
 *        papers library FILE HEADER.. the same, and for the functions of headers
 */
#include <stdio.h>

#include <writ/writ.h>

#include "papers.h"

enum { PAPER_MAX = 16 << 20 };

int main(int argc, char **argv)
{
    _buf_ struct buf paper = { .max = PAPER_MAX };
    bool man = argc == 3 && strcmp(argv[1], "man") == 0;
    bool fill = argc == 3 && strcmp(argv[1], "fill") == 0;
    bool library = argc >= 4 && strcmp(argv[1], "library") == 0;
    bool made = man       ? paper_man(argv[2], &paper)
                : fill    ? paper_written(argv[2], &paper)
                : library ? paper_library(argv[2], argv + 3, &paper)
                          : argc == 2 && paper_completion(argv[1], &paper);

    if (!made) {
        (void)fputs("usage: papers bash|zsh|fish, papers man writ|writ-VERB|writ-documents, "
                    "papers fill FILE, or papers library FILE HEADER..\n",
                    stderr);
        return WRIT_USAGE;
    }
    if (!buf_ok(&paper) || fwrite(paper.s, 1, paper.len, stdout) != paper.len ||
        fflush(stdout) != 0) {
        (void)fputs("papers: cannot write\n", stderr);
        return WRIT_UNRECORDED;
    }
    return WRIT_OK;
}
