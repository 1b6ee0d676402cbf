/* SPDX-License-Identifier: Apache-2.0 */
/* builtin_run.h: the functions behind the rows of builtin.c, and what they share.
 *
 * Nothing here knows a file, a clock or the environment: what comes out depends on the payload
 * alone. tests/style/test_builtins.py holds that against the object files.
 */
#pragma once

#include "base/work.h"
#include "contract/shape.h"

/* See struct builtin. */
typedef bool pure_function(const struct doc *payload, struct work *work, struct arena *a,
                           const struct doc **output, struct error *e);

/* Fills *out (shape->size bytes, zeroed) from the payload. False: it has another shape, and the
 * message says the first thing that is wrong. */
bool payload_read(const struct shape *shape, const struct doc *payload, struct arena *a, void *out,
                  struct error *e) NODISCARD;

/* "the work of a call is used up"; false. */
bool work_is_over(struct error *e);

/* The shapes of their payloads, and the functions. */
extern const struct shape json_diff_payload, json_merge_payload, json_patch_payload,
    json_select_payload, rule_evaluate_payload, schema_validate_payload, semver_compare_payload,
    text_digest_payload;
pure_function json_diff_run, json_merge_run, json_patch_run, json_select_run, noop_run,
    rule_evaluate_run, schema_validate_run, semver_compare_run, text_digest_run;
