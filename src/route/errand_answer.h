/* SPDX-License-Identifier: Apache-2.0 */
/* errand_answer.h: what came of an errand, by what the worker answered, or by its silence. */
#pragma once

#include "route/channel_parts.h"

/* Fills in what came of it. The errand is not under way any more. */
void answer_judge(struct channel *c, struct underway *u, struct errand *errand, struct arena *a);
