/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One honest stream, and in parallel everything that strangers may send: `remote_forged PORT ROUNDS`, for forged.sh. Strangers use the
 * honest stream's id with impossible numbers only: without AUTH, frames with its next numbers could not be distinguished from its own. At
 * its end the program prints the number of the honest stream's events, the number of the strangers' frames, and the longest silence of the
 * honest stream in ms. The capture host stops waiting for a stream that is silent for two seconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/made/made.h"
#include "wire/time_sync.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
#define DAY    (86400 * TW_NS_PER_SECOND)

static struct made_wire wire,
	strangers; /* separate sockets, because the capture host recognises the sender of a response by its address */
static struct made_stream honest = {
	.id = 0x40e57, .name = "honest", .n_channels = 3, .ahead = 123456789, .answers = true
};
static uint64_t n_sent, longest_silence, seed = 1;

/* splitmix64 generator: random numbers are the same in each run */
static uint64_t next_random(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void send_raw(const void *frame, size_t len)
{
	made_wire__send(&strangers, frame, len);
	if (++n_sent % 16 == 0)
		made_wire__let_catch_up(&strangers);
}

static struct tw_frame frame;
static uint8_t buf[TW_FRAME_MAX + TW_COPY_STEP];

/* Begin a frame of any stream and channel, with any number. The caller adds the records. */
static void begin(uint64_t id, uint16_t channel, uint64_t seq)
{
	const struct tw_frame_info info = {
		.stream_id = id,
		.channel = channel,
		.source = channel == TW_CHANNEL_OUT_OF_BAND ? TW_SOURCE_OUT_OF_BAND
			  : channel                         ? TW_SOURCE_FTRACE
							    : TW_SOURCE_CONTROL,
		.seq = seq,
		.base_time = made_stream__time(&honest, made_now()),
	};

	tw_frame__begin(&frame, buf, 1400, &info);
	frame.info.events = !channel;
}

static void end(void)
{
	const size_t len = tw_frame__end(&frame);

	send_raw(buf, len);
}

static void add_event(void)
{
	uint8_t record[24 + TW_COPY_STEP] = { 1 };

	tw_frame__add_event(&frame, record, 24, frame.info.base_time);
}

static void add_host(void)
{
	const struct tw_attr_view attr = { TW_HOST_NAME, (const uint8_t *)"stranger", 8 };

	tw_host__emit(&frame, &attr, 1);
}

/* Send frames of unknown streams, half of which send a HOST. */
static void send_unknown(void)
{
	for (int i = 0; i < 60; i++) {
		const uint64_t id = next_random();

		if (i % 2) {
			begin(id, TW_CHANNEL_CONTROL, 0);
			add_host();
			end();
		}
		begin(id, (uint16_t)(1 + next_random() % 65534), next_random() >> 20);
		add_event();
		end();
	}
}

/* Send two frames with consecutive numbers, so that the capture host admits this stranger's stream. */
static void begin_well(uint64_t id)
{
	for (uint64_t seq = 0; seq < 2; seq++) {
		begin(id, 1, seq);
		add_event();
		end();
	}
}

/* Send frames with implausible numbers, in a stranger's stream and in the honest one. */
static void send_implausible(void)
{
	static uint64_t seq;
	const uint64_t numbers[] = { seq, seq + (1ull << 40), UINT64_MAX, UINT64_MAX - 1, seq + (1ull << 63),
				     0,   1ull << 32 };

	if (!seq)
		begin_well(0x5e9);
	for (size_t i = 0; i < LEN(numbers); i++) {
		begin(0x5e9, 1, numbers[i]);
		add_event();
		end();
	}
	for (size_t i = 1; i < 5; i++) {
		begin(honest.id, 1, numbers[i] | 1ull << 41);
		add_event();
		end();
		begin(honest.id, TW_CHANNEL_CONTROL, numbers[i] | 1ull << 41);
		end();
	}
	seq += 1ull << 41;
}

/* Send a frame truncated to each shorter length, and the whole frame with each shorter length in its header. */
static void send_truncated(void)
{
	uint8_t cut[256];
	size_t len;

	begin_well(0x7a0c);
	begin(0x7a0c, 1, 2);
	add_event();
	add_event();
	add_event();
	len = tw_frame__end(&frame);
	for (size_t i = 0; i < len; i++) {
		send_raw(buf, i);
		memcpy(cut, buf, len);
		tw_store_be16(cut + offsetof(struct tw_frame_hdr, length), (uint16_t)i);
		send_raw(cut, len);
	}
}

/* Send frames with other magic numbers and versions, and valid frames with changed bytes. */
static void send_damaged(void)
{
	uint8_t bad[256];
	size_t len;

	begin(0xbad, 1, 0);
	add_event();
	add_event();
	len = tw_frame__end(&frame);
	for (int i = 0; i < 200; i++) {
		memcpy(bad, buf, len);
		if (i < 8)
			bad[i % 5] ^= (uint8_t)(1 + next_random() % 255);
		for (int n = i < 8 ? 0 : 3; n; n--)
			bad[16 + next_random() % (len - 16)] = (uint8_t)next_random();
		send_raw(bad, len);
	}
	/* the same with a control frame of several kinds of records */
	begin(0xbadc, TW_CHANNEL_CONTROL, 0);
	add_host();
	tw_clock__emit(&frame, &(struct tw_clock_view){ .valid = 63 });
	tw_watermark__emit(&frame, 1, &(uint16_t){ 1 }, &(uint64_t){ 5 }, 1);
	tw_stats__emit(&frame, &(struct tw_stat_view){ TW_STAT_RECORDED, 0, 1 }, 1);
	len = tw_frame__end(&frame);
	for (int i = 0; i < 200; i++) {
		memcpy(bad, buf, len);
		for (int n = 0; n < 3; n++)
			bad[16 + next_random() % (len - 16)] = (uint8_t)next_random();
		send_raw(bad, len);
	}
}

/* Send the first PARTs of huge values; further PARTs never follow. */
static void send_parts(void)
{
	static const enum tw_tlv_type inner[] = { TW_TLV_EVENT, TW_TLV_SCHEMA, TW_TLV_COMM, TW_TLV_HOST,
						  TW_TLV_SYMBOL };
	static uint8_t piece[1500]; /* larger than the room in a frame */
	static uint64_t control_seq;
	static uint32_t id;

	for (int i = 0; i < 100; i++) {
		const enum tw_tlv_type type = inner[next_random() % LEN(inner)];
		const bool event = type == TW_TLV_EVENT;

		begin(0x9a47, event, event ? 0 : control_seq++);
		tw_frame__add_part(&frame, type, id++, piece, i % 3 ? 0xfffffff0 : 200000, 0);
		frame.info.events = !event;
		end();
	}
}

/* Send metadata without end. */
static void send_metadata(void)
{
	static const char text[] = "name: made\nID: 1\nformat:\n";
	static uint64_t seq;
	static uint32_t n;

	begin(0x3e7a, TW_CHANNEL_CONTROL, seq++);
	add_host();
	end();
	for (int i = 0; i < 100; i++) {
		const struct tw_schema_view schema = { .raw_length = sizeof(text),
						       .event_id = (uint16_t)n,
						       .index = n,
						       .total = UINT32_MAX,
						       .data = (const uint8_t *)text,
						       .len = sizeof(text) };

		begin(0x3e7a, TW_CHANNEL_CONTROL, seq++);
		for (int k = 0; k < 15; k++, n++) {
			tw_comm__emit(&frame,
				      &(struct tw_comm_view){
					      .time = n, .pid = n, .name = (const uint8_t *)"a stranger", .len = 10 });
			tw_symbol__emit(&frame,
					&(struct tw_symbol_view){ 16, (uint64_t)n * 16, (const uint8_t *)text, 10 });
		}
		frame.info.schema_id = n;
		tw_schema_tlv__emit(&frame, &schema);
		end();
	}
}

/* Send wrong clocks: out-of-band frames in the honest stream, and records of a capture host in a stranger's stream. */
static void send_clocks(void)
{
	const struct tw_offset_view offset = {
		.kind = TW_OFFSET_STEP, .time = frame.info.base_time, .offset = DAY, .step = DAY, .error_ns = 1
	};
	static uint64_t seq;

	for (uint32_t i = 0; i < 50; i++) {
		const uint64_t now = made_real(made_now());
		const struct tw_time_sync_view answer = { .id = (uint32_t)next_random(),
							  .asked = now - i * 100000,
							  .received = MADE_EPOCH + DAY,
							  .answered = MADE_EPOCH + DAY + 1 };

		begin(honest.id, TW_CHANNEL_OUT_OF_BAND, 0);
		tw_time_sync__emit(&frame, &answer);
		tw_offset__emit(&frame, &offset);
		end();
		begin(0x0ff5e7, TW_CHANNEL_CONTROL, seq++);
		add_host();
		tw_offset__emit(&frame, &offset);
		tw_time_sync__emit(&frame, &answer);
		end();
		begin(0x0ff5e7, 1, i);
		add_event();
		end();
	}
}

/* Send watermarks that are centuries ahead and announce numbers that never arrive, for channels that exist and channels that do not. */
static void send_watermarks(void)
{
	const uint16_t channels[] = { 0, 1, 2, 77, 65535, 1 };
	const uint64_t next[] = { 1, 1ull << 40, UINT64_MAX, 12, 1ull << 63, 5 };
	static uint64_t seq;

	for (uint64_t i = 0; i < 30; i++) {
		begin(0xfa5, TW_CHANNEL_CONTROL, seq++);
		add_host();
		tw_clock__emit(&frame, &(struct tw_clock_view){ .valid = 9,
								.reading = { next_random(), [3] = next_random() } });
		tw_watermark__emit(&frame, i % 2 ? UINT64_MAX : INT64_MAX, channels, next, LEN(channels));
		end();
		begin(0xfa5, (uint16_t)(1 + i % 3), next_random());
		frame.info.base_time = i % 2 ? UINT64_MAX : i;
		add_event();
		end();
	}
}

/* Send events and clocks of a stream whose wall clock is an hour ahead. */
static void send_ahead(void)
{
	static uint64_t seq, event;
	const uint64_t now = made_now();
	const uint64_t time = MADE_EPOCH + now;
	const struct tw_clock_view clock = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL,
		.reading = { [TW_CLOCK_TRACE] = time, [TW_CLOCK_REAL] = made_real(now) + 3600 * TW_NS_PER_SECOND }
	};

	begin(0xa4ead, TW_CHANNEL_CONTROL, seq++);
	add_host();
	tw_clock__emit(&frame, &clock);
	tw_watermark__emit(&frame, time, &(uint16_t){ 1 }, &event, 1);
	end();
	begin(0xa4ead, 1, event++);
	frame.info.base_time = time;
	add_event();
	end();
}

