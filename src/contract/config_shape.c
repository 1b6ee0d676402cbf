/* SPDX-License-Identifier: Apache-2.0 */
/* config_shape.c: the shape of a configuration, and the kinds of workers. */
#include "contract/config_doc.h"

#include "contract/config_rules.h"
#include "contract/network_doc.h"
#include "contract/whole.h"

enum {
    WEEK_SECS = 7 * 24 * 3600, /* in milliseconds it is still an int */
    HOUR_SECS = 3600,
    CLASSES_MOST = 1000,
    PREFIXES_MOST = 64,
    WORKERS_MOST = 100,
    WORDS_MOST = 64,
    NAME_MOST = 64,
    TEXT_MOST = 200,
    WORD_MOST = 4096,
    SERVERS_MOST = 100,
    SECRETS_MOST = 100,
    REGISTRIES_MOST = 100,
};

/* ---- kinds of workers ---- */

const char *const worker_kind_names[] = {
    [WORKER_PIPE] = "pipe", [WORKER_SLURM] = "slurm", [WORKER_SSH] = "ssh",
    [WORKER_WRAP] = "wrap", [WORKER_KINDS] = NULL,
};

const char *const dependency_skip_names[] = {
    [DEPENDENCY_SKIP_FAIL] = "fail", [DEPENDENCY_SKIP_CASCADE] = "cascade", NULL
};

/* clang-format off */
const struct worker_kind_row worker_kinds[WORKER_KINDS] = {
    [WORKER_PIPE]  = { "pipe",  ROUTE_LOCAL_WORKER, NULL,   "`writ worker --stdio` on this machine, which runs one command after the other." },
    [WORKER_SLURM] = { "slurm", ROUTE_REMOTE_SLURM, "srun", "The same in one step of a Slurm allocation." },
    [WORKER_SSH]   = { "ssh",   ROUTE_REMOTE_SSH,   "ssh",  "The same on a host, over one connection." },
    [WORKER_WRAP]  = { "wrap",  ROUTE_REMOTE_RCH,   "rch",  "A program that is given `exec -- CMD` and runs CMD where it likes; the sandbox is its affair." },
};

static const struct column worker_kind_columns[] = {
    { "kind",    COLUMN_TEXT, offsetof(struct worker_kind_row, name) },
    { "route",   COLUMN_NAME, offsetof(struct worker_kind_row, route), route_names },
    { "program", COLUMN_TEXT, offsetof(struct worker_kind_row, program) },
    { "meaning", COLUMN_TEXT, offsetof(struct worker_kind_row, meaning) },
};
/* clang-format on */

const struct table worker_kinds_table = {
    .name = "worker_kinds",
    .about = "How a worker is reached, by which program, and which route that is.",
    COLUMNS(worker_kind_columns),
    .keys = 1,
    ROWS(worker_kinds),
};

static const struct str rch_command[] = { { "rch", 3 } };
static const struct str rch_probe[] = { { "rch", 3 }, { "--version", 9 } };

const struct config_worker worker_rch = { .name = { "rch", 3 },
                                          .kind = WORKER_WRAP,
                                          .command = { (void *)rch_command, COUNT(rch_command) },
                                          .probe = { (void *)rch_probe, COUNT(rch_probe) },
                                          .patience_secs = 5 };

/* ---- shapes ---- */

