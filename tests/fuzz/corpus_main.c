/* SPDX-License-Identifier: Apache-2.0 */
/* corpus_main.c: runs a fuzzer's corpus as an ordinary test, without libFuzzer.
 *
 * usage: corpus_NAME DIRECTORY...
 *
 * Every file of every directory, in sorted order, is given to the fuzzer once. Prints TAP, one test
 * per directory; a file is named before it runs, so that the last line before a crash tells which
 * one it was.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The buffer is as long as the file, to the byte: reading past its end is seen by ASan. */
static bool run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    bool good = false;

    printf("# %s\n", path);
    (void)fflush(stdout);
    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (size >= 0 && fseek(f, 0, SEEK_SET) == 0)
        data = malloc((size_t)size);
    if (size == 0 || (data && fread(data, 1, (size_t)size, f) == (size_t)size)) {
        (void)LLVMFuzzerTestOneInput(data, (size_t)size);
        good = true;
    } else {
        printf("# cannot be read\n");
    }
    free(data);
    if (f)
        (void)fclose(f);
    return good;
}

/* How many files ran, or -1 if the directory or one of its files could not be read. */
static int run_directory(const char *directory)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, is_input, alphasort);
    bool good = n >= 0;

    for (int i = 0; i < n; i++) {
        char path[4096];

        (void)snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        good = run_file(path) && good;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return good ? n : -1;
}

int main(int argc, char **argv)
{
    int faults = 0;

    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        int n = run_directory(argv[i]);
        const char *slash = strrchr(argv[i], '/');

        /* An empty corpus proves nothing, and an absent one most likely is a wrong path. */
        faults += n <= 0;
        printf("%sok %d - corpus %s, %d files\n", n > 0 ? "" : "not ", i,
               slash ? slash + 1 : argv[i], n > 0 ? n : 0);
    }
    return faults != 0;
}
