/* SPDX-License-Identifier: Apache-2.0 */
/* bench_jsonpath.c: a selection from a document of 1 MB, `writ query` and the library against jq:
 * by a filter on all levels, and by a plain path. All of them read, select and write.
 *
 * usage: bench_jsonpath [WRIT]    the goal: at least 3 times faster than jq, also without its start
 */
#include <sys/mman.h>

#include <writ/writ.h>

#include "ground.h"
#include "race.h"

enum { TURNS = 21, BYTES = 1000000, BOOKS = 20 };

enum who { JQ, START, PROCESS };

static struct ground ground;
static char *text;
static size_t len;

static const struct selection {
    const char *title, *path, *filter;
} selections[] = {
    { "a filter on all levels: $..book[?@.price<10].title", "$..book[?@.price<10].title",
      "[..|.book?|arrays|.[]|select(.price<10)|.title]" },
    { "a plain path: $.store.shelves[*].book[0].title", "$.store.shelves[*].book[0].title",
      "[.store.shelves[].book[0].title]" },
};

static void write_document(void)
{
    FILE *f = fopen("books.json", "we+");

    assert(f);
    (void)fputs("{\"store\":{\"shelves\":[", f);
    for (int shelf = 0; ftell(f) < BYTES; shelf++) {
        (void)fprintf(f, "%s{\"name\":\"shelf %d\",\"open\":true,\"book\":[", shelf ? "," : "",
                      shelf);
        for (int i = 0; i < BOOKS; i++)
            (void)fprintf(f,
                          "%s{\"category\":\"fiction\",\"author\":\"Author %d of Böoks\",\"title\":"
                          "\"Title \\u00e9 %d.%d\",\"isbn\":\"0-553-%05d-3\",\"price\":%d.%02d,"
                          "\"tags\":[\"a\",\"b\",%d]}",
                          i ? "," : "", i * 7, shelf, i, shelf * BOOKS + i, (shelf + i * 3) % 25,
                          i * 5 % 100, i);
        (void)fputs("]}", f);
    }
    (void)fputs("]}}\n", f);
    len = (size_t)ftell(f);
    rewind(f);
    text = malloc(len);
    assert(text && fread(text, 1, len, f) == len);
    (void)fclose(f);
}

static void command(enum who which, const struct selection *s, const char *argv[6])
{
    const char *const jq[] = { "/usr/bin/jq", "-c", s->filter, "books.json", NULL };
    const char *const start[] = { "/usr/bin/jq", "-n", "-c", s->filter, NULL };
    const char *const writ[] = { ground.writ, "query", s->path, "books.json", NULL };

    memcpy(argv, which == JQ ? jq : which == START ? start : writ, sizeof jq);
}

static void run_command(enum who which, const struct selection *s, int out)
{
    const char *argv[6];
    int status;

    command(which, s, argv);
    status = ground_run(argv, (struct ground_io){ out, -1 }, NULL);
    assert(status == 0);
}

static void run_jq(const void *s)
{
    run_command(JQ, s, -1);
}

static void run_start(const void *with)
{
    const struct selection *s = with, nothing = { s->title, s->path, "1" };

    run_command(START, &nothing, -1);
}

static void run_process(const void *s)
{
    run_command(PROCESS, s, -1);
}

static void run_library(const void *with)
{
    const struct selection *s = with;
    struct writ_input input = { .name = "books.json", .text = text, .len = len };
    char *answer;
    int status = writ_query(s->path, &input, false, &answer);

    assert(status == WRIT_OK);
    writ_free(answer);
}

/* Both must print the same, or the race says nothing. */
static size_t same_answer(const struct selection *s)
{
    char *answers[2];
    off_t sizes[2];

    for (int i = 0; i < 2; i++) {
        int fd = memfd_create("answer", MFD_CLOEXEC);

        assert(fd >= 0);
        run_command(i ? PROCESS : JQ, s, fd);
        sizes[i] = lseek(fd, 0, SEEK_END);
        assert(sizes[i] > 100);
        answers[i] = mmap(NULL, (size_t)sizes[i], PROT_READ, MAP_SHARED, fd, 0);
        assert(answers[i] != MAP_FAILED);
        close(fd);
    }
    assert(sizes[0] == sizes[1] && memcmp(answers[0], answers[1], (size_t)sizes[0]) == 0);
    (void)munmap(answers[0], (size_t)sizes[0]);
    (void)munmap(answers[1], (size_t)sizes[1]);
    return (size_t)sizes[0];
}

static void measure(const struct selection *s)
{
    struct runner runners[] = {
        { .name = "jq -c", .run_with = run_jq, .with = s },
        { .name = "jq, its start alone", .run_with = run_start, .with = s },
        { .name = "writ query", .run_with = run_process, .with = s },
        { .name = "writ_query(), the library", .run_with = run_library, .with = s },
    };
    enum { COUNT = sizeof runners / sizeof runners[0] };
    size_t bytes = same_answer(s);
    double ns[COUNT];

    race_measure(runners, COUNT, TURNS, 1);
    printf("%s, %zu bytes of %zu\n", s->title, bytes, len);
    for (int i = 0; i < COUNT; i++) {
        ns[i] = race_median(&runners[i]);
        printf("  %-44s %7.2f ms %7.2f x\n", runners[i].name, ns[i] / 1e6, ns[0] / ns[i]);
    }
    printf("  goal: writ query at least 3 x jq: %.1f x; 3 x jq less its start: %.1f x\n",
           ns[0] / ns[2], (ns[0] - ns[1]) / ns[2]);
}

int main(int argc, char **argv)
{
    ground_make(&ground, argc > 1 ? argv[1] : NULL);
    if (!ground.writ[0] || access("/usr/bin/jq", X_OK) < 0) {
        printf("bench_jsonpath\n  skipped: %s\n",
               ground.writ[0] ? "jq is not installed" : "no writ was found");
        return 0;
    }
    write_document();
    for (size_t i = 0; i < sizeof selections / sizeof selections[0]; i++)
        measure(&selections[i]);
    (void)remove("books.json");
    free(text);
    return 0;
}
