/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel looks at the first bytes of a pattern to choose how it compares (filter_parse_regex()), and not all of its ways are
 * what they look like:
 *
 *  - a `!` in front turns the comparison round, and behind a digit in front nothing is a wildcard;
 *  - "*x" looks at the last bytes of an array, not of the text in it; "*x*" looks behind the text's NUL, too;
 *  - everything else, and what has a backslash, is a pattern that ends with the text: be that behind the end of its array.
 *  - in 6.1 "[!x]" takes the text's NUL, too.
 *
 * So a backslash, which a pattern may have before any character, makes a pattern of the last kind of it. Where an array of
 * characters need not have a NUL, or a class may take it, two ways are joined of which at least one is right each time.
 */
#include "filter/tracefs_text.h"

#include <ctype.h>

#include "filter/expression.h"
#include "filter/glob_shape.h"
#include "filter/text.h"

#define TEXT_MAX 255 /* bytes in quotes; the kernel's MAX_FILTER_STR_VAL - 1 */
#define COMM_MAX 15  /* bytes of a task's name in the kernel */

/* How the parts are joined. */
enum form {
	IS_FALSE,
	IS_TRUE,
	ONE,  /* a */
	BOTH, /* a && b */
	ENDS, /* (a && !b) || c */
};

struct part {
	const char *op;
	struct tw_line text;
	char buf[TEXT_MAX];
};

struct plan {
	enum form form;
	struct part parts[3];
};

/* What is compared with. */
struct subject {
	const char *name;
	uint32_t size; /* bytes at most; 0 = not known */
	bool ends;     /* there is a NUL behind it, always */
};

static struct part *begin_part(struct plan *plan, unsigned int i, const char *op)
{
	struct part *part = &plan->parts[i];

	part->op = op;
	part->text = tw_line__on(part->buf, sizeof(part->buf));
	return part;
}

/* A pattern that the kernel takes for one, with as many characters in front as are given. */
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

static void put_literal(struct plan *plan, unsigned int i, const char *op, const void *text, size_t len)
{
	tw_line__bytes(&begin_part(plan, i, op)->text, text, len);
}

/* "*x*" as the kernel's search for x, which looks at all bytes of an array. */
static void put_search(struct plan *plan, unsigned int i, const struct tw_glob_shape *glob)
{
	struct tw_line *text = &begin_part(plan, i, " ~ ")->text;

	tw_line__char(text, '*');
	tw_line__bytes(text, glob->body, glob->body_len);
	tw_line__char(text, '*');
}

/* A pattern on an array that may be full, without a NUL. */
static const char *plan_in_array(struct plan *plan, const struct tw_glob_shape *glob, size_t size)
{
	const size_t n = glob->characters;

	if (glob->inner)
		return "such a pattern may go on behind the end of the field in the kernel";
	plan->form = ONE;
	if (n > size) {
		plan->form = IS_FALSE;
	} else if (!glob->leading) {
		put_pattern(plan, 0, glob, 0, false, glob->trailing || n == size);
	} else if (!glob->trailing) {
		plan->form = ENDS;
		put_pattern(plan, 0, glob, 0, true, false);
		put_pattern(plan, 1, &(struct tw_glob_shape){ 0 }, size, false, true);
		put_pattern(plan, 2, glob, size - n, false, true);
	} else if (glob->plain) {
		plan->form = BOTH;
		put_pattern(plan, 0, glob, 0, true, true);
		put_search(plan, 1, glob);
	} else {
		return "such a pattern may go on behind the end of the field in the kernel";
	}
	return NULL;
}

static const char *plan_equal(struct plan *plan, const struct subject *subject, bool is_equal, const void *text,
			      size_t len)
{
	if (subject->size && len > subject->size) {
		plan->form = is_equal ? IS_FALSE : IS_TRUE;
		return NULL;
	}
	plan->form = ONE;
	put_literal(plan, 0, is_equal ? " == " : " != ", text, len);
	return NULL;
}

/* As many characters as there have to be: then a class takes no NUL. */
static const char *add_length(struct plan *plan, const struct tw_glob_shape *glob)
{
	if (glob->leading || glob->inner)
		return "in older kernels such a pattern may go on behind the end of the text";
	if (plan->form != ONE)
		return NULL;
	plan->form = BOTH;
	put_pattern(plan, 1, &(struct tw_glob_shape){ 0 }, glob->characters, false, true);
	return NULL;
}

