/* SPDX-License-Identifier: Apache-2.0 */
/* token.c: asks a token endpoint, and keeps what it gave for as long as it is good. */
#include "adapter/api/token.h"
#include "adapter/api_bind.h"

#include <pthread.h>
#include <stdlib.h>

#include "adapter/api/text.h"
#include "adapter/redact_words.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/json_read.h"
#include "contract/codes.h"

enum {
    TOKEN_MS = 30000, /* for the endpoint to answer */
    TOKEN_BODY_MAX = 64 << 10,
    TOKEN_LIFE_S = 300, /* where it does not say */
    TOKEN_LIFE_MOST_S = 86400,
    TOKEN_MARGIN_S = 30, /* a token that is about to expire would expire on its way */
    TOKENS_MAX = 64,
    WORDS_MAX = 200, /* of what a server says */
};

/* ---- those that are kept ---- */

struct token {
    struct token *next;
    struct digest key; /* of all that it was asked with */
    int64_t ends_ms;   /* monotonic */
    size_t n;
    char text[];
};

struct api_tokens {
    pthread_mutex_t lock;
    struct token *first;
};

struct api_tokens *api_tokens_open(void)
{
    struct api_tokens *t = mem_zeroed(sizeof *t);

    (void)pthread_mutex_init(&t->lock, NULL);
    return t;
}

static void token_free(struct token *one)
{
    explicit_bzero(one->text, one->n);
    free(one);
}

void api_tokens_close(struct api_tokens *t)
{
    if (!t)
        return;
    while (t->first) {
        struct token *one = t->first;

        t->first = one->next;
        token_free(one);
    }
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}

static struct digest key_of(const struct token_ask *ask)
{
    const struct str parts[] = { ask->url, ask->client_id, ask->client_secret, ask->scope,
                                 ask->resource };
    struct sha256 s;

    sha256_begin(&s);
    for (size_t i = 0; i < COUNT(parts); i++) {
        sha256_add(&s, &parts[i].n, sizeof parts[i].n);
        sha256_add(&s, parts[i].s ? parts[i].s : "", parts[i].n);
    }
    return sha256_end(&s);
}

static bool kept_token(struct api_tokens *t, const struct digest *key, int64_t now_ms,
                       struct arena *a, struct str *out)
{
    bool found = false;

    (void)pthread_mutex_lock(&t->lock);
    for (const struct token *one = t->first; one && !found; one = one->next) {
        if (memcmp(one->key.b, key->b, DIGEST_BYTES) != 0 || one->ends_ms <= now_ms)
            continue;
        *out = (struct str){ arena_text(a, (struct str){ one->text, one->n }), one->n };
        found = true;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return found;
}

/* Takes out those for which `gone` is true, and all beyond the ceiling; the lock is held. */
static void drop(struct api_tokens *t, bool (*gone)(const struct token *one, const void *what),
                 const void *what)
{
    struct token **at = &t->first;
    size_t n = 0;

    while (*at) {
        struct token *one = *at;

        if (!gone(one, what) && n < TOKENS_MAX) {
            at = &one->next;
            n++;
            continue;
        }
        *at = one->next;
        token_free(one);
    }
}

static bool same_key(const struct token *one, const void *what)
{
    const struct digest *key = what;

    return memcmp(one->key.b, key->b, DIGEST_BYTES) == 0;
}

static bool same_text(const struct token *one, const void *what)
{
    const struct str *text = what;

    return str_eq((struct str){ one->text, one->n }, *text);
}

static void keep_token(struct api_tokens *t, const struct digest *key, struct str text,
                       int64_t ends_ms)
{
    struct token *one = mem_zeroed(sizeof *one + text.n);

    one->key = *key;
    one->ends_ms = ends_ms;
    one->n = text.n;
    memcpy(one->text, text.s, text.n);
    (void)pthread_mutex_lock(&t->lock);
    drop(t, same_key, key);
    one->next = t->first;
    t->first = one;
    (void)pthread_mutex_unlock(&t->lock);
}

void token_forget(struct api_tokens *t, struct str token)
{
    (void)pthread_mutex_lock(&t->lock);
    drop(t, same_text, &token);
    (void)pthread_mutex_unlock(&t->lock);
}

/* ---- asking for one ---- */

static void add_pair(struct buf *to, const char *name, struct str value)
{
    if (!value.n)
        return;
    buf_addf(to, "%s%s=", to->len ? "&" : "", name);
    percent_add(to, value);
}

static void wiped(struct buf *b)
{
    if (b->s)
        explicit_bzero(b->s, b->cap);
    buf_free(b);
}

#define _wiped_ _cleanup_(wiped)

/* RFC 6749, 2.3.1: both are encoded as in a form before they are put together. */
static struct str basic(const struct token_ask *ask, struct arena *a)
{
    _wiped_ struct buf pair = { .max = 1 << 20 }, value = { .max = 2 << 20 };

