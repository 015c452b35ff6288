/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SCHEMA payloads: the round trip, and payloads with wrong values. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "wire/encode.h"
#include "wire/schema_text.h"

static char wire[TW_SCHEMA_RAW_MAX + 1];
static char raw[TW_SCHEMA_RAW_MAX + 1];
static char big[TW_SCHEMA_TEXT_MAX + 1];

static struct tw_schema_view compressed(const char *system, const char *text, size_t len)
{
	const struct tw_schema_text in = { .system = system, .text = text, .len = len };
	struct tw_schema_view view = { .index = 3 };
	struct tw_error err;

	assert_int_equal(tw_schema_text__compress(&in, wire, sizeof(wire), &view, &err), 0);
	return view;
}

static void expect_round_trip(const char *system, const char *text, size_t len, uint8_t encoding)
{
	const struct tw_schema_view view = compressed(system, text, len);
	struct tw_schema_text out;
	struct tw_error err;

	assert_int_equal(view.encoding, encoding);
	assert_int_equal(view.raw_length, strlen(system) + 1 + len);
	assert_int_equal(tw_schema_text__expand(&view, raw, view.raw_length, &out, &err), 0);
	assert_string_equal(out.system, system);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.text, text, len);
}

static void round_trips(void **state)
{
	char name[TW_SCHEMA_NAME_MAX];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	memset(big, 'x', sizeof(big));
	expect_round_trip("sched", "field:int a;", 12, TW_ENCODING_PLAIN);
	expect_round_trip("", "", 0, TW_ENCODING_PLAIN);
	expect_round_trip("net", big, 1000, TW_ENCODING_ZSTD);
	expect_round_trip("nul", "a\0b", 3, TW_ENCODING_PLAIN);
	expect_round_trip(name, big, TW_SCHEMA_TEXT_MAX, TW_ENCODING_ZSTD);
}

static void what_compression_would_lengthen_stays_plain(void **state)
{
	struct tw_schema_view view;
	unsigned int seed = 1;

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		big[i] = (char)(rand_r(&seed) >> 8);
	expect_round_trip("noise", big, 5000, TW_ENCODING_PLAIN);
	view = compressed("noise", big, 5000);
	assert_int_equal(view.len, view.raw_length);
}

static void compress_limits(void **state)
{
	char name[TW_SCHEMA_NAME_MAX + 1];
	struct tw_schema_text in = { .system = name, .text = big, .len = 1 };
	struct tw_schema_view view;
	struct tw_error err;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(tw_schema_text__compress(&in, wire, sizeof(wire), &view, &err), -E2BIG);
	in.system = "sched";
	in.len = TW_SCHEMA_TEXT_MAX + 1;
	assert_int_equal(tw_schema_text__compress(&in, wire, sizeof(wire), &view, &err), -E2BIG);
	in.len = 100;
	assert_int_equal(tw_schema_text__compress(&in, wire, 105, &view, &err), -ENOBUFS);
	assert_int_equal(tw_schema_text__compress(&in, wire, 106, &view, NULL), 0);
}

/* Decompresses @view into a buffer of exactly @cap bytes, so that the sanitizer finds a write of one byte too many. */
static int expand(const struct tw_schema_view *view, size_t cap)
{
	const struct tw_schema_text untouched = { .len = 12345 };
	struct tw_schema_text out = untouched;
	struct tw_error err = { "" };
	char *buf = malloc(cap ? cap : 1);
	int rc;

	assert_non_null(buf);
	rc = tw_schema_text__expand(view, buf, cap, &out, &err);
	if (rc) {
		assert_memory_equal(&out, &untouched, sizeof(out));
		assert_true(strstr(err.text, "schema text 3") == err.text);
	}
	free(buf);
	return rc;
}

