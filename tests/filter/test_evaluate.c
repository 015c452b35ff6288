/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The evaluator, test by test: every operator on every kind of field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "tests/filter/toy.h"

/* Every operator on a field, against a value below, equal and above. */
static void order_of(struct toy *f, const char *name, uint64_t below, uint64_t equal, uint64_t above)
{
	assert_true(toy__number_holds(f, name, TW_TEST_EXISTS, 0));
	assert_true(toy__number_holds(f, name, TW_TEST_EQ, equal));
	assert_false(toy__number_holds(f, name, TW_TEST_EQ, below));
	assert_false(toy__number_holds(f, name, TW_TEST_NE, equal));
	assert_true(toy__number_holds(f, name, TW_TEST_NE, above));
	assert_true(toy__number_holds(f, name, TW_TEST_LT, above));
	assert_false(toy__number_holds(f, name, TW_TEST_LT, equal));
	assert_false(toy__number_holds(f, name, TW_TEST_LE, below));
	assert_true(toy__number_holds(f, name, TW_TEST_LE, equal));
	assert_true(toy__number_holds(f, name, TW_TEST_GT, below));
	assert_false(toy__number_holds(f, name, TW_TEST_GT, equal));
	assert_true(toy__number_holds(f, name, TW_TEST_GE, equal));
	assert_false(toy__number_holds(f, name, TW_TEST_GE, above));
}

static void numbers_of_all_sizes(void **state)
{
	struct toy *f = *state;

	order_of(f, "a", 199, 200, 201);
	order_of(f, "b", (uint64_t)-3, (uint64_t)-2, 1);
	order_of(f, "c", 0x92345677, 0x92345678, 0xffffffff);
	order_of(f, "d", (uint64_t)INT64_MIN, (uint64_t)-1, 0);
	order_of(f, "e", (uint64_t)-129, (uint64_t)-128, 127);
	assert_false(toy__number_holds(f, "d", TW_TEST_LT, (uint64_t)INT64_MIN));
	assert_false(toy__number_holds(f, "d", TW_TEST_GT, INT64_MAX));
	assert_false(toy__number_holds(f, "a", TW_TEST_LT, 0));
	assert_false(toy__number_holds(f, "a", TW_TEST_GT, UINT64_MAX));
}

static void byte_orders(void **state)
{
	struct toy *f = *state;
	struct tw_test test = toy__number(f, "c", TW_TEST_EQ, 0x78563492);

	test.big_endian = true;
	assert_true(toy__holds(f, test));
	test = toy__number(f, "b", TW_TEST_EQ, (uint64_t)(int16_t)0xfeff);
	test.big_endian = true;
	assert_true(toy__holds(f, test));
}

static void ranges_include_their_ends(void **state)
{
	struct toy *f = *state;
	struct tw_test test = toy__number(f, "b", TW_TEST_WITHIN, (uint64_t)-2);

	test.high = 5;
	assert_true(toy__holds(f, test));
	test.low = (uint64_t)-7;
	test.high = (uint64_t)-2;
	assert_true(toy__holds(f, test));
	test.high = (uint64_t)-3;
	assert_false(toy__holds(f, test));
	test.low = 5; /* a range with exchanged ends contains nothing */
	assert_false(toy__holds(f, test));
}

/* A mask applies to the bits that a negative number has in its field. */
static void masks_are_unsigned(void **state)
{
	struct toy *f = *state;
	struct tw_test test = toy__number(f, "b", TW_TEST_EQ, 0xff00);

	test.has_mask = true;
	test.mask = UINT64_MAX << 8;
	assert_true(toy__holds(f, test));
	test.op = TW_TEST_GT;
	test.low = 0x7fff;
	assert_true(toy__holds(f, test));
	test.mask = 1;
	test.op = TW_TEST_NE;
	test.low = 0;
	assert_false(toy__holds(f, test));
}

