/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/capability.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/printable.h"
#include "filter/bpf/test.h"
#include "filter/display.h"
#include "filter/glob.h"
#include "filter/pcap.h"
#include "filter/tracefs.h"
#include "filter/u32.h"
#include "wire/tracewire.h"

typedef bool can_express(const struct tw_test *test, void *ctx);

static struct tw_node *copy_leaf(const struct tw_node *leaf, can_express *can, void *ctx, struct tw_arena *arena,
				 bool *ret_exact)
{
	if (leaf->kind != TW_NODE_TEST)
		return tw_node__certain(arena, leaf->kind == TW_NODE_TRUE);
	if (can(leaf->test, ctx))
		return tw_node__test(arena, leaf->test, leaf->negated);
	if (ret_exact)
		*ret_exact = false;
	return tw_node__certain(arena, true);
}

struct tw_node *tw_node__weaken_by(const struct tw_node *root, can_express *can, void *ctx, struct tw_arena *arena,
				   bool *ret_exact)
{
	/* For each open AND or OR: the tree of its children that were copied so far; NULL = no child yet. */
	struct tw_node *open[TW_TREE_DEPTH_MAX], *done = NULL;
	struct tw_walk walk = tw_walk__on(root);
	unsigned int depth = 0;
	enum tw_walk_at at;

	if (ret_exact)
		*ret_exact = true;
	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		if (at == TW_WALK_BETWEEN)
			continue;
		if (at == TW_WALK_OPEN) {
			if (depth == TW_TREE_DEPTH_MAX)
				return NULL;
			open[depth++] = NULL;
			continue;
		}
		done = at == TW_WALK_CLOSE ? open[--depth] : copy_leaf(walk.node, can, ctx, arena, ret_exact);
		if (depth && open[depth - 1])
			done = tw_node__join(arena, walk.node->parent->kind, open[depth - 1], done);
		if (!done)
			return NULL;
		if (depth)
			open[depth - 1] = done;
	}
	return done;
}

static bool back_end_can(const struct tw_test *test, void *ctx)
{
	const enum tw_back_end *back_end = ctx;

	return !tw_test__refusal(test, *back_end);
}

struct tw_node *tw_node__weaken(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena,
				bool *ret_exact)
{
	return tw_node__weaken_by(root, back_end_can, &back_end, arena, ret_exact);
}

const struct tw_node *tw_node__rest(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena)
{
	struct tw_node *rest = tw_node__certain(arena, true);
	const struct tw_node *part = root->kind == TW_NODE_AND ? root->first : root;
	const char *why;

	for (; part && rest; part = root->kind == TW_NODE_AND ? part->next : NULL) {
		if (tw_node__refused(part, back_end, &why))
			rest = tw_node__join(arena, TW_NODE_AND, rest,
					     tw_node__weaken(part, TW_BACK_END_TOOLS, arena, NULL));
	}
	return rest;
}

/*
 * What a test compares, one bit each: an operand that is not a field (enum tw_operand), or a kind of field. A row of the table below may
 * have several bits.
 */
enum {
	PID = 1 << TW_ON_PID,
	CPU = 1 << TW_ON_CPU,
	FLAGS = 1 << TW_ON_FLAGS,
	PREEMPT = 1 << TW_ON_PREEMPT,
	TIME = 1 << TW_ON_TIME,
	COMM = 1 << TW_ON_COMM,
	HOST = 1 << TW_ON_HOST,
	NUMBER = 1 << 8, /* a field with a single number */
	ARRAY = 1 << 9,  /* a field with an array of numbers */
	TEXT = 1 << 10,
	BITS = 1 << 11, /* a bit mask, compared as the list of its set bits */
	BYTES = 1 << 12,
	FIELD = NUMBER | ARRAY | TEXT | BITS | BYTES,
	NUMBERS = PID | CPU | FLAGS | PREEMPT | NUMBER | ARRAY,
};

