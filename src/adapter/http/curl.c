/* SPDX-License-Identifier: Apache-2.0 */
/* curl.c: transfers by libcurl, the only file that knows it. */
#include "adapter/http/curl.h"

#include <curl/curl.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adapter/http/frame.h"
#include "adapter/http/resting.h"
#include "base/world.h"

enum {
    SOCKETS = 1024,
    IDLE = 32,         /* connections that are kept, and handles */
    BUFFER = 32 << 10, /* read at once; the C library tidies up after every 64 KiB */
};

struct web {
    CURLM *multi;
    struct web_settings settings;
    int64_t due_ms; /* -1: never */
    struct pollfd sockets[SOCKETS];
    size_t socket_count;
    struct resting resting;
    struct web_call *idle; /* handles to be used again */
    size_t idle_count;
};

struct web_call {
    struct web *web;
    struct web_call *next; /* of the idle ones */
    CURL *easy;
    struct curl_slist *headers;
    const struct web_listener *listener;
    void *self;
    bool within; /* the multi handle has it */
    bool gets;   /* as it is set, it asks with GET and without a body */
    bool only;   /* and connects, no more: its connection is not curl's again */
    char error[CURL_ERROR_SIZE];
    curl_off_t body_max; /* that may come */
};

/* ---- what curl tells ---- */

static size_t on_line(char *bytes, size_t one, size_t n, void *self)
{
    struct web_call *c = self;

    return c->listener->line(c->self, (struct str){ bytes, one * n }) ? one * n : 0;
}

static size_t on_body(char *bytes, size_t one, size_t n, void *self)
{
    struct web_call *c = self;
    enum web_take take = c->listener->body(c->self, (struct str){ bytes, one * n });

    if (take == WEB_HOLD)
        return CURL_WRITEFUNC_PAUSE;
    return take == WEB_TAKEN ? one * n : CURL_WRITEFUNC_ERROR;
}

/* The address that is asked about is the one that is connected to: no lookup is between. */
static curl_socket_t on_open(void *self, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct web_call *c = self;
    struct address address;
    uint16_t port;

    (void)purpose;
    if (!address_of_socket(&to->addr, &address, &port) ||
        !c->listener->may_reach(c->self, &address, port, false))
        return CURL_SOCKET_BAD;
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* A connection that is used again was made for another request, under another list of hosts. */
static int on_use(void *self, char *to, char *from, int port, int from_port)
{
    struct web_call *c = self;
    struct address address;

    (void)from, (void)from_port;
    return address_read(str_of(to), &address) &&
                   c->listener->may_reach(c->self, &address, (uint16_t)port, true)
               ? CURL_PREREQFUNC_OK
               : CURL_PREREQFUNC_ABORT;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *self, void *mark)
{
    struct web *w = self;
    short in = what == CURL_POLL_OUT ? 0 : POLLIN, out = what == CURL_POLL_IN ? 0 : POLLOUT;
    size_t i = 0;

    (void)easy, (void)mark;
    while (i < w->socket_count && w->sockets[i].fd != fd)
        i++;
    if (what == CURL_POLL_REMOVE) {
        if (i < w->socket_count)
            w->sockets[i] = w->sockets[--w->socket_count];
        resting_add(&w->resting, fd);
        return 0;
    }
    resting_wake(&w->resting, fd);
    if (i == SOCKETS)
        return -1;
    w->sockets[i] = (struct pollfd){ fd, in | out, 0 };
    w->socket_count += i == w->socket_count;
    return 0;
}

static int on_close(void *self, curl_socket_t fd)
{
    struct web *w = self;

    resting_wake(&w->resting, fd);
    return close(fd);
}

static int on_timer(CURLM *multi, long wait_ms, void *self)
{
    const struct world *world = world_real();
    struct web *w = self;

    (void)multi;
    w->due_ms = wait_ms < 0 ? -1 : wait_ms == 0 ? 0 : world->mono_ms(world->self) + wait_ms;
    return 0;
}

/* ---- begin and end ---- */

bool web_open(const struct web_settings *settings, struct web **out, struct error *e)
{
    struct web *w = mem_zeroed(sizeof *w);

    w->settings = *settings;
    w->due_ms = -1;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        w->multi = curl_multi_init();
    if (!w->multi) {
        free(w);
        return error_set(e, ERROR_IO, "libcurl cannot be begun");
    }
    (void)curl_multi_setopt(w->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    (void)curl_multi_setopt(w->multi, CURLMOPT_SOCKETDATA, w);
    (void)curl_multi_setopt(w->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    (void)curl_multi_setopt(w->multi, CURLMOPT_TIMERDATA, w);
    (void)curl_multi_setopt(w->multi, CURLMOPT_MAXCONNECTS, (long)IDLE);
    (void)curl_multi_setopt(w->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    *out = w;
    return true;
}

/* What holds for every request; a handle keeps it. False: this libcurl is not one we can trust. */
static bool set_always(struct web_call *c)
{
    const struct web_settings *s = &c->web->settings;
    CURL *easy = c->easy;
    int bad = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") |
              curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open) |
              curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, c) |
              curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close) |
              curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, c->web) |
              curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_use) |
              curl_easy_setopt(easy, CURLOPT_PREREQDATA, c) |
              curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) |
              curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) |
              curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L) |
              curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) |
              curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) |
              curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) |
              curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) |
              curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) |
              curl_easy_setopt(easy, CURLOPT_NOPROXY, "") |
              curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) | /* the proxy's */
              curl_easy_setopt(easy, CURLOPT_USERAGENT, "writ/" WRIT_VERSION) |
              curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) |
              curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L) |
              curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) |
              curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)BUFFER) |
              curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_line) |
              curl_easy_setopt(easy, CURLOPT_HEADERDATA, c) |
              curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) |
              curl_easy_setopt(easy, CURLOPT_WRITEDATA, c) |
              curl_easy_setopt(easy, CURLOPT_PRIVATE, c) |
              curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, c->error);

    if (s->certificates)
        bad |= curl_easy_setopt(easy, CURLOPT_CAINFO, s->certificates);
    if (s->certificate_directory)
        bad |= curl_easy_setopt(easy, CURLOPT_CAPATH, s->certificate_directory);
    return bad == CURLE_OK;
}

