/* SPDX-License-Identifier: Apache-2.0 */
/* fs.h: files, read whole and with a ceiling. */
#pragma once

#include "base/error.h"
#include "base/mem.h"

/* The bytes of a file, or of an open descriptor called `name`; at most `max` of them. */
bool fs_read(const char *path, size_t max, struct arena *a, struct str *out,
             struct error *e) NODISCARD;
bool fd_read(int fd, const char *name, size_t max, struct arena *a, struct str *out,
             struct error *e) NODISCARD;
