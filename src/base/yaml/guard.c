/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: texts that libfyaml should not be asked to read.
 *
 * Measured on libfyaml 0.7.12: the time for a run of blanks and for a directive line grows with
 * the square of its length (100 kB took 11 s and 20 s), and every bracket that is not closed is a
 * token in memory (2 MB of them took 700 MB) long before its depth can be seen. No document that
 * people write comes near these ceilings; brackets are counted wherever they stand, in texts too,
 * because to know where they stand is to have parsed the document.
 *
 * Control characters are no YAML. libfyaml lets them pass, and what it gives for a text with a NUL
 * in it is cut short or, in folded texts, memory that was never written. It drops lines that begin
 * with a percent sign, wherever they stand. And it crashes on some tabs inside explicit keys.
 */
#include "base/yaml/guard.h"

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

static bool is_control(unsigned char c)
{
    return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

static bool byte_order_mark(struct str t, size_t i)
{
    return t.n - i >= 3 && memcmp(t.s + i, "\xef\xbb\xbf", 3) == 0;
}

/* A backslash before a blank is a blank in quotes. Where only blanks follow, libfyaml takes it for
 * one before the line end. */
static bool ends_in_escaped_blank(struct str t, size_t i)
{
    size_t end = i + 1;

    if (t.s[i] != '\\')
        return false;
    while (end < t.n && (t.s[end] == ' ' || t.s[end] == '\t'))
        end++;
    return end > i + 1 && (end == t.n || t.s[end] == '\n');
}

/* Lines end in LF here: a carriage return that is left ends none. */
static const char *bad_character(struct str text, size_t *at)
{
    for (size_t i = 0; i < text.n; i++) {
        *at = i;
        if (is_control((unsigned char)text.s[i]))
            return "a control character is no YAML";
        if (text.s[i] == '\r')
            return "a carriage return without a line feed; lines end in LF or CRLF";
        if (byte_order_mark(text, i))
            return "a byte order mark inside the document";
        if (ends_in_escaped_blank(text, i))
            return "a backslash before the blanks that end a line";
    }
    return NULL;
}

static bool begins_document(struct str line)
{
    return str_begins(line, "---") && (line.n == 3 || is_blank(line.s[3]));
}

/* In another version the same characters can be another text. */
static bool is_version_1_2(struct str line)
{
    size_t n = strlen("%YAML 1.2");

    return str_begins(line, "%YAML 1.2") && (line.n == n || is_blank(line.s[n]));
}

static bool only_blanks(struct str line)
{
    size_t i = 0;

    while (i < line.n && is_blank(line.s[i]))
        i++;
    return i == line.n || line.s[i] == '#';
}

static struct str line_at(struct str text, size_t at)
{
    const char *end = memchr(text.s + at, '\n', text.n - at);

    return (struct str){ text.s + at, end ? (size_t)(end - text.s) - at : text.n - at };
}

/* A question mark alone: the sign of an explicit key, if it is not in a text. */
static bool lone_question(struct str t, size_t i)
{
    return t.s[i] == '?' && (i == 0 || is_blank(t.s[i - 1])) &&
           (i + 1 == t.n || is_blank(t.s[i + 1]));
}

/* Tabs where keys are explicit. */
static const char *bad_tabs(struct str text, size_t *at)
{
    if (!memchr(text.s, '\t', text.n))
        return NULL;
    for (*at = 0; *at < text.n; ++*at)
        if (lone_question(text, *at))
            return "an explicit key (?) in a document that has tabs; use blanks";
    return NULL;
}

/* A last line of blanks is counted as one more line. */
static const char *bad_end(struct str text, size_t *at)
{
    size_t n = str_trim_end(text, " \t").n;

    *at = n;
    return n < text.n && n > 0 && text.s[n - 1] == '\n'
               ? "the last line is blanks without a line end"
               : NULL;
}

/* Directives stand before the document, and then it begins with ---. */
static const char *bad_directive(struct str text, size_t *at)
{
    bool directive = false, content = false;
    struct str line;

    for (*at = 0; *at < text.n; *at += line.n + 1) {
        line = line_at(text, *at);
        if (str_begins(line, "%") && content)
            return "a line that begins with % stands before the document or is quoted";
        if (str_begins(line, "%YAML") && !is_version_1_2(line))
            return "only %YAML 1.2 is read";
        directive |= str_begins(line, "%");
        if (str_begins(line, "%") || only_blanks(line))
            continue;
        if (directive && !content && !begins_document(line))
            return "after a directive the document begins with ---";
        content = true;
    }
    return NULL;
}

const char *yaml_refused(struct str text, size_t *at)
{
    static const char *(*const checks[])(struct str, size_t *) = { bad_character, bad_directive,
                                                                   bad_tabs, bad_end };
    const char *why = NULL;

    for (size_t i = 0; i < COUNT(checks) && !why; i++)
        why = checks[i](text, at);
    return why;
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
