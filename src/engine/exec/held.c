/* SPDX-License-Identifier: Apache-2.0 */
/* held.c: what a fixed run is given, and what its record says of it. */
#include "base/json_write.h"
#include "base/stamp.h"
#include "engine/exec.h"
#include "sandbox/held_open.h"
#include "sandbox/held_page.h"

/* The same request draws the same bytes. */
const struct held *exec_held(const struct exec *x)
{
    struct held *held;

    if (x->request.sandbox->deterministic != DETERMINISM_FIXED)
        return NULL;
    held = arena_new(x->a, struct held);
    *held = held_make(x->env, &x->inputs_digest);
    held->page_bytes = held_page_bytes();
    return held;
}

/* On this machine, or for one program of this run. */
static bool was_open(const struct exec *x, const struct held_open_row *row)
{
    return held_is_open(row) || (x->outcome.page_open && row->is_open == held_page_is_open);
}

void exec_put_held(const struct exec *x, struct buf *to)
{
    const struct held *held = exec_held(x);
    char clock[STAMP_TEXT], seed[DIGEST_TEXT];

    if (!held)
        return;
    stamp_text(held->wall_s * 1000, clock);
    digest_text(&held->seed, seed);
    json_key(to, "deterministic");
    json_open(to, '{');
    json_put(to, "mode", determinism_names[DETERMINISM_FIXED]);
    json_put(to, "clock", clock);
    json_put(to, "seed", seed);
    json_key(to, "open");
    json_open(to, '[');
    for (size_t i = 0; i < HELD_OPEN; i++)
        if (was_open(x, &held_open_rows[i]))
            json_text(to, str_of(held_open_rows[i].what));
    json_close(to, ']');
    json_put_bool(to, "killed", x->outcome.unheld);
    json_close(to, '}');
}
