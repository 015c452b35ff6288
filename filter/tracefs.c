/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's parser (kernel/trace/trace_events_filter.c, Linux 6.1 to 6.18) accepts these operators:
 *
 * - on integers of a record: ==, !=, <, <=, >, >= and &; `a & m` is true if any bit of m is set in a;
 * - with texts in quotes, in which no escapes are possible: ==, != and ~;
 * - between comparisons: &&, ||, !() and parentheses.
 *
 * In the kernel, a record always has all fields at fixed offsets, so != is the inverse of ==.
 */
#include "filter/tracefs.h"

#include <ctype.h>
#include <errno.h>

#include "base/bytes.h"
#include "filter/capability.h"
#include "filter/compare.h"
#include "filter/describe.h"
#include "filter/expression.h"
#include "filter/glob.h"

#define ALWAYS "common_type >= 0" /* true for every record, because common_type is unsigned */
#define NEVER  "common_type < 0"

/*
 * The kernel chooses a method of comparison from the form of a pattern (filter_parse_regex()). Some methods differ from docs/filter.md:
 *
 * - with a leading `!`, the comparison is inverted; with a leading digit, there are no wildcards;
 * - "*x" compares the last bytes of the array, not of the text in it; "*x*" also finds x after the text's NUL;
 * - any other pattern with a backslash, a `?`, a `[` or an inner star is a glob, which reads to the NUL, even beyond the end of the array;
 * - in 6.1, "[!x]" also matches the NUL of the text.
 *
 * A backslash may precede any character. put_pattern() inserts a backslash to make a pattern a glob. If an array may have no NUL, or if a
 * class may match the NUL, a test may need several comparisons (struct plan).
 */
#define TEXT_MAX 255 /* longest text in quotes, bytes; the kernel's MAX_FILTER_STR_VAL - 1 */
#define COMM_MAX 15  /* longest task name in the kernel, bytes, without the NUL */

/* How the parts a, b, c of a plan are joined. */
enum form {
	IS_FALSE,
	IS_TRUE,
	ONE,  /* a */
	BOTH, /* a && b */
	ENDS, /* (a && !b) || c */
};

/* One comparison of the kernel's language. */
struct text_part {
	const char *op;
	struct tw_line text;
	char buf[TEXT_MAX];
};

/* The comparisons for one test of text. */
struct plan {
	enum form form;
	enum tw_tracefs_obstacle obstacle;
	struct text_part parts[3];
};

/* The text that is compared. */
struct subject {
	const char *name;
	uint32_t size; /* maximum length of the text, bytes; 0 = unknown */
	bool ends;     /* the text always ends with a NUL */
};

static struct text_part *begin_part(struct plan *plan, unsigned int i, const char *op)
{
	struct text_part *part = &plan->parts[i];

	part->op = op;
	part->text = tw_line__on(part->buf, sizeof(part->buf));
	return part;
}

/*
 * Make part @i a pattern: @any times `?`, `*` if @leading, the body, `*` if @trailing. Without a special character, the kernel may choose
 * another method than the glob, with another result. A backslash before the body then makes the pattern a glob.
 */
static void put_pattern(struct plan *plan, unsigned int i, const struct tw_glob_shape *glob, size_t any, bool leading,
			bool trailing)
{
	struct tw_line *text = &begin_part(plan, i, " ~ ")->text;
	const uint8_t first = glob->body_len ? *glob->body : 0;
	const bool special = first == '?' || first == '[' || first == '\\' || first == '*' || !first;

	tw_line__fill(text, '?', any);
	if (leading)
		tw_line__char(text, '*');
	if (!special && !any && (leading || first == '!' || isdigit(first)))
		tw_line__char(text, '\\');
	tw_line__bytes(text, glob->body, glob->body_len);
	if (trailing)
		tw_line__char(text, '*');
}

