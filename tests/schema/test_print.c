/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print formats are compiled and run on generated records. A table has one row for each construct. */
#include "schema/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                           \
	"name: made\nID: 7\nformat:\n"                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"                              \
	"\tfield:unsigned int u;\toffset:12;\tsize:4;\tsigned:0;\n"                    \
	"\tfield:s8 small;\toffset:16;\tsize:1;\tsigned:1;\n"                          \
	"\tfield:u16 half;\toffset:18;\tsize:2;\tsigned:0;\n"                          \
	"\tfield:__data_loc char[] name;\toffset:20;\tsize:4;\tsigned:0;\n"            \
	"\tfield:u64 wide;\toffset:24;\tsize:8;\tsigned:0;\n"                          \
	"\tfield:unsigned long ip;\toffset:32;\tsize:8;\tsigned:0;\n"                  \
	"\tfield:char comm[8];\toffset:40;\tsize:8;\tsigned:0;\n"                      \
	"\tfield:u8 mac[6];\toffset:48;\tsize:6;\tsigned:0;\n"                         \
	"\tfield:__rel_loc u16[] list;\toffset:56;\tsize:4;\tsigned:0;\n"              \
	"\nprint fmt: "

#define RECORD_LEN 80

static void put(uint8_t *record, uint32_t at, uint32_t size, uint64_t value, bool big_endian)
{
	for (uint32_t i = 0; i < size; i++)
		record[at + (big_endian ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void make_record(uint8_t *record, bool big_endian)
{
	memset(record, 0, RECORD_LEN);
	put(record, 0, 2, 7, big_endian);
	put(record, 4, 4, 4321, big_endian);
	put(record, 8, 4, (uint64_t)-5, big_endian);
	put(record, 12, 4, 0xfffffff0, big_endian);
	put(record, 16, 1, (uint64_t)-2, big_endian);
	put(record, 18, 2, 513, big_endian);
	put(record, 20, 4, 6 << 16 | 64, big_endian);
	put(record, 24, 8, 5000000123, big_endian);
	put(record, 32, 8, 0xffffffff81000010, big_endian);
	memcpy(record + 40, "bash\0xyz", 8);
	memcpy(record + 48, "\x02\x00\x5e\x10\xff\x01", 6);
	put(record, 56, 4, 4 << 16 | 12, big_endian);
	memcpy(record + 64, "eth0\0?", 6);
	put(record, 72, 2, 300, big_endian);
	put(record, 74, 2, 7, big_endian);
}

static struct tw_format *parse(const char *print_fmt)
{
	struct tw_format *format = NULL;
	struct tw_error err;
	char text[8192];

	snprintf(text, sizeof(text), HEAD "%s\n", print_fmt);
	assert_int_equal(tw_format__parse(text, strlen(text), "made", &format, &err), 0);
	return format;
}

static void run(const char *print_fmt, const struct tw_record *record, const struct tw_print_host *host, char *ret,
		size_t size)
{
	struct tw_format *format = parse(print_fmt);
	struct tw_print *print = tw_print__new(format);
	struct tw_line line = tw_line__on(ret, size - 1);

	assert_non_null(print);
	if (tw_print__refusal(print))
		print_message("%s: %s\n", print_fmt, tw_print__refusal(print));
	assert_null(tw_print__refusal(print));
	tw_print__run(print, record, host, &line);
	*line.at = '\0';
	tw_print__free(print);
	tw_format__free(format);
}

struct row {
	const char *print_fmt, *expected;
};

static const struct row rows[] = {
	{ "\"plain\"", "plain" },
	{ "\"a\" \"b %% \\\"c\\\"\\n\"", "ab % \"c\"\n" },
	{ "\"%d %u %x %lld\", REC->i, REC->u, REC->u, REC->wide", "-5 4294967280 fffffff0 5000000123" },
	{ "\"%d %hhu %u\", REC->small, REC->small, REC->half", "-2 254 513" },
	{ "\"%5d|%-5d|%05d|%#x|%+d\", REC->half, REC->half, REC->half, REC->half, REC->half",
	  "  513|513  |00513|0x201|+513" },
	{ "\"%0*llx %.*s\", 12, REC->wide, 2, REC->comm", "00012a05f27b ba" },
	{ "\"%s %s|%8s|%-8s|%.3s\", REC->comm, __get_str(name), REC->comm, __get_str(name), REC->comm",
	  "bash eth0|    bash|eth0    |bas" },
	{ "\"%d\", 1 + 2 * 3 - 10 / 3 % 2", "6" },
	{ "\"%d %d\", REC->half + 2 * 3, (REC->half + 2) * 3", "519 1545" },
	{ "\"%d\", REC->i < 0 && REC->u > 0", "1" },
	{ "\"%d %d\", REC->i < REC->u, REC->i >> 1", "0 -3" },
	{ "\"%u %d %u\", ~REC->half, !REC->half, -REC->i", "4294966782 0 5" },
	{ "\"%u,%u\", ((unsigned int) ((REC->wide) >> 20)), ((unsigned int) ((REC->wide) & ((1U << 20) - 1)))",
	  "4768,389755" },
	{ "\"%d %llu\", (u8)REC->i, (unsigned long long)REC->i", "251 18446744073709551611" },
	{ "\"%s\", REC->i < 0 ? \"minus\" : REC->i ? \"plus\" : \"none\"", "minus" },
	{ "\"%s\", REC->half == 1 ? \"a\" : REC->half == 513 ? REC->comm : \"c\"", "bash" },
	{ "\"%d\", REC->half ? REC->small : REC->i", "-2" },
	{ "\"%c%c\", 'o', REC->comm[0]", "ob" },
	{ "\"%d %d\", REC->mac[1 + 1], __get_str(name)[0] == 'e'", "94 1" },
	{ "\"%zu %zu %d\", sizeof(REC->wide), sizeof(unsigned long), __get_dynamic_array_len(name)", "8 8 6" },
	{ "\"%zu %zu %zu\", sizeof(short), sizeof(unsigned long long), sizeof(struct page *)", "2 8 8" },
	{ "\"%s\", __print_symbolic(REC->half, { 1, \"one\" }, { 0x201, \"two\" \"fold\" })", "twofold" },
	{ "\"%s\", __print_symbolic(REC->half, { 1, \"one\" })", "0x201" },
	{ "\"%s\", __print_symbolic(REC->i, { -5, \"minus five\" })", "minus five" },
	{ "\"%s\", __print_flags(REC->half, \"|\", { 1UL << 0, \"A\" }, { 0x200, \"B\" })", "A|B" },
	{ "\"%s\", __print_flags(REC->half, \"|\", { (1), \"A\" }, { UNKNOWN_NAME, \"C\" })", "A|0x200" },
	{ "\"%6s|%-9s|\", __print_flags(REC->half, \"\", { 513, \"A\" }), __print_symbolic(REC->half, { 1, \"B\" })",
	  "     A|0x201    |" },
	{ "\"%s %s\", __print_hex(REC->mac, 3), __print_hex_str(REC->mac, 6)", "02 00 5e 02005e10ff01" },
	{ "\"%s\", __print_array(__get_rel_dynamic_array(list), __get_rel_dynamic_array_len(list) / sizeof(u16), sizeof(u16))",
	  "{0x12c,0x7}" },
	{ "\"%d\", ((u16 *)__get_rel_dynamic_array(list))[1]", "7" },
	{ "\"%llu.%09u\", __print_ns_to_secs(REC->wide), __print_ns_without_secs(REC->wide)", "5.000000123" },
	{ "\"%pM %pS\", REC->mac, (void *)REC->ip", "02:00:5e:10:ff:01 start+0x10" },
	{ "\"%ps\", (void *)REC->ip", "start" },
	{ "\"%d\", __builtin_expect(!!(REC->i), 0) ? 3 : 4", "3" },
	{ "\"%d\", REC->common_pid", "4321" },
	{ "\"%d\", (REC)->half", "513" },
	{ "\"%s\", mc_event_error_type(REC->half)", "Info" },
	{ "\"%d %d\", REC->half / (REC->i + 5), 1 << 70", "0 64" },
	{ "\"page=%p pfn=%d\", REC->i ? (((struct page *)vmemmap_base) + (REC->i)) : ((void *)0), REC->half",
	  "page=? pfn=513" },
	{ "\"page=%p pfn=%d\", !REC->i ? (((struct page *)vmemmap_base) + (REC->i)) : ((void *)0), REC->half",
	  "page=(nil) pfn=513" },
	{ "\"%lu|%s|%s|%-9d|\", (jiffies - REC->wide) / 250, HERE ? \"a\" : \"b\", __print_hex(REC->mac, THERE), SIZE",
	  "?|?|?|?|" },
	{ "\"%s|%*d|%s\", REC->i < 0 ? REC->comm : __print_symbolic(KIND, { 1, \"one\" }), 4, REC->i ? 7 : jiffies, "
	  "REC->i > 0 ? REC->comm : REC->u ? __print_symbolic(KIND, { 1, \"one\" }) : \"none\"",
	  "bash|   7|?" },
};

static void test_constructs(void **state)
{
	const struct tw_print_host host = { .symbols = *state };
	uint8_t bytes[RECORD_LEN];
	char text[512];

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		const struct tw_record record = { .data = bytes, .len = sizeof(bytes), .big_endian = big_endian };

		make_record(bytes, big_endian);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			run(rows[i].print_fmt, &record, &host, text, sizeof(text));
			assert_string_equal(text, rows[i].expected);
		}
	}
}

static const struct row refused[] = {
	{ "\"%d\", REC->nothing", "column 12: the event has no field \"nothing\"" },
	{ "\"%d\", other(REC->i)", "column 7: the function other() is unknown" },
	{ "\"%d\", ({ int a; a; })", "column 7: statements are not supported" },
	{ "\"%d\"", "column 5: an argument is missing for a conversion" },
	{ "\"%d\", REC->i +", "column 15: an operand is missing at the end" },
	{ "\"%d\", (REC->i", "column 7: the part that begins here is not closed" },
	{ "\"%d\", REC->comm", "column 10: a number is needed here, not text" },
	{ "\"%s\", 5", "column 7: the argument of %s is not text" },
	{ "\"%d\", __print_flags(REC->i)", "column 7: __print_flags() takes 2 arguments, not 1" },
	{ "\"%*d\", UNKNOWN, REC->i", "column 8: a width, a length or an index depends on a variable of the kernel" },
	{ "\"%y\", 1", "the conversion \"%y\" is unknown" },
	{ "\"%d\", REC->i.x", "column 13: access to members of structs is not supported" },
	{ "\"%d\", 1 : 2", "column 9: ':' has no '?' before it" },
	{ "\"%s\", __print_symbolic(REC->i, { 1, \"a\" } + 2)", "column 43: ',' or ')' is missing after '}'" },
	{ "REC->i", "column 1: the print fmt does not begin with a format string" },
	{ "\"%d\", \"open", "column 7: this is not a token of C" },
};

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct tw_format *format = parse(refused[i].print_fmt);
		struct tw_print *print = tw_print__new(format);

		assert_non_null(print);
		assert_non_null(tw_print__refusal(print));
		if (!strstr(tw_print__refusal(print), refused[i].expected))
			fail_msg("%s: %s", refused[i].print_fmt, tw_print__refusal(print));
		tw_print__free(print);
		tw_format__free(format);
	}
}

