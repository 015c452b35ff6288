/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/syscalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schema/schema.h"

/* As in Linux 6.18 for x86-64; arm64 has the same text, because the size of a long is the same. */
#define TEXT(name, fields, print_fmt)                                          \
	"name: " name "\nID: 9\nformat:\n"                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"           \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n" fields "\nprint fmt: " print_fmt "\n"

static const char enter[] = TEXT("sys_enter", "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n",
				 "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], "
				 "REC->args[2], REC->args[3], REC->args[4], REC->args[5]");
static const char leave[] =
	TEXT("sys_exit", "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n", "\"NR %ld = %ld\", REC->id, REC->ret");

static void check_name(enum tw_machine machine, uint64_t number, const char *name)
{
	const char *found = tw_syscalls__name(machine, number);

	if (name && found)
		assert_string_equal(found, name);
	else
		assert_ptr_equal(found, name);
}

static void test_names(void **state)
{
	(void)state;
	check_name(TW_MACHINE_X86_64, 0, "read");
	check_name(TW_MACHINE_X86_64, 257, "openat");
	check_name(TW_MACHINE_X86_64, 334, "rseq");
	check_name(TW_MACHINE_X86_64, 337, NULL);
	check_name(TW_MACHINE_AARCH64, 0, "io_setup");
	check_name(TW_MACHINE_AARCH64, 56, "openat");
	check_name(TW_MACHINE_AARCH64, 244, NULL);
	check_name(TW_MACHINE_AARCH64, 437, "openat2");
	check_name(TW_MACHINE_X86_64, 437, "openat2");
	check_name(TW_MACHINE_X86_64, UINT64_MAX, NULL);
	check_name(TW_MACHINE_UNKNOWN, 0, NULL);
	check_name((enum tw_machine)9, 0, NULL);
}

/* The table is searched by number, so its numbers must ascend. */
static void test_order(void **state)
{
	(void)state;
	for (unsigned int machine = TW_MACHINE_X86_64; machine <= TW_MACHINE_AARCH64; machine++) {
		const struct tw_print_names *names = tw_syscalls__names((enum tw_machine)machine);

		assert_true(names->n > 300);
		for (uint32_t i = 0; i < names->n; i++) {
			assert_true(!i || names->names[i - 1].value < names->names[i].value);
			check_name((enum tw_machine)machine, names->names[i].value, names->names[i].name);
		}
	}
}

static void test_machines(void **state)
{
	(void)state;
	assert_int_equal(tw_machine__of("x86_64", 6), TW_MACHINE_X86_64);
	assert_int_equal(tw_machine__of("aarch64\n", 7), TW_MACHINE_AARCH64);
	assert_int_equal(tw_machine__of("x86_64", 5), TW_MACHINE_UNKNOWN);
	assert_int_equal(tw_machine__of("i686", 4), TW_MACHINE_UNKNOWN);
	assert_int_equal(tw_machine__of("", 0), TW_MACHINE_UNKNOWN);
}

/* Checks the text of system call 56 with arguments 0. The format is in a schema of @machine. */
static void check_text(enum tw_machine machine, const char *text, const char *expected)
{
	static const uint8_t bytes[64] = { [0] = 9, [8] = 56 };
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes) };
	struct tw_schema *schema = tw_schema__new();
	const struct tw_format *format;
	struct tw_print *print;
	char buf[128];
	struct tw_line line = tw_line__of(buf, sizeof(buf), TW_LINE_TEXT);

	assert_int_equal(tw_schema__add(schema, "raw_syscalls", text, strlen(text), &format, NULL), 0);
	print = tw_print__new(format);
	assert_null(tw_print__refusal(print));
	tw_schema__set_machine(schema, machine); /* after the format is compiled: a HOST can be late */
	tw_print__run(print, &record, NULL, &line);
	tw_line__char(&line, '\0');
	assert_string_equal(buf, expected);
	tw_print__free(print);
	tw_schema__free(schema);
}

static void test_text(void **state)
{
	(void)state;
	check_text(TW_MACHINE_X86_64, enter, "NR 56 clone (0, 0, 0, 0, 0, 0)");
	check_text(TW_MACHINE_AARCH64, enter, "NR 56 openat (0, 0, 0, 0, 0, 0)");
	check_text(TW_MACHINE_UNKNOWN, enter, "NR 56 (0, 0, 0, 0, 0, 0)");
	check_text(TW_MACHINE_X86_64, leave, "NR 56 clone = 0");
}

static void test_field(void **state)
{
	struct tw_schema *schema = tw_schema__new();
	const struct tw_format *format, *other;
	struct tw_print_names names;
	struct tw_print *print;

	(void)state;
	tw_schema__set_machine(schema, TW_MACHINE_AARCH64);
	assert_int_equal(tw_schema__add(schema, "raw_syscalls", enter, strlen(enter), &format, NULL), 0);
	print = tw_print__new(format);
	assert_true(tw_print__names(print, tw_format__find(format, "id"), &names));
	assert_ptr_equal(names.names, tw_syscalls__names(TW_MACHINE_AARCH64)->names);
	assert_false(tw_print__names(print, tw_format__find(format, "args"), &names));
	tw_schema__set_machine(schema, TW_MACHINE_UNKNOWN);
	assert_false(tw_print__names(print, tw_format__find(format, "id"), &names));
	tw_print__free(print);
	assert_int_equal(tw_schema__add(schema, "other", enter, strlen(enter), &other, NULL), 0);
	assert_false(tw_syscalls__is_number(other, tw_format__find(other, "id")));
	tw_schema__free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_order), cmocka_unit_test(test_machines),
		cmocka_unit_test(test_text),  cmocka_unit_test(test_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
