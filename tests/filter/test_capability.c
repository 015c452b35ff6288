/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which back end can express which comparison, and its limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/capability.h"
#include "tests/filter/emitted.h"
#include "tests/schema/texts.h"

#define TEXT_255 TEXT_51 TEXT_51 TEXT_51 TEXT_51 TEXT_51
#define TEXT_51  "123456789012345678901234567890123456789012345678901"

/* Fields of every kind, with sizes at the limits. */
/* clang-format off */
static const char format[] = EVENT_TEXT("made", 300,
	FIELD("u32 number", 8, 4, 0)
	FIELD("s16 signed", 12, 2, 1)
	FIELD("bool truth", 14, 1, 0)
	FIELD("bool signed-truth", 15, 1, 1)
	FIELD("void * pointer", 16, 8, 0)
	FIELD("char * string", 24, 8, 0)
	FIELD("u16 a16[16]", 32, 32, 0)
	FIELD("u16 a17[17]", 64, 34, 0)
	FIELD("s16 a64[64]", 98, 128, 1)
	FIELD("s16 a65[65]", 226, 130, 1)
	FIELD("u16 a257[257]", 356, 514, 0)
	FIELD("unsigned long caller[2]", 872, 16, 0)
	FIELD("bool truths[4]", 888, 4, 0)
	FIELD("char text[8]", 892, 8, 0)
	FIELD("char long_text[600]", 900, 600, 0)
	FIELD("__data_loc char[] located", 1500, 4, 0)
	FIELD("__data_loc u16[] numbers", 1504, 4, 0)
	FIELD("__data_loc u8[] bytes", 1508, 4, 0)
	FIELD("cpumask_t mask", 1512, 16, 0)
	FIELD("u8 b4[4]", 1528, 4, 0)
	FIELD("u8 b6[6]", 1532, 6, 0)
	FIELD("u8 b65[65]", 1538, 65, 0)
	FIELD("u8 b66[66]", 1603, 66, 0)
	FIELD("u8 saddr[4]", 1669, 4, 0)
	FIELD("u8 last", 3655, 1, 0)
	FIELD("u8 far", 3656, 1, 0)
	FIELD("u32 over", 4, 4, 0)
	FIELD("char rest[]", 3700, 0, 0),
	"print fmt: \"\"");
/* clang-format on */