    percent_add(&pair, ask->client_id);
    buf_addc(&pair, ':');
    percent_add(&pair, ask->client_secret);
    buf_adds(&value, "Basic ");
    base64_add(&value, buf_str(&pair));
    return (struct str){ arena_text(a, buf_str(&value)), value.len };
}

void token_secrets(const struct token_ask *ask, struct secrets *all, struct arena *a)
{
    _wiped_ struct buf word = { .max = 1 << 20 };

    percent_add(&word, ask->client_secret);
    secrets_add(all, "client", buf_str(&word), a);
    secrets_add(all, "basic", str_from(basic(ask, a), sizeof "Basic " - 1), a);
}

static int64_t allowed_ms(const struct token_ask *ask)
{
    int64_t left_ms = ask->like->timeout_ms;

    return left_ms > 0 && left_ms < TOKEN_MS ? left_ms : TOKEN_MS;
}

static bool post(const struct token_ask *ask, bool in_body, struct arena *a,
                 struct http_answer *out, struct error *e)
{
    _wiped_ struct buf body = { .max = 1 << 20 };
    struct http_header headers[] = {
        { str_of("Content-Type"), str_of("application/x-www-form-urlencoded") },
        { str_of("Accept"), str_of("application/json") },
        { str_of("Authorization"), in_body ? (struct str){ "", 0 } : basic(ask, a) },
    };
    struct http_request request = {
        .method = "POST",
        .url = arena_text(a, ask->url),
        .headers = headers,
        .header_count = in_body ? 2 : 3,
        .hosts = { .allow = &ask->host,
                   .allow_count = 1,
                   .deny = ask->like->hosts.deny,
                   .deny_count = ask->like->hosts.deny_count },
        .timeout_ms = allowed_ms(ask),
        .body_max = TOKEN_BODY_MAX,
        .plain = false,
        .cancel = ask->like->cancel,
    };

    add_pair(&body, "grant_type", str_of("client_credentials"));
    add_pair(&body, "scope", ask->scope);
    add_pair(&body, "resource", ask->resource);
    if (in_body) {
        add_pair(&body, "client_id", ask->client_id);
        add_pair(&body, "client_secret", ask->client_secret);
    }
    request.body = buf_str(&body);
    return http_call(ask->auth->http, &request, a, out, e);
}

/* ---- what it says ---- */

static const struct doc *read_body(const struct http_answer *answer, struct arena *a)
{
    struct ceilings max = ceilings_answer(); /* a token is not lost for the sake of a number */
    const struct document *document;
    struct error ignored;

    if (!answer->body.s || !json_read("token", answer->body, &max, a, &document, &ignored))
        return NULL;
    return document->root.kind == DOC_MAP ? &document->root : NULL;
}

/* The words of a stranger, for one line of ours, without what it may have repeated of us. */
static const char *words(const struct doc *said_of, const char *key, const struct token_ask *ask,
                         struct arena *a)
{
    struct secrets own = { 0 };
    struct str text;
    char *out;

