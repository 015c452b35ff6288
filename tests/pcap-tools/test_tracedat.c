/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of trace.dat, with files made by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pcap-tools/tracedat/tracedat.h"
#include "tracedat_file.h"

static struct test_dat file;
static struct tw_error err;

static int64_t read_at(void *ctx, void *to, size_t len, uint64_t offset)
{
	(void)ctx;
	assert_true(offset <= file.len && len <= file.len - offset);
	memcpy(to, file.bytes + offset, len);
	return (int64_t)len;
}

static int open_file(struct tw_tracedat **ret)
{
	const struct tw_tracedat_source source = { .read_at = read_at, .size = file.len };

	err.text[0] = '\0';
	return tw_tracedat__open(&source, "test.dat", ret, &err);
}

static void kind_of_file(unsigned int version, bool big_endian, uint8_t long_size, const char *codec)
{
	file = (struct test_dat){
		.version = version, .big_endian = big_endian, .long_size = long_size, .codec = codec
	};
}

/* Make a file of two CPUs with two events each, alternating in time. The second CPU lost events before its first event. */
static void make(unsigned int version, bool big_endian, uint8_t long_size, const char *codec)
{
	struct test_page pages[2];

	kind_of_file(version, big_endian, long_size, codec);
	test_page__begin(&pages[0], &file, 1000);
	test_page__event(&pages[0], 0, 101, 7, 4);
	test_page__event(&pages[0], 10, 102, 7, 120);
	test_page__end(&pages[0], 0, 0);
	test_page__begin(&pages[1], &file, 1000);
	test_page__event(&pages[1], 0, 101, 8, 4);
	test_page__event(&pages[1], 5, 101, 8, 8);
	test_page__end(&pages[1], 0xc0000000, 12);
	test_dat__whole(&file, pages, 2);
}

static void expect(struct tw_tracedat *dat, uint64_t time, uint32_t cpu, uint32_t len)
{
	struct tw_tracedat_event event;

	assert_true(tw_tracedat__next(dat, &event));
	assert_int_equal(event.time, time);
	assert_int_equal(event.cpu, cpu);
	assert_int_equal(event.len, len);
}

static void check_whole(void)
{
	const struct tw_tracedat_info *info;
	struct tw_tracedat_event event;
	struct tw_tracedat *dat;

	assert_int_equal(open_file(&dat), 0);
	info = tw_tracedat__info(dat);
	assert_int_equal(info->n_formats, 3);
	assert_string_equal(info->formats[0].system, "ftrace");
	assert_string_equal(info->formats[2].system, "test");
	assert_string_equal(info->cmdlines.data, "7 seven\n8 eight of them\n");
	assert_non_null(strstr(info->kallsyms.data, "second"));
	assert_non_null(strstr(info->printk.data, "hello"));
	assert_int_equal(info->n_buffers, 1);
	assert_string_equal(info->buffers[0].name, "");
	assert_string_equal(info->buffers[0].clock, "mono");
	assert_int_equal(info->long_size, file.long_size);
	expect(dat, 1000, 0, 12);
	assert_true(tw_tracedat__next(dat, &event));
	assert_int_equal(event.cpu, 1);
	assert_true(event.lost && !event.lost_unknown);
	assert_int_equal(event.lost_count, 12);
	expect(dat, 1005, 1, 16);
	expect(dat, 1010, 0, 128);
	assert_false(tw_tracedat__next(dat, &event));
	assert_int_equal(tw_tracedat__info(dat)->damage.places, 0);
	assert_int_equal(tw_tracedat__info(dat)->done, info->data_bytes - (file.codec ? 8 : 0));
	tw_tracedat__close(dat);
}

static void test_every_kind(void **state)
{
	static const char *const codecs[] = { NULL, "zstd", "zlib" };

	(void)state;
	for (unsigned int kind = 0; kind < 4; kind++) {
		make(6, kind & 1, kind & 2 ? 4 : 8, NULL);
		check_whole();
		for (size_t i = 0; i < 3; i++) {
			make(7, kind & 1, kind & 2 ? 4 : 8, codecs[i]);
			check_whole();
		}
	}
}

static void one_page(const struct test_page *page)
{
	test_dat__whole(&file, page, 1);
}

