/* SPDX-License-Identifier: Apache-2.0 */
/* bench_http.c: a call by writ-http, against curl: one server on loopback, whose connections stay
 * open. The goal: at most 1.2 x the time that curl says it took (time_total), connected already.
 * The library in this process, on a handle that is kept, is shown beside it: less cannot be had.
 *
 * usage: bench_http [WRIT_HTTP]
 */
#include <arpa/inet.h>
#include <assert.h>
#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adapter/http.h"
#include "race.h"

enum { CALLS = 200, BODY = 256 };

static char url[64];
static CURL *curl;
static struct curl_slist *sent_headers;
static struct http *http;
static struct arena arena;
static const struct http_header headers[] = { { { "Accept", 6 }, { "application/json", 16 } },
                                              { { "X-Key", 5 }, { "0123456789abcdef", 16 } } };

/* ---- the server: a process of its own, a thread a connection ---- */

static void *answer_all(void *arg)
{
    int fd = *(int *)arg;
    char ask[4096], answer[BODY + 256], body[BODY + 1];
    ssize_t got;

    free(arg);
    memset(body, 'x', BODY);
    body[BODY] = '\0';
    (void)snprintf(answer, sizeof answer,
                   "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s",
                   BODY, body);
    while ((got = recv(fd, ask, sizeof ask, 0)) > 0)
        if (send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
            break;
    (void)close(fd);
    return NULL;
}

static void serve(int listener)
{
    for (;;) {
        int *fd = malloc(sizeof *fd);
        pthread_t thread;

        assert(fd);
        *fd = accept(listener, NULL, NULL);
        if (*fd < 0 || pthread_create(&thread, NULL, answer_all, fd) != 0)
            _exit(1);
    }
}

static pid_t start_server(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int bad = bind(listener, (struct sockaddr *)&at, sizeof at) | listen(listener, 16) |
              getsockname(listener, (struct sockaddr *)&at, &n);
    pid_t pid = fork();

    assert(!bad && pid >= 0);
    if (pid == 0)
        serve(listener);
    (void)close(listener);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/resources/1", ntohs(at.sin_port));
    return pid;
}

/* ---- the two ---- */

static size_t keep(char *bytes, size_t one, size_t n, void *self)
{
    struct buf *b = self;

    buf_add(b, bytes, one * n);
    return one * n;
}

static void in_process(void)
{
    for (int i = 0; i < CALLS; i++) {
        struct buf body = { .max = 1 << 20 };
        CURLcode code;
        long status = 0;

        (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
        code = curl_easy_perform(curl);
        (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        if (code != CURLE_OK || status != 200 || body.len != BODY)
            abort();
        buf_free(&body);
    }
}

static void beside(void)
{
    static const struct str host = { "127.0.0.1", 9 };
    const struct http_request request = { .method = "GET",
                                          .url = url,
                                          .headers = headers,
                                          .header_count = COUNT(headers),
                                          .hosts = { .allow = &host, .allow_count = 1 },
                                          .timeout_ms = 30000,
                                          .body_max = 1 << 20,
                                          .cancel = -1 };

    for (int i = 0; i < CALLS; i++) {
        struct http_answer answer;
        struct error e;

        arena_reset(&arena);
        if (!http_call(http, &request, &arena, &answer, &e) || answer.status != 200 ||
            answer.body.n != BODY)
            abort();
    }
}

/* ---- curl itself, by its own clock ---- */

static double said_us[CALLS * (RACE_TURNS + 1)];
static size_t said_count;

/* The first of each connects, and does not count. */
static void program(void)
{
    char command[512], line[64];
    FILE *curl_says;

    (void)snprintf(
        command, sizeof command,
        "curl -s -o /dev/null -H 'Accept: application/json' -H 'X-Key: 0123456789abcdef' "
        "-w '%%{time_total}\\n' '%s?[0-%d]' 2>/dev/null",
        url, CALLS);
    curl_says = popen(command, "r"); // NOLINT(cert-env33-c): our own words
    assert(curl_says);
    for (int i = 0; fgets(line, sizeof line, curl_says); i++)
        if (i > 0 && said_count < COUNT(said_us))
            said_us[said_count++] = strtod(line, NULL) * 1e6;
    (void)pclose(curl_says);
}

int main(int argc, char **argv)
{
    struct runner all[] = { { .name = "libcurl, in this process", .run = in_process },
                            { .name = "writ-http", .run = beside },
                            { .name = "curl", .run = program } };
    const char *program = argc > 1 ? argv[1] : WRIT_HTTP;
    struct error e = { 0 };
    pid_t server = start_server();
    double ours_us, library_us, program_us;

    curl = curl_easy_init();
    (void)curl_easy_setopt(curl, CURLOPT_URL, url);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    for (size_t i = 0; i < COUNT(headers); i++) {
        char line[128];

        (void)snprintf(line, sizeof line, "%.*s: %.*s", STR_ARG(headers[i].name),
                       STR_ARG(headers[i].value));
        sent_headers = curl_slist_append(sent_headers, line);
    }
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, sent_headers);
    (void)curl_easy_setopt(curl, CURLOPT_PROXY, "");
    if (!http_open(program, NULL, &http, &e)) {
        (void)fprintf(stderr, "bench_http: %s\n", e.msg);
        return 1;
    }
    race_measure(all, COUNT(all), RACE_TURNS, 1);
    http_close(http);
    (void)kill(server, SIGKILL);
    ours_us = race_median(&all[1]) / CALLS / 1e3;
    library_us = race_median(&all[0]) / CALLS / 1e3;
    printf("libcurl, in this process   %8.1f us a call\n", library_us);
    printf("writ-http                  %8.1f us a call, %.2f x\n", ours_us, ours_us / library_us);
    if (said_count == 0) {
        printf("there is no curl to be held against\n");
        return 0;
    }
    qsort(said_us, said_count, sizeof said_us[0], race_by_size);
    program_us = said_us[said_count / 2];
    printf("curl, by its own clock     %8.1f us a call\n", program_us);
    printf("writ-http takes %.2f x the time of curl, goal at most 1.20: %s\n", ours_us / program_us,
           ours_us <= 1.2 * program_us ? "met" : "missed");
    return ours_us > 1.2 * program_us;
}