/* clang-format off */
#define AT(member) offsetof(struct config_class, member)
static const struct field class_fields[] = {
    { "class_id",             F_TEXT, ONE,  NEEDED,   .at = AT(class_id), .form = FORM_CLASS_ID, .min = 1, .max = NAME_MOST,                      .req = "R-000-024", .help = "Names the class; none that writ ships." },
    { "label",                F_TEXT, ONE,  OPTIONAL, .at = AT(label), .min = 1, .max = TEXT_MOST,                                            .req = "R-000-024", .help = "Names the class for people; its id when left out." },
    { "allowed_prefixes",     F_TEXT, LIST, NEEDED,   .at = AT(allowed_prefixes), .least = 1, .most = PREFIXES_MOST, .min = 1, .max = TEXT_MOST, .req = "R-000-040", .help = "A command of the class begins with one of them; * takes any." },
    { "force_rch",            F_BOOL, ONE,  OPTIONAL, .at = AT(force_rch),                                                                    .req = "R-000-024", .help = "Remote whatever the caller prefers; for cargo only." },
    { "default_timeout_secs", F_INT,  ONE,  NULLABLE, .at = AT(default_timeout_secs), .min = 1, .max = WEEK_SECS,                             .req = "R-000-024", .help = "Told in the contract, and no more: what ends a command is its hard timeout, which this is when left out." },
    { "soft_timeout_secs",    F_INT,  ONE,  NULLABLE, .at = AT(soft_timeout_secs), .min = 1, .max = WEEK_SECS,                                .req = "R-000-028", .help = "After this time a warning is recorded; at the hard timeout when left out." },
    { "hard_timeout_secs",    F_INT,  ONE,  NEEDED,   .at = AT(hard_timeout_secs), .min = 1, .max = WEEK_SECS,                                .req = "R-000-028", .help = "After this time the command is cancelled." },
    { "cancel_grace_secs",    F_INT,  ONE,  OPTIONAL, .at = AT(cancel_grace_secs), .min = 1, .max = HOUR_SECS, .fallback = 10,                .req = "R-000-047", .help = "Time to end after a cancel, before it is killed." },
};
#undef AT

static const struct rule class_rules[] = {
    { "R-000-041", "No class has the id of one that writ ships.",                                 config_class_is_new },
    { "A00-6",     "A prefix is letters, digits, % + , - . / : = @ _ and single blanks between.", config_prefixes_plain },
    { "R-000-039", "No prefix is there twice.",                                                   config_prefixes_unique },
    { "R-000-057", "The prefix * stands alone.",                                                  config_any_alone },
    { "R-000-024", "A label shows on a terminal.",                                                config_label_shows },
    { "R-000-043", "The prefixes of a class with force_rch are cargo commands.",                  config_force_is_cargo },
    { "R-000-046", "Soft and default timeouts are not above the hard one.",                       config_times_within_hard },
};

#define AT(member) offsetof(struct config_worker, member)
static const struct field worker_fields[] = {
    { "name",          F_TEXT,   ONE,  NEEDED,   .at = AT(name), .form = FORM_SLUG, .min = 1, .max = NAME_MOST,       .req = "R-000-021", .help = "Names the worker, as in `writ exec --worker NAME`." },
    { "kind",          F_CHOICE, ONE,  NEEDED,   .at = AT(kind), .choices = worker_kind_names,                        .req = "R-000-021", .help = "How it is reached; `writ explain worker_kinds` tells." },
    { "host",          F_TEXT,   ONE,  OPTIONAL, .at = AT(host), .min = 1, .max = TEXT_MOST,                          .req = "R-000-074", .help = "Of ssh: the host, as ssh takes it." },
    { "options",       F_TEXT,   LIST, OPTIONAL, .at = AT(options), .most = WORDS_MOST, .min = 1, .max = WORD_MOST,   .req = "R-000-074", .help = "Of ssh and slurm: options of ssh or srun, a word each." },
    { "command",       F_TEXT,   LIST, OPTIONAL, .at = AT(command), .least = 1, .most = WORDS_MOST, .min = 1, .max = WORD_MOST, .req = "R-000-058", .help = "The wrapper, rch when left out; of the others writ on that machine, a word each." },
    { "probe",         F_TEXT,   LIST, OPTIONAL, .at = AT(probe), .least = 1, .most = WORDS_MOST, .min = 1, .max = WORD_MOST, .req = "X-12",      .help = "Of wrap: a command that ends with 0 when the wrapper is available." },
    { "refusals",      F_INT,    LIST, OPTIONAL, .at = AT(refusals), .most = WORDS_MOST, .min = 1, .max = 255,        .req = "X-12",      .help = "Of wrap: exit codes that are its own, and say that the command did not run." },
    { "directory",     F_TEXT,   ONE,  OPTIONAL, .at = AT(directory), .min = 1, .max = WORD_MOST,                     .req = "R-000-074", .help = "Where commands run there; the same path as here when left out." },
    { "patience_secs", F_INT,    ONE,  OPTIONAL, .at = AT(patience_secs), .min = 1, .max = HOUR_SECS, .fallback = 10, .req = "R-000-059", .help = "How long it may take to answer before it counts as unavailable." },
    { "queue_secs",    F_INT,    ONE,  OPTIONAL, .at = AT(queue_secs), .min = 1, .max = WEEK_SECS,                    .req = "R-000-059", .help = "Of slurm: how long its job may wait in the queue before it counts as unavailable; when left out a run waits as long as it may take, and then it timed out." },
};
#undef AT