/* Wherever the record is truncated, nothing is read beyond its end. */
static void test_short_records(void **state)
{
	uint8_t bytes[RECORD_LEN];
	char text[512];

	(void)state;
	make_record(bytes, false);
	for (uint32_t len = 0; len <= RECORD_LEN; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		const struct tw_record record = { .data = copy, .len = len };

		memcpy(copy, bytes, len);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			run(rows[i].print_fmt, &record, NULL, text, sizeof(text));
		free(copy);
	}
}

static void test_bad_locations(void **state)
{
	uint8_t bytes[RECORD_LEN];
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes) };
	char text[512];

	(void)state;
	make_record(bytes, false);
	put(bytes, 20, 4, 20u << 16 | 70, false);
	run("\"[%s]%d\", __get_str(name), __get_dynamic_array_len(name)", &record, NULL, text, sizeof(text));
	assert_string_equal(text, "[]0");
}

/* In an EVENT, the common fields are in network byte order, whatever the byte order of the host is. */
static void test_from_wire(void **state)
{
	uint8_t bytes[RECORD_LEN];
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes), .from_wire = true };
	char text[64];

	(void)state;
	make_record(bytes, false);
	put(bytes, 4, 4, 4321, true);
	run("\"%d %d\", REC->common_pid, REC->i", &record, NULL, text, sizeof(text));
	assert_string_equal(text, "4321 -5");
}

