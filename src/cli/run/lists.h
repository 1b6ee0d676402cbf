/* SPDX-License-Identifier: Apache-2.0 */
/* lists.h: names and lines behind a label, as many as are read. */
#pragma once

#include "base/buf.h"

enum { LISTS_LABEL = 11, LISTS_MOST = 8 };

/* Names between commas. Zero but for its ceiling is how it begins; name_list_show() frees it. */
struct name_list {
    struct buf text;
    size_t n;
};

void name_list_add(struct name_list *names, struct str name);
void name_list_end(struct name_list *names); /* how many more there are */
void name_list_show(const char *label, struct name_list *names);

/* A line each. */
struct line_list {
    const char *label;
    size_t n;
};

void line_list_add(struct line_list *lines, struct str text);
void line_list_end(const struct line_list *lines);
