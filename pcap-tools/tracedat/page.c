/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walking one sub-buffer by the layout that the file tells: kernel, kernel/trace/ring_buffer.c (struct buffer_data_page) and
 * include/linux/ring_buffer.h (enum ring_buffer_type).
 */
#include "base/bytes.h"
#include "pcap-tools/tracedat/state.h"

/* Flags of the commit word, as the kernel hands out sub-buffers; the size is below them. */
#define COMMIT_MISSED 0x80000000u
#define COMMIT_STORED 0x40000000u /* how many stands, as a long, behind the data */
#define COMMIT_SIZE   0x07ffffffu

#define STAMP_BITS   59 /* of an absolute time; what is above comes from the time so far */
#define RECORD_LEAST 8  /* the common fields */

static uint64_t load_long(const struct tw_tracedat *dat, const uint8_t *p)
{
	return dat->page.commit_size == sizeof(uint64_t) ? tw_load64(p, dat->info.big_endian)
							 : tw_load32(p, dat->info.big_endian);
}

void tw_dat_ring__page(struct tw_tracedat *dat, struct tw_dat_ring *ring, const uint8_t *page, size_t len)
{
	const size_t head = dat->page.data_offset;
	struct tw_tracedat_event *event = &ring->event;
	uint32_t commit, size;

	ring->entry = ring->entry_end = page;
	if (len < head) {
		tw_dat__damage(dat, ring->page_offset, "a sub-buffer of CPU %u has %zu bytes, not even its header",
			       ring->cpu, len);
		return;
	}
	ring->now = tw_load64(page, dat->info.big_endian);
	commit = (uint32_t)load_long(dat, page + dat->page.commit_offset);
	size = commit & COMMIT_SIZE;
	if (size > len - head) {
		tw_dat__damage(dat, ring->page_offset,
			       "a sub-buffer of CPU %u claims %u bytes of events where %zu have room", ring->cpu, size,
			       len - head);
		size = (uint32_t)(len - head);
	}
	ring->entry = page + head;
	ring->entry_end = ring->entry + size;
	if (!(commit & COMMIT_MISSED))
		return;
	event->lost = true;
	event->lost_unknown = !(commit & COMMIT_STORED) || len - head - size < dat->page.commit_size;
	event->lost_count = event->lost_unknown ? 0 : load_long(dat, ring->entry_end);
}

/* Completed with the high bits of the time so far, as the kernel's rb_fix_abs_ts(). */
static uint64_t absolute(uint64_t stamp, uint64_t now)
{
	const uint64_t low = ((uint64_t)1 << STAMP_BITS) - 1;
	const uint64_t time = (stamp & low) | (now & ~low);

	return time < now ? time + low + 1 : time;
}

static bool bad_entry(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	ring->entry = ring->entry_end;
	tw_dat__damage(dat, ring->page_offset, "a sub-buffer of CPU %u has an entry that does not fit it", ring->cpu);
	return false;
}

static size_t left(const struct tw_dat_ring *ring)
{
	return (size_t)(ring->entry_end - ring->entry);
}

/* An entry that tells the time or fills room, behind its first word. Return: false, and the sub-buffer ends, if none can follow */
static bool pass_over(struct tw_tracedat *dat, struct tw_dat_ring *ring, uint32_t type, uint32_t delta)
{
	const struct tw_entry_layout *layout = &dat->entry;
	const unsigned int delta_bits = 32u - layout->type_len_bits;
	uint32_t array;

	if (left(ring) < sizeof(array))
		return bad_entry(dat, ring);
	array = tw_load32(ring->entry, dat->info.big_endian);
	if (type == layout->time_extend) {
		ring->now += ((uint64_t)array << delta_bits) + delta;
		array = sizeof(array);
	} else if (type == layout->time_stamp) {
		ring->now = absolute(((uint64_t)array << delta_bits) + delta, ring->now);
		array = sizeof(array);
	} else if (type != layout->padding || (delta && array > left(ring))) {
		return bad_entry(dat, ring);
	} else if (!delta) { /* the rest of the sub-buffer; else a discarded event */
		ring->entry = ring->entry_end;
		return false;
	} else {
		ring->now += delta;
		array = (array + 3) & ~(uint32_t)3;
	}
	ring->entry += array < left(ring) ? array : left(ring);
	return true;
}

/* The length of a long record stands in a word of its own, which it counts. */
static bool long_length(struct tw_tracedat *dat, struct tw_dat_ring *ring, uint32_t *ret)
{
	uint32_t array = 0;

	if (left(ring) >= sizeof(array))
		array = tw_load32(ring->entry, dat->info.big_endian);
	if (array < sizeof(array))
		return bad_entry(dat, ring);
	ring->entry += sizeof(array);
	*ret = array - (uint32_t)sizeof(array);
	return true;
}

bool tw_dat_ring__entry(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	const unsigned int type_bits = dat->entry.type_len_bits, delta_bits = 32u - type_bits;
	const uint32_t delta_mask = ((uint32_t)1 << delta_bits) - 1;
	const bool be = dat->info.big_endian;

	while (left(ring) >= 4) {
		const uint32_t head = tw_load32(ring->entry, be);
		const uint32_t type = be ? head >> delta_bits : head & (((uint32_t)1 << type_bits) - 1);
		const uint32_t delta = be ? head & delta_mask : head >> type_bits;
		uint32_t len = type * 4;

		ring->entry += 4;
		if (type > dat->entry.data_max) {
			if (!pass_over(dat, ring, type, delta))
				return false;
			continue;
		}
		if (!type && !long_length(dat, ring, &len))
			return false;
		if (len < RECORD_LEAST || len > left(ring) || ((len + 3) & ~(uint32_t)3) > left(ring))
			return bad_entry(dat, ring);
		len = (len + 3) & ~(uint32_t)3;
		ring->now += delta;
		ring->event.time = tw_dat_clock__correct(&dat->clock, ring->index, ring->now);
		ring->event.record = ring->entry;
		ring->event.len = len;
		ring->entry += len;
		return true;
	}
	ring->entry = ring->entry_end;
	return false;
}
