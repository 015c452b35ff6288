/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures are read packet by packet, with every kind of block and of damage, from a file and from a pipe. libpcap is the reference. */
#include "pcap-tools/capture/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "captures.h"

#define S 1000000000ull

static struct made made;

static int file_of(const void *bytes, size_t len)
{
	const int fd = memfd_create("capture", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void begin(bool big_endian)
{
	made.len = 0;
	made__section(&made, big_endian);
}

static struct tw_capture_file *open_made(int *ret_fd)
{
	struct tw_capture_file *file;
	struct tw_error err;

	*ret_fd = file_of(made.bytes, made.len);
	if (tw_capture_file__open(*ret_fd, "made", &file, &err))
		fail_msg("%s", err.text);
	return file;
}

static void assert_packet(struct tw_capture_file *file, uint64_t time, const char *data)
{
	struct tw_packet packet;
	struct tw_error err;
	const int r = tw_capture_file__next(file, &packet, &err);

	if (r < 0)
		fail_msg("%s", err.text);
	assert_int_equal(r, 1);
	assert_int_equal(packet.time, time);
	assert_int_equal(packet.len, strlen(data));
	assert_memory_equal(packet.data, data, packet.len);
}

static void assert_end(struct tw_capture_file *file, int fd)
{
	struct tw_packet packet;

	assert_int_equal(tw_capture_file__next(file, &packet, NULL), 0);
	assert_int_equal(tw_capture_file__next(file, &packet, NULL), 0);
	tw_capture_file__close(file);
	close(fd);
}

/* The next call returns an error whose text has @what. No packet follows. */
static void assert_damage(struct tw_capture_file *file, int fd, const char *what)
{
	struct tw_packet packet;
	struct tw_error err;

	assert_int_equal(tw_capture_file__next(file, &packet, &err), -EBADMSG);
	if (!strstr(err.text, what))
		fail_msg("\"%s\" is not in \"%s\"", what, err.text);
	assert_end(file, fd);
}

static void every_block(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian <= 1; big_endian++) {
		struct tw_capture_file *file;
		struct tw_packet packet;
		int fd;

		begin(big_endian);
		made__unknown(&made, TEST_NRB);
		made__interface(&made, 1, 0, 9, 0);
		made__interface(&made, 276, 4, 6, 0);
		made__packet(&made, 0, 5 * S + 1, "abcde", 5);
		made__unknown(&made, 0x80000bad);
		made__packet(&made, 1, 7, "", 0);
		made__obsolete(&made, 1, 1ull << 33, "ab", 2);
		made__simple(&made, 3, "xyz", 3);
		file = open_made(&fd);
		assert_int_equal(tw_capture_file__next(file, &packet, NULL), 1);
		assert_int_equal(packet.len, 5);
		assert_int_equal(packet.original, 6);
		assert_int_equal(packet.linktype, 1);
		assert_int_equal(packet.time, 5 * S + 1);
		assert_int_equal(packet.offset, 28 + 28 + 40 + 40); /* section, unknown, two interfaces */
		assert_memory_equal(packet.data, "abcde", 5);
		assert_packet(file, 7000, "");
		assert_int_equal(tw_capture_file__next(file, &packet, NULL), 1);
		assert_int_equal(packet.linktype, 276);
		assert_int_equal(packet.time, (1ull << 33) * 1000);
		assert_int_equal(packet.len, 2);
		assert_packet(file, 0, "xyz");
		assert_end(file, fd);
	}
}

static void sections(void **state)
{
	struct tw_capture_file *file;
	int fd;

	(void)state;
	begin(true);
	made__interface(&made, 1, 0, 9, 0);
	made__interface(&made, 1, 0, 9, 0);
	made__packet(&made, 1, 1, "one", 3);
	made__section(&made, false);
	made__interface(&made, 1, 0, -1, 0);
	made__packet(&made, 0, 2, "two", 3);
	made__section(&made, true);
	made__interface(&made, 1, 0, 3, 0);
	made__packet(&made, 0, 3, "three", 5);
	made__section(&made, true);
	made__packet(&made, 0, 3, "none", 4); /* interfaces belong to their section */
	file = open_made(&fd);
	assert_packet(file, 1, "one");
	assert_packet(file, 2000, "two");
	assert_packet(file, 3000000, "three");
	assert_damage(file, fd, "a packet refers to interface 0, but the number of interfaces is 0");
}

static void resolutions(void **state)
{
	static const struct {
		int tsresol;
		int64_t offset;
		uint64_t ticks, time;
	} rows[] = {
		{ -1, 0, 1234567, 1234567000 },
		{ 0, 0, 12, 12 * S },
		{ 3, 0, 1700000000123, 1700000000123 * 1000000 },
		{ 6, 0, 1700000000123456, 1700000000123456000 },
		{ 9, 0, 1700000000123456789, 1700000000123456789 },
		{ 12, 0, 1234567890123, 1234567890 },
		{ 18, 0, 12345678901234567890u, 12345678901 },
		{ 28, 0, 12345678901234567890u, 1 },
		{ 29, 0, 1000, 0 },
		{ 0x7f, 0, 1000, 0 },
		{ 0x80, 0, 3, 3 * S },
		{ 0x81, 0, 3, S + S / 2 },
		{ 0x94, 0, 5ull << 20 | 1 << 19, 5 * S + S / 2 },
		{ 0xbf, 0, 1ull << 63, S },
		{ 0xc0, 0, 1ull << 63, S / 2 },
		{ 0xff, 0, UINT64_MAX, 0 },
		{ 9, 5, 7, 5 * S + 7 },
		{ 9, -5, 7 * S, 2 * S },
		{ -1, 100, 1, 100 * S + 1000 },
		/* a value without meaning must also have a result */
		{ 9, INT64_MIN, 7, 7 },
		{ 0, 0, UINT64_MAX, -S },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tw_capture_file *file;
		int fd;

		begin(i % 2);
		made__interface(&made, 1, 0, rows[i].tsresol, rows[i].offset);
		made__packet(&made, 0, rows[i].ticks, "x", 1);
		file = open_made(&fd);
		assert_packet(file, rows[i].time, "x");
		assert_end(file, fd);
	}
}

/* if_tsoffset before if_tsresol, options with wrong lengths, and bytes after the end of options. */
static void odd_options(void **state)
{
	const uint8_t resolution = 3;
	struct tw_capture_file *file;
	int fd;

	(void)state;
	begin(false);
	made__begin(&made, TEST_IDB);
	made__number(&made, 1, 8);
	made__option(&made, 14, "\x02\0\0\0\0\0\0\0", 8);
	made__option(&made, 14, "\x09\0\0\0", 4);
	made__option(&made, 9, &resolution, 1);
	made__option(&made, 9, "\x09\0", 2);
	made__option(&made, 0, NULL, 0);
	made__option(&made, 9, "\x00", 1);
	made__end(&made);
	made__begin(&made, TEST_IDB);
	made__number(&made, 1, 8);
	made__number(&made, 9, 2);
	made__number(&made, 60000, 2); /* longer than the block */
	made__end(&made);
	made__packet(&made, 0, 1, "x", 1);
	made__packet(&made, 1, 1, "y", 1);
	file = open_made(&fd);
	assert_packet(file, 2 * S + 1000000, "x");
	assert_packet(file, 1000, "y");
	assert_end(file, fd);
}

static void simple_packets(void **state)
{
	struct tw_capture_file *file;
	struct tw_packet packet;
	int fd;

	(void)state;
	begin(false);
	made__interface(&made, 1, 3, 9, 0);
	made__simple(&made, 100, "abcd", 4); /* the fourth byte is padding, because the snaplen is 3 */
	made__simple(&made, 2, "ab", 2);
	made__section(&made, false);
	made__interface(&made, 1, 0, 9, 0);
	made__simple(&made, UINT32_MAX, "abcd", 4); /* the original length exceeds the block */
	made__section(&made, false);
	made__simple(&made, 4, "abcd", 4);
	file = open_made(&fd);
	assert_int_equal(tw_capture_file__next(file, &packet, NULL), 1);
	assert_int_equal(packet.len, 3);
	assert_int_equal(packet.original, 100);
	assert_packet(file, 0, "ab");
	assert_packet(file, 0, "abcd");
	assert_damage(file, fd, "a simple packet block has no length, or no interface");
}

static void patch(size_t at, uint32_t value)
{
	const size_t len = made.len;

	made.len = at;
	made__number(&made, value, 4);
	made.len = len;
}

/* A valid packet, then a packet block with a wrong word. The rows have the word's offset in the block, its value and the expected error. */
static void lying_packets(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *what;
	} rows[] = {
		{ 4, 0, "a block cannot have 0 bytes" },
		{ 4, 8, "a block cannot have 8 bytes" },
		{ 4, 50, "a block cannot have 50 bytes" },
		{ 4, 48, "the two lengths of a block differ" },
		{ 4, 5000, "it ends within a block of 5000 bytes" },
		{ 4, TW_CAPTURE_BLOCK_MAX, "it ends within a block of 16777216 bytes" },
		{ 4, TW_CAPTURE_BLOCK_MAX + 4, "a block cannot have 16777220 bytes" },
		{ 4, UINT32_MAX - 3, "a block cannot have 4294967292 bytes" },
		{ 48, 56, "the two lengths of a block differ" },
		{ 8, 1, "a packet refers to interface 1, but the number of interfaces is 1" },
		{ 8, UINT32_MAX, "a packet refers to interface 4294967295" },
		{ 20, 29, "a packet of 29 bytes does not fit its block of 52" },
		{ 20, UINT32_MAX, "a packet of 4294967295 bytes does not fit its block of 52" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		struct tw_capture_file *file;
		char where[32];
		size_t block;
		int fd;

		begin(i % 2);
		made__interface(&made, 1, 0, 9, 0);
		made__packet(&made, 0, 1, "good", 4);
		block = made.len;
		made__packet(&made, 0, 2, "evil", 4);
		assert_int_equal(made.len - block, 52);
		patch(block + rows[i / 2].at, rows[i / 2].value);
		snprintf(where, sizeof(where), "damaged at byte %zu: ", block);
		file = open_made(&fd);
		assert_packet(file, 1, "good");
		if (i / 2 % 2)
			assert_damage(file, fd, rows[i / 2].what);
		else
			assert_damage(file, fd, where);
	}
}

static void short_blocks(void **state)
{
	static const struct {
		uint32_t type;
		unsigned int body;
		const char *what;
	} rows[] = {
		{ TEST_IDB, 4, "an interface block cannot have 16 bytes" },
		{ TEST_EPB, 16, "a packet block cannot have 28 bytes" },
		{ TEST_PB, 0, "a packet block cannot have 12 bytes" },
		{ TEST_SPB, 0, "has no length" },
		{ TEST_SHB, 12, "a block cannot have 24 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tw_capture_file *file;
		int fd;

		begin(false);
		made__interface(&made, 1, 0, 9, 0);
		made__packet(&made, 0, 1, "good", 4);
		made__begin(&made, rows[i].type);
		if (rows[i].body >= 12) {
			made__number(&made, 0x1A2B3C4D, 4);
			made__number(&made, 1, 8);
		}
		while (made.len < made.block + 8 + rows[i].body)
			made__number(&made, 0, 4);
		made__end(&made);
		made__unknown(&made, 0xbad);
		file = open_made(&fd);
		assert_packet(file, 1, "good");
		assert_damage(file, fd, rows[i].what);
	}
}

static void bad_sections(void **state)
{
	struct tw_capture_file *file;
	struct tw_error err;
	size_t second;
	int fd;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(false);
		second = made.len;
		made__section(&made, false);
		patch(second + (i ? 12 : 8), i ? 2 : 0x12345678);
		file = open_made(&fd);
		assert_damage(file, fd,
			      i ? "a section has pcapng version 2.0" : "the byte order of a section is unknown");
	}
	begin(false);
	patch(8, 0x12345678);
	fd = file_of(made.bytes, made.len);
	assert_int_equal(tw_capture_file__open(fd, "made", &file, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "made is damaged at byte 0: the byte order of a section is unknown"));
	close(fd);
}

static void too_many_interfaces(void **state)
{
	const size_t size = 20, n = TW_CAPTURE_INTERFACES_MAX + 1;
	struct tw_capture_file *file;
	uint8_t *bytes;
	int fd;

	(void)state;
	begin(false);
	made__begin(&made, TEST_IDB);
	made__number(&made, 1, 8);
	made__end(&made);
	assert_int_equal(made.len, 28 + size);
	bytes = malloc(28 + size * n);
	assert_non_null(bytes);
	memcpy(bytes, made.bytes, 28);
	for (size_t i = 0; i < n; i++)
		memcpy(bytes + 28 + size * i, made.bytes + 28, size);
	fd = file_of(bytes, 28 + size * n);
	free(bytes);
	assert_int_equal(tw_capture_file__open(fd, "made", &file, NULL), 0);
	assert_damage(file, fd, "more than 262144 interfaces");
}

static void make_all_kinds(void)
{
	begin(true);
	made__interface(&made, 1, 8, 9, 5);
	made__packet(&made, 0, 1, "first", 5);
	made__unknown(&made, 0xbad);
	made__section(&made, false);
	made__interface(&made, 1, 8, 9, 0);
	made__obsolete(&made, 0, 2, "second", 6);
	made__simple(&made, 5, "third", 5);
}

/* Walk the blocks of the file up to @len. Return: whether a block ends there; @ret_packets: number of whole packet blocks before @len */
static bool ends_a_block(size_t len, unsigned int *ret_packets)
{
	bool big_endian = true;
	size_t at = 0;

	*ret_packets = 0;
	while (at < len) {
		const uint32_t type = made.bytes[at] == 0x0a ? TEST_SHB : made.bytes[at + (big_endian ? 3 : 0)];
		uint32_t size;

		if (type == TEST_SHB)
			big_endian = made.bytes[at + 8] == 0x1a;
		size = made.bytes[at +
				  (big_endian ? 7 : 4)]; /* the lowest byte is enough, because all blocks are small */
		if (len - at < 8 || size > len - at)
			return false;
		*ret_packets += type == TEST_EPB || type == TEST_PB || type == TEST_SPB;
		at += size;
	}
	return true;
}

/* Read all packets. Return: result of the last call; @ret_n: number of packets */
static int read_all(int fd, unsigned int *ret_n, struct tw_error *err)
{
	struct tw_capture_file *file;
	struct tw_packet packet;
	int r = tw_capture_file__open(fd, "made", &file, err);

	*ret_n = 0;
	if (r)
		return r;
	while ((r = tw_capture_file__next(file, &packet, err)) > 0)
		++*ret_n;
	tw_capture_file__close(file);
	return r;
}

static void cut_everywhere(void **state)
{
	(void)state;
	make_all_kinds();
	for (size_t len = 0; len <= made.len; len++) {
		const int fd = file_of(made.bytes, len);
		struct tw_error err = { "" };
		unsigned int n, whole;
		const bool at_end = ends_a_block(len, &whole);
		const int r = read_all(fd, &n, &err);

		assert_int_equal(n, whole);
		assert_int_equal(r, len < 4 ? -EINVAL : at_end ? 0 : -EBADMSG);
		if (r == -EBADMSG)
			assert_non_null(strstr(err.text, "made is damaged at byte "));
		close(fd);
	}
}

/* Each byte of the file is changed in turn: the reader always ends, and returns an error text if it fails. */
static void every_byte_wrong(void **state)
{
	(void)state;
	make_all_kinds();
	for (size_t i = 0; i < made.len * 4; i++) {
		static const uint8_t flips[] = { 0x01, 0x80, 0xff, 0x7f };
		struct tw_error err = { "" };
		unsigned int n;
		int fd, r;

		made.bytes[i / 4] ^= flips[i % 4];
		fd = file_of(made.bytes, made.len);
		r = read_all(fd, &n, &err);
		assert_true(n <= 3);
		assert_true(r == 0 || *err.text);
		close(fd);
		made.bytes[i / 4] ^= flips[i % 4];
	}
}

static void pcap_files(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		const bool ns = i & 1;
		struct tw_capture_file *file;
		struct tw_packet packet;
		int fd;

		made.len = 0;
		made__pcap(&made, i & 2, ns);
		made__record(&made, 1700000000, 123456, "abcde", 5);
		made__record(&made, UINT32_MAX, UINT32_MAX, "", 0);
		file = open_made(&fd);
		assert_int_equal(tw_capture_file__next(file, &packet, NULL), 1);
		assert_int_equal(packet.time, 1700000000 * S + 123456u * (ns ? 1 : 1000));
		assert_int_equal(packet.len, 5);
		assert_int_equal(packet.original, 6);
		assert_int_equal(packet.linktype, 1);
		assert_int_equal(packet.offset, 24);
		assert_memory_equal(packet.data, "abcde", 5);
		assert_packet(file, UINT32_MAX * S + (uint64_t)UINT32_MAX * (ns ? 1 : 1000), "");
		assert_end(file, fd);
	}
}

