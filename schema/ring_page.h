/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks one sub-buffer of a trace ring, as read() of trace_pipe_raw returns it and trace.dat files contain it. The layout is that of the
 * kernel's kernel/trace/ring_buffer.c (struct buffer_data_page) and include/linux/ring_buffer.h (enum ring_buffer_type). The traced kernel
 * describes its own layout in events/header_page and events/header_event.
 *
 * The bytes are untrusted: no step leaves the sub-buffer, and each step advances. All functions are inline: if a caller passes a constant
 * layout, as the producer does, the numbers of this layout are constants in the compiled loop.
 */
#ifndef TW_RING_PAGE_H
#define TW_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "schema/format.h"
#include "wire/tracewire.h"

#define TW_RING_PAGE_TIME  8  /* size of the time stamp at the beginning of a sub-buffer, bytes */
#define TW_RING_STAMP_BITS 59 /* bits of an absolute time stamp; the current time has the higher bits */

/* The commit word has these flags and, in the low bits, the size of the events. */
#define TW_COMMIT_MISSED 0x80000000u /* events were lost before this sub-buffer */
#define TW_COMMIT_STORED 0x40000000u /* the number of lost events follows the data, as a long */
#define TW_COMMIT_SIZE   0x07ffffffu

struct tw_ring_layout {
	struct tw_page_layout page; /* the commit word follows the time stamp */
	struct tw_entry_layout entry;
	bool big_endian;
};

struct tw_ring_page {
	const uint8_t *at, *end; /* data that is left */
	uint64_t time;           /* current time: time of the last entry that was read, in units of the trace clock */
};

struct tw_ring_event {
	const uint8_t *record;
	uint32_t len;  /* length of the record with its padding, bytes: a multiple of 4, at least TW_RECORD_COMMON */
	uint64_t time; /* in units of the trace clock */
};

/* What a sub-buffer states about events that were lost before it. */
enum tw_ring_missed { TW_MISSED_NONE, TW_MISSED_EXACT, TW_MISSED_UNKNOWN };

enum tw_ring_step { TW_RING_END, TW_RING_EVENT, TW_RING_DAMAGED };

/** tw_ring_layout__load_long() - load a long of the traced kernel, of page.commit_size bytes */
static inline uint64_t tw_ring_layout__load_long(const struct tw_ring_layout *layout, const uint8_t *p)
{
	return layout->page.commit_size == sizeof(uint64_t) ? tw_load64(p, layout->big_endian)
							    : tw_load32(p, layout->big_endian);
}

/** tw_ring_page__size() - size of the events, bytes, from the header of a sub-buffer; @bytes has at least data_offset bytes */
static inline uint32_t tw_ring_page__size(const struct tw_ring_layout *layout, const uint8_t *bytes)
{
	return (uint32_t)tw_ring_layout__load_long(layout, bytes + layout->page.commit_offset) & TW_COMMIT_SIZE;
}

/**
 * tw_ring_page__init() - begin to walk a sub-buffer of @len bytes
 * Return: true if the sub-buffer is complete; false if @len is smaller than the header plus the size of the events. If it is incomplete,
 * tw_ring_page__next() returns the available events.
 */
static inline bool tw_ring_page__init(struct tw_ring_page *page, const struct tw_ring_layout *layout,
				      const uint8_t *bytes, size_t len)
{
	const size_t head = layout->page.data_offset;
	size_t size;

	*page = (struct tw_ring_page){ .at = bytes, .end = bytes };
	if (len < head)
		return false;
	size = tw_ring_page__size(layout, bytes);
	page->time = tw_load64(bytes, layout->big_endian);
	page->at = bytes + head;
	page->end = page->at + (size < len - head ? size : len - head);
	return size <= len - head;
}

/** tw_ring_page__missed() - events lost before this sub-buffer; @ret_count: their number, if it is exact */
static inline enum tw_ring_missed tw_ring_page__missed(const struct tw_ring_layout *layout, const uint8_t *bytes,
						       size_t len, uint64_t *ret_count)
{
	const size_t head = layout->page.data_offset;
	uint64_t commit;
	size_t size;

	if (len < head)
		return TW_MISSED_NONE;
	commit = tw_ring_layout__load_long(layout, bytes + layout->page.commit_offset);
	size = commit & TW_COMMIT_SIZE;
	if (!(commit & TW_COMMIT_MISSED))
		return TW_MISSED_NONE;
	if (!(commit & TW_COMMIT_STORED) || size > len - head || len - head - size < layout->page.commit_size)
		return TW_MISSED_UNKNOWN;
	*ret_count = tw_ring_layout__load_long(layout, bytes + head + size);
	return TW_MISSED_EXACT;
}

