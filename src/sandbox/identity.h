/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h: who the command is, inside and outside. */
#pragma once

#include <sys/types.h>

#include "sandbox/jail.h"

/* Writes the maps of the new process, which waits for it; maps the owners of the trees. */
bool identity_write(const struct jail *jail, pid_t pid, struct error *e) NODISCARD;
