/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture truncated at every byte: the repaired file is whole, and has everything that was written before the cut. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>
#include <zstd.h>

#include "blocks.h"
#include "pcap-tools/output/output_impl.h"
#include "pcap-tools/output/repair.h"
#include "small_capture.h"

#define WRITES 5

static struct small_capture plain, packed;

static int make(void **state)
{
	(void)state;
	small_capture__make(&plain, "x.pcapng", WRITES, 4);
	small_capture__make(&packed, "x.pcapng.zst", WRITES, 4);
	return 0;
}

static int file_of(const void *bytes, size_t len)
{
	const int fd = memfd_create("cut", 0);

	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

static size_t read_back(int fd, uint8_t *to, size_t size)
{
	const ssize_t n = pread(fd, to, size, 0);

	assert_true(n >= 0);
	return (size_t)n;
}

/* Return: end of the last whole block of the plain capture within its first @len bytes */
static size_t whole_blocks(size_t len)
{
	struct block block;
	size_t at = 0;

	while (block__next(plain.bytes, len, &at, &block))
		;
	return at;
}

/* Return: the largest size of the file after a write that is at most @len; @ret_index: number of writes up to that one */
static size_t write_before(const struct small_capture *c, size_t len, size_t *ret_index)
{
	size_t found = 0;

	*ret_index = 0;
	for (size_t i = 0; i < c->n_writes && c->writes[i] <= len; i++) {
		found = c->writes[i];
		*ret_index = i + 1;
	}
	return found;
}

static void repair(int fd, size_t known, size_t len, bool dry_run, struct tw_repair *ret)
{
	const int code = tw_output__repair_fd(fd, known, dry_run, ret);

	if (code)
		fail_msg("cut at %zu, known to %zu: %d", len, known, code);
	assert_true(ret->size + ret->cut == len);
}

static void plain_cut_anywhere(void **state)
{
	static uint8_t left[65536];
	struct tw_repair got, again;
	size_t index;

	(void)state;
	for (size_t len = 0; len <= plain.size; len++) {
		const size_t known = write_before(&plain, len, &index);

		for (int how = 0; how < 2; how++) {
			const int fd = file_of(plain.bytes, len);

			repair(fd, how ? known : 0, len, true, &got);
			assert_int_equal(read_back(fd, left, sizeof(left)), len);
			repair(fd, how ? known : 0, len, false, &got);
			assert_int_equal(got.size, whole_blocks(len));
			assert_false(got.closed);
			assert_int_equal(read_back(fd, left, sizeof(left)), got.size);
			assert_memory_equal(left, plain.bytes, got.size);
			repair(fd, 0, got.size, false, &again);
			assert_int_equal(again.cut, 0);
			close(fd);
		}
	}
}

/* Check that the repaired file is a whole zstd frame, and has whole blocks, at least those of the first @writes writes. */
static void check_packed(int fd, size_t size, size_t writes)
{
	static uint8_t left[65536], out[65536];
	const size_t least = writes ? plain.writes[writes - 1] : 0;
	size_t len;

	assert_int_equal(read_back(fd, left, sizeof(left)), size);
	len = size ? ZSTD_decompress(out, sizeof(out), left, size) : 0;
	assert_false(ZSTD_isError(len));
	assert_true(len >= least && whole_blocks(len) == len);
	assert_memory_equal(out, plain.bytes, len);
}

static void packed_cut_anywhere(void **state)
{
	struct tw_repair got, again;
	size_t writes;

	(void)state;
	for (size_t len = 0; len <= packed.size; len++) {
		const size_t known = write_before(&packed, len, &writes);

		for (int how = 0; how < 2; how++) {
			const int fd = file_of(packed.bytes, len);

			repair(fd, how ? known : 0, len, true, &got);
			repair(fd, how ? known : 0, len, false, &got);
			assert_int_equal(got.closed, len < packed.size && got.size);
			check_packed(fd, got.size, writes);
			repair(fd, 0, got.size, false, &again);
			assert_true(!again.cut && !again.closed);
			close(fd);
		}
	}
}

/* Files with damage that an interrupted write cannot explain stay unchanged. */
static void damage_stays(void **state)
{
	static const char *const nothing_of_ours[] = { "some text that is no capture",
						       "\x28\xb5\x2f\xfd\x24\x05xxxxx" };
	uint8_t bytes[65536], left[65536];
	struct tw_repair got;
	int fd;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		fd = file_of(nothing_of_ours[i], strlen(nothing_of_ours[i]));
		assert_int_equal(tw_output__repair_fd(fd, 0, false, &got), -EBADMSG);
		close(fd);
	}
	memcpy(bytes, plain.bytes, plain.size);
	bytes[plain.writes[2] + 4] ^= 1; /* the length of a block in the middle */
	fd = file_of(bytes, plain.size - 5);
	assert_int_equal(tw_output__repair_fd(fd, 0, false, &got), -EBADMSG);
	assert_int_equal(read_back(fd, left, sizeof(left)), plain.size - 5);
	assert_memory_equal(left, bytes, plain.size - 5);
	assert_int_equal(tw_output__repair_fd(fd, plain.size, false, &got), -EBADMSG);
	close(fd);
	memcpy(bytes, packed.bytes, packed.size);
	memcpy(bytes + packed.size, "behind", 6);
	fd = file_of(bytes, packed.size + 6);
	assert_int_equal(tw_output__repair_fd(fd, 0, false, &got), -EBADMSG);
	close(fd);
}

