/* SPDX-License-Identifier: Apache-2.0 */
/* image.c: makes room on the new stack, and writes into it and into the shared code.
 *
 * The kernel begins a stack with the count of arguments, pointers to arguments and environment, and
 * pairs of numbers about the machine. All that is moved down by HELD_BYTES; the gap behind it is
 * the state's. Where that is, the last word of the stack says, which the kernel leaves empty:
 * without chance in its layout it has one address in all programs.
 */
#include "sandbox/held/image.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

enum { WORDS = 512, NAME_MOST = 1 << 17, SMALLEST_PAGE = 4096 };

/* A walk over the beginning of a stack. */
struct walk {
    pid_t pid;
    uint64_t from;      /* the next word to be read */
    uint64_t arguments; /* that are left, with their end */
    enum { WALK_COUNT, WALK_ARGUMENTS, WALK_ENVIRONMENT, WALK_TYPE, WALK_VALUE, WALK_OVER } at;
    uint64_t type;
    uint64_t random, code, name; /* what some of the pairs say */
    uint64_t code_type;          /* where the type of that pair is now */
    bool hidden;                 /* the code was not changed */
};

static void take_value(struct walk *w, uint64_t value, uint64_t place)
{
    if (w->type == AT_RANDOM)
        w->random = value;
    if (w->type == AT_EXECFN)
        w->name = value;
    if (w->type == AT_SYSINFO_EHDR) {
        w->code = value;
        w->code_type = place - sizeof value;
    }
    w->at = w->type == AT_NULL ? WALK_OVER : WALK_TYPE;
}

/* `place`: where the word is to be. */
static void take_word(struct walk *w, uint64_t word, uint64_t place)
{
    switch (w->at) {
    case WALK_COUNT:
        w->arguments = word + 1;
        w->at = WALK_ARGUMENTS;
        break;
    case WALK_ARGUMENTS: w->at = --w->arguments > 0 ? WALK_ARGUMENTS : WALK_ENVIRONMENT; break;
    case WALK_ENVIRONMENT: w->at = word ? WALK_ENVIRONMENT : WALK_TYPE; break;
    case WALK_TYPE:
        w->type = word;
        w->at = WALK_VALUE;
        break;
    case WALK_VALUE: take_value(w, word, place); break;
    case WALK_OVER: break;
    }
}

/* Down, word by word from the lowest: nothing is overwritten before it was read. A part that ends
 * beyond the stack is read in smaller ones. */
static bool move_down(struct walk *w)
{
    uint64_t words[WORDS];
    size_t n = WORDS;

    while (w->at != WALK_OVER) {
        size_t taken = 0;

        while (n > 1 && !tracee_read(w->pid, w->from, words, n * sizeof words[0]))
            n /= 2;
        if (n == 1 && !tracee_read(w->pid, w->from, words, sizeof words[0]))
            return false;
        for (; taken < n && w->at != WALK_OVER; taken++)
            take_word(w, words[taken], w->from + taken * sizeof words[0] - HELD_BYTES);
        if (!tracee_write(w->pid, w->from - HELD_BYTES, words, taken * sizeof words[0]))
            return false;
        w->from += taken * sizeof words[0];
    }
    return true;
}

/* Behind the name of the program's file there is one empty word, and then the stack ends: eight
 * bytes from any place in the name are there to be read. */
static uint64_t find_top(pid_t pid, uint64_t name)
{
    char part[sizeof(uint64_t)];

    for (uint64_t n = 0; n < NAME_MOST; n++) {
        if (n % sizeof part == 0 && !tracee_read(pid, name + n, part, sizeof part))
            return 0;
        if (part[n % sizeof part] == '\0')
            return (name + n + 1 + sizeof part) % SMALLEST_PAGE == 0 ? name + n + 1 : 0;
    }
    return 0;
}