static void test_names(void **state)
{
	struct tw_format *format =
		parse("\"%s %s %s\", __print_symbolic((int)REC->half, { 1, \"one\" }, { 2, \"two\" }), "
		      "__print_flags(REC->u & 3, \"|\", { 1, \"A\" }), "
		      "__print_symbolic(REC->wide & 0xf, { 1, \"low\" })");
	struct tw_print *print = tw_print__new(format);
	struct tw_print_names names;

	(void)state;
	assert_true(tw_print__names(print, tw_format__find(format, "half"), &names));
	assert_int_equal(names.n, 2);
	assert_int_equal(names.names[1].value, 2);
	assert_string_equal(names.names[1].name, "two");
	assert_false(names.flags);
	assert_true(tw_print_names__can_compare(&names, tw_format__find(format, "half")));
	assert_true(tw_print__names(print, tw_format__find(format, "u"), &names));
	assert_int_equal(names.mask, 3);
	assert_true(tw_print_names__can_compare(&names, tw_format__find(format, "u")));
	assert_true(tw_print__names(print, tw_format__find(format, "wide"), &names));
	assert_false(tw_print_names__can_compare(&names, tw_format__find(format, "wide")));
	tw_print__free(print);
	tw_format__free(format);
}

struct named {
	const char *print_fmt, *field;
	uint64_t value;
	const char *expected; /* NULL = no name */
};

