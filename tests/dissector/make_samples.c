/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make_samples FORMATS_DIR SOCKET_FORMATS_DIR OUT_DIR: makes the captures for the dissector's tests. */
#include <stdlib.h>
#include <string.h>

#include "tests/dissector/sample.h"

#define T0 5000000000000u /* time of the first event, ns */

static const char *out;
static struct text real[4]; /* sched_switch, net_dev_queue, inet_sock_set_state, sys_enter of Debian's kernel 6.1 */
enum { SWITCH, QUEUE, SOCK, ENTER };

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Formats with every kind of field: one of a 64-bit kernel, and one of a 32-bit big-endian kernel. */
static char zoo64[] = "name: zoo\nID: 7\n" COMMON "\tfield:u8 small;\toffset:8;\tsize:1;\tsigned:0;\n"
		      "\tfield:s8 minus;\toffset:9;\tsize:1;\tsigned:1;\n"
		      "\tfield:bool truth;\toffset:10;\tsize:1;\tsigned:0;\n"
		      "\tfield:u16 half;\toffset:12;\tsize:2;\tsigned:0;\n"
		      "\tfield:enum animal kind;\toffset:16;\tsize:4;\tsigned:0;\n"
		      "\tfield:long wide;\toffset:24;\tsize:8;\tsigned:1;\n"
		      "\tfield:void * where;\toffset:32;\tsize:8;\tsigned:0;\n"
		      "\tfield:char fixed[8];\toffset:40;\tsize:8;\tsigned:1;\n"
		      "\tfield:u32 list[3];\toffset:48;\tsize:12;\tsigned:0;\n"
		      "\tfield:__data_loc char[] text;\toffset:60;\tsize:4;\tsigned:1;\n"
		      "\tfield:__data_loc cpumask_t cpus;\toffset:64;\tsize:4;\tsigned:0;\n"
		      "\tfield:__rel_loc char[] rel;\toffset:68;\tsize:4;\tsigned:1;\n"
		      "\tfield:struct thing s;\toffset:72;\tsize:4;\tsigned:0;\n"
		      "\nprint fmt: \"%d %s\", REC->small, __print_symbolic(REC->minus, { -5, \"low\" })\n";

static char zoo32[] = "name: zoo\nID: 9\n" COMMON "\tfield:u8 small;\toffset:8;\tsize:1;\tsigned:0;\n"
		      "\tfield:long wide;\toffset:12;\tsize:4;\tsigned:1;\n"
		      "\tfield:void * where;\toffset:16;\tsize:4;\tsigned:0;\n"
		      "\tfield:char kind[8];\toffset:20;\tsize:8;\tsigned:1;\n"
		      "\tfield:__data_loc cpumask_t cpus;\toffset:28;\tsize:4;\tsigned:0;\n"
		      "\nprint fmt: \"%d\", REC->small\n";

static void switch_record(struct sample_record *r, uint32_t prev, uint32_t next, const char *prev_comm,
			  const char *next_comm)
{
	char name[16] = "";

	record__begin(r, real[SWITCH].id, prev, false);
	memcpy(name, prev_comm, strlen(prev_comm));
	record__bytes(r, name, 16);
	record__u32(r, prev);
	record__u32(r, 120);
	record__u64(r, 1);
	memset(name, 0, 16);
	memcpy(name, next_comm, strlen(next_comm));
	record__bytes(r, name, 16);
	record__u32(r, next);
	record__u32(r, 110);
}

static void put_switch(struct sample *s, uint16_t cpu, uint64_t time, uint32_t prev, uint32_t next)
{
	static struct sample_record r;

	switch_record(&r, prev, next, "bash", "sleep");
	sample__cpu(s, cpu, time);
	sample__event(s, &r, time);
	sample__end(s);
}

static void put_queue(struct sample *s, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, real[QUEUE].id, 42, false);
	record__u64(&r, 0xffff888012345678);
	record__u32(&r, 1514);
	record__u32(&r, 5u << 16 | 24);
	record__bytes(&r, "eth0", 5);
	sample__cpu(s, 1, time);
	sample__event(s, &r, time);
	sample__end(s);
}

