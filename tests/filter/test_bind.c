/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions, and what they become for an event; and what is said of those that cannot be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those before it */
#include <cmocka.h>

#include "filter/arena.h"
#include "filter/describe.h"
#include "filter/evaluate.h"
#include "tests/filter/formats.h"

static struct tw_schema *schema;

static int make_schema(void **state)
{
	(void)state;
	schema = formats__schema();
	return schema ? 0 : -1;
}

static int free_schema(void **state)
{
	(void)state;
	tw_schema__free(schema);
	return 0;
}

static int bind(const char *text, bool unknown_is_absent, struct tw_bound **ret, struct tw_error *err)
{
	const struct tw_bind_options options = { .schema = schema, .unknown_is_absent = unknown_is_absent };
	struct tw_filter *filter;
	int error = tw_filter__parse(text, &filter, err);

	if (error)
		return error;
	error = tw_filter__bind(filter, &options, ret, err);
	tw_filter__free(filter);
	return error;
}

#define SWITCH  316
#define WAKEUP  318
#define SOFTIRQ 125
#define HANDLER 128
#define KMALLOC 442
#define SOCK    1504
#define TINY    2000
#define LARGE   2001
#define UNKNOWN 9999

static const struct {
	const char *text;
	uint16_t id;
	const char *tree;
} meanings[] = {
	{ "sched.sched_switch.prev_pid == 0 && cpu == 1", SWITCH, "prev_pid == 0 && cpu == 1" },
	{ "sched.sched_switch.prev_pid == 0 && cpu == 1", WAKEUP, "false" },
	{ "trace.sched.sched_switch.prev_pid == 0", SWITCH, "prev_pid == 0" },
	{ "sched_switch.prev_pid == 0x10", SWITCH, "prev_pid == 16" },
	{ "sched:sched_switch.prev_pid == 0X10", SWITCH, "prev_pid == 16" },
	{ "trace.sched:sched_switch.prev_pid == -0x10", SWITCH, "prev_pid == -16" },
	{ "prev_pid == 010", SWITCH, "prev_pid == 8" },
	{ "prev_pid == 0b101", SWITCH, "prev_pid == 5" },
	{ "prev_pid == -1", SWITCH, "prev_pid == -1" },
	{ "prev_pid == 'a'", SWITCH, "prev_pid == 97" },
	{ "any.prev_pid eq 1", SWITCH, "prev_pid == 1" },
	{ "prev_comm == \"bash\"", SWITCH, "prev_comm == \"bash\"" },
	{ "prev_comm == \"bash\"", UNKNOWN, "false" },
	{ "!(prev_comm == \"bash\")", UNKNOWN, "true" },
	{ "not prev_comm == bash", SWITCH, "!(prev_comm == \"bash\")" },
	{ "not prev_comm == bash", WAKEUP, "true" },
	{ "prev_comm != bash", WAKEUP, "false" },
	{ "prev_comm ~ \"ba*\" or next_comm ~ kworker/*", SWITCH, "prev_comm ~ \"ba*\" || next_comm ~ \"kworker/*\"" },
	{ "prev_comm contains \"\\x41\\\"\\101\"", SWITCH, "prev_comm contains \"A\\\"A\"" },
	{ "prev_comm matches r\"^a\\d\"", SWITCH, "prev_comm matches \"^a\\\\d\"" },
	{ "prev_comm in {\"a\", b}", SWITCH, "prev_comm == \"a\" || prev_comm == \"b\"" },
	{ "prev_pid in {1, 2, 5..9}", SWITCH, "prev_pid == 1 || prev_pid == 2 || prev_pid in {5..9}" },
	{ "prev_pid not in {1,-5..-2}", SWITCH, "!(prev_pid == 1) && !(prev_pid in {-5..-2})" },
	{ "prev_state & 0x3", SWITCH, "prev_state & 0x3" },
	{ "prev_state & 3 == 2", SWITCH, "prev_state & 0x3 == 0x2" },
	{ "size & 3 != 300", TINY, "size" },
	{ "prev_comm == \"ba*\"", SWITCH, "prev_comm == \"ba*\"" },
	{ "prev_pid", SWITCH, "prev_pid" },
	{ "cpu", SWITCH, "true" },
	{ "softirq_raise.vec == NET_RX", SOFTIRQ, "vec == 3" },
	{ "vec in {\"NET_RX\", NET_TX}", SOFTIRQ, "vec == 3 || vec == 2" },
	{ "gfp_flags & GFP_ZERO|GFP_IO", KMALLOC, "gfp_flags & 0x500" },
	{ "gfp_flags == GFP_HIGH|GFP_IO", KMALLOC, "gfp_flags == 1056" },
	{ "flags & softirq|hardirq", LARGE, "flags & 0x18" },
	{ "event == sched_switch", SWITCH, "true" },
	{ "event == sched_switch", WAKEUP, "false" },
	{ "event ~ \"sched_*\" and not event == sched_switch", WAKEUP, "true" },
	{ "event == sched_switch", UNKNOWN, "false" },
	{ "!(event == sched_switch)", UNKNOWN, "true" },
	{ "system in {sched, irq} && pid == 5", HANDLER, "pid == 5" },
	{ "common_pid == 5", UNKNOWN, "pid == 5" },
	{ "sched_wakeup.pid == 5", WAKEUP, "any.pid == 5" },
	{ "sched_wakeup.comm == a && comm == b", WAKEUP, "any.comm == \"a\" && comm == \"b\"" },
	{ "sched_wakeup.common_pid == 5", SWITCH, "false" },
	{ "COMM == \"x\" || CPU == 1", LARGE, "comm == \"x\" || cpu == 1" },
	{ "host == here", LARGE, "host == \"here\"" },
	{ "time >= 12.5 && time < 3600", LARGE, "time >= 12.500000000 && time < 3600.000000000" },
	{ "time in {1..2.000000001}", LARGE, "time in {1.000000000..2.000000001}" },
	{ "saddr == 10.1.2.3", SOCK, "saddr == 10.1.2.3" },
	{ "saddr != 10.0.0.0/8", SOCK, "saddr != 10.0.0.0/8" },
	{ "saddr_v6 == fe80::1", SOCK, "saddr_v6 == fe80::1" },
	{ "gateway == 10.1.2.3", SOCK, "gateway == 50462986" },
	{ "gateway == 10.0.0.0/8", SOCK, "gateway & 0xff == 0xa" },
	{ "mac == 02:00:5e:10:00:01", SOCK, "mac == 02:00:5e:10:00:01" },
	{ "mac contains 5e-10", SOCK, "mac contains 5e:10" },
	{ "vendor-bus.tiny.levels == 3", TINY, "levels == 3" },
	{ "on == true", TINY, "on == 1" },
	{ "cpus == \"0-3\"", TINY, "cpus == \"0-3\"" },
	/* what one of several fields cannot have is certain for it */
	{ "size == 300", TINY, "false" },
	{ "size == 300", LARGE, "size == 300" },
	{ "size != 300", TINY, "size" },
	{ "size < 300", TINY, "size" },
	{ "size > 300", TINY, "false" },
	{ "change < -200", TINY, "false" },
	{ "change > -200", TINY, "change" },
	{ "change in {-1000..5}", TINY, "change in {-128..5}" },
	{ "change in {-1000..5}", LARGE, "change in {-1000..5}" },
	{ "change in {500..600}", TINY, "false" },
	{ "size in {5, 300}", TINY, "size == 5" },
	{ "event != tiny && cpu == 1", LARGE, "cpu == 1" },
	{ "event != tiny && cpu == 1", TINY, "false" },
	/* joints */
	{ "cpu == 1 || cpu == 2 && pid == 3", LARGE, "cpu == 1 || (cpu == 2 && pid == 3)" },
	{ "(cpu == 1 || cpu == 2) and pid == 3", LARGE, "(cpu == 1 || cpu == 2) && pid == 3" },
	{ "!(cpu == 1 || cpu == 2) and pid == 3", LARGE, "!(cpu == 1) && !(cpu == 2) && pid == 3" },
	{ "!(cpu == 1 && (cpu == 2 || pid == 3))", LARGE, "!(cpu == 1) || (!(cpu == 2) && !(pid == 3))" },
	{ "not not !cpu == 1", LARGE, "!(cpu == 1)" },
	{ "((((cpu == 1))))", LARGE, "cpu == 1" },
};

