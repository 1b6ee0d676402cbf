/* SPDX-License-Identifier: Apache-2.0 */
/* mountinfo.c: takes apart what the kernel tells of mounts. */
#include "sandbox/mountinfo.h"

/* `36 25 0:34 ROOT POINT OPTIONS [shared:1 ..] - TYPE SOURCE OPTIONS`, with one blank between; a
 * source may be empty. */
bool mountinfo_line(struct str line, struct mountinfo *out)
{
    struct mountinfo m;

    m.id = str_cut(&line, " ");
    m.parent = str_cut(&line, " ");
    m.device = str_cut(&line, " ");
    m.root = str_cut(&line, " ");
    m.point = str_cut(&line, " ");
    while (line.n && !str_begins(line, "- "))
        (void)str_cut(&line, " ");
    (void)str_cut(&line, " ");
    m.type = str_cut(&line, " ");
    (void)str_cut(&line, " ");
    m.options = line;
    if (!m.type.n)
        return false;
    *out = m;
    return true;
}

/* A byte in octal: three digits, 377 at most. */
static bool is_escape(struct str t)
{
    return t.n >= 4 && t.s[0] == '\\' && is_one_of(t.s[1], "0123") &&
           is_one_of(t.s[2], "01234567") && is_one_of(t.s[3], "01234567");
}

bool mountinfo_plain(struct str word, char *out, size_t size)
{
    size_t n = 0;

    while (word.n && n < size) {
        const char *s = word.s;
        bool escape = is_escape(word);

        out[n++] = escape ? (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0')) : s[0];
        word = str_from(word, escape ? 4 : 1);
    }
    if (n == size)
        return false;
    out[n] = '\0';
    return true;
}
