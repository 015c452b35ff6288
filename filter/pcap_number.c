/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/expression.h"
#include "filter/pcap_test.h"

#define ELEMENTS_MAX 64 /* of an array: each is a comparison */

/* Where a number lies in the packet. */
struct place {
	uint32_t at;
	uint8_t size;
	bool big_endian;
	bool is_signed;
};

/* A part of a number to be compared for order: loaded, what a mask takes away cut off, signs moved above 0. */
struct word {
	uint32_t at;
	uint8_t size;
	uint8_t shift; /* where in the number it lies */
	uint32_t mask, bias;
};
#define WORDS_MAX 8

static bool is_array(const struct tw_test *test)
{
	return test->field && test->field->kind == TW_FIELD_ARRAY;
}

const char *tw_pcap_number__refuses(const struct tw_test *test)
{
	struct tw_number_place place;

	if (test->operand == TW_ON_TIME)
		return "an event's time is a sum, and libpcap's optimizer loses sums";
	if (is_array(test) && test->field->place == TW_PLACE_FIXED && test->field->offset >= TW_RECORD_COMMON)
		return test->field->count <= ELEMENTS_MAX ? NULL : "it is a long array";
	return tw_test__number_place(test, &place) ? NULL : "its place is not the same in each record";
}

static uint64_t mask_of(unsigned int size)
{
	return size < 8 ? (1ull << 8 * size) - 1 : UINT64_MAX;
}

static bool put_certain(struct tw_line *line, bool is_true)
{
	tw_line__str(line, is_true ? "len > 0" : TW_PCAP_FALSE);
	return false;
}

static void put_op(struct tw_line *line, uint8_t op)
{
	static const char *const ops[] = {
		[TW_TEST_EQ] = " = ",  [TW_TEST_NE] = " != ", [TW_TEST_LT] = " < ",
		[TW_TEST_LE] = " <= ", [TW_TEST_GT] = " > ",  [TW_TEST_GE] = " >= ",
	};

	tw_line__str(line, ops[op]);
}

/* Four bytes at most, compared as they lie there. */
static void put_equal_word(struct tw_line *line, uint32_t at, unsigned int size, uint64_t mask, uint8_t op,
			   uint64_t value)
{
	tw_pcap__load(line, at, size);
	if (mask != mask_of(size)) {
		tw_line__str(line, " & ");
		tw_pcap__hex(line, mask);
	}
	put_op(line, op);
	tw_pcap__hex(line, value);
}

/* Equality does not ask for the order of bytes: the value is turned round instead. */
static bool put_equal(struct tw_line *line, const struct place *place, uint64_t mask, uint8_t op, uint64_t value)
{
	const unsigned int size = place->size;
	const uint64_t turned = place->big_endian ? value : __builtin_bswap64(value) >> (64 - 8 * size);
	const uint64_t kept = place->big_endian ? mask : __builtin_bswap64(mask) >> (64 - 8 * size);

	if (value & ~mask)
		return put_certain(line, op == TW_TEST_NE);
	if (!mask)
		return put_certain(line, op == TW_TEST_EQ);
	if (size <= 4) {
		put_equal_word(line, place->at, size, kept, op, turned);
		return false;
	}
	if (kept >> 32)
		put_equal_word(line, place->at, 4, kept >> 32, op, turned >> 32);
	if (kept >> 32 && kept & UINT32_MAX)
		tw_line__str(line, op == TW_TEST_EQ ? " and " : " or ");
	if (kept & UINT32_MAX)
		put_equal_word(line, place->at + 4, 4, kept & UINT32_MAX, op, turned & UINT32_MAX);
	return kept >> 32 && kept & UINT32_MAX;
}

/* In parentheses, or a load. */
static void put_word(struct tw_line *line, const struct word *word)
{
	char *const begin = line->at;

	tw_pcap__load(line, word->at, word->size);
	if (word->bias) {
		tw_line__str(line, " + ");
		tw_pcap__hex(line, word->bias);
		tw_line__insert(line, begin, "(");
		tw_line__char(line, ')');
	}
	if (word->mask == mask_of(word->size) && (!word->bias || word->size == 4))
		return;
	tw_line__str(line, " & ");
	tw_pcap__hex(line, word->mask);
	tw_line__insert(line, begin, "(");
	tw_line__char(line, ')');
}

static uint8_t strict(uint8_t op)
{
	return op == TW_TEST_LE || op == TW_TEST_LT ? TW_TEST_LT : TW_TEST_GT;
}

static void put_order_word(struct tw_line *line, const struct word *word, uint8_t op, uint64_t value)
{
	put_word(line, word);
	put_op(line, op);
	tw_pcap__hex(line, value >> word->shift & mask_of(word->size));
}

