/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/schema_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "wire/encode.h"

/* The default level of libzstd. It shrinks the 26 format texts of the system `sched` to an eighth of their size; level 19 to a tenth. */
#define ZSTD_LEVEL 3

/*
 * Largest size of a group before compression, bytes. A compressed group usually fits into one or two frames of 1500 bytes, so the loss of a
 * frame affects few texts.
 */
#define GROUP_LEN 16384

static int expand_zstd(const struct tw_schema_view *schema, void *buf, struct tw_error *error)
{
	size_t got;

	/* This check is needed because ZSTD_decompress() also accepts several zstd frames. */
	if (ZSTD_findFrameCompressedSize(schema->data, schema->len) != schema->len)
		return tw_error__set(error, -EBADMSG,
				     "schema text %u: its %zu compressed bytes are not exactly one zstd frame",
				     schema->index, schema->len);
	got = ZSTD_decompress(buf, schema->raw_length, schema->data, schema->len);
	if (ZSTD_isError(got))
		return tw_error__set(error, -EBADMSG, "schema text %u cannot be decompressed: %s", schema->index,
				     ZSTD_getErrorName(got));
	if (got != schema->raw_length)
		return tw_error__set(error, -EBADMSG, "schema text %u: it decompresses to %zu bytes instead of %u",
				     schema->index, got, schema->raw_length);
	return 0;
}

/* Decompress a payload. @max: limit of the decompressed length, bytes. @ret: the decompressed bytes, in @buf or in a plain payload */
static int expand(const struct tw_schema_view *schema, uint32_t max, void *buf, size_t cap, const char **ret,
		  struct tw_error *error)
{
	if (schema->raw_length < 1 || schema->raw_length > max)
		return tw_error__set(error, -E2BIG, "schema text %u has %u bytes uncompressed; the range is 1 to %u",
				     schema->index, schema->raw_length, max);
	switch (schema->encoding) {
	case TW_ENCODING_PLAIN:
		*ret = (const char *)schema->data;
		if (schema->len != schema->raw_length)
			return tw_error__set(error, -EBADMSG, "schema text %u: it has %zu bytes instead of %u",
					     schema->index, schema->len, schema->raw_length);
		return 0;
	case TW_ENCODING_ZSTD:
		*ret = buf;
		if (schema->raw_length > cap)
			return tw_error__set(error, -ENOBUFS, "schema text %u: its %u bytes do not fit a buffer of %zu",
					     schema->index, schema->raw_length, cap);
		return expand_zstd(schema, buf, error);
	default:
		return tw_error__set(error, -ENOTSUP, "schema text %u: this version does not support encoding %u",
				     schema->index, schema->encoding);
	}
}

static int split(const struct tw_schema_view *schema, const char *raw, struct tw_schema_text *ret,
		 struct tw_error *error)
{
	const char *end = memchr(raw, 0, schema->raw_length);
	size_t name;

	if (!end)
		return tw_error__set(error, -EBADMSG, "schema text %u: the system's name has no terminating NUL",
				     schema->index);
	name = (size_t)(end - raw) + 1;
	if (name > TW_SCHEMA_NAME_MAX || schema->raw_length - name > TW_SCHEMA_TEXT_MAX)
		return tw_error__set(
			error, -E2BIG,
			"schema text %u: the system's name has %zu bytes including its NUL, and the text has %zu; the "
			"limits are %d and %d",
			schema->index, name, schema->raw_length - name, TW_SCHEMA_NAME_MAX, TW_SCHEMA_TEXT_MAX);
	ret->system = raw;
	ret->text = end + 1;
	ret->len = schema->raw_length - name;
	return 0;
}

int tw_schema_text__expand(const struct tw_schema_view *schema, void *buf, size_t cap, struct tw_schema_text *ret,
			   struct tw_error *error)
{
	const char *raw;
	int err;

	if (schema->kind == TW_SCHEMA_GROUP)
		return tw_error__set(error, -ENOTSUP, "schema text %u is a group of texts, not a single text",
				     schema->index);
	err = expand(schema, TW_SCHEMA_RAW_MAX, buf, cap, &raw, error);
	return err ? err : split(schema, raw, ret, error);
}

