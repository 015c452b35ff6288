/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads an untrusted trace.dat file to its end. The promised number of bytes after each record is readable, CPU numbers are valid, and no
 * byte after the end of the file is read.
 */
#include "fuzz_input.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct tw_tracedat *dat = fuzz_input__open(&input);

	if (dat)
		read_all(dat);
	tw_tracedat__close(dat);
	return 0;
}
