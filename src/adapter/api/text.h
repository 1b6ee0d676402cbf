/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: values as the text that stands in a request, by the place they stand in. */
#pragma once

#include "base/doc.h"

/* All but letters, digits and - . _ ~ as %XX: fits every place of a URL, a form and a cookie. */
void percent_add(struct buf *to, struct str text);

/* A text as it is, a number or a truth as JSON writes it. False: it is null, a list or a map. */
bool scalar_add(struct buf *to, const struct doc *d) NODISCARD;

/* Is one of the parts between slashes one that climbs? Servers may read %2e and %2F, too. */
bool path_climbs(struct str path);

/* A media type without parameters such as charset, which stand behind a ';'. */
struct str type_alone(struct str type);

/* May it be the value of a header? No line ends and no other bytes that steer. */
bool header_safe(struct str value);

/* Headers that frame a message or belong to the connection: nobody's parameter sets them. */
bool header_ours(struct str name);
