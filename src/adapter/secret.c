/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c: finds secrets where their references say: a variable, a file, a command, a credential.
 *
 * What is found is copied once, into the arena, so that wiping it there wipes all of it.
 */
#include "adapter/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "adapter/host.h"
#include "adapter/redact_words.h"
#include "adapter/secret_command.h"
#include "base/variable.h"
#include "contract/codes.h"

/* ---- what they have in common ---- */

/* People end a file with a line end, and programs what they print; it is no part of the secret. */
static struct str without_line_end(struct str t)
{
    if (t.n && t.s[t.n - 1] == '\n')
        t.n--;
    if (t.n && t.s[t.n - 1] == '\r')
        t.n--;
    return t;
}

static bool keep(struct str value, const char *source, struct arena *a, struct str *out,
                 struct error *e)
{
    if (value.n == 0)
        return error_set(e, CODE_SECRET_MISSING, "%s: it is empty", source);
    if (memchr(value.s, '\0', value.n))
        return error_set(e, CODE_SECRET_MISSING, "%s: there is a NUL byte in it", source);
    *out = (struct str){ arena_text(a, value), value.n };
    return true;
}

/* ---- the four places ---- */

static bool from_variable(const struct secret_doc *doc, const struct secret_places *places,
                          const char *source, struct arena *a, struct str *out, struct error *e)
{
    const char *value = variable_of(places->environment, doc->env);

    if (!value)
        return error_set(e, CODE_SECRET_MISSING, "%s: the variable is not set", source);
    return keep(str_of(value), source, a, out, e);
}

/* Whoever else can read or write the file knows the secret, or chooses it. */
static bool private_file(int fd, const char *source, struct error *e)
{
    struct stat s;

    if (fstat(fd, &s) != 0)
        return error_sys(e, CODE_SECRET_MISSING, "%s: cannot be looked at", source);
    if (!S_ISREG(s.st_mode))
        return error_set(e, CODE_SECRET_MISSING, "%s: it is not a regular file", source);
    if (s.st_uid != geteuid() && s.st_uid != 0)
        return error_set(e, CODE_SECRET_MISSING, "%s: it belongs to somebody else", source);
    if (s.st_mode & 077)
        return error_set(e, CODE_SECRET_MISSING,
                         "%s: its mode is %03o, and others may use it; `chmod 600` it", source,
                         (unsigned)(s.st_mode & 0777));
    return true;
}

static bool read_file(const char *path, const char *source, struct arena *a, struct str *out,
                      struct error *e)
{
    /* Without O_NONBLOCK a FIFO would keep us waiting for a writer. */
    _fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    char bytes[SECRET_MAX + 1];
    size_t n = 0;
    ssize_t got = 1;
    bool good;

