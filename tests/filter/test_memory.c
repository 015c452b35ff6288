/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each allocation of parsing, binding and preparing fails in turn: nothing leaks, and the error is always lack of memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/evaluate.h"
#include "tests/filter/bound.h"
#include "tests/filter/formats.h"

#define ALLOCATIONS_MAX 10000
#define NONE            (-1)

static long before_refusal = NONE;

static bool is_refused(void)
{
	return before_refusal != NONE && before_refusal-- == 0;
}

/* The linker's --wrap option makes the libraries call the __wrap_ functions instead of those of the C library. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);

void *__wrap_malloc(size_t size)
{
	return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return is_refused() ? NULL : __real_reallocarray(p, n, size);
}

static int make(const char *text, const struct tw_bind_options *options, struct tw_error *err)
{
	struct tw_bound *bound;
	const int error = bound__make_ready(text, options, &bound, err);

	if (!error)
		tw_bound__free(bound);
	return error;
}

/* Return: number of allocations that failed, one at a time, until the call succeeded. */
static int refuse_each(const char *text, const struct tw_bind_options *options)
{
	for (int n = 0; n < ALLOCATIONS_MAX; n++) {
		struct tw_error err = { "" };
		int error;

		before_refusal = n;
		error = make(text, options, &err);
		if (before_refusal >= 0) {
			before_refusal = NONE;
			return n;
		}
		if (error != -ENOMEM || !strstr(err.text, "memory"))
			fail_msg("%s without allocation %d: %d, '%s'", text, n, error, err.text);
	}
	return ALLOCATIONS_MAX;
}

static void test_each_allocation(void **state)
{
	static const char *const texts[] = {
		"cpu == 1",
		"prev_comm matches \"a(b|c)\" or vec in {NET_RX, 1..3}",
		"event in {sched_switch, tiny} && !(comm ~ \"k*\") && gfp_flags & GFP_IO",
		"saddr != 10.0.0.0/8 && (gateway == 10.0.0.0/8 || size > 300 || levels == 3)",
	};
	struct tw_bind_options options = { .schema = formats };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(texts) / sizeof(texts[0]); i++) {
		options.unknown_is_absent = i % 2;
		assert_in_range(refuse_each(texts[i / 2], &options), 8, ALLOCATIONS_MAX - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_allocation),
	};

	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
