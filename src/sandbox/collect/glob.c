/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c: the files a pattern names, by a walk that holds one directory open at a time.
 *
 * A directory is opened by its whole path below the root, so that neither depth nor breadth costs
 * descriptors, and the stack is an array with a ceiling. Names are sorted with a slash behind those
 * of directories: then the walk meets the files in the order of their paths.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "contract/codes.h"
#include "sandbox/collect.h"
#include "sandbox/collect/pattern.h"

/* The names of one directory that matter: files that are meant, directories to go into. */
struct names {
    struct arena a;
    struct str *v;
    size_t n, room;
};

struct level {
    struct names names;
    size_t next;     /* of the names, to be met */
    size_t path_len; /* of the directory's path, with its slash */
    uint64_t places; /* of the pattern */
};

struct walk {
    struct collect_job *job;
    struct pattern pattern;
    struct arena *a;
    struct collected_list *out;
    size_t before;           /* entries the list had */
    bool found, ended;       /* something was meant; nothing more is looked for */
    enum collect_state miss; /* why nothing was */
    struct level *levels;
    size_t depth;
    char path[PATH_MAX];
};

static size_t ceiling(size_t asked, size_t fallback)
{
    return asked ? asked : fallback;
}

/* ---- names ---- */

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void add_name(struct names *names, struct str name)
{
    names->v = arena_more(&names->a, names->v, names->n, &names->room, sizeof *names->v);
    names->v[names->n++] = (struct str){ arena_text(&names->a, name), name.n };
}

/* Keeps the first `most` in order; true where some had to go. In whatever order the disk gives the
 * names, the same ones stay. */
static bool keep_first(struct names *names, size_t most)
{
    struct names kept = { 0 };

    if (names->n)
        qsort(names->v, names->n, sizeof *names->v, by_bytes);
    if (names->n <= most)
        return false;
    for (size_t i = 0; i < most; i++)
        add_name(&kept, names->v[i]);
    arena_free(&names->a);
    *names = kept;
    return true;
}

static bool is_directory(int fd, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static void meet(const struct walk *w, int fd, const struct dirent *entry, struct level *level)
{
    char slashed[NAME_MAX + 2];
    struct str name = str_of(entry->d_name);

    if (!is_directory(fd, entry)) {
        if (pattern_fits(&w->pattern, level->places, name))
            add_name(&level->names, name);
        return;
    }
    if (name.n > NAME_MAX || !pattern_below(&w->pattern, level->places, name))
        return;
    memcpy(slashed, name.s, name.n);
    slashed[name.n] = '/';
    add_name(&level->names, (struct str){ slashed, name.n + 1 });
}

static void close_directory(DIR **directory)
{
    if (*directory)
        (void)closedir(*directory);
}

/* Takes the descriptor. A directory that would go over the ceiling is left out whole: half of it
 * would be another half tomorrow. */
static void read_names(struct walk *w, int fd, struct level *level)
{
    _cleanup_(close_directory) DIR *directory = fdopendir(fd);
    size_t most = ceiling(w->job->name_max, COLLECT_NAMES);
    const struct dirent *entry;

    if (!directory) {
        (void)close(fd);
        w->job->truncated = true;
        return;
    }
    for (errno = 0; (entry = readdir(directory)); errno = 0) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        w->ended = w->job->entries++ >= ceiling(w->job->entry_max, COLLECT_ENTRIES);
        if (w->ended)
            break;
        meet(w, fd, entry, level);
        if (level->names.n >= 2 * most)
            w->job->truncated |= keep_first(&level->names, most);
    }
    w->job->truncated |= w->ended || errno != 0;
    w->job->truncated |= keep_first(&level->names, most);
}

/* ---- the walk ---- */

/* Whether a path is to be listed: it is not yet, and there is room. */
static bool has_room(struct walk *w, struct str path)
{
    for (size_t i = 0; i < w->before; i++) {
        if (str_eq(w->out->v[i].path, path))
            return false;
    }
    if (w->out->n < w->job->count_max)
        return true;
    w->job->truncated = w->ended = true;
    return false;
}

static void list_unread(struct walk *w, struct str path, enum collect_state state)
{
    if (has_room(w, path))
        collect_add(w->out, w->a,
                    (struct collected){ { arena_text(w->a, path), path.n }, .state = state });
}