static const struct rule worker_rules[] = {
    { "R-000-074", "A worker has only what suits its kind; ssh has a host.",                  config_members_suit },
    { "R-000-074", "A host is letters, digits, - . _ @ : / % [ ], and begins with no '-'.",   config_host_is_one },
    { "R-000-074", "Options begin with '-'.",                                                 config_options_begin },
    { "R-000-074", "The command of ssh is letters, digits and _ . / -.",                      config_words_plain },
    { "R-000-074", "A directory is an absolute path.",                                        config_directory_whole },
    { "R-000-074", "A worker called local is of the kind pipe.",                              config_local_is_here },
};

#define AT(member) offsetof(struct config_server, member)
static const struct field server_fields[] = {
    { "name",    F_TEXT, ONE,  NEEDED,   .at = AT(name), .form = FORM_SLUG, .min = 1, .max = NAME_MOST,                      .req = "R-001-098", .help = "The server's name in adapters." },
    { "command", F_TEXT, LIST, OPTIONAL, .at = AT(command), .least = 1, .most = WORDS_MOST, .min = 1, .max = WORD_MOST,      .req = "R-001-099", .help = "Of stdio: what starts it in the sandbox, a word each." },
    { "url",     F_TEXT, ONE,  OPTIONAL, .at = AT(url), .min = 1, .max = WORD_MOST,                                          .req = "R-001-099", .help = "Of http and websocket: where it is." },
};
#undef AT

static const struct rule server_rules[] = {
    { "R-001-099", "A server has a command or a URL, not both; a URL has no user name.", config_server_is_one },
};

#define AT(member) offsetof(struct config_network, member)
static const struct field network_fields[] = {
    { "registries", F_TEXT, LIST, OPTIONAL, .at = AT(registries), .most = REGISTRIES_MOST, .min = 1, .req = "R-001-051", .help = "Hosts that network level registry reaches besides those of `writ explain registries`." },
};
#undef AT

static const struct rule network_rules[] = {
    { "R-001-051", "Registries are names, with a port or without.", network_registries },
};
/* clang-format on */

static const struct shape network_shape = { .name = "configuration's network",
                                            .size = sizeof(struct config_network),
                                            FIELDS(network_fields),
                                            RULES(network_rules),
                                            .code = CODE_CONTRACT_INVALID };
static const struct shape server_shape = { .name = "server",
                                           .size = sizeof(struct config_server),
                                           FIELDS(server_fields),
                                           RULES(server_rules),
                                           .code = CODE_CONTRACT_INVALID };
static const struct shape class_shape = { .name = "class",
                                          .size = sizeof(struct config_class),
                                          FIELDS(class_fields),
                                          RULES(class_rules),
                                          .code = CODE_CONTRACT_INVALID };
static const struct shape worker_shape = { .name = "worker",
                                           .size = sizeof(struct config_worker),
                                           FIELDS(worker_fields),
                                           RULES(worker_rules),
                                           .code = CODE_CONTRACT_INVALID };

