/* SPDX-License-Identifier: Apache-2.0 */
/* origin.h: the places, in a document a person wrote, of problems with the plan that was made of
 * it.
 */
#pragma once

#include <writ/writ.h>

#include "base/doc.h"

/* The same problems with places in the document: each at the deepest value of its pointer that the
 * document has. Where the document cannot be read any more they have none. */
const struct doc *origin_problems(const struct writ_input *input, const struct doc *problems,
                                  struct arena *a);