static bool is_single_and_plain(const struct tw_tlv_view *tlv)
{
	struct tw_schema_view view;

	return tlv->type == TW_TLV_SCHEMA && tw_schema_tlv__parse(tlv, &view) && view.kind != TW_SCHEMA_GROUP &&
	       view.encoding == TW_ENCODING_PLAIN;
}

int tw_schema_group__expand(const struct tw_schema_view *schema, void *buf, size_t cap, struct tw_schema_group *ret,
			    struct tw_error *error)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	struct tw_cursor all;
	const char *raw;
	int err = expand(schema, TW_SCHEMA_GROUP_MAX, buf, cap, &raw, error);

	if (err)
		return err;
	all = (struct tw_cursor){ .at = (const uint8_t *)raw, .left = schema->raw_length };
	for (struct tw_cursor c = all; tw_cursor__next_tlv(&c, &tlv, &status) || status != TW_FRAME_OK;)
		if (status != TW_FRAME_OK || !is_single_and_plain(&tlv))
			return tw_error__set(error, -EBADMSG,
					     "schema text %u: a group may contain only SCHEMA records, each with "
					     "one uncompressed text",
					     schema->index);
	ret->records = all;
	return 0;
}

bool tw_schema_group__next(struct tw_schema_group *group, struct tw_schema_view *ret)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	return tw_cursor__next_tlv(&group->records, &tlv, &status) && tw_schema_tlv__parse(&tlv, ret);
}

int tw_schema_text__compress(const struct tw_schema_text *text, void *buf, size_t cap, struct tw_schema_view *ret,
			     struct tw_error *error)
{
	const size_t name = strlen(text->system) + 1;
	const size_t raw_len = name + text->len;
	bool shorter;
	size_t len;
	char *raw;

	if (name > TW_SCHEMA_NAME_MAX || text->len > TW_SCHEMA_TEXT_MAX)
		return tw_error__set(
			error, -E2BIG,
			"a schema text of %.32s: the system's name has %zu bytes including its NUL, and the text has "
			"%zu; the limits are %d and %d",
			text->system, name, text->len, TW_SCHEMA_NAME_MAX, TW_SCHEMA_TEXT_MAX);
	if (cap < raw_len)
		return tw_error__set(error, -ENOBUFS, "a schema text of %s: %zu bytes do not fit a buffer of %zu",
				     text->system, raw_len, cap);
	raw = malloc(raw_len);
	if (!raw)
		return tw_error__set(error, -ENOMEM, "a schema text of %s: no memory for %zu bytes", text->system,
				     raw_len);
	memcpy(raw, text->system, name);
	if (text->len)
		memcpy(raw + name, text->text, text->len);
	len = ZSTD_compress(buf, raw_len - 1, raw, raw_len, ZSTD_LEVEL); /* fails if the result is not shorter */
	shorter = !ZSTD_isError(len);
	if (!shorter)
		memcpy(buf, raw, raw_len);
	free(raw);

	ret->encoding = shorter ? TW_ENCODING_ZSTD : TW_ENCODING_PLAIN;
	ret->raw_length = (uint32_t)raw_len;
	ret->data = buf;
	ret->len = shorter ? len : raw_len;
	return 0;
}

/*
 * Makes records from a list of texts: first one record for each text. Then one group replaces the records of consecutive small texts, if
 * the group is shorter.
 */
struct maker {
	const struct tw_schema_source *sources;
	size_t n;
	struct tw_schema_records records;
	uint8_t group[GROUP_LEN]; /* the next group: one TLV with a plain payload for each waiting text */
	size_t group_len;
	size_t waiting; /* number of texts in @group; the last @waiting records in @records are separate records of these texts */
};

static int compress_source(const struct maker *m, size_t i, struct tw_schema_view *ret, struct tw_error *error)
{
	const struct tw_schema_source *source = &m->sources[i];
	const size_t cap = strlen(source->text.system) + 1 + source->text.len;
	uint8_t *buf = malloc(cap);
	int err;

	if (!buf)
		return tw_error__set(error, -ENOMEM, "no memory for a schema text of %zu bytes", cap);
	err = tw_schema_text__compress(&source->text, buf, cap, ret, error);
	if (err)
		free(buf);
	ret->kind = (uint8_t)source->kind;
	ret->event_id = source->event_id;
	ret->index = (uint32_t)i;
	ret->total = (uint32_t)m->n;
	return err;
}

