/* SPDX-License-Identifier: Apache-2.0 */
/* admit.c: may it run, what does it see, what is it given. */
#include "engine/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "contract/layers.h"
#include "engine/exec_network.h"
#include "engine/exec_secrets.h"
#include "engine/home.h"
#include "sandbox/environment.h"

/* ---- standard input and files ---- */

/* Waits until there is something to read; false: the time is over, or somebody wants it stopped. */
static bool wait_for_input(struct exec *x, int fd, int64_t begin)
{
    struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = x->cancel, .events = POLLIN } };
    int64_t most = x->request.sandbox->timeout_ms;

    for (;;) {
        int64_t spent = x->world->mono_ms(x->world->self) - begin;

        x->waited_ms = spent;
        if (spent >= most)
            x->waited_for = CAUSE_TIMEOUT;
        else if (poll(fds, COUNT(fds), poll_ms(most - spent)) > 0 && fds[1].revents)
            x->waited_for = CAUSE_CANCELLED;
        else if (fds[0].revents)
            return true;
        if (x->waited_for)
            return false;
    }
}

/* At most one byte more than may be given, so that too much is seen without being read. */
static bool read_input(struct exec *x, int fd, struct error *e)
{
    size_t max = (size_t)input_sizes[INPUT_STDIN].bytes, n = 0;
    char *bytes = arena_alloc(x->a, max + 2);
    int64_t begin = x->world->mono_ms(x->world->self);

    while (n <= max && wait_for_input(x, fd, begin)) {
        ssize_t got = read(fd, bytes + n, max + 1 - n);

        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return error_sys(e, CODE_IO, "cannot be read");
        if (got == 0)
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    x->input = (struct str){ bytes, n };
    return true;
}

/* Of an open file: the command may not have it in any way. */
static bool is_denied(const struct exec *x, int fd, const char *given, struct error *e)
{
    const struct grant *grant;
    char real[PATH_MAX];

    if (!path_of_open(fd, real))
        return false;
    grant = grants_decide(&x->reach.grants, real);
    if (!grant || grant->access != ACCESS_DENIED)
        return false;
    error_set(e, CODE_PATH_REFUSED, "stdin: '%s' is %s, which is denied", given, real);
    return true;
}

static bool read_named(struct exec *x, const char *name, struct error *e)
{
    _fd_ int fd = -1;

    if (strcmp(name, "-") == 0) { /* whoever opened it has decided */
        x->input_unread = !read_input(x, STDIN_FILENO, e);
        return !x->input_unread;
    }
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && is_denied(x, fd, name, e))
        return false;
    x->input_unread = fd < 0 ? !error_sys(e, CODE_IO, "cannot be opened") : !read_input(x, fd, e);
    return !x->input_unread;
}

bool exec_input(struct exec *x, struct error *e)
{
    const struct writ_input *input = x->command->input;

    if (x->input_taken) /* another attempt: it comes once */
        return true;
    x->input_taken = true;
    x->input = x->request.inputs->stdin_text;
    if (!input)
        return true;
    if (input->text) {
        x->input = (struct str){ input->text, input->len };
        return true;
    }
    return read_named(x, input->name, e);
}

/* Nobody forbids it: the file that is named is not there, as a document's may not be. */
int exec_not_admitted(struct exec *x, struct report *r, const char **kind, struct error *e)
{
    if (e->code == CODE_INVALID_PAYLOAD ||
        e->code == CODE_USAGE) /* of what the caller says beside the request */
        return WRIT_USAGE;
    if (e->code == CODE_LAYER_MISSING)
        return WRIT_NO_SANDBOX;
    if (!x->input_unread)
        return WRIT_REFUSED;
    *kind = "stdin";
    *r = report_new(x->a, x->command->input->name, (struct str){ 0 });
    report_error(r, e);
    (void)error_wrap(e, "%s", x->command->input->name);
    return WRIT_WRONG;
}

