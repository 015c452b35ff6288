/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/bpf_frames.h"

#include <string.h>

#define SCHEMA_ID BPF_FRAMES_SCHEMA
#define NOW       BPF_FRAMES_NOW

const struct tw_frame_info bpf_frames_info = { .source = TW_SOURCE_FTRACE,
					       .channel = 2,
					       .cpu = 1,
					       .stream_id = UINT64_C(0xfedcba9876543210),
					       .schema_id = SCHEMA_ID,
					       .seq = 1000,
					       .base_time = NOW };

/* Contents of frames; each is used with each link. */

static void one_event(struct packet *p)
{
	packet__add_switch(p, "bash", 1001, 120, "kworker/0:1", 55, NOW);
}

static void another_event(struct packet *p)
{
	packet__add_softirq(p, 3, NOW + 5);
}

static void unknown_event(struct packet *p)
{
	packet__add_record(p, "\x39\x30\x01\x02\x01\x00\x00\x00\x01\x02\x03\x04", 12, NOW);
}

/* Adds an irq_handler_entry whose location field declares a name at offset @at with length @len. */
static void add_handler(struct packet *p, const char *name, uint16_t at, uint16_t len)
{
	uint8_t record[24] = { 128, 0, 0, 0, 5, 0, 0, 0, 17 };

	memcpy(record + 12, &at, 2);
	memcpy(record + 14, &len, 2);
	memcpy(record + 16, name, strlen(name));
	packet__add_record(p, record, sizeof(record), NOW);
}

static void located(struct packet *p)
{
	add_handler(p, "eth0", 16, 5);
}

static void located_to_the_end(struct packet *p)
{
	add_handler(p, "xxxxeth0", 20, 4);
}

static void located_anywhere(struct packet *p)
{
	for (uint16_t at = 0; at < 26; at++)
		for (uint16_t len = 0; len < 8; len++)
			add_handler(p, at % 2 ? "eth0" : "xeth1", at, len);
	add_handler(p, "eth0", 0xffff, 0xffff);
	add_handler(p, "eth0", 16, 0);
}

/* Adds vendor-map:relative events. Their label is at each offset after its location field, with each length. */
static void located_after_the_field(struct packet *p)
{
	uint8_t record[24] = { 2010 & 0xff, 2010 >> 8, 0, 0, 5, 0, 0, 0, 17 };

	memcpy(record + 16, "xeth0", 5);
	for (uint8_t at = 0; at < 10; at++)
		for (uint8_t len = 0; len < 8; len++) {
			record[12] = at;
			record[14] = len;
			packet__add_record(p, record, sizeof(record), NOW);
		}
}

static void short_event(struct packet *p)
{
	const uint8_t record[28] = { 316 & 0xff, 316 >> 8, 0, 0, 9, 0, 0, 0, 'b', 'a', 's', 'h', 0 };

	packet__add_record(p, record, sizeof(record), NOW);
}

static void bare_event(struct packet *p)
{
	packet__add_record(p, "\x3c\x01\x00\x00\xff\xff\xff\xff", 8, NOW - 7);
}

static void packed(struct packet *p)
{
	for (int i = 0; i < 20; i++) {
		packet__add_switch(p, i % 2 ? "bash" : "sh", i, 100 + i, i % 3 ? "kworker/0:1" : "swapper", 2 * i,
				   NOW + (uint64_t)i);
		packet__add_softirq(p, (unsigned int)i % 10, NOW + (uint64_t)i);
	}
}

static void packed_large(struct packet *p)
{
	for (int i = 0; i < 6; i++)
		packed(p);
}

static void same_events(struct packet *p)
{
	for (int i = 0; i < 4; i++)
		one_event(p);
}

static void watermark_behind(struct packet *p)
{
	one_event(p);
	packet__add_watermark(p, NOW);
}

static void watermark(struct packet *p)
{
	packet__add_watermark(p, NOW);
}