static const char *plan_pattern(struct plan *plan, const struct subject *subject, const uint8_t *pattern, size_t len)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(pattern, len);
	const char *why = NULL;

	if (glob.open_escape)
		return "the kernel has another reading of a backslash at the end";
	if (glob.plain && !glob.leading && !glob.trailing)
		return plan_equal(plan, subject, true, glob.body, glob.body_len);
	plan->form = glob.body_len ? ONE : IS_TRUE;
	if (!glob.body_len)
		return NULL;
	if (subject->ends)
		put_pattern(plan, 0, &glob, 0, glob.leading, glob.trailing);
	else
		why = plan_in_array(plan, &glob, subject->size);
	return why || !glob.negates ? why : add_length(plan, &glob);
}

/* As a pattern, what has a meaning in patterns behind a backslash. */
static const char *plan_contains(struct plan *plan, const struct subject *subject, const uint8_t *text, size_t len)
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
		return "the text is longer than the kernel's filters take";
	return plan_pattern(plan, subject, (const uint8_t *)buf, tw_line__len(&pattern));
}

/* Names of tasks end with a NUL; what the kernel writes behind a location, too. */
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

static const char *check_parts(const struct plan *plan)
{
	for (unsigned int i = 0; plan->form >= ONE && i < (unsigned int)(plan->form - ONE) + 1; i++) {
		const struct tw_line *text = &plan->parts[i].text;
		const size_t len = tw_line__len(text);

		if (text->cut)
			return "the text is longer than the kernel's filters take";
		if (memchr(text->text, '\0', len))
			return "the kernel's filters take no NUL";
		if (memchr(text->text, '"', len) && memchr(text->text, '\'', len))
			return "the kernel's filters cannot quote a text that has both kinds of quotes";
	}
	return NULL;
}

static const char *make_plan(const struct tw_test *test, struct plan *plan)
{
	const struct subject subject = subject_of(test);
	const char *why;

	plan->form = IS_TRUE;
	switch (test->op) {
	case TW_TEST_EXISTS:
		why = test->operand == TW_ON_COMM ? "the kernel knows names that nobody told us" : NULL;
		break;
	case TW_TEST_EQ:
	case TW_TEST_NE:
		why = plan_equal(plan, &subject, test->op == TW_TEST_EQ, test->bytes, test->len);
		break;
	case TW_TEST_CONTAINS:
		why = plan_contains(plan, &subject, test->bytes, test->len);
		break;
	case TW_TEST_GLOB:
		why = plan_pattern(plan, &subject, test->bytes, test->len);
		break;
	case TW_TEST_MATCHES:
		return "the kernel's filters have no regular expressions";
	default:
		return "the kernel's filters know no order of texts";
	}
	return why ? why : check_parts(plan);
}

static const char *refuses_field(const struct tw_field *field)
{
	if (field->kind != TW_FIELD_STRING)
		return "the kernel's filters do not see a list of bits as text";
	if (field->place == TW_PLACE_REST)
		return "the kernel's filters do not know where this field ends";
	for (const char *p = field->name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return "its name has characters that the kernel's filters do not take";
	return NULL;
}

const char *tw_tracefs_text__refuses(const struct tw_test *test)
{
	const char *why = test->operand == TW_ON_FIELD ? refuses_field(test->field) : NULL;
	struct plan plan;

	return why ? why : make_plan(test, &plan);
}

static void put_part(struct tw_line *line, const struct tw_test *test, const struct part *part)
{
	const size_t len = tw_line__len(&part->text);
	const char quote = memchr(part->buf, '"', len) ? '\'' : '"';

	tw_line__str(line, subject_of(test).name);
	tw_line__str(line, part->op);
	tw_line__char(line, quote);
	tw_line__bytes(line, part->buf, len);
	tw_line__char(line, quote);
}

/* Return: whether it needs parentheses beside others. */
static bool put_plan(struct tw_line *line, const struct tw_test *test, const struct plan *plan)
{
	switch (plan->form) {
	case IS_FALSE:
	case IS_TRUE:
		tw_line__str(line, plan->form == IS_TRUE ? TW_TRACEFS_TRUE : TW_TRACEFS_FALSE);
		return false;
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

#define IDLE    "<idle>"   /* pid 0 to us */
#define SWAPPER "swapper/" /* to the kernel, its CPU behind that */

/* What the kernel makes of the names of its idle tasks: 1, 0, or -1 where that depends on the CPU. */
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

bool tw_tracefs_text__write(const struct tw_test *test, struct tw_line *line)
{
	char *const begin = line->at;
	struct plan plan;
	bool idle, joint;

	if (make_plan(test, &plan))
		return false;
	joint = put_plan(line, test, &plan);
	if (test->operand != TW_ON_COMM)
		return joint;
	idle = tw_test__bytes(test, (const uint8_t *)IDLE, strlen(IDLE));
	if (swapper_passes(test) == (int)idle)
		return joint;
	tw_line__insert(line, begin, idle ? "common_pid == 0 || " : "common_pid != 0 && ");
	return true;
}
