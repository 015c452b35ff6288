/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/display_test.h"

#include "filter/display.h"
#include "filter/glob_shape.h"
#include "filter/wireshark.h"

#define MASK_TEXT_MAX 1000 /* bytes that it surely shows of a list of bits */

static const char *refuses_text(const struct tw_test *test)
{
	const bool is_mask = test->field && test->field->kind == TW_FIELD_BITMASK;

	if (test->op == TW_TEST_EXISTS)
		return NULL;
	if (!tw_wireshark__can_text(test->bytes, test->len) ||
	    (test->op == TW_TEST_WITHIN && !tw_wireshark__can_text(test->high_bytes, test->high_len)))
		return "Wireshark has control characters and what is no UTF-8 as \\xNN";
	if (is_mask && (test->op >= TW_TEST_CONTAINS || test->len > MASK_TEXT_MAX || test->high_len > MASK_TEXT_MAX))
		return "Wireshark sees no more than the beginning of a long list of bits";
	return NULL;
}

static const char *refuses_bytes(const struct tw_test *test)
{
	if (test->field->elem_kind == TW_FIELD_BOOL)
		return "Wireshark has truths there, no bytes";
	if (test->op == TW_TEST_CONTAINS && tw_field__address(test->field) != TW_ADDRESS_NONE)
		return "display filters do not look into addresses";
	if (test->op != TW_TEST_EXISTS && !test->len)
		return "display filters have no empty bytes";
	return NULL;
}

const char *tw_display__refuses(const struct tw_test *test)
{
	if (test->operand == TW_ON_TIME)
		return NULL;
	switch (test->compared) {
	case TW_AS_NUMBER:
		return tw_display_number__refuses(test);
	case TW_AS_TEXT:
		return refuses_text(test);
	default:
		return refuses_bytes(test);
	}
}

static void name_of(const struct tw_format *format, const struct tw_test *test, char *ret)
{
	static const char *const keys[] = {
		[TW_ON_PID] = "pid",     [TW_ON_CPU] = "cpu",
		[TW_ON_FLAGS] = "flags", [TW_ON_PREEMPT] = "common_preempt_count",
		[TW_ON_TIME] = "time",   [TW_ON_COMM] = "comm",
		[TW_ON_HOST] = "host",
	};
	const char *parts[] = { keys[test->operand], NULL, NULL, NULL };

	if (test->operand == TW_ON_FIELD) {
		parts[0] = format->system;
		parts[1] = format->name;
		parts[2] = test->field->name;
	}
	tw_name__join(parts, ret);
}

const char *tw_display__op(uint8_t op)
{
	static const char *const ops[] = {
		[TW_TEST_EQ] = " == ",
		[TW_TEST_NE] = " != ",
		[TW_TEST_LT] = " < ",
		[TW_TEST_LE] = " <= ",
		[TW_TEST_GT] = " > ",
		[TW_TEST_GE] = " >= ",
		[TW_TEST_CONTAINS] = " contains ",
	};

	return ops[op];
}

static void put_seconds(struct tw_line *line, uint64_t ns)
{
	tw_line__u64(line, ns / 1000000000);
	tw_line__char(line, '.');
	tw_line__digits(line, ns % 1000000000, 9, '0');
}

static void put_address(struct tw_line *line, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (i && (len == 4 || i % 2 == 0))
			tw_line__char(line, len == 4 ? '.' : ':');
		if (len == 4)
			tw_line__u64(line, bytes[i]);
		else if (i % 2 == 0)
			tw_line__hex(line, (uint64_t)bytes[i] << 8 | bytes[i + 1]);
	}
}

static void put_bytes(struct tw_line *line, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	/* A colon in front: a single byte is no name then. */
	for (size_t i = 0; i < len; i++) {
		if (i || len == 1)
			tw_line__char(line, ':');
		tw_line__char(line, digits[bytes[i] >> 4]);
		tw_line__char(line, digits[bytes[i] & 0xf]);
	}
}