/* Size and digest come from one descriptor: what is hashed is what was looked at. */
static bool take_file(struct exec *x, const char *path, struct input_file *out, struct error *e)
{
    const char *full = path[0] == '/' ? path : arena_printf(x->a, "%s/%s", x->reach.cwd, path);
    _fd_ int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    _arena_ struct arena scratch = { 0 };
    struct stat s;
    struct str text;

    if (fd < 0 || fstat(fd, &s) != 0)
        return error_sys(e, CODE_PATH_REFUSED, "input file %s cannot be opened", path);
    *out = (struct input_file){ .path = path, .bytes = s.st_size, .whole = s.st_size };
    if (!S_ISREG(s.st_mode))
        return error_set(e, CODE_PATH_REFUSED, "input file %s is no ordinary file", path);
    if (s.st_size > input_sizes[INPUT_FILES].bytes)
        return true; /* IV-05 has the word */
    if (!fd_read(fd, (size_t)input_sizes[INPUT_FILES].bytes, &scratch, &text, e))
        return error_wrap(e, "input file %s", path);
    out->bytes = out->whole = (int64_t)text.n;
    out->digest = digest_of(text.s, text.n);
    return true;
}

static bool take_files(struct exec *x, int64_t *bytes, struct error *e)
{
    const struct items *files = &x->request.inputs->input_files;
    const struct str *paths = files->v;

    *bytes = files->n ? 0 : -1;
    x->input_count = 0; /* an attempt before had its own */
    x->inputs = arena_alloc(x->a, files->n * sizeof *x->inputs);
    for (size_t i = 0; i < files->n; i++) {
        if (!take_file(x, arena_text(x->a, paths[i]), &x->inputs[i], e))
            return false;
        x->input_count++;
        *bytes += x->inputs[i].bytes;
    }
    return true;
}

/* ---- what it sees ---- */

/* A build writes among what was built, and nowhere else. */
static struct protected_places places_of(const struct exec *x)
{
    const char *const *environment = x->command->environment;

    return (struct protected_places){
        .settings = home_settings(environment, x->a),
        .caches = x->call && x->call->builds ? NULL : home_caches(environment, x->a),
    };
}

static struct reach_ask reach_of(const struct exec *x)
{
    struct str cwd = x->request.inputs->working_directory;

    return (struct reach_ask){ .filesystem = x->request.sandbox->filesystem,
                               .cwd = cwd.s ? arena_text(x->a, cwd) : ".",
                               .home = home_variable(x->command->environment, "HOME"),
                               .states = home_states(x->command->environment, x->a),
                               .places = places_of(x),
                               .kept = exec_kept(x),
                               .person = x->person || (x->call && x->call->own_paths),
                               .approved = x->request.approval != NULL,
                               .inputs = x->request.inputs->input_files,
                               .outputs = x->request.outputs->output_files,
                               .secrets = exec_secret_files(x) };
}

/* In the arena: reach.home_root may be this very text. */
const char *exec_here(const struct exec *x)
{
    char here[PATH_MAX];

    if (x->served)
        return x->served->cwd;
    return getcwd(here, sizeof here) && here[0] == '/' ? arena_text(x->a, str_of(here)) : NULL;
}

bool exec_see(struct exec *x, struct error *e)
{
    struct reach_ask ask = reach_of(x);

    ask.caller = exec_here(x);
    if (!ask.caller)
        return error_sys(e, CODE_PATH_REFUSED, "the current directory has no name");
    return reach_build(&ask, x->a, &x->reach, e);
}

/* ---- the command ---- */

static const char *policy_search(const struct exec *x)
{
    return x->person ? home_variable(x->command->environment, "PATH") : NULL;
}

static void find_program(struct exec *x)
{
    struct program_ask ask = {
        .command = arena_text(x->a, x->request.inputs->command),
        .cwd = x->reach.cwd,
        .path = policy_search(x),
        .home = home_variable(x->command->environment, "HOME"),
        .network = request_net_level(x->request.sandbox->network) != NET_OFFLINE,
        .raw = x->request.sandbox->network->raw,
    };

    if (exec_kept(x))
        ask.system = kept_system(exec_kept(x), x->world->wall_ms(x->world->self));
    if (x->person)
        ask.command = x->command->argv[0];
    program_find(&ask, x->a, &x->program);
    program_grant(&ask, &x->program, &x->reach.grants);
    grants_settle(&x->reach.grants);
}

