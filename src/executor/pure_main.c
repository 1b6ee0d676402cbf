/* SPDX-License-Identifier: Apache-2.0 */
/* pure_main.c: writ-pure, the worker in which wasm and jq executors run.
 *
 * usage: writ-pure KIND FILE MEMORY_BYTES OUTPUT_BYTES
 *
 * writ starts it with an empty environment; descriptor 3 is its channel, 4 the page it shares with
 * writ (pure_wire.h). It opens the program, closes the walls behind itself, and answers calls until
 * the channel ends. It ends by _exit: nothing is left to tidy up.
 */
#include <errno.h>
#include <sys/mman.h>

#include "base/num.h"
#include "executor/pure_jail.h"
#include "executor/pure_wire.h"
#include "executor/serve.h"

/* A build without libjq, or without wasm, has no such service. */
#pragma weak jq_service
#pragma weak wasm_service

static const struct service *const services[] = { &jq_service, &wasm_service };

enum { CHUNK = 64 * 1024, KEEP = 1 << 20, ASK_MAX = 1 << 30 };

/* Calls come in `in`, of which `at` bytes are done with; answers gather in `out`. */
struct server {
    const struct service *service;
    struct pure_page *page;
    struct buf in, out, value;
    size_t at;
    uint32_t calls;
};

/* Behind the walls there is no clock and no signal: a channel that does not take or give is gone.
 */
static bool send_all(const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = write(PURE_CHANNEL, bytes, n);

        if (sent <= 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* A large call must leave the next one its memory. */
static void let_go(struct buf *b)
{
    if (b->cap > KEEP)
        buf_free(b);
    buf_reset(b);
}

static bool flush(struct server *s)
{
    bool ok = buf_ok(&s->out) && send_all(s->out.s, s->out.len);

    let_go(&s->out);
    return ok;
}

static void call_one(struct server *s, struct str payload)
{
    struct pure_answer head = { .call = ++s->calls };
    enum call_end end;

    atomic_store(&s->page->begun, s->calls);
    end = s->service->call(payload, &s->value);
    head.end = buf_ok(&s->value) ? end : CALL_LIMIT;
    head.bytes = head.end == CALL_OUTPUT || head.end == CALL_EXCEPTION ? (uint32_t)s->value.len : 0;
    buf_add(&s->out, &head, sizeof head);
    buf_add(&s->out, s->value.s, head.bytes);
    let_go(&s->value);
}

/* The next call that has come whole. */
static bool next_call(struct server *s, struct str *payload)
{
    struct pure_ask head;
    size_t have = s->in.len - s->at;

    if (have < sizeof head)
        return false;
    memcpy(&head, s->in.s + s->at, sizeof head);
    if (have - sizeof head < head.bytes)
        return false;
    *payload = (struct str){ s->in.s + s->at + sizeof head, head.bytes };
    s->at += sizeof head + head.bytes;
    return true;
}

static bool read_more(struct server *s)
{
    ssize_t got;

    if (s->at > 0) {
        memmove(s->in.s, s->in.s + s->at, s->in.len - s->at);
        s->in.len -= s->at;
        s->at = 0;
    }
    if (s->in.len == 0)
        let_go(&s->in);
    if (!buf_reserve(&s->in, CHUNK))
        return false;
    got = read(PURE_CHANNEL, s->in.s + s->in.len, s->in.cap - s->in.len - 1);
    s->in.len += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Answers gather while there are calls, so that one switch of processes serves many. */
static void serve(struct server *s)
{
    struct str payload;

    do {
        while (next_call(s, &payload)) {
            call_one(s, payload);
            if (s->out.len >= CHUNK && !flush(s))
                return;
        }
    } while ((s->out.len == 0 || flush(s)) && read_more(s));
}

static const struct service *service_named(const char *name)
{
    for (size_t i = 0; i < COUNT(services); i++)
        if (services[i] && strcmp(services[i]->name, name) == 0)
            return services[i];
    return NULL;
}

static bool begin(char **argv, struct server *s, struct error *e)
{
    int64_t memory, output;
    void *page;

    if (!num_int(str_of(argv[3]), &memory) || !num_int(str_of(argv[4]), &output) || memory <= 0 ||
        output <= 0 || output > ASK_MAX)
        return error_set(e, ERROR_SYNTAX, "memory is '%s', output '%s'", argv[3], argv[4]);
    s->service = service_named(argv[1]);
    if (!s->service)
        return error_set(e, ERROR_IO, "this worker was built without %s", argv[1]);
    s->value.max = (size_t)output;
    s->in.max = s->out.max = 2 * (size_t)ASK_MAX;
    page = mmap(NULL, sizeof *s->page, PROT_READ | PROT_WRITE, MAP_SHARED, PURE_PAGE, 0);
    if (page == MAP_FAILED)
        return error_sys(e, ERROR_IO, "descriptor %d is no page", PURE_PAGE);
    s->page = page;
    return walls_begin(e) && s->service->open(argv[2], e) && walls_close((size_t)memory, e) &&
           (!s->service->ready || s->service->ready(e)) && walls_seal(e);
}

int main(int argc, char **argv)
{
    struct server s = { 0 };
    struct error e = { 0 };
    bool ok = argc == 5 ? begin(argv, &s, &e)
                        : error_set(&e, ERROR_SYNTAX, "KIND FILE MEMORY_BYTES OUTPUT_BYTES");
    struct str why = ok ? (struct str){ "", 0 } : str_of(e.msg);

    struct pure_answer head = { .bytes = (uint32_t)why.n, .end = ok ? PURE_READY : PURE_FAILED };

    if (!send_all((const char *)&head, sizeof head) || !send_all(why.s, why.n) || !ok)
        _exit(1);
    serve(&s);
    _exit(0);
}