/* Plan a pattern for a character array that may have no NUL. */
static void plan_in_array(struct plan *plan, const struct tw_glob_shape *glob, size_t size)
{
	const size_t n = glob->characters;

	plan->form = ONE;
	if (glob->inner) {
		plan->obstacle = TW_TRACEFS_READS_ON;
	} else if (n > size) {
		plan->form = IS_FALSE;
	} else if (!glob->leading) {
		put_pattern(plan, 0, glob, 0, false, glob->trailing || n == size);
	} else if (!glob->trailing) {
		plan->form = ENDS;
		put_pattern(plan, 0, glob, 0, true, false);
		put_pattern(plan, 1, &(struct tw_glob_shape){ 0 }, size, false, true);
		put_pattern(plan, 2, glob, size - n, false, true);
	} else if (glob->plain) {
		struct tw_line *search = &begin_part(plan, 1, " ~ ")->text; /* searches all bytes of the array */

		plan->form = BOTH;
		put_pattern(plan, 0, glob, 0, true, true);
		tw_line__char(search, '*');
		tw_line__bytes(search, glob->body, glob->body_len);
		tw_line__char(search, '*');
	} else {
		plan->obstacle = TW_TRACEFS_READS_ON;
	}
}

static void plan_equal(struct plan *plan, const struct subject *subject, bool is_equal, const void *text, size_t len)
{
	if (subject->size && len > subject->size) {
		plan->form = is_equal ? IS_FALSE : IS_TRUE;
		return;
	}
	plan->form = ONE;
	tw_line__bytes(&begin_part(plan, 0, is_equal ? " == " : " != ")->text, text, len);
}

/* Require that the text has at least glob->characters bytes before its NUL, so that a negated class cannot match the NUL. */
static void add_length(struct plan *plan, const struct tw_glob_shape *glob)
{
	if (glob->leading || glob->inner) {
		plan->obstacle = TW_TRACEFS_TAKES_NUL;
	} else if (plan->form == ONE) {
		plan->form = BOTH;
		put_pattern(plan, 1, &(struct tw_glob_shape){ 0 }, glob->characters, false, true);
	}
}

static void plan_pattern(struct plan *plan, const struct subject *subject, const uint8_t *pattern, size_t len)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(pattern, len);

	if (glob.open_escape) {
		plan->obstacle = TW_TRACEFS_OPEN_ESCAPE;
		return;
	}
	if (glob.plain && !glob.leading && !glob.trailing) {
		plan_equal(plan, subject, true, glob.body, glob.body_len);
		return;
	}
	if (!glob.body_len)
		return;
	plan->form = ONE;
	if (subject->ends)
		put_pattern(plan, 0, &glob, 0, glob.leading, glob.trailing);
	else
		plan_in_array(plan, &glob, subject->size);
	if (!plan->obstacle && glob.negates)
		add_length(plan, &glob);
}

/* Plan `contains` as a pattern in which special characters have a backslash. */
static void plan_contains(struct plan *plan, const struct subject *subject, const uint8_t *text, size_t len)
{
	char buf[TEXT_MAX];
	struct tw_line pattern = tw_line__on(buf, sizeof(buf));

	tw_line__char(&pattern, '*');
	for (size_t i = 0; i < len; i++) {
		if (text[i] && strchr("*?[\\", text[i]))
			tw_line__char(&pattern, '\\');
		tw_line__char(&pattern, (char)text[i]);
	}
	tw_line__char(&pattern, '*');
	if (pattern.cut)
		plan->obstacle = TW_TRACEFS_LONG;
	else
		plan_pattern(plan, subject, (const uint8_t *)buf, tw_line__len(&pattern));
}

/* Return: the compared text. The name of a task always ends with a NUL, and so does the text of a __data_loc. */
static struct subject subject_of(const struct tw_test *test)
{
	const struct tw_field *field = test->field;

	if (test->operand == TW_ON_COMM)
		return (struct subject){ "COMM", COMM_MAX, true };
	if (field->place != TW_PLACE_FIXED)
		return (struct subject){ field->name, 0, true };
	if (field->size == COMM_MAX + 1 && strstr(field->name, "comm"))
		return (struct subject){ field->name, COMM_MAX, true };
	return (struct subject){ field->name, field->size, false };
}

static void check_parts(struct plan *plan)
{
	for (unsigned int i = 0; !plan->obstacle && i + ONE <= plan->form; i++) {
		const struct tw_line *text = &plan->parts[i].text;
		const size_t len = tw_line__len(text);

		if (text->cut)
			plan->obstacle = TW_TRACEFS_LONG;
		else if (memchr(text->text, '\0', len))
			plan->obstacle = TW_TRACEFS_NUL;
		else if (memchr(text->text, '"', len) && memchr(text->text, '\'', len))
			plan->obstacle = TW_TRACEFS_QUOTES;
	}
}

