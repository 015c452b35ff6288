/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/large.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE  ((size_t)2 << 20)
#define WORTH_HUGE (HUGE_PAGE / 2) /* from this size on, at least half of the bytes in the huge pages are used */

static size_t round_up(size_t size, size_t to)
{
	return (size + to - 1) & ~(to - 1);
}

void *tw_large__alloc(size_t size, size_t hot)
{
	const size_t align = hot < WORTH_HUGE ? TW_LARGE_ALIGN : HUGE_PAGE, whole = round_up(size, align);
	void *memory = whole < size ? NULL : aligned_alloc(align, whole);

	if (memory && align == HUGE_PAGE)
		madvise(memory, round_up(hot, HUGE_PAGE), MADV_HUGEPAGE); /* fails if the kernel has no huge pages */
	return memory;
}
