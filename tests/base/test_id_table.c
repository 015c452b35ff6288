/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was put is found, what was removed is not, whatever the ids, and in any order. */
#include "base/id_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#define IDS 4096

static char things[IDS + 1];

static void test_empty(void **state)
{
	struct tw_id_table table = { 0 };

	(void)state;
	assert_null(tw_id_table__find(&table, 0));
	tw_id_table__remove(&table, 0);
	tw_id_table__fini(&table);
	assert_int_equal(tw_id_table__put(&table, 0, &things[0]), 0);
	assert_ptr_equal(tw_id_table__find(&table, 0), &things[0]);
	assert_null(tw_id_table__find(&table, 1));
	tw_id_table__fini(&table);
	assert_null(tw_id_table__find(&table, 0));
}

static void test_replaced(void **state)
{
	struct tw_id_table table = { 0 };

	(void)state;
	assert_int_equal(tw_id_table__put(&table, 7, &things[0]), 0);
	assert_int_equal(tw_id_table__put(&table, 7, &things[1]), 0);
	assert_ptr_equal(tw_id_table__find(&table, 7), &things[1]);
	assert_int_equal(table.n, 1);
	tw_id_table__remove(&table, 7);
	assert_null(tw_id_table__find(&table, 7));
	assert_int_equal(table.n, 0);
	tw_id_table__fini(&table);
}

static uint64_t any_id(uint64_t i)
{
	uint64_t z = i * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	return z ^ z >> 31;
}

static uint64_t next_id(uint64_t i)
{
	return i;
}

static uint64_t upper_id(uint64_t i)
{
	return i << 52;
}

static uint64_t stepped_id(uint64_t i)
{
	return i * 0x100010000u;
}

static uint64_t (*const ways[])(uint64_t i) = { any_id, next_id, upper_id, stepped_id };

static void check(const struct tw_id_table *table, uint64_t (*id_of)(uint64_t i), const bool *is_in)
{
	size_t n = 0;

	for (uint64_t i = 0; i < IDS; i++) {
		assert_ptr_equal(tw_id_table__find(table, id_of(i)), is_in[i] ? &things[i] : NULL);
		n += is_in[i];
	}
	assert_int_equal(table->n, n);
}

/* All of them, then a third, then others again: what is removed and put stands between what stays. */
static void test_many(void **state)
{
	(void)state;
	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct tw_id_table table = { 0 };
		bool is_in[IDS] = { false };

		for (uint64_t i = 0; i < IDS; i++) {
			assert_int_equal(tw_id_table__put(&table, ways[way](i), &things[i]), 0);
			is_in[i] = true;
		}
		check(&table, ways[way], is_in);
		for (uint64_t i = 0; i < IDS; i++) {
			if (i % 3 == 0)
				continue;
			tw_id_table__remove(&table, ways[way](i));
			is_in[i] = false;
		}
		check(&table, ways[way], is_in);
		for (uint64_t i = 0; i < IDS; i += 2) {
			assert_int_equal(tw_id_table__put(&table, ways[way](i), &things[i]), 0);
			is_in[i] = true;
		}
		check(&table, ways[way], is_in);
		tw_id_table__fini(&table);
	}
}

/* Few at a time, each in the place of another: the table stays small, and searches in it end. */
static void test_coming_and_going(void **state)
{
	struct tw_id_table table = { 0 };
	bool is_in[IDS] = { false };
	unsigned int bits;

	(void)state;
	assert_int_equal(tw_id_table__put(&table, any_id(0), &things[0]), 0);
	bits = table.bits;
	for (uint64_t i = 0; i < 16 * IDS; i++) {
		const uint64_t comes = i % IDS, goes = (i + IDS - 8) % IDS;

		tw_id_table__remove(&table, any_id(goes));
		is_in[goes] = false;
		assert_int_equal(tw_id_table__put(&table, any_id(comes), &things[comes]), 0);
		is_in[comes] = true;
		if (i % 1021 == 0)
			check(&table, any_id, is_in);
	}
	assert_int_equal(table.n, 8);
	assert_int_equal(table.bits, bits);
	tw_id_table__fini(&table);
}

/* No search is long: rows of ids are no rows of slots. */
static void test_rows(void **state)
{
	(void)state;
	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct tw_id_table table = { 0 };
		size_t row = 0, longest = 0;

		for (uint64_t i = 0; i < IDS; i++)
			assert_int_equal(tw_id_table__put(&table, ways[way](i), &things[i]), 0);
		for (size_t i = 0; i < (size_t)1 << table.bits; i++) {
			row = table.slots[i].value ? row + 1 : 0;
			longest = row > longest ? row : longest;
		}
		assert_in_range(longest, 1, IDS / 16);
		tw_id_table__fini(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty), cmocka_unit_test(test_replaced),         cmocka_unit_test(test_many),
		cmocka_unit_test(test_rows),  cmocka_unit_test(test_coming_and_going),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
