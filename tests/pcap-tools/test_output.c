/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of files, when the next file is due, and the ring of files. test_output.sh tests the content of the files. */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "pcap-tools/output/output.h"
#include "pcap-tools/output/output_impl.h"
#include "pcap-tools/output/repair.h"

static void names(void **state)
{
	static const struct {
		const char *path;
		uint64_t number;
		const char *name;
	} table[] = {
		{ "x.pcapng", 1, "x_00001_20240714120117.pcapng" },
		{ "a.b.pcapng", 42, "a.b_00042_20240714120117.pcapng" },
		{ "noext", 1, "noext_00001_20240714120117" },
		{ "d.e/noext", 1, "d.e/noext_00001_20240714120117" },
		{ "d.e/.hidden", 1, "d.e/.hidden_00001_20240714120117" },
		{ "x.pcapng.zst", 1, "x_00001_20240714120117.pcapng.zst" },
		{ "x.zst", 1, "x_00001_20240714120117.zst" },
		{ ".zst", 1, ".zst_00001_20240714120117" },
		{ "x.", 1, "x_00001_20240714120117." },
		{ "x.pcapng", 99999, "x_99999_20240714120117.pcapng" },
		{ "x.pcapng", 100000, "x_00000_20240714120117.pcapng" },
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(tw_file_names__make(table[i].path, table[i].number, 1720958477, name, sizeof(name)),
				 0);
		assert_string_equal(name, table[i].name);
	}
	assert_int_equal(tw_file_names__make("x.pcapng", 1, 0, name, 20), -ENAMETOOLONG);
}

static char folder[] = "/tmp/test-output-XXXXXX", path[64];

static int make_folder(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/x.pcapng", folder);
	return 0;
}

/* Remove all files of the folder. Return: number of files */
static size_t remove_files(void)
{
	char pattern[64];
	size_t n = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*", folder);
	if (!glob(pattern, 0, NULL, &found))
		for (; n < found.gl_pathc; n++)
			remove(found.gl_pathv[n]);
	globfree(&found);
	return n;
}

static int remove_folder(void **state)
{
	(void)state;
	remove_files();
	return rmdir(folder);
}

static struct tw_output *open_output(const struct tw_output_options *options)
{
	struct tw_output *output;
	struct tw_error err;

	if (tw_output__open(options, &output, &err))
		fail_msg("%s", err.text);
	return output;
}

static void what_is_due(void **state)
{
	const struct tw_output_options one = { .path = path }, several = {
		.path = path, .file_bytes = 1000, .file_packets = 10, .file_ns = 100 * TW_NS_PER_SECOND
	};
	struct tw_output *output = open_output(&one);
	uint64_t now;
	size_t kept;

	(void)state;
	assert_false(tw_output__is_due(output, 1 << 30, 1 << 30, UINT64_MAX - 1));
	assert_string_equal(tw_output__name(output), path);
	tw_output__free(output);
	output = open_output(&several);
	now = tw_time__now(CLOCK_MONOTONIC);
	assert_false(tw_output__is_due(output, 999, 9, 0));
	assert_true(tw_output__is_due(output, 1000, 9, 0));
	assert_true(tw_output__is_due(output, 0, 10, 0));
	assert_false(tw_output__is_due(output, 0, 0, now + 99 * TW_NS_PER_SECOND));
	assert_true(tw_output__is_due(output, 0, 0, now + 100 * TW_NS_PER_SECOND));
	assert_int_equal(tw_output__write(output, path, 60, &kept, NULL), 0);
	assert_true(tw_output__is_due(output, 940, 0, 0));
	assert_int_equal(tw_output__next(output, NULL), 0);
	assert_false(tw_output__is_due(output, 999, 0, 0));
	tw_output__free(output);
	assert_int_equal(remove_files(), 3);
}

/* Another program may remove a file of the ring; an existing name is not overwritten. */
static void others_and_the_ring(void **state)
{
	const struct tw_output_options options = { .path = path, .file_packets = 1, .files_max = 2 };
	struct tw_output *output = open_output(&options);
	struct tw_output_stats stats;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_output__next(output, NULL), 0);
	assert_int_equal(remove_files(), 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tw_output__next(output, NULL), 0);
	stats = *tw_output__stats(output);
	assert_true(stats.files == 5 && stats.removed == 3 && !stats.removed_early);
	assert_int_equal(rename(tw_output__name(output), path), 0);
	assert_int_equal(mkdir(tw_output__name(output), 0700), 0); /* a directory, which cannot be unlinked */
	assert_int_equal(tw_output__next(output, NULL), 0);
	assert_int_equal(tw_output__next(output, &err), -EISDIR);
	assert_non_null(strstr(err.text, "the oldest file of the ring"));
	tw_output__free(output);
	remove_files();
}

