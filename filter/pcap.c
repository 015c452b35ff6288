/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libpcap computes with unsigned 32-bit words and loads them as big-endian. A load beyond the end of the packet rejects the packet.
 * Therefore each test of a field is preceded by a test of the record's length.
 *
 * Functions that append a test return whether the text needs parentheses in a larger expression.
 */
#include "filter/pcap.h"

#include <errno.h>
#include <stddef.h>

#include "filter/compare.h"
#include "filter/expression.h"
#include "wire/tracewire.h"

#define FRAME  14u /* offset of the frame header in an Ethernet packet */
#define EVENT  (FRAME + (unsigned int)sizeof(struct tw_frame_hdr)) /* offset of the frame's first TLV */
#define NEVER  "len < 1"
#define ALWAYS "len > 0"

#define IN_HEADER(field) (FRAME + (unsigned int)offsetof(struct tw_frame_hdr, field))
#define IN_EVENT(field)  (EVENT + (unsigned int)offsetof(struct tw_event, field))

static void put_load(struct tw_line *line, uint32_t at, unsigned int size)
{
	tw_line__str(line, "ether[");
	tw_line__u64(line, at);
	if (size > 1) {
		tw_line__char(line, ':');
		tw_line__u64(line, size);
	}
	tw_line__char(line, ']');
}

static void put_hex(struct tw_line *line, uint64_t value)
{
	tw_line__str(line, "0x");
	tw_line__hex(line, value);
}

/* Append a test that the record is long enough to contain a field at a fixed offset. */
static void put_reaches(struct tw_line *line, const struct tw_field *field)
{
	put_load(line, IN_EVENT(tlv.length), 2);
	tw_line__str(line, " >= ");
	tw_line__u64(line, TW_EVENT_RECORD + (uint64_t)field->offset + field->size);
}

/*
 * A part of a number for an ordered comparison: (loaded word + bias) & mask. For a signed number, bias adds the sign bit, so that negative
 * numbers are below positive ones. For an unsigned number, bias is 0.
 */
struct load_word {
	uint32_t at;   /* offset in the packet */
	uint8_t size;  /* bytes, 1 to 4 */
	uint8_t shift; /* position of the word's lowest bit in the number */
	uint32_t mask, bias;
};
#define WORDS_MAX 8

