/* SPDX-License-Identifier: Apache-2.0 */
/* request_doc.c: the shape of one command under limits (contract 001, execution contract). */
#include "contract/request_doc.h"

#include "contract/classes.h"
#include "contract/whole.h"

static const char *const on_oversize_names[] = { "reject", "truncate", NULL };
static const char *const write_mode_names[] = { "direct", "cow", NULL };
const char *const determinism_names[] = { "stable", "fixed", NULL };

static void environment_names(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "environment"), DOC_MAP);
    const struct form_row *form = &forms[FORM_ENV_NAME];

    (void)decoded;
    for (; c; c = c->next) {
        const char *why = NULL;

        if (form->fits(c->key, &why))
            continue;
        report_add(r, ABOUT_KEY, c, CODE_VALIDATION_ERROR, "%s is not %s such as %s%s%s",
                   said(c->key, r->a), form->name, form->example, why ? ": " : "", why ? why : "");
    }
}

/* The record has every value of environment. */
static void environment_secrets(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "environment"), DOC_MAP);

    (void)decoded;
    for (; c; c = c->next)
        if (secret_name(c->key))
            report_add(r, ABOUT_ODD, c, CODE_VALIDATION_ERROR,
                       "%s looks like the name of a secret, and its value stays in the record; "
                       "name the place of the value under secrets: {variable: %s, env: NAME}",
                       said(c->key, r->a), said(c->key, r->a));
}

/* A variable has one value, from one of the two lists. */
static void secret_variables(const struct doc *d, const void *decoded, struct report *r)
{
    const struct items *secrets = &((const struct request_inputs *)decoded)->secrets;
    const struct doc *c = doc_first(doc_get(d, "secrets"), DOC_LIST);
    const struct doc *environment = doc_place(d, "environment");
    const struct secret_doc *all = secrets->v;

    for (size_t i = 0; c && i < secrets->n; i++, c = c->next) {
        size_t same = 0;

        if (!all[i].variable.n) {
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                       "a secret of a command needs 'variable', the variable that it is given in");
            continue;
        }
        while (same < i && !str_eq(all[same].variable, all[i].variable))
            same++;
        if (same < i || doc_get(environment, arena_text(r->a, all[i].variable)))
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR, "variable %s is given twice",
                       said(all[i].variable, r->a));
    }
}

bool request_expects(const struct doc *stream, struct str *content)
{
    if (!stream || (stream->kind == DOC_TEXT && str_is(stream->text, "captured")))
        return false;
    *content = (stream->kind == DOC_MAP ? stream->first : stream)->text;
    return true;
}

static void stream_said(const struct doc *d, const char *name, struct report *r)
{
    const struct doc *stream = doc_get(d, name), *expected;

    if (!stream || stream->kind == DOC_TEXT)
        return;
    expected = doc_get(stream, "expected");
    if (!expected || expected->kind != DOC_TEXT || stream->count != 1)
        report_add(r, ABOUT_VALUE, stream, CODE_VALIDATION_ERROR,
                   "%s must be 'captured', the expected text, or {expected: text}", name);
}

static void streams_said(const struct doc *d, const void *decoded, struct report *r)
{
    (void)decoded;
    stream_said(d, "stdout", r);
    stream_said(d, "stderr", r);
}

static void artifacts_said(const struct doc *d, const void *decoded, struct report *r)
{
    const struct items *artifacts = &((const struct request_outputs *)decoded)->artifacts;
    const struct doc *const *each = artifacts->v;

    (void)d;
    for (size_t i = 0; i < artifacts->n; i++) {
        const struct doc *c = each[i];

        if (!(c->kind == DOC_TEXT && c->text.n) && !(c->kind == DOC_MAP && doc_text(c, "path").n))
            report_add(r, ABOUT_VALUE, c, CODE_VALIDATION_ERROR,
                       "an artifact must be a path, or a map with a 'path'");
    }
}