/* Another program removes the file that is being written, so its data is lost. The end reports this; a ring continues until its end. */
static void removed_by_others(void **state)
{
	const struct tw_output_options options[] = { { .path = path }, { .path = path, .file_packets = 1 } };
	struct tw_error err;
	size_t kept;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tw_output *output = open_output(&options[i]);

		assert_int_equal(tw_output__write(output, path, 60, &kept, NULL), 0);
		assert_int_equal(remove_files(), 1);
		if (i)
			assert_int_equal(tw_output__next(output, &err), 0);
		assert_int_equal(tw_output__finish(output, &err), -ENOENT);
		assert_non_null(strstr(err.text, "another program removed"));
		assert_non_null(strstr(err.text, "60 bytes are lost"));
		tw_output__free(output);
		assert_int_equal(remove_files(), i);
	}
}

#define FULL       100000 /* largest size of a file, in place of a full disk, bytes */
#define BLOCK_BODY 1000

/* Write a whole pcapng block to @to: a section header, or a block of incompressible data. Return: length, bytes */
static uint32_t write_block(uint32_t *to, bool section)
{
	const uint32_t words = section ? 7 : BLOCK_BODY / 4 + 3;

	for (uint32_t i = 2; i < words; i++)
		to[i] = (uint32_t)random();
	to[0] = section ? 0x0A0D0D0A : 0x40000BAD;
	if (section)
		memcpy(to + 2, (const uint32_t[]){ 0x1A2B3C4D, 1, UINT32_MAX, UINT32_MAX }, 16);
	to[1] = to[words - 1] = words * 4;
	return words * 4;
}

/* Write more than FULL bytes to the file, as a user who could not open it again. Return: result of the last write, or -1 */
static int fill_up(const char *name)
{
	struct tw_output *output = open_output(&(struct tw_output_options){ .path = name });
	uint32_t block[BLOCK_BODY / 4 + 3];
	size_t kept;
	int code = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (chmod(name, 0) || (!geteuid() && seteuid(65534)) || setrlimit(RLIMIT_FSIZE, &(struct rlimit){ FULL, FULL }))
		return -1;
	for (int i = 0; i < 2 * FULL / BLOCK_BODY && !code; i++)
		code = tw_output__write(output, block, write_block(block, !i), &kept, NULL);
	tw_output__free(output);
	return code;
}

/* When the disk is full, a process that has opened the file and then given up all rights also leaves whole blocks. */
static void full_without_rights(void **state)
{
	static const char *const endings[] = { "pcapng", "pcapng.zst" };
	struct tw_repair repair;
	char name[128];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		pid_t child;
		int status;

		snprintf(name, sizeof(name), "%s/full.%s", folder, endings[i]);
		child = fork();
		if (!child)
			_exit(fill_up(name) == -EFBIG ? 0 : 1);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_return_code(chmod(name, 0600), errno);
		assert_int_equal(tw_output__repair(name, 0, true, &repair, NULL), 0);
		assert_in_range(repair.size, FULL / 2, FULL);
		assert_int_equal(repair.cut, 0);
		assert_false(repair.closed);
	}
	assert_int_equal(remove_files(), 2);
}

static void cannot_be_several(void **state)
{
	const struct tw_output_options options[] = {
		{ .path = "-", .file_bytes = 1 },
		{ .fd = 1, .file_bytes = 1 },
		{ .path = "/dev/null", .interval_ns = 1 },
	};
	struct tw_output *output;
	struct tw_error err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(tw_output__open(&options[i], &output, &err), -EINVAL);
		assert_non_null(strstr(err.text, "it cannot be split into several files"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(what_is_due),
		cmocka_unit_test(others_and_the_ring),
		cmocka_unit_test(removed_by_others),
		cmocka_unit_test(full_without_rights),
		cmocka_unit_test(cannot_be_several),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
