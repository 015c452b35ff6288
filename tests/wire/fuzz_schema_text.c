/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompression of untrusted SCHEMA payloads. If the first byte is even, the rest of the input is the value of a SCHEMA TLV. If it is odd,
 * the rest is a text. The target compresses this text, changes one byte of the result and adds a number to its length, because random bytes
 * rarely pass the decompressor's own checks. Nothing may be written beyond the declared length.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/schema_text.h"

#define CANARY      16
#define CANARY_BYTE 0xa5
#define TEXT_MAX    4096 /* bytes that are compressed */

static char out[TW_SCHEMA_RAW_MAX + CANARY];
static uint8_t packed[TW_SCHEMA_NAME_MAX + TEXT_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Decompresses a text. If it is accepted, @ret lies within the declared length. */
static bool expand(const struct tw_schema_view *schema, struct tw_schema_text *ret)
{
	const size_t claimed = schema->raw_length <= TW_SCHEMA_RAW_MAX ? schema->raw_length : 0;
	struct tw_error err;

	memset(out + claimed, CANARY_BYTE, CANARY);
	if (tw_schema_text__expand(schema, out, TW_SCHEMA_RAW_MAX, ret, &err)) {
		require(strlen(err.text));
	} else {
		const char *raw = schema->encoding == TW_ENCODING_PLAIN ? (const char *)schema->data : out;

		require(ret->system == raw && ret->text + ret->len == raw + claimed);
		require(strlen(ret->system) < TW_SCHEMA_NAME_MAX && ret->len <= TW_SCHEMA_TEXT_MAX);
	}
	for (size_t i = 0; i < CANARY; i++)
		require((uint8_t)out[claimed + i] == CANARY_BYTE);
	return *out && ret->text;
}

static void expand_group(const struct tw_schema_view *schema)
{
	const size_t claimed = schema->raw_length <= TW_SCHEMA_GROUP_MAX ? schema->raw_length : 0;
	static char group_bytes[TW_SCHEMA_GROUP_MAX + CANARY];
	struct tw_schema_group group;
	struct tw_schema_view view;
	struct tw_schema_text text;
	struct tw_error err;

	memset(group_bytes + claimed, CANARY_BYTE, CANARY);
	if (tw_schema_group__expand(schema, group_bytes, TW_SCHEMA_GROUP_MAX, &group, &err)) {
		require(strlen(err.text));
	} else {
		while (tw_schema_group__next(&group, &view)) {
			require(view.kind != TW_SCHEMA_GROUP && view.encoding == TW_ENCODING_PLAIN);
			expand(&view, &text);
		}
		require(!group.records.left);
	}
	for (size_t i = 0; i < CANARY; i++)
		require((uint8_t)group_bytes[claimed + i] == CANARY_BYTE);
}

static void as_received(const uint8_t *data, size_t size)
{
	const struct tw_tlv_view tlv = { .type = TW_TLV_SCHEMA, .value = data, .len = size };
	struct tw_schema_text text = { 0 };
	struct tw_schema_view schema;

	if (!tw_schema_tlv__parse(&tlv, &schema))
		return;
	if (schema.kind == TW_SCHEMA_GROUP)
		expand_group(&schema);
	else
		expand(&schema, &text);
}

/* The decoder returns the text from which the encoder made @view. */
static void check_way_back(const struct tw_schema_view *view, const struct tw_schema_text *text)
{
	struct tw_schema_text got = { 0 };

	expand(view, &got);
	require(got.text && !strcmp(got.system, text->system));
	require(got.len == text->len && !memcmp(got.text, text->text, text->len));
}

/* @data: number to add to the length (1 byte), offset of the damage (2), bits to change there (1), name of the system, NUL, text */
static void as_text(const uint8_t *data, size_t size)
{
	struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT, .total = 1 };
	struct tw_schema_text text, got = { 0 };
	const uint8_t *end;

	if (size < 5 || size > TEXT_MAX || !(end = memchr(data + 4, 0, size - 4)))
		return;
	text.system = (const char *)data + 4;
	text.text = (const char *)end + 1;
	text.len = (size_t)(data + size - end - 1);
	if (tw_schema_text__compress(&text, packed, sizeof(packed), &view, NULL))
		return;
	check_way_back(&view, &text);
	packed[tw_load_be16(data + 1) % view.len] ^= data[3];
	view.raw_length = (uint32_t)((int32_t)view.raw_length + (int8_t)data[0]);
	expand(&view, &got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		as_text(data + 1, size - 1);
	else
		as_received(data + 1, size - 1);
	return 0;
}