void request_levels_approved(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_doc *request = decoded;
    bool approved = request->approval && request->approval->reason.s;
    const struct doc *sandbox = doc_place(d, "sandbox");
    struct error e;

    if (!request->sandbox)
        return;
    if (request->sandbox->filesystem && request->sandbox->filesystem->level != CHOICE_NONE &&
        !fs_level_granted((enum fs_level)request->sandbox->filesystem->level, approved, &e))
        report_add(r, ABOUT_VALUE, doc_place(doc_place(sandbox, "filesystem"), "level"), e.code,
                   "%s", e.msg);
    if (request->sandbox->network &&
        !net_level_granted(request_net_level(request->sandbox->network), approved, &e))
        report_add(r, ABOUT_VALUE, doc_place(doc_place(sandbox, "network"), "level"), e.code, "%s",
                   e.msg);
}

/* clang-format off */
#define AT(member) offsetof(struct request_inputs, member)
static const struct field inputs_fields[] = {
    { "command",           F_TEXT,   ONE,  NEEDED,   .at = AT(command), .min = 1,                     .req = "R-001-005", .help = "The command or function to run." },
    { "arguments",         F_TEXT,   LIST, OPTIONAL, .at = AT(arguments),                             .req = "R-001-006", .help = "Its arguments, each handed over as it is." },
    { "environment",       F_TEXT,   DICT, OPTIONAL, .at = AT(environment),                           .req = "R-001-007", .help = "Variables and their values." },
    { "secrets",           F_SHAPE,  LIST, OPTIONAL, .at = AT(secrets), .sub = &secret_shape, .most = REQUEST_SECRETS_MAX, .req = "R-001-007", .help = "Variables whose values no record has: where each is found." },
    { "working_directory", F_TEXT,   ONE,  OPTIONAL, .at = AT(working_directory), .min = 1,           .req = "R-001-008", .help = "Where it runs." },
    { "input_files",       F_TEXT,   LIST, OPTIONAL, .at = AT(input_files), .min = 1,                 .req = "R-001-009", .help = "Files it finds there." },
    { "stdin",             F_TEXT,   ONE,  OPTIONAL, .at = AT(stdin_text),                            .req = "R-001-010", .help = "What it reads on standard input." },
    { "on_oversize",       F_CHOICE, ONE,  OPTIONAL, .at = AT(on_oversize), .choices = on_oversize_names, .fallback = OVERSIZE_REJECT, .req = "R-001-059", .help = "Refuse input over the size limit, or cut it." },
};
#undef AT

static const struct rule inputs_rules[] = {
    { "R-001-007", "Names in environment are letters, digits and underscores.", environment_names },
    { "R-001-007", "A value whose name is that of a secret is not in environment.", environment_secrets },
    { "R-001-007", "A secret has a variable, which nothing else is given in.", secret_variables },
};

#define AT(member) offsetof(struct request_filesystem, member)
static const struct field filesystem_fields[] = {
    { "level", F_CHOICE, ONE,  OPTIONAL, .at = AT(level), .choices = fs_level_names, .fallback = FS_STANDARD, .req = "R-001-046", .help = "How much of the disk is open; elevated needs an approval." },
    { "read",  F_TEXT,   LIST, OPTIONAL, .at = AT(read), .min = 1,                                            .req = "R-001-014", .help = "Paths that may be read." },
    { "write", F_TEXT,   LIST, OPTIONAL, .at = AT(write), .min = 1,                                           .req = "R-001-015", .help = "Paths that may be written." },
    { "deny",  F_TEXT,   LIST, OPTIONAL, .at = AT(deny), .min = 1,                                            .req = "R-001-016", .help = "Paths that may not; wins over read and write." },
    { "allow_protected", F_TEXT, LIST, OPTIONAL, .at = AT(allow_protected), .min = 1,                         .req = "R-001-015", .help = "Protected names that may be written all the same; only a person's own command has it." },
    { "write_mode", F_CHOICE, ONE, OPTIONAL, .at = AT(write_mode), .choices = write_mode_names, .fallback = WRITE_DIRECT, .req = "R-001-015", .help = "direct writes to the disk; cow beside it, and nothing changes until it is committed." },
};
#undef AT

