/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentences of docs/filter.md as tests: expressions, and whether a known event matches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "base/bytes.h"
#include "filter/evaluate.h"
#include "filter/tree.h"
#include "tests/filter/bound.h"
#include "tests/filter/formats.h"

/* Little-endian records, from offset 8 on in the layout of the formats. */
static const struct {
	uint16_t id;
	uint32_t len;
	const char *body;
} records[] = {
	{ SWITCH, 64,
	  "bash\0\0\0\0\0\0\0\0\0\0\0\0"
	  "\x2a\0\0\0"
	  "\x78\0\0\0"
	  "\1\0\0\0\0\0\0\0"
	  "kworker/0:1\0\0\0\0\0"
	  "\0\0\0\0"
	  "\x62\0\0\0" },
	{ SOFTIRQ, 12, "\3\0\0\0" },
	{ HANDLER, 24,
	  "\xff\xff\xff\xff"
	  "\x10\0\5\0"
	  "eth0\0\0\0\0" },
	{ KMALLOC, 40,
	  "\0\0\0\x81\xff\xff\xff\xff"
	  "\0\0\0\0\0\x88\xff\xff"
	  "\x40\0\0\0\0\0\0\0"
	  "\x20\1\0\0\0\0\0\0" },
	{ SOCK, 44,
	  "\x50\0"
	  "\x0a\1\2\3"
	  "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
	  "\0\0"
	  "\x0a\1\2\xfe"
	  "\2\0\x5e\x10\0\1"
	  "\0\0" },
	{ TINY, 44,
	  "\xc8"
	  "\xfb"
	  "\0\0"
	  "\1\0\0\0"
	  "\5\0\0\0"
	  "\x09\0\0\0"
	  "\x09\0\0\0"
	  "\1"
	  "\0\0\0"
	  "\x24\0\x08\0"
	  "\x8f\1\0\0\0\0\0\0" },
};

static const struct {
	uint16_t id;
	const char *text;
	bool matches;
} verdicts[] = {
	/* names */
	{ SWITCH, "sched.sched_switch.prev_pid == 42", true },
	{ SWITCH, "trace.sched.sched_switch.prev_pid == 42", true },
	{ SWITCH, "sched_switch.prev_pid == 42", true },
	{ SWITCH, "prev_pid == 42", true },
	{ SWITCH, "any.prev_pid == 42", true },
	{ TINY, "vendor-bus.tiny.size == 200", true },
	{ SWITCH, "event == sched_switch && system == \"sched\"", true },
	{ SWITCH, "event ~ \"sched_*\" and not event contains wakeup", true },
	{ SWITCH, "pid == 7 && common_pid == 7 && cpu == 3 && CPU == 3", true },
	{ SWITCH, "comm == make && COMM == make && host == box", true },
	{ SWITCH, "flags & hardirq && flags & 0x8 && common_flags == 9", true },
	{ SWITCH, "common_preempt_count == 2", true },
	{ SWITCH, "time == 12.5 && time > 12.499999999 && time in {12..13}", true },
	{ UNKNOWN, "cpu == 3", true },
	{ UNKNOWN, "event == sched_switch", false },
	{ UNKNOWN, "!(event == sched_switch)", true },
	/* comparisons */
	{ SWITCH, "prev_pid eq 42 and prev_pid ne 41 and prev_pid lt 43 and prev_pid le 42 and prev_pid gt 41", true },
	{ SWITCH, "prev_pid ge 42 and not prev_pid ge 43", true },
	{ TINY, "levels == 5", true },
	{ TINY, "levels == 4", false },
	{ TINY, "levels != 4", true },
	{ TINY, "levels != 5", false },
	{ TINY, "levels > 8", true },
	{ TINY, "levels > 9", false },
	{ TINY, "levels in {2..4}", false },
	{ TINY, "levels in {2, 6..9}", true },
	{ TINY, "levels not in {2, 6..9}", false },
	{ TINY, "levels & 4", true },
	{ TINY, "size & 0xf0 == 0xc0", true },
	{ TINY, "size & 0x7 ", false },
	{ TINY, "change & 0xf0 == 0xf0", true },
	{ TINY, "change & 0xff > 0x7f", true },
	{ TINY, "change == -5 && change < 0 && change in {-6..-5}", true },
	{ TINY, "on == true", true },
	{ SWITCH, "prev_comm < bat && prev_comm > bas && prev_comm in {\"a\"..\"c\"}", true },
	{ SWITCH, "next_comm contains \"ker/\"", true },
	{ SWITCH, "next_comm contains \"KER\"", false },
	{ SWITCH, "next_comm matches \"KER/[0-9]:\"", true },
	{ SWITCH, "next_comm matches \"^er\"", false },
	{ SWITCH, "next_comm ~ \"kworker/?:*\"", true },
	{ SWITCH, "next_comm ~ \"worker\"", false },
	{ SWITCH, "next_comm ~ \"[!a-j]worker*\"", true },
	{ SWITCH, "prev_comm && comm && host", true },
	{ SWITCH, "cpus", false },
	/* precedence: `not` before `and` before `or` */
	{ SWITCH, "cpu == 3 or cpu == 3 and cpu == 4", true },
	{ SWITCH, "(cpu == 3 or cpu == 3) and cpu == 4", false },
	{ SWITCH, "not cpu == 4 and cpu == 3", true },
	{ SWITCH, "! (cpu == 4 && cpu == 3)", true },
	{ SWITCH, "not cpu == 3 or cpu == 3", true },
	/* missing operands */
	{ SWITCH, "cpus != \"0\"", false },
	{ SWITCH, "!(cpus == \"0\")", true },
	{ SWITCH, "size > 0 or size <= 0", false },
	{ SWITCH, "size not in {1}", true },
	{ UNKNOWN, "prev_pid != 1", false },
	/* values */
	{ SWITCH, "prev_pid == 0x2a && prev_pid == 052 && prev_pid == 0b101010 && prev_pid == '*'", true },
	{ SOFTIRQ, "vec == NET_RX && vec == \"NET_RX\" && vec != NET_TX", true },
	{ SOFTIRQ, "vec in {TIMER, NET_RX}", true },
	{ KMALLOC, "gfp_flags == GFP_HIGH|GFP_ZERO", true },
	{ KMALLOC, "gfp_flags & GFP_IO", false },
	{ KMALLOC, "ptr == 0xffff880000000000 && call_site > 0x7fffffffffffffff", true },
	{ SWITCH, "prev_comm == \"\\x62\\141sh\" && prev_comm == 'bash' && prev_comm == r\"bash\"", true },
	{ HANDLER, "name == eth0 && irq == -1", true },
	{ HANDLER, "name == \"eth0\\0\"", false },
	{ SOCK, "mac == 02:00:5e:10:00:01 && mac == 02-00-5e-10-00-01 && mac contains 5e:10", true },
	{ SOCK, "saddr == 10.1.2.3 && saddr == 10.0.0.0/8 && saddr != 10.1.3.0/24", true },
	{ SOCK, "saddr_v6 == fe80::1 && saddr_v6 == fe80::/10 && saddr_v6 != fec0::/10", true },
	{ SOCK, "gateway == 10.1.2.254 && gateway != 10.1.2.253 && gateway == 10.1.0.0/16", true },
	{ TINY, "cpus == \"0-3,7-8\" && cpus contains \"7\" && cpus != \"0-3\"", true },
};

