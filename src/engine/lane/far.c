/* SPDX-License-Identifier: Apache-2.0 */
/* far.c: one attempt on a worker that speaks frames: the sandbox is there, the record here. */
#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_read.h"
#include "base/utf8.h"
#include "contract/layers.h"
#include "engine/home.h"
#include "engine/lane.h"

/* ---- what the worker's record says, as ours ---- */

struct far_usage {
    int64_t cpu_ms, memory_peak_bytes, oom_events, pids_hits, thread_hits;
};

struct far_printed {
    int64_t bytes;
    struct str digest, tail;
};

struct far_file {
    struct str path, exact, digest;
    int64_t bytes;
    int state; /* enum collect_state */
};

/* Of what is passed on as the worker's word only the kind is looked at. */
struct far_record {
    struct str execution_id, reason, unkept;
    int64_t exit_code, signal, duration_ms;
    int cause; /* enum cause */
    const struct far_usage *usage;
    const struct far_printed *out, *err;
    struct items output_files, artifacts; /* of struct far_file */
    bool files_truncated;
    struct items layers, missing; /* of struct str */
    struct items denials;         /* of const struct doc * */
};

/* And of what it knew before. */
struct far_admitted {
    struct items command, paths; /* of struct str, of const struct doc * */
    const struct doc *checks;
};

/* clang-format off */
#define AT(member) offsetof(struct far_usage, member)
static const struct field usage_fields[] = {
    { "cpu_ms",            F_INT, .at = AT(cpu_ms),            .min = 0, .max = INT64_MAX, .help = "Time of the processor." },
    { "memory_peak_bytes", F_INT, .at = AT(memory_peak_bytes), .min = 0, .max = INT64_MAX, .help = "The most memory it had." },
    { "oom_events",        F_INT, .at = AT(oom_events),        .min = 0, .max = INT64_MAX, .help = "How often memory ran out." },
    { "pids_hits",         F_INT, .at = AT(pids_hits),         .min = 0, .max = INT64_MAX, .help = "How often a process was refused." },
    { "thread_hits",       F_INT, .at = AT(thread_hits),       .min = 0, .max = INT64_MAX, .help = "How often a thread was refused." },
};
#undef AT

static const struct shape usage_shape = { .name = "record's usage", .size = sizeof(struct far_usage), FIELDS(usage_fields), .code = CODE_CONTRACT_INVALID, .open = true };

#define AT(member) offsetof(struct far_printed, member)
static const struct field printed_fields[] = {
    { "bytes",  F_INT,  ONE, NEEDED, .at = AT(bytes), .min = 0, .max = INT64_MAX, .help = "All of it." },
    { "digest", F_TEXT, ONE, NEEDED, .at = AT(digest), .form = FORM_DIGEST,       .help = "Of all of it." },
    { "tail",   F_TEXT, ONE, OPTIONAL, .at = AT(tail), .max = 2 * LAST_BYTES,     .help = "Its last bytes as base64, where more came than is kept." },
};
#undef AT

static const struct shape printed_shape = { .name = "record's stream", .size = sizeof(struct far_printed), FIELDS(printed_fields), .code = CODE_CONTRACT_INVALID, .open = true };

#define AT(member) offsetof(struct far_file, member)
static const struct field file_fields[] = {
    { "path",   F_TEXT,   ONE, NEEDED,   .at = AT(path), .min = 1,                        .help = "Its path below the working directory." },
    { "path_base64", F_TEXT, ONE, OPTIONAL, .at = AT(exact),                              .help = "The bytes of its path, where that is no UTF-8." },
    { "bytes",  F_INT,    ONE, NEEDED,   .at = AT(bytes), .min = 0, .max = INT64_MAX,     .help = "Its size." },
    { "digest", F_TEXT,   ONE, OPTIONAL, .at = AT(digest), .form = FORM_DIGEST,           .help = "Of its content." },
    { "state",  F_CHOICE, ONE, NEEDED,   .at = AT(state), .choices = collect_state_names, .help = "Whether it was kept." },
};
#undef AT

static const struct shape file_shape = { .name = "record's file", .size = sizeof(struct far_file), FIELDS(file_fields), .code = CODE_CONTRACT_INVALID, .open = true };