/* clang-format off */
#define AT(member) offsetof(struct config_doc, member)
static const struct field config_fields[] = {
    { "classes",  F_SHAPE,  LIST, OPTIONAL, .at = AT(classes), .most = CLASSES_MOST, .sub = &class_shape,                .req = "R-000-002", .help = "Classes of commands besides those that writ ships." },
    { "workers",  F_SHAPE,  LIST, OPTIONAL, .at = AT(workers), .most = WORKERS_MOST, .sub = &worker_shape,               .req = "R-000-021", .help = "Where commands can run; in the user's own configuration only." },
    { "remote",   F_TEXT,   ONE,  OPTIONAL, .at = AT(remote), .form = FORM_SLUG,                                         .req = "R-000-021", .help = "The worker that remote commands go to, rch when left out; in the user's own configuration only." },
    { "fallback", F_CHOICE, ONE,  NULLABLE, .at = AT(fallback), .choices = fallback_names, .fallback = CHOICE_NONE,      .req = "R-000-059", .help = "What to do without a worker: local runs the command here in the same sandbox, fail_closed nowhere." },
    { "dependency_skip", F_CHOICE, ONE, NULLABLE, .at = AT(dependency_skip), .choices = dependency_skip_names, .fallback = CHOICE_NONE, .req = "A04-6", .help = "What becomes of a step of a plan whose dependency was skipped: fail, the default, ends the plan; cascade skips the step, too, in the user's own configuration only." },
    { "servers",  F_SHAPE,  LIST, OPTIONAL, .at = AT(servers), .most = SERVERS_MOST, .sub = &server_shape,               .req = "R-001-098", .help = "MCP servers by name." },
    { "secrets",  F_SHAPE,  LIST, OPTIONAL, .at = AT(secrets), .most = SECRETS_MOST, .sub = &secret_shape,               .req = "R-001-091", .help = "Where the secrets for hosts are found; in the user's own configuration only." },
    { "network",  F_SHAPE,  ONE,  OPTIONAL, .at = AT(network), .sub = &network_shape, .filled = true,                    .req = "R-001-051", .help = "What network levels mean here." },
};
#undef AT

static const struct rule config_rules[] = {
    { "R-000-041", "Class ids are unique.",            config_classes_unique },
    { "R-000-021", "Names of workers are unique.",     config_workers_unique },
    { "R-000-021", "remote names a worker.",           config_remote_known },
    { "R-001-098", "Names of servers are unique.",     config_servers_unique },
    { "R-001-091", "A secret says for which hosts.",   config_secrets_bound },
    { "A01-2",     "No text holds a NUL byte.",        whole_texts },
};
/* clang-format on */

const struct shape config_shape = { .name = "configuration",
                                    .size = sizeof(struct config_doc),
                                    FIELDS(config_fields),
                                    RULES(config_rules),
                                    .code = CODE_CONTRACT_INVALID };

/* ---- a project's own ---- */

void config_of_project(const struct doc *d, struct report *r)
{
    static const char *const users[] = { "workers", "remote", "secrets" };
    const struct doc *fallback = doc_get(d, "fallback"), *skip = doc_get(d, "dependency_skip");

    for (size_t i = 0; i < COUNT(users); i++) {
        const struct doc *member = doc_get(d, users[i]);

        if (member)
            report_add(r, ABOUT_KEY, member, CODE_CONTRACT_INVALID,
                       "'%s' belongs in the user's own ~/.config/writ/config.yaml: a project "
                       "chooses no program outside of the sandbox, and no secret",
                       users[i]);
    }
    if (fallback && fallback->kind == DOC_TEXT &&
        str_is(fallback->text, fallback_names[FALLBACK_LOCAL]))
        report_add(r, ABOUT_VALUE, fallback, CODE_CONTRACT_INVALID,
                   "fallback is local, a project may only say fail_closed; local belongs in the "
                   "user's own ~/.config/writ/config.yaml");
    if (skip && skip->kind == DOC_TEXT &&
        str_is(skip->text, dependency_skip_names[DEPENDENCY_SKIP_CASCADE]))
        report_add(
            r, ABOUT_VALUE, skip, CODE_CONTRACT_INVALID,
            "dependency_skip is cascade, a project may only say fail; cascade belongs in the "
            "user's own ~/.config/writ/config.yaml");
}
