/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/budget.h"

#define PLENTY ((size_t)1 << 20)

static struct tw_pairing *pairing;
static struct tw_budget budget;
static struct tw_pairing_stats stats;

static int discard(void **state)
{
	(void)state;
	tw_pairing__free(pairing);
	pairing = NULL;
	assert_int_equal(budget.used, 0);
	return 0;
}

static void make(size_t n_keys, bool keeps_first, size_t memory)
{
	tw_budget__init(&budget, memory);
	pairing = tw_pairing__new(n_keys, sizeof(uint64_t), keeps_first, &budget.alloc);
	assert_non_null(pairing);
}

static struct tw_pairing_key key_of(uint64_t stream, uint64_t first, uint64_t second)
{
	return (struct tw_pairing_key){ stream, { first, second } };
}

static void begin(uint64_t stream, uint64_t first, uint64_t second, uint64_t time, uint64_t losses)
{
	const struct tw_pairing_key key = key_of(stream, first, second);
	const uint64_t extra = time + 1;

	tw_pairing__begin(pairing, &key, &(struct tw_pairing_moment){ .time = time, .losses = losses }, &extra);
}

/* Return: the time of the event that began the pair; 0 if the event that ends it makes no sample */
static uint64_t end(uint64_t stream, uint64_t first, uint64_t second, uint64_t time, uint64_t losses)
{
	const struct tw_pairing_key key = key_of(stream, first, second);
	struct tw_pairing_moment ret;
	uint64_t extra;

	if (!tw_pairing__end(pairing, &key, &(struct tw_pairing_moment){ .time = time, .losses = losses }, &ret,
			     &extra))
		return 0;
	assert_int_equal(extra, ret.time + 1);
	return ret.time;
}

static void balance(void)
{
	tw_pairing__stats(pairing, &stats);
	assert_int_equal(stats.begun, stats.paired + stats.across_loss + stats.backwards + stats.again +
					      stats.cancelled + stats.evicted + stats.open);
}

static void test_keys(void **state)
{
	(void)state;
	make(2, false, PLENTY);
	begin(1, 2, 3, 100, 0);
	begin(2, 2, 3, 200, 0);
	begin(1, 3, 3, 300, 0);
	begin(1, 2, 4, 400, 0);
	assert_int_equal(end(1, 2, 3, 500, 0), 100);
	assert_int_equal(end(1, 2, 3, 500, 0), 0);
	assert_int_equal(end(2, 2, 3, 500, 0), 200);
	assert_int_equal(end(1, 2, 4, 500, 0), 400);
	balance();
	assert_int_equal(stats.paired, 3);
	assert_int_equal(stats.no_begin, 1);
	assert_int_equal(stats.open, 1);
}

/* A pair without keys does not compare the values of keys. */
static void test_no_keys(void **state)
{
	(void)state;
	make(0, false, PLENTY);
	begin(1, 7, 8, 100, 0);
	assert_int_equal(end(1, 9, 9, 100, 0), 100);
	balance();
}

static void test_again(void **state)
{
	(void)state;
	make(1, false, PLENTY);
	begin(1, 1, 0, 100, 0);
	begin(1, 1, 0, 200, 0);
	assert_int_equal(end(1, 1, 0, 300, 0), 200);
	balance();
	assert_int_equal(stats.again, 1);
	discard(state);
	make(1, true, PLENTY);
	begin(1, 1, 0, 100, 0);
	begin(1, 1, 0, 200, 0);
	assert_int_equal(end(1, 1, 0, 300, 0), 100);
	balance();
	assert_int_equal(stats.again, 1);
}

/* Pairs with a loss between their events, or with times in the wrong order, are counted and are no samples. */
static void test_no_samples(void **state)
{
	(void)state;
	make(1, false, PLENTY);
	begin(1, 1, 0, 100, 5);
	assert_int_equal(end(1, 1, 0, 200, 6), 0);
	begin(1, 1, 0, 300, 6);
	assert_int_equal(end(1, 1, 0, 299, 6), 0);
	begin(1, 1, 0, 300, 6);
	assert_int_equal(end(1, 1, 0, 300, 6), 300);
	begin(1, 1, 0, 400, 6);
	tw_pairing__cancel(pairing, &(struct tw_pairing_key){ 1, { 1 } });
	tw_pairing__cancel(pairing, &(struct tw_pairing_key){ 1, { 1 } });
	assert_int_equal(end(1, 1, 0, 500, 6), 0);
	balance();
	assert_int_equal(stats.across_loss, 1);
	assert_int_equal(stats.backwards, 1);
	assert_int_equal(stats.cancelled, 1);
	assert_int_equal(stats.no_begin, 1);
	assert_int_equal(stats.paired, 1);
	assert_int_equal(stats.open, 0);
}

/*
 * If the memory has room for few open pairs, the newest ones stay: among eight open pairs, the oldest one is evicted. The table and its
 * index do not take more than this memory.
 */
static void test_evicted(void **state)
{
	uint64_t recent = 0;

	(void)state;
	make(1, false, 100 * 128);
	for (uint64_t i = 1; i <= 10000; i++) {
		begin(1, i, 0, i, 0);
		assert_in_range(budget.used, 1, 100 * 128);
	}
	balance();
	assert_true(stats.open >= 50 && stats.open <= 250);
	assert_int_equal(stats.evicted, 10000 - stats.open);
	for (uint64_t i = 9001; i <= 10000; i++)
		recent += end(1, i, 0, i, 0) == i;
	assert_int_equal(recent, stats.open); /* no older pair is open */
	assert_int_equal(end(1, 10000, 0, 10000, 0), 0);
	balance();
}

static void test_no_memory(void **state)
{
	(void)state;
	make(1, false, 0);
	begin(1, 1, 0, 1, 0);
	begin(1, 2, 0, 2, 0);
	assert_int_equal(end(1, 2, 0, 2, 0), 0);
	balance();
	assert_int_equal(stats.evicted, 2);
}

static void add_passed(void *ctx, const void *extra, uint64_t ns)
{
	uint64_t *sum = ctx;

	assert_in_range(*(const uint64_t *)extra, 11, 31);
	*sum += ns;
}

/* Each pass adds, for each open beginning, the time since the beginning or since the last pass. */
static void test_passed(void **state)
{
	uint64_t sum = 0;

	(void)state;
	make(1, false, PLENTY);
	begin(1, 1, 0, 10, 0);
	begin(1, 2, 0, 30, 0);
	tw_pairing__pass(pairing, 25, add_passed, &sum);
	assert_int_equal(sum, 15);
	tw_pairing__pass(pairing, 40, add_passed, &sum);
	assert_int_equal(sum, 15 + 15 + 10);
	assert_non_null(tw_pairing__begun(pairing, &(struct tw_pairing_key){ 1, { 1 } }));
	assert_null(tw_pairing__begun(pairing, &(struct tw_pairing_key){ 1, { 3 } }));
	tw_pairing__stats(pairing, &stats);
	assert_int_equal(stats.open, 2);
	assert_int_equal(stats.begun, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_keys, discard),      cmocka_unit_test_teardown(test_no_keys, discard),
		cmocka_unit_test_teardown(test_again, discard),     cmocka_unit_test_teardown(test_no_samples, discard),
		cmocka_unit_test_teardown(test_evicted, discard),   cmocka_unit_test_teardown(test_passed, discard),
		cmocka_unit_test_teardown(test_no_memory, discard),
	};

	return cmocka_run_group_tests_name("pairing", tests, NULL, NULL);
}
