/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define HUGE_PAGE  ((size_t)2 << 20)
#define WORTH_HUGE (HUGE_PAGE / 2) /* from this size on, at least half of the memory in huge pages is used */

static size_t round_up(size_t size, size_t to)
{
	return (size + to - 1) & ~(to - 1);
}

void *tw_large__alloc(size_t size, size_t hot)
{
	const size_t align = hot < WORTH_HUGE ? TW_LARGE_ALIGN : HUGE_PAGE, whole = round_up(size, align);
	void *memory = whole < size ? NULL : aligned_alloc(align, whole);

	if (memory && align == HUGE_PAGE)
		madvise(memory, round_up(hot, HUGE_PAGE),
			MADV_HUGEPAGE); /* fails on a kernel without huge pages, which is fine */
	return memory;
}

#ifdef __SSE2__
/* Copies whole 16-byte words. Return: number of bytes copied */
static size_t stream(uint8_t *to, const uint8_t *from, size_t len)
{
	size_t at = 0;

	for (; len - at >= sizeof(__m128i); at += sizeof(__m128i))
		_mm_stream_si128((__m128i *)(to + at), _mm_loadu_si128((const __m128i *)(from + at)));
	_mm_sfence();
	return at;
}
#else
static size_t stream(uint8_t *to, const uint8_t *from, size_t len)
{
	(void)to, (void)from, (void)len;
	return 0;
}
#endif

void tw_large__copy(void *to, const void *from, size_t len)
{
	const size_t done = stream(to, from, len);

	memcpy((uint8_t *)to + done, (const uint8_t *)from + done, len - done);
}
