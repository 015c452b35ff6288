/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The evaluator on trees that are put together here: no parser, no binder. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "filter/arena.h"
#include "filter/evaluate.h"
#include "filter/tree.h"
#include "tests/schema/texts.h"

static const char toy[] =
	EVENT_TEXT("toy", 300,
		   FIELD("u8 a", 8, 1, 0) FIELD("s16 b", 10, 2, 1) FIELD("u32 c", 12, 4, 0) FIELD("s64 d", 16, 8, 1)
			   FIELD("char name[8]", 24, 8, 0) FIELD("u32 list[3]", 32, 12, 0) FIELD("u8 mac[6]", 44, 6, 0)
				   FIELD("__data_loc char[] text", 52, 4, 0) FIELD("__data_loc u16[] more", 56, 4, 0)
					   FIELD("cpumask_t mask", 60, 8, 0) FIELD("s8 e", 68, 1, 1),
		   "print fmt: \"\"");
#define RECORD_LEN 96

struct fixture {
	struct tw_format *format;
	struct tw_bound_event bound_event;
	struct tw_bound bound;
	struct tw_node root;
	uint8_t record[RECORD_LEN];
	struct tw_filter_event event;
};

static struct tw_node false_node = { .kind = TW_NODE_FALSE };

static void locate(struct fixture *f, uint32_t field, uint32_t at, uint32_t len)
{
	tw_store_be32(f->record + field, __builtin_bswap32(at | len << 16));
}

static int set_up(void **state)
{
	struct fixture *f = test_calloc(1, sizeof(*f));
	struct tw_error err;

	if (tw_format__parse(toy, sizeof(toy) - 1, "toys", &f->format, &err))
		fail_msg("%s", err.text);
	f->bound_event = (struct tw_bound_event){ f->format, &f->root };
	f->bound = (struct tw_bound){ .events = &f->bound_event, .n_events = 1, .unknown = &false_node };
	f->event = (struct tw_filter_event){ .record = f->record, .len = RECORD_LEN, .id = 300, .pid = -1, .cpu = 3 };
	f->event.flags = 0x85;
	f->event.time = 1ull << 40;
	f->record[8] = 200;
	memcpy(f->record + 10, "\xfe\xff", 2);
	memcpy(f->record + 12, "\x78\x56\x34\x92", 4);
	memset(f->record + 16, 0xff, 8);
	memcpy(f->record + 24, "bash\0xy", 8);
	memcpy(f->record + 32, "\1\0\0\0\5\0\0\0\11\0\0\0", 12);
	memcpy(f->record + 44, "\xaa\xbb\xcc\xdd\xee\xff", 6);
	locate(f, 52, 72, 6);
	memcpy(f->record + 72, "hello", 6);
	locate(f, 56, 80, 4);
	memcpy(f->record + 80, "\7\0\10\0", 4);
	memcpy(f->record + 60, "\x8f\1\0\0\0\0\0\x80", 8);
	f->record[68] = 0x80;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tw_format__free(f->format);
	test_free(f);
	return 0;
}

/* Anew for each tree. */
static bool matches(struct fixture *f)
{
	struct tw_error err;
	bool ret;

	f->bound.arena = tw_arena__new(1 << 20);
	f->bound.evaluator = NULL;
	if (tw_bound__prepare(&f->bound, &err))
		fail_msg("%s", err.text);
	ret = tw_bound__matches(&f->bound, &f->event);
	tw_arena__free(f->bound.arena);
	return ret;
}

static bool holds(struct fixture *f, struct tw_test test)
{
	bool ret, negated;

	f->root = (struct tw_node){ .kind = TW_NODE_TEST, .test = &test };
	ret = matches(f);
	f->root.negated = true;
	negated = matches(f);
	assert_int_equal(negated, !ret);
	return ret;
}

static struct tw_test number(const struct fixture *f, const char *name, uint8_t op, uint64_t value)
{
	const struct tw_field *field = tw_format__find(f->format, name);

	assert_non_null(field);
	return (struct tw_test){ .op = op, .field = field, .is_signed = field->is_signed, .low = value };
}

static bool number_holds(struct fixture *f, const char *name, uint8_t op, uint64_t value)
{
	return holds(f, number(f, name, op, value));
}

static struct tw_test text(const struct fixture *f, const char *name, uint8_t op, const char *value)
{
	struct tw_test test = number(f, name, op, 0);

	test.compared = TW_AS_TEXT;
	test.bytes = (const uint8_t *)value;
	test.len = strlen(value);
	return test;
}

static bool text_holds(struct fixture *f, const char *name, uint8_t op, const char *value)
{
	return holds(f, text(f, name, op, value));
}

