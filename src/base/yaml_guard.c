/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_guard.c: texts that libfyaml should not be asked to read.
 *
 * Measured on libfyaml 0.7.12: the time for a run of blanks and for a directive line grows with
 * the square of its length (100 kB took 11 s and 20 s), and every bracket that is not closed is a
 * token in memory (2 MB of them took 700 MB) long before its depth can be seen. No document that
 * people write comes near these ceilings; brackets are counted wherever they stand, in texts too,
 * because to know where they stand is to have parsed the document.
 *
 * Control characters are no YAML. libfyaml lets them pass, and what it gives for a text with a NUL
 * in it is cut short or, in folded texts, memory that was never written.
 */
#include "base/yaml_guard.h"

#include "base/own.h"

struct guard {
    uint32_t blanks, brackets, directive;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void count(struct guard *g, const char *p, bool line_begins)
{
    g->blanks = is_blank(*p) ? g->blanks + 1 : 0;
    if (*p == '[' || *p == '{')
        g->brackets++;
    else if ((*p == ']' || *p == '}') && g->brackets > 0)
        g->brackets--;
    if (line_begins)
        g->directive = *p == '%';
    else if (g->directive > 0)
        g->directive++;
}

size_t yaml_control(struct str text)
{
    size_t i = 0;

    while (i < text.n && (((unsigned char)text.s[i] >= ' ' && text.s[i] != 0x7f) ||
                          text.s[i] == '\t' || text.s[i] == '\n' || text.s[i] == '\r'))
        i++;
    return i;
}

enum ceiling yaml_guard(struct str text, const struct ceilings *max, size_t *at)
{
    struct guard g = { 0 };

    *at = 0;
    if (text.n > max->v[CEILING_YAML_BYTES])
        return CEILING_YAML_BYTES;
    for (size_t i = 0; i < text.n; i++) {
        *at = i;
        count(&g, text.s + i, i == 0 || text.s[i - 1] == '\n' || text.s[i - 1] == '\r');
        if (g.blanks > max->v[CEILING_BLANKS])
            return CEILING_BLANKS;
        if (g.brackets > max->v[CEILING_BRACKETS])
            return CEILING_BRACKETS;
        if (g.directive > max->v[CEILING_DIRECTIVE])
            return CEILING_DIRECTIVE;
    }
    return CEILING_COUNT;
}
