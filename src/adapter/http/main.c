/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: writ-http, the program that speaks HTTP for writ.
 *
 * usage: writ-http PROTOCOL
 *
 * writ starts it; descriptor 3 is its channel (http/frame.h). It reads what strangers send, so it
 * gives away what it does not need before it begins. It ends when the channel does, by _exit:
 * nothing is left to tidy up. (A death signal would come too early: it comes when the thread that
 * started us ends, and writ may have others that still call.)
 */
#include <unistd.h>

#include "adapter/http/serve.h"
#include "base/confine.h"

enum { DESCRIPTORS = 1024, OUT_MAX = 1 << 30 };

int main(int argc, char **argv, char **environment)
{
    enum { GOOD, BAD, USAGE = 64 };
    struct serve s = { .channel = HTTP_CHANNEL, .world = world_real(), .out = { .max = OUT_MAX } };
    struct web_settings settings;
    struct error e = { 0 };

    if (argc != 2 || strcmp(argv[1], HTTP_PROTOCOL) != 0)
        _exit(USAGE);
    http_settings_read((const char *const *)environment, &s.settings);
    settings.certificates = s.settings.value[SETTING_CERTIFICATES];
    settings.certificate_directory = s.settings.value[SETTING_CERTIFICATE_DIRECTORY];
    http_reader_open(&s.in, HTTP_WRIT);
    s.eager = http_eager_new();
    _exit(confine_self(DESCRIPTORS, &e) && web_open(&settings, &s.web, &e) && serve_run(&s, &e)
              ? GOOD
              : BAD);
}
