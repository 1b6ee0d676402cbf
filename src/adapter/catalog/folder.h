/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h: the adapters of one directory, at the price of a look at each file. */
#pragma once

#include "adapter/catalog/index.h"
#include "base/error.h"

enum { FOLDER_MOST = 100000 }; /* files in one directory */

struct folder {
    struct kept_files files;
    const char *fault; /* why the directory cannot be read; NULL: it was, or it is not there */
    bool indexed;      /* the index told it, and no file was read */
};

/* Its files that end in .yaml, .yml or .json; links are followed. `cache`: where indexes are kept;
 * NULL: nowhere. */
void folder_list(const char *directory, const char *cache, int64_t now_ms, struct arena *a,
                 struct folder *out);

/* What an adapter's text is, at L0; of a long one that is cut, its beginning does. */
bool folder_skim(const char *file, struct str text, bool whole, struct arena *a,
                 struct kept_file *out);

/* The same of all of it, by the parser; `why` says what it is not. */
void folder_parse(const char *file, struct str text, struct arena *a, struct kept_file *out);

/* By adapter_id, then by name. */
void folder_sort(struct kept_files *files);
