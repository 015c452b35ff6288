/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -b and -a: their effect on the output, and the error texts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/capture/output_options.h"

static void each_key(void **state)
{
	static const char *const ring[] = { "filesize:1000", "duration:0.5", "interval:3600", "packets:7", "files:5" };
	static const char *const stop[] = { "filesize:20", "duration:10", "files:3", "events:8" };
	struct output_request request = { 0 };
	struct tw_output_options options = { .path = "x" };

	(void)state;
	for (size_t i = 0; i < sizeof(ring) / sizeof(ring[0]); i++)
		assert_int_equal(output_request__ring(&request, ring[i], NULL), 0);
	assert_int_equal(output_request__check(&request, NULL), 0);
	output_request__apply(&request, &options);
	assert_true(options.file_bytes == 1000000); /* as dumpcap 4.0: its kB are 1000 bytes */
	assert_true(options.file_ns == 500000000);
	assert_true(options.interval_ns == 3600000000000ull);
	assert_true(options.file_packets == 7);
	assert_int_equal(options.files_max, 5);
	for (size_t i = 0; i < sizeof(stop) / sizeof(stop[0]); i++)
		assert_int_equal(output_request__autostop(&request, stop[i], NULL), 0);
	assert_true(request.stop_bytes == 20000 && request.stop_ns == 10000000000ull);
	assert_true(request.stop_files == 3 && request.stop_events == 8);
	assert_int_equal(output_request__autostop(&request, "packets:9", NULL), 0);
	assert_true(request.stop_events == 9);
	assert_int_equal(output_request__autostop(&request, "filesize:3M", NULL), 0);
	assert_true(request.stop_bytes == 3 << 20);
	assert_int_equal(output_request__autostop(&request, "duration:0.000000001s", NULL), 0);
	assert_true(request.stop_ns == 1);
}

/* As in dumpcap(1): if there are several files, -a filesize ends a file, and not the capture. */
static void autostop_filesize_of_several_files(void **state)
{
	struct output_request request = { .files_max = 2, .stop_bytes = 5000 };
	struct tw_output_options options = { .path = "x" };

	(void)state;
	assert_int_equal(output_request__check(&request, NULL), 0);
	output_request__apply(&request, &options);
	assert_true(options.file_bytes == 5000);
	request = (struct output_request){ .stop_bytes = 5000 };
	output_request__apply(&request, &options);
	assert_true(options.file_bytes == 0);
}

static void sentences(void **state)
{
	static const struct {
		int (*parse)(void *request, const char *text, struct tw_error *err);
		const char *text, *says;
	} wrong[] = {
		{ output_request__ring, "files", "the keys are duration, filesize, files, interval, packets" },
		{ output_request__ring, "file:5", "--ring-buffer 'file:5' is not KEY:VALUE" },
		{ output_request__ring, "", "is not KEY:VALUE" },
		{ output_request__ring, ":", "is not KEY:VALUE" },
		{ output_request__ring, "events:5", "is not KEY:VALUE" },
		{ output_request__ring, "files:", "'' is not a number" },
		{ output_request__ring, "files:-1", "'-1' is not a number: write digits only, such as 100" },
		{ output_request__ring, "files:0", "is not in the range from 1 to 99999" },
		{ output_request__ring, "files:100000", "is not in the range from 1 to 99999" },
		{ output_request__ring, "filesize:1MB", "'1MB' is not a number" },
		{ output_request__ring, "filesize:18446744073709551615", "is not in the range from 1 to " },
		{ output_request__ring, "packets:5K",
		  "'5K' is not a number because of character 2: write digits only" },
		{ output_request__ring, "packets:0x10", "'0x10' is not a number" },
		{ output_request__ring, "duration:0x10", "'0x10': give a number of seconds above 0" },
		{ output_request__ring, "duration:0", "'0': give a number of seconds above 0, such as 60 or 0.5" },
		{ output_request__ring, "duration:nan", "'nan': give a number of seconds above 0" },
		{ output_request__ring, "interval:1e99", "give a number of seconds" },
		{ output_request__autostop,
		  "duration:", "--autostop 'duration:': '': give a number of seconds above 0" },
		{ output_request__autostop, "x:1", "the keys are duration, filesize, files, packets, events" },
	};
	struct tw_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct output_request request = { 0 };

		assert_int_equal(wrong[i].parse(&request, wrong[i].text, &err), -EINVAL);
		if (!strstr(err.text, wrong[i].says))
			fail_msg("'%s': %s", wrong[i].text, err.text);
		assert_false(output_request__rotates(&request));
	}
}

static void what_does_not_go_together(void **state)
{
	const struct output_request endless = { .files_max = 5 }, single = { .stop_files = 2 };
	struct tw_error err;

	(void)state;
	assert_int_equal(output_request__check(&endless, &err), -EINVAL);
	assert_non_null(strstr(err.text, "files:5 does not say when to begin the next file"));
	assert_int_equal(output_request__check(&single, &err), -EINVAL);
	assert_non_null(strstr(err.text, "files:2 needs more than one file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key),
		cmocka_unit_test(autostop_filesize_of_several_files),
		cmocka_unit_test(sentences),
		cmocka_unit_test(what_does_not_go_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