static void pcap_damage(void **state)
{
	struct tw_capture_file *file;
	int fd;

	(void)state;
	made.len = 0;
	made__pcap(&made, false, false);
	made__record(&made, 1, 0, "abcde", 5);
	made__record(&made, 2, 0, "fg", 2);
	for (size_t len = 0; len <= made.len; len++) {
		struct tw_error err;
		unsigned int n;
		const int r = (fd = file_of(made.bytes, len), read_all(fd, &n, &err));
		const bool whole = len == 24 || len == 45 || len == 63;

		assert_int_equal(n, len < 45 ? 0 : len < 63 ? 1 : 2);
		assert_int_equal(r, len < 4 ? -EINVAL : whole ? 0 : -EBADMSG);
		close(fd);
	}
	for (int i = 0; i < 2; i++) {
		patch(45 + 8, i ? UINT32_MAX : TW_CAPTURE_BLOCK_MAX - 16);
		file = open_made(&fd);
		assert_packet(file, 1 * S, "abcde");
		assert_damage(file, fd,
			      i ? "byte 45: a packet cannot have 4294967295 bytes"
				: "byte 45: it ends within a packet of 16777200 bytes");
	}
}

static void no_captures(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *what;
	} rows[] = {
		{ "", 0, "made is empty" },
		{ "\n", 1, "neither a pcapng nor a pcap file" },
		{ "name: sched_switch\n", 19, "neither a pcapng nor a pcap file" },
		{ "\x17\x08\x44tracing", 10, "`tracewire convert FILE OUT.pcapng`" },
		{ "\x1f\x8b\x08\0", 4, "`gunzip -c`" },
		{ "\xa1\xb2\xc3\xd5", 4, "neither" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const int fd = file_of(rows[i].bytes, rows[i].len);
		struct tw_capture_file *file;
		struct tw_error err;

		assert_int_equal(tw_capture_file__open(fd, "made", &file, &err), -EINVAL);
		assert_non_null(strstr(err.text, rows[i].what));
		close(fd);
	}
}

