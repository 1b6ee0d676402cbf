/* SPDX-License-Identifier: Apache-2.0 */
/* confine.h: a program that reads what strangers send gives away what it does not need. */
#pragma once

#include "base/error.h"

/* For the rest of this process: no other program is started, no call reads another's memory or
 * takes its descriptors, no file grows, no core is left, root's rights are gone and none is gained,
 * no namespace is made, and so many descriptors are the most. Where the kernel has Landlock,
 * nothing of another process is reached through /proc either, no name is made or removed, and no
 * file is cut (since its version 3); since version 6 no signal is sent to another. */
bool confine_self(unsigned descriptors, struct error *e) NODISCARD;
