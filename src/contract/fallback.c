/* SPDX-License-Identifier: Apache-2.0 */
/* fallback.c: the words of a condition, and what each of them means. */
#include "contract/fallback.h"

#include <string.h>

#include "base/num.h"

struct condition_row {
    const char *name, *meaning;
    enum code code; /* CODE_NONE: any failure */
};

/* clang-format off */
static const struct condition_row conditions[] = {
    { "failed",      "It did not succeed, for whatever reason but a refusal of the call.", CODE_NONE },
    { "unavailable", "The service or server could not be reached.",          CODE_PEER_UNAVAILABLE },
    { "timeout",     "It took longer than it may.",                          CODE_COMMAND_TIMEOUT },
};

/* What parameters, registry and levels are refused with before anything runs. */
static const enum code refusals[] = {
    CODE_PARAMETER_REFUSED, CODE_SECRET_IN_PARAMETER, CODE_ENCODING,         CODE_ARGUMENT_REFUSED,
    CODE_INPUT_TOO_LARGE,   CODE_PATH_REFUSED,        CODE_APPROVAL_MISSING, CODE_COMMAND_NOT_ALLOWED,
    CODE_HOST_REFUSED,      CODE_OPERATION_NOT_ALLOWED,
};

static const struct column condition_columns[] = {
    { "condition", COLUMN_TEXT, offsetof(struct condition_row, name) },
    { "meaning",   COLUMN_TEXT, offsetof(struct condition_row, meaning) },
};
/* clang-format on */

const struct table conditions_table = {
    .name = "conditions",
    .about =
        "When an adapter falls back to another one; or numbers: exit codes, statuses, JSON-RPC "
        "codes. Several stand between commas.",
    COLUMNS(condition_columns),
    .keys = 1,
    ROWS(conditions),
};

static const char between[] = " ,";

static const struct condition_row *row_of(struct str word)
{
    for (size_t i = 0; i < COUNT(conditions); i++)
        if (str_is(word, conditions[i].name))
            return &conditions[i];
    return NULL;
}

const char *fallback_wrong(struct str condition, struct str *word)
{
    int64_t number;
    bool any = false;

    for (*word = str_word(&condition, between); word->n; *word = str_word(&condition, between)) {
        any = true;
        if (!row_of(*word) && !num_int(*word, &number))
            return "is no condition; failed, unavailable, timeout or a number is one";
    }
    return any ? NULL : "names no condition";
}

bool fallback_refused(enum code code)
{
    for (size_t i = 0; i < COUNT(refusals); i++)
        if (refusals[i] == code)
            return true;
    return false;
}

bool fallback_holds(struct str condition, const struct attempt_failure *failure)
{
    for (struct str word = str_word(&condition, between); word.n;
         word = str_word(&condition, between)) {
        const struct condition_row *row = row_of(word);
        int64_t number;

        if (row && (row->code == CODE_NONE || row->code == failure->code))
            return true;
        if (!row && failure->number && num_int(word, &number) && number == failure->number)
            return true;
    }
    return false;
}