static void failing_reads(void **state)
{
	const int fd = open(".", O_RDONLY | O_DIRECTORY);
	struct tw_capture_file *file;
	struct tw_error err;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(tw_capture_file__open(fd, "made", &file, &err), -EISDIR);
	assert_non_null(strstr(err.text, "reading made failed: "));
	close(fd);
}

struct feeder {
	int fd;
	const uint8_t *bytes;
	size_t len, step;
};

static void *feed(void *ctx)
{
	const struct feeder *feeder = ctx;

	for (size_t at = 0; at < feeder->len;) {
		const size_t left = feeder->len - at;
		const ssize_t n = write(feeder->fd, feeder->bytes + at, left < feeder->step ? left : feeder->step);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	close(feeder->fd);
	return NULL;
}

static void start_feeder(struct feeder *feeder, pthread_t *ret, int *ret_fd)
{
	int pipe_fds[2];

	assert_int_equal(pipe(pipe_fds), 0);
	*ret_fd = pipe_fds[0];
	feeder->fd = pipe_fds[1];
	assert_int_equal(pthread_create(ret, NULL, feed, feeder), 0);
}

static void short_reads(void **state)
{
	static const size_t steps[] = { 1, 7, 4096 };

	(void)state;
	make_all_kinds();
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct feeder feeder = { .bytes = made.bytes, .len = made.len, .step = steps[i] };
		struct tw_capture_file *file;
		pthread_t thread;
		int fd;

		start_feeder(&feeder, &thread, &fd);
		assert_int_equal(tw_capture_file__open(fd, "made", &file, NULL), 0);
		assert_packet(file, 5 * S + 1, "first");
		assert_packet(file, 2, "second");
		assert_packet(file, 0, "third");
		assert_end(file, fd);
		pthread_join(thread, NULL);
	}
}

