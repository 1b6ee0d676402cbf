/* SPDX-License-Identifier: Apache-2.0 */
/* handler.h: what a plan knows of an action: its name, and whether a payload suits it.
 *
 * Nothing here sees a sandbox, an adapter or an executor: contract 004 forbids an orchestrator to
 * interpret steps (6.16), and this one cannot.
 */
#pragma once

#include "contract/plan_doc.h"

struct handler {
    const char *action, *about;

    /* Adds what is wrong with the step's payload, before anything runs. NULL: nothing can be. */
    void (*check)(void *self, const struct step_doc *step, struct report *r);
    void *self;
};

struct handlers {
    /* The handler of an action, or NULL: there is none. */
    const struct handler *(*find)(void *self, struct str action);
    void *self;

    /* An action that may have been meant, or NULL. NULL itself: nobody knows. */
    const char *(*near)(void *self, struct str action);

    /* Why there is none, where that can be told; or NULL. NULL itself: nobody knows. */
    const char *(*why)(void *self, struct str action);
};

/* Has every step a handler, and does its payload suit it? Adds ACTION_NOT_FOUND, and what the
 * handlers say. `plan` is the plan as it was written, for the places. It may be wrong: what could
 * not be decoded, and steps beyond those that a plan may have, are not asked about. */
void handlers_check(const struct handlers *h, const struct plan_doc *decoded,
                    const struct doc *plan, struct report *r);