/* Every operator on a field, against a value below, equal and above. */
static void order_of(struct fixture *f, const char *name, uint64_t below, uint64_t equal, uint64_t above)
{
	assert_true(number_holds(f, name, TW_TEST_EXISTS, 0));
	assert_true(number_holds(f, name, TW_TEST_EQ, equal));
	assert_false(number_holds(f, name, TW_TEST_EQ, below));
	assert_false(number_holds(f, name, TW_TEST_NE, equal));
	assert_true(number_holds(f, name, TW_TEST_NE, above));
	assert_true(number_holds(f, name, TW_TEST_LT, above));
	assert_false(number_holds(f, name, TW_TEST_LT, equal));
	assert_false(number_holds(f, name, TW_TEST_LE, below));
	assert_true(number_holds(f, name, TW_TEST_LE, equal));
	assert_true(number_holds(f, name, TW_TEST_GT, below));
	assert_false(number_holds(f, name, TW_TEST_GT, equal));
	assert_true(number_holds(f, name, TW_TEST_GE, equal));
	assert_false(number_holds(f, name, TW_TEST_GE, above));
}

static void numbers_of_all_sizes(void **state)
{
	struct fixture *f = *state;

	order_of(f, "a", 199, 200, 201);
	order_of(f, "b", (uint64_t)-3, (uint64_t)-2, 1);
	order_of(f, "c", 0x92345677, 0x92345678, 0xffffffff);
	order_of(f, "d", (uint64_t)INT64_MIN, (uint64_t)-1, 0);
	order_of(f, "e", (uint64_t)-129, (uint64_t)-128, 127);
	assert_false(number_holds(f, "d", TW_TEST_LT, (uint64_t)INT64_MIN));
	assert_false(number_holds(f, "d", TW_TEST_GT, INT64_MAX));
	assert_false(number_holds(f, "a", TW_TEST_LT, 0));
	assert_false(number_holds(f, "a", TW_TEST_GT, UINT64_MAX));
}

static void byte_orders(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = number(f, "c", TW_TEST_EQ, 0x78563492);

	test.big_endian = true;
	assert_true(holds(f, test));
	test = number(f, "b", TW_TEST_EQ, (uint64_t)(int16_t)0xfeff);
	test.big_endian = true;
	assert_true(holds(f, test));
}

static void ranges_include_their_ends(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = number(f, "b", TW_TEST_WITHIN, (uint64_t)-2);

	test.high = 5;
	assert_true(holds(f, test));
	test.low = (uint64_t)-7;
	test.high = (uint64_t)-2;
	assert_true(holds(f, test));
	test.high = (uint64_t)-3;
	assert_false(holds(f, test));
	test.low = 5; /* nothing is in a range whose ends are exchanged */
	assert_false(holds(f, test));
}

/* Bits of a negative number are those that it has in its field. */
static void masks_are_unsigned(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = number(f, "b", TW_TEST_EQ, 0xff00);

	test.has_mask = true;
	test.mask = UINT64_MAX << 8;
	assert_true(holds(f, test));
	test.op = TW_TEST_GT;
	test.low = 0x7fff;
	assert_true(holds(f, test));
	test.mask = 1;
	test.op = TW_TEST_NE;
	test.low = 0;
	assert_false(holds(f, test));
}

static void what_the_event_has_itself(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = { .operand = TW_ON_PID, .is_signed = true, .op = TW_TEST_LT, .low = 0 };

	assert_true(holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_CPU, .op = TW_TEST_EQ, .low = 3 };
	assert_true(holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_FLAGS, .op = TW_TEST_NE, .has_mask = true, .mask = 4 };
	assert_true(holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_PREEMPT, .op = TW_TEST_GT };
	assert_false(holds(f, test));
	test = (struct tw_test){ .operand = TW_ON_TIME, .op = TW_TEST_GE, .low = 1ull << 40 };
	assert_true(holds(f, test));
}

static void texts(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "text" : "name";
		const char *value = i ? "hello" : "bash";

		assert_true(text_holds(f, name, TW_TEST_EQ, value));
		assert_false(text_holds(f, name, TW_TEST_NE, value));
		assert_true(text_holds(f, name, TW_TEST_NE, "bas"));
		assert_true(text_holds(f, name, TW_TEST_GT, "bas"));
		assert_true(text_holds(f, name, TW_TEST_LT, "i"));
		assert_true(text_holds(f, name, TW_TEST_LT, "helloo"));
		assert_true(text_holds(f, name, TW_TEST_CONTAINS, value + 1));
		assert_true(text_holds(f, name, TW_TEST_CONTAINS, ""));
		assert_false(text_holds(f, name, TW_TEST_CONTAINS, "xy"));
		assert_true(text_holds(f, name, TW_TEST_GLOB, "?[ae]*"));
		assert_false(text_holds(f, name, TW_TEST_GLOB, "?[ae]"));
	}
}

