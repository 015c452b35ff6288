/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bound filter as back ends use it: for each event of the schema, a tree of ANDs, ORs and tests. Only tests can be negated. The binder
 * has resolved the names and converted the values. Comparisons with the event's name or system, or with fields that the event does not
 * have, are not in the event's tree, because their result is the same for all records of the event.
 *
 * The event's field may be too small for the number of a comparison, for example if the name also stands for larger fields of other events.
 * If the field is a u8, `== 300` becomes FALSE, and `< 300` becomes EXISTS. EXISTS of an operand that every event has, such as `pid`,
 * becomes TRUE.
 *
 * A test is true if its operand is present and the comparison is true. If the operand is missing, such as a field beyond the end of a short
 * record or the name of an unknown task, the test is false for any operator. `negated` inverts the result of the test, also for a missing
 * operand. Therefore `a != 1`, a test NE, and `!(a == 1)`, a negated test EQ, differ if `a` is missing.
 */
#ifndef TW_FILTER_TREE_H
#define TW_FILTER_TREE_H

#include "filter/arena.h"
#include "filter/filter.h"
#include "schema/field.h"

/* What a test compares with its value. */
enum tw_operand {
	TW_ON_FIELD,   /* a field of the record */
	TW_ON_PID,     /* s32: common_pid */
	TW_ON_CPU,     /* u16 */
	TW_ON_FLAGS,   /* u8: common_flags */
	TW_ON_PREEMPT, /* u8: common_preempt_count */
	TW_ON_TIME,    /* u64: ns by the stream's clock */
	TW_ON_COMM,    /* text: the task's name at the time of the event; "<idle>" for pid 0 */
	TW_ON_HOST,    /* text: name of the host */
};

/* How the operand is compared. */
enum tw_compared {
	TW_AS_NUMBER, /* integers, and arrays of integers */
	TW_AS_TEXT,   /* strings; also bit masks, as the list of the set bits: "0-3,7" */
	TW_AS_BYTES,  /* arrays of single bytes, IP and MAC addresses, structs */
};

/* The properties of an operand that is not a field. */
struct tw_operand_info {
	const char *name; /* name in the filter language */
	uint8_t compared; /* enum tw_compared */
	uint8_t size;     /* NUMBER: size of the number, bytes */
	bool is_signed;
	/*
	 * NUMBER: offset of the operand from the beginning of the frame header, in a frame whose first TLV is the event. The operand is
	 * big-endian there. 0 = the frame does not contain the operand as one number at a fixed offset.
	 */
	uint16_t offset;
};

/** tw_operand__info() - Return: the properties of an operand other than TW_ON_FIELD; static */
const struct tw_operand_info *tw_operand__info(uint8_t operand);

enum tw_test_op {
	TW_TEST_EXISTS, /* the operand is present; array: it has at least one element */
	TW_TEST_EQ,     /* array: at least one element is equal */
	TW_TEST_NE,     /* array: it has elements, and all of them differ */
	/* TW_TEST_LT to TW_TEST_WITHIN: a test of an array is true if it is true for at least one element */
	TW_TEST_LT,
	TW_TEST_LE,
	TW_TEST_GT,
	TW_TEST_GE,
	TW_TEST_WITHIN,   /* low <= operand <= high */
	TW_TEST_CONTAINS, /* text or bytes: the value occurs in the operand */
	TW_TEST_MATCHES,  /* text: a PCRE2 expression matches a part of the text, ignoring case, as in Wireshark */
	TW_TEST_GLOB,     /* text: a glob as in the kernel's filters (* ? [..]) matches the whole text */
};

struct tw_test {
	uint8_t operand;  /* enum tw_operand */
	uint8_t compared; /* enum tw_compared */
	uint8_t op;       /* enum tw_test_op */
	bool is_signed;   /* NUMBER: operand and value are compared as int64_t (true) or uint64_t (false) */
	bool has_mask;    /* NUMBER: (operand & mask) is compared, unsigned */
	bool big_endian;  /* byte order of the field in the record */
	/* BYTES with the operator EQ or NE: number of leading bits that are compared, for example 8 for 10.0.0.0/8; 0 = all bits. */
	uint8_t prefix;
	uint16_t predicate;           /* index of the comparison, for tw_filter__predicate() */
	const struct tw_field *field; /* for TW_ON_FIELD; otherwise NULL */
	uint64_t mask;
	uint64_t low, high;   /* NUMBER: low is the value; with WITHIN: the ends of the range; for time: in ns */
	const uint8_t *bytes; /* TEXT or BYTES: the value; with WITHIN: the lower end of the range; a NUL follows it */
	size_t len;
	const uint8_t *high_bytes; /* TEXT or BYTES, with WITHIN: the upper end of the range */
	size_t high_len;
	const void *pattern; /* MATCHES: a pcre2_code; shared by all tests that come from one comparison */
};