/* A packet is returned as soon as its block is complete, not when more data arrives. */
static void no_reading_ahead(void **state)
{
	struct tw_capture_file *file;
	int fds[2];

	(void)state;
	begin(false);
	made__interface(&made, 1, 0, 9, 0);
	made__packet(&made, 0, 1, "first", 5);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], made.bytes, made.len), made.len);
	assert_int_equal(tw_capture_file__open(fds[0], "made", &file, NULL), 0);
	assert_packet(file, 1, "first"); /* waits for ever if the reader reads ahead */
	close(fds[1]);
	assert_end(file, fds[0]);
}

/* Blocks of all sizes up to the largest, so that the window moves and grows. */
static void large_blocks(void **state)
{
	static const uint32_t sizes[] = { 5, 300000, 1, 900001, 262144, 2, TW_CAPTURE_BLOCK_MAX - 56, 77, 600000 };
	const size_t n = sizeof(sizes) / sizeof(sizes[0]);
	struct feeder feeder = { .step = 100000 };
	struct tw_capture_file *file;
	struct tw_packet packet;
	pthread_t thread;
	uint8_t *bytes;
	int fd;

	(void)state;
	made.len = 0;
	made__pcap(&made, false, true);
	bytes = calloc(1, (size_t)20 << 20);
	assert_non_null(bytes);
	memcpy(bytes, made.bytes, feeder.len = made.len);
	for (size_t i = 0; i < n; i++) {
		memcpy(bytes + feeder.len + 8, &sizes[i], 4);
		memset(bytes + feeder.len + 16, (int)(i + 1), sizes[i]);
		feeder.len += 16 + sizes[i];
	}
	feeder.bytes = bytes;
	start_feeder(&feeder, &thread, &fd);
	assert_int_equal(tw_capture_file__open(fd, "made", &file, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(tw_capture_file__next(file, &packet, NULL), 1);
		assert_int_equal(packet.len, sizes[i]);
		assert_int_equal(packet.data[0], i + 1);
		assert_memory_equal(packet.data, packet.data + 1, packet.len - 1); /* all bytes are the same */
	}
	assert_end(file, fd);
	pthread_join(thread, NULL);
	free(bytes);
}

/* This reader reads the same packets in a recording as libpcap. */
static void as_libpcap(void **state)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *judge =
		pcap_open_offline_with_tstamp_precision(TEST_DATA "/sample.pcapng", PCAP_TSTAMP_PRECISION_NANO, why);
	const int fd = open(TEST_DATA "/sample.pcapng", O_RDONLY);
	struct tw_capture_file *file;
	struct pcap_pkthdr *header;
	struct tw_packet packet;
	unsigned int n = 0;
	const uint8_t *data;
	int r;

	(void)state;
	if (!judge)
		fail_msg("%s", why);
	assert_int_equal(tw_capture_file__open(fd, "sample.pcapng", &file, NULL), 0);
	while ((r = pcap_next_ex(judge, &header, &data)) == 1) {
		assert_int_equal(tw_capture_file__next(file, &packet, NULL), 1);
		assert_int_equal(packet.time, (uint64_t)header->ts.tv_sec * S + (uint64_t)header->ts.tv_usec);
		assert_int_equal(packet.len, header->caplen);
		assert_int_equal(packet.original, header->len);
		assert_int_equal(packet.linktype, pcap_datalink(judge));
		assert_memory_equal(packet.data, data, packet.len);
		n++;
	}
	assert_int_equal(r, PCAP_ERROR_BREAK);
	assert_true(n > 100);
	assert_end(file, fd);
	pcap_close(judge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block),         cmocka_unit_test(sections),
		cmocka_unit_test(resolutions),         cmocka_unit_test(odd_options),
		cmocka_unit_test(simple_packets),      cmocka_unit_test(lying_packets),
		cmocka_unit_test(short_blocks),        cmocka_unit_test(bad_sections),
		cmocka_unit_test(too_many_interfaces), cmocka_unit_test(cut_everywhere),
		cmocka_unit_test(every_byte_wrong),    cmocka_unit_test(pcap_files),
		cmocka_unit_test(pcap_damage),         cmocka_unit_test(no_captures),
		cmocka_unit_test(failing_reads),       cmocka_unit_test(short_reads),
		cmocka_unit_test(no_reading_ahead),    cmocka_unit_test(large_blocks),
		cmocka_unit_test(as_libpcap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
