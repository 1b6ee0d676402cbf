/* SPDX-License-Identifier: Apache-2.0 */
/* catalog_skim.h: the four members of L0, read off the top of an adapter's text without parsing it.
 *
 * Only what cannot mean anything else is taken: of YAML, `key: scalar` lines that begin in the
 * first column, above all else; of JSON, the members that are plain strings, before all else. Of
 * every text that the parser takes, the parser says the same. What comes further down is not looked
 * at: whether all of it is right is seen when it is loaded.
 */
#pragma once

#include <stdbool.h>

#include "base/own.h"
#include "base/str.h"

struct skimmed {
    struct str adapter_id, name, tool_id; /* within the text */
    int type;                             /* enum adapter_type */
};

/* False: it is not certain; the parser must say. `whole`: the text is all there is, not only the
 * beginning of a file. */
bool skim_yaml(struct str text, bool whole, struct skimmed *out) NODISCARD;
bool skim_json(struct str text, struct skimmed *out) NODISCARD;
