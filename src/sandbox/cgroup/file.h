/* SPDX-License-Identifier: Apache-2.0 */
/* file.h: the small files of a control group, read and written. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"

/* Writes a text, or a number, at once. False and errno. */
bool cgroup_write(int dir, const char *file, const char *text) NODISCARD;
bool cgroup_write_number(int dir, const char *file, int64_t n) NODISCARD;

/* As cgroup_write_number(), for limits: the error says that they cannot be set. */
bool cgroup_limit(int dir, const char *file, int64_t n, struct error *e) NODISCARD;

/* The beginning of a file, without the line end at its end; empty when it cannot be read. */
struct str cgroup_read(int dir, const char *file, char *text, size_t size);

/* The number in a file, or in its line `KEY number`; -1 when there is none. */
int64_t cgroup_number(int dir, const char *file, const char *key);

/* The same of a file that stays open. */
int64_t cgroup_number_of(int fd, const char *key);

/* Calls `each` for every process in it, or only counts (each NULL); -1 and errno. */
int cgroup_each_process(int dir, void (*each)(pid_t pid, void *self), void *self);

/* The same of another file of numbers. */
int cgroup_each(int dir, const char *file, void (*each)(pid_t pid, void *self), void *self);

/* SIGKILL for every process in it. */
void cgroup_kill_each(int dir);

/* Sleeps. */
void cgroup_wait_us(int us);
