/* SPDX-License-Identifier: Apache-2.0 */
/* ids.h: numbers that no user has, for the commands of a privileged caller.
 *
 * The host knows all numbers. Root of a user namespace, as in a container without root, has only
 * those that the namespace maps, and can give away no other.
 */
#pragma once

#include <stdint.h>

#include "base/mem.h"

/* From the text of a uid_map or gid_map: `wanted` where it is mapped; else the highest one below
 * 65534, or that one; but never `ours`. False: none is mapped but that. */
bool ids_choose(struct str map, uint32_t wanted, uint32_t ours, uint32_t *out) NODISCARD;

/* For a user and for a group in this namespace. Where there is none it is `wanted`, which cannot be
 * mapped then. */
uint32_t ids_user(uint32_t wanted, struct arena *a);
uint32_t ids_group(uint32_t wanted, struct arena *a);

/* Whether this namespace has no number but the caller's own to give. */
bool ids_has_one_only(struct arena *a);
