/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small trace.dat is converted: its losses and its options are in the pcapng file. Without memory, the conversion fails. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "pcap-tools/convert/convert.h"
#include "tests/failing_memory.h"
#include "tests/pcap-tools/tracedat_file.h"
#include "wire/decode.h"

#define ETHERNET   14 /* length of the Ethernet header before a frame, bytes */
#define LOST_COUNT 12

static struct test_dat file;

/* Make a file of two CPUs; the second CPU lost events before its first event. */
static void make_file(bool big_endian, size_t noise)
{
	struct test_page pages[2];

	file = (struct test_dat){
		.version = 6, .big_endian = big_endian, .long_size = 8, .more_options = true, .noise = noise
	};
	test_dat__begin(&file);
	test_page__begin(&pages[0], &file, 1000);
	test_page__event(&pages[0], 0, 101, 7, 4);
	test_page__end(&pages[0], 0, 0);
	test_page__begin(&pages[1], &file, 1000);
	test_page__event(&pages[1], 5, 101, 8, 4);
	test_page__end(&pages[1], 0xc0000000, LOST_COUNT);
	test_dat__whole(&file, pages, 2);
}

static int64_t read_at(void *ctx, void *to, size_t len, uint64_t offset)
{
	const struct test_dat *from = ctx;
	const size_t n = offset > from->len ? 0 : len < from->len - offset ? len : (size_t)(from->len - offset);

	memcpy(to, from->bytes + (offset < from->len ? offset : 0), n);
	return (int64_t)n;
}

/* Return: file descriptor of the pcapng file, in memory, at its beginning */
static int convert(struct tw_convert_stats *stats)
{
	const struct tw_tracedat_source source = { .read_at = read_at, .ctx = &file, .size = file.len };
	const struct tw_convert_options options = { .fd = memfd_create("pcapng", 0), .name = "memory" };
	struct tw_tracedat *dat;

	assert_true(options.fd >= 0);
	assert_int_equal(tw_tracedat__open(&source, "trace.dat", &dat, NULL), 0);
	assert_int_equal(tw_convert__run(dat, &options, stats, NULL), 0);
	tw_tracedat__close(dat);
	assert_int_equal(lseek(options.fd, 0, SEEK_SET), 0);
	return options.fd;
}

/* Add the counts of a frame's LOST records to @lost. */
static void count_lost(const struct tw_packet *packet, uint64_t *lost)
{
	struct tw_frame_info info;
	enum tw_frame_status status;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;
	struct tw_lost_view view;

	assert_int_equal(tw_frame__parse(packet->data + ETHERNET, packet->len - ETHERNET, &info, &tlvs), TW_FRAME_OK);
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status))
		if (tlv.type == TW_TLV_LOST && tw_lost__parse(&tlv, info.base_time, &view))
			*lost += view.count;
}

static void test_losses(void **state)
{
	struct tw_convert_stats stats;
	struct tw_capture_file *in;
	struct tw_packet packet;
	uint64_t lost = 0;
	int fd;

	(void)state;
	make_file(false, 0);
	fd = convert(&stats);
	assert_int_equal(stats.events, 2);
	assert_int_equal(stats.lost, LOST_COUNT);
	assert_int_equal(stats.lost_unknown, 0);
	assert_int_equal(tw_capture_file__open(fd, "memory", &in, NULL), 0);
	while (tw_capture_file__next(in, &packet, NULL) == 1)
		count_lost(&packet, &lost);
	assert_int_equal(lost, LOST_COUNT);
	tw_capture_file__close(in);
	close(fd);
}

static bool has_text(int fd, const char *text)
{
	static char bytes[TEST_DAT_MAX];
	const ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

	assert_in_range(n, 1, sizeof(bytes) - 1);
	return memmem(bytes, (size_t)n, text, strlen(text));
}

static void test_options(void **state)
{
	struct tw_convert_stats stats;

	(void)state;
	for (unsigned int big_endian = 0; big_endian < 2; big_endian++) {
		int fd;

		make_file(big_endian, 0);
		fd = convert(&stats);
		assert_true(has_text(fd, "GUEST: guest, trace id 0x1234, vcpus and their pids 0=100 1=101"));
		assert_true(has_text(fd, "mult 3 shift 1 offset 0"));
		assert_true(has_text(fd, "option 200: unknown"));
		assert_int_equal(stats.comments_cut, 0);
		close(fd);
	}
}

/*
 * Each allocation fails in turn: the conversion fails, reports damage, or writes everything. The file has options, which become comments, and a
 * text that exceeds a frame.
 */
static void test_no_memory(void **state)
{
	struct tw_tracedat_source source = { .read_at = read_at, .ctx = &file };
	struct tw_convert_options options = { .name = "memory" };
	struct tw_convert_stats stats;
	uint64_t usual;
	long n = 0;
	bool reached;

	(void)state;
	make_file(false, 100000);
	source.size = file.len;
	options.fd = convert(&stats);
	usual = stats.bytes;
	do {
		struct tw_error error = { "" };
		struct tw_tracedat *dat;
		int err;

		assert_int_equal(ftruncate(options.fd, 0), 0);
		assert_int_equal(lseek(options.fd, 0, SEEK_SET), 0);
		assert_int_equal(tw_tracedat__open(&source, "trace.dat", &dat, NULL), 0);
		before_failure = n++;
		err = tw_convert__run(dat, &options, &stats, &error);
		reached = before_failure < 0;
		before_failure = -1;
		if (err) {
			assert_int_equal(err, -ENOMEM);
			assert_string_equal(error.text, "converting to memory: no memory");
		} else if (!tw_tracedat__info(dat)->damage.places) {
			/* There are more bytes if the texts are not compressed together. */
			assert_in_range(stats.bytes, usual, UINT64_MAX);
		}
		tw_tracedat__close(dat);
	} while (reached);
	assert_true(n > 20);
	assert_int_equal(stats.bytes, usual);
	close(options.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
