/* SPDX-License-Identifier: Apache-2.0 */
/* box_parts.h: the parts a box is made of; each ends the process with a message when it fails. */
#pragma once

#include "box.h"

/* Where r is below zero: says what failed and why, and ends the process with 99. */
void must(long r, const char *what);

void locks_prepare(const char *directory);
void map_ids(void);
void lock_powers(bool lean);
void lock_paths(void); /* and goes to the working directory */
void lock_filter(bool one);

void root_prepare(const char *work);
void root_forget(void);
void root_new(const struct box *b);
void root_old(const struct box *b);
void root_pivot(bool moved);

void groups_prepare(void);
void groups_make(enum box_groups kind);
void groups_send(int socket); /* lends the entries to a process started before they were made */
void groups_receive(int socket);
void groups_enter(void);
int groups_unified(void); /* a descriptor of the group of version 2 */
void groups_remove(enum box_groups kind);
bool groups_possible(enum box_groups kind);