static void what_the_event_has_itself(void **state)
{
	struct toy *f = *state;
	struct tw_test test = { .operand = TW_ON_PID, .is_signed = true, .op = TW_TEST_LT, .low = 0 };

	assert_true(toy__holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_CPU, .op = TW_TEST_EQ, .low = 3 };
	assert_true(toy__holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_FLAGS, .op = TW_TEST_NE, .has_mask = true, .mask = 4 };
	assert_true(toy__holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_PREEMPT, .op = TW_TEST_GT };
	assert_false(toy__holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_TIME, .op = TW_TEST_GE, .low = 1ull << 40 };
	assert_true(toy__holds(f, test));
}

static void texts(void **state)
{
	struct toy *f = *state;

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "text" : "name";
		const char *value = i ? "hello" : "bash";

		assert_true(toy__text_holds(f, name, TW_TEST_EQ, value));
		assert_false(toy__text_holds(f, name, TW_TEST_NE, value));
		assert_true(toy__text_holds(f, name, TW_TEST_NE, "bas"));
		assert_true(toy__text_holds(f, name, TW_TEST_GT, "bas"));
		assert_true(toy__text_holds(f, name, TW_TEST_LT, "i"));
		assert_true(toy__text_holds(f, name, TW_TEST_LT, "helloo"));
		assert_true(toy__text_holds(f, name, TW_TEST_CONTAINS, value + 1));
		assert_true(toy__text_holds(f, name, TW_TEST_CONTAINS, ""));
		assert_false(toy__text_holds(f, name, TW_TEST_CONTAINS, "xy"));
		assert_true(toy__text_holds(f, name, TW_TEST_GLOB, "?[ae]*"));
		assert_false(toy__text_holds(f, name, TW_TEST_GLOB, "?[ae]"));
	}
}

/* A text that fills its field has no NUL. */
static void a_text_may_fill_its_field(void **state)
{
	struct toy *f = *state;

	memcpy(f->record + 24, "12345678", 8);
	assert_true(toy__text_holds(f, "name", TW_TEST_EQ, "12345678"));
	assert_false(toy__text_holds(f, "name", TW_TEST_EQ, "1234567"));
	assert_false(toy__text_holds(f, "name", TW_TEST_EQ, "123456789"));
	assert_true(toy__text_holds(f, "name", TW_TEST_NE, "123456789"));
	f->record[24] = '\0';
	assert_true(toy__text_holds(f, "name", TW_TEST_EQ, ""));
}

static void names_of_task_and_host(void **state)
{
	struct toy *f = *state;
	struct tw_test test = toy__text(f, "name", TW_TEST_NE, "bash");

	test.operand = TW_ON_COMM;
	test.field = NULL;
	assert_false(toy__holds(f, test));
	f->event.comm = "sh";
	f->event.comm_len = 2;
	assert_true(toy__holds(f, test));
	test.operand = TW_ON_HOST;
	assert_false(toy__holds(f, test));
	test.op = TW_TEST_EXISTS;
	f->event.host = "";
	assert_true(toy__holds(f, test));
}

static void arrays_ask_all_their_elements(void **state)
{
	struct toy *f = *state;

	for (uint64_t v = 1; v <= 9; v += 4) {
		assert_true(toy__number_holds(f, "list", TW_TEST_EQ, v));
		assert_false(toy__number_holds(f, "list", TW_TEST_NE, v));
	}
	assert_true(toy__number_holds(f, "list", TW_TEST_NE, 2));
	assert_true(toy__number_holds(f, "list", TW_TEST_GT, 8));
	assert_false(toy__number_holds(f, "list", TW_TEST_GT, 9));
	assert_true(toy__number_holds(f, "more", TW_TEST_EQ, 8));
	assert_false(toy__number_holds(f, "more", TW_TEST_NE, 8));
	assert_true(toy__number_holds(f, "more", TW_TEST_NE, 9));
	assert_true(toy__number_holds(f, "more", TW_TEST_EXISTS, 0));
	toy__locate(f, 56, 80, 0);
	assert_false(toy__number_holds(f, "more", TW_TEST_EXISTS, 0));
	assert_false(toy__number_holds(f, "more", TW_TEST_NE, 9));
	assert_false(toy__number_holds(f, "more", TW_TEST_EQ, 7));
}

