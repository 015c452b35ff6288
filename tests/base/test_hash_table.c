/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hash tables: inserted keys are found, removed keys are not, for any keys and in any order. */
#include "base/hash_table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define KEYS 4096

static char things[KEYS + 1];

static void test_empty(void **state)
{
	struct tw_hash_table table = { 0 };

	(void)state;
	assert_null(tw_hash_table__pointer(&table, 0));
	assert_null(tw_hash_table__find(&table, &(uint64_t){ 0 }));
	assert_false(tw_hash_table__remove_u64(&table, 0));
	assert_int_equal(tw_hash_table__memory(&table), 0);
	tw_hash_table__fini(&table);
	assert_int_equal(tw_hash_table__set_pointer(&table, 0, &things[0]), 0);
	assert_ptr_equal(tw_hash_table__pointer(&table, 0), &things[0]);
	assert_null(tw_hash_table__pointer(&table, 1));
	tw_hash_table__fini(&table);
	assert_null(tw_hash_table__pointer(&table, 0));
}

static void test_replaced(void **state)
{
	struct tw_hash_table table = { 0 };

	(void)state;
	assert_int_equal(tw_hash_table__set_pointer(&table, 7, &things[0]), 0);
	assert_int_equal(tw_hash_table__set_pointer(&table, 7, &things[1]), 0);
	assert_ptr_equal(tw_hash_table__pointer(&table, 7), &things[1]);
	assert_int_equal(table.n, 1);
	assert_true(tw_hash_table__remove_u64(&table, 7));
	assert_false(tw_hash_table__remove_u64(&table, 7));
	assert_null(tw_hash_table__pointer(&table, 7));
	assert_int_equal(table.n, 0);
	tw_hash_table__fini(&table);
}

static uint64_t random_key(uint64_t i)
{
	uint64_t z = i * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	return z ^ z >> 31;
}

static uint64_t next_key(uint64_t i)
{
	return i;
}

static uint64_t upper_key(uint64_t i)
{
	return i << 52;
}

static uint64_t stepped_key(uint64_t i)
{
	return i * 0x100010000u;
}

static uint64_t (*const patterns[])(uint64_t i) = { random_key, next_key, upper_key, stepped_key };
#define PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

/* Check that both find functions return exactly the keys in @is_in, and that each entry exists once. */
static void check(const struct tw_hash_table *table, uint64_t (*key_of)(uint64_t i), const bool *is_in)
{
	bool seen[KEYS] = { false };
	uint64_t key;
	size_t n = 0;

	for (uint64_t i = 0; i < KEYS; i++) {
		key = key_of(i);
		assert_ptr_equal(tw_hash_table__pointer(table, key), is_in[i] ? &things[i] : NULL);
		assert_ptr_equal(tw_hash_table__find(table, &key), tw_hash_table__find_u64(table, key));
		n += is_in[i];
	}
	assert_int_equal(table->n, n);
	for (uint32_t entry = 0; entry < table->n; entry++) {
		const size_t i = (size_t)(*(char **)tw_hash_table__value(table, entry) - things);

		memcpy(&key, tw_hash_table__key(table, entry), sizeof(key));
		assert_int_equal(key, key_of(i));
		assert_true(is_in[i] && !seen[i]);
		seen[i] = true;
	}
}

/* All keys are inserted, and two of three are removed. Then every second key is inserted, even if it is still in the table. */
static void test_many(void **state)
{
	(void)state;
	for (size_t pattern = 0; pattern < PATTERNS; pattern++) {
		struct tw_hash_table table = { 0 };
		bool is_in[KEYS] = { false };

		for (uint64_t i = 0; i < KEYS; i++) {
			assert_int_equal(tw_hash_table__set_pointer(&table, patterns[pattern](i), &things[i]), 0);
			is_in[i] = true;
		}
		check(&table, patterns[pattern], is_in);
		for (uint64_t i = 0; i < KEYS; i++) {
			if (i % 3 == 0)
				continue;
			assert_true(tw_hash_table__remove_u64(&table, patterns[pattern](i)));
			is_in[i] = false;
		}
		check(&table, patterns[pattern], is_in);
		for (uint64_t i = 0; i < KEYS; i += 2) {
			assert_int_equal(tw_hash_table__set_pointer(&table, patterns[pattern](i), &things[i]), 0);
			is_in[i] = true;
		}
		check(&table, patterns[pattern], is_in);
		tw_hash_table__fini(&table);
	}
}

