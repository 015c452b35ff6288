/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The evaluator's programs: trees of any shape, ids, limits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/arena.h"
#include "tests/filter/toy.h"

/* A random tree of ANDs and ORs. Its leaves test `list == i` or `a == i`. grow() makes it, and computes the expected result. */
struct random_tree {
	unsigned int seed;
	struct tw_node nodes[256];
	struct tw_test tests[256];
	unsigned int n;
};

static struct tw_node *grow(const struct toy *f, struct random_tree *tree, unsigned int depth, uint8_t parent_kind,
			    bool *ret)
{
	struct tw_node *node = &tree->nodes[tree->n], **link;
	const bool is_and = parent_kind == TW_NODE_OR;

	*node = (struct tw_node){
		.kind = TW_NODE_TEST, .negated = rand_r(&tree->seed) % 2, .test = &tree->tests[tree->n++], .n_tests = 1
	};
	if (!depth || rand_r(&tree->seed) % 4 == 0) {
		const uint64_t value = (uint64_t)rand_r(&tree->seed) % 10;

		*node->test = toy__number(f, rand_r(&tree->seed) % 2 ? "list" : "a", TW_TEST_EQ, value);
		*ret = (node->test->field->kind == TW_FIELD_ARRAY && value % 4 == 1) != node->negated;
		return node;
	}
	node->kind = is_and ? TW_NODE_AND : TW_NODE_OR;
	node->n_tests = 0;
	*ret = is_and;
	link = &node->first;
	for (int i = 2 + rand_r(&tree->seed) % 2; i; i--) {
		bool value;

		*link = grow(f, tree, depth - 1, node->kind, &value);
		(*link)->parent = node;
		node->n_tests += (*link)->n_tests;
		node->last = *link;
		link = &(*link)->next;
		*ret = is_and ? *ret && value : *ret || value;
	}
	return node;
}

static void trees_of_any_shape(void **state)
{
	struct toy *f = *state;
	struct random_tree *tree = test_calloc(1, sizeof(*tree));
	unsigned int matching = 0;

	tree->seed = 1;
	for (int i = 0; i < 20000; i++) {
		bool expected;

		tree->n = 0;
		f->bound_event.root = grow(f, tree, 4, i % 2 ? TW_NODE_AND : TW_NODE_OR, &expected);
		matching += expected;
		if (toy__matches(f) != expected)
			fail_msg("tree %d of %u nodes should have been %d", i, tree->n, expected);
	}
	assert_in_range(matching, 2000, 18000);
	test_free(tree);
}

static void certainty_is_by_id(void **state)
{
	struct toy *f = *state;
	struct tw_test test = toy__number(f, "a", TW_TEST_EQ, 200);
	struct tw_error err;

	f->root = (struct tw_node){ .kind = TW_NODE_TEST, .test = &test, .n_tests = 1 };
	f->bound.arena = tw_arena__new(1 << 20);
	assert_int_equal(tw_bound__prepare(&f->bound, &err), 0);
	assert_int_equal(tw_bound__is_certain(&f->bound, 300), -1);
	assert_int_equal(tw_bound__is_certain(&f->bound, 299), 0);
	assert_int_equal(tw_bound__is_certain(&f->bound, 65535), 0);
	f->event.id = 301;
	assert_false(tw_bound__matches(&f->bound, &f->event));
	tw_arena__free(f->bound.arena);
	f->root.kind = TW_NODE_TRUE;
	f->event.id = 300;
	assert_true(toy__matches(f));
}

static void too_large_is_said(void **state)
{
	struct toy *f = *state;
	struct tw_test test = toy__number(f, "a", TW_TEST_EQ, 200);
	struct tw_error err = { "" };

	f->root = (struct tw_node){ .kind = TW_NODE_TEST, .test = &test, .n_tests = 1 };
	f->bound.arena = tw_arena__new(64);
	assert_int_equal(tw_bound__prepare(&f->bound, &err), -E2BIG);
	assert_non_null(strstr(err.text, "needs too much memory for all events"));
	tw_arena__free(f->bound.arena);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, toy__set_up, toy__tear_down)
	const struct CMUnitTest tests[] = {
		TEST(trees_of_any_shape),
		TEST(certainty_is_by_id),
		TEST(too_large_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
