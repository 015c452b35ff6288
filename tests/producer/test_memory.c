/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocations of buffers for sub-buffers fail in turn. A producer that cannot be created keeps none of the buffers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run.h"

#define ROOMS_MAX 4096

static long before_refusal = -1;
static void *rooms[ROOMS_MAX];
static size_t n_rooms;

/* The linker's --wrap option makes the libraries call the __wrap_ functions instead of those of the C library. */
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	void *room = before_refusal >= 0 && before_refusal-- == 0 ? NULL : __real_aligned_alloc(alignment, size);

	if (room && n_rooms < ROOMS_MAX)
		rooms[n_rooms++] = room;
	return room;
}

void __wrap_free(void *p)
{
	for (size_t i = 0; p && i < n_rooms; i++) {
		if (rooms[i] == p)
			rooms[i] = rooms[--n_rooms];
	}
	__real_free(p);
}

static void no_room_is_kept(void **state)
{
	struct run run;
	long refused = 0;
	int err;

	(void)state;
	run__init(&run, "sched:sched_switch", NULL);
	run.options.threads = 2; /* the first reader exists when the second cannot be created */
	do {
		struct tw_error error = { "" };

		before_refusal = refused;
		err = tw_producer__new(&run.options, &run.producer, &error);
		if (err) {
			assert_int_equal(err, -ENOMEM);
			assert_non_null(strstr(error.text, "memory"));
			assert_int_equal(n_rooms, 0);
			refused++;
		}
	} while (err);
	before_refusal = -1;
	assert_true(refused >= 2); /* at least one buffer of a reader, and one of a CPU */
	tw_producer__free(run.producer);
	assert_int_equal(n_rooms, 0);
	run__fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(no_room_is_kept) };
	const int skip = need_tracing();

	return skip ? skip : cmocka_run_group_tests(tests, NULL, NULL);
}
