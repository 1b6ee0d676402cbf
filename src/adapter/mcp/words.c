/* SPDX-License-Identifier: Apache-2.0 */
/* words.c: what a server said, for people: without our secrets, and only then cut short.
 *
 * The other way round half of a secret would be left, which nobody could find any more.
 */
#include "adapter/mcp/parts.h"
#include "adapter/secret.h"

struct str mcp_clean(const struct mcp *m, struct str text, struct arena *a)
{
    return m->ask.secrets ? redact(text, m->ask.secrets, a) : text;
}

const char *mcp_words(const struct mcp *m, struct str text, struct arena *a)
{
    return rpc_words(mcp_clean(m, text, a), a);
}

const char *mcp_error_words(const struct mcp *m, const struct doc *error, struct arena *a)
{
    struct str text = rpc_text(error, "message");
    const char *code = arena_printf(a, "error %lld", (long long)rpc_get(error, "code")->whole);
    const char *words = text.n ? mcp_words(m, text, a) : "it does not say why";

    return strstr(words, code) ? words : arena_printf(a, "%s: %s", code, words);
}

const char *mcp_large_words(const struct mcp *m, struct arena *a)
{
    return arena_printf(a, "it sent a message above the ceiling of %zu bytes; ask for less",
                        m->ask.message_max);
}

/* The one header that is ours to add is the secret's. */
const char *mcp_status_words(const struct mcp *m, int status, struct arena *a)
{
    if (status != 401 && status != 403)
        return arena_printf(a, "HTTP status %d", status);
    return arena_printf(a, "HTTP status %d: %s %s", status,
                        m->ask.header_count ? "it did not accept the secret that is named"
                                            : "it wants to know who asks; name a secret",
                        m->ask.secret_place);
}

const struct doc *mcp_clean_doc(const struct mcp *m, const struct doc *d, struct arena *a)
{
    return m->ask.secrets ? redact_doc(d, m->ask.secrets, a) : d;
}

void mcp_read(const struct mcp *m, struct str text, struct arena *a, struct rpc_message *out)
{
    struct rpc_message again;
    struct str clean;

    rpc_read(text, a, out);
    if (out->kind != RPC_NOISE && out->kind != RPC_BROKEN)
        return;
    clean = mcp_clean(m, text, a);
    if (clean.s == text.s)
        return;
    rpc_read(clean, a, &again);
    out->wrong = again.wrong ? again.wrong : "a message that cannot be read";
}
