/* SPDX-License-Identifier: Apache-2.0 */
/* reached.h: what a record says about hosts, for people. */
#pragma once

#include "base/buf.h"
#include "base/doc.h"

/* Says which hosts a project's file allowed, which were refused, and how to allow one; each host
 * once. */
void reached_say(const struct doc *record);

/* "3 connections to example.org:443, 12 kB in, 1 kB out": a line a host, refused ones first. */
void reached_show(const struct doc *record);