static void describe(const struct tw_bound *bound, uint16_t id, char *buf, size_t size)
{
	struct tw_line line = tw_line__on(buf, size - 1);

	tw_node__describe(tw_bound__root(bound, id), &line);
	*line.at = '\0';
}

static void test_meanings(void **state)
{
	char buf[512];

	(void)state;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		struct tw_error err = { "" };
		struct tw_bound *bound;

		if (bind(meanings[i].text, false, &bound, &err))
			fail_msg("%s: %s", meanings[i].text, err.text);
		describe(bound, meanings[i].id, buf, sizeof(buf));
		if (strcmp(buf, meanings[i].tree) != 0)
			fail_msg("%s for %u: '%s', not '%s'", meanings[i].text, meanings[i].id, buf, meanings[i].tree);
		tw_bound__free(bound);
	}
}

/* What a tree is in words is an expression again, with the same meaning. */
static void test_words_are_language(void **state)
{
	char first[512], second[512];

	(void)state;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		struct tw_error err = { "" };
		struct tw_bound *bound;

		if (!strcmp(meanings[i].tree, "true") || !strcmp(meanings[i].tree, "false"))
			continue;
		assert_int_equal(bind(meanings[i].text, false, &bound, &err), 0);
		describe(bound, meanings[i].id, first, sizeof(first));
		tw_bound__free(bound);
		if (bind(first, false, &bound, &err))
			fail_msg("%s: %s", first, err.text);
		describe(bound, meanings[i].id, second, sizeof(second));
		assert_string_equal(first, second);
		tw_bound__free(bound);
	}
}

