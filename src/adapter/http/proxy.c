/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.c: the variables that are passed on, and who is called through a proxy. */
#include "adapter/http/proxy.h"

/* clang-format off */
static const struct {
    const char *name;
    enum http_setting setting;
} variables[] = {
    { "http_proxy",     SETTING_HTTP_PROXY },
    { "HTTP_PROXY",     SETTING_HTTP_PROXY },
    { "https_proxy",    SETTING_HTTPS_PROXY },
    { "HTTPS_PROXY",    SETTING_HTTPS_PROXY },
    { "all_proxy",      SETTING_ALL_PROXY },
    { "ALL_PROXY",      SETTING_ALL_PROXY },
    { "no_proxy",       SETTING_NO_PROXY },
    { "NO_PROXY",       SETTING_NO_PROXY },
    { "CURL_CA_BUNDLE", SETTING_CERTIFICATES },
    { "SSL_CERT_FILE",  SETTING_CERTIFICATES },
    { "SSL_CERT_DIR",   SETTING_CERTIFICATE_DIRECTORY },
};
/* clang-format on */

enum http_setting http_setting_of(const char *variable)
{
    for (size_t i = 0; i < COUNT(variables); i++) {
        size_t n = strlen(variables[i].name);

        if (strncmp(variable, variables[i].name, n) == 0 && variable[n] == '=')
            return variables[i].setting;
    }
    return SETTINGS;
}

void http_settings_read(const char *const *environment, struct http_settings *out)
{
    *out = (struct http_settings){ 0 };
    for (; environment && *environment; environment++) {
        enum http_setting setting = http_setting_of(*environment);
        const char *value = strchr(*environment, '=');

        if (setting < SETTINGS && !out->value[setting] && value[1])
            out->value[setting] = value + 1;
    }
}

/* "example.org" is that host and what is below it; so is ".example.org"; "*" is every host. */
static bool is_excepted(struct str entry, struct str host)
{
    if (str_is(entry, "*"))
        return true;
    if (entry.n > 1 && entry.s[0] == '.')
        entry = (struct str){ entry.s + 1, entry.n - 1 };
    if (entry.n == 0 || entry.n > host.n)
        return false;
    if (str_cmp_letters((struct str){ host.s + host.n - entry.n, entry.n }, entry) != 0)
        return false;
    return host.n == entry.n || host.s[host.n - entry.n - 1] == '.';
}

static bool has_exception(const char *list, struct str host)
{
    while (list && *list) {
        size_t n = strcspn(list, ", ");

        if (is_excepted((struct str){ list, n }, host))
            return true;
        list += n + (list[n] != '\0');
    }
    return false;
}

const char *http_proxy_for(const struct http_settings *settings, const struct http_place *place)
{
    const char *proxy = settings->value[place->tls ? SETTING_HTTPS_PROXY : SETTING_HTTP_PROXY];

    if (!proxy)
        proxy = settings->value[SETTING_ALL_PROXY];
    if (!proxy || has_exception(settings->value[SETTING_NO_PROXY], place->host))
        return NULL;
    if (place->is_address ? address_is_loopback(&place->address)
                          : is_excepted(str_of("localhost"), place->host))
        return NULL;
    return proxy;
}
