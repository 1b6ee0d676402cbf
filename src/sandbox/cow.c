/* SPDX-License-Identifier: Apache-2.0 */
/* cow.c: layers that are held open. */
#include "sandbox/cow.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/grants.h"

const char *const change_names[] = {
    [CHANGE_ADDED] = "added",
    [CHANGE_CHANGED] = "changed",
    [CHANGE_DELETED] = "deleted",
    NULL,
};

const char *const change_kind_names[] = {
    [CHANGE_FILE] = "file",
    [CHANGE_DIRECTORY] = "directory",
    [CHANGE_LINK] = "link",
    [CHANGE_OTHER] = "other",
    NULL,
};

const struct cow_layer *cow_around(const struct cow_layers *layers, const char *path)
{
    const struct cow_layer *found = NULL;

    for (size_t i = 0; i < layers->n; i++)
        if (path_is_in(path, layers->v[i].root) &&
            (!found || strlen(layers->v[i].root) > strlen(found->root)))
            found = &layers->v[i];
    return found;
}

void cow_leave_out(struct cow_layers *layers, const char *path, struct arena *a)
{
    const struct cow_layer *around = cow_around(layers, path);
    struct cow_layer *layer = &layers->v[around - layers->v];

    layer->left_out = arena_more(a, layer->left_out, layer->left_out_count, &layer->left_out_room,
                                 sizeof *layer->left_out);
    layer->left_out[layer->left_out_count++] = path + strlen(layer->root) + 1;
}

struct timespec cow_born(int upper)
{
    struct statx s;

    if (statx(upper, "", AT_EMPTY_PATH, STATX_BTIME, &s) != 0 || !(s.stx_mask & STATX_BTIME))
        return (struct timespec){ 0 };
    return (struct timespec){ s.stx_btime.tv_sec, s.stx_btime.tv_nsec };
}

void cow_close(struct cow_layers *layers)
{
    for (size_t i = 0; i < layers->n; i++) {
        own_close(&layers->v[i].disk);
        own_close(&layers->v[i].upper);
        own_close(&layers->v[i].merged);
    }
    layers->n = 0;
}
