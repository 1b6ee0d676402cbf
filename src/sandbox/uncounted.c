/* SPDX-License-Identifier: Apache-2.0 */
/* uncounted.c: counts locks and waiting connections in what /proc tells of them.
 *
 * Reading the list of locks makes the kernel wait some milliseconds for all its processors. So it
 * is read only when the memory of the machine that such objects lie in has grown by what a tenth of
 * a second's locks take; growth that others cause costs one look.
 */
#include "sandbox/uncounted.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/process.h"

enum {
    GROWTH_BYTES = 2 << 20,
    ANCESTORS = 1024, /* a run is no deeper */
    KNOWN = 1024,     /* processes that are remembered during one look */
    LOOKS_MOST = 60,  /* three seconds */
};

/* ---- lines of a file ---- */

/* Gives each line to `take`, which may have enough. */
static void each_line(const char *path, bool (*take)(struct str line, void *self), void *self)
{
    _fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[(16 << 10) + 1];
    size_t had = 0;
    ssize_t n;

    while (fd >= 0 && (n = read(fd, text + had, sizeof text - had)) > 0) {
        struct str rest = { text, had + (size_t)n };

        while (rest.n && memchr(rest.s, '\n', rest.n)) {
            struct str line = str_cut(&rest, "\n");

            if (!take(line, self))
                return;
        }
        had = rest.n < sizeof text ? rest.n : 0;
        memmove(text, rest.s, had);
    }
}

/* The word number `n` of a line, counted from 0; none: no bytes. */
static struct str word_at(struct str line, int n)
{
    struct str word = str_word(&line, " ");

    for (; n > 0 && word.n > 0; n--)
        word = str_word(&line, " ");
    return word;
}

/* ---- a number in a line `KEY .. NUMBER` ---- */

struct number {
    const char *key;
    int at; /* the number's word */
    int64_t value;
};

static bool take_number(struct str line, void *self)
{
    struct number *n = self;

    return !str_is(word_at(line, 0), n->key) || !num_int(word_at(line, n->at), &n->value);
}

static int64_t number_in(const char *path, const char *key, int at)
{
    struct number n = { key, at, -1 };

    each_line(path, take_number, &n);
    return n.value;
}

/* ---- locks ---- */

struct locks {
    pid_t init;
    int64_t count;
    struct {
        int64_t pid;
        bool ours;
    } known[KNOWN];
};

/* Every process of a run is init's child, or a child's child: whose parent has died is init's. */
static bool is_below(pid_t init, int64_t pid)
{
    struct process p = { .parent = pid };

    for (int i = 0; i < ANCESTORS && p.parent > 1; i++) {
        if (p.parent == init)
            return true;
        if (!process_look(p.parent, &p))
            return false;
    }
    return false;
}

static bool is_ours(struct locks *l, int64_t pid)
{
    size_t at = (size_t)pid % KNOWN;

    if (l->known[at].pid != pid) {
        l->known[at].pid = pid;
        l->known[at].ours = is_below(l->init, pid);
    }
    return l->known[at].ours;
}

/* `1: POSIX  ADVISORY  WRITE 1234 00:2e:12 0 EOF`; who waits for one has `->` behind the number. */
static bool take_lock(struct str line, void *self)
{
    struct locks *l = self;
    bool waits = str_is(word_at(line, 1), "->");
    int64_t pid;

    l->count += num_int(word_at(line, waits ? 5 : 4), &pid) && pid > 0 && is_ours(l, pid);
    return l->count <= LOCKS_MOST;
}

static bool has_too_many_locks(const struct uncounted *u)
{
    struct locks l = { .init = u->init };

    each_line("/proc/locks", take_lock, &l);
    return l.count > LOCKS_MOST;
}

/* What others let go of meanwhile makes the least smaller: what is missed of the run's growth was
 * free before. Where the kernel does not tell, it is taken to have grown. */
static bool has_grown(struct uncounted *u)
{
    int64_t now = number_in("/proc/vmstat", "nr_slab_unreclaimable", 1);
    bool grown =
        now < 0 || (u->slabs > 0 && now - u->slabs >= GROWTH_BYTES / sysconf(_SC_PAGESIZE));

    if (grown || u->slabs == 0 || now < u->slabs)
        u->slabs = now;
    return grown;
}

/* ---- connections ---- */

static const char TCP_ASKED[] = "03", TCP_LISTENS[] = "0A";

/* Of a listener the second queue has what waits, those that were reset meanwhile included, which
 * are in no list of their own. */
static bool take_connection(struct str line, void *self)
{
    struct str state = word_at(line, 3),
               queues = word_at(line, 4); /* sent:received, 8 digits each */
    int64_t *count = self, waits = 0;

    for (size_t i = 9; str_is(state, TCP_LISTENS) && i < queues.n; i++)
        waits = 16 * waits + num_hex(queues.s[i]);
    *count += waits + str_is(state, TCP_ASKED);
    return *count <= WAITING_MOST;
}

/* The kernel walks over a table of all connections of the machine: only where there are enough. */
static bool has_too_many_waiting(const struct uncounted *u)
{
    static const struct {
        const char *count, *key, *list;
    } rows[] = { { "sockstat", "TCP:", "tcp" }, { "sockstat6", "TCP6:", "tcp6" } };
    char path[64];
    int64_t open = 0, waiting = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)snprintf(path, sizeof path, "/proc/%d/net/%s", u->init, rows[i].count);
        open += number_in(path, rows[i].key, 2);
    }
    (void)snprintf(path, sizeof path, "/proc/%d/net/sockstat", u->init);
    if (number_in(path, "TCP:", 8) <= WAITING_MOST) /* all of the machine, reset ones included */
        return false;
    for (size_t i = 0; i < COUNT(rows) && open > 0; i++) {
        (void)snprintf(path, sizeof path, "/proc/%d/net/%s", u->init, rows[i].list);
        each_line(path, take_connection, &waiting);
    }
    return waiting > WAITING_MOST;
}

const char *uncounted_look(struct uncounted *u)
{
    bool grown = has_grown(u);

    /* Slabs that the run frees hide the locks it takes: they are counted now and then all the same.
     */
    u->looks = grown || u->looks >= LOOKS_MOST ? 0 : u->looks + 1;
    if (u->looks == 0 && has_too_many_locks(u))
        return "it held more than 20000 locks on files";
    if (u->own_net && has_too_many_waiting(u))
        return "more than 256 connections waited for it to accept them";
    return NULL;
}