#define SWITCH_MASK "((((0x00 | 0x3f | 0x40) + 1) << 1) - 1)"
#define SWITCH                                                                                       \
	"\"%s%s\", (REC->ip & " SWITCH_MASK ") ? __print_flags(REC->ip & " SWITCH_MASK               \
	", \"|\", { 0x1, \"S\" }, { 0x2, \"D\" }, { 0x80, \"I\" }) : \"R\", REC->ip & (" SWITCH_MASK \
	" + 1) ? \"+\" : \"\""
#define FLAGS "__print_flags(REC->u, \"|\", { 1, \"A\" }, { 2, \"B\" })"
#define MINUS "__print_symbolic(REC->i, { -5, \"minus\" }, { 3, \"three\" })"

static const struct named named_values[] = {
	{ SWITCH, "ip", 1, "S" },
	{ SWITCH, "ip", 0x81, "S|I" },
	{ SWITCH, "ip", 0, "R" },
	{ SWITCH, "ip", 0x300, "R" },
	{ "\"%s\", REC->u ? " FLAGS " : \"none\"", "u", 0, "none" },
	{ "\"%s\", REC->u ? " FLAGS " : \"none\"", "u", 7, "A|B|0x4" },
	{ "\"%s\", REC->u ? " FLAGS " : \"none\"", "u", 4, NULL },
	{ "\"%s\", REC->i ? " FLAGS " : \"none\"", "u", 0, NULL },
	{ "\"%s\", REC->u & 1 ? " FLAGS " : \"none\"", "u", 0, NULL },
	{ "\"%s\", REC->i ? " FLAGS " : __print_flags(REC->u, \"|\", { 1, \"X\" })", "u", 1, NULL },
	{ "\"%s\", REC->i ? " FLAGS " : " FLAGS, "u", 1, "A" },
	{ "\"%s\", " MINUS, "i", (uint64_t)-5, "minus" },
	{ "\"%s\", __print_symbolic(0xf & REC->half, { 1, \"one\" })", "half", 0x201, "one" },
	{ "\"%s\", __print_symbolic((u8)REC->half, { 1, \"one\" })", "half", 0x201, "one" },
	{ "\"%s\", __print_symbolic((s8)REC->half, { 1, \"one\" })", "half", 0x201, NULL },
	{ "\"%s\", __print_symbolic(REC->half & REC->u, { 1, \"one\" })", "half", 1, NULL },
	{ "\"%s\", __print_symbolic(REC->half >> 1, { 1, \"one\" })", "half", 1, NULL },
};

