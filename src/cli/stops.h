/* SPDX-License-Identifier: Apache-2.0 */
/* stops.h: Ctrl-C and its like, as a descriptor that who runs something for us can wait for. */
#pragma once

/* Readable when somebody wants it stopped; where he insists (base/wish.h): at once. */
int stops_watch(void);
