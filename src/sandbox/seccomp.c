/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp.c: makes the filter on system calls.
 *
 * The program is written from its last instruction to its first. BPF jumps only forwards, so
 * whatever a jump leads to stands already when the jump is written, and its distance is known.
 */
#include "sandbox/seccomp.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#include "sandbox/calls.h"

/* On another architecture this file does not compile: nobody has read its list of calls. */
#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* A conditional jump skips 255 instructions at most. One is kept in hand: the jump's second target
 * may need a bridge, which pushes the first away. The tests also build with less, to cross bridges
 * that a short program does not need. */
#ifndef REACH
#define REACH 254
#endif

/* Call numbers of one verdict, up to where the next range begins. */
struct range {
    uint32_t from;
    enum call_verdict verdict;
};

struct maker {
    struct seccomp_program *out;
    uint16_t first; /* the instruction written last */
    enum call_verdict settled[CALL_VERDICT_COUNT];
    uint16_t block[CALL_VERDICT_COUNT]; /* where the code of each verdict begins */
    size_t rows[CALL_VERDICT_COUNT][2]; /* of call_rules: from its first to behind its last */
    struct range ranges[CALL_NUMBERS + 1];
    size_t range_count;
};

static const uint32_t finals[CALL_FINAL_COUNT] = {
    [CALL_ENOSYS] = SECCOMP_RET_ERRNO | ENOSYS,
    [CALL_ALLOW] = SECCOMP_RET_ALLOW,
    [CALL_EPERM] = SECCOMP_RET_ERRNO | EPERM,
    [CALL_NO_FAMILY] = SECCOMP_RET_ERRNO | EAFNOSUPPORT,
    [CALL_NO_PROTOCOL] = SECCOMP_RET_ERRNO | EPROTONOSUPPORT,
    [CALL_UNSUPPORTED] = SECCOMP_RET_ERRNO | EOPNOTSUPP,
    [CALL_WRONG] = SECCOMP_RET_ERRNO | EINVAL,
    [CALL_NOTHING] = SECCOMP_RET_ERRNO | 0,
    [CALL_ASK] = SECCOMP_RET_USER_NOTIF,
    [CALL_STOP] = SECCOMP_RET_TRACE,
};

/* ---- instructions ---- */

static uint16_t put(struct maker *m, uint16_t op, uint32_t k)
{
    assert(m->first > 0);
    m->first--;
    m->out->code[m->first] = (struct sock_filter){ .code = op, .k = k };
    return m->first;
}

/* The target itself or, if it is too far for a conditional jump, a bridge to it. */
static uint16_t near(struct maker *m, uint16_t target)
{
    if (target - m->first <= REACH)
        return target;
    return put(m, BPF_JMP | BPF_JA, (uint32_t)(target - m->first));
}

static uint16_t put_jump(struct maker *m, uint16_t test, uint32_t k, uint16_t yes, uint16_t no)
{
    yes = near(m, yes);
    no = near(m, no);
    uint16_t next = m->first;
    uint16_t at = put(m, (uint16_t)(BPF_JMP | BPF_K | test), k);

    m->out->code[at].jt = (uint8_t)(yes - next);
    m->out->code[at].jf = (uint8_t)(no - next);
    return at;
}

