/* SPDX-License-Identifier: Apache-2.0 */
/* scope.h: a group of one's own, asked of the service manager that runs for this user (systemd).
 *
 * Who logs in gets a group that belongs to root, and can make none below it. What can is the user's
 * manager: on demand it moves a process into a scope, which is then that process's to divide.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Where the manager of this user listens. */
enum { SCOPE_PATH = 64 };
void scope_manager(char path[SCOPE_PATH]);

/* Moves this process into a scope of its own, `name`.scope. False: nobody listens there, or it was
 * refused, or took too long; the process then is where it was. */
bool scope_enter(const char *manager, const char *name, struct error *e) NODISCARD;