/** tw_ring_page__absolute() - add the higher bits of the time @now to an absolute time stamp, like the kernel's rb_fix_abs_ts() */
static inline uint64_t tw_ring_page__absolute(uint64_t stamp, uint64_t now)
{
	const uint64_t low = ((uint64_t)1 << TW_RING_STAMP_BITS) - 1;
	const uint64_t time = (stamp & low) | (now & ~low);

	return time < now ? time + low + 1 : time;
}

/*
 * Internal: read an entry whose type_len is not the length of a record. Advance to the record, if the entry has one, or past the entry.
 * Return: EVENT for a record of *ret_len bytes; END for an entry without a record (not the end of the sub-buffer); DAMAGED
 */
static inline __attribute__((always_inline)) enum tw_ring_step tw_ring_page__other(struct tw_ring_page *page,
										   const struct tw_ring_layout *layout,
										   uint32_t type, uint32_t delta,
										   uint32_t *ret_len)
{
	const unsigned int delta_bits = 32u - layout->entry.type_len_bits;
	const size_t left = (size_t)(page->end - page->at);
	size_t size = 8;
	uint32_t array;

	if (left < size)
		return TW_RING_DAMAGED;
	array = tw_load32(page->at + 4, layout->big_endian);
	if (!type) { /* @array is a length that includes this word itself */
		page->at += size;
		*ret_len = (array - 4 + 3) & ~3u;
		return array >= 4 + TW_RECORD_COMMON && array - 4 <= left - size ? TW_RING_EVENT : TW_RING_DAMAGED;
	}
	if (type == layout->entry.time_extend) {
		page->time += ((uint64_t)array << delta_bits) + delta;
	} else if (type == layout->entry.time_stamp) {
		page->time = tw_ring_page__absolute(((uint64_t)array << delta_bits) + delta, page->time);
	} else if (type != layout->entry.padding || (delta && array > left - 4)) {
		return TW_RING_DAMAGED;
	} else {
		/* padding: a discarded event, which ends @array bytes after the first word; if @delta is 0, the rest of the sub-buffer */
		size = 4 + (((size_t)array + 3) & ~(size_t)3);
		size = delta && size < left ? size : left;
		page->time += delta;
	}
	page->at += size;
	return TW_RING_END;
}

/**
 * tw_ring_page__next() - get the next event
 * Return: EVENT; otherwise END or DAMAGED, with @ret unchanged. After END or DAMAGED, each call returns END.
 */
static inline __attribute__((always_inline)) enum tw_ring_step
tw_ring_page__next(struct tw_ring_page *page, const struct tw_ring_layout *layout, struct tw_ring_event *ret)
{
	const unsigned int type_bits = layout->entry.type_len_bits, delta_bits = 32u - type_bits;
	enum tw_ring_step step = TW_RING_END;

	while (page->end - page->at >= 4) {
		const uint32_t head = tw_load32(page->at, layout->big_endian);
		const uint32_t type = layout->big_endian ? head >> delta_bits : head & ((1u << type_bits) - 1);
		const uint32_t delta = layout->big_endian ? head & ((1u << delta_bits) - 1) : head >> type_bits;
		uint32_t len = type * 4;

		if (__builtin_expect(type - 1 < layout->entry.data_max, 1)) {
			page->at += 4;
		} else {
			step = tw_ring_page__other(page, layout, type, delta, &len);
			if (step == TW_RING_END)
				continue;
			if (step == TW_RING_DAMAGED)
				break;
		}
		if (len > (size_t)(page->end - page->at) || len < TW_RECORD_COMMON) {
			step = TW_RING_DAMAGED;
			break;
		}
		page->time += delta;
		ret->record = page->at;
		ret->len = len;
		ret->time = page->time;
		page->at += len;
		return TW_RING_EVENT;
	}
	page->at = page->end;
	return step;
}

#endif
