/* SPDX-License-Identifier: Apache-2.0 */
/* route.c: `writ route contract`, `plan` and `advance`: where commands go, by hand. */
#include <string.h>

#include <writ/routes.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/pretty.h"
#include "cli/print.h"
#include "cli/show.h"
#include "cli/units.h"

/* ---- contract ---- */

static int run_contract(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    bool json = args_get(args, "json");
    char *answer;
    int status = writ_route_contract(args->environment, &answer);

    if (status != WRIT_OK || json || !print_person())
        return keeper_tell(answer, status, status == WRIT_OK || json);
    pretty_show(answer_read(answer, &a), 0);
    writ_free(answer);
    return status;
}

/* ---- plan ---- */

static const struct {
    const char *name, *say;
} reasons[] = {
    { "force_rch", "the class wants it there" },
    { "prefer_remote", "as asked" },
    { "caller_local", "nothing else was asked for" },
    { "rch_unavailable", "" }, /* the plan says why */
};

static const char *reason_of(const struct doc *plan)
{
    struct str reason = doc_text(plan, "route_reason");

    for (size_t i = 0; i < COUNT(reasons); i++)
        if (str_is(reason, reasons[i].name))
            return reasons[i].say;
    return "";
}

static void show_route(const struct doc *plan)
{
    _buf_ struct buf text = { .max = SHOW_MAX };
    struct str worker = doc_text(plan, "worker"), gone = doc_text(plan, "unavailable");

    buf_addf(&text, "%.*s", STR_ARG(doc_text(plan, "route")));
    if (worker.n)
        buf_addf(&text, ", worker %.*s", STR_ARG(worker));
    if (gone.n)
        buf_addf(&text, ": %.*s", STR_ARG(gone));
    else
        buf_addf(&text, ": %s", reason_of(plan));
    show_folded("route", buf_str(&text));
}

static void show_timeouts(const struct doc *timeouts)
{
    static const char *const names[] = { "soft_timeout_secs", "hard_timeout_secs",
                                         "cancel_grace_secs" };
    static const char *const says[] = { "warns after", ", cancels after", ", kills after another" };
    _buf_ struct buf text = { .max = SHOW_MAX };

    for (size_t i = 0; i < COUNT(names); i++) {
        char took[UNITS_TEXT];

        units_time(doc_whole(timeouts, names[i]) * 1000, took);
        buf_addf(&text, "%s %s", says[i], took);
    }
    show_folded("timeouts", buf_str(&text));
}

static void show_retries(const struct doc *plan)
{
    _buf_ struct buf text = { .max = SHOW_MAX };
    struct str policy = doc_text(plan, "policy_id");
    int64_t most = doc_whole(plan, "max_retries");

    if (policy.n == 0)
        return;
    buf_addf(&text, "%.*s, ", STR_ARG(policy));
    if (most)
        buf_addf(&text, "tried again at most %d time%s", (int)most, most == 1 ? "" : "s");
    else
        buf_adds(&text, "tried once");
    show_folded("policy", buf_str(&text));
}

static void show_list(const char *label, const struct doc *list)
{
    _buf_ struct buf text = { .max = SHOW_MAX };

    for (const struct doc *f = doc_first(list, DOC_LIST); f; f = f->next)
        buf_addf(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(f->text));
    show_folded(label, buf_str(&text));
}

static void show_plan_of(const struct doc *plan)
{
    bool nowhere = str_is(doc_text(plan, "route"), "none");

    out(BOLD, "%.*s", STR_ARG(doc_text(plan, "command_class")));
    out(nowhere                           ? RED
        : doc_text(plan, "unavailable").n ? YELLOW
                                          : GREEN,
        "  %.*s\n", STR_ARG(doc_text(plan, "state")));
    show_folded("command", doc_text(plan, "normalized_command"));
    show_route(plan);
    show_folded("runs", nowhere ? str_of("nothing") : doc_text(plan, "routed_command"));
    show_timeouts(doc_get(plan, "timeouts"));
    show_retries(plan);
    show_list("manifest", doc_get(plan, "artifact_manifest_fields"));
}