static void claims_are_checked(void **state)
{
	struct tw_schema_view view;

	(void)state;
	memset(big, 'x', sizeof(big));
	view = compressed("net", big, 1000);
	assert_int_equal(expand(&view, 1004), 0);
	assert_int_equal(expand(&view, 1003), -ENOBUFS);
	view.raw_length = 1003;
	assert_int_equal(expand(&view, 2000), -EBADMSG);
	view.raw_length = 1005;
	assert_int_equal(expand(&view, 2000), -EBADMSG);
	view.raw_length = 0;
	assert_int_equal(expand(&view, 0), -E2BIG);
	view.raw_length = TW_SCHEMA_RAW_MAX + 1;
	assert_int_equal(expand(&view, TW_SCHEMA_RAW_MAX + 1), -E2BIG);
	view.raw_length = UINT32_MAX;
	assert_int_equal(expand(&view, 100), -E2BIG);
	view.raw_length = 1004;
	view.encoding = 2;
	assert_int_equal(expand(&view, 1004), -ENOTSUP);
	view.encoding = TW_ENCODING_PLAIN;
	assert_int_equal(expand(&view, 1004), -EBADMSG);
}

static void name_and_text_have_limits(void **state)
{
	struct tw_schema_view view = { .index = 3, .encoding = TW_ENCODING_PLAIN, .data = (const uint8_t *)big };

	(void)state;
	memset(big, 'x', sizeof(big));
	view.len = view.raw_length = 100;
	assert_int_equal(expand(&view, 100), -EBADMSG); /* no NUL */
	big[99] = 0;
	assert_int_equal(expand(&view, 100), 0); /* no text */
	big[99] = 'x';
	big[TW_SCHEMA_NAME_MAX] = 0;
	view.len = view.raw_length = 1000;
	assert_int_equal(expand(&view, 1000), -E2BIG); /* name a byte too long */
	big[0] = 0;
	view.len = view.raw_length = TW_SCHEMA_TEXT_MAX + 1;
	assert_int_equal(expand(&view, TW_SCHEMA_RAW_MAX), 0);
}

/* A megabyte of zeros in a few bytes must not be decompressed, whatever the declared length. */
static void a_bomb_stays_shut(void **state)
{
	char *zeros = calloc(1, 1 << 20);
	struct tw_schema_view view = { .index = 3, .encoding = TW_ENCODING_ZSTD, .data = (const uint8_t *)wire };

	(void)state;
	assert_non_null(zeros);
	view.len = ZSTD_compress(wire, sizeof(wire), zeros, 1 << 20, 3);
	free(zeros);
	assert_true(view.len < 200);
	view.raw_length = TW_SCHEMA_RAW_MAX;
	assert_int_equal(expand(&view, TW_SCHEMA_RAW_MAX), -EBADMSG);
	view.raw_length = 1 << 20;
	assert_int_equal(expand(&view, 1 << 20), -E2BIG);
}

static void one_zstd_frame_exactly(void **state)
{
	struct tw_schema_view view;

	(void)state;
	memset(big, 'x', sizeof(big));
	view = compressed("net", big, 1000);
	for (size_t len = 0; len < view.len; len++) {
		struct tw_schema_view cut = view;

		cut.len = len;
		assert_int_equal(expand(&cut, 1004), -EBADMSG);
	}
	memcpy(wire + view.len, wire, view.len);
	view.len *= 2;
	view.raw_length *= 2;
	assert_int_equal(expand(&view, 2008), -EBADMSG);
}

static void corrupt_bytes_are_survived(void **state)
{
	struct tw_schema_view view;

	(void)state;
	memset(big, 'x', sizeof(big));
	for (size_t i = 0; i < 1000; i += 7)
		big[i] = (char)i;
	view = compressed("net", big, 1000);
	for (size_t i = 0; i < view.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			wire[i] = (char)(wire[i] ^ 1 << bit);
			expand(&view, 1004);
			wire[i] = (char)(wire[i] ^ 1 << bit);
		}
	assert_int_equal(expand(&view, 1004), 0);
}

