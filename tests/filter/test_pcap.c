/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters for libpcap. Their results for frames are those of the evaluator. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include <pcap/pcap.h>

#include "filter/pcap.h"
#include "tests/filter/bound.h"
#include "tests/filter/emitted.h"
#include "tests/filter/some_frames.h"

#define FRAMES 40 /* for each event and expression */

static pcap_t *pcap;

static int set_up(void **state)
{
	pcap = pcap_open_dead(DLT_EN10MB, 262144);
	return pcap ? formats__set_up(state) : -1;
}

static int tear_down(void **state)
{
	pcap_close(pcap);
	return formats__tear_down(state);
}

#define OTHERS(least)                                                                                             \
	"ether proto 0x88b5 and (len < 78 or ether[14:4] != 0x54575231 or ether[18] != 1 or ether[60:2] != 1 or " \
	"ether[62:2] != 1 or ether[19] & 1 != 0 or " least "ether[20:2] + 14 > len or ether[64:2] < 16 or "       \
	"ether[64:2] + 48 > ether[20:2] or "

static const struct {
	const char *text;
	uint64_t schema_id;
	const char *filter;
} golden[] = {
	{ "sched.sched_switch.prev_pid == 1 && cpu == 1", 0,
	  OTHERS("") "(ether[70:2] = 316 and ((ether[64:2] >= 36 and ether[94:4] = 0x1000000) and ether[56:2] = 0x1)))" },
	{ "cpu == 1", SOME_SCHEMA_ID,
	  OTHERS("ether[30:4] != 0x11223344 or ether[34:4] != 0x55667788 or ") "((ether[56:2] = 0x1)))" },
	{ "system == sched or event == tiny or event == large", 0,
	  OTHERS("") "((ether[70:2] = 316 or ether[70:2] = 318 or (ether[70:2] >= 2000 and ether[70:2] <= 2001))))" },
	{ "!(event == tiny)", 0, OTHERS("") "(not (ether[70:2] = 2000)))" },
	{ "tiny.change < -1", 0,
	  OTHERS("") "(ether[70:2] = 2000 and (ether[64:2] >= 18 and ((ether[79] + 0x80) & 0xff) < 0x7f)))" },
	{ "saddr == 10.0.0.0/9", 0,
	  OTHERS("") "(ether[70:2] = 1504 and (ether[64:2] >= 22 and ether[80:2] & 0xff80 = 0xa00)))" },
	{ "prev_comm != \"bash\"", 0,
	  OTHERS("") "(ether[70:2] = 316 and (ether[64:2] >= 32 and not (ether[78:4] = 0x62617368 and ether[82] = 0x0))))" },
};

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		struct tw_bound *bound = bind_to(formats, golden[i].text, false);
		char buf[4096];
		struct tw_line line = tw_line__on(buf, sizeof(buf) - 1);
		struct tw_error err;

		if (tw_pcap__emit(bound, golden[i].schema_id, &line, &err))
			fail_msg("%s: %s", golden[i].text, err.text);
		*line.at = 0;
		emitted_is(golden[i].text, golden[i].filter, buf);
		tw_bound__free(bound);
	}
}

static const struct {
	const char *text, *why;
} refused[] = {
	{ "comm == a",
	  "column 1: pcap cannot express 'comm == a', because the task's name is not in the frames of its events" },
	{ "host == a",
	  "column 1: pcap cannot express 'host == a', because the host's name is not in the frames of events" },
	{ "cpu == 1 && irq_handler_entry.name == a",
	  "column 13: pcap cannot express 'irq_handler_entry.name == a', because the field's offset varies between records" },
	{ "prev_comm matches a",
	  "column 1: pcap cannot express 'prev_comm matches a', because it has no regular expressions" },
	{ "prev_comm ~ \"*a\"",
	  "column 1: pcap cannot express 'prev_comm ~ \"*a\"', because it supports no special characters in a pattern, except * at the end" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct tw_bound *bound = bind_to(formats, refused[i].text, false);
		char buf[4096];
		struct tw_line line = tw_line__on(buf, sizeof(buf));
		struct tw_error err;

		assert_int_equal(tw_pcap__emit(bound, 0, &line, &err), -EOPNOTSUPP);
		emitted_is(refused[i].text, refused[i].why, err.text);
		assert_int_equal(tw_line__len(&line), 0);
		tw_bound__free(bound);
	}
}