static int plan_usage(const struct args *args)
{
    static const char *const beside[] = { "class", "remote" };
    const char *file = args_get(args, "file"), *available = args_get(args, "available");
    const char *fallback = args_get(args, "fallback"), *clash = NULL;

    for (size_t i = 0; i < COUNT(beside); i++)
        if (args_get(args, beside[i]))
            clash = beside[i];
    if (file && args->count > 0)
        say("a lane says what runs; give -f %s or a command, not both", file);
    else if (file && clash)
        say("a lane says that itself; --%s is for a command", clash);
    else if (!file && args->count == 0)
        say("route plan needs a command: writ route plan --class ID -- CMD ARG..., or -f LANE");
    else if (!file && !args_get(args, "class"))
        say("route plan needs a class: --class ID; writ explain classes lists those that ship");
    else if (available && strcmp(available, "yes") != 0 && strcmp(available, "no") != 0)
        say("--available is yes or no; '%s' is neither", available);
    else if (fallback && strcmp(fallback, "local") != 0 && strcmp(fallback, "fail_closed") != 0)
        say("--fallback is local or fail_closed; '%s' is neither", fallback);
    else
        return WRIT_OK;
    say("try: writ route plan --help");
    return WRIT_USAGE;
}

static int run_plan(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    const char *file = args_get(args, "file"), *contract = args_get(args, "contract");
    struct writ_input lane = { .name = file }, given = { .name = contract };
    struct writ_route route = { .lane = file ? &lane : NULL,
                                .class_id = args_get(args, "class"),
                                .argv = args->operands,
                                .remote = args_get(args, "remote"),
                                .worker = args_get(args, "worker"),
                                .fallback = args_get(args, "fallback"),
                                .available = args_get(args, "available"),
                                .contract = contract ? &given : NULL,
                                .environment = args->environment };
    char *answer;
    int status = plan_usage(args);

    if (status != WRIT_OK || args_share_input(args))
        return WRIT_USAGE;
    status = writ_route_plan(&route, &answer);
    if (status != WRIT_OK || args_get(args, "json"))
        return keeper_tell(answer, status, args_get(args, "json"));
    show_plan_of(answer_read(answer, &a));
    writ_free(answer);
    return status;
}

/* ---- advance ---- */

static int run_advance(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    const char *contract = args_get(args, "contract");
    struct writ_input given = { .name = contract };
    char *answer;
    int status = writ_route_advance(contract ? &given : NULL, args->operands[0], args->operands[1],
                                    args->environment, &answer);

    if (status != WRIT_OK || args_get(args, "json"))
        return keeper_tell(answer, status, args_get(args, "json"));
    out_line("%.*s", STR_ARG(doc_text(answer_read(answer, &a), "next")));
    writ_free(answer);
    return status;
}

/* ---- remediation ---- */

static void show_remediation(const struct doc *d)
{
    bool open = str_is(doc_text(d, "status"), "open");

    out(BOLD, "%.*s", STR_ARG(doc_text(d, "run_id")));
    out(open ? YELLOW : GREEN, "  %.*s\n", STR_ARG(doc_text(d, "status")));
    show_folded("command", doc_text(d, "command"));
    show_folded("do", doc_text(d, "operator_action"));
    show_folded("transcript", doc_text(d, "transcript_path"));
    if (!open)
        show_folded("closed", doc_text(d, "reason"));
}

