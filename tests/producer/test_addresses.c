/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which addresses are noted, and how they get their symbols. The test makes the formats, records and kallsyms. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/symbols.h"

#define COMMON                                                                                   \
	"ID: 300\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                   \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"           \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* A symbolizer with one event with only address fields, and one reader. */
struct bench {
	struct tw_symbolizer symbolizer;
	struct tw_seen_addresses seen;
	int kallsyms;
	char path[64];
};

static void set_kallsyms(struct bench *b, const char *text)
{
	assert_int_equal(ftruncate(b->kallsyms, 0), 0);
	assert_int_equal(pwrite(b->kallsyms, text, strlen(text), 0), strlen(text));
}

static void set_up(struct bench *b, const char *system, const char *fields)
{
	const struct tw_field *list[8];
	struct tw_format *format;
	char text[2048];

	*b = (struct bench){ .kallsyms = memfd_create("kallsyms", 0) };
	assert_true(b->kallsyms >= 0);
	snprintf(b->path, sizeof(b->path), "/proc/self/fd/%d", b->kallsyms);
	set_kallsyms(b, "0000000000001000 T alpha\n"
			"0000000000002000 t beta\n"
			"0000000000002100 t gamma_x\t[a_module]\n"
			"0000000090000000 T end\n");
	assert_int_equal(tw_symbolizer__init(&b->symbolizer, b->path), 0);
	b->seen.shared = &b->symbolizer.addresses;
	snprintf(text, sizeof(text), "name: made_up\n" COMMON "%s\nprint fmt: \"\"\n", fields);
	assert_int_equal(tw_format__parse(text, strlen(text), system, &format, NULL), 0);
	for (size_t i = format->n_common; i < format->n_fields; i++)
		list[i - format->n_common] = &format->fields[i];
	assert_null(tw_addresses__table(&b->seen));
	assert_int_equal(tw_addresses__set_fields(&b->symbolizer.addresses, format, list,
						  (size_t)(format->n_fields - format->n_common)),
			 0);
	tw_format__free(format);
}

static void tear_down(struct bench *b)
{
	tw_seen_addresses__fini(&b->seen);
	tw_symbolizer__fini(&b->symbolizer);
	close(b->kallsyms);
}

static void see(struct bench *b, const void *record, uint32_t len)
{
	uint8_t bytes[512] = { 0 };
	const uint16_t id = 300;
	struct tw_ring_event event = { .record = bytes, .len = len };

	memcpy(bytes, record, len);
	memcpy(bytes, &id, sizeof(id));
	tw_addresses__see(&b->seen, tw_addresses__table(&b->seen), &event);
}

static void expect_noted(struct bench *b, size_t n, const uint64_t *addresses)
{
	uint64_t *noted;

	assert_int_equal(tw_addresses__take(&b->symbolizer.addresses, &noted), n);
	if (n)
		assert_memory_equal(noted, addresses, n * sizeof(*addresses));
	free(noted);
}

static void test_scalars(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, "some",
	       "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n"
	       "\tfield:unsigned int ip;\toffset:16;\tsize:4;\tsigned:0;\n"
	       "\tfield:short none;\toffset:20;\tsize:2;\tsigned:0;\n");
	see(&b, (uint64_t[]){ 0, 0x1234, 0xffff00005678 }, 24);
	expect_noted(&b, 2, (uint64_t[]){ 0x1234, 0x5678 });
	see(&b, (uint64_t[]){ 0, 0x1234, 0x5678 }, 24);
	see(&b, (uint64_t[]){ 0, 0, 0 }, 24);
	see(&b, (uint64_t[]){ 0, 0x9999, 0x9999 }, 12); /* the record is too short for both */
	expect_noted(&b, 0, NULL);
	see(&b, (uint64_t[]){ 0, 0x5678, 0x1235 }, 16);
	see(&b, (uint64_t[]){ 0, 0x1236, 0 }, 24);
	expect_noted(&b, 1, (uint64_t[]){ 0x1236 });
	tear_down(&b);
}