static struct tw_bound *bound_of(const char *text)
{
	const struct tw_bind_options options = { .schema = formats };
	struct tw_bound *bound = NULL;
	struct tw_error err;

	if (bound__make_ready(text, &options, &bound, &err))
		fail_msg("%s: %s", text, err.text);
	return bound;
}

static struct tw_filter_event event_of(uint16_t id, uint8_t *record)
{
	struct tw_filter_event event = {
		.record = record,
		.len = TW_RECORD_COMMON,
		.id = id,
		.flags = 9,
		.preempt = 2,
		.pid = 7,
		.cpu = 3,
		.time = 12500000000,
		.comm = "make",
		.comm_len = 4,
		.host = "box",
		.host_len = 3,
	};

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (records[i].id == id) {
			event.len = records[i].len;
			memcpy(record + TW_RECORD_COMMON, records[i].body, event.len - TW_RECORD_COMMON);
		}
	return event;
}

static void as_the_page_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		uint8_t record[64] = { 0 };
		const struct tw_filter_event event = event_of(verdicts[i].id, record);
		struct tw_bound *bound = bound_of(verdicts[i].text);

		if (tw_bound__matches(bound, &event) != verdicts[i].matches)
			fail_msg("%s is not %d", verdicts[i].text, verdicts[i].matches);
		tw_bound__free(bound);
	}
}

/* A task with an unknown name. */
static void names_may_not_be_known(void **state)
{
	struct tw_bound *bound = bound_of("comm != make"), *negated = bound_of("!(comm == make)");
	uint8_t record[64] = { 0 };
	struct tw_filter_event event = event_of(SWITCH, record);

	(void)state;
	assert_true(bound->needs_comm);
	assert_false(bound->needs_host);
	assert_false(tw_bound__matches(bound, &event));
	assert_false(tw_bound__matches(negated, &event));
	event.comm = NULL;
	assert_false(tw_bound__matches(bound, &event));
	assert_true(tw_bound__matches(negated, &event));
	tw_bound__free(bound);
	tw_bound__free(negated);
}

static int match_often(void *ctx)
{
	uint8_t record[64] = { 0 };
	const struct tw_filter_event event = event_of(SWITCH, record);
	int matched = 0;

	for (int i = 0; i < 2000; i++)
		matched += tw_bound__matches(ctx, &event);
	return matched;
}

/* PCRE2 writes during a search: each thread has its own memory, and frees it. */
static void threads_ask_at_once(void **state)
{
	struct tw_bound *bound = bound_of("next_comm matches \"(k|w)+.*[0-9]$\" and prev_comm ~ \"b*\"");
	thrd_t threads[4];
	int matched;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(thrd_create(&threads[i], match_often, bound), thrd_success);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(thrd_join(threads[i], &matched), thrd_success);
		assert_int_equal(matched, 2000);
	}
	tw_bound__free(bound);
}

/* A search that would take for ever is soon given up, and counts as no match. */
static void backtracking_has_an_end(void **state)
{
	struct tw_bound *bound = bound_of("comm matches \"(a+)+$\"");
	uint8_t record[64] = { 0 };
	struct tw_filter_event event = event_of(SWITCH, record);
	uint64_t given_up;

	(void)state;
	event.comm = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
	event.comm_len = strlen(event.comm);
	given_up = tw_filter__given_up();
	assert_false(tw_bound__matches(bound, &event));
	assert_int_equal(tw_filter__given_up(), given_up + 1);
	event.comm_len = 10;
	assert_true(tw_bound__matches(bound, &event));
	event.comm = "b";
	event.comm_len = 1;
	assert_false(tw_bound__matches(bound, &event));
	assert_int_equal(tw_filter__given_up(), given_up + 1);
	tw_bound__free(bound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_page_says),
		cmocka_unit_test(names_may_not_be_known),
		cmocka_unit_test(threads_ask_at_once),
		cmocka_unit_test(backtracking_has_an_end),
	};

	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
