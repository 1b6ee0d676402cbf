/* SPDX-License-Identifier: Apache-2.0 */
/* lane_doc.c: the shapes of a routed command, its result and its manifest (contract 000). */
#include "contract/lane_doc.h"

#include <inttypes.h>

#include "base/uuid.h"
#include "contract/classes.h"
#include "contract/inputs.h"
#include "contract/states.h"

enum { EXIT_CODE_MAX = 255 };

/* ---- the request ---- */

static bool only_space(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_one_of(text.s[i], " \t\r\n\v\f"))
            return false;
    return true;
}

static void command_is_there(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_doc *lane = decoded;

    if (lane->raw_command.n && only_space(lane->raw_command))
        report_add(r, ABOUT_VALUE, doc_get(d, "raw_command"), CODE_CONTRACT_INVALID,
                   "raw_command holds nothing but white space");
}

/* A00-6: a text cannot tell a quote that groups from one that is meant, so such commands come as a
 * list. */
static void command_is_plain(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_doc *lane = decoded;
    struct str raw = lane->raw_command;

    if (only_space(raw) || lane->argv.n > 0)
        return;
    if (inputs_shell_chars(raw) > 0 || memchr(raw.s, '\n', raw.n) || memchr(raw.s, '\r', raw.n))
        report_add(r, ABOUT_VALUE, doc_get(d, "raw_command"), CODE_CONTRACT_INVALID,
                   "raw_command holds characters a shell would read; pass the command as argv");
}

static void refuse_nul(const struct doc *text, const char *key, struct report *r)
{
    if (text && text->kind == DOC_TEXT && text->text.n && memchr(text->text.s, '\0', text->text.n))
        report_add(r, ABOUT_VALUE, text, CODE_CONTRACT_INVALID,
                   "%s holds a NUL, at which a word of a command would end", key);
}

/* What follows a NUL would be planned and recorded, and never run. */
static void command_has_no_nul(const struct doc *d, const void *decoded, struct report *r)
{
    (void)decoded;
    refuse_nul(doc_get(d, "raw_command"), "raw_command", r);
    for (const struct doc *word = doc_first(doc_get(d, "argv"), DOC_LIST); word; word = word->next)
        refuse_nul(word, "argv", r);
}

static void argv_names_command(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_doc *lane = decoded;
    const struct str *argv = lane->argv.v;

    if (lane->argv.n && argv[0].s && argv[0].n == 0)
        report_add(r, ABOUT_VALUE, doc_get(d, "argv")->first, CODE_CONTRACT_INVALID,
                   "argv begins with an empty text, must begin with the command");
}

/* clang-format off */
#define AT(member) offsetof(struct lane_doc, member)
static const struct field lane_fields[] = {
    { "command_class",  F_TEXT, ONE,  NEEDED,   .at = AT(command_class), .form = FORM_SLUG,   .req = "R-000-011", .help = "The class the command belongs to." },
    { "command_id",     F_TEXT, ONE,  NEEDED,   .at = AT(command_id), .min = 1,               .req = "R-000-012", .help = "Names the command; the result repeats it." },
    { "correlation_id", F_TEXT, ONE,  NEEDED,   .at = AT(correlation_id), .form = FORM_SLUG,  .req = "R-000-013", .help = "Ties it to other records; the trace is named after it." },
    { "prefer_remote",  F_BOOL, ONE,  NEEDED,   .at = AT(prefer_remote),                      .req = "R-000-014", .help = "Run it remotely if a worker can be reached." },
    { "raw_command",    F_TEXT, ONE,  NEEDED,   .at = AT(raw_command), .min = 1,              .req = "R-000-015", .help = "The command as text." },
    { "argv",           F_TEXT, LIST, OPTIONAL, .at = AT(argv), .least = 1,                   .req = "A00-6",     .help = "The command as a list, where text cannot hold it." },
    { "scenario_id",    F_TEXT, ONE,  OPTIONAL, .at = AT(scenario_id), .form = FORM_SLUG,     .req = "A00-12",    .help = "The scenario it belongs to; the class when left out." },
};
#undef AT

static const struct rule lane_rules[] = {
    { "R-000-015", "raw_command is more than white space.", command_is_there },
    { "A00-6",     "raw_command is plain, or argv is given.", command_is_plain },
    { "A00-6",     "raw_command and argv hold no NUL.",     command_has_no_nul },
    { "A00-6",     "argv begins with the command.",         argv_names_command },
};
/* clang-format on */

const struct shape lane_shape = { .name = "lane request",
                                  .size = sizeof(struct lane_doc),
                                  FIELDS(lane_fields),
                                  RULES(lane_rules),
                                  .code = CODE_CONTRACT_INVALID };

/* ---- the manifest ---- */

