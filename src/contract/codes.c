/* SPDX-License-Identifier: Apache-2.0 */
/* codes.c: the table of codes, and what the severities mean. */
#include "contract/codes.h"

/* clang-format off */
const struct code_row codes[CODE_COUNT] = {
    [CODE_NONE]          = { "",              "writ", "",      false, "Nothing went wrong.", "None." },
    [CODE_IO]            = { "IO",            "writ", "error", false, "A file or stream could not be read or written.", "Look at the path and its permissions, then run again." },
    [CODE_SYNTAX]        = { "SYNTAX",        "writ", "error", false, "The text is not well-formed YAML or JSON.", "Correct the document at the place named." },
    [CODE_ENCODING]      = { "ENCODING",      "writ", "error", false, "The bytes are not UTF-8.", "Save the document as UTF-8." },
    [CODE_DUPLICATE_KEY] = { "DUPLICATE_KEY", "writ", "error", false, "A map gives the same key twice.", "Keep one of the two." },
    [CODE_CEILING]       = { "CEILING",       "writ", "error", false, "The document is larger, deeper or longer than a reader takes.", "Make it smaller; `writ explain ceilings` lists the sizes." },
    [CODE_NUMBER]        = { "NUMBER",        "writ", "error", false, "A number cannot be held exactly.", "Write it as text, or with fewer digits." },
    [CODE_YAML_SUBSET]   = { "YAML_SUBSET",   "writ", "error", false, "The YAML is right, but uses a part of YAML that writ does not read.", "Write it in the plain way the message names." },
    [CODE_KIND_UNKNOWN]  = { "KIND_UNKNOWN",  "writ", "error", false, "The document does not show what kind it is.", "Name the kind with --as, or give the fields that tell." },
    [CODE_SCHEMA_INVALID]  = { "SCHEMA_INVALID",  "writ", "error", false, "A JSON Schema is not valid, or refers to something that is not there.", "Correct the schema at the place named." },
    [CODE_SCHEMA_MISMATCH] = { "SCHEMA_MISMATCH", "writ", "error", false, "The document is not what the JSON Schema asks for.", "Correct the document at the place named, or the schema." },
    [CODE_USAGE]           = { "USAGE",           "writ", "error", false, "The command line, or the call of the library, is not one that writ accepts.", "Type what `writ VERB --help` shows; for programs, libwrit(3) says it." },

    [CODE_CONTRACT_INVALID]   = { "CONTRACT_INVALID",   "writ", "error",    false, "A configuration (config.yaml) or the route contract does not have the form it must have, or breaks a rule.", "Correct what is named (`writ explain config` lists its fields); nothing is routed until then." },
    [CODE_COMMAND_FAILED]     = { "command_failed",     "000",  "high",     false, "The command ended with an exit code other than 0.", "Inspect stderr and open remediation workflow." },
    [CODE_COMMAND_TIMEOUT]    = { "command_timeout",    "000",  "high",     true,  "The command ran past its hard timeout.", "Retry with bounded policy and attach transcript artifact." },
    [CODE_INVALID_TRANSITION] = { "invalid_transition", "000",  "critical", false, "A command was asked to move along an edge that is not declared.", "Abort run and emit state-machine diagnostics." },
    [CODE_RCH_UNAVAILABLE]    = { "rch_unavailable",    "000",  "medium",   true,  "The remote worker could not be reached.", "Apply local fallback policy and log route downgrade." },
    [CODE_WORKER_LOST]        = { "worker_lost",        "000",  "high",     false, "The worker was lost after it had begun, or its record cannot be true; how the command ended is not known.", "Look at what it did before running it again." },
    [CODE_WORKER_UNKNOWN]     = { "WORKER_UNKNOWN",     "writ", "error",    false, "The configuration names no such worker.", "Name one in your own writ/config.yaml, or leave it out." },
    [CODE_LANE_NOT_RUNNING]   = { "LANE_NOT_RUNNING",   "writ", "error",    false, "No lane of that id runs.", "See how it ended with `writ show`." },

    [CODE_LIMIT_RANGE]         = { "LIMIT_RANGE",         "writ", "error", false, "A limit lies outside its allowed range.", "Use a value in the range; `writ explain limits` lists them." },
    [CODE_APPROVAL_MISSING]    = { "APPROVAL_MISSING",    "writ", "error", false, "The level asked for needs a recorded approval, and there is none.", "Have it approved in the registry, or ask for a lower level." },
    [CODE_REGISTRY_SHELL]      = { "REGISTRY_SHELL",      "writ", "warn",  false, "The registry lets a shell or an interpreter run, which can run anything.", "Name the programs it is meant to start instead." },
    [CODE_LAYER_MISSING]       = { "LAYER_MISSING",       "writ", "fatal", false, "This machine cannot enforce a limit the run needs; nothing ran.", "Run `writ doctor` and do what it says." },
    [CODE_COMMAND_NOT_ALLOWED] = { "COMMAND_NOT_ALLOWED", "writ", "error", false, "The registry does not let this command run; nothing ran.", "List it under its tool in the registry, or run what is listed." },
    [CODE_ARGUMENT_REFUSED]    = { "ARGUMENT_REFUSED",    "writ", "error", false, "An argument or a variable is not taken by the tool, or by any program.", "Change the argument the message names." },
    [CODE_PATH_REFUSED]        = { "PATH_REFUSED",        "writ", "error", false, "A path leaves the directories of the run, or goes through a link; nothing ran.", "Use a path below an allowed directory, or allow its directory." },
    [CODE_PATH_CHANGED]        = { "PATH_CHANGED",        "writ", "error", true,  "Somebody replaced or removed a path while the run was prepared; nothing ran.", "Run it again." },
    [CODE_NOT_ADOPTED]         = { "NOT_ADOPTED",         "writ", "error", false, "A command could make or change a file of this .writ; it is not obeyed.", "Look at it, then `writ adopt` it, or remove it." },
    [CODE_INPUT_TOO_LARGE]     = { "INPUT_TOO_LARGE",     "writ", "error", false, "A command may not be given that much on standard input or in files; nothing ran.", "Give less, or say on_oversize: truncate in a request; `writ explain inputs` lists the sizes." },
    [CODE_CHANGE_REFUSED]      = { "CHANGE_REFUSED",      "writ", "error", false, "A change of a run may not be written to the disk, or no longer; nothing was changed.", "Leave that path out, or look at the run with `writ show`." },
    [CODE_CHANGE_CONFLICT]     = { "CHANGE_CONFLICT",     "writ", "error", false, "A path is not as the run found it: somebody changed it since; nothing was changed.", "Compare it with `writ diff`, then leave it out, put it back, or run again." },

    [CODE_ADAPTER_UNKNOWN]       = { "ADAPTER_UNKNOWN",       "writ", "error", false, "There is no adapter of that id or name.", "See `writ adapters` for those there are." },
    [CODE_ADAPTER_AMBIGUOUS]     = { "ADAPTER_AMBIGUOUS",     "writ", "error", false, "More than one adapter goes by that id or name.", "Use an adapter_id once, and call by it." },
    [CODE_OPERATION_UNKNOWN]     = { "OPERATION_UNKNOWN",     "writ", "error", false, "The adapter has no such operation.", "See `writ adapters NAME --level L1` for its operations." },
    [CODE_OPERATION_NOT_ALLOWED] = { "OPERATION_NOT_ALLOWED", "writ", "error", false, "The registry does not let the operation be called; nothing ran.", "List it under its tool in .writ/tools.yaml, and have it reviewed." },
    [CODE_PARAMETER_REFUSED]     = { "PARAMETER_REFUSED",     "writ", "error", false, "A parameter is missing, unknown, or not what the operation takes; nothing ran.", "Give what `writ adapters NAME --level L2` shows." },
    [CODE_TOOL_VERSION]          = { "TOOL_VERSION",          "writ", "error", false, "The tool that is installed is not of the version the registry or the adapter asks for.", "Install that version, or have the other one reviewed." },
    [CODE_TOOL_CHANGED]          = { "TOOL_CHANGED",          "writ", "error", false, "A tool of an MCP server is no longer what was pinned; it was not called.", "Look at what changed; then import the adapter again." },
    [CODE_TRANSFORM_FAILED]      = { "TRANSFORM_FAILED",      "writ", "error", false, "What came out is not what the adapter's transforms take.", "Look at the output, then correct the adapter's transforms." },
    [CODE_SECRET_MISSING]        = { "SECRET_MISSING",        "writ", "error", false, "A secret the adapter needs is not where the adapter says it is; nothing was sent.", "Put it there; `writ explain adapter` shows the places." },
    [CODE_SECRET_IN_PARAMETER]   = { "SECRET_IN_PARAMETER",   "writ", "error", false, "A parameter holds the value of a secret, and would be recorded; nothing ran.", "Leave it out of the parameters; the adapter hands over the secrets it names." },
    [CODE_HOST_REFUSED]          = { "HOST_REFUSED",          "writ", "error", false, "The host or its address is not among those that are allowed; nothing was sent.", "List it in the adapter's sandbox_override.network.allow, and have the tool approved." },
    [CODE_PEER_UNAVAILABLE]      = { "PEER_UNAVAILABLE",      "writ", "error", true,  "The service or server could not be reached, or did not answer in time.", "Look whether it runs; then try again." },
    [CODE_PEER_ERROR]            = { "PEER_ERROR",            "writ", "error", false, "The service or server answered that it failed.", "Look at the status and message in the record." },
    [CODE_PEER_PROTOCOL]         = { "PEER_PROTOCOL",         "writ", "error", false, "What the service or server sent does not follow its protocol.", "Look at the record; tell whoever runs the service." },
    [CODE_GOLDEN_DIFFERS]        = { "GOLDEN_DIFFERS",        "writ", "error", false, "The result of a call differs from its golden output.", "See `writ golden diff`; record it again when the new output is right." },
    [CODE_SCHEMA_MISSING]        = { "SCHEMA_MISSING",        "writ", "warn",  false, "Parameters are to be validated, but the adapter has no schema for them.", "Give operations.<operation>.input a JSON Schema." },

    [CODE_VALIDATION_ERROR]            = { "VALIDATION_ERROR",            "writ", "error", false, "A document does not have the form its contract asks for.", "Correct it at the place named; `writ explain KIND` lists its fields." },
    [CODE_COHERENCE_BLOCKED]           = { "COHERENCE_BLOCKED",           "002",  "error", false, "What the execution depends on is stale or incomplete.", "Take a new snapshot and start a rerun with a new executionId." },
    [CODE_COHERENCE_GATE_PLANNED_ONLY] = { "COHERENCE_GATE_PLANNED_ONLY", "writ", "error", false, "A run that is not a dry run stays planned, since nothing is published here.", "Run it with dryRun true." },
    [CODE_IDEMPOTENCY_CONFLICT]        = { "IDEMPOTENCY_CONFLICT",        "002",  "error", false, "The same event is already there with another payload or lineage.", "Use a new attempt, or a new executionId." },
    [CODE_EVENT_TRANSITION]            = { "INVALID_TRANSITION",          "writ", "error", false, "The event may not follow the last one of its execution.", "Append the event the message says is allowed." },
    [CODE_MODEL_OUTPUT_INVALID]        = { "MODEL_OUTPUT_INVALID",        "002",  "error", true,  "What the model gave cannot be used.", "Retry with a higher attempt." },
    [CODE_PARTIAL_REQUIRES_REVIEW]     = { "PARTIAL_REQUIRES_REVIEW",     "002",  "error", false, "The inputs are incomplete, so a person has to look before it is published.", "Review the draft, or complete the inputs and start a rerun." },
    [CODE_RESULT_MISSING]              = { "RESULT_MISSING",              "writ", "warn",  false, "A succeeded event should have a result.", "Add payload.result." },
    [CODE_ERROR_UNEXPECTED]            = { "ERROR_UNEXPECTED",            "writ", "warn",  false, "An event that did not fail has an error.", "Remove payload.error, or make the state failed." },
    [CODE_LINEAGE_MISSING]             = { "LINEAGE_MISSING",             "writ", "error", false, "An event depends on a ledger entry that is not there.", "Enter the input first, with `writ ledger input`, and name the id it prints." },
    [CODE_LINEAGE_LATER]               = { "LINEAGE_LATER",               "writ", "error", false, "An event depends on a ledger entry that was made after its snapshot.", "Take snapshotAt at or after the createdAt of every entry it depends on." },
    [CODE_EXECUTION_USED]              = { "EXECUTION_USED",              "writ", "error", false, "The execution id has been used before; nothing ran.", "Ask with a new id; `writ show ID` tells what the first one did." },
    [CODE_ENTRY_UNKNOWN]               = { "ENTRY_UNKNOWN",               "writ", "error", false, "The ledger has nothing of that name.", "Look for it with `writ log`." },
    [CODE_ENTRY_AMBIGUOUS]             = { "ENTRY_AMBIGUOUS",             "writ", "error", false, "More than one entry or execution goes by that name.", "Give more of its id, or say whose it is with --tenant or --robot." },
    [CODE_LEDGER_MISSING]              = { "LEDGER_MISSING",              "writ", "error", false, "There is no ledger where one was looked for.", "Name another with --ledger; `writ exec` and `writ ledger append` begin one." },
    [CODE_LEDGER_DAMAGED]              = { "LEDGER_DAMAGED",              "writ", "fatal", false, "The ledger has something in it that writ never wrote.", "Keep the file as it is, and run `writ verify` on a copy." },
    [CODE_KEY_UNKNOWN]                 = { "KEY_UNKNOWN",                 "writ", "error", false, "No key is known here that could judge a signature.", "Give it with --key, as `writ checkpoint` showed it." },
    [CODE_TOPIC_UNKNOWN]               = { "TOPIC_UNKNOWN",               "writ", "error", false, "Nothing that writ can explain has this name.", "See `writ explain` for what there is." },

    [CODE_EXECUTOR_EXCEPTION] = { "EXECUTOR_EXCEPTION", "003",  "error", false, "The executor raised an exception, trapped or crashed.", "Correct the executor, or the payload it was given." },
    [CODE_EXECUTOR_TIMEOUT]   = { "EXECUTOR_TIMEOUT",   "003",  "error", false, "The executor used more time than its limits.timeout_ms.", "Give it less to do, or raise the limit in its manifest." },
    [CODE_LIMIT_EXCEEDED]     = { "LIMIT_EXCEEDED",     "003",  "error", false, "The payload or the output is larger, deeper or longer than the limits say.", "Make it smaller, or raise the limit in the manifest." },
    [CODE_NON_JSON_PAYLOAD]   = { "NON_JSON_PAYLOAD",   "writ", "error", false, "The payload is not JSON, so the executor was not called.", "Give the payload as JSON." },
    [CODE_OUTPUT_NOT_JSON]    = { "OUTPUT_NOT_JSON",    "writ", "error", false, "The executor returned something that is neither JSON nor nothing.", "Correct the executor." },
    [CODE_AUDIT_LOG_FAILED]   = { "AUDIT_LOG_FAILED",   "writ", "fatal", false, "The audit record could not be written, so nothing ran.", "Make the ledger writable, then run again." },
    [CODE_EXECUTION_ATTEMPT]  = { "EXECUTION_ATTEMPT",  "writ", "warn",  false, "An execution is about to start; the record says PENDING.", "None; the final record follows." },
    [CODE_EXECUTOR_UNKNOWN]   = { "EXECUTOR_UNKNOWN",   "writ", "error", false, "There is no executor of that name and version.", "See writ executors for those there are." },
    [CODE_EXECUTOR_REFUSED]   = { "EXECUTOR_REFUSED",   "writ", "error", false, "The review gate does not take the executor.", "Correct what it names, then add it again." },
    [CODE_EXECUTOR_CHANGED]   = { "EXECUTOR_CHANGED",   "writ", "fatal", false, "A registered executor is not what was approved.", "Find out who changed it; then add it under a higher version." },

    [CODE_CONTEXT_MISSING]       = { "CONTEXT_MISSING",       "004",  "fatal",       false, "A context key the plan requires was not given.", "Add the key to the environment of the context." },
    [CODE_INVALID_PAYLOAD]       = { "INVALID_PAYLOAD",       "004",  "fatal",       false, "A document, such as a plan, or a step's payload in it does not have the form it must have.", "Correct what is named (`writ explain KIND` lists the fields of a kind of document), then start a new execution." },
    [CODE_STEP_TIMEOUT]          = { "STEP_TIMEOUT",          "004",  "error/fatal", true,  "A step ran past its timeout_ms.", "Raise timeout_ms, or give the step less to do." },
    [CODE_PLAN_TIMEOUT]          = { "PLAN_TIMEOUT",          "004",  "fatal",       false, "The plan ran past plan.timeout_ms, or somebody stopped it.", "Split the plan or raise timeout_ms, unless somebody stopped it." },
    [CODE_DEADLINE_EXCEEDED]     = { "DEADLINE_EXCEEDED",     "004",  "fatal",       false, "The execution ran past context.deadline_ms.", "Start a new execution with a later deadline." },
    [CODE_DEPENDENCY_UNRESOLVED] = { "DEPENDENCY_UNRESOLVED", "004",  "fatal",       false, "A step depends on one that is not there or did not complete.", "Look at the step it depends on first." },
    [CODE_ACTION_NOT_FOUND]      = { "ACTION_NOT_FOUND",      "004",  "fatal",       false, "No handler is registered for a step's action.", "Correct the action's name, or register it." },
    [CODE_RESOURCE_EXHAUSTED]    = { "RESOURCE_EXHAUSTED",    "004",  "fatal",       false, "The executor ran out of memory, disk or descriptors.", "Free the resource or raise its limit, then start a new execution." },
    [CODE_EXECUTION_HALTED]      = { "EXECUTION_HALTED",      "004",  "error",       false, "A step failed and its on_failure says halt, or somebody called it off.", "Look at the cause, then start a new execution." },
    [CODE_STEP_SKIPPED]          = { "STEP_SKIPPED",          "004",  "warn",        false, "A step was skipped, as its on_failure says.", "None; look at the step's own error." },
    [CODE_UNKNOWN_ERROR]         = { "UNKNOWN_ERROR",         "004",  "fatal",       false, "Something failed that no other code describes.", "Report it with the error's context." },
    [CODE_STEP_FAILED]           = { "STEP_FAILED",           "writ", "error",       true,  "A step's action ran and failed.", "Its message says why; `writ show` of the execution that its context names has what it printed." },
    [CODE_PLAN_PARTIAL]          = { "PLAN_PARTIAL",          "writ", "error",       false, "The plan completed some of its steps, not all.", "Use what is there, or start a new execution." },
    [CODE_PLAN_MODIFIED]         = { "PLAN_MODIFIED",         "writ", "fatal",       false, "The file of a plan was changed while the plan ran.", "Find out which step wrote it, or edit the file when the plan has ended; then start a new execution." },
    [CODE_RETRY_WITHOUT_EFFECT]  = { "RETRY_WITHOUT_EFFECT",  "writ", "warn",        false, "A retry that can never happen: after a code that is always fatal, or of a plan that can be used only once.", "Remove the code from the list; make the plan a template." },
    [CODE_ON_FAILURE_WITHOUT_EFFECT] = { "ON_FAILURE_WITHOUT_EFFECT", "writ", "warn",  false, "A step whose failure always ends the plan says that the plan goes on.", "Write halt, which is what happens; a step that may fail is a command or a call." },
};

