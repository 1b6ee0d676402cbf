/* SPDX-License-Identifier: Apache-2.0 */
/* said.h: quotes what a user wrote, for messages: short, and without control characters. */
#pragma once

#include "base/mem.h"
#include "base/str.h"

/* The text between '', in the arena. */
const char *said(struct str text, struct arena *a);
