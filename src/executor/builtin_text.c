/* SPDX-License-Identifier: Apache-2.0 */
/* builtin_text.c: text_digest and semver_compare: short texts into what they amount to. */
#include "base/base64.h"
#include "base/digest.h"
#include "base/doc_make.h"
#include "base/version.h"
#include "executor/builtin_run.h"

enum { VERSION_CHARS = 256, RANGE_CHARS = 1000, HASHED = 8 }; /* bytes hashed in one step */

enum encoding { ENCODING_UTF8, ENCODING_BASE64 };
static const char *const encodings[] = { "utf8", "base64", NULL };

struct digest_payload {
    struct str text;
    int encoding;
};

struct semver_payload {
    struct str left, right;
    struct str range; /* .s is NULL: none */
};

/* clang-format off */
#define AT(member) offsetof(struct digest_payload, member)
static const struct field digest_fields[] = {
    { "text",     F_TEXT,   ONE, NEEDED,   .at = AT(text), .help = "The text; what is not text is written as base64." },
    { "encoding", F_CHOICE, ONE, OPTIONAL, .at = AT(encoding), .choices = encodings, .fallback = ENCODING_UTF8, .help = "utf8: the bytes of the text; base64: the bytes it stands for." },
};
#undef AT

#define AT(member) offsetof(struct semver_payload, member)
static const struct field semver_fields[] = {
    { "left",  F_TEXT, ONE, NEEDED,   .at = AT(left),  .min = 1, .max = VERSION_CHARS, .help = "A version, as in 1.2.3-rc.1." },
    { "right", F_TEXT, ONE, NEEDED,   .at = AT(right), .min = 1, .max = VERSION_CHARS, .help = "The version it is compared with." },
    { "range", F_TEXT, ONE, OPTIONAL, .at = AT(range), .min = 1, .max = RANGE_CHARS,   .help = "Is left in it? As in '>=1.2.0 <2.0.0 || ^3.1' or '~1.2', '1.x'." },
};
#undef AT
/* clang-format on */

const struct shape text_digest_payload = { .name = "text_digest payload",
                                           .size = sizeof(struct digest_payload),
                                           FIELDS(digest_fields),
                                           .code = CODE_EXECUTOR_EXCEPTION };
const struct shape semver_compare_payload = { .name = "semver_compare payload",
                                              .size = sizeof(struct semver_payload),
                                              FIELDS(semver_fields),
                                              .code = CODE_EXECUTOR_EXCEPTION };

/* The bytes a text stands for. */
static bool decode(const struct digest_payload *p, struct arena *a, struct str *out,
                   struct error *e)
{
    char *bytes;
    size_t n;

    if (p->encoding == ENCODING_UTF8) {
        *out = p->text;
        return true;
    }
    if (!base64_read(p->text, NULL, 0, &n))
        return error_set(e, CODE_EXECUTOR_EXCEPTION,
                         "/text: %s is not base64 with its padding (RFC 4648)", said(p->text, a));
    bytes = arena_alloc(a, n);
    *out = (struct str){ bytes, n };
    return base64_read(p->text, bytes, n, &n) ||
           error_set(e, CODE_EXECUTOR_EXCEPTION, "/text: is not base64");
}

bool text_digest_run(const struct doc *payload, struct work *work, struct arena *a,
                     const struct doc **output, struct error *e)
{
    struct digest_payload p = { 0 };
    char text[DIGEST_TEXT];
    struct digest digest;
    struct str bytes = { 0 };
    struct doc *map;

    if (!payload_read(&text_digest_payload, payload, a, &p, e) || !decode(&p, a, &bytes, e))
        return false;
    if (!work_do(work, 1 + (uint32_t)(bytes.n / HASHED)))
        return work_is_over(e);
    digest = digest_of(bytes.s, bytes.n);
    digest_text(&digest, text);
    map = doc_root(a, DOC_MAP);
    doc_add_text(a, map, "digest", str_of(arena_text(a, str_of(text))));
    doc_add_int(a, map, "bytes", (int64_t)bytes.n);
    *output = map;
    return true;
}

static bool read_version(const char *field, struct str text, struct version *out, struct arena *a,
                         struct error *e)
{
    return version_read(text, out) ||
           error_set(e, CODE_EXECUTOR_EXCEPTION,
                     "/%s: %s is not a version such as 1.2.3 or 1.2.3-rc.1", field, said(text, a));
}

bool semver_compare_run(const struct doc *payload, struct work *work, struct arena *a,
                        const struct doc **output, struct error *e)
{
    static const char *const relations[] = { "older", "same", "newer" };
    const struct version_range *range = NULL;
    struct semver_payload p = { 0 };
    struct version left, right;
    struct doc *map;
    int order;

    if (!payload_read(&semver_compare_payload, payload, a, &p, e) ||
        !read_version("left", p.left, &left, a, e) || !read_version("right", p.right, &right, a, e))
        return false;
    if (p.range.s && !version_range_read(p.range, a, &range, e))
        return error_wrap(e, "/range");
    if (!work_do(work, VERSION_CHARS + RANGE_CHARS))
        return work_is_over(e);
    order = version_cmp(&left, &right);
    map = doc_root(a, DOC_MAP);
    doc_add_int(a, map, "order", order);
    doc_add_text(a, map, "relation", str_of(relations[order + 1]));
    if (range)
        doc_add_bool(a, map, "satisfies", version_in(&left, range));
    *output = map;
    return true;
}
