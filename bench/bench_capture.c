/* SPDX-License-Identifier: Apache-2.0 */
/* bench_capture.c: a program that prints 1 GiB under `writ exec --json`, against the same program
 * printing to memory; and how much memory writ itself takes while more than that passes through.
 *
 * usage: bench_capture [WRIT [GIB]]    GIB, of the second part: 2, or as many as said
 *                                      the goals: at least as fast; less than 8 MB
 */
#include <sys/mman.h>

#include "ground.h"
#include "race.h"

enum { TURNS = 7, MIB = 1024 };

static struct ground ground;
static char program[] = "./print_bytes", amount[16] = "1024";
static const char *const bare[] = { program, amount, NULL };
static const char *const under_writ[] = {
    ground.writ, "exec", "--json", "--timeout-ms", "300000", "--", program, amount, NULL,
};

static int new_memory(void)
{
    int fd = memfd_create("output", MFD_CLOEXEC);

    assert(fd >= 0);
    return fd;
}

static void to_memory(void)
{
    int memory = new_memory();
    int status = ground_run(bare, (struct ground_io){ memory, -1 }, NULL);

    assert(status == 0 && lseek(memory, 0, SEEK_END) == (off_t)1 << 30);
    close(memory);
}

static void captured(void)
{
    int status = ground_run(under_writ, (struct ground_io){ -1, -1 }, NULL);

    assert(status == 0);
}

/* The program lies where the sandbox lets it be seen: in the working directory. */
static void copy_program(void)
{
    static char bytes[1 << 16];
    char from[PATH_MAX + 32];
    int in, out;
    ssize_t n;

    (void)snprintf(from, sizeof from, "%s/print_bytes", ground.built);
    in = open(from, O_RDONLY | O_CLOEXEC);
    out = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    assert(in >= 0 && out >= 0);
    while ((n = read(in, bytes, sizeof bytes)) > 0) {
        n -= write(out, bytes, (size_t)n);
        assert(n == 0);
    }
    close(in);
    close(out);
}

/* Whether writ's record counts every byte: else it was stopped early, and its time says nothing. */
static bool counts_all(long long bytes, struct rusage *used)
{
    int memory = new_memory(),
        status = ground_run(under_writ, (struct ground_io){ memory, -1 }, used);
    off_t size = lseek(memory, 0, SEEK_END);
    const char *text = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, memory, 0) : NULL;
    char tight[64], wide[64];
    bool found;

    (void)snprintf(tight, sizeof tight, "\"bytes\":%lld", bytes);
    (void)snprintf(wide, sizeof wide, "\"bytes\": %lld", bytes);
    found = text && (memmem(text, (size_t)size, tight, strlen(tight)) ||
                     memmem(text, (size_t)size, wide, strlen(wide)));
    if (text)
        (void)munmap((void *)text, (size_t)size);
    close(memory);
    if (status != 0 || !found)
        printf("  skipped: writ did not count all %lld bytes (status %d)\n", bytes, status);
    return status == 0 && found;
}

static void speed(void)
{
    static struct runner runners[] = {
        { "the program, writing to a memfd", to_memory },
        { "the program under writ exec --json", captured },
    };
    struct rusage used;
    size_t n = counts_all(1LL << 30, &used) ? 2 : 1;

    race_measure(runners, n, TURNS, 1);
    printf("1 GiB on standard output, 64 KiB a write\n");
    for (size_t i = 0; i < n; i++)
        printf("  %-44s %7.2f GiB/s\n", runners[i].name, 1e9 / race_median(&runners[i]));
    if (n == 2)
        printf("  goal: at least 1.0 x the speed of the memfd: %.2f x\n",
               race_median(&runners[0]) / race_median(&runners[1]));
}

/* The peak of writ and of all that it waited for, which is small too. */
static void memory(long gib)
{
    struct rusage used = { 0 };

    (void)snprintf(amount, sizeof amount, "%ld", gib * MIB);
    if (!counts_all((long long)gib << 30, &used))
        return;
    printf("%ld GiB on standard output\n", gib);
    printf("  %-44s %7.2f MB\n", "writ exec --json, peak memory",
           (double)used.ru_maxrss * 1024 / 1e6);
    printf("  goal: less than 8 MB\n");
}

int main(int argc, char **argv)
{
    long gib = argc > 2 ? strtol(argv[2], NULL, 10) : 2;

    ground_make(&ground, argc > 1 ? argv[1] : NULL);
    copy_program();
    if (ground_has_exec(&ground)) {
        speed();
        memory(gib);
    }
    return 0;
}
