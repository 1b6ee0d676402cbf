/* SPDX-License-Identifier: Apache-2.0 */
/* hosts_meet.h: what two lists of hosts have in common. */
#pragma once

#include "contract/hosts.h"
#include "contract/shape.h"

/* What an entry without a port means: 80 and 443, as in a sandbox; or every port, as where writ
 * itself calls a service. */
enum bare_port { BARE_IS_USUAL, BARE_IS_ANY };

/* The entries that mean the hosts and ports that both lists mean: "*.example.org" and
 * "api.example.org:443" meet in the latter. Of struct str, in the arena. */
struct items hosts_meet(const struct items *a, const struct items *b, enum bare_port bare,
                        struct arena *arena);
