#!/usr/bin/env python3
"""unicode: writes src/base/unicode_runs.c, the general categories of all code points, packed.

usage: tools/unicode.py > src/base/unicode_runs.c    the Unicode of the Python that runs it
"""
import itertools
import textwrap
import unicodedata

CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp "
              "Cc Cf Cs Co Cn").split()  # as enum unicode_category
PAIRS = len(CATEGORIES)  # a run whose points are Lu, Ll, Lu, Ll, ..


def runs():
    """(category, how many): the runs of equal category, from 0 to 0x10ffff."""
    kinds = (CATEGORIES.index(unicodedata.category(chr(point))) for point in range(0x110000))
    return [(kind, sum(1 for _ in run)) for kind, run in itertools.groupby(kinds)]


def paired(plain):
    """The same with single Lu and Ll in turn, four or more of them, made one run."""
    turn = []

    def flush():
        if len(turn) >= 4:
            yield PAIRS, len(turn)
        else:
            yield from turn
        turn.clear()

    for run in plain:
        if run != (len(turn) % 2, 1):
            yield from flush()
        if run == (len(turn) % 2, 1):
            turn.append(run)
        else:
            yield run
    yield from flush()


def main():
    packed = [count << 5 | kind for kind, count in paired(runs())]
    rows = textwrap.fill(", ".join(map(str, packed)) + ",", 100, initial_indent="    ",
                         subsequent_indent="    ")
    print(f"""/* SPDX-License-Identifier: Apache-2.0 */
/* unicode_runs.c: the general categories of Unicode {unicodedata.unidata_version}; made by tools/unicode.py. */
#include "base/unicode.h"

/* clang-format off */
const uint32_t unicode_runs[] = {{
{rows}
}};
/* clang-format on */

const size_t unicode_run_count = sizeof unicode_runs / sizeof unicode_runs[0];""")


if __name__ == "__main__":
    main()
