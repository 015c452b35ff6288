/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/field.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "texts.h"

/* Each line of the text has one field, and each line of the records has sixteen bytes. */
/* clang-format off */
static const char text[] = EVENT_TEXT("everything", 300,
	FIELD("s8 s8", 8, 1, 1)
	FIELD("u8 u8", 9, 1, 0)
	FIELD("short s16", 10, 2, 1)
	FIELD("int s32", 12, 4, 1)
	FIELD("u64 u64", 16, 8, 0)
	FIELD("enum e enum", 24, 4, 1)
	FIELD("bool bool", 28, 1, 0)
	FIELD("char comm[4]", 32, 4, 0)
	FIELD("__data_loc char[] dynamic", 36, 4, 0)
	FIELD("__rel_loc u16[] relative", 40, 4, 0)
	FIELD("cpumask_t mask", 48, 16, 0)
	FIELD("char buf[]", 64, 0, 0), "");

/* The same record as written by hosts of both byte orders. */
static const uint8_t little[] = {
	0x2c, 0x01, 0x00, 0x00, 0x78, 0x56, 0x34, 0x12, 0xff, 0xff, 0xfe, 0xff, 0xfd, 0xff, 0xff, 0xff,
	0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0xfc, 0xff, 0xff, 0xff, 0x01, 0xaa, 0xaa, 0xaa,
	'b',  'a',  's',  'h',  0x44, 0x00, 0x08, 0x00, 0x1e, 0x00, 0x06, 0x00, 0xaa, 0xaa, 0xaa, 0xaa,
	0x01, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	'e',  'n',  'd',  0x00, 't',  'e',  'x',  't',  0x00, 0xaa, 0x01, 0x02, 0x01, 0x00, 0x02, 0x80,
};
static const uint8_t big[] = {
	0x01, 0x2c, 0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xfd,
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xff, 0xff, 0xff, 0xfc, 0x01, 0xaa, 0xaa, 0xaa,
	'b',  'a',  's',  'h',  0x00, 0x08, 0x00, 0x44, 0x00, 0x06, 0x00, 0x1e, 0xaa, 0xaa, 0xaa, 0xaa,
	0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
	'e',  'n',  'd',  0x00, 't',  'e',  'x',  't',  0x00, 0xaa, 0x02, 0x01, 0x00, 0x01, 0x80, 0x02,
};
/* clang-format on */

static struct tw_format *format;

static int setup(void **state)
{
	(void)state;
	return tw_format__parse(text, strlen(text), "test", &format, NULL);
}

static int teardown(void **state)
{
	(void)state;
	tw_format__free(format);
	return 0;
}

static struct tw_value get(const struct tw_record *record, const char *name)
{
	const struct tw_field *field = tw_format__find(format, name);
	struct tw_value value = { 0 };

	assert_non_null(field);
	assert_int_equal(tw_field__read(field, record, &value), 0);
	assert_int_equal(value.kind, field->kind);
	return value;
}

static void check_text(const struct tw_record *record, const char *name, const char *expected)
{
	struct tw_value value = get(record, name);

	assert_int_equal(value.len, strlen(expected));
	assert_memory_equal(value.data, expected, value.len);
	assert_ptr_equal(value.data, record->data + value.offset);
}

static void check_elements(const struct tw_record *record)
{
	const struct tw_field *field = tw_format__find(format, "relative");
	static const uint16_t expected[] = { 0x201, 1, 0x8002 };
	struct tw_value array = get(record, "relative"), element = { 0 };

	assert_int_equal(array.offset, 74);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(tw_value__element(field, &array, i, &element), 0);
		assert_int_equal(element.u, expected[i]);
		assert_int_equal(element.kind, TW_FIELD_UINT);
		assert_int_equal(element.offset, 74 + 2 * i);
	}
	assert_int_equal(tw_value__element(field, &array, 3, &element), -ERANGE);
	assert_int_equal(tw_value__element(field, &array, UINT32_MAX, &element), -ERANGE);
}

static void check_bits(const struct tw_record *record)
{
	struct tw_value mask = get(record, "mask");

	assert_int_equal(mask.len, 16);
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(tw_value__bit(&mask, 8, i), i == 0 || i == 31 || i == 65);
	assert_false(tw_value__bit(&mask, 8, UINT32_MAX));
}

static void check_record(const struct tw_record *record)
{
	assert_int_equal(get(record, "common_type").u, 300);
	assert_int_equal(get(record, "common_pid").i, 0x12345678);
	assert_int_equal(get(record, "s8").i, -1);
	assert_int_equal(get(record, "u8").u, 255);
	assert_int_equal(get(record, "s16").i, -2);
	assert_int_equal(get(record, "s32").i, -3);
	assert_true(get(record, "u64").u == 0x0102030405060708);
	assert_int_equal(get(record, "enum").i, -4);
	assert_int_equal(get(record, "bool").u, 1);
	check_text(record, "comm", "bash"); /* fills its array, so it has no NUL */
	check_text(record, "dynamic", "text");
	check_text(record, "buf", "end");
	check_elements(record);
	check_bits(record);
}

static void test_little_endian(void **state)
{
	(void)state;
	check_record(&(struct tw_record){ .data = little, .len = sizeof(little) });
}

static void test_big_endian(void **state)
{
	(void)state;
	check_record(&(struct tw_record){ .data = big, .len = sizeof(big), .big_endian = true });
}

static void test_from_wire(void **state)
{
	uint8_t bytes[sizeof(little)];

	(void)state;
	memcpy(bytes, little, sizeof(little));
	memcpy(bytes, big, 8);
	check_record(&(struct tw_record){ .data = bytes, .len = sizeof(bytes), .from_wire = true });
	check_record(&(struct tw_record){ .data = big, .len = sizeof(big), .big_endian = true, .from_wire = true });
}

