/* SPDX-License-Identifier: Apache-2.0 */
/* about.h: what a step is about, in a few words. */
#pragma once

#include "contract/plan_doc.h"
#include "contract/request_doc.h"

/* `request`: of a command; else NULL. */
struct str about_step(const struct step_doc *step, const struct request_doc *request,
                      struct arena *a);
