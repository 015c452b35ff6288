/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The replacements of addresses, and where they are written. The test makes the keys, formats and records. */
#include "producer/hashed_pointers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMMON                                                                                   \
	"ID: 300\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                   \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"           \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define CODE 0xffffffff81000000ull

/* The published test vector of the hash for a message of eight bytes: key 00 01 .. 0f, message 00 01 .. 07. */
static void test_vector(void **state)
{
	static const uint8_t expected[] = { 0x62, 0x24, 0x93, 0x9a, 0x79, 0xf5, 0xf5, 0x93 };
	static const uint8_t message[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct tw_pointer_key key = { .n_ranges = 0 };
	uint64_t address, hash;

	(void)state;
	for (uint8_t i = 0; i < TW_POINTER_SECRET; i++)
		key.secret[i] = i;
	memcpy(&address, message, sizeof(address));
	hash = tw_pointer_key__hash(&key, address, 8);
	assert_memory_equal(&hash, expected, sizeof(hash));
	assert_int_equal(tw_pointer_key__hash(&key, address, 4), (uint32_t)hash);
}

static void test_streams_differ(void **state)
{
	struct tw_pointer_key a, b;

	(void)state;
	assert_int_equal(tw_pointer_key__init(&a, NULL), 0);
	assert_int_equal(tw_pointer_key__init(&b, NULL), 0);
	assert_int_equal(tw_pointer_key__hash(&a, CODE, 8), tw_pointer_key__hash(&a, CODE, 8));
	assert_true(tw_pointer_key__hash(&a, CODE, 8) != tw_pointer_key__hash(&b, CODE, 8));
	assert_true(tw_pointer_key__hash(&a, CODE, 8) != tw_pointer_key__hash(&a, CODE + 1, 8));
}

/* Distances between addresses are kept within a range, but not between ranges or outside of them. */
static void test_ranges(void **state)
{
	struct tw_pointer_key key;
	uint64_t moved;

	(void)state;
	assert_int_equal(tw_pointer_key__init(&key, NULL), 0);
	tw_pointer_key__move(&key, CODE, CODE + 0x1000000);
	tw_pointer_key__move(&key, 0, 0); /* an empty range is ignored */
	tw_pointer_key__move(&key, CODE + 0x4000000, CODE + 0x4100000);
	assert_int_equal(key.n_ranges, 2);
	moved = tw_pointer_key__hash(&key, CODE, 8);
	assert_true(moved != CODE);
	assert_int_equal(tw_pointer_key__hash(&key, CODE + 0xffffff, 8), moved + 0xffffff);
	assert_true(tw_pointer_key__hash(&key, CODE + 0x1000000, 8) != moved + 0x1000000);
	assert_true(tw_pointer_key__hash(&key, CODE - 1, 8) != moved - 1);
	assert_true(tw_pointer_key__hash(&key, CODE + 0x4000000, 8) != moved + 0x4000000);
	assert_true(tw_pointer_key__keeps_distances(&key, CODE, 0x1000000));
	assert_false(tw_pointer_key__keeps_distances(&key, CODE, 0x1000001));
	assert_false(tw_pointer_key__keeps_distances(&key, CODE - 1, 2));
	assert_false(tw_pointer_key__keeps_distances(&key, CODE + 0x2000000, 1));
}

static void test_kernel_text(void **state)
{
	struct tw_kernel_text text;

	(void)state;
	tw_kernel_text__find("0000000000000000 A fixed_percpu_data\n"
			     "ffffffff81000000 T _stext\nffffffff81000000 T _text\n"
			     "ffffffff81001000 t a_function\n"
			     "ffffffff82000000 T _etext\n"
			     "ffffffff83000000 D _stext_not\n"
			     "ffffffffc0001010 t first\t[a]\n"
			     "ffffffffc0000010 d data\t[a]\n"
			     "\nffff\nno line\n"
			     "ffffffffc0202020 t last\t[bpf]",
			     &text);
	assert_int_equal(text.core_start, 0xffffffff81000000);
	assert_int_equal(text.core_end, 0xffffffff82000000);
	assert_int_equal(text.modules_start, 0xffffffffc0001000);
	assert_int_equal(text.modules_end, 0xffffffffc0212000);
	tw_kernel_text__find("0000000000000000 T _stext\n0000000000000000 T _etext\n0000000000000000 t f\t[m]\n",
			     &text);
	assert_int_equal(text.core_end, 0);
	assert_int_equal(text.modules_end, 0);
	tw_kernel_text__find("", &text);
	assert_int_equal(text.core_start, 0);
}

/* Sets up the hashing of pointers for the event 300, whose fields are @fields. */
static void set_up(struct tw_hashed_pointers *p, const char *system, const char *fields)
{
	struct tw_format *format;
	char text[2048];

	assert_int_equal(tw_hashed_pointers__init(p, NULL), 0);
	snprintf(text, sizeof(text), "name: made_up\n" COMMON "%s\nprint fmt: \"\"\n", fields);
	assert_int_equal(tw_format__parse(text, strlen(text), system, &format, NULL), 0);
	assert_int_equal(tw_hashed_pointers__set_format(p, format, NULL), 0);
	tw_format__free(format);
}

/* Adds a record of event @id to a frame. @words: the record after its common fields; replaced by the words in the frame */
static void send(const struct tw_hashed_pointers *p, uint16_t id, uint64_t *words, uint32_t n)
{
	uint8_t record[256 + TW_COPY_STEP] = { 0 }, frame_bytes[512 + TW_COPY_STEP];
	const struct tw_frame_info info = { 0 };
	struct tw_frame frame;

	memcpy(record, &id, sizeof(id));
	memcpy(record + 8, words, n * sizeof(*words));
	tw_frame__begin(&frame, frame_bytes, 512, &info);
	assert_true(tw_hashed_pointers__add_event(p, &frame, record, 8 + n * 8, 0));
	assert_memory_equal(record + 8, words, n * sizeof(*words)); /* the ring's record is unchanged */
	memcpy(words, frame_bytes + frame.len - n * sizeof(*words), n * sizeof(*words));
}

static void test_scalars(void **state)
{
	const uint64_t heap = 0xffff888100001000,
		       sent[] = { heap, heap, 4095, 4096, 0, (uint64_t)-4095, (uint64_t)-4096, heap };
	uint64_t got[8];
	struct tw_hashed_pointers p;

	(void)state;
	set_up(&p, "made",
	       "\tfield:void * p[7];\toffset:8;\tsize:56;\tsigned:0;\n\tfield:long n;\toffset:64;\tsize:8;\tsigned:1;\n");
	memcpy(got, sent, sizeof(sent));
	send(&p, 300, got, 8);
	assert_int_equal(got[0], tw_pointer_key__hash(&p.key, heap, 8));
	assert_int_equal(got[1], got[0]);
	assert_int_equal(got[2], 4095);
	assert_true(got[3] != 4096);
	assert_int_equal(got[4], 0);
	assert_int_equal(got[5], (uint64_t)-4095);
	assert_true(got[6] != (uint64_t)-4096);
	assert_int_equal(got[7], heap); /* a signed field is not hashed */
	memcpy(got, sent, sizeof(sent));
	send(&p, 301, got, 8); /* another event */
	assert_memory_equal(got, sent, sizeof(sent));
	memcpy(got, sent, sizeof(sent));
	send(NULL, 300, got, 8); /* not hashed */
	assert_memory_equal(got, sent, sizeof(sent));
	tw_hashed_pointers__fini(&p);
}

/* Addresses of four bytes, and a record that ends within a field. */
static void test_narrow_and_short(void **state)
{
	uint64_t got[2] = { 0xc0100000c0100000, 0xc0200000c0300000 };
	struct tw_hashed_pointers p;

	(void)state;
	set_up(&p, "made",
	       "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:void * p[9];\toffset:12;\tsize:36;\tsigned:0;\n");
	send(&p, 300, got, 2);
	assert_int_equal((uint32_t)got[0], 0xc0100000);
	assert_int_equal(got[0] >> 32, tw_pointer_key__hash(&p.key, 0xc0100000, 4));
	assert_int_equal((uint32_t)got[1], tw_pointer_key__hash(&p.key, 0xc0300000, 4));
	assert_int_equal(got[1] >> 32, tw_pointer_key__hash(&p.key, 0xc0200000, 4));
	tw_hashed_pointers__fini(&p);
}

/* Addresses at the location that the record declares, unless it is outside of the record. */
static void test_locations(void **state)
{
	const uint64_t heap = 0xffff888100001000;
	uint64_t got[4] = { 16u << 16 | 24, 7, heap, heap + 8 };
	struct tw_hashed_pointers p;

	(void)state;
	set_up(&p, "made", "\tfield:__data_loc unsigned long[] stack;\toffset:8;\tsize:4;\tsigned:0;\n");
	send(&p, 300, got, 4);
	assert_int_equal(got[0], 16u << 16 | 24);
	assert_int_equal(got[1], 7);
	assert_int_equal(got[2], tw_pointer_key__hash(&p.key, heap, 8));
	assert_int_equal(got[3], tw_pointer_key__hash(&p.key, heap + 8, 8));
	got[0] = 0xffffu << 16 | 36; /* from the last half of the last word to beyond the record */
	got[3] = heap;
	send(&p, 300, got, 4);
	assert_int_equal(got[3], heap);
	got[0] = 0xffffu << 16 | 0xffff;
	send(&p, 300, got, 4);
	assert_int_equal(got[3], heap);
	tw_hashed_pointers__fini(&p);
}

/* In a frame, bytes of no field and bytes after a text are 0. The name of a task and the fields are unchanged. */
static void test_leftovers(void **state)
{
	uint64_t got[6] = { 0x1111111122222222, 0x4141004141414141, 0x4141414141414141,
			    0x0000000000004242, 0x3333333344444444, 0x5555555566666666 };
	struct tw_hashed_pointers p;

	(void)state;
	set_up(&p, "made",
	       "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
	       "\tfield:char name[8];\toffset:16;\tsize:8;\tsigned:0;\n"
	       "\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	       "\tfield:short s;\toffset:42;\tsize:2;\tsigned:1;\n"
	       "\tfield:int last;\toffset:48;\tsize:4;\tsigned:1;\n");
	send(&p, 300, got, 6);
	assert_int_equal(got[0], 0x22222222);
	assert_int_equal(got[1], 0x4141414141);
	assert_int_equal(got[2], 0x4141414141414141);
	assert_int_equal(got[3], 0x4242);
	assert_int_equal(got[4], 0x44440000);
	assert_int_equal(got[5], 0x66666666);
	tw_hashed_pointers__fini(&p);
}

/* An event without such bytes is not in the table. In an event with a text after its fields, the bytes after the text are cleared. */
static void test_no_leftovers(void **state)
{
	uint64_t got[3] = { 0x0009001022222222, 0x3333333344444444, 0x5555555566666666 };
	struct tw_hashed_pointers p;

	(void)state;
	set_up(&p, "made", "\tfield:long n;\toffset:8;\tsize:8;\tsigned:1;\n");
	assert_null(tw_field_offset_table__find(p.table.by_id, 300));
	tw_hashed_pointers__fini(&p);
	set_up(&p, "made",
	       "\tfield:short n;\toffset:8;\tsize:2;\tsigned:1;\n\tfield:__data_loc char[] text;\toffset:12;\tsize:4;"
	       "\tsigned:0;\n");
	send(&p, 300, got, 3);
	assert_int_equal(got[0], 0x0009001000002222);
	assert_int_equal(got[1], 0x3333333344444444);
	assert_int_equal(got[2], 0x66);
	tw_hashed_pointers__fini(&p);
}

static void test_unknown(void **state)
{
	uint64_t got[3] = { 5, 0xffff888100001000, 0x7fffffffffff };
	struct tw_hashed_pointers p;

	(void)state;
	assert_int_equal(tw_hashed_pointers__init(&p, NULL), 0);
	assert_int_equal(tw_hashed_pointers__set_unknown(&p, 9), 0);
	send(&p, 9, got, 3);
	assert_int_equal(got[0], 5);
	assert_int_equal(got[1], tw_pointer_key__hash(&p.key, 0xffff888100001000, 8));
	assert_int_equal(got[2], 0x7fffffffffff);
	tw_hashed_pointers__fini(&p);
}

static void test_strings(void **state)
{
	char expected[256], *hashed;
	struct tw_hashed_pointers p;

	(void)state;
	assert_int_equal(tw_hashed_pointers__init(&p, NULL), 0);
	hashed = tw_hashed_pointers__hash_strings(
		&p, "0xffffffff82a4c1b0 : \"one %s\\n\"\nwhat\n0xffffffff82a4c1c0 : \"0xffff\"");
	assert_non_null(hashed);
	snprintf(expected, sizeof(expected), "0x%lx : \"one %%s\\n\"\n0x%lx : \"0xffff\"\n",
		 tw_pointer_key__hash(&p.key, 0xffffffff82a4c1b0, 8),
		 tw_pointer_key__hash(&p.key, 0xffffffff82a4c1c0, 8));
	assert_string_equal(hashed, expected);
	free(hashed);
	tw_hashed_pointers__fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector),    cmocka_unit_test(test_streams_differ),
		cmocka_unit_test(test_ranges),    cmocka_unit_test(test_kernel_text),
		cmocka_unit_test(test_scalars),   cmocka_unit_test(test_narrow_and_short),
		cmocka_unit_test(test_locations), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_leftovers), cmocka_unit_test(test_no_leftovers),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
