/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_bpf_limits FORMATS.tar.xz -- classifiers of the largest size, for all events of a real kernel. The verifier accepts the generated
 * programs for both hooks. Larger classifiers are refused with a sentence.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "filter/filter.h"
#include "tests/filter/bound.h"
#include "tests/filter/loader.h"
#include "tests/schema/oracle/oracle.h"

#define SKIPPED 77

static int failures;

static int keep(void *schema, enum tw_schema_kind kind, const char *system, const char *text, size_t len)
{
	if (kind == TW_SCHEMA_EVENT)
		tw_schema__add(schema, system, text, len, NULL, NULL);
	return 0;
}

static struct tw_bound *bind(const struct tw_schema *schema, const char *text)
{
	const struct tw_bind_options options = { .schema = schema };
	struct tw_error err = { "" };
	struct tw_bound *bound;

	if (bound__make(text, &options, &bound, &err)) {
		fprintf(stderr, "%.60s: %s\n", text, err.text);
		exit(1);
	}
	return bound;
}

/* Writes @n comparisons, such as "FIELD == 0 JOINT FIELD == 7 JOINT ..."; the first number is @from */
static void repeat(char *text, size_t size, const char *field, const char *joint, unsigned int n, unsigned int from)
{
	size_t len = 0;

	for (unsigned int i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s == %u", i ? joint : "", field, from + 7 * i);
}

/* @texts: one for each rule; their actions alternate */
static void expect(const char *what, const struct tw_schema *schema, const char *const *texts, unsigned int n,
		   int expected)
{
	struct tw_rule rule[TW_RULES_MAX] = { 0 };
	const struct tw_rules rules = { .rules = rule, .n = n, .schema_id = 1 };
	struct tw_error err = { "" };

	for (unsigned int i = 0; i < n; i++) {
		rule[i].bound = bind(schema, texts[i]);
		rule[i].action = i % 2 ? TW_ACTION_PASS : TW_ACTION_DROP;
	}
	for (uint8_t hook = TW_HOOK_XDP; hook <= TW_HOOK_TC; hook++) {
		const struct tw_bpf_options options = { .hook = hook, .udp_port = 18101 };
		uint64_t began = tw_time__now(CLOCK_MONOTONIC), generated, loaded_at;
		struct tw_bpf_program program = { 0 };
		struct loaded loaded = { 0 };
		int error = tw_bpf__generate(&rules, &options, &program, &err);

		generated = tw_time__now(CLOCK_MONOTONIC);
		if (!error)
			error = loader__load(&rules, &options, &program, 1, &loaded);
		loaded_at = tw_time__now(CLOCK_MONOTONIC);
		printf("%s, %s: %u instructions in %llu ms, loaded in %llu ms%s%s\n", what,
		       hook == TW_HOOK_XDP ? "XDP" : "tc", program.n, (generated - began) / TW_NS_PER_MS,
		       (loaded_at - generated) / TW_NS_PER_MS, error ? ": " : "",
		       error ? err.text[0] ? err.text : strerror(-error) : "");
		failures += error != expected || (error && !err.text[0]);
		loader__unload(&loaded);
		tw_bpf_program__fini(&program);
	}
	for (unsigned int i = 0; i < n; i++)
		tw_bound__free(rule[i].bound);
}

static void expect_one(const char *text, const struct tw_schema *schema, int expected)
{
	expect(text, schema, &text, 1, expected);
}

static void many_rules(const struct tw_schema *schema, const char *field, unsigned int comparisons, int expected)
{
	static char texts[TW_RULES_MAX][TW_FILTER_TEXT_MAX];
	const char *pointers[TW_RULES_MAX];
	char what[128];

	for (unsigned int i = 0; i < TW_RULES_MAX; i++) {
		repeat(texts[i], sizeof(texts[i]), field, " || ", comparisons, i * 1000);
		pointers[i] = texts[i];
	}
	snprintf(what, sizeof(what), "%u rules of %u comparisons of %s", TW_RULES_MAX, comparisons, field);
	expect(what, schema, pointers, TW_RULES_MAX, expected);
}

static void long_expression(const struct tw_schema *schema, const char *field, const char *joint, unsigned int n,
			    int expected)
{
	static char text[TW_FILTER_TEXT_MAX];
	const char *pointer = text;
	char what[128];

	repeat(text, sizeof(text), field, joint, n, 0);
	snprintf(what, sizeof(what), "%u comparisons of %s joined by%s", n, field, joint);
	expect(what, schema, &pointer, 1, expected);
}

/* Each event has its field at another place, so it needs its own comparisons. */
static struct tw_schema *make_places(unsigned int n_events)
{
	struct tw_schema *schema = tw_schema__new();
	char text[256];

	for (unsigned int id = 1; schema && id <= n_events; id++) {
		const int len = snprintf(text, sizeof(text),
					 "name: event_%u\nID: %u\nformat:\n"
					 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
					 "\tfield:%s level;\toffset:%u;\tsize:%u;\tsigned:0;\n\nprint fmt: \"\"\n",
					 id, id, id == 1 ? "u64" : "u8", 8 + id, id == 1 ? 8 : 1);

		tw_schema__add(schema, "places", text, (size_t)len, NULL, NULL);
	}
	return schema;
}

/* A u8 always differs from 1000, so the rules need few instructions. For 1000 events, there are still too many comparisons. */
static void many_events(unsigned int n_events, int expected)
{
	struct tw_schema *schema = make_places(n_events);
	const char *texts[TW_RULES_MAX];
	char what[128];

	for (unsigned int i = 0; i < TW_RULES_MAX; i++)
		texts[i] = "!(level != 1000)";
	snprintf(what, sizeof(what), "%u rules for each of %u events", TW_RULES_MAX, n_events);
	expect(what, schema, texts, TW_RULES_MAX, expected);
	tw_schema__free(schema);
}

int main(int argc, char **argv)
{
	struct tw_schema *schema = tw_schema__new();

	if (geteuid() != 0) {
		printf("skipped: loading a BPF program needs root\n");
		return SKIPPED;
	}
	if (argc != 2 || !schema || walk_texts(argv[1], keep, schema)) {
		fprintf(stderr, "usage: test_bpf_limits FORMATS.tar.xz\n");
		return 1;
	}
	expect_one("dev == 3", schema, 0);
	expect_one("ret < 0", schema, 0);
	expect_one("!(ret == 7) && cpu == 1 || len > 100 && time > 5", schema, 0);
	long_expression(schema, "prev_pid", " || ", 200, 0);
	long_expression(schema, "ret", " || ", 200, 0);
	long_expression(schema, "ret", " && ! ", 200, 0);
	many_rules(schema, "prev_pid", 1, 0);
	many_rules(schema, "prev_pid", 20, 0);
	many_rules(schema, "ret", 10, 0);
	many_rules(schema, "dev", 3, 0);
	many_rules(schema, "prev_pid", 150, -E2BIG);
	many_rules(schema, "ret", 50, -E2BIG);
	many_events(900, 0);
	many_events(1000, -E2BIG);
	tw_schema__free(schema);
	return failures ? 1 : 0;
}
