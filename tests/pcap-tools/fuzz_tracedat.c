/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace.dat file from a stranger: read to its end, or converted (a quarter of the lengths). Each record lies in memory with the slack
 * that is promised, CPUs are in bounds, and what was read never is more than the file has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/convert/convert.h"

struct input {
	const uint8_t *data;
	size_t size;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static int64_t read_at(void *ctx, void *to, size_t len, uint64_t offset)
{
	const struct input *input = ctx;

	check(offset <= input->size && len <= input->size - offset);
	memcpy(to, input->data + offset, len);
	return (int64_t)len;
}

static void read_all(struct tw_tracedat *dat)
{
	const struct tw_tracedat_info *info = tw_tracedat__info(dat);
	struct tw_tracedat_event event;
	volatile uint8_t sum = 0;

	while (tw_tracedat__next(dat, &event)) {
		check(event.buffer < info->n_buffers && event.cpu < TW_TRACEDAT_CPUS_MAX);
		check(event.len >= 8 && event.len % 4 == 0);
		check(!event.lost || !event.lost_unknown || !event.lost_count);
		for (uint32_t i = 0; i < event.len + TW_TRACEDAT_RECORD_SLACK; i++)
			sum = (uint8_t)(sum + event.record[i]);
	}
	check(!tw_tracedat__next(dat, &event));
}

static void convert(struct tw_tracedat *dat)
{
	static int fd = -1;
	struct tw_convert_stats stats;
	int code;

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	code = tw_convert__run(dat, &(struct tw_convert_options){ .fd = fd, .name = "null" }, &stats, NULL);
	check(!code || code == -ENOMEM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	const struct tw_tracedat_source source = { .read_at = read_at, .ctx = &input, .size = size };
	struct tw_tracedat *dat;
	struct tw_error err = { 0 };
	const int code = tw_tracedat__open(&source, "fuzz", &dat, &err);

	if (code) {
		check(*err.text && (code == -EINVAL || code == -EBADMSG || code == -EIO || code == -ENOMEM));
		return 0;
	}
	if (size % 4 == 1)
		convert(dat);
	else
		read_all(dat);
	tw_tracedat__close(dat);
	return 0;
}
