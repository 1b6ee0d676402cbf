/* SPDX-License-Identifier: Apache-2.0 */
/* entry.h: one entry of the ledger: what it is, its name, and its leaf in the tree.
 *
 * A leaf is the hash of the entry's header (RFC 8785), not of its body: the header has only the
 * body's salted digest, so that a body can be erased and every proof still holds.
 */
#pragma once

#include "base/digest.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/uuid.h"
#include "contract/gate.h"

enum entry_kind {
    ENTRY_INPUT,
    ENTRY_EVENT,
    ENTRY_AUDIT,
    ENTRY_MANIFEST,
    ENTRY_RESULT,
    ENTRY_APPROVAL,
    ENTRY_NOTE,
    ENTRY_REFUSAL,
    ENTRY_KIND_COUNT,
};

extern const char *const entry_kind_names[]; /* ended by NULL */
extern const struct table entry_kinds_table;

enum { SALT_BYTES = 16, ENTRY_ID_TEXT = sizeof "led-" - 1 + UUID_TEXT };

/* What later events of the same attempt are held against (A02-3), and what the caller's policy was.
 * It stays when the body is erased. */
struct traits {
    enum coherence coherence;
    enum policy policy;
    bool dry_run;
    bool retryable;        /* of the error; true where there is none */
    int64_t snapshot_ms;   /* snapshotAt as Unix time */
    uint32_t snapshot_sub; /* nanoseconds below the millisecond; LEAP is added in a leap second */
};

enum { SNAPSHOT_LEAP = 1 << 20 };

struct entry {
    int64_t seq; /* from 0: also its leaf's place in the tree */
    struct uuid id;
    enum entry_kind kind;
    struct str subject; /* what it is about; of an event: the execution's id */
    struct str tenant;
    struct str robot;     /* of an event; of a refusal: the name of its code; else "" */
    int64_t place;        /* of an event: event_place(); of a refusal: bytes that came; else 0 */
    struct traits traits; /* of an event */
    int64_t created_ms, recorded_ms;
    struct digest content; /* decides whether a second one is the same */
    struct digest leaf;
    struct digest body_digest;
    uint8_t salt[SALT_BYTES];
    struct str body; /* canonical JSON */
    bool erased;     /* then there is no body and no salt any more */
};

/* Attempt and state of an event as one number; numbers of one execution rise with its events. */
static inline int64_t event_place(int64_t attempt, enum event_state state)
{
    return attempt * 8 + (int64_t)state;
}

static inline int64_t place_attempt(int64_t place)
{
    return place / 8;
}

static inline enum event_state place_state(int64_t place)
{
    return (enum event_state)(place % 8);
}

/* Are they events of one execution? A robot has to be the same, too. */
bool entry_same_execution(const struct entry *a, const struct entry *b);

/* Can it be that writ wrote this? What cannot has no header, and names nothing. */
bool entry_stands(const struct entry *entry);

/* Traits but for the snapshot's milliseconds in one number, as stores keep them. */
int64_t traits_pack(const struct traits *t);
void traits_unpack(int64_t packed, struct traits *t);

/* "led-" and the UUID; and back, false for anything else. */
void entry_id_text(const struct uuid *id, char out[ENTRY_ID_TEXT]);

/* An id has this much of the seq. */
enum { SEQ_BITS = 48 };

static inline bool entry_can_be(int64_t seq)
{
    return seq >= 0 && seq < (int64_t)1 << SEQ_BITS;
}
bool entry_id_read(struct str text, struct uuid *out) NODISCARD;

/* An id has its entry's seq folded into random bits, so that an entry is found by its id without
 * an index. What entry_id_seq() tells of a foreign id is some number: look and compare. */
void entry_id_make(int64_t seq, struct uuid *id); /* id: random on entry */
int64_t entry_id_seq(const struct uuid *id);

/* The header as canonical JSON; the body's digest has to be there. Where the buffer has no room
 * for all of it, as buf_ok() tells, it is the header of nothing. */
enum { HEADER_MAX = 32 << 20 };
void entry_header(const struct entry *entry, struct buf *to);

/* What is entered has a header of this many bytes at most, wherever it comes to stand. A ledger may
 * have longer ones from before there was this limit. */
enum { HEADER_ENTERED = 65535 };
bool entry_header_fits(const struct entry *entry) NODISCARD;

/* The leaves of entries in the tree, which have their places and the digests of their bodies: of
 * so many, up to the first whose header has no room in an empty scratch. An entry that cannot be
 * one has an empty header. */
size_t entry_leaves(const struct entry *entries, size_t n, struct buf *scratch,
                    struct digest *leaves) NODISCARD;

/* The salted digest of a body. */
struct digest entry_body_digest(const uint8_t salt[SALT_BYTES], struct str body);
