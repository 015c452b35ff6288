/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/schema_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* The default level of libzstd: the 26 texts of sched shrink to a tenth; higher levels gain a few per cent. */
#define ZSTD_LEVEL 3

static int expand_plain(const struct tw_schema_view *schema, void *buf, struct tw_error *error)
{
	if (schema->len != schema->raw_length)
		return tw_error__set(error, -EBADMSG, "schema text %u: it has %zu bytes instead of %u", schema->index,
				     schema->len, schema->raw_length);
	memcpy(buf, schema->data, schema->len);
	return 0;
}

static int expand_zstd(const struct tw_schema_view *schema, void *buf, struct tw_error *error)
{
	size_t got;

	/* The payload must be exactly one frame: ZSTD_decompress() would accept several. */
	if (ZSTD_findFrameCompressedSize(schema->data, schema->len) != schema->len)
		return tw_error__set(error, -EBADMSG, "schema text %u: its %zu bytes are not one zstd frame",
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

static int split(const struct tw_schema_view *schema, const char *raw, struct tw_schema_text *ret,
		 struct tw_error *error)
{
	const char *end = memchr(raw, 0, schema->raw_length);
	size_t name;

	if (!end)
		return tw_error__set(error, -EBADMSG, "schema text %u: no NUL ends the system's name", schema->index);
	name = (size_t)(end - raw) + 1;
	if (name > TW_SCHEMA_NAME_MAX || schema->raw_length - name > TW_SCHEMA_TEXT_MAX)
		return tw_error__set(error, -E2BIG,
				     "schema text %u: name of %zu bytes, text of %zu; the limits are %d and %d",
				     schema->index, name, schema->raw_length - name, TW_SCHEMA_NAME_MAX,
				     TW_SCHEMA_TEXT_MAX);
	ret->system = raw;
	ret->text = end + 1;
	ret->len = schema->raw_length - name;
	return 0;
}

int tw_schema_text__expand(const struct tw_schema_view *schema, void *buf, size_t cap, struct tw_schema_text *ret,
			   struct tw_error *error)
{
	int err;

	if (schema->raw_length < 1 || schema->raw_length > TW_SCHEMA_RAW_MAX)
		return tw_error__set(error, -E2BIG, "schema text %u has a size of %u bytes; the range is 1 to %d",
				     schema->index, schema->raw_length, TW_SCHEMA_RAW_MAX);
	if (schema->raw_length > cap)
		return tw_error__set(error, -ENOBUFS, "schema text %u: its %u bytes do not fit a buffer of %zu",
				     schema->index, schema->raw_length, cap);
	switch (schema->encoding) {
	case TW_ENCODING_PLAIN:
		err = expand_plain(schema, buf, error);
		break;
	case TW_ENCODING_ZSTD:
		err = expand_zstd(schema, buf, error);
		break;
	default:
		return tw_error__set(error, -ENOTSUP, "schema text %u: encoding %u is unknown to this version",
				     schema->index, schema->encoding);
	}
	return err ? err : split(schema, buf, ret, error);
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
		return tw_error__set(error, -E2BIG,
				     "a schema text of %.32s: name of %zu bytes, text of %zu; the limits are %d and %d",
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