static struct web_call *call_new(struct web *w)
{
    struct web_call *c = w->idle;

    if (c) {
        w->idle = c->next;
        w->idle_count--;
        c->next = NULL;
        return c;
    }
    c = mem_zeroed(sizeof *c);
    c->web = w;
    c->easy = curl_easy_init();
    if (c->easy && set_always(c))
        return c;
    curl_easy_cleanup(c->easy);
    free(c);
    return NULL;
}

static bool add_line(struct web_call *c, const char *line)
{
    struct curl_slist *more = curl_slist_append(c->headers, line);

    c->headers = more ? more : c->headers;
    return more != NULL;
}

static bool has_body(const struct web_ask *ask)
{
    return ask->body.s || strcmp(ask->method, "POST") == 0 || strcmp(ask->method, "PUT") == 0;
}

/* What curl would make up, of every request and of one with a body: "Name:" tells it not to. */
static bool add_nothing_more(struct web_call *c, const struct web_ask *ask)
{
    static const char *const made_up[] = { "Accept-Encoding:", "Expect:", "Content-Type:" };
    size_t n = has_body(ask) ? COUNT(made_up) : 1;
    bool ok = true;

    for (size_t i = 0; i < n && ok; i++) {
        struct str name = { made_up[i], strlen(made_up[i]) - 1 };
        bool given = false;

        for (size_t j = 0; j < ask->header_count; j++)
            given |= str_cmp_letters(ask->headers[j].name, name) == 0;
        ok = given || add_line(c, made_up[i]);
    }
    return ok;
}

/* "Name: value"; curl wants "Name;" for one that is empty. */
static bool add_headers(struct web_call *c, const struct web_ask *ask)
{
    _buf_ struct buf line = { .max = HTTP_ASK_MAX };
    bool ok = add_nothing_more(c, ask);

    for (size_t i = 0; i < ask->header_count && ok; i++) {
        const struct http_header *h = &ask->headers[i];

        buf_reset(&line);
        buf_add(&line, h->name.s, h->name.n);
        buf_adds(&line, h->value.n ? ": " : ";");
        buf_add(&line, h->value.s, h->value.n);
        ok = buf_ok(&line) && add_line(c, line.s);
    }
    if (line.s)
        explicit_bzero(line.s, line.cap);
    return ok;
}