/* What stands behind the prefix, or a text without bytes. */
static struct str behind(struct str text, const char *prefix)
{
    size_t n = strlen(prefix);

    if (text.n < n || memcmp(text.s, prefix, n) != 0)
        return (struct str){ 0 };
    return (struct str){ text.s + n, text.n - n };
}

/* A00-12, X-7: the slug has seen to the lower case. */
static void run_is_an_execution(const struct doc *d, const void *decoded, struct report *r)
{
    const struct manifest_doc *manifest = decoded;

    if (manifest->run_id.n && !uuid_v4(behind(manifest->run_id, "run-"), NULL))
        report_add(r, ABOUT_VALUE, doc_get(d, "run_id"), CODE_CONTRACT_INVALID,
                   "run_id is %s, must be 'run-' and a UUID v4", said(manifest->run_id, r->a));
}

static void trace_is_a_correlation(const struct doc *d, const void *decoded, struct report *r)
{
    const struct manifest_doc *manifest = decoded;

    if (manifest->trace_id.n && behind(manifest->trace_id, "trace-").n == 0)
        report_add(r, ABOUT_VALUE, doc_get(d, "trace_id"), CODE_CONTRACT_INVALID,
                   "trace_id is %s, must be 'trace-' and the correlation id",
                   said(manifest->trace_id, r->a));
}

/* clang-format off */
#define AT(member) offsetof(struct manifest_doc, member)
static const struct field manifest_fields[] = {
    { "command_provenance", F_TEXT,   ONE, NEEDED, .at = AT(command_provenance), .min = 1,                       .req = "R-000-073", .help = "The command and where it came from." },
    { "outcome_class",      F_CHOICE, ONE, NEEDED, .at = AT(outcome_class), .choices = outcome_class_names,      .req = "R-000-075", .help = "How it ended." },
    { "run_id",             F_TEXT,   ONE, NEEDED, .at = AT(run_id), .form = FORM_SLUG,                          .req = "R-000-070", .help = "run- and the execution id." },
    { "scenario_id",        F_TEXT,   ONE, NEEDED, .at = AT(scenario_id), .form = FORM_SLUG,                     .req = "R-000-071", .help = "The scenario, or the class." },
    { "trace_id",           F_TEXT,   ONE, NEEDED, .at = AT(trace_id), .form = FORM_SLUG,                        .req = "R-000-072", .help = "trace- and the correlation id." },
    { "transcript_path",    F_TEXT,   ONE, NEEDED, .at = AT(transcript_path), .min = 1,                          .req = "R-000-076", .help = "Where the transcript is kept." },
    { "worker_route",       F_CHOICE, ONE, NEEDED, .at = AT(worker_route), .choices = route_names,               .req = "R-000-074", .help = "Where it ran." },
};
#undef AT

static const struct rule manifest_rules[] = {
    { "R-000-070", "run_id is run- and a UUID v4.",              run_is_an_execution },
    { "R-000-072", "trace_id is trace- and the correlation id.", trace_is_a_correlation },
};
/* clang-format on */

const struct shape manifest_shape = { .name = "manifest",
                                      .size = sizeof(struct manifest_doc),
                                      FIELDS(manifest_fields),
                                      RULES(manifest_rules),
                                      .code = CODE_CONTRACT_INVALID };

/* ---- the result ---- */

/* The words in which a lane ends: its state, and the outcome class that goes with it. */
static const struct {
    enum route_state state;
    enum outcome_class outcome;
} ends[] = {
    { ROUTE_SUCCEEDED, OUTCOME_SUCCESS },
    { ROUTE_FAILED, OUTCOME_FAILED },
    { ROUTE_CANCELLED, OUTCOME_CANCELLED },
};

static bool is_aborted(const struct lane_result_doc *result)
{
    return str_is(result->failure_code, codes[CODE_INVALID_TRANSITION].name);
}

/* A00-10: after an undeclared transition the state stays where it was, and the lane has failed. */
static void aborted_has_failed(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_result_doc *result = decoded;

    if (is_aborted(result) && result->outcome_class == OUTCOME_CANCELLED)
        report_add(r, ABOUT_VALUE, doc_get(d, "outcome_class"), CODE_CONTRACT_INVALID,
                   "outcome_class is %s, must be %s after %s",
                   outcome_class_names[OUTCOME_CANCELLED], outcome_class_names[OUTCOME_FAILED],
                   codes[CODE_INVALID_TRANSITION].name);
}

static void state_fits_outcome(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_result_doc *result = decoded;

    if (result->state == CHOICE_NONE || result->outcome_class == CHOICE_NONE || is_aborted(result))
        return;
    for (size_t i = 0; i < COUNT(ends); i++) {
        if ((int)ends[i].state == result->state && (int)ends[i].outcome == result->outcome_class)
            return;
    }
    report_add(r, ABOUT_VALUE, doc_get(d, "state"), CODE_CONTRACT_INVALID,
               "state is %s, which is not how a lane of outcome_class %s ends",
               route_state_names[result->state], outcome_class_names[result->outcome_class]);
}

