/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which metadata requests are answered, and how often. */
#include "producer/request_limiter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include <cmocka.h>

#include "base/time.h"

#define MS     TW_NS_PER_MS
#define SECOND TW_NS_PER_SECOND
#define START  (1000 * SECOND)

/* Return: how often the sending thread was woken since the last call */
static uint64_t woken(const struct tw_request_limiter *w)
{
	eventfd_t times;

	return eventfd_read(tw_request_limiter__fd(w), &times) ? 0 : times;
}

static void test_at_once(void **state)
{
	struct tw_request_limiter *w = tw_request_limiter__new();

	(void)state;
	assert_int_equal(tw_request_limiter__take(w, START), 0);
	assert_true(tw_request_limiter__pause(w, START) == UINT64_MAX);
	tw_request_limiter__add(w, TW_METADATA_REQUEST_CLOCK);
	assert_int_equal(woken(w), 1);
	assert_int_equal(tw_request_limiter__pause(w, START), 0);
	assert_int_equal(tw_request_limiter__take(w, START), TW_METADATA_REQUEST_CLOCK);
	assert_int_equal(tw_request_limiter__take(w, START), 0);
	tw_request_limiter__add(w, TW_METADATA_REQUEST_CLOCK);
	tw_request_limiter__add(w, TW_METADATA_REQUEST_ALL);
	assert_int_equal(tw_request_limiter__take(w, START),
			 TW_METADATA_REQUEST_ALL); /* and therefore HOST and CLOCK */
	assert_int_equal(tw_request_limiter__take(w, START), 0);
	assert_true(tw_request_limiter__pause(w, START) == UINT64_MAX);
	tw_request_limiter__free(w);
	tw_request_limiter__free(NULL);
}

/* Two requests of all metadata are answered at once. A third waits, except for HOST and CLOCK, and is answered later by itself. */
static void test_all_waits(void **state)
{
	struct tw_request_limiter *w = tw_request_limiter__new();

	(void)state;
	for (int i = 0; i < 2; i++) {
		tw_request_limiter__add(w, TW_METADATA_REQUEST_ALL);
		assert_int_equal(tw_request_limiter__take(w, START), TW_METADATA_REQUEST_ALL);
	}
	tw_request_limiter__add(w, TW_METADATA_REQUEST_ALL);
	assert_int_equal(tw_request_limiter__take(w, START), TW_METADATA_REQUEST_CLOCK);
	assert_int_equal(tw_request_limiter__take(w, START), 0);
	assert_int_equal(tw_request_limiter__pause(w, START), 500 * MS);
	tw_request_limiter__add(w, TW_METADATA_REQUEST_CLOCK);
	assert_int_equal(tw_request_limiter__pause(w, START + MS), 0);
	assert_int_equal(tw_request_limiter__take(w, START + MS), TW_METADATA_REQUEST_CLOCK);
	assert_int_equal(tw_request_limiter__take(w, START + 499 * MS), 0);
	assert_int_equal(tw_request_limiter__take(w, START + 500 * MS), TW_METADATA_REQUEST_ALL);
	assert_true(tw_request_limiter__pause(w, START + 500 * MS) == UINT64_MAX);
	tw_request_limiter__free(w);
}

/* If all metadata have a MiB, they are sent at most every two seconds. */
static void test_much(void **state)
{
	struct tw_request_limiter *w = tw_request_limiter__new();
	unsigned int all = 0;

	(void)state;
	tw_request_limiter__set_metadata_size(w, 1 << 20);
	for (uint64_t ms = 0; ms < 20000; ms++) {
		tw_request_limiter__add(w, TW_METADATA_REQUEST_ALL);
		all += tw_request_limiter__take(w, START + ms * MS) == TW_METADATA_REQUEST_ALL;
	}
	assert_in_range(all, 10, 12);
	tw_request_limiter__set_metadata_size(w, 1000);
	tw_request_limiter__add(w, TW_METADATA_REQUEST_ALL);
	assert_int_equal(tw_request_limiter__take(w, START + 30 * SECOND), TW_METADATA_REQUEST_ALL);
	tw_request_limiter__free(w);
}

/* In each ms of ten seconds, there is a request, and the sending thread checks for requests. */
static void test_flood(void **state)
{
	for (uint16_t what = TW_METADATA_REQUEST_CLOCK; what <= TW_METADATA_REQUEST_ALL; what++) {
		struct tw_request_limiter *w = tw_request_limiter__new();
		unsigned int said[TW_METADATA_REQUEST_ALL + 1] = { 0 };
		uint64_t wakes = 0;

		(void)state;
		for (uint64_t ms = 0; ms < 10000; ms++) {
			tw_request_limiter__add(w, what);
			wakes += woken(w);
			said[tw_request_limiter__take(w, START + ms * MS)]++;
		}
		assert_in_range(said[TW_METADATA_REQUEST_CLOCK], 200, 208);
		assert_in_range(said[TW_METADATA_REQUEST_ALL], what == TW_METADATA_REQUEST_ALL ? 20 : 0,
				what == TW_METADATA_REQUEST_ALL ? 22 : 0);
		assert_in_range(wakes, 200, 208 + 22 + 1);
		assert_true(tw_request_limiter__pause(w, START + 10 * SECOND) <= 50 * MS);
		tw_request_limiter__free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_all_waits),
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_flood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