static const struct {
	const char *text, *error;
} mistakes[] = {
	{ "", "column 1: the expression is empty" },
	{ "cpu == ", "column 8: a value is expected here" },
	{ "cpu = 1", "column 5: '=' is no operator; '==' compares" },
	{ "cpu === 1", "column 5: '===' is no operator; '==' compares" },
	{ "cpu !== 1", "column 5: '!==' is no operator; '!=' compares" },
	{ "cpu <> 1", "column 5: '<>' is no operator; '!=' compares" },
	{ "prev_comm =~ a", "column 11: '=~' is no operator; 'matches' takes a regular expression, '~' a pattern" },
	{ "prev_comm ~= a", "column 11: '~=' is no operator; '~' takes a pattern, '!=' compares" },
	{ "prev_comm !~ a", "column 11: '!~' is no operator; write not NAME ~ PATTERN" },
	{ "prev_comm[0] == a",
	  "column 10: '[' cannot stand here; a pattern with brackets needs quotes, and there are no slices" },
	{ "len(comm) == 1", "column 4: 'and' or 'or' is expected before a parenthesis; there are no functions" },
	{ "cpu == 1 AND pid == 2", "column 10: 'and' and 'or' are written in small letters" },
	{ "cpu == 1 & pid == 2", "column 10: '&' takes a mask, directly behind a name; '&&' is 'and'" },
	{ "cpu == 1..5", "column 9: a range stands in a set: in {1..5}" },
	{ "gfp_flags & (GFP_IO | GFP_HIGH)", "column 13: a value is expected here, without parentheses" },
	{ "cpu == 1 pid == 2", "column 10: 'and', 'or' or the end is expected here" },
	{ "cpu == 1 &&", "column 12: a comparison is expected here, such as cpu == 1" },
	{ "(cpu == 1", "column 1: this parenthesis is never closed" },
	{ "cpu == 1)", "column 9: this parenthesis was never opened" },
	{ "cpu in {1, 2", "column 13: a comma or a closing brace is expected here" },
	{ "cpu in 1", "column 8: a set in braces is expected here: {1, 2, 5..9}" },
	{ "cpu not 1", "column 9: 'in' is expected behind 'not'" },
	{ "prev_comm == \"bash", "column 14: the text that begins here has no closing \"" },
	{ "prev_comm == \"\\q\"",
	  "column 15: a backslash stands before what is no escape; write \\\\ for a backslash" },
	{ "prev_comm == \"\\400\"",
	  "column 15: a backslash stands before what is no escape; write \\\\ for a backslash" },
	{ "prev_comm == a | cpu", "column 16: '|' joins names of flags without spaces, A|B; '||' is 'or'" },
	{ "sched.sched_switch.prev_pidd == 1",
	  "column 20: sched_switch has no field 'prev_pidd'; did you mean 'prev_pid'?" },
	{ "sched.sched_swich.prev_pid == 1",
	  "column 7: there is no event 'sched_swich' in system sched; did you mean 'sched_switch'?" },
	{ "shed.sched_switch.prev_pid == 1", "column 1: no event is of a system 'shed'; did you mean 'sched'?" },
	{ "  prev_com == x", "column 3: no event has a field 'prev_com'; did you mean 'prev_comm'?" },
	{ "trace.sched_switch.prev_com == x",
	  "column 20: sched_switch has no field 'prev_com'; did you mean 'prev_comm'?" },
	{ "cpuu == 1", "column 1: no event has a field 'cpuu'; did you mean 'cpu'?" },
	{ "sched_switch", "column 1: 'sched_switch' is an event, not a field; event == \"sched_switch\" asks for it" },
	{ "Sched_Switch", "column 1: 'sched_switch' is an event, not a field; event == \"sched_switch\" asks for it" },
	{ "sched.sched_switch",
	  "column 7: 'sched_switch' is an event, not a field; event == \"sched_switch\" asks for it" },
	{ "sched:sched_switch",
	  "column 7: 'sched_switch' is an event, not a field; event == \"sched_switch\" asks for it" },
	{ "sched:sched_swich",
	  "column 7: there is no event 'sched_swich' in system sched; did you mean 'sched_switch'?" },
	{ "need_resched", "column 1: 'need_resched' is a bit of flags; flags & need_resched asks for it" },
	{ "1 == cpu", "column 1: '1' is no name, and a comparison begins with one: cpu == 1" },
	{ "sched_switch. == 1",
	  "column 14: 'sched_switch.' is no name: FIELD, EVENT.FIELD or SYSTEM.EVENT.FIELD is one" },
	{ "sched_switch:prev_pid.x:y == 1",
	  "column 23: 'sched_switch:prev_pid.x:y' is no name: FIELD, EVENT.FIELD or SYSTEM.EVENT.FIELD is one" },
	{ "cpu+1 == 2", "column 4: 'cpu+1' is no name: '+' cannot be in one" },
	{ "event == sched_swich", "column 10: there is no event 'sched_swich'; did you mean 'sched_switch'?" },
	{ "event != sched_swich", "column 10: there is no event 'sched_swich'; did you mean 'sched_switch'?" },
	{ "event in {sched_switch, sched_swich}",
	  "column 25: there is no event 'sched_swich'; did you mean 'sched_switch'?" },
	{ "event == sched_*", "column 10: 'sched_*' is a pattern, which ~ compares with; in quotes * is a "
			      "character like others" },
	{ "event == \"sched_*\"",
	  "column 10: there is no event 'sched_*'; event ~ \"sched_*\" takes it for a pattern" },
	{ "comm in {bash, ksoft*}", "column 16: 'ksoft*' is a pattern, which ~ compares with; in quotes * is a "
				    "character like others" },
	{ "system == irqs", "column 11: there is no system 'irqs'; did you mean 'irq'?" },
	{ "cpu in {1, 99999}", "column 12: 'cpu' is a number of 16 bits without sign and cannot be 99999" },
	{ "vec in {NET_RX, 4294967296}",
	  "column 17: 'vec' is a number of 32 bits without sign and cannot be 4294967296" },
	{ "prev_prio == 99999999999",
	  "column 14: 'prev_prio' is a number of 32 bits with sign and cannot be 99999999999" },
	{ "bytes_req == -1", "column 14: 'bytes_req' is a number of 64 bits without sign and cannot be -1" },
	{ "prev_pid == 99999999999999999999",
	  "column 13: 'prev_pid' is a number of 32 bits with sign and cannot be 99999999999999999999" },
	{ "prev_pid == bash", "column 13: 'prev_pid' is compared with numbers, and 'bash' is none" },
	{ "prev_pid == \"1\"",
	  "column 13: 'prev_pid' is compared with numbers, and '1' is none; without quotes it is one" },
	{ "prev_pid == 08",
	  "column 13: 'prev_pid' is compared with numbers, and '08' is none: what begins with 0 is octal" },
	{ "cpu in {1-5}", "column 9: 'cpu' is compared with numbers, and '1-5' is none; a range is written in {1..5}" },
	{ "prev_pid & -1 == 1",
	  "column 12: under a mask 'prev_pid' is a number of 32 bits without sign and cannot be -1" },
	{ "vec == \"NET_RX\\0x\"", "column 8: 'vec' is compared with numbers, and 'NET_RX' is none" },
	{ "vec == NET_RXX", "column 8: 'vec' has no value named 'NET_RXX'; did you mean 'NET_RX'?" },
	{ "prev_pid contains 3", "column 10: 'prev_pid' is a number; 'contains' is for text" },
	{ "prev_comm & 3", "column 13: 'prev_comm' is no number: & is for numbers" },
	{ "time & 3", "column 8: 'time' is no number: & is for numbers" },
	{ "comm & 3 == 1", "column 8: 'comm' is no number: & is for numbers" },
	{ "prev_comm == \"a name of more than 16\"", "column 14: 'prev_comm' has 16 bytes and cannot have this text" },
	{ "prev_pid in {9..5}", "column 14: the range 9..5 has its ends the wrong way round" },
	{ "prev_comm in {b..a}", "column 15: the range b..a has its ends the wrong way round" },
	{ "time in {5..1}", "column 10: the range 5..1 has its ends the wrong way round" },
	{ "mac in {02:00:5e:10:00:02..02:00:5e:10:00:01}",
	  "column 9: the range 02:00:5e:10:00:02..02:00:5e:10:00:01 has its ends the wrong way round" },
	{ "prev_comm matches r\"a(\"", "column 23: this is no regular expression: missing closing parenthesis" },
	{ "prev_comm matches \"\\x61\\t(\"", "column 27: this is no regular expression: missing closing parenthesis" },
	{ "prev_comm matches \"a(\"", "column 22: this is no regular expression: missing closing parenthesis" },
	{ "time == 5s", "column 9: 'time' is in seconds, with nine decimals at most: 12.5, not '5s'" },
	{ "saddr == 10.0.0", "column 10: 'saddr' is bytes, written aa:bb:cc or as an IPv4 address; '10.0.0' is not" },
	{ "saddr == localhost",
	  "column 10: 'saddr' is bytes, written aa:bb:cc or as an IPv4 address; 'localhost' is not" },
	{ "mac == 01:02", "column 8: 'mac' has 6 bytes, not 2" },
	{ "saddr == \"10.0.0.1\"", "column 10: 'saddr' has 4 bytes, not 8; addresses stand without quotes" },
	{ "gateway < 10.0.0.1", "column 11: 'gateway' has its bytes in the order of the network: only == and != "
				"compare it with addresses, and with networks" },
	{ "gateway in {10.0.0.1..10.0.0.9}",
	  "column 13: 'gateway' has its bytes in the order of the network: only == and != compare it with "
	  "addresses, and with networks" },
	{ "a.b.c.d == 1", "column 1: 'a.b.c.d' has more parts than SYSTEM.EVENT.FIELD" },
	{ "cpu == 1 \x01",
	  "column 10: this character cannot stand here; text with other characters than letters needs quotes" },
};

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct tw_error err = { "" };
		struct tw_bound *bound;

		if (!bind(mistakes[i].text, false, &bound, &err))
			fail_msg("'%s' is taken for an expression", mistakes[i].text);
		if (strcmp(err.text, mistakes[i].error) != 0)
			fail_msg("%s\n  says '%s'\n  not  '%s'", mistakes[i].text, err.text, mistakes[i].error);
	}
}