static const struct column code_columns[] = {
    { "name",      COLUMN_TEXT, offsetof(struct code_row, name) },
    { "origin",    COLUMN_TEXT, offsetof(struct code_row, origin) },
    { "severity",  COLUMN_TEXT, offsetof(struct code_row, severity) },
    { "retryable", COLUMN_BOOL, offsetof(struct code_row, retryable) },
    { "meaning",   COLUMN_TEXT, offsetof(struct code_row, meaning) },
    { "action",    COLUMN_TEXT, offsetof(struct code_row, action) },
};

const struct severity_row severities[SEVERITY_COUNT] = {
    [SEVERITY_WARN]  = { "warn",  true,  "Not critical; the execution continues.",                         "Log a warning and continue." },
    [SEVERITY_ERROR] = { "error", true,  "A step failed; the plan may continue, as its on_failure says.",  "Apply the step's on_failure policy." },
    [SEVERITY_FATAL] = { "fatal", false, "The system failed; the plan cannot continue.",                   "Halt the execution; the plan ends in failure." },
};

static const struct column severity_columns[] = {
    { "name",        COLUMN_TEXT, offsetof(struct severity_row, name) },
    { "recoverable", COLUMN_BOOL, offsetof(struct severity_row, recoverable) },
    { "meaning",     COLUMN_TEXT, offsetof(struct severity_row, meaning) },
    { "response",    COLUMN_TEXT, offsetof(struct severity_row, response) },
};

