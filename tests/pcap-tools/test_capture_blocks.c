/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of a capture that are not packets are shown in file order. Their options are read to the last byte, and no further. */
#include "pcap-tools/capture/capture_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "captures.h"

static struct made made;
static char seen[1024];

/* Add a text of the block to the texts of the blocks before it. */
static void show(void *ctx, const struct tw_capture_block *block)
{
	static const char *const kinds[] = { "section", "interface", "statistics" };
	struct tw_capture_options options = block->options;
	struct tw_capture_option option;
	char *text = ctx;
	size_t len = strlen(text);

	len += (size_t)snprintf(text + len, sizeof(seen) - len, "%s %u", kinds[block->kind], block->interface);
	if (block->kind == TW_CAPTURE_INTERFACE)
		len += (size_t)snprintf(text + len, sizeof(seen) - len, " link %u snap %u", block->linktype,
					block->snaplen);
	if (block->time)
		len += (size_t)snprintf(text + len, sizeof(seen) - len, " at %llu", (unsigned long long)block->time);
	while (tw_capture_options__next(&options, &option))
		len += (size_t)snprintf(text + len, sizeof(seen) - len, " %u:%u=%.*s", option.code, option.len,
					option.code < 9 ? option.len : 0, (const char *)option.value);
	snprintf(text + len, sizeof(seen) - len, "\n");
}

/* Read the capture that was made. Return: number of packets */
static int read_made(void)
{
	const int fd = memfd_create("capture", 0);
	struct tw_capture_file *file;
	struct tw_packet packet;
	struct tw_error err;
	int n = 0, r;

	assert_int_equal(pwrite(fd, made.bytes, made.len, 0), made.len);
	if (tw_capture_file__open(fd, "made", &file, &err))
		fail_msg("%s", err.text);
	*seen = '\0';
	tw_capture_file__watch(file, show, seen);
	while ((r = tw_capture_file__next(file, &packet, &err)) > 0)
		n++;
	assert_int_equal(r, 0);
	tw_capture_file__close(file);
	close(fd);
	return n;
}

static void every_block(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian <= 1; big_endian++) {
		made.len = 0;
		made__section(&made, big_endian);
		made__interface(&made, 1, 100, 9, 0);
		made__interface(&made, 276, 0, 6, 5);
		made__packet(&made, 1, 0, "abc", 3);
		made__statistics(&made, 1, 7, "all well");
		made__statistics(&made, 2, 7, "of nobody");
		made__section(&made, !big_endian);
		made__interface(&made, 1, 0, -1, 0);
		assert_int_equal(read_made(), 1);
		assert_string_equal(seen, "section 0\n"
					  "interface 0 link 1 snap 100 2:4=name 9:1=\n"
					  "interface 1 link 276 snap 0 2:4=name 9:1= 14:8=\n"
					  "statistics 1 at 5000007000 1:8=all well\n"
					  "section 0\n"
					  "interface 0 link 1 snap 0 2:4=name\n");
	}
}

static void pcap(void **state)
{
	(void)state;
	made.len = 0;
	made__pcap(&made, false, true);
	made__record(&made, 1, 2, "abc", 3);
	assert_int_equal(read_made(), 1);
	assert_string_equal(seen, "section 0\ninterface 0 link 1 snap 65535\n");
}

/* An option that extends beyond its block ends the list. */
static void options_cut(void **state)
{
	const uint8_t bytes[] = { 0, 1, 0, 2, 'a', 'b', 0, 0, 0, 1, 0, 5, 'c', 'd', 'e', 'f' };
	struct tw_capture_options options = { .at = bytes, .left = sizeof(bytes), .big_endian = true };
	struct tw_capture_option option;

	(void)state;
	assert_true(tw_capture_options__next(&options, &option));
	assert_int_equal(option.code, 1);
	assert_int_equal(option.len, 2);
	assert_memory_equal(option.value, "ab", 2);
	assert_false(tw_capture_options__next(&options, &option));
	assert_int_equal(options.left, 8);
	options = (struct tw_capture_options){ .at = bytes, .left = 3, .big_endian = true };
	assert_false(tw_capture_options__next(&options, &option));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block),
		cmocka_unit_test(pcap),
		cmocka_unit_test(options_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
