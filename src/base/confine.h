/* SPDX-License-Identifier: Apache-2.0 */
/* confine.h: a program that reads what strangers send gives away what it does not need. */
#pragma once

#include "base/error.h"

/* For the rest of this process: no other program is started, no file is opened for writing or
 * changed in its mode, owner, times or attributes, no socket has a path or a name (so who looks up
 * a host asks a server, and no program of this machine), no call reads another's memory, takes its
 * descriptors or sets its limits, its turn or its processors, no core is left, root's rights are
 * gone and none is gained, no namespace is made, and so many descriptors are the most. Where the
 * kernel has Landlock, nothing of another process is reached through /proc either, and no name is
 * made or removed; since its version 6 no signal is sent to another. */
bool confine_self(unsigned descriptors, struct error *e) NODISCARD;
