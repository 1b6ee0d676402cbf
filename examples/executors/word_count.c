/* SPDX-License-Identifier: Apache-2.0 */
/* word_count.c: how many words a text has: {"text":"to be"} becomes {"words":2}.
 *
 * The payload is canonical JSON, so its form is known to the byte: no blanks outside of the text,
 * and those within are ' ' or written with a backslash. Anything else is an exception. */
static const char head[] = "{\"text\":\"", tail[] = "{\"words\":";
static char payload[60000], output[32];

__attribute__((export_name("room"))) char *room(unsigned size)
{
    return size <= sizeof payload ? payload : 0;
}

__attribute__((export_name("execute"))) unsigned long long execute(const char *at, unsigned size)
{
    unsigned words = 0, within = 0, end = sizeof output;

    for (unsigned i = 0; i < sizeof head - 1; i++)
        if (at[i] != head[i])
            __builtin_trap();
    for (unsigned i = sizeof head - 1; i < size - 2; i++) {
        unsigned escape = at[i] == '\\', c = at[i += escape];
        unsigned blank = escape ? c == 'n' || c == 't' || c == 'r' : c == ' ';

        words += !blank && !within;
        within = !blank;
    }
    output[--end] = '}'; /* the output, from its end to its beginning */
    do
        output[--end] = (char)('0' + words % 10);
    while ((words /= 10) > 0);
    for (unsigned i = sizeof tail - 1; i > 0; i--)
        output[--end] = tail[i - 1];
    return (unsigned long long)(unsigned long)(output + end) << 32 | (sizeof output - end);
}
