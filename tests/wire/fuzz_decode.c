/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: reads the input as a frame, and passes every TLV to every parse function; also reads it as a request or response. */
#include "walk.h"

#include "wire/time_sync.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_time_sync_view exchange;
	uint64_t stream;
	size_t tlvs;

	walk__frame(data, size, &tlvs);
	tw_time_sync_frame__read(data, size, &stream, &exchange);
	tw_time_sync_frame__metadata_request(data, size);
	tw_time_sync_frame__refused(data, size);
	return 0;
}
