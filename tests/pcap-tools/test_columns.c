/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the columns of a report: which field of which event each one means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pcap-tools/report/columns.h"

static const char text[] = "name: do+it\n"
			   "ID: 7\n"
			   "format:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			   "\n"
			   "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
			   "\tfield:int prev_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
			   "\nprint fmt: \"%d\", REC->pid\n";

static struct tw_format *make_format(void)
{
	struct tw_format *format;

	assert_int_equal(tw_format__parse(text, sizeof(text) - 1, "my.sys", &format, NULL), 0);
	return format;
}

/* Return: name of the field that a column means in the event; NULL if it means none, or a value of every event */
static const char *field_of(const char *name, enum tw_report_column_kind kind)
{
	const struct tw_report_table table = { .columns = &name, .n_columns = 1, .separator = ',' };
	struct tw_report_columns *columns;
	struct tw_format *format = make_format();
	const struct tw_field *field;
	const char *found = NULL;

	assert_int_equal(tw_report_columns__new(&table, &columns), 0);
	assert_int_equal(columns->columns[0].kind, kind);
	field = kind == TW_COLUMN_FIELD ? tw_report_columns__find(&columns->columns[0], format) : NULL;
	for (size_t i = 0; field && i < 3; i++) {
		static const char *const names[] = { "common_pid", "pid", "prev_pid" };

		if (!strcmp(field->name, names[i]))
			found = names[i];
	}
	tw_report_columns__free(columns);
	tw_format__free(format);
	return found;
}

static void test_fields(void **state)
{
	static const char *const prev_pid[] = {
		"prev_pid",
		"do+it.prev_pid",
		"do_it.prev_pid",
		"my_sys.do_it.prev_pid",
		"my.sys.do+it.prev_pid",
		"trace.my_sys.do_it.prev_pid",
		"trace.any.prev_pid",
		"trace.do+it.prev_pid",
	};
	static const char *const none[] = {
		"prev_pi",
		"prev_pidx",
		"do.prev_pid",
		"other.do+it.prev_pid",
		"any.prev_pid",
		"",
		".",
		"..",
		"do+it.",
		".prev_pidx",
		"trace.my_sys.do_it",
		"my_sys.do_it.pid.prev_pid",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(prev_pid) / sizeof(prev_pid[0]); i++)
		if (!field_of(prev_pid[i], TW_COLUMN_FIELD) ||
		    strcmp(field_of(prev_pid[i], TW_COLUMN_FIELD), "prev_pid"))
			fail_msg("'%s' is not prev_pid", prev_pid[i]);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (field_of(none[i], TW_COLUMN_FIELD))
			fail_msg("'%s' is %s", none[i], field_of(none[i], TW_COLUMN_FIELD));
	assert_string_equal(field_of("common_pid", TW_COLUMN_FIELD), "common_pid");
	assert_string_equal(field_of("do+it.pid", TW_COLUMN_FIELD), "pid");
}

static void test_values_of_every_event(void **state)
{
	(void)state;
	field_of("pid", TW_COLUMN_PID); /* the task's pid, though the event has a field of that name */
	field_of("trace.pid", TW_COLUMN_PID);
	field_of("time", TW_COLUMN_TIME);
	field_of("time_ns", TW_COLUMN_TIME_NS);
	field_of("packet_time", TW_COLUMN_PACKET_TIME);
	field_of("time_error", TW_COLUMN_TIME_ERROR);
	field_of("trace.text", TW_COLUMN_TEXT);
	field_of("info", TW_COLUMN_TEXT);
	field_of("trace.trace.pid", TW_COLUMN_FIELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_values_of_every_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
