/* SPDX-License-Identifier: Apache-2.0 */
/* ending.c: why a command was stopped or never ran, and what to do about it. */
#include "cli/ending.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/change_lines.h"
#include "cli/lane_lines.h"
#include "cli/print.h"
#include "cli/reached.h"
#include "cli/request.h"

enum {
    ID_SHORT = 8,     /* what of an id is enough */
    READER_MAX = 256, /* bytes of a script's first line that the kernel looks at */
    NOT_FOUND = 127,  /* the exit code of a program that is not there */
    DENIALS_SAID = 16,
};

/* ---- it ran ---- */

static double seconds(const struct doc *record)
{
    return (double)doc_whole(record, "duration_ms") / 1000;
}

/* It has the time of its class, or less where less was asked for. */
static void say_lanes_time(const struct doc *record)
{
    int64_t had_ms = doc_whole(doc_get(record, "limits"), "timeout_ms");
    int64_t hard_secs = doc_whole(record, "hard_timeout_secs");
    struct str class = doc_text(record, "class");

    if (had_ms < hard_secs * 1000)
        err(DIM,
            "      it had %.1f s, as asked for; the hard timeout of the class %.*s is %" PRId64
            " s\n",
            (double)had_ms / 1000, STR_ARG(class), hard_secs);
    else
        err(DIM, "      it had %.1f s: the hard timeout of the class %.*s\n", (double)had_ms / 1000,
            STR_ARG(class));
}

static void say_timeout(const struct doc *record)
{
    say("timeout: stopped after %.1f s (exit %" PRId64 ")", seconds(record),
        doc_whole(record, "exit_code"));
    if (doc_get(record, "lane"))
        say_lanes_time(record);
    else
        err(DIM, "      more time: --timeout-ms, at most 600000\n");
}

static void say_oom(const struct doc *record)
{
    say("out of memory: %" PRId64 " MB reached after %.2f s (exit %" PRId64 ")",
        doc_whole(doc_get(record, "limits"), "memory_mb"), seconds(record),
        doc_whole(record, "exit_code"));
    err(DIM, "      raise it with --memory-mb, at most 4096\n");
}

/* A script that is there ends as one that is not where its first line names nothing that is.
 * Nothing has run: what lies there is what the caller named. */