enum tw_node_kind {
	TW_NODE_FALSE, /* only as the root of a tree */
	TW_NODE_TRUE,  /* only as the root of a tree */
	TW_NODE_TEST,
	TW_NODE_AND, /* at least two children; no child is an AND */
	TW_NODE_OR,  /* at least two children; no child is an OR */
};

struct tw_node {
	uint8_t kind; /* enum tw_node_kind */
	bool negated; /* TEST: the node is true if the test is false */
	struct tw_test *test;
	struct tw_node *parent;       /* NULL for the root */
	struct tw_node *first, *last; /* first and last child of an AND or OR; otherwise NULL */
	struct tw_node *next;         /* next sibling; NULL for a last child */
	uint32_t n_tests;             /* number of tests in the subtree of this node; 0 for TRUE and FALSE */
};

/*
 * Largest number of nested ANDs and ORs: one AND and one OR outside of all parentheses, one AND and one OR for each level of parentheses or
 * `not`, and one OR for a set of values.
 */
#define TW_TREE_DEPTH_MAX (2 * TW_FILTER_DEPTH_MAX + 3)

/* One event of the schema, and the filter's tree for the event. */
struct tw_bound_event {
	const struct tw_format *format;
	const struct tw_node *root;
};

/* A regular expression of `matches`, compiled once for all events. */
struct tw_compiled {
	const struct tw_literal *literal;
	void *code; /* a pcre2_code */
	struct tw_compiled *next;
};

/* The position of a comparison in the text of the expression. */
struct tw_text_span {
	uint32_t begin, end; /* offsets of the comparison's first byte, and of the byte after its last byte */
};

struct tw_bound {
	struct tw_bind_options options;
	const char *text;              /* the expression */
	struct tw_bound_event *events; /* one for each format of the schema, sorted by event id */
	size_t n_events;
	/* The tree for event ids that the schema does not have. Comparisons with fields, `event` and `system` are false in it. */
	const struct tw_node *unknown;
	bool needs_comm, needs_host; /* a comparison reads the task's name; a comparison reads the host's name */
	/*
	 * One entry for each predicate. With unknown_is_absent, if the predicate is false for all events because none of them has its name
	 * or value, the entry is a sentence that says so. All other entries are NULL.
	 */
	const char **absent;
	const struct tw_text_span *predicates;
	unsigned int n_predicates;
	struct tw_compiled *patterns;
	struct tw_evaluator *evaluator; /* filter/evaluate.h; NULL until tw_bound__prepare() */
	struct tw_arena *arena;         /* memory of all members above, except the schema and the code of patterns */
};

/** tw_bound__event() - Return: the event with the id @id, owned by @bound; NULL if the schema has no such id */
struct tw_bound_event *tw_bound__event(const struct tw_bound *bound, uint16_t id);

/** tw_bound__root() - Return: the tree for an event id; bound->unknown if the schema has no such id */
const struct tw_node *tw_bound__root(const struct tw_bound *bound, uint16_t id);

/* The position of a test's operand in a frame whose first TLV is the event. */
struct tw_test_place {
	uint32_t offset; /* offset from the beginning of the frame header, bytes */
	uint32_t size; /* bytes of one number, or of the text or byte field; a text may end earlier, at its first NUL */
	uint32_t count;  /* number of elements of an array of numbers; otherwise 1 */
	bool big_endian; /* byte order of the numbers */
	bool is_signed;
};

/**
 * tw_test__place() - find the position of a test's operand in the frame
 * Return: false if the operand has no fixed position (time, comm, host, a field at a variable offset), or if it is a bit mask, a common
 * field of the record, or a number of another size than 1, 2, 4 or 8 bytes.
 */
bool tw_test__place(const struct tw_test *test, struct tw_test_place *ret);

