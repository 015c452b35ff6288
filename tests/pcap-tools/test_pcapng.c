/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writer of pcapng files: the blocks in the file, and the results of failed writes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "blocks.h"
#include "pcap-tools/pcapng/writer.h"

static const struct tw_pcapng_section section = {
	.hardware = "machine",
	.os = "system",
	.application = "program",
	.comment = "remark",
};
static const struct tw_pcapng_interface interface = {
	.name = "box:one",
	.description = "events",
	.os = "6.1",
	.filter = "pid == 1",
	.linktype = TW_LINKTYPE_ETHERNET,
	.snaplen = 65535,
};

static struct tw_output *open_output(int fd)
{
	const struct tw_output_options options = { .fd = fd, .name = "x.pcapng" };
	struct tw_output *output;

	assert_int_equal(tw_output__open(&options, &output, NULL), 0);
	return output;
}

static struct tw_output *output;

static struct tw_pcapng *open_writer(int fd, size_t buffer, uint32_t *ret_id)
{
	struct tw_pcapng *w;

	output = open_output(fd);
	assert_int_equal(tw_pcapng__open(output, buffer, &section, &w, NULL), 0);
	assert_int_equal(tw_pcapng__interface(w, &interface, ret_id), 0);
	return w;
}

static void close_writer(struct tw_pcapng *w)
{
	tw_pcapng__close(w);
	tw_output__free(output);
}

static int put_packet(struct tw_pcapng *w, uint32_t id, uint64_t time, const void *data, size_t len)
{
	uint8_t *p = tw_pcapng__reserve(w, len);

	if (!p)
		return tw_pcapng__error(w, NULL);
	memcpy(p, data, len);
	tw_pcapng__commit(w, id, time, len, len + 1, (uint16_t)time);
	return 0;
}

static size_t read_back(int fd, uint8_t *file, size_t size)
{
	const ssize_t n = pread(fd, file, size, 0);

	assert_true(n >= 0);
	return (size_t)n;
}

static void assert_names(const uint8_t *file, size_t size, size_t *at)
{
	struct block block = { 0 };
	size_t len = 0;

	assert_true(block__next(file, size, at, &block));
	assert_int_equal(block.type, BLOCK_SHB);
	assert_int_equal(load_u32(block.body), 0x1A2B3C4D);
	assert_true(block__has_text(&block, 16, 1, "remark"));
	assert_true(block__has_text(&block, 16, 2, "machine"));
	assert_true(block__has_text(&block, 16, 3, "system"));
	assert_true(block__has_text(&block, 16, 4, "program"));
	assert_true(block__next(file, size, at, &block));
	assert_int_equal(block.type, BLOCK_IDB);
	assert_int_equal(load_u32(block.body) & 0xffff, 1);
	assert_int_equal(load_u32(block.body + 4), 65535);
	assert_true(block__has_text(&block, 8, 2, "box:one"));
	assert_true(block__has_text(&block, 8, 3, "events"));
	assert_true(block__has_text(&block, 8, 12, "6.1"));
	assert_int_equal(*block__option(&block, 8, 9, &len), 9);
	assert_memory_equal(block__option(&block, 8, 11, &len), "\0pid == 1", 9);
	assert_int_equal(len, 9);
}

