/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.h: what writ-http is told by its environment: proxies and certificates. */
#pragma once

#include "adapter/http/policy.h"

enum http_setting {
    SETTING_HTTP_PROXY,
    SETTING_HTTPS_PROXY,
    SETTING_ALL_PROXY,
    SETTING_NO_PROXY,
    SETTING_CERTIFICATES,
    SETTING_CERTIFICATE_DIRECTORY,
    SETTINGS,
};

struct http_settings {
    const char *value[SETTINGS]; /* NULL: not given */
};

/* Which setting a variable ("NAME=value") is, or SETTINGS: it is none, and is not passed on. */
enum http_setting http_setting_of(const char *variable);

/* The first variable of a setting holds; an empty one is not given. */
void http_settings_read(const char *const *environment, struct http_settings *out);

/* The proxy for that place; NULL: it is called directly, as this machine always is. */
const char *http_proxy_for(const struct http_settings *settings, const struct http_place *place);