static void test_entries(void **state)
{
	struct test_page page;
	struct tw_tracedat *dat;
	struct tw_tracedat_event event;

	(void)state;
	kind_of_file(6, false, 8, NULL);
	test_page__begin(&page, &file, 1000);
	test_page__entry(&page, 30, 3, 1); /* 2^27 + 3 later */
	test_page__event(&page, 1, 101, 7, 4);
	test_page__entry(&page, 29, 6, 8); /* a discarded event, 6 later */
	test_page__entry(
		&page, 0x1f, 9,
		9); /* its first word is the rest of the discarded event, which may have any content; its second is removed */
	page.len -= 4;
	test_page__entry(&page, 31, 5, 16); /* at 2^31 + 5 */
	test_page__event(&page, 2, 102, 8, 4);
	test_page__end(&page, 0x80000000, 0);
	one_page(&page);
	assert_int_equal(open_file(&dat), 0);
	assert_true(tw_tracedat__next(dat, &event));
	assert_true(event.lost && event.lost_unknown && !event.lost_count);
	assert_int_equal(event.time, 1000 + (1u << 27) + 3 + 1);
	assert_true(tw_tracedat__next(dat, &event));
	assert_false(event.lost);
	assert_int_equal(event.time, ((uint64_t)16 << 27) + 5 + 2);
	assert_false(tw_tracedat__next(dat, &event));
	assert_int_equal(tw_tracedat__info(dat)->damage.places, 0);
	tw_tracedat__close(dat);
}

/* An entry is longer than its sub-buffer: the events before it are returned, and the damage is reported. */
static void test_lying_entry(void **state)
{
	struct test_page page;
	struct tw_tracedat *dat;
	struct tw_tracedat_event event;

	(void)state;
	kind_of_file(7, true, 4, "zstd");
	test_page__begin(&page, &file, 1000);
	test_page__event(&page, 1, 101, 7, 4);
	test_page__entry(&page, 0, 1, 4000);
	test_page__end(&page, 0, 0);
	one_page(&page);
	assert_int_equal(open_file(&dat), 0);
	expect(dat, 1001, 0, 12);
	assert_false(tw_tracedat__next(dat, &event));
	assert_int_equal(tw_tracedat__info(dat)->damage.places, 1);
	assert_non_null(strstr(tw_tracedat__info(dat)->damage.first.text, "damaged at byte"));
	tw_tracedat__close(dat);
}

static void put_option(uint16_t id, const void *value, size_t len)
{
	uint8_t rest[4096];
	const size_t at = file.next_at - 6, rest_len = file.len - at;

	memcpy(rest, file.bytes + at, rest_len);
	file.len = at;
	test_dat__option(&file, id, value, len);
	file.next_at = file.len + 6;
	test_dat__put(&file, rest, rest_len);
	test_dat__end_section(&file, file.size_at);
}

static void expect_times(const uint64_t *times, size_t n)
{
	struct tw_tracedat_event event;
	struct tw_tracedat *dat;

	assert_int_equal(open_file(&dat), 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(tw_tracedat__next(dat, &event));
		assert_int_equal(event.time, times[i]);
	}
	tw_tracedat__close(dat);
}

static void put_u32(uint8_t *to, uint32_t value)
{
	memcpy(to, &value, sizeof(value));
}

/*
 * Put an option with time shifts for CPU 0, between which the reader interpolates. @samples: two times, their offsets, their scalings, and
 * the fractions of the scalings
 */
static void put_time_shift(const uint64_t samples[8])
{
	uint8_t shift[20 + 8 * sizeof(*samples)] = { 0 }; /* id of the peer, flags, number of CPUs, samples */

	put_u32(shift + 8, 1);
	put_u32(shift + 12, 1);
	put_u32(shift + 16, 2);
	memcpy(shift + 20, samples, 8 * sizeof(*samples));
	put_option(TW_TRACEDAT_TIME_SHIFT, shift, sizeof(shift));
}

/* Put such an option for both CPUs. @samples: as above, but the fractions of both CPUs follow all other values */
static void put_time_shifts(const uint64_t samples[16])
{
	uint8_t shift[24 + 16 * sizeof(*samples)] = { 0 };

	put_u32(shift + 8, 1);
	put_u32(shift + 12, 2);
	for (size_t cpu = 0; cpu < 2; cpu++) {
		put_u32(shift + 16 + cpu * 52, 2);
		memcpy(shift + 20 + cpu * 52, samples + cpu * 6, 6 * sizeof(*samples));
	}
	memcpy(shift + 120, samples + 12, 4 * sizeof(*samples));
	put_option(TW_TRACEDAT_TIME_SHIFT, shift, sizeof(shift));
}

