/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks sub-buffers of the running kernel, by means of schema/ring_page.h. The layout is a constant, because all known kernels of an
 * architecture use the same layout.
 */
#ifndef TW_NATIVE_RING_H
#define TW_NATIVE_RING_H

#include <string.h>
#include <sys/types.h>

#include "base/error.h"
#include "schema/ring_page.h"
#include "wire/encode.h"

#define TW_NATIVE_PAGE_MIN   4096
#define TW_NATIVE_PAGE_SLACK TW_COPY_STEP /* buffer space after a sub-buffer, because copies may read beyond its end */

static const struct tw_ring_layout tw_native_layout = {
	.page = {
		.commit_offset = TW_RING_PAGE_TIME,
		.commit_size = sizeof(long),
		.data_offset = TW_RING_PAGE_TIME + sizeof(long),
	},
	.entry = {
		.type_len_bits = 5,
		.time_delta_bits = 27,
		.padding = 29,
		.time_extend = 30,
		.time_stamp = 31,
		.data_max = 28,
	},
	.big_endian = TW_HOST_BE,
};

/** tw_native_ring__check_layout() - check that this kernel's rings have the layout above. Return: 0; -ENOTSUP if not; another -errno */
int tw_native_ring__check_layout(const char *tracing_dir, struct tw_error *error);

/** tw_native_page__init() - begin to walk a sub-buffer of @len bytes, as returned by read() */
static inline void tw_native_page__init(struct tw_ring_page *page, const uint8_t *bytes, size_t len)
{
	tw_ring_page__init(page, &tw_native_layout, bytes, len);
}

/** tw_native_page__next() - get the next event. Return: false at the end of the sub-buffer */
static inline __attribute__((always_inline)) bool tw_native_page__next(struct tw_ring_page *page,
								       struct tw_ring_event *ret)
{
	return tw_ring_page__next(page, &tw_native_layout, ret) == TW_RING_EVENT;
}

/** tw_native_event__pid(), tw_native_event__id() - common_pid and common_type of the record */
static inline pid_t tw_native_event__pid(const struct tw_ring_event *event)
{
	pid_t pid;

	memcpy(&pid, event->record + 4, sizeof(pid));
	return pid;
}

static inline uint16_t tw_native_event__id(const struct tw_ring_event *event)
{
	uint16_t id;

	memcpy(&id, event->record, sizeof(id));
	return id;
}

#endif
