/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walking one sub-buffer as read() of trace_pipe_raw gives it. Layout: kernel, include/linux/ring_buffer.h and
 * kernel/trace/ring_buffer.c (struct buffer_data_page, enum ring_buffer_type); tracefs tells it in events/header_page and
 * events/header_event, which tw_subbuf__check_layout() compares at start.
 *
 * The bytes come from the running kernel; even so no step leaves the sub-buffer.
 */
#ifndef TW_SUBBUF_H
#define TW_SUBBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/error.h"
#include "wire/encode.h"

#define TW_SUBBUF_SMALLEST 4096
#define TW_SUBBUF_SLACK    TW_COPY_STEP                    /* a buffer for a sub-buffer needs that much behind it */
#define TW_SUBBUF_TIME     8                               /* bytes of the time stamp, first of all */
#define TW_SUBBUF_DATA     (TW_SUBBUF_TIME + sizeof(long)) /* behind it and the commit word the events begin */

/* The kinds of entries: kernel, include/linux/ring_buffer.h, enum ring_buffer_type. Smaller types are lengths in words. */
#define TW_ENTRY_TYPE_BITS   5
#define TW_ENTRY_DATA_MAX    28
#define TW_ENTRY_PADDING     29
#define TW_ENTRY_TIME_EXTEND 30
#define TW_ENTRY_TIME_STAMP  31

#define TW_COMMIT_MISSED 0x80000000u /* events were lost before this sub-buffer */
#define TW_COMMIT_STORED 0x40000000u /* how many stands, as a long, behind the data */
#define TW_COMMIT_SIZE   0x000fffffu

struct tw_subbuf {
	const uint8_t *at;
	const uint8_t *end;
	uint64_t time;
};

struct tw_subbuf_event {
	const uint8_t *record;
	uint32_t len; /* padded, a multiple of 4 */
	uint64_t time;
};

/* What a sub-buffer says about events lost before it. */
enum tw_subbuf_missed { TW_MISSED_NONE, TW_MISSED_EXACT, TW_MISSED_UNKNOWN };

/**
 * tw_subbuf__check_layout() - whether this kernel's rings are laid out as these functions read them
 * @tracing_dir: as tw_tracing_dir__find() gives it
 *
 * Return: 0; -ENOTSUP if not; another -errno if tracefs does not tell.
 */
int tw_subbuf__check_layout(const char *tracing_dir, struct tw_error *error);

/** tw_subbuf__init() - begin walking the @len bytes that read() returned */
static inline void tw_subbuf__init(struct tw_subbuf *s, const uint8_t *page, size_t len)
{
	uint32_t commit;

	memcpy(&s->time, page, sizeof(s->time));
	memcpy(&commit, page + TW_SUBBUF_TIME + (TW_HOST_BE ? sizeof(long) - sizeof(commit) : 0), sizeof(commit));
	commit &= TW_COMMIT_SIZE;
	s->at = page + TW_SUBBUF_DATA;
	s->end = len < TW_SUBBUF_DATA + commit ? page + (len & ~(size_t)3) : s->at + commit;
	if (len < TW_SUBBUF_DATA)
		s->end = s->at;
}

/** tw_subbuf__missed() - events lost before this sub-buffer; call it before anything else is read into the buffer */
static inline enum tw_subbuf_missed tw_subbuf__missed(const uint8_t *page, size_t len, uint64_t *ret_count)
{
	unsigned long count;
	uint32_t commit;

	memcpy(&commit, page + TW_SUBBUF_TIME + (TW_HOST_BE ? sizeof(long) - sizeof(commit) : 0), sizeof(commit));
	if (!(commit & TW_COMMIT_MISSED))
		return TW_MISSED_NONE;
	if (!(commit & TW_COMMIT_STORED) || TW_SUBBUF_DATA + (commit & TW_COMMIT_SIZE) + sizeof(count) > len)
		return TW_MISSED_UNKNOWN;
	memcpy(&count, page + TW_SUBBUF_DATA + (commit & TW_COMMIT_SIZE), sizeof(count));
	*ret_count = count;
	return TW_MISSED_EXACT;
}