/* Many keys come and go in a table that never has more than 8 entries: it stays small, and its searches end. */
static void test_coming_and_going(void **state)
{
	struct tw_hash_table table = { 0 };
	bool is_in[KEYS] = { false };

	(void)state;
	for (uint64_t i = 0; i < 16 * KEYS; i++) {
		const uint64_t comes = i % KEYS, goes = (i + KEYS - 8) % KEYS;

		tw_hash_table__remove_u64(&table, random_key(goes));
		is_in[goes] = false;
		assert_int_equal(tw_hash_table__set_pointer(&table, random_key(comes), &things[comes]), 0);
		is_in[comes] = true;
		if (i % 1021 == 0)
			check(&table, random_key, is_in);
	}
	assert_int_equal(table.n, 8);
	assert_int_equal(table.room, 16);
	tw_hash_table__fini(&table);
}

/* No search is long: even for regular patterns of keys, the index has no long run of used slots. */
static void test_sequences(void **state)
{
	(void)state;
	for (size_t pattern = 0; pattern < PATTERNS; pattern++) {
		struct tw_hash_table table = { 0 };
		size_t row = 0, longest = 0;

		for (uint64_t i = 0; i < KEYS; i++)
			assert_int_equal(tw_hash_table__set_pointer(&table, patterns[pattern](i), &things[i]), 0);
		for (size_t i = 0; i < (size_t)1 << table.bits; i++) {
			row = table.index[i] ? row + 1 : 0;
			longest = row > longest ? row : longest;
		}
		assert_in_range(longest, 1, KEYS / 8);
		tw_hash_table__fini(&table);
	}
}

struct long_key {
	uint64_t stream;
	uint32_t id;
	uint8_t channel[2];
} __attribute__((packed));

struct long_value {
	uint64_t a, b;
	char c;
};

static struct long_key long_key(size_t i)
{
	return (struct long_key){ .stream = i % 7, .id = (uint32_t)i / 7 % 11, .channel = { (uint8_t)(i / 77), 1 } };
}

static void test_long_keys(void **state)
{
	struct tw_hash_table table = { .key_size = sizeof(struct long_key), .value_size = sizeof(struct long_value) };
	struct long_value *value;

	(void)state;
	assert_int_equal(sizeof(struct long_key), 14);
	for (size_t i = 0; i < KEYS; i++) {
		const struct long_key key = long_key(i);

		assert_int_equal(tw_hash_table__put(&table, &key, (void **)&value), 1);
		assert_true(!value->a && !value->b && !value->c);
		*value = (struct long_value){ i, ~i, 'c' };
		assert_int_equal(tw_hash_table__put(&table, &key, (void **)&value), 0);
		assert_int_equal(value->a, i);
	}
	for (size_t i = 0; i < KEYS; i += 2)
		assert_true(tw_hash_table__remove(&table, &(struct long_key[]){ long_key(i) }));
	for (size_t i = 0; i < KEYS; i++) {
		const struct long_key key = long_key(i);

		value = tw_hash_table__find(&table, &key);
		assert_true(i % 2 ? value && value->a == i && value->b == ~i && value->c == 'c' : !value);
	}
	tw_hash_table__fini(&table);
}

static void test_set_with_a_limit(void **state)
{
	struct tw_hash_table set = { .key_size = sizeof(uint64_t), .max = 100 };

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(tw_hash_table__put_u64(&set, i, NULL), 1);
	assert_int_equal(tw_hash_table__put_u64(&set, 100, NULL), -E2BIG);
	assert_int_equal(tw_hash_table__put_u64(&set, 99, NULL), 0);
	assert_null(tw_hash_table__find_u64(&set, 100));
	assert_non_null(tw_hash_table__find_u64(&set, 99));
	assert_true(tw_hash_table__remove_u64(&set, 0));
	assert_int_equal(tw_hash_table__put_u64(&set, 100, NULL), 1);
	tw_hash_table__fini(&set);
	assert_int_equal(set.max, 100);
	assert_int_equal(tw_hash_table__put_u64(&set, 100, NULL), 1);
	tw_hash_table__fini(&set);
}

