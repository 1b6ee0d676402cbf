/* SPDX-License-Identifier: Apache-2.0 */
/* admit.h: may this command run, with these arguments, this environment, these inputs?
 *
 * IV-01 to IV-05 of contract 001, decided on text alone: no file is looked at. What was allowed,
 * escaped, stripped or refused is kept as a sentence for the record.
 *
 * Which commands the registry names. An entry of scope.commands with a slash is one file: the
 * executable, by its real path or by a link that leads to it. A bare name, such as `rg`, is what
 * the policy's own search path finds under that name: it fits a command written as that bare name,
 * or as the absolute path of that very file. So `./rg` is never meant by `rg`, and `/tmp/rg` only
 * where it is a link to what `rg` is. The file that is found may have another name, as python3, cc
 * and awk are links to python3.11, gcc-12 and mawk: who may write into the directories of the
 * search path decides that, and a caller's PATH is not one. Through a link entry and command must
 * have one name (inputs_same_name): some programs do what their name says, and `lsmod` does not let
 * insmod run, though both are kmod. A shell or an interpreter runs only by an entry that is itself
 * its name or its path: `rg` does not let busybox run, whatever the link. A program that was not
 * found is judged by the command as written.
 *
 * A person's command needs no entry, unless the registry is strict. What only a blocked tool lists
 * does not run for a person either, under the name that is listed.
 */
#pragma once

#include "contract/inputs.h"
#include "contract/registry_doc.h"

/* The tool_id of a request inside of a plan that leaves the tool to the registry: it is the one
 * that lists the command. */
#define ADMIT_LISTED "listed"

/* The kernel takes no longer argument, nor a longer `NAME=value`, with the NUL behind it. */
enum { ADMIT_TEXT_MAX = 131072 };

struct admit_ask {
    const struct registry_doc *registry; /* decoded without a problem; NULL: there is none */
    bool person;           /* a person typed the command for this run; false: a document asks */
    bool call;             /* an adapter's call asks: what cannot be given to it is refused */
    bool approved;         /* the run carries an approval: --approve, or the request's */
    bool truncate;         /* on_oversize says truncate */
    enum fs_level fs;      /* asked for */
    enum net_level net;    /* asked for */
    struct str tool_id;    /* of the document; a person's is not looked at */
    struct str command;    /* as written */
    struct str executable; /* its real path, a bare name being looked for in the policy's own search
                            * path; .s is NULL when it was not found */
    struct items same;     /* of struct str: entries of the registry that lead to the executable, as
                            * the disk has it now: absolute paths, and bare names by the same path */
    const struct str *arguments;
    size_t argument_count;
    const struct pair *environment; /* asked for; of two with one name the last holds */
    size_t environment_count;
    const char *const *caller_env; /* "NAME=value", ended by NULL; or NULL */
    const struct str *path_roots;  /* directories under which a search path is scoped */
    size_t path_root_count;
    int64_t stdin_bytes, file_bytes; /* -1: none */
};

struct admission {
    const char *checks[CHECK_COUNT]; /* a sentence each: "allowed: TL-003", "escaped: 1", "ok" */
    const struct tool_doc *tool;     /* that lets it run, or NULL: the person does */
    const struct pair *environment;  /* what is passed on, by name in bytewise order; never PATH */
    size_t environment_count;
    const struct str
        *not_given; /* names of those asked for that are dangerous, and not passed on */
    size_t not_given_count;
    struct str path;           /* a scoped PATH; .s is NULL where the policy's own holds */
    bool stdin_cut, files_cut; /* over the limit, and only the beginning is given */
};

/* False: *e says what was found and what to do, with CODE_COMMAND_NOT_ALLOWED, _APPROVAL_MISSING,
 * _ARGUMENT_REFUSED or _INPUT_TOO_LARGE. In any case *out holds the sentences of the checks that
 * were made, in the order of the contract; the one that refused begins with "refused: ", and those
 * behind it are NULL. IV-03 needs the disk: its "ok" here is for whoever opens the paths to
 * replace.
 *
 * The caller's own environment is never passed on, but for a scoped PATH. IV-04 names what of it,
 * and of the variables asked for, is dangerous and does not reach the command. */
bool admit(const struct admit_ask *ask, struct arena *a, struct admission *out,
           struct error *e) NODISCARD;

/* IV-01 and IV-04 alone, for admit(): each sets its sentence, or *e. */
bool admit_command(const struct admit_ask *ask, struct arena *a, struct admission *out,
                   struct error *e) NODISCARD;
bool admit_environment(const struct admit_ask *ask, struct arena *a, struct admission *out,
                       struct error *e) NODISCARD;
