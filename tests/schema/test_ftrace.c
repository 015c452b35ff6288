/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the system "ftrace" that Tracewire prints without their print fmt. */
#include "schema/print/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "texts.h"

/* clang-format off */
static const char function_text[] = EVENT_TEXT("function", 1,
	FIELD("unsigned long ip", 8, 8, 0)
	FIELD("unsigned long parent_ip", 16, 8, 0)
	FIELD("unsigned long args[]", 24, 0, 0), "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip");
static const char entry_text[] = EVENT_TEXT("funcgraph_entry", 11,
	FIELD("unsigned long func", 8, 8, 0)
	FIELD("unsigned int depth", 16, 4, 0)
	FIELD("unsigned long args[]", 24, 0, 0), "\"--> %ps (%u)\", (void *)REC->func, REC->depth");
static const char exit_text[] = EVENT_TEXT("funcgraph_exit", 10,
	FIELD("unsigned long func", 8, 8, 0)
	FIELD("unsigned int depth", 16, 4, 0)
	FIELD("unsigned int overrun", 20, 4, 0)
	FIELD("unsigned long long calltime", 24, 8, 0)
	FIELD("unsigned long long rettime", 32, 8, 0), "\"<-- %ps (%u)\", (void *)REC->func, REC->depth");
static const char stack_text[] = EVENT_TEXT("kernel_stack", 4,
	FIELD("int size", 8, 4, 1)
	FIELD("unsigned long caller[8]", 16, 64, 0), "\"\\t=> %ps\\n\", (void *)REC->caller[0]");
static const char user_stack_text[] = EVENT_TEXT("user_stack", 13,
	FIELD("unsigned int tgid", 8, 4, 0)
	FIELD("unsigned long caller[8]", 16, 64, 0), "\"\\t=> %ps\\n\", (void *)REC->caller[0]");
/* clang-format on */

/* The layouts of the kernel's latency tracers. */
static const char hwlat_text[] = EVENT_TEXT(
	"hwlat", 14,
	FIELD("u64 duration", 8, 8, 0) FIELD("u64 outer_duration", 16, 8, 0) FIELD("u64 nmi_total_ts", 24, 8, 0)
		FIELD("s64 tv_sec", 32, 8, 1) FIELD("long tv_nsec", 40, 8, 1) FIELD("unsigned int nmi_count", 48, 4, 0)
			FIELD("unsigned int seqnum", 52, 4, 0) FIELD("unsigned int count", 56, 4, 0),
	"print fmt: \"cnt:%u\\tts:%010llu.%010lu\\tinner:%llu\\touter:%llu\\tcount:%d\\tnmi-ts:%llu\\tnmi-count:%u\\n\", "
	"REC->seqnum, REC->tv_sec, REC->tv_nsec, REC->duration, REC->outer_duration, REC->count, REC->nmi_total_ts, "
	"REC->nmi_count");
static const char osnoise_text[] = EVENT_TEXT(
	"osnoise", 17,
	FIELD("u64 noise", 8, 8, 0) FIELD("u64 runtime", 16, 8, 0) FIELD("u64 max_sample", 24, 8, 0)
		FIELD("unsigned int hw_count", 32, 4, 0) FIELD("unsigned int nmi_count", 36, 4, 0)
			FIELD("unsigned int irq_count", 40, 4, 0) FIELD("unsigned int softirq_count", 44, 4, 0)
				FIELD("unsigned int thread_count", 48, 4, 0),
	"print fmt: \"noise:%llu\\tmax_sample:%llu\\thw:%u\\tnmi:%u\\tirq:%u\\tsoftirq:%u\\tthread:%u\\n\", REC->noise, "
	"REC->max_sample, REC->hw_count, REC->nmi_count, REC->irq_count, REC->softirq_count, REC->thread_count");
