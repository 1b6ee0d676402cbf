/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.h: how many files this process may have open.
 *
 * A shell allows 1,024 by custom, for programs that know no more; with several runs at once we may
 * need more. What we start knows nothing of that, and gets what our caller had.
 */
#pragma once

/* As many as may be had. Once, before there are threads; whoever links the library and not the
 * program decides for itself. */
void descriptors_raise(void);

/* What the caller had. For a process that is about to be another program. */
void descriptors_restore(void);
