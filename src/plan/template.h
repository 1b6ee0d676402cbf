/* SPDX-License-Identifier: Apache-2.0 */
/* template.h: the form of a plan that people write, turned into a plan that runs.
 *
 * Names become new ids, what was left out gets its default, and nothing else happens: there is no
 * substitution (contract 004, 6.8). The names are kept in metadata.writ.names, {"<step id>":name}.
 */
#pragma once

#include "base/world.h"
#include "contract/template_doc.h"

/* A plan always requires something of its context; one that names nothing requires this key, which
 * every environment has that writ itself makes. */
#define TEMPLATE_KEY "working_directory"

/* Of a template that is right, with the document it was decoded from. Payloads stay those of the
 * document, and so do the values of those that are made of a command: what is said about them later
 * has its place in the file. */
void template_plan(const struct template_doc *t, const struct world *w, struct arena *a,
                   struct plan_doc *out);

/* Of one that is wrong: its steps, with the actions and payloads that could be decoded and nothing
 * else, so that those can be judged. What a command is run with is judged with the template. */
void template_actions(const struct template_doc *t, struct arena *a, struct plan_doc *out);
