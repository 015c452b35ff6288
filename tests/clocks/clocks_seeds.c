/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clocks_seeds DIR: seeds of fuzz_clocks: streams whose clocks drift, are set, or are suspended, for each mode of packet times. */
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "simulated_clocks.h"
#include "wire/encode.h"
#include "wire/time_sync.h"

#define START (1000000 * TW_NS_PER_SECOND)

static void put64(FILE *f, uint64_t number)
{
	uint8_t bytes[8];

	tw_store_be64(bytes, number);
	fwrite(bytes, 1, sizeof(bytes), f);
}

static void put_sample(FILE *f, struct world *w, uint64_t now)
{
	uint8_t buf[256];
	struct tw_clock_view view = world__sample(w, now);
	struct tw_frame frame;

	view.sync_ns = 5000;
	tw_frame__begin(&frame, buf, sizeof(buf) - TW_COPY_STEP, &(struct tw_frame_info){ 0 });
	tw_clock__emit(&frame, &view);
	fputc(0, f);
	fwrite(buf + sizeof(struct tw_frame_hdr) + sizeof(struct tw_tlv), 1, 60, f);
}

/* A CLOCK with the reading of a PTP hardware clock, and a reference that follows the same grandmaster */
static void put_phc(FILE *f, struct world *w, uint64_t now)
{
	static const uint8_t reference[8] = { 5, TW_REFERENCE_PHC, 100, 1, 1, 50, 1 };
	uint8_t buf[256] = { 0 };
	struct tw_clock_view view = world__sample(w, now);
	struct tw_frame frame;

	view.n_phcs = 1;
	view.phcs[0] = (struct tw_phc_view){ .error_ns = 500, .sync_ns = 200, .phc = now };
	view.phcs[0].trace = view.reading[TW_CLOCK_TRACE];
	tw_frame__begin(&frame, buf, sizeof(buf) - TW_COPY_STEP, &(struct tw_frame_info){ 0 });
	tw_clock__emit(&frame, &view);
	fputc(5, f);
	fwrite(buf + sizeof(struct tw_frame_hdr) + sizeof(struct tw_tlv), 1, 132, f);
	fputc(6, f);
	fwrite(reference, 1, sizeof(reference), f);
	put64(f, now);
	put64(f, 0);
	put64(f, 0);
	put64(f, 0);
}

static void put_exchange(FILE *f, struct world *w, uint64_t now)
{
	struct tw_time_sync_sample s;

	world__exchange(w, now, &s);
	fputc(1, f);
	put64(f, s.asked);
	put64(f, s.received);
	put64(f, s.answered);
	put64(f, s.arrived);
}

static void put_frame(FILE *f, uint8_t source)
{
	uint8_t buf[TW_TIME_SYNC_ROOM];

	tw_time_sync_frame__write(buf, 1,
				  &(struct tw_time_sync_view){ .id = 1,
							       .asked = 2,
							       .received = 3,
							       .answered = 4,
							       .sent_by = TW_STAMP_SOFTWARE,
							       .previous = 1,
							       .sent = 4 });
	buf[offsetof(struct tw_frame_hdr, source)] = source;
	fputc(4, f);
	fputc(2, f);
	fwrite(buf, 1, TW_TIME_SYNC_BYTES, f);
}

static void put_stream(FILE *f, int how)
{
	struct world w;

	world__init(&w, 1);
	w.since = START;
	fputc(how, f);
	fputc(3, f);
	put64(f, 0);
	fputc(128 + 64 + 50, f);
	for (uint64_t i = 0; i < 12; i++) {
		const uint64_t now = START + i * 300 * TW_NS_PER_MS + (i > 9 ? 5 * TW_NS_PER_SECOND : 0);

		if (i % 3 == 0)
			put_sample(f, &w, now);
		if (i % 4 != 3)
			put_exchange(f, &w, now);
		if (how > 3)
			put_phc(f, &w, now + TW_NS_PER_MS);
		put_frame(f, i % 2 ? TW_SOURCE_OUT_OF_BAND : TW_SOURCE_CONTROL);
		fputc(2, f);
		put64(f, world__stream(&w, now));
		if (i == 4)
			w.wall -= 3600 * (int64_t)TW_NS_PER_SECOND;
		if (i == 8)
			world__sleep(&w, now, 5 * TW_NS_PER_SECOND);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (int how = 0; how < 8; how++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s%s%s", argv[1], how & 1 ? "host" : "none", how & 2 ? "-wall" : "",
			 how & 4 ? "-phc" : "");
		f = fopen(path, "we");
		if (!f)
			return 1;
		put_stream(f, how);
		if (fclose(f))
			return 1;
	}
	return 0;
}