/* Length of the TLV of a text with a plain payload */
static size_t plain_len(const struct tw_schema_text *text)
{
	return tw_tlv__padded(sizeof(struct tw_schema_tlv) + strlen(text->system) + 1 + text->len);
}

/* Replaces the records of the waiting texts by one group, if the group is shorter than these records together. */
static void end_group(struct maker *m)
{
	struct tw_schema_view *first = &m->records.items[m->records.n - m->waiting];
	size_t separately = 0, len;
	void *data;

	for (size_t i = 0; i < m->waiting; i++)
		separately += tw_tlv__padded(sizeof(struct tw_schema_tlv) + first[i].len);
	data = m->waiting > 1 ? malloc(separately) : NULL;
	len = data ? ZSTD_compress(data, separately - sizeof(struct tw_schema_tlv), m->group, m->group_len, ZSTD_LEVEL)
		   : 0;
	if (data && !ZSTD_isError(len)) {
		for (size_t i = 0; i < m->waiting; i++)
			free((void *)(uintptr_t)first[i].data);
		*first = (struct tw_schema_view){
			.kind = TW_SCHEMA_GROUP,
			.encoding = TW_ENCODING_ZSTD,
			.raw_length = (uint32_t)m->group_len,
			.index = first->index,
			.total = first->total,
			.data = data,
			.len = len,
		};
		m->records.n -= m->waiting - 1;
	} else {
		free(data);
	}
	m->group_len = m->waiting = 0;
}

static void add_to_group(struct maker *m, size_t i)
{
	const struct tw_schema_source *source = &m->sources[i];
	const size_t name = strlen(source->text.system) + 1, len = plain_len(&source->text);
	const struct tw_schema_view view = {
		.kind = (uint8_t)source->kind,
		.encoding = TW_ENCODING_PLAIN,
		.event_id = source->event_id,
		.raw_length = (uint32_t)(name + source->text.len),
		.index = (uint32_t)i,
		.total = (uint32_t)m->n,
	};
	uint8_t *tlv = m->group + m->group_len, *payload = tlv + sizeof(struct tw_schema_tlv);

	memset(tlv, 0, len);
	tw_store_be16(tlv, TW_TLV_SCHEMA);
	tw_store_be16(tlv + 2, (uint16_t)(sizeof(struct tw_schema_tlv) + view.raw_length));
	tw_schema_tlv__lay_out(tlv + sizeof(struct tw_tlv), &view);
	memcpy(payload, source->text.system, name);
	if (source->text.len)
		memcpy(payload + name, source->text.text, source->text.len);
	m->group_len += len;
	m->waiting++;
}

static int add_source(struct maker *m, size_t i, struct tw_error *error)
{
	const bool is_large = plain_len(&m->sources[i].text) > GROUP_LEN / 2;
	int err;

	if (is_large || m->group_len + plain_len(&m->sources[i].text) > GROUP_LEN)
		end_group(m);
	err = compress_source(m, i, &m->records.items[m->records.n], error);
	if (err)
		return err;
	m->records.n++;
	if (!is_large)
		add_to_group(m, i);
	return 0;
}

int tw_schema_records__make(const struct tw_schema_source *sources, size_t n, struct tw_schema_records *ret,
			    struct tw_error *error)
{
	struct maker *m = calloc(1, sizeof(*m));
	int err = 0;

	if (m)
		*m = (struct maker){ .sources = sources, .n = n, .records.items = calloc(n, sizeof(*ret->items)) };
	if (!m || !m->records.items)
		err = tw_error__set(error, -ENOMEM, "no memory for %zu schema texts", n);
	for (size_t i = 0; i < n && !err; i++)
		err = add_source(m, i, error);
	if (!err)
		end_group(m);
	if (m && err)
		tw_schema_records__fini(&m->records);
	if (!err)
		*ret = m->records;
	free(m);
	return err;
}

void tw_schema_records__fini(struct tw_schema_records *records)
{
	for (size_t i = 0; i < records->n; i++)
		free((void *)(uintptr_t)records->items[i].data);
	free(records->items);
	*records = (struct tw_schema_records){ 0 };
}
