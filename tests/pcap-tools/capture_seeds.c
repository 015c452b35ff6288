/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_seeds DIR: seeds of fuzz_capture, with each kind of capture and each kind of metadata. Built WITH_FILTERS, it writes the seeds of
 * fuzz_capture_filter: the same captures, each after an expression.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "captures.h"
#include "explained.h"

#ifndef WITH_FILTERS
#define WITH_FILTERS 0
#endif

static struct test_frame frame;

/* Make a packet of the frame, after an Ethernet header. Return: length of the packet */
static size_t in_ethernet(uint8_t *ret, size_t len)
{
	memset(ret, 0, 12);
	tw_store_be16(ret + 12, TW_ETHERTYPE);
	memcpy(ret + 14, frame.buf, len);
	return len + 14;
}

static void put_frame(struct made *m)
{
	uint8_t packet[4096];
	const size_t len = in_ethernet(packet, test_frame__end(&frame));

	made__packet(m, 0, 1000, packet, (uint32_t)len);
}

static void put_schema(struct made *m, bool compressed)
{
	uint8_t buf[2048];
	char text[1024];
	const size_t len = explained__format(text, sizeof(text), 42, "event");
	const struct tw_schema_view view =
		explained__schema(TW_SCHEMA_EVENT, 42, text, len, compressed, buf, sizeof(buf));

	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
	tw_schema_tlv__emit(&frame.f, &view);
	put_frame(m);
}

static void put_event(struct made *m)
{
	test_frame__begin(&frame, 1, 0, 1000);
	test_frame__event(&frame, 1000, 5, 24);
	put_frame(m);
}

static void begin(struct made *m)
{
	made__section(m, false);
	made__interface(m, 1, 0, 9, 0);
}

static void formats(struct made *m)
{
	begin(m);
	put_schema(m, false);
	put_event(m);
}

static void compressed(struct made *m)
{
	begin(m);
	put_schema(m, true);
	put_event(m);
}

static void names(struct made *m)
{
	const char text[] = "0xffffffff81000000 : \"some \\\"text\\n\"\n0x0 : \"\"\n";
	uint8_t buf[256];
	const struct tw_schema_view view =
		explained__schema(TW_SCHEMA_PRINTK, 0, text, sizeof(text) - 1, false, buf, sizeof(buf));

	begin(m);
	test_frame__hello(&frame, "host", "one", 1000, 5);
	put_frame(m);
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
	explained__comm(&frame, 5, 0, "task");
	explained__comm(&frame, 5, 900, "renamed");
	explained__symbol(&frame, 0xffffffff81000000, 64, "function");
	tw_schema_tlv__emit(&frame.f, &view);
	put_frame(m);
}

static void pieces(struct made *m)
{
	uint8_t buf[2048], value[2048];
	char text[1024];
	const size_t len = explained__format(text, sizeof(text), 42, "event");
	const struct tw_schema_view view = explained__schema(TW_SCHEMA_EVENT, 42, text, len, false, buf, sizeof(buf));
	const uint32_t total = (uint32_t)(TW_SCHEMA_HEAD + view.len);

	begin(m);
	tw_schema_tlv__lay_out(value, &view);
	for (uint32_t at = 0; at < total;) {
		test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
		frame.f.cap = 400;
		at += (uint32_t)tw_frame__add_part(&frame.f, TW_TLV_SCHEMA, 1, value, total, at);
		put_frame(m);
	}
	put_event(m);
}

/* A HOST with hooks, in pieces and in one record; one has bytes that must be escaped. */
static void hooks(struct made *m)
{
	static const char texts[][24] = { "sockts:drop, stage", "\x1b[7m\n\xff", "" };
	struct tw_attr_view attrs[3];
	uint8_t value[128];
	uint32_t total;

	begin(m);
	for (size_t i = 0; i < 3; i++)
		attrs[i] = (struct tw_attr_view){ TW_HOST_HOOK, (const uint8_t *)texts[i], strlen(texts[i]) };
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
	tw_host__emit(&frame.f, attrs, 3);
	total = (uint32_t)(frame.f.len - sizeof(struct tw_frame_hdr) - sizeof(struct tw_tlv));
	memcpy(value, frame.buf + sizeof(struct tw_frame_hdr) + sizeof(struct tw_tlv), total);
	put_frame(m);
	for (uint32_t at = 0; at < total;) {
		test_frame__begin(&frame, TW_CHANNEL_CONTROL, 1, 1000);
		frame.f.cap = 100;
		at += (uint32_t)tw_frame__add_part(&frame.f, TW_TLV_HOST, 1, value, total, at);
		put_frame(m);
	}
}

