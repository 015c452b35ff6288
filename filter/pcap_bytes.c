/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts and bytes at a fixed place, four bytes at a time. A text ends with its first NUL: to equal one is to have its bytes and a NUL, or
 * the end of the field, behind it; and no byte of a value is less than a NUL, so order is that of bytes too.
 */
#include "filter/expression.h"
#include "filter/glob_shape.h"
#include "filter/pcap_test.h"

#define POSITIONS_MAX 64 /* where in its field a value is looked for */
#define VALUE_MAX     1024

/* Bytes to be compared, and where they are. */
struct bytes {
	const uint8_t *value; /* @len bytes and a NUL */
	uint32_t at, len;
	uint32_t bits; /* of them that count */
};

static bool is_text(const struct tw_test *test)
{
	return test->compared == TW_AS_TEXT;
}

static const char *refuses_pattern(const struct tw_test *test)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);

	if (!glob.body_len && test->len)
		return NULL;
	return glob.plain && !glob.leading ? NULL : "of patterns it has those that end with a star only";
}

const char *tw_pcap_bytes__refuses(const struct tw_test *test)
{
	uint32_t offset, size;

	if (test->operand == TW_ON_COMM)
		return "the task's name is not in the frames of its events";
	if (test->operand == TW_ON_HOST)
		return "the host's name is not in the frames of events";
	if (!tw_test__bytes_place(test, &offset, &size))
		return "its place is not the same in each record";
	if (test->op == TW_TEST_EXISTS)
		return NULL;
	if (test->len > VALUE_MAX || (test->op == TW_TEST_WITHIN && test->high_len > VALUE_MAX))
		return "the value is too long";
	if (is_text(test) && (memchr(test->bytes, '\0', test->len) ||
			      (test->op == TW_TEST_WITHIN && memchr(test->high_bytes, '\0', test->high_len))))
		return "it does not look for NULs in a text";
	switch (test->op) {
	case TW_TEST_MATCHES:
		return "it has no regular expressions";
	case TW_TEST_GLOB:
		return refuses_pattern(test);
	case TW_TEST_CONTAINS:
		if (is_text(test))
			return "it does not search in texts";
		return size < test->len || size - test->len < POSITIONS_MAX ? NULL : "it is too long to be searched";
	default:
		return NULL;
	}
}

