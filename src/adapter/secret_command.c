/* SPDX-License-Identifier: Apache-2.0 */
/* secret_command.c: runs the command that prints a secret, for at most ten seconds. */
#include "adapter/secret_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include "base/world.h"
#include "contract/codes.h"
#include "route/carrier.h"

struct printed {
    char bytes[SECRET_MAX + 2]; /* a line end, and one more that is too many */
    size_t n;
};

/* Until it closes its output. False: too late, or too much. */
static bool hear(int from, struct printed *p, const char *source, struct error *e)
{
    const struct world *w = world_real();
    int64_t end = w->mono_ms(w->self) + SECRET_COMMAND_MS, left;
    struct pollfd ready = { .fd = from, .events = POLLIN };

    while ((left = end - w->mono_ms(w->self)) > 0) {
        ssize_t got;

        if (poll(&ready, 1, poll_ms(left)) <= 0)
            continue;
        got = read(from, p->bytes + p->n, sizeof p->bytes - p->n);
        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return error_sys(e, CODE_SECRET_MISSING, "%s: cannot be heard", source);
        p->n += got > 0 ? (size_t)got : 0;
        if (p->n == sizeof p->bytes)
            return error_set(e, CODE_SECRET_MISSING, "%s: it prints more than %d bytes", source,
                             SECRET_MAX);
    }
    return error_set(e, CODE_SECRET_MISSING, "%s: it has not ended after %d s", source,
                     SECRET_COMMAND_MS / 1000);
}

/* It has closed its output, and may take a moment to end. */
static void await_end(const struct carrier *c)
{
    struct pollfd dead = { .fd = c->pidfd, .events = POLLIN };

    while (poll(&dead, 1, SECRET_COMMAND_MS) < 0 && errno == EINTR)
        ;
}

static bool judge(int status, struct printed *p, const char *source, struct error *e)
{
    if (WIFSIGNALED(status))
        return error_set(e, CODE_SECRET_MISSING, "%s: it was ended by signal %d", source,
                         WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(e, CODE_SECRET_MISSING, "%s: it ended with status %d", source,
                         WEXITSTATUS(status));
    p->n -= p->n && p->bytes[p->n - 1] == '\n';
    if (p->n == 0)
        return error_set(e, CODE_SECRET_MISSING, "%s: it printed nothing", source);
    if (p->n > SECRET_MAX)
        return error_set(e, CODE_SECRET_MISSING, "%s: it prints more than %d bytes", source,
                         SECRET_MAX);
    if (memchr(p->bytes, '\0', p->n))
        return error_set(e, CODE_SECRET_MISSING, "%s: there is a NUL byte in what it prints",
                         source);
    return true;
}

static char **words_of(const struct items *words, struct arena *a)
{
    const struct str *v = words->v;
    char **out = arena_alloc(a, (words->n + 1) * sizeof *out);

    for (size_t i = 0; i < words->n; i++)
        out[i] = arena_text(a, v[i]);
    return out;
}

bool secret_command(const struct items *words, const char *const *environment, const char *source,
                    struct arena *a, struct str *out, struct error *e)
{
    _fd_ int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct carrier_ask ask = { .input = &nothing };
    struct printed p = { .n = 0 };
    struct carrier c;
    int status;
    bool good;

    ask.argv = words_of(words, a);
    ask.environment = (char *const *)environment;
    if (!carrier_start(&ask, a, &c, e)) {
        e->code = CODE_SECRET_MISSING; /* the carrier's own word is about workers */
        return error_wrap(e, "%s", source);
    }
    good = hear(c.from, &p, source, e);
    if (good)
        await_end(&c);
    status = carrier_end(&c);
    good = good && judge(status, &p, source, e);
    if (good)
        *out = (struct str){ arena_text(a, (struct str){ p.bytes, p.n }), p.n };
    explicit_bzero(&p, sizeof p);
    return good;
}
