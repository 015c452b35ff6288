/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clocks.pcap: a recording of three streams, with the OFFSET records that a capture host adds. */
#include "tests/dissector/sample.h"

#include <string.h>

#define US    1000
#define MS    1000000
#define BEGIN 1700000000000000000u /* zero point of the packet times, ns */

struct stream {
	uint16_t number;
	uint64_t control_seq;
};

static struct sample s;

/* The next packet belongs to @stream and has @time, ns. */
static void turn_to(const struct stream *stream, uint64_t time)
{
	s.info.stream_id = 0x1000u + stream->number;
	s.packet_time = BEGIN + time - 1000; /* write_packet() adds 1000 ns */
}

/* Each stream uses a CPU of its own, because struct sample counts the numbers of a CPU for all streams. */
static void put_events(const struct stream *stream, uint64_t time, int n)
{
	static struct sample_record r;

	turn_to(stream, time);
	sample__cpu(&s, stream->number, time);
	for (int i = 0; i < n; i++) {
		record__begin(&r, 7, 42, false);
		record__u32(&r, 1);
		sample__event(&s, &r, time);
	}
	sample__end(&s);
}

static void put_offset(const struct stream *stream, uint64_t time, const struct tw_offset_view *offset)
{
	turn_to(stream, time);
	sample__out_of_band(&s, time);
	tw_offset__emit(&s.frame, offset);
	sample__end(&s);
}

static void put_host(struct stream *stream, const char *name)
{
	const struct tw_attr_view attrs[] = {
		{ TW_HOST_NAME, (const uint8_t *)name, strlen(name) },
		{ TW_HOST_POINTERS, (const uint8_t *)"hashed with a key", 17 },
		{ TW_HOST_SYNC, (const uint8_t *)"NTP", 3 },
	};
	const struct tw_clock_view clock = { .valid = 1, .error_ns = 40, .sync_ns = 2500, .reading = { 5 } };

	turn_to(stream, 0);
	s.control_seq = stream->control_seq++;
	sample__control(&s);
	tw_host__emit(&s.frame, attrs, 3);
	tw_clock__emit(&s.frame, &clock);
	sample__end(&s);
}

static void put_end(struct stream *stream, uint64_t time)
{
	turn_to(stream, time);
	s.control_seq = stream->control_seq++;
	sample__control(&s);
	tw_end__emit(&s.frame);
	sample__end(&s);
}

/* TIME_SYNC frames. The header of the last one is wrong: it has a number, but out-of-band frames have none. */
static void put_exchange(const struct stream *stream, uint64_t time)
{
	struct tw_time_sync_view exchange = { .id = 17, .asked = BEGIN };

	turn_to(stream, time);
	sample__out_of_band(&s, time);
	tw_time_sync__emit(&s.frame, &exchange);
	tw_number_tlv__emit(&s.frame, TW_TLV_METADATA_REQUEST, TW_METADATA_REQUEST_CLOCK);
	tw_number_tlv__emit(&s.frame, TW_TLV_REFUSED, TW_REFUSED_PLACES);
	sample__end(&s);
	exchange.received = 5000012000;
	exchange.answered = 5000013500;
	exchange.received_by = TW_STAMP_SOFTWARE;
	exchange.answered_by = TW_STAMP_READING;
	exchange.sent_by = TW_STAMP_HARDWARE;
	exchange.previous = 16;
	exchange.sent = 4000014000;
	sample__out_of_band(&s, time);
	s.frame.info.events = 1;
	tw_time_sync__emit(&s.frame, &exchange);
	sample__end(&s);
	exchange.is_short = true;
	sample__out_of_band(&s, time);
	s.frame.info.seq = 77;
	s.frame.info.events = 1;
	tw_time_sync__emit(&s.frame, &exchange);
	sample__end(&s);
}

static void put_lost(const struct stream *stream, uint64_t time)
{
	const struct tw_lost_view wire = { .time = time, .where = TW_LOST_WIRE, .count = 3 };
	const struct tw_lost_view receiver = { .time = time, .where = TW_LOST_RECEIVER, .count = 4 };

	turn_to(stream, time);
	sample__cpu(&s, stream->number, time);
	tw_lost__emit(&s.frame, &wire);
	tw_lost__emit(&s.frame, &receiver);
	sample__end(&s);
}