/* Does an entry of the registry lead to what will run? From the working directory none does. */
static bool leads_there(const struct exec *x, struct str entry, const char *real)
{
    struct program_ask ask = { .command = arena_text(x->a, entry), .cwd = "/" };
    struct program found;

    if (!entry.n || (memchr(entry.s, '/', entry.n) && entry.s[0] != '/'))
        return false;
    if (entry.s[0] == '/' && !x->person && str_eq(entry, x->request.inputs->command))
        return true; /* as it was found */
    program_find(&ask, x->a, &found);
    return found.real && strcmp(found.real, real) == 0;
}

/* Only entries of this name are looked for: a registry may be long, and there is a run to start. */
struct items exec_same_entries(const struct exec *x, const char *real)
{
    const struct tool_doc *tools = x->registry ? x->registry->tools.v : NULL;
    struct str *all = NULL;
    size_t n = 0, room = 0;

    for (size_t i = 0; tools && real && i < x->registry->tools.n; i++) {
        const struct items *commands = &tools[i].scope->commands;
        const struct str *entries = commands->v;

        for (size_t k = 0; k < commands->n; k++) {
            if (!inputs_same_name(entries[k], x->request.inputs->command, str_of(real)) ||
                !leads_there(x, entries[k], real))
                continue;
            all = arena_more(x->a, all, n, &room, sizeof *all);
            all[n++] = entries[k];
        }
    }
    return (struct items){ all, n };
}

/* A person's arguments are the words that were typed, a document's those in it. */
static void take_arguments(struct exec *x, struct str **out, size_t *count)
{
    const struct items *given = &x->request.inputs->arguments;
    const struct str *texts = given->v;
    size_t n = 0;

    if (x->person)
        while (x->command->argv[n + 1])
            n++;
    else
        n = given->n;
    *out = arena_alloc(x->a, n * sizeof **out);
    x->argv = arena_alloc(x->a, (n + 2) * sizeof *x->argv);
    x->argv[0] = arena_text(x->a, x->request.inputs->command);
    if (x->person)
        x->argv[0] = arena_text(x->a, str_of(x->command->argv[0]));
    for (size_t i = 0; i < n; i++) {
        (*out)[i] = x->person ? str_of(x->command->argv[i + 1]) : texts[i];
        x->argv[i + 1] = arena_text(x->a, (*out)[i]);
    }
    *count = n;
}

static void path_roots(const struct exec *x, struct admit_ask *ask)
{
    const struct grants *g = &x->reach.grants;
    struct str *roots = arena_alloc(x->a, (g->n + x->program.links.n) * sizeof *roots);

    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access != ACCESS_DENIED)
            roots[ask->path_root_count++] = str_of(g->v[i].path);
    for (size_t i = 0; i < x->program.links.n; i++)
        roots[ask->path_root_count++] =
            str_of(arena_printf(x->a, "/%s", x->program.links.v[i].name));
    ask->path_roots = roots;
}

/* "cgroup, .. or user": what a run may go without. */
static const char *spared_layers(struct arena *a)
{
    const char *list = "", *last = NULL;

    for (enum layer i = 0; i < LAYER_COUNT; i++) {
        if (!layers[i].spared)
            continue;
        if (last)
            list = arena_printf(a, "%s%s%s", list, *list ? ", " : "", last);
        last = layers[i].name;
    }
    return *list ? arena_printf(a, "%s or %s", list, last) : last;
}

bool exec_weak(const char *const *weak, struct arena *a, unsigned *out, struct error *e)
{
    unsigned set = 0;

    for (const char *const *w = weak; w && *w; w++) {
        enum layer layer = layer_named(str_of(*w));

        if (layer == LAYER_COUNT)
            return error_set(e, CODE_INVALID_PAYLOAD,
                             "--allow-weak: '%s' is no layer; allowed is one of %s, each with an "
                             "--allow-weak of its own",
                             *w, spared_layers(a));
        if (!layers[layer].spared)
            return error_set(e, CODE_INVALID_PAYLOAD,
                             "--allow-weak: no run goes without '%s'; allowed is one of %s, each "
                             "with an --allow-weak of its own",
                             *w, spared_layers(a));
        set |= 1U << layer;
    }
    *out = set;
    return true;
}

