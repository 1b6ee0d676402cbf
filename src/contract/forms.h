/* SPDX-License-Identifier: Apache-2.0 */
/* forms.h: the forms a text field can have, as one table. */
#pragma once

#include "base/str.h"
#include "base/table.h"

enum form {
    FORM_ANY,
    FORM_UUID,         /* UUID v4 */
    FORM_STAMP,        /* RFC 3339 date-time with zone */
    FORM_DAY,          /* RFC 3339 date-time, or a plain date */
    FORM_VERSION,      /* X.Y.Z */
    FORM_SNAKE,        /* lower_snake */
    FORM_SLUG,         /* a-z 0-9 . _ : / - */
    FORM_DIGEST,       /* sha256:<64 hex digits> */
    FORM_URL,          /* http:// or https:// */
    FORM_ENV_NAME,     /* [A-Za-z_][A-Za-z0-9_]* */
    FORM_STEP_NAME,    /* letters, digits, - _ . */
    FORM_TOOL_VERSION, /* X, X.Y or X.Y.Z, with a + behind it: at least */
    FORM_CLASS_ID,     /* a-z 0-9 _ - */
    FORM_COUNT,
};

struct form_row {
    const char *name; /* with its article: "'x' is not a slug such as run:42" */
    const char *example;
    const char *pattern; /* for the JSON Schema; NULL where `format` says it better */
    const char *format;
    /* NULL: anything fits. *why is set only where it says more than the example does. */
    bool (*fits)(struct str text, const char **why);
    const char *meaning;
};

/* Is there a user name or a password in the URL? It is then not to be repeated: url_login_told says
 * what is wrong with it. */
bool url_has_login(struct str url);
extern const char url_login_told[];

extern const struct form_row forms[FORM_COUNT];
extern const struct table forms_table;
