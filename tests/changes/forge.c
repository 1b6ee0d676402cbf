/* SPDX-License-Identifier: Apache-2.0 */
/* forge.c: enters a run in a ledger that nobody ran, with the record that is read from a file: also
 * such as no run of ours leaves.
 *
 * usage: forge LEDGER EXECUTION_ID RECORD.json
 */
#include <stdio.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "engine/event.h"
#include "engine/keeping.h"

enum { RECORD_MAX = 64 << 20 };

static bool enter(struct keeping *k, struct str id, struct str body, struct arena *a,
                  struct error *e)
{
    static const enum event_state ends[] = { EVENT_PLANNED, EVENT_RUNNING, EVENT_SUCCEEDED };
    struct draft drafts[COUNT(ends)];
    struct uuid ids[COUNT(ends)];
    struct event_head head;
    struct entry input, manifest;

    entry_of(ENTRY_INPUT, str_of(EVENT_TENANT), id, str_of("{}"), k->ledger.world, &input);
    if (!ledger_enter(&k->ledger, &input, 1, e))
        return false;
    head = (struct event_head){ .execution = id,
                                .workflow = "exec/1",
                                .target = "exec",
                                .action = "forged",
                                .attempt = 1,
                                .snapshot_ms = input.created_ms,
                                .depends = &input.id,
                                .depend_count = 1 };
    entry_of(ENTRY_MANIFEST, str_of(EVENT_TENANT), id, body, k->ledger.world, &manifest);
    if (!ledger_enter(&k->ledger, &manifest, 1, e))
        return false;
    for (size_t i = 0; i < COUNT(ends); i++) {
        _buf_ struct buf text = { .max = 1 << 16 };

        event_open(&head, ends[i], k->ledger.world, &text);
        if (ends[i] == EVENT_SUCCEEDED) {
            json_key(&text, "result");
            json_open(&text, '{');
            json_close(&text, '}');
        }
        drafts[i] = event_close(&head, &text, k->ledger.world, a);
    }
    return event_enter(&k->ledger, drafts, COUNT(ends), ids, a, e);
}

int main(int argc, char **argv)
{
    static const char *const none[] = { NULL };
    _arena_ struct arena a = { 0 };
    _buf_ struct buf canon = { .max = RECORD_MAX };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct keeping k = { 0 };
    struct error e = { 0 };
    struct str text;
    bool ok;

    if (argc != 4 || !fs_read(argv[3], RECORD_MAX, &a, &text, &e) ||
        !json_read(argv[3], text, &max, &a, &document, &e)) {
        (void)fprintf(stderr, "forge: %s\n", e.msg);
        return 2;
    }
    json_canon(&document->root, &a, &canon);
    keeping_open(&k, argv[1], none, world_real(), -1);
    ok = keeping_begin(&k, &e) &&
         keeping_end(&k, enter(&k, str_of(argv[2]), buf_str(&canon), &a, &e), &e);
    keeping_close(&k);
    if (!ok)
        (void)fprintf(stderr, "forge: %s\n", e.msg);
    return !ok;
}
