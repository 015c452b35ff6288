/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refuse BYTES -- measures the CPU time that a capture host needs to refuse a frame of BYTES bytes. Each frame belongs to a new stream.
 * Prints the time for one frame in ns, without the time to receive it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "pcap-tools/admission/admission.h"
#include "wire/encode.h"

#define FRAMES  2000000
#define BEST_OF 5

static void admitted(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival)
{
	(void)ctx;
	(void)frame;
	(void)arrival;
}

static void gave_way(void *ctx, uint64_t stream_id)
{
	(void)ctx;
	(void)stream_id;
}

static uint64_t refuse_all(struct tw_admission *a, size_t len, uint64_t first)
{
	static const struct tw_peer peer = { .len = 8, .address = { .kind = TW_PEER_IPV4, .bytes = { 10, 0, 0, 1 } } };
	static uint8_t bytes[TW_FRAME_MAX];
	const struct tw_frame_info info = { .source = TW_SOURCE_CONTROL, .length = (uint16_t)len, .events = 1 };
	const struct tw_received_frame frame = { .data = bytes, .len = len, .from = &peer };
	const uint64_t begun = tw_time__now(CLOCK_PROCESS_CPUTIME_ID);

	tw_frame_hdr__emit(bytes, &info);
	for (uint64_t i = first; i < first + FRAMES; i++) {
		const struct tw_arrival arrival = { .now = 1 + i * 1000 };

		if (i % 16 == 0)
			tw_admission__begin(a, arrival.now);
		tw_store_be64(bytes + offsetof(struct tw_frame_hdr, stream_id), i * 0x9e3779b97f4a7c15u);
		if (tw_admission__frame(a, &frame, &arrival))
			exit(1);
	}
	return tw_time__now(CLOCK_PROCESS_CPUTIME_ID) - begun;
}

int main(int argc, char **argv)
{
	const struct tw_admission_options options = { .admitted = admitted, .gave_way = gave_way };
	const size_t len = argc == 2 ? strtoul(argv[1], NULL, 10) & ~(size_t)3 : 0;
	struct tw_admission *a = tw_admission__new(&options);
	uint64_t best = UINT64_MAX;

	if (len < sizeof(struct tw_frame_hdr) || len > TW_FRAME_MAX || !a) {
		fprintf(stderr, "usage: %s BYTES\n", argv[0]);
		return 2;
	}
	for (uint64_t i = 0; i < BEST_OF; i++) {
		const uint64_t took = refuse_all(a, len, i * FRAMES);

		best = took < best ? took : best;
	}
	printf("%.0f\n", (double)best / FRAMES);
	tw_admission__free(a);
	return 0;
}