/* Where there is no room for a NUL there is none. */
static void a_text_may_fill_its_field(void **state)
{
	struct fixture *f = *state;

	memcpy(f->record + 24, "12345678", 8);
	assert_true(text_holds(f, "name", TW_TEST_EQ, "12345678"));
	assert_false(text_holds(f, "name", TW_TEST_EQ, "1234567"));
	assert_false(text_holds(f, "name", TW_TEST_EQ, "123456789"));
	assert_true(text_holds(f, "name", TW_TEST_NE, "123456789"));
	f->record[24] = '\0';
	assert_true(text_holds(f, "name", TW_TEST_EQ, ""));
}

static void names_of_task_and_host(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = text(f, "name", TW_TEST_NE, "bash");

	test.operand = TW_ON_COMM;
	test.field = NULL;
	assert_false(holds(f, test));
	f->event.comm = "sh";
	f->event.comm_len = 2;
	assert_true(holds(f, test));
	test.operand = TW_ON_HOST;
	assert_false(holds(f, test));
	test.op = TW_TEST_EXISTS;
	f->event.host = "";
	assert_true(holds(f, test));
}

static void arrays_ask_all_their_elements(void **state)
{
	struct fixture *f = *state;

	for (uint64_t v = 1; v <= 9; v += 4) {
		assert_true(number_holds(f, "list", TW_TEST_EQ, v));
		assert_false(number_holds(f, "list", TW_TEST_NE, v));
	}
	assert_true(number_holds(f, "list", TW_TEST_NE, 2));
	assert_true(number_holds(f, "list", TW_TEST_GT, 8));
	assert_false(number_holds(f, "list", TW_TEST_GT, 9));
	assert_true(number_holds(f, "more", TW_TEST_EQ, 8));
	assert_false(number_holds(f, "more", TW_TEST_NE, 8));
	assert_true(number_holds(f, "more", TW_TEST_NE, 9));
	assert_true(number_holds(f, "more", TW_TEST_EXISTS, 0));
	locate(f, 56, 80, 0);
	assert_false(number_holds(f, "more", TW_TEST_EXISTS, 0));
	assert_false(number_holds(f, "more", TW_TEST_NE, 9));
	assert_false(number_holds(f, "more", TW_TEST_EQ, 7));
}

static void bit_masks_are_lists(void **state)
{
	struct fixture *f = *state;

	assert_true(text_holds(f, "mask", TW_TEST_EQ, "0-3,7-8,63"));
	assert_true(text_holds(f, "mask", TW_TEST_CONTAINS, "7-8"));
	memset(f->record + 60, 0, 8);
	assert_true(text_holds(f, "mask", TW_TEST_EQ, ""));
}

static void bytes_and_prefixes(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = text(f, "mac", TW_TEST_EQ, "\xaa\xbb\xcc\xdd\xee\xff");

	test.compared = TW_AS_BYTES;
	assert_true(holds(f, test));
	test.bytes = (const uint8_t *)"\xaa\xbb\xc0\0\0\0";
	test.prefix = 20;
	test.len = 6;
	assert_true(holds(f, test));
	test.op = TW_TEST_NE;
	assert_false(holds(f, test));
	test.prefix = 21;
	assert_true(holds(f, test));
	test = text(f, "mac", TW_TEST_CONTAINS, "\xcc\xdd");
	test.compared = TW_AS_BYTES;
	assert_true(holds(f, test));
}