static const char timerlat_text[] =
	EVENT_TEXT("timerlat", 18,
		   FIELD("unsigned int seqnum", 8, 4, 0) FIELD("int context", 12, 4, 1)
			   FIELD("u64 timer_latency", 16, 8, 0),
		   "print fmt: \"seq:%u\\tcontext:%d\\ttimer_latency:%llu\\n\", REC->seqnum, REC->context, "
		   "REC->timer_latency");
static const char mmio_text[] = EVENT_TEXT(
	"mmiotrace_rw", 9,
	FIELD("resource_size_t phys", 8, 8, 0) FIELD("unsigned long value", 16, 8, 0)
		FIELD("unsigned long pc", 24, 8, 0) FIELD("int map_id", 32, 4, 1)
			FIELD("unsigned char opcode", 36, 1, 0) FIELD("unsigned char width", 37, 1, 0),
	"print fmt: \"%lx %lx %lx %d %x %x\", (unsigned long)REC->phys, REC->value, REC->pc, REC->map_id, REC->opcode, "
	"REC->width");

/* clang-format off */
static const char raw_text[] = EVENT_TEXT("raw_data", 19,
	FIELD("unsigned int id", 8, 4, 0)
	FIELD("char buf[]", 12, 0, 0), "\"id:%04x %08x\", REC->id, (int)REC->buf[0]");
static const char bprint_text[] = EVENT_TEXT("bprint", 6,
	FIELD("unsigned long ip", 8, 8, 0)
	FIELD("const char * fmt", 16, 8, 0)
	FIELD("u32 buf[]", 24, 0, 0), "\"%ps: %s\", (void *)REC->ip, REC->fmt");
/* clang-format on */

#define DO_IT   0xffffffff81000000
#define CALL_IT 0xffffffff81000100
#define NOWHERE 0xffff000000001234

static struct tw_symbols *symbols;
static struct tw_strings *strings;
static struct tw_print_host host;
static char room[4096];
static struct tw_line line;

/* A record that is being written, little-endian. */
static uint8_t data[512];
static uint32_t len;

static void number(uint64_t value, uint32_t size)
{
	memcpy(data + len, &value, size);
	len += size;
}

static void begin(uint16_t id)
{
	memset(data, 0, sizeof(data));
	len = 0;
	number(id, 4);
	number(77, 4);
}

static struct tw_print *compile(const char *text, struct tw_format **ret)
{
	struct tw_print *print;

	assert_int_equal(tw_format__parse(text, strlen(text), "ftrace", ret, NULL), 0);
	print = tw_print__new(*ret);
	assert_non_null(print);
	assert_null(tw_print__refusal(print));
	return print;
}

static void drop(struct tw_print *print, struct tw_format *format)
{
	tw_print__free(print);
	tw_format__free(format);
}

static void expect(const char *text)
{
	assert_int_equal(tw_line__len(&line), strlen(text));
	assert_memory_equal(room, text, strlen(text));
	line = tw_line__on(room, sizeof(room));
}

static struct tw_record record(void)
{
	return (struct tw_record){ .data = data, .len = len };
}

/* Also prints every shorter record, in memory of exactly its size, so that a sanitizer finds reads beyond it. */
static void run_shorter(const struct tw_print *print)
{
	for (uint32_t n = 0; n < len; n++) {
		uint8_t *copy = malloc(n ? n : 1);
		const struct tw_record shorter = { .data = copy, .len = n };

		assert_non_null(copy);
		memcpy(copy, data, n);
		tw_print__run(print, &shorter, &host, &line);
		line = tw_line__on(room, sizeof(room));
		free(copy);
	}
}

static void expect_event(const struct tw_print *print, const char *text)
{
	const struct tw_record whole = record();

	tw_print__run(print, &whole, &host, &line);
	expect(text);
	run_shorter(print);
}