/* What was admitted, and behind it the secrets: the request's own, or those that the adapter names.
 */
static const struct pair *with_secrets(struct exec *x, size_t *count)
{
    const struct pair *secrets = x->call ? x->call->secrets : x->variables;
    size_t n = x->admission.environment_count;
    size_t more = x->call ? x->call->secret_count : x->variable_count;
    struct pair *all = arena_alloc(x->a, (n + more) * sizeof *all);

    if (n)
        memcpy(all, x->admission.environment, n * sizeof *all);
    if (more)
        memcpy(all + n, secrets, more * sizeof *all);
    *count = n + more;
    return all;
}

static void make_environment(struct exec *x)
{
    struct environment_ask ask = { .path = policy_path,
                                   .cwd = x->reach.cwd,
                                   .network = exec_gate(x) != NULL,
                                   .hosts = exec_gate(x) ? exec_gate(x)->hosts : NULL };

    ask.asked = with_secrets(x, &ask.count);
    if (x->admission.path.s)
        ask.path = arena_text(x->a, x->admission.path);
    else if (x->program.bin)
        ask.path = arena_printf(x->a, "%s:%s", x->program.bin, policy_path);
    x->env = environment_make(&ask, x->a);
}

/* What is asked for and cannot be had is refused. */
static bool modes_are_ready(const struct exec *x, struct error *e)
{
    if (x->served && x->request.sandbox->filesystem->write_mode == WRITE_COW)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:mount: what is written beside a worker's disk could not be "
                         "committed from here; run it here, or with write mode direct");
    return true;
}

static struct admit_ask ask_of(const struct exec *x)
{
    const struct request_sandbox *asked = x->request.sandbox;

    return (struct admit_ask){ .registry = x->registry,
                               .person = x->person,
                               .call = x->call != NULL,
                               .approved = x->request.approval != NULL,
                               .truncate = x->request.inputs->on_oversize == OVERSIZE_TRUNCATE,
                               .fs = (enum fs_level)asked->filesystem->level,
                               .net = request_net_level(asked->network),
                               .tool_id = x->request.tool_id,
                               .command = x->request.inputs->command,
                               .environment = x->request.inputs->environment.v,
                               .environment_count = x->request.inputs->environment.n,
                               .caller_env = x->command->environment,
                               .file_bytes = -1 };
}

/* The program was found, and the input taken. */
static bool ask_policy(struct exec *x, struct admit_ask *ask, struct error *e)
{
    struct str *arguments;

    if (x->program.real)
        ask->executable = str_of(x->program.real);
    ask->same = exec_same_entries(x, x->program.real);
    ask->stdin_bytes = x->input.s ? (int64_t)x->input.n : -1;
    take_arguments(x, &arguments, &ask->argument_count);
    ask->arguments = arguments;
    path_roots(x, ask);
    return admit(ask, x->a, &x->admission, e);
}

bool exec_foresee(struct exec *x, struct error *e)
{
    struct admit_ask ask = ask_of(x);

    find_program(x);
    return exec_input(x, e) && ask_policy(x, &ask, e);
}

bool exec_admit(struct exec *x, struct error *e)
{
    struct reach_ask reach = reach_of(x);
    struct admit_ask ask = ask_of(x);

    find_program(x);
    if (!exec_ledger_is_safe(x, e) || !exec_weak(x->command->weak, x->a, &x->weak, e) ||
        !exec_input(x, e) || !take_files(x, &ask.file_bytes, e))
        return false;
    if (!ask_policy(x, &ask, e))
        return false;
    x->admission.checks[CHECK_PATHS] = x->reach.told;
    if (!exec_find_secrets(x, e) || !exec_find_network(x, e) || !modes_are_ready(x, e))
        return false;
    if (x->admission.files_cut && !exec_cut_files(x, e))
        return false;
    if (x->admission.stdin_cut)
        x->input.n = (size_t)input_sizes[INPUT_STDIN].bytes;
    make_environment(x);
    return reach_covers(&reach, &x->reach, x->a, e);
}