/* Goes into the directory whose path has that length. */
static bool enter(struct walk *w, size_t path_len, uint64_t places, struct error *e)
{
    struct level *level = &w->levels[w->depth];
    const char *path = path_len ? w->path : ".";
    bool denied = collect_is_denied(w->job, path);
    int fd = denied ? -1 : collect_open(w->job->root, path, O_DIRECTORY);
    enum collect_state state = denied   ? COLLECT_UNREADABLE
                               : fd < 0 ? collect_refusal(errno)
                                        : COLLECT_DONE;

    if (state == COLLECT_STATES)
        return error_sys(e, CODE_IO, "a directory of the run cannot be opened");
    if (fd >= 0) {
        *level = (struct level){ .path_len = path_len, .places = places };
        w->depth++;
        read_names(w, fd, level);
    } else if (w->depth == 0) {
        w->miss = state;
    } else {
        list_unread(w, (struct str){ w->path, path_len - 1 }, state);
    }
    return true;
}

static bool take_file(struct walk *w, struct str path, struct error *e)
{
    w->found = true;
    return !has_room(w, path) || collect_file(w->job, path, w->a, w->out, e);
}

static bool visit(struct walk *w, const struct level *level, struct str name, struct error *e)
{
    size_t len = level->path_len + name.n;
    bool directory = name.s[name.n - 1] == '/';

    if (len >= sizeof w->path ||
        (directory && w->depth == ceiling(w->job->depth_max, COLLECT_DEPTH))) {
        w->job->truncated = true;
        return true;
    }
    memcpy(w->path + level->path_len, name.s, name.n);
    w->path[len] = '\0';
    if (!directory)
        return take_file(w, (struct str){ w->path, len }, e);
    name.n--;
    return enter(w, len, pattern_below(&w->pattern, level->places, name), e);
}

static void leave(struct walk *w)
{
    arena_free(&w->levels[--w->depth].names.a);
}

static bool go(struct walk *w, size_t path_len, struct error *e)
{
    bool good = enter(w, path_len, pattern_start(&w->pattern), e);

    while (good && w->depth && !w->ended) {
        struct level *level = &w->levels[w->depth - 1];

        if (level->next == level->names.n)
            leave(w);
        else
            good = visit(w, level, level->names.v[level->next++], e);
    }
    while (w->depth)
        leave(w);
    return good;
}

/* The plain parts are the way to the first directory that has to be read. */
static bool begin_path(struct walk *w, size_t *len)
{
    for (size_t i = 0; i < w->pattern.plain; i++) {
        struct str part = w->pattern.parts[i];

        if (part.n + 1 >= sizeof w->path - *len)
            return false;
        memcpy(w->path + *len, part.s, part.n);
        *len += part.n;
        w->path[(*len)++] = '/';
        w->path[*len] = '\0';
    }
    return true;
}

/* What is wrong with a pattern before anything is looked at; COLLECT_DONE: nothing is. */
static enum collect_state read_pattern(struct walk *w, struct str text)
{
    if (text.n && memchr(text.s, '\0', text.n))
        return COLLECT_MISSING;
    if (text.n && text.s[0] == '/')
        return COLLECT_OUTSIDE;
    if (pattern_read(text, &w->pattern))
        return COLLECT_DONE;
    return w->pattern.n == PATTERN_PARTS ? COLLECT_MISSING : COLLECT_OUTSIDE;
}

bool collect_glob(struct collect_job *job, struct str pattern, struct arena *a,
                  struct collected_list *out, struct error *e)
{
    _arena_ struct arena scratch = { 0 };
    struct walk *w = arena_new(&scratch, struct walk);
    size_t len = 0;

    w->job = job;
    w->a = a;
    w->out = out;
    w->before = out->n;
    w->levels = arena_alloc(&scratch, ceiling(job->depth_max, COLLECT_DEPTH) * sizeof *w->levels);
    w->miss = read_pattern(w, pattern);
    if (w->miss == COLLECT_DONE) {
        w->miss = COLLECT_MISSING;
        if (w->pattern.plain == w->pattern.n)
            return !has_room(w, pattern) || collect_file(job, pattern, a, out, e);
        if (begin_path(w, &len) && !go(w, len, e))
            return false;
    }
    if (!w->found)
        collect_add(out, a,
                    (struct collected){ { arena_text(a, pattern), pattern.n }, .state = w->miss });
    return true;
}