static int setup(void **state)
{
	static const char formats[] = "0xffffffff82000000 : \"%d %u %x %s|%5s|%lu %llx %p %pS\\n\"\n"
				      "0xffffffff82000008 : \"%c%c %hhd %hu %-6d|%.*s %%\"\n"
				      "0xffffffff82000010 : \"%pI4 %s %d\"\n"
				      "0xffffffff82000018 : \"%d %s\"\n"
				      "0xffffffff82000020 : \"%*d%n%d\"\n"
				      "0xffffffff82000028 : \"no more%\"\n";

	(void)state;
	symbols = tw_symbols__new();
	strings = tw_strings__new();
	host = (struct tw_print_host){ symbols, strings };
	line = tw_line__on(room, sizeof(room));
	return !symbols || !strings || tw_symbols__add(symbols, DO_IT, 0x100, "do_it", 5, NULL, 0) ||
	       tw_symbols__add(symbols, CALL_IT, 0x100, "call_it", 7, NULL, 0) ||
	       tw_strings__parse(strings, formats, strlen(formats));
}

static int teardown(void **state)
{
	(void)state;
	tw_symbols__free(symbols);
	tw_strings__free(strings);
	return 0;
}

static void test_function(void **state)
{
	struct tw_format *format;
	struct tw_print *print = compile(function_text, &format);
	const struct tw_field *const *addresses;
	size_t n;

	(void)state;
	begin(1);
	number(DO_IT, 8);
	number(CALL_IT + 0x10, 8);
	expect_event(print, " do_it <-- call_it");
	number(1, 8);
	number(0xffff888012345678, 8);
	expect_event(print, " do_it(arg1=0x1, arg2=0xffff888012345678) <-- call_it");
	begin(1);
	number(NOWHERE, 8);
	number(0, 8);
	expect_event(print, " 0xffff000000001234 <-- 0x0");
	addresses = tw_print__addresses(print, &n);
	assert_int_equal(n, 2);
	assert_string_equal(addresses[0]->name, "ip");
	assert_string_equal(addresses[1]->name, "parent_ip");
	drop(print, format);
}

static void begin_entry(uint64_t func, uint32_t depth)
{
	begin(11);
	number(func, 8);
	number(depth, 8);
}

static void begin_exit(uint64_t func, uint32_t depth, uint64_t ns)
{
	begin(10);
	number(func, 8);
	number(depth, 8);
	number(1000000, 8);
	number(1000000 + ns, 8);
}

static void test_graph(void **state)
{
	struct tw_format *entry_format, *exit_format;
	struct tw_print *entry = compile(entry_text, &entry_format), *leave = compile(exit_text, &exit_format);

	(void)state;
	assert_true(tw_print__is_graph_entry(entry) && !tw_print__is_graph_entry(leave));
	assert_true(tw_print__is_graph_exit(leave) && !tw_print__is_graph_exit(entry));
	begin_entry(DO_IT, 0);
	expect_event(entry, "             |  do_it() {");
	begin_entry(NOWHERE, 2);
	expect_event(entry, "             |      ffff000000001234() {");
	begin_entry(DO_IT, 1);
	number(0x11, 8);
	expect_event(entry, "             |    do_it(arg1=0x11) {");
	begin_exit(DO_IT, 3, 982);
	expect_event(leave, "  0.982 us   |        }");
	begin_exit(DO_IT, 4, 15663);
	expect_event(leave, "+ 15.663 us  |          }");
	begin_exit(DO_IT, 0, 118708);
	expect_event(leave, "! 118.708 us |  }");
	begin_exit(DO_IT, 0, 3714653);
	expect_event(leave, "# 3714.653 us |  }");
	begin_exit(DO_IT, 0, 12345678901);
	expect_event(leave, "$ 12345678 us |  }");
	begin_exit(DO_IT, UINT32_MAX, 1000);
	expect_event(leave, "  1.000 us   |  }");
	begin_exit(DO_IT, INT32_MAX, 1);
	tw_print__run(leave, &(struct tw_record){ .data = data, .len = len }, &host, &line);
	assert_true(line.cut);
	drop(entry, entry_format);
	drop(leave, exit_format);
}

