/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel whose rings are laid out otherwise is refused in a sentence, not misread. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "schema/ring_page.h"

static const char page_text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
				"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				"\tfield: char data;\toffset:%zu;\tsize:4080;\tsigned:1;\n";
static const char entry_text[] = "# compressed entry header\n"
				 "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
				 "\tpadding     : type == %d\n\ttime_extend : type == 30\n"
				 "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

static char dir[] = "/tmp/tracewire-layout-XXXXXX";

__attribute__((format(printf, 2, 3))) static void write_text(const char *name, const char *fmt, ...)
{
	char path[128];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

static int make(void **state)
{
	char events[64];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(events, sizeof(events), "%s/events", dir);
	return mkdir(events, 0700);
}

static int removed(void **state)
{
	static const char *const names[] = { "/events/header_page", "/events/header_event", "/events", "" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, names[i]);
		remove(path);
	}
	return 0;
}

static void write_known(void)
{
	write_text("header_page", page_text, sizeof(long), 8 + sizeof(long));
	write_text("header_event", entry_text, 29);
}

static void test_known(void **state)
{
	(void)state;
	write_known();
	assert_int_equal(tw_subbuf__check_layout(dir, NULL), 0);
}

static void test_other_page(void **state)
{
	struct tw_error error;

	(void)state;
	write_known();
	write_text("header_page", page_text, sizeof(long), 16 + sizeof(long));
	assert_int_equal(tw_subbuf__check_layout(dir, &error), -ENOTSUP);
	assert_non_null(strstr(error.text, "header_page"));
}

static void test_other_entries(void **state)
{
	struct tw_error error;

	(void)state;
	write_known();
	write_text("header_event", entry_text, 27);
	assert_int_equal(tw_subbuf__check_layout(dir, &error), -ENOTSUP);
	assert_non_null(strstr(error.text, "header_event"));
}

static void test_no_text(void **state)
{
	struct tw_error error;

	(void)state;
	write_known();
	write_text("header_event", "no such thing\n");
	assert_int_equal(tw_subbuf__check_layout(dir, &error), -ENOTSUP);
	assert_int_equal(tw_subbuf__check_layout("/nonexistent", &error), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_other_page),
		cmocka_unit_test(test_other_entries),
		cmocka_unit_test(test_no_text),
	};

	return cmocka_run_group_tests(tests, make, removed);
}
