/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: times and sizes in a few characters. */
#pragma once

#include <stdint.h>

enum { UNITS_TEXT = 32 };

/* "12 ms", "1.9 s", "4 m 05 s", "3 h 20 m", "5 d 02 h". */
void units_time(int64_t ms, char out[UNITS_TEXT]);

/* "512 B", "41 kB", "212 MB"; 1 MB is 1 MiB, as it is everywhere in writ. */
void units_bytes(int64_t bytes, char out[UNITS_TEXT]);