static uint16_t put_load(struct maker *m, size_t offset)
{
    return put(m, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

/* ---- verdicts ---- */

/* What is left of each verdict once the policy is known. */
static void settle(struct maker *m, const struct seccomp_policy *policy)
{
    /* clang-format off */
    const struct { enum call_verdict verdict; bool if_so; enum call_verdict then, otherwise; } rows[] = {
        { CALL_FORK,    policy->fork == FORK_FREE, CALL_ALLOW,  policy->count_forks ? CALL_ASK : CALL_EPERM },
        { CALL_THREAD,  policy->count_threads,     CALL_ASK,    CALL_ALLOW },
        { CALL_THREAD_END, policy->count_threads,  CALL_ASK,    CALL_ALLOW },
        { CALL_INSTALL, policy->count_filters,     CALL_ASK,    CALL_EPERM },
        { CALL_NET,     policy->ask_sockets,       CALL_ASK,    CALL_ALLOW },
        { CALL_IPC,     policy->ask_ipc,           CALL_ASK,    policy->hosted ? CALL_EPERM : CALL_ALLOW },
        { CALL_PAIRED,  policy->ask_ipc,           CALL_ASK,    CALL_ALLOW },
        { CALL_INET,    policy->inet,              CALL_INET,   CALL_NO_FAMILY },
        { CALL_OPENAT2, policy->no_setid,          CALL_ENOSYS, CALL_ALLOW },
        { CALL_HELD,    policy->held,              CALL_STOP,   CALL_ALLOW },
        { CALL_UNHELD,  policy->held,              CALL_ENOSYS, CALL_ALLOW },
        { CALL_PLAIN,   policy->held,              CALL_NOTHING, CALL_ALLOW },
        { CALL_LIMIT2,  policy->held,              CALL_LIMIT2, CALL_ALLOW },
        { CALL_LIMIT3,  policy->held,              CALL_LIMIT3, CALL_ALLOW },
        { CALL_LIMIT4,  policy->held,              CALL_LIMIT4, CALL_ALLOW },
        { CALL_MS2,     policy->held,              CALL_MS2,    CALL_ALLOW },
        { CALL_MS3,     policy->held,              CALL_MS3,    CALL_ALLOW },
        { CALL_TIMER,   policy->held,              CALL_TIMER,  CALL_ALLOW },
        { CALL_FUTEX,   policy->held,              CALL_FUTEX,  CALL_ALLOW },
        { CALL_ARCH,    policy->held,              CALL_ARCH,   CALL_ALLOW },
        { CALL_OPENAT,  policy->no_setid,          CALL_OPENAT, CALL_ALLOW },
        { CALL_OPEN,    policy->no_setid,          CALL_OPEN,   CALL_ALLOW },
        { CALL_MODE1,   policy->no_setid,          CALL_MODE1,  CALL_ALLOW },
        { CALL_MODE2,   policy->no_setid,          CALL_MODE2,  CALL_ALLOW },
        { CALL_MODE3,   policy->no_setid,          CALL_MODE3,  CALL_ALLOW },
        { CALL_SHARED,  policy->hosted,            CALL_EPERM,  CALL_ALLOW },
        { CALL_CHANGE,  policy->hosted,            CALL_ASK,    CALL_ALLOW },
        { CALL_XATTR,   policy->hosted,            CALL_UNSUPPORTED, CALL_ALLOW },
        { CALL_CHMOD1,  policy->hosted,            CALL_CHMOD1, policy->no_setid ? CALL_MODE1 : CALL_ALLOW },
        { CALL_CHMOD2,  policy->hosted,            CALL_CHMOD2, policy->no_setid ? CALL_MODE2 : CALL_ALLOW },
        { CALL_IOCTL,   policy->hosted,            CALL_IOCTL_FEW, CALL_IOCTL },
        { CALL_OWN0,    policy->hosted,            CALL_OWN0,   CALL_OTHER0 },
        { CALL_PRIORITY, policy->hosted,           CALL_PRIORITY, CALL_PRIORITY_IN },
        { CALL_IOPRIO,  policy->hosted,            CALL_IOPRIO, CALL_IOPRIO_IN },
        { CALL_PRLIMIT_OWN, policy->hosted,        CALL_PRLIMIT_OWN, CALL_PRLIMIT_IN },
    };
    /* clang-format on */

    for (int v = 0; v < CALL_VERDICT_COUNT; v++)
        m->settled[v] = (enum call_verdict)v;
    for (size_t i = 0; i < COUNT(rows); i++)
        m->settled[rows[i].verdict] = rows[i].if_so ? rows[i].then : rows[i].otherwise;
}

/* Both architectures are little-endian: an argument begins with its low 32 bits. */
static uint16_t put_look(struct maker *m, const struct call_rule_row *row)
{
    size_t at = offsetof(struct seccomp_data, args) + (size_t)row->arg * sizeof(uint64_t);

    if (row->mask != UINT32_MAX)
        (void)put(m, BPF_ALU | BPF_AND | BPF_K, row->mask);
    return put_load(m, row->high ? at + sizeof(uint32_t) : at);
}

static uint16_t put_rule(struct maker *m, enum call_verdict rule)
{
    const struct call_rule_row *first = call_rules;
    uint16_t next = 0;

    for (size_t i = m->rows[rule][1]; i-- > m->rows[rule][0];) {
        const struct call_rule_row *row = &call_rules[i];
        uint16_t then = m->block[m->settled[row->then]];

        if (row->rule != rule)
            continue;
        if (row->test == CALL_ELSE) {
            next = then;
            continue;
        }
        next = put_jump(m, row->test == CALL_HAS ? BPF_JSET : BPF_JEQ, row->value, then, next);
        first = row;
    }
    return put_look(m, first);
}

/* Who asks for the rows of one rule does not walk over all of them. */
static void find_rows(struct maker *m)
{
    for (size_t i = 0; i < call_rule_count; i++) {
        size_t *rows = m->rows[call_rules[i].rule];

        if (rows[1] == 0)
            rows[0] = i;
        rows[1] = i + 1;
    }
}

/* Code for the verdicts that are met. A rule leads only to verdicts before it, so that going down
 * finds all that are met, and going up finds each target written. */
static void put_blocks(struct maker *m)
{
    bool met[CALL_VERDICT_COUNT] = { false };

    for (size_t i = 0; i < m->range_count; i++)
        met[m->ranges[i].verdict] = true;
    for (size_t v = CALL_VERDICT_COUNT; v-- > CALL_RULES;)
        for (size_t i = m->rows[v][0]; met[v] && i < m->rows[v][1]; i++)
            if (call_rules[i].rule == v)
                met[m->settled[call_rules[i].then]] = true;

    for (size_t v = 0; v < CALL_VERDICT_COUNT; v++) {
        if (!met[v])
            continue;
        m->block[v] = v < CALL_FINAL_COUNT ? put(m, BPF_RET | BPF_K, finals[v])
                                           : put_rule(m, (enum call_verdict)v);
    }
}

/* ---- numbers ---- */

static void find_ranges(struct maker *m)
{
    enum call_verdict by_number[CALL_NUMBERS + 1] = { CALL_ENOSYS };

    for (size_t i = 0; i < call_count; i++) {
        assert(calls[i].number >= 0 && calls[i].number < CALL_NUMBERS);
        by_number[calls[i].number] = m->settled[calls[i].verdict];
    }
    for (uint32_t n = 0; n < COUNT(by_number); n++)
        if (n == 0 || by_number[n] != by_number[n - 1])
            m->ranges[m->range_count++] = (struct range){ n, by_number[n] };
}

/* A balanced search; where one range is left, its verdict's code is the answer. */
static uint16_t put_search(struct maker *m, size_t from, size_t to)
{
    size_t middle = from + (to - from) / 2;

    if (to - from == 1)
        return m->block[m->ranges[from].verdict];
    uint16_t above = put_search(m, middle, to);
    uint16_t below = put_search(m, from, middle);

    return put_jump(m, BPF_JGE, m->ranges[middle].from, above, below);
}

/* A call by another architecture's door has other numbers, so it cannot be judged. On x86-64 the
 * numbers of x32 lie above the table. */
void seccomp_build(const struct seccomp_policy *policy, struct seccomp_program *out)
{
    struct maker m = { .out = out, .first = SECCOMP_CODE_MAX };

    settle(&m, policy);
    find_ranges(&m);
    find_rows(&m);
    put_blocks(&m);
    (void)put_search(&m, 0, m.range_count);
    uint16_t ours = put_load(&m, offsetof(struct seccomp_data, nr));
    uint16_t other = put(&m, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);

    (void)put_jump(&m, BPF_JEQ, ARCH, ours, other);
    (void)put_load(&m, offsetof(struct seccomp_data, arch));

    out->count = (uint16_t)(SECCOMP_CODE_MAX - m.first);
    memmove(out->code, out->code + m.first, out->count * sizeof out->code[0]);
}
