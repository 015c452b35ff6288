/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/format.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "texts.h"

#define HEAD "name: e\nID: 1\nformat:\n"

static struct tw_format *parse(const char *system, const char *text)
{
	struct tw_format *format = NULL;
	struct tw_error err = { "" };

	if (tw_format__parse(text, strlen(text), system, &format, &err))
		fail_msg("%s", err.text);
	return format;
}

static void test_sched_switch(void **state)
{
	static const char text[] = EVENT_TEXT("sched_switch", 316,
					      FIELD("char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4, 1)
						      FIELD("long prev_state", 32, 8, 1),
					      "print fmt: \"prev_comm=%s\", REC->prev_comm");
	struct tw_format *format = parse("sched", text);

	(void)state;
	assert_string_equal(format->system, "sched");
	assert_string_equal(format->name, "sched_switch");
	assert_string_equal(format->print_fmt, "\"prev_comm=%s\", REC->prev_comm");
	assert_int_equal(format->id, 316);
	assert_int_equal(format->n_fields, 7);
	assert_int_equal(format->n_common, 4);
	assert_true(format->fields[3].is_common && !format->fields[4].is_common);
	assert_true(format->long_size == 8 && format->long_size_shown);
	assert_ptr_equal(tw_format__find(format, "prev_pid"), &format->fields[5]);
	assert_null(tw_format__find(format, "next_pid"));
	tw_format__free(format);
}

/* One declaration and its expected result. */
struct type_case {
	const char *decl;
	uint32_t size;
	int sign;
	const char *name, *type;
	uint8_t kind, elem_kind, place;
	uint16_t elem_size;
	uint32_t count;
};

#define SCALAR(decl, size, sign, name, type, kind)                                                      \
	{                                                                                               \
		decl, size, sign, name, type, TW_FIELD_##kind, TW_FIELD_##kind, TW_PLACE_FIXED, size, 0 \
	}
#define BYTES(decl, size, name, type, count)                                                        \
	{                                                                                           \
		decl, size, 0, name, type, TW_FIELD_BYTES, TW_FIELD_BYTES, TW_PLACE_FIXED, 1, count \
	}
#define TEXT(decl, size, name, type, place)                                                         \
	{                                                                                           \
		decl, size, 0, name, type, TW_FIELD_STRING, TW_FIELD_STRING, TW_PLACE_##place, 1, 0 \
	}
#define FIXED(decl, size, sign, name, type, kind, elem, count)                                             \
	{                                                                                                  \
		decl, size, sign, name, type, TW_FIELD_ARRAY, TW_FIELD_##kind, TW_PLACE_FIXED, elem, count \
	}
#define DYNAMIC(decl, sign, name, type, kind, place, elem)                                            \
	{                                                                                             \
		decl, 4, sign, name, type, TW_FIELD_ARRAY, TW_FIELD_##kind, TW_PLACE_##place, elem, 0 \
	}
#define MASK(decl, size, name, type, place, count)                                                        \
	{                                                                                                 \
		decl, size, 0, name, type, TW_FIELD_BITMASK, TW_FIELD_BITMASK, TW_PLACE_##place, 8, count \
	}

static const struct type_case type_cases[] = {
	SCALAR("unsigned char a", 1, 0, "a", "unsigned char", UINT),
	SCALAR("char a", 1, 1, "a", "char", INT),
	SCALAR("short a", 2, 1, "a", "short", INT),
	SCALAR("u32 a", 4, 0, "a", "u32", UINT),
	SCALAR("long long a", 8, 1, "a", "long long", INT),
	SCALAR("unsigned long a", 4, 0, "a", "unsigned long", UINT),
	SCALAR("xfs_agblock_t a", 4, 0, "a", "xfs_agblock_t", UINT),
	SCALAR("int fd", 8, 0, "fd", "int", UINT), /* syscall arguments have the size of a long */
	SCALAR("bool a", 1, 0, "a", "bool", BOOL),
	SCALAR("_Bool a", 1, 0, "a", "_Bool", BOOL),
	SCALAR("enum zone_type a", 4, 0, "a", "enum zone_type", ENUM),
	SCALAR("const enum foo a", 8, 0, "a", "const enum foo", ENUM),
	SCALAR("enum packed a", 1, 1, "a", "enum packed", ENUM),
	SCALAR("const char * filename", 8, 0, "filename", "const char *", POINTER),
	SCALAR("const char *const * argv", 8, 0, "argv", "const char *const *", POINTER),
	SCALAR("void* a", 4, 0, "a", "void*", POINTER),
	SCALAR("struct page *page", 8, 0, "page", "struct page *", POINTER),
	SCALAR("void __seg_gs * a", 8, 0, "a", "void __seg_gs *", POINTER),
	SCALAR("void (*done)(struct bio *, int)", 8, 0, "done", "void (*)(struct bio *, int)", POINTER),
	SCALAR("int ( * cb ) (void)", 8, 0, "cb", "int ( * ) (void)", POINTER),
	BYTES("void *a", 2, "a", "void *", 0), /* no host has addresses of 2 bytes */
	BYTES("guid_t a", 16, "a", "guid_t", 0),
	BYTES("struct timespec a", 8, "a", "struct timespec", 0),
	BYTES("union bpf_attr a", 4, "a", "union bpf_attr", 0),
	BYTES("struct { int x; int y; } a", 8, "a", "struct { int x; int y; }", 0),
	BYTES("struct sk a[4]", 32, "a", "struct sk[4]", 32),
	BYTES("u32 a[MAX]", 7, "a", "u32[MAX]", 7),
	BYTES("strange_t a[MAX]", 8, "a", "strange_t[MAX]", 8),
	{ "char comm[16]", 16, 0, "comm", "char[16]", TW_FIELD_STRING, TW_FIELD_STRING, TW_PLACE_FIXED, 1, 16 },
	{ "char[16] comm", 16, 0, "comm", "char[16]", TW_FIELD_STRING, TW_FIELD_STRING, TW_PLACE_FIXED, 1, 16 },
	{ "char driver[20+1]", 21, 0, "driver", "char[20+1]", TW_FIELD_STRING, TW_FIELD_STRING, TW_PLACE_FIXED, 1, 21 },
	{ "const char a [T[2]]", 3, 1, "a", "const char[T[2]]", TW_FIELD_STRING, TW_FIELD_STRING, TW_PLACE_FIXED, 1,
	  3 },
	TEXT("__data_loc char[] name", 4, "name", "__data_loc char[]", DATA_LOC),
	TEXT("__rel_loc char[] name", 4, "name", "__rel_loc char[]", REL_LOC),
	TEXT("__data_loc char name[]", 4, "name", "__data_loc char[]", DATA_LOC),
	FIXED("u8 a[6]", 6, 0, "a", "u8[6]", UINT, 1, 6),
	FIXED("unsigned char mac[6]", 6, 0, "mac", "unsigned char[6]", UINT, 1, 6),
	FIXED("__u8 cdb[32 + 2]", 34, 0, "cdb", "__u8[32 + 2]", UINT, 1, 34),
	FIXED("unsigned long a[6]", 48, 0, "a", "unsigned long[6]", UINT, 8, 6),
	FIXED("unsigned long a[6]", 24, 0, "a", "unsigned long[6]", UINT, 4, 6),
	FIXED("u64 a[NR_STATES]", 40, 0, "a", "u64[NR_STATES]", UINT, 8, 5),
	FIXED("int a[2][3]", 24, 1, "a", "int[2][3]", INT, 4, 6),
	FIXED("strange_t a[4]", 16, 0, "a", "strange_t[4]", UINT, 4, 4),
	FIXED("char names[2][8]", 16, 0, "names", "char[2][8]", UINT, 1, 16),
	FIXED("bool a[3]", 3, 0, "a", "bool[3]", BOOL, 1, 3),
	FIXED("enum x a[3]", 12, 0, "a", "enum x[3]", ENUM, 4, 3),
	FIXED("void *stack[8]", 64, 0, "stack", "void *[8]", POINTER, 8, 8),
	DYNAMIC("__data_loc u32[] a", 0, "a", "__data_loc u32[]", UINT, DATA_LOC, 4),
	DYNAMIC("__data_loc int[] a", 1, "a", "__data_loc int[]", INT, DATA_LOC, 4),
	DYNAMIC("__data_loc unsigned char[] a", 0, "a", "__data_loc unsigned char[]", UINT, DATA_LOC, 1),
	DYNAMIC("__data_loc unsigned long[] a", 0, "a", "__data_loc unsigned long[]", UINT, DATA_LOC, 8),
	DYNAMIC("__rel_loc u64[] a", 0, "a", "__rel_loc u64[]", UINT, REL_LOC, 8),
	DYNAMIC("__data_loc void *[] a", 0, "a", "__data_loc void *[]", POINTER, DATA_LOC, 8),
	{ "__data_loc struct rate[] a", 4, 0, "a", "__data_loc struct rate[]", TW_FIELD_BYTES, TW_FIELD_BYTES,
	  TW_PLACE_DATA_LOC, 1, 0 },
	{ "__data_loc strange_t[] a", 4, 0, "a", "__data_loc strange_t[]", TW_FIELD_BYTES, TW_FIELD_BYTES,
	  TW_PLACE_DATA_LOC, 1, 0 },
	BYTES("__data_loc char[] a", 8, "a", "__data_loc char[]", 0), /* no location has 8 bytes */
	MASK("__data_loc cpumask_t mask", 4, "mask", "__data_loc cpumask_t", DATA_LOC, 0),
	MASK("__data_loc cpumask_t *mask", 4, "mask", "__data_loc cpumask_t *", DATA_LOC, 0),
	MASK("__rel_loc cpumask_t *mask", 4, "mask", "__rel_loc cpumask_t *", REL_LOC, 0),
	MASK("__data_loc bitmask_t[] mask", 4, "mask", "__data_loc bitmask_t[]", DATA_LOC, 0),
	MASK("cpumask_t mask", 16, "mask", "cpumask_t", FIXED, 2),
	MASK("struct cpumask mask", 8, "mask", "struct cpumask", FIXED, 1),
};

static void check_type(const struct type_case *c)
{
	struct tw_format *format;
	const struct tw_field *f;
	char text[1024];

	snprintf(text, sizeof(text),
		 "name: e\nID: 1\nformat:\n" COMMON_FIELDS "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:%d;\n", c->decl,
		 c->size, c->sign);
	format = parse("test", text);
	assert_int_equal(format->n_fields, 5);
	f = &format->fields[4];
	if (strcmp(f->name, c->name) || strcmp(f->type, c->type) || f->offset != 8 || f->size != c->size ||
	    f->is_signed != c->sign || f->kind != c->kind || f->elem_kind != c->elem_kind || f->place != c->place ||
	    f->elem_size != c->elem_size || f->count != c->count)
		fail_msg("\"%s\" was read as \"%s\" \"%s\" kind %u of %u at place %u, %u elements of %u bytes", c->decl,
			 f->type, f->name, f->kind, f->elem_kind, f->place, f->count, f->elem_size);
	tw_format__free(format);
}

static void test_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(type_cases) / sizeof(type_cases[0]); i++)
		check_type(&type_cases[i]);
}