/* A body that is empty is still a body: "Content-Length: 0". */
static int set_method(struct web_call *c, const struct web_ask *ask)
{
    bool head = strcmp(ask->method, "HEAD") == 0;
    bool gets = strcmp(ask->method, "GET") == 0 && !has_body(ask), again = gets && c->gets;
    CURL *easy = c->easy;
    int bad = again ? CURLE_OK : curl_easy_setopt(easy, CURLOPT_NOBODY, head ? 1L : 0L);

    c->gets = gets;
    if (again)
        return bad;
    if (head)
        return bad | curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, NULL);
    bad |= curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (has_body(ask))
        bad |= curl_easy_setopt(easy, CURLOPT_POST, 1L) |
               curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n) |
               curl_easy_setopt(easy, CURLOPT_POSTFIELDS, ask->body.s ? ask->body.s : "");
    return bad | curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, ask->method);
}

static bool set_ask(struct web_call *c, const struct web_ask *ask)
{
    CURL *easy = c->easy;

    c->body_max = strcmp(ask->method, "HEAD") == 0 ? 0 : (curl_off_t)ask->body_max;
    c->only = ask->connect_only;
    if (c->only && (curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L) != CURLE_OK ||
                    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L) != CURLE_OK))
        return false;
    return add_headers(c, ask) &&
           (set_method(c, ask) | curl_easy_setopt(easy, CURLOPT_URL, ask->url) |
            curl_easy_setopt(easy, CURLOPT_HTTPHEADER, c->headers) |
            curl_easy_setopt(easy, CURLOPT_PROXY, ask->proxy ? ask->proxy : "") |
            curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)ask->timeout_ms) |
            curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, c->body_max)) == CURLE_OK;
}

struct web_call *web_begin(struct web *w, const struct web_ask *ask,
                           const struct web_listener *listener, void *self)
{
    struct web_call *c = call_new(w);

    if (!c)
        return NULL;
    c->listener = listener;
    c->self = self;
    c->error[0] = '\0';
    resting_shut(&w->resting);
    c->within = set_ask(c, ask) && curl_multi_add_handle(w->multi, c->easy) == CURLM_OK;
    if (c->within)
        return c;
    web_end(c);
    return NULL;
}

void web_end(struct web_call *c)
{
    if (!c)
        return;
    if (c->within)
        (void)curl_multi_remove_handle(c->web->multi, c->easy);
    c->within = false;
    for (struct curl_slist *s = c->headers; s; s = s->next)
        explicit_bzero(s->data, strlen(s->data));
    curl_slist_free_all(c->headers);
    c->headers = NULL;
    if (c->web->idle_count < IDLE && !c->only) {
        c->next = c->web->idle;
        c->web->idle = c;
        c->web->idle_count++;
        return;
    }
    curl_easy_cleanup(c->easy);
    free(c);
}

bool web_go_on(struct web_call *c)
{
    return !c->within || curl_easy_pause(c->easy, CURLPAUSE_CONT) == CURLE_OK;
}

/* ---- asked ---- */

