/* SPDX-License-Identifier: Apache-2.0 */
/* test_mend.c: the advice is the one that fits what was found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "sandbox/child.h"
#include "sandbox/mend.h"
#include "sandbox/probe.h"
#include "sandbox/process.h"

/* A machine in a directory: its settings are files. */
struct machine {
    char home[32];
    char lsm[64];
};

static void put(const struct machine *m, const char *name, const char *text)
{
    char path[128];
    int fd;

    (void)snprintf(path, sizeof path, "%s/%s", m->home, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
}

static int begin(void **state)
{
    struct machine *m = calloc(1, sizeof *m);
    char path[64];

    (void)snprintf(m->home, sizeof m->home, "/tmp/writ-mend-XXXXXX");
    assert_non_null(mkdtemp(m->home));
    (void)snprintf(m->lsm, sizeof m->lsm, "%s/lsm", m->home);
    (void)snprintf(path, sizeof path, "%s/kernel", m->home);
    assert_int_equal(mkdir(path, 0755), 0);
    (void)snprintf(path, sizeof path, "%s/user", m->home);
    assert_int_equal(mkdir(path, 0755), 0);
    *state = m;
    return 0;
}

static int end(void **state)
{
    struct machine *m = *state;
    struct error e;
    bool gone = fs_remove(m->home, &e);

    free(m);
    return gone ? 0 : 1;
}

static void says(const struct machine *m, struct ailment ill, struct surroundings like,
                 const char *part)
{
    _arena_ struct arena a = { 0 };
    const char *mend;

    like.settings = m->home;
    like.lsm = m->lsm;
    mend = mend_for(&ill, &like, &a);
    if (!strstr(mend, part))
        fail_msg("'%s' is not in '%s'", part, mend);
}

static const struct surroundings user = { 0 }, root = { .root = true },
                                 contained = { .filtered = true };

static void the_setting_that_stands_in_the_way_is_named(void **state)
{
    const struct machine *m = *state;
    struct ailment ill = { LAYER_USER, "user", EPERM }, rights = { LAYER_USER, "rights", EPERM };

    put(m, "kernel/unprivileged_userns_clone", "0\n");
    says(m, ill, user, "sysctl kernel.unprivileged_userns_clone=1");
    put(m, "kernel/apparmor_restrict_unprivileged_userns", "1\n");
    says(m, ill, user, "kernel.apparmor_restrict_unprivileged_userns=0");
    says(m, rights, user, "kernel.apparmor_restrict_unprivileged_userns=0");
}

static void settings_for_ordinary_users_are_not_what_stops_root(void **state)
{
    const struct machine *m = *state;
    struct ailment ill = { LAYER_USER, "user", EPERM };

    put(m, "kernel/unprivileged_userns_clone", "0\n");
    put(m, "kernel/apparmor_restrict_unprivileged_userns", "1\n");
    says(m, ill, root, "not in a chroot");
}

static void settings_that_allow_it_are_not_named(void **state)
{
    const struct machine *m = *state;
    struct ailment ill = { LAYER_USER, "user", EPERM };

    put(m, "kernel/unprivileged_userns_clone", "1\n");
    put(m, "kernel/apparmor_restrict_unprivileged_userns", "0\n");
    put(m, "user/max_user_namespaces", "9000\n");
    says(m, ill, user, "not in a chroot");
    says(m, ill, contained, "--security-opt seccomp=unconfined");
}

static void the_number_of_namespaces_is_raised(void **state)
{
    const struct machine *m = *state;
    struct ailment user_full = { LAYER_USER, "user", ENOSPC }, net = { LAYER_NET, "net", ENOSPC },
                   ipc = { LAYER_USER, "ipc", EPERM }, other = { LAYER_NET, "net", EPERM };

    put(m, "user/max_user_namespaces", "0\n");
    put(m, "user/max_ipc_namespaces", "0\n");
    put(m, "user/max_net_namespaces", "30000\n");
    says(m, user_full, user, "sysctl user.max_user_namespaces=10000");
    says(m, ipc, contained, "sysctl user.max_ipc_namespaces=10000");
    says(m, net, root, "sysctl user.max_net_namespaces=60000");
    says(m, other, root, layers[LAYER_NET].mend);
}

static void landlock_is_booted_beside_what_is_there(void **state)
{
    const struct machine *m = *state;
    struct ailment off = { LAYER_LANDLOCK, "landlock", EOPNOTSUPP },
                   old = { LAYER_LANDLOCK, "landlock", ENOSYS };

    put(m, "lsm", "capability,yama");
    says(m, off, user, "lsm=landlock,capability,yama");
    says(m, old, user, "Linux 5.13");
    says(m, old, contained, "filters its system calls");
}

static void other_failures_have_advice_of_their_own(void **state)
{
    const struct machine *m = *state;

    says(m, (struct ailment){ LAYER_MOUNT, "proc", EPERM }, user, "systempaths=unconfined");
    says(m, (struct ailment){ LAYER_MOUNT, "root", ENOSYS }, user, "Linux 5.12");
    says(m, (struct ailment){ LAYER_SECCOMP, "seccomp", EBUSY }, user, "Another supervisor");
    says(m, (struct ailment){ LAYER_USER, "owners", EINVAL }, root, "chown");
}

/* Every version, from the first to one that does not exist yet. */
static void what_a_version_of_landlock_lacks_is_told(void **state)
{
    static const char *const gaps[] = {
        [1] = "truncation of files, controls of devices, signals and abstract sockets",
        [2] = "truncation of files, controls of devices, signals and abstract sockets",
        [3] = "controls of devices, signals and abstract sockets",
        [4] = "controls of devices, signals and abstract sockets",
        [5] = "signals and abstract sockets",
        [6] = NULL,
        [7] = NULL,
        [100] = NULL,
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (int i = 1; i < (int)COUNT(gaps); i++) {
        const char *gap = probe_landlock_gap(i, &a);

        assert_int_equal(!gap, !gaps[i]);
        if (gap)
            assert_string_equal(gap, gaps[i]);
    }
}

/* A stage, a namespace, or what only the probe tries. */
static bool is_somewhere(enum layer layer, const char *where)
{
    if (strcmp(where, "") == 0 || strcmp(where, layers[layer].name) == 0)
        return true;
    if (layer == LAYER_USER && strcmp(where, "owners") == 0)
        return true;
    for (int i = 0; i < PROCESS_STAGES; i++) {
        const struct word word = { .kind = WORD_FAILED, .stage = i };
        enum layer stages;

        if (child_failed_at_exec(&word))
            continue;
        if (strcmp(child_stage(&word, &stages), where) == 0 && stages == layer)
            return true;
    }
    return false;
}

static void every_advice_is_about_something_that_can_fail(void **state)
{
    enum layer layer = LAYER_USER;
    const char *where;
    size_t n = 0;

    (void)state;
    for (; (where = mend_where(n, &layer)) != NULL; n++)
        if (!is_somewhere(layer, where))
            fail_msg("nothing in the layer %s is called '%s'", layers[layer].name, where);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_setting_that_stands_in_the_way_is_named, begin, end),
        cmocka_unit_test_setup_teardown(settings_for_ordinary_users_are_not_what_stops_root, begin,
                                        end),
        cmocka_unit_test_setup_teardown(settings_that_allow_it_are_not_named, begin, end),
        cmocka_unit_test_setup_teardown(the_number_of_namespaces_is_raised, begin, end),
        cmocka_unit_test_setup_teardown(landlock_is_booted_beside_what_is_there, begin, end),
        cmocka_unit_test_setup_teardown(other_failures_have_advice_of_their_own, begin, end),
        cmocka_unit_test(what_a_version_of_landlock_lacks_is_told),
        cmocka_unit_test(every_advice_is_about_something_that_can_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
