/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c: the list of tables, and a table over the readers' ceilings. */
#include "contract/tables.h"

#include "base/ceilings.h"
#include "contract/classes.h"
#include "contract/codes.h"
#include "contract/config_doc.h"
#include "contract/exits.h"
#include "contract/fallback.h"
#include "contract/forms.h"
#include "contract/gate.h"
#include "contract/host_refusals.h"
#include "contract/hosts.h"
#include "contract/inputs.h"
#include "contract/kinds.h"
#include "contract/layers.h"
#include "contract/levels.h"
#include "contract/limits.h"
#include "contract/record_fields.h"
#include "contract/repeat.h"
#include "contract/secret_doc.h"
#include "contract/states.h"

/* clang-format off */
static const struct column ceiling_columns[] = {
    { "name",    COLUMN_TEXT, offsetof(struct ceiling_row, name) },
    { "value",   COLUMN_UINT, offsetof(struct ceiling_row, value) },
    { "meaning", COLUMN_TEXT, offsetof(struct ceiling_row, meaning) },
};
/* clang-format on */

static const struct table ceilings_table = {
    .name = "ceilings",
    .about = "How large a document may be.",
    COLUMNS(ceiling_columns),
    .keys = 1,
    ROWS(ceiling_rows),
};

/* clang-format off */
/* The order `writ explain` lists them in: what most people ask for comes first. */
const struct table *const contract_tables[] = {
    &codes_table,
    &severities_table,
    &recovery_table,
    &limits_table,
    &outputs_table,
    &fs_levels_table,
    &net_levels_table,
    &registry_hosts_table,
    &host_refusals_table,
    &levels_table,
    &checks_table,
    &shell_chars_table,
    &path_patterns_table,
    &env_table,
    &secret_names_table,
    &input_sizes_table,
    &exits_table,
    &exit_answers_table,
    &causes_table,
    &statuses_table,
    &layers_table,
    &kinds_table,
    &classes_table,
    &timeouts_table,
    &policies_table,
    &worker_kinds_table,
    &route_edges_table,
    &event_states_table,
    &event_edges_table,
    &state_words_table,
    &gate_table,
    &repeats_table,
    &caches_table,
    &record_table,
    &conditions_table,
    &forms_table,
    &ceilings_table,
};
/* clang-format on */

const size_t contract_table_count = COUNT(contract_tables);