static void compile(const char *text, const struct tw_bound *bound, struct bpf_program *ret)
{
	static char buf[1 << 18];
	struct tw_line line = tw_line__on(buf, sizeof(buf) - 1);
	struct tw_error err;

	if (tw_pcap__emit(bound, SOME_SCHEMA_ID, &line, &err))
		fail_msg("%s: %s", text, err.text);
	*line.at = 0;
	if (pcap_compile(pcap, ret, buf, 1, PCAP_NETMASK_UNKNOWN))
		fail_msg("%s: %s: %s", text, pcap_geterr(pcap), buf);
}

static bool passes(const struct bpf_program *program, const void *bytes, size_t len)
{
	const struct pcap_pkthdr header = { .caplen = (bpf_u_int32)len, .len = (bpf_u_int32)len };

	return pcap_offline_filter(program, &header, bytes);
}

static bool is_refused(const struct tw_bound *bound)
{
	char buf[64];
	struct tw_line line = tw_line__on(buf, sizeof(buf));

	return tw_pcap__emit(bound, 0, &line, NULL) == -EOPNOTSUPP;
}

static void compare_frames(struct some_run *run, const char *text, struct tw_bound *bound)
{
	struct bpf_program program;
	struct some_frame frame;

	compile(text, bound, &program);
	assert_int_equal(tw_bound__prepare(bound, NULL), 0);
	for (size_t e = 0; e < tw_schema__count(formats); e++) {
		const struct tw_format *format = tw_schema__at(formats, e);

		if (!tw_bound__is_certain(bound, format->id) && e % 4)
			continue;
		for (uint32_t n = 0; n < FRAMES; n++) {
			bool wanted, got;

			some_frame__make(&frame, format, n, true, run->big_endian);
			wanted = tw_bound__matches(bound, &frame.event);
			got = passes(&program, frame.bytes, frame.len);
			if (wanted != got)
				fail_msg("%s: frame %u of %s, record of %u bytes, %s", text, n, format->name,
					 frame.event.len, wanted ? "is lost" : "passes");
			run->frames++;
			run->matched += wanted;
		}
	}
	pcap_freecode(&program);
	run->expressions++;
}

static void compare(void *ctx, const char *text)
{
	struct some_run *run = ctx;
	const struct tw_bind_options options = { .schema = formats, .big_endian = run->big_endian };
	struct tw_bound *bound;

	if (bound__make(text, &options, &bound, NULL))
		return;
	if (!is_refused(bound))
		compare_frames(run, text, bound);
	tw_bound__free(bound);
}

static void test_as_evaluator(void **state)
{
	(void)state;
	some_run__in_both_orders(compare, 10);
}

/* Frames that are truncated, or that do not have one event of the schema, pass. Packets of other protocols do not pass. */
static void test_others(void **state)
{
	struct tw_bound *bound = bind_to(formats, "prev_pid == 12345678", false);
	struct bpf_program program;
	struct some_frame frame;

	(void)state;
	compile("prev_pid == 12345678", bound, &program);
	some_frame__make(&frame, tw_schema__by_id(formats, SWITCH), 1, false, false);
	assert_false(passes(&program, frame.bytes, frame.len));
	for (size_t len = 14; len < frame.len; len++)
		assert_true(passes(&program, frame.bytes, len));
	/* Fields of the frame: magic, version, flags, schema, events, type. */
	static const uint8_t at[] = { 14, 17, 18, 19, 30, 37, 60, 61, 62, 63 };

	for (size_t i = 0; i < sizeof(at); i++) {
		frame.bytes[at[i]] ^= 1;
		assert_true(passes(&program, frame.bytes, frame.len));
		frame.bytes[at[i]] ^= 1;
	}
	frame.bytes[64] = 0xff; /* a TLV longer than its frame */
	assert_true(passes(&program, frame.bytes, frame.len));
	frame.bytes[64] = 0;
	assert_false(passes(&program, frame.bytes, frame.len));
	frame.bytes[12] = 8; /* another protocol */
	assert_false(passes(&program, frame.bytes, frame.len));
	pcap_freecode(&program);
	tw_bound__free(bound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_as_evaluator),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