static void put_sock(struct sample *s, uint64_t time)
{
	static struct sample_record r;
	static const uint8_t v6[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };

	record__begin(&r, real[SOCK].id, 42, false);
	record__u64(&r, 0xffff888000000001);
	record__u32(&r, 1);
	record__u32(&r, 8);
	record__u16(&r, 443);
	record__u16(&r, 50000);
	record__u16(&r, 2);
	record__u16(&r, 6);
	record__bytes(&r, "\x0a\x00\x00\x01", 4);
	record__bytes(&r, "\x0a\x00\x00\x02", 4);
	record__bytes(&r, v6, 16);
	record__bytes(&r, v6, 16);
	sample__cpu(s, 0, time);
	sample__event(s, &r, time);
	sample__end(s);
}

static void put_enter(struct sample *s, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, real[ENTER].id, 43, false);
	record__u64(&r, 257);
	for (uint64_t i = 0; i < 6; i++)
		record__u64(&r, 1000 + i);
	sample__cpu(s, 0, time);
	sample__event(s, &r, time);
	sample__end(s);
}

static void open_real(struct sample *s, const char *name)
{
	sample__open(s, out, name);
	s->info.schema_id = texts__hash(real, 4, false, 8);
}

static void put_metadata(struct sample *s)
{
	const struct tw_clock_view clock = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL,
		.error_ns = 40,
		.reading = { [TW_CLOCK_TRACE] = T0, [TW_CLOCK_REAL] = 1700000000000000000 },
	};

	sample__host(s, "alpha");
	sample__control(s);
	tw_clock__emit(&s->frame, &clock);
	sample__end(s);
	sample__schema(s, real, 4);
	sample__comm(s, 42, 0, "curl");
	sample__comm(s, 43, 0, "worker");
	/* Pid 42 is reused. */
	sample__comm(s, 42, T0 + 1000, "nginx");
}

static void put_events(struct sample *s)
{
	put_switch(s, 0, T0, 42, 77);
	put_queue(s, T0 + 500);
	put_sock(s, T0 + 1500);
	put_enter(s, T0 + 2000);
	put_switch(s, 1, T0 + 2500, 0, 42);
}

static void put_counters(struct sample *s)
{
	const struct tw_stat_view stats[] = {
		{ TW_STAT_READ, 1, 3 },
		{ TW_STAT_OVERRUN, 1, 9 },
		{ TW_STAT_SENT_FRAMES, 0, 12 },
		{ 999, 2, 5 },
	};
	const struct tw_symbol_view symbol = { 16, 0xffffffff81000000, (const uint8_t *)"_stext", 6 };
	const uint16_t channels[] = { 1, 2 };
	const uint64_t seqs[] = { 3, 2 };
	static const uint8_t auth[] = { 0, 1, 0, 7, 0xca, 0xfe }; /* algorithm, key, tag */

	sample__control(s);
	tw_stats__emit(&s->frame, stats, 2);
	tw_stats__emit(&s->frame, stats + 2, 2);
	tw_symbol__emit(&s->frame, &symbol);
	tw_watermark__emit(&s->frame, T0 + 3000, channels, seqs, 2);
	memset(tw_frame__add(&s->frame, (enum tw_tlv_type)500, 4), 0xab, 4);
	memcpy(tw_frame__add(&s->frame, TW_TLV_AUTH, sizeof(auth)), auth, sizeof(auth));
	sample__end(s);
}

static void make_basic(const char *name, bool udp)
{
	static struct sample s;

	open_real(&s, name);
	s.udp = udp;
	put_metadata(&s);
	put_events(&s);
	put_counters(&s);
	sample__close(&s);
}

/* A capture that was started in the middle of a stream: metadata follow the events. */
static void make_late(void)
{
	static struct sample s;

	open_real(&s, "late.pcap");
	s.control_seq = 100;
	put_events(&s);
	put_metadata(&s);
	sample__close(&s);
}

static void make_packed(void)
{
	static struct sample s;
	static struct sample_record r;

	open_real(&s, "packed.pcap");
	put_metadata(&s);
	sample__cpu(&s, 0, T0);
	for (uint32_t i = 0; i < 20; i++) {
		switch_record(&r, 1000 + i, 2000 + i, i == 7 ? "seven" : "other", "next");
		sample__event(&s, &r, T0 + i * 10);
	}
	/* A classifier changed the third event to FILTERED. */
	tw_store_be16(s.buf + sizeof(struct tw_frame_hdr) + 2 * (8 + 64), TW_TLV_FILTERED);
	sample__end(&s);
	sample__close(&s);
}