/* The operators of a test, one bit for each enum tw_test_op. MASKED(): the same operators in a test with a mask (`field & mask == 1`). */
#define MASKED(ops) ((ops) << 16)
enum {
	EXISTS = 1 << TW_TEST_EXISTS,
	UNEQUAL = 1 << TW_TEST_NE,
	EQUAL = 1 << TW_TEST_EQ | UNEQUAL,
	ORDER = 1 << TW_TEST_LT | 1 << TW_TEST_LE | 1 << TW_TEST_GT | 1 << TW_TEST_GE | 1 << TW_TEST_WITHIN,
	CONTAINS = 1 << TW_TEST_CONTAINS,
	MATCHES = 1 << TW_TEST_MATCHES,
	GLOB = 1 << TW_TEST_GLOB,
	VALUE = EQUAL | ORDER | CONTAINS | MATCHES | GLOB | MASKED(EQUAL | ORDER),
	ANY = EXISTS | VALUE,
};

/* The back ends that refuse a test, one bit each. */
enum {
	TRACEFS = 1 << TW_BACK_END_TRACEFS,
	PRODUCER = 1 << TW_BACK_END_PRODUCER,
	BPF = 1 << TW_BACK_END_BPF,
	U32 = 1 << TW_BACK_END_U32,
	PCAP = 1 << TW_BACK_END_PCAP,
	DISPLAY = 1 << TW_BACK_END_DISPLAY,
	TRACEPOINT = 1 << TW_BACK_END_TRACEPOINT,
};

/*
 * A row of the table: the back ends refuse a test that has one of the subjects and one of the ops, if all conditions in the row are true.
 * The conditions are: when(test) is true; exceeds(test, limit) is true; tw_tracefs__obstacle(test) returns `meets`. A condition that is 0
 * in the row is ignored.
 */
struct test_refusal {
	uint8_t back_ends;
	uint16_t subjects;
	uint32_t ops;
	bool (*when)(const struct tw_test *test);
	bool (*exceeds)(const struct tw_test *test, uint32_t limit);
	uint32_t limit;
	enum tw_tracefs_obstacle meets;
	const char *why;
};

/* Conditions on the offset of the field. */

static bool is_dynamic(const struct tw_test *test)
{
	return test->field->place != TW_PLACE_FIXED;
}

static bool has_no_end(const struct tw_test *test)
{
	return test->field->place == TW_PLACE_REST;
}

/* Whether the field is one of the common fields, which are at the beginning of every record. */
static bool is_common(const struct tw_test *test)
{
	return test->field->offset < TW_RECORD_COMMON;
}

static bool reaches_further(const struct tw_test *test, uint32_t extent)
{
	return tw_test__extent(test) > extent;
}

/* Whether the number's offset in the record is not a multiple of its size. */
static bool is_unaligned(const struct tw_test *test)
{
	return test->field->offset % test->field->elem_size;
}

static bool has_no_place(const struct tw_test *test)
{
	struct tw_test_place place;

	return !tw_test__place(test, &place);
}

/* Conditions on the size of the field or of the value. */

static bool has_more_elements(const struct tw_test *test, uint32_t most)
{
	return test->field->place == TW_PLACE_FIXED && test->field->count > most;
}

static bool has_more_positions(const struct tw_test *test, uint32_t most)
{
	return test->field->size >= test->len && test->field->size - test->len >= most;
}

static bool is_longer(const struct tw_test *test, uint32_t most)
{
	return test->len > most || test->high_len > most;
}

static bool is_empty(const struct tw_test *test)
{
	return !test->len;
}

static bool is_dynamic_and_longer(const struct tw_test *test, uint32_t most)
{
	return is_dynamic(test) && test->len > most;
}

/* Conditions on the value. */

static bool has_nul(const struct tw_test *test)
{
	return memchr(test->bytes, '\0', test->len) ||
	       (test->op == TW_TEST_WITHIN && memchr(test->high_bytes, '\0', test->high_len));
}

