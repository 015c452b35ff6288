/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conditions of the programs that make socket events, for random filters and records. A record that passes the filter must pass the
 * conditions. If a program can evaluate the whole filter, the reverse holds, too.
 */
#include "producer/sockets/conditions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter/arena.h"
#include "filter/evaluate.h"
#include "producer/sockets/formats.h"
#include "tests/filter/bound.h"

#define FILTERS 5000
#define RECORDS 20
#define DEPTH   4

#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state_of_random = 1;

static uint32_t any_below(size_t n)
{
	state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state_of_random >> 33) % n);
}

static const char *const numbers[] = { "0", "1", "2", "6", "80", "65535", "0xffffffff", "0x123456789ab" };
static const char *const addresses[] = { "10.0.0.1", "10.0.0.2", "0.0.0.0", "10.0.0.0/8", "10.0.0.0/31", "0.0.0.0/1" };
static const char *const addresses_v6[] = { "::1", "::ffff:10.0.0.1", "::ffff:10.0.0.0/104", "fe80::/10", "::" };
static const char *const texts[] = { "\"\"", "a", "python3", "fifteen_letters" };

static const char *const number_fields[] = { "cookie",  "netns_cookie", "family",    "protocol",    "sport",
					     "dport",   "type",         "direction", "reason",      "ifindex",
					     "any.pid", "cgroup",       "pid",       "bytes",       "key",
					     "cpu",     "tsflags",      "hole",      "transmission" };

/* Formats with values for all of %s: the field, and twice a value */
static const char *const comparisons[] = { "%s == %s",       "%s != %s",         "%s < %s",      "%s >= %s",
					   "%s in {%s, %s}", "%s in {%s, 1..7}", "%s & 3 == %s", "not %s == %s",
					   "%s & %s",        "%s <= %s" };
static const char *const equalities[] = { "%s == %s", "%s != %s", "%s in {%s, %s}", "not %s == %s", "%s > %s" };
static const char *const text_tests[] = { "%s == %s",     "%s != %s",       "%s in {%s, %s}",
					  "%s ~ \"*t*\"", "%s contains %s", "%s < %s" };

static const char *pick(const char *const *list, size_t n)
{
	return list[any_below(n)];
}

#define PICK(list) pick(list, N(list))

static void put_comparison(FILE *to)
{
	switch (any_below(6)) {
	case 0:
		fprintf(to, PICK(equalities), any_below(2) ? "saddr" : "daddr", PICK(addresses), PICK(addresses));
		return;
	case 1:
		fprintf(to, PICK(equalities), any_below(2) ? "saddrv6" : "daddrv6", PICK(addresses_v6),
			PICK(addresses_v6));
		return;
	case 2:
		fprintf(to, PICK(text_tests), any_below(4) ? "any.comm" : "dev", PICK(texts), PICK(texts));
		return;
	default:
		fprintf(to, PICK(comparisons), PICK(number_fields), PICK(numbers), PICK(numbers));
	}
}

static void put_expression(FILE *to, unsigned int depth)
{
	if (!depth || !any_below(3)) {
		put_comparison(to);
		return;
	}
	fputs(any_below(4) ? "(" : "not (", to);
	put_expression(to, depth - 1);
	fputs(any_below(2) ? " and " : " or ", to);
	put_expression(to, depth - 1);
	fputs(")", to);
}

/* Return: a filter that can be bound to the formats */
static struct tw_bound *make_filter(const struct tw_schema *schema)
{
	const struct tw_bind_options options = {
		.schema = schema,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct tw_bound *bound = NULL;
	char text[4096];

	while (!bound) {
		FILE *to = fmemopen(text, sizeof(text), "w");

		assert_non_null(to);
		put_expression(to, DEPTH);
		fclose(to);
		if (bound__make_ready(text, &options, &bound, NULL))
			bound = NULL;
	}
	return bound;
}

static struct tw_schema *make_schema(void)
{
	struct tw_schema *schema = tw_schema__new();
	struct tw_error error;
	char *text;

