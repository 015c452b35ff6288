/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A few dozen events of a real kernel: the schema for an expression. */
#ifndef POOL_H
#define POOL_H

#include "chance.h"
#include "schema/schema.h"

#define POOL_EVENTS    32
#define POOL_SCHEMA_ID 0x7357a11ce5c4e3a1ull /* no stream has this schema */

struct archive_text {
	char *system, *text;
	size_t len;
};

/* All format texts of a kernel. */
struct archive {
	struct archive_text *texts;
	size_t n;
};

struct pool {
	struct tw_schema *schema;
	const struct archive_text *texts[POOL_EVENTS];
	bool big_endian;    /* the events are of a big-endian host */
	uint64_t schema_id; /* the schema id in the frames */
};

/** archive__load() - load all texts of @source, as walk_texts(); if it cannot be read, end the program */
void archive__load(struct archive *archive, const char *source);
void archive__fini(struct archive *archive);

/** pool__init() - pick random events, few of them system calls; a quarter of the pools is of a big-endian host */
void pool__init(struct pool *pool, const struct archive *archive, struct chance *chance, bool may_be_big_endian);
void pool__fini(struct pool *pool);

#endif
