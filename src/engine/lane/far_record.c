/* SPDX-License-Identifier: Apache-2.0 */
/* far_record.c: what a worker tells of a run, believed as far as it can be, as the record of it. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/json_read.h"
#include "contract/layers.h"
#include "engine/lane.h"

/* ---- what it may say ---- */

/* A gate lists fewer, and counts the others; what they carried can be added up. */
enum { CONNECTIONS_MOST = 2048, WORD_MOST = 256 };

struct far_usage {
    int64_t cpu_ms, memory_peak_bytes, oom_events, pids_hits, thread_hits, filter_hits;
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

struct far_denial {
    struct str path, act, rule, moved_to;
    bool undone;
};

struct far_connection {
    struct str host, rule, error;
    int64_t port, bytes_up, bytes_down;
    int verdict;
};

struct far_network {
    struct items allow, allowed_by_project, deny; /* of struct str */
    struct items connections;                     /* of struct far_connection */
    int64_t unlisted;
    bool incomplete, missed;
};

/* What is passed on as the worker's word has the shape that it has in a record of ours, so that
 * nobody who reads one has to doubt it. */
struct far_record {
    struct str execution_id, reason, unkept;
    int64_t exit_code, signal, duration_ms;
    int cause; /* enum cause */
    const struct far_usage *usage;
    const struct far_printed *out, *err;
    struct items output_files, artifacts; /* of struct far_file */
    bool files_truncated;
    struct items layers, missing; /* of struct str */
    struct items denials;         /* of struct far_denial */
    const struct far_network *network;
};

/* And of what it knew before. */
struct far_admitted {
    struct items command, paths; /* of struct str, of const struct doc * */
    const struct doc *checks;
};

/* clang-format off */
#define AT(member) offsetof(struct far_usage, member)
static const struct field usage_fields[] = {
    { "cpu_ms",            F_INT, .need = NULLABLE, .fallback = -1, .at = AT(cpu_ms), .min = 0, .max = INT64_MAX, .help = "Time of the processor." },
    { "memory_peak_bytes", F_INT, .at = AT(memory_peak_bytes), .min = 0, .max = INT64_MAX, .help = "The most memory it had." },
    { "oom_events",        F_INT, .at = AT(oom_events),        .min = 0, .max = INT64_MAX, .help = "How often memory ran out." },
    { "pids_hits",         F_INT, .at = AT(pids_hits),         .min = 0, .max = INT64_MAX, .help = "How often a process was refused." },
    { "thread_hits",       F_INT, .at = AT(thread_hits),       .min = 0, .max = INT64_MAX, .help = "How often a thread was refused." },
    { "filter_hits",       F_INT, .at = AT(filter_hits),       .min = 0, .max = INT64_MAX, .help = "How often a filter was refused." },
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

#define AT(member) offsetof(struct far_denial, member)
static const struct field denial_fields[] = {
    { "path",     F_TEXT, ONE, NEEDED,   .at = AT(path), .max = PATH_MAX,     .help = "What it was about." },
    { "act",      F_TEXT, ONE, NEEDED,   .at = AT(act), .max = WORD_MOST,     .help = "What was done." },
    { "rule",     F_TEXT, ONE, NEEDED,   .at = AT(rule), .max = WORD_MOST,    .help = "Against what." },
    { "undone",   F_BOOL, ONE, NEEDED,   .at = AT(undone),                    .help = "Whether it is gone again." },
    { "moved_to", F_TEXT, ONE, OPTIONAL, .at = AT(moved_to), .max = PATH_MAX, .help = "Where it is now." },
};
#undef AT

static const struct shape denial_shape = { .name = "record's denial", .size = sizeof(struct far_denial), FIELDS(denial_fields), .code = CODE_CONTRACT_INVALID, .open = true };

static const char *const verdicts[] = { "allowed", "refused", NULL };

#define AT(member) offsetof(struct far_connection, member)
static const struct field connection_fields[] = {
    { "host",       F_TEXT,   ONE, NEEDED,   .at = AT(host),                                   .help = "Who was asked for." },
    { "port",       F_INT,    ONE, NEEDED,   .at = AT(port), .min = 0, .max = UINT16_MAX,      .help = "0: a name alone." },
    { "verdict",    F_CHOICE, ONE, NEEDED,   .at = AT(verdict), .choices = verdicts,           .help = "What was decided." },
    { "rule",       F_TEXT,   ONE, NEEDED,   .at = AT(rule),                                   .help = "By what." },
    { "error",      F_TEXT,   ONE, OPTIONAL, .at = AT(error),                                  .help = "Why it came to nothing." },
    { "bytes_up",   F_INT,    ONE, OPTIONAL, .at = AT(bytes_up), .min = 0, .max = INT64_MAX / CONNECTIONS_MOST,   .help = "Out." },
    { "bytes_down", F_INT,    ONE, OPTIONAL, .at = AT(bytes_down), .min = 0, .max = INT64_MAX / CONNECTIONS_MOST, .help = "In." },
};
#undef AT

static const struct shape connection_shape = { .name = "record's connection", .size = sizeof(struct far_connection), FIELDS(connection_fields), .code = CODE_CONTRACT_INVALID, .open = true };

#define AT(member) offsetof(struct far_network, member)
static const struct field network_fields[] = {
    { "allow",              F_TEXT,  LIST, OPTIONAL, .at = AT(allow),                                        .help = "Hosts it could reach." },
    { "allowed_by_project", F_TEXT,  LIST, OPTIONAL, .at = AT(allowed_by_project),                           .help = "Those by the project." },
    { "deny",               F_TEXT,  LIST, OPTIONAL, .at = AT(deny),                                         .help = "Hosts it could not." },
    { "connections",        F_SHAPE, LIST, OPTIONAL, .at = AT(connections), .sub = &connection_shape, .most = CONNECTIONS_MOST, .help = "What it asked for." },
    { "unlisted",           F_INT,   ONE,  OPTIONAL, .at = AT(unlisted), .min = 0, .max = INT64_MAX,         .help = "How many more." },
    { "incomplete",         F_BOOL,  ONE,  OPTIONAL, .at = AT(incomplete),                                   .help = "There may be others." },
    { "missed",             F_BOOL,  ONE,  OPTIONAL, .at = AT(missed),                                       .help = "It may have wanted one." },
};
#undef AT

static const struct shape network_shape = { .name = "record's network", .size = sizeof(struct far_network), FIELDS(network_fields), .code = CODE_CONTRACT_INVALID, .open = true };

#define AT(member) offsetof(struct far_record, member)
static const struct field record_fields[] = {
    { "execution_id",    F_TEXT,   ONE,  NEEDED,   .at = AT(execution_id), .min = 1,                    .help = "That of the request." },
    { "exit_code",       F_INT,    ONE,  NEEDED,   .at = AT(exit_code), .min = 0, .max = 255,           .help = "What it ended with." },
    { "signal",          F_INT,    ONE,  NULLABLE, .at = AT(signal), .min = 0, .max = 128,              .help = "That ended it." },
    { "cause",           F_CHOICE, ONE,  NEEDED,   .at = AT(cause), .choices = cause_names,             .help = "Why it ended." },
    { "reason",          F_TEXT,   ONE,  OPTIONAL, .at = AT(reason),                                    .help = "Why it could not be started, or what it had too much of." },
    { "duration_ms",     F_INT,    ONE,  NEEDED,   .at = AT(duration_ms), .min = 0, .max = INT64_MAX,   .help = "How long it took." },
    { "usage",           F_SHAPE,  ONE,  NEEDED,   .at = AT(usage), .sub = &usage_shape,                .help = "What it used." },
    { "stdout",          F_SHAPE,  ONE,  NEEDED,   .at = AT(out), .sub = &printed_shape,                .help = "What it printed." },
    { "stderr",          F_SHAPE,  ONE,  NEEDED,   .at = AT(err), .sub = &printed_shape,                .help = "What it said beside." },
    { "output_files",    F_SHAPE,  LIST, OPTIONAL, .at = AT(output_files), .sub = &file_shape,          .help = "Files that were asked for." },
    { "artifacts",       F_SHAPE,  LIST, OPTIONAL, .at = AT(artifacts), .sub = &file_shape,             .help = "Files that patterns found." },
    { "layers",          F_TEXT,   LIST, NEEDED,   .at = AT(layers), .most = LAYER_COUNT,               .help = "Walls that held it." },
    { "missing",         F_TEXT,   LIST, NEEDED,   .at = AT(missing), .most = LAYER_COUNT,              .help = "Walls that should have." },
    { "denials",         F_SHAPE,  LIST, NEEDED,   .at = AT(denials), .sub = &denial_shape, .most = DENIALS_MOST, .help = "What had to be undone." },
    { "network",         F_SHAPE,  ONE,  OPTIONAL, .at = AT(network), .sub = &network_shape,            .help = "Whom it reached." },
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

static const struct shape admitted_shape = { .name = "admission", .size = sizeof(struct far_admitted), FIELDS(admitted_fields), .code = CODE_CONTRACT_INVALID, .open = true };

static const struct shape record_shape = { .name = "record", .size = sizeof(struct far_record), FIELDS(record_fields), .code = CODE_CONTRACT_INVALID, .open = true };
/* clang-format on */

/* That a file was kept is so when it is here; *bytes is its size then. */
static bool is_kept(const struct exec *x, const struct digest *digest, int64_t *bytes)
{
    _fd_ int fd = x->store >= 0 ? collect_kept(x->store, digest) : -1;
    struct stat s;

    if (fd < 0 || fstat(fd, &s) != 0)
        return false;
    *bytes = s.st_size;
    return true;
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

/* One that did not come was not sent, or could not be kept here. False: one that came has another
 * size. */
static bool take_file(const struct exec *x, const struct far_file *f, const struct errand *errand,
                      struct collected *out, struct error *e)
{
    int64_t bytes = f->bytes;

    *out = (struct collected){ .path = path_of(f, x->a),
                               .state = (enum collect_state)f->state,
                               .bytes = f->bytes };
    if (out->state == COLLECT_DONE && (!f->digest.n || !digest_parse(f->digest, &out->digest) ||
                                       !is_kept(x, &out->digest, &bytes)))
        out->state = errand->unkept.code ? COLLECT_NOT_KEPT : COLLECT_UNREADABLE;
    return bytes == f->bytes ||
           error_set(e, CODE_WORKER_LOST,
                     "bytes of %s is %" PRId64 ", and the file that came has %" PRId64,
                     said(f->path, x->a), f->bytes, bytes);
}

/* Those that were asked for come in their order, and where the list was cut the last are not
 * there. What else is not listed was not found. */
static bool take_outputs(struct exec *x, const struct far_record *far, const struct errand *errand,
                         struct error *e)
{
    const struct items *asked = &x->request.outputs->output_files;
    const struct far_file *f = far->output_files.v;
    const struct str *paths = asked->v;
    struct collected one;

    for (size_t i = 0; i < far->output_files.n; i++) {
        if (!take_file(x, &f[i], errand, &one, e))
            return error_wrap(e, "output_files");
        if (i >= asked->n || !str_eq(one.path, paths[i]))
            return error_set(e, CODE_WORKER_LOST, "output_files: path is %s, and %s was asked for",
                             said(one.path, x->a),
                             i < asked->n ? said(paths[i], x->a) : "nothing more");
        collect_add(&x->now.files, x->a, one);
    }
    for (size_t i = far->output_files.n; i < asked->n && !far->files_truncated; i++)
        collect_add(&x->now.files, x->a,
                    (struct collected){ .path = paths[i], .state = COLLECT_MISSING });
    return true;
}

/* Is it the path of a file below the working directory? */
static bool is_below(struct str path)
{
    struct str rest = path;

    if (path.n == 0 || path.s[0] == '/' || memchr(path.s, '\0', path.n))
        return false;
    while (rest.n > 0) {
        const char *slash = memchr(rest.s, '/', rest.n);
        size_t n = slash ? (size_t)(slash - rest.s) : rest.n;

        if (str_is((struct str){ rest.s, n }, ".."))
            return false;
        n += slash != NULL;
        rest = (struct str){ rest.s + n, rest.n - n };
    }
    return true;
}

static bool take_artifacts(struct exec *x, const struct far_record *far,
                           const struct errand *errand, struct error *e)
{
    const struct far_file *f = far->artifacts.v;
    struct collected one;

    for (size_t i = 0; i < far->artifacts.n; i++) {
        if (!take_file(x, &f[i], errand, &one, e))
            return error_wrap(e, "artifacts");
        if (f[i].state == COLLECT_DONE && !is_below(one.path))
            return error_set(e, CODE_WORKER_LOST,
                             "artifacts: path is %s, which is not below the working directory",
                             said(one.path, x->a));
        collect_add(&x->now.artifacts, x->a, one);
    }
    return true;
}

static bool take_files(struct exec *x, const struct far_record *far, const struct errand *errand,
                       struct error *e)
{
    if (take_outputs(x, far, errand, e) && take_artifacts(x, far, errand, e))
        return true;
    x->now.files = x->now.artifacts = (struct collected_list){ 0 };
    return false;
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
                         struct arena *a, struct printed *out, struct error *e)
{
    char digest[DIGEST_TEXT];

    *out = *came; /* and with it what could not be passed on */
    out->tail = tail_of(came, all, a);
    out->bytes = all->bytes;
    digest_text(&came->digest, digest);
    if (!digest_parse(all->digest, &out->digest) ||
        (came->bytes == all->bytes && memcmp(&came->digest, &out->digest, sizeof out->digest) != 0))
        return error_set(e, CODE_WORKER_LOST, "digest is %s, and that of what came is %s",
                         said(all->digest, a), digest);
    return came->bytes == all->bytes ||
           (came->bytes == outputs[ceiling].bytes && came->bytes < all->bytes) ||
           error_set(e, CODE_WORKER_LOST, "bytes is %" PRId64 ", and %" PRId64 " came", all->bytes,
                     came->bytes);
}

/* A reason travels as words; those that are none of ours are taken for what the exit code means. */
static int error_of(const struct far_record *far)
{
    enum { ERRORS = 256, NOT_FOUND = 127 };

    for (int i = 1; i < ERRORS; i++)
        if (str_is(far->reason, error_words(i)))
            return i;
    return far->exit_code == NOT_FOUND ? ENOENT : EACCES;
}

/* Clocks of two machines that go well go alike within a thousandth. */
enum { APART = 1000 };

/* Was it stopped for its time, by us or, when we could not, by the worker? */
static bool was_late(const struct errand *errand)
{
    return errand->stopped_for == CAUSE_TIMEOUT ||
           errand->ran_ms + errand->ran_ms / APART >= errand->timeout_ms;
}

/* Nobody is cancelled but by us, nor late before the time is up, and who exits was not killed. That
 * it is lost is ours to say; and of what had no walls a worker says so as a refusal. */
static bool can_be(const struct far_record *far, const struct errand *errand, struct error *e)
{
    const char *cause = cause_names[far->cause];

    if (far->cause == CAUSE_CANCELLED && errand->stopped_for == CAUSE_EXITED)
        return error_set(e, CODE_WORKER_LOST, "cause is '%s', and nobody here asked it to end",
                         cause);
    if (far->cause == CAUSE_TIMEOUT && !was_late(errand))
        return error_set(e, CODE_WORKER_LOST, "cause is '%s', and its time was not up", cause);
    if (far->cause == CAUSE_LOST || far->cause == CAUSE_SANDBOX_ERROR ||
        far->cause == CAUSE_UNMET || far->cause == CAUSE_UNDELIVERED)
        return error_set(e, CODE_WORKER_LOST, "cause is '%s', which no worker tells", cause);
    if (far->cause == CAUSE_EXITED && far->signal != 0)
        return error_set(e, CODE_WORKER_LOST,
                         "signal is %" PRId64 ", and cause is '%s': who exits was not killed",
                         far->signal, cause);
    return true;
}

/* Nothing runs longer than from when it was told to go to its answer. */
static int64_t duration_of(const struct far_record *far, const struct errand *errand)
{
    return far->duration_ms < errand->ran_ms ? far->duration_ms : errand->ran_ms;
}

/* It ended by itself, but after its time, while we were stopped ourselves and could not stop it. It
 * counts as every other that did. */
static bool ended_late(const struct outcome *o, const struct errand *errand)
{
    bool by_itself =
        o->cause == CAUSE_EXITED || o->cause == CAUSE_SIGNALED || o->cause == CAUSE_OOM;

    return by_itself && errand->stopped_for == CAUSE_EXITED && o->duration_ms > errand->timeout_ms;
}

static void end_late(struct exec *x)
{
    struct pace pace = exec_pace(x);

    x->outcome.cause = CAUSE_TIMEOUT;
    x->outcome.exit_code = EXIT_TIMEOUT;
    if (pace.news)
        pace.news(pace.self, PACE_ASKED, CAUSE_TIMEOUT);
}

/* The cause is the worker's word; that it was stopped for its time is ours. Of a record that is not
 * believed nothing is left but what take_loss() takes the place of. */
static bool take_outcome(struct exec *x, const struct far_record *far, const struct errand *errand,
                         struct error *e)
{
    struct outcome *o = &x->outcome;

    if (!can_be(far, errand, e))
        return false;
    *o = (struct outcome){ .cause = (enum cause)far->cause,
                           .exit_code = (int)far->exit_code,
                           .signal = (int)far->signal,
                           .duration_ms = duration_of(far, errand),
                           .cpu_ms = far->usage->cpu_ms,
                           .memory_peak_bytes = far->usage->memory_peak_bytes,
                           .oom_events = far->usage->oom_events,
                           .pids_hits = far->usage->pids_hits,
                           .thread_hits = far->usage->thread_hits,
                           .filter_hits = far->usage->filter_hits,
                           .forced = errand->forced,
                           .error = far->cause == CAUSE_EXEC_FAILED ? error_of(far) : 0,
                           .cgroup = "none" };
    if (o->cause == CAUSE_VIOLATION && far->reason.n)
        o->excess = arena_text(x->a, far->reason);
    if (o->cause == CAUSE_CANCELLED && errand->stopped_for == CAUSE_TIMEOUT) {
        o->cause = CAUSE_TIMEOUT;
        o->exit_code = EXIT_TIMEOUT;
    }
    if (!take_printed(&errand->out, far->out, OUTPUT_STDOUT, x->a, &o->out, e))
        return error_wrap(e, "stdout");
    if (!take_printed(&errand->err, far->err, OUTPUT_STDERR, x->a, &o->err, e))
        return error_wrap(e, "stderr");
    if (!take_files(x, far, errand, e))
        return false;
    x->now.files_cut = far->files_truncated;
    take_unkept(x, far, errand);
    if (ended_late(o, errand))
        end_late(x);
    return true;
}

/* A record that is none is no success: nobody knows. */
static bool read_half(struct exec *x, struct str text, const struct shape *shape, void *decoded,
                      const struct doc **out, struct error *e)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct report r = report_new(x->a, shape->name, text);

    if (!json_read(shape->name, text, &max, x->a, &document, e)) {
        (void)error_wrap(e, "its %s", shape->name);
        return false;
    }
    *out = &document->root;
    if (shape_decode(shape, &document->root, &r, decoded))
        return true;
    report_finish(&r);
    (void)error_set(e, CODE_WORKER_LOST, "its %s: %s%s%s", shape->name, r.first->pointer,
                    r.first->pointer[0] ? ": " : "", r.first->msg);
    return false;
}

bool far_record_take(struct exec *x, const struct errand *errand, struct error *e)
{
    struct far_admitted admitted = { 0 };
    struct far_record far = { 0 };
    const struct doc *halves[2];

    if (!read_half(x, errand->admitted, &admitted_shape, &admitted, &halves[0], e) ||
        !read_half(x, errand->record, &record_shape, &far, &halves[1], e))
        return false;
    if (!str_eq(far.execution_id, x->request.execution_id))
        return error_set(e, CODE_WORKER_LOST, "its record: execution_id is %s, and this run is %s",
                         said(far.execution_id, x->a), said(x->request.execution_id, x->a));
    if (!take_outcome(x, &far, errand, e))
        return error_wrap(e, "its record");
    memcpy(x->now.far, halves, sizeof halves);
    return true;
}