static void make_plan(const struct tw_test *test, struct plan *plan)
{
	const struct subject subject = subject_of(test);

	plan->form = IS_TRUE;
	plan->obstacle = TW_TRACEFS_NO_OBSTACLE;
	if (test->op == TW_TEST_CONTAINS)
		plan_contains(plan, &subject, test->bytes, test->len);
	else if (test->op == TW_TEST_GLOB)
		plan_pattern(plan, &subject, test->bytes, test->len);
	else if (test->op != TW_TEST_EXISTS)
		plan_equal(plan, &subject, test->op == TW_TEST_EQ, test->bytes, test->len);
	check_parts(plan);
}

enum tw_tracefs_obstacle tw_tracefs__obstacle(const struct tw_test *test)
{
	struct plan plan;

	make_plan(test, &plan);
	return plan.obstacle;
}

/* Functions that append a test return whether the text needs parentheses in a larger expression. */
static bool put_certain(struct tw_line *line, bool is_true)
{
	tw_line__str(line, is_true ? ALWAYS : NEVER);
	return false;
}

static void put_part(struct tw_line *line, const struct tw_test *test, const struct text_part *part)
{
	const size_t len = tw_line__len(&part->text);
	const char quote = memchr(part->buf, '"', len) ? '\'' : '"';

	tw_line__str(line, subject_of(test).name);
	tw_line__str(line, part->op);
	tw_line__char(line, quote);
	tw_line__bytes(line, part->buf, len);
	tw_line__char(line, quote);
}

static bool put_plan(struct tw_line *line, const struct tw_test *test, const struct plan *plan)
{
	switch (plan->form) {
	case IS_FALSE:
	case IS_TRUE:
		return put_certain(line, plan->form == IS_TRUE);
	case ONE:
		put_part(line, test, &plan->parts[0]);
		return false;
	case BOTH:
		put_part(line, test, &plan->parts[0]);
		tw_line__str(line, " && ");
		put_part(line, test, &plan->parts[1]);
		return true;
	default:
		tw_line__char(line, '(');
		put_part(line, test, &plan->parts[0]);
		tw_line__str(line, " && !(");
		put_part(line, test, &plan->parts[1]);
		tw_line__str(line, ")) || ");
		put_part(line, test, &plan->parts[2]);
		return true;
	}
}

#define IDLE    "<idle>"   /* name of pid 0 in the filter language */
#define SWAPPER "swapper/" /* name of pid 0 in the kernel, followed by the number of the CPU */

/* Return: the result of a test for the kernel's names of its idle tasks: 1, 0, or -1 if it may depend on the CPU. */
static int swapper_passes(const struct tw_test *test)
{
	const char *text = (const char *)test->bytes;

	switch (test->op) {
	case TW_TEST_EQ:
		return strncmp(text, SWAPPER, strlen(SWAPPER)) ? 0 : -1;
	case TW_TEST_NE:
		return strncmp(text, SWAPPER, strlen(SWAPPER)) ? 1 : -1;
	case TW_TEST_CONTAINS:
		if (strstr(SWAPPER, text))
			return 1;
		return text[strspn(text, SWAPPER "0123456789")] ? 0 : -1;
	default:
		return strchr("s*?[\\", *text) ? -1 : 0;
	}
}

static bool put_text(const struct tw_test *test, struct tw_line *line)
{
	char *const begin = line->at;
	struct plan plan;
	bool idle, joint;

	make_plan(test, &plan);
	joint = put_plan(line, test, &plan);
	if (test->operand != TW_ON_COMM)
		return joint;
	idle = tw_test__bytes(test, (const uint8_t *)IDLE, strlen(IDLE));
	if (swapper_passes(test) == (int)idle)
		return joint;
	tw_line__insert(line, begin, idle ? "common_pid == 0 || " : "common_pid != 0 && ");
	return true;
}

/* A number as the kernel compares it. */
struct kernel_number {
	const char *name;
	uint32_t size;
	bool is_signed;
};

static struct kernel_number number_of(const struct tw_test *test)
{
	switch (test->operand) {
	case TW_ON_PID:
		return (struct kernel_number){ "common_pid", 4, true };
	case TW_ON_CPU:
		return (struct kernel_number){ "CPU", 4, true };
	case TW_ON_FLAGS:
		return (struct kernel_number){ "common_flags", 1, false };
	case TW_ON_PREEMPT:
		return (struct kernel_number){ "common_preempt_count", 1, false };
	default:
		return (struct kernel_number){ test->field->name, test->field->size, test->field->is_signed };
	}
}

