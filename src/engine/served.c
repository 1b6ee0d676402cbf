/* SPDX-License-Identifier: Apache-2.0 */
/* served.c: one errand of a worker: the path of `writ exec` without its ledger, which is with whom
 * we serve. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "engine/exec.h"
#include "engine/input.h"
#include "engine/serving.h"

/* The body of FRAME_RUN. */
struct run_doc {
    const struct doc *request;
    bool person, live;
    int64_t attempt, timeout_ms, grace_ms;
    struct str cwd;
    struct items weak; /* of struct str */
};

/* Its time is held by whom we serve. Ours comes later, and is for when that is gone. */
enum { TIME_MAX = 1 << 30, LATER_MS = 5000 };

/* A list that is cut is cut by so much more, a part of the whole, that it soon fits. */
enum { SLACK = 8 };

/* clang-format off */
#define AT(member) offsetof(struct run_doc, member)
static const struct field run_fields[] = {
    { "request",    F_MAP,  ONE,  NEEDED,   .at = AT(request),                                   .help = "A request document." },
    { "person",     F_BOOL, ONE,  OPTIONAL, .at = AT(person),                                    .help = "A person typed the command." },
    { "attempt",    F_INT,  ONE,  OPTIONAL, .at = AT(attempt), .min = 1, .max = 1000, .fallback = 1, .help = "Which attempt it is." },
    { "timeout_ms", F_INT,  ONE,  NEEDED,   .at = AT(timeout_ms), .min = 1, .max = TIME_MAX,     .help = "Longest time it may take." },
    { "grace_ms",   F_INT,  ONE,  OPTIONAL, .at = AT(grace_ms), .min = 0, .max = TIME_MAX,       .help = "How long it may take to end when asked." },
    { "cwd",        F_TEXT, ONE,  NEEDED,   .at = AT(cwd), .min = 1,                             .help = "The directory of the caller, here." },
    { "live",       F_BOOL, ONE,  OPTIONAL, .at = AT(live),                                      .help = "What is printed is sent as it comes." },
    { "weak",       F_TEXT, LIST, OPTIONAL, .at = AT(weak), .min = 1,                            .help = "Layers the caller does without." },
};
#undef AT

static const struct shape run_shape = { .name = "errand", .size = sizeof(struct run_doc), FIELDS(run_fields), .code = CODE_CONTRACT_INVALID };
/* clang-format on */

/* What one errand holds while it runs. */
struct work {
    struct served *served;
    struct run_doc doc;
    struct writ_command command;
    struct exec_served how;
    struct exec x;
    int pipes[2]; /* what is printed, to be read; -1: it is sent afterwards */
    pthread_t pump;
    bool pumped;
};

/* ---- what is asked for ---- */

static const char **texts_of(const struct items *items, struct arena *a)
{
    const struct str *texts = items->v;
    const char **out = arena_alloc(a, (items->n + 1) * sizeof *out);

    for (size_t i = 0; i < items->n; i++)
        out[i] = arena_text(a, texts[i]);
    return out;
}

/* A person's words are what the request says they are; one that has none is refused later, as such.
 */
static const char **words_of(const struct doc *request, struct arena *a)
{
    const struct doc *inputs = doc_place(request, "inputs");
    const struct doc *arguments = doc_get(inputs, "arguments");
    size_t n = arguments ? arguments->count : 0, i = 1;
    const char **words = arena_alloc(a, (n + 2) * sizeof *words);

    words[0] = arena_text(a, doc_text(inputs, "command"));
    for (const struct doc *d = doc_first(arguments, DOC_LIST); d; d = d->next)
        words[i++] = d->kind == DOC_TEXT ? arena_text(a, d->text) : "";
    return words;
}

static bool read_run(struct work *w, struct report *r)
{
    struct arena *a = &w->served->a;
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    *r = report_new(a, "errand", w->served->run);
    if (json_read("errand", w->served->run, &max, a, &document, &e))
        return shape_decode(&run_shape, &document->root, r, &w->doc);
    report_error(r, &e);
    return false;
}

/* ---- may it start? ---- */

static bool fits(const struct buf *text, enum frame_kind kind)
{
    return buf_ok(text) && text->len <= frames[kind].most;
}

static bool say_ready(void *work, struct error *e)
{
    _buf_ struct buf text = { .max = FRAME_MAX };
    const struct work *w = work;

    exec_put_admitted(&w->x, &text);
    if (!fits(&text, FRAME_READY))
        return error_set(e, CODE_CEILING,
                         "what is known of it before it runs has more than %u bytes; ask for less, "
                         "or run it here",
                         frames[FRAME_READY].most);
    return serving_say(w->served->s, w->served->number, FRAME_READY, buf_str(&text)) ||
           error_set(e, CODE_IO, "whom we serve is gone");
}