/* The callers of a stack extend to the end of the record. A dynamic array is at the location that the record declares. */
static void test_arrays(void **state)
{
	uint32_t words[12] = { [2] = 0x1000, [3] = 16 << 16 | 24, [6] = 0x11, [8] = 0x22, [10] = 0x33 };
	struct bench b;

	(void)state;
	set_up(&b, "ftrace",
	       "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	       "\tfield:unsigned long caller[2];\toffset:16;\tsize:16;\tsigned:0;\n");
	see(&b, (uint64_t[]){ 0, 7, 0x10, 0x20, 0x30, 0x10, 0x40 }, 56);
	expect_noted(&b, 5, (uint64_t[]){ 7, 0x10, 0x20, 0x30, 0x40 });
	tear_down(&b);
	set_up(&b, "some",
	       "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	       "\tfield:__data_loc unsigned long[] where;\toffset:12;\tsize:4;\tsigned:0;\n");
	see(&b, words, 48);
	expect_noted(&b, 3, (uint64_t[]){ 0x1000, 0x11, 0x22 });
	words[3] = 0xffffu << 16 | 40;
	see(&b, words, 48);
	expect_noted(&b, 1, (uint64_t[]){ 0x33 });
	words[3] = 0xffffffff;
	see(&b, words, 48);
	see(&b, words, 12);
	expect_noted(&b, 0, NULL);
	tear_down(&b);
}

/* Two readers see the same addresses, and each address is noted once. Ten thousand other addresses make the tables grow. */
static void test_many(void **state)
{
	struct tw_seen_addresses other = { 0 };
	uint64_t *noted;
	struct bench b;

	(void)state;
	set_up(&b, "some", "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n");
	other.shared = b.seen.shared;
	for (unsigned int i = 1; i <= 10000; i++) {
		const uint64_t record[] = { 300, i * 16ull };

		see(&b, record, 16);
		tw_addresses__see(&other, tw_addresses__table(&other),
				  &(struct tw_ring_event){ .record = (const uint8_t *)record, .len = 16 });
	}
	assert_int_equal(tw_addresses__take(&b.symbolizer.addresses, &noted), 10000);
	for (unsigned int i = 0; i < 10000; i++)
		assert_int_equal(noted[i], (i + 1) * 16);
	free(noted);
	assert_int_equal(other.forgotten + b.seen.forgotten, 0);
	tw_seen_addresses__fini(&other);
	tear_down(&b);
}

static void test_limit(void **state)
{
	struct bench b;
	uint64_t *noted;

	(void)state;
	set_up(&b, "some", "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n");
	for (uint64_t i = 1; i <= TW_ADDRESS_SET_MAX + 5; i++)
		see(&b, (uint64_t[]){ 0, i << 12 }, 16);
	assert_int_equal(tw_addresses__take(&b.symbolizer.addresses, &noted), TW_ADDRESS_SET_MAX);
	assert_int_equal(b.seen.forgotten, 5);
	free(noted);
	tear_down(&b);
}

static void expect_symbol(struct bench *b, uint64_t address, uint32_t size, const char *name)
{
	struct tw_symbol_view symbol;

	assert_true(tw_symbolizer__take(&b->symbolizer, &symbol));
	assert_int_equal(symbol.address, address);
	assert_int_equal(symbol.size, size);
	assert_int_equal(symbol.len, strlen(name));
	assert_memory_equal(symbol.name, name, symbol.len);
}

static void expect_no_symbol(struct bench *b)
{
	struct tw_symbol_view symbol;

	assert_false(tw_symbolizer__take(&b->symbolizer, &symbol));
}

static void test_symbols(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, "some",
	       "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n"
	       "\tfield:void * parent;\toffset:16;\tsize:8;\tsigned:0;\n");
	tw_symbolizer__prepare(&b.symbolizer);
	tw_symbolizer__await(&b.symbolizer);
	see(&b, (uint64_t[]){ 0, 0x1fff, 0x2004 }, 24);
	see(&b, (uint64_t[]){ 0, 0xfff, 0x1000 }, 24);
	tw_symbolizer__settle(&b.symbolizer, false);
	expect_symbol(&b, 0x1000, 0x1000, "alpha");
	expect_symbol(&b, 0x2000, 0x100, "beta");
	expect_no_symbol(&b);
	assert_int_equal(b.symbolizer.unfound, 1);
	see(&b, (uint64_t[]){ 0, 0x2105, 0x500000 }, 24); /* the last symbol does not extend to 0x500000 */
	tw_symbolizer__settle(&b.symbolizer, false);
	expect_symbol(&b, 0x2100, 1 << 20, "gamma_x");
	expect_no_symbol(&b);
	assert_int_equal(b.symbolizer.found, 3);
	assert_int_equal(b.symbolizer.unfound, 2);
	tear_down(&b);
}

/* Symbols are repeated in turn, including new ones: none is repeated twice before all others were repeated. */
static void test_repeated(void **state)
{
	struct tw_symbol_view symbol;
	struct bench b;
	char expected[] = "abgabga", got[sizeof(expected)] = "";

	(void)state;
	set_up(&b, "some", "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n");
	tw_symbolizer__prepare(&b.symbolizer);
	tw_symbolizer__await(&b.symbolizer);
	see(&b, (uint64_t[]){ 0, 0x1010 }, 16);
	see(&b, (uint64_t[]){ 0, 0x2010 }, 16);
	tw_symbolizer__settle(&b.symbolizer, false);
	assert_false(tw_symbolizer__repeat(&b.symbolizer, &symbol)); /* they were not sent for the first time yet */
	while (tw_symbolizer__take(&b.symbolizer, &symbol))
		;
	for (size_t i = 0; i + 1 < sizeof(expected); i++) {
		assert_true(tw_symbolizer__repeat(&b.symbolizer, &symbol));
		got[i] = (char)symbol.name[0];
		if (i)
			continue;
		see(&b, (uint64_t[]){ 0, 0x2105 }, 16);
		tw_symbolizer__settle(&b.symbolizer, false);
		expect_symbol(&b, 0x2100, 1 << 20, "gamma_x");
	}
	assert_string_equal(got, expected);
	tear_down(&b);
}

/* A module is loaded while events are traced: kallsyms is read again. */
static void test_later(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, "some", "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n");
	tw_symbolizer__prepare(&b.symbolizer);
	tw_symbolizer__await(&b.symbolizer);
	set_kallsyms(&b, "0000000000001000 T alpha\n0000000000800000 t late\t[late_module]\n"
			 "0000000090000000 T end\n");
	see(&b, (uint64_t[]){ 0, 0x800010 }, 16);
	for (int i = 0; i < 100 && !b.symbolizer.found; i++) {
		tw_symbolizer__settle(&b.symbolizer, false);
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	}
	expect_symbol(&b, 0x800000, 1 << 20, "late");
	assert_int_equal(b.symbolizer.unfound, 0);
	tear_down(&b);
}

