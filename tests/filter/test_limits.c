/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions of the largest size, for the largest number of events; and larger ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/arena.h"
#include "filter/capability.h"
#include "filter/evaluate.h"
#include "filter/tree.h"

/* As many events as a kernel has. */
static struct tw_schema *make_large_schema(void)
{
	struct tw_schema *large = tw_schema__new();
	struct tw_error err;
	char text[256];

	for (int id = 10; id < 2400; id++) {
		const int len = snprintf(text, sizeof(text),
					 "name: event_%d\nID: %d\nformat:\n"
					 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
					 "\tfield:int %s;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
					 id, id, id % 10 ? "count" : "level");

		assert_int_equal(tw_schema__add(large, "large", text, (size_t)len, NULL, &err), 0);
	}
	return large;
}

/* An expression of the largest size with the largest number of events: events without its fields share a tree. */
static void test_many_events(void **state)
{
	struct tw_bind_options options = { .schema = make_large_schema() };
	char text[TW_FILTER_TEXT_MAX + 1] = "event != event_11 && (level == 1";
	struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error err;

	(void)state;
	for (int i = 2; i < TW_FILTER_PREDICATES_MAX; i += 2)
		strcat(text, "||cpu==1&&pid==2");
	strcat(text, ")");
	assert_int_equal(tw_filter__parse(text, &filter, &err), 0);
	assert_int_equal(tw_filter__bind(filter, &options, &bound, &err), 0);
	assert_ptr_equal(tw_bound__root(bound, 12), tw_bound__root(bound, 2399));
	assert_ptr_not_equal(tw_bound__root(bound, 12), tw_bound__root(bound, 20));
	assert_int_equal(tw_bound__root(bound, 11)->kind, TW_NODE_FALSE);
	assert_in_range(tw_arena__taken(bound->arena), 1, 12 << 20);
	assert_int_equal(tw_bound__prepare(bound, &err), 0);
	assert_int_equal(tw_bound__is_certain(bound, 11), 0);
	assert_int_equal(tw_bound__is_certain(bound, 12), -1);
	tw_bound__free(bound);
	tw_filter__free(filter);
	tw_schema__free((struct tw_schema *)options.schema);
}

static void test_limits(void **state)
{
	char text[TW_FILTER_TEXT_MAX + 2];
	struct tw_filter *filter;
	struct tw_error err;

	(void)state;
	memset(text, ' ', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
	memset(text, '(', 200);
	text[200] = '\0';
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
	/* an OR and an AND are open at every level */
	text[0] = '\0';
	for (int i = 0; i < TW_FILTER_DEPTH_MAX; i++)
		strcat(text, "cpu==1||pid==1&&(");
	strcat(text, "cpu==1");
	for (int i = 0; i < TW_FILTER_DEPTH_MAX; i++)
		strcat(text, ")");
	assert_int_equal(tw_filter__parse(text, &filter, &err), 0);
	tw_filter__free(filter);
	/* the depth of a place is limited, not the number of all parentheses */
	text[0] = '\0';
	for (int i = 0; i < 3; i++) {
		memset(text + strlen(text) + 1, '\0', TW_FILTER_DEPTH_MAX);
		memset(text + strlen(text), '(', TW_FILTER_DEPTH_MAX);
		strcat(text, "cpu==1");
		memset(text + strlen(text) + 1, '\0', TW_FILTER_DEPTH_MAX);
		memset(text + strlen(text), ')', TW_FILTER_DEPTH_MAX);
		strcat(text, i < 2 ? "||" : "");
	}
	assert_int_equal(tw_filter__parse(text, &filter, &err), 0);
	tw_filter__free(filter);
	memset(text, '!', 200);
	text[200] = '\0';
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
	text[0] = '\0';
	for (int i = 0; i < TW_FILTER_PREDICATES_MAX; i++)
		strcat(text, "cpu==1||");
	strcat(text, "cpu==1");
	assert_int_equal(tw_filter__parse(text, &filter, &err), -E2BIG);
}

/* An expression of the largest depth has no tree that is too deep: an OR and an AND at each level, and the OR of a set in the last one. */
static void test_deepest_tree(void **state)
{
	struct tw_bind_options options = { .schema = make_large_schema() };
	struct tw_arena *arena = tw_arena__new(TW_FILTER_MEMORY_MAX);
	char text[TW_FILTER_TEXT_MAX + 1] = "";
	struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error err;

	(void)state;
	for (int i = 0; i < TW_FILTER_DEPTH_MAX; i++)
		strcat(text, "cpu==1||pid==1&&(");
	strcat(text, "cpu==1||pid==1&&count in {1,2}");
	for (int i = 0; i < TW_FILTER_DEPTH_MAX; i++)
		strcat(text, ")");
	assert_int_equal(tw_filter__parse(text, &filter, &err), 0);
	assert_int_equal(tw_filter__bind(filter, &options, &bound, &err), 0);
	assert_int_equal(tw_bound__prepare(bound, &err), 0);
	assert_non_null(tw_node__weaken(tw_bound__root(bound, 11), TW_BACK_END_TRACEFS, arena, NULL));
	tw_arena__free(arena);
	tw_bound__free(bound);
	tw_filter__free(filter);
	tw_schema__free((struct tw_schema *)options.schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_deepest_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