static void put_switches(struct sample *s, uint64_t time)
{
	static struct sample_record r;

	sample__cpu(s, 0, time);
	for (uint32_t i = 0; i < 3; i++) {
		switch_record(&r, 1000 + i, 2000 + i, "other", "next");
		sample__event(s, &r, time + i);
	}
	sample__end(s);
}

/* Two frames of one event: the first declares a length beyond the packet, the record of the second declares a length beyond the frame. */
static void put_lies(struct sample *s)
{
	static struct sample_record r;

	for (uint32_t i = 0; i < 2; i++) {
		size_t len;

		switch_record(&r, 42, 77, "bash", "sleep");
		sample__cpu(s, 0, T0 + 20 + i);
		sample__event(s, &r, T0);
		len = tw_frame__end(&s->frame);
		s->seqs[0]++;
		tw_store_be16(s->buf + (i ? sizeof(struct tw_frame_hdr) + 2 : offsetof(struct tw_frame_hdr, length)),
			      400);
		sample__raw(s, s->buf, len);
	}
}

/* Only the bytes after the frame, which pad the packet, are truncated. */
static void put_padded(struct sample *s, uint64_t time)
{
	static struct sample_record r;
	size_t len;

	switch_record(&r, 42, 77, "bash", "sleep");
	sample__cpu(s, 0, time);
	sample__event(s, &r, time);
	len = tw_frame__end(&s->frame);
	s->seqs[0]++;
	memset(s->buf + len, 0, 20);
	s->snaplen = (uint32_t)(14 + len + 4);
	sample__raw(s, s->buf, len + 20);
}

/*
 * Packets that the capturing program truncated. In Ethernet, the fields of an event begin at byte 78. The first eight frames lack more and
 * more of one event. Among the later packets is a truncated COMM, whose name must not be used.
 */
static void make_cut(void)
{
	static const uint32_t lengths[] = { 134, 133, 100, 78, 77, 65, 62, 61 };
	static struct sample s;

	open_real(&s, "cut.pcap");
	put_metadata(&s);
	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		s.snaplen = lengths[i];
		put_switch(&s, 0, T0 + i, 42, 77);
	}
	s.snaplen = 14 + 48 + 72 + 8 + 40;
	put_switches(&s, T0 + 10);
	s.snaplen = 14 + 48 + 2 * 72;
	put_switches(&s, T0 + 13);
	s.udp = true;
	s.snaplen = 42 + 48 + 40;
	put_switch(&s, 0, T0 + 16, 42, 77);
	s.udp = false;
	s.snaplen = 100;
	put_lies(&s);
	s.snaplen = 90;
	sample__comm(&s, 1234, 0, "a name that is cut");
	s.snaplen = 0;
	put_switch(&s, 0, T0 + 30, 1234, 77);
	put_padded(&s, T0 + 31);
	s.snaplen = 0;
	put_lies(&s);
	sample__close(&s);
}

/* In channel 1, 3 numbers are missing; then come a duplicate frame and a late frame with one of these numbers. Channel 2 reports losses. */
static void make_gaps(void)
{
	static struct sample s;
	const struct tw_lost_view lost = { .time = T0 + 10, .where = TW_LOST_RING, .count = 1234 };
	const struct tw_lost_view unknown = { .time = T0 + 20, .where = TW_LOST_TX, .unknown = true };
	const struct tw_lost_view at_least = { .time = T0 + 20, .where = TW_LOST_RING, .unknown = true, .count = 5508 };

	open_real(&s, "gaps.pcap");
	put_metadata(&s);
	put_switch(&s, 0, T0, 42, 77);
	s.seqs[0] += 3;
	put_switch(&s, 0, T0 + 1, 42, 77);
	s.seqs[0] -= 1;
	put_switch(&s, 0, T0 + 2, 42, 77);
	s.seqs[0] -= 3;
	put_switch(&s, 0, T0 + 3, 42, 77);
	s.seqs[0] += 2;
	put_switch(&s, 0, T0 + 4, 42, 77);
	sample__cpu(&s, 1, T0 + 5);
	tw_lost__emit(&s.frame, &lost);
	tw_lost__emit(&s.frame, &unknown);
	tw_lost__emit(&s.frame, &at_least);
	sample__end(&s);
	put_queue(&s, T0 + 30);
	sample__close(&s);
}