/* Without preparation, kallsyms is read when the first address is seen, and the addresses wait for their symbols. */
static void test_unprepared(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, "some", "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n");
	tw_symbolizer__settle(&b.symbolizer, true);
	assert_false(b.symbolizer.kallsyms.reading);
	see(&b, (uint64_t[]){ 0, 0x1010 }, 16);
	tw_symbolizer__settle(&b.symbolizer, false);
	if (tw_symbolizer__waits(&b.symbolizer))
		expect_no_symbol(&b);
	see(&b, (uint64_t[]){ 0, 0x2010 }, 16);
	tw_symbolizer__settle(&b.symbolizer, true);
	assert_false(tw_symbolizer__waits(&b.symbolizer));
	expect_symbol(&b, 0x1000, 0x1000, "alpha");
	expect_symbol(&b, 0x2000, 0x100, "beta");
	expect_no_symbol(&b);
	tear_down(&b);
}

/* kallsyms for unprivileged users, with addresses 0; and no kallsyms at all. */
static void test_hidden(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, "some", "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n");
	set_kallsyms(&b, "0000000000000000 T alpha\n0000000000000000 t beta\n");
	tw_symbolizer__prepare(&b.symbolizer);
	tw_symbolizer__await(&b.symbolizer);
	assert_true(b.symbolizer.blind);
	see(&b, (uint64_t[]){ 0, 0x1010 }, 16);
	tw_symbolizer__settle(&b.symbolizer, false);
	expect_no_symbol(&b);
	assert_int_equal(b.symbolizer.unfound, 1);
	tear_down(&b);
	set_up(&b, "some", "\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n");
	b.symbolizer.kallsyms.path = "/nowhere/kallsyms";
	tw_symbolizer__prepare(&b.symbolizer);
	tw_symbolizer__await(&b.symbolizer);
	assert_true(b.symbolizer.blind);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),  cmocka_unit_test(test_arrays),     cmocka_unit_test(test_many),
		cmocka_unit_test(test_limit),    cmocka_unit_test(test_symbols),    cmocka_unit_test(test_later),
		cmocka_unit_test(test_repeated), cmocka_unit_test(test_unprepared), cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
