/* SPDX-License-Identifier: Apache-2.0 */
/* bench_million.c: a ledger of a million events: its size, how long it takes to find something in
 * it, and to verify it. The goals: under 2 x the bytes of the bodies, under 50 ms, and at least
 * 0.6 x the speed of SHA-256 over the same bytes on one core. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <writ/writ.h>

#include "base/digest.h"
#include "events.h"
#include "race.h"

enum { EVENTS = 1000000, PART = 20000, TURNS = 5, LEAF_BYTES = 600 };

static struct writ_ledger *ledger;
static char input_id[64], some_id[64], some_run[64];
static uint64_t body_bytes;
static uint8_t *leafs;

static bool take_some(void *self, const char *line, size_t len)
{
    const char *id = strstr(line, "led-"), *run = strstr(line, "\"execution\":\"");

    (void)self;
    (void)len;
    if (id && run) {
        (void)snprintf(some_id, sizeof some_id, "%.40s", id);
        (void)snprintf(some_run, sizeof some_run, "%.36s", run + 13);
    }
    return true;
}

static bool nothing(void *self, const char *line, size_t len)
{
    (void)line;
    *(size_t *)self += len;
    return true;
}

static void fill(void)
{
    struct buf texts = { .max = (size_t)1 << 30 };
    double begin = race_now();

    for (uint64_t n = 0; n < EVENTS; n += PART) {
        struct writ_input input = { .name = "events" };
        int status;

        buf_reset(&texts);
        for (uint64_t i = n; i < n + PART; i++)
            event_add(&texts, i, input_id);
        input.text = texts.s;
        input.len = texts.len;
        body_bytes += texts.len - PART;
        status = writ_ledger_append(ledger, &input, NULL, take_some, NULL);
        assert(status == WRIT_OK);
    }
    printf("a ledger of %d events, made at %.0f events/s\n", EVENTS,
           EVENTS / ((race_now() - begin) / 1e9));
    buf_free(&texts);
}

static void run_log(void)
{
    size_t bytes = 0;
    int status = writ_log(ledger, "{\"limit\":20}", nothing, &bytes);

    assert(status == WRIT_OK && bytes);
}

static void run_rare(void)
{
    size_t bytes = 0;
    int status = writ_log(ledger, "{\"tenant\":\"nobody\",\"limit\":20}", nothing, &bytes);

    assert(status == WRIT_OK && bytes == 0);
}

static void run_show(void)
{
    char *answer;
    int status = writ_show(ledger, some_run, &answer);

    assert(status == WRIT_OK);
    writ_free(answer);
}

static void run_short(void)
{
    char *answer, start[9];

    (void)snprintf(start, sizeof start, "%.8s", some_run);
    (void)writ_show(ledger, start, &answer);
    writ_free(answer);
}

static void run_prove(void)
{
    char *answer;
    int status = writ_prove(ledger, some_id, NULL, &answer);

    assert(status == WRIT_OK);
    writ_free(answer);
}

static void run_verify(void)
{
    char *answer;
    int status = writ_verify(ledger, NULL, NULL, &answer);

    assert(status == WRIT_OK);
    writ_free(answer);
}

/* As many bytes as a verification hashes for bodies and headers. */
static void run_hash(void)
{
    for (uint64_t n = 0; n < EVENTS; n++)
        (void)digest_of(leafs + n % 1000 * (EVENT_BYTES + LEAF_BYTES), EVENT_BYTES + LEAF_BYTES);
}

static void look_up(void)
{
    struct runner looks[] = { { "log: the newest 20", run_log },
                              { "log: a tenant that is not there", run_rare },
                              { "show: an execution", run_show },
                              { "show: by 8 characters", run_short },
                              { "prove: an entry", run_prove } };

    race_measure(looks, sizeof looks / sizeof looks[0], TURNS, 1);
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        printf("  %-34s %9.2f ms (goal 50)\n", looks[i].name, race_median(&looks[i]) / 1e6);
}

static void verify(void)
{
    struct runner two[] = { { "SHA-256 of the same bytes, one core", run_hash },
                            { "verify", run_verify } };
    double ns[2];

    leafs = calloc(1000, EVENT_BYTES + LEAF_BYTES);
    assert(leafs);
    race_measure(two, 2, TURNS, 1);
    for (int i = 0; i < 2; i++) {
        ns[i] = race_median(&two[i]);
        printf("  %-34s %9.2f s\n", two[i].name, ns[i] / 1e9);
    }
    printf("  %.2f x the speed of SHA-256 (goal 0.6)\n", ns[0] / ns[1]);
    free(leafs);
}

int main(void)
{
    struct writ_input input = { .name = "input", .text = "{\"plan\":1}", .len = 10 };
    char dir[] = "./bench-million-XXXXXX", path[64], state[64], *answer;
    const char *environment[] = { state, NULL };
    struct stat s;
    int status;

    if (!mkdtemp(dir))
        return 1;
    (void)snprintf(state, sizeof state, "WRIT_STATE=%s", dir);
    status = writ_ledger_open(NULL, environment, true, &ledger, &answer);
    assert(status == WRIT_OK);
    status = writ_ledger_input(ledger, &input, NULL, NULL, &answer);
    assert(status == WRIT_OK);
    (void)snprintf(input_id, sizeof input_id, "%.40s", strstr(answer, "led-"));
    writ_free(answer);
    fill();
    (void)snprintf(path, sizeof path, "%s/ledger.db", dir);
    (void)stat(path, &s);
    printf("  %.0f MB for %.0f MB of bodies: %.2f x (goal under 2)\n", (double)s.st_size / 1e6,
           (double)body_bytes / 1e6, (double)s.st_size / (double)body_bytes);
    look_up();
    verify();
    writ_ledger_close(ledger);
    (void)snprintf(path, sizeof path, "rm -r %s", dir);
    return system(path) != 0; /* the directory that mkdtemp() named */
}