static int run_remediation(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    bool json = args_get(args, "json");
    const char *run = args->count ? args->operands[0] : NULL;
    const struct doc *d, *list;
    char *answer;
    int status = writ_remediation(run, args_get(args, "close"), args->environment, &answer);

    if (status != WRIT_OK || json)
        return keeper_tell(answer, status, json);
    d = answer_read(answer, &a);
    list = doc_get(d, "remediations");
    for (const struct doc *one = doc_first(list, DOC_LIST); one; one = one->next)
        show_remediation(one);
    if (list && !list->count)
        say("nothing is left to be mended");
    if (!list)
        show_remediation(d);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_route = {
    .name = "route",
    .operands = "VERB",
    .summary = "where commands of a class go, and through which states",
    .about = "A command of a class (contract 000) goes to a worker or stays here, with the class's timeouts, and moves through declared states only. "
             "`writ exec --class` does all of it; these verbs show it, and run nothing. "
             "Classes are added in .writ/config.yaml, workers in ~/.config/writ/config.yaml.",
    .examples = { { "writ route plan --class cargo_test -- cargo test -p x", "where it would go, and how" },
                  { "writ route contract",                                   "classes, policies, timeouts, states and failures as one document" },
                  { "writ route advance running cancel",                     "the state that follows" } },
};

const struct command cmd_route_contract = {
    .name = "route contract",
    .operands = "",
    .summary = "the contract that holds here: classes, policies, timeouts, states",
    .about = "Prints the ExecutionAdapterContract: what writ ships and the classes of .writ/config.yaml and of the user's own configuration. "
             "The same configuration gives the same bytes. `writ check` takes any such contract.",
    .examples = { { "writ route contract",                "as a document" },
                  { "writ route contract | writ check -", "it holds by its own rules" },
                  { "writ explain classes",               "those that ship, as a table" } },
    .options = { { "json", NULL, NULL, "as one line, also on a terminal" } },
    .least = 0,
    .most = 0,
    .run = run_contract,
};

const struct command cmd_route_plan = {
    .name = "route plan",
    .operands = "[--] CMD ARG...",
    .summary = "where a command would go, by which policy, with which timeouts",
    .about = "Plans a command of a class and runs nothing: the command as it is compared with the class, its route and why, the line that would be executed, its timeouts. "
             "The same contract, request and availability give the same bytes. "
             "Exit 77 when the class does not take the command.",
    .examples = { { "writ route plan --class cargo_test -- cargo test -p x",            "to rch, if that is there" },
                  { "writ route plan --class pytest --worker gpu -- pytest -q",         "to a worker of the configuration" },
                  { "writ route plan --class cargo_test --available no -- cargo test",  "what would be done without rch" },
                  { "writ route plan -f lane.yaml --json",                              "what a request document asks for" } },
    .options = { { "file",      "LANE",     NULL,       "a request document instead of a command; - is standard input", .letter = 'f' },
                 { "class",     "ID",       "classes",  "the class of the command" },
                 { "remote",    NULL,       NULL,       "elsewhere, if a worker can be reached" },
                 { "worker",    "NAME",     NULL,       "to this worker, if it can be reached" },
                 { "fallback",  "HOW",      NULL,       "without the worker: local, or fail_closed; never looser than the configuration", .words = "local fail_closed" },
                 { "available", "YES",      NULL,       "yes or no: take it so, do not find out", .words = "yes no" },
                 { "contract",  "FILE",     NULL,       "look it up by this contract, not by the one that holds here; runs follow the one that the configurations make, which writ route contract shows" },
                 { "json",      NULL,       NULL,       "the plan as one JSON object" } },
    .least = 0,
    .most = OPERANDS_MAX,
    .command_line = true,
    .run = run_plan,
};

const struct command cmd_route_advance = {
    .name = "route advance",
    .operands = "STATE TRIGGER",
    .summary = "the state that follows by a declared edge",
    .about = "Prints the state that a trigger leads to. A pair that is not declared leads nowhere: exit 1, and the state stays. "
             "`writ explain route_states` lists the edges that ship.",
    .examples = { { "writ route advance planned enqueue",                     "queued" },
                  { "writ route advance running cancel --json",               "the same for programs" },
                  { "writ route advance a b --contract mine.json",            "by another contract, which is checked before" } },
    .options = { { "contract", "FILE", NULL, "look it up by this contract, not by the one that holds here; runs follow the one that the configurations make, which writ route contract shows" },
                 { "json",     NULL,   NULL, "the answer as one JSON object" } },
    .least = 2,
    .most = 2,
    .run = run_advance,
};

const struct command cmd_route_remediation = {
    .name = "route remediation",
    .operands = "[RUN]",
    .summary = "what lanes that failed have left to be mended, and its end",
    .about = "A lane whose command failed leaves a remediation: what failed, what to do, and where its output is. "
             "Lists those that are open, shows that of a run, or closes it with a reason.",
    .examples = { { "writ route remediation",                                          "those that are open" },
                  { "writ route remediation run-ID",                                   "that of a run" },
                  { "writ route remediation run-ID --close 'the test was wrong'",      "it is closed" } },
    .options = { { "close", "REASON", NULL, "close it, and say why" },
                 { "json",  NULL,     NULL, "the answer as one JSON object" } },
    .least = 0,
    .most = 1,
    .run = run_remediation,
};
/* clang-format on */
