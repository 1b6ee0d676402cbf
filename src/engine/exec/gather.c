/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c: when the tree is dead: undoes what must not be, and keeps what was asked for. */
#include "engine/exec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/fs.h"
#include "engine/exec_network.h"
#include "engine/home.h"
#include "sandbox/cow_plan.h"

enum { FILES_MAX = 10000 };

/* ---- names that must not be ---- */

/* Names that stand in the same directory are looked for from there, opened once. */
struct around {
    const struct grant *grant;
    int fd;
    bool gone;
};

static void open_around(struct around *last, const struct grant *grant)
{
    if (last->grant == grant)
        return;
    own_close(&last->fd);
    last->grant = grant;
    last->fd = open(grant->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    last->gone = last->fd < 0 && errno == ENOENT;
}

/* What is hidden from us may be there. */
static bool is_harmless(enum fs_found found, const struct absent *absent)
{
    return found == FS_NOTHING || (found == FS_DIRECTORY && absent->links_only);
}

static void tell(struct exec *x, const struct absent *absent, bool undone)
{
    x->now.violations[x->now.violation_count++] =
        (struct violation){ .path = absent->path,
                            .act = "created",
                            .rule = absent->denied ? "denied" : "protected",
                            .undone = undone };
}

/* The entry around a path is a mount point: the command could not put another in its place, so
 * looking from there leads nowhere else. Not with what lies outside of all writable ones. */
static void undo(struct exec *x, const struct absent *absent, struct around *last)
{
    const struct grant *around = grants_decide(&x->reach.grants, absent->path);
    const char *below;
    struct error e;

    if (!around || around->access != ACCESS_WRITE || !around->is_dir)
        return;
    below = absent->path + strlen(around->path) + 1;
    open_around(last, around);
    if (!last->gone && !is_harmless(fs_find_below(last->fd, below), absent))
        tell(x, absent, fs_remove_below(around->path, below, &e));
}

/* In write mode cow the disk has nothing of it; what the layer could not hold is taken out of it,
 * so that nobody commits it. */
static void undo_in_layer(struct exec *x, const struct absent *absent)
{
    const struct cow_layer *layer = cow_around(&x->outcome.cow, absent->path);
    const char *below, *merged;
    struct error e;

    if (!layer || cow_holds(&x->outcome.cow, absent->path) ||
        strlen(absent->path) <= strlen(layer->root))
        return;
    below = absent->path + strlen(layer->root) + 1;
    if (is_harmless(fs_find_below(layer->merged, below), absent))
        return;
    merged = arena_printf(x->a, "/proc/self/fd/%d/.", layer->merged);
    tell(x, absent, fs_remove_below(merged, below, &e));
}

/* The kernel takes a mount away before the name below it is another's. Who reads the directory
 * waits until it is. */
static void await_names(const char *path, struct arena *a)
{
    const char *slash = strrchr(path, '/');
    DIR *dir =
        opendir(slash > path ? arena_text(a, (struct str){ path, (size_t)(slash - path) }) : "/");

    if (!dir)
        return;
    (void)readdir(dir);
    (void)closedir(dir);
}

/* A wall was gone: these are no longer what they were, and whatever lay on them went with them. */
static void tell_replaced(struct exec *x)
{
    const struct grants *g = &x->reach.grants;

    for (size_t i = 0; i < g->n; i++) {
        const struct grant *was = &g->v[i];
        struct stat now;

        await_names(was->path, x->a);
        if (lstat(was->path, &now) == 0 && now.st_dev == was->dev && now.st_ino == was->ino)
            continue;
        x->now.violations[x->now.violation_count++] = (struct violation){
            .path = was->path,
            .act = "replaced",
            .rule = was->access >= ACCESS_PROTECTED ? access_names[was->access] : "granted",
        };
    }
}

static void undo_all(struct exec *x)
{
    const struct absents *absent = &x->reach.absent;
    struct around last = { .fd = -1 };

    x->now.violations =
        arena_alloc(x->a, (absent->n + x->reach.grants.n) * sizeof *x->now.violations);
    if (x->outcome.cause == CAUSE_VIOLATION)
        tell_replaced(x);
    for (size_t i = 0; i < absent->n; i++) {
        if (x->request.sandbox->filesystem->write_mode == WRITE_COW)
            undo_in_layer(x, &absent->v[i]);
        else
            undo(x, &absent->v[i], &last);
    }
    own_close(&last.fd);
}

/* ---- files ---- */

static bool wants_files(const struct exec *x)
{
    return x->request.outputs->output_files.n + x->request.outputs->artifacts.n > 0;
}

bool exec_open_store(struct exec *x, struct error *e)
{
    const char *state = home_state(x->command->environment, x->a), *store;

    if (x->store >= 0) /* an attempt before has opened it */
        return true;
    if (!wants_files(x) && !x->step &&
        !exec_writes_beside(x)) /* to be hidden, it has to be there */
        return !state || fs_make_dirs(state, e) || error_wrap(e, "nothing can be kept");
    if (!state)
        return error_set(e, CODE_IO, "there is no place for evidence; name one with WRIT_STATE");
    store = home_evidence(x->command->environment, x->a);
    x->store = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (x->store < 0) {
        if (!fs_make_dirs(state, e))
            return error_wrap(e, "nothing can be kept");
        if (!fs_make_dirs(store, e))
            return error_wrap(e, "evidence cannot be kept");
        x->store = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (x->store >= 0 && faccessat(x->store, ".", W_OK, 0) == 0)
        return true;
    return error_sys(e, CODE_IO, "evidence cannot be kept in %s", store);
}

static bool collect_outputs(struct exec *x, struct collect_job *job, struct error *e)
{
    const struct items *files = &x->request.outputs->output_files;
    const struct str *paths = files->v;

    for (size_t i = 0; i < files->n; i++)
        if (!collect_file(job, paths[i], x->a, &x->now.files, e))
            return false;
    return true;
}

static struct str artifact_pattern(const struct doc *artifact)
{
    return artifact->kind == DOC_TEXT ? artifact->text : doc_text(artifact, "path");
}

static bool collect_artifacts(struct exec *x, struct collect_job *job, size_t *done,
                              struct error *e)
{
    const struct items *artifacts = &x->request.outputs->artifacts;
    const struct doc *const *each = artifacts->v;

    for (; *done < artifacts->n; ++*done)
        if (!collect_glob(job, artifact_pattern(each[*done]), x->a, &x->now.artifacts, e))
            return false;
    return true;
}

/* What was asked for and is not listed yet; of artifacts, patterns from the one that failed on. */
static void tell_unkept(struct exec *x, size_t artifacts_done)
{
    const struct items *files = &x->request.outputs->output_files;
    const struct items *artifacts = &x->request.outputs->artifacts;
    const struct str *paths = files->v;
    const struct doc *const *each = artifacts->v;

    for (size_t i = x->now.files.n; i < files->n; i++)
        collect_add(&x->now.files, x->a,
                    (struct collected){ .path = paths[i], .state = COLLECT_NOT_KEPT });
    for (size_t i = artifacts_done; i < artifacts->n; i++)
        collect_add(
            &x->now.artifacts, x->a,
            (struct collected){ .path = artifact_pattern(each[i]), .state = COLLECT_NOT_KEPT });
    exec_changes_lost(x);
}

/* Nobody sees what a step prints as it comes: it is kept, as far as it was captured. An attempt
 * before may have kept what it printed; of the last one it is what counts. */
bool exec_keep_printed(struct exec *x, struct error *e)
{
    const struct printed *printed[] = { &x->outcome.out, &x->outcome.err };

    for (size_t i = 0; i < COUNT(printed); i++) {
        x->now.printed[i] = (struct digest){ 0 };
        if (x->step && printed[i]->head.n &&
            !collect_bytes(x->store, printed[i]->head, &x->now.printed[i], e)) {
            x->now.printed[i] = (struct digest){ 0 };
            return false;
        }
    }
    return true;
}

/* The working directory as the command left it; -1: *e says why not. The command could put nothing
 * in its place, but somebody else can: what is there then is none of the run's. */
static int open_cwd(const struct exec *x, struct error *e)
{
    const struct cow_layer *layer = cow_around(&x->outcome.cow, x->reach.cwd);
    const char *below = layer ? x->reach.cwd + strlen(layer->root) : "";
    int fd = layer ? collect_open(layer->merged, *below ? below + 1 : ".", O_DIRECTORY)
                   : open(x->reach.cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat s;

    if (fd < 0 || fstat(fd, &s) != 0) {
        error_sys(e, CODE_IO, "%s cannot be opened", x->reach.cwd);
        own_close(&fd);
    } else if (!layer && (s.st_dev != x->reach.dev || s.st_ino != x->reach.ino)) {
        error_set(e, CODE_IO,
                  "somebody put another directory in the place of %s while the command ran: no "
                  "files are taken from it",
                  x->reach.cwd);
        own_close(&fd);
    }
    return fd;
}

static bool keep_all(struct exec *x, size_t *artifacts_done, struct error *e)
{
    struct collect_job job = { .count_max = FILES_MAX };
    _fd_ int root = -1;

    if (!exec_keep_printed(x, e) || !exec_changes(x, e))
        return false;
    if (!wants_files(x))
        return true;
    root = open_cwd(x, e);
    if (root < 0)
        return false;
    job.root = root;
    job.store = x->store;
    job.grants = &x->reach.grants;
    job.at = x->reach.cwd;
    job.ceiling = outputs[OUTPUT_FILES].bytes;
    exec_guard_files(x, &job);
    if (!collect_outputs(x, &job, e))
        return false;
    job.total = 0;
    job.ceiling = outputs[OUTPUT_ARTIFACTS].bytes;
    if (!collect_artifacts(x, &job, artifacts_done, e))
        return false;
    x->now.files_cut = job.truncated;
    return true;
}

bool exec_gather(struct exec *x, struct error *e)
{
    size_t artifacts_done = 0;
    bool kept;

    undo_all(x);
    kept = keep_all(x, &artifacts_done, e);
    if (!kept) {
        x->now.unkept = arena_text(x->a, str_of(e->msg));
        tell_unkept(x, artifacts_done);
    }
    exec_clean_names(x);
    return kept || error_wrap(e, "it ran, but what it left could not be kept");
}