static void test_unknown_is_absent(void **state)
{
	struct tw_error err = { "" };
	struct tw_bound *bound;

	(void)state;
	assert_int_equal(bind("nowhere == 1 || cpu == 1", true, &bound, &err), 0);
	assert_non_null(strstr(bound->absent[0], "nowhere"));
	assert_null(bound->absent[1]);
	assert_int_equal(tw_bound__root(bound, SWITCH)->kind, TW_NODE_TEST);
	tw_bound__free(bound);
	/* what one value of a set matches is not absent */
	assert_int_equal(bind("event in {tiny, gone} || vec in {3, 4294967296} || event == gone", true, &bound, &err),
			 0);
	assert_null(bound->absent[0]);
	assert_null(bound->absent[1]);
	assert_non_null(strstr(bound->absent[2], "there is no event 'gone'"));
	tw_bound__free(bound);
}

/* As many as a kernel has. */
static struct tw_schema *make_large_schema(void)
{
	struct tw_schema *large = tw_schema__new();
	struct tw_error err;
	char text[256];

	for (int id = 10; id < 2400; id++) {
		const int len = snprintf(text, sizeof(text),
					 "name: event_%d\nID: %d\nformat:\n"
					 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
					 "\tfield:int %s;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
					 id, id, id % 10 ? "count" : "level");

		assert_int_equal(tw_schema__add(large, "large", text, (size_t)len, NULL, &err), 0);
	}
	return large;
}