static void lost(struct packet *p)
{
	packet__add_lost(p, 12);
}

static void lost_between(struct packet *p)
{
	one_event(p);
	packet__add_lost(p, 12);
	another_event(p);
}

static void part(struct packet *p)
{
	static const uint8_t value[2000];

	tw_frame__add_part(&p->frame, TW_TLV_EVENT, 1, value, sizeof(value), 1000);
}

static void part_and_event(struct packet *p)
{
	part(p);
	one_event(p);
}

static void padding(struct packet *p)
{
	tw_frame__add(&p->frame, TW_TLV_PAD, 5);
	one_event(p);
	memset(tw_frame__add(&p->frame, TW_TLV_AUTH, 9), 1, 9);
}

static void auth_between(struct packet *p)
{
	one_event(p);
	memset(tw_frame__add(&p->frame, TW_TLV_AUTH, 9), 1, 9);
	one_event(p);
}

static void filtered_before(struct packet *p)
{
	memset(tw_frame__add(&p->frame, TW_TLV_FILTERED, 20), 0, 20);
	one_event(p);
}

static void only_filtered(struct packet *p)
{
	memset(tw_frame__add(&p->frame, TW_TLV_FILTERED, 20), 0, 20);
}

static void new_type(struct packet *p)
{
	memset(tw_frame__add(&p->frame, (enum tw_tlv_type)77, 2), 0, 2);
	one_event(p);
}

static void short_tlv(struct packet *p)
{
	one_event(p);
	memset(tw_frame__add(&p->frame, TW_TLV_CLOCK, 56), 0, 56); /* 4 bytes too few */
	one_event(p);
}

static void short_event_tlv(struct packet *p)
{
	one_event(p);
	memset(tw_frame__add(&p->frame, TW_TLV_EVENT, 8), 0, 8);
}

static void overlong_tlv(struct packet *p)
{
	uint8_t *value;

	one_event(p);
	value = tw_frame__add(&p->frame, TW_TLV_PAD, 8);
	tw_store_be16(value - 2, 60000);
	one_event(p);
}

static void zero_tlv(struct packet *p)
{
	uint8_t *value;

	one_event(p);
	value = tw_frame__add(&p->frame, TW_TLV_PAD, 8);
	tw_store_be16(value - 2, 0);
}

static void empty(struct packet *p)
{
	(void)p;
}

static void odd_length(struct packet *p)
{
	uint8_t record[35] = { 125, 0, 0, 0, 7, 0, 0, 0, 3 };
	uint8_t *value;

	packet__add_record(p, record, sizeof(record), NOW);
	value = p->frame.buf + sizeof(struct tw_frame_hdr);
	tw_store_be16(value + 2, (uint16_t)(tw_load_be16(value + 2) - 3));
}

#define NAMED(name)         \
	{                   \
#name, name \
	}

const struct bpf_frame_part bpf_contents[] = {
	NAMED(one_event),
	NAMED(another_event),
	NAMED(unknown_event),
	NAMED(short_event),
	NAMED(located),
	NAMED(located_to_the_end),
	NAMED(located_anywhere),
	NAMED(located_after_the_field),
	NAMED(bare_event),
	NAMED(packed),
	NAMED(same_events),
	NAMED(watermark_behind),
	NAMED(watermark),
	NAMED(lost),
	NAMED(lost_between),
	NAMED(part),
	NAMED(part_and_event),
	NAMED(padding),
	NAMED(auth_between),
	NAMED(filtered_before),
	NAMED(only_filtered),
	NAMED(new_type),
	NAMED(short_tlv),
	NAMED(short_event_tlv),
	NAMED(overlong_tlv),
	NAMED(zero_tlv),
	NAMED(empty),
	NAMED(odd_length),
	NAMED(packed_large),
};

const size_t bpf_n_contents = sizeof(bpf_contents) / sizeof(bpf_contents[0]);