	assert_non_null(schema);
	for (enum tw_sockts_event event = 0; event < TW_SOCKTS_EVENTS; event++) {
		assert_int_equal(tw_sockts_format__make("/nonexistent", event, &text), 0);
		assert_int_equal(tw_schema__add(schema, TW_SOCKTS_SYSTEM, text, strlen(text), NULL, &error), 0);
		free(text);
	}
	return schema;
}

static const struct {
	const char *name;
	size_t offset, size;
} facts[] = {
#define SOCKET(name)
#define OTHER(name) { #name, offsetof(struct tw_sockts_facts, name), sizeof(((struct tw_sockts_facts *)NULL)->name) },
	TW_SOCKTS_FACT_LIST(SOCKET, OTHER)
#undef OTHER
#undef SOCKET
};

/* Fills a field with a value that filters may have. */
static void fill_field(const struct tw_field *field, uint8_t *record)
{
	static const uint8_t v4[][4] = { { 10, 0, 0, 1 }, { 10, 0, 0, 2 }, { 0 }, { 192, 0, 2, 1 } };
	static const uint8_t v6[][16] = { { [15] = 1 }, { [10] = 0xff, 0xff, 10, 0, 0, 1 }, { 0 }, { 0xfe, 0x80 } };
	static const char names[][16] = { "", "a", "python3", "fifteen_letters", "other" };
	static const uint64_t values[] = { 0, 1, 2, 6, 17, 80, 65535, 0xffffffff, 0x123456789ab, UINT64_MAX };
	uint8_t *const at = record + field->offset;
	const uint64_t value = values[any_below(N(values))];

	if (strstr(field->name, "comm") == field->name && field->size == 16)
		memcpy(at, names[any_below(N(names))], 16);
	else if (field->size == 16)
		memcpy(at, v6[any_below(N(v6))], 16);
	else if (field->count > 1)
		memcpy(at, v4[any_below(N(v4))], field->size);
	else
		memcpy(at, &value, field->size); /* little-endian hosts */
}

/* Reads a fact from a record, as a program knows it before it makes the record. */
static void read_fact(const struct tw_format *format, const uint8_t *record, size_t i, struct tw_sockts_facts *ret)
{
	uint8_t *const to = (uint8_t *)ret + facts[i].offset;

	for (size_t f = 0; f < format->n_fields; f++) {
		const struct tw_field *field = &format->fields[f];

		if (strcmp(field->name, facts[i].name) != 0)
			continue;
		assert_true(field->size <= facts[i].size);
		memset(to, 0, facts[i].size);
		memcpy(to, record + field->offset, field->size);
	}
}

struct counts {
	uint64_t pushed, whole, matches, rejected;
};

static bool is_whole(enum tw_sockts_event event, const struct tw_node *root)
{
	struct tw_walk walk = tw_walk__on(root);
	const struct tw_test *test;

	while ((test = tw_walk__next_test(&walk)))
		if (tw_sockts_test__refusal(event, test))
			return false;
	return root->n_tests <= TW_SOCKTS_TESTS_MAX;
}

static void check_record(const struct tw_bound *bound, const struct tw_format *format,
			 const struct tw_sockts_conditions *conditions, bool whole, struct counts *counts)
{
	uint8_t record[512];
	struct tw_sockts_socket socket;
	struct tw_sockts_facts known;
	struct tw_filter_event event = { .record = record, .id = format->id };
	bool matches, passes;

	memset(record, 0, sizeof(record));
	memset(&known, 0xa5, sizeof(known));
	for (size_t f = 0; f < format->n_fields; f++) {
		fill_field(&format->fields[f], record);
		event.len = format->fields[f].offset + format->fields[f].size;
	}
	for (size_t i = 0; i < N(facts); i++)
		read_fact(format, record, i, &known);
	memcpy(&socket, record, sizeof(socket));
	memcpy(&event.pid, record + 4, sizeof(event.pid));
	matches = tw_bound__matches(bound, &event);
	passes = !conditions->event.n || tw_sockts_condition__passes(&conditions->event, &socket, &known);
	if (matches ? !passes : passes && whole)
		fail_msg("%s: '%s': the record %s the filter, but the program's condition says otherwise", format->name,
			 bound->text, matches ? "passes" : "fails");
	if (matches && conditions->socket.n && !tw_sockts_condition__passes(&conditions->socket, &socket, NULL))
		fail_msg("%s: '%s': the condition of the socket loses a record", format->name, bound->text);
	counts->matches += matches;
	counts->rejected += !passes;
}

static void check_filter(const struct tw_bound *bound, enum tw_sockts_event event, const struct tw_schema *schema,
			 struct counts *counts)
{
	const struct tw_format *format = tw_schema__by_name(schema, TW_SOCKTS_SYSTEM, tw_sockts__name(event));
	const struct tw_node *root = tw_bound__root(bound, format->id);
	struct tw_sockts_conditions conditions;
	bool whole;

	if (root->kind == TW_NODE_FALSE)
		return;
	assert_non_null(tw_sockts_conditions__make(event, root, bound->arena, &conditions));
	whole = root->kind == TW_NODE_TRUE || is_whole(event, root);
	counts->pushed += conditions.event.n > 0;
	counts->whole += whole && conditions.event.n;
	for (int i = 0; i < RECORDS; i++)
		check_record(bound, format, &conditions, whole, counts);
}

static void test_random_filters(void **state)
{
	struct tw_schema *schema = make_schema();
	struct counts counts = { 0 };

	(void)state;
	for (int i = 0; i < FILTERS; i++) {
		struct tw_bound *bound = make_filter(schema);

		for (enum tw_sockts_event event = 0; event < TW_SOCKTS_EVENTS; event++)
			check_filter(bound, event, schema, &counts);
		tw_bound__free(bound);
	}
	printf("%lu filters in programs, %lu of them whole; %lu matches, %lu records rejected\n", counts.pushed,
	       counts.whole, counts.matches, counts.rejected);
	assert_true(counts.pushed > FILTERS / 2 && counts.whole > FILTERS / 10);
	assert_true(counts.matches > FILTERS && counts.rejected > FILTERS);
	tw_schema__free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_filters) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