/* Reads all texts of the records in order, and compares them with @sources. Return: number of groups */
static size_t expect_sources(const struct tw_schema_records *records, const struct tw_schema_source *sources, size_t n)
{
	static char group_bytes[TW_SCHEMA_GROUP_MAX];
	size_t groups = 0, index = 0;

	for (size_t i = 0; i < records->n; i++) {
		struct tw_schema_view view = records->items[i];
		struct tw_schema_group group = { 0 };
		bool is_group = view.kind == TW_SCHEMA_GROUP;
		struct tw_error err = { "" };

		assert_int_equal(view.index, index);
		assert_int_equal(view.total, n);
		groups += is_group;
		if (is_group)
			assert_int_equal(tw_schema_group__expand(&view, group_bytes, sizeof(group_bytes), &group, &err),
					 0);
		while (!is_group || tw_schema_group__next(&group, &view)) {
			struct tw_schema_text text;

			assert_int_equal(view.index, index);
			assert_int_equal(view.total, n);
			assert_int_equal(view.kind, sources[index].kind);
			assert_int_equal(view.event_id, sources[index].event_id);
			assert_int_equal(tw_schema_text__expand(&view, raw, sizeof(raw), &text, &err), 0);
			assert_string_equal(text.system, sources[index].text.system);
			assert_int_equal(text.len, sources[index].text.len);
			assert_memory_equal(text.text, sources[index].text.text, text.len);
			index++;
			if (!is_group)
				break;
		}
	}
	assert_int_equal(index, n);
	return groups;
}

static size_t bytes_of(const struct tw_schema_records *records)
{
	size_t sum = 0;

	for (size_t i = 0; i < records->n; i++)
		sum += sizeof(struct tw_schema_tlv) + records->items[i].len;
	return sum;
}

/*
 * Of 200 texts, one in the middle has 20000 bytes, the others have 60 to 458 bytes. They become at least three groups, and less than a
 * quarter of the size of separately compressed texts.
 */
static void texts_are_compressed_together(void **state)
{
	static char lines[200][512];
	struct tw_schema_source sources[200];
	struct tw_schema_records records;
	struct tw_schema_view view;
	size_t separately = 0;

	(void)state;
	memset(big, 'x', sizeof(big));
	for (size_t i = 0; i < 200; i++) {
		memset(lines[i], 'a' + (char)(i % 26), sizeof(lines[i]));
		snprintf(lines[i], 60, "name: event_%zu\nID: %zu\nformat:\n\tfield:unsigned short", i, i);
		sources[i] = (struct tw_schema_source){ TW_SCHEMA_EVENT, (uint16_t)i, { "toy", lines[i], 60 + 2 * i } };
	}
	sources[0].kind = TW_SCHEMA_HEADER_PAGE;
	sources[100].text = (struct tw_schema_text){ "", big, 20000 };
	for (size_t i = 0; i < 200; i++) {
		view = compressed(sources[i].text.system, sources[i].text.text, sources[i].text.len);
		separately += sizeof(struct tw_schema_tlv) + view.len;
	}
	assert_int_equal(tw_schema_records__make(sources, 200, &records, NULL), 0);
	assert_true(expect_sources(&records, sources, 200) >= 3);
	assert_true(bytes_of(&records) < separately / 4);
	tw_schema_records__fini(&records);
}

static void texts_that_are_not_alike_stay_separate(void **state)
{
	struct tw_schema_source sources[4];
	struct tw_schema_records records;
	unsigned int seed = 2;

	(void)state;
	for (size_t i = 0; i < 4000; i++)
		big[i] = (char)(rand_r(&seed) >> 8);
	for (size_t i = 0; i < 4; i++)
		sources[i] = (struct tw_schema_source){ TW_SCHEMA_EVENT, (uint16_t)i, { "n", big + 1000 * i, 1000 } };
	assert_int_equal(tw_schema_records__make(sources, 4, &records, NULL), 0);
	assert_int_equal(expect_sources(&records, sources, 4), 0);
	tw_schema_records__fini(&records);
	assert_int_equal(tw_schema_records__make(sources, 1, &records, NULL), 0);
	assert_int_equal(expect_sources(&records, sources, 1), 0);
	tw_schema_records__fini(&records);
	sources[3].text.len = TW_SCHEMA_TEXT_MAX + 1;
	assert_int_equal(tw_schema_records__make(sources, 4, &records, NULL), -E2BIG);
}

