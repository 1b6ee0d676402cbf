/* SPDX-License-Identifier: Apache-2.0 */
/* own_ledger.c: could a command write, or exchange, the ledger that records it? */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "engine/exec.h"
#include "engine/home.h"
#include "sandbox/mirrors.h"

enum { LINKS_MOST = 40 }; /* as the kernel has it */

/* A path on the way from the root to its end. */
struct way {
    const struct exec *x;
    const char *at;   /* without links; "" is the root */
    const char *rest; /* what is left of it */
};

static bool is_written_at(const struct reach *r, const char *path)
{
    const struct grant *around = grants_decide(&r->grants, path);

    return around && around->access == ACCESS_WRITE;
}

/* There, or wherever else its file system is seen. */
static bool is_written(const struct way *w, const char *path)
{
    const struct reach *r = &w->x->reach;
    struct mirrors others = mirrors_of(&r->mounts, path, w->x->a);

    for (size_t i = 0; i < others.n; i++)
        if (is_written_at(r, others.v[i]))
            return true;
    return is_written_at(r, path);
}

/* The next name; empty at the end. */
static struct str next_name(struct way *w)
{
    struct str name;

    while (*w->rest == '/')
        w->rest++;
    name = (struct str){ w->rest, strcspn(w->rest, "/") };
    w->rest += name.n;
    return name;
}

static void go_up(struct way *w)
{
    const char *slash = strrchr(w->at, '/');

    w->at = slash ? arena_text(w->x->a, (struct str){ w->at, (size_t)(slash - w->at) }) : "";
}

/* Goes to the next name, or to where its link leads. True: whoever may write has a say in it. */
static bool go_on(struct way *w, struct str name, bool *link)
{
    const char *path = arena_printf(w->x->a, "%s/%.*s", w->at, STR_ARG(name));
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);

    *link = n >= 0;
    if (!*link) {
        w->at = path;
        return false;
    }
    w->rest = arena_printf(w->x->a, "%.*s/%s", (int)n, target, w->rest);
    w->at = target[0] == '/' ? "" : w->at;
    return is_written(w, path);
}

/* Could the command change what is there? Every link on the way has a place of its own, and whoever
 * may write there says where it leads. *at: where it ends. */
static bool could_write(struct way w, const char **at)
{
    int links = 0;

    for (struct str name = next_name(&w); name.n; name = next_name(&w)) {
        bool link = false;

        if (str_is(name, ".."))
            go_up(&w);
        else if (!str_is(name, ".") && go_on(&w, name, &link))
            return true;
        links += link;
        if (links > LINKS_MOST)
            return true; /* it leads nowhere: nobody knows */
    }
    *at = w.at;
    return is_written(&w, w.at);
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What SQLite keeps lies beside the file itself, wherever the links have led. */
static bool could_write_any(const struct exec *x, const char *ledger)
{
    static const char *const beside[] = { "-wal", "-shm", "-journal" };
    const char *file, *other;
    char here[PATH_MAX];

    if (*ledger != '/' && !getcwd(here, sizeof here))
        return true; /* nobody knows where that is */
    if (*ledger != '/')
        ledger = arena_printf(x->a, "%s/%s", here, ledger);
    if (could_write((struct way){ x, "", ledger }, &file))
        return true;
    for (size_t i = 0; i < COUNT(beside); i++) {
        struct way w = { x, file, arena_printf(x->a, "%s%s", last_name(file), beside[i]) };

        go_up(&w);
        if (could_write(w, &other))
            return true;
    }
    return false;
}

/* A record that its subject can write is none. What the state directory has is hidden from the
 * command; a ledger that was put elsewhere has to be out of its reach, and what SQLite keeps beside
 * it, too. */
bool exec_ledger_is_safe(struct exec *x, struct error *e)
{
    const char *ledger = home_ledger(x->command->ledger, x->command->environment, x->a);

    if (!ledger)
        return true;
    if (!ledger_is_known(ledger, e))
        return false;
    if (!ledger_is_file(ledger))
        return true;
    if (!*ledger)
        return error_set(
            e, CODE_USAGE,
            "the name of the ledger is empty: name one, or leave it out for the usual one");
    x->unsafe = could_write_any(x, ledger);
    return !x->unsafe ||
           error_set(e, CODE_PATH_REFUSED,
                     "the command could write the ledger %s; keep it where it cannot", ledger);
}