/* A record is truncated at every length. A field can be read if, and only if, the record reaches the end of its value. */
static void test_cut(void **state)
{
	static const struct {
		const char *name;
		uint32_t needs;
	} fields[] = {
		{ "common_pid", 8 }, { "u64", 24 },      { "bool", 29 }, { "comm", 36 },
		{ "dynamic", 76 },   { "relative", 80 }, { "mask", 64 }, { "buf", 64 },
	};

	(void)state;
	for (uint32_t len = 0; len <= sizeof(little); len++) {
		const struct tw_record record = { .data = little, .len = len };

		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			struct tw_value value, before;
			int err;

			memset(&value, 0x5a, sizeof(value));
			before = value;
			err = tw_field__read(tw_format__find(format, fields[i].name), &record, &value);
			assert_int_equal(err, len < fields[i].needs ? -ERANGE : 0);
			if (err)
				assert_memory_equal(&value, &before, sizeof(value));
		}
	}
}

/* A capture truncated the record: values beyond its end cannot be read, values before it can. */
static void test_cut_by_capture(void **state)
{
	const struct tw_record record = { .data = little, .len = 70, .cut = true };
	struct tw_value value;

	(void)state;
	assert_int_equal(tw_field__read(tw_format__find(format, "buf"), &record, &value), -ERANGE);
	assert_int_equal(tw_field__read(tw_format__find(format, "dynamic"), &record, &value), -ERANGE);
	check_text(&record, "comm", "bash");
}

/* Locations outside of the record, or at its very end. */
static void test_locations(void **state)
{
	static const struct {
		uint8_t word[4];
		int err;
		uint32_t len;
	} cases[] = {
		{ { 0, 0, 0, 0 }, 0, 0 },
		{ { 80, 0, 0, 0 }, 0, 0 },
		{ { 81, 0, 0, 0 }, -ERANGE, 0 },
		{ { 79, 0, 1, 0 }, 0, 1 },
		{ { 79, 0, 2, 0 }, -ERANGE, 0 },
		{ { 0xff, 0xff, 1, 0 }, -ERANGE, 0 },
		{ { 0, 0, 0xff, 0xff }, -ERANGE, 0 },
		{ { 0xff, 0xff, 0xff, 0xff }, -ERANGE, 0 },
	};
	uint8_t bytes[sizeof(little)];
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes) };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_value value = { 0 };

		memcpy(bytes, little, sizeof(bytes));
		memcpy(bytes + 36, cases[i].word, 4);
		assert_int_equal(tw_field__read(tw_format__find(format, "dynamic"), &record, &value), cases[i].err);
		assert_int_equal(value.len, cases[i].len);
	}
}

/* A 32-bit big-endian host: bit 32 begins the second long. */
static void test_bits_of_32(void **state)
{
	static const uint8_t bytes[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0xff };
	const struct tw_value mask = { .kind = TW_FIELD_BITMASK, .big_endian = true, .data = bytes, .len = 8 };

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(tw_value__bit(&mask, 4, i), i == 0 || i == 33);
	assert_false(tw_value__bit(&mask, 0, 100));
}

static void check_list(const struct tw_value *mask, const char *expected)
{
	char list[64];
	struct tw_line line = tw_line__on(list, sizeof(list));

	tw_value__list_bits(mask, 8, &line);
	assert_int_equal(tw_line__len(&line), strlen(expected));
	assert_memory_equal(list, expected, strlen(expected));
}

static void test_list_of_bits(void **state)
{
	static const uint8_t some[] = { 0x8f, 0x80, 0x01, 0, 0, 0, 0, 0x80 }, none[8];
	static uint8_t all[TW_MASK_BYTES_MAX + 8];
	struct tw_value mask = { .kind = TW_FIELD_BITMASK };

	(void)state;
	memset(all, 0xff, sizeof(all));
	check_list(&mask, "");
	mask.data = none;
	mask.len = sizeof(none);
	check_list(&mask, "");
	mask.data = some;
	check_list(&mask, "0-3,7,15-16,63");
	mask.data = all;
	mask.len = sizeof(all);
	check_list(&mask, "0-8191");
}

static enum tw_address address_of(const char *decl, uint32_t size)
{
	char one[1024];
	struct tw_format *made;
	enum tw_address address;

	snprintf(one, sizeof(one),
		 "name: one\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		 "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:0;\n",
		 decl, size);
	assert_int_equal(tw_format__parse(one, strlen(one), "test", &made, NULL), 0);
	address = tw_field__address(&made->fields[made->n_common]);
	tw_format__free(made);
	return address;
}

static void test_addresses(void **state)
{
	(void)state;
	assert_int_equal(address_of("__u8 saddr[4]", 4), TW_ADDRESS_IPV4);
	assert_int_equal(address_of("__u8 daddr[4]", 4), TW_ADDRESS_IPV4);
	assert_int_equal(address_of("__u8 daddr_v6[16]", 16), TW_ADDRESS_IPV6);
	assert_int_equal(address_of("__u8 daddr[16]", 16), TW_ADDRESS_NONE);
	assert_int_equal(address_of("__u8 faddr[4]", 4), TW_ADDRESS_NONE);
	assert_int_equal(address_of("__u8 s", 1), TW_ADDRESS_NONE);
	assert_int_equal(address_of("__be32 saddr", 4), TW_ADDRESS_NONE);
	assert_int_equal(address_of("bool saddr[4]", 4), TW_ADDRESS_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little_endian),  cmocka_unit_test(test_big_endian),
		cmocka_unit_test(test_from_wire),      cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_by_capture), cmocka_unit_test(test_locations),
		cmocka_unit_test(test_bits_of_32),     cmocka_unit_test(test_list_of_bits),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