/* Overwrite the first @to bytes of a plain file, except the first word. */
static void spoil_plain(uint8_t *bytes, size_t to)
{
	memset(bytes + 4, 0xff, to - 4);
}

/* Overwrite the content of zstd's blocks in the first @to bytes; the headers of the blocks stay. */
static void spoil_packed(uint8_t *bytes, size_t to)
{
	for (size_t at = TW_ZSTD_HEAD; at < to;) {
		const uint32_t len = (bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16) >> 3;

		at += TW_ZSTD_BLOCK_HEAD;
		memset(bytes + at, 0xff, len);
		at += len;
	}
}

/* A repair may run as root, so it does not parse the untrusted data before the offset in the note. */
static void known_is_not_read(void **state)
{
	static uint8_t bytes[65536];
	const struct small_capture *captures[] = { &plain, &packed };
	struct tw_repair got;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const size_t known = captures[i]->writes[WRITES / 2], len = known + 10;
		int fd;

		assert_true(captures[i]->size > len && captures[i]->size <= sizeof(bytes));
		memcpy(bytes, captures[i]->bytes, len);
		(i ? spoil_packed : spoil_plain)(bytes, known);
		fd = file_of(bytes, len);
		assert_int_equal(tw_output__repair_fd(fd, 0, true, &got), -EBADMSG);
		repair(fd, known, len, false, &got);
		assert_int_equal(got.size, known);
		close(fd);
	}
}

/* A repair by path has a sentence for each error, and does not follow symbolic links. */
static void by_path(void **state)
{
	char folder[] = "/tmp/test-repair-XXXXXX", path[64], link[64];
	struct tw_error err;
	struct tw_repair got;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(tw_output__repair(path, 0, false, &got, &err), -ENOENT);
	f = fopen(path, "wb");
	assert_true(f && fwrite(plain.bytes, 1, plain.size - 1, f) == plain.size - 1 && !fclose(f));
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(tw_output__repair(link, 0, false, &got, &err), -ELOOP);
	assert_int_equal(tw_output__repair(path, 3, false, &got, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "it stays unchanged"));
	assert_int_equal(tw_output__repair(path, 0, false, &got, &err), 0);
	assert_true(got.cut && got.size + got.cut == plain.size - 1);
	unlink(link);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_cut_anywhere),
		cmocka_unit_test(packed_cut_anywhere),
		cmocka_unit_test(damage_stays),
		cmocka_unit_test(known_is_not_read),
		cmocka_unit_test(by_path),
	};

	return cmocka_run_group_tests(tests, make, NULL);
}