static void test_clocks(void **state)
{
	uint8_t tsc[16] = { 0 };

	(void)state;
	make(7, false, 8, NULL);
	put_option(TW_TRACEDAT_DATE, "0x10", 5);
	put_option(TW_TRACEDAT_OFFSET, "-7", 3);
	expect_times((uint64_t[]){ 16993, 16993, 16998, 17003 }, 4);
	make(7, false, 8, NULL);
	put_u32(tsc, 3);
	put_u32(tsc + 4, 1);
	put_option(TW_TRACEDAT_TSC2NSEC, tsc, sizeof(tsc));
	expect_times((uint64_t[]){ 1500, 1500, 1507, 1515 }, 4);

	/* CPU 0 at 1000 and 1010 is shifted by 200 and 210, CPU 1 not at all */
	make(7, false, 8, NULL);
	put_time_shift((const uint64_t[]){ 900, 1100, 100, 300, 1, 1, 0, 0 });
	expect_times((uint64_t[]){ 1000, 1005, 1200, 1220 }, 4);
	/* CPU 0 is shifted by 101.5 and 101.65: offsets are rounded to the nearest ns, halves up */
	make(7, false, 8, NULL);
	put_time_shift((const uint64_t[]){ 900, 1100, 100, 103, 1, 1, 0, 0 });
	expect_times((uint64_t[]){ 1000, 1005, 1102, 1112 }, 4);
	/* CPU 0 is shifted by 200 and 210 again; times of CPU 1 are multiplied by 6 >> 1 */
	make(7, false, 8, NULL);
	put_time_shifts((const uint64_t[]){ 900, 1100, 100, 300, 1, 1, 900, 1100, 0, 0, 6, 6, 0, 0, 1, 1 });
	expect_times((uint64_t[]){ 1200, 1220, 3000, 3015 }, 4);
}

static void test_instances(void **state)
{
	struct test_page pages[2];
	struct tw_tracedat *dat;
	uint64_t offset;
	uint8_t option[16] = { 0 };
	size_t at;

	(void)state;
	/* version 6: the option has the offset of the instance's tag */
	kind_of_file(6, false, 8, NULL);
	test_page__begin(&pages[0], &file, 1000);
	test_page__event(&pages[0], 0, 101, 7, 4);
	test_page__end(&pages[0], 0, 0);
	test_dat__begin(&file);
	test_dat__texts(&file, (uint64_t[32]){ 0 });
	test_dat__put_number(&file, 1, 4);
	test_dat__put(&file, "options  ", 10);
	at = file.len + 6;
	memcpy(option + 8, "foo", 4);
	test_dat__option(&file, TW_TRACEDAT_BUFFER, option, 12);
	test_dat__put_number(&file, 0, 2);
	test_dat__put(&file, "flyrecord", 10);
	test_dat__put_number(&file, 0, 8);
	test_dat__put_number(&file, 0, 8);
	offset = file.len;
	test_dat__set_number(&file, at, offset, 8);
	test_dat__put(&file, "flyrecord", 10);
	test_dat__put_number(&file, file.len + 16, 8);
	test_dat__put_number(&file, TEST_DAT_PAGE, 8);
	test_dat__put(&file, pages[0].bytes, TEST_DAT_PAGE);
	assert_int_equal(open_file(&dat), 0);
	assert_int_equal(tw_tracedat__info(dat)->n_buffers, 2);
	assert_string_equal(tw_tracedat__info(dat)->buffers[1].name, "foo");
	expect(dat, 1000, 0, 12);
	tw_tracedat__close(dat);

	/* An instance whose offset is that of its own option, repeated: damage, and bounded memory. */
	test_dat__set_number(&file, at, at - 6 - 10, 8);
	assert_int_equal(open_file(&dat), 0);
	assert_true(tw_tracedat__info(dat)->damage.places > 0);
	tw_tracedat__close(dat);
}

static void expect_refusal(int code, const char *part)
{
	struct tw_tracedat *dat;

	assert_int_equal(open_file(&dat), code);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" has no \"%s\"", err.text, part);
}

static void test_refused(void **state)
{
	(void)state;
	kind_of_file(6, false, 8, NULL);
	expect_refusal(-EINVAL, "empty");
	test_dat__put(&file, "\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a", 12);
	expect_refusal(-EINVAL, "pcapng");
	make(6, false, 8, NULL);
	file.bytes[10] = '9';
	expect_refusal(-EINVAL, "version 9");
	make(7, false, 8, NULL);
	memcpy(file.bytes + 18, "lz77", 4);
	expect_refusal(-EINVAL, "lz77");
	make(6, false, 8, NULL);
	file.len = 1500;
	expect_refusal(-EBADMSG, "damaged at byte");
	make(6, false, 8, NULL);
	*(char *)memmem(file.bytes, file.len, "header_page", 11) = 'H';
	expect_refusal(-EBADMSG, "the layout of its rings (header_page, header_event) cannot be read to its end");
	make(6, false, 8, NULL);
	memcpy(memmem(file.bytes, file.len, "flyrecord", 9), "latency  ", 9);
	expect_refusal(-EINVAL, "latency");
}