#define AT(member) offsetof(struct request_processes, member)
static const struct field processes_fields[] = {
    { "max_children", F_INT,  .at = AT(max_children), .limit = &limits[LIMIT_MAX_CHILDREN], .req = "R-001-020", .help = "Processes it may start besides itself; 0 means none." },
    { "allow_fork",   F_BOOL, .at = AT(allow_fork), .fallback = true,                       .req = "R-001-021", .help = "false: it may start none, whatever max_children says." },
};
#undef AT
/* clang-format on */

static const struct shape inputs_shape = { .name = "request's input",
                                           .size = sizeof(struct request_inputs),
                                           FIELDS(inputs_fields),
                                           RULES(inputs_rules),
                                           .code = CODE_VALIDATION_ERROR };
static const struct shape filesystem_shape = { .name = "request's filesystem",
                                               .size = sizeof(struct request_filesystem),
                                               FIELDS(filesystem_fields),
                                               .code = CODE_VALIDATION_ERROR };
static const struct shape processes_shape = { .name = "request's process limit",
                                              .size = sizeof(struct request_processes),
                                              FIELDS(processes_fields),
                                              .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct request_sandbox, member)
static const struct field sandbox_fields[] = {
    { "timeout_ms", F_INT,   .at = AT(timeout_ms), .limit = &limits[LIMIT_TIMEOUT_MS],                        .req = "R-001-011", .help = "Longest time it may take; a step of a plan that leaves it out has the step's time." },
    { "memory_mb",  F_INT,   .at = AT(memory_mb), .limit = &limits[LIMIT_MEMORY_MB],                          .req = "R-001-012", .help = "Memory of all its processes together, in MiB." },
    { "cpu_cores",  F_INT,   .at = AT(cpu_cores), .limit = &limits[LIMIT_CPU_CORES],                          .req = "R-001-013", .help = "Logical cores it may keep busy." },
    { "filesystem", F_SHAPE, .at = AT(filesystem), .sub = &filesystem_shape, .filled = true,                  .req = "R-001-014", .help = "What it may read and write." },
    { "network",    F_SHAPE, .at = AT(network), .sub = &request_network_shape, .filled = true,                        .req = "R-001-017", .help = "What it may reach." },
    { "processes",  F_SHAPE, .at = AT(processes), .sub = &processes_shape, .filled = true,                    .req = "R-001-020", .help = "What it may start." },
    { "deterministic", F_CHOICE, .at = AT(deterministic), .choices = determinism_names, .fallback = DETERMINISM_STABLE, .req = "R-001-153", .help = "stable: the same environment everywhere; fixed: time stands still and chance is the same, too." },
};
#undef AT

#define AT(member) offsetof(struct request_outputs, member)
static const struct field outputs_fields[] = {
    { "stdout",       F_ANY,  ONE,  OPTIONAL, .at = AT(out),                                                          .req = "R-001-022", .help = "'captured', or the text that is expected." },
    { "stderr",       F_ANY,  ONE,  OPTIONAL, .at = AT(err),                                                          .req = "R-001-023", .help = "'captured', or the text that is expected." },
    { "exit_code",    F_INT,  ONE,  NULLABLE, .at = AT(exit_code), .min = 0, .max = 255, .fallback = EXIT_CODE_ANY,   .req = "R-001-024", .help = "The exit code that is expected; any when left out." },
    { "output_files", F_TEXT, LIST, OPTIONAL, .at = AT(output_files), .min = 1,                                       .req = "R-001-025", .help = "Files to collect afterwards." },
    { "artifacts",    F_ANY,  LIST, OPTIONAL, .at = AT(artifacts),                                                    .req = "R-001-026", .help = "Artifacts to collect: a path, or a map that describes one." },
};
#undef AT

