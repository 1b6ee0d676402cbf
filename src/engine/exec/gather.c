/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c: when the tree is dead: keeps what was asked for. */
#include "engine/exec.h"

#include <fcntl.h>
#include <string.h>

#include "base/fs.h"
#include "engine/exec_secrets.h"
#include "engine/home.h"
#include "sandbox/cow_plan.h"

enum { FILES_MAX = 10000 };

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

/* What came into being under a name that must not be is no output, by another name that it has now
 * or where a layer still holds it. */
static struct grants without_undone(const struct exec *x)
{
    struct grants g = x->reach.grants;

    for (size_t i = 0; i < x->now.violation_count; i++) {
        const struct violation *v = &x->now.violations[i];

        if (v->undone)
            grants_add(&g, &(struct grant){ .path = v->moved_to ? v->moved_to : v->path,
                                            .access = ACCESS_DENIED });
    }
    return g;
}

static bool keep_all(struct exec *x, size_t *artifacts_done, struct error *e)
{
    struct collect_job job = { .count_max = FILES_MAX };
    struct grants grants = without_undone(x);
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
    job.grants = &grants;
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

    exec_undo(x);
    kept = keep_all(x, &artifacts_done, e);
    if (!kept) {
        x->now.unkept = arena_text(x->a, str_of(e->msg));
        tell_unkept(x, artifacts_done);
    }
    exec_clean_names(x);
    exec_judge(x);
    return kept || error_wrap(e, "it ran, but what it left could not be kept");
}