/* Has everything that a filter can test, and a frame that a classifier changed. */
static void packed(struct made *m)
{
	begin(m);
	test_frame__hello(&frame, "host", "one", 1000, 5);
	put_frame(m);
	put_schema(m, false);
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
	explained__comm(&frame, 5, 0, "task");
	put_frame(m);
	test_frame__begin(&frame, 1, 0, 1000);
	for (uint32_t i = 0; i < 8; i++)
		test_frame__event(&frame, 1000 + i, i, 24);
	test_frame__end(&frame);
	tw_store_be16(frame.buf + sizeof(struct tw_frame_hdr), TW_TLV_FILTERED);
	put_frame(m);
	test_frame__watermark(&frame, 2000, (const uint16_t[]){ 1 }, (const uint64_t[]){ 8 }, 1);
	put_frame(m);
}

static void blocks(struct made *m)
{
	made__section(m, true);
	made__interface(m, 1, 3, 0x94, -5);
	made__packet(m, 0, 77, "abcde", 5);
	made__unknown(m, 0xbad);
	made__section(m, false);
	made__interface(m, 1, 3, 12, 5);
	made__obsolete(m, 0, 77, "abcde", 5);
	made__simple(m, 9, "abc", 3);
}

static void pcap(struct made *m)
{
	uint8_t packet[4096];

	made__pcap(m, false, true);
	test_frame__begin(&frame, 1, 0, 1000);
	test_frame__event(&frame, 1000, 5, 24);
	made__record(m, 1, 2, packet, (uint32_t)in_ethernet(packet, test_frame__end(&frame)));
}

static void statistics(struct made *m)
{
	begin(m);
	put_event(m);
	made__statistics(m, 0, 2000, "ledger version=1 state=closed recorded=1 delivered=1");
	made__statistics(m, 1, 2000, "of nobody");
}

/* A capture compressed by zstd, in two zstd frames. */
static void expandable(struct made *m)
{
	static struct made plain;
	size_t half;

	plain.len = 0;
	formats(&plain);
	half = plain.len / 2;
	m->len = ZSTD_compress(m->bytes, sizeof(m->bytes), plain.bytes, half, 1);
	m->len += ZSTD_compress(m->bytes + m->len, sizeof(m->bytes) - m->len, plain.bytes + half, plain.len - half, 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *filter;
		void (*make)(struct made *m);
	} seeds[] = {
		{ "formats", "made.event.i == 0x05050505 and not words > 1", formats },
		{ "compressed", "i in {1, 3..9} or i & 0x80", compressed },
		{ "names", "comm ~ \"ta[s]?\" or host contains \"o\"", names },
		{ "pieces", "!(event == \"event\") || system matches \"^m.d\"", pieces },
		{ "hooks", "host == \"hook\"", hooks },
		{ "packed", "comm == \"task\" or pid < 3 && time > 0.000001002", packed },
		{ "blocks", "cpu == 1", blocks },
		{ "pcap", "words", pcap },
		{ "statistics", "pid == 5", statistics },
		{ "expandable", "i", expandable },
	};
	static struct made made;

	for (size_t i = 0; argc == 2 && i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		char path[4096];
		FILE *f;

		made.len = 0;
		seeds[i].make(&made);
		snprintf(path, sizeof(path), "%s/%s", argv[1], seeds[i].name);
		f = fopen(path, "wb");
		if (f && WITH_FILTERS)
			fprintf(f, "%s\n", seeds[i].filter);
		if (!f || fwrite(made.bytes, 1, made.len, f) != made.len || fclose(f))
			return 1;
	}
	return argc == 2 ? 0 : 1;
}
