/* SPDX-License-Identifier: Apache-2.0 */
/* asking.h: one question to admit(), a registry to ask it with, and what the answer should be.
 *
 * Include it after cmocka.h.
 */
#pragma once

#include "contract/admit.h"
#include "unit/contract/check.h"

/* clang-format off */
static const char asking_tools[] =
    "tools:\n"
    "- {tool_id: BLOCKED, name: n, owner: o, status: blocked, scope: {commands: [old, gone]}}\n"
    "- {tool_id: AGEING, name: n, owner: o, status: deprecated, scope: {commands: [old, aged]}}\n"
    "- {tool_id: SEARCH, name: n, owner: o, status: active, scope: {commands: [old, rg, /usr/bin/fd, gcc, ls]}}\n"
    "- {tool_id: NOTHING, name: n, owner: o, status: active, scope: {operations: [search]}}\n"
    "- {tool_id: LITERAL, name: n, owner: o, status: active, scope: {commands: [lit], iv02: block}}\n"
    "- {tool_id: SHELL, name: n, owner: o, status: active, scope: {commands: [sh, python3, /usr/bin/busybox]}}\n"
    "- {tool_id: MORE, name: n, owner: o, status: active, scope: {commands: [make], filesystem: extended, network: api}}\n"
    "- {tool_id: MOST, name: n, owner: o, status: active, scope: {commands: [nmap], filesystem: elevated, network: open},"
    " approval: {by: b, at: 2026-01-16, reason: r}}\n";
/* clang-format on */

enum registry_kind { NONE, STRICT, CALLER };

/* One question and its answer. */
struct asking {
    struct arena a;
    struct checked registry;
    struct admission out;
    struct error e;
    bool good;
};

static inline void asking_free(struct asking *q)
{
    checked_free(&q->registry);
    arena_free(&q->a);
}

#define _asking_ _cleanup_(asking_free)

static inline struct str text_or_none(const char *text)
{
    return text ? str_of(text) : (struct str){ 0 };
}

static inline const struct registry_doc *registry_of(struct asking *q, enum registry_kind kind)
{
    const struct registry_doc *doc;

    if (kind == NONE)
        return NULL;
    doc = check_text(&q->registry, &registry_shape,
                     arena_printf(&q->a, "allowlist: %s\n%s", kind == STRICT ? "strict" : "caller",
                                  asking_tools));
    assert_int_equal(q->registry.report.errors, 0);
    return doc;
}

static inline void put(struct asking *q, const struct admit_ask *ask)
{
    q->good = admit(ask, &q->a, &q->out, &q->e);
}

static inline void check_sentence(const struct asking *q, enum check check, const char *want)
{
    assert_non_null(q->out.checks[check]);
    assert_string_equal(q->out.checks[check], want);
}

/* The check refuses with this code and this message; those behind it were not made. */
static inline void check_refused(const struct asking *q, enum check check, enum code code,
                                 const char *msg)
{
    assert_false(q->good);
    assert_string_equal(q->e.msg, msg);
    assert_string_equal(codes[q->e.code].name, codes[code].name);
    assert_non_null(q->out.checks[check]);
    assert_true(strncmp(q->out.checks[check], "refused: ", 9) == 0);
    assert_string_equal(q->out.checks[check] + 9, msg);
    for (int i = 0; i < CHECK_COUNT; i++)
        assert_int_equal(q->out.checks[i] != NULL, i <= (int)check);
}

static inline struct admit_ask typed(const char *command)
{
    return (struct admit_ask){ .person = true,
                               .command = str_of(command),
                               .fs = FS_STANDARD,
                               .stdin_bytes = -1,
                               .file_bytes = -1 };
}
