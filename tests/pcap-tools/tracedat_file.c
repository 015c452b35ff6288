/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "pcap-tools/tracedat/tracedat.h"

static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

static const char format[] = "name: %s\nID: %u\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:unsigned int value;\toffset:8;\tsize:4;\tsigned:0;\n\n"
			     "print fmt: \"value=%%u\", REC->value\n";

void test_dat__put(struct test_dat *dat, const void *bytes, size_t len)
{
	if (len > sizeof(dat->bytes) - dat->len)
		abort();
	memcpy(dat->bytes + dat->len, bytes, len);
	dat->len += len;
}

void test_dat__put_text(struct test_dat *dat, const char *text)
{
	test_dat__put(dat, text, strlen(text) + 1);
}

static void store(uint8_t *to, bool big_endian, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[big_endian ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

void test_dat__put_number(struct test_dat *dat, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	store(bytes, dat->big_endian, value, size);
	test_dat__put(dat, bytes, size);
}

void test_dat__set_number(struct test_dat *dat, size_t at, uint64_t value, size_t size)
{
	store(dat->bytes + at, dat->big_endian, value, size);
}

void test_dat__begin(struct test_dat *dat)
{
	dat->len = 0;
	test_dat__put(dat, "\x17\x08\x44tracing", 10);
	test_dat__put_text(dat, dat->version == 6 ? "6" : "7");
	test_dat__put_number(dat, dat->big_endian, 1);
	test_dat__put_number(dat, dat->long_size, 1);
	test_dat__put_number(dat, TEST_DAT_PAGE, 4);
	if (dat->version == 6)
		return;
	test_dat__put_text(dat, dat->codec ? dat->codec : "none");
	test_dat__put_text(dat, "1.0");
	dat->options_at = dat->len;
	test_dat__put_number(dat, 0, 8);
}

size_t test_dat__section(struct test_dat *dat, uint16_t id, bool compressed)
{
	test_dat__put_number(dat, id, 2);
	test_dat__put_number(dat, compressed, 2);
	test_dat__put_number(dat, 0, 4);
	test_dat__put_number(dat, 0, 8);
	return dat->len - 8;
}

/* Replace the bytes from @at on by their compressed form, after both lengths. Return: their length; @ret_packed: compressed length */
static size_t compress_from(struct test_dat *dat, size_t at, size_t *ret_packed)
{
	const size_t len = dat->len - at;
	uint8_t packed[2 * TEST_DAT_MAX / 16 + 1024];
	uLongf zlib_len = sizeof(packed);
	size_t n;

	if (!strcmp(dat->codec, "zstd"))
		n = ZSTD_compress(packed, sizeof(packed), dat->bytes + at, len, 1);
	else
		n = compress(packed, &zlib_len, dat->bytes + at, len) == Z_OK ? zlib_len : sizeof(packed) + 1;
	if (n > sizeof(packed))
		abort();
	dat->len = at;
	test_dat__put_number(dat, n, 4);
	test_dat__put_number(dat, len, 4);
	test_dat__put(dat, packed, n);
	*ret_packed = n;
	return len;
}

void test_dat__end_section(struct test_dat *dat, size_t size_at)
{
	size_t packed;

	if (dat->bytes[size_at - 6] | dat->bytes[size_at - 5])
		compress_from(dat, size_at + 8, &packed);
	test_dat__set_number(dat, size_at, dat->len - size_at - 8, 8);
}

static void put_headers(struct test_dat *dat)
{
	char text[512];
	const int len = snprintf(text, sizeof(text),
				 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
				 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
				 dat->long_size, 8u + dat->long_size, TEST_DAT_PAGE - 8u - dat->long_size);

	test_dat__put_text(dat, "header_page");
	test_dat__put_number(dat, (uint64_t)len, 8);
	test_dat__put(dat, text, (size_t)len);
	test_dat__put_text(dat, "header_event");
	test_dat__put_number(dat, strlen(header_event), 8);
	test_dat__put(dat, header_event, strlen(header_event));
}

static void put_format(struct test_dat *dat, const char *name, unsigned int id)
{
	char text[1024];
	const int len = snprintf(text, sizeof(text), format, name, id);

	test_dat__put_number(dat, (uint64_t)len, 8);
	test_dat__put(dat, text, (size_t)len);
}

static void put_ftrace(struct test_dat *dat)
{
	test_dat__put_number(dat, 1, 4);
	put_format(dat, "print", 5);
}

static void put_events(struct test_dat *dat)
{
	test_dat__put_number(dat, 1, 4);
	test_dat__put_text(dat, "test");
	test_dat__put_number(dat, 2, 4);
	put_format(dat, "one", 101);
	put_format(dat, "two", 102);
}

static void put_sized(struct test_dat *dat, const char *text, size_t size)
{
	test_dat__put_number(dat, strlen(text), size);
	test_dat__put(dat, text, strlen(text));
}

static void put_kallsyms(struct test_dat *dat)
{
	put_sized(dat, "ffffffff81000000 T first\nffffffff81000100 t second\n", 4);
}

static void put_printk(struct test_dat *dat)
{
	const size_t at = dat->len;
	uint32_t random = 1;

	put_sized(dat, "0xffffffff82000000 : \"hello %d\\n\"\n", 4);
	if (!dat->noise)
		return;
	test_dat__put(dat, "0xffffffff82000100 : \"", 22);
	for (size_t i = 0; i < dat->noise; i++) {
		random = random * 1664525 + 1013904223;
		test_dat__put_number(dat, '@' + (random >> 26), 1);
	}
	test_dat__put(dat, "\"\n", 2);
	test_dat__set_number(dat, at, dat->len - at - 4, 4);
}

static void put_cmdlines(struct test_dat *dat)
{
	put_sized(dat, "7 seven\n8 eight of them\n", 8);
}

void test_dat__texts(struct test_dat *dat, uint64_t sections[32])
{
	static const struct {
		uint16_t id;
		void (*put)(struct test_dat *dat);
	} texts[] = {
		{ TW_TRACEDAT_HEADER_INFO, put_headers },  { TW_TRACEDAT_FTRACE_EVENTS, put_ftrace },
		{ TW_TRACEDAT_EVENT_FORMATS, put_events }, { TW_TRACEDAT_KALLSYMS, put_kallsyms },
		{ TW_TRACEDAT_PRINTK, put_printk },        { TW_TRACEDAT_CMDLINES, put_cmdlines },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t size_at = 0;

		sections[texts[i].id] = dat->len;
		if (dat->version >= 7)
			size_at = test_dat__section(dat, texts[i].id, dat->codec);
		texts[i].put(dat);
		if (dat->version >= 7)
			test_dat__end_section(dat, size_at);
	}
}

void test_dat__option(struct test_dat *dat, uint16_t id, const void *value, size_t len)
{
	test_dat__put_number(dat, id, 2);
	test_dat__put_number(dat, len, 4);
	test_dat__put(dat, value, len);
}

void test_page__begin(struct test_page *page, const struct test_dat *dat, uint64_t time)
{
	*page = (struct test_page){ .len = 8u + dat->long_size, .dat = dat };
	store(page->bytes, dat->big_endian, time, 8);
}

static void put_word(struct test_page *page, uint64_t value, size_t size)
{
	if (size > sizeof(page->bytes) - page->len)
		abort();
	store(page->bytes + page->len, page->dat->big_endian, value, size);
	page->len += size;
}

static void put_head(struct test_page *page, uint32_t type, uint32_t delta)
{
	put_word(page, page->dat->big_endian ? type << 27 | delta : delta << 5 | type, 4);
}

void test_page__event(struct test_page *page, uint32_t delta, uint16_t id, uint32_t pid, uint32_t len)
{
	const uint32_t all = len + 8;

	put_head(page, all <= 112 ? all / 4 : 0, delta);
	if (all > 112)
		put_word(page, all + 4, 4);
	put_word(page, id, 2);
	put_word(page, 0x51, 1);
	put_word(page, 0x02, 1);
	put_word(page, pid, 4);
	for (uint32_t i = 0; i < len; i++)
		put_word(page, i, 1);
}

void test_page__entry(struct test_page *page, uint32_t type, uint32_t delta, uint32_t array)
{
	put_head(page, type, delta);
	put_word(page, array, 4);
}

void test_page__end(struct test_page *page, uint32_t flags, uint64_t lost)
{
	const size_t head = 8u + page->dat->long_size;

	store(page->bytes + 8, page->dat->big_endian, (page->len - head) | flags, page->dat->long_size);
	if (flags)
		put_word(page, lost, page->dat->long_size);
	page->len = sizeof(page->bytes);
}

/* Put all options that change times, and an option for a guest with two vcpus. */
static void put_more_options(struct test_dat *dat)
{
	static const uint64_t samples[2][4] = { { 900, 1100, 5, 9 }, { 1, 1, 0, 0 } };
	size_t begin;

	test_dat__option(dat, TW_TRACEDAT_DATE, "0x10", 5);
	test_dat__option(dat, TW_TRACEDAT_OFFSET, "-20", 4);
	test_dat__option(dat, 200, "unknown", 8);
	begin = dat->len;
	test_dat__option(dat, TW_TRACEDAT_TIME_SHIFT, "", 0);
	test_dat__put_number(dat, 77, 8);
	test_dat__put_number(dat, 1, 4);
	test_dat__put_number(dat, 1, 4);
	test_dat__put_number(dat, 2, 4);
	for (size_t i = 0; i < 8; i++)
		test_dat__put_number(dat, samples[i / 4][i % 4], 8);
	test_dat__set_number(dat, begin + 2, dat->len - begin - 6, 4);
	test_dat__option(dat, TW_TRACEDAT_TSC2NSEC, "", 0);
	test_dat__set_number(dat, dat->len - 4, 16, 4);
	test_dat__put_number(dat, 3, 4);
	test_dat__put_number(dat, 1, 4);
	test_dat__put_number(dat, 0, 8);
	begin = dat->len;
	test_dat__option(dat, TW_TRACEDAT_GUEST, "guest", 6);
	test_dat__put_number(dat, 0x1234, 8);
	test_dat__put_number(dat, 2, 4);
	for (uint32_t i = 0; i < 2; i++) {
		test_dat__put_number(dat, i, 4);
		test_dat__put_number(dat, 100 + i, 4);
	}
	test_dat__set_number(dat, begin + 2, dat->len - begin - 6, 4);
}

static void put_v6(struct test_dat *dat, const struct test_page *pages, size_t n)
{
	size_t places;

	test_dat__put_number(dat, n, 4);
	test_dat__put(dat, "options  ", 10);
	test_dat__option(dat, TW_TRACEDAT_UNAME, "Linux box 5.0 mips", 19);
	test_dat__option(dat, TW_TRACEDAT_TRACECLOCK, "", 0);
	if (dat->more_options)
		put_more_options(dat);
	test_dat__put_number(dat, TW_TRACEDAT_DONE, 2);
	test_dat__put(dat, "flyrecord", 10);
	places = dat->len;
	dat->len += 16 * n;
	put_sized(dat, "local [mono] perf", 8);
	for (size_t i = 0; i < n; i++) {
		test_dat__set_number(dat, places + 16 * i, dat->len, 8);
		test_dat__set_number(dat, places + 16 * i + 8, TEST_DAT_PAGE, 8);
		test_dat__put(dat, pages[i].bytes, TEST_DAT_PAGE);
	}
}

/* Put very small chunks that decompress to the largest permitted size. */
static void put_bombs(struct test_dat *dat)
{
	const size_t len = TW_TRACEDAT_CHUNK_MAX;
	uint8_t *zeroes = calloc(1, len), packed[4096];
	const size_t n = zeroes ? ZSTD_compress(packed, sizeof(packed), zeroes, len, 1) : sizeof(packed) + 1;

	free(zeroes);
	if (n > sizeof(packed))
		abort();
	test_dat__put_number(dat, dat->bombs, 4);
	for (uint32_t i = 0; i < dat->bombs; i++) {
		test_dat__put_number(dat, n, 4);
		test_dat__put_number(dat, len, 4);
		test_dat__put(dat, packed, n);
	}
}

static void put_v7_ring(struct test_dat *dat, const struct test_page *page)
{
	size_t packed;

	if (dat->bombs) {
		put_bombs(dat);
		return;
	}
	if (dat->codec)
		test_dat__put_number(dat, 1, 4);
	test_dat__put(dat, page->bytes, TEST_DAT_PAGE);
	if (dat->codec)
		compress_from(dat, dat->len - TEST_DAT_PAGE, &packed);
}

static void put_v7_rings(struct test_dat *dat, const struct test_page *pages, size_t n, uint64_t *offsets,
			 uint64_t *sizes)
{
	const size_t size_at = test_dat__section(dat, TW_TRACEDAT_BUFFER, dat->codec);

	for (size_t i = 0; i < n; i++) {
		offsets[i] = dat->len;
		put_v7_ring(dat, &pages[i]);
		sizes[i] = dat->len - offsets[i] - (dat->codec ? 4 : 0);
	}
	test_dat__set_number(dat, size_at, dat->len - size_at - 8, 8);
}

static void put_v7_buffer(struct test_dat *dat, uint64_t at, const uint64_t *offsets, const uint64_t *sizes, size_t n)
{
	const size_t begin = dat->len;

	test_dat__option(dat, TW_TRACEDAT_BUFFER, "", 0);
	test_dat__put_number(dat, at, 8);
	test_dat__put_text(dat, "");
	test_dat__put_text(dat, "mono");
	test_dat__put_number(dat, TEST_DAT_PAGE, 4);
	test_dat__put_number(dat, n, 4);
	for (size_t i = 0; i < n; i++) {
		test_dat__put_number(dat, i, 4);
		test_dat__put_number(dat, offsets[i], 8);
		test_dat__put_number(dat, sizes[i], 8);
	}
	test_dat__set_number(dat, begin + 2, dat->len - begin - 6, 4);
}

void test_dat__whole(struct test_dat *dat, const struct test_page *pages, size_t n)
{
	uint64_t sections[32] = { 0 }, offsets[8], sizes[8], rings;

	test_dat__begin(dat);
	test_dat__texts(dat, sections);
	if (dat->version == 6) {
		put_v6(dat, pages, n);
		return;
	}
	rings = dat->len;
	put_v7_rings(dat, pages, n, offsets, sizes);
	test_dat__set_number(dat, dat->options_at, dat->len, 8);
	dat->size_at = test_dat__section(dat, TW_TRACEDAT_DONE, dat->codec);
	test_dat__option(dat, TW_TRACEDAT_UNAME, "Linux box 5.0 mips", 19);
	if (dat->more_options)
		put_more_options(dat);
	for (uint16_t id = TW_TRACEDAT_HEADER_INFO; id <= TW_TRACEDAT_CMDLINES; id++) {
		test_dat__option(dat, id, "", 0);
		test_dat__set_number(dat, dat->len - 4, 8, 4);
		test_dat__put_number(dat, sections[id], 8);
	}
	put_v7_buffer(dat, rings, offsets, sizes, n);
	test_dat__option(dat, TW_TRACEDAT_DONE, "", 0);
	test_dat__set_number(dat, dat->len - 4, 8, 4);
	dat->next_at = dat->len;
	test_dat__put_number(dat, 0, 8);
	test_dat__end_section(dat, dat->size_at);
}