static const struct rule outputs_rules[] = {
    { "R-001-022", "stdout and stderr are 'captured', a text, or {expected: text}.", streams_said },
    { "R-001-026", "An artifact is a path, or a map with a path.",                               artifacts_said },
};

#define AT(member) offsetof(struct request_metadata, member)
static const struct field metadata_fields[] = {
    { "requested_by", F_TEXT, ONE, NEEDED,   .at = AT(requested_by), .min = 1,            .req = "R-001-027", .help = "The agent or person who asks." },
    { "requested_at", F_TEXT, ONE, NEEDED,   .at = AT(requested_at), .form = FORM_STAMP,  .req = "R-001-028", .help = "When it was asked for." },
    { "purpose",      F_TEXT, ONE, OPTIONAL, .at = AT(purpose),                           .req = "R-001-029", .help = "What for, in a few words." },
    { "evidence_ref", F_TEXT, ONE, OPTIONAL, .at = AT(evidence_ref),                      .req = "R-001-030", .help = "Where its evidence is kept." },
};
#undef AT

#define AT(member) offsetof(struct request_approval, member)
static const struct field approval_fields[] = {
    { "reason", F_TEXT, ONE, NEEDED, .at = AT(reason), .min = 1, .req = "R-001-049", .help = "Why the level is needed." },
};
#undef AT
/* clang-format on */

/* What is written beside the disk is all kept, to be committed: there is nothing to leave out. */
static void inject_needs_disk(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_sandbox *s = decoded;

    if (s->network && s->network->inject.n && s->filesystem &&
        s->filesystem->write_mode == WRITE_COW)
        report_add(r, ABOUT_KEY, doc_get(doc_get(d, "network"), "inject"), CODE_VALIDATION_ERROR,
                   "a header is injected, and what the command writes would be kept with a secret "
                   "that came back; it needs write_mode: direct");
}

/* The same of a secret in a variable, which the command itself may write down. */
static void secrets_need_disk(const struct doc *d, const void *decoded, struct report *r)
{
    const struct request_doc *q = decoded;

    if (q->inputs && q->inputs->secrets.n && q->sandbox && q->sandbox->filesystem &&
        q->sandbox->filesystem->write_mode == WRITE_COW)
        report_add(r, ABOUT_KEY, doc_get(doc_get(d, "inputs"), "secrets"), CODE_VALIDATION_ERROR,
                   "a secret is given, and what the command writes would be kept with the secret "
                   "in it; it needs write_mode: direct");
}

static const struct rule sandbox_rules[] = {
    { "R-001-018", "A header is injected only where write_mode is direct.", inject_needs_disk },
};

const struct shape request_sandbox_shape = { .name = "request's sandbox",
                                             .size = sizeof(struct request_sandbox),
                                             FIELDS(sandbox_fields),
                                             RULES(sandbox_rules),
                                             .code = CODE_VALIDATION_ERROR };
const struct shape request_outputs_shape = { .name = "request's output",
                                             .size = sizeof(struct request_outputs),
                                             FIELDS(outputs_fields),
                                             RULES(outputs_rules),
                                             .code = CODE_VALIDATION_ERROR };
static const struct shape metadata_shape = { .name = "request's metadata",
                                             .size = sizeof(struct request_metadata),
                                             FIELDS(metadata_fields),
                                             .code = CODE_VALIDATION_ERROR };
const struct shape request_approval_shape = { .name = "request's approval",
                                              .size = sizeof(struct request_approval),
                                              FIELDS(approval_fields),
                                              .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct request_route, member)
