/* SPDX-License-Identifier: Apache-2.0 */
/* entry_line.h: an entry of the ledger, as it looks on one line.
 *
 * What a body says comes from strangers: a member may be missing or of any kind, and nothing here
 * depends on it.
 */
#pragma once

#include "base/doc.h"
#include "cli/print.h"

/* A member of a member: of what is missing all members are missing. */
const struct doc *line_member(const struct doc *d, const char *key);

bool line_is_event(const struct doc *entry);

/* The state of an event, the kind of any other entry. */
struct str line_state(const struct doc *entry);
enum colour line_colour(struct str state);
bool line_is_end(struct str state); /* of an execution, unless it is tried again */

/* As much of an id as finds it again: 8 characters of a UUID, "led-" aside. Others are kept, and
 * may be cut where people see them. In a pipe every id is whole. */
struct str line_short(struct str id);
enum { LINE_ID = 18 };

/* What an entry is called: an event by its execution, any other by its own id; shortened. */
struct str line_name(const struct doc *entry);

/* "exec make test": what an event is about; nothing where its body is erased. Of a function's run
 * it is `call`, where somebody knows that, else the interpreter and the function. */
void line_work(const struct doc *event, struct str call, struct buf *to);

/* The command and its arguments, of a request or of a run's record. */
void line_command(const struct doc *body, struct buf *to);

/* "call python-statistics.mean": the operation that a request, or a run's record, says it is of. */
bool line_call(const struct doc *body, struct buf *to);

/* What became of it, in words: the work, the error, the reason; of other entries the subject.
 * `call` as of line_work(). */
void line_what(const struct doc *entry, struct buf *to);
void line_what_called(const struct doc *entry, struct str call, struct buf *to);

/* How long an event's work took in ms, or -1; how much memory it had at most in bytes, which its
 * manifest tells, too. */
int64_t line_took(const struct doc *event);
int64_t line_memory(const struct doc *entry);

/* "14:02:11" and "2026-11-15" of a time as the ledger writes it. */
struct str line_clock(struct str stamp);
struct str line_day(struct str stamp);

/* Shows the day on a line of its own where it is another than the last one shown. */
enum { LINE_DAY = 16 };
void line_new_day(struct str day, char shown[LINE_DAY]);

/* One line about an entry that another rests on: id, kind or state, what, when. */
void line_mention(const struct doc *entry, size_t column);