/* An expression as long as it may be, and as many events as there are: those without its fields share what is asked. */
static void test_many_events(void **state)
{
	struct tw_bind_options options = { .schema = make_large_schema() };
	char text[TW_FILTER_TEXT_MAX + 1] = "event != event_11 && (level == 1";
	struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error err;

	(void)state;
	for (int i = 2; i < TW_FILTER_PREDICATES_MAX; i += 2)
		strcat(text, "||cpu==1&&pid==2");
	strcat(text, ")");
	assert_int_equal(tw_filter__parse(text, &filter, &err), 0);
	assert_int_equal(tw_filter__bind(filter, &options, &bound, &err), 0);
	assert_ptr_equal(tw_bound__root(bound, 12), tw_bound__root(bound, 2399));
	assert_ptr_not_equal(tw_bound__root(bound, 12), tw_bound__root(bound, 20));
	assert_int_equal(tw_bound__root(bound, 11)->kind, TW_NODE_FALSE);
	assert_in_range(tw_arena__taken(bound->arena), 1, 12 << 20);
	assert_int_equal(tw_bound__prepare(bound, &err), 0);
	assert_int_equal(tw_bound__is_certain(bound, 11), 0);
	assert_int_equal(tw_bound__is_certain(bound, 12), -1);
	tw_bound__free(bound);
	tw_filter__free(filter);
	tw_schema__free((struct tw_schema *)options.schema);
}