static void send_honest(uint64_t now)
{
	static uint64_t last;
	const uint64_t time = made_stream__time(&honest, now);

	for (uint16_t channel = 1; channel <= honest.n_channels; channel++) {
		made_stream__begin(&honest, channel, time);
		for (uint64_t i = 0; i < 20; i++)
			made_stream__event(&honest, time + i, (uint32_t)honest.recorded + 1);
		made_stream__end(&honest);
	}
	made_stream__watermark(&honest, time + 19);
	made_wire__let_take_all(&wire);
	if (made_now() - last > longest_silence)
		longest_silence = made_now() - last;
	last = now;
}

int main(int argc, char **argv)
{
	static void (*const forgeries[])(void) = { send_unknown, send_implausible, send_truncated,
						   send_damaged, send_parts,       send_metadata,
						   send_clocks,  send_watermarks,  send_ahead };
	const int rounds = argc == 3 ? atoi(argv[2]) : 0;

	if (!rounds) {
		fprintf(stderr, "usage: %s PORT ROUNDS\n", argv[0]);
		return 2;
	}
	made_wire__udp(&wire, (uint16_t)atoi(argv[1]));
	made_wire__udp(&strangers, (uint16_t)atoi(argv[1]));
	made_stream__join(&honest, &wire);
	made_stream__host(&honest, MADE_EPOCH);
	made_stream__clock_now(&honest, made_now());
	made_stream__watermark(&honest, MADE_EPOCH);
	made_wire__run(&wire, 100 * MS);
	for (int round = 0; round < rounds; round++) {
		for (size_t i = 0; i < LEN(forgeries); i++) {
			send_honest(made_now());
			forgeries[i]();
			made_wire__run(&wire, made_now() + 10 * MS);
		}
		made_stream__clock_now(&honest, made_now());
	}
	made_stream__clock_now(&honest, made_now());
	made_stream__stop(&honest, made_stream__time(&honest, made_now()));
	printf("%" PRIu64 " %" PRIu64 " %llu\n", honest.recorded, n_sent, longest_silence / MS);
	made_wire__arrive();
	return 0;
}
