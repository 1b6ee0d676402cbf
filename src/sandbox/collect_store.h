/* SPDX-License-Identifier: Apache-2.0 */
/* collect_store.h: contents kept under their digest, whole or not at all.
 *
 *     struct storing k; keep_begin(&k, store, e); keep_add(&k, bytes, n, e); keep_end(&k, ..);
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"

struct storing {
    int store, fd; /* store -1: nothing is kept, and every call does nothing */
    char name[48]; /* under which it grows */
};

/* After a true keep_begin() there is one keep_end() or keep_drop(); false has cleaned up. */
bool keep_begin(struct storing *k, int store, struct error *e) NODISCARD;
bool keep_add(struct storing *k, const char *bytes, size_t n, struct error *e) NODISCARD;
bool keep_end(struct storing *k, const struct digest *digest, int64_t bytes,
              struct error *e) NODISCARD;
void keep_drop(struct storing *k);

/* What is kept under that digest is on the disk: it outlives a loss of power. */
bool keep_sync(int store, const struct digest *digest, struct error *e) NODISCARD;

/* What is kept under that digest is there, and has the bytes it should. */
bool keep_holds(int store, const struct digest *digest);

/* What is kept under that digest, to be read; -1 and errno: it is not there. */
int keep_open(int store, const struct digest *digest);