/* A value of a field has the name that the print fmt prints for it. */
static void test_named_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(named_values) / sizeof(named_values[0]); i++) {
		const struct named *row = &named_values[i];
		struct tw_format *format = parse(row->print_fmt);
		struct tw_print *print = tw_print__new(format);
		char text[64] = "";
		struct tw_line line = tw_line__on(text, sizeof(text) - 1);
		struct tw_print_names names;

		assert_null(tw_print__refusal(print));
		if (!tw_print__names(print, tw_format__find(format, row->field), &names) ||
		    !tw_print_names__put(&names, row->value, &line))
			assert_int_equal(tw_line__len(&line), 0);
		*line.at = '\0';
		if (strcmp(text, row->expected ? row->expected : ""))
			print_message("%s: %llx: \"%s\"\n", row->print_fmt, (unsigned long long)row->value, text);
		assert_string_equal(text, row->expected ? row->expected : "");
		tw_print__free(print);
		tw_format__free(format);
	}
}

static const struct named words[] = {
	{ SWITCH, "ip", 1, "S" },
	{ SWITCH, "ip", 0x102, "D+" },
	{ SWITCH, "ip", 0x100, "R+" },
	{ "\"%s\", REC->u ? " FLAGS " : \"none\"", "u", 0, "none" },
	{ "\"%s\", " FLAGS, "u", 4, NULL },
	{ "\"%s\", " FLAGS, "u", 5, "A|0x4" },
	{ "\"%-9s|\", REC->half == 2 ? \"two\" : REC->half == 1 ? \"one\" : \"many\"", "half", 1, "one" },
	{ "\"%s|%s\", REC->u & 1 ? \"odd\" : \"even\", REC->u & 8 ? \"large\" : \"\"", "u", 9, "odd" },
	{ "\"%s|%s\", REC->u & 1 ? \"odd\" : \"even\", REC->u & 8 ? \"large\" : \"\"", "u", 1, "odd" },
	{ "\"%s%s\", REC->u & 1 ? \"odd\" : \"even\", REC->u & 8 ? \"large\" : \"\"", "u", 9, "oddlarge" },
	{ "\"%s%d%s\", REC->u & 1 ? \"odd\" : \"even\", 1, REC->u & 8 ? \"large\" : \"\"", "u", 9, "odd" },
	{ "\"%s|%s\", REC->i ? \"\" : \"zero\", REC->u & 8 ? \"large\" : \"\"", "u", 8, "large" },
	{ "\"%s\", __print_flags(1 << REC->half, \"|\", { 4, \"four\" })", "half", 2, "four" },
	{ "\"%s\", mc_event_error_type(REC->half)", "half", 1, "Uncorrected" },
	{ "\"%s\", REC->half ? REC->comm : \"none\"", "half", 0, NULL },
	{ "\"%s\", REC->half ? __get_str(name) : \"none\"", "half", 0, NULL },
	{ "\"%s\", REC->half > REC->u ? \"a\" : \"b\"", "half", 0, NULL },
	{ "\"%s\", REC->half == jiffies ? \"a\" : \"b\"", "half", 0, NULL },
	{ "\"%d\", REC->half ? 1 : 2", "half", 0, NULL },
	{ "\"%s\", \"constant\"", "half", 0, NULL },
};