/* @can: tracefs, producer, BPF, u32, pcap, display, tracepoint: a letter if it can, otherwise - */
static const struct {
	const char *text, *can;
} cases[] = {
	{ "time == 1", "-Pb--d-" },
	{ "comm == bash", "t----d-" },
	{ "comm", "-----d-" },
	{ "comm > bash", "-----d-" },
	{ "comm matches bash", "-----d-" },
	{ "host == debian", "-P---d-" },
	{ "pid == 1", "tPbupdk" },
	{ "cpu == 1", "tPbupdk" },
	{ "cpu & 1", "-Pbupdk" },
	{ "flags & 1", "tPbupd-" },
	{ "pid & 1 > 0", "-Pb-pdk" },
	{ "pid & 0x80000000 > 0", "-Pb-p-k" },

	{ "number == 1", "tPbupdk" },
	{ "number > 1", "tPbupdk" },
	{ "number & 6 > 2", "-Pb-pdk" },
	{ "signed & 0x8000 > 2", "-Pb-p-k" },
	{ "signed & 0x8000 == 2", "tPbupdk" },
	{ "signed-truth == 1", "-Pbup-k" },
	{ "truth == 1", "tPbupdk" },
	{ "pointer == 1", "tPbupdk" },
	{ "string == 1", "-Pbupdk" },
	{ "last == 1", "tPbupdk" },
	{ "far == 1", "tP-upd-" },
	{ "over == 1", "tP---d-" },
	{ "over", "tP-u-d-" },

	{ "a16 == 1", "-Pb-pdk" },
	{ "a16", "tPbupdk" },
	{ "a17 == 1", "-P--pd-" },
	{ "a17", "tPbupdk" },
	{ "a64 == 1", "-P--pd-" },
	{ "a64 != -32768", "-P--p--" },
	{ "a64 & 0x8000", "-P--p--" },
	{ "a65 == 1", "-P---d-" },
	{ "a65", "tPbu-dk" },
	{ "a257 == 1", "-P-----" },
	{ "caller == 1", "-Pb-p-k" },
	{ "numbers == 1", "-P-----" },
	{ "numbers", "-P-----" },

	{ "text == abc", "tPbupd-" },
	{ "text == \"a\\0b\"", "-Pb----" },
	{ "text == \"\\\"'\"", "-Pbupd-" },
	{ "text > abc", "-P--pd-" },
	{ "text in {\"a\"..\"b\\0\"}", "-P-----" },
	{ "text contains abc", "tP---d-" },
	{ "text matches abc", "-P---d-" },
	{ "text ~ \"a*\"", "tPbupd-" },
	{ "text ~ \"*\"", "tPbupd-" },
	{ "text ~ \"*a\"", "tP---d-" },
	{ "text ~ \"a*b\"", "-P---d-" },
	{ "text ~ \"[!a]*\"", "tP---d-" },
	{ "text ~ \"*[!a]\"", "-P---d-" },
	{ "text ~ \"a\\\\\"", "-P---d-" },
	{ "long_text == \"" TEXT_255 "\"", "tPbupd-" },
	{ "long_text == \"" TEXT_255 "1\"", "-Pbupd-" },
	{ "long_text == \"" TEXT_255 TEXT_255 "1\"", "-Pbupd-" },
	{ "long_text == \"" TEXT_255 TEXT_255 "12\"", "-Pb-pd-" },
	{ "long_text > \"" TEXT_255 TEXT_255 TEXT_255 TEXT_255 "1234\"", "-P--pd-" },
	{ "long_text > \"" TEXT_255 TEXT_255 TEXT_255 TEXT_255 "12345\"", "-P---d-" },
	{ "located == abc", "tPb--d-" },
	{ "located == \"" TEXT_255 "\"", "tPb--d-" },
	{ "located == \"" TEXT_255 "1\"", "-P---d-" },
	{ "located", "tPbu-d-" },
	{ "rest == abc", "-P---d-" },
	{ "mask == \"0-3\"", "-P---d-" },
	{ "mask contains \"3\"", "-P-----" },
	{ "mask", "tPbu-d-" },

	{ "b4 == aa:bb:cc:dd", "tPbupd-" },
	{ "b4 > aa:bb:cc:dd", "-Pb-pd-" },
	{ "b4 > aa:bb:cc", "-P--pd-" },
	{ "b6 == aa:bb:cc:dd:ee:ff", "-Pbupd-" },
	{ "b6 > aa:bb:cc:dd:ee:ff", "-P--pd-" },
	{ "b6 contains aa", "-P--pd-" },
	{ "b65 contains aa:bb", "-P--pd-" },
	{ "b66 contains aa:bb", "-P---d-" },
	{ "bytes == aa", "-P---d-" },
	{ "bytes", "tPbu-d-" },
	{ "saddr contains aa", "-P--p--" },
	{ "truths == aa:bb:cc:dd", "tPbup--" },
};

static void each_can_do_what_it_says(void **state)
{
	struct tw_schema *schema = tw_schema__new();
	struct tw_error err;

	(void)state;
	if (tw_schema__add(schema, "made", format, strlen(format), NULL, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_bound *bound = bind_to(schema, cases[i].text, false);
		const struct tw_node *root = tw_bound__root(bound, 300);
		char can[] = "tPbupdk";
		const char *why;

		assert_int_equal(root->kind, TW_NODE_TEST);
		for (enum tw_back_end back_end = 0; back_end < TW_BACK_END_TOOLS; back_end++)
			if (tw_node__refused(root, back_end, &why))
				can[back_end] = '-';
		emitted_is(cases[i].text, cases[i].can, can);
		assert_null(tw_test__refusal(root->test, TW_BACK_END_TOOLS));
		tw_bound__free(bound);
	}
	tw_schema__free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_can_do_what_it_says) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