/* what the words of contract 000 weigh in contract 004, and its own words. */
static const struct { const char *word; enum severity is; } words[] = {
    { "warn",   SEVERITY_WARN }, { "error",  SEVERITY_ERROR }, { "fatal", SEVERITY_FATAL },
    { "low",    SEVERITY_WARN }, { "medium", SEVERITY_WARN },
    { "high",   SEVERITY_ERROR }, { "critical", SEVERITY_FATAL },
};

static const char *const recoveries[] = {
    [RECOVERY_NEVER]         = "never",
    [RECOVERY_IF_RETRYABLE]  = "if retryable",
    [RECOVERY_IF_ON_FAILURE] = "unless on_failure is halt",
    [RECOVERY_BY_RESOURCE]   = "by resource",
};

const struct recovery_row recovery[RECOVERY_ROWS] = {
    { "context requirement missing",   "CONTEXT_MISSING",       RECOVERY_NEVER },
    { "step timeout exceeded",         "STEP_TIMEOUT",          RECOVERY_IF_RETRYABLE },
    { "dependency resolution failed",  "DEPENDENCY_UNRESOLVED", RECOVERY_NEVER },
    { "execution deadline exceeded",   "DEADLINE_EXCEEDED",     RECOVERY_NEVER },
    { "payload validation failed",     "INVALID_PAYLOAD",       RECOVERY_NEVER },
    { "action handler missing",        "ACTION_NOT_FOUND",      RECOVERY_NEVER },
    { "step logic error",              "STEP_FAILED",           RECOVERY_IF_ON_FAILURE },
    { "resource exhaustion",           "RESOURCE_EXHAUSTED",    RECOVERY_BY_RESOURCE },
};