static void success_has_no_code(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_result_doc *result = decoded;

    if (result->failure_code.s && result->outcome_class == OUTCOME_SUCCESS)
        report_add(r, ABOUT_VALUE, doc_get(d, "failure_code"), CODE_CONTRACT_INVALID,
                   "failure_code is %s, must be null in a success",
                   said(result->failure_code, r->a));
}

/* A00-2: exit_zero alone leads to succeeded. */
static void success_exits_zero(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_result_doc *result = decoded;

    if (result->exit_code != 0 && result->outcome_class == OUTCOME_SUCCESS)
        report_add(r, ABOUT_VALUE, doc_get(d, "exit_code"), CODE_CONTRACT_INVALID,
                   "exit_code is %" PRId64 ", must be 0 in a success", result->exit_code);
}

static void manifest_agrees(const struct doc *d, const void *decoded, struct report *r)
{
    const struct lane_result_doc *result = decoded;
    const struct manifest_doc *manifest = result->artifact_manifest;
    const struct doc *at = doc_get(d, "artifact_manifest");

    if (!manifest)
        return;
    if (result->outcome_class != CHOICE_NONE && manifest->outcome_class != CHOICE_NONE &&
        manifest->outcome_class != result->outcome_class)
        report_add(r, ABOUT_VALUE, doc_get(at, "outcome_class"), CODE_CONTRACT_INVALID,
                   "outcome_class is %s, must be %s as in the result",
                   outcome_class_names[manifest->outcome_class],
                   outcome_class_names[result->outcome_class]);
    if (result->route != CHOICE_NONE && manifest->worker_route != CHOICE_NONE &&
        manifest->worker_route != result->route)
        report_add(r, ABOUT_VALUE, doc_get(at, "worker_route"), CODE_CONTRACT_INVALID,
                   "worker_route is %s, must be %s, the route of the result",
                   route_names[manifest->worker_route], route_names[result->route]);
}

/* clang-format off */
#define AT(member) offsetof(struct lane_result_doc, member)
static const struct field result_fields[] = {
    { "artifact_manifest", F_SHAPE,  ONE, NEEDED,   .at = AT(artifact_manifest), .sub = &manifest_shape,            .req = "R-000-017", .help = "The pointers for replay and audit." },
    { "command_id",        F_TEXT,   ONE, NEEDED,   .at = AT(command_id), .min = 1,                                 .req = "R-000-018", .help = "That of the request." },
    { "exit_code",         F_INT,    ONE, NEEDED,   .at = AT(exit_code), .min = 0, .max = EXIT_CODE_MAX,            .req = "R-000-019", .help = "What the command ended with." },
    { "outcome_class",     F_CHOICE, ONE, NEEDED,   .at = AT(outcome_class), .choices = outcome_class_names,        .req = "R-000-020", .help = "How it ended." },
    { "route",             F_CHOICE, ONE, NEEDED,   .at = AT(route), .choices = route_names,                        .req = "R-000-021", .help = "Where it ran." },
    { "routed_command",    F_TEXT,   ONE, NEEDED,   .at = AT(routed_command), .min = 1,                             .req = "R-000-022", .help = "The command line that was executed." },
    { "state",             F_CHOICE, ONE, NEEDED,   .at = AT(state), .choices = route_state_names,                  .req = "R-000-023", .help = "The state it ended in." },
    { "failure_code",      F_TEXT,   ONE, NULLABLE, .at = AT(failure_code), .min = 1,                               .req = "R-000-035", .help = "Why it failed; null when it did not." },
    { "route_reason",      F_CHOICE, ONE, NULLABLE, .at = AT(route_reason), .choices = route_reason_names, .fallback = CHOICE_NONE, .req = "A00-4", .help = "Why it ran there." },
};
#undef AT

static const struct rule result_rules[] = {
    { "R-000-023", "state is an end, and the one outcome_class says.",          state_fits_outcome },
    { "A00-10",    "A lane with failure_code invalid_transition has failed.",   aborted_has_failed },
    { "R-000-035", "A success has no failure_code.",                            success_has_no_code },
    { "A00-2",     "A success has exit_code 0.",                                success_exits_zero },
    { "R-000-077", "The manifest says the same outcome and route.",             manifest_agrees },
};
/* clang-format on */

const struct shape lane_result_shape = { .name = "lane result",
                                         .size = sizeof(struct lane_result_doc),
                                         FIELDS(result_fields),
                                         RULES(result_rules),
                                         .code = CODE_CONTRACT_INVALID };