static bool change_code(const struct held_ground *g, const struct walk *w, uint64_t state,
                        uint64_t program)
{
    const uint64_t page_bytes = g->places.others ? 0 : g->held->page_bytes;
    const struct held_constants constants = { .state = state,
                                              .wall_ahead_ns = held_wall_ahead_ns(g->held),
                                              .start_ns = HELD_START_NS,
                                              .program = program,
                                              .page = w->code - page_bytes,
                                              .page_bytes = page_bytes };
    unsigned char code[HELD_CODE_MAX];
    size_t n = held_code_make(&constants, code);

    if (!g->places.found || state == 0 || !tracee_patch(w->pid, w->code + g->places.code, code, n))
        return false;
    for (size_t i = 0; i < g->places.jump_count; i++)
        if (!tracee_patch(w->pid, w->code + g->places.jumps[i].at, &g->places.jumps[i].word,
                          sizeof g->places.jumps[i].word))
            return false;
    return true;
}

/* What cannot be changed is hidden: programs make system calls then. */
static bool change_or_hide(const struct held_ground *g, struct walk *w, uint64_t state,
                           struct tracee_regs *regs)
{
    static const uint64_t hidden = AT_IGNORE;

    if (w->code == 0)
        return true;
    if (!change_code(g, w, state, tracee_next(regs))) {
        w->hidden = true;
        return tracee_write(w->pid, w->code_type, &hidden, sizeof hidden);
    }
    tracee_set_next(regs, w->code + g->places.code + held_code_entry(HELD_START));
    return true;
}

struct held_ground held_ground(const struct held *held)
{
    struct held_ground g = { .held = held };
    union {
        unsigned long number;
        const unsigned char *bytes;
    } image = { getauxval(AT_SYSINFO_EHDR) };

    g.places = held_code_find(image.bytes, getauxval(AT_PAGESZ));
    return g;
}

bool held_image(struct held_ground *g, pid_t pid, struct held_state state)
{
    struct tracee_regs regs;
    struct walk w = { .pid = pid };
    unsigned char part[HELD_PART];
    uint64_t at, top;

    if (!tracee_get(pid, &regs))
        return false;
    w.from = tracee_stack(&regs);
    if (!move_down(&w))
        return false;
    at = w.from - HELD_BYTES;
    tracee_set_stack(&regs, tracee_stack(&regs) - HELD_BYTES);
    top = w.name ? find_top(pid, w.name) : 0;
    if (g->top == 0)
        g->top = top;
    held_draw(g->held, (uint64_t)pid, &state.drawn, part);
    if (top == 0 || top != g->top || !tracee_write(pid, top, &at, sizeof at))
        at = 0;
    if (!change_or_hide(g, &w, at, &regs) || !tracee_set(pid, &regs) ||
        (w.random != 0 && !tracee_write(pid, w.random, part, 16)) ||
        (at != 0 && !tracee_write(pid, at, &state, sizeof state)))
        return false;
    g->page_open |= w.hidden;
    return true;
}

bool held_image_is_open(struct held_ground *g, pid_t pid, struct tracee_regs *regs)
{
    unsigned char found[HELD_LEFT_BYTES];

    if (!tracee_read(pid, tracee_next(regs), found, sizeof found) || !held_code_is_left(found))
        return false;
    g->page_open = true;
    tracee_set_next(regs, tracee_next(regs) + HELD_STEP);
    return tracee_set(pid, regs);
}

struct held_state held_load(const struct held_ground *g, pid_t pid, uint64_t *at)
{
    struct held_state state = held_begin();

    if (g->top == 0 || !tracee_read(pid, g->top, at, sizeof *at) || *at == 0 ||
        !tracee_read(pid, *at, &state, sizeof state)) {
        state = held_begin();
        *at = 0;
    }
    return state;
}

void held_ends(struct held_ground *g, pid_t pid)
{
    uint64_t at;
    struct held_state state = held_load(g, pid, &at);

    g->ends[g->end_count++ % HELD_ENDS] = (struct held_end){ pid, state.mono_ns };
}

void held_store(pid_t pid, uint64_t at, const struct held_state *state)
{
    if (at != 0)
        (void)!tracee_write(pid, at, state, sizeof *state);
}