/* @words: the uppermost first. The first one that differs decides. */
static bool put_order(struct tw_line *line, const struct word *words, unsigned int n, uint8_t op, uint64_t value)
{
	for (unsigned int i = 0; i + 1 < n; i++) {
		put_order_word(line, &words[i], strict(op), value);
		tw_line__str(line, " or (");
		put_order_word(line, &words[i], TW_TEST_EQ, value);
		tw_line__str(line, i + 2 < n ? " and (" : " and ");
	}
	put_order_word(line, &words[n - 1], op, value);
	for (unsigned int i = 0; i + 1 < n; i++)
		tw_line__str(line, i ? "))" : ")");
	return n > 1;
}

static bool put_within(struct tw_line *line, const struct word *words, unsigned int n, uint64_t low, uint64_t high)
{
	tw_line__char(line, '(');
	put_order(line, words, n, TW_TEST_GE, low);
	tw_line__str(line, ") and (");
	put_order(line, words, n, TW_TEST_LE, high);
	tw_line__char(line, ')');
	return true;
}

static bool put_ordered(struct tw_line *line, const struct tw_test *test, const struct word *words, unsigned int n,
			uint64_t low, uint64_t high)
{
	if (test->op == TW_TEST_WITHIN)
		return put_within(line, words, n, low, high);
	return put_order(line, words, n, test->op, low);
}

/*
 * A number as words that are loaded as they lie there, the uppermost first: a little-endian one as its bytes. Putting it together by
 * shifts takes scratch memory, and libpcap 1.10's optimizer loses what is in that.
 */
static unsigned int split(const struct place *place, uint64_t mask, uint64_t bias, struct word *ret)
{
	const unsigned int size = !place->big_endian ? 1 : place->size < 4 ? place->size : 4, n = place->size / size;

	for (unsigned int i = 0; i < n; i++) {
		const unsigned int shift = (n - 1 - i) * size * 8;

		ret[i] = (struct word){
			.at = place->at + size * (place->big_endian ? i : n - 1 - i),
			.size = (uint8_t)size,
			.shift = (uint8_t)shift,
			.mask = (uint32_t)(mask >> shift & mask_of(size)),
			.bias = (uint32_t)(bias >> shift & mask_of(size)),
		};
	}
	return n;
}

static bool put_element(struct tw_line *line, const struct tw_test *test, const struct place *place)
{
	const uint64_t all = mask_of(place->size), mask = test->has_mask ? test->mask & all : all;
	const uint64_t bias = place->is_signed && !test->has_mask ? all / 2 + 1 : 0;
	struct word words[WORDS_MAX] = { 0 };
	unsigned int n;

	if (test->op == TW_TEST_EQ || test->op == TW_TEST_NE)
		return put_equal(line, place, mask, test->op, test->low & all);
	n = split(place, mask, bias, words);
	return put_ordered(line, test, words, n, (test->low + bias) & all, (test->high + bias) & all);
}

static bool put_elements(struct tw_line *line, const struct tw_test *test, struct place place)
{
	const uint32_t n = is_array(test) ? test->field->count : 1;
	bool is_joint = false;

	for (uint32_t i = 0; i < n; i++, place.at += place.size) {
		char *begin;

		tw_line__str(line, !i ? "" : test->op == TW_TEST_NE ? " and " : " or ");
		begin = line->at;
		is_joint = put_element(line, test, &place);
		if (!is_joint || n == 1)
			continue;
		tw_line__insert(line, begin, "(");
		tw_line__char(line, ')');
	}
	return is_joint || n > 1;
}

static struct place place_of(const struct tw_test *test)
{
	struct tw_number_place place = { .size = 1 };

	if (is_array(test))
		return (struct place){
			.at = TW_PCAP_EVENT + TW_EVENT_RECORD + test->field->offset,
			.size = (uint8_t)test->field->elem_size,
			.big_endian = test->big_endian,
			.is_signed = test->is_signed,
		};
	tw_test__number_place(test, &place);
	return (struct place){
		.at = (place.base == TW_IN_HEADER ? TW_PCAP_FRAME : TW_PCAP_EVENT) + place.offset,
		.size = place.size,
		.big_endian = place.big_endian,
		.is_signed = test->is_signed,
	};
}

bool tw_pcap_number__write(const struct tw_test *test, struct tw_line *line)
{
	const struct tw_field *field = test->field;
	char *begin;

	if (!field)
		return put_elements(line, test, place_of(test));
	tw_pcap__reaches(line, TW_EVENT_RECORD + field->offset + field->size);
	if (test->op == TW_TEST_EXISTS)
		return false;
	tw_line__str(line, " and ");
	begin = line->at;
	if (put_elements(line, test, place_of(test))) {
		tw_line__insert(line, begin, "(");
		tw_line__char(line, ')');
	}
	return true;
}
