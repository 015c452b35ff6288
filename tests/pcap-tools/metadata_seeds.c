/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metadata_seeds DIR: seeds of fuzz_metadata. */
#include <stdio.h>
#include <stdlib.h>

#include "explained.h"

static struct test_frame frame;

static void put(FILE *f)
{
	const size_t len = test_frame__end(&frame);

	fputc((int)(len >> 8), f);
	fputc((int)(len & 0xff), f);
	fwrite(frame.buf, 1, len, f);
}

static void begin(void)
{
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
}

static void names(FILE *f)
{
	for (uint32_t i = 0; i < 6; i++) {
		begin();
		explained__comm(&frame, 5 + i % 2, 100 * i, i % 3 ? "task" : "renamed");
		explained__symbol(&frame, 0xffffffff81000000 + i / 2 * 64, 64, "function");
		put(f);
	}
}

static void stream(FILE *f)
{
	const struct tw_stat_view stat = { TW_STAT_RECORDED, 0, 5 };

	for (int i = 0; i < 2; i++) {
		test_frame__hello(&frame, "host", "one", 1000, 5);
		put(f);
		begin();
		tw_stats__emit(&frame.f, &stat, 1);
		tw_end__emit(&frame.f);
		put(f);
	}
}

static struct tw_schema_view made_text(uint8_t *buf, size_t size)
{
	static char text[1024];
	const size_t len = explained__format(text, sizeof(text), 42, "event");

	return explained__schema(TW_SCHEMA_EVENT, 42, text, len, false, buf, size);
}

static void formats(FILE *f)
{
	uint8_t buf[2048];
	const struct tw_schema_view view = made_text(buf, sizeof(buf));

	for (int i = 0; i < 2; i++) {
		begin();
		tw_schema_tlv__emit(&frame.f, &view);
		put(f);
	}
}

static void pieces(FILE *f)
{
	uint8_t buf[2048], value[2048];
	const struct tw_schema_view view = made_text(buf, sizeof(buf));
	const uint32_t total = (uint32_t)(TW_SCHEMA_HEAD + view.len);

	tw_schema_tlv__lay_out(value, &view);
	for (uint32_t at = 0; at < total;) {
		begin();
		frame.f.cap = 400;
		at += (uint32_t)tw_frame__add_part(&frame.f, TW_TLV_SCHEMA, 1, value, total, at);
		put(f);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(FILE *f);
		int memory, size;
	} seeds[] = {
		{ "names", names, 255, 0 },     { "few-names", names, 0, 0 },   { "stream", stream, 255, 80 },
		{ "formats", formats, 255, 0 }, { "pieces", pieces, 255, 255 },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", argv[1], seeds[i].name);
		f = fopen(path, "wb");
		if (!f)
			return 1;
		fputc(seeds[i].memory, f);
		fputc(seeds[i].size, f);
		seeds[i].make(f);
		if (fclose(f))
			return 1;
	}
	return argc == 2 ? 0 : 1;
}