static void put_value(const struct tw_display_writing *w, uint64_t number, const uint8_t *bytes, size_t len)
{
	const struct tw_test *test = w->test;

	if (test->operand == TW_ON_TIME)
		put_seconds(w->line, number);
	else if (test->compared == TW_AS_TEXT)
		tw_wireshark__text(w->line, bytes, len);
	else if (tw_field__address(test->field) != TW_ADDRESS_NONE && len == test->field->size)
		put_address(w->line, bytes, len);
	else
		put_bytes(w->line, bytes, len);
}

/* Within both ends, or outside of them. Of a single value: of several each comparison might look at another. */
static bool put_between(const struct tw_display_writing *w, bool inside, const uint8_t *low, size_t low_len,
			const uint8_t *high, size_t high_len)
{
	tw_display__put(w, w->name);
	tw_display__put(w, inside ? " >= " : " < ");
	put_value(w, w->test->low, low, low_len);
	tw_display__put(w, inside ? " && " : " || ");
	tw_display__put(w, w->name);
	tw_display__put(w, inside ? " <= " : " > ");
	put_value(w, w->test->high, high, high_len);
	return true;
}

/* The first bits of bytes that are no address to Wireshark. */
static bool put_prefix(const struct tw_display_writing *w)
{
	const struct tw_test *test = w->test;
	uint8_t low[16], high[16];

	for (unsigned int i = 0; i < test->len && i < sizeof(low); i++) {
		const unsigned int bits = test->prefix <= 8 * i      ? 0
					  : test->prefix - 8 * i < 8 ? test->prefix - 8 * i
								     : 8;
		const uint8_t mask = (uint8_t)(0xff00 >> bits);

		low[i] = test->bytes[i] & mask;
		high[i] = (uint8_t)(test->bytes[i] | ~mask);
	}
	return put_between(w, test->op == TW_TEST_EQ, low, test->len, high, test->len);
}

static bool write_value(const struct tw_display_writing *w)
{
	const struct tw_test *test = w->test;
	const bool is_address = test->compared == TW_AS_BYTES && tw_field__address(test->field) != TW_ADDRESS_NONE;

	if (test->op == TW_TEST_WITHIN)
		return put_between(w, true, test->bytes, test->len, test->high_bytes, test->high_len);
	if (test->prefix && !is_address)
		return put_prefix(w);
	tw_display__put(w, w->name);
	tw_display__put(w, tw_display__op(test->op));
	put_value(w, test->low, test->bytes, test->len);
	if (test->prefix) {
		tw_line__char(w->line, '/');
		tw_line__u64(w->line, test->prefix);
	}
	return false;
}

static bool write_pattern(const struct tw_display_writing *w)
{
	const struct tw_test *test = w->test;
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);

	if (test->op == TW_TEST_GLOB && glob.plain && glob.leading == glob.trailing) {
		if (!glob.body_len && test->len)
			return tw_display__certain(w, true);
		tw_display__put(w, w->name);
		tw_display__put(w, glob.leading ? " contains " : " == ");
		tw_wireshark__text(w->line, glob.body, glob.body_len);
		return false;
	}
	tw_display__put(w, w->name);
	tw_display__put(w, " matches ");
	if (test->op == TW_TEST_MATCHES)
		tw_wireshark__pattern(w->line, test->bytes, test->len);
	else
		tw_wireshark__glob(w->line, test->bytes, test->len);
	return false;
}

bool tw_display__test(const struct tw_format *format, const struct tw_test *test, struct tw_line *line)
{
	struct tw_display_writing w = { .line = line, .test = test };

	name_of(format, test, w.name);
	if (test->op == TW_TEST_EXISTS || (test->op == TW_TEST_CONTAINS && !test->len))
		return tw_display__certain(&w, true);
	if (test->op == TW_TEST_MATCHES || test->op == TW_TEST_GLOB)
		return write_pattern(&w);
	if (test->compared == TW_AS_NUMBER && test->operand != TW_ON_TIME)
		return tw_display_number__write(&w);
	return write_value(&w);
}
