/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures compressed by zstd: whole, in several frames, truncated anywhere, damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "captures.h"
#include "pcap-tools/capture/capture_file.h"
#include "tests/failing_memory.h"

#define PACKETS 100

static struct made made;
static uint8_t compressed[32768];

static void make(void)
{
	uint8_t noise[64];

	srand(1);
	made.len = 0;
	made__section(&made, false);
	made__interface(&made, 1, 0, 9, 0);
	for (int i = 0; i < PACKETS; i++) {
		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (uint8_t)rand();
		made__packet(&made, 0, (uint64_t)i, noise, sizeof(noise));
	}
}

/* Compress the capture in zstd frames of @piece bytes each. Return: compressed length, bytes */
static size_t compress(size_t piece)
{
	size_t len = 0;

	for (size_t at = 0; at < made.len; at += piece) {
		const size_t left = made.len - at;
		const size_t n = ZSTD_compress(compressed + len, sizeof(compressed) - len, made.bytes + at,
					       left < piece ? left : piece, 1);

		assert_false(ZSTD_isError(n));
		len += n;
	}
	return len;
}

/* Read the first @len compressed bytes. Return: number of packets; @ret: result of the call that returned no packet */
static int read_file(size_t len, int *ret)
{
	const int fd = memfd_create("capture", 0);
	struct tw_capture_file *file;
	struct tw_packet packet;
	struct tw_error err = { "" };
	int n = 0;

	assert_int_equal(pwrite(fd, compressed, len, 0), len);
	*ret = tw_capture_file__open(fd, "made.zst", &file, &err);
	if (!*ret) {
		assert_true(tw_capture_file__is_compressed(file));
		while ((*ret = tw_capture_file__next(file, &packet, &err)) > 0)
			assert_int_equal(packet.time, n++);
		tw_capture_file__close(file);
	}
	if (*ret == -EBADMSG)
		assert_non_null(strstr(err.text, "damaged"));
	close(fd);
	return n;
}

static void whole(void **state)
{
	int r;

	(void)state;
	make();
	for (size_t piece = 100; piece < 20000; piece += 700) {
		assert_int_equal(read_file(compress(piece), &r), PACKETS);
		assert_int_equal(r, 0);
	}
}

/* A longer part of the file never has fewer packets, and the truncation is an error. */
static void cut(void **state)
{
	size_t len;
	int r, last = 0;

	(void)state;
	make();
	len = compress(1000);
	for (size_t at = 200; at < len; at += 37) {
		const int n = read_file(at, &r);

		assert_true(n >= last);
		assert_true(n > 0 || at < 1500);
		if (r) /* no error if the file was truncated between two blocks and between two zstd frames */
			assert_int_equal(r, -EBADMSG);
		last = n;
	}
	assert_true(last > PACKETS - 20);
}

static void damaged(void **state)
{
	size_t len;
	int r;

	(void)state;
	make();
	len = compress(1000);
	compressed[len / 2] ^= 0xff;
	compressed[len / 2 + 1] ^= 0xff;
	read_file(len, &r);
	assert_true(r <= 0);
	memset(compressed + len / 2, 0, 2000);
	assert_true(read_file(len, &r) < PACKETS);
	assert_int_equal(r, -EBADMSG);
	memcpy(compressed, "\x28\xb5\x2f\xfd\0\0", 6);
	assert_int_equal(read_file(6, &r), 0);
	assert_int_equal(r, -EBADMSG);
}

/* Compressed data that is no capture is refused like uncompressed data. */
static void no_capture(void **state)
{
	const size_t len = ZSTD_compress(compressed, sizeof(compressed), "some text", 9, 1);
	int r;

	(void)state;
	read_file(len, &r);
	assert_int_equal(r, -EINVAL);
}

/* Without the memory to open the file, there is an error that says so. */
static void no_memory(void **state)
{
	const int fd = memfd_create("capture", 0);
	struct tw_capture_file *file;
	struct tw_error err;
	size_t len;
	long n = 0;

	(void)state;
	make();
	len = compress(1000);
	for (;; n++) {
		int opened;

		assert_int_equal(pwrite(fd, compressed, len, 0), len);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		before_failure = n;
		opened = tw_capture_file__open(fd, "made.zst", &file, &err);
		if (before_failure >= 0)
			break;
		assert_int_equal(opened, -ENOMEM);
		assert_string_equal(err.text, "no memory to read made.zst");
	}
	before_failure = -1;
	assert_true(n >= 3); /* the file, its buffer, the decompressor */
	tw_capture_file__close(file);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),      cmocka_unit_test(cut),       cmocka_unit_test(damaged),
		cmocka_unit_test(no_capture), cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
