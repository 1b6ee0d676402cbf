/* SPDX-License-Identifier: Apache-2.0 */
/* init.c: the public function that writes a registry and an adapter to begin with. */
#include <writ/adapters.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter/catalog.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/record.h"
#include "engine/written.h"
#include "sandbox/repository.h"

/* ---- one file ---- */

/* *kept: somebody's file is there, and stays as it is. */
static bool write_new(const char *path, const char *text, bool *kept, struct error *e)
{
    _fd_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    *kept = fd < 0 && errno == EEXIST;
    if (*kept || (fd >= 0 && fd_write(fd, str_of(text))))
        return true;
    error_sys(e, CODE_IO, "%s cannot be written", path);
    if (fd >= 0)
        (void)unlink(path);
    return false;
}

/* The project's, so for all who may read it. */
static bool make_folder(const char *path, struct error *e)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST ||
           error_sys(e, CODE_IO, "%s cannot be made", path);
}

/* ---- all of it ---- */

static void put_files(struct buf *to, const char *key, const char *const *files, size_t n)
{
    json_key(to, key);
    json_open(to, '[');
    for (size_t i = 0; i < n; i++)
        json_outside(to, str_of(files[i]));
    json_close(to, ']');
}

/* The top of the repository that `directory` is below; NULL: it is below none. What is below a top
 * is read by nobody: a command may have put it there. */
static const char *top_above(const char *directory, const char *const *environment, struct arena *a)
{
    const char *home = home_variable(environment, "HOME");
    struct repository repository;
    char real[PATH_MAX];
    struct stat s;

    if (!realpath(directory, real) || stat(real, &s) != 0)
        return NULL; /* nothing can be written there: that is told */
    repository_find(&(struct repository_ask){ real, home, geteuid(), s.st_uid }, a, &repository);
    return strcmp(repository.root, real) == 0 ? NULL : arena_text(a, str_of(repository.root));
}

int writ_init(const char *directory, const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    bool said_where = directory;
    const char *top = top_above(said_where ? directory : ".", environment, &a);
    const char *below = said_where ? arena_printf(&a, "%s/", directory)
                        : top      ? arena_printf(&a, "%s/", top)
                                   : "";
    const struct {
        const char *path, *text;
    } files[] = { { arena_printf(&a, "%s.writ/tools.yaml", below), shipped_init_tools },
                  { arena_printf(&a, "%s.writ/adapters/example.yaml", below),
                    shipped_init_adapter } };
    const char *written[COUNT(files)], *kept[COUNT(files)];
    size_t written_count = 0, kept_count = 0;
    struct error e;

    if (!said_where && !given_here(answer))
        return WRIT_UNAVAILABLE;
    if (said_where && !*directory) {
        *answer =
            record_failure(CODE_PARAMETER_REFUSED, "the name of the directory is empty: name "
                                                   "one, or leave it out for the current one");
        return WRIT_USAGE;
    }
    if (said_where && top) {
        *answer = record_failure(CODE_PARAMETER_REFUSED,
                                 arena_printf(&a,
                                              "%s is below the top of a repository, and writ reads "
                                              "%s/.writ: writ init %s",
                                              directory, top, top));
        return WRIT_USAGE;
    }
    if (!make_folder(arena_printf(&a, "%s.writ", below), &e) ||
        !make_folder(arena_printf(&a, "%s.writ/adapters", below), &e))
        return record_unread(&e, answer);
    for (size_t i = 0; i < COUNT(files); i++) {
        bool there;

        if (!write_new(files[i].path, files[i].text, &there, &e))
            return record_unread(&e, answer);
        if (there)
            kept[kept_count++] = files[i].path;
        else
            written[written_count++] = files[i].path;
    }
    /* What a person makes by this is theirs, also where a killed run could have made it. While a
     * run goes on that can change it, it is not adopted, and whoever obeys it is told so. */
    if (kept_count == 0)
        (void)!written_adopt(environment, arena_printf(&a, "%s.writ", below), &a, &e);
    json_open(&out, '{');
    put_files(&out, "written", written, written_count);
    put_files(&out, "kept", kept, kept_count);
    json_key(&out, "top");
    if (top)
        json_outside(&out, str_of(top));
    else
        json_nil(&out);
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}
