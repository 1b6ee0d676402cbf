/* SPDX-License-Identifier: Apache-2.0 */
/* file.c: the file of a remembered value: a line that says what it is, and the value.
 *
 *     writ-cache 1 tool-metadata <key> <made> <ends> <bytes> [<about> ]sha256:<digest>
 *
 * The digest is over the line up to it and the value: a file that was torn, renamed, moved to
 * another level or given another time does not fit it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "adapter/cache/parts.h"
#include "base/buf.h"
#include "base/num.h"

static const char mark[] = "writ-cache 1";

static struct digest over(struct str line, struct str value)
{
    struct sha256 s;

    sha256_begin(&s);
    sha256_add(&s, line.s, line.n);
    sha256_add(&s, value.s, value.n);
    return sha256_end(&s);
}

/* Is it something, short, and without what would end the line? */
static bool is_line(struct str about)
{
    for (size_t i = 0; i < about.n; i++)
        if ((unsigned char)about.s[i] < ' ' || about.s[i] == 0x7f)
            return false;
    return about.n > 0 && about.n <= CACHE_ABOUT;
}

void cache_head_write(enum cache level, const char *key, const struct cache_head *head,
                      struct str value, struct buf *to)
{
    struct digest digest;
    char text[DIGEST_TEXT];

    buf_addf(to, "%s %s %s %" PRId64 " %" PRId64 " %" PRId64 " ", mark, cache_names[level], key,
             head->made_ms, head->ends_ms, head->bytes);
    if (is_line(head->about))
        buf_addf(to, "%.*s ", STR_ARG(head->about));
    digest = over(buf_str(to), value);
    digest_text(&digest, text);
    buf_addf(to, "%s\n", text);
}

/* Takes the number up to the next blank off the front of a text. */
static bool take_number(struct str *text, int64_t *out)
{
    const char *blank = memchr(text->s, ' ', text->n);
    struct str word = { text->s, blank ? (size_t)(blank - text->s) : 0 };

    if (!blank || !num_int(word, out) || *out < 0)
        return false;
    *text = (struct str){ blank + 1, text->n - word.n - 1 };
    return true;
}

bool cache_head_read(struct str text, enum cache level, const char *key, struct cache_head *out)
{
    char begin[CACHE_HEAD];
    int n = snprintf(begin, sizeof begin, "%s %s %s ", mark, cache_names[level], key);
    const char *end = memchr(text.s, '\n', text.n < CACHE_HEAD ? text.n : CACHE_HEAD);
    struct cache_head head = { 0 };
    struct str rest;

    if (!end || !str_begins(text, begin))
        return false;
    rest = (struct str){ text.s + n, (size_t)(end - text.s) - (size_t)n };
    if (!take_number(&rest, &head.made_ms) || !take_number(&rest, &head.ends_ms) ||
        !take_number(&rest, &head.bytes) || rest.n < DIGEST_TEXT - 1)
        return false;
    rest.n -= DIGEST_TEXT - 1;
    if (rest.n && rest.s[rest.n - 1] != ' ')
        return false;
    head.about = (struct str){ rest.s, rest.n ? rest.n - 1 : 0 };
    head.length = (size_t)(end + 1 - text.s);
    *out = head;
    return true;
}

bool cache_head_fits(struct str text, const struct cache_head *head)
{
    struct str line = { text.s, head->length - DIGEST_TEXT },
               said = { text.s + line.n, DIGEST_TEXT - 1 },
               value = { text.s + head->length, text.n - head->length };
    struct digest want, is;

    if (value.n != (size_t)head->bytes || !digest_parse(said, &want))
        return false;
    is = over(line, value);
    return memcmp(&is, &want, sizeof is) == 0;
}

/* What was made later than now was made by another clock: nobody knows how old it is. */
bool cache_head_holds(const struct cache_head *head, int64_t now_ms)
{
    return head->made_ms <= now_ms && (head->ends_ms == 0 || now_ms < head->ends_ms);
}

bool cache_file_ours(const struct stat *s)
{
    return S_ISREG(s->st_mode) && s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

static size_t key_length(const char *name)
{
    return strspn(name, "0123456789abcdef");
}

bool cache_is_key(const char *name)
{
    return key_length(name) == CACHE_KEY && name[CACHE_KEY] == '\0';
}

bool cache_is_new(const char *name)
{
    return strncmp(name, ".new-", 5) == 0 ||
           (key_length(name) == CACHE_KEY && name[CACHE_KEY] == '.');
}

bool cache_is_index(struct str text)
{
    return str_begins(text, "writidx");
}
