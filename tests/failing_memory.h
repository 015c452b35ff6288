/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes one allocation fail, in a test whose program is linked with tracewire_failing_memory(). Include it in one file, after cmocka.h.
 * Allocations by shared libraries do not count.
 */
#ifndef TEST_FAILING_MEMORY_H
#define TEST_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

static long before_failure = -1; /* number of allocations before the one that fails; -1 = none fails */

/* The linker's --wrap option makes the libraries call the __wrap_ functions instead of those of the C library. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool memory__fails(void)
{
	return before_failure >= 0 && before_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return memory__fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return memory__fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return memory__fails() ? NULL : __real_realloc(old, size);
}

#endif
