/* SPDX-License-Identifier: Apache-2.0 */
/* test_mountinfo.c: the kernel's lines about mounts, taken apart and turned back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sandbox/mountinfo.h"

static void is(struct str text, const char *wanted)
{
    if (!str_is(text, wanted))
        fail_msg("'%.*s' is not '%s'", STR_ARG(text), wanted);
}

/* proc(5): any number of fields stands before the '-', and a source may be empty. */
static void a_line_is_taken_apart(void **state)
{
    static const struct {
        const char *line, *id, *parent, *device, *root, *point, *type, *options;
    } cases[] = {
        { "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue", "36",
          "35", "98:0", "/mnt1", "/mnt2", "ext3", "rw,errors=continue" },
        { "25 23 0:22 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory", "25", "23", "0:22",
          "/", "/sys/fs/cgroup/memory", "cgroup", "rw,memory" },
        { "1 2 0:5 / /a\\040-\\040b rw shared:1 master:2 unbindable - tmpfs  rw", "1", "2", "0:5",
          "/", "/a\\040-\\040b", "tmpfs", "rw" },
        { "1 2 0:5 /- /- rw - proc proc", "1", "2", "0:5", "/-", "/-", "proc", "" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mountinfo m;

        assert_true(mountinfo_line(str_of(cases[i].line), &m));
        is(m.id, cases[i].id);
        is(m.parent, cases[i].parent);
        is(m.device, cases[i].device);
        is(m.root, cases[i].root);
        is(m.point, cases[i].point);
        is(m.type, cases[i].type);
        is(m.options, cases[i].options);
    }
}

static void what_is_no_line_is_refused(void **state)
{
    static const char *const lines[] = { "", "36", "36 35 98:0 /mnt1 /mnt2 rw", "1 2 0:5 / / rw -",
                                         "1 2 0:5 / / rw - " };
    struct mountinfo m = { .type = { "as it was", 9 } };

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++)
        assert_false(mountinfo_line(str_of(lines[i]), &m));
    is(m.type, "as it was");
}

static void three_octal_digits_are_a_byte_and_nothing_else_is(void **state)
{
    static const struct {
        const char *written, *plain;
    } cases[] = {
        { "/a\\040b\\011\\012\\134", "/a b\t\n\\" },
        { "/\\377", "/\377" },
        { "/\\400", "/\\400" },
        { "/\\08x", "/\\08x" },
        { "/\\0 4", "/\\0 4" },
        { "/\\04", "/\\04" },
        { "\\134040", "\\040" },
        { "", "" },
    };
    char out[32];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(mountinfo_plain(str_of(cases[i].written), out, sizeof out));
        assert_string_equal(out, cases[i].plain);
        assert_true(mountinfo_plain(str_of(cases[i].written), out, strlen(cases[i].plain) + 1));
        assert_false(mountinfo_plain(str_of(cases[i].written), out, strlen(cases[i].plain)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_taken_apart),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(three_octal_digits_are_a_byte_and_nothing_else_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