/** tw_number__has_size() - whether an integer can have @size bytes */
static inline bool tw_number__has_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/** tw_number__mask() - Return: mask of the low @size bytes; @size: 1 to 8 */
static inline uint64_t tw_number__mask(uint32_t size)
{
	return UINT64_MAX >> (64 - 8 * size);
}

/** tw_number__extend() - Return: the low @size bytes of @value, extended to 64 bits */
static inline uint64_t tw_number__extend(uint64_t value, uint32_t size, bool is_signed)
{
	const unsigned int unused = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value & tw_number__mask(size);
}

/** tw_test__is_array() - whether a test compares the elements of an array of numbers */
static inline bool tw_test__is_array(const struct tw_test *test)
{
	return test->compared == TW_AS_NUMBER && test->field && test->field->kind == TW_FIELD_ARRAY;
}

/* Functions that make trees. A node that is given to a function becomes a part of the returned tree; use it for no other tree. */

/** tw_node__certain() - make a node TRUE or FALSE. This function, tw_node__test() and tw_node__join() return NULL if out of memory */
struct tw_node *tw_node__certain(struct tw_arena *arena, bool value);

/** tw_node__test() - make a node for @test, which is not copied */
struct tw_node *tw_node__test(struct tw_arena *arena, struct tw_test *test, bool negated);

/** tw_node__join() - make the AND or OR of two trees; simplify it if one is TRUE or FALSE. If one is NULL, the result is NULL */
struct tw_node *tw_node__join(struct tw_arena *arena, enum tw_node_kind kind, struct tw_node *a, struct tw_node *b);

/** tw_node__negate() - negate a tree in place: exchange AND and OR, TRUE and FALSE, and negate each test. Return: @root */
struct tw_node *tw_node__negate(struct tw_node *root);

/* A walk visits the nodes of a tree in the order of the expression's text. These are the kinds of its steps. */
enum tw_walk_at {
	TW_WALK_OPEN,    /* before the first child of an AND or OR */
	TW_WALK_BETWEEN, /* between two children of an AND or OR; the walk's node is the AND or OR */
	TW_WALK_CLOSE,   /* after the last child of an AND or OR */
	TW_WALK_LEAF,    /* a TEST, TRUE or FALSE */
	TW_WALK_END,
};

struct tw_walk {
	const struct tw_node *root, *node;
	const struct tw_node *last; /* at BETWEEN and CLOSE: the child before this step */
	enum tw_walk_at at;
	bool started;
};

/** tw_walk__on() - make a walk that begins at @root */
static inline struct tw_walk tw_walk__on(const struct tw_node *root)
{
	return (struct tw_walk){ .root = root };
}

/** tw_walk__next() - make one step, and set @walk->node to the node of this step. Return: the kind of step */
enum tw_walk_at tw_walk__next(struct tw_walk *walk);

/** tw_walk__next_test() - walk to the next test. Return: the test; NULL at the end of the tree */
const struct tw_test *tw_walk__next_test(struct tw_walk *walk);

/*
 * Where the evaluation of a tree continues after a test: the number of the next test, counted from 0 in the order of the walk; or the
 * result of the whole tree.
 */
#define TW_BRANCH_TRUE  UINT32_MAX
#define TW_BRANCH_FALSE (UINT32_MAX - 1)

struct tw_branches {
	uint32_t holds, fails; /* where the evaluation continues if the test is true, and if it is false */
};

/* A walk through the tests of a tree, to generate a program for it. */
struct tw_branch_walk {
	struct tw_walk walk;
	uint32_t n; /* number of tests returned so far */
	/* open[0]: the branches of the whole tree; open[1] to open[depth]: those of the ANDs and ORs around the current node. */
	struct tw_branches open[TW_TREE_DEPTH_MAX + 1];
	unsigned int depth;
	bool too_deep; /* the tree has more than TW_TREE_DEPTH_MAX nested ANDs and ORs; the walk has ended */
};

/** tw_branch_walk__init() - begin a walk through a tree that is neither TRUE nor FALSE */
void tw_branch_walk__init(struct tw_branch_walk *walk, const struct tw_node *root);

/** tw_branch_walk__next() - walk to the next test. Return: the test, with its branches in @ret; NULL at the end of the tree */
const struct tw_test *tw_branch_walk__next(struct tw_branch_walk *walk, struct tw_branches *ret);

#endif