static void bit_masks_are_lists(void **state)
{
	struct toy *f = *state;

	assert_true(toy__text_holds(f, "mask", TW_TEST_EQ, "0-3,7-8,63"));
	assert_true(toy__text_holds(f, "mask", TW_TEST_CONTAINS, "7-8"));
	memset(f->record + 60, 0, 8);
	assert_true(toy__text_holds(f, "mask", TW_TEST_EQ, ""));
}

static void bytes_and_prefixes(void **state)
{
	struct toy *f = *state;
	struct tw_test test = toy__text(f, "mac", TW_TEST_EQ, "\xaa\xbb\xcc\xdd\xee\xff");

	test.compared = TW_AS_BYTES;
	assert_true(toy__holds(f, test));
	test.bytes = (const uint8_t *)"\xaa\xbb\xc0\0\0\0";
	test.prefix = 20;
	test.len = 6;
	assert_true(toy__holds(f, test));
	test.op = TW_TEST_NE;
	assert_false(toy__holds(f, test));
	test.prefix = 21;
	assert_true(toy__holds(f, test));
	test = toy__text(f, "mac", TW_TEST_CONTAINS, "\xcc\xdd");
	test.compared = TW_AS_BYTES;
	assert_true(toy__holds(f, test));
}

/* Any test of a missing field is false. */
static void short_records_have_less(void **state)
{
	static const struct {
		const char *name;
		uint32_t end; /* length of the shortest record that has the field, bytes */
		uint8_t compared;
	} fields[] = {
		{ "a", 9, TW_AS_NUMBER },     { "d", 24, TW_AS_NUMBER },  { "name", 32, TW_AS_TEXT },
		{ "list", 44, TW_AS_NUMBER }, { "mac", 50, TW_AS_BYTES }, { "text", 78, TW_AS_TEXT },
		{ "more", 84, TW_AS_NUMBER }, { "mask", 68, TW_AS_TEXT },
	};
	struct toy *f = *state;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (uint32_t len = 0; len <= TOY_RECORD_LEN; len++) {
			struct tw_test test = toy__text(f, fields[i].name, TW_TEST_NE, "never");
			/* in separate memory, so that a read beyond its end is found */
			uint8_t *record = test_malloc(len ? len : 1);

			memcpy(record, f->record, len);
			f->event.record = record;
			f->event.len = len;
			test.compared = fields[i].compared;
			test.low = 77;
			assert_int_equal(toy__holds(f, test), len >= fields[i].end);
			test_free(record);
		}
}

static void locations_outside_are_nowhere(void **state)
{
	struct toy *f = *state;

	toy__locate(f, 52, 0xffff, 1);
	assert_false(toy__text_holds(f, "text", TW_TEST_EXISTS, ""));
	toy__locate(f, 52, 80, 0xffff);
	assert_false(toy__text_holds(f, "text", TW_TEST_NE, "x"));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, toy__set_up, toy__tear_down)
	const struct CMUnitTest tests[] = {
		TEST(numbers_of_all_sizes),
		TEST(byte_orders),
		TEST(ranges_include_their_ends),
		TEST(masks_are_unsigned),
		TEST(what_the_event_has_itself),
		TEST(texts),
		TEST(a_text_may_fill_its_field),
		TEST(names_of_task_and_host),
		TEST(arrays_ask_all_their_elements),
		TEST(bit_masks_are_lists),
		TEST(bytes_and_prefixes),
		TEST(short_records_have_less),
		TEST(locations_outside_are_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
