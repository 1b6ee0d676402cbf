/* SPDX-License-Identifier: Apache-2.0 */
/* draft.h: an execution event on its way into the ledger: read, completed, checked, canonical.
 *
 * Nothing here asks the ledger, so drafts can be made while somebody else appends.
 */
#pragma once

#include "base/report.h"
#include "base/world.h"
#include "contract/event_doc.h"
#include "ledger/entry.h"

enum verdict { VERDICT_NONE, VERDICT_APPENDED, VERDICT_DUPLICATE, VERDICT_REFUSED };

enum { REJECT_KEPT = 64 << 10 }; /* bytes of a text that is refused */

struct draft {
    struct str text;    /* one JSON document */
    int64_t long_bytes; /* it has more than a document may have, and text is its beginning; 0: no */
    struct digest long_digest; /* of all of it */
    enum policy policy;
    int64_t since;  /* the execution has no event before this entry; 0: that is not known */
    bool is_salted; /* entry.salt is random already: who reads many draws for all of them at once */
    const struct document *document; /* NULL: the text could not be read */
    struct report report;            /* what is wrong with it, and warnings */
    struct event_doc event;
    struct uuid *depends; /* the ids in its lineage, as far as they are ids of entries */
    size_t depend_count;
    bool derived; /* its coherence or snapshot is left to the ledger, which then completes it */
    bool undated; /* so are its snapshot and its createdAt */
    bool weighed; /* the ledger has computed its coherence, and which entry decided it */
    enum coherence computed;
    struct uuid decided_by;
    struct str lineage, payload; /* canonical: of these the content's digest is made */
    struct str salted;           /* salt and body, of which the body's digest is made */
    struct entry entry;          /* all but what the ledger gives it: seq, id, recorded, leaf */

    /* what the ledger says to it */
    enum verdict verdict;
    enum code code; /* of a refusal, as the two that follow */
    const char *pointer, *message;
    bool erased; /* the event at its place was: nothing of its text is kept */
    int64_t seq; /* of the entry, or of the one it repeats */
    struct uuid id;
};

/* Reads the events, gives each an executionId and a createdAt where it has none, and checks what
 * can be checked without the ledger. A draft that is wrong has the verdict REFUSED. */
void drafts_read(struct draft *drafts, size_t n, const struct world *world, struct arena *a);

/* Checks and finishes a draft whose missing members have been filled in. */
void draft_finish(struct draft *d, const struct world *world, struct arena *a);

/* The events' time of now, for members that were left out: text in the arena. */
struct str draft_stamp(int64_t ms, struct arena *a);

/* Puts a text member into a map that does not have it. */
void draft_fill(struct doc *map, const char *key, struct str text, struct arena *a);

void draft_refuse(struct draft *d, enum code code, const char *pointer, const char *message);

/* An entry that is no event: its body, canonical, and what follows from it. */
void entry_of(enum entry_kind kind, struct str tenant, struct str subject, struct str body,
              const struct world *world, struct entry *out);
