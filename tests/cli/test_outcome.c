/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The short lines at the end of a run: losses, unknown losses, the difference of a ledger, and the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/outcome.h"

static void check_lines(const struct outcome *outcome, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	outcome__print(outcome, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void test_losses(void **state)
{
	static const struct outcome here = { .events = 1,
					     .seconds = 12.34,
					     .traces = true,
					     .place = { [OUTCOME_SHED] = 3, [OUTCOME_BY_CAPTURE] = 5 } },
				    there = { .events = 20,
					      .streams = 2,
					      .place = { [OUTCOME_SHED] = 3, [OUTCOME_DISK] = 4 } };

	(void)state;
	check_lines(&here,
		    "1 event in 12.3 s, 3 lost, 5 rejected by filters\n"
		    "3 discarded by the producer, because its output had no room in time: use a faster output, or "
		    "select fewer events\n"
		    "details: add -v\n");
	check_lines(&there, "20 events of 2 streams, 7 lost\n"
			    "3 discarded by the producer, because its output had no room in time: at the sender, use a "
			    "faster output, or select fewer events\n"
			    "4 not written, because the output failed or accepted nothing\n"
			    "details: add -v\n");
}

/* Events that were either rejected or lost, but it is unknown which, are counted as missing, not as lost. */
static void test_missing(void **state)
{
	static const struct outcome missing = {
		.events = 2,
		.verbose = true,
		.place = { [OUTCOME_DISK] = 1, [OUTCOME_WIRE] = 4, [OUTCOME_BY_CLASSIFIER] = 5 }
	};

	(void)state;
	check_lines(&missing,
		    "2 events, 1 lost, 5 rejected by filters, 4 missing: filtered or lost\n"
		    "4 missing on the way to the capture, filtered or lost: if no filter is on the way, send slower "
		    "with the option --rate of `stream`\n"
		    "1 not written, because the output failed or accepted nothing\n");
}

/* Losses of unknown size are never counted as 0. Notes are not losses. */
static void test_unknown(void **state)
{
	static const struct tw_producer_counters counters = { .unsure = { .rings = 1 } };
	static const struct outcome unknown = { .events = 9, .verbose = true, .place = { [OUTCOME_LOSSES] = 2 } },
				    at_least = { .verbose = true,
						 .place = { [OUTCOME_LOSSES] = 2, [OUTCOME_TRACE_DAT] = 7 } },
				    unsure = { .events = 9, .verbose = true, .of = 30, .producer = &counters },
				    note = { .events = 9, .verbose = true, .place = { [OUTCOME_VERSION] = 2 } };

	(void)state;
	check_lines(&unknown, "9 events, an unknown number lost\n2 losses of unknown size\n");
	check_lines(&at_least, "0 events, at least 7 lost\n"
			       "7 lost in the rings of trace-cmd: record again with larger rings: trace-cmd record -b\n"
			       "2 losses of unknown size\n");
	check_lines(&unsure, "9 of 30 events, an unknown number lost\n");
	check_lines(&note,
		    "9 events, 0 lost\n2 frames of an unknown version of the wire format: use a newer Tracewire\n");
}

/* Singular and plural forms */
static void test_numbers(void **state)
{
	static const struct outcome one = { .events = 0,
					    .of = 1,
					    .verbose = true,
					    .place = { [OUTCOME_NOT_OURS] = 1,
						       [OUTCOME_LEFT_OUT] = 1,
						       [OUTCOME_TEXTS] = 1,
						       [OUTCOME_REFUSED] = 1,
						       [OUTCOME_DISK] = 1 } },
				    two = { .events = 1,
					    .of = 2,
					    .verbose = true,
					    .place = { [OUTCOME_NOT_OURS] = 2,
						       [OUTCOME_LEFT_OUT] = 2,
						       [OUTCOME_TEXTS] = 2,
						       [OUTCOME_REFUSED] = 2 } };

	(void)state;
	check_lines(&one,
		    "0 of 1 event, 1 lost\n"
		    "1 not written, because the output failed or accepted nothing\n"
		    "1 frame refused\n"
		    "1 event type not recorded: it was added while tracing, and the filter cannot be applied to it\n"
		    "1 packet ignored, because it is not Tracewire's\n"
		    "1 format, task name or symbol in the file was refused\n");
	check_lines(
		&two,
		"1 of 2 events, 0 lost\n"
		"2 frames refused\n"
		"2 event types not recorded: they were added while tracing, and the filter cannot be applied to them\n"
		"2 packets ignored, because they are not Tracewire's\n"
		"2 formats, task names or symbols in the file were refused\n");
}

/* If the loss of task names is unknown, a line says so; the number of lost events is known. */
static void test_unsure_names(void **state)
{
	static const struct tw_producer_counters counters = { .bookkeeping_unsure = 2, .balanced = true };
	static const struct outcome unsure = { .events = 9, .producer = &counters };

	(void)state;
	check_lines(&unsure,
		    "9 events, 0 lost\n"
		    "unsure   2 rings of fork, exec and rename events: the kernel's counters cannot be read; an "
		    "unknown number was lost, and some tasks may have old names\n"
		    "details: add -v\n");
}

/* The difference of the ledger is printed, and a difference that is unknown makes the losses unknown. */
static void test_ledger(void **state)
{
	struct tw_archive_stats stats = { .ledger = { .state = TW_LEDGER_CLOSED,
						      .recorded = 12,
						      .place = { [TW_PLACE_DELIVERED] = 10, [TW_PLACE_RING] = 1 },
						      .fact = { [TW_FACT_UNKNOWN] = 1 } } };
	struct outcome closed = { .traces = true }, tail = { .verbose = true };

	(void)state;
	outcome__add_archive(&closed, &stats);
	check_lines(&closed,
		    "10 events, 1 lost\n"
		    "1 lost in the kernel's ring, which was full: make it larger with --buffer-size, or select fewer "
		    "events\n"
		    "1 event is unexplained: recorded, but not counted in any column of the ledger\n"
		    "details: add -v\n");
	stats.ledger = (struct tw_ledger){ .state = TW_LEDGER_OPEN, .fact = { [TW_FACT_TAIL_FRAMES] = 4 } };
	outcome__add_archive(&tail, &stats);
	check_lines(
		&tail,
		"0 events, an unknown number lost\n"
		"the difference of the ledger is unknown: frames missing after the last received one had an unknown "
		"number of events\n");
}

static void test_file(void **state)
{
	static const struct outcome plain = { .file = "a/b.pcapng", .bytes = 999 },
				    quoted = { .file = "it's 1.pcapng", .bytes = 999950 },
				    many = { .file = "x_*.pcapng", .many = true, .bytes = 1234567 },
				    read = { .file = "x", .bytes = 5, .reads = true },
				    device = { .file = "/dev/null", .bytes = 5 }, none = { .file = "-", .bytes = 5 };

	(void)state;
	check_lines(&plain,
		    "0 events, 0 lost\n"
		    "a/b.pcapng (999 bytes): read it with `tracewire report a/b.pcapng` or `wireshark a/b.pcapng`\n");
	check_lines(&quoted,
		    "0 events, 0 lost\n"
		    "it's 1.pcapng (1.0 MB): read it with `tracewire report 'it'\\''s 1.pcapng'` or `wireshark "
		    "'it'\\''s 1.pcapng'`\n");
	check_lines(&many,
		    "0 events, 0 lost\nx_*.pcapng (1.2 MB in all): read them with `tracewire info x_*.pcapng`\n");
	check_lines(&read, "0 events, 0 lost\n");
	check_lines(&device, "0 events, 0 lost\n");
	check_lines(&none, "0 events, 0 lost\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses),       cmocka_unit_test(test_missing), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_numbers),      cmocka_unit_test(test_ledger),  cmocka_unit_test(test_file),
		cmocka_unit_test(test_unsure_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