/* Each mark is printed for durations above its limit. */
static void test_graph_marks(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{ 10000, "  10.000 us  |  }" },      { 10001, "+ 10.001 us  |  }" },
		{ 100000, "+ 100.000 us |  }" },     { 100001, "! 100.001 us |  }" },
		{ 1000000, "! 1000.000 us |  }" },   { 1000001, "# 1000.001 us |  }" },
		{ 1000000000, "# 1000000 us |  }" }, { 1000000001, "$ 1000000 us |  }" },
	};
	struct tw_format *format;
	struct tw_print *leave = compile(exit_text, &format);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_exit(DO_IT, 0, rows[i].ns);
		expect_event(leave, rows[i].text);
	}
	drop(leave, format);
}

static void test_graph_leaf(void **state)
{
	struct tw_format *entry_format, *exit_format;
	struct tw_print *entry = compile(entry_text, &entry_format), *leave = compile(exit_text, &exit_format);
	uint8_t entry_data[64];
	struct tw_record entry_record = { .data = entry_data, .len = 24 }, exit_record;

	(void)state;
	begin_entry(DO_IT, 2);
	memcpy(entry_data, data, len);
	begin_exit(DO_IT, 2, 452788);
	exit_record = record();
	assert_true(tw_print__graph_leaf(entry, &entry_record, leave, &exit_record, &host, &line));
	expect("! 452.788 us |      do_it();");
	/* no leaf: entry and exit are exchanged, the exit is of another function, of another task, or truncated */
	assert_false(tw_print__graph_leaf(leave, &exit_record, entry, &entry_record, &host, &line));
	begin_exit(CALL_IT, 2, 1);
	exit_record = record();
	assert_false(tw_print__graph_leaf(entry, &entry_record, leave, &exit_record, &host, &line));
	begin_exit(DO_IT, 2, 1);
	data[4]++;
	exit_record = record();
	assert_false(tw_print__graph_leaf(entry, &entry_record, leave, &exit_record, &host, &line));
	data[4]--;
	exit_record.len = 39;
	assert_false(tw_print__graph_leaf(entry, &entry_record, leave, &exit_record, &host, &line));
	expect("");
	drop(entry, entry_format);
	drop(leave, exit_format);
}

static void test_stack(void **state)
{
	struct tw_format *format;
	struct tw_print *print = compile(stack_text, &format);

	(void)state;
	begin(4);
	number(2, 8);
	number(DO_IT, 8);
	number(NOWHERE, 8);
	number(CALL_IT, 8); /* beyond the declared size */
	expect_event(print, "\t=> do_it\n\t=> 0xffff000000001234\n");
	/* first a wrong size and more than eight callers, then the value with which old kernels end a stack */
	begin(4);
	number(1000, 8);
	for (int i = 0; i < 9; i++)
		number(DO_IT, 8);
	expect_event(
		print,
		"\t=> do_it\n\t=> do_it\n\t=> do_it\n\t=> do_it\n\t=> do_it\n\t=> do_it\n\t=> do_it\n\t=> do_it\n\t=> do_it\n");
	begin(4);
	number(0, 8);
	number(DO_IT, 8);
	number(UINT64_MAX, 8);
	number(DO_IT, 8);
	expect_event(print, "\t=> do_it\n");
	drop(print, format);
}

/* Addresses of user space are not looked up as symbols. They are printed up to the first 0. */
static void test_user_stack(void **state)
{
	struct tw_format *format;
	struct tw_print *print = compile(user_stack_text, &format);
	size_t n;

	(void)state;
	begin(13);
	number(77, 8);
	number(0x7f0012345678, 8);
	number(0x401000, 8);
	number(UINT64_MAX, 8);
	for (int i = 0; i < 5; i++)
		number(0, 8);
	expect_event(print, "\t=> 0x7f0012345678\n\t=> 0x401000\n\t=> 0xffffffffffffffff\n");
	tw_print__addresses(print, &n);
	assert_int_equal(n, 0);
	drop(print, format);
}