/* Append a comparison. If the field is signed, the value is written with its sign, because the kernel parses it as signed. */
static void put_comparison(struct tw_line *line, const struct kernel_number *number, const char *op, uint64_t value)
{
	const uint64_t extended = tw_number__extend(value, number->size, number->is_signed);

	tw_line__str(line, number->name);
	tw_line__char(line, ' ');
	tw_line__str(line, op);
	tw_line__char(line, ' ');
	if (number->is_signed)
		tw_line__i64(line, (int64_t)extended);
	else
		tw_line__u64(line, extended);
}

/* Append (number & mask) == value: the bits of mask & ~value are 0, those of mask & value are 1. Return: number of comparisons */
static unsigned int put_equal_bits(struct tw_line *line, const struct kernel_number *number, uint64_t mask,
				   uint64_t value)
{
	unsigned int n = 0;

	if (mask & ~value) {
		tw_line__str(line, "!(");
		put_comparison(line, number, "&", mask & ~value);
		tw_line__char(line, ')');
		n++;
	}
	for (uint64_t left = mask & value; left; left &= left - 1, n++) {
		if (n)
			tw_line__str(line, " && ");
		put_comparison(line, number, "&", left & -left);
	}
	return n;
}

static bool put_masked(struct tw_line *line, const struct kernel_number *number, const struct tw_test *test)
{
	const uint64_t mask = test->mask & tw_number__mask(number->size);
	char *const begin = line->at;
	unsigned int n;

	if (test->low & ~mask)
		return put_certain(line, test->op == TW_TEST_NE);
	if (!mask)
		return put_certain(line, test->op == TW_TEST_EQ);
	if (test->op == TW_TEST_NE && !test->low) {
		put_comparison(line, number, "&", mask);
		return false;
	}
	n = put_equal_bits(line, number, mask, test->low);
	if (test->op == TW_TEST_EQ)
		return n > 1;
	tw_line__wrap(line, begin, "!(");
	return false;
}

static bool put_number(struct tw_line *line, const struct tw_test *test)
{
	const struct kernel_number number = number_of(test);

	if (test->has_mask)
		return put_masked(line, &number, test);
	if (test->op == TW_TEST_WITHIN) {
		put_comparison(line, &number, ">=", test->low);
		tw_line__str(line, " && ");
		put_comparison(line, &number, "<=", test->high);
		return true;
	}
	put_comparison(line, &number, tw_test_op__text(test->op), test->low);
	return false;
}

/* Append a comparison of bytes, which are an integer for the kernel. */
static bool put_bytes(struct tw_line *line, const struct tw_test *test)
{
	const struct kernel_number number = number_of(test);
	struct tw_test as_number = *test;

	if (test->len != number.size)
		return put_certain(line, test->op == TW_TEST_NE);
	as_number.low = as_number.mask = 0;
	for (uint32_t i = 0; i < number.size; i++) {
		const uint8_t mask = test->prefix ? tw_prefix__mask(test->prefix, i) : 0xff;
		const uint32_t at = 8 * (test->big_endian ? number.size - 1 - i : i);

		as_number.mask |= (uint64_t)mask << at;
		as_number.low |= (uint64_t)(test->bytes[i] & mask) << at;
	}
	as_number.has_mask = test->prefix != 0;
	return put_number(line, &as_number);
}

static bool put_test(const struct tw_format *format, const struct tw_test *test, struct tw_line *line)
{
	(void)format;
	if (test->op == TW_TEST_EXISTS)
		return put_certain(line, true);
	switch (test->compared) {
	case TW_AS_NUMBER:
		return put_number(line, test);
	case TW_AS_BYTES:
		return put_bytes(line, test);
	default:
		return put_text(test, line);
	}
}

int tw_tracefs__emit(const struct tw_bound *bound, const struct tw_node *root, struct tw_line *line,
		     struct tw_error *error)
{
	static const struct tw_expression_style style = {
		.and_text = " && ", .or_text = " || ", .not_text = "!", .test = put_test
	};
	const char *const begin = line->at;
	const int err = tw_bound__check(bound, root, TW_BACK_END_TRACEFS, error);

	if (err)
		return err;
	tw_expression__write(&style, NULL, root, line);
	if (line->cut || line->at - begin > TW_TRACEFS_FILTER_MAX)
		return tw_error__set(
			error, -E2BIG,
			"the filter of an event needs more than %d bytes, the limit for filters in the kernel",
			TW_TRACEFS_FILTER_MAX);
	return 0;
}