/* A CLOCK of full length: during a leap second, with two PTP hardware clocks */
static void put_clock(struct stream *stream, uint64_t time)
{
	const struct tw_clock_view clock = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_RAW,
		.error_ns = 40,
		.reading = { [TW_CLOCK_TRACE] = 70 * MS, [TW_CLOCK_RAW] = 71 * MS },
		.tai_offset = -3,
		.leap = TW_LEAP_NOW,
		.n_phcs = 2,
		.phcs = { { .index = 4,
			    .method = TW_PHC_BY_PRECISE,
			    .error_ns = 100,
			    .phc = BEGIN,
			    .trace = 70 * MS + 1 },
			  { .index = 1,
			    .method = TW_PHC_BY_USER,
			    .error_ns = 900,
			    .sync_ns = 35,
			    .phc = 7,
			    .trace = 70 * MS } },
	};

	turn_to(stream, time);
	s.control_seq = stream->control_seq++;
	sample__control(&s);
	tw_clock__emit(&s.frame, &clock);
	sample__end(&s);
}

void make_clocks(const char *out)
{
	const struct tw_offset_view unknown = { .kind = TW_OFFSET_START, .error_ns = TW_ERROR_UNKNOWN };
	struct tw_offset_view reported = { .kind = TW_OFFSET_START,
					   .method = TW_OFFSET_BY_TIME_SYNC,
					   .error_ns = 35 * US };
	struct stream a = { .number = 0 }, b = { .number = 1 }, c = { .number = 2 };

	sample__open(&s, out, "clocks.pcap");
	put_host(&a, "alpha");        /* packet 1 */
	put_offset(&a, 0, &unknown);  /* 2 */
	put_events(&a, 1 * MS, 1);    /* 3: no other stream yet */
	put_host(&b, "beta");         /* 4 */
	put_offset(&b, 0, &reported); /* 5 */
	put_events(&b, 10 * MS, 1);   /* 6: alpha's error is unknown */
	reported = (struct tw_offset_view){ .kind = TW_OFFSET_ESTIMATE,
					    .method = TW_OFFSET_BY_TIME_SYNC,
					    .offset = -5,
					    .drift = -7,
					    .by = { TW_STAMP_HARDWARE, TW_STAMP_SOFTWARE, TW_STAMP_READING,
						    TW_STAMP_SOFTWARE },
					    .error_ns = 15 * US };
	put_offset(&a, 10 * MS, &reported); /* 7 */
	put_events(&a, 10050 * US, 1);      /* 8: distance equal to the sum of both errors */
	put_events(&a, 10050 * US + 1, 1);  /* 9: a larger distance */
	put_events(&b, 10100 * US, 1);      /* 10: a distance of 49.999 us */
	put_events(&b, 10200 * US, 3);      /* 11: a sufficient distance, packed */
	reported = (struct tw_offset_view){
		.kind = TW_OFFSET_STEP, .method = TW_OFFSET_BY_SYNC, .step = -3600000000000, .error_ns = 2 * MS
	};
	put_offset(&b, 11 * MS, &reported); /* 12 */
	put_events(&b, 11 * MS, 1);         /* 13: a distance of 0.95 ms, and an error of 2 ms now */
	put_events(&c, 20 * MS, 1);         /* 14: gamma has no OFFSET */
	put_events(&a, 30 * MS, 1);         /* 15: the stream of packet 14 has no OFFSET */
	put_events(&b, 40 * MS, 1);         /* 16: the order is certain */
	put_events(&a, 38 * MS, 1);         /* 17: time goes backward, by less than the errors */
	put_events(&a, 37 * MS, 1);         /* 18: time goes backward, by more than the errors */
	reported =
		(struct tw_offset_view){ .kind = TW_OFFSET_SUSPEND, .step = 12300000000, .error_ns = TW_ERROR_UNKNOWN };
	put_offset(&b, 50 * MS, &reported); /* 19 */
	put_events(&b, 60 * MS, 1);         /* 20: the error is unknown now */
	put_exchange(&a, 61 * MS);          /* 21, 22, 23 */
	put_lost(&a, 62 * MS);              /* 24 */
	put_end(&a, 63 * MS);               /* 25 */
	reported = (struct tw_offset_view){ .kind = TW_OFFSET_LEAP, .step = -1000000000, .error_ns = TW_ERROR_UNKNOWN };
	put_offset(&b, 64 * MS, &reported); /* 26 */
	reported = (struct tw_offset_view){ .kind = TW_OFFSET_TAI, .step = 37000000000, .error_ns = TW_ERROR_UNKNOWN };
	put_offset(&b, 65 * MS, &reported); /* 27 */
	put_clock(&b, 70 * MS);             /* 28 */
	sample__close(&s);
}