static const struct column recovery_columns[] = {
    { "condition",   COLUMN_TEXT, offsetof(struct recovery_row, condition) },
    { "code",        COLUMN_TEXT, offsetof(struct recovery_row, code) },
    { "recoverable", COLUMN_NAME, offsetof(struct recovery_row, recoverable), recoveries },
};
/* clang-format on */

/* The first row means that nothing went wrong: it is no code to explain. */
const struct table codes_table = {
    .name = "codes",
    .about = "Every code writ reports, what it means and what to do next.",
    COLUMNS(code_columns),
    .keys = 1,
    .rows = &codes[1],
    .row_size = sizeof codes[0],
    .row_count = CODE_COUNT - 1,
};

const struct table severities_table = {
    .name = "severities",
    .about = "How bad an error of a plan is, from contract 004.",
    COLUMNS(severity_columns),
    .keys = 1,
    ROWS(severities),
};

const struct table recovery_table = {
    .name = "recovery",
    .about = "Which failures a plan can recover from, from contract 004.",
    COLUMNS(recovery_columns),
    .keys = 1,
    ROWS(recovery),
};

enum code code_named(struct str name)
{
    for (int i = CODE_NONE + 1; i < CODE_COUNT; i++) {
        if (str_is(name, codes[i].name))
            return (enum code)i;
    }
    return CODE_NONE;
}

enum severity code_severity(enum code code, bool retryable)
{
    struct str word = str_of(codes[code].severity);

    if (code == CODE_STEP_TIMEOUT)
        return retryable ? SEVERITY_ERROR : SEVERITY_FATAL;
    for (size_t i = 0; i < COUNT(words); i++) {
        if (str_is(word, words[i].word))
            return words[i].is;
    }
    return SEVERITY_FATAL;
}