/* Whatever a test asks, it is false of what is not there. */
static void short_records_have_less(void **state)
{
	static const struct {
		const char *name;
		uint32_t end; /* of the field itself */
		uint8_t compared;
	} fields[] = {
		{ "a", 9, TW_AS_NUMBER },     { "d", 24, TW_AS_NUMBER },  { "name", 32, TW_AS_TEXT },
		{ "list", 44, TW_AS_NUMBER }, { "mac", 50, TW_AS_BYTES }, { "text", 78, TW_AS_TEXT },
		{ "more", 84, TW_AS_NUMBER }, { "mask", 68, TW_AS_TEXT },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (uint32_t len = 0; len <= RECORD_LEN; len++) {
			struct tw_test test = text(f, fields[i].name, TW_TEST_NE, "never");
			/* of its own: what lies behind its end is nobody's */
			uint8_t *record = test_malloc(len ? len : 1);

			memcpy(record, f->record, len);
			f->event.record = record;
			f->event.len = len;
			test.compared = fields[i].compared;
			test.low = 77;
			assert_int_equal(holds(f, test), len >= fields[i].end);
			test_free(record);
		}
}

static void locations_outside_are_nowhere(void **state)
{
	struct fixture *f = *state;

	locate(f, 52, 0xffff, 1);
	assert_false(text_holds(f, "text", TW_TEST_EXISTS, ""));
	locate(f, 52, 80, 0xffff);
	assert_false(text_holds(f, "text", TW_TEST_NE, "x"));
}

/* A tree of ANDs and ORs with tests `list == i` whose truth is known, and what it comes to. */
struct random_tree {
	unsigned int seed;
	struct tw_node nodes[256];
	struct tw_test tests[256];
	unsigned int n;
};

static struct tw_node *grow(const struct fixture *f, struct random_tree *tree, unsigned int depth, uint8_t parent_kind,
			    bool *ret)
{
	struct tw_node *node = &tree->nodes[tree->n], **link;
	const bool is_and = parent_kind == TW_NODE_OR;

	*node = (struct tw_node){ .kind = TW_NODE_TEST,
				  .negated = rand_r(&tree->seed) % 2,
				  .test = &tree->tests[tree->n++] };
	if (!depth || rand_r(&tree->seed) % 4 == 0) {
		const uint64_t value = (uint64_t)rand_r(&tree->seed) % 10;

		*node->test = number(f, rand_r(&tree->seed) % 2 ? "list" : "a", TW_TEST_EQ, value);
		*ret = (node->test->field->kind == TW_FIELD_ARRAY && value % 4 == 1) != node->negated;
		return node;
	}
	node->kind = is_and ? TW_NODE_AND : TW_NODE_OR;
	*ret = is_and;
	link = &node->first;
	for (int i = 2 + rand_r(&tree->seed) % 2; i; i--) {
		bool value;

		*link = grow(f, tree, depth - 1, node->kind, &value);
		(*link)->parent = node;
		node->last = *link;
		link = &(*link)->next;
		*ret = is_and ? *ret && value : *ret || value;
	}
	return node;
}

static void trees_of_any_shape(void **state)
{
	struct fixture *f = *state;
	struct random_tree *tree = test_calloc(1, sizeof(*tree));
	unsigned int matching = 0;

	tree->seed = 1;
	for (int i = 0; i < 20000; i++) {
		bool expected;

		tree->n = 0;
		f->bound_event.root = grow(f, tree, 4, i % 2 ? TW_NODE_AND : TW_NODE_OR, &expected);
		matching += expected;
		if (matches(f) != expected)
			fail_msg("tree %d of %u nodes should have been %d", i, tree->n, expected);
	}
	assert_in_range(matching, 2000, 18000);
	test_free(tree);
}

static void certainty_is_by_id(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = number(f, "a", TW_TEST_EQ, 200);
	struct tw_error err;

	f->root = (struct tw_node){ .kind = TW_NODE_TEST, .test = &test };
	f->bound.arena = tw_arena__new(1 << 20);
	assert_int_equal(tw_bound__prepare(&f->bound, &err), 0);
	assert_int_equal(tw_bound__is_certain(&f->bound, 300), -1);
	assert_int_equal(tw_bound__is_certain(&f->bound, 299), 0);
	assert_int_equal(tw_bound__is_certain(&f->bound, 65535), 0);
	f->event.id = 301;
	assert_false(tw_bound__matches(&f->bound, &f->event));
	tw_arena__free(f->bound.arena);
	f->root.kind = TW_NODE_TRUE;
	f->event.id = 300;
	assert_true(matches(f));
}

static void too_large_is_said(void **state)
{
	struct fixture *f = *state;
	struct tw_test test = number(f, "a", TW_TEST_EQ, 200);
	struct tw_error err = { "" };

	f->root = (struct tw_node){ .kind = TW_NODE_TEST, .test = &test };
	f->bound.arena = tw_arena__new(64);
	assert_int_equal(tw_bound__prepare(&f->bound, &err), -E2BIG);
	assert_non_null(strstr(err.text, "too large"));
	tw_arena__free(f->bound.arena);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(numbers_of_all_sizes),
		TEST(byte_orders),
		TEST(ranges_include_their_ends),
		TEST(masks_are_unsigned),
		TEST(what_the_event_has_itself),
		TEST(texts),
		TEST(a_text_may_fill_its_field),
		TEST(names_of_task_and_host),
		TEST(arrays_ask_all_their_elements),
		TEST(bit_masks_are_lists),
		TEST(bytes_and_prefixes),
		TEST(short_records_have_less),
		TEST(locations_outside_are_nowhere),
		TEST(trees_of_any_shape),
		TEST(certainty_is_by_id),
		TEST(too_large_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