/* Appends a SCHEMA TLV of @len bytes to a group. Return: length of the group */
static size_t put(uint8_t *group, size_t at, uint16_t type, uint8_t kind, uint8_t encoding, uint16_t len)
{
	const struct tw_schema_view view = { .kind = kind, .encoding = encoding, .raw_length = 1 };

	memset(group + at, 0, tw_tlv__padded(len));
	tw_store_be16(group + at, type);
	tw_store_be16(group + at + 2, len);
	tw_schema_tlv__lay_out(group + at + sizeof(struct tw_tlv), &view);
	return at + tw_tlv__padded(len);
}

static int expand_bytes(const uint8_t *group, size_t len)
{
	const struct tw_schema_view view = { .kind = TW_SCHEMA_GROUP,
					     .encoding = TW_ENCODING_PLAIN,
					     .index = 3,
					     .raw_length = (uint32_t)len,
					     .data = group,
					     .len = len };
	struct tw_schema_group got;
	struct tw_schema_text text;
	struct tw_error err = { "" };

	assert_int_equal(tw_schema_text__expand(&view, raw, sizeof(raw), &text, &err), -ENOTSUP);
	return tw_schema_group__expand(&view, raw, sizeof(raw), &got, &err);
}

static void a_group_has_single_plain_texts_only(void **state)
{
	const uint16_t len = sizeof(struct tw_schema_tlv) + 1;
	uint8_t group[128];
	const size_t one = put(group, 0, TW_TLV_SCHEMA, TW_SCHEMA_EVENT, TW_ENCODING_PLAIN, len);

	(void)state;
	assert_int_equal(expand_bytes(group, one), 0);
	assert_int_equal(expand_bytes(group, put(group, one, TW_TLV_SCHEMA, TW_SCHEMA_PRINTK, TW_ENCODING_PLAIN, len)),
			 0);
	assert_int_equal(expand_bytes(group, put(group, one, TW_TLV_SCHEMA, TW_SCHEMA_GROUP, TW_ENCODING_PLAIN, len)),
			 -EBADMSG);
	assert_int_equal(expand_bytes(group, put(group, one, TW_TLV_SCHEMA, TW_SCHEMA_EVENT, TW_ENCODING_ZSTD, len)),
			 -EBADMSG);
	assert_int_equal(expand_bytes(group, put(group, one, TW_TLV_HOST, TW_SCHEMA_EVENT, TW_ENCODING_PLAIN, len)),
			 -EBADMSG);
	put(group, one, TW_TLV_SCHEMA, TW_SCHEMA_EVENT, TW_ENCODING_PLAIN, len);
	assert_int_equal(expand_bytes(group, one + 8), -EBADMSG);
	tw_store_be16(group + 2, 3);
	assert_int_equal(expand_bytes(group, one), -EBADMSG);
}

static void a_group_has_a_limit(void **state)
{
	struct tw_schema_view view = { .kind = TW_SCHEMA_GROUP, .encoding = TW_ENCODING_ZSTD, .data = (uint8_t *)wire };
	struct tw_schema_group group;
	struct tw_error err = { "" };

	(void)state;
	memset(big, 0, sizeof(big));
	view.len = ZSTD_compress(wire, sizeof(wire), big, TW_SCHEMA_GROUP_MAX + 1, 3);
	view.raw_length = TW_SCHEMA_GROUP_MAX + 1;
	assert_int_equal(tw_schema_group__expand(&view, raw, sizeof(raw), &group, &err), -E2BIG);
	view.raw_length = TW_SCHEMA_GROUP_MAX;
	assert_int_equal(tw_schema_group__expand(&view, raw, sizeof(raw), &group, &err), -EBADMSG);
	assert_int_equal(tw_schema_group__expand(&view, raw, 100, &group, &err), -ENOBUFS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(what_compression_would_lengthen_stays_plain),
		cmocka_unit_test(compress_limits),
		cmocka_unit_test(claims_are_checked),
		cmocka_unit_test(name_and_text_have_limits),
		cmocka_unit_test(a_bomb_stays_shut),
		cmocka_unit_test(one_zstd_frame_exactly),
		cmocka_unit_test(corrupt_bytes_are_survived),
		cmocka_unit_test(texts_are_compressed_together),
		cmocka_unit_test(texts_that_are_not_alike_stay_separate),
		cmocka_unit_test(a_group_has_single_plain_texts_only),
		cmocka_unit_test(a_group_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