static void put_parts(struct sample *s, enum tw_tlv_type type, uint32_t id, const void *value, uint32_t total)
{
	for (uint32_t at = 0; at < total;) {
		if (type == TW_TLV_EVENT)
			sample__cpu(s, 0, T0);
		else
			sample__control(s);
		s->frame.cap = 600;
		at += (uint32_t)tw_frame__add_part(&s->frame, type, id, value, total, at);
		sample__end(s);
	}
}

/* A SCHEMA in pieces, and an event in pieces: net_dev_queue with a name of 2999 characters. */
static void make_parts(void)
{
	static struct sample s;
	static struct sample_record r;
	static uint8_t value[70000], name[3000];
	uint8_t *p = value;

	memset(name, 'x', sizeof(name) - 1);
	open_real(&s, "parts.pcap");
	s.info.schema_id = texts__hash(&real[QUEUE], 1, false, 8);
	sample__host(&s, "alpha");
	*p = TW_SCHEMA_EVENT;
	p[1] = TW_ENCODING_PLAIN;
	tw_store_be16(p + 2, real[QUEUE].id);
	tw_store_be32(p + 4, (uint32_t)(4 + real[QUEUE].len));
	tw_store_be32(p + 12, 1);
	memcpy(p + 16, "net", 4);
	memcpy(p + 20, real[QUEUE].text, real[QUEUE].len);
	put_parts(&s, TW_TLV_SCHEMA, 1, value, (uint32_t)(20 + real[QUEUE].len));

	record__begin(&r, real[QUEUE].id, 42, false);
	record__u64(&r, 0xffff888012345678);
	record__u32(&r, 9000);
	record__u32(&r, 3000u << 16 | 24);
	record__bytes(&r, name, sizeof(name));
	sample__cpu(&s, 0, T0);
	sample__event(&s, &r, T0);
	memcpy(value, s.buf + sizeof(struct tw_frame_hdr) + sizeof(struct tw_tlv), r.len + 4);
	put_parts(&s, TW_TLV_EVENT, 2, value, r.len + 4);
	sample__close(&s);
}

static void zoo64_record(struct sample_record *r)
{
	record__begin(r, 7, 42, false);
	record__bytes(r, "\xc8\xfb\x01", 4); /* 200, -5, true */
	record__u32(r, 60000);
	record__u32(r, 3);
	record__u32(r, 0);
	record__u64(r, (uint64_t)-5000000000);
	record__u64(r, 0xffffffff81000000);
	record__bytes(r, "fix\0junk", 8);
	record__u32(r, 10);
	record__u32(r, 20);
	record__u32(r, 4000000000);
	record__u32(r, 6u << 16 | 76);
	record__u32(r, 8u << 16 | 84);
	record__u32(r, 4u << 16 | (92 - 72));
	record__bytes(r, "\x01\x02\x03\x04", 4);
	record__bytes(r, "hello\0\0", 8);
	record__u64(r, 0x8000000000000087);
	record__bytes(r, "rel", 4);
}

/* The event zoo, which the plugin does not have built in. Then zoo with other types, from a 32-bit big-endian kernel. */
static void make_zoo(void)
{
	static struct sample s;
	static struct sample_record r;
	static char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n";
	const struct text texts64[] = { { 0, "", page, sizeof(page) - 1 }, { 7, "toy", zoo64, sizeof(zoo64) - 1 } };
	const struct text text32 = { 9, "toy", zoo32, sizeof(zoo32) - 1 };

	sample__open(&s, out, "zoo.pcap");
	s.info.schema_id = texts__hash(texts64, 2, false, 8);
	sample__host(&s, "alpha");
	sample__schema(&s, texts64, 2);
	zoo64_record(&r);
	sample__cpu(&s, 0, T0);
	sample__event(&s, &r, T0);
	sample__end(&s);

	s.info.stream_id++;
	s.info.flags = TW_FLAG_BODY_BE;
	s.info.schema_id = texts__hash(&text32, 1, true, 4);
	memset(s.seqs, 0, sizeof(s.seqs));
	s.control_seq = 0;
	sample__host(&s, "beta");
	sample__schema(&s, &text32, 1);
	record__begin(&r, 9, 42, true);
	record__u32(&r, 200u << 24);
	record__u32(&r, (uint32_t)-7);
	record__u32(&r, 0xc0001000);
	record__bytes(&r, "zebra\0\0", 8);
	record__u32(&r, 8u << 16 | 32);
	record__u32(&r, 0x80000001);
	record__u32(&r, 2);
	sample__cpu(&s, 3, T0);
	sample__event(&s, &r, T0);
	sample__end(&s);
	sample__close(&s);
}