static void expect_text(const char *format_text, const char *expected)
{
	struct tw_format *format;
	struct tw_print *print = compile(format_text, &format);

	expect_event(print, expected);
	drop(print, format);
}

static void test_latencies(void **state)
{
	(void)state;
	begin(14);
	number(21, 8);
	number(34, 8);
	number(0, 8);
	number(1700000000, 8);
	number(123456, 8);
	number(0, 4);
	number(5, 4);
	number(3, 4);
	expect_text(hwlat_text,
		    "cnt:5\tts:1700000000.0000123456\tinner:21\touter:34\tcount:3\tnmi-ts:0\tnmi-count:0\n");
	begin(17);
	number(4800, 8);
	number(1000000, 8);
	number(1200, 8);
	for (uint32_t i = 1; i <= 5; i++)
		number(i, 4);
	expect_text(osnoise_text, "noise:4800\tmax_sample:1200\thw:1\tnmi:2\tirq:3\tsoftirq:4\tthread:5\n");
	begin(18);
	number(9, 4);
	number(1, 4);
	number(12345, 8);
	expect_text(timerlat_text, "seq:9\tcontext:1\ttimer_latency:12345\n");
	begin(9);
	number(0xfee00000, 8);
	number(0x10, 8);
	number(DO_IT, 8);
	number((uint32_t)-1, 4);
	number(2, 1);
	number(4, 1);
	expect_text(mmio_text, "fee00000 10 ffffffff81000000 -1 2 4");
}

static void test_raw_data(void **state)
{
	struct tw_format *format;
	struct tw_print *print = compile(raw_text, &format);

	(void)state;
	begin(19);
	number(0x1a, 4);
	number(0x00636261, 4);
	expect_event(print, "# 1a buf: 61 62 63 00");
	len = 12;
	expect_event(print, "# 1a buf:");
	drop(print, format);
}

static void begin_bprint(uint64_t format)
{
	begin(6);
	number(DO_IT, 8);
	number(format, 8);
}

static void text(const char *string)
{
	memcpy(data + len, string, strlen(string) + 1);
	len += (uint32_t)strlen(string) + 1;
}

static void align(uint32_t size)
{
	len = (len + size - 1) / size * size;
}

static void test_bprint(void **state)
{
	struct tw_format *format;
	struct tw_print *print = compile(bprint_text, &format);

	(void)state;
	begin_bprint(0xffffffff82000000);
	number((uint32_t)-5, 4);
	number(7, 4);
	number(0xbeef, 4);
	text("text");
	text("abc");
	align(4);
	number(12345678901, 8);
	number(0xdeadbeefcafe, 8);
	number(0x1234, 8);
	number(CALL_IT + 0x12, 8);
	expect_event(print, "do_it: -5 7 beef text|  abc|12345678901 deadbeefcafe 0x1234 call_it+0x12");
	begin_bprint(0xffffffff82000008);
	number('x', 1);
	number('y', 1);
	number((uint8_t)-3, 1);
	align(2);
	number(65535, 2);
	align(4);
	number(42, 4);
	number(2, 4);
	text("cut");
	expect_event(print, "do_it: xy -3 65535 42    |cu %");
	drop(print, format);
}

static void test_bprint_odd(void **state)
{
	struct tw_format *format;
	struct tw_print *print = compile(bprint_text, &format);

	(void)state;
	/* the record has the text that the kernel made of a pointer */
	begin_bprint(0xffffffff82000010);
	text("10.0.0.1");
	text("a");
	align(4);
	number(9, 4);
	expect_event(print, "do_it: 10.0.0.1 a 9");
	/* a text without its end, missing arguments, an unknown conversion */
	begin_bprint(0xffffffff82000018);
	number(1, 4);
	number(0x64636261, 4);
	expect_event(print, "do_it: 1 abcd");
	begin_bprint(0xffffffff82000018);
	expect_event(print, "do_it: ");
	begin_bprint(0xffffffff82000020);
	number((uint32_t)-4, 4);
	number(1, 4);
	expect_event(print, "do_it: 1   ");
	begin_bprint(0xffffffff82000028);
	expect_event(print, "do_it: no more");
	begin_bprint(0xffffffff82001000);
	expect_event(print, "do_it: (NO FORMAT FOUND at ffffffff82001000)\n");
	drop(print, format);
}