#define AT(member) offsetof(struct far_record, member)
static const struct field record_fields[] = {
    { "execution_id",    F_TEXT,   ONE,  NEEDED,   .at = AT(execution_id), .min = 1,                    .help = "That of the request." },
    { "exit_code",       F_INT,    ONE,  NEEDED,   .at = AT(exit_code), .min = 0, .max = 255,           .help = "What it ended with." },
    { "signal",          F_INT,    ONE,  NULLABLE, .at = AT(signal), .min = 0, .max = 128,              .help = "That ended it." },
    { "cause",           F_CHOICE, ONE,  NEEDED,   .at = AT(cause), .choices = cause_names,             .help = "Why it ended." },
    { "reason",          F_TEXT,   ONE,  OPTIONAL, .at = AT(reason),                                    .help = "Why it could not be started." },
    { "duration_ms",     F_INT,    ONE,  NEEDED,   .at = AT(duration_ms), .min = 0, .max = INT64_MAX,   .help = "How long it took." },
    { "usage",           F_SHAPE,  ONE,  NEEDED,   .at = AT(usage), .sub = &usage_shape,                .help = "What it used." },
    { "stdout",          F_SHAPE,  ONE,  NEEDED,   .at = AT(out), .sub = &printed_shape,                .help = "What it printed." },
    { "stderr",          F_SHAPE,  ONE,  NEEDED,   .at = AT(err), .sub = &printed_shape,                .help = "What it said beside." },
    { "output_files",    F_SHAPE,  LIST, OPTIONAL, .at = AT(output_files), .sub = &file_shape,          .help = "Files that were asked for." },
    { "artifacts",       F_SHAPE,  LIST, OPTIONAL, .at = AT(artifacts), .sub = &file_shape,             .help = "Files that patterns found." },
    { "layers",          F_TEXT,   LIST, NEEDED,   .at = AT(layers), .most = LAYER_COUNT,               .help = "Walls that held it." },
    { "missing",         F_TEXT,   LIST, NEEDED,   .at = AT(missing), .most = LAYER_COUNT,              .help = "Walls that should have." },
    { "denials",         F_ANY,    LIST, NEEDED,   .at = AT(denials),                                   .help = "What had to be undone." },
    { "files_truncated", F_BOOL,   ONE,  OPTIONAL, .at = AT(files_truncated),                           .help = "Something was left out." },
    { "unkept",          F_TEXT,   ONE,  OPTIONAL, .at = AT(unkept), .max = ERROR_MSG,                  .help = "Why files were not kept there." },
};
#undef AT

#define AT(member) offsetof(struct far_admitted, member)
static const struct field admitted_fields[] = {
    { "command", F_TEXT, LIST, NEEDED, .at = AT(command), .least = 1, .help = "What is run." },
    { "paths",   F_ANY,  LIST, NEEDED, .at = AT(paths),               .help = "What it was granted." },
    { "checks",  F_MAP,  ONE,  NEEDED, .at = AT(checks),              .help = "What its input came to." },
};
#undef AT

static const struct shape admitted_shape = { .name = "worker's admission", .size = sizeof(struct far_admitted), FIELDS(admitted_fields), .code = CODE_CONTRACT_INVALID, .open = true };

static const struct shape record_shape = { .name = "worker's record", .size = sizeof(struct far_record), FIELDS(record_fields), .code = CODE_CONTRACT_INVALID, .open = true };
/* clang-format on */

/* That a file was kept is so when it is here. */
static bool is_kept(const struct exec *x, const struct digest *digest)
{
    _fd_ int fd = x->store >= 0 ? collect_kept(x->store, digest) : -1;

    return fd >= 0;
}

/* Its path, to the byte. */
static struct str path_of(const struct far_file *f, struct arena *a)
{
    char *bytes;
    size_t n;

    if (!f->exact.n || !base64_read(f->exact, NULL, 0, &n) || n == 0)
        return f->path;
    bytes = arena_alloc(a, n + 1);
    return base64_read(f->exact, bytes, n, &n) ? (struct str){ bytes, n } : f->path;
}

/* One that did not come was not sent, or could not be kept here. */
static void take_files(struct exec *x, const struct items *files, const struct errand *errand,
                       struct collected_list *out)
{
    const struct far_file *f = files->v;