/* A datagram of another protocol, in two IP fragments. It shows whether this tshark exports packets on which displayed packets depend. */
static void make_fragments(void)
{
	static struct sample s;
	uint8_t packet[34 + 8 + 8] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, [22] = 64, [23] = 17 };

	sample__open(&s, out, "fragments.pcap");
	tw_store_be16(packet + 16, 36);
	tw_store_be32(packet + 26, 0x0a000001);
	tw_store_be32(packet + 30, 0x0a000002);
	tw_store_be16(packet + 20, 0x2000);
	tw_store_be16(packet + 34, 1000);
	tw_store_be16(packet + 36, 1001);
	tw_store_be16(packet + 38, 32);
	sample__packet(&s, packet, sizeof(packet));
	tw_store_be16(packet + 20, 2);
	sample__packet(&s, packet, sizeof(packet));
	sample__close(&s);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Valid frames with changed bytes and truncated ends, always the same ones. */
static void make_hostile(void)
{
	static struct sample s;
	static uint8_t frame[TW_FRAME_MAX];
	static struct sample_record r;
	uint32_t random = 1, len;

	open_real(&s, "hostile.pcap");
	put_metadata(&s);
	for (uint32_t i = 0; i < 3000; i++) {
		if (i % 3) {
			switch_record(&r, 42, 77, "a", "b");
			sample__cpu(&s, 0, T0);
			sample__event(&s, &r, T0);
			sample__event(&s, &r, T0);
		} else {
			const struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT,
							     .event_id = real[QUEUE].id,
							     .raw_length = 4,
							     .total = 1,
							     .data = (const uint8_t *)zoo64,
							     .len = i % 200 };

			sample__control(&s);
			tw_schema_tlv__emit(&s.frame, &view);
			tw_frame__add_part(&s.frame, (enum tw_tlv_type)(i % 18), i % 5, frame, 64 + i % 9, 0);
		}
		len = (uint32_t)tw_frame__end(&s.frame);
		memcpy(frame, s.buf, len);
		for (uint32_t n = next_random(&random) % 6; n; n--)
			frame[4 + next_random(&random) % (len - 4)] = (uint8_t)next_random(&random);
		if (!(i % 5))
			len = next_random(&random) % len;
		sample__raw(&s, frame, len);
	}
	sample__close(&s);
}

/* A frame with very many items in Wireshark's tree: 3200 events of a format with 1000 fields. */
static void make_huge(void)
{
	static struct sample s;
	static struct sample_record r;
	static char format[200000];
	struct text text = { 11, "toy", format, 0 };
	int len = snprintf(format, sizeof(format), "name: huge\nID: 11\n" COMMON);

	for (int i = 0; i < 1000; i++)
		len += snprintf(format + len, sizeof(format) - (size_t)len,
				"\tfield:u8 f%d;\toffset:8;\tsize:1;\tsigned:0;\n", i);
	len += snprintf(format + len, sizeof(format) - (size_t)len, "\nprint fmt: \"\"\n");
	text.len = (size_t)len;
	sample__open(&s, out, "huge.pcap");
	s.info.schema_id = 5; /* not the hash of its content: never stored in the cache */
	sample__schema(&s, &text, 1);
	record__begin(&r, 11, 42, false);
	record__u32(&r, 1);
	sample__cpu(&s, 0, T0);
	for (int i = 0; i < 3200; i++)
		sample__event(&s, &r, T0);
	sample__end(&s);
	sample__close(&s);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: make_samples FORMATS_DIR SOCKET_FORMATS_DIR OUT_DIR\n");
		return 2;
	}
	out = argv[3];
	text__read(&real[SWITCH], argv[1], "sched", "sched_switch");
	text__read(&real[QUEUE], argv[1], "net", "net_dev_queue");
	text__read(&real[SOCK], argv[1], "sock", "inet_sock_set_state");
	text__read(&real[ENTER], argv[1], "raw_syscalls", "sys_enter");
	make_basic("basic.pcap", false);
	make_basic("udp.pcap", true);
	make_late();
	make_packed();
	make_cut();
	make_gaps();
	make_parts();
	make_zoo();
	make_fragments();
	make_hostile();
	make_huge();
	make_texts(argv[1], out);
	make_clocks(out);
	make_strangers(argv[1], out);
	make_sockets(argv[2], out);
	return 0;
}