/* A host with big-endian longs of 4 bytes. */
static const char small_stack_text[] =
	EVENT_TEXT("kernel_stack", 4, FIELD("int size", 8, 4, 1) FIELD("unsigned long caller[8]", 12, 32, 0),
		   "print fmt: \"\"");
static const char small_bprint_text[] =
	EVENT_TEXT("bprint", 6,
		   FIELD("unsigned long ip", 8, 4, 0) FIELD("const char * fmt", 12, 4, 0) FIELD("u32 buf[]", 16, 0, 0),
		   "print fmt: \"\"");

static void big(uint64_t value, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		data[len++] = (uint8_t)(value >> 8 * (size - 1 - i));
}

static void expect_big(const char *format_text, const char *expected)
{
	const struct tw_record whole = { .data = data, .len = len, .big_endian = true };
	struct tw_format *format;
	struct tw_print *print;

	assert_int_equal(tw_format__parse(format_text, strlen(format_text), "ftrace", &format, NULL), 0);
	format->long_size = 4;
	print = tw_print__new(format);
	assert_non_null(print);
	tw_print__run(print, &whole, &host, &line);
	expect(expected);
	drop(print, format);
}

static void test_small_longs(void **state)
{
	static const char printk[] = "0xc0900000 : \"%d %lx %s %llu %pS\\n\"\n";

	(void)state;
	assert_int_equal(tw_symbols__add(symbols, 0xc0008000, 0x100, "small", 5, NULL, 0), 0);
	assert_int_equal(tw_strings__parse(strings, printk, strlen(printk)), 0);
	memset(data, 0, sizeof(data));
	len = 8;
	big(3, 4);
	big(0xc0008010, 4);
	big(0xc1000000, 4);
	big(UINT32_MAX, 4);
	expect_big(small_stack_text, "\t=> small\n\t=> 0xc1000000\n");
	len = 8;
	big(0xc0008010, 4);
	big(0xc0900000, 4);
	big((uint32_t)-7, 4);
	big(0xdeadbeef, 4);
	text("abcd");
	align(4);
	big(1ULL << 40, 8);
	big(0xc0008044, 4);
	expect_big(small_bprint_text, "small: -7 deadbeef abcd 1099511627776 small+0x44");
}

static void test_not_special(void **state)
{
	static const char other[] = EVENT_TEXT("function", 1, FIELD("unsigned long ip", 8, 8, 0), "\"%lx\", REC->ip");
	struct tw_ftrace_event event;
	struct tw_format *format;

	(void)state;
	assert_int_equal(tw_format__parse(other, strlen(other), "ftrace", &format, NULL), 0);
	assert_false(tw_ftrace__bind(format, &event));
	assert_null(event.put);
	tw_format__free(format);
	assert_int_equal(tw_format__parse(stack_text, strlen(stack_text), "mine", &format, NULL), 0);
	assert_false(tw_ftrace__bind(format, &event));
	assert_false(tw_ftrace__is_address(format, tw_format__find(format, "caller")));
	tw_format__free(format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_function, setup, teardown),
		cmocka_unit_test_setup_teardown(test_graph, setup, teardown),
		cmocka_unit_test_setup_teardown(test_graph_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_graph_leaf, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(test_user_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(test_latencies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_raw_data, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bprint, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bprint_odd, setup, teardown),
		cmocka_unit_test_setup_teardown(test_small_longs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_special, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