    for (size_t i = 0; i < files->n; i++) {
        struct collected one = { .path = path_of(&f[i], x->a),
                                 .state = (enum collect_state)f[i].state,
                                 .bytes = f[i].bytes };

        if (one.state == COLLECT_DONE &&
            (!f[i].digest.n || !digest_parse(f[i].digest, &one.digest) || !is_kept(x, &one.digest)))
            one.state = errand->unkept.code ? COLLECT_NOT_KEPT : COLLECT_UNREADABLE;
        collect_add(out, x->a, one);
    }
}

static bool has_unkept(const struct collected_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].state == COLLECT_NOT_KEPT)
            return true;
    return false;
}

/* A file that was asked for and not kept, there or here, is missed in the same way; a worker that
 * does not say why has not kept it all the same. */
static void take_unkept(struct exec *x, const struct far_record *far, const struct errand *errand)
{
    if (far->unkept.n)
        x->now.unkept = arena_printf(x->a, "on the worker %.*s: %.*s",
                                     STR_ARG(x->lane->plan->worker->name), STR_ARG(far->unkept));
    else if (has_unkept(&x->now.files) || has_unkept(&x->now.artifacts))
        x->now.unkept = errand->unkept.code ? arena_text(x->a, str_of(errand->unkept.msg))
                                            : "the worker did not say why it kept nothing of it";
}

/* The end of what did not come is the worker's word; what came is known better. */
static struct str tail_of(const struct printed *came, const struct far_printed *all,
                          struct arena *a)
{
    char *bytes = came->tail.n ? NULL : arena_alloc(a, LAST_BYTES);
    size_t n;

    if (!bytes || came->bytes == all->bytes || !all->tail.n ||
        !base64_read(all->tail, bytes, LAST_BYTES, &n))
        return came->tail;
    return (struct str){ bytes, n };
}

/* What came in frames is what was printed, all of it or, where it was not looked at as it came, its
 * beginning. A record that says otherwise is no record of it. */
static bool take_printed(const struct printed *came, const struct far_printed *all, int ceiling,
                         struct arena *a, struct printed *out)
{
    *out = *came; /* and with it what could not be passed on */
    out->tail = tail_of(came, all, a);
    out->bytes = all->bytes;
    if (!digest_parse(all->digest, &out->digest))
        return false;
    if (came->bytes == all->bytes)
        return memcmp(&came->digest, &out->digest, sizeof out->digest) == 0;
    return came->bytes == outputs[ceiling].bytes && came->bytes < all->bytes;
}

/* A reason travels as words, since numbers differ between machines. Words that are none of ours are
 * taken for what the exit code means. */
static int error_of(const struct far_record *far)
{
    enum { ERRORS = 256, NOT_FOUND = 127 };

    for (int i = 1; i < ERRORS; i++) {
        const char *words = strerrordesc_np(i);

        if (words && str_is(far->reason, words))
            return i;
    }
    return far->exit_code == NOT_FOUND ? ENOENT : EACCES;
}

/* Nobody is cancelled but by us, and who exits was not killed. */
static bool can_be(const struct far_record *far, const struct errand *errand)
{
    if (far->cause == CAUSE_CANCELLED)
        return errand->stopped_for != CAUSE_EXITED;
    return far->cause != CAUSE_EXITED || far->signal == 0;
}

/* The cause is the worker's word; that it was stopped for its time is ours. Of a record that is not
 * believed nothing is left but what take_loss() takes the place of. */
static bool take_outcome(struct exec *x, const struct far_record *far, const struct errand *errand)
{
    struct outcome *o = &x->outcome;

    if (!can_be(far, errand))
        return false;
    *o = (struct outcome){ .cause = (enum cause)far->cause,
                           .exit_code = (int)far->exit_code,
                           .signal = (int)far->signal,
                           .duration_ms = far->duration_ms,
                           .cpu_ms = far->usage->cpu_ms,
                           .memory_peak_bytes = far->usage->memory_peak_bytes,
                           .oom_events = far->usage->oom_events,
                           .pids_hits = far->usage->pids_hits,
                           .thread_hits = far->usage->thread_hits,
                           .forced = errand->forced,
                           .error = far->cause == CAUSE_EXEC_FAILED ? error_of(far) : 0,
                           .cgroup = "none" };
    if (o->cause == CAUSE_CANCELLED && errand->stopped_for == CAUSE_TIMEOUT) {
        o->cause = CAUSE_TIMEOUT;
        o->exit_code = EXIT_TIMEOUT;
    }
    if (!take_printed(&errand->out, far->out, OUTPUT_STDOUT, x->a, &o->out) ||
        !take_printed(&errand->err, far->err, OUTPUT_STDERR, x->a, &o->err))
        return false;
    take_files(x, &far->output_files, errand, &x->now.files);
    take_files(x, &far->artifacts, errand, &x->now.artifacts);
    x->now.files_cut = far->files_truncated;
    take_unkept(x, far, errand);
    return true;
}