/* Names of types whose size is known. For an array behind a location, only the type tells the size of an element. */
static void test_names(void **state)
{
	static const struct {
		const char *names; /* separated by blanks */
		uint16_t size;
	} sizes[] = {
		{ "_Bool __s8 __u8 bool int8_t s8 u8 uint8_t", 1 },
		{ "__be16 __le16 __s16 __u16 int16_t s16 u16 uint16_t ushort", 2 },
		{ "__be32 __le32 __s32 __u32 gid_t int32_t pid_t s32 u32 uid_t uint uint32_t", 4 },
		{ "__be64 __le64 __s64 __u64 dma_addr_t int64_t ktime_t loff_t s64 sector_t u64 uint64_t", 8 },
		{ "bitmask_t cpumask_t cpumask_var_t nodemask_t size_t ssize_t uintptr_t ulong", 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char names[128], text[256], *rest;

		snprintf(names, sizeof(names), "%s", sizes[i].names);
		for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
			struct tw_format *format;

			snprintf(text, sizeof(text), HEAD "field:__data_loc %s[] a;offset:8;size:4;\n", name);
			format = parse("test", text);
			assert_in_range(format->fields[0].kind, TW_FIELD_ARRAY, TW_FIELD_BITMASK);
			assert_int_equal(format->fields[0].elem_size, sizes[i].size);
			tw_format__free(format);
		}
	}
}