    secrets_add(&own, "secret", ask->client_secret, a);
    secrets_add(&own, "id", ask->client_id, a);
    token_secrets(ask, &own, a);
    text = redact(said_of ? doc_text(said_of, key) : (struct str){ 0 }, &own, a);
    secrets_wipe(&own);
    out = arena_text(a,
                     (struct str){ text.s ? text.s : "", text.n < WORDS_MAX ? text.n : WORDS_MAX });
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
            *c = ' ';
    return out;
}

static bool refused(const struct http_answer *answer, const struct doc *body,
                    const struct token_ask *ask, struct arena *a, struct error *e)
{
    const char *error = words(body, "error", ask, a);
    const char *more = words(body, "error_description", ask, a);

    if (answer->status != 200)
        *ask->refusal = *answer;
    if (!*error)
        return error_set(e, answer->status >= 500 ? CODE_PEER_UNAVAILABLE : CODE_PEER_ERROR,
                         "the token endpoint of %.*s answers with status %d", STR_ARG(ask->host),
                         answer->status);
    return error_set(e, CODE_PEER_ERROR, "the token endpoint of %.*s refuses: %s%s%s (status %d)",
                     STR_ARG(ask->host), error, *more ? ": " : "", more, answer->status);
}

/* As the service itself would be told. */
static const int code_of_end[] = {
    [HTTP_REFUSED] = CODE_HOST_REFUSED,    [HTTP_UNREACHABLE] = CODE_PEER_UNAVAILABLE,
    [HTTP_TIMEOUT] = CODE_COMMAND_TIMEOUT, [HTTP_CANCELLED] = CODE_EXECUTION_HALTED,
    [HTTP_TOO_LARGE] = CODE_PEER_PROTOCOL, [HTTP_BROKEN] = CODE_PEER_PROTOCOL,
    [HTTP_ENOUGH] = CODE_PEER_PROTOCOL,
};

static bool unanswered(const struct http_answer *answer, const struct token_ask *ask,
                       int64_t allowed_ms, struct error *e)
{
    const char *why = answer->why ? answer->why : "no answer";

    if (answer->end != HTTP_TIMEOUT)
        return error_set(e, code_of_end[answer->end], "no token from %.*s: %s", STR_ARG(ask->host),
                         why);
    return error_set(e, code_of_end[answer->end], "no token from %.*s: %s; it may take %lld ms%s",
                     STR_ARG(ask->host), why, (long long)allowed_ms,
                     allowed_ms < TOKEN_MS ? " (sandbox_override.timeout_ms, --timeout-ms)" : "");
}

static int64_t life_ms(const struct doc *body)
{
    const struct doc *d = doc_get(body, "expires_in");
    double number = d && d->kind == DOC_NUMBER ? d->number
                    : d && d->kind == DOC_INT  ? (double)d->whole
                                               : TOKEN_LIFE_S;
    int64_t life, margin;

    life = number > TOKEN_LIFE_MOST_S ? TOKEN_LIFE_MOST_S : number > 0 ? (int64_t)number : 0;
    margin = life / 4 < TOKEN_MARGIN_S ? life / 4 : TOKEN_MARGIN_S;
    return (life - margin) * 1000;
}

/* RFC 6750: what is no visible character of ASCII has no place in the header. */
static bool is_sendable(struct str token)
{
    for (size_t i = 0; i < token.n; i++)
        if (token.s[i] <= ' ' || token.s[i] > '~')
            return false;
    return true;
}

/* Left out it is what the adapter asks for; whatever else is said must be it. */
static bool is_bearer(const struct doc *type)
{
    return !type || type->kind == DOC_NULL ||
           (type->kind == DOC_TEXT && str_cmp_letters(type->text, str_of("bearer")) == 0);
}

static bool take(const struct http_answer *answer, const struct token_ask *ask, struct arena *a,
                 struct str *out, struct error *e)
{
    const struct doc *body = read_body(answer, a);
    struct str token = body ? doc_text(body, "access_token") : (struct str){ 0 };
    const struct doc *type = body ? doc_get(body, "token_type") : NULL;
    struct digest key = key_of(ask);

    if (answer->status != 200 || (!token.n && body && doc_text(body, "error").n))
        return refused(answer, body, ask, a, e); /* some say 200 whatever they say */
    if (!token.n)
        return error_set(e, CODE_PEER_PROTOCOL,
                         "the token endpoint of %.*s answers with no access_token",
                         STR_ARG(ask->host));
    if (!is_sendable(token))
        return error_set(e, CODE_PEER_PROTOCOL,
                         "the token endpoint of %.*s gives an access_token with a blank, a control "
                         "character or one beyond ASCII, which is not sent",
                         STR_ARG(ask->host));
    if (!is_bearer(type))
        return error_set(e, CODE_PEER_PROTOCOL,
                         "the token endpoint of %.*s gives a token that is not a bearer token: its "
                         "token_type is %s",
                         STR_ARG(ask->host),
                         type->kind == DOC_TEXT ? said(str_of(words(body, "token_type", ask, a)), a)
                                                : "no text");
    if (token.n < REDACT_LEAST)
        return error_set(e, CODE_PEER_PROTOCOL,
                         "the token endpoint of %.*s gives a token of fewer than %d bytes, which "
                         "could not be taken out of what is kept",
                         STR_ARG(ask->host), REDACT_LEAST);
    *out = (struct str){ arena_text(a, token), token.n };
    if (life_ms(body) > 0)
        keep_token(ask->auth->tokens, &key, token, ask->auth->now_ms + life_ms(body));
    return true;
}

/* Some servers take a client's secret in the body only; RFC 6749 lets them. */
static bool wants_body(const struct http_answer *answer, struct arena *a)
{
    const struct doc *body = answer->end == HTTP_DONE ? read_body(answer, a) : NULL;

    return body && answer->status >= 400 && str_is(doc_text(body, "error"), "invalid_client");
}

bool token_get(const struct token_ask *ask, struct arena *a, struct str *out, bool *kept,
               struct error *e)
{
    struct digest key = key_of(ask);
    struct http_answer answer = { 0 }, second = { 0 };
    int64_t most_ms = allowed_ms(ask);

    *kept = kept_token(ask->auth->tokens, &key, ask->auth->now_ms, a, out);
    if (*kept)
        return true;
    if (!post(ask, false, a, &answer, e))
        return false;
    api_spend(ask->like, &answer);
    if (wants_body(&answer, a)) {
        if (!post(ask, true, a, &second, e))
            return false;
        api_spend(ask->like, &second);
        if (second.end == HTTP_DONE && second.status == 200)
            answer = second;
    }
    if (answer.end != HTTP_DONE)
        return unanswered(&answer, ask, most_ms, e);
    return take(&answer, ask, a, out, e);
}
