/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats are in a table with two levels, because ids are sparse: a capture rarely has more than a few hundred of the 65536 ids. */
#include "schema/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define PAGE_IDS 256

struct id_page {
	uint16_t count;
	struct tw_format *formats[PAGE_IDS];
};

struct tw_schema {
	struct id_page *pages[TW_SCHEMA_FORMATS_MAX / PAGE_IDS];
	size_t count;
	size_t memory;     /* size of all formats, bytes */
	uint8_t long_size; /* size of the traced host's long, bytes; 0 = unknown */
	uint8_t machine;   /* enum tw_machine */
	bool is_view;      /* the formats belong to another owner and must not be changed */
};

static const size_t n_pages = TW_SCHEMA_FORMATS_MAX / PAGE_IDS;

struct tw_schema *tw_schema__new(void)
{
	return calloc(1, sizeof(struct tw_schema));
}

struct tw_schema *tw_schema__new_view(void)
{
	struct tw_schema *view = tw_schema__new();

	if (view)
		view->is_view = true;
	return view;
}

/* Return: the first format with this id or a larger one; NULL if there is none. */
static struct tw_format *format_from(const struct tw_schema *schema, uint32_t id)
{
	while (id < TW_SCHEMA_FORMATS_MAX) {
		const struct id_page *page = schema->pages[id / PAGE_IDS];

		if (page && page->formats[id % PAGE_IDS])
			return page->formats[id % PAGE_IDS];
		id = page ? id + 1 : (id / PAGE_IDS + 1) * PAGE_IDS;
	}
	return NULL;
}

void tw_schema__free(struct tw_schema *schema)
{
	if (!schema)
		return;
	for (size_t i = 0; i < n_pages; i++) {
		for (size_t k = 0; schema->pages[i] && !schema->is_view && k < PAGE_IDS; k++)
			tw_format__free(schema->pages[i]->formats[k]);
		free(schema->pages[i]);
	}
	free(schema);
}

static void remove_format(struct tw_schema *schema, struct id_page *page, uint16_t id)
{
	struct tw_format **slot = &page->formats[id % PAGE_IDS];

	if (!*slot)
		return;
	schema->memory -= (*slot)->memory;
	schema->count--;
	page->count--;
	if (!schema->is_view)
		tw_format__free(*slot);
	*slot = NULL;
}

static int insert_format(struct tw_schema *schema, struct tw_format *format, struct tw_error *error)
{
	struct id_page **page = &schema->pages[format->id / PAGE_IDS];

	if (format->memory > TW_SCHEMA_MEMORY_MAX - schema->memory)
		return tw_error__set(error, -E2BIG,
				     "event %s:%s does not fit: the formats of one schema may take at most %d MiB",
				     format->system, format->name, TW_SCHEMA_MEMORY_MAX >> 20);
	if (!*page && !(*page = calloc(1, sizeof(**page))))
		return tw_error__set(error, -ENOMEM, "no memory for the table of formats");
	remove_format(schema, *page, format->id);
	(*page)->formats[format->id % PAGE_IDS] = format;
	(*page)->count++;
	schema->count++;
	schema->memory += format->memory;
	return 0;
}

int tw_schema__add(struct tw_schema *schema, const char *system, const char *text, size_t len,
		   const struct tw_format **ret, struct tw_error *error)
{
	struct tw_format *format;
	int err = tw_format__parse(text, len, system, &format, error);

	if (err)
		return err;
	if (schema->long_size)
		tw_format__assume_long_size(format, schema->long_size);
	format->machine = schema->machine;
	err = insert_format(schema, format, error);
	if (err)
		tw_format__free(format);
	else if (ret)
		*ret = format;
	return err;
}

int tw_schema__lend(struct tw_schema *view, const struct tw_format *format, struct tw_error *error)
{
	return insert_format(view, (struct tw_format *)format, error);
}

void tw_schema__set_long_size(struct tw_schema *schema, uint8_t long_size)
{
	schema->long_size = long_size;
	for (struct tw_format *format = format_from(schema, 0); format; format = format_from(schema, format->id + 1u))
		tw_format__assume_long_size(format, long_size);
}

void tw_schema__set_machine(struct tw_schema *schema, enum tw_machine machine)
{
	schema->machine = (uint8_t)machine;
	for (struct tw_format *format = format_from(schema, 0); format; format = format_from(schema, format->id + 1u))
		format->machine = schema->machine;
}

const struct tw_format *tw_schema__by_id(const struct tw_schema *schema, uint16_t id)
{
	const struct id_page *page = schema->pages[id / PAGE_IDS];

	return page ? page->formats[id % PAGE_IDS] : NULL;
}

const struct tw_format *tw_schema__by_name(const struct tw_schema *schema, const char *system, const char *name)
{
	const struct tw_format *format = format_from(schema, 0);

	while (format && (strcmp(format->name, name) != 0 || (system && strcmp(format->system, system) != 0)))
		format = format_from(schema, format->id + 1u);
	return format;
}

size_t tw_schema__count(const struct tw_schema *schema)
{
	return schema->count;
}

const struct tw_format *tw_schema__at(const struct tw_schema *schema, size_t i)
{
	const struct tw_format *format;
	uint32_t page = 0;

	if (i >= schema->count)
		return NULL;
	for (; !schema->pages[page] || i >= schema->pages[page]->count; page++)
		i -= schema->pages[page] ? schema->pages[page]->count : 0;
	format = format_from(schema, page * PAGE_IDS);
	while (i--)
		format = format_from(schema, format->id + 1u);
	return format;
}

size_t tw_schema__memory(const struct tw_schema *schema)
{
	size_t memory = sizeof(*schema) + (schema->is_view ? 0 : schema->memory);

	for (size_t i = 0; i < n_pages; i++)
		memory += schema->pages[i] ? sizeof(*schema->pages[i]) : 0;
	return memory;
}

void tw_schema_hash__init(struct tw_schema_hash *hash, bool big_endian, uint8_t long_size)
{
	const uint8_t host[2] = { big_endian, long_size };

	tw_sha256__init(&hash->sha);
	tw_sha256__update(&hash->sha, host, sizeof(host));
}

void tw_schema_hash__text(struct tw_schema_hash *hash, const char *system, const char *text, size_t len)
{
	uint8_t length[8];

	/* The NUL and the length separate a system, its text and the next text. */
	tw_store_be64(length, len);
	tw_sha256__update(&hash->sha, system, strlen(system) + 1);
	tw_sha256__update(&hash->sha, length, sizeof(length));
	tw_sha256__update(&hash->sha, text, len);
}

uint64_t tw_schema_hash__fini(struct tw_schema_hash *hash)
{
	uint8_t digest[TW_SHA256_SIZE];
	uint64_t id;

	tw_sha256__fini(&hash->sha, digest);
	id = tw_load_be64(digest);
	return id ? id : 1;
}
