/* SPDX-License-Identifier: Apache-2.0 */
/* changes.h: what a run in write mode cow left beside the disk: shown, committed, taken back. */
#pragma once

#include <writ/writ.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- changes ---- */

/* Which changes are meant. Zeroes are defaults. */
struct writ_changes {
    const char *run;          /* its execution id, or the beginning of it: 8 characters */
    const char *const *paths; /* ended by NULL; NULL or none: all. A directory: what is below */
    const char *const *environment; /* the caller's, ended by NULL */
    const char *ledger;             /* as for writ_ledger_open() */
    bool undo;                      /* of a commit: takes back what was committed */
    bool dry_run;                   /* of a commit: checks, and changes nothing */
};

/* The changes of a run, and a unified diff of those that are text:
 *
 *     {"run":..,"last":"commit"|"undo"|"discard"|"stopped"|null,"roots":[..],"changes":[{"path":..,
 *      "change":"added"|"changed"|"deleted","kind":..,"mode":..,"bytes":..,"digest":..,"target":..,
 *      "before":{..}|null,"diff":{"at":..,"bytes":..}}],"diff":..,"diff_truncated":..,
 *      "truncated":..}
 *
 * The diff is the one that was made when the run ended, as far as its paths are meant. Where its
 * bytes are gone it is null, "code" and "message" say so, and the status is WRIT_REFUSED, with the
 * list all the same. A path that is no UTF-8 has beside it "path_base64", and one that somebody
 * else changed on the disk while the run lasted "changed_meanwhile":true. WRIT_REFUSED alone where
 * the bytes of the diff are others. WRIT_NO where there is no such run or path, or it did not write
 * beside the disk. */
WRIT_API int writ_diff(const struct writ_changes *ask, char **answer);

/* Brings changes to the disk, or takes them back (undo). All that is chosen is checked first; is
 * anything refused, nothing is changed. One that was cut short is finished by another, or undone;
 * then what somebody changed meanwhile is left as it is.
 *
 *     {"run":..,"verb":"commit"|"undo","execution_id":..|null,"dry_run":..,"done":[{"path":..,
 *      "change":..,"mode":..,"before":{"mode":..}}],"already":N,"left":[{"path":..,
 *      "message":..}],"ledger":["led-.."]}
 *     {"code":..,"message":..,"refused":[{"path":..,"code":..,"message":..}],"begun":true}
 *
 * The second tells that nothing was changed, and why; "begun" is there where a commit of the run
 * was cut short before.
 *
 * "change" is what becomes of the path, so that what was added is deleted by an undo; modes are
 * told where they change; "narrowed":true where permissions are fewer than they should be, and
 * "runs_later":true where tools obey a file of that name, outside of any sandbox. WRIT_REFUSED
 * where something is refused; WRIT_PARTIAL where it stopped half way; WRIT_UNAVAILABLE where a file
 * could not be written, and nothing was changed; WRIT_UNRECORDED where the ledger could not be
 * written; else as writ_diff(). */
WRIT_API int writ_commit(const struct writ_changes *ask, char **answer);

/* Gives the changes of a run up: none of them can be committed any more. What was committed stays.
 * {"run":..,"verb":"discard","execution_id":..,"ledger":[..]}; statuses as of writ_commit(). */
WRIT_API int writ_discard(const struct writ_changes *ask, char **answer);

#ifdef __cplusplus
}
#endif
