/* SPDX-License-Identifier: Apache-2.0 */
/* confine.h: a program that reads what strangers send gives away what it does not need. */
#pragma once

#include "base/error.h"

/* For the rest of this process: no other program is started, nobody's memory is read, no file
 * grows, no core is left, root's rights are gone and none is gained, and so many descriptors are
 * the most. */
bool confine_self(unsigned descriptors, struct error *e) NODISCARD;