static void every_block(void **state)
{
	const struct tw_pcapng_statistics statistics = {
		.time = 1ull << 40,
		.start = 1,
		.end = 2,
		.received = 3,
		.dropped = 4,
		.os_dropped = 5,
		.delivered = 6,
		.comment = "ledger",
	};
	const uint64_t time = 1700000000123456789ull;
	const int fd = memfd_create("pcapng", 0);
	uint8_t file[4096];
	struct block block = { 0 };
	struct tw_pcapng *w;
	size_t size, at = 0;
	uint32_t id;

	(void)state;
	w = open_writer(fd, 0, &id);
	assert_int_equal(put_packet(w, id, time, "abcde", 5), 0);
	assert_int_equal(put_packet(w, id, time, "abcd", 4), 0);
	assert_int_equal(tw_pcapng__statistics(w, id, &statistics), 0);
	assert_int_equal(read_back(fd, file, sizeof(file)), 0);
	assert_int_equal(tw_pcapng__flush(w), 0);
	size = read_back(fd, file, sizeof(file));
	assert_int_equal(tw_pcapng__bytes(w), size);
	assert_names(file, size, &at);
	assert_true(block__next(file, size, &at, &block));
	assert_int_equal(block.type, BLOCK_EPB);
	assert_int_equal(load_time(block.body + 4), time);
	assert_int_equal(load_u32(block.body + 12), 5);
	assert_int_equal(load_u32(block.body + 16), 6);
	assert_memory_equal(block.body + 20, "abcde\0\0\0", 8);
	assert_int_equal(block.body_len, 28);
	assert_true(block__next(file, size, &at, &block));
	assert_memory_equal(block.body + 20, "abcd", 4);
	assert_int_equal(block.body_len, 24);
	assert_true(block__next(file, size, &at, &block));
	assert_int_equal(block.type, BLOCK_ISB);
	assert_int_equal(load_time(block.body + 4), 1ull << 40);
	for (uint16_t code = 4; code <= 5; code++)
		assert_int_equal(block__number(&block, 12, code), code - 1);
	assert_int_equal(block__number(&block, 12, 7), 5);
	assert_int_equal(block__number(&block, 12, 8), 6);
	assert_true(block__has_text(&block, 12, 1, "ledger"));
	assert_int_equal(at, size);
	close_writer(w);
	close(fd);
}

static void long_texts_are_cut_between_characters(void **state)
{
	const int fd = memfd_create("pcapng", 0);
	const size_t max = 100000;
	char *text = malloc(max + 1);
	uint8_t *file = malloc(max);
	struct tw_pcapng_section long_section = { .comment = text };
	struct tw_pcapng *w;
	struct block block = { 0 };
	const uint8_t *value;
	size_t len = 0, at = 0;

	(void)state;
	assert_true(text && file);
	text[0] = 'x';
	for (size_t i = 1; i + 1 < max; i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[max - 1] = text[max] = '\0';
	output = open_output(fd);
	assert_int_equal(tw_pcapng__open(output, 0, &long_section, &w, NULL), 0);
	assert_int_equal(tw_pcapng__flush(w), 0);
	assert_true(block__next(file, read_back(fd, file, max), &at, &block));
	value = block__option(&block, 16, 1, &len);
	assert_non_null(value);
	assert_true(len > 1000 && len < 65536);
	assert_int_equal(value[len - 1], 0xa4);
	close_writer(w);
	close(fd);
	free(text);
	free(file);
}

static void packets_have_a_largest_size(void **state)
{
	const int fd = memfd_create("pcapng", 0);
	struct tw_pcapng *w;
	uint32_t id;

	(void)state;
	w = open_writer(fd, 16, &id);
	assert_null(tw_pcapng__reserve(w, TW_PCAPNG_PACKET_MAX + 1));
	assert_int_equal(tw_pcapng__error(w, NULL), 0);
	for (int i = 0; i < 5; i++) {
		assert_non_null(tw_pcapng__reserve(w, TW_PCAPNG_PACKET_MAX));
		tw_pcapng__commit(w, id, 1, TW_PCAPNG_PACKET_MAX, TW_PCAPNG_PACKET_MAX, 0);
	}
	assert_int_equal(tw_pcapng__flush(w), 0);
	close_writer(w);
	close(fd);
}

static void full_disk_is_said_once_and_for_all(void **state)
{
	const int fd = open("/dev/full", O_WRONLY);
	struct tw_error err = { "" };
	struct tw_pcapng *w;
	uint32_t id;

	(void)state;
	w = open_writer(fd, 0, &id);
	assert_int_equal(tw_pcapng__flush(w), -ENOSPC);
	assert_int_equal(tw_pcapng__error(w, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "x.pcapng: no space left"));
	assert_null(tw_pcapng__reserve(w, 10));
	assert_int_equal(put_packet(w, id, 1, "x", 1), -ENOSPC);
	assert_int_equal(tw_pcapng__flush(w), -ENOSPC);
	close_writer(w);
	close(fd);
}

/* Limits the size of files to @size; the hard limit stays, because it cannot be raised again. Return: the previous limit */
static struct rlimit limit_files(rlim_t size)
{
	struct rlimit before;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ size, before.rlim_max }), 0);
	return before;
}