static const struct field route_fields[] = {
    { "class",          F_TEXT,   ONE, NEEDED,   .at = AT(class_id), .form = FORM_SLUG,       .req = "R-000-002", .help = "The class the command belongs to." },
    { "remote",         F_BOOL,   ONE, OPTIONAL, .at = AT(remote),                            .req = "R-000-014", .help = "Run it on the remote worker, if that can be reached." },
    { "worker",         F_TEXT,   ONE, OPTIONAL, .at = AT(worker), .form = FORM_SLUG,         .req = "R-000-021", .help = "The worker it should go to, as the configuration names it." },
    { "fallback",       F_CHOICE, ONE, NULLABLE, .at = AT(fallback), .choices = fallback_names, .fallback = CHOICE_NONE, .req = "R-000-059", .help = "What to do without the worker: local runs it here in the same sandbox, fail_closed nowhere." },
    { "command_id",     F_TEXT,   ONE, OPTIONAL, .at = AT(command_id), .min = 1,              .req = "R-000-012", .help = "Names the command in its result; the execution id when left out." },
    { "correlation_id", F_TEXT,   ONE, OPTIONAL, .at = AT(correlation_id), .form = FORM_SLUG, .req = "R-000-013", .help = "Ties it to other records; the execution id when left out." },
    { "scenario_id",    F_TEXT,   ONE, OPTIONAL, .at = AT(scenario_id), .form = FORM_SLUG,    .req = "A00-12",    .help = "The scenario it belongs to; the class when left out." },
};
#undef AT
/* clang-format on */

const struct shape request_route_shape = { .name = "request's route",
                                           .size = sizeof(struct request_route),
                                           FIELDS(route_fields),
                                           .code = CODE_VALIDATION_ERROR };

/* clang-format off */
#define AT(member) offsetof(struct request_call, member)
static const struct field call_fields[] = {
    { "operation",       F_TEXT, ONE, NEEDED, .at = AT(operation), .min = 1,               .req = "R-001-162", .help = "The operation of the adapter that is called." },
    { "adapter_version", F_TEXT, ONE, NEEDED, .at = AT(adapter_version), .form = FORM_VERSION, .req = "R-001-148", .help = "The adapter's version." },
    { "adapter_digest",  F_TEXT, ONE, NEEDED, .at = AT(adapter_digest), .form = FORM_DIGEST, .req = "R-001-148", .help = "The digest of the adapter's document." },
    { "tool_version",    F_TEXT, ONE, OPTIONAL, .at = AT(tool_version), .min = 1,         .req = "R-001-159", .help = "The version of the tool that was found, where one is asked for." },
    { "parameters_digest", F_TEXT, ONE, NEEDED, .at = AT(parameters_digest), .form = FORM_DIGEST, .req = "R-001-149", .help = "The digest of the parameters it is called with." },
};
#undef AT

static const struct shape call_shape = { .name = "request's call", .size = sizeof(struct request_call), FIELDS(call_fields), .code = CODE_VALIDATION_ERROR };