/* Whether the pattern has special characters other than stars at its end. The test is then not a comparison of the first bytes. */
static bool is_no_prefix(const struct tw_test *test)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);

	return !tw_glob_shape__is_prefix(&glob);
}

/* Whether bytes cannot be compared as a number, because the field or the value does not have 1, 2, 4 or 8 bytes, or the sizes differ. */
static bool is_no_number(const struct tw_test *test)
{
	const uint32_t size = test->field->size;

	return !tw_number__has_size(size) || test->len != size ||
	       (test->op == TW_TEST_WITHIN && test->high_len != size);
}

/* Conditions for restrictions of the kernel's filters. */

static bool has_odd_name(const struct tw_test *test)
{
	const char *name = test->field->name;

	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return *name;
}

static bool is_no_integer_to_kernel(const struct tw_test *test)
{
	const struct tw_field *field = test->field;
	const uint32_t size = field->size;

	return field->place != TW_PLACE_FIXED || !tw_number__has_size(size) || strstr(field->type, "_loc ");
}

static bool is_text_to_kernel(const struct tw_test *test)
{
	const char *type = test->field->type;

	return !strcmp(type, "char *") || !strcmp(type, "const char *") || (strchr(type, '[') && strstr(type, "char"));
}

static bool has_sign_to_kernel(const struct tw_test *test)
{
	const struct tw_field *field = test->field;

	return field->is_signed && (field->kind == TW_FIELD_POINTER || field->kind == TW_FIELD_BOOL);
}

/* Conditions under which a restriction of Wireshark applies. */

static bool shows_other_elements(const struct tw_test *test, uint32_t most)
{
	return is_dynamic(test) || has_more_elements(test, most) || !strcmp(test->field->name, "caller");
}

static bool loses_sign(const struct tw_test *test)
{
	return test->field->is_signed && !tw_display__sign_bit(test);
}

static bool masks_sign(const struct tw_test *test)
{
	return test->mask & tw_display__sign_bit(test);
}

static bool is_least_number(const struct tw_test *test)
{
	const uint64_t sign = tw_display__sign_bit(test);

	return sign && test->low == -sign;
}

static bool is_shown_otherwise(const struct tw_test *test)
{
	return tw_printable__plain(test->bytes, test->len) != test->len ||
	       (test->op == TW_TEST_WITHIN && tw_printable__plain(test->high_bytes, test->high_len) != test->high_len);
}

static bool holds_truths(const struct tw_test *test)
{
	return test->field->elem_kind == TW_FIELD_BOOL;
}

static bool is_address(const struct tw_test *test)
{
	return tw_field__address(test->field) != TW_ADDRESS_NONE;
}