static unsigned int step_of(uint32_t left)
{
	return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

static uint32_t word_at(const uint8_t *at, unsigned int size)
{
	uint32_t word = 0;

	for (unsigned int i = 0; i < size; i++)
		word = word << 8 | at[i];
	return word;
}

static void put_word(struct tw_line *line, uint32_t at, unsigned int size, uint32_t mask, const char *op,
		     uint32_t value)
{
	const uint32_t all = UINT32_MAX >> (32 - 8 * size);

	tw_pcap__load(line, at, size);
	if ((mask & all) != all) {
		tw_line__str(line, " & ");
		tw_pcap__hex(line, mask & all);
	}
	tw_line__str(line, op);
	tw_pcap__hex(line, value & mask & all);
}

static bool put_equal(struct tw_line *line, const struct bytes *bytes)
{
	const uint32_t len = (bytes->bits + 7) / 8;
	unsigned int step;

	if (!len)
		tw_line__str(line, "len > 0");
	for (uint32_t i = 0; i < len; i += step) {
		uint32_t left, mask;

		step = step_of(len - i);
		left = bytes->bits - 8 * i;
		mask = left >= 8 * step ? UINT32_MAX : ~(UINT32_MAX >> (32 - 8 * step + left));
		tw_line__str(line, i ? " and " : "");
		put_word(line, bytes->at + i, step, mask, " = ", word_at(bytes->value + i, step));
	}
	return len > 4 || len == 3;
}

/* Before, or behind, the value; @or_equal: or neither. */
static bool put_order(struct tw_line *line, const struct bytes *bytes, bool before, bool or_equal)
{
	const char *strict = before ? " < " : " > ", *last = before ? " <= " : " >= ";
	unsigned int step, depth = 0;

	if (!bytes->len)
		tw_line__str(line, or_equal ? "len > 0" : TW_PCAP_FALSE);
	for (uint32_t i = 0; i < bytes->len; i += step) {
		uint32_t word;

		step = step_of(bytes->len - i);
		word = word_at(bytes->value + i, step);
		if (i + step == bytes->len) {
			put_word(line, bytes->at + i, step, UINT32_MAX, or_equal ? last : strict, word);
			break;
		}
		put_word(line, bytes->at + i, step, UINT32_MAX, strict, word);
		tw_line__str(line, " or (");
		put_word(line, bytes->at + i, step, UINT32_MAX, " = ", word);
		tw_line__str(line, " and (");
		depth += 2;
	}
	tw_line__fill(line, ')', depth);
	return depth > 0;
}

/* What decides the order of the field and the value: the bytes that both have, then which is longer. */
static bool put_compared(struct tw_line *line, const struct tw_test *test, const struct bytes *field, bool before,
			 bool or_equal, const uint8_t *value, size_t len)
{
	struct bytes bytes = { .value = value, .at = field->at };

	if (is_text(test)) {
		bytes.len = len < field->len ? (uint32_t)len + 1 : field->len;
		if (len > field->len)
			or_equal = before;
	} else {
		bytes.len = len < field->len ? (uint32_t)len : field->len;
		if (len != field->len)
			or_equal = before == (field->len < len);
	}
	return put_order(line, &bytes, before, or_equal);
}

static bool put_within(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	tw_line__char(line, '(');
	put_compared(line, test, field, false, true, test->bytes, test->len);
	tw_line__str(line, ") and (");
	put_compared(line, test, field, true, true, test->high_bytes, test->high_len);
	tw_line__char(line, ')');
	return true;
}

/* The field equals the value: @whole with nothing behind it. */
static bool put_same(struct tw_line *line, const struct tw_test *test, const struct bytes *field, const uint8_t *value,
		     size_t len, bool whole)
{
	struct bytes bytes = { .value = value, .at = field->at };

	if (len > field->len || (whole && !is_text(test) && len != field->len)) {
		tw_line__str(line, TW_PCAP_FALSE);
		return false;
	}
	bytes.bits = 8 * (uint32_t)len;
	if (test->prefix)
		bytes.bits = test->prefix;
	else if (whole && len < field->len)
		bytes.bits += 8;
	return put_equal(line, &bytes);
}

static bool put_search(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	struct bytes bytes = { .value = test->bytes, .at = field->at, .bits = 8 * (uint32_t)test->len };

	if (test->len > field->len) {
		tw_line__str(line, TW_PCAP_FALSE);
		return false;
	}
	for (uint32_t i = 0; i <= field->len - test->len; i++, bytes.at++) {
		tw_line__str(line, i ? " or (" : "(");
		put_equal(line, &bytes);
		tw_line__char(line, ')');
	}
	return true;
}

static bool put_pattern(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);
	uint8_t value[VALUE_MAX + 1] = { 0 };

	if (glob.leading) {
		tw_line__str(line, "len > 0");
		return false;
	}
	memcpy(value, glob.body, glob.body_len);
	return put_same(line, test, field, value, glob.body_len, !glob.trailing);
}

static bool put_comparison(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	switch (test->op) {
	case TW_TEST_EQ:
	case TW_TEST_NE:
		return put_same(line, test, field, test->bytes, test->len, true);
	case TW_TEST_LT:
	case TW_TEST_LE:
		return put_compared(line, test, field, true, test->op == TW_TEST_LE, test->bytes, test->len);
	case TW_TEST_GT:
	case TW_TEST_GE:
		return put_compared(line, test, field, false, test->op == TW_TEST_GE, test->bytes, test->len);
	case TW_TEST_WITHIN:
		return put_within(line, test, field);
	case TW_TEST_CONTAINS:
		return put_search(line, test, field);
	default:
		return put_pattern(line, test, field);
	}
}

bool tw_pcap_bytes__write(const struct tw_test *test, struct tw_line *line)
{
	uint32_t offset = 0, size = 0;
	struct bytes field;
	char *begin;
	bool nests;

	tw_test__bytes_place(test, &offset, &size);
	field = (struct bytes){ .at = TW_PCAP_EVENT + offset, .len = size };
	tw_pcap__reaches(line, offset + size);
	if (test->op == TW_TEST_EXISTS)
		return false;
	tw_line__str(line, " and ");
	begin = line->at;
	nests = put_comparison(line, test, &field);
	if (nests || test->op == TW_TEST_NE) {
		tw_line__insert(line, begin, test->op == TW_TEST_NE ? "not (" : "(");
		tw_line__char(line, ')');
	}
	return true;
}