#define AT(member) offsetof(struct request_doc, member)
static const struct field request_fields[] = {
    { "execution_id", F_TEXT,  ONE, NEEDED,   .at = AT(execution_id), .min = 1,                            .req = "R-001-002", .help = "Names this run; used once." },
    { "tool_id",      F_TEXT,  ONE, NEEDED,   .at = AT(tool_id), .min = 1,                                 .req = "R-001-003", .help = "The tool, as the registry names it." },
    { "adapter_id",   F_TEXT,  ONE, NEEDED,   .at = AT(adapter_id), .min = 1,                              .req = "R-001-004", .help = "The adapter that is used." },
    { "inputs",       F_SHAPE, ONE, NEEDED,   .at = AT(inputs), .sub = &inputs_shape,                      .req = "R-001-005", .help = "What is run, and with what." },
    { "sandbox",      F_SHAPE, ONE, OPTIONAL, .at = AT(sandbox), .sub = &request_sandbox_shape, .filled = true,    .req = "R-001-011", .help = "The limits it runs under." },
    { "outputs",      F_SHAPE, ONE, OPTIONAL, .at = AT(outputs), .sub = &request_outputs_shape, .filled = true,    .req = "R-001-022", .help = "What is expected of it and what is kept." },
    { "metadata",     F_SHAPE, ONE, NEEDED,   .at = AT(metadata), .sub = &metadata_shape,                  .req = "R-001-027", .help = "Who asks, when and what for." },
    { "approval",     F_SHAPE, ONE, OPTIONAL, .at = AT(approval), .sub = &request_approval_shape,                  .req = "R-001-049", .help = "Why a level that needs approval is used." },
    { "route",        F_SHAPE, ONE, OPTIONAL, .at = AT(route), .sub = &request_route_shape,                        .req = "R-000-002", .help = "Where it runs, as a lane of a class; here and as none when left out." },
    { "call",         F_SHAPE, ONE, OPTIONAL, .at = AT(call), .sub = &call_shape,                          .req = "R-001-004", .help = "Which operation of the adapter it is; none when left out." },
};
#undef AT

static const struct rule request_rules[] = {
    { "A01-2",     "No text but that of a stream holds a NUL byte.",                      whole_texts },
    { "R-001-049", "filesystem level elevated and network level open need an approval.", request_levels_approved },
    { "R-001-007", "A secret is given in a variable only where write_mode is direct.", secrets_need_disk },
};
/* clang-format on */

const struct shape request_shape = { .name = "request",
                                     .size = sizeof(struct request_doc),
                                     FIELDS(request_fields),
                                     RULES(request_rules),
                                     .code = CODE_VALIDATION_ERROR };

/* ---- a request inside of a plan ---- */

/* clang-format off */
#define AT(member) offsetof(struct request_doc, member)
static const struct field execute_fields[] = {
    { "tool_id",  F_TEXT,  ONE, OPTIONAL, .at = AT(tool_id), .min = 1,                              .req = "R-001-003", .help = "The tool, as the registry names it; when left out, the one that lists the command." },
    { "inputs",   F_SHAPE, ONE, NEEDED,   .at = AT(inputs), .sub = &inputs_shape,                   .req = "R-001-005", .help = "What is run, and with what." },
    { "sandbox",  F_SHAPE, ONE, OPTIONAL, .at = AT(sandbox), .sub = &request_sandbox_shape, .filled = true, .req = "R-001-011", .help = "The limits it runs under." },
    { "outputs",  F_SHAPE, ONE, OPTIONAL, .at = AT(outputs), .sub = &request_outputs_shape, .filled = true, .req = "R-001-022", .help = "What is expected of it and what is kept." },
    { "approval", F_SHAPE, ONE, OPTIONAL, .at = AT(approval), .sub = &request_approval_shape,               .req = "R-001-049", .help = "Why a level that needs approval is used." },
    { "route",    F_SHAPE, ONE, OPTIONAL, .at = AT(route), .sub = &request_route_shape,                     .req = "R-000-002", .help = "Where it runs, as a lane of a class; here and as none when left out." },
};
#undef AT
/* clang-format on */

const struct shape execute_shape = { .name = "payload of execute",
                                     .size = sizeof(struct request_doc),
                                     FIELDS(execute_fields),
                                     RULES(request_rules),
                                     .code = CODE_INVALID_PAYLOAD };

/* ---- a request beside the `run` of a template's step ---- */

/* The rows of command and arguments come first among those of the inputs. */
enum { SAID_BY_RUN = 2 };

const struct shape request_beside_run_shape = { .name = "list of inputs beside 'run'",
                                                .size = sizeof(struct request_inputs),
                                                .fields = inputs_fields + SAID_BY_RUN,
                                                .count = COUNT(inputs_fields) - SAID_BY_RUN,
                                                RULES(inputs_rules),
                                                .code = CODE_VALIDATION_ERROR };
