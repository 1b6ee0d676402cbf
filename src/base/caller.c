/* SPDX-License-Identifier: Apache-2.0 */
/* caller.c: asks the kernel who runs this process, and /etc/passwd for the name. */
#include "base/caller.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"
#include "base/utf8.h"

/* The kernel's own value for a process that nobody's login began. */
enum { NO_LOGIN = -1 };

static int64_t login_uid(void)
{
    char text[32];
    FILE *f = fopen("/proc/self/loginuid", "re");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    int64_t uid;

    if (f)
        (void)fclose(f);
    if (!num_int((struct str){ text, n }, &uid) || uid >= UINT32_MAX)
        return NO_LOGIN;
    return uid;
}

/* Not by getpwuid(): a static program has no NSS. */
static void find_name(struct caller *c)
{
    char room[4096];
    FILE *f = fopen("/etc/passwd", "re");
    struct passwd row = { 0 }, *found = NULL;

    while (f && fgetpwent_r(f, &row, room, sizeof room, &found) == 0) {
        if (row.pw_uid != (uid_t)c->uid)
            continue;
        if (utf8_valid(str_of(row.pw_name)) == strlen(row.pw_name))
            (void)snprintf(c->name, sizeof c->name, "%s", row.pw_name);
        break;
    }
    if (f)
        (void)fclose(f);
}

struct caller caller_now(void)
{
    struct caller c = { .uid = getuid(), .login_uid = login_uid() };

    find_name(&c);
    return c;
}

void caller_put(const struct caller *c, const char *key, struct str claimed, struct buf *to)
{
    json_key(to, key);
    json_open(to, '{');
    json_put_int(to, "uid", c->uid);
    json_key(to, "login_uid");
    if (c->login_uid < 0)
        json_nil(to);
    else
        json_int(to, c->login_uid);
    if (c->name[0])
        json_put(to, "name", c->name);
    if (claimed.n)
        json_put_outside(to, "claimed", claimed);
    json_close(to, '}');
}