/* The reason for a refusal is in the first row that matches the test. If no row matches, the back end can express the test. */
static const struct test_refusal refusals[] = {
	/* Operands that are not fields. */
	{ TRACEFS, TIME, ANY, .why = "the kernel's filters cannot compare the time" },
	{ U32, TIME, ANY, .why = "an event's time is a sum of two numbers, and u32 cannot add" },
	{ PCAP, TIME, ANY,
	  .why = "an event's time is a sum of two numbers, for which libpcap's optimizer makes wrong programs" },
	{ TRACEFS, COMM, EXISTS, .why = "the kernel may know a task name that Tracewire does not know" },
	{ PRODUCER, COMM, ANY, .why = "the task's name may become known only after the event" },
	{ BPF, COMM, ANY, .why = "the task's name is not in the frames" },
	{ U32 | PCAP, COMM, ANY, .why = "the task's name is not in the frames of its events" },
	{ TRACEFS, HOST, ANY, .why = "the kernel's filters cannot compare the host's name" },
	{ BPF, HOST, ANY, .why = "the host's name is not in the frames" },
	{ U32 | PCAP, HOST, ANY, .why = "the host's name is not in the frames of events" },
	{ TRACEPOINT, TIME | FLAGS | PREEMPT | COMM | HOST, ANY, .why = "it can compare only fields, pid and cpu" },

	/* Numbers with a mask, and numbers that Wireshark shows differently. */
	{ TRACEFS, NUMBERS, MASKED(ORDER), .why = "the kernel's filters can compare masked values only for equality" },
	{ TRACEFS, CPU, MASKED(EQUAL), .why = "the kernel's filters support no mask for the CPU" },
	{ DISPLAY, ARRAY, ANY, .exceeds = shows_other_elements, .limit = 256,
	  .why = "the elements that Wireshark shows may not be exactly those of the array" },
	{ DISPLAY, NUMBER | ARRAY, ANY, loses_sign, .why = "Wireshark shows the field as unsigned" },
	{ DISPLAY, NUMBERS, MASKED(ORDER), masks_sign, .why = "display filters cannot mask the sign of a number" },
	{ DISPLAY, ARRAY, MASKED(EQUAL), masks_sign, .why = "display filters cannot mask the sign of a number" },
	{ DISPLAY, ARRAY, UNEQUAL | MASKED(UNEQUAL), is_least_number,
	  .why = "display filters have no notation for this number" },

	/* Offsets of fields. */
	{ BPF | TRACEPOINT, FIELD, ANY, is_common, .why = "a BPF program does not read this common field" },
	{ BPF | TRACEPOINT, FIELD, ANY, .exceeds = reaches_further, .limit = TW_BPF_EXTENT_MAX,
	  .why = "the field is beyond the bytes of an event that a BPF program can read" },
	{ TRACEPOINT, TEXT | BITS | BYTES, ANY, .why = "it can compare only numbers" },
	{ BPF | TRACEPOINT, NUMBER | ARRAY, ANY, is_dynamic, .why = "the field's offset in the event varies" },
	{ TRACEPOINT, NUMBER | ARRAY, ANY, is_unaligned,
	  .why = "the kernel permits such a program no unaligned access" },
	{ BPF, BITS | BYTES, VALUE, is_dynamic, .why = "the field's offset in the event varies" },
	{ PCAP, FIELD, ANY, has_no_place, .why = "the field's offset varies between records" },
	{ U32, TEXT | BITS | BYTES, VALUE, has_no_place, .why = "the field's offset varies between records" },
	{ U32, NUMBER, VALUE, has_no_place, .why = "it can only compare bits at fixed offsets for equality" },

	/* Single numbers, and arrays of them. */
	{ TRACEFS, ARRAY, EXISTS, is_dynamic, .why = "the kernel's filters cannot test the length of an array" },
	{ U32, ARRAY, EXISTS, is_dynamic, .why = "it cannot test the length of an array" },
	{ TRACEFS, ARRAY, VALUE, .why = "the kernel's filters cannot compare arrays" },
	{ U32, ARRAY, VALUE, .why = "it can only compare bits at fixed offsets for equality" },
	{ BPF | TRACEPOINT, ARRAY, VALUE, .exceeds = has_more_elements, .limit = TW_BPF_ELEMENTS_MAX,
	  .why = "the array has more elements than a BPF program compares" },
	{ PCAP, ARRAY, ANY, .exceeds = has_more_elements, .limit = 64, .why = "the array has more than 64 elements" },
	{ U32, NUMBERS, MASKED(ORDER), .why = "it can compare masked values only for equality" },
	{ TRACEFS, NUMBER, VALUE, has_sign_to_kernel, .why = "the kernel's filters compare the field as signed" },

	/* Bytes; the kernel's filters compare them as integers. */
	{ TRACEFS, BYTES, VALUE & ~EQUAL, .why = "the kernel's filters compare bytes for equality only" },
	{ TRACEFS, NUMBER | BYTES, VALUE, has_odd_name,
	  .why = "the field's name has characters that the kernel's filters do not accept" },
	{ TRACEFS, NUMBER | BYTES, VALUE, is_no_integer_to_kernel,
	  .why = "the kernel's filters can compare only single integers" },
	{ TRACEFS, NUMBER | BYTES, VALUE, is_text_to_kernel,
	  .why = "the kernel's filters treat the field as text, or as a pointer to text" },
	{ BPF, BYTES, CONTAINS, .why = "a BPF program cannot search in bytes" },
	{ BPF, BYTES, ORDER, is_no_number,
	  .why = "a BPF program can order bytes only if field and value have the same size: 1, 2, 4 or 8 bytes" },
	{ DISPLAY, BYTES, ANY, holds_truths, .why = "Wireshark shows the field as boolean, not as bytes" },
	{ DISPLAY, BYTES, CONTAINS, is_address, .why = "display filters cannot search in addresses" },
	{ DISPLAY, BYTES, VALUE, is_empty, .why = "display filters have no notation for empty bytes" },

	/* Text and bytes. */
	{ PCAP, TEXT | BYTES, VALUE, .exceeds = is_longer, .limit = TW_PCAP_VALUE_MAX, .why = "the value is too long" },
	{ PCAP, TEXT, VALUE, has_nul, .why = "it cannot search for the NUL of a text" },
	{ PCAP, TEXT, MATCHES, .why = "it has no regular expressions" },
	{ PCAP, TEXT, CONTAINS, .why = "it cannot search in texts" },
	{ PCAP, BYTES, CONTAINS, .exceeds = has_more_positions, .limit = 64,
	  .why = "the value can be at more than 64 positions in the field" },
	{ U32, TEXT | BYTES, ORDER | CONTAINS | MATCHES,
	  .why = "it can only compare bits at fixed offsets for equality" },
	{ U32 | PCAP, TEXT, GLOB, is_no_prefix,
	  .why = "it supports no special characters in a pattern, except * at the end" },
	{ U32, TEXT, VALUE, has_nul, .why = "it cannot search for the NUL of a text" },
	{ U32, TEXT | BYTES, VALUE, .exceeds = is_longer, .limit = TW_CUBE_VALUE_MAX - 1,
	  .why = "the value is too long" },

	/* Text. */
	{ BPF, BITS, VALUE, .why = "the frames contain the bits of a bit mask, not its text" },
	{ BPF, TEXT, VALUE, .exceeds = is_dynamic_and_longer, .limit = TW_BPF_TEXT_MAX,
	  .why = "a BPF program can compare a text of variable length with at most 255 bytes" },
	{ BPF, TEXT, GLOB, is_no_prefix,
	  .why = "a BPF program supports no special characters in a pattern, except * at the end" },
	{ BPF, TEXT, MATCHES, .why = "a BPF program has no regular expressions" },
	{ BPF, TEXT, CONTAINS, .why = "a BPF program cannot search in a text" },
	{ BPF, TEXT, ORDER, .why = "a BPF program cannot order texts" },
	{ DISPLAY, TEXT | BITS | COMM | HOST, VALUE, is_shown_otherwise,
	  .why = "Wireshark shows control characters and invalid UTF-8 as \\xNN" },
	{ DISPLAY, BITS, CONTAINS | MATCHES | GLOB,
	  .why = "Wireshark shows only the beginning of a long list of bits" },
	{ DISPLAY, BITS, VALUE, .exceeds = is_longer, .limit = 1000,
	  .why = "Wireshark shows only the beginning of a long list of bits" },
	{ TRACEFS, BITS, VALUE, .why = "the kernel's filters cannot compare a list of bits as text" },
	{ TRACEFS, TEXT, VALUE, has_no_end, .why = "the kernel's filters do not know where this field ends" },
	{ TRACEFS, TEXT, VALUE, has_odd_name,
	  .why = "the field's name has characters that the kernel's filters do not accept" },
	{ TRACEFS, TEXT | COMM, MATCHES, .why = "the kernel's filters have no regular expressions" },
	{ TRACEFS, TEXT | COMM, ORDER, .why = "the kernel's filters cannot order texts" },
	{ TRACEFS, TEXT | COMM, VALUE, .meets = TW_TRACEFS_OPEN_ESCAPE,
	  .why = "the kernel interprets a backslash at the end of a text differently" },
	{ TRACEFS, TEXT | COMM, VALUE, .meets = TW_TRACEFS_READS_ON,
	  .why = "the kernel may match such a pattern beyond the end of the field" },
	{ TRACEFS, TEXT | COMM, VALUE, .meets = TW_TRACEFS_TAKES_NUL,
	  .why = "older kernels may match such a pattern beyond the end of the text" },
	{ TRACEFS, TEXT | COMM, VALUE, .meets = TW_TRACEFS_LONG,
	  .why = "the text is longer than the kernel's filters accept" },
	{ TRACEFS, TEXT | COMM, VALUE, .meets = TW_TRACEFS_NUL, .why = "the kernel's filters accept no NUL" },
	{ TRACEFS, TEXT | COMM, VALUE, .meets = TW_TRACEFS_QUOTES,
	  .why = "the kernel's filters cannot quote a text that has both kinds of quotes" },
};

