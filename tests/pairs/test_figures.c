/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/figures.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/budget.h"

static const char text[] = "pair p\nbegin a x\nend b x\nby x\n";
static struct tw_pair_table *table;
static struct tw_budget budget;
static struct tw_pair_figures figures;

/* @memory: room for this number of bytes, all groups together */
static void make(size_t memory)
{
	struct tw_error error;

	table = tw_pair_table__new();
	assert_int_equal(tw_pair_table__parse(table, text, sizeof(text) - 1, "test", &error), 0);
	tw_budget__init(&budget, memory);
	tw_pair_figures__init(&figures, tw_pair_table__at(table, 0), NULL, 0, 0, &budget.alloc);
}

static int discard(void **state)
{
	(void)state;
	tw_pair_figures__fini(&figures);
	assert_int_equal(budget.used, 0);
	tw_pair_table__free(table);
	return 0;
}

static void add(uint64_t from, uint64_t to)
{
	for (uint64_t name = from; name < to; name++)
		assert_int_equal(tw_pair_figures__add(&figures, 1, (uint64_t[TW_PAIR_KEYS_MAX]){ name }), 0);
}

/* Number of samples in the group of further groups, which is the last. */
static uint64_t in_others(void)
{
	const struct tw_pair_group *last = figures.groups[figures.n_groups - 1];

	for (size_t i = 0; i < TW_PAIR_KEYS_MAX; i++)
		assert_int_equal(last->names[i], TW_PAIR_OTHER);
	return last->histogram.n;
}

static void test_number(void **state)
{
	(void)state;
	make((size_t)256 << 20);
	add(2, 2 + TW_PAIR_GROUPS_MAX);
	assert_int_equal(figures.n_groups, TW_PAIR_GROUPS_MAX);
	add(2, 2 + TW_PAIR_GROUPS_MAX + 5);
	assert_int_equal(figures.n_groups, TW_PAIR_GROUPS_MAX + 1);
	assert_int_equal(in_others(), 5);
	assert_int_equal(figures.all.n, 2 * TW_PAIR_GROUPS_MAX + 5);
}

/* If the memory has room for 10 groups, there are at most 10, and one for the samples of further groups. */
static void test_memory(void **state)
{
	uint64_t n;

	(void)state;
	make(10 * sizeof(struct tw_pair_group));
	add(2, 102);
	assert_in_range(figures.n_groups, 5, 11);
	n = figures.n_groups;
	assert_int_equal(in_others(), 100 - (n - 1));
	tw_pair_figures__clear(&figures);
	add(50, 60);
	assert_int_equal(figures.n_groups, n);
}

/* Without memory for a group, all samples are counted together. */
static void test_no_memory(void **state)
{
	(void)state;
	make(0);
	add(2, 12);
	assert_int_equal(figures.n_groups, 1);
	assert_int_equal(in_others(), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_number, discard),
		cmocka_unit_test_teardown(test_memory, discard),
		cmocka_unit_test_teardown(test_no_memory, discard),
	};

	return cmocka_run_group_tests_name("pair_figures", tests, NULL, NULL);
}
