/* SPDX-License-Identifier: Apache-2.0 */
/* http_wire.c: a WebSocket, on the side of strangers. */
#include "adapter/http_serve.h"
void wire_begin(struct serve *s, const struct http_frame *f)
{
    (void)s;
    (void)f;
}
void wire_send(struct serve *s, const struct http_frame *f)
{
    (void)s;
    (void)f;
}
bool wire_stop(struct serve *s, uint32_t call)
{
    (void)s;
    (void)call;
    return false;
}
size_t wires_polls(const struct serve *s, struct pollfd *to, size_t room)
{
    (void)s;
    (void)to;
    (void)room;
    return 0;
}
int64_t wires_due_ms(const struct serve *s)
{
    (void)s;
    return -1;
}
void wires_go(struct serve *s, const struct pollfd *ready, size_t n)
{
    (void)s;
    (void)ready;
    (void)n;
}
