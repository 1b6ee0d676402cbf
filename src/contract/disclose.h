/* SPDX-License-Identifier: Apache-2.0 */
/* disclose.h: an adapter as it is shown at a level of disclosure (contract 001, loading levels). */
#pragma once

#include "contract/shape.h"

/* The adapter's document as JSON, members in the order of the rows, each from its row's level on.
 * Below L2 a map of names is the list of the names alone: the summary of an interface. The document
 * is one that adapter_shape had no problems with. */
void adapter_disclose(const struct doc *adapter, enum level level, struct buf *to);