struct budget {
	size_t taken, most;
};

static void *resize(void *ctx, void *memory, size_t old_size, size_t new_size)
{
	struct budget *budget = ctx;
	void *resized;

	if (budget->taken - old_size + new_size > budget->most)
		return NULL;
	budget->taken += new_size - old_size;
	if (!new_size) {
		free(memory);
		return NULL;
	}
	resized = realloc(memory, new_size);
	if (!old_size && resized)
		memset(resized, 0xa5, new_size); /* fill new memory, because the code must not depend on zeroes */
	return resized;
}

/* A table that cannot grow stays unchanged, and all memory is freed. */
static void test_memory(void **state)
{
	struct budget budget = { .most = 0 };
	const struct tw_alloc alloc = { resize, &budget };
	struct tw_hash_table table = { .alloc = &alloc, .key_size = sizeof(uint64_t), .value_size = 20 };

	(void)state;
	for (; budget.most < 40000; budget.most += 40) {
		uint64_t n = table.n, *value;
		size_t grows;

		do {
			grows = tw_hash_table__memory(&table) + tw_hash_table__growth(&table);
		} while (tw_hash_table__put_u64(&table, n++, (void **)&value) == 1 && (*value = n) &&
			 tw_hash_table__memory(&table) == grows);
		assert_int_equal(tw_hash_table__put_u64(&table, --n, NULL), -ENOMEM);
		assert_int_equal(table.n, n);
		assert_int_equal(budget.taken, tw_hash_table__memory(&table));
		assert_null(tw_hash_table__find_u64(&table, n));
		for (uint64_t i = 0; i < n; i++)
			assert_int_equal(*(uint64_t *)tw_hash_table__find_u64(&table, i), i + 1);
	}
	assert_int_equal(table.n, 512);
	assert_true(tw_hash_table__remove_u64(&table, 0));
	assert_int_equal(tw_hash_table__put_u64(&table, 512, NULL), 1);
	tw_hash_table__fini(&table);
	assert_int_equal(budget.taken, 0);
}

/* Entries are in order of insertion; when one is removed, the last entry takes its place. */
static void test_order(void **state)
{
	struct tw_hash_table table = { 0 };

	(void)state;
	for (uint64_t i = 0; i < KEYS; i++)
		assert_int_equal(tw_hash_table__set_pointer(&table, random_key(i), &things[i]), 0);
	for (uint32_t i = 0; i < KEYS; i++)
		assert_ptr_equal(*(char **)tw_hash_table__value(&table, i), &things[i]);
	assert_true(tw_hash_table__remove_u64(&table, random_key(7)));
	assert_ptr_equal(*(char **)tw_hash_table__value(&table, 7), &things[KEYS - 1]);
	assert_true(tw_hash_table__remove_u64(&table, random_key(KEYS - 2)));
	assert_int_equal(table.n, KEYS - 2);
	assert_ptr_equal(*(char **)tw_hash_table__value(&table, KEYS - 3), &things[KEYS - 3]);
	tw_hash_table__fini(&table);
}

/* Each table has its own random secret, so two tables put few of the same keys into the same slots. */
static void test_secrets(void **state)
{
	struct tw_hash_table tables[2] = { { 0 } };
	size_t same = 0;

	(void)state;
	for (uint64_t i = 0; i < KEYS; i++) {
		assert_int_equal(tw_hash_table__set_pointer(&tables[0], i, &things[i]), 0);
		assert_int_equal(tw_hash_table__set_pointer(&tables[1], i, &things[i]), 0);
	}
	for (size_t i = 0; i < (size_t)1 << tables[0].bits; i++)
		same += tables[0].index[i] && tables[0].index[i] == tables[1].index[i];
	assert_in_range(same, 0, KEYS / 8);
	tw_hash_table__fini(&tables[0]);
	tw_hash_table__fini(&tables[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_coming_and_going),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_long_keys),
		cmocka_unit_test(test_set_with_a_limit),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