/* A record that is none is no success: nobody knows. */
static bool read_half(struct exec *x, struct str text, const struct shape *shape, void *decoded,
                      const struct doc **out)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct report r = report_new(x->a, shape->name, text);
    struct error e;

    if (!json_read(shape->name, text, &max, x->a, &document, &e))
        return false;
    *out = &document->root;
    return shape_decode(shape, &document->root, &r, decoded);
}

static bool read_record(struct exec *x, const struct errand *errand)
{
    struct far_admitted admitted = { 0 };
    struct far_record far = { 0 };
    const struct doc *halves[2];

    if (!read_half(x, errand->admitted, &admitted_shape, &admitted, &halves[0]) ||
        !read_half(x, errand->record, &record_shape, &far, &halves[1]) ||
        !str_eq(far.execution_id, x->request.execution_id) || !take_outcome(x, &far, errand))
        return false;
    memcpy(x->now.far, halves, sizeof halves);
    return true;
}

/* ---- why nothing ran ---- */

/* It was told to go, or the worker tells of a command that was not, and nobody knows what came of
 * it, whatever it was stopped for before. */
static enum tried take_loss(struct exec *x, const struct errand *errand, const struct try_ask *ask)
{
    struct outcome o = outcome_unrun(CAUSE_LOST, STATUS_UNAVAILABLE);

    o.forced = errand->forced;
    o.duration_ms = errand->ran_ms;
    o.out = errand->out;
    o.err = errand->err;
    x->lane->lost = true;
    return try_unrun(x, o, ask);
}

/* It was told to go, and then its walls could not be built: that is on record, as of a run here. A
 * refusal for anything else comes too late to be believed. */
static enum tried refused_late(struct exec *x, const struct errand *errand,
                               const struct try_ask *ask)
{
    struct error lost;

    if (*ask->status != WRIT_NO_SANDBOX)
        return take_loss(x, errand, ask);
    if (!exec_conclude(x, ask->e, &lost)) {
        *ask->e = lost;
        *ask->status = WRIT_UNRECORDED;
    }
    return TRIED_NOTHING;
}

static enum tried take_refusal(struct exec *x, const struct errand *errand,
                               const struct try_ask *ask)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    const struct doc *d;
    struct str code;

    *ask->status = WRIT_REFUSED;
    if (!json_read("the worker's refusal", errand->record, &max, x->a, &document, ask->e)) {
        (void)error_set(ask->e, CODE_UNKNOWN_ERROR, "the worker refused it and did not say why");
        return x->lane->started ? take_loss(x, errand, ask) : TRIED_NOTHING;
    }
    d = &document->root;
    code = doc_text(d, "code");
    if (doc_whole(d, "status") == WRIT_NO_SANDBOX)
        *ask->status = WRIT_NO_SANDBOX;
    (void)error_set(ask->e, code_named(code) == CODE_NONE ? CODE_UNKNOWN_ERROR : code_named(code),
                    "the worker %.*s refused it: %.*s", STR_ARG(x->lane->plan->worker->name),
                    STR_ARG(doc_text(d, "message")));
    return x->lane->started ? refused_late(x, errand, ask) : TRIED_NOTHING;
}