int web_status(const struct web_call *c)
{
    long status = 0;

    (void)curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

bool web_reused(const struct web_call *c)
{
    long made = 1;

    return curl_easy_getinfo(c->easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK && made == 0;
}

const char *web_redirect(const struct web_call *c)
{
    char *url = NULL;

    (void)curl_easy_getinfo(c->easy, CURLINFO_REDIRECT_URL, &url);
    return url;
}

int web_descriptor(const struct web_call *c)
{
    curl_socket_t fd = CURL_SOCKET_BAD;

    (void)curl_easy_getinfo(c->easy, CURLINFO_ACTIVESOCKET, &fd);
    resting_wake(&c->web->resting, fd); /* what comes on it now is for us */
    return fd;
}

ssize_t web_send(struct web_call *c, struct str bytes)
{
    size_t n = 0;
    CURLcode code = curl_easy_send(c->easy, bytes.s, bytes.n, &n);

    return code == CURLE_OK ? (ssize_t)n : code == CURLE_AGAIN ? 0 : -1;
}

ssize_t web_receive(struct web_call *c, void *to, size_t room)
{
    size_t n = 0;
    CURLcode code = curl_easy_recv(c->easy, to, room, &n);

    return code == CURLE_OK && n > 0 ? (ssize_t)n : code == CURLE_AGAIN ? 0 : -1;
}

/* ---- endings ---- */

/* clang-format off */
static const struct ending {
    CURLcode code;
    enum http_end end;
    const char *why; /* NULL: curl's own words, which are about certificates and names only */
} endings[] = {
    { CURLE_OK,                       HTTP_DONE,        "" },
    { CURLE_OPERATION_TIMEDOUT,       HTTP_TIMEOUT,     "no whole answer came in time" },
    { CURLE_COULDNT_RESOLVE_HOST,     HTTP_UNREACHABLE, "its name has no address" },
    { CURLE_COULDNT_RESOLVE_PROXY,    HTTP_UNREACHABLE, "the proxy's name has no address" },
    { CURLE_COULDNT_CONNECT,          HTTP_UNREACHABLE, "no connection can be made" },
    { CURLE_SSL_CONNECT_ERROR,        HTTP_UNREACHABLE, NULL },
    { CURLE_SSL_CERTPROBLEM,          HTTP_UNREACHABLE, NULL },
    { CURLE_SSL_CIPHER,               HTTP_UNREACHABLE, NULL },
    { CURLE_PEER_FAILED_VERIFICATION, HTTP_UNREACHABLE, NULL },
    { CURLE_SSL_CACERT_BADFILE,       HTTP_UNREACHABLE, "the file of certificates cannot be read" },
    { CURLE_PROXY,                    HTTP_UNREACHABLE, "the proxy did not connect us" },
    { CURLE_URL_MALFORMAT,            HTTP_REFUSED,     "its URL is not one that is asked for" },
    { CURLE_GOT_NOTHING,              HTTP_BROKEN,      "the connection was closed without an answer" },
    { CURLE_RECV_ERROR,               HTTP_BROKEN,      "the connection broke in the middle" },
    { CURLE_SEND_ERROR,               HTTP_BROKEN,      "the connection broke in the middle" },
    { CURLE_PARTIAL_FILE,             HTTP_BROKEN,      "the answer ended in the middle" },
    { CURLE_UNSUPPORTED_PROTOCOL,     HTTP_BROKEN,      "what came is not HTTP" },
    { CURLE_WEIRD_SERVER_REPLY,       HTTP_BROKEN,      "what came is not HTTP" },
    { CURLE_FILESIZE_EXCEEDED,        HTTP_TOO_LARGE,   NULL },
    { CURLE_OUT_OF_MEMORY,            HTTP_TOO_LARGE,   "a line of the answer's head is too long" },
};
/* clang-format on */

static struct ending ending_of(struct web_call *c, CURLcode code)
{
    long proxy = 0; /* its answer to CONNECT */

    (void)curl_easy_getinfo(c->easy, CURLINFO_HTTP_CONNECTCODE, &proxy);
    if (code == CURLE_RECV_ERROR && proxy && proxy / 100 != 2) {
        (void)snprintf(c->error, sizeof c->error, "the proxy answered %ld", proxy);
        return (struct ending){ code, HTTP_UNREACHABLE, c->error };
    }
    if (code == CURLE_FILESIZE_EXCEEDED)
        (void)snprintf(c->error, sizeof c->error, "the body has more than %lld bytes",
                       (long long)c->body_max);
    for (size_t i = 0; i < COUNT(endings); i++)
        if (endings[i].code == code)
            return (struct ending){ code, endings[i].end,
                                    endings[i].why ? endings[i].why : c->error };
    return (struct ending){ code, HTTP_BROKEN, "the answer cannot be read" };
}

static void tell_done(struct web *w)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(w->multi, &left))) {
        struct web_call *c = NULL;
        struct ending ending;

        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &c);
        ending = ending_of(c, message->data.result);
        c->listener->done(c->self, ending.end, ending.why);
    }
}

/* ---- the loop's part ---- */

size_t web_polls(const struct web *w, struct pollfd *to, size_t room)
{
    size_t n = w->socket_count < room ? w->socket_count : room;

    memcpy(to, w->sockets, n * sizeof *to);
    return n;
}

int64_t web_due_ms(const struct web *w)
{
    return w->due_ms;
}

void web_go(struct web *w, const struct pollfd *ready, size_t n, int64_t now_ms)
{
    int running;

    for (size_t i = 0; i < n; i++) {
        int how = (ready[i].revents & POLLIN ? CURL_CSELECT_IN : 0) |
                  (ready[i].revents & POLLOUT ? CURL_CSELECT_OUT : 0) |
                  (ready[i].revents & (POLLERR | POLLHUP | POLLNVAL) ? CURL_CSELECT_ERR : 0);

        if (how)
            (void)curl_multi_socket_action(w->multi, ready[i].fd, how, &running);
    }
    if (w->due_ms >= 0 && w->due_ms <= now_ms) {
        w->due_ms = -1;
        (void)curl_multi_socket_action(w->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    tell_done(w);
}
