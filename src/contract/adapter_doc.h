/* SPDX-License-Identifier: Apache-2.0 */
/* adapter_doc.h: a tool described for writ: cli, api, sdk or mcp (contract 001). */
#pragma once

#include "contract/interface_doc.h"
#include "contract/operation_doc.h"
#include "contract/secret_doc.h"
#include "contract/shape.h"

enum adapter_type { ADAPTER_CLI, ADAPTER_API, ADAPTER_SDK, ADAPTER_MCP, ADAPTER_TYPE_COUNT };
extern const char *const adapter_types[]; /* "cli", "api", "sdk", "mcp", NULL */
enum input_transform { INPUT_RENAME, INPUT_MAP, INPUT_DEFAULT, INPUT_VALIDATE };
enum output_transform { OUTPUT_PARSE, OUTPUT_EXTRACT, OUTPUT_FORMAT };
enum adapter_status { ADAPTER_ACTIVE, ADAPTER_DEPRECATED, ADAPTER_EXPERIMENTAL };

struct transform {
    int type; /* enum input_transform or output_transform */
    const struct doc *spec;
};

struct adapter_transforms {
    struct items input, output; /* of struct transform */
};

struct adapter_retry {
    int64_t max_attempts, backoff_ms;
    struct items retryable_codes; /* of int64_t: exit code, HTTP status or JSON-RPC error code */
};

struct adapter_fallback {
    struct str adapter_id, condition;
};

struct adapter_errors {
    const struct adapter_retry *retry;
    const struct adapter_fallback *fallback; /* NULL: none */
};

struct override_network {
    bool enabled;
    struct items allow; /* of struct str */
};

struct sandbox_override {
    int64_t timeout_ms, memory_mb;          /* 0: not overridden */
    const struct override_network *network; /* NULL: not overridden */
};

struct adapter_metadata {
    struct str author, created, updated;
    int status; /* enum adapter_status */
};

/* Only `operations`, `examples` and `fixtures` can be NULL in a document without problems. */
struct adapter_doc {
    struct str adapter_id, name, version, tool_id;
    struct str tool_version; /* .s is NULL: any */
    int type;                /* enum adapter_type */
    const struct adapter_interface *interface;
    const struct adapter_transforms *transforms;
    const struct adapter_errors *errors;
    const struct sandbox_override *sandbox_override;
    const struct adapter_metadata *metadata;
    const struct doc *operations; /* NULL: what the interface says is all; ask operation_of() */
    struct items secrets;         /* of struct secret_doc: all that it gets */
    const struct doc *examples, *fixtures;
};

extern const struct shape adapter_shape;
