/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bound filter as back ends use it: for each event of the schema a tree of ANDs, ORs and tests. Negation exists only at tests, names
 * are resolved, values converted. Results that are certain for an event are folded (its name, its system, missing fields, numbers
 * outside the field's range).
 *
 * A test is true if its operand is present and the comparison is true. A missing operand (a field beyond the end of a short record, the
 * name of an unknown task) makes it false for any operator; `negated` inverts the result after that. So `a != 1` is a test NE, and `!(a
 * == 1)` a negated test EQ.
 */
#ifndef TW_FILTER_TREE_H
#define TW_FILTER_TREE_H

#include "filter/arena.h"
#include "filter/filter.h"
#include "schema/field.h"

/* The operand of a test. */
enum tw_operand {
	TW_ON_FIELD,   /* a field of the record */
	TW_ON_PID,     /* s32: common_pid */
	TW_ON_CPU,     /* u16 */
	TW_ON_FLAGS,   /* u8: common_flags */
	TW_ON_PREEMPT, /* u8: common_preempt_count */
	TW_ON_TIME,    /* u64: ns by the stream's clock */
	TW_ON_COMM,    /* text: the task's name at that time; "<idle>" for pid 0 */
	TW_ON_HOST,    /* text: name of the host */
};

/* How it is compared. */
enum tw_compared {
	TW_AS_NUMBER, /* integers; fields that are arrays of them */
	TW_AS_TEXT,   /* strings; bit masks as the list of their bits, "0-3,7" */
	TW_AS_BYTES,  /* arrays of single bytes, IP and MAC addresses; structs and the like */
};

enum tw_test_op {
	TW_TEST_EXISTS, /* the operand is present */
	TW_TEST_EQ,     /* in an array: any element */
	TW_TEST_NE,     /* in an array: all elements, at least one */
	TW_TEST_LT,     /* this and the next ones: any element */
	TW_TEST_LE,
	TW_TEST_GT,
	TW_TEST_GE,
	TW_TEST_WITHIN,   /* low <= it <= high */
	TW_TEST_CONTAINS, /* text or bytes */
	TW_TEST_MATCHES,  /* text: a PCRE2 expression, ignoring case, as in Wireshark */
	TW_TEST_GLOB,     /* text: the kernel's glob with * ? [..], for the whole text */
};

struct tw_test {
	uint8_t operand;    /* enum tw_operand */
	uint8_t compared;   /* enum tw_compared */
	uint8_t op;         /* enum tw_test_op */
	bool is_signed;     /* NUMBER: both sides are int64_t, else uint64_t */
	bool has_mask;      /* NUMBER: (operand & mask) is compared, unsigned */
	bool big_endian;    /* byte order of the field in the record */
	uint8_t prefix;     /* BYTES: only this number of leading bits is compared, EQ and NE; 0 = all. 10.0.0.0/8 */
	uint16_t predicate; /* index for tw_filter__predicate() */
	const struct tw_field *field; /* for TW_ON_FIELD, otherwise NULL */
	uint64_t mask;
	uint64_t low, high;   /* NUMBER: the value, or both ends of WITHIN; ns for TIME */
	const uint8_t *bytes; /* TEXT, BYTES: the value, or the lower end of WITHIN; followed by a NUL */
	size_t len;
	const uint8_t *high_bytes; /* the upper end */
	size_t high_len;
	const void *pattern; /* MATCHES: a compiled pcre2_code; shared by all tests of the comparison */
};

enum tw_node_kind {
	TW_NODE_FALSE, /* only as a root, like TRUE */
	TW_NODE_TRUE,
	TW_NODE_TEST,
	TW_NODE_AND, /* at least two children, none of them an AND */
	TW_NODE_OR,  /* the same with OR */
};

struct tw_node {
	uint8_t kind; /* enum tw_node_kind */
	bool negated; /* TEST: the node is true if the test is false */
	struct tw_test *test;
	struct tw_node *parent;       /* NULL for a root */
	struct tw_node *first, *last; /* children */
	struct tw_node *next;         /* sibling */
};

/* One event of the schema and the filter's tree for it. */
struct tw_bound_event {
	const struct tw_format *format;
	const struct tw_node *root;
};

/* A regular expression of MATCHES, compiled once for all events. */
struct tw_compiled {
	const struct tw_literal *literal;
	void *code; /* a pcre2_code */
	struct tw_compiled *next;
};

/* The place of a comparison in the text of the expression. */
struct tw_text_span {
	uint32_t begin, end; /* bytes */
};

struct tw_bound {
	struct tw_bind_options options;
	const char *text;              /* the expression */
	struct tw_bound_event *events; /* sorted by id, one for each format */
	size_t n_events;
	/* The tree for event ids that the schema does not have: their fields, event and system are unknown, other operands are known. */
	const struct tw_node *unknown;
	bool needs_comm, needs_host; /* some test reads them */
	const char *
		*absent; /* for each predicate why no event of the schema has its names: a sentence; NULL if one has */
	const struct tw_text_span *predicates;
	unsigned int n_predicates;
	struct tw_compiled *patterns;
	struct tw_evaluator *evaluator; /* filter/evaluate.h; NULL until tw_bound__prepare() */
	struct tw_arena *arena;         /* memory of all of this */
};

/** tw_bound__event() - the event with that id, borrowed; NULL if the schema has none */
struct tw_bound_event *tw_bound__event(const struct tw_bound *bound, uint16_t id);

/** tw_bound__root() - the tree for an event id; never NULL */
const struct tw_node *tw_bound__root(const struct tw_bound *bound, uint16_t id);

/* The place of a test's numbers, text or bytes in a frame whose first TLV is the event. */
struct tw_test_place {
	uint32_t offset; /* offset from the frame header */
	uint32_t size;   /* size of a number, or of all bytes: a text has this length, or ends with the first NUL */
	uint32_t count;  /* number of consecutive numbers: the elements of an array, otherwise 1 */
	bool big_endian; /* byte order of the numbers */
	bool is_signed;
};

/** tw_test__place() - Return: false if there is no fixed place: TIME, names, a dynamic field, a bit mask */
bool tw_test__place(const struct tw_test *test, struct tw_test_place *ret);

/** tw_number__has_size() - whether numbers can have that size */
static inline bool tw_number__has_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/** tw_test__is_array() - whether it compares the elements of an array of numbers */
static inline bool tw_test__is_array(const struct tw_test *test)
{
	return test->compared == TW_AS_NUMBER && test->field && test->field->kind == TW_FIELD_ARRAY;
}

/* Joining nodes; certain results are folded at once. All functions consume their arguments: each node is in one tree. */

/** tw_node__certain() - TRUE or FALSE. Return: NULL without memory, as for all functions here */
struct tw_node *tw_node__certain(struct tw_arena *arena, bool value);

struct tw_node *tw_node__test(struct tw_arena *arena, struct tw_test *test, bool negated);

/** tw_node__join() - AND or OR of two trees; a NULL argument gives NULL */
struct tw_node *tw_node__join(struct tw_arena *arena, enum tw_node_kind kind, struct tw_node *a, struct tw_node *b);

/** tw_node__negate() - negate a tree in place, so that negation exists only at tests; NULL gives NULL */
struct tw_node *tw_node__negate(struct tw_node *root);

/* Steps through a tree, in the order of its text. */
enum tw_walk_at {
	TW_WALK_OPEN,    /* an AND or OR begins */
	TW_WALK_BETWEEN, /* between two of its children; the node is the AND or OR */
	TW_WALK_CLOSE,
	TW_WALK_LEAF, /* TEST, TRUE or FALSE */
	TW_WALK_END,
};

struct tw_walk {
	const struct tw_node *root, *node;
	const struct tw_node *last; /* the last child that was left */
	enum tw_walk_at at;
	bool started;
};

/** tw_walk__on() - begin a walk */
static inline struct tw_walk tw_walk__on(const struct tw_node *root)
{
	return (struct tw_walk){ .root = root };
}

/** tw_walk__next() - one step; its node is @walk->node. Return: the kind of step */
enum tw_walk_at tw_walk__next(struct tw_walk *walk);

/** tw_walk__next_test() - walk to the next test. Return: NULL at the end */
const struct tw_test *tw_walk__next_test(struct tw_walk *walk);

#endif
