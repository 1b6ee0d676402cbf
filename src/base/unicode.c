/* SPDX-License-Identifier: Apache-2.0 */
/* unicode.c: the names of the general categories. */
#include "base/unicode.h"

#include "base/own.h"

#define BIT(category) (UINT32_C(1) << UNICODE_##category)
#define CASED         (BIT(LU) | BIT(LL) | BIT(LT))
#define LETTERS       (CASED | BIT(LM) | BIT(LO))
#define MARKS         (BIT(MN) | BIT(MC) | BIT(ME))
#define NUMBERS       (BIT(ND) | BIT(NL) | BIT(NO))
#define MARKERS       (BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO))
#define SYMBOLS       (BIT(SM) | BIT(SC) | BIT(SK) | BIT(SO))
#define SEPARATORS    (BIT(ZS) | BIT(ZL) | BIT(ZP))
#define OTHERS        (BIT(CC) | BIT(CF) | BIT(CS) | BIT(CO) | BIT(CN))

/* clang-format off */
static const struct name {
    const char *brief, *full, *also;
    uint32_t categories;
} names[] = {
    { "L",  "Letter",                NULL,             LETTERS },
    { "LC", "Cased_Letter",          NULL,             CASED },
    { "Lu", "Uppercase_Letter",      NULL,             BIT(LU) },
    { "Ll", "Lowercase_Letter",      NULL,             BIT(LL) },
    { "Lt", "Titlecase_Letter",      NULL,             BIT(LT) },
    { "Lm", "Modifier_Letter",       NULL,             BIT(LM) },
    { "Lo", "Other_Letter",          NULL,             BIT(LO) },
    { "M",  "Mark",                  "Combining_Mark", MARKS },
    { "Mn", "Nonspacing_Mark",       NULL,             BIT(MN) },
    { "Mc", "Spacing_Mark",          NULL,             BIT(MC) },
    { "Me", "Enclosing_Mark",        NULL,             BIT(ME) },
    { "N",  "Number",                NULL,             NUMBERS },
    { "Nd", "Decimal_Number",        "digit",          BIT(ND) },
    { "Nl", "Letter_Number",         NULL,             BIT(NL) },
    { "No", "Other_Number",          NULL,             BIT(NO) },
    { "P",  "Punctuation",           "punct",          MARKERS },
    { "Pc", "Connector_Punctuation", NULL,             BIT(PC) },
    { "Pd", "Dash_Punctuation",      NULL,             BIT(PD) },
    { "Ps", "Open_Punctuation",      NULL,             BIT(PS) },
    { "Pe", "Close_Punctuation",     NULL,             BIT(PE) },
    { "Pi", "Initial_Punctuation",   NULL,             BIT(PI) },
    { "Pf", "Final_Punctuation",     NULL,             BIT(PF) },
    { "Po", "Other_Punctuation",     NULL,             BIT(PO) },
    { "S",  "Symbol",                NULL,             SYMBOLS },
    { "Sm", "Math_Symbol",           NULL,             BIT(SM) },
    { "Sc", "Currency_Symbol",       NULL,             BIT(SC) },
    { "Sk", "Modifier_Symbol",       NULL,             BIT(SK) },
    { "So", "Other_Symbol",          NULL,             BIT(SO) },
    { "Z",  "Separator",             NULL,             SEPARATORS },
    { "Zs", "Space_Separator",       NULL,             BIT(ZS) },
    { "Zl", "Line_Separator",        NULL,             BIT(ZL) },
    { "Zp", "Paragraph_Separator",   NULL,             BIT(ZP) },
    { "C",  "Other",                 NULL,             OTHERS },
    { "Cc", "Control",               "cntrl",          BIT(CC) },
    { "Cf", "Format",                NULL,             BIT(CF) },
    { "Cs", "Surrogate",             NULL,             BIT(CS) },
    { "Co", "Private_Use",           NULL,             BIT(CO) },
    { "Cn", "Unassigned",            NULL,             BIT(CN) },
};
/* clang-format on */
#undef BIT

uint32_t unicode_short(struct str name)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_is(name, names[i].brief))
            return names[i].categories;
    return 0;
}

uint32_t unicode_named(struct str name)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_is(name, names[i].full) || (names[i].also && str_is(name, names[i].also)))
            return names[i].categories;
    return unicode_short(name);
}