/* The word of a field is the part of the text that depends on this field only. */
static void test_words(void **state)
{
	uint8_t bytes[RECORD_LEN];
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes) };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct named *row = &words[i];
		struct tw_format *format = parse(row->print_fmt);
		const struct tw_field *field = tw_format__find(format, row->field);
		struct tw_print *print = tw_print__new(format);
		char text[64] = "";
		struct tw_line line = tw_line__on(text, sizeof(text) - 1);

		assert_null(tw_print__refusal(print));
		make_record(bytes, false);
		put(bytes, field->offset, field->size, row->value, false);
		assert_int_equal(tw_print__word(print, field, &record, &line), row->expected != NULL);
		*line.at = '\0';
		assert_string_equal(text, row->expected ? row->expected : "");
		assert_true(tw_print__has_word(print, field) || !row->expected);
		tw_print__free(print);
		tw_format__free(format);
	}
}

static void test_addresses(void **state)
{
	struct tw_format *format = parse("\"%pS %lx %ps\", (void *)REC->ip, REC->wide, (void *)REC->ip");
	struct tw_print *print = tw_print__new(format);
	const struct tw_field *const *fields;
	size_t n;

	(void)state;
	fields = tw_print__addresses(print, &n);
	assert_int_equal(n, 1);
	assert_string_equal(fields[0]->name, "ip");
	tw_print__free(print);
	tw_format__free(format);
}

/* An expression that is nested too deeply is refused. */
static void test_limits(void **state)
{
	char text[4096] = "\"%d\", ";
	const size_t begin = strlen(text);
	struct tw_format *format;
	struct tw_print *print;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		memset(text + begin, "(-~"[i], 3000);
		text[begin + 3000] = '\0';
		format = parse(text);
		print = tw_print__new(format);
		assert_non_null(strstr(tw_print__refusal(print), "nests deeper than 256"));
		tw_print__free(print);
		tw_format__free(format);
	}
}

/* If the host's longs have 4 bytes, values of the type long are printed with this size. */
static void test_small_longs(void **state)
{
	uint8_t bytes[RECORD_LEN];
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes) };
	struct tw_format *format = parse("\"%ld %lx %lu %zu %s\", (long)REC->i, (unsigned long)REC->i, REC->u + 1UL, "
					 "sizeof(void *), __print_symbolic(REC->i, { -5, \"five\" })");
	struct tw_print *print;
	char text[128];
	struct tw_line line = tw_line__on(text, sizeof(text) - 1);

	(void)state;
	format->long_size = 4;
	make_record(bytes, false);
	print = tw_print__new(format);
	assert_null(tw_print__refusal(print));
	tw_print__run(print, &record, NULL, &line);
	*line.at = '\0';
	assert_string_equal(text, "-5 fffffffb 4294967281 4 five");
	tw_print__free(print);
	tw_format__free(format);
}

/* A print format that uses a large field very often stops at a limit. */
static void test_work(void **state)
{
	static uint8_t bytes[65536];
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes) };
	char print_fmt[8000] = "\"", text[128];
	struct tw_line line = tw_line__on(text, sizeof(text));
	struct tw_format *format;
	struct tw_print *print;

	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(print_fmt, "%.0s");
	strcat(print_fmt, "end\"");
	for (int i = 0; i < 100; i++)
		strcat(print_fmt, ", __get_cpumask(name)");
	put(bytes, 20, 4, 0xff00u << 16 | 64, false);
	format = parse(print_fmt);
	print = tw_print__new(format);
	assert_null(tw_print__refusal(print));
	tw_print__run(print, &record, NULL, &line);
	assert_true(line.cut);
	tw_print__free(print);
	tw_format__free(format);
}

static int setup(void **state)
{
	struct tw_symbols *symbols = tw_symbols__new();

	*state = symbols;
	return tw_symbols__add(symbols, 0xffffffff81000000, 0x1000, "start", 5, NULL, 0);
}

static int teardown(void **state)
{
	tw_symbols__free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constructs),    cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_short_records), cmocka_unit_test(test_bad_locations),
		cmocka_unit_test(test_from_wire),     cmocka_unit_test(test_names),
		cmocka_unit_test(test_named_values),  cmocka_unit_test(test_words),
		cmocka_unit_test(test_addresses),     cmocka_unit_test(test_limits),
		cmocka_unit_test(test_small_longs),   cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