static bool wait_for_go(void *work, struct error *e)
{
    const struct work *w = work;
    struct serving *s = w->served->s;
    bool go;

    (void)pthread_mutex_lock(&s->lock);
    while (!w->served->go && w->served->stops == 0)
        (void)pthread_cond_wait(&s->heard, &s->lock);
    go = w->served->go;
    (void)pthread_mutex_unlock(&s->lock);
    return go || error_set(e, CODE_EXECUTION_HALTED, "it was stopped before it was told to go");
}

/* ---- what it prints ---- */

static bool send_some(const struct work *w, int fd, enum frame_kind kind)
{
    char piece[FRAME_PIECE];
    ssize_t n = read(fd, piece, sizeof piece);

    return n > 0 &&
           serving_say(w->served->s, w->served->number, kind, (struct str){ piece, (size_t)n });
}

/* Where nobody is left to be told, the pipe is closed: what is left open and is not read would be
 * waited for. */
static void *pump(void *work)
{
    struct work *w = work;
    struct pollfd fds[] = { { .fd = w->pipes[0], .events = POLLIN },
                            { .fd = w->pipes[1], .events = POLLIN } };

    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        if (poll(fds, COUNT(fds), -1) < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (fds[i].revents && !send_some(w, fds[i].fd, i ? FRAME_ERR : FRAME_OUT)) {
                own_close(&w->pipes[i]);
                fds[i].fd = -1;
            }
    }
    return NULL;
}

static bool open_pipes(struct work *w, struct error *e)
{
    for (int i = 0; i < 2; i++) {
        int pair[2];

        if (pipe2(pair, O_CLOEXEC) != 0)
            return error_sys(e, CODE_IO, "a pipe cannot be made");
        w->pipes[i] = pair[0];
        w->command.live[i] = pair[1];
        (void)fcntl(pair[1], F_SETFL, O_NONBLOCK);
    }
    w->pumped = pthread_create(&w->pump, NULL, pump, w) == 0;
    return w->pumped || error_set(e, CODE_IO, "there is no thread for what it prints");
}

static void close_pipes(struct work *w)
{
    for (int i = 0; i < 2; i++)
        own_close(&w->command.live[i]);
    if (w->pumped)
        (void)pthread_join(w->pump, NULL);
    for (int i = 0; i < 2; i++)
        own_close(&w->pipes[i]);
}

static bool send_bytes(const struct work *w, enum frame_kind kind, struct str bytes)
{
    while (bytes.n) {
        size_t n = bytes.n < FRAME_PIECE ? bytes.n : FRAME_PIECE;

        if (!serving_say(w->served->s, w->served->number, kind, (struct str){ bytes.s, n }))
            return false;
        bytes = (struct str){ bytes.s + n, bytes.n - n };
    }
    return true;
}

/* ---- what came of it ---- */

/* One that is gone from the store meanwhile does not come, which the other side sees for itself:
 * the record names it. False: nobody listens. */
static bool send_file(struct work *w, const struct collected *c)
{
    char piece[FRAME_PIECE], digest[DIGEST_TEXT];
    _fd_ int fd = collect_kept(w->x.store, &c->digest);
    ssize_t n;

    if (fd < 0)
        return true;
    while ((n = read(fd, piece, sizeof piece)) > 0)
        if (!send_bytes(w, FRAME_FILE, (struct str){ piece, (size_t)n }))
            return false;
    digest_text(&c->digest, digest);
    return send_bytes(w, FRAME_FILE_END, str_of(digest));
}

static bool send_files(struct work *w, const struct collected_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].state == COLLECT_DONE && !send_file(w, &list->v[i]))
            return false;
    return true;
}

/* Makes the first of its lists that has anything shorter; false: none has. */
static bool cut_list(struct exec *x, size_t len)
{
    struct gate_log *log = &x->outcome.gate;
    size_t *const lists[] = { &x->now.artifacts.n, &x->now.files.n, &log->n,
                              &x->now.violation_count };

    for (size_t i = 0; i < COUNT(lists); i++) {
        size_t n = *lists[i];

        if (n == 0)
            continue;
        *lists[i] = n * frames[FRAME_RESULT].most / (len + len / SLACK);
        if (lists[i] == &log->n)
            log->unlisted += (int64_t)(n - log->n);
        x->now.files_cut = true;
        return true;
    }
    return false;
}

/* Whoever reads the record takes no more. */
static void cut_denials(struct exec *x)
{
    if (x->now.violation_count <= DENIALS_MOST)
        return;
    x->now.violation_count = DENIALS_MOST;
    x->now.files_cut = true;
}