/* A sign is read of integers and enums only, whatever a format says: the same range for the binder, the same bytes for all. */
static void test_odd_sign(void **state)
{
	static const char text[] = "name: odd\nID: 10\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				   "\tfield:bool on;\toffset:8;\tsize:1;\tsigned:1;\n\nprint fmt: \"\"\n";
	static const uint8_t record[9] = { [8] = 255 };
	const struct tw_filter_event event = { .record = record, .len = sizeof(record), .id = 10 };
	struct tw_schema *odd = tw_schema__new();
	const struct tw_bind_options options = { .schema = odd };
	struct tw_number_place place;
	struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_schema__add(odd, "odd", text, strlen(text), NULL, &err), 0);
	assert_int_equal(tw_filter__parse("on == 255", &filter, &err), 0);
	assert_int_equal(tw_filter__bind(filter, &options, &bound, &err), 0);
	assert_int_equal(tw_bound__prepare(bound, &err), 0);
	assert_true(tw_bound__matches(bound, &event));
	assert_true(tw_test__number_place(tw_bound__root(bound, 10)->test, &place));
	assert_false(place.is_signed);
	tw_bound__free(bound);
	tw_filter__free(filter);
	tw_schema__free(odd);
}

static void test_limits(void **state)
{
	char text[TW_FILTER_TEXT_MAX + 2];
	struct tw_filter *filter;
	struct tw_error err;

	(void)state;
	memset(text, ' ', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
	memset(text, '(', 200);
	text[200] = '\0';
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
	/* of each kind one waits at every level */
	text[0] = '\0';
	for (int i = 0; i < TW_FILTER_DEPTH_MAX; i++)
		strcat(text, "cpu==1||pid==1&&(");
	strcat(text, "cpu==1");
	for (int i = 0; i < TW_FILTER_DEPTH_MAX; i++)
		strcat(text, ")");
	assert_int_equal(tw_filter__parse(text, &filter, &err), 0);
	tw_filter__free(filter);
	memset(text, '!', 200);
	text[200] = '\0';
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
	text[0] = '\0';
	for (int i = 0; i < TW_FILTER_PREDICATES_MAX; i++)
		strcat(text, "cpu==1||");
	strcat(text, "cpu==1");
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
}

static const char *refuse_pid(const struct tw_test *test)
{
	return test->operand == TW_ON_PID ? "it is a pid" : NULL;
}

static void test_weaken(void **state)
{
	static const struct {
		const char *text, *weak, *rest;
		bool exact;
	} cases[] = {
		{ "cpu == 1", "cpu == 1", "true", true },
		{ "pid == 1", "true", "pid == 1", false },
		{ "cpu == 1 && pid == 1", "cpu == 1", "pid == 1", false },
		{ "cpu == 1 && !(pid == 1)", "cpu == 1", "!(pid == 1)", false },
		{ "cpu == 1 || pid == 1", "true", "cpu == 1 || pid == 1", false },
		{ "cpu == 2 && (cpu == 1 || pid == 1)", "cpu == 2", "cpu == 1 || pid == 1", false },
		{ "cpu == 2 && (cpu == 1 || (pid == 1 && time > 1))", "cpu == 2 && (cpu == 1 || time > 1.000000000)",
		  "cpu == 1 || (pid == 1 && time > 1.000000000)", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char weak[256] = "", rest[256] = "";
		struct tw_line weak_line = tw_line__on(weak, 255), rest_line = tw_line__on(rest, 255);
		struct tw_error err;
		struct tw_bound *bound;
		bool exact;

		assert_int_equal(bind(cases[i].text, false, &bound, &err), 0);
		tw_node__describe(tw_node__weaken(bound->unknown, refuse_pid, bound->arena, &exact), &weak_line);
		tw_node__describe(tw_node__rest(bound->unknown, refuse_pid, bound->arena), &rest_line);
		assert_string_equal(weak, cases[i].weak);
		assert_string_equal(rest, cases[i].rest);
		assert_int_equal(exact, cases[i].exact);
		tw_bound__free(bound);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meanings),    cmocka_unit_test(test_words_are_language),
		cmocka_unit_test(test_mistakes),    cmocka_unit_test(test_unknown_is_absent),
		cmocka_unit_test(test_many_events), cmocka_unit_test(test_odd_sign),
		cmocka_unit_test(test_limits),      cmocka_unit_test(test_weaken),
	};

	return cmocka_run_group_tests(tests, make_schema, free_schema);
}