/* After a failed write, the writer returns each packet that is not in the whole blocks of the file, with its interface. */
static void what_could_not_be_written(void **state)
{
	const int fd = memfd_create("pcapng", 0);
	struct tw_pcapng_unwritten packet = { 0 };
	struct rlimit before;
	struct tw_pcapng *w;
	uint64_t unwritten[2] = { 0, 0 };
	uint8_t file[4096];
	uint32_t ids[2];
	uint64_t in_file;
	size_t size;

	(void)state;
	w = open_writer(fd, 0, &ids[0]);
	assert_int_equal(tw_pcapng__interface(w, &interface, &ids[1]), 0);
	for (unsigned int i = 0; i < 30; i++) /* 132 bytes each in the file */
		assert_int_equal(put_packet(w, ids[i % 2], i, file, 100), 0);
	before = limit_files(2000);
	assert_int_equal(tw_pcapng__flush(w), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(tw_pcapng__flush(w), -EFBIG); /* the failure is final, although the file now has room */
	in_file = 30 - tw_pcapng__dropped(w);
	for (uint64_t i = in_file; tw_pcapng__next_unwritten(w, &packet); i++) {
		assert_int_equal(packet.weight, i);
		unwritten[packet.interface]++;
	}
	size = read_back(fd, file, sizeof(file));
	assert_true(in_file > 8 && in_file < 15 && size > 2000 - 132 && size <= 2000);
	assert_true(unwritten[0] + unwritten[1] == tw_pcapng__dropped(w));
	assert_true(unwritten[0] == 15 - (in_file + 1) / 2);
	close_writer(w);
	close(fd);
}

static void closed_pipe_is_an_error(void **state)
{
	struct tw_error err;
	struct tw_pcapng *w;
	uint32_t id;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	w = open_writer(fds[1], 0, &id);
	assert_int_equal(tw_pcapng__flush(w), 0);
	close(fds[0]);
	assert_int_equal(put_packet(w, id, 1, "x", 1), 0);
	assert_int_equal(tw_pcapng__flush(w), -EPIPE);
	assert_int_equal(tw_pcapng__error(w, &err), -EPIPE);
	assert_non_null(strstr(err.text, "its reader closed it"));
	close_writer(w);
	close(fds[1]);
}

/*
 * Check the end of a file whose writes failed: @whole bytes of whole blocks and, with @more, a last block for which the file has a reserve
 */
static void check_end(int fd, struct tw_pcapng *w, size_t whole, bool more)
{
	const struct tw_pcapng_statistics statistics = { .time = 1, .comment = "why" };
	static uint8_t file[1 << 17];
	struct block block = { 0 };
	size_t at = 0, size;

	if (more) {
		tw_pcapng__begin_last(w);
		assert_int_equal(tw_pcapng__statistics(w, 0, &statistics), 0);
		assert_int_equal(tw_pcapng__end_last(w), 0);
	}
	assert_int_equal(tw_output__finish(output, NULL), 0);
	size = read_back(fd, file, sizeof(file));
	while (block__next(file, size, &at, &block))
		assert_true(block.type != BLOCK_ISB || at > whole);
	assert_int_equal(at, size);
	assert_int_equal(block.type == BLOCK_ISB, more);
	assert_true(more ? size > whole : size == whole);
	assert_int_equal(tw_pcapng__bytes(w), size);
}

/* A size limit ends a write within a batch: the partly written block is removed. The last blocks can use the last quarter of the limit. */
static void a_cut_write_leaves_whole_blocks(void **state)
{
	static const uint8_t data[100];

	(void)state;
	for (int more = 0; more <= 1; more++) {
		const int fd = memfd_create("pcapng", 0);
		struct rlimit before = limit_files(26668);
		struct tw_pcapng *w;
		uint32_t id;
		int code = 0;

		w = open_writer(fd, 3000, &id);
		for (int i = 0; i < 1000 && !code; i++)
			code = put_packet(w, id, 1, data, sizeof(data));
		assert_int_equal(code, -EFBIG);
		assert_in_range(tw_pcapng__bytes(w), 19000, 20001);
		check_end(fd, w, tw_pcapng__bytes(w), more);
		setrlimit(RLIMIT_FSIZE, &before);
		close_writer(w);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(packets_have_a_largest_size),
		cmocka_unit_test(full_disk_is_said_once_and_for_all),
		cmocka_unit_test(what_could_not_be_written),
		cmocka_unit_test(closed_pipe_is_an_error),
		cmocka_unit_test(a_cut_write_leaves_whole_blocks),
	};

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