/* The record of the run, as much of it as a frame holds. One that is too long without any list says
 * whose it is: who reads it knows that nobody knows the rest. */
static void write_record(struct exec *x, struct buf *to)
{
    cut_denials(x);
    exec_put_ended(x, to);
    while (!fits(to, FRAME_RESULT)) {
        bool less = cut_list(x, buf_ok(to) ? to->len : FRAME_MAX);

        buf_free(to);
        *to = (struct buf){ .max = FRAME_MAX };
        if (less) {
            exec_put_ended(x, to);
            continue;
        }
        json_open(to, '{');
        json_put_text(to, "execution_id", x->request.execution_id);
        json_put(to, "cause", cause_names[x->outcome.cause]);
        json_close(to, '}');
    }
}

/* Files that the record does not list are not sent, either. */
static void send_result(struct work *w)
{
    _buf_ struct buf record = { .max = FRAME_MAX };
    const struct outcome *o = &w->x.outcome;

    if (!w->doc.live &&
        (!send_bytes(w, FRAME_OUT, o->out.head) || !send_bytes(w, FRAME_ERR, o->err.head)))
        return;
    write_record(&w->x, &record);
    if (!send_files(w, &w->x.now.files) || !send_files(w, &w->x.now.artifacts))
        return;
    (void)serving_say(w->served->s, w->served->number, FRAME_RESULT, buf_str(&record));
}

static void send_refusal(const struct work *w, int status, const char *code, const char *message)
{
    _buf_ struct buf to = { .max = 1 << 20 };

    json_open(&to, '{');
    json_put_int(&to, "status", status);
    json_put(&to, "code", code);
    json_put(&to, "message", message);
    json_key(&to, "checks");
    json_open(&to, '{');
    for (enum check i = 0; i < CHECK_COUNT; i++)
        if (w->x.admission.checks[i])
            json_put(&to, checks[i].id, w->x.admission.checks[i]);
    json_close(&to, '}');
    json_close(&to, '}');
    (void)serving_say(w->served->s, w->served->number, FRAME_REFUSED, buf_str(&to));
}

static void refuse_document(const struct work *w, struct report *r)
{
    report_finish(r);
    send_refusal(w, WRIT_WRONG, r->first ? codes[r->first->code].name : "CONTRACT_INVALID",
                 r->first ? r->first->msg : "what was asked for is wrong");
}

/* ---- the errand ---- */

static bool prepare(struct work *w, struct error *e)
{
    struct served *served = w->served;
    struct arena *a = &served->a;
    struct writ_input *input = arena_new(a, struct writ_input);
    char *cwd = realpath(arena_text(a, w->doc.cwd), NULL);

    *input =
        (struct writ_input){ "stdin", served->input.s ? served->input.s : "", served->input.len };
    w->command = (struct writ_command){ .argv = words_of(w->doc.request, a),
                                        .input = served->input.len ? input : NULL,
                                        .environment = served->s->environment,
                                        .weak = texts_of(&w->doc.weak, a),
                                        .live = { -1, -1 },
                                        .cancel = served->cancel };
    w->how = (struct exec_served){ .request = w->doc.request,
                                   .person = w->doc.person,
                                   .cwd = cwd ? arena_text(a, str_of(cwd)) : NULL,
                                   .timeout_ms = w->doc.timeout_ms + w->doc.grace_ms + LATER_MS,
                                   .pace = { .grace_ms = w->doc.grace_ms + LATER_MS },
                                   .kept = served->s->kept,
                                   .registries = &served->s->registries,
                                   .ready = say_ready,
                                   .permit = wait_for_go,
                                   .self = w };
    w->x = (struct exec){
        .command = &w->command, .served = &w->how, .world = served->s->world, .a = a, .store = -1
    };
    free(cwd);
    if (!w->how.cwd)
        return error_sys(e, CODE_PATH_REFUSED, "the directory %.*s cannot be had",
                         STR_ARG(w->doc.cwd));
    return !w->doc.live || open_pipes(w, e);
}

void served_run(struct served *served)
{
    struct work w = { .served = served, .pipes = { -1, -1 }, .command = { .live = { -1, -1 } } };
    const char *kind;
    struct report r;
    struct error e = { 0 };
    bool ran = false;
    int status;

    if (!read_run(&w, &r)) {
        refuse_document(&w, &r);
        return;
    }
    status = prepare(&w, &e) ? exec_run(&w.x, &r, &kind, &ran, &e) : WRIT_REFUSED;
    close_pipes(&w);
    if (ran)
        send_result(&w);
    else if (status == WRIT_WRONG)
        refuse_document(&w, &r);
    else
        send_refusal(&w, status, codes[e.code].name, e.msg);
    if (w.x.command)
        exec_close(&w.x);
}