static bool put_certain(struct tw_line *line, bool is_true)
{
	tw_line__str(line, is_true ? ALWAYS : NEVER);
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

/* Append a comparison of 1, 2 or 4 bytes, masked. @value is in the byte order of the load. */
static void put_masked(struct tw_line *line, uint32_t at, unsigned int size, uint64_t mask, uint8_t op, uint64_t value)
{
	put_load(line, at, size);
	if (mask != tw_number__mask(size)) {
		tw_line__str(line, " & ");
		put_hex(line, mask);
	}
	put_op(line, op);
	put_hex(line, value & mask);
}

/* Append a comparison for equality. For a little-endian number, value and mask are byte-swapped instead of the number. */
static bool put_equal(struct tw_line *line, const struct tw_test_place *place, uint64_t mask, uint8_t op,
		      uint64_t value)
{
	const unsigned int size = place->size;
	const uint64_t turned = place->big_endian ? value : __builtin_bswap64(value) >> (64 - 8 * size);
	const uint64_t kept = place->big_endian ? mask : __builtin_bswap64(mask) >> (64 - 8 * size);

	if (value & ~mask)
		return put_certain(line, op == TW_TEST_NE);
	if (!mask)
		return put_certain(line, op == TW_TEST_EQ);
	if (size <= 4) {
		put_masked(line, FRAME + place->offset, size, kept, op, turned);
		return false;
	}
	if (kept >> 32)
		put_masked(line, FRAME + place->offset, 4, kept >> 32, op, turned >> 32);
	if (kept >> 32 && kept & UINT32_MAX)
		tw_line__str(line, op == TW_TEST_EQ ? " and " : " or ");
	if (kept & UINT32_MAX)
		put_masked(line, FRAME + place->offset + 4, 4, kept & UINT32_MAX, op, turned & UINT32_MAX);
	return kept >> 32 && kept & UINT32_MAX;
}

/* Append a word with its bias and mask; in parentheses, unless it is only a load. */
static void put_word(struct tw_line *line, const struct load_word *word)
{
	char *const begin = line->at;

	put_load(line, word->at, word->size);
	if (word->bias) {
		tw_line__str(line, " + ");
		put_hex(line, word->bias);
		tw_line__wrap(line, begin, "(");
	}
	if (word->mask == tw_number__mask(word->size) && (!word->bias || word->size == 4))
		return;
	tw_line__str(line, " & ");
	put_hex(line, word->mask);
	tw_line__wrap(line, begin, "(");
}

static uint8_t strict(uint8_t op)
{
	return op == TW_TEST_LE || op == TW_TEST_LT ? TW_TEST_LT : TW_TEST_GT;
}

static void put_order_word(struct tw_line *line, const struct load_word *word, uint8_t op, uint64_t value)
{
	put_word(line, word);
	put_op(line, op);
	put_hex(line, value >> word->shift & tw_number__mask(word->size));
}

/* Append an ordered comparison of a number in several words; the first word that differs decides. @words: the highest first */
static bool put_order(struct tw_line *line, const struct load_word *words, unsigned int n, uint8_t op, uint64_t value)
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

/*
 * Split a number into words, the highest first; the words of a little-endian number are its bytes. The words are not combined with
 * shifts, because shifts need scratch memory, whose content the optimizer of libpcap 1.10 loses. Return: number of words
 */
static unsigned int split(const struct tw_test_place *place, uint64_t mask, uint64_t bias, struct load_word *ret)
{
	const unsigned int size = !place->big_endian ? 1 : place->size < 4 ? place->size : 4, n = place->size / size;

	for (unsigned int i = 0; i < n; i++) {
		const unsigned int shift = (n - 1 - i) * size * 8;

		ret[i] = (struct load_word){
			.at = FRAME + place->offset + size * (place->big_endian ? i : n - 1 - i),
			.size = (uint8_t)size,
			.shift = (uint8_t)shift,
			.mask = (uint32_t)(mask >> shift & tw_number__mask(size)),
			.bias = (uint32_t)(bias >> shift & tw_number__mask(size)),
		};
	}
	return n;
}

static bool put_element(struct tw_line *line, const struct tw_test *test, const struct tw_test_place *place)
{
	const uint64_t all = tw_number__mask(place->size), mask = test->has_mask ? test->mask & all : all;
	const uint64_t bias = place->is_signed && !test->has_mask ? all / 2 + 1 : 0;
	struct load_word words[WORDS_MAX] = { 0 };
	unsigned int n;

	if (test->op == TW_TEST_EQ || test->op == TW_TEST_NE)
		return put_equal(line, place, mask, test->op, test->low & all);
	n = split(place, mask, bias, words);
	if (test->op != TW_TEST_WITHIN)
		return put_order(line, words, n, test->op, (test->low + bias) & all);
	tw_line__char(line, '(');
	put_order(line, words, n, TW_TEST_GE, (test->low + bias) & all);
	tw_line__str(line, ") and (");
	put_order(line, words, n, TW_TEST_LE, (test->high + bias) & all);
	tw_line__char(line, ')');
	return true;
}

static bool put_elements(struct tw_line *line, const struct tw_test *test, struct tw_test_place place)
{
	const uint32_t n = place.count;
	bool is_joint = false;

	for (uint32_t i = 0; i < n; i++, place.offset += place.size) {
		char *begin;

		tw_line__str(line, !i ? "" : test->op == TW_TEST_NE ? " and " : " or ");
		begin = line->at;
		is_joint = put_element(line, test, &place);
		if (!is_joint || n == 1)
			continue;
		tw_line__wrap(line, begin, "(");
	}
	return is_joint || n > 1;
}

static bool put_number(const struct tw_test *test, struct tw_line *line)
{
	struct tw_test_place place = { 0 };
	char *begin;

	tw_test__place(test, &place);
	if (!test->field)
		return put_elements(line, test, place);
	put_reaches(line, test->field);
	if (test->op == TW_TEST_EXISTS)
		return false;
	tw_line__str(line, " and ");
	begin = line->at;
	if (put_elements(line, test, place))
		tw_line__wrap(line, begin, "(");
	return true;
}

/*
 * Texts and bytes at a fixed offset are compared up to four bytes at a time. A text ends before its first NUL, or with its field. It equals
 * a value if the field begins with the value, followed by a NUL or the end of the field. No byte is less than a NUL, so texts can be
 * ordered by their bytes including the NUL.
 */

/* Bytes of the packet, and the value that they are compared with. */
struct bytes {
	const uint8_t *value; /* the value, followed by a NUL; NULL = no value yet */
	uint32_t at, len;     /* offset in the packet; number of bytes */
	uint32_t bits;        /* put_equal_bytes(): number of compared bits */
};

static bool is_text(const struct tw_test *test)
{
	return test->compared == TW_AS_TEXT;
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

static bool put_equal_bytes(struct tw_line *line, const struct bytes *bytes)
{
	const uint32_t len = (bytes->bits + 7) / 8;
	unsigned int step;

	if (!len)
		tw_line__str(line, ALWAYS);
	for (uint32_t i = 0; i < len; i += step) {
		const uint32_t left = bytes->bits - 8 * i;
		uint64_t mask;

		step = step_of(len - i);
		mask = left >= 8 * step ? tw_number__mask(step)
					: tw_number__mask(step) & ~(tw_number__mask(step) >> left);
		tw_line__str(line, i ? " and " : "");
		put_masked(line, bytes->at + i, step, mask, TW_TEST_EQ, word_at(bytes->value + i, step));
	}
	return len > 4 || len == 3;
}

/* Append a test that is true if the bytes are less (@before) or greater than the value; with @or_equal, also if they are equal. */
static bool put_bytes_order(struct tw_line *line, const struct bytes *bytes, bool before, bool or_equal)
{
	const uint8_t strictly = before ? TW_TEST_LT : TW_TEST_GT, last = before ? TW_TEST_LE : TW_TEST_GE;
	unsigned int step, depth = 0;

	if (!bytes->len)
		put_certain(line, or_equal);
	for (uint32_t i = 0; i < bytes->len; i += step) {
		const uint32_t at = bytes->at + i;
		uint32_t word;

		step = step_of(bytes->len - i);
		word = word_at(bytes->value + i, step);
		if (i + step == bytes->len) {
			put_masked(line, at, step, tw_number__mask(step), or_equal ? last : strictly, word);
			break;
		}
		put_masked(line, at, step, tw_number__mask(step), strictly, word);
		tw_line__str(line, " or (");
		put_masked(line, at, step, tw_number__mask(step), TW_TEST_EQ, word);
		tw_line__str(line, " and (");
		depth += 2;
	}
	tw_line__fill(line, ')', depth);
	return depth > 0;
}

/* Append an ordered comparison of field and value: the bytes that both have decide; if these are equal, the longer side is greater. */
static bool put_compared(struct tw_line *line, const struct tw_test *test, const struct bytes *field, uint8_t op,
			 const uint8_t *value, size_t len)
{
	const bool before = op == TW_TEST_LT || op == TW_TEST_LE;
	bool or_equal = op == TW_TEST_LE || op == TW_TEST_GE;
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
	return put_bytes_order(line, &bytes, before, or_equal);
}

static bool put_bytes_within(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	tw_line__char(line, '(');
	put_compared(line, test, field, TW_TEST_GE, test->bytes, test->len);
	tw_line__str(line, ") and (");
	put_compared(line, test, field, TW_TEST_LE, test->high_bytes, test->high_len);
	tw_line__char(line, ')');
	return true;
}

/* Append a test that the field equals the value; for a GLOB with a star at its end, that the field begins with the value. */
static bool put_same(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	bool whole;
	const size_t len = tw_test__prefix(test, &whole);
	struct bytes bytes = { .value = test->bytes, .at = field->at };

	if (len > field->len || (whole && !is_text(test) && len != field->len))
		return put_certain(line, false);
	bytes.bits = 8 * (uint32_t)len;
	if (test->prefix)
		bytes.bits = test->prefix;
	else if (whole && len < field->len)
		bytes.bits += 8;
	return put_equal_bytes(line, &bytes);
}

static bool put_search(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	struct bytes bytes = { .value = test->bytes, .at = field->at, .bits = 8 * (uint32_t)test->len };

	if (test->len > field->len)
		return put_certain(line, false);
	for (uint32_t i = 0; i <= field->len - test->len; i++, bytes.at++) {
		tw_line__str(line, i ? " or (" : "(");
		put_equal_bytes(line, &bytes);
		tw_line__char(line, ')');
	}
	return true;
}

static bool put_comparison(struct tw_line *line, const struct tw_test *test, const struct bytes *field)
{
	switch (test->op) {
	case TW_TEST_LT:
	case TW_TEST_LE:
	case TW_TEST_GT:
	case TW_TEST_GE:
		return put_compared(line, test, field, test->op, test->bytes, test->len);
	case TW_TEST_WITHIN:
		return put_bytes_within(line, test, field);
	case TW_TEST_CONTAINS:
		return put_search(line, test, field);
	default: /* EQ, NE, GLOB */
		return put_same(line, test, field);
	}
}

static bool put_bytes(const struct tw_test *test, struct tw_line *line)
{
	struct tw_test_place place = { 0 };
	struct bytes field;
	char *begin;
	bool nests;

	tw_test__place(test, &place);
	field = (struct bytes){ .at = FRAME + place.offset, .len = place.size };
	put_reaches(line, test->field);
	if (test->op == TW_TEST_EXISTS)
		return false;
	tw_line__str(line, " and ");
	begin = line->at;
	nests = put_comparison(line, test, &field);
	if (nests || test->op == TW_TEST_NE)
		tw_line__wrap(line, begin, test->op == TW_TEST_NE ? "not (" : "(");
	return true;
}

static bool put_test(const struct tw_format *format, const struct tw_test *test, struct tw_line *line)
{
	(void)format;
	if (test->compared == TW_AS_NUMBER)
		return put_number(test, line);
	return put_bytes(test, line);
}

static void put_unless(struct tw_line *line, uint32_t at, unsigned int size, uint8_t op, uint64_t value)
{
	put_load(line, at, size);
	put_op(line, op);
	if (size == 4)
		put_hex(line, value);
	else
		tw_line__u64(line, value);
	tw_line__str(line, " or ");
}

/*
 * Append tests, joined by `or`, that pass all frames except those with exactly one event of the schema. They also pass truncated frames, so
 * that later loads are inside the packet.
 */
static void put_others(struct tw_line *line, bool big_endian, uint64_t schema_id)
{
	const unsigned int least = EVENT + (unsigned int)sizeof(struct tw_event);

	tw_line__str(line, "len < ");
	tw_line__u64(line, least);
	tw_line__str(line, " or ");
	put_unless(line, IN_HEADER(magic), 4, TW_TEST_NE, TW_MAGIC);
	put_unless(line, IN_HEADER(version), 1, TW_TEST_NE, TW_VERSION);
	put_unless(line, IN_HEADER(events), 2, TW_TEST_NE, 1);
	put_unless(line, IN_EVENT(tlv.type), 2, TW_TEST_NE, TW_TLV_EVENT);
	put_load(line, IN_HEADER(flags), 1);
	tw_line__str(line, big_endian ? " & 1 = 0 or " : " & 1 != 0 or ");
	if (schema_id) {
		put_unless(line, IN_HEADER(schema_id), 4, TW_TEST_NE, schema_id >> 32);
		put_unless(line, IN_HEADER(schema_id) + 4, 4, TW_TEST_NE, schema_id & UINT32_MAX);
	}
	put_load(line, IN_HEADER(length), 2);
	tw_line__str(line, " + 14 > len or ");
	put_unless(line, IN_EVENT(tlv.length), 2, TW_TEST_LT, sizeof(struct tw_event));
	put_load(line, IN_EVENT(tlv.length), 2);
	tw_line__str(line, " + 48 > ");
	put_load(line, IN_HEADER(length), 2);
}

static void put_id(struct tw_line *line, uint8_t op, uint16_t id)
{
	put_load(line, IN_EVENT(event_id), 2);
	put_op(line, op);
	tw_line__u64(line, id);
}

/* Append the ids of a group's events, or of the schema's other events (@others), in ranges joined by `or`. Return: number of ranges */
static uint32_t put_ids(const struct tw_groups *g, uint32_t group, bool others, struct tw_line *line)
{
	uint32_t alternatives = 0;
	uint16_t first, last;
	size_t at = 0;

	while (tw_groups__next_ids(g, group, others, &at, &first, &last)) {
		tw_line__str(line, alternatives++ ? " or " : "");
		if (first == last) {
			put_id(line, TW_TEST_EQ, first);
			continue;
		}
		tw_line__char(line, '(');
		put_id(line, TW_TEST_GE, first);
		tw_line__str(line, " and ");
		put_id(line, TW_TEST_LE, last);
		tw_line__char(line, ')');
	}
	return alternatives;
}

/* Append the condition on the event ids of a group. Return: false if all ids are in the group, so that no condition is needed */
static bool put_events(const struct tw_groups *g, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	char *const begin = line->at;

	if (group->has_unknown && tw_group__knows(group) == g->bound->n_events)
		return false;
	if (put_ids(g, i, group->has_unknown, line) > 1 || group->has_unknown)
		tw_line__wrap(line, begin, group->has_unknown ? "not (" : "(");
	return true;
}

static void put_group(const struct tw_groups *g, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];

	tw_line__str(line, " or (");
	if (put_events(g, i, line) && group->len)
		tw_line__str(line, " and (");
	else if (group->len)
		tw_line__char(line, '(');
	tw_line__bytes(line, g->pool + group->at, group->len);
	tw_line__str(line, group->len ? "))" : ")");
}

int tw_pcap__emit(const struct tw_bound *bound, uint64_t schema_id, struct tw_line *line, struct tw_error *error)
{
	static const struct tw_expression_style style = {
		.and_text = " and ",
		.or_text = " or ",
		.not_text = "not ",
		.nests_ands = true,
		.test = put_test,
	};
	const size_t room = (size_t)(line->end - line->at);
	struct tw_groups groups;
	int err = tw_groups__make(bound, &style, TW_BACK_END_PCAP, room, &groups, error);
	const bool is_any = !err && groups.n == 1 && !groups.groups[0].len && groups.groups[0].n == bound->n_events + 1;

	if (!err)
		tw_line__str(line, "ether proto 0x88b5");
	if (!err && !is_any) {
		tw_line__str(line, " and (");
		put_others(line, bound->options.big_endian, schema_id);
		for (uint32_t i = 0; i < groups.n && !line->cut; i++)
			put_group(&groups, i, line);
		tw_line__char(line, ')');
	}
	if (!err && line->cut)
		err = tw_error__set(
			error, -E2BIG,
			"the expression is too long for the back end pcap: its translation needs more than %zu bytes",
			room);
	tw_groups__fini(&groups);
	return err;
}
