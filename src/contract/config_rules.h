/* SPDX-License-Identifier: Apache-2.0 */
/* config_rules.h: what must hold between the fields of a configuration. Each is a rule of one of
 * the shapes of config_shape.c. */
#pragma once

#include "contract/shape.h"

/* Of a class. */
void config_class_is_new(const struct doc *d, const void *class, struct report *r);
void config_prefixes_plain(const struct doc *d, const void *class, struct report *r);
void config_prefixes_unique(const struct doc *d, const void *class, struct report *r);
void config_any_alone(const struct doc *d, const void *class, struct report *r);
void config_label_shows(const struct doc *d, const void *class, struct report *r);
void config_force_is_cargo(const struct doc *d, const void *class, struct report *r);
void config_times_within_hard(const struct doc *d, const void *class, struct report *r);

/* Of a worker. */
void config_members_suit(const struct doc *d, const void *worker, struct report *r);
void config_host_is_one(const struct doc *d, const void *worker, struct report *r);
void config_options_begin(const struct doc *d, const void *worker, struct report *r);
void config_words_plain(const struct doc *d, const void *worker, struct report *r);
void config_directory_whole(const struct doc *d, const void *worker, struct report *r);
void config_local_is_here(const struct doc *d, const void *worker, struct report *r);

/* Of the whole. */
void config_classes_unique(const struct doc *d, const void *config, struct report *r);
void config_servers_unique(const struct doc *d, const void *config, struct report *r);
void config_server_is_one(const struct doc *d, const void *server, struct report *r);
void config_secrets_bound(const struct doc *d, const void *config, struct report *r);
void config_workers_unique(const struct doc *d, const void *config, struct report *r);
void config_remote_known(const struct doc *d, const void *config, struct report *r);