const char *tw_back_end__name(enum tw_back_end back_end)
{
	static const char *const names[] = {
		[TW_BACK_END_TRACEFS] = "tracefs",
		[TW_BACK_END_PRODUCER] = "producer",
		[TW_BACK_END_BPF] = "BPF",
		[TW_BACK_END_U32] = "u32",
		[TW_BACK_END_PCAP] = "pcap",
		[TW_BACK_END_DISPLAY] = "display",
		[TW_BACK_END_TRACEPOINT] = "a BPF program at a tracepoint",
		[TW_BACK_END_TOOLS] = "tools",
	};

	return names[back_end];
}

static uint32_t subject_of(const struct tw_test *test)
{
	if (test->operand != TW_ON_FIELD)
		return 1u << test->operand;
	switch (test->compared) {
	case TW_AS_NUMBER:
		return tw_test__is_array(test) ? ARRAY : NUMBER;
	case TW_AS_TEXT:
		return test->field->kind == TW_FIELD_BITMASK ? BITS : TEXT;
	default:
		return BYTES;
	}
}

const char *tw_test__refusal(const struct tw_test *test, enum tw_back_end back_end)
{
	const uint32_t subject = subject_of(test), op = 1u << test->op << (test->has_mask ? 16 : 0);

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct test_refusal *row = &refusals[i];

		if (row->back_ends >> back_end & 1 && row->subjects & subject && row->ops & op &&
		    (!row->when || row->when(test)) && (!row->exceeds || row->exceeds(test, row->limit)) &&
		    (!row->meets || row->meets == tw_tracefs__obstacle(test)))
			return row->why;
	}
	return NULL;
}

const struct tw_test *tw_node__refused(const struct tw_node *root, enum tw_back_end back_end, const char **ret_why)
{
	struct tw_walk walk = tw_walk__on(root);
	const struct tw_test *test;

	while ((test = tw_walk__next_test(&walk))) {
		*ret_why = tw_test__refusal(test, back_end);
		if (*ret_why)
			break;
	}
	return test;
}

int tw_bound__check(const struct tw_bound *bound, const struct tw_node *root, enum tw_back_end back_end,
		    struct tw_error *error)
{
	const char *why;
	const struct tw_test *test = tw_node__refused(root, back_end, &why);
	const struct tw_text_span *span;

	if (!test)
		return 0;
	span = &bound->predicates[test->predicate];
	return tw_error__set(error, -EOPNOTSUPP, "column %u: %s cannot express '%.*s', because %s", span->begin + 1,
			     tw_back_end__name(back_end),
			     (int)(span->end - span->begin < 100 ? span->end - span->begin : 100),
			     bound->text + span->begin, why);
}