static void check_last(const char *system, const char *text, uint8_t kind, uint8_t place, uint16_t elem_size)
{
	struct tw_format *format = parse(system, text);
	const struct tw_field *last = &format->fields[format->n_fields - 1];

	assert_int_equal(last->kind, kind);
	assert_int_equal(last->place, place);
	assert_int_equal(last->elem_size, elem_size);
	tw_format__free(format);
}

/* Fields of size 0, which extend to the end of the record, and similar fields. */
static void test_open_ended(void **state)
{
	(void)state;
	check_last("ftrace",
		   EVENT_TEXT("print", 5, FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf[]", 16, 0, 0), ""),
		   TW_FIELD_STRING, TW_PLACE_REST, 1);
	check_last("ftrace", EVENT_TEXT("print", 5, FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf", 16, 0, 0), ""),
		   TW_FIELD_STRING, TW_PLACE_REST, 1);
	check_last("ftrace", EVENT_TEXT("bprint", 6, FIELD("u32 buf", 24, 0, 0), ""), TW_FIELD_ARRAY, TW_PLACE_REST, 4);
	check_last("ftrace", EVENT_TEXT("raw_data", 16, FIELD("char buf[]", 12, 0, 0), ""), TW_FIELD_BYTES,
		   TW_PLACE_REST, 1);
	check_last("ftrace", EVENT_TEXT("kernel_stack", 4, FIELD("unsigned long caller[8]", 16, 64, 0), ""),
		   TW_FIELD_ARRAY, TW_PLACE_REST, 8);
	check_last("ftrace", EVENT_TEXT("user_stack", 4, FIELD("unsigned long caller[8]", 16, 64, 0), ""),
		   TW_FIELD_ARRAY, TW_PLACE_FIXED, 8);
	check_last("x", EVENT_TEXT("y", 9, FIELD("int a", 12, 4, 1) FIELD("char pad[0]", 12, 0, 0), ""),
		   TW_FIELD_STRING, TW_PLACE_FIXED, 1);
}

static void test_printed_bitmask(void **state)
{
	static const char text[] = EVENT_TEXT("ipi_raise", 90,
					      FIELD("__data_loc unsigned long[] mask", 8, 4, 0)
						      FIELD("__data_loc unsigned long[] other", 12, 4, 0),
					      "print fmt: \"target_mask=%s __get_\", __get_bitmask(mask)");
	struct tw_format *format = parse("ipi", text);

	(void)state;
	assert_int_equal(tw_format__find(format, "mask")->kind, TW_FIELD_BITMASK);
	assert_int_equal(tw_format__find(format, "other")->kind, TW_FIELD_ARRAY);
	assert_false(format->long_size_shown);
	tw_format__assume_long_size(format, 4);
	assert_int_equal(tw_format__find(format, "mask")->kind, TW_FIELD_BITMASK);
	assert_int_equal(tw_format__find(format, "mask")->elem_size, 4);
	assert_int_equal(tw_format__find(format, "other")->elem_size, 4);
	tw_format__assume_long_size(format, 3);
	assert_int_equal(format->long_size, 4);
	tw_format__free(format);
}

static void test_long_size(void **state)
{
	struct tw_format *format =
		parse("x", EVENT_TEXT("y", 1, FIELD("void *p", 8, 4, 0) FIELD("__data_loc long[] a", 12, 4, 1), ""));

	(void)state;
	assert_true(format->long_size_shown);
	assert_int_equal(format->long_size, 4);
	assert_int_equal(tw_format__find(format, "a")->elem_size, 4);
	tw_format__assume_long_size(format, 8);
	assert_int_equal(format->long_size, 4);
	tw_format__free(format);
}

/* Formats are accepted as kernels before 2.6.31 wrote them, and as editors and mail programs change them. */
static void test_tolerated(void **state)
{
	struct tw_format *format;

	(void)state;
	format = parse("x", "\r\nname: old thing\r\nID:7\r\nformat:\r\n\tfield special:int a;offset:4;size:4;\r\n"
			    "\tfield:u64 b;offset:8;size:8\r\nsurprise: yes\r\nprint fmt: \"%d\", REC->a\r\n\r\n");
	assert_string_equal(format->name, "old thing");
	assert_string_equal(format->print_fmt, "\"%d\", REC->a");
	assert_int_equal(format->n_fields, 2);
	assert_int_equal(format->n_common, 0);
	assert_true(format->fields[0].is_signed);
	assert_false(format->fields[1].is_signed);
	tw_format__free(format);
	format = parse(
		"x",
		"name: a\nID: 1\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\n\tfield:int c;\toffset:8;\tsize:4;");
	assert_int_equal(format->n_common, 1);
	assert_string_equal(format->print_fmt, "");
	tw_format__free(format);
}

static void refuse(int code, const char *text, size_t len, const char *reason)
{
	struct tw_format *format = (void *)1;
	struct tw_error err = { "" };

	assert_int_equal(tw_format__parse(text, len, "sys", &format, &err), code);
	assert_ptr_equal(format, (void *)1);
	if (!strstr(err.text, reason))
		fail_msg("the reason \"%s\" does not say \"%s\"", err.text, reason);
}

#define REFUSE(text, reason) refuse(-EINVAL, text, sizeof(text) - 1, reason)

static void test_refused(void **state)
{
	(void)state;
	REFUSE("", "line 0, expected a line \"name:\"");
	REFUSE("ID: 1\n", "\"name:\" before the end");
	REFUSE("name: e\n", "sys:e cannot be read: line 1, expected a line \"ID:\"");
	REFUSE("name: \nID: 1\n", "line 1, expected the event's name");
	REFUSE("name: e\nID: 65536\n", "line 2, expected a number up to 65535");
	REFUSE("name: e\nID: 1x\n", "line 2, expected a number up to 65535");
	REFUSE(HEAD "\tfield:int a; size:4;\n", "line 4, expected \"; offset:\"");
	REFUSE(HEAD "\tfield:a;\toffset:0;\tsize:4;\n", "expected a C type and a name");
	REFUSE(HEAD "\tfield:char a];\toffset:0;\tsize:4;\n", "expected a C type and a name");
	REFUSE(HEAD "\tfield:void (done)(int);\toffset:0;\tsize:4;\n", "expected a C type and a name");
	REFUSE(HEAD "\tfield:int a;\toffset:-1;\tsize:4;\n", "after \"offset:\"");
	REFUSE(HEAD "\tfield:int a;\toffset:99999999999;\tsize:4;\n", "after \"offset:\"");
	REFUSE(HEAD "\tfield:int a;\toffset:0;\tlength:4;\n", "\"size:\"");
	REFUSE(HEAD "\tfield:int a;\toffset:0;\tsize:4;\tsigned:x;\n", "\"signed:\"");
	REFUSE(HEAD "\0", "NUL");
}

static void test_limits(void **state)
{
	const size_t size = TW_FORMAT_TEXT_MAX + 1;
	char *text = calloc(1, size);
	size_t len = 0;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', size);
	refuse(-E2BIG, text, size, "262145 bytes");
	len = (size_t)sprintf(text, HEAD);
	for (unsigned int i = 0; i <= TW_FORMAT_FIELDS_MAX; i++)
		len += (size_t)sprintf(text + len, "field:int f%u;offset:8;size:4;\n", i);
	refuse(-E2BIG, text, len, "1025 fields");
	free(text);
}

static void test_header_page(void **state)
{
	static const char text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
	struct tw_page_layout layout;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_page_layout__parse(text, strlen(text), &layout, &err), 0);
	assert_int_equal(layout.commit_offset, 8);
	assert_int_equal(layout.commit_size, 4);
	assert_int_equal(layout.data_offset, 12);
	assert_int_equal(tw_page_layout__parse(text, (size_t)(strstr(text, "\tfield: char") - text), &layout, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "\"data\" after it"));
	assert_int_equal(tw_page_layout__parse("\tfield: int", 11, &layout, &err), -EINVAL);
	assert_non_null(strstr(err.text, "line 1"));
	assert_int_equal(tw_page_layout__parse("", 0, &layout, NULL), -EINVAL);
}

static void test_header_event(void **state)
{
	static const char text[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
				   "\tpadding     : type == 29\n\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
	static const char old[] =
		"\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
		"\tpadding     : type == 29\n\ttime_extend : type == 30\n\tdata max type_len  == 28\n";
	struct tw_entry_layout layout, older;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_entry_layout__parse(text, strlen(text), &layout, &err), 0);
	assert_true(layout.type_len_bits == 5 && layout.time_delta_bits == 27 && layout.padding == 29);
	assert_true(layout.time_extend == 30 && layout.time_stamp == 31 && layout.data_max == 28);
	assert_int_equal(tw_entry_layout__parse(old, strlen(old), &older, &err), 0);
	assert_memory_equal(&layout, &older, sizeof(layout));
	assert_int_equal(tw_entry_layout__parse(text, 90, &layout, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sched_switch),    cmocka_unit_test(test_types),
		cmocka_unit_test(test_names),           cmocka_unit_test(test_open_ended),
		cmocka_unit_test(test_printed_bitmask), cmocka_unit_test(test_long_size),
		cmocka_unit_test(test_tolerated),       cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),          cmocka_unit_test(test_header_page),
		cmocka_unit_test(test_header_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
