/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/schema/oracle/oracle.h"

static void *must(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "proof: out of memory\n");
	exit(1);
}

static int keep(void *context, enum tw_schema_kind kind, const char *system, const char *text, size_t len)
{
	struct archive *archive = context;
	struct archive_text *new;

	if (kind != TW_SCHEMA_EVENT)
		return 0;
	archive->texts = must(reallocarray(archive->texts, archive->n + 1, sizeof(*archive->texts)));
	new = &archive->texts[archive->n++];
	new->system = must(strdup(system));
	new->text = memcpy(must(malloc(len)), text, len);
	new->len = len;
	return 0;
}

void archive__load(struct archive *archive, const char *source)
{
	*archive = (struct archive){ 0 };
	if (walk_texts(source, keep, archive) || archive->n < POOL_EVENTS) {
		fprintf(stderr, "proof: %s cannot be read\n", source);
		exit(1);
	}
}

void archive__fini(struct archive *archive)
{
	for (size_t i = 0; i < archive->n; i++) {
		free(archive->texts[i].system);
		free(archive->texts[i].text);
	}
	free(archive->texts);
}

/* Whether the pool gets this event: no duplicates, and few system calls, which are a third of all events and similar to each other. */
static bool is_welcome(const struct pool *pool, const struct archive_text *text, int n, struct chance *chance)
{
	for (int i = 0; i < n; i++)
		if (pool->texts[i] == text)
			return false;
	return strcmp(text->system, "syscalls") != 0 || chance__percent(chance, 10);
}

void pool__init(struct pool *pool, const struct archive *archive, struct chance *chance, bool may_be_big_endian)
{
	const struct archive_text *text;
	struct tw_error err;

	pool->schema = must(tw_schema__new());
	pool->schema_id = POOL_SCHEMA_ID;
	pool->big_endian = may_be_big_endian && chance__percent(chance, 25);
	for (int i = 0; i < POOL_EVENTS;) {
		text = &archive->texts[chance__below(chance, (uint32_t)archive->n)];
		if (!is_welcome(pool, text, i, chance))
			continue;
		if (tw_schema__add(pool->schema, text->system, text->text, text->len, NULL, &err)) {
			fprintf(stderr, "proof: %s\n", err.text);
			exit(1);
		}
		pool->texts[i++] = text;
	}
}

void pool__fini(struct pool *pool)
{
	tw_schema__free(pool->schema);
}