static void say_reader(const struct doc *record)
{
    struct str file = doc_text(doc_get(record, "executable"), "path");
    _arena_ struct arena a = { 0 };
    _fd_ int fd =
        file.n ? open(arena_text(&a, file), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    char line[READER_MAX + 1], *reader;
    ssize_t n = fd < 0 ? -1 : pread(fd, line, READER_MAX, 0);

    if (n < 3 || memcmp(line, "#!", 2) != 0)
        return;
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    reader = line + 2 + strspn(line + 2, " \t");
    if (line[strlen(line) - 1] == '\r')
        err(DIM, "      its first line ends with CR: give it the line ends of Unix\n");
    else
        err(DIM, "      its first line names %.*s, which is not there\n",
            (int)strcspn(reader, " \t"), reader);
}

static void say_unstarted(const struct doc *record)
{
    const struct doc *command = doc_first(doc_get(record, "command"), DOC_LIST);

    say("%.*s: %.*s (exit %" PRId64 ")", STR_ARG(command->text),
        STR_ARG(doc_text(record, "reason")), doc_whole(record, "exit_code"));
    if (doc_whole(record, "exit_code") == NOT_FOUND && !doc_get(record, "lane"))
        say_reader(record);
}

/* Was a program killed that a fixed run cannot hold? */
static bool is_unheld(const struct doc *record)
{
    const struct doc *held = doc_get(record, "deterministic");
    const struct doc *killed = held ? doc_get(held, "killed") : NULL;

    return killed && killed->truth;
}

/* The filter kills with this signal who calls by another door than that of 64 bits. A program can
 * also send it to itself, and nothing tells the one from the other. Its file is not looked at: it
 * has run, and what lies there now is what it left. */
static void say_other_door(const struct doc *record)
{
    say("ended by signal %d (exit %" PRId64 ")", SIGSYS, doc_whole(record, "exit_code"));
    err(DIM,
        "      so ends a call that is not of this processor's 64-bit kind (a 32-bit program?), "
        "or the program sent it itself\n");
}

/* Who sees one of these may take it for a limit of ours, or not know that it is one. What a worker
 * does is not known here. */
static void say_signaled(const struct doc *record)
{
    int64_t signal = doc_get(record, "lane") ? 0 : doc_whole(record, "signal");

    if (signal == SIGKILL)
        say("killed by signal 9%s (exit %" PRId64 ")", is_unheld(record) ? "" : ", not by writ",
            doc_whole(record, "exit_code"));
    else if (signal == SIGXFSZ)
        say("ended by signal %d: a file may have 1 GiB at most (exit %" PRId64 ")", SIGXFSZ,
            doc_whole(record, "exit_code"));
    else if (signal == SIGSYS)
        say_other_door(record);
}

/* Small programs that version managers put into PATH look beside them for the real ones, and end as
 * if they were not there themselves. */
static void say_alone(const struct doc *record)
{
    struct str file = doc_text(doc_place(record, "executable"), "path");
    const char *slash = file.n ? memrchr(file.s, '/', file.n) : NULL;
    struct str beside = { file.s, slash ? (size_t)(slash - file.s) + 1 : 0 };
    bool alone = false;

    if (doc_whole(record, "exit_code") != NOT_FOUND || !beside.n)
        return;
    for (const struct doc *p = doc_first(doc_get(record, "paths"), DOC_LIST); p; p = p->next) {
        struct str path = doc_text(p, "path");

        if (str_eq(path, file))
            alone = str_is(doc_text(p, "why"), "runtime");
        else if (path.n >= beside.n && memcmp(path.s, beside.s, beside.n) == 0)
            return;
    }
    if (!alone)
        return;
    say("of what lies around %.*s the command saw nothing else (exit %d)", STR_ARG(file),
        NOT_FOUND);
    err(DIM, "      if it needs a directory, give it that with --read\n");
}

/* Cancelled means that it ended when it was asked to. */
static bool was_killed(const struct doc *record)
{
    if (doc_get(record, "lane"))
        return str_is(doc_text(record, "state"), "failed");
    return doc_whole(record, "signal") == SIGKILL;
}

static void say_cancelled(const struct doc *record)
{
    if (was_killed(record)) {
        say("asked to end, it did not, and was killed after %.1f s (exit %" PRId64 ")",
            seconds(record), doc_whole(record, "exit_code"));
        return;
    }
    say("cancelled after %.1f s (exit %" PRId64 ")", seconds(record),
        doc_whole(record, "exit_code"));
}

static void say_lost(const struct doc *record)
{
    say("%.*s: nobody knows how the command ended (exit %" PRId64 ")",
        STR_ARG(doc_text(record, "reason")), doc_whole(record, "exit_code"));
    err(DIM, "      look at what it did before running it again\n");
}

static void say_violation(const struct doc *record)
{
    struct str reason = doc_text(record, "reason");

    if (reason.n) {
        say("killed after %.1f s: %.*s (exit %" PRId64 ")", seconds(record), STR_ARG(reason),
            doc_whole(record, "exit_code"));
        err(DIM, "      look at what it did before running it again\n");
        return;
    }
    say("killed after %.1f s: somebody outside replaced what it was kept from, and it was not any "
        "more (exit %" PRId64 ")",
        seconds(record), doc_whole(record, "exit_code"));
    err(DIM, "      look at what it did; with --write-mode cow such files may change meanwhile\n");
}

static void say_short(const struct doc *record)
{
    say("%.*s (exit %" PRId64 "; its own code is %" PRId64 ")",
        STR_ARG(doc_text(record, "meaning")), doc_whole(record, "exit_code"),
        doc_whole(record, "own_exit_code"));
}

/* Of a lane: its route is closed, and it may not go another way. */
static void say_unrun(const struct doc *record)
{
    say("nothing ran: no worker could be reached, and it may not run here (exit %" PRId64 ")",
        doc_whole(record, "exit_code"));
    err(DIM, "      writ doctor tells which routes are open\n");
}

static const struct {
    const char *cause;
    void (*tell)(const struct doc *record);
} endings[] = {
    { "timeout", say_timeout },     { "oom", say_oom },           { "exec_failed", say_unstarted },
    { "cancelled", say_cancelled }, { "lost", say_lost },         { "sandbox_error", say_unrun },
    { "unmet", say_short },         { "undelivered", say_short }, { "violation", say_violation },
    { "signaled", say_signaled },   { "exited", say_alone },
};

/* "3 times": how often, of what a record counts as it was used. */
static int64_t times(const struct doc *record, const char *count, const char **plural)
{
    int64_t n = doc_whole(doc_get(record, "usage"), count);

    *plural = n == 1 ? "" : "s";
    return n;
}

/* Whoever started what was killed may have ended with any code, and without a word about it. */
static void say_killed(const struct doc *record)
{
    const char *s;
    int64_t n = times(record, "oom_events", &s);

    if (n == 0 || str_is(doc_text(record, "cause"), "oom") || doc_get(record, "lane"))
        return;
    say("%" PRId64 " time%s a process was killed, out of memory: memory_mb is %" PRId64, n, s,
        doc_whole(doc_get(record, "limits"), "memory_mb"));
    err(DIM, "      raise it with --memory-mb, at most 4096\n");
}

/* The option that lets it start no process at all; NULL: it may start some. */
static const char *forbids_all(const struct doc *limits)
{
    if (!doc_get(limits, "allow_fork")) /* of a wrapper nobody but its worker knows */
        return NULL;
    if (!doc_get(limits, "allow_fork")->truth)
        return "--no-fork";
    return doc_whole(limits, "max_children") == 0 ? "--max-children 0" : NULL;
}

/* Where none may be started the filter refuses, and nobody counts. */
static void say_none(const struct doc *record, const char *option)
{
    if (str_is(doc_text(record, "cause"), "exited") && doc_whole(record, "exit_code") != 0)
        say("it may start no process (%s)", option);
}

static void say_hits(const struct doc *record)
{
    const struct doc *most = doc_get(record, "limits");
    const char *s, *option = forbids_all(most);
    int64_t hits = times(record, "pids_hits", &s);

    if (hits == 0 && option)
        say_none(record, option);
    if (hits == 0 || !doc_get(most, "allow_fork"))
        return;
    if (option) {
        say("%" PRId64 " time%s a process was refused: it may start none (%s)", hits, s, option);
        return;
    }
    say("%" PRId64 " time%s a process was refused: max_children is %" PRId64, hits, s,
        doc_whole(most, "max_children"));
    err(DIM, "      raise it with --max-children, at most 100\n");
}

static void say_threads(const struct doc *record)
{
    const char *s;
    int64_t n = times(record, "thread_hits", &s);

    if (n)
        say("%" PRId64 " time%s a thread was refused: a command has 512 threads at most", n, s);
}

static void say_filters(const struct doc *record)
{
    const char *s;
    int64_t n = times(record, "filter_hits", &s);

    if (n)
        say("%" PRId64
            " time%s a filter for system calls (seccomp) was refused: a run has 100 at most, "
            "all runs of a user 1000",
            n, s);
}

static void say_unheld(const struct doc *record)
{
    if (!is_unheld(record))
        return;
    say("a program was killed at its start: "
        "its file may be run and not read, it is a 32-bit program, or its stack is full");
    err(DIM, "      --deterministic fixed holds programs of 64 bits that are readable (chmod)\n"
             "      and have room on their stack (ulimit -s)\n");
}

/* What of the paths came out otherwise than somebody may have meant it. */
static void say_paths(const struct doc *record)
{
    const struct doc *checks = doc_get(record, "checks");
    struct str told = checks && checks->kind == DOC_MAP ? doc_text(checks, "IV-03") : str_of("ok");

    if (told.n && !str_is(told, "ok"))
        say("%.*s", STR_ARG(told));
}

static void say_denials(const struct doc *record)
{
    size_t n = 0;

    for (const struct doc *d = doc_first(doc_get(record, "denials"), DOC_LIST); d; d = d->next) {
        const struct doc *undone = doc_get(d, "undone");
        struct str moved_to = doc_text(d, "moved_to");

        if (n++ >= DENIALS_SAID)
            continue;
        say("%.*s was %.*s although it is %.*s: %s%.*s", STR_ARG(doc_text(d, "path")),
            STR_ARG(doc_text(d, "act")), STR_ARG(doc_text(d, "rule")),
            moved_to.n                ? "moved to "
            : undone && undone->truth ? "removed again"
                                      : "look at it",
            STR_ARG(moved_to));
    }
    if (n > DENIALS_SAID)
        err(DIM, "      and %zu more: see \"denials\" in the record\n", n - DENIALS_SAID);
    if (doc_text(record, "hint").n)
        err(DIM, "      %.*s\n", STR_ARG(doc_text(record, "hint")));
}

static void say_files(const struct doc *record, const char *list)
{
    for (const struct doc *f = doc_first(doc_get(record, list), DOC_LIST); f; f = f->next)
        if (!str_is(doc_text(f, "state"), "collected"))
            say("%.*s was not kept: %.*s", STR_ARG(doc_text(f, "path")),
                STR_ARG(doc_text(f, "state")));
}

static void say_expected(const struct doc *record)
{
    for (const struct doc *e = doc_first(doc_get(record, "expected"), DOC_MAP); e; e = e->next)
        if (!e->truth)
            say("%.*s is not what the request expects", STR_ARG(e->key));
}

/* Where to look when it did not end as it should. */
static void say_lane(const struct doc *record)
{
    const struct doc *lane = doc_get(record, "lane");
    struct str left = doc_text(record, "left_elsewhere");

    if (left.n)
        err(YELLOW, "      %.*s\n", STR_ARG(left));
    if (lane && !str_is(doc_text(record, "outcome_class"), "success"))
        err(DIM, "      transcript: %.*s\n",
            STR_ARG(doc_text(doc_get(record, "transcript"), "path")));
}

/* Of a run that wrote beside the disk: what, and what to do with it. */
static void say_changes(const struct doc *record)
{
    const struct doc *changes = doc_get(record, "changes");
    const struct doc *list = changes ? doc_get(changes, "list") : NULL;
    struct str id = doc_text(record, "execution_id");
    char words[CHANGE_WORDS];

    if (!list)
        return;
    change_words(list, words);
    if (doc_first(list, DOC_LIST))
        say("%s; see: writ diff %.*s; writ commit %.*s", words, ID_SHORT, id.s, ID_SHORT, id.s);
    else
        say("%s", words);
    if (doc_text(changes, "truncated").n)
        say("not all changes are listed: %.*s", STR_ARG(doc_text(changes, "truncated")));
}

/* What could not be passed on of a stream, and why; empty: all of it was. */
static struct str lost_of(const struct doc *record, const char *stream)
{
    const struct doc *printed = doc_get(record, stream);

    return printed && printed->kind == DOC_MAP ? doc_text(printed, "lost") : str_of("");
}

static void say_lost_output(const struct doc *record)
{
    struct str why = lost_of(record, "stdout");

    if (!why.n)
        why = lost_of(record, "stderr");
    if (why.n)
        say("what it printed could not be passed on: %.*s", STR_ARG(why));
}

/* Who asked for a variable and does not have it would look for the reason elsewhere. */
static void say_not_given(const struct doc *record)
{
    _buf_ struct buf names = { .max = 1 << 12 };

    lane_names(record, "not_given", &names);
    if (names.len)
        say("the command was not given %s as asked for: see `writ explain variables`", names.s);
}

/* The value is in the ledger now, and stays there. */
static void say_recorded(const struct doc *record)
{
    const struct doc *names = doc_get(record, "recorded_secrets");

    for (const struct doc *n = doc_first(names, DOC_LIST); n; n = n->next) {
        say("the value of %.*s is in the record; --env %.*s=env:NAME keeps a secret out of it",
            STR_ARG(n->text), STR_ARG(n->text));
    }
}

static void say_missing(const struct doc *record)
{
    _buf_ struct buf words = { .max = 1 << 13 };

    lane_held_words(record, &words);
    if (words.len)
        say("%s", words.s);
}

static void tell_end(const struct doc *record)
{
    struct str cause = doc_text(record, "cause");

    for (size_t i = 0; i < COUNT(endings); i++)
        if (str_is(cause, endings[i].cause))
            endings[i].tell(record);
    say_lost_output(record);
    say_expected(record);
    say_killed(record);
    say_hits(record);
    say_threads(record);
    say_filters(record);
    say_unheld(record);
    say_paths(record);
    say_not_given(record);
    say_recorded(record);
    say_denials(record);
    reached_say(record);
    say_files(record, "output_files");
    say_files(record, "artifacts");
    say_changes(record);
    say_lane(record);
    if (!str_is(cause, "exec_failed") && !str_is(cause, "violation"))
        say_missing(record);
}

/* ---- it did not ---- */

void ending_tell_options(const struct doc *report)
{
    for (const struct doc *p = doc_get(report, "problems")->first; p; p = p->next) {
        const char *option = request_option(doc_text(p, "pointer"));

        say("%s%s%s%.*s", option ? "--" : "", option ? option : "", option ? ": " : "",
            STR_ARG(doc_text(p, "message")));
    }
}

bool ending_is_about_options(const char *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);

    return str_is(doc_text(d, "kind"), "request");
}

bool ending_is_lost(const char *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);

    return lost_of(d, "stdout").n || lost_of(d, "stderr").n;
}

void ending_show(const char *answer, int status, bool ran, bool by_options)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);

    if (ran) {
        tell_end(d);
    } else if (status == WRIT_WRONG && by_options) {
        ending_tell_options(d);
    } else if (status == WRIT_WRONG) {
        (void)answer_problems(d, false);
    } else {
        say("%.*s", STR_ARG(doc_text(d, "message")));
        if (status == WRIT_NO_SANDBOX)
            err(DIM, "      nothing ran; writ doctor tells what to mend\n");
    }
}