    if (fd < 0 && errno == ELOOP)
        return error_set(e, CODE_SECRET_MISSING, "%s: it is a link, which is not followed", source);
    if (fd < 0)
        return error_sys(e, CODE_SECRET_MISSING, "%s: cannot be opened", source);
    if (!private_file(fd, source, e))
        return false;
    while (n < sizeof bytes && got > 0) {
        got = read(fd, bytes + n, sizeof bytes - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        good = error_sys(e, CODE_SECRET_MISSING, "%s: cannot be read", source);
    else if (n > SECRET_MAX)
        good =
            error_set(e, CODE_SECRET_MISSING, "%s: it has more than %d bytes", source, SECRET_MAX);
    else
        good = keep(without_line_end((struct str){ bytes, n }), source, a, out, e);
    explicit_bzero(bytes, sizeof bytes);
    return good;
}

/* ~/ is the caller's home; what is relative starts where the adapter's paths start. */
static const char *file_path(struct str file, const char *directory,
                             const struct secret_places *places, struct arena *a)
{
    const char *home = variable_of(places->environment, str_of("HOME"));

    if (str_begins(file, "~/"))
        return home ? arena_printf(a, "%s/%.*s", home, (int)file.n - 2, file.s + 2) : NULL;
    if (file.n && file.s[0] == '/')
        return arena_text(a, file);
    return directory ? arena_printf(a, "%s/%.*s", directory, STR_ARG(file)) : NULL;
}

static bool from_file(const char *path, const char *source, struct arena *a, struct str *out,
                      struct error *e)
{
    if (!path)
        return error_set(e, CODE_SECRET_MISSING,
                         "%s: a relative path has nowhere to start from here; say all of it",
                         source);
    return read_file(path, source, a, out, e);
}

/* NULL: nobody has put any there. */
static const char *credential_path(struct str name, const struct secret_places *places,
                                   struct arena *a)
{
    const char *directory = variable_of(places->environment, str_of("CREDENTIALS_DIRECTORY"));

    return directory && *directory == '/' ? arena_printf(a, "%s/%.*s", directory, STR_ARG(name))
                                          : NULL;
}

static bool from_credential(const struct secret_doc *doc, const struct secret_places *places,
                            const char *source, struct arena *a, struct str *out, struct error *e)
{
    const char *path = credential_path(doc->credential, places, a);

    if (!path)
        return error_set(e, CODE_SECRET_MISSING,
                         "%s: CREDENTIALS_DIRECTORY is not set; systemd sets it for services with "
                         "LoadCredential=",
                         source);
    if (str_is(doc->credential, ".") || str_is(doc->credential, ".."))
        return error_set(e, CODE_SECRET_MISSING, "%s: that is a directory", source);
    return read_file(path, source, a, out, e);
}

const char *secret_file(const struct secret_ask *ask, struct arena *a)
{
    if (ask->doc->file.n)
        return file_path(ask->doc->file, ask->directory, ask->places, a);
    return ask->doc->credential.n ? credential_path(ask->doc->credential, ask->places, a) : NULL;
}

/* ---- one secret ---- */

/* The arena gave the bytes, and they are writable; a str only lends them. */
static void wipe(struct str value)
{
    union {
        const char *lent;
        char *own;
    } bytes = { value.s };

    if (value.n)
        explicit_bzero(bytes.own, value.n);
}

static const char *source_of(const struct secret_doc *doc, struct arena *a)
{
    const struct str *words = doc->command.v;

    if (doc->env.n)
        return arena_printf(a, "env %.*s", STR_ARG(doc->env));
    if (doc->file.n)
        return arena_printf(a, "file %.*s", STR_ARG(doc->file));
    if (doc->credential.n)
        return arena_printf(a, "credential %.*s", STR_ARG(doc->credential));
    /* Its arguments may tell of what it opens; its name is enough. */
    return doc->command.n ? arena_printf(a, "command %.*s", STR_ARG(words[0])) : "nowhere";
}

struct finding {
    const struct secret_places *places;
    const char *directory; /* that relative paths start from; or NULL */
    bool commands;         /* may it come from one? */
};

static bool find_one(const struct secret_doc *doc, const struct finding *f, struct arena *a,
                     struct secret *out, struct error *e)
{
    struct secret s = { .name = doc->name, .variable = doc->variable };
    bool good;

    s.source = source_of(doc, a);
    if (doc->env.n)
        good = from_variable(doc, f->places, s.source, a, &s.value, e);
    else if (doc->file.n)
        good =
            from_file(file_path(doc->file, f->directory, f->places, a), s.source, a, &s.value, e);
    else if (doc->credential.n)
        good = from_credential(doc, f->places, s.source, a, &s.value, e);
    else if (!f->commands)
        good = error_set(e, CODE_SECRET_MISSING,
                         "%s: a project does not choose a command that runs outside of the "
                         "sandbox; the user's own files may",
                         s.source);
    else
        good = secret_command(&doc->command, f->places->environment, s.source, a, &s.value, e);
    if (good && s.value.n < REDACT_LEAST) {
        wipe(s.value);
        return error_set(e, CODE_SECRET_MISSING,
                         "%s: it has fewer than %d bytes, and could not be taken out of what is "
                         "kept; use a longer one",
                         s.source, REDACT_LEAST);
    }
    if (good)
        *out = s;
    return good;
}

/* ---- all of them ---- */

/* The array of an arena does not grow; there are few. */
static void append(struct secrets *all, const struct secret *one, struct arena *a)
{
    struct secret *v = arena_alloc(a, (all->n + 1) * sizeof *v);

    if (all->n)
        memcpy(v, all->v, all->n * sizeof *v);
    v[all->n] = *one;
    all->v = v;
    all->n++;
}

bool secrets_find(const struct adapter *adapter, const struct secret_places *places,
                  struct arena *a, struct secrets *out, struct error *e)
{
    const struct secret_doc *docs = adapter->doc.secrets.v;
    struct finding f = { places, adapter->directory, adapter->origin != ORIGIN_PROJECT };
    struct secrets all = { .headers_too = true };

    for (size_t i = 0; i < adapter->doc.secrets.n; i++) {
        struct secret one;

        if (!find_one(&docs[i], &f, a, &one, e)) {
            secrets_wipe(&all);
            return error_wrap(e, "the secret '%.*s'", STR_ARG(docs[i].name));
        }
        append(&all, &one, a);
    }
    *out = all;
    return true;
}

static bool lists_host(const struct secret_doc *doc, const struct url_parts *url)
{
    const struct str *hosts = doc->hosts.v;

    for (size_t i = 0; i < doc->hosts.n; i++)
        if (host_fits(hosts[i], url))
            return true;
    return false;
}

bool secrets_for_host(const struct secret_places *places, const struct url_parts *url,
                      struct arena *a, struct secrets *out, struct error *e)
{
    struct finding f = { places, NULL, true };

    for (size_t i = 0; i < places->configured_count; i++) {
        const struct secret_doc *doc = &places->configured[i];
        struct secret one;

        if (!lists_host(doc, url))
            continue;
        if (!find_one(doc, &f, a, &one, e))
            return error_wrap(e, "your secret for %.*s", STR_ARG(url->authority));
        one.name = str_of("host");
        append(out, &one, a);
        return true;
    }
    return true;
}

bool secret_find(const struct secret_ask *ask, struct arena *a, struct secrets *all,
                 struct error *e)
{
    struct finding f = { ask->places, ask->directory, ask->commands };
    struct secret one;

    if (!find_one(ask->doc, &f, a, &one, e))
        return false;
    append(all, &one, a);
    return true;
}

bool secret_goes_to(const struct adapter *adapter, struct str name, const struct url_parts *url,
                    struct error *e)
{
    const struct secret_doc *all = adapter->doc.secrets.v;

    for (size_t i = 0; i < adapter->doc.secrets.n; i++)
        if (str_eq(all[i].name, name) && all[i].hosts.n && !lists_host(&all[i], url))
            return error_set(e, CODE_HOST_REFUSED,
                             "the secret '%.*s' is not for %.*s: its `hosts` do not list it",
                             STR_ARG(name), STR_ARG(url->authority));
    return true;
}

bool secret_fits_header(struct str value)
{
    for (size_t i = 0; i < value.n; i++)
        if ((value.s[i] < ' ' && value.s[i] != '\t') || value.s[i] > '~')
            return false;
    return true;
}

const struct secret *secret_named(const struct secrets *all, struct str name)
{
    for (size_t i = 0; i < all->n; i++)
        if (str_eq(all->v[i].name, name))
            return &all->v[i];
    return NULL;
}

void secrets_add(struct secrets *all, const char *name, struct str value, struct arena *a)
{
    struct secret one = { .name = str_of(arena_text(a, str_of(name))),
                          .value = { arena_text(a, value), value.n },
                          .source = "the service" };

    append(all, &one, a);
}

void secrets_wipe(struct secrets *all)
{
    for (size_t i = 0; i < all->n; i++)
        wipe(all->v[i].value);
    all->n = 0;
}
