/* SPDX-License-Identifier: Apache-2.0 */
/* canon.c: `writ canon` and `writ digest`: the bytes that stand for a document. */
#include <writ/writ.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"

static int refuse(char *answer, bool json)
{
    _arena_ struct arena a = { 0 };

    if (json)
        out_json(answer);
    else
        (void)answer_problems(answer_read(answer, &a), false);
    writ_free(answer);
    return WRIT_WRONG;
}

/* {"file":..,KEY:..}, the answer about one document for programs. */
static void out_answer(const char *file, const char *key, struct str text)
{
    _buf_ struct buf json = { .max = SIZE_MAX / 2 };

    json_open(&json, '{');
    json_put(&json, "file", file);
    json_put_text(&json, key, text);
    json_close(&json, '}');
    out_json(json.s);
}

static int run_canon(const struct args *args)
{
    struct writ_input input = { .name = args->operands[0] };
    char *answer;
    size_t len;
    int status = writ_canon(&input, &answer, &len);

    if (status != WRIT_OK)
        return refuse(answer, args_get(args, "json"));
    if (args_get(args, "json")) {
        out_answer(input.name, "canonical", (struct str){ answer, len });
    } else {
        out_shown((struct str){ answer, len });
        out_person_end();
    }
    writ_free(answer);
    return status;
}

static int run_digest(const struct args *args)
{
    int worst = WRIT_OK;

    if (args_share_input(args))
        return WRIT_USAGE;
    for (size_t i = 0; i < args->count; i++) {
        struct writ_input input = { .name = args->operands[i] };
        char *answer;

        if (writ_digest(&input, &answer) != WRIT_OK) {
            worst = refuse(answer, args_get(args, "json"));
            continue;
        }
        if (args_get(args, "json"))
            out_answer(input.name, "digest", str_of(answer));
        else if (args->count > 1)
            out_line("%s  %s", answer, input.name);
        else
            out_line("%s", answer);
        writ_free(answer);
    }
    return worst;
}

const struct command cmd_canon = {
    .name = "canon",
    .operands = "FILE",
    .summary = "the canonical JSON of a document (RFC 8785)",
    .about = "Writes the one byte sequence that stands for the document's value: keys sorted, no "
             "blanks, numbers in their shortest form, no newline at the end. YAML and JSON that "
             "say the same give the same bytes. `-` is standard input.",
    .examples = { { "writ canon plan.yaml", "a YAML plan as canonical JSON" },
                  { "writ canon - <event.json | sha256sum", "the same hex as writ digest" } },
    .options = { { "json", NULL, NULL, "one JSON object with the canonical text in it" } },
    .least = 1,
    .most = 1,
    .run = run_canon,
};

const struct command cmd_digest = {
    .name = "digest",
    .operands = "FILE...",
    .summary = "sha256:<hex> of the canonical JSON",
    .about = "Names a document by what it says: SHA-256 over its canonical JSON. Blanks, key order "
             "and the choice of YAML or JSON do not change it. `-` is standard input.",
    .examples = { { "writ digest plan.yaml", "the name of what the plan says" } },
    .options = { { "json", NULL, NULL, "one JSON object for each file" } },
    .least = 1,
    .most = OPERANDS_MAX,
    .run = run_digest,
};
