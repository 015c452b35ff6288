/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/way.h"

#include <string.h>

#include "filter/bpf/program.h"
#include "filter/bpf/regs.h"

static enum tw_way none(const char **ret_why, const char *why)
{
	*ret_why = why;
	return TW_WAY_NONE;
}

static bool is_one_of(uint8_t op, enum tw_test_op a, enum tw_test_op b)
{
	return op == a || op == b;
}

size_t tw_test__plain(const struct tw_test *test, bool *ret_whole)
{
	size_t i = 0;

	*ret_whole = true;
	if (test->op != TW_TEST_GLOB)
		return test->len;
	while (i < test->len && !strchr("*?[\\", test->bytes[i] ? test->bytes[i] : 'a'))
		i++;
	*ret_whole = i == test->len;
	return i;
}

/* Whether a pattern has no wildcards, or * behind all else. */
static bool is_plain(const struct tw_test *test)
{
	bool whole;
	size_t i = tw_test__plain(test, &whole);

	while (i < test->len && test->bytes[i] == '*')
		i++;
	return i == test->len;
}

static enum tw_way way_of_text(const struct tw_test *test, const char **ret_why)
{
	switch (test->op) {
	case TW_TEST_EXISTS:
		return TW_WAY_THERE;
	case TW_TEST_EQ:
	case TW_TEST_NE:
		return TW_WAY_TEXT;
	case TW_TEST_GLOB:
		if (is_plain(test))
			return TW_WAY_TEXT;
		return none(ret_why,
			    "of patterns a BPF program does those only that have no wildcard but * at the end");
	case TW_TEST_MATCHES:
		return none(ret_why, "a BPF program has no regular expressions");
	case TW_TEST_CONTAINS:
		return none(ret_why, "a BPF program does not search in a text");
	default:
		return none(ret_why, "a BPF program does not know the order of texts");
	}
}

static enum tw_way way_of_bytes(const struct tw_test *test, const struct tw_place *place, const char **ret_why)
{
	const bool is_range = test->op == TW_TEST_WITHIN;
	const bool is_word = place->size == 1 || place->size == 2 || place->size == 4 || place->size == 8;

	if (test->op == TW_TEST_EXISTS)
		return TW_WAY_THERE;
	if (is_one_of(test->op, TW_TEST_EQ, TW_TEST_NE))
		return TW_WAY_EQUAL;
	if (test->op == TW_TEST_CONTAINS)
		return none(ret_why, "a BPF program does not search in bytes");
	if (!is_word || test->len != place->size || (is_range && test->high_len != place->size))
		return none(ret_why,
			    "of bytes a BPF program knows the order only if they are 1, 2, 4 or 8 on both sides");
	return TW_WAY_ORDER;
}

static enum tw_way way_of_array(const struct tw_test *test, struct tw_place *place, const char **ret_why)
{
	const struct tw_field *field = test->field;
	const uint32_t size = field->elem_size;

	if (test->op == TW_TEST_EXISTS && field->size)
		return TW_WAY_THERE;
	if (!size || size > 8 || (size & (size - 1)))
		return none(ret_why, "its elements are no numbers of 1, 2, 4 or 8 bytes");
	if (field->size / size > TW_BPF_ELEMENTS_MAX || field->size < size)
		return none(ret_why, "the array has more elements than a BPF program compares");
	place->count = field->size / size;
	place->size = size;
	place->is_signed = field->is_signed && (field->elem_kind == TW_FIELD_INT || field->elem_kind == TW_FIELD_ENUM);
	return TW_WAY_ARRAY;
}

static enum tw_way way_of_dynamic(const struct tw_test *test, const char **ret_why)
{
	if (test->op == TW_TEST_EXISTS && test->compared != TW_AS_NUMBER)
		return TW_WAY_LOCATED;
	if (test->compared != TW_AS_TEXT || test->field->kind != TW_FIELD_STRING)
		return none(ret_why, "where it lies in the event is not the same each time");
	if (test->len > TW_BPF_TEXT_MAX)
		return none(ret_why, "a BPF program compares such a field with 255 characters at most");
	return way_of_text(test, ret_why) == TW_WAY_NONE ? TW_WAY_NONE : TW_WAY_LOCATED;
}

static enum tw_way way_of_field(const struct tw_test *test, struct tw_place *place, const char **ret_why)
{
	const struct tw_field *field = test->field;

	place->offset = (uint32_t)TW_TLV0 + TW_EVENT_RECORD + field->offset;
	place->size = field->size;
	place->big_endian = test->big_endian;
	if (field->offset < TW_RECORD_COMMON)
		return none(ret_why, "it is one of the fields that all events have");
	if (tw_test__extent(test) > TW_BPF_EXTENT_MAX)
		return none(ret_why, "it lies further behind in the event than a BPF program looks");
	if (field->place != TW_PLACE_FIXED)
		return way_of_dynamic(test, ret_why);
	if (test->compared == TW_AS_BYTES)
		return way_of_bytes(test, place, ret_why);
	if (test->compared == TW_AS_TEXT && field->kind == TW_FIELD_BITMASK && test->op != TW_TEST_EXISTS)
		return none(ret_why, "a mask is not written as text in the frames");
	if (test->compared == TW_AS_TEXT)
		return way_of_text(test, ret_why);
	return way_of_array(test, place, ret_why);
}

enum tw_way tw_test__way(const struct tw_test *test, struct tw_place *ret_place, const char **ret_why)
{
	struct tw_number_place number;
	struct tw_place place = { .count = 1 };
	const char *why = NULL;
	enum tw_way way;

	if (test->operand == TW_ON_COMM) {
		way = none(&why, "the task's name is not in the frames");
	} else if (test->operand == TW_ON_HOST) {
		way = none(&why, "the host's name is not in the frames");
	} else if (test->operand == TW_ON_TIME) {
		way = TW_WAY_TIME;
	} else if (tw_test__number_place(test, &number) && tw_test__extent(test) <= TW_BPF_EXTENT_MAX) {
		place.offset = number.offset + (number.base == TW_IN_EVENT ? (uint32_t)TW_TLV0 : 0);
		place.size = number.size;
		place.big_endian = number.big_endian;
		place.is_signed = number.is_signed;
		way = TW_WAY_NUMBER;
	} else {
		way = way_of_field(test, &place, &why);
	}
	if (ret_place)
		*ret_place = place;
	if (ret_why)
		*ret_why = why;
	return way;
}

uint32_t tw_test__extent(const struct tw_test *test)
{
	const struct tw_field *field = test->field;
	uint64_t extent = sizeof(struct tw_event);

	if (test->operand != TW_ON_FIELD)
		return (uint32_t)extent;
	extent = TW_EVENT_RECORD + (uint64_t)field->offset;
	if (field->place == TW_PLACE_FIXED)
		extent += field->size;
	else if (field->place != TW_PLACE_REST)
		extent += sizeof(uint32_t);
	return extent < sizeof(struct tw_event) ? (uint32_t)sizeof(struct tw_event) : (uint32_t)extent;
}

const char *tw_bpf__refuses(const struct tw_test *test)
{
	const char *why;

	tw_test__way(test, NULL, &why);
	return why;
}