static enum tried end_errand(struct exec *x, const struct errand *errand, const struct try_ask *ask)
{
    switch (errand->end) {
    case ERRAND_RESULT: return read_record(x, errand) ? TRIED_ENDED : take_loss(x, errand, ask);
    case ERRAND_REFUSED: return take_refusal(x, errand, ask);
    case ERRAND_LOST: return take_loss(x, errand, ask);
    case ERRAND_UNSENT: break;
    }
    *ask->e = errand->why;
    if (errand->forbidden) {
        *ask->status = exec_refused(x, ask->e);
        return TRIED_NOTHING;
    }
    if (errand->stopped_for != CAUSE_EXITED) /* it is not wanted elsewhere, either */
        return try_unrun(x, outcome_waited(errand->stopped_for, 0), ask);
    /* where it is on record, it went away before it could be told to go */
    return x->lane->started ? try_failed(x, ask) : TRIED_UNAVAILABLE;
}

/* ---- the attempt ---- */

/* It ran all the same, and has its end; who asked is told as of a run here. */
static enum tried keep(struct exec *x, const struct try_ask *ask)
{
    if (!exec_keep_printed(x, ask->e))
        x->now.unkept = arena_text(x->a, str_of(ask->e->msg));
    if (!x->now.unkept)
        return TRIED_ENDED;
    *ask->status = WRIT_UNRECORDED;
    (void)error_set(ask->e, CODE_IO, "it ran, but what it left could not be kept: %s",
                    x->now.unkept);
    return TRIED_NOTHING;
}

/* A request is text: what is not cannot travel in it, and a command that ran in a directory of
 * nearly that name would be another. Secrets do not travel, either. */
static bool travels(const struct exec *x, const char *cwd, struct error *e)
{
    if (x->request.sandbox->network->inject.n)
        return error_set(e, CODE_SECRET_MISSING,
                         "a secret that is injected is found here and sent nowhere; run it here, "
                         "without a worker");
    for (const char *const *arg = x->command->argv; x->person && arg && *arg; arg++)
        if (utf8_valid(str_of(*arg)) != strlen(*arg))
            return error_set(e, CODE_ARGUMENT_REFUSED,
                             "an argument is not UTF-8, which a worker cannot be sent");
    if (!cwd)
        return error_set(e, CODE_PATH_REFUSED, "the current directory has no name");
    if (utf8_valid(str_of(cwd)) != strlen(cwd))
        return error_set(e, CODE_PATH_REFUSED,
                         "the name of the current directory, %s, is not UTF-8, which a worker "
                         "cannot be sent; give the worker a directory of its own",
                         said(str_of(cwd), x->a));
    return true;
}

static bool prepare(struct exec *x, const char *cwd, const struct try_ask *ask)
{
    if (!lane_admit(x, ask))
        return false;
    *ask->status = WRIT_UNRECORDED;
    if (!exec_open_store(x, ask->e))
        return false;
    if (!travels(x, cwd, ask->e) || !exec_input(x, ask->e)) {
        *ask->status = exec_not_admitted(x, ask->report, ask->kind, ask->e);
        return false;
    }
    exec_open_ledger(x);
    return true;
}

enum tried try_far(struct exec *x, const struct try_ask *ask)
{
    const struct config_worker *worker = x->lane->plan->worker;
    struct errand errand = {
        .request = x->request_text,
        .cwd = worker->directory.n ? arena_text(x->a, worker->directory) : exec_here(x),
        .person = x->person,
        .attempt = x->attempt,
        .timeout_ms = x->request.sandbox->timeout_ms,
        .at_once = x->step != NULL,
        .pace = exec_pace(x),
        .weak = x->command->weak,
        .live = { x->command->live[0], x->command->live[1] },
        .cancel = x->cancel,
        .world = x->world,
        .permit = exec_permit,
        .permit_self = x,
    };
    struct channel *channel;
    enum tried tried;

    if (!prepare(x, errand.cwd, ask))
        return TRIED_NOTHING;
    if (x->waited_for != CAUSE_EXITED)
        return try_unrun(x, outcome_waited(x->waited_for, x->waited_ms), ask);
    errand.input = x->input;
    errand.store = x->store;
    if (!fleet_channel(x->lane->fleet, worker, x->cancel, &channel, ask->e))
        return TRIED_UNAVAILABLE;
    channel_run(channel, &errand, x->a);
    fleet_leave(x->lane->fleet, worker, channel);
    tried = end_errand(x, &errand, ask);
    return tried == TRIED_ENDED ? keep(x, ask) : tried;
}