/* Options that refer to themselves as the next options, a chain of options that leads out of the file, and a length beyond the file. */
static void test_lying_sections(void **state)
{
	struct tw_tracedat *dat;
	uint64_t options;

	(void)state;
	make(7, false, 8, NULL);
	memcpy(&options, file.bytes + file.options_at, sizeof(options));
	test_dat__set_number(&file, file.next_at, options, 8);
	assert_int_equal(open_file(&dat), 0);
	assert_non_null(strstr(tw_tracedat__info(dat)->damage.first.text, "is cyclic"));
	expect(dat, 1000, 0, 12);
	tw_tracedat__close(dat);

	make(7, false, 8, NULL);
	test_dat__set_number(&file, file.next_at, UINT64_MAX - 3, 8);
	assert_int_equal(open_file(&dat), 0);
	assert_int_equal(tw_tracedat__info(dat)->damage.places, 1);
	expect(dat, 1000, 0, 12);
	tw_tracedat__close(dat);

	make(7, false, 8, NULL);
	test_dat__set_number(&file, options + 16 + 2, UINT32_MAX, 4); /* the first option's length */
	expect_refusal(-EBADMSG, "damaged at byte");
}

/*
 * Each chunk decompresses to 16 MiB. Four chunks have the 64 MiB that any file may have; the fifth one exceeds the limit and ends its ring.
 * So does the first chunk of the other ring.
 */
static void test_chunk_bombs(void **state)
{
	struct test_page pages[2];
	struct tw_tracedat_event event;
	struct tw_tracedat *dat;

	(void)state;
	kind_of_file(7, false, 8, "zstd");
	file.bombs = 40;
	for (size_t i = 0; i < 2; i++)
		test_page__begin(&pages[i], &file, 1000);
	test_dat__whole(&file, pages, 2);
	assert_int_equal(open_file(&dat), 0);
	assert_false(tw_tracedat__next(dat, &event));
	assert_int_equal(tw_tracedat__info(dat)->damage.places, 2);
	assert_non_null(
		strstr(tw_tracedat__info(dat)->damage.first.text, "more than 1100 times their size plus 64 MiB"));
	assert_true(tw_tracedat__info(dat)->done < tw_tracedat__info(dat)->data_bytes / 4);
	tw_tracedat__close(dat);
}

/* If a guest's clock has corrections for some CPUs only, it is not corrected at all. */
static void test_cut_time_shift(void **state)
{
	static const size_t shift_count = 6 + 8 + 4; /* offset of the number of CPUs in the option */
	struct test_page pages[2];
	struct tw_tracedat *dat;
	uint8_t *shift;

	(void)state;
	for (int cut = 0; cut < 2; cut++) {
		kind_of_file(7, false, 8, NULL);
		file.more_options = true;
		for (size_t i = 0; i < 2; i++) {
			test_page__begin(&pages[i], &file, 1000);
			test_page__event(&pages[i], 0, 101, 7, 4);
			test_page__end(&pages[i], 0, 0);
		}
		test_dat__whole(&file, pages, 2);
		shift = memmem(file.bytes, file.len, "\x0c\0\x54\0\0\0\x4d", 7);
		assert_non_null(shift);
		shift[shift_count] = cut ? 6 : 1;
		assert_int_equal(open_file(&dat), 0);
		/* 1000 is half-way between the samples: a correction gives 1007. The result is that times 3 / 2, plus 16 us - 20 ns. */
		expect(dat, 17480, cut ? 0 : 1, 12);
		expect(dat, cut ? 17480 : 17490, cut ? 1 : 0, 12);
		assert_int_equal(tw_tracedat__info(dat)->damage.places, cut);
		tw_tracedat__close(dat);
	}
}

/* A truncated file is refused or has damage. If only its last byte is missing, the events before it are returned. */
static void test_truncated(void **state)
{
	static const char *const codecs[] = { NULL, "zstd" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (unsigned int version = 6; version <= 7; version++) {
			size_t len;

			make(version, false, 8, version == 7 ? codecs[i] : NULL);
			for (len = file.len; len--;) {
				struct tw_tracedat_event event;
				struct tw_tracedat *dat;

				file.len = len;
				if (open_file(&dat))
					continue;
				while (tw_tracedat__next(dat, &event))
					;
				assert_true(tw_tracedat__info(dat)->damage.places > 0);
				tw_tracedat__close(dat);
			}
		}
	}
	make(6, false, 8, NULL);
	file.len -= 1;
	{
		struct tw_tracedat *dat;

		assert_int_equal(open_file(&dat), 0);
		expect(dat, 1000, 0, 12);
		expect(dat, 1000, 1, 12);
		tw_tracedat__close(dat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),     cmocka_unit_test(test_entries),
		cmocka_unit_test(test_lying_entry),    cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_instances),      cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lying_sections), cmocka_unit_test(test_chunk_bombs),
		cmocka_unit_test(test_cut_time_shift), cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
