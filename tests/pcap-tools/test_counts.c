/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts by name: which names are the same, the order of counts, hostile names, and the limit of names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pcap-tools/counts.h"

static void add(struct tw_counts *counts, uint64_t stream_id, uint32_t pid, const char *name)
{
	struct tw_count_row key;

	memset(&key, 0xa5, sizeof(key)); /* bytes that must not be part of the key */
	key.stream_id = stream_id;
	key.pid = pid;
	snprintf(key.name, sizeof(key.name), "%s", name);
	assert_int_equal(tw_counts__add(counts, &key), 0);
}

static void expect(const struct tw_count_row *count, uint64_t n, uint64_t stream_id, uint32_t pid, const char *name)
{
	assert_int_equal(count->n, n);
	assert_int_equal(count->stream_id, stream_id);
	assert_int_equal(count->pid, pid);
	assert_string_equal(count->name, name);
}

static void test_order(void **state)
{
	struct tw_counts counts = { .total = 0 };
	struct tw_count_row *sorted;
	size_t n;

	(void)state;
	add(&counts, 1, 7, "b");
	add(&counts, 1, 8, "a");
	add(&counts, 1, 7, "c");
	add(&counts, 1, 7, "a");
	add(&counts, 2, 7, "a");
	add(&counts, 1, 7, "c");
	assert_int_equal(tw_counts__sorted(&counts, &sorted, &n), 0);
	assert_int_equal(n, 5);
	expect(&sorted[0], 2, 1, 7, "c");
	expect(&sorted[1], 1, 1, 7, "a");
	expect(&sorted[2], 1, 2, 7, "a");
	expect(&sorted[3], 1, 1, 8, "a");
	expect(&sorted[4], 1, 1, 7, "b");
	assert_int_equal(counts.total, 6);
	free(sorted);
	tw_counts__fini(&counts);
}

static void test_names(void **state)
{
	struct tw_count_row key = { .n = 0 };
	char longer[2 * TW_COUNT_NAME_MAX];

	(void)state;
	tw_count_row__name_event(&key, "sched", "sched_switch", 5);
	assert_string_equal(key.name, "sched:sched_switch");
	tw_count_row__name_event(&key, NULL, NULL, 65535);
	assert_string_equal(key.name, "[unknown event 65535]");
	tw_count_row__name_event(&key, "a\x1b", "b\n", 1);
	assert_string_equal(key.name, "a\\x1b:b\\x0a");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	tw_count_row__name_event(&key, "sched", longer, 1);
	assert_int_equal(strlen(key.name), TW_COUNT_NAME_MAX - 1);
}

static void test_limit(void **state)
{
	struct tw_counts counts = { .total = 0 };

	(void)state;
	for (uint32_t i = 0; i < TW_COUNTS_MAX + 3; i++)
		add(&counts, 1, i, "task");
	add(&counts, 1, 0, "task");
	assert_int_equal(counts.names.n, TW_COUNTS_MAX);
	assert_int_equal(counts.others, 3);
	assert_int_equal(counts.total, TW_COUNTS_MAX + 4);
	tw_counts__fini(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
