/* SPDX-License-Identifier: Apache-2.0 */
/* tls.c: TLS by OpenSSL. */
#include "sandbox/net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

struct tls {
    SSL *ssl;
    bool wants_write;
};

static SSL_CTX *context;

/* OpenSSL looks at SSL_CERT_FILE and SSL_CERT_DIR itself. */
bool tls_begin(struct error *e)
{
    context = SSL_CTX_new(TLS_client_method());
    if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_default_verify_paths(context) != 1)
        return error_set(e, ERROR_IO, "OpenSSL cannot begin");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    return true;
}

/* The name is what is asked for (SNI) and what the certificate must be for. */
static bool set_host(SSL *ssl, const char *host, bool is_address)
{
    X509_VERIFY_PARAM *check = SSL_get0_param(ssl);

    X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (is_address)
        return X509_VERIFY_PARAM_set1_ip_asc(check, host) == 1;
    return SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
}

struct tls *tls_open(int fd, const char *host, bool is_address)
{
    struct tls *t = mem_zeroed(sizeof *t);

    t->ssl = SSL_new(context);
    if (t->ssl && SSL_set_fd(t->ssl, fd) == 1 && set_host(t->ssl, host, is_address)) {
        SSL_set_connect_state(t->ssl);
        return t;
    }
    tls_close(t);
    return NULL;
}

void tls_close(struct tls *t)
{
    if (!t)
        return;
    SSL_free(t->ssl);
    free(t);
}

/* Only a close_notify is an end: a body that is cut off must not look whole. */
static int outcome(struct tls *t, int result)
{
    int how = SSL_get_error(t->ssl, result);

    t->wants_write = how == SSL_ERROR_WANT_WRITE;
    ERR_clear_error();
    if (how == SSL_ERROR_WANT_READ || how == SSL_ERROR_WANT_WRITE)
        return TLS_LATER;
    return how == SSL_ERROR_ZERO_RETURN ? TLS_END : TLS_BROKEN;
}

int tls_shake(struct tls *t, const char **why)
{
    int done = SSL_do_handshake(t->ssl);
    long verdict;

    t->wants_write = false;
    if (done == 1)
        return 1;
    done = outcome(t, done);
    verdict = SSL_get_verify_result(t->ssl);
    *why = verdict == X509_V_OK ? "it speaks no TLS that we do"
                                : X509_verify_cert_error_string(verdict);
    return done == TLS_LATER ? TLS_LATER : TLS_BROKEN;
}

ssize_t tls_read(struct tls *t, void *to, size_t n)
{
    int got = SSL_read(t->ssl, to, n > INT32_MAX ? INT32_MAX : (int)n);

    t->wants_write = false;
    return got > 0 ? got : outcome(t, got);
}

ssize_t tls_write(struct tls *t, const void *from, size_t n)
{
    int sent = SSL_write(t->ssl, from, n > INT32_MAX ? INT32_MAX : (int)n);

    t->wants_write = false;
    return sent > 0 ? sent : outcome(t, sent);
}

bool tls_wants_write(const struct tls *t)
{
    return t->wants_write;
}
