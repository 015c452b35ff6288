/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invalid expressions and their errors: the column, what is wrong, what to write. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/filter.h"
#include "tests/filter/bound.h"
#include "tests/filter/formats.h"

static const struct {
	const char *text, *error;
} mistakes[] = {
	{ "", "column 1: the expression is empty" },
	{ "cpu == ", "column 8: a value is expected here" },
	{ "cpu = 1", "column 5: '=' is not an operator; use '=='" },
	{ "cpu === 1", "column 5: '===' is not an operator; use '=='" },
	{ "cpu !== 1", "column 5: '!==' is not an operator; use '!='" },
	{ "cpu <> 1", "column 5: '<>' is not an operator; use '!='" },
	{ "prev_comm =~ a",
	  "column 11: '=~' is not an operator; use 'matches' for a regular expression, '~' for a pattern" },
	{ "prev_comm ~= a", "column 11: '~=' is not an operator; use '~' for a pattern, '!=' to compare" },
	{ "prev_comm !~ a", "column 11: '!~' is not an operator; write 'not NAME ~ PATTERN'" },
	{ "prev_comm[0] == a",
	  "column 10: '[' is not expected here; a pattern with brackets needs quotes, and slices are not supported" },
	{ "len(comm) == 1", "column 4: 'and' or 'or' is expected before a parenthesis; functions are not supported" },
	{ "cpu == 1 AND pid == 2", "column 10: write 'and' and 'or' in lower case" },
	{ "cpu == 1 & pid == 2", "column 10: a mask is written NAME & MASK; for 'and', write '&&'" },
	{ "cpu == 1..5", "column 9: a range can only be in a set: NAME in {1..5}" },
	{ "gfp_flags & (GFP_IO | GFP_HIGH)", "column 13: a value is expected here, without parentheses" },
	{ "cpu == 1 pid == 2", "column 10: 'and', 'or' or the end of the expression is expected here" },
	{ "cpu == 1 &&", "column 12: a comparison is expected here, such as cpu == 1" },
	{ "(cpu == 1", "column 1: this parenthesis has no closing parenthesis" },
	{ "cpu == 1)", "column 9: this parenthesis has no opening parenthesis" },
	{ "cpu in {1, 2", "column 13: a comma or a closing brace is expected here" },
	{ "cpu in 1", "column 8: a set in braces is expected here: {1, 2, 5..9}" },
	{ "cpu not 1", "column 9: 'in' is expected after 'not'" },
	{ "prev_comm == \"bash", "column 14: the text that begins here has no closing \"" },
	{ "prev_comm == \"\\q\"", "column 15: this backslash does not begin an escape; write \\\\ for a backslash" },
	{ "prev_comm == \"\\400\"", "column 15: this backslash does not begin an escape; write \\\\ for a backslash" },
	{ "prev_comm == a | cpu", "column 16: '|' joins names of flags, without spaces: A|B; for 'or', write '||'" },
	{ "sched.sched_switch.prev_pidd == 1",
	  "column 20: sched_switch has no field 'prev_pidd'; did you mean 'prev_pid'?" },
	{ "sched.sched_swich.prev_pid == 1",
	  "column 7: there is no event 'sched_swich' in system sched; did you mean 'sched_switch'?" },
	{ "shed.sched_switch.prev_pid == 1", "column 1: no event has the system 'shed'; did you mean 'sched'?" },
	{ "  prev_com == x", "column 3: no event has a field 'prev_com'; did you mean 'prev_comm'?" },
	{ "trace.sched_switch.prev_com == x",
	  "column 20: sched_switch has no field 'prev_com'; did you mean 'prev_comm'?" },
	{ "cpuu == 1", "column 1: no event has a field 'cpuu'; did you mean 'cpu'?" },
	{ "sched_switch", "column 1: 'sched_switch' is an event, not a field; write event == \"sched_switch\"" },
	{ "Sched_Switch", "column 1: 'sched_switch' is an event, not a field; write event == \"sched_switch\"" },
	{ "sched.sched_switch", "column 7: 'sched_switch' is an event, not a field; write event == \"sched_switch\"" },
	{ "sched:sched_switch", "column 7: 'sched_switch' is an event, not a field; write event == \"sched_switch\"" },
	{ "sched:sched_swich",
	  "column 7: there is no event 'sched_swich' in system sched; did you mean 'sched_switch'?" },
	{ "need_resched", "column 1: 'need_resched' is a bit of 'flags'; write flags & need_resched" },
	{ "1 == cpu", "column 1: '1' is not a name; a comparison begins with a name: cpu == 1" },
	{ "sched_switch. == 1",
	  "column 14: 'sched_switch.' is not a name: write FIELD, EVENT.FIELD or SYSTEM.EVENT.FIELD" },
	{ "sched_switch:prev_pid.x:y == 1",
	  "column 23: 'sched_switch:prev_pid.x:y' is not a name: write FIELD, EVENT.FIELD or SYSTEM.EVENT.FIELD" },
	{ "cpu+1 == 2", "column 4: 'cpu+1' is not a name: it contains '+'" },
	{ "event == sched_swich", "column 10: there is no event 'sched_swich'; did you mean 'sched_switch'?" },
	{ "event != sched_swich", "column 10: there is no event 'sched_swich'; did you mean 'sched_switch'?" },
	{ "event in {sched_switch, sched_swich}",
	  "column 25: there is no event 'sched_swich'; did you mean 'sched_switch'?" },
	{ "event == sched_*", "column 10: 'sched_*' is a pattern: compare it with ~; in quotes, * is an ordinary "
			      "character" },
	{ "event == \"sched_*\"", "column 10: there is no event 'sched_*'; for a pattern write event ~ \"sched_*\"" },
	{ "comm in {bash, ksoft*}", "column 16: 'ksoft*' is a pattern: compare it with ~; in quotes, * is an ordinary "
				    "character" },
	{ "system == irqs", "column 11: there is no system 'irqs'; did you mean 'irq'?" },
	{ "cpu in {1, 99999}", "column 12: 'cpu' is a number of 16 bits without sign and cannot be 99999" },
	{ "vec in {NET_RX, 4294967296}",
	  "column 17: 'vec' is a number of 32 bits without sign and cannot be 4294967296" },
	{ "prev_prio == 99999999999",
	  "column 14: 'prev_prio' is a number of 32 bits with sign and cannot be 99999999999" },
	{ "bytes_req == -1", "column 14: 'bytes_req' is a number of 64 bits without sign and cannot be -1" },
	{ "prev_pid == 99999999999999999999",
	  "column 13: 'prev_pid' is a number of 32 bits with sign and cannot be 99999999999999999999" },
	{ "prev_pid == bash", "column 13: 'prev_pid' is compared with numbers, and 'bash' is not a number" },
	{ "prev_pid == \"1\"",
	  "column 13: 'prev_pid' is compared with numbers, and '1' is not a number; omit the quotes" },
	{ "prev_pid == 08",
	  "column 13: 'prev_pid' is compared with numbers, and '08' is not a number: a number that begins with 0 is octal" },
	{ "cpu in {1-5}",
	  "column 9: 'cpu' is compared with numbers, and '1-5' is not a number; a range is written NAME in {1..5}" },
	{ "prev_pid & -1 == 1",
	  "column 12: under a mask 'prev_pid' is a number of 32 bits without sign and cannot be -1" },
	{ "vec == \"NET_RX\\0x\"", "column 8: 'vec' is compared with numbers, and 'NET_RX' is not a number" },
	{ "vec == NET_RXX", "column 8: 'vec' has no value named 'NET_RXX'; did you mean 'NET_RX'?" },
	{ "prev_pid contains 3", "column 10: 'prev_pid' is a number; 'contains' is for text" },
	{ "prev_comm & 3", "column 13: 'prev_comm' is not a number: & is for numbers" },
	{ "time & 3", "column 8: 'time' is not a number: & is for numbers" },
	{ "comm & 3 == 1", "column 8: 'comm' is not a number: & is for numbers" },
	{ "prev_comm == \"a name of more than 16\"", "column 14: 'prev_comm' has 16 bytes and cannot hold this text" },
	{ "prev_pid in {9..5}", "column 14: the range 9..5 has its ends in the wrong order" },
	{ "prev_comm in {b..a}", "column 15: the range b..a has its ends in the wrong order" },
	{ "time in {5..1}", "column 10: the range 5..1 has its ends in the wrong order" },
	{ "mac in {02:00:5e:10:00:02..02:00:5e:10:00:01}",
	  "column 9: the range 02:00:5e:10:00:02..02:00:5e:10:00:01 has its ends in the wrong order" },
	{ "prev_comm matches r\"a(\"", "column 23: this is not a regular expression: missing closing parenthesis" },
	{ "prev_comm matches \"\\x61\\t(\"",
	  "column 27: this is not a regular expression: missing closing parenthesis" },
	{ "prev_comm matches \"a(\"", "column 22: this is not a regular expression: missing closing parenthesis" },
	{ "time == 5s", "column 9: 'time' is in seconds, with at most nine decimals: 12.5, not '5s'" },
	{ "saddr == 10.0.0",
	  "column 10: 'saddr' holds bytes: write a value as aa:bb:cc or as an IPv4 address, not as '10.0.0'" },
	{ "saddr == localhost",
	  "column 10: 'saddr' holds bytes: write a value as aa:bb:cc or as an IPv4 address, not as 'localhost'" },
	{ "mac == 01:02", "column 8: 'mac' has 6 bytes, not 2" },
	{ "saddr == \"10.0.0.1\"", "column 10: 'saddr' has 4 bytes, not 8; write addresses without quotes" },
	{ "gateway < 10.0.0.1",
	  "column 11: 'gateway' is in network byte order: compare it with addresses and networks only by ==, !=, or `in` without ranges" },
	{ "gateway in {10.0.0.1..10.0.0.9}",
	  "column 13: 'gateway' is in network byte order: compare it with addresses and networks only by ==, !=, or `in` without ranges" },
	{ "a.b.c.d == 1", "column 1: 'a.b.c.d' has more parts than SYSTEM.EVENT.FIELD" },
	{ "cpu == 1 \x01",
	  "column 10: this character is not expected here; a text with special characters needs quotes" },
};

static void test_mistakes(void **state)
{
	const struct tw_bind_options options = { .schema = formats };
	struct tw_bound *bound;

	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct tw_error err = { "" };

		if (!bound__make(mistakes[i].text, &options, &bound, &err))
			fail_msg("'%s' is taken for an expression", mistakes[i].text);
		if (strcmp(err.text, mistakes[i].error) != 0)
			fail_msg("%s\n  says '%s'\n  not  '%s'", mistakes[i].text, err.text, mistakes[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