/* The time stamp entry's 59 bits, completed with the high bits of the time so far: rb_fix_abs_ts(). */
static inline uint64_t tw_subbuf__absolute(uint64_t stamp, uint64_t now)
{
	const uint64_t high = now & 0xf800000000000000ull;
	uint64_t time = stamp | high;

	if (time < now)
		time += 1ull << 59;
	return time;
}

/** tw_subbuf__next() - the next event. Return: false at the end */
static inline bool tw_subbuf__next(struct tw_subbuf *s, struct tw_subbuf_event *ret)
{
	while (s->end - s->at >= 4) {
		uint32_t head, type, delta, array = 0, len;

		memcpy(&head, s->at, sizeof(head));
		type = TW_HOST_BE ? head >> 27 : head & 31;
		delta = TW_HOST_BE ? head & 0x7ffffff : head >> 5;
		if (__builtin_expect(type - 1 < TW_ENTRY_DATA_MAX, 1)) {
			len = type * 4;
			ret->record = s->at + 4;
			s->at += 4;
		} else {
			if (s->end - s->at < 8)
				break;
			memcpy(&array, s->at + 4, sizeof(array));
			if (type == TW_ENTRY_TIME_EXTEND) {
				s->time += ((uint64_t)array << 27) + delta;
				s->at += 8;
				continue;
			}
			if (type == TW_ENTRY_TIME_STAMP) {
				s->time = tw_subbuf__absolute(((uint64_t)array << 27) + delta, s->time);
				s->at += 8;
				continue;
			}
			if (type == TW_ENTRY_PADDING) { /* the rest of the sub-buffer, or a discarded event */
				if (!delta || array > (size_t)(s->end - s->at) - 4)
					break;
				s->time += delta;
				s->at += 4 + ((array + 3) & ~3u);
				continue;
			}
			if (array < 4) /* type_len 0: the length stands in the next word and counts it */
				break;
			len = array - 4;
			ret->record = s->at + 8;
			s->at += 8;
		}
		len = (len + 3) & ~3u;
		if (len > (size_t)(s->end - s->at) || len < TW_RECORD_COMMON)
			break;
		s->time += delta;
		s->at += len;
		ret->len = len;
		ret->time = s->time;
		return true;
	}
	s->at = s->end;
	return false;
}

/**
 * tw_subbuf__up_to() - take the events that are not newer than @until off the front
 * @ret_next: time of the first that is left, if there is one
 *
 * Return: those events, to be walked.
 */
static inline struct tw_subbuf tw_subbuf__up_to(struct tw_subbuf *s, uint64_t until, uint64_t *ret_next)
{
	struct tw_subbuf front = *s, next = *s;
	struct tw_subbuf_event event;

	while (tw_subbuf__next(&next, &event)) {
		if (event.time > until) {
			*ret_next = event.time;
			front.end = s->at;
			return front;
		}
		*s = next;
	}
	*s = next;
	return front;
}

/** tw_subbuf__time_within() - time of the last event that begins in the first @bytes, the first event in any case */
static inline uint64_t tw_subbuf__time_within(struct tw_subbuf s, size_t bytes)
{
	const uint8_t *const begin = s.at;
	struct tw_subbuf_event event;
	uint64_t time = s.time;

	while (tw_subbuf__next(&s, &event)) {
		time = event.time;
		if ((size_t)(s.at - begin) >= bytes)
			break;
	}
	return time;
}

/** tw_subbuf_event__pid(), __id() - common_pid and common_type of the record */
static inline pid_t tw_subbuf_event__pid(const struct tw_subbuf_event *event)
{
	pid_t pid;

	memcpy(&pid, event->record + 4, sizeof(pid));
	return pid;
}

static inline uint16_t tw_subbuf_event__id(const struct tw_subbuf_event *event)
{
	uint16_t id;

	memcpy(&id, event->record, sizeof(id));
	return id;
}

#endif
